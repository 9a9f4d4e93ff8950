/* Atomic functions of OpenCL C 1.x under their atomic_ and atom_ names, and
 * those of OpenCL C 2.0 and 3.0 (section 6.15.12).
 *
 * Every scope is the whole system here. The 1.x functions are relaxed. An
 * explicit order other than relaxed becomes a sequentially consistent
 * read-modify-write, which costs nothing on x86; loads and stores keep
 * acquire and release, where it does. Orders are constants after inlining. */
#include "kiln.h"

/* ---- OpenCL C 1.x: plain pointers ---- */

#define RMW1(NAME, SPACE, T, OP)                                                                   \
  OVER T NAME(volatile SPACE T *p, T v) {                                                          \
    return OP((SPACE T *)p, v, __ATOMIC_RELAXED);                                                  \
  }

#define OLD_ATOMICS(PREFIX, SPACE, T)                                                              \
  RMW1(PREFIX##_add, SPACE, T, __atomic_fetch_add)                                                 \
  RMW1(PREFIX##_sub, SPACE, T, __atomic_fetch_sub)                                                 \
  RMW1(PREFIX##_and, SPACE, T, __atomic_fetch_and)                                                 \
  RMW1(PREFIX##_or, SPACE, T, __atomic_fetch_or)                                                   \
  RMW1(PREFIX##_xor, SPACE, T, __atomic_fetch_xor)                                                 \
  RMW1(PREFIX##_min, SPACE, T, __atomic_fetch_min)                                                 \
  RMW1(PREFIX##_max, SPACE, T, __atomic_fetch_max)                                                 \
  RMW1(PREFIX##_xchg, SPACE, T, __atomic_exchange_n)                                               \
  OVER T PREFIX##_inc(volatile SPACE T *p) {                                                       \
    return __atomic_fetch_add((SPACE T *)p, (T)1, __ATOMIC_RELAXED);                               \
  }                                                                                                \
  OVER T PREFIX##_dec(volatile SPACE T *p) {                                                       \
    return __atomic_fetch_sub((SPACE T *)p, (T)1, __ATOMIC_RELAXED);                               \
  }                                                                                                \
  OVER T PREFIX##_cmpxchg(volatile SPACE T *p, T expected, T desired) {                            \
    __atomic_compare_exchange_n((SPACE T *)p, &expected, desired, false, __ATOMIC_RELAXED,         \
                                __ATOMIC_RELAXED);                                                 \
    return expected;                                                                               \
  }
#define OLD_ATOMICS_IN(SPACE)                                                                      \
  OLD_ATOMICS(atomic, SPACE, int) OLD_ATOMICS(atomic, SPACE, uint)                                 \
  OLD_ATOMICS(atom, SPACE, int) OLD_ATOMICS(atom, SPACE, uint)                                     \
  OLD_ATOMICS(atom, SPACE, long) OLD_ATOMICS(atom, SPACE, ulong)                                   \
  OVER float atomic_xchg(volatile SPACE float *p, float v) {                                       \
    uint old = __atomic_exchange_n((SPACE uint *)p, __builtin_astype(v, uint), __ATOMIC_RELAXED);  \
    return __builtin_astype(old, float);                                                           \
  }
OLD_ATOMICS_IN(__global)
OLD_ATOMICS_IN(__local)

/* ---- OpenCL C 2.0 and 3.0: atomic types ---- */

/* Three names for each operation: without order, with one, with scope. OP takes the pointer as B *, the bits
 * of T; for integers B is T. */
#define NEW_RMW(NAME, SPACE, T, V, B, OP)                                                          \
  OVER T NAME##_explicit(volatile SPACE atomic_##T *p, V v, memory_order order) {                  \
    SPACE B *q = (SPACE B *)p;                                                                     \
    if (order == memory_order_relaxed)                                                             \
      return __builtin_astype(OP(q, __builtin_astype(v, B), __ATOMIC_RELAXED), T);                 \
    return __builtin_astype(OP(q, __builtin_astype(v, B), __ATOMIC_SEQ_CST), T);                   \
  }                                                                                                \
  OVER T NAME##_explicit(volatile SPACE atomic_##T *p, V v, memory_order order,                    \
                         memory_scope scope) {                                                     \
    return NAME##_explicit(p, v, order);                                                           \
  }                                                                                                \
  OVER T NAME(volatile SPACE atomic_##T *p, V v) {                                                 \
    return NAME##_explicit(p, v, memory_order_seq_cst);                                            \
  }

#define ORDERED_STORE(SPACE, B)                                                                    \
  INLINE void ordered_store(SPACE B *q, B v, memory_order order) {                                 \
    if (order == memory_order_relaxed) __atomic_store_n(q, v, __ATOMIC_RELAXED);                   \
    else if (order == memory_order_release) __atomic_store_n(q, v, __ATOMIC_RELEASE);              \
    else __atomic_store_n(q, v, __ATOMIC_SEQ_CST);                                                 \
  }
#define ORDERED_STORES(SPACE)                                                                      \
  ORDERED_STORE(SPACE, int) ORDERED_STORE(SPACE, uint) ORDERED_STORE(SPACE, long)                  \
  ORDERED_STORE(SPACE, ulong) ORDERED_STORE(SPACE, ushort)
ORDERED_STORES(__global)
ORDERED_STORES(__local)
ORDERED_STORES(__generic)

/* V: the type of the value, T but for half. */
#define NEW_STORE(SPACE, T, V, B)                                                                  \
  OVER void atomic_store_explicit(volatile SPACE atomic_##T *p, V v, memory_order order) {         \
    T value = v;                                                                                   \
    ordered_store((SPACE B *)p, __builtin_astype(value, B), order);                                \
  }                                                                                                \
  OVER void atomic_store_explicit(volatile SPACE atomic_##T *p, V v, memory_order order,           \
                                  memory_scope s) {                                                \
    T value = v;                                                                                   \
    ordered_store((SPACE B *)p, __builtin_astype(value, B), order);                                \
  }                                                                                                \
  OVER void atomic_store(volatile SPACE atomic_##T *p, V v) {                                      \
    T value = v;                                                                                   \
    ordered_store((SPACE B *)p, __builtin_astype(value, B), memory_order_seq_cst);                 \
  }

#define NEW_ACCESS(SPACE, T, B)                                                                    \
  OVER void atomic_init(volatile SPACE atomic_##T *p, T v) { *(SPACE T *)p = v; }                  \
  OVER T atomic_load_explicit(volatile SPACE atomic_##T *p, memory_order order) {                  \
    SPACE B *q = (SPACE B *)p;                                                                     \
    B v;                                                                                           \
    if (order == memory_order_relaxed) v = __atomic_load_n(q, __ATOMIC_RELAXED);                   \
    else if (order == memory_order_acquire) v = __atomic_load_n(q, __ATOMIC_ACQUIRE);              \
    else v = __atomic_load_n(q, __ATOMIC_SEQ_CST);                                                 \
    return __builtin_astype(v, T);                                                                 \
  }                                                                                                \
  OVER T atomic_load_explicit(volatile SPACE atomic_##T *p, memory_order order, memory_scope s) {  \
    return atomic_load_explicit(p, order);                                                         \
  }                                                                                                \
  OVER T atomic_load(volatile SPACE atomic_##T *p) {                                               \
    return atomic_load_explicit(p, memory_order_seq_cst);                                          \
  }                                                                                                \
  NEW_STORE(SPACE, T, T, B)                                                                        \
  NEW_RMW(atomic_exchange, SPACE, T, T, B, __atomic_exchange_n)

/* A weak exchange that never fails without reason is a strong one. The value
 * expected may lie in any space; values are compared as bits. */
#define NEW_EXCHANGE(NAME, SPACE, ESPACE, T, B)                                                    \
  OVER bool NAME##_explicit(volatile SPACE atomic_##T *p, ESPACE T *expected, T desired,           \
                            memory_order order, memory_order fail) {                               \
    B old = *(ESPACE B *)expected, v = __builtin_astype(desired, B);                               \
    SPACE B *q = (SPACE B *)p;                                                                     \
    bool done;                                                                                     \
    if (order == memory_order_relaxed)                                                             \
      done = __atomic_compare_exchange_n(q, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);   \
    else                                                                                           \
      done = __atomic_compare_exchange_n(q, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    if (!done) *(ESPACE B *)expected = old;                                                        \
    return done;                                                                                   \
  }                                                                                                \
  OVER bool NAME##_explicit(volatile SPACE atomic_##T *p, ESPACE T *expected, T desired,           \
                            memory_order order, memory_order fail, memory_scope scope) {           \
    return NAME##_explicit(p, expected, desired, order, fail);                                     \
  }                                                                                                \
  OVER bool NAME(volatile SPACE atomic_##T *p, ESPACE T *expected, T desired) {                    \
    return NAME##_explicit(p, expected, desired, memory_order_seq_cst, memory_order_seq_cst);      \
  }
#define NEW_EXCHANGES(ESPACE, SPACE, T, B)                                                         \
  NEW_EXCHANGE(atomic_compare_exchange_strong, SPACE, ESPACE, T, B)                                \
  NEW_EXCHANGE(atomic_compare_exchange_weak, SPACE, ESPACE, T, B)

#define NEW_INTEGER(SPACE, T)                                                                      \
  NEW_ACCESS(SPACE, T, T)                                                                          \
  FOR_SPACES(NEW_EXCHANGES, SPACE, T, T)                                                           \
  NEW_INTEGER_RMW(SPACE, T, T)
#define NEW_INTEGER_RMW(SPACE, T, V)                                                               \
  NEW_RMW(atomic_fetch_add, SPACE, T, V, T, __atomic_fetch_add)                                    \
  NEW_RMW(atomic_fetch_sub, SPACE, T, V, T, __atomic_fetch_sub)                                    \
  NEW_RMW(atomic_fetch_and, SPACE, T, V, T, __atomic_fetch_and)                                    \
  NEW_RMW(atomic_fetch_or, SPACE, T, V, T, __atomic_fetch_or)                                      \
  NEW_RMW(atomic_fetch_xor, SPACE, T, V, T, __atomic_fetch_xor)                                    \
  NEW_RMW(atomic_fetch_min, SPACE, T, V, T, __atomic_fetch_min)                                    \
  NEW_RMW(atomic_fetch_max, SPACE, T, V, T, __atomic_fetch_max)

/* Sums, minima and maxima of floating point: compare and exchange. */
#define FLOAT_RMW(SPACE, T, B, F, EXPRESSION)                                                      \
  INLINE B F(SPACE B *q, B bits, int order) {                                                      \
    T v = __builtin_astype(bits, T);                                                               \
    B old = __atomic_load_n(q, __ATOMIC_RELAXED), result;                                          \
    do {                                                                                           \
      T x = __builtin_astype(old, T);                                                              \
      result = __builtin_astype((T)(EXPRESSION), B);                                               \
    } while (!__atomic_compare_exchange_n(q, &old, result, false, __ATOMIC_SEQ_CST,                \
                                          __ATOMIC_SEQ_CST));                                      \
    return old;                                                                                    \
  }
#define NEW_FLOAT(SPACE, T, B)                                                                     \
  NEW_ACCESS(SPACE, T, B)                                                                          \
  FLOAT_RMW(SPACE, T, B, float_add, x + v)                                                         \
  FLOAT_RMW(SPACE, T, B, float_sub, x - v)                                                         \
  FLOAT_RMW(SPACE, T, B, float_min, min_of(x, v))                                                  \
  FLOAT_RMW(SPACE, T, B, float_max, max_of(x, v))                                                  \
  NEW_RMW(atomic_fetch_add, SPACE, T, T, B, float_add)                                             \
  NEW_RMW(atomic_fetch_sub, SPACE, T, T, B, float_sub)                                             \
  NEW_RMW(atomic_fetch_min, SPACE, T, T, B, float_min)                                             \
  NEW_RMW(atomic_fetch_max, SPACE, T, T, B, float_max)

#define NEW_FLAG(SPACE)                                                                            \
  OVER bool atomic_flag_test_and_set_explicit(volatile SPACE atomic_flag *p, memory_order order) { \
    return atomic_exchange_explicit(p, 1, order) != 0;                                             \
  }                                                                                                \
  OVER bool atomic_flag_test_and_set_explicit(volatile SPACE atomic_flag *p, memory_order order,   \
                                              memory_scope scope) {                                \
    return atomic_exchange_explicit(p, 1, order) != 0;                                             \
  }                                                                                                \
  OVER bool atomic_flag_test_and_set(volatile SPACE atomic_flag *p) {                              \
    return atomic_exchange(p, 1) != 0;                                                             \
  }                                                                                                \
  OVER void atomic_flag_clear_explicit(volatile SPACE atomic_flag *p, memory_order order) {        \
    atomic_store_explicit(p, 0, order);                                                            \
  }                                                                                                \
  OVER void atomic_flag_clear_explicit(volatile SPACE atomic_flag *p, memory_order order,          \
                                       memory_scope scope) {                                       \
    atomic_store_explicit(p, 0, order);                                                            \
  }                                                                                                \
  OVER void atomic_flag_clear(volatile SPACE atomic_flag *p) { atomic_store(p, 0); }

/* Clang 19 itself declares what is stored in an atomic_half as another, its full header as a half.
 * intptr_t and uintptr_t mix with either signedness of operand. */
#define NEW_ATOMICS(SPACE)                                                                         \
  NEW_INTEGER(SPACE, int) NEW_INTEGER(SPACE, uint)                                                 \
  NEW_INTEGER(SPACE, long) NEW_INTEGER(SPACE, ulong)                                               \
  NEW_INTEGER_RMW(SPACE, long, ulong) NEW_INTEGER_RMW(SPACE, ulong, long)                          \
  NEW_FLOAT(SPACE, float, uint) FOR_SPACES(NEW_EXCHANGES, SPACE, float, uint)                      \
  NEW_FLOAT(SPACE, double, ulong) FOR_SPACES(NEW_EXCHANGES, SPACE, double, ulong)                  \
  NEW_FLOAT(SPACE, half, ushort) NEW_STORE(SPACE, half, atomic_half, ushort)                       \
  NEW_FLAG(SPACE)
NEW_ATOMICS(__global)
NEW_ATOMICS(__local)
NEW_ATOMICS(__generic)
