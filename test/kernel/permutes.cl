// shuffle and shuffle2 of sixteen bytes by masks that are only known as the kernel runs: in the order of memory and not,
// in loops that carry what is permuted and masks that change, beside branches, by masks and from tables that work-items
// share, by constant ones; and components of vectors that a number picks.
// run: -k plain -g 1000 '(uchar16)[1000]=(i*7)%256' '(uchar16)[1000]=(i*13+5)%256' '(uchar16)[1000]'
// expect: 2: ((i-i%16+((i*13+5)%256)%16)*7)%256
// run: -k plain -g 37 -l 37 '(uchar16)[37]=(i*7)%256' '(uchar16)[37]=(i*13+5)%256' '(uchar16)[37]'
// expect: 2: ((i-i%16+((i*13+5)%256)%16)*7)%256
// run: -k two -g 500 '(char16)[500]=i%100' '(char16)[500]=(i*3)%90-50' '(uchar16)[500]=(i*13+5)%256' '(char16)[500]'
// expect: 3: int((i*13+5)/16)%2==0?(i-i%16+(i*13+5)%16)%100:((i-i%16+(i*13+5)%16)*3)%90-50
// run: -k carried -g 300 '(uchar16)[300]=(i*7)%256' '(uchar16)[300]=(i*13+5)%16' '(uchar16)[300]' 2
// expect: 2: (((i-i%16+(((i*13+44)%16)*13+5)%16)*7)%256+2)%256
// run: -k shared -g 300 '(uchar16)[300]=(i*7)%256' '(uchar16)[1]=(i*5+2)%256' '(uchar16)[300]' '(uchar16)[300]'
// expect: 2: ((i-i%16+(((i%16)*5+2)%256)%16)*7)%256
// expect: 3: (((((i*7)%256)%16)*5+2)%256)
// run: -k constant_order -g 100 '(uchar16)[100]=(i*7)%256' '(uchar16)[100]'
// expect: 1: ((i-i%16+(15-i%16))*7)%256
// run: -k made -g 333 '(uint)[333]=i*77' '(uchar16)[333]=(i*13+5)%256' '(uint)[333]'
// expect: 2: sum(c,0,16,(i*77+((i*16+c)*13+5)%16)%256*(c+1))
// run: -k apart -g 400 '(uchar16)[400]=(i*7)%256' '(uchar16)[400]=(i*13+5)%256' '(uchar16)[400]' '(int)[400]=i%5'
// expect: 2: int(i/16)%5>2?((i-i%16+((i*13+5)%256)%16)*7)%256:int(i/16)%5>0?(i*7)%256:9
// run: -k hexadecimal -g 64 '(uchar8)[64]=(i*37)%256' '(uchar16)[64]'
// expect: 1: loop(1,k=0:k+1,d=0:int(((int(i/2)*37)%256)/(i%2==0?16:1))%16,d<10?48+d:87+d)
// run: -k picked -g 500 '(float4)[500]=i' '(short8)[500]=i%1000' '(int3)[500]=i' '(uint)[500]=i*7' '(float)[500]'
// expect: 4: (4*i+(i*7)%4)+2*((8*i+(i*7)%8)%1000)+3*(3*i+(i*7)%3)
kernel void plain(global const uchar16 *a, global const uchar16 *m, global uchar16 *out) {
  size_t i = get_global_id(0);
  out[i] = shuffle(a[i], m[i]);
}

kernel void two(global const char16 *a, global const char16 *b, global const uchar16 *m, global char16 *out) {
  size_t i = get_global_id(0);
  out[i] = shuffle2(a[i], b[i], m[i]);
}

kernel void carried(global const uchar16 *a, global const uchar16 *m, global uchar16 *out, int n) {
  size_t i = get_global_id(0);
  uchar16 x = a[i], mask = m[i];
  for (int k = 0; k < n; k++) {
    x = shuffle(x, mask) + (uchar16)1;
    mask = shuffle(mask, (mask & (uchar16)0) + (uchar16)(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2));
  }
  out[i] = x;
}

kernel void shared(global const uchar16 *a, constant uchar16 *m, global uchar16 *out, global uchar16 *looked_up) {
  size_t i = get_global_id(0);
  out[i] = shuffle(a[i], m[0]);
  looked_up[i] = shuffle(m[0], a[i]);
}

kernel void constant_order(global const uchar16 *a, global uchar16 *out) {
  size_t i = get_global_id(0);
  out[i] = shuffle(a[i], (uchar16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

kernel void made(global const uint *a, global const uchar16 *m, global uint *out) {
  size_t i = get_global_id(0);
  uchar16 x = (uchar16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (uchar16)((uchar)a[i]);
  uchar16 y = shuffle(x, m[i]);
  uint sum = y.s0 + y.s1 * 2 + y.s2 * 3 + y.s3 * 4 + y.s4 * 5 + y.s5 * 6 + y.s6 * 7 + y.s7 * 8;
  out[i] = sum + y.s8 * 9 + y.s9 * 10 + y.sa * 11 + y.sb * 12 + y.sc * 13 + y.sd * 14 + y.se * 15 + y.sf * 16;
}

kernel void apart(global const uchar16 *a, global const uchar16 *m, global uchar16 *out, global const int *choice) {
  size_t i = get_global_id(0);
  uchar16 x = 9;
  if (choice[i] > 0) {
    x = a[i];
    if (choice[i] > 2) x = shuffle(x, m[i]);
  }
  out[i] = x;
}

kernel void hexadecimal(global const uchar8 *a, global uchar16 *out) {
  const uchar16 digits = (uchar16)('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f');
  size_t i = get_global_id(0);
  uchar8 x = a[i];
  uchar16 nibbles;
  nibbles.even = x >> (uchar8)4;
  nibbles.odd = x & (uchar8)15;
  out[i] = shuffle(digits, nibbles);
}

kernel void picked(global const float4 *a, global const short8 *b, global const int3 *c, global const uint *n,
                   global float *out) {
  size_t i = get_global_id(0);
  float4 x = a[i];
  short8 y = b[i];
  int3 z = c[i];
  out[i] = x[n[i] % 4] + 2 * y[n[i] % 8] + 3 * z[n[i] % 3];
}
