// Local memory: arguments of several types and alignments, arrays in kernels, structures, and use through functions.
// run: -k arguments -g 64 -l 16 '[64]=i' 'local[16]' 'local[3]' 'local[16]' '[64]'
// expect: 4: 2*(i-i%16+15-i%16)
// run: -k arrays -g 64 -l 16 '[64]=i' '[64]'
// expect: 1: (i-i%16)+(i%16+1)%16 + 100*(i%16) + 15-i%16
// run: -k two_blocks -g 32 -l 8 '[32]=i+1'
// expect: 0: sum(j,0,8,i-i%8+j+1)
// run: -k structures -g 32 -l 16 '[32]'
// expect: 0: 0
// run: -k grid -g 16,8 -l 8,8 '[128]=i'
// expect: 0: 16*((i%16)%8) + floor((i%16)/8)*8 + floor(i/16)
// run: -k counted -g 4096 -l 256 '[16]' '[16]'
// expect: 0: 256
// expect: 1: 255*128
// run: -k big -g 128 -l 64 '[128]'
// expect: 0: 63-i%64 + 64*256
// run: -k grid -g 16,8 -l 8,8 '[128]=i' -b '-cl-opt-disable'
// expect: 0: 16*((i%16)%8) + floor((i%16)/8)*8 + floor(i/16)
// run: -k arrays -g 64 -l 16 '[64]=i' '[64]' -b '-cl-std=CL3.0'
// expect: 1: (i-i%16)+(i%16+1)%16 + 100*(i%16) + 15-i%16
// run: -k scan -g 1024 -l 64 '[1024]=i*7919%1000' '[1024]'
// expect: 1: sum(k,i-i%64,i+1,a0[k])
// run: -k scan -g 1024 -l 64 '[1024]=i*7919%1000' '[1024]' -b -cl-opt-disable
// expect: 1: sum(k,i-i%64,i+1,a0[k])
// run: -k scan_double -g 1024 -l 64 '[1024]=i*7919%1000' '[1024]'
// expect: 1: sum(k,i-i%64,i+1,a0[k])
// run: -k stored_over -g 128 -l 64 '[128]' 'local[64]' 8
// expect: 0: i%64==63 ? 0-1 : i%64+1<56 ? 1000+i%64+9 : i%64+1
// run: -k stored_again -g 128 -l 64 '[128]'
// expect: 0: i%64==63 ? 0-1 : 3*(i%64+1)
// run: -k stored_as_words -g 128 -l 64 '[64]=i' '[128]'
// expect: 1: i%64==63 ? 0 : 0.5*(i%64+1)
// run: -k around -g 256 -l 64 '[256]=i*3' '[256]'
// expect: 1: 6*(i-i%64) + 3*((i%64+5)%64) + 3*((i%64+61)%64)
// run: -k around -g 256 -l 64 '[256]=i*3' '[256]' -b -cl-opt-disable
// expect: 1: 6*(i-i%64) + 3*((i%64+5)%64) + 3*((i%64+61)%64)
// run: -k turned -g 256 -l 64 '[256]=i*3' '[256]' 6
// expect: 1: (i^3) + 10*(i^24) + 100*(i^6) + 1000*(i|5)
// run: -k flipped -g 256 -l 64 '[256]=i' '[256]'
// expect: 1: (i^3) + 10*(i^24) + 100*(i^33)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

void put(local float4 *to, int i, float v) { to[i] = (float4)(v, -v, 2 * v, 0); }
kernel void arguments(global const int *in, local float4 *a, local char *odd, local double *b, global int *out) {
  int l = get_local_id(0), n = get_local_size(0);
  bool aligned = ((size_t)a & 15) == 0 && ((size_t)b & 7) == 0;
  put(a, l, in[get_global_id(0)]);
  b[n - 1 - l] = in[get_global_id(0)];
  if (l < 3) odd[l] = l;
  BARRIER;
  int check = odd[0] + odd[1] * 10 + odd[2] * 100;
  out[get_global_id(0)] = aligned && check == 210 ? (int)(a[n - 1 - l].x + b[l]) : -1;
}

int sum_of(local const int *p, int i) { return p[i]; }
kernel void arrays(global const int *in, global int *out) {
  local int a[16];
  local uchar b[16];
  local int3 c;
  local int d[16];
  int l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  b[15 - l] = l;
  if (l == 0) c = (int3)(1, 10, 100);
  BARRIER;
  d[l] = sum_of(a, (l + 1) % 16);
  local int *p = l & 1 ? &d[l] : d + l;
  *p += c.z * l;
  BARRIER;
  out[get_global_id(0)] = d[l] + b[l];
}

