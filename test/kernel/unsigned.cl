// Indices of type uint: what cannot wrap is told from what can, by the launch's size and by low bits that are 0. Launches
// that begin far out make the same indices wrap.
// run: -k pairs -g 1000 '[2000]=i' '[2000]' --name pairs
// expect: 1: i%2==0 ? 2*i+1 : uint(0-1)
// run: -k pairs -g 1000 -o 2147483648 '[2000]=i' '[2000]' --name pairs_wrapped
// expect: 1: i%2==0 ? 2*i+1 : uint(0-1)
// run: -k triples -g 999 0 '[3000]=i' '[3000]' --name triples
// expect: 2: i<2997 ? i%3==0 ? i : i%3==1 ? 5*i : 7*i : 0
// run: -k triples -g 999 -o 1431655765 1 '[3000]=i' '[3000]' --name triples_wrapped
// expect: 2: i<2997 ? i%3==0 ? i : i%3==1 ? 5*i : 7*i : 0
// run: -k triples -g 999 -o 2863311530 2 '[3000]=i' '[3000]' --name triples_wrapped_far
// expect: 2: i<2997 ? i%3==0 ? i : i%3==1 ? 5*i : 7*i : 0
// run: -k across -g 16 -o 1431655765 '[64]=i' '[64]=-1'
// expect: 1: i<48 ? i%3==0 ? i : i%3==1 ? 5*i : 7*i : -1
// run: -k blocks -g 512 -l 64 '[1024]=i' '[1024]'
// expect: 1: 2*(i-i%128)+(i%2==0 ? 128 : 127)-i%128
// run: -k mixed -g 256 -l 32 '[2048]=i' '[2048]' 3
// expect: 1: i%8==0 ? i+4 : i%8==4 ? i-4 : i%8==1 ? 3 : 0
// run: -k signed_ones -g 250 -l 50 '[300]=i' '[250]' 7
// expect: 1: (i%50+6)%7*1000+floor((i+20)/7)*10+(3*i+20)%16-(i%5==0?floor((60-3*(i%50))/7)-(60-3*(i%50)<0&&(60-3*(i%50))%7!=0?-1:0):0)
// run: -k lines -g 300 '(float)[3000]=i' 10 0 10 '(float)[300]' --name lines
// expect: 4: i*100+45
// run: -k lines -g 300 '(float)[309]=i' 4294967295 299 10 '(float)[300]' --name lines_backwards
// expect: 4: (299-i)*10+45
// run: -k products -g 16,8 -l 8,4 '[64]=i' '[128]=1+i%16' 8 '[128]'
// expect: 3: (64*floor(i/16)+28)*(1+i%16)
// run: -k down -g 16,8 -l 8,4 '[200]=i' 4294967280 112 7 '[128]'
// expect: 4: 7*(112-16*floor(i/16)+i%16)+21
kernel void pairs(global const uint *in, global uint *out) {
  uint i = 2 * get_global_id(0);
  uint a = in[i], b = in[i + 1];
  out[i] = a + b;
  out[i + 1] = a - b;
}

kernel void triples(uint shift, global const uint *in, global uint *out) {
  uint i = 3 * get_global_id(0) + shift;
  out[i] = in[i];
  out[i + 1] = 5 * in[i + 1];
  out[i + 2] = 7 * in[i + 2];
}

// The first of three wraps in no lane, the others in the first lane.
kernel void across(global const int *in, global int *out) {
  uint i = 3 * get_global_id(0);
  int a = in[i + 1], b = in[i + 2], c = in[i + 3];
  out[i + 1] = a;
  out[i + 2] = 5 * b;
  out[i + 3] = 7 * c;
}

kernel void blocks(global const int *in, global int *out) {
  local int t[128];
  uint l = get_local_id(0), base = 128 * get_group_id(0);
  t[2 * l] = in[base + 2 * l];
  t[2 * l + 1] = in[base + 2 * l + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + 2 * l] = t[127 - 2 * l] + t[2 * l + 1] - 2 * l;
  out[base + 2 * l + 1] = t[126 - 2 * l] + t[2 * l] - 2 * l;
}

kernel void mixed(global const int *in, global int *out, uint n) {
  uint g = get_global_id(0), low = g << 3;
  out[low | 4] = in[low];
  out[low] = in[low ^ 4];
  out[low + 1] = n;
}

// Of int, but not negative: those that are may come from one operand alone.
kernel void signed_ones(global const float *in, global float *out, int seven) {
  int i = (int)get_global_id(0), l = (int)get_local_id(0);
  int r = (l + 6) % 7 * 1000 + (i + 20) / seven * 10 + (3 * i + 20) % 16;
  if (i % 5 == 0) r -= (60 - 3 * l) / seven;
  out[i] = r + in[i] * 0;
}

// What a turn adds to a product with an argument is told by where the loop ends.
kernel void lines(global const float *in, uint n, uint first, uint turns, global float *out) {
  uint i = get_global_id(0);
  float sum = 0;
  for (uint k = 0; k < turns; k++) sum += in[i * n + first + k];
  out[i] = sum;
}

kernel void products(global const uint *a, global const uint *b, uint n, global uint *out) {
  uint x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), sum = 0;
  for (uint k = 0; k < n; k++) sum += a[y * n + k] * b[k * width + x];
  out[y * width + x] = sum;
}

kernel void down(global const uint *in, uint n, uint first, uint turns, global uint *out) {
  uint x = get_global_id(0), y = get_global_id(1), sum = 0;
  for (uint k = 0; k < turns; ++k) sum += in[y * n + first + x + k];
  out[y * get_global_size(0) + x] = sum;
}
