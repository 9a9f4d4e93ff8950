/* Geometric functions: OpenCL C 3.0, section 6.15.5. Not by components, so
 * every vector size is written out.
 *
 * length and normalize must survive squares that overflow or vanish. The sum
 * of squares is taken in the type itself; only when it is outside the range in
 * which no component can have been lost does a cold function do it again,
 * float in double, double after scaling by a power of two. */
#include "math.h"

INLINE float sum_squares(float x, float y, float z, float w) {
  return term_of(x, x, term_of(y, y, term_of(z, z, w * w)));
}

INLINE double sum_squares(double x, double y, double z, double w) {
  return term_of(x, x, term_of(y, y, term_of(z, z, w * w)));
}

/* Squares below 2^-126 * 2^24 may have lost bits that count. */
INLINE bool is_safe_square(float s) { return s > 0x1p-100f && s < INFINITY; }
INLINE bool is_safe_square(double s) { return s > 0x1p-960 && s < INFINITY; }

COLD float __kiln_length_rare(float x, float y, float z, float w) {
  double a = x, b = y, c = z, d = w;
  bool inf = fabs_of(x) == INFINITY || fabs_of(y) == INFINITY || fabs_of(z) == INFINITY ||
             fabs_of(w) == INFINITY;
  return inf ? INFINITY : (float)sqrt_of(sum_squares(a, b, c, d));
}

/* Power of two that brings the squares of the largest component into range. */
INLINE double scale_of(double x, double y, double z, double w) {
  double m = max_of(max_of(fabs_of(x), fabs_of(y)), max_of(fabs_of(z), fabs_of(w)));
  return m > 0x1p+400 ? 0x1p-600 : m < 0x1p-400 ? 0x1p+600 : 1.0;
}

COLD double __kiln_length_rare(double x, double y, double z, double w) {
  double s = scale_of(x, y, z, w);
  bool inf = fabs_of(x) == INFINITY || fabs_of(y) == INFINITY || fabs_of(z) == INFINITY ||
             fabs_of(w) == INFINITY;
  double r = sqrt_of(sum_squares(x * s, y * s, z * s, w * s)) * (1.0 / s);
  return inf ? INFINITY : r;
}

