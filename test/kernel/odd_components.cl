// Three and five bytes or 16-bit numbers side by side: pieces of 16 bytes are blended and shuffled where the
// processor has shuffles only within them. Every component goes elsewhere, so that none may be exchanged.
// run: -k swap -g 1000 '[3000]=i*7%251' '[3000]'
// expect: 1/1: i%3==0 ? a0[i+2]+1 : (i%3==1 ? a0[i-1]+2 : a0[i-1]+3)
// run: -k narrow -g 517 -l 47 '[1551]=i*31%65521' '[1551]'
// expect: 1/1: i%3==0 ? (a0[i+2]+a0[i+1])%65536 : (i%3==1 ? a0[i-1] : a0[i-1])
// run: -k five -g 640 '[3200]=i*11%253' '[3200]'
// expect: 1/1: i%5==0 ? a0[i+4] : a0[i-1]
// run: -k sometimes -g 1024 -l 64 '[3072]=i*5%249' '[3072]=7'
// expect: 1/1: a0[i-i%3]<100 ? (i%3==0 ? a0[i+1] : (i%3==1 ? a0[i+1] : a0[i-2])) : 7
// run: -k one -g 256 '[768]=i*3%255' '[256]'
// expect: 1/1: (a0[3*i]+2*a0[3*i+1]+3*a0[3*i+2])%256
// run: -k fill -g 256 '[256]=i*3%255' '[768]'
// expect: 1/1: i%3==0 ? a0[i/3] : (i%3==1 ? 255-a0[int(i/3)] : int(a0[int(i/3)]/2))
kernel void swap(global const uchar *a, global uchar *o) {
  size_t i = 3 * get_global_id(0);
  uchar x = a[i], y = a[i + 1], z = a[i + 2];
  o[i] = z + 1;
  o[i + 1] = x + 2;
  o[i + 2] = y + 3;
}
kernel void narrow(global const ushort *a, global ushort *o) {
  size_t i = 3 * get_global_id(0);
  ushort x = a[i], y = a[i + 1], z = a[i + 2];
  o[i + 2] = y;
  o[i + 1] = x;
  o[i] = y + z;
}
kernel void five(global const uchar *a, global uchar *o) {
  size_t i = 5 * get_global_id(0);
  uchar v = a[i], w = a[i + 1], x = a[i + 2], y = a[i + 3], z = a[i + 4];
  o[i] = z;
  o[i + 1] = v;
  o[i + 2] = w;
  o[i + 3] = x;
  o[i + 4] = y;
}
kernel void sometimes(global const uchar *a, global uchar *o) {
  size_t i = 3 * get_global_id(0);
  if (a[i] >= 100) return;
  uchar x = a[i], y = a[i + 1], z = a[i + 2];
  o[i] = y;
  o[i + 1] = z;
  o[i + 2] = x;
}
kernel void one(global const uchar *a, global uchar *o) {
  size_t i = get_global_id(0);
  o[i] = a[3 * i] + 2 * a[3 * i + 1] + 3 * a[3 * i + 2];
}
kernel void fill(global const uchar *a, global uchar *o) {
  size_t i = get_global_id(0);
  uchar x = a[i];
  o[3 * i] = x;
  o[3 * i + 1] = 255 - x;
  o[3 * i + 2] = x / 2;
}
