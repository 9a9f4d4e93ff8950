// The language version that -cl-std chooses, and the macros that tell it. A component that is not 0 is the line of a
// check that failed.
// run: -g 1 100 '[32]' -b '-cl-std=CL1.0' --name CL1.0
// expect: 1: 0
// run: -g 1 110 '[32]' -b '-cl-std=CL1.1' --name CL1.1
// expect: 1: 0
// run: -g 1 120 '[32]' -b '-cl-std=CL1.2' --name CL1.2
// expect: 1: 0
// run: -g 1 120 '[32]' --name default
// expect: 1: 0
// run: -g 1 200 '[32]' -b '-cl-std=CL2.0' --name CL2.0
// expect: 1: 0
// run: -g 1 300 '[32]' -b '-cl-std=CL3.0' --name CL3.0
// expect: 1: 0
// run: -g 1 310 '[32]' -b '-cl-std=CL3.1' --name CL3.1
// expect: 1: 0
#define CHECK(condition) out[k++] = (condition) ? 0 : __LINE__

kernel void macros(int version, global int *out) {
  int k = 0;
#if defined(__OPENCL_C_VERSION__)
  CHECK(__OPENCL_C_VERSION__ == version);
#else
  CHECK(version < 120);
#endif
  CHECK(__OPENCL_VERSION__ >= 300); /* the device's */
  CHECK(CL_VERSION_1_0 == 100 && CL_VERSION_1_1 == 110);
#ifdef CL_VERSION_3_1
  CHECK(CL_VERSION_3_1 == 310 && (__OPENCL_VERSION__ >= 310 || version == 310));
#else
  CHECK(version < 310 && __OPENCL_VERSION__ < 310);
#endif
#if defined(CL_VERSION_3_0)
  CHECK(CL_VERSION_3_0 == 300);
#else
  CHECK(version < 300);
#endif
#ifdef __ENDIAN_LITTLE__
  CHECK(__ENDIAN_LITTLE__ == 1);
#else
  CHECK(false);
#endif
  CHECK(__LINE__ == 43);
  CHECK(sizeof(__FILE__) > 1);
#ifdef __FAST_RELAXED_MATH__
  CHECK(false);
#endif
#ifdef __IMAGE_SUPPORT__
  CHECK(__IMAGE_SUPPORT__ == 1);
#endif
#ifndef __opencl_c_int64
  CHECK(version < 300);
#endif
#ifdef __cplusplus
  CHECK(false);
#endif
#if __OPENCL_C_VERSION__ >= 200
  int *p = NULL; /* NULL came with 2.0 */
  CHECK(p == 0);
#endif
#if __OPENCL_C_VERSION__ >= 310
  CHECK(bit_reverse((uchar)0x13) == 0xc8);
  CHECK(bitfield_insert(0xffffffffu, 0x5u, 4, 8) == 0xfffff05fu);
  CHECK(bitfield_extract_signed(0x00000f00u, 8, 4) == -1);
  CHECK(all(bitfield_extract_unsigned((int2)(0x00000f00, -1), 8, 4) == (uint2)(15, 15)));
#endif
}
