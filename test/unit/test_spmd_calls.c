/* Functions that stay functions, called by vectors of work-items: the same text runs as C. */
#include "spmd_run.h"

#include <stdlib.h>
#include <string.h>

#define global
/* The functions as code and as text. Names that begin with out_ are not expanded. */
#define FUNCTIONS(...) __VA_ARGS__ static const char functions[] = #__VA_ARGS__;

FUNCTIONS(
    static int out_steps(int x, int n) {
      int s = 0;
      while (x > 0 && s < n) {
        if (x == 5) return -1;
        x = x & 1 ? 3 * x + 1 : x / 2;
        s++;
      }
      return s;
    }

    static int out_pick(int x) {
      switch (x & 7) {
      case 0:
        return x * 3;
      case 1:
      case 2:
        x += 100;
        break;
      case 5:
        return -x;
      default:
        x ^= 0x55;
      }
      return x + 1;
    }

    static int out_nested(int x, int n) {
      int sum = out_pick(x);
      if (sum & 2) sum += out_steps(sum & 255, n);
      for (int i = 0; i < (x & 3); i++) sum = sum * 5 + out_pick(sum + i);
      return sum;
    }

    static void out_store(global int *to, int x, int n) {
      if (x == n) return;
      *to += out_pick(x) + n;
    }

    static int out_narrow(signed char c, short s) { return c < 0 ? s - c : c << 4 ^ s; }

    static int out_sum(global const int *from, int first, int n) {
      int sum = 0;
      for (int i = first; i < first + n; i++) sum += from[i & 63];
      return sum;
    }

    static float out_mean(float a, float b) { return a < b ? (a + b) * 0.5f : a - b; }

    static void work(global int *o, global const int *in, int g, int n) {
      int x = in[g];
      o[0] = out_steps(x, n);
      if (x & 1) o[1] = out_nested(x, n);
      o[2] = out_nested(n, n); /* the same for all */
      for (int i = 0; i < (x & 7); i++) o[3] += out_pick(x + i);
      out_store(o + 4, x, n);
      if (x % 3 == 0) out_store(o + 5, n, x);
      o[6] = out_narrow((signed char)x, (short)(x * 5));
      o[7] = out_sum(in, g & 15, n);
      o[8] = (int)out_mean((float)x, (float)(g * 7)) + (int)out_mean(3.0f, (float)n);
      o[9] = out_steps(g, x & 31);
    })

static const char kernel[] = "kernel void k(global int *out, global const int *in, int n) {\n"
                             "  int g = get_global_id(0);\n  work(out + g * 10, in, g, n);\n}\n";
#undef global

enum { ITEMS = 64, WORDS = 10 };

static void fill(int *in) {
  uint32_t x = 12345;
  for (int i = 0; i < ITEMS; i++) in[i] = (int)((x = x * 1664525u + 1013904223u) >> 22);
}

static char *whole_source(void) {
  char *text = malloc(sizeof functions + sizeof kernel);
  assert_non_null(text);
  strcpy(text, functions);
  return strcat(text, kernel);
}

static void run(unsigned width, size_t local, bool known, bool plain) {
  static int in[ITEMS], want[ITEMS * WORDS], got[ITEMS * WORDS];
  struct spmd_code code;
  char *source = whole_source();
  struct spmd_build build = {.source = source, .spec = {.small = 1, .width = width}, .plain = plain};
  if (known)
    build.spec.local_size[0] = (uint32_t)local, build.spec.local_size[1] = build.spec.local_size[2] = 1;
  spmd_compile(&code, &build);
  fill(in);
  for (int n = 0; n < 40; n += 13) {
    struct spmd_launch l;
    const int *from = in;
    int *to = got;
    size_t items = ITEMS;
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    for (int g = 0; g < ITEMS; g++) work(want + g * WORDS, in, g, n);
    spmd_start(&l, &code, &items, &local, NULL, 1);
    SPMD_ARG(&l, to);
    SPMD_ARG(&l, from);
    SPMD_ARG(&l, n);
    spmd_run(&l, 0);
    for (int i = 0; i < ITEMS * WORDS; i++)
      if (want[i] != got[i])
        fail_msg("%u lanes, groups of %zu, n %d: work-item %d word %d is %d, should be %d", width, local, n,
                 i / WORDS, i % WORDS, got[i], want[i]);
  }
  spmd_finish(&code);
  free(source);
}

static void full_vectors(void **state) {
  for (unsigned width = 1; width <= 16; width *= 2) run(width, 16, true, false);
}

static void remainders(void **state) {
  for (unsigned width = 1; width <= 16; width *= 2) {
    run(width, 13, true, false);
    run(width, 21, false, false);
  }
}

static void without_passes(void **state) {
  run(4, 16, false, true);
  run(8, 7, true, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(full_vectors), cmocka_unit_test(remainders),
                                     cmocka_unit_test(without_passes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
