// Lanes side by side that share an element, as pixels share a colour: fewer elements are loaded, and each goes to
// several lanes. Vectors that begin within such a step, ids that wrap and negative ones take another way.
// run: -k halves -g 1000 '[501]=i*7%251' '[1000]'
// expect: 1: a0[int(i/2)]*(i>0)
// run: -k halves -g 1000 -o 1 '[502]=i*7%251' '[1001]'
// expect: 1: a0[int(i/2)]*(i>0)
// run: -k halves -g 997 -l 1 '[500]=i*7%251' '[997]'
// expect: 1: a0[int(i/2)]*(i>0)
// run: -k chroma -g 254,6 -l 127,2 '[1524]=i*11%256' '[762]=i*7%256' '[1524]' 254
// expect: 2/1: (a0[i]+2*a1[int(int(i/254)/2)*254+int(i%254/2)*2]+3*a1[int(int(i/254)/2)*254+int(i%254/2)*2+1])%256
// run: -k planar -g 256,4 '[1024]=i' '[256]=i*3' '[1024]' 256
// expect: 2: a0[i]+a1[int(int(i/256)/2)*128+int(i%256/2)]
// run: -k quarters -g 512 '[384]=i*5' '[512]'
// expect: 1: a0[3*int(i/4)+2]-a0[3*int(i/4)]
// run: -k eighths -g 512 '[64]=i*5%100' '[512]'
// expect: 1: a0[int(i/8)]
// run: -k pairs -g 600 '[300]=i*5%100' '[600]'
// expect: 1: i%2==0 ? a0[2*int(i/4)] : a0[2*int(i/4)+1]
// run: -k below_zero -g 256 '[256]=i*5%100' '[256]' 100
// expect: 1: a0[100+floor((i-100)/2)]
// run: -k toward_zero -g 256 '[256]=i*5%100' '[256]' 99
// expect: 1: i<99 ? a0[100-floor((99-i)/2)] : a0[100+floor((i-99)/2)]
// run: -k wraps -g 256 '[256]=i' '[256]' 250
// expect: 1: a0[int((i+250)%256/2)]
// run: -k sometimes -g 300 '[150]=i*5%100' '[300]'
// expect: 1: i%3==0 ? a0[int(i/2)] : -1
// run: -k along -g 64 '[640]=i' '[64]'
// expect: 1: sum(k,0,20,a0[32*k+int(i/2)])
// run: -k written -g 64 '[32]' '[64]=i'
// expect: 0: a1[2*i]+a1[2*i+1]>0
// run: -k strides -g 128 '[128]=i*3' '[128]'
// expect: 1: a0[2*int(i/2)]+a0[int(i/2)*2+1]
// run: -k doubles -g 300 '[150]=i/4' '[300]'
// expect: 1: 2*a0[int(i/2)]
// run: -k bits -g 1000 '[32]=i*7919' '(uchar)[1000]'
// expect: 1: floor(a0[int(i/32)]/pow(2,i%32))%2
// run: -k bits -g 640 -o 40 '[32]=i*7919' '(uchar)[680]'
// expect: 1: (i>39)*(floor(a0[int(i/32)]/pow(2,i%32))%2)
// run: -k in_turn -g 1000 '[32]=i*3' '(uchar)[1000]'
// expect: 1: a0[i%32]
// run: -k of_blocks -g 1000 '[1024]=i%211' '(uchar)[1000]'
// expect: 1: a0[32*int(i/32)]
// run: -k set_in_blocks -g 1000 '[1024]=i%211' '(uchar)[1000]'
// expect: 1: a0[32*int(i/32)+31]
kernel void halves(global const uchar *a, global float *o) {
  uint i = get_global_id(0);
  if (i > 0) o[i] = a[i / 2];
}
kernel void chroma(global const uchar *y, global const uchar *uv, global uchar *o, int w) {
  int x = get_global_id(0), r = get_global_id(1);
  o[r * w + x] = y[r * w + x] + 2 * uv[(r / 2) * w + (x & ~1)] + 3 * uv[(r / 2) * w + (x | 1)];
}
kernel void planar(global const int *y, global const int *u, global int *o, int w) {
  int x = get_global_id(0), r = get_global_id(1);
  o[r * w + x] = y[r * w + x] + u[(r / 2) * (w / 2) + x / 2];
}
kernel void quarters(global const short *a, global short *o) {
  size_t i = get_global_id(0);
  o[i] = a[3 * (i >> 2) + 2] - a[3 * (i >> 2)];
}
kernel void eighths(global const char *a, global float *o) {
  size_t i = get_global_id(0);
  o[i] = a[i >> 3];
}
kernel void pairs(global const float2 *a, global float2 *o) {
  int i = get_global_id(0);
  o[i] = a[i / 2];
}
kernel void below_zero(global const int *a, global int *o, int n) {
  int i = get_global_id(0);
  o[i] = a[n + ((i - n) >> 1)];
}
kernel void toward_zero(global const int *a, global int *o, int n) {
  int i = get_global_id(0);
  o[i] = a[100 + (i - n) / 2];
}
kernel void wraps(global const int *a, global int *o, int n) {
  size_t i = get_global_id(0);
  uchar k = i + n;
  o[i] = a[k >> 1];
}
kernel void sometimes(global const int *a, global int *o) {
  int i = get_global_id(0);
  o[i] = i % 3 == 0 ? a[i / 2] : -1;
}
kernel void along(global const float *a, global float *o) {
  int i = get_global_id(0);
  float s = 0;
  for (global const float *p = a + i / 2; p < a + 640; p += 32) s += *p;
  o[i] = s;
}
kernel void written(global int *o, global const int *a) {
  int i = get_global_id(0);
  if (a[i] + a[i ^ 1] > 0) o[i / 2] = 1;
}
kernel void strides(global const int *a, global int *o) {
  int i = get_global_id(0);
  o[i] = a[2 * (i / 2)] + a[2 * (i / 2) + 1];
}
kernel void doubles(global const double *a, global double *o) {
  int i = get_global_id(0);
  o[i] = 2 * a[i / 2];
}
/* as many lanes as bytes fill a register are more than lie within a step */
kernel void bits(global const uint *words, global uchar *o) {
  int i = get_global_id(0);
  o[i] = words[i >> 5] >> (i & 31) & 1;
}
kernel void in_turn(global const int *a, global uchar *o) {
  int i = get_global_id(0);
  o[i] = a[i & 31];
}
kernel void of_blocks(global const int *a, global uchar *o) {
  int i = get_global_id(0);
  o[i] = a[i & ~31];
}
kernel void set_in_blocks(global const int *a, global uchar *o) {
  int i = get_global_id(0);
  o[i] = a[i | 31];
}
