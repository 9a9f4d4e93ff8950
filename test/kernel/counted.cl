// Several places near each other in each turn of a loop: one pointer goes along with the counter, whatever its type,
// direction and step, and where it wraps round there is none.
// run: -k signed_up -g 70 '[1000]=i' '[70]' 5 40
// expect: 1: sum(k,5,40,(i+k)+2*(i+k+1)+3*(i+k+2))
// run: -k unsigned_up -g 70 '[1000]=i' '[70]' 5 40
// expect: 1: sum(k,5,40,(i+k)+2*(i+k+1)+3*(i+k+2))
// run: -k down -g 70 '[1000]=i' '[70]' 5 40
// expect: 1: sum(k,5,40,(i+2*k)+2*(i+2*k+1)+3*(i+2*k+2)+5*(i+2*k-3))
// run: -k rows -g 70 '[4000]=i' '[70]' 3 40
// expect: 1: sum(k,3,40,(90*k+i)+2*(90*k+i+1)+3*(90*k+i+89)+4*(90*k+i+91))
// run: -k around -g 70 '[256]=i' '[70]' 4294967250 40
// expect: 1: sum(k,0,80,(4294967250+k)%256+2*((4294967251+k)%256)+3*((4294967252+k)%256))
// run: -k wrapped -g 70 '[256]=i' '[70]' 4294967293 80
// expect: 1: sum(k,0,80,k+2*(k+1)+3*(k+2))
// run: -k bytes_around -g 70 '(uchar)[256]=i' '[70]' 200 120
// expect: 1: sum(k,0,120,(200+k)%256+2*((203+k)%256)+3*((206+k)%256)+i)
// run: -k stored -g 70 '[8400]=-1' 30
// expect: 0: i%120<90 ? 10*floor(i/120)+i%120 : -1
// run: -k short_rows -g 70 '[512]=i' '[70]' 9
// expect: 1: sum(k,0,9,3*(7*k+i)+(7*k+i+1)+(7*k+i+2)+(7*k+i+3))
// run: -k tiles -g 64,16 -l 16,16 '[1024]=i' '[1024]'
// expect: 1: sum(k,0,16,(64*floor(i/64)+16*floor(i%64/16)+k)*(64*k+i%64))
kernel void signed_up(global const int *x, global int *y, int from, int to) {
  int i = get_global_id(0), sum = 0;
  for (int k = from; k < to; k++) sum += x[i + k] + 2 * x[i + k + 1] + 3 * x[i + k + 2];
  y[i] = sum;
}
kernel void unsigned_up(global const uint *x, global uint *y, uint from, uint to) {
  uint i = get_global_id(0), sum = 0;
  for (uint k = from; k < to; k++) sum += x[i + k] + 2 * x[i + k + 1] + 3 * x[i + k + 2];
  y[i] = sum;
}
kernel void down(global const int *x, global int *y, int from, int to) {
  int i = get_global_id(0), sum = 0;
  for (int k = 2 * to - 2; k >= 2 * from; k -= 2)
    sum += x[i + k] + 2 * x[i + k + 1] + 3 * x[i + k + 2] + 5 * x[i + k - 3];
  y[i] = sum;
}
kernel void rows(global const int *x, global int *y, int from, int to) {
  int i = get_global_id(0), sum = 0;
  for (int k = from; k < to; k++)
    sum += x[90 * k + i] + 2 * x[90 * k + i + 1] + 3 * x[90 * k + i + 89] + 4 * x[90 * k + i + 91];
  y[i] = sum;
}
/* the counter passes 2^32; what all lanes read */
kernel void around(global const uint *x, global uint *y, uint from, uint to) {
  uint i = get_global_id(0), sum = 0;
  for (uint k = from; k != to - 6; k++) sum += x[k & 255] + 2 * x[(k + 1) & 255] + 3 * x[(k + 2) & 255];
  y[i] = sum;
}
kernel void wrapped(global const uint *x, global uint *y, uint from, uint turns) {
  uint i = get_global_id(0), sum = 0;
  for (uint k = from; k != from + turns; k++) sum += x[k + 3] + 2 * x[k + 4] + 3 * x[k + 5];
  y[i] = sum;
}
kernel void bytes_around(global const uchar *x, global uint *y, uchar from, int turns) {
  uint i = get_global_id(0), sum = 0;
  uchar k = from;
  for (int t = 0; t < turns; t++, k++)
    sum += x[k] + 2 * x[(uchar)(k + 3)] + 3 * x[(uchar)(k + 6)] + i;
  y[i] = sum;
}
kernel void stored(global int *y, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++)
    for (int c = 0; c < 3; c++) y[i * 120 + 3 * k + c] = 10 * i + 3 * k + c;
}
kernel void short_rows(global const ushort *x, global uint *y, short n) {
  uint i = get_global_id(0), sum = 0;
  for (short k = 0; k < n; k++)
    sum += 3 * x[7 * k + i] + x[7 * k + i + 1] + x[7 * k + i + 2] + x[7 * k + i + 3];
  y[i] = sum;
}
kernel void tiles(global const int *x, global int *y) {
  local int a[16][16], b[16][16];
  int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(0) + 64 * get_global_id(1), sum = 0;
  a[ly][lx] = x[i];
  b[ly][lx] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 16; k++) sum += a[ly][k] * b[k][lx];
  y[i] = sum;
}
