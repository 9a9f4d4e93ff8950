// Predefined macros with the values the specification gives. A component that is not 0 is the line of a check that
// failed.
// run: -g 1 '[64]' --name limits
// expect: 0: 0
// run: -g 1 '[64]' -b '-cl-std=CL3.0' --name limits_3.0
// expect: 0: 0
// run: -k user -g 1 '[64]' -b '-DVALUE=17 -D FLAG -DTEXT=\"ab\" -D "MAX(a,b)=((a)>(b)?(a):(b))" -DGONE -UGONE' --name user
// expect: 0: 0
#define CHECK(condition) out[k++] = (condition) ? 0 : __LINE__

kernel void limits(global int *out) {
  int k = 0;
  CHECK(CHAR_BIT == 8 && SCHAR_MAX == 127 && SCHAR_MIN == -128);
  CHECK(CHAR_MAX == SCHAR_MAX && CHAR_MIN == SCHAR_MIN && UCHAR_MAX == 255);
  CHECK(SHRT_MAX == 32767 && SHRT_MIN == -32768 && USHRT_MAX == 65535);
  CHECK(INT_MAX == 2147483647 && INT_MIN == -2147483647 - 1 && UINT_MAX == 0xffffffffU);
  CHECK(LONG_MAX == 0x7fffffffffffffffL && LONG_MIN == -0x7fffffffffffffffL - 1);
  CHECK(ULONG_MAX == 0xffffffffffffffffUL);
  CHECK(FLT_DIG == 6 && FLT_MANT_DIG == 24 && FLT_RADIX == 2);
  CHECK(FLT_MAX_10_EXP == 38 && FLT_MAX_EXP == 128 && FLT_MIN_10_EXP == -37 && FLT_MIN_EXP == -125);
  CHECK(FLT_MAX == 0x1.fffffep127f && FLT_MIN == 0x1.0p-126f && FLT_EPSILON == 0x1.0p-23f);
  CHECK(DBL_DIG == 15 && DBL_MANT_DIG == 53 && DBL_MAX == 0x1.fffffffffffffp1023 && DBL_MIN == 0x1.0p-1022);
  CHECK(DBL_EPSILON == 0x1.0p-52 && DBL_MAX_EXP == 1024 && DBL_MIN_EXP == -1021);
  CHECK(sizeof(FLT_MAX) == 4 && sizeof(DBL_MAX) == 8);
  CHECK(isinf(HUGE_VALF) && isinf(INFINITY) && isnan(NAN) && isinf(HUGE_VAL) && sizeof(HUGE_VAL) == 8);
  CHECK(sizeof(MAXFLOAT) == 4 && MAXFLOAT == FLT_MAX);
  CHECK(sizeof(M_PI) == 8 && sizeof(M_PI_F) == 4 && M_PI_F == 0x1.921fb6p1f && M_PI == 0x1.921fb54442d18p1);
  CHECK(M_E_F == 0x1.5bf0a8p1f && M_LN2_F == 0x1.62e430p-1f && M_SQRT2_F == 0x1.6a09e6p0f);
  CHECK(M_1_PI == 0x1.45f306dc9c883p-2 && M_2_SQRTPI == 0x1.20dd750429b6dp0);
  CHECK(CLK_LOCAL_MEM_FENCE != 0 && CLK_GLOBAL_MEM_FENCE != 0 && CLK_LOCAL_MEM_FENCE != CLK_GLOBAL_MEM_FENCE);
  CHECK(FP_ILOGB0 <= -INT_MAX && (FP_ILOGBNAN == INT_MAX || FP_ILOGBNAN == INT_MIN));
  CHECK(cl_khr_fp64 == 1 && cl_khr_byte_addressable_store == 1);
  CHECK(cl_khr_global_int32_base_atomics == 1 && cl_khr_int64_base_atomics == 1);
}

#ifdef FLAG
kernel void user(global int *out) {
  int k = 0;
  constant char *text = TEXT;
  CHECK(VALUE == 17 && FLAG == 1);
  CHECK(text[0] == 'a' && text[1] == 'b' && text[2] == 0);
  CHECK(MAX(3, 5) == 5);
#ifdef GONE
  CHECK(false);
#endif
#define JOIN(a, b) a##b
#define NAME(x) #x
#define COUNT(...) (sizeof((int[]){__VA_ARGS__}) / 4)
  int ab = 4;
  CHECK(JOIN(a, b) == 4 && sizeof(NAME(four)) == 5 && COUNT(1, 2, 3) == 3);
#if defined(VALUE) && VALUE > 16 && !defined(OTHER)
  CHECK(true);
#else
  CHECK(false);
#endif
#line 1000
  CHECK(__LINE__ == 1000);
}
#endif
