// Divisions of numbers that lie a multiple of the divisor apart from lane to lane: quotients in a row and one remainder,
// which negative numbers and those that wrap break; and remainders by fewer than there are lanes.
// run: -k tiles -g 8,64 -l 8,16 '(int)[1024]=i*3' '(int)[512]' 0
// expect: 1: loop(1,k=0:k+1,v=0:(((int(i/8)%16)*16+i%8)*3),v)
// run: -k tiles -g 8,64 -l 8,16 '(int)[1024]=i*3' '(int)[512]' 61
// expect: 1: loop(1,k=0:k+1,x=(i%128)-61:x,(x<0?0-int((0-x)/8):int(x/8))*16*3+(x<0?0-(0-x)%8:x%8)*3+300*3)
// run: -k wide -g 4,512 -l 4,64 '(int)[2048]' 12
// expect: 0: int((i%4+12*int(i/4))/12)*100+(i%4+12*int(i/4))%12
// run: -k wrapped -g 4,64 -l 4,64 '(uint)[256]' 4294967040
// expect: 0: int(((4294967040+i%4+8*int(i/4))%4294967296)/8)%100000
// run: -k few -g 1000 '(int)[10]=i*i' '(int)[1000]'
// expect: 1: (i%10)*(i%10)*1000+(i*6)%7
// run: -k few -g 1000 -l 1000 '(int)[10]=i*i' '(int)[1000]'
// expect: 1: (i%10)*(i%10)*1000+(i*6)%7
kernel void tiles(global const int *a, global int *out, int before) {
  int tid = get_local_id(0) + 8 * get_local_id(1) - before;
  int row = tid / 8, column = tid % 8;
  if (before == 0) out[get_global_id(0) + 8 * get_global_id(1)] = a[row * 16 + column];
  else out[get_global_id(0) + 8 * get_global_id(1)] = a[300 + row * 16 + column];
}

kernel void wide(global int *out, int n) {
  int x = get_global_id(0) + 12 * get_global_id(1);
  out[get_global_id(0) + 4 * get_global_id(1)] = x / 12 * 100 + x % n;
}

kernel void wrapped(global uint *out, uint from) {
  uint x = from + (uint)get_global_id(0) + 8 * (uint)get_global_id(1);
  out[get_global_id(0) + 4 * get_global_id(1)] = x / 8 % 100000;
}

kernel void few(global const int *a, global int *out) {
  int i = get_global_id(0);
  out[i] = a[i % 10] * 1000 + i * 6 % 7;
}
