// OpenCL vectors that loops carry, made of what lies side by side in memory: sums, maxima and choices of all sizes, with
// rows that end within a vector, components that are asked for, values that swap places, and loops that lanes leave apart.
// run: -k sums -g 1000 '(float4)[1100]=i%97' '(float4)[1000]' '[40]=i' 33
// expect: 1: sum(k,0,33,((i+4*k)%97)*k)
// run: -k sums -g 37 -l 37 '(float4)[1100]=i%97' '(float4)[37]' '[40]=i' 5
// expect: 1: sum(k,0,5,((i+4*k)%97)*k)
// run: -k eights -g 500 '(short8)[600]=i%97' '(short8)[500]' 20
// expect: 1: sum(k,0,20,(i+8*k)%97)
// run: -k most -g 1000 '(uchar16)[1100]=(i*7)%251' '(uchar16)[1000]' 20
// expect: 1: loop(20,k=0:k+1,m=0:max(m,((i+16*k)*7)%251),m)
// run: -k pairs -g 700 '(double2)[800]=i%97' '(double2)[700]' 20
// expect: 1: sum(k,0,20,((i+2*k)%97)*0.5)
// run: -k displaced -g 1000 '(int)[4200]=i%97' '(int)[4100]' 20
// expect: 1: i<3||i>=4003?0:sum(k,0,20,(i-3+1+4*k)%97)
// run: -k chosen -g 1000 '(int4)[1100]=i%97' '(int4)[1000]' 20
// expect: 1: loop(20,k=0:k+1,s=0:(i+4*k)%97>50?s+(i+4*k)%97:s-1,s)
// run: -k asked -g 1000 '(float4)[1100]=i%97' '(float4)[1000]' '[1000]' 20
// expect: 1: sum(k,0,20,(i+4*k)%97)
// expect: 2: sum(k,0,20,sum(j,0,k+1,(4*i+4*j)%97))
// run: -k swapped -g 1000 '(int4)[1100]=i%97' '(int4)[1000]' 7
// expect: 1: loop(7,k=0:k+1,a=0:b,b=1:a+b+(i+4*k)%97,a)
// run: -k lengths -g 1000 '(float4)[1100]=i%97' '[1000]' 20
// expect: 1: sqrt(sum(c,0,4,pow(sum(k,0,20,(4*i+c+4*k)%97),2))) ~ 1e-5
// run: -k apart -g 1000 '(int4)[1100]=i%97' '(int4)[1000]' '(int)[1000]=i%23'
// expect: 1: sum(k,0,int(i/4)%23,(i+4*k)%97)
// run: -k nested -g 1000 '(int4)[1100]=i%97' '(int4)[1000]' 5 6
// expect: 1: sum(j,0,5,sum(k,0,6,(i+4*(j*3+k))%97)*(j+1))
// run: -k either -g 1000 '(int4)[1100]=i%97' '(int4)[1000]' 9 0
// expect: 1: sum(k,0,9,(i+4*k)%97)
// run: -k either -g 1000 '(int4)[1100]=i%97' '(int4)[1000]' 9 1
// expect: 1: sum(k,0,9,0-(i+4*k)%97)
// run: -k words -g 1000 '(uchar4)[1100]=(i*7)%251' '(uchar4)[1000]' '(ushort4)[1000]' 20
// expect: 1: int(sum(k,0,20,((i+4*k)*7)%251)/20)
// expect: 2: sum(k,0,20,((i+4*k)*7)%251)
// run: -k chain -g 1000 '(int8)[1100]=i%97' '(int8)[1000]'
// expect: 1: loop(12,k=0:k+1,s=1:(s*3+(i+8*k)%97)%1000,s)
// run: -k clamped -g 64,16 -l 16,8 '(float4)[1024]=i%97' '(float4)[1024]' 9
// expect: 1: sum(k,-9,10,((i-i%256)+4*min(63,max(0,int(i%256/4)+k))+i%4)%97)
// run: -k clamped -g 50,7 -l 10,7 '(float4)[350]=i%97' '(float4)[350]' 3
// expect: 1: sum(k,-3,4,((i-i%200)+4*min(49,max(0,int(i%200/4)+k))+i%4)%97)
// run: -k counted -g 1000 '(short8)[1100]=i%97' '(short8)[1000]' 20
// expect: 1: sum(k,0,20,(i+8*k)%97)
// run: -k far -g 64 '(int4)[128]=i%97' '(int4)[64]' 4294967270 60
// expect: 1: sum(k,0,60,(4*((int(i/4)+k+4294967270)%4294967296%128)+i%4)%97)