int total(local int *scratch, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += scratch[i];
  return sum;
}
void turn(local int *from, local int *to) { to[(get_local_id(0) + 1) % 8] = from[get_local_id(0)]; }
kernel void two_blocks(global int *x) {
  local int first[8], second[8];
  int l = get_local_id(0), i = get_global_id(0);
  second[l] = x[i];
  BARRIER;
  turn(second, first);
  BARRIER;
  local int third[8];
  third[l] = first[7 - l];
  BARRIER;
  x[i] = total(third, 8);
}

struct cell {
  char tag;
  double value;
  int2 where[2];
};
kernel void structures(global int *out) {
  local struct cell cells[16], whole;
  int l = get_local_id(0);
  cells[l].tag = l;
  cells[l].value = l * 0.5;
  cells[l].where[1] = (int2)(l, l + 1);
  BARRIER;
  if (l == 3) whole = cells[7];
  BARRIER;
  struct cell mine = cells[15 - l];
  out[get_global_id(0)] = (mine.tag != 15 - l) + 2 * (mine.value * 2 != 15 - l) + 4 * (mine.where[1].y != 16 - l) +
                          8 * (whole.tag != 7 || whole.where[1].x != 7);
}

kernel void grid(global int *x) {
  local int tile[8][9];
  int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0), w = get_global_size(0);
  int at = get_global_id(1) * w + get_global_id(0);
  tile[ly][lx] = x[at];
  BARRIER;
  x[at] = tile[lx][ly];
}

kernel void counted(global int *counts, global int *sums) {
  local int count, sum;
  if (get_local_id(0) == 0) count = sum = 0;
  BARRIER;
  atomic_inc(&count);
  atomic_add(&sum, (int)get_local_id(0));
  BARRIER;
  if (get_local_id(0) == get_local_size(0) - 1) {
    counts[get_group_id(0)] = count;
    sums[get_group_id(0)] = sum;
  }
}

kernel void big(global int *out) {
  local int block[64][256];
  int l = get_local_id(0);
  for (int i = 0; i < 256; i++) block[(l + i) % 64][i] = l == 0 ? 64 : 64 + i - i;
  BARRIER;
  int sum = 0;
  for (int i = 0; i < 256; i++) sum += block[l][i];
  block[l][0] = l;
  BARRIER;
  out[get_global_id(0)] = sum + block[63 - l][0];
}

/* Loads across what was stored just before. */
#define SCAN(NAME, TYPE)                                                                                                \
  kernel void NAME(global const TYPE *in, global TYPE *out) {                                                           \
    local TYPE sum[64];                                                                                                 \
    int l = get_local_id(0);                                                                                            \
    sum[l] = in[get_global_id(0)];                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                       \
    for (int d = 1; d < 64; d *= 2) {                                                                                   \
      TYPE before = l >= d ? sum[l - d] : 0;                                                                            \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                     \
      sum[l] += before;                                                                                                 \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                     \
    }                                                                                                                   \
    out[get_global_id(0)] = sum[l];                                                                                     \
  }
SCAN(scan, int)
SCAN(scan_double, double)

kernel void stored_over(global int *out, local int *x, int n) {
  int l = get_local_id(0);
  x[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l >= n) x[l - n] = 1000 + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = l < 63 ? x[l + 1] : -1;
}
kernel void stored_again(global int *out) {
  local int x[64];
  int l = get_local_id(0);
  x[l] = 2 * l;
  barrier(CLK_LOCAL_MEM_FENCE);
  x[l] = 3 * l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = l < 63 ? x[l + 1] : -1;
}
kernel void stored_as_words(global const int *in, global float *out) {
  local int x[64];
  int l = get_local_id(0);
  x[l] = as_int(0.5f * in[l]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = l < 63 ? ((local float *)x)[l + 1] : 0;
}

/* Neighbours beyond the end are at the beginning. */
kernel void around(global const float *in, global float *out) {
  local float x[64];
  int l = get_local_id(0);
  x[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = x[(l + 5) % 64] + x[(l + 61) & 63];
}

/* Lanes change places, some with each other. */
kernel void turned(global const float *in, global float *out, int bits) {
  local float x[64];
  int l = get_local_id(0);
  x[l] = in[get_global_id(0)] / 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = x[l ^ 3] + 10 * x[l ^ 24] + 100 * x[l ^ bits] + 1000 * x[l | 5];
}
kernel void flipped(global const float *in, global float *out) {
  local float x[64];
  int l = get_local_id(0);
  x[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = x[l ^ 3] + 10 * x[l ^ 24] + 100 * x[l ^ 33];
}
