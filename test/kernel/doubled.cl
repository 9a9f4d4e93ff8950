// Remainders by numbers that loops double or halve, of signed and unsigned numbers of all sizes, below 0 and at the ends;
// and by numbers that are no powers of two for all that.
// run: -k doubled_uint -g 256 '[256]=i*2654435761' '[256]' 4096
// expect: 1: loop(12,n=0:n+a0[i]%(2*k),k=1:2*k,n)%4294967296
// run: -k doubled_int -g 256 '[256]=i*7919-1000000' '[256]' 4096
// expect: 1: loop(12,n=0:n+a0[i]-k*trunc(a0[i]/k),k=1:2*k,n)
// run: -k divides -g 256 '[256]=i*16-2048' '[256]' 4096
// expect: 1: loop(12,n=0:n+(a0[i]-k*trunc(a0[i]/k)==0?k:0),k=1:2*k,n)
// run: -k halved -g 256 '[256]=i*7919-1000000' '[256]' 0
// expect: 1: loop(9,n=0:n+a0[i]-k*trunc(a0[i]/k),k=256:k/2,n)
// run: -k longs -g 256 '[256]=i*1234567890123' '[256]' 4096
// expect: 1: loop(12,n=0:n+a0[i]%k,k=1:2*k,n)
// run: -k shifted -g 256 '[256]=i*7919-1000000' '[256]' 31
// expect: 1: loop(31,n=0:n+a0[i]-k*trunc(a0[i]/k),k=1:2*k,n)
// run: -k widened -g 256 '[256]=i*1234567890123-99999999999999' '[256]' 4096
// expect: 1: loop(12,n=0:n+a0[i]-2*k*trunc(a0[i]/(2*k)),k=1:2*k,n)
// run: -k topmost -g 256 '[256]=i*8388607' '[256]' 30
// expect: 1: loop(30,n=0:n+a0[i]%(1073741824/k),k=1:2*k,n)
// run: -k trebled -g 256 '[256]=i*7919' '[256]' 4096
// expect: 1: loop(8,n=0:n+a0[i]%k,k=1:3*k,n)
// run: -k up_and_down -g 256 '[256]=i*7919' '[256]' 4096
// expect: 1: loop(10,n=0:n+a0[i]%(2*k+1),k=1:2*k,n)
// run: -k tree -g 1024 -l 64 '[1024]=i%7' '[16]' 64
// expect: 1: sum(k,64*i,64*i+64,a0[k])
#define LOOP(name, type, kind, start, last, next, value)                                   \
  kernel void name(global const type *in, global type *out, int end) {                     \
    size_t i = get_global_id(0);                                                           \
    type n = 0;                                                                            \
    for (kind k = start; last; next) n += value;                                           \
    out[i] = n;                                                                            \
  }
LOOP(doubled_uint, uint, uint, 1, k < end, k *= 2, in[i] % (2 * k))
LOOP(doubled_int, int, int, 1, k < end, k = 2 * k, in[i] % k)
LOOP(divides, int, int, 1, k < end, k += k, in[i] % k == 0 ? k : 0)
LOOP(halved, int, int, 256, k > end, k /= 2, in[i] % k)
LOOP(longs, ulong, ulong, 1, k < end, k <<= 1, in[i] % k)
LOOP(trebled, int, int, 1, k < end, k *= 3, in[i] % k)
LOOP(up_and_down, int, int, 1, k < end / 4, k *= 2, in[i] % (2 * k + 1))

kernel void shifted(global const int *in, global int *out, int bits) {
  size_t i = get_global_id(0);
  int n = 0;
  for (int k = 0; k < bits; k++) n += in[i] % (1 << k);
  out[i] = n;
}
kernel void widened(global const long *in, global long *out, int end) {
  size_t i = get_global_id(0);
  long n = 0;
  for (int k = 1; k < end; k *= 2) n += in[i] % (2 * k);
  out[i] = n;
}
/* -2^31 halved is -2^30, no power of two as an unsigned number. */
kernel void topmost(global const long *in, global long *out, int turns) {
  size_t i = get_global_id(0);
  long n = 0;
  int k = 1 << (turns + 1);
  for (int t = 0; t < turns; t++) n += in[i] % (long)(k /= 2);
  out[i] = n;
}
kernel void tree(global const float *in, global float *out, int size) {
  local float s[64];
  int l = get_local_id(0);
  s[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 2; k <= size; k = 2 * k) {
    if ((l + 1) % k == 0) s[l] += s[l - k / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 63) out[get_group_id(0)] = s[63];
}