kernel void sums(global const float4 *a, global float4 *out, global const float *w, int n) {
  int i = get_global_id(0);
  float4 s = 0;
  for (int k = 0; k < n; k++) s += a[i + k] * w[k];
  out[i] = s;
}

kernel void eights(global const short8 *a, global short8 *out, int n) {
  int i = get_global_id(0);
  short8 s = 0;
  for (int k = 0; k < n; k++) s += a[i + k];
  out[i] = s;
}

kernel void most(global const uchar16 *a, global uchar16 *out, int n) {
  int i = get_global_id(0);
  uchar16 m = 0;
  for (int k = 0; k < n; k++) m = max(m, a[i + k]);
  out[i] = m;
}

kernel void pairs(global const double2 *a, global double2 *out, int n) {
  int i = get_global_id(0);
  double2 s = 0;
  for (int k = 0; k < n; k++) s += a[i + k] * 0.5;
  out[i] = s;
}

kernel void displaced(global const int *a, global int *out, int n) {
  int i = get_global_id(0);
  int4 s = 0;
  for (int k = 0; k < n; k++) s += vload4(0, a + 4 * (i + k) + 1);
  vstore4(s, 0, out + 4 * i + 3);
}

kernel void chosen(global const int4 *a, global int4 *out, int n) {
  int i = get_global_id(0);
  int4 s = 0;
  for (int k = 0; k < n; k++) s = a[i + k] > 50 ? s + a[i + k] : s - 1;
  out[i] = s;
}

/* the first components one by one on the way */
kernel void asked(global const float4 *a, global float4 *out, global float *first, int n) {
  int i = get_global_id(0);
  float4 s = 0;
  float t = 0;
  for (int k = 0; k < n; k++) {
    s += a[i + k];
    t += s.x;
  }
  out[i] = s;
  first[i] = t;
}

kernel void swapped(global const int4 *a, global int4 *out, int n) {
  int i = get_global_id(0);
  int4 x = 0, y = 1;
  for (int k = 0; k < n; k++) {
    int4 next = x + y + a[i + k];
    x = y;
    y = next;
  }
  out[i] = x;
}

kernel void lengths(global const float4 *a, global float *out, int n) {
  int i = get_global_id(0);
  float4 s = 0;
  for (int k = 0; k < n; k++) s += a[i + k];
  out[i] = length(s);
}

kernel void apart(global const int4 *a, global int4 *out, global const int *n) {
  int i = get_global_id(0);
  int4 s = 0;
  for (int k = 0; k < n[i]; k++) s += a[i + k];
  out[i] = s;
}

kernel void nested(global const int4 *a, global int4 *out, int rows, int n) {
  int i = get_global_id(0);
  int4 s = 0;
  for (int j = 0; j < rows; j++) {
    int4 row = 0;
    for (int k = 0; k < n; k++) row += a[i + j * 3 + k];
    s += row * (j + 1);
  }
  out[i] = s;
}

/* loops on both sides of a branch */
kernel void either(global const int4 *a, global int4 *out, int n, int which) {
  int i = get_global_id(0);
  int4 s = 0;
  if (which)
    for (int k = 0; k < n; k++) s -= a[i + k];
  else
    for (int k = 0; k < n; k++) s += a[i + k];
  out[i] = s;
}

/* bytes that become wider */
kernel void words(global const uchar4 *a, global uchar4 *mean, global ushort4 *out, int n) {
  int i = get_global_id(0);
  ushort4 s = 0;
  for (int k = 0; k < n; k++) s += convert_ushort4(a[i + k]);
  mean[i] = convert_uchar4(s / (ushort4)20);
  out[i] = s;
}

/* more than a few operations in a row */
kernel void chain(global const int8 *a, global int8 *out) {
  int i = get_global_id(0);
  int8 s = 1;
  for (int k = 0; k < 12; k++) s = (s * 3 + a[i + k]) % 1000;
  out[i] = s;
}

/* at the edges lanes have one place */
kernel void clamped(global const float4 *a, global float4 *out, int n) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  float4 s = 0;
  for (int k = -n; k <= n; k++) s += a[y * width + clamp(x + k, 0, width - 1)];
  out[y * width + x] = s;
}

kernel void counted(global const short8 *a, global short8 *out, uint n) {
  uint i = get_global_id(0);
  short8 s = 0;
  for (uint k = 0; k < n; k++) s += a[i + k];
  out[i] = s;
}

/* an index that wraps, in some lanes and turns */
kernel void far(global const int4 *a, global int4 *out, uint first, uint n) {
  uint i = get_global_id(0);
  int4 s = 0;
  for (uint k = 0; k < n; k++) s += a[(first + i + k) % 128];
  out[i] = s;
}
