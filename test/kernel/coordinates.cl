// Coordinates in OpenCL vectors of integers: sums, products, clamps, shifts and choices of them, of ids, counters and
// arguments, looked at component by component, and such that go elsewhere as a whole, too.
// run: -k moved -g 48,20,4 '(int)[3840]=i*3' '(int)[3840]'
// expect: 1: 3*(min(47,max(0,i%48-1))+48*min(19,int(i/48)%20+1)+960*int(i/960))
// run: -k looked_for -g 48,20 '(uchar)[960]=(i*7)%11==0' '(int)[960]'
// expect: 1: loop(3,k=0:k+1,f=0-1:f<0&&i+48*k>=48&&i+48*k<1008&&((i+48*k-48)*7)%11==0?k:f,f)
// run: -k by_argument -g 30,10 '(int)[1200]=i' '(int)[300]' '(int2)3,2' '(int4)1,0,2,5'
// expect: 1: (i%30+3-1)+40*(int(i/30)+2)+2*5
// run: -k halved -g 64,8 '(short)[512]=i' '(int)[512]'
// expect: 1: int((i%64)/2)+64*int(int(i/64)/2)+(i%2==0?1:2)
// run: -k whole -g 100 '(int4)[100]' '(int)[100]=i*2' '(int)[100]'
// expect: 0: int(i/4)*(i%4+1)+(i%4)
// expect: 2: 2*((i+0)%100)
kernel void moved(global const int *a, global int *out) {
  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  int4 to = clamp(at + (int4)(-1, 1, 0, 0), (int4)0, (int4)(47, 19, 3, 0));
  out[at.x + at.y * 48 + at.z * 960] = a[to.x + to.y * 48 + to.z * 960];
}

kernel void looked_for(global const uchar *a, global int *out) {
  const int4 at = (int4)((int)get_global_id(0), (int)get_global_id(1), 0, 0);
  int found = -1;
  for (int j = -1; j <= 1; j++) {
    const int4 to = at + (int4)(0, j, 0, 0);
    if (to.x < 0 || to.x >= 48 || to.y < 0 || to.y >= 20) continue;
    if (a[to.x + to.y * 48] != 0) {
      found = j + 1;
      break;
    }
  }
  out[at.x + at.y * 48] = found;
}

kernel void by_argument(global const int *a, global int *out, int2 by, int4 back) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1)), to = at + by - back.xy;
  out[at.x + at.y * 30] = a[to.x + to.y * 40] + (back.zw * (int2)(back.w, 1)).x;
}

kernel void halved(global const short *a, global int *out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1)), half_of = at >> (int2)1;
  const int2 odd = (at & (int2)1) != (int2)0 ? (int2)2 : (int2)1;
  out[at.x + at.y * 64] = a[half_of.x + half_of.y * 64] + odd.x;
}

kernel void whole(global int4 *out, global const int *a, global int *alone) {
  const int i = get_global_id(0);
  const int4 v = (int4)(i) * (int4)(1, 2, 3, 4) + (int4)(0, 1, 2, 3);
  out[i] = v;
  alone[i] = a[v.x];
}
