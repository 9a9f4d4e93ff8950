// Jumps into loops, which get one header: from before them and by switches, by lanes that differ or whole groups, around
// barriers and functions of sub-groups.
// run: -b -cl-std=CL3.0 -k amid -g 1000 '(uint)[1000]' 1
// expect: 0: 10*(i%5+1-(i%3==0))+i*(i%5+1)
// run: -b -cl-std=CL3.0 -k device -g 1000 '(uint)[1000]'
// expect: 0: (1+int(i/4)%4)*1111-(i%4==0?0:i%4==3?1:i%4==2?11:111)
// run: -b -cl-std=CL3.0 -k nested -g 1000 '(uint)[1000]' 3
// expect: 0: sum(k,0,3,110*((i+k)%4+1)-10*((i+k)%2))
// run: -b -cl-std=CL3.0 -k together -g 256 -l 64 '(uint)[256]' 3 'local[64]'
// expect: 0: 3*(i+63-2*(i%64))+3+7*i*(3-int(i/64)%2)
// run: -b -cl-std=CL3.0 -k peers -g 256 -l 64 '(uint)[256]' 3
// expect: 0: 3*(8*(i-i%8)+28)+240-30+8
kernel void amid(global uint *out, uint n) {
  uint i = get_global_id(0), x = 0, turns = 0;
  if (i % 3 == 0) goto amid;
again:
  x += 10;
amid:
  x += i;
  if (++turns < i % 5 + n) goto again;
  out[i] = x;
}
/* the device by which Duff unrolled a copy */
kernel void device(global uint *out) {
  uint i = get_global_id(0), x = 0, t = 1 + i / 4 % 4;
  switch (i % 4) {
  case 0: do { x += 1;
  case 3: x += 10;
  case 2: x += 100;
  case 1: x += 1000;
    } while (--t);
  }
  out[i] = x;
}
kernel void nested(global uint *out, uint n) {
  uint i = get_global_id(0), x = 0;
  for (uint k = 0; k < n; k++) {
    uint j = (i + k) % 4, t = 0;
    if (j % 2) goto within;
  top:
    x += 10;
  within:
    x += 100;
    if (++t <= j) goto top;
  }
  out[i] = x;
}
kernel void together(global uint *out, uint n, local uint *a) {
  uint i = get_global_id(0), l = get_local_id(0), x = 0, turns = 0;
  if (get_group_id(0) % 2) goto amid;
again:
  x += 7 * i;
amid:
  a[l] = i + turns;
  barrier(CLK_LOCAL_MEM_FENCE);
  x += a[63 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (++turns < n) goto again;
  out[i] = x;
}
__attribute__((intel_reqd_sub_group_size(8))) kernel void peers(global uint *out, uint n) {
  uint i = get_global_id(0), x = 0, turns = 0;
  if (get_sub_group_local_id() < 3) goto amid;
again:
  x += 10;
amid:
  x += i;
  if (++turns < n) goto again;
  out[i] = sub_group_reduce_add(x) + get_sub_group_size();
}
