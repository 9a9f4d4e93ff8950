/* Look-ups in small constant tables: the table lies in registers, of which lanes pick by one instruction what
 * else each would fetch from memory. An index past the table's end, which has no meaning, finds something. */
#include "compiler/spmd/lanes.h"
#include "compiler/spmd/native.h"

#include <string.h>

enum {
  MOST_REGISTERS = 4, /* of a table */
  MOST_ENTRIES = 64,
  MOST_WORDS = 16 /* of a register */
};

struct table {
  LLVMValueRef entries; /* constants, an array */
  uint32_t n, index;    /* index: a value */
};

/* Words that a register holds and one instruction picks from; 0: there is no such instruction. */
static unsigned words_of(unsigned native, unsigned bits) {
  if (native >= 16) return 512 / bits;
  return native >= 8 && bits == 32 ? 256 / bits : 0;
}

static unsigned registers_of(const struct table *t, unsigned words) {
  unsigned n = 1;
  while (n * words < t->n) n *= 2;
  return n;
}

static LLVMValueRef value_of(const struct kl_func *f, uint32_t v) { return f->inst[v].v; }

/* A number in memory of 1, 2, 4 or 8 bytes; 0: none. */
static unsigned bits_of(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    switch (LLVMGetIntTypeWidth(type)) {
    case 8:
    case 16:
    case 32:
    case 64:
      return LLVMGetIntTypeWidth(type);
    default:
      return 0;
    }
  case LLVMHalfTypeKind:
    return 16;
  case LLVMFloatTypeKind:
    return 32;
  case LLVMDoubleTypeKind:
    return 64;
  default:
    return 0;
  }
}

static unsigned word_bits(LLVMTypeRef element) { return bits_of(element) == 64 ? 64 : 32; }

static bool is_plain(LLVMValueRef entry) {
  return LLVMIsAConstantInt(entry) != NULL || LLVMIsAConstantFP(entry) != NULL;
}

static bool find_table(const struct kl_func *f, uint32_t load, struct table *t) {
  LLVMValueRef v = value_of(f, load);
  LLVMTypeRef element = LLVMTypeOf(v), indexed;
  uint32_t pointer = kl_operand(f, load, 0);
  if (!kiln_is_ordinary(v) || bits_of(element) == 0 || !kl_find_element(f, pointer, &indexed, &t->index) ||
      indexed != element)
    return false;
  LLVMValueRef variable = LLVMIsAGlobalVariable(value_of(f, kl_operand(f, pointer, 0)));
  if (variable == NULL || !LLVMIsGlobalConstant(variable) || LLVMGetInitializer(variable) == NULL)
    return false;
  LLVMTypeRef type = LLVMGlobalGetValueType(variable);
  if (LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMGetElementType(type) != element ||
      LLVMGetArrayLength2(type) > MOST_ENTRIES)
    return false;
  t->entries = LLVMGetInitializer(variable);
  t->n = (uint32_t)LLVMGetArrayLength2(type);
  for (uint32_t k = 0; k < t->n; k++)
    if (!is_plain(LLVMGetAggregateElement(t->entries, k))) return false;
  return t->n > 0;
}

/* Registers that the table takes; 0: too many, or nothing picks from them. */
static unsigned fitting(const struct table *t, LLVMTypeRef element, unsigned native) {
  const unsigned words = words_of(native, word_bits(element));
  const unsigned n = words == 0 ? 0 : registers_of(t, words);
  return n <= (native >= 16 ? MOST_REGISTERS : MOST_REGISTERS / 2) ? n : 0;
}

unsigned kiln_lanes_table(const struct kl_func *f, uint32_t load, unsigned native) {
  struct table t;
  return find_table(f, load, &t) ? fitting(&t, LLVMTypeOf(value_of(f, load)), native) : 0;
}

/* ---- code ---- */

struct look_up {
  struct kl_lanes *l;
  LLVMTypeRef word;
  unsigned words, n;                 /* of a register; registers */
  LLVMValueRef part[MOST_REGISTERS]; /* of the table */
};

static LLVMValueRef entry_word(const struct look_up *u, const struct table *t, uint32_t k) {
  if (k >= t->n) return LLVMConstNull(u->word);
  LLVMValueRef entry = LLVMGetAggregateElement(t->entries, k);
  unsigned bits = bits_of(LLVMTypeOf(entry));
  entry = LLVMConstBitCast(entry, LLVMIntTypeInContext(u->l->e->env->context, bits));
  return LLVMConstInt(u->word, LLVMConstIntGetZExtValue(entry), false);
}

static void fill(struct look_up *u, const struct table *t) {
  LLVMValueRef word[MOST_WORDS];
  for (unsigned r = 0; r < u->n; r++) {
    for (unsigned k = 0; k < u->words; k++) word[k] = entry_word(u, t, r * u->words + k);
    u->part[r] = LLVMConstVector(word, u->words);
  }
}

/* From one register, or from two by one instruction. */
static LLVMValueRef pick_one(const struct look_up *u, LLVMValueRef part, LLVMValueRef index) {
  bool wide = u->words * LLVMGetIntTypeWidth(u->word) == 512, is_long = LLVMGetIntTypeWidth(u->word) == 64;
  const char *name = !wide     ? "llvm.x86.avx2.permd"
                     : is_long ? "llvm.x86.avx512.permvar.di.512"
                               : "llvm.x86.avx512.permvar.si.512";
  return kiln_lanes_intrinsic(u->l, name, NULL, 0, (LLVMValueRef[]){part, index}, 2);
}

