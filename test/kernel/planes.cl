// Planes of a picture in rows of any width: loads and stores one after the other, each a row while the picture's row goes
// on. Lanes do those of all planes together.
// run: -k apart -g 999 37 '[999]=i' '[3996]'
// expect: 2: 4*(int(i/148)*37+i%37)+int(i/37)%4
// run: -k apart -g 1020 340 '[1020]=i' '[4080]'
// expect: 2: 4*(int(i/1360)*340+i%340)+int(i/340)%4
kernel void apart(int width, global const float4 *in, global float *out) {
  int i = get_global_id(0), at = i / width * 4 * width + i % width;
  float4 v = in[i];
  out[at] = v.x, at += width;
  out[at] = v.y, at += width;
  out[at] = v.z, at += width;
  out[at] = v.w;
}
// run: -k together -g 999 37 '[3996]=i' '[999]'
// expect: 2: int(i/148)*148+int(i/4)%37+i%4*37
// run: -k together -g 1020 340 '[4080]=i' '[1020]'
// expect: 2: int(i/1360)*1360+int(i/4)%340+i%4*340
kernel void together(int width, global const float *in, global float4 *out) {
  int i = get_global_id(0), at = i / width * 4 * width + i % width;
  float4 v;
  v.x = in[at], at += width;
  v.y = in[at], at += width;
  v.z = in[at], at += width;
  v.w = in[at];
  out[i] = v;
}
// Some of the planes are there for some lanes; nothing else is read or written.
// run: -k some -g 999 37 '[999]=i%3' '[2997]=i' '[2997]=-1'
// expect: 3: int(i/37)%3<(int(i/111)*37+i%37)%3 ? i+1 : -1
kernel void some(int width, global const int *n, global const int *in, global int *out) {
  int i = get_global_id(0), at = i / width * 3 * width + i % width, k = n[i];
  if (k == 2) {
    int a = in[at], b = in[at + width];
    out[at] = a + 1;
    out[at + width] = b + 1;
  } else if (k == 1) out[at] = in[at] + 1;
}
// The last of a work-item's stores to one place stays: here all go to the first plane.
// run: -k last -g 999 37 0 '[999]'
// expect: 2: 3*i+2
kernel void last(int width, int step, global int *out) {
  int i = get_global_id(0), at = i / width * width + i % width;
  out[at] = 3 * i;
  out[at + step] = 3 * i + 1;
  out[at + 2 * step] = 3 * i + 2;
}
// More than are done at once, of several sizes, and a load that depends on one of them.
// run: -k many -g 370 37 '[4440]=i%370' '(uchar)[4440]' '[370]'
// expect: 2: i%370%256
// expect: 3: (int(i/37)*444+i%37)%370*12%370
kernel void many(int width, global const int *in, global uchar *bytes, global int *out) {
  int i = get_global_id(0), at = i / width * 12 * width + i % width;
  int a = in[at], b = in[at + width], c = in[at + 2 * width], d = in[at + 3 * width], e = in[at + 4 * width],
      f = in[at + 5 * width], g = in[at + 6 * width], h = in[at + 7 * width], k = in[at + 8 * width],
      l = in[at + 9 * width], m = in[at + 10 * width], n = in[at + 11 * width];
  bytes[at] = a, bytes[at + width] = b, bytes[at + 2 * width] = c, bytes[at + 3 * width] = d;
  bytes[at + 4 * width] = e, bytes[at + 5 * width] = f, bytes[at + 6 * width] = g, bytes[at + 7 * width] = h;
  bytes[at + 8 * width] = k, bytes[at + 9 * width] = l, bytes[at + 10 * width] = m, bytes[at + 11 * width] = n;
  out[i] = in[a * 12];
}
