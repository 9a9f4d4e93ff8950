// Quotients, shifts and clamps of what is made of 8- and 16-bit numbers: what fits in 16 bits is computed there, what
// does not is not, and both round and wrap as ints do.
// run: -k bytes -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: int((a0[i]+a0[i+1]+a0[i+2])/3)
// run: -k luma -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: (a0[i]*77+a0[i+1]*150+a0[i+2]*29)>>8
// run: -k over -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: int((a0[i]*200+a0[i+1]*200)/1000)
// run: -k shorts -g 256 '[1024]=i*7919&65535' '[256]'
// expect: 1: int((a0[i]+a0[i+1])/2)
// run: -k below_zero -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: trunc((a0[i]-a0[i+1])/3)
// run: -k shifted_below_zero -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: floor((a0[i]-a0[i+1])/4)
// run: -k as_unsigned -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: ((a0[i]-a0[i+1]+4294967296)%4294967296>>3)&255
// run: -k clamped -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: max(0,min(255,trunc((10*a0[i]-3*a0[i+1]-a0[i+2])/6)))
// run: -k signed_bytes -g 256 '[1024]=(i*7919>>4)%256-128' '[256]'
// expect: 1: trunc((a0[i]*a0[i+1]+64)/128)
// run: -k largest -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: max(a0[i]*a0[i+1]>>1,a0[i+2])
// run: -k twice -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: int((int((a0[i]*3+a0[i+1])/4)*5+a0[i+2])/6)
// run: -k vectors -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: int((a0[i]+a0[i+4]*2+a0[i+8])/(4+i%4))
// run: -k wide -g 256 '[1024]=i*7919>>4' '[256]'
// expect: 1: int((a0[i]+a0[i+1])*20000/70000)
// run: -k bytes -g 255 '[1024]=i*7919>>4' '[256]' -b -cl-opt-disable
// expect: 1: i==255?0:int((a0[i]+a0[i+1]+a0[i+2])/3)
#define MADE(name, from, to, value)                          \
  kernel void name(global const from *a, global to *o) {     \
    size_t i = get_global_id(0);                             \
    o[i] = value;                                            \
  }
MADE(bytes, uchar, uchar, (a[i] + a[i + 1] + a[i + 2]) / 3)
MADE(luma, uchar, uchar, (a[i] * 77 + a[i + 1] * 150 + a[i + 2] * 29) >> 8)
MADE(over, uchar, uchar, (a[i] * 200 + a[i + 1] * 200) / 1000)
MADE(shorts, ushort, ushort, (a[i] + a[i + 1]) / 2)
MADE(below_zero, uchar, char, (a[i] - a[i + 1]) / 3)
MADE(shifted_below_zero, uchar, char, (a[i] - a[i + 1]) >> 2)
MADE(as_unsigned, uchar, uchar, ((uint)a[i] - a[i + 1]) >> 3)
MADE(clamped, uchar, uchar, clamp((10 * a[i] - 3 * a[i + 1] - a[i + 2]) / 6, 0, 255))
MADE(signed_bytes, char, short, (a[i] * a[i + 1] + 64) / 128)
MADE(largest, uchar, ushort, max(a[i] * a[i + 1] >> 1, (int)a[i + 2]))
MADE(twice, uchar, uchar, ((a[i] * 3 + a[i + 1]) / 4 * 5 + a[i + 2]) / 6)
MADE(vectors, uchar4, uchar4, convert_uchar4((convert_int4(a[i]) + convert_int4(a[i + 1]) * 2 +
                                              convert_int4(a[i + 2])) / (int4)(4, 5, 6, 7)))
MADE(wide, uchar, uchar, (a[i] + a[i + 1]) * 20000 / 70000)
