// Classes and exponents of numbers of all kinds: zeros, infinities, what is no number, denormal and normal ones.
// run: -k floats -g 65536 -l 64 '(uint)[65536]=i*65537^(i%3*8388607)' '(int)[65536]'
// expect: 1: 31
// run: -k floats -g 40 -l 8 '(uint)[40]=(i%2)*2147483648+(i<4?0:i<8?2139095040:i<12?2139095041:i<16?1:i<20?8388607:8388608)' '(int)[40]'
// expect: 1: 31
// run: -k doubles -g 65536 -l 64 '(ulong)[65536]=i*281479271677952' '(int)[65536]'
// expect: 1: 31
// run: -k doubles -g 24 -l 8 '(ulong)[24]=i<8?9218868437227405312:i<12?9223372036854775808:i<16?1:i<20?4503599627370496:i%4' '(int)[24]'
// expect: 1: 31

/* A bit for each that is as the bits of a number say. */
#define KERNEL(NAME, T, U, AS, SIGN, DIGITS, BIAS)                                                               \
  kernel void NAME(global const U *in, global int *good) {                                                       \
    int i = get_global_id(0);                                                                                    \
    T x = AS(in[i]);                                                                                             \
    U b = in[i] & ~SIGN, top = (U)(2 * BIAS + 1) << DIGITS, least = (U)1 << DIGITS;                              \
    bool none = b > top, inf = b == top, zero = b == 0, normal = b >= least && b < top;                          \
    int first = (int)sizeof(U) * 8 - 1 - (int)clz(b);                                                            \
    int e = normal ? (int)(b >> DIGITS) - BIAS : first - BIAS + 1 - DIGITS;                                      \
    int whole = zero ? FP_ILOGB0 : none ? FP_ILOGBNAN : inf ? INT_MAX : e;                                       \
    T same = zero ? -(T)INFINITY : inf ? (T)INFINITY : (T)e;                                                     \
    bool right[] = {(isnormal(x) != 0) == normal, (isfinite(x) != 0) == (b < top), ilogb(x) == whole,            \
                    none ? isnan(logb(x)) != 0 : logb(x) == same,                                                \
                    (fabs(x) < (T)INFINITY && x != 0) == (b < top && !zero)};                                    \
    good[i] = right[0] | right[1] << 1 | right[2] << 2 | right[3] << 3 | right[4] << 4;                          \
  }
KERNEL(floats, float, uint, as_float, 0x80000000u, 23, 127)
KERNEL(doubles, double, ulong, as_double, 0x8000000000000000ul, 52, 1023)
