// Products of bytes: all 65,536, in lanes and as OpenCL vectors, by a constant, and chains of squares.
// run: -k each -g 65536 '(uchar)[65536]' '(uchar)[65536]'
// expect: 0: floor(i/256)*(i%256)%256
// expect: 1: 37*(i%256)%256
// run: -k vectors -g 4096 '(uchar16)[4096]' '(char8)[8192]'
// expect: 0: floor(i/256)*(i%256)%256
// expect: 1: (floor(i/256)*(i%256)+128)%256-128
// run: -k chain -g 1000 '(int)[1000]' '(int)[1000]'
// expect: 0: 0
// expect: 1: 0

kernel void each(global uchar *a, global uchar *b) {
  int i = get_global_id(0);
  a[i] = (uchar)(i >> 8) * (uchar)i;
  b[i] = (uchar)i * (uchar)37;
}

kernel void vectors(global uchar16 *a, global char8 *b) {
  int i = get_global_id(0);
  uchar16 y = (uchar16)(i * 16) + (uchar16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  a[i] = (uchar16)(i >> 4) * y;
  b[2 * i] = as_char8((uchar8)(i >> 4)) * as_char8(y.lo);
  b[2 * i + 1] = as_char8((uchar8)(i >> 4)) * as_char8(y.hi);
}

#define SQUARES(X, C) X = X * X + C; X = X * X + C; X = X * X + C; X = X * X + C;

/* beside the same in int, of which the low byte counts */
kernel void chain(global int *a, global int *b) {
  int i = get_global_id(0);
  uchar c = i;
  uchar4 x = (uchar4)(i) + (uchar4)(1, 2, 3, 4);
  uint d = c;
  uint4 y = (uint4)(x.x, x.y, x.z, x.w);
  uchar z = x.x;
  uint w = z;
  for (int k = 0; k < 5; k++) {
    SQUARES(x, c)
    SQUARES(y, d)
    SQUARES(z, c)
    SQUARES(w, d)
  }
  a[i] = any(convert_uint4(x) != (y & 255));
  b[i] = z != (w & 255);
}
