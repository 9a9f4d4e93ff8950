// Atomics in local memory, lane after lane: bins by numbers of 8 to 64 bits, by some lanes only, with old values used.
// run: -k bytes -g 2048 -l 256 '[2048]=i*i%61' '[2048]'
// expect: 1: sum(k,i-i%256,i-i%256+256,a0[k]==i%256)
// run: -k shorts -g 2048 -l 256 '[2048]=i*i%61' '[2048]'
// expect: 1: sum(k,i-i%256,i-i%256+256,a0[k]==i%256)
// run: -k ints -g 2048 -l 256 '[2048]=i*i%61' '[2048]'
// expect: 1: sum(k,i-i%256,i-i%256+256,a0[k]==i%256)
// run: -k longs -g 2048 -l 256 '[2048]=i*i%61' '[2048]'
// expect: 1: sum(k,i-i%256,i-i%256+256,a0[k]==i%256)
// run: -k below -g 2048 -l 256 '[2048]=i*i%61' '[2048]'
// expect: 1: sum(k,i-i%256,i-i%256+256,255-a0[k]==i%256)
// run: -k computed -g 2048 -l 256 '[2048]=i*i%61' '[2048]'
// expect: 1: sum(k,i-i%256,i-i%256+256,(a0[k]*3+k)%256==i%256)
// run: -k some -g 2048 -l 256 '[2048]=i*i%61' '[2048]'
// expect: 1: i%256%3==1 ? i%256*sum(k,i-i%256,i-i%256+256,a0[k]==i%256) : 0
// run: -k places -g 2048 -l 256 '[2048]=i*5' '[2048]'
// expect: 1: 1
// run: -k odd -g 2048 -l 64 '[2048]=i*i%61' '[2048]'
// expect: 1: sum(k,i-i%64,i-i%64+64,a0[k]==i%64)
#define BINS(name, type, ...)                                          \
  kernel void name(global const type *in, global uint *out) {          \
    local uint own[256];                                               \
    uint i = get_global_id(0), l = get_local_id(0);                    \
    own[l] = 0;                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                      \
    __VA_ARGS__;                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                      \
    out[i] = own[l];                                                   \
  }
BINS(bytes, uchar, atomic_inc(&own[in[i]]))
BINS(shorts, short, atomic_inc(&own[in[i]]))
BINS(ints, uint, atomic_inc(&own[in[i]]))
BINS(longs, ulong, atomic_inc(own + in[i]))
BINS(below, uchar, atomic_inc(&own[255 - in[i]]))
BINS(computed, uchar, atomic_inc(&own[(in[i] * 3 + l) & 255]))
BINS(some, ushort, if (in[i] % 3 == 1) atomic_add(&own[in[i]], in[i]))
BINS(odd, ulong, if (l & 1) atomic_add(&own[in[i] & 63], 1); else atomic_inc(&own[in[i] & 63]))

kernel void places(global const ushort *in, global uint *out) {
  local uint next[16];
  local uint taken[256];
  uint i = get_global_id(0), l = get_local_id(0);
  taken[l] = 0;
  if (l < 16) next[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint bin = in[i] & 15, place = atomic_inc(&next[bin]);
  atomic_inc(&taken[bin * 16 + place]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = taken[l];
}