/* Whether the index has the bit that chooses between what lies before and after `n` words. */
static LLVMValueRef is_after(const struct look_up *u, LLVMValueRef index, unsigned n) {
  LLVMBuilderRef b = u->l->e->b;
  LLVMValueRef bit[MOST_WORDS];
  for (unsigned k = 0; k < u->words; k++) bit[k] = LLVMConstInt(u->word, n, false);
  LLVMValueRef some = LLVMBuildAnd(b, index, LLVMConstVector(bit, u->words), "");
  return LLVMBuildICmp(b, LLVMIntNE, some, LLVMConstNull(LLVMTypeOf(some)), "");
}

static LLVMValueRef pick(const struct look_up *u, LLVMValueRef index, unsigned first, unsigned n) {
  bool wide = u->words * LLVMGetIntTypeWidth(u->word) == 512;
  if (n == 1) return pick_one(u, u->part[first], index);
  if (n == 2 && wide) {
    const char *name = LLVMGetIntTypeWidth(u->word) == 64 ? "llvm.x86.avx512.vpermi2var.q.512"
                                                          : "llvm.x86.avx512.vpermi2var.d.512";
    LLVMValueRef args[] = {u->part[first], index, u->part[first + 1]};
    return kiln_lanes_intrinsic(u->l, name, NULL, 0, args, 3);
  }
  LLVMValueRef low = pick(u, index, first, n / 2), high = pick(u, index, first + n / 2, n / 2);
  return LLVMBuildSelect(u->l->e->b, is_after(u, index, n / 2 * u->words), high, low, "");
}

/* For any power of two of indices. */
static LLVMValueRef pick_all(const struct look_up *u, LLVMValueRef index, unsigned lanes) {
  if (lanes == u->words) return pick(u, index, 0, u->n);
  if (lanes < u->words)
    return kiln_native_cut(u->l->e, pick(u, kiln_native_cut(u->l->e, index, NULL, 0, u->words), 0, u->n),
                           NULL, 0, lanes);
  LLVMValueRef low = pick_all(u, kiln_native_cut(u->l->e, index, NULL, 0, lanes / 2), lanes / 2),
               high = pick_all(u, kiln_native_cut(u->l->e, index, NULL, lanes / 2, lanes / 2), lanes / 2);
  return kiln_native_cut(u->l->e, low, high, 0, lanes);
}

bool kiln_lanes_permute(struct kl_lanes *l, LLVMValueRef v, LLVMValueRef index, LLVMValueRef *out) {
  struct kl_emit *e = l->e;
  LLVMTypeRef type = LLVMTypeOf(v);
  const unsigned bits = bits_of(LLVMGetElementType(type));
  struct look_up u = {.l = l, .word = LLVMIntTypeInContext(e->env->context, bits)};
  u.words = bits >= 32 ? words_of(e->program->native, bits) : 0;
  if (u.words == 0 || l->width < u.words || l->width > MOST_REGISTERS * u.words) return false;
  v = LLVMBuildBitCast(e->b, v, kiln_lanes_type(l, u.word), "");
  for (; u.n < l->width / u.words; u.n++)
    u.part[u.n] = u.words == l->width ? v : kiln_lanes_some_of(l, v, u.n * u.words, u.words);
  index = LLVMBuildIntCast2(e->b, index, kiln_lanes_type(l, u.word), false, "");
  *out = LLVMBuildBitCast(e->b, pick_all(&u, index, l->width), type, "");
  return true;
}

bool kiln_lanes_load_table(struct kl_lanes *l, uint32_t load) {
  struct kl_emit *e = l->e;
  LLVMTypeRef element = LLVMTypeOf(value_of(e->f, load));
  struct look_up u = {.l = l};
  struct table t;
  if (kiln_lanes_is_left(l, kl_operand(e->f, load, 0))) return false; /* with its index */
  if (!find_table(e->f, load, &t) || kiln_lanes_shape(l, t.index).kind != KL_VARYING) return false;
  if ((u.n = fitting(&t, element, e->program->native)) == 0) return false;
  u.word = LLVMIntTypeInContext(e->env->context, word_bits(element));
  u.words = words_of(e->program->native, word_bits(element));
  fill(&u, &t);
  LLVMValueRef index =
      LLVMBuildIntCast2(e->b, kiln_lanes_part(l, t.index, 0), kiln_lanes_type(l, u.word), true, "");
  LLVMValueRef made = pick_all(&u, index, l->width);
  LLVMTypeRef bits = LLVMIntTypeInContext(e->env->context, bits_of(element));
  made = LLVMBuildIntCast2(e->b, made, kiln_lanes_type(l, bits), false, "");
  struct kl_pack pack = kiln_lanes_new_pack(l, 1);
  pack.part[0] = LLVMBuildBitCast(e->b, made, kiln_lanes_type(l, element), "");
  kiln_lanes_define(l, load, pack);
  kiln_lanes_report(l, load, (struct kl_note){.fate = KL_FATE_TABLE});
  return true;
}
