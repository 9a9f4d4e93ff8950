/* What both texts begin with: hashing, and in C the types, ids, conversions and the loop over work-items. */
#include "gen.h"

void gen_cl_prelude(const struct gen *g) {
  static const char text[] =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n"
      "uint mix_uint(uint h, uint x) { return (h ^ x) * 0x9E3779B1u + (h >> 15); }\n"
      "uint mix_int(uint h, int x) { return mix_uint(h, (uint)x); }\n"
      "uint mix_ulong(uint h, ulong x) { return mix_uint(mix_uint(h, (uint)x), (uint)(x >> 32)); }\n"
      "uint mix_long(uint h, long x) { return mix_ulong(h, (ulong)x); }\n"
      "uint mix_float(uint h, float x) { return mix_uint(h, isnan(x) ? 1u : as_uint(x)); }\n"
      "uint mix_double(uint h, double x) { return mix_ulong(h, isnan(x) ? 1ul : as_ulong(x)); }\n"
      "#define TRY_FOUND(to, x, made) { volatile __typeof__(*(to)) *p_ = to; uint y_ = x, old_ = *p_, was_; "
      "while ((was_ = atomic_cmpxchg(p_, old_, made)) != old_) old_ = was_; }\n"
      "#define TRY_READ(to, x, made) { volatile __typeof__(*(to)) *p_ = to; uint y_ = x, old_; "
      "do old_ = *p_; while (atomic_cmpxchg(p_, old_, made) != old_); }\n"
      "#define mix_char mix_int\n#define mix_short mix_int\n#define mix_uchar mix_uint\n#define mix_ushort "
      "mix_uint\n";
  static const char half[] =
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
      "uint mix_half(uint h, half x) { return mix_uint(h, isnan(x) ? 1u : (uint)as_ushort(x)); }\n";
  fputs(text, g->cl);
  if (g->half) fputs(half, g->cl);
}

static void put_saturation(FILE *c, const char *name, const char *least, const char *most,
                           const char *limit) {
  fprintf(c,
          "static %s SATURATE_%s(double x) { return x != x ? 0 : x <= (double)%s ? %s : x >= %s ? %s : "
          "(%s)x; }\n",
          name, name, least, least, limit, most, name);
}

static void put_saturations(FILE *c) {
  put_saturation(c, "char", "(-128)", "127", "127.0");
  put_saturation(c, "uchar", "0", "255", "255.0");
  put_saturation(c, "short", "(-32768)", "32767", "32767.0");
  put_saturation(c, "ushort", "0", "65535", "65535.0");
  put_saturation(c, "int", "(-2147483647 - 1)", "2147483647", "2147483647.0");
  put_saturation(c, "uint", "0", "4294967295u", "4294967295.0");
  put_saturation(c, "long", "(-9223372036854775807L - 1)", "9223372036854775807L", "9223372036854775808.0");
  put_saturation(c, "ulong", "0", "18446744073709551615ul", "18446744073709551616.0");
}

static void put_types(FILE *c) {
  static const char *const names[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                      "long", "ulong", "float", "double", "half"};
  static const int counts[] = {2, 3, 4, 8, 16}, bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2};
  fputs(
      "#include <stddef.h>\n#include <string.h>\ntypedef unsigned char uchar;\ntypedef unsigned short "
      "ushort;\n"
      "typedef unsigned int uint;\ntypedef unsigned long ulong;\ntypedef _Float16 half;\n"
      "struct run { uint *out; const uint *in; uint n, sub_group; const void *argument; uint *counts, *bins; "
      "const uint *image; uint *painted; };\n",
      c);
  for (int b = 0; b < NUM_BASES; b++)
    for (int k = 0; k < 5; k++)
      fprintf(c, "typedef struct { %s s[%d]; } __attribute__((aligned(%d))) %s%d;\n", names[b], counts[k],
              bytes[b] * (counts[k] == 3 ? 4 : counts[k]), names[b], counts[k]);
}

/* ---- work-items and their peers ---- */

