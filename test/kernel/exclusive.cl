// One condition that all work-items share gives the id to this index or to that one: whichever it is, the other stays the
// same for all, and memory is contiguous where the condition is as foreseen.
// run: -k projection -g 64,48 '(float)[36864]=(i*37)%101' '(float)[3072]' 2
// expect: 1: loop(12,k=0:k+1,m=0:max(m,((i%64+64*int(i/64)+3072*k)*37)%101),m)
// run: -k projection -g 64,12 '(float)[36864]=(i*37)%101' '(float)[768]' 1
// expect: 1: loop(48,k=0:k+1,m=0:max(m,((i%64+64*k+3072*int(i/64))*37)%101),m)
// run: -k projection -g 48,12 '(float)[36864]=(i*37)%101' '(float)[576]' 0
// expect: 1: loop(64,k=0:k+1,m=0:max(m,((k+64*(i%48)+3072*int(i/48))*37)%101),m)
// run: -k turned -g 100,30 '(int)[3000]=i*3' '(int)[3000]' 0
// expect: 1: ((i%100)*30+int(i/100))*3
// run: -k turned -g 100,30 '(int)[3000]=i*3' '(int)[3000]' 1
// expect: 1: i*3
// run: -k three -g 500 '(int)[1500]=i' '(int)[500]' 1
// expect: 1: i+2*7+9*4
// run: -k three -g 500 '(int)[5000]=i' '(int)[500]' 0
// expect: 1: 7+2*i+9*i
kernel void projection(global const float *a, global float *out, int axis) {
  const int id0 = get_global_id(0), id1 = get_global_id(1), n = axis == 0 ? 64 : axis == 1 ? 48 : 12;
  float most = 0;
  for (int i = 0; i < n; i++) {
    const int x = axis == 0 ? i : id0, y = axis == 0 ? id0 : axis == 1 ? i : id1, z = axis == 2 ? i : id1;
    most = fmax(most, a[clamp(x, 0, 63) + clamp(y, 0, 47) * 64 + clamp(z, 0, 11) * 3072]);
  }
  out[id0 + id1 * (int)get_global_size(0)] = most;
}

kernel void turned(global const int *a, global int *out, int straight) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int row = straight ? y : x, column = straight ? x : y, pitch = straight ? 100 : 30;
  out[y * 100 + x] = a[row * pitch + column];
}

kernel void three(global const int *a, global int *out, int first) {
  const int i = get_global_id(0);
  const int x = first ? i : 7, y = first ? 7 : i, z = first != 0 ? 4 : i;
  out[i] = a[x + 2 * y] + 9 * z;
}
