/* Elements of an image for a vector of work-items: __kiln_texel of the builtins, as a function of the emitted
 * module, because kernels call it often and it is long. Neighbouring work-items mostly read neighbouring
 * elements: whether they do is seen when the code runs, for the lanes that are on. If so one wide access,
 * else a gather. Any alignment. */
#include "compiler/spmd/lanes.h"

#include <string.h>

struct near_load {
  struct kl_lanes *l;
  LLVMTypeRef part; /* of the value: an unsigned integer */
  uint32_t parts;
  unsigned size;           /* bytes of a lane's value */
  LLVMValueRef from, mask; /* all lanes' addresses */
};

static LLVMValueRef number(struct kl_lanes *l, uint64_t x) { return LLVMConstInt(l->e->map->i32, x, false); }

static LLVMValueRef all_of(struct kl_lanes *l, LLVMTypeRef type, uint64_t x) {
  return kiln_lanes_splat(l, LLVMConstInt(type, x, false));
}

/* ---- do they follow one another ---- */

/* The number of a lane that is on; of lane 0 when none is. */
static LLVMValueRef some_lane(struct near_load *n) {
  struct kl_lanes *l = n->l;
  if (kiln_lanes_is_full(n->mask)) return number(l, 0);
  LLVMValueRef bits = kiln_lanes_bits(l, n->mask);
  LLVMTypeRef type = LLVMTypeOf(bits);
  LLVMValueRef args[] = {bits, LLVMConstNull(l->e->map->i1)};
  LLVMValueRef lane = kiln_lanes_intrinsic(l, "llvm.cttz", &type, 1, args, 2);
  lane = LLVMBuildAnd(l->e->b, lane, LLVMConstInt(type, l->width - 1, false), "");
  return LLVMBuildIntCast2(l->e->b, lane, l->e->map->i32, false, "");
}

/* Where lane 0's value would lie, seen from that lane. */
static LLVMValueRef row_start(struct near_load *n, LLVMValueRef lane) {
  LLVMBuilderRef b = n->l->e->b;
  LLVMTypeRef i64 = n->l->e->map->i64;
  LLVMValueRef before =
      LLVMBuildMul(b, LLVMBuildZExt(b, lane, i64, ""), LLVMConstInt(i64, (uint64_t)0 - n->size, true), "");
  LLVMValueRef its = LLVMBuildExtractElement(b, n->from, lane, "");
  return LLVMBuildGEP2(b, n->l->e->map->i8, its, &before, 1, "");
}

static LLVMValueRef consecutive(struct near_load *n, LLVMValueRef start) {
  LLVMValueRef offset[KL_MOST_LANES];
  LLVMBuilderRef b = n->l->e->b;
  LLVMTypeRef i64 = n->l->e->map->i64;
  for (unsigned i = 0; i < n->l->width; i++) offset[i] = LLVMConstInt(i64, (uint64_t)i * n->size, false);
  LLVMValueRef offsets = LLVMConstVector(offset, n->l->width);
  return LLVMBuildGEP2(b, n->l->e->map->i8, start, &offsets, 1, "");
}

