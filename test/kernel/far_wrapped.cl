// Places far apart whose index goes round at the end of the buffer, within a vector or between two: lanes have one
// distance only as long as it does not.
// run: -k bytes -g 2048 '[65536]=i%251' '[2048]'
// expect: 1: sum(k,0,16,((i*60+k+60000)%65536)%251)
// run: -k words -g 2048 '[65536]=i%8191' '[2048]'
// expect: 1: sum(k,0,4,((i*36+k+60000)&65535)%8191)
// run: -k pairs -g 1024 '[65536]=i%8191' '[2048]'
// expect: 1: ((int(i/2)*44+60000+i%2)&65535)%8191
// run: -k stored -g 1024 '[65536]'
// expect: 0: ((i+65536-60000)%65536)%64==0 ? int((i+65536-60000)%65536/64) : 0
// run: -k bounded -g 2048 '[65536]=i%251' '[2048]' 2000
// expect: 1: i<2000 ? sum(k,0,16,((i*60+k+60000)%65536)%251) : 0
kernel void bytes(global const uchar *a, global uint *out) {
  ushort i = get_global_id(0);
  uint s = 0;
  for (int k = 0; k < 16; k++) s += a[(ushort)(i * 60 + k + 60000)];
  out[i] = s;
}
kernel void words(global const uint *a, global uint *out) {
  uint i = get_global_id(0), s = 0;
  for (uint k = 0; k < 4; k++) s += a[(i * 36 + k + 60000) & 65535];
  out[i] = s;
}
kernel void pairs(global const uint *a, global uint *out) {
  ushort i = get_global_id(0);
  global const uint *p = a + (ushort)(i * 44 + 60000);
  out[2 * i] = p[0];
  out[2 * i + 1] = p[1];
}
kernel void stored(global ushort *a) {
  ushort i = get_global_id(0);
  a[(ushort)(i * 64 + 60000)] = i;
}
kernel void bounded(global const uchar *a, global uint *out, int n) {
  ushort i = get_global_id(0);
  if (i >= n) return;
  uint s = 0;
  for (int k = 0; k < 16; k++) s += a[(ushort)(i * 60 + k + 60000)];
  out[i] = s;
}