static void put_items(FILE *c) {
  for (const char *axis = "XYZ"; *axis != '\0'; axis++)
    fprintf(c, "static uint L%c, G%c, GROUP_%c, SIZE_%c, FULL_%c, GLOBAL_%c, OFFSET_%c, NUM_%c;\n", *axis,
            *axis, *axis, *axis, *axis, *axis, *axis, *axis);
  fputs("static uint ITEM, ITEMS, DIMS, SUB, self;\n"
        "#define GROUPS for (GROUP_Z = 0; GROUP_Z * FULL_Z < GLOBAL_Z; GROUP_Z++) for (GROUP_Y = 0; GROUP_Y "
        "* FULL_Y "
        "< GLOBAL_Y; GROUP_Y++) for (GROUP_X = 0; GROUP_X * FULL_X < GLOBAL_X; GROUP_X++)\n"
        "static void enter_group(void) {\n",
        c);
  for (const char *axis = "XYZ"; *axis != '\0'; axis++)
    fprintf(c,
            "uint left_%c = GLOBAL_%c - GROUP_%c * FULL_%c; SIZE_%c = left_%c < FULL_%c ? left_%c : FULL_%c; "
            "NUM_%c = "
            "(GLOBAL_%c + FULL_%c - 1) / FULL_%c;\n",
            *axis, *axis, *axis, *axis, *axis, *axis, *axis, *axis, *axis, *axis, *axis, *axis, *axis);
  fputs("ITEMS = SIZE_X * SIZE_Y * SIZE_Z; }\nstatic void enter_item(void) {\n"
        "LX = ITEM % SIZE_X; LY = ITEM / SIZE_X % SIZE_Y; LZ = ITEM / SIZE_X / SIZE_Y;\n",
        c);
  for (const char *axis = "XYZ"; *axis != '\0'; axis++)
    fprintf(c, "G%c = OFFSET_%c + GROUP_%c * FULL_%c + L%c;\n", *axis, *axis, *axis, *axis, *axis);
  fputs("self = ((GZ - OFFSET_Z) * GLOBAL_Y + GY - OFFSET_Y) * GLOBAL_X + GX - OFFSET_X; }\n"
        "#define OPEN for (ITEM = 0; ITEM < ITEMS; ITEM++) { __label__ next_; struct item_t *I = "
        "&items[ITEM]; if "
        "(!I->on_) continue; enter_item();\n#define CLOSE next_:; }\n",
        c);
}

