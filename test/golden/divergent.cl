// golden: 4; lower; -g 64 -l 16 10 '[64]=i' '[64]'
kernel void collatz(int limit, global const uint *in, global int *steps) {
  size_t i = get_global_id(0);
  uint n = in[i];
  int k = 0;
  while (n > 1 && k < limit) {
    if (n & 1) n = 3 * n + 1;
    else n /= 2;
    k++;
  }
  steps[i] = k;
}
