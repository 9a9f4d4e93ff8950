// Components of OpenCL vectors in another order, of one vector and of two: reversed, repeated, mixed, in loops, under
// masks, of what has been stored before, and of vectors of more components than there may be lanes.
// run: -k reversed -g 1000 '(int4)[1000]=i' '(int4)[1000]'
// expect: 1: 3*(i-i%4+3-i%4)
// run: -k repeated -g 1000 '[1000]=i' '[1000]'
// expect: 1: i-i%4+(i%4>1?2:0)+1
// run: -k mixed -g 1000 '[1000]=i' '[1000]=2*i' '[1000]'
// expect: 2: i%4<2 ? i+2*(i-i%4+2*(i%4)) : 2*i+(i-i%4+2*(i%4-2)+1)
// run: -k pairs -g 1000 '(double2)[1000]=i' '(double2)[1000]'
// expect: 1: 3*(i%2==0?i+1:i-1)
// run: -k bytes -g 1000 '(uchar4)[1000]=i%251' '(uchar4)[1000]'
// expect: 1: (i%4==3?i:i-2*(i%4)+2)%251
// run: -k two_of_bytes -g 1000 '(uchar8)[1000]=i%251' '(uchar8)[1000]=i%241' '(uchar8)[1000]'
// expect: 2: i%8<4 ? (i-i%8+2*(i%8)+1)%251 : (i-i%8+2*(i%8-4))%241
// run: -k turned -g 1000 '(int4)[1100]=i%97' '(int4)[1000]' 7
// expect: 1: sum(k,0,7,(4*(int(i/4)+k)+(i%4+6-k)%4)%97)
// run: -k masked -g 1000 '(int4)[1000]=i' '(int4)[1000]=0-1'
// expect: 1: int(i/4)%3==0 ? 0-1 : i+1-2*(i%2)
// run: -k stored_before -g 1000 '(int4)[1000]=i' '(int4)[1000]' '(int4)[1000]' '(int4)[1000]' 1
// expect: 1: 2*i
// expect: 2: 2*(i-i%4+(i%4+1)%4)
// expect: 3: 2*(i-i%4+(i%4+3)%4)
// run: -k stored_before -g 1000 '(int4)[1000]=i' '(int4)[1000]' '(int4)[1000]' '(int4)[1000]' 0
// expect: 1: 0
// expect: 2: 2*(i-i%4+(i%4+1)%4)
// expect: 3: 0
// run: -k of_scalars -g 1000 '[1000]=i' '[2000]'
// expect: 1: i%8<4 ? int(i/8)*(i%2+1) : int(i/8)*((i+1)%2+1)
// run: -k eight -g 1000 '(int8)[1000]=i' '(int8)[1000]'
// expect: 1: i-i%8+7-i%8+(i-i%8+(i%8<4?4:0)+i%4)

kernel void reversed(global const int4 *a, global int4 *b) {
  int i = get_global_id(0);
  b[i] = a[i].wzyx * 3;
}

kernel void repeated(global const float4 *a, global float4 *b) {
  int i = get_global_id(0);
  b[i] = a[i].xxzz + 1;
}

kernel void mixed(global const float4 *a, global const float4 *b, global float4 *c) {
  int i = get_global_id(0);
  float4 p = a[i], q = b[i];
  c[i] = (float4)(p.lo, q.hi) + (float4)(q.xz, p.yw);
}

kernel void pairs(global const double2 *a, global double2 *b) {
  int i = get_global_id(0);
  b[i] = a[i].yx * 3;
}

kernel void bytes(global const uchar4 *a, global uchar4 *b) {
  int i = get_global_id(0);
  b[i] = a[i].zyxw;
}

kernel void two_of_bytes(global const uchar8 *a, global const uchar8 *b, global uchar8 *c) {
  int i = get_global_id(0);
  c[i] = (uchar8)(a[i].odd, b[i].even);
}

kernel void turned(global const int4 *a, global int4 *b, int n) {
  int i = get_global_id(0);
  int4 v = 0;
  for (int k = 0; k < n; k++) v = v.yzwx + a[i + k];
  b[i] = v;
}

kernel void masked(global const int4 *a, global int4 *b) {
  int i = get_global_id(0);
  if (i % 3 != 0) b[i] = a[i].yxwz;
}

kernel void stored_before(global const int4 *a, global int4 *b, global int4 *c, global int4 *d, int also) {
  int i = get_global_id(0);
  int4 v = a[i] * 2;
  if (also) {
    b[i] = v;
    d[i] = v.wxyz;
  }
  c[i] = v.yzwx;
}

kernel void of_scalars(global const float *a, global float4 *b) {
  int i = get_global_id(0);
  float x = a[i];
  float4 v = (float4)(x, x * 2, x, x * 2);
  b[2 * i] = v;
  b[2 * i + 1] = v.yzwx;
}

kernel void eight(global const int8 *a, global int8 *b) {
  int i = get_global_id(0);
  b[i] = a[i].s76543210 + (int8)(a[i].hi, a[i].lo);
}