static LLVMValueRef follow(struct near_load *n, LLVMValueRef start) {
  struct kl_lanes *l = n->l;
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef is = LLVMBuildICmp(b, LLVMIntEQ, n->from, consecutive(n, start), "");
  if (!kiln_lanes_is_full(n->mask)) is = LLVMBuildOr(b, is, LLVMBuildNot(b, n->mask, ""), "");
  LLVMValueRef bits = kiln_lanes_bits(l, is);
  return LLVMBuildICmp(b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
}

/* ---- one wide access ---- */

static LLVMValueRef wide_mask(struct near_load *n) {
  LLVMValueRef index[KL_MOST_LANES * 4];
  unsigned count = n->l->width * n->parts;
  if (n->parts == 1) return n->mask;
  for (unsigned i = 0; i < count; i++) index[i] = number(n->l, i / n->parts);
  return LLVMBuildShuffleVector(n->l->e->b, n->mask, LLVMGetPoison(LLVMTypeOf(n->mask)),
                                LLVMConstVector(index, count), "");
}

static LLVMValueRef load_wide(struct near_load *n, LLVMValueRef start) {
  struct kl_lanes *l = n->l;
  LLVMTypeRef types[] = {LLVMVectorType(n->part, l->width * n->parts), l->e->map->ptr};
  if (kiln_lanes_is_full(n->mask)) {
    LLVMValueRef made = LLVMBuildLoad2(l->e->b, types[0], start, "");
    LLVMSetAlignment(made, 1);
    return made;
  }
  LLVMValueRef args[] = {start, number(l, 1), wide_mask(n), LLVMGetPoison(types[0])};
  return kiln_lanes_intrinsic(l, "llvm.masked.load", types, 2, args, 4);
}

static void load_row(struct near_load *n, LLVMValueRef start, LLVMValueRef *part) {
  LLVMValueRef index[KL_MOST_LANES], wide = load_wide(n, start);
  for (uint32_t k = 0; k < n->parts; k++) {
    for (unsigned i = 0; i < n->l->width; i++) index[i] = number(n->l, i * n->parts + k);
    part[k] = n->parts == 1 ? wide
                            : LLVMBuildShuffleVector(n->l->e->b, wide, LLVMGetPoison(LLVMTypeOf(wide)),
                                                     LLVMConstVector(index, n->l->width), "");
  }
}

/* ---- anywhere ---- */

static LLVMValueRef moved(struct near_load *n, uint64_t bytes) {
  LLVMValueRef offset = LLVMConstInt(n->l->e->map->i64, bytes, false);
  return bytes == 0 ? n->from : LLVMBuildGEP2(n->l->e->b, n->l->e->map->i8, n->from, &offset, 1, "");
}

static LLVMValueRef gather_words(struct near_load *n, LLVMValueRef from) {
  LLVMTypeRef types[] = {kiln_lanes_type(n->l, n->l->e->map->i32), LLVMTypeOf(from)};
  LLVMValueRef args[] = {from, number(n->l, 1), n->mask, LLVMGetPoison(types[0])};
  return kiln_lanes_intrinsic(n->l, "llvm.masked.gather", types, 2, args, 4);
}

/* Processors gather words: a byte is cut out of the aligned word around it, which lies on the same page. */
static LLVMValueRef gather_byte(struct near_load *n, LLVMValueRef from) {
  struct kl_lanes *l = n->l;
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef i64 = l->e->map->i64, i32 = l->e->map->i32;
  LLVMValueRef address = LLVMBuildPtrToInt(b, from, kiln_lanes_type(l, i64), "");
  LLVMValueRef within = LLVMBuildAnd(b, address, all_of(l, i64, 3), "");
  LLVMValueRef back = LLVMBuildNeg(b, within, "");
  LLVMValueRef words = gather_words(n, LLVMBuildGEP2(b, l->e->map->i8, from, &back, 1, ""));
  LLVMValueRef bits = LLVMBuildTrunc(b, within, kiln_lanes_type(l, i32), "");
  words = LLVMBuildLShr(b, words, LLVMBuildShl(b, bits, all_of(l, i32, 3), ""), "");
  return LLVMBuildAnd(b, words, all_of(l, i32, 255), "");
}

static LLVMValueRef gather_small(struct near_load *n) {
  struct kl_lanes *l = n->l;
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef value = gather_byte(n, n->from);
  if (n->size == 2) {
    LLVMValueRef high = LLVMBuildShl(b, gather_byte(n, moved(n, 1)), all_of(l, l->e->map->i32, 8), "");
    value = LLVMBuildOr(b, value, high, "");
  }
  return LLVMBuildTrunc(b, value, kiln_lanes_type(l, n->part), "");
}

static void gather(struct near_load *n, LLVMValueRef *part) {
  if (n->size < 4) part[0] = gather_small(n);
  else
    for (uint32_t k = 0; k < n->parts; k++) part[k] = gather_words(n, moved(n, 4 * k));
}

/* ---- the function ---- */

static void load_either(struct near_load *n, LLVMValueRef *part) {
  struct kl_emit *e = n->l->e;
  LLVMValueRef row[4] = {NULL}, any[4] = {NULL}, start = row_start(n, some_lane(n));
  LLVMBasicBlockRef in_row = kiln_emit_new_block(e, ""), anywhere = kiln_emit_new_block(e, ""),
                    after = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(e->b, follow(n, start), in_row, anywhere);
  LLVMPositionBuilderAtEnd(e->b, in_row);
  load_row(n, start, row);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, anywhere);
  gather(n, any);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
  for (uint32_t k = 0; k < n->parts; k++) {
    part[k] = LLVMBuildPhi(e->b, LLVMTypeOf(row[k]), "");
    LLVMAddIncoming(part[k], &row[k], &in_row, 1);
    LLVMAddIncoming(part[k], &any[k], &anywhere, 1);
  }
}

enum { WORDS = 4 };

