// What is found says where to look next, and which work-items look at all: characters of one to four bytes, an automaton
// over texts, codes of one to eight bits, Bloom filters, places that some work-items load or store.
// run: -k characters -g 16384 '[16384]' '(uchar)[1048640]=rand(i)*256' --bytes '64*g0' --name characters
// expect: 0/31: loop(64, p=64*i:p+(a1[p]<128 ? 1 : a1[p]<224 ? 2 : a1[p]<240 ? 3 : 4), c=0:c+(p<64*i+64), c)
// run: -k automaton -g 16384 '[16384]' '(uchar)[1048576]=rand(i)*256' '(ushort)[16384]=(i*7919)%64' --bytes '64*g0' --name automaton
// expect: 0/31: loop(64, s=0:a2[s*256+a1[64*i+k]], k=0:k+1, c=0:c+(a2[s*256+a1[64*i+k]]==5), c)
// run: -k codes -g 16384 '[16384]' '(ushort)[786432]=rand(i)*65536' --items '64*g0' --name codes
// expect: 0/31: loop(64, b=0:(b|(n<16 ? a1[p]<<n : 0))>>(((b|(n<16 ? a1[p]<<n : 0))&7)+4), n=0:n+(n<16)*16-((b|(n<16 ? a1[p]<<n : 0))&7)-4, p=48*i:p+(n<16), s=0:s+(((b|(n<16 ? a1[p]<<n : 0))>>3)&((2<<((b|(n<16 ? a1[p]<<n : 0))&7))-1)), s)
// run: -k bloom -g 262144 '[262144]' '(uint)[8192]=rand(i)*4294967296' --items g0 --name bloom
// expect: 0/31: loop(4, h=i:((h^(h>>7))*5+12345)&16777215, f=1:f&(a1[(((h^(h>>7))*5+12345)&262143)>>5]>>((h^(h>>7))*5+12345&31)), f)
// run: -k some_load -g 262144 '(float)[262144]' '(float)[262144]=rand(i)' '(float)[262144]=i%1000' --items g0 --name some_load
// expect: 0/31: a1[i]>0.5 ? a2[(i*7919)&262143] : 1
// run: -k some_store -g 262144 '[262144]' '[262144]=262143-i' '(float)[262144]=rand(i)' --items g0 --name some_store
// expect: 0/31: a2[262143-i]>0.5 ? 262143-i : 0
kernel void characters(global int *out, global const uchar *text) {
  int i = get_global_id(0), at = i * 64, end = at + 64, count = 0;
  while (at < end) {
    uchar first = text[at];
    at += first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    count++;
  }
  out[i] = count;
}

kernel void automaton(global int *out, global const uchar *text, global const ushort *next) {
  int i = get_global_id(0), state = 0, count = 0;
  for (int k = 0; k < 64; k++) {
    state = next[state * 256 + text[i * 64 + k]];
    count += state == 5;
  }
  out[i] = count;
}

kernel void codes(global int *out, global const ushort *in) {
  int i = get_global_id(0), have = 0, at = i * 48, sum = 0;
  uint bits = 0;
  for (int k = 0; k < 64; k++) {
    if (have < 16) {
      bits |= (uint)in[at++] << have;
      have += 16;
    }
    int length = (bits & 7) + 1;
    sum += bits >> 3 & ((1 << length) - 1);
    bits >>= length + 3;
    have -= length + 3;
  }
  out[i] = sum;
}

kernel void bloom(global int *out, global const uint *set) {
  uint i = get_global_id(0), h = i;
  int found = 1;
  for (int k = 0; k < 4; k++) {
    h = ((h ^ h >> 7) * 5 + 12345) & 0xffffff;
    if (!(set[(h & 0x3ffff) >> 5] >> (h & 31) & 1)) {
      found = 0;
      break;
    }
  }
  out[i] = found;
}

kernel void some_load(global float *out, global const float *in, global const float *table) {
  int i = get_global_id(0);
  float x = 1;
  if (in[i] > 0.5f) x = table[(i * 7919) & 0x3ffff];
  out[i] = x;
}

kernel void some_store(global int *out, global const int *place, global const float *in) {
  int i = get_global_id(0);
  if (in[i] > 0.5f) out[place[i]] = i;
}
