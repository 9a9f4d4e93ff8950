// Private arrays at places that lanes choose: loaded, stored, and changed in place.
// run: -k tally -g 100 -l 50 '[1600]' '(uchar)[3200]=(i*7+int(i/32)*3)%16'
// expect: 0: sum(k,0,32,a1[int(i/16)*32+k]==i%16)
// run: -k tally_some -g 37 -l 37 '[592]' '(uchar)[1184]=(i*7+int(i/32)*3)%16'
// expect: 0: sum(k,0,32,a1[int(i/16)*32+k]==i%16 && i%16>5)
// run: -k least -g 64 '[512]' '(uchar)[2048]=(i*5+int(i/32))%8'
// expect: 0: loop(32, m=100:(a1[int(i/8)*32+k]==i%8 ? min(m,50-k) : m), k=0:k+1, m)
// run: -k weighed -g 64 '(float)[64]' '(uchar)[2048]=(i*5+int(i/32)*3)%16' 0.5
// expect: 0: sum(k,0,32,0.5*a1[i*32+k]*(a1[i*32+k]+1))
// run: -k taken_from -g 64 '[512]' '(uchar)[2048]=(i*5+int(i/32))%8'
// expect: 0: loop(32, m=3:(a1[int(i/8)*32+k]==i%8 ? k-m : m), k=0:k+1, m)
// run: -k fields -g 50 '(float)[50]' '(uchar)[1600]=(i*7+int(i/32)*3)%16'
// expect: 0: sum(b,0,16,sum(k,0,32,a1[i*32+k]==b)*sum(k,0,32,a1[i*32+k]==b ? b : 0))
// run: -k looked_at -g 64 '[64]' '(uchar)[2048]=(i*7+int(i/32)*3)%16'
// expect: 0: sum(b,0,16,sum(k,0,32,a1[i*32+k]==b)*(sum(k,0,32,a1[i*32+k]==b)-1)/2)
// run: -k crossed -g 64 '[64]' '(uchar)[64]=i*5%16' '(uchar)[64]=i*3%16'
// expect: 0: i*5%16%2==1 ? 1601 : i*5%16==i*3%16 ? 1601 : 1508
// run: -k parting -g 100 -l 100 '[1600]' '(uchar)[100]=i*5%13'
// expect: 0: sum(k,0,a1[int(i/16)],(a1[int(i/16)]+k)%16==i%16 ? k+1 : 0)
// run: -k narrow -g 64 '[1024]' '(uchar)[2048]=(i*7+int(i/32)*3)%16'
// expect: 0: mod(200*sum(k,0,32,a1[int(i/16)*32+k]==i%16),256)
// run: -k shorts -g 64 '[1024]' '(uchar)[2048]=(i*7+int(i/32)*3)%16'
// expect: 0: mod(5000*sum(k,0,32,a1[int(i/16)*32+k]==i%16),65536)
// run: -k rotated -g 64 '[1024]' '(uchar)[64]=i*5%16'
// expect: 0: mod(i+a1[int(i/16)],16)
// run: -k points -g 64 '(float)[64]' '(uchar)[2048]=(i*7+int(i/32)*3)%4'
// expect: 0: sum(k,0,32,(1+a1[i*32+k])*(1+k+a1[i*32+k]))
// run: -k largest -g 100 -l 50 '[100]' '(uchar)[3200]=(i%32*(2*(int(i/32)%16)+1)+int(i/32)*5)%32'
// expect: 0: 118
// run: -k largest_pairs -g 100 -l 50 '(float)[100]' '(uchar)[3200]=(i%32*(2*(int(i/32)%16)+1)+int(i/32)*5)%32'
// expect: 0: 118+236
// run: -k beside -g 64 '(float)[64]' '(uchar)[64]=i*5%4'
// expect: 0: i*5%4==1 ? 132 : 72
kernel void tally(global uint *o, global const uchar *a) {
  int i = get_global_id(0);
  uint h[16] = {0};
  for (int k = 0; k < 32; k++) h[a[i * 32 + k]]++;
  for (int k = 0; k < 16; k++) o[i * 16 + k] = h[k];
}
kernel void tally_some(global uint *o, global const uchar *a) {
  int i = get_global_id(0);
  uint h[16] = {0};
  for (int k = 0; k < 32; k++)
    if (a[i * 32 + k] > 5) h[a[i * 32 + k]]++;
  for (int k = 0; k < 16; k++) o[i * 16 + k] = h[k];
}
kernel void least(global int *o, global const uchar *a) {
  int i = get_global_id(0), m[8];
  for (int k = 0; k < 8; k++) m[k] = 100;
  for (int k = 0; k < 32; k++) m[a[i * 32 + k]] = min(m[a[i * 32 + k]], 50 - k);
  for (int k = 0; k < 8; k++) o[i * 8 + k] = m[k];
}
kernel void weighed(global float *o, global const uchar *a, float weight) {
  int i = get_global_id(0);
  float h[16] = {0}, s = 0;
  for (int k = 0; k < 32; k++) h[a[i * 32 + k]] += weight * a[i * 32 + k];
  for (int k = 0; k < 16; k++) s += h[k] * (k + 1);
  o[i] = s;
}
kernel void taken_from(global int *o, global const uchar *a) {
  int i = get_global_id(0), d[8];
  for (int k = 0; k < 8; k++) d[k] = 3;
  for (int k = 0; k < 32; k++) d[a[i * 32 + k]] = k - d[a[i * 32 + k]];
  for (int k = 0; k < 8; k++) o[i * 8 + k] = d[k];
}
typedef struct {
  int n;
  float sum;
} bin;
kernel void fields(global float *o, global const uchar *a) {
  int i = get_global_id(0);
  bin h[16];
  float s = 0;
  for (int k = 0; k < 16; k++) h[k] = (bin){0, 0};
  for (int k = 0; k < 32; k++) {
    h[a[i * 32 + k]].n++;
    h[a[i * 32 + k]].sum += a[i * 32 + k];
  }
  for (int k = 0; k < 16; k++) s += h[k].n * h[k].sum;
  o[i] = s;
}
// What was loaded has another use.
kernel void looked_at(global uint *o, global const uchar *a) {
  int i = get_global_id(0);
  uint h[16] = {0}, s = 0;
  for (int k = 0; k < 32; k++) {
    uint old = h[a[i * 32 + k]];
    h[a[i * 32 + k]] = old + 1;
    s += old;
  }
  o[i] = s;
}
// A store that may be to the same element comes in between.
kernel void crossed(global uint *o, global const uchar *a, global const uchar *b) {
  int i = get_global_id(0), v = a[i], w = b[i];
  uint h[16], s = 0;
  for (int k = 0; k < 16; k++) h[k] = 100;
  uint old = h[v], *other = v & 1 ? &h[v] : &h[w];
  *other = 7;
  h[v] = old + 1;
  for (int k = 0; k < 16; k++) s += h[k];
  o[i] = s;
}
kernel void parting(global uint *o, global const uchar *a) {
  int i = get_global_id(0);
  uint h[16] = {0};
  for (int k = 0; k < a[i]; k++) h[(a[i] + k) & 15] += k + 1;
  for (int k = 0; k < 16; k++) o[i * 16 + k] = h[k];
}
kernel void narrow(global uint *o, global const uchar *a) {
  int i = get_global_id(0);
  uchar h[16] = {0};
  for (int k = 0; k < 32; k++) h[a[i * 32 + k]] += 200;
  for (int k = 0; k < 16; k++) o[i * 16 + k] = h[k];
}
kernel void shorts(global uint *o, global const uchar *a) {
  int i = get_global_id(0);
  ushort h[16] = {0};
  for (int k = 0; k < 32; k++) h[a[i * 32 + k]] += 5000;
  for (int k = 0; k < 16; k++) o[i * 16 + k] = h[k];
}
// Exchanges, as in RC4.
kernel void rotated(global uint *o, global const uchar *a) {
  int i = get_global_id(0);
  uchar t[16], from[16];
  for (int k = 0; k < 16; k++) t[(k - a[i]) & 15] = k;
  for (int k = 0; k < 16; k++) from[k] = t[k];
  for (int k = 0; k < 16; k++) o[i * 16 + k] = from[k];
}
kernel void points(global float *o, global const uchar *a) {
  int i = get_global_id(0);
  float4 h[4] = {0}, s = 0;
  for (int k = 0; k < 32; k++) h[a[i * 32 + k]] += (float4)(1, k, a[i * 32 + k], 0);
  for (int k = 0; k < 4; k++) s += h[k] * (k + 1);
  o[i] = s.x + s.y + s.z + s.w;
}
// Lanes take turns with what few of them do.
kernel void largest(global uint *o, global const uchar *a) {
  int i = get_global_id(0);
  uint heap[4] = {0}, sum = 0;
  for (int k = 0; k < 32; k++) {
    uint next = a[32 * i + k];
    if (next <= heap[0]) continue;
    int at = 0;
    for (int below = 1; below < 4; below = 2 * at + 1) {
      if (below < 3 && heap[below + 1] < heap[below]) below++;
      if (heap[below] >= next) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = next;
  }
  for (int k = 0; k < 4; k++) sum += heap[k];
  o[i] = sum;
}
kernel void largest_pairs(global float *o, global const uchar *a) {
  int i = get_global_id(0);
  float2 heap[4] = {0}, sum = 0;
  for (int k = 0; k < 32; k++) {
    float next = a[32 * i + k];
    if (next <= heap[0].x) continue;
    int at = 0;
    for (int below = 1; below < 4; below = 2 * at + 1) {
      if (below < 3 && heap[below + 1].x < heap[below].x) below++;
      if (heap[below].x >= next) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = (float2)(next, 2 * next);
  }
  for (int k = 0; k < 4; k++) sum += heap[k];
  o[i] = sum.x + sum.y;
}
// Lanes that are off store beside the array, to nothing that is used.
kernel void beside(global float *o, global const uchar *a) {
  int i = get_global_id(0), v = a[i];
  float4 first[4], second[4], third[4], sum = 0;
  for (int k = 0; k < 4; k++) first[k] = second[k] = third[k] = k;
  if (v == 1) {
    first[v + 1] += (float4)(2, 3, 4, 5);
    second[v + 2] += (float4)(3, 4, 5, 6);
    third[v] += (float4)(6, 7, 7, 8);
  }
  for (int k = 0; k < 4; k++) sum += first[k] + second[3 - k] + third[k];
  o[i] = sum.x + sum.y + sum.z + sum.w;
}
