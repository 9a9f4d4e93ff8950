// Vectors of which the program changes a component or two.

// run: -k add -g 1003 '[1003]=i' '[1003]=i % 7'
// expect: 0: i%4==1 && int(i/4)%7>3 ? i + 2*(int(i/4)%7) : i
kernel void add(global float4 *a, global const float *in) {
  int i = get_global_id(0);
  if (in[i] > 3) a[i].y += in[i] * 2;
}

// run: -k three -g 1003 '[1003]=i' '[1003]=i % 7'
// expect: 0: i%3==2 ? int(i/3)%7 : i
kernel void three(global int3 *a, global const int *in) {
  int i = get_global_id(0);
  a[i].z = in[i];
}

// run: -k swapped -g 1003 '[1003]=i'
// expect: 0: i%4==1 ? i+1 : i%4==2 ? i-1 : i
kernel void swapped(global double4 *a) {
  int i = get_global_id(0);
  a[i].yz = a[i].zy;
}

// What is written between goes on to be seen: the pointers may be the same.
// run: -k between -g 1003 '[1003]=i' 1 0
// expect: 0: i%2==0 ? i + 10 : i + 5
kernel void between(global long2 *a, int write, int shift) {
  int i = get_global_id(0);
  global long *other = (global long *)(a + i + shift);
  long2 old = a[i];
  if (write) other[1] += 5;
  old.x += 10;
  a[i].x = old.x;
}

// An old vector, stored after its place has changed, brings back what was there.
// run: -k back -g 1003 '[1003]=i'
// expect: 0: i%4==0 ? -1 : i
kernel void back(global int4 *a) {
  int i = get_global_id(0);
  int4 old = a[i];
  ((global int *)(a + i))[3] = 77;
  old.x = -1;
  a[i] = old;
}

// A volatile load is made, though what it gives is replaced.
// run: -k replaced -g 64 '[64]=i' '[1]'
// expect: 0: i%4==0 ? 2 : i
kernel void replaced(global float4 *a, volatile global float *once) {
  int i = get_global_id(0);
  float4 v = a[i];
  v.x = *once;
  v.x = 2;
  a[i] = v;
}
