// More bytes and half words stored at places of each lane's own than there is code for each lane: loops over lanes.
// run: -k bytes -g 4096 -b -kiln-width=16 '[4096]=(i*5+3)%4096' '[49152]'
// expect: 1: ((((i%4096^floor(i/4096))+4093)*3277)%4096+floor(i/4096))%256
// run: -k bytes -g 4093 -b -kiln-width=32 '[4096]=(i*5+3)%4096' '[49152]'
// expect: 1: (((i%4096^floor(i/4096))+4093)*3277)%4096 < 4093 ? ((((i%4096^floor(i/4096))+4093)*3277)%4096+floor(i/4096))%256 : 0
// run: -k halves -g 4096 -b -kiln-width=16 '[4096]=(i*5+3)%4096' '[49152]'
// expect: 1: (((i%4096^floor(i/4096))+4093)*3277)%4096*3+floor(i/4096)
// run: -k far -g 4096 -b -kiln-width=64 '[4096]=(i*5+3)%4096' '[40960]'
// expect: 1: (((i%4096+4093)*3277)%4096+floor(i/4096))%256
// run: -k found -g 1000 '(uchar)[4096]=i*7+i/256' '(uint)[1000]=(i*37)%1000' '(uint)[1000]' -b -kiln-width=16
// expect: 2: sum(k,0,12,(((((i*37)%1000)^k)+k)*7+floor(((((i*37)%1000)^k)+k)/256))%256*(k+1))
// run: -k some -g 1000 '(uint)[1000]=(i*37)%1000' '(ushort)[12288]'
// expect: 1: i%1024 < 1000 && ((i%1024)*973)%1000%3 == 1 ? ((i%1024)*973)%1000+floor(i/1024) : 0
// run: -k words -g 1000 '(uint)[1000]=(i*37)%1000' '(uint)[12288]' -b -kiln-width=8
// expect: 1: i%1024 < 1000 && ((i%1024)*973)%1000%3 != 1 ? ((i%1024)*973)%1000+floor(i/1024) : 0
#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define STORE(k) to[k * 4096 + (p ^ k)] = i + k;
#define STORE_HALF(k) to[k * 4096 + (p ^ k)] = i * 3 + k;
kernel void bytes(global const uint *at, global uchar *to) {
  uint i = get_global_id(0), p = at[i];
  EACH(STORE)
}
kernel void halves(global const uint *at, global ushort *to) {
  uint i = get_global_id(0), p = at[i];
  EACH(STORE_HALF)
}
#define LOAD(k) sum += from[(p ^ k) + k] * (k + 1);
kernel void found(global const uchar *from, global const uint *at, global uint *to) {
  uint i = get_global_id(0), p = at[i], sum = 0;
  EACH(LOAD)
  to[i] = sum;
}
#define STORE_SOME(k) if ((i + k * n) % 3 == 1) to[k * 1024 + p] = i + k;
kernel void some(global const uint *at, global ushort *to) {
  uint i = get_global_id(0), p = at[i], n = 0;
  EACH(STORE_SOME)
}
#define STORE_WORD(k) if ((i + k * n) % 3 != 1) to[k * 1024 + p] = i + k;
kernel void words(global const uint *at, global uint *to) {
  uint i = get_global_id(0), p = at[i], n = 0;
  EACH(STORE_WORD)
}
// components of one lane that lie far apart, and indices of 64 bits
kernel void far(global const uint *at, global uchar *to) {
  ulong i = get_global_id(0);
  global uchar *mine = to + ((ulong)at[i] << 32 >> 32);
  for (int k = 0; k < 10; k++) mine[k * 4096] = i + k;
}
