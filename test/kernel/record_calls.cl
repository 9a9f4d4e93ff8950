// More loads of several components at places of each lane's own than there is code for each lane: calls. Clamped at the
// edges, where rows are the way beside; by some lanes only, with gaps between these; by wide, narrow and long numbers.
// run: -k clamped -g 100 '(int)[400]=i*3' '(int)[400]' '(int)[1]=99'
// expect: 1: 3*(4*max(floor(i/4)-2,0)+4*max(floor(i/4)-1,0)+4*floor(i/4)+4*min(floor(i/4)+1,99)+4*min(floor(i/4)+2,99)+5*(i%4))
// run: -k clamped -g 93 '(int)[400]=i*3' '(int)[372]' '(int)[1]=92'
// expect: 1: 3*(4*max(floor(i/4)-2,0)+4*max(floor(i/4)-1,0)+4*floor(i/4)+4*min(floor(i/4)+1,92)+4*min(floor(i/4)+2,92)+5*(i%4))
// run: -k chosen -g 256 '(int)[1024]=i' '(uint)[256]=(i*37)%256' '(int)[1024]'
// expect: 2: sum(k,0,5,((((floor(i/4)*37)%256)^k)%3 == 0) ? 0 : 4*(((floor(i/4)*37)%256)^k)+i%4)
// run: -k chosen -g 251 '(int)[1024]=i' '(uint)[256]=(i*37)%256' '(int)[1004]'
// expect: 2: sum(k,0,5,((((floor(i/4)*37)%256)^k)%3 == 0) ? 0 : 4*(((floor(i/4)*37)%256)^k)+i%4)
// run: -k wide -g 128 '(int)[2048]=i' '(uint)[128]=(i*37)%256' '(int)[1024]'
// expect: 2: sum(k,0,5,((((floor(i/8)*37)%256)^k)%3 == 0) ? 0 : 8*(((floor(i/8)*37)%256)^k)+i%8)
// run: -k of_doubles -g 128 '(double)[512]=i' '(uint)[128]=(i*37)%256' '(double)[256]'
// expect: 2: sum(k,0,5,((((floor(i/2)*37)%256)^k)%3 == 0) ? 0 : 2*(((floor(i/2)*37)%256)^k)+i%2)
// run: -k narrow -g 128 '(int)[1024]=i' '(ushort)[128]=(i*37)%256' '(int)[512]'
// expect: 2: sum(k,0,5,((((floor(i/4)*37)%256)^k)%3 == 0) ? 0 : 4*(((floor(i/4)*37)%256)^k)+i%4)
// run: -k far -g 128 '(int)[1024]=i' '(long)[128]=(i*37)%256' '(int)[512]'
// expect: 2: sum(k,0,5,((((floor(i/4)*37)%256)^k)%3 == 0) ? 0 : 4*(((floor(i/4)*37)%256)^k)+i%4)
// run: -k unaligned -g 128 '(int)[1030]=i' '(uint)[128]=(i*37)%256' '(int)[512]'
// expect: 2: sum(k,0,5,((((floor(i/4)*37)%256)^k)%3 == 0) ? 0 : 4*(((floor(i/4)*37)%256)^k)+i%4+1)
// run: -k records -g 128 '(int)[1792]=i' '(uint)[128]=(i*37)%256' '(int)[128]'
// expect: 2: sum(k,0,5,((((i*37)%256)^k)%3 == 0) ? 0 : 7*(((i*37)%256)^k)*5+15)
// run: -k in_loop -g 64 '(int)[1024]=i' '(uint)[64]=(i*37)%256' '(int)[256]'
// expect: 2: sum(j,0,6,sum(k,0,5,((((floor(i/4)*37)%256)^(k+16*j))%3 == 0) ? 0 : 4*(((floor(i/4)*37)%256)^(k+16*j))+i%4))
#define EACH(F) F(0) F(1) F(2) F(3) F(4)
kernel void clamped(global const int4 *a, global int4 *b, global const int *last) {
  int i = get_global_id(0), n = *last;
  int4 sum = 0;
  for (int k = -2; k <= 2; k++) sum += a[clamp(i + k, 0, n)];
  b[i] = sum;
}
#define CHOSEN(k) \
  if ((p ^ k) % 3 != 0) sum += a[p ^ k];
#define SUMS(name, type, number) \
  kernel void name(global const type *a, global const number *at, global type *b) { \
    uint i = get_global_id(0); \
    number p = at[i]; \
    type sum = 0; \
    EACH(CHOSEN) \
    b[i] = sum; \
  }
SUMS(chosen, int4, uint)
SUMS(wide, int8, uint)
SUMS(of_doubles, double2, uint)
SUMS(narrow, int4, ushort)
SUMS(far, int4, long)
#define UNALIGNED(k) \
  if ((p ^ k) % 3 != 0) sum += vload4(p ^ k, a + 1);
kernel void unaligned(global const int *a, global const uint *at, global int4 *b) {
  uint i = get_global_id(0), p = at[i];
  int4 sum = 0;
  EACH(UNALIGNED)
  b[i] = sum;
}
struct record {
  int x, y, gap, z, u, other, w;
};
#define RECORD(k) \
  if ((p ^ k) % 3 != 0) sum += a[p ^ k].x + a[p ^ k].y + a[p ^ k].z + a[p ^ k].u + a[p ^ k].w + 1;
kernel void records(global const struct record *a, global const uint *at, global int *b) {
  uint i = get_global_id(0), p = at[i];
  int sum = 0;
  EACH(RECORD)
  b[i] = sum;
}
#define AGAIN(k) \
  if ((p ^ (k + 16 * j)) % 3 != 0) sum += a[p ^ (k + 16 * j)];
kernel void in_loop(global const int4 *a, global const uint *at, global int4 *b) {
  uint i = get_global_id(0), p = at[i];
  int4 sum = 0;
  for (uint j = 0; j < 6; j++) { EACH(AGAIN) }
  b[i] = sum;
}
// run: -k pointers -g 64 '(ulong)[256]=i' '(uint)[64]=i' '(ulong)[64]'
// expect: 2: sum(k,0,5,((i^k)%3 == 0) ? 0 : 12*(i^k)+5)
struct with_pointer {
  ulong2 a;
  global const int *p;
  ulong z;
};
#define POINTER(k) \
  if ((p ^ k) % 3 != 0) sum += a[p ^ k].a.x + a[p ^ k].a.y + (a[p ^ k].p != 0) + a[p ^ k].z;
kernel void pointers(global const struct with_pointer *a, global const uint *at, global ulong *b) {
  uint i = get_global_id(0), p = at[i];
  ulong sum = 0;
  EACH(POINTER)
  b[i] = sum;
}