/* Ends the function for elements of `size` bytes. */
static void return_words(struct kl_lanes *l, LLVMValueRef fn, LLVMValueRef mask, unsigned size) {
  LLVMBuilderRef b = l->e->b;
  struct near_load n = {.l = l, .mask = mask, .size = size, .parts = size < 4 ? 1 : size / 4};
  LLVMValueRef part[WORDS] = {NULL}, x = LLVMGetParam(fn, 2);
  LLVMTypeRef i64 = l->e->map->i64, i32 = l->e->map->i32;
  n.part = LLVMIntTypeInContext(l->e->env->context, size < 4 ? size * 8 : 32);
  x = LLVMBuildSExt(b, x, kiln_lanes_type(l, i64), "");
  x = LLVMBuildMul(b, x, all_of(l, i64, size), "");
  n.from = LLVMBuildGEP2(b, l->e->map->i8, LLVMGetParam(fn, 1), &x, 1, "");
  load_either(&n, part);
  LLVMValueRef result = LLVMGetPoison(LLVMGetReturnType(LLVMGlobalGetValueType(fn)));
  for (uint32_t k = 0; k < WORDS; k++) {
    LLVMValueRef word = part[k * n.parts / WORDS];
    if (size < 4) word = LLVMBuildZExt(b, word, kiln_lanes_type(l, i32), "");
    result = LLVMBuildInsertValue(b, result, word, k, "");
  }
  LLVMBuildRet(b, result);
}

static LLVMValueRef declare(struct kl_lanes *l, const char *name, bool full) {
  LLVMTypeRef word = kiln_lanes_type(l, l->e->map->i32), words[WORDS] = {word, word, word, word};
  LLVMTypeRef param[] = {l->e->map->i32, kiln_lanes_type(l, l->e->map->ptr), word,
                         kiln_lanes_type(l, l->e->map->i1)};
  LLVMTypeRef result = LLVMStructTypeInContext(l->e->env->context, words, WORDS, false);
  LLVMValueRef fn =
      LLVMAddFunction(l->e->env->module, name, LLVMFunctionType(result, param, full ? 3 : 4, false));
  LLVMSetLinkage(fn, LLVMInternalLinkage);
  unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
  LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(l->e->env->context, kind, 0));
  return fn;
}

/* A block for each size of an element; the largest is the default. */
static void emit_body(struct kl_lanes *l, LLVMValueRef fn, bool full) {
  static const unsigned sizes[] = {16, 1, 2, 4, 8};
  struct kl_emit *e = l->e;
  enum { N = sizeof sizes / sizeof *sizes };
  LLVMValueRef all_on = LLVMConstAllOnes(kiln_lanes_type(l, e->map->i1));
  LLVMBasicBlockRef block[N], entry = kiln_emit_new_block(e, "");
  for (unsigned i = 0; i < N; i++) block[i] = kiln_emit_new_block(e, "");
  LLVMPositionBuilderAtEnd(e->b, entry);
  LLVMValueRef choice = LLVMBuildSwitch(e->b, LLVMGetParam(fn, 0), block[0], N - 1);
  for (unsigned i = 1; i < N; i++) LLVMAddCase(choice, number(l, sizes[i]), block[i]);
  for (unsigned i = 0; i < N; i++) {
    LLVMPositionBuilderAtEnd(e->b, block[i]);
    return_words(l, fn, full ? all_on : LLVMGetParam(fn, 3), sizes[i]);
  }
}

/* The function for vectors that are full or not; made when first asked for. */
static LLVMValueRef find_function(struct kl_lanes *l, bool full) {
  const char *name = full ? "kiln.texel" : "kiln.texel.masked";
  struct kl_emit *e = l->e;
  LLVMValueRef fn = LLVMGetNamedFunction(e->env->module, name), outer = e->fn;
  if (fn != NULL) return fn;
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  fn = e->fn = declare(l, name, full);
  LLVMSetCurrentDebugLocation2(e->b, NULL);
  emit_body(l, fn, full);
  e->fn = outer;
  LLVMPositionBuilderAtEnd(e->b, at);
  return fn;
}

bool kiln_lanes_texel(struct kl_lanes *l, uint32_t i) {
  static const char wanted[] = "__kiln_texel";
  struct kl_emit *e = l->e;
  LLVMValueRef callee = kiln_func_resolve(LLVMGetCalledValue(e->f->inst[i].v));
  size_t len;
  if (callee == NULL || strncmp(LLVMGetValueName2(callee, &len), wanted, sizeof wanted - 1) != 0)
    return false;
  LLVMValueRef mask = kiln_lanes_mask(l);
  uint32_t size = kl_operand(e->f, i, 0);
  bool full = kiln_lanes_is_full(mask);
  if (kiln_lanes_shape(l, size).kind != KL_UNIFORM) return false; /* of different images */
  LLVMValueRef args[] = {kiln_emit_operand(e, size), kiln_lanes_part(l, kl_operand(e->f, i, 1), 0),
                         kiln_lanes_part(l, kl_operand(e->f, i, 2), 0), mask};
  LLVMValueRef fn = find_function(l, full);
  kiln_emit_position(e, i);
  LLVMValueRef made = LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, args, full ? 3 : 4, "");
  struct kl_pack pack = kiln_lanes_new_pack(l, WORDS);
  for (uint32_t k = 0; k < WORDS; k++) pack.part[k] = LLVMBuildExtractValue(e->b, made, k, "");
  kiln_lanes_define(l, i, pack);
  return true;
}
