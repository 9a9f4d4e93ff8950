// golden: 4; lower; -g 64 -l 16 '[64]=i' '[64]' '[1]'
kernel void append(global const int *in, global int *list, global int *end) {
  int i = get_global_id(0);
  if (in[i] > 3) list[atomic_inc(end)] = i;
}