static void put_peers(FILE *c) {
  static const char *const names[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
  fputs(
      "#define SUB_SIZE (ITEMS - ITEM / SUB * SUB < SUB ? ITEMS % SUB : SUB)\n"
      "#define LOW(n) ((uint)((1ul << (n)) - 1))\n"
      "#define ALL(...) for (uint j_ = 0; j_ < ITEMS; j_++) { struct item_t *I = &items[j_]; __VA_ARGS__; }\n"
      "#define ALL_PEERS for (uint k_ = 0; k_ < ITEMS; k_++) if (a_[k_])\n"
      "#define PEERS for (uint k_ = ITEM / SUB * SUB; k_ < ITEM / SUB * SUB + SUB && k_ < ITEMS; k_++) if "
      "(a_[k_])\n"
      "#define FIVE(size) ({ uint t_ = 0; for (uint k_ = ITEM / SUB * SUB; k_ < ITEM / SUB * SUB + SUB && k_ "
      "< "
      "ITEMS; k_++) t_ |= k_ % (size) == 5; t_; })\n",
      c);
  for (int i = 0; i < 8; i++) {
    int bits = 8 << i / 2;
    if (i % 2 == 0)
      fprintf(c, "#define MOST_%s ((%s)((1ul << %d) - 1))\n#define LEAST_%s ((%s)(-1l << %d))\n", names[i],
              names[i], bits - 1, names[i], names[i], bits - 1);
    else
      fprintf(c, "#define MOST_%s ((%s)-1)\n#define LEAST_%s ((%s)0)\n", names[i], names[i], names[i],
              names[i]);
  }
  fputs("#define MOST_float __builtin_inff()\n#define LEAST_float -__builtin_inff()\n"
        "#define MOST_double __builtin_inf()\n#define LEAST_double -__builtin_inf()\n"
        "#define MOST_half (half)__builtin_inff()\n#define LEAST_half (half)-__builtin_inff()\n",
        c);
}

/* ---- functions ---- */

static void put_functions(FILE *c) {
  fputs(
      "static uint mix_uint(uint h, uint x) { return (h ^ x) * 0x9E3779B1u + (h >> 15); }\n"
      "static uint mix_int(uint h, int x) { return mix_uint(h, (uint)x); }\n"
      "static uint mix_ulong(uint h, ulong x) { return mix_uint(mix_uint(h, (uint)x), (uint)(x >> 32)); }\n"
      "static uint mix_long(uint h, long x) { return mix_ulong(h, (ulong)x); }\n"
      "static uint mix_float(uint h, float x) { uint u; memcpy(&u, &x, 4); return mix_uint(h, x != x ? 1u "
      ": u); }\n"
      "static uint mix_double(uint h, double x) { ulong u; memcpy(&u, &x, 8); return mix_ulong(h, x != x ? "
      "1ul : "
      "u); }\n"
      "static uint mix_half(uint h, half x) { ushort u; memcpy(&u, &x, 2); return mix_uint(h, x != x ? 1u "
      ": u); }\n"
      "#define TRY_FOUND(to, x, made) { volatile __typeof__(*(to)) *p_ = to; uint y_ = x, old_ = *p_, was_; "
      "while ((was_ = atomic_cmpxchg(p_, old_, made)) != old_) old_ = was_; }\n"
      "#define TRY_READ(to, x, made) { volatile __typeof__(*(to)) *p_ = to; uint y_ = x, old_; "
      "do old_ = *p_; while (atomic_cmpxchg(p_, old_, made) != old_); }\n"
      "#define mix_char mix_int\n#define mix_short mix_int\n#define mix_uchar mix_uint\n#define mix_ushort "
      "mix_uint\n",
      c);
  fputs("#define CLAMP(sum) ({ __int128 s_ = sum, lo_ = (B)-1 < 0 ? -((__int128)1 << (M - 1)) : 0, hi_ = lo_ "
        "< 0 ? "
        "~lo_ : ((__int128)1 << M) - 1; s_ < lo_ ? lo_ : s_ > hi_ ? hi_ : s_; })\n"
        "#define COUNT_ZEROS(bits) ({ ulong v_ = bits; v_ == 0 ? M : __builtin_clzl(v_) - (64 - M); })\n"
        "#define FMA(x, y) (sizeof(B) == 8 ? __builtin_fma(x, y, 1) : sizeof(B) == 4 ? __builtin_fmaf(x, y, "
        "1) : "
        "(double)(x) * (double)(y) + 1)\n",
        c);
  fputs("static uint step(uint *p, uint x) { uint old = *p; *p = old * 3u + x; return old ^ x; }\n", c);
  fprintf(c, "static void fetch(const uint *image, int x, int y, int border, void *to) {\n");
  fprintf(c, "if (border && (x < 0 || x >= %d || y < 0 || y >= %d)) { memset(to, 0, 16); return; }\n",
          IMAGE_WIDTH, IMAGE_HEIGHT);
  fprintf(c, "x = x < 0 ? 0 : x >= %d ? %d : x; y = y < 0 ? 0 : y >= %d ? %d : y;\n", IMAGE_WIDTH,
          IMAGE_WIDTH - 1, IMAGE_HEIGHT, IMAGE_HEIGHT - 1);
  fprintf(c, "memcpy(to, image + 4 * (y * %d + x), 16); }\n", IMAGE_WIDTH);
}

/* Modes: as numbered by half.c; 0 and 1 to nearest, then to zero, up and down. A neighbour of the nearest is
 * the next number of its bits. */
static void put_half(FILE *c) {
  fputs("static half to_half(double x, int mode) { half h = (half)x; short u; memcpy(&u, &h, 2); double y = "
        "h;\n"
        "if (mode < 2 || x != x || y == x) return h;\n"
        "int up = mode == 3 || (mode == 2 && x < 0);\n"
        "if (up ? y > x : y < x) return h;\n"
        "if ((u & 0x7fff) == 0) u = up ? 1 : (short)0x8001; else u += (u < 0) == up ? -1 : 1;\n"
        "memcpy(&h, &u, 2); return h; }\n",
        c);
}

void gen_c_prelude(FILE *c) {
  put_types(c);
  put_items(c);
  put_peers(c);
  put_functions(c);
  put_saturations(c);
  put_half(c);
}
