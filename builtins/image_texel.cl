/* One element of an image for one work-item: see image.h. */
#include "image.h"

typedef ushort ushort_anywhere __attribute__((aligned(1)));
typedef uint uint_anywhere __attribute__((aligned(1)));
typedef uint2 uint2_anywhere __attribute__((aligned(1)));
typedef uint4 uint4_anywhere __attribute__((aligned(1)));

uint4 __kiln_texel(uint size, bytes row, int x) {
  switch (size) {
  case 1: return (uint4)(row[x]);
  case 2: return (uint4)(((const __global ushort_anywhere *)row)[x]);
  case 4: return (uint4)(((const __global uint_anywhere *)row)[x]);
  case 8: return (((const __global uint2_anywhere *)row)[x]).xxyy;
  default: return ((const __global uint4_anywhere *)row)[x];
  }
}