#define LENGTH(T)                                                                                  \
  INLINE T length_of(T x, T y, T z, T w) {                                                         \
    T s = sum_squares(x, y, z, w);                                                                 \
    if (unlikely(!is_safe_square(s))) return __kiln_length_rare(x, y, z, w);                       \
    return sqrt_of(s);                                                                             \
  }                                                                                                \
  OVER T length(T p) { return fabs_of(p); }                                                        \
  OVER T length(T##2 p) { return length_of(p.s0, p.s1, (T)0, (T)0); }                              \
  OVER T length(T##3 p) { return length_of(p.s0, p.s1, p.s2, (T)0); }                              \
  OVER T length(T##4 p) { return length_of(p.s0, p.s1, p.s2, p.s3); }
LENGTH(float) LENGTH(double)
OVER half length(half p) { return fabs_of(p); }
OVER half length(half2 p) { return (half)sqrt_of(sum_squares((float)p.s0, (float)p.s1, 0.0f, 0.0f)); }
OVER half length(half3 p) {
  return (half)sqrt_of(sum_squares((float)p.s0, (float)p.s1, (float)p.s2, 0.0f));
}
OVER half length(half4 p) {
  return (half)sqrt_of(sum_squares((float)p.s0, (float)p.s1, (float)p.s2, (float)p.s3));
}

/* Infinite components become +-1 and finite ones 0; a vector of zeros stays. */
INLINE float4 unit_directions(float4 p) {
  float4 a = fabs_of(p);
  bool inf = a.s0 == INFINITY || a.s1 == INFINITY || a.s2 == INFINITY || a.s3 == INFINITY;
  float4 d = (float4)(a.s0 == INFINITY, a.s1 == INFINITY, a.s2 == INFINITY, a.s3 == INFINITY);
  return inf ? copysign_of(d, p) : p;
}

INLINE double4 unit_directions(double4 p) {
  double4 a = fabs_of(p);
  bool inf = a.s0 == INFINITY || a.s1 == INFINITY || a.s2 == INFINITY || a.s3 == INFINITY;
  double4 d = (double4)(a.s0 == INFINITY, a.s1 == INFINITY, a.s2 == INFINITY, a.s3 == INFINITY);
  return inf ? copysign_of(d, p) : p;
}

INLINE bool has_nan(float4 p) {
  return p.s0 != p.s0 || p.s1 != p.s1 || p.s2 != p.s2 || p.s3 != p.s3;
}
INLINE bool has_nan(double4 p) {
  return p.s0 != p.s0 || p.s1 != p.s1 || p.s2 != p.s2 || p.s3 != p.s3;
}

COLD float4 __kiln_normalize_rare(float4 p) {
  float4 u = unit_directions(p);
  double a = u.s0, b = u.s1, c = u.s2, d = u.s3;
  double s = sum_squares(a, b, c, d);
  double r = 1.0 / sqrt_of(s);
  float4 n = (float4)((float)(a * r), (float)(b * r), (float)(c * r), (float)(d * r));
  return has_nan(p) ? (float4)(NAN) : s == 0.0 ? p : n;
}

/* Scaling down would cut components that the result can still hold. Large ones are only brought below 2^1024 / 8,
 * so that the reciprocal of their length stays a normal number. */
COLD double4 __kiln_normalize_rare(double4 p) {
  double4 u = unit_directions(p);
  double scale = scale_of(u.s0, u.s1, u.s2, u.s3), most = scale < 1.0 ? 0x1p-3 : scale;
  double4 v = u * scale;
  double s = sum_squares(v.s0, v.s1, v.s2, v.s3);
  double4 n = (u * most) * ((scale / most) / sqrt_of(s));
  return has_nan(p) ? (double4)(NAN) : s == 0.0 ? p : n;
}

#define NORMALIZE(T)                                                                               \
  INLINE T##4 normalize_of(T##4 p) {                                                               \
    T s = sum_squares(p.s0, p.s1, p.s2, p.s3);                                                     \
    if (unlikely(!is_safe_square(s))) return __kiln_normalize_rare(p);                             \
    return p * ((T)1 / sqrt_of(s));                                                                \
  }                                                                                                \
  OVER T normalize(T p) { return p == (T)0 || p != p ? p : copysign_of((T)1, p); }                 \
  OVER T##2 normalize(T##2 p) { return normalize_of((T##4)(p, (T)0, (T)0)).s01; }                  \
  OVER T##3 normalize(T##3 p) { return normalize_of((T##4)(p, (T)0)).s012; }                       \
  OVER T##4 normalize(T##4 p) { return normalize_of(p); }
NORMALIZE(float) NORMALIZE(double)

/* Through float, in which no half square overflows; only infinities and zeros are special. */
OVER half4 normalize(half4 p) {
  float4 n = normalize((float4)(p.s0, p.s1, p.s2, p.s3));
  return (half4)((half)n.s0, (half)n.s1, (half)n.s2, (half)n.s3);
}
OVER half3 normalize(half3 p) { return normalize((half4)(p, (half)0)).s012; }
OVER half2 normalize(half2 p) { return normalize((half4)(p, (half)0, (half)0)).s01; }
OVER half normalize(half p) { return p == (half)0 || p != p ? p : copysign_of((half)1, p); }

#define DOT(T)                                                                                     \
  OVER T dot(T a, T b) { return a * b; }                                                           \
  OVER T dot(T##2 a, T##2 b) { return term_of(a.s0, b.s0, a.s1 * b.s1); }                          \
  OVER T dot(T##3 a, T##3 b) { return term_of(a.s0, b.s0, term_of(a.s1, b.s1, a.s2 * b.s2)); }     \
  OVER T dot(T##4 a, T##4 b) {                                                                     \
    return term_of(a.s0, b.s0, term_of(a.s1, b.s1, term_of(a.s2, b.s2, a.s3 * b.s3)));             \
  }
DOT(float) DOT(double)
OVER half dot(half a, half b) { return a * b; }
OVER half dot(half4 a, half4 b) {
  return (half)dot((float4)(a.s0, a.s1, a.s2, a.s3), (float4)(b.s0, b.s1, b.s2, b.s3));
}
OVER half dot(half3 a, half3 b) {
  return (half)dot((float3)(a.s0, a.s1, a.s2), (float3)(b.s0, b.s1, b.s2));
}
OVER half dot(half2 a, half2 b) { return (half)dot((float2)(a.s0, a.s1), (float2)(b.s0, b.s1)); }

/* a*b - c*d, with one rounding less than written out where there is fma. */
#define CROSS(T)                                                                                   \
  INLINE T determinant(T a, T b, T c, T d) { return term_of(a, b, -(c * d)); }                     \
  OVER T##3 cross(T##3 p, T##3 q) {                                                                \
    return (T##3)(determinant(p.s1, q.s2, p.s2, q.s1), determinant(p.s2, q.s0, p.s0, q.s2),        \
                  determinant(p.s0, q.s1, p.s1, q.s0));                                            \
  }                                                                                                \
  OVER T##4 cross(T##4 p, T##4 q) { return (T##4)(cross(p.s012, q.s012), (T)0); }
CROSS(half) CROSS(float) CROSS(double)

#define DISTANCE(T, V) OVER T distance(V a, V b) { return length(a - b); }
#define DISTANCES(T) DISTANCE(T, T) DISTANCE(T, T##2) DISTANCE(T, T##3) DISTANCE(T, T##4)
DISTANCES(half) DISTANCES(float) DISTANCES(double)

#define FAST(V)                                                                                    \
  OVER float fast_length(V p) { return sqrt_of(dot(p, p)); }                                       \
  OVER float fast_distance(V a, V b) { return fast_length(a - b); }                                \
  OVER V fast_normalize(V p) {                                                                     \
    float s = dot(p, p);                                                                           \
    float r = one_over_root(s);                                                                    \
    return p * (s > 0.0f && s < INFINITY ? r : 0.0f);                                              \
  }
FAST(float) FAST(float2) FAST(float3) FAST(float4)
