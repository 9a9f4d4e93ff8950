/* Steps of butterflies that come by an argument: shorter than a vector, or longer. */

// run: -k walsh -g 512 '[1024]=i*7%97' '[1024]' 1
// expect: 1: (i & 1) == 0 ? a0[i]+a0[i+1] : a0[i-1]-a0[i]
// run: -k walsh -g 512 '[1024]=i*7%97' '[1024]' 8
// expect: 1: (i & 8) == 0 ? a0[i]+a0[i+8] : a0[i-8]-a0[i]
// run: -k walsh -g 512 '[1024]=i*7%97' '[1024]' 64
// expect: 1: (i & 64) == 0 ? a0[i]+a0[i+64] : a0[i-64]-a0[i]
// run: -k walsh -g 500 '[1024]=i*7%97' '[1024]' 4
// expect: 1: i >= 1000 ? 0 : (i & 4) == 0 ? a0[i]+a0[i+4] : a0[i-4]-a0[i]
kernel void walsh(global const float *in, global float *out, int step) {
  int i = get_global_id(0), p = 2 * i - (i & (step - 1));
  float x = in[p], y = in[p + step];
  out[p] = x + y;
  out[p + step] = x - y;
}

// run: -k shifted -g 512 -l 64 '(int)[1024]=i*7%97' '(int)[1024]' 0
// expect: 1: (i & 1) == 0 ? a0[i]+a0[i+1] : a0[i-1]-a0[i]
// run: -k shifted -g 512 -l 64 '(int)[1024]=i*7%97' '(int)[1024]' 3
// expect: 1: (i & 8) == 0 ? a0[i]+a0[i+8] : a0[i-8]-a0[i]
// run: -k shifted -g 512 -l 64 '(int)[1024]=i*7%97' '(int)[1024]' 7
// expect: 1: (i & 128) == 0 ? a0[i]+a0[i+128] : a0[i-128]-a0[i]
kernel void shifted(global const int *in, global int *out, int n) {
  int i = get_global_id(0), s = 1 << n, p = ((i >> n) << (n + 1)) | (i & (s - 1));
  int x = in[p], y = in[p + s];
  out[p] = x + y;
  out[p + s] = x - y;
}

// run: -k swapped -g 1000 '(int)[1024]=i*3' '(int)[1024]' 5
// expect: 1: i < 1000 ? 3*(i^5) : 0
// run: -k swapped -g 1024 -l 8 '(int)[1024]=i*3' '(int)[1024]' 256
// expect: 1: 3*(i^256)
kernel void swapped(global const int *in, global int *out, int step) {
  int i = get_global_id(0);
  out[i] = in[i ^ step];
}

/* What decides is data: lanes stay. */
// run: -k sorted -g 1024 '(int)[1024]=i*31%101' '(int)[1024]' 2
// expect: 1: (i & 2) == 0 ? min(a0[i], a0[i+2]) : max(a0[i], a0[i-2])
kernel void sorted(global const int *in, global int *out, int step) {
  int i = get_global_id(0), p = i ^ step;
  if (p < i) return;
  int x = in[i], y = in[p];
  if (x > y) {
    out[i] = y;
    out[p] = x;
  } else {
    out[i] = x;
    out[p] = y;
  }
}

/* In a loop, some lanes off, of 64 bits. */
// run: -k network -g 256 -l 32 '(double)[256]=i*31%101'
// expect: 0: sum(k, i-i%32, i-i%32+32, k*31%101)
kernel void network(global double *a) {
  local double m[32];
  int i = get_global_id(0), l = get_local_id(0);
  m[l] = a[i];
  for (int s = 16; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    double other = m[l ^ s];
    barrier(CLK_LOCAL_MEM_FENCE);
    m[l] += other;
  }
  a[i] = m[l];
}

// run: -k in_order -g 256 -l 64 '(long)[256]=(i*37)%64' '(long)[256]'
// expect: 1: i % 64
kernel void in_order(global const long *in, global long *out) {
  local long s[64];
  int l = get_local_id(0);
  s[l] = in[get_global_id(0)];
  for (int k = 2; k <= 64; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int p = l ^ j;
      if (p > l) {
        long a = s[l], b = s[p];
        if ((a > b) == ((l & k) == 0)) {
          s[l] = b;
          s[p] = a;
        }
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = s[l];
}
