// Reductions of 1 M floats: a tree in local memory with a partial sum per group of 256, and a strided sum with one
// atomic add per item. A dot product with elements at distances that are given, first by items and then by groups. Sums
// of records, of which in each step every second, fourth... adds its neighbour's.
// run: -k tree -g 1048576 -l 256 '[1048576]=i%7' '[4096]' 'local[256]' --bytes '4*g0' --name tree
// expect: 1: sum(k,256*i,256*i+256,a0[k])
// run: -k strided -g 4096 -l 64 1048576 '[1048576]=i%7' '[1]' --bytes '4*a0' --name strided_atomic
// expect: 2: sum(k,0,1048576,a1[k])
// run: -k dot -g 4096 -l 64 1048576 '[1048576]=i%7' 1 '[1048576]=i%5' 1 '[64]' --bytes '8*a0' --name dot
// expect: 5: sum(k,0,256,sum(j,0,64,a1[4096*k+64*i+j]*a3[4096*k+64*i+j]))
// run: -k neighbours -g 1048576 -l 64 '[1048576]=i%7' '(double)[81920]' --bytes '4*g0' --name neighbours
// expect: 1: i%5==4?64:(1+i%5)*sum(k,64*int(i/5),64*int(i/5)+64,a0[k])
struct sums {
  double a, b, c, d, n;
};
kernel void tree(global const float *in, global float *out, local float *part) {
  int l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_size) part[l] += part[l + half_size];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
kernel void strided(int n, global const int *in, global int *out) {
  int sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  atomic_add(out, sum);
}
kernel void dot(int n, global const float *x, int dx, global const float *y, int dy, global float *out) {
  local float part[64];
  int l = get_local_id(0);
  float sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i * dx] * y[i * dy];
  part[l] = sum;
  for (int half_size = 32; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_size) part[l] += part[l + half_size];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
kernel void neighbours(global const float *in, global struct sums *out) {
  local struct sums part[64];
  int l = get_local_id(0);
  double x = in[get_global_id(0)];
  part[l] = (struct sums){x, 2 * x, 3 * x, 4 * x, 1};
  for (int step = 1; step < 64; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % (2 * step) == 0) {
      part[l].a += part[l + step].a;
      part[l].b += part[l + step].b;
      part[l].c += part[l + step].c;
      part[l].d += part[l + step].d;
      part[l].n += part[l + step].n;
    }
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
