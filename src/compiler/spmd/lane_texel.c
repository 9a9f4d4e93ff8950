/* Elements of an image for a vector of work-items: __kiln_texel of the builtins. Neighbouring work-items
 * mostly read neighbouring elements: whether they do is seen when the code runs, for the lanes that are on.
 * If so rows of them are loaded and split, else a gather. Any alignment. Where the size of an element is a
 * constant the rows are loaded in place, for the first few, and the gather, which is long and rare, is a
 * function; else all is one function.
 */
#include "compiler/spmd/lane_routine.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 4, MOST_IN_PLACE = 8 /* elements of a kernel */ };

struct near_load {
  struct kl_lanes *l;
  LLVMTypeRef part; /* of the value: an unsigned integer */
  uint32_t parts;
  unsigned size;     /* bytes of a lane's value */
  LLVMValueRef row;  /* the address of element 0: one for all lanes, or one for each */
  LLVMValueRef x;    /* numbers of elements, 32 bits */
  LLVMValueRef mask; /* lanes that are on */
};

static struct near_load near_load(struct kl_lanes *l, unsigned size, LLVMValueRef row, LLVMValueRef x,
                                  LLVMValueRef mask) {
  return (struct near_load){.l = l,
                            .part = LLVMIntTypeInContext(l->e->env->context, size < 4 ? size * 8 : 32),
                            .parts = size < 4 ? 1 : size / 4,
                            .size = size,
                            .row = row,
                            .x = x,
                            .mask = mask};
}

static LLVMValueRef number(struct kl_lanes *l, uint64_t x) { return LLVMConstInt(l->e->map->i32, x, false); }

static LLVMValueRef all_of(struct kl_lanes *l, LLVMTypeRef type, uint64_t x) {
  return kiln_lanes_splat(l, LLVMConstInt(type, x, false));
}

static bool is_one_row(const struct near_load *n) {
  return LLVMGetTypeKind(LLVMTypeOf(n->row)) == LLVMPointerTypeKind;
}

/* Addresses of elements with these numbers; both may be of one lane. */
static LLVMValueRef address(struct near_load *n, LLVMValueRef row, LLVMValueRef x) {
  LLVMTypeRef element = LLVMIntTypeInContext(n->l->e->env->context, n->size * 8);
  return LLVMBuildGEP2(n->l->e->b, element, row, &x, 1, "");
}

static LLVMValueRef all_addresses(struct near_load *n) {
  return address(n, n->row, LLVMBuildSExt(n->l->e->b, n->x, kiln_lanes_type(n->l, n->l->e->map->i64), ""));
}

/* ---- do they follow one another ---- */

static LLVMValueRef lane_numbers(struct kl_lanes *l, LLVMTypeRef type) {
  LLVMValueRef lane[KL_MOST_LANES];
  for (unsigned i = 0; i < l->width; i++) lane[i] = LLVMConstInt(type, i, false);
  return LLVMConstVector(lane, l->width);
}

/* What is the same in all lanes that are on. */
static LLVMValueRef is_same(struct near_load *n, LLVMValueRef a, LLVMValueRef b) {
  struct kl_lanes *l = n->l;
  LLVMValueRef is = LLVMBuildICmp(l->e->b, LLVMIntEQ, a, b, "");
  if (!kiln_lanes_is_full(n->mask)) is = LLVMBuildOr(l->e->b, is, LLVMBuildNot(l->e->b, n->mask, ""), "");
  LLVMValueRef bits = kiln_lanes_bits(l, is);
  return LLVMBuildICmp(l->e->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
}

/* Whether elements follow one another; *start_out: where lane 0's value would lie, seen from a lane that is
 * on. */
static LLVMValueRef follow(struct near_load *n, LLVMValueRef *start_out) {
  struct kl_lanes *l = n->l;
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef i64 = l->e->map->i64, i32 = l->e->map->i32;
  LLVMValueRef lane = kiln_lanes_some(l, n->mask);
  if (is_one_row(n)) {
    LLVMValueRef first = LLVMBuildSub(b, LLVMBuildExtractElement(b, n->x, lane, ""), lane, "");
    *start_out = address(n, n->row, LLVMBuildSExt(b, first, i64, ""));
    return is_same(n, n->x, LLVMBuildAdd(b, kiln_lanes_splat(l, first), lane_numbers(l, i32), ""));
  }
  LLVMValueRef from = all_addresses(n), before = LLVMBuildNeg(b, LLVMBuildZExt(b, lane, i64, ""), "");
  *start_out = address(n, LLVMBuildExtractElement(b, from, lane, ""), before);
  return is_same(n, from, address(n, *start_out, lane_numbers(l, i64)));
}

/* ---- rows of them ---- */

static LLVMValueRef moved(struct near_load *n, LLVMValueRef from, uint64_t bytes) {
  LLVMValueRef offset = LLVMConstInt(n->l->e->map->i64, bytes, false);
  return bytes == 0 ? from : LLVMBuildGEP2(n->l->e->b, n->l->e->map->i8, from, &offset, 1, "");
}

/* Of the elements of row j: each lane has as many as there are parts. */
static LLVMValueRef row_mask(struct near_load *n, uint32_t j) {
  LLVMValueRef lane[KL_MOST_LANES];
  if (n->parts == 1 || kiln_lanes_is_full(n->mask)) return n->mask;
  for (unsigned i = 0; i < n->l->width; i++) lane[i] = number(n->l, (j * n->l->width + i) / n->parts);
  return LLVMBuildShuffleVector(n->l->e->b, n->mask, LLVMGetPoison(LLVMTypeOf(n->mask)),
                                LLVMConstVector(lane, n->l->width), "");
}

static void load_rows(struct near_load *n, LLVMValueRef start, LLVMValueRef *part) {
  const unsigned bytes = n->l->width * n->size / n->parts;
  LLVMValueRef row[WORDS];
  for (uint32_t j = 0; j < n->parts; j++)
    row[j] = kiln_lanes_load_row(n->l, n->part, moved(n, start, j * bytes), 1, row_mask(n, j));
  if (n->parts == 1) part[0] = row[0];
  else kiln_rows_split(n->l, row, n->parts, part);
}

/* ---- anywhere ---- */

static LLVMValueRef gather_words(struct near_load *n, LLVMValueRef from) {
  return kiln_lanes_gather(n->l, n->l->e->map->i32, from, 1, n->mask);
}

static LLVMValueRef gather_byte(struct near_load *n, LLVMValueRef from) {
  LLVMValueRef words = kiln_narrow_at(n->l, from, n->mask);
  return LLVMBuildAnd(n->l->e->b, words, all_of(n->l, n->l->e->map->i32, 255), "");
}

static LLVMValueRef gather_small(struct near_load *n, LLVMValueRef from) {
  struct kl_lanes *l = n->l;
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef value = gather_byte(n, from);
  if (n->size == 2) {
    LLVMValueRef second = gather_byte(n, moved(n, from, 1));
    value = LLVMBuildOr(b, value, LLVMBuildShl(b, second, all_of(l, l->e->map->i32, 8), ""), "");
  }
  return LLVMBuildTrunc(b, value, kiln_lanes_type(l, n->part), "");
}

/* It is done in one instruction, under masks too. */
static bool can_gather(const struct kl_lanes *l) { return l->e->program->native >= 16; }

/* Each lane's value by a load of its own; lanes that are off read what another does. */
static void load_lanes(struct near_load *n, LLVMValueRef from, LLVMValueRef *part) {
  LLVMBuilderRef b = n->l->e->b;
  LLVMValueRef lane[KL_MOST_LANES];
  LLVMTypeRef type = n->parts == 1 ? n->part : LLVMVectorType(n->part, n->parts);
  from = kiln_lanes_borrow(n->l, from, n->mask);
  for (unsigned i = 0; i < n->l->width; i++) {
    lane[i] = LLVMBuildLoad2(b, type, LLVMBuildExtractElement(b, from, number(n->l, i), ""), "");
    LLVMSetAlignment(lane[i], 1);
  }
  if (n->parts > 1) {
    kiln_lanes_to_components(n->l, lane, n->parts, part);
    return;
  }
  part[0] = LLVMGetPoison(kiln_lanes_type(n->l, n->part));
  for (unsigned i = 0; i < n->l->width; i++)
    part[0] = LLVMBuildInsertElement(b, part[0], lane[i], number(n->l, i), "");
}

static void load_apart(struct near_load *n, LLVMValueRef *part) {
  LLVMValueRef from = all_addresses(n);
  if (!can_gather(n->l)) load_lanes(n, from, part);
  else if (n->size < 4) part[0] = gather_small(n, from);
  else
    for (uint32_t k = 0; k < n->parts; k++) part[k] = gather_words(n, moved(n, from, 4 * k));
}

/* ---- two ways ---- */

struct ways {
  LLVMBasicBlockRef first, second, after;
};

/* The builder is where the first way begins. */
static struct ways part_ways(struct near_load *n, LLVMValueRef condition) {
  struct kl_emit *e = n->l->e;
  struct ways w = {kiln_emit_new_block(e, ""), kiln_emit_new_block(e, ""), kiln_emit_new_block(e, "")};
  LLVMBuildCondBr(e->b, condition, w.first, w.second);
  LLVMPositionBuilderAtEnd(e->b, w.first);
  return w;
}

static void turn_to_second(struct near_load *n, struct ways *w) {
  w->first = LLVMGetInsertBlock(n->l->e->b);
  LLVMBuildBr(n->l->e->b, w->after);
  LLVMPositionBuilderAtEnd(n->l->e->b, w->second);
}

static void meet(struct near_load *n, struct ways *w, LLVMValueRef *one, LLVMValueRef *other,
                 LLVMValueRef *part) {
  LLVMBuilderRef b = n->l->e->b;
  w->second = LLVMGetInsertBlock(b);
  LLVMBuildBr(b, w->after);
  LLVMPositionBuilderAtEnd(b, w->after);
  for (uint32_t k = 0; k < n->parts; k++) {
    part[k] = LLVMBuildPhi(b, LLVMTypeOf(one[k]), "");
    LLVMAddIncoming(part[k], &one[k], &w->first, 1);
    LLVMAddIncoming(part[k], &other[k], &w->second, 1);
  }
}

/* Whether all lanes ask for one element, at *at_out. */
static LLVMValueRef coincide(struct near_load *n, LLVMValueRef *at_out) {
  struct kl_lanes *l = n->l;
  LLVMValueRef lane = kiln_lanes_some(l, n->mask), all = is_one_row(n) ? n->x : all_addresses(n),
               one = LLVMBuildExtractElement(l->e->b, all, lane, "");
  *at_out = is_one_row(n) ? address(n, n->row, LLVMBuildSExt(l->e->b, one, l->e->map->i64, "")) : one;
  return is_same(n, all, kiln_lanes_splat(l, one));
}

static void load_shared(struct near_load *n, LLVMValueRef at, LLVMValueRef *part) {
  for (uint32_t k = 0; k < n->parts; k++) {
    LLVMValueRef one = LLVMBuildLoad2(n->l->e->b, n->part, moved(n, at, 4 * k), "");
    LLVMSetAlignment(one, 1);
    part[k] = kiln_lanes_splat(n->l, one);
  }
}

/* One for all lanes, as weights of a convolution, or each lane its own. */
static void gather(struct near_load *n, LLVMValueRef *part) {
  LLVMValueRef at, shared[WORDS] = {NULL}, apart[WORDS] = {NULL};
  struct ways w = part_ways(n, coincide(n, &at));
  load_shared(n, at, shared);
  turn_to_second(n, &w);
  load_apart(n, apart);
  meet(n, &w, shared, apart, part);
}

/* ---- functions of the emitted module, for each number of lanes ---- */

static LLVMValueRef all_on(struct kl_lanes *l) { return LLVMConstAllOnes(kiln_lanes_type(l, l->e->map->i1)); }

static void return_parts(struct kl_lanes *l, LLVMTypeRef type, LLVMValueRef *part, unsigned n) {
  LLVMValueRef result = LLVMGetPoison(type);
  for (unsigned k = 0; k < n; k++) result = LLVMBuildInsertValue(l->e->b, result, part[k], k, "");
  LLVMBuildRet(l->e->b, result);
}

/* ---- elements of one size ---- */

static void load_either(struct near_load *n, bool calls, LLVMValueRef *part);

/* (row, x, mask) to the parts, by a gather or as it comes; made when first asked for. */
static LLVMValueRef one_size_function(struct near_load *n, bool gathers) {
  struct kl_lanes *l = n->l;
  char name[64];
  LLVMTypeRef parts[WORDS], param[] = {LLVMTypeOf(n->row), LLVMTypeOf(n->x), LLVMTypeOf(n->mask)};
  snprintf(name, sizeof name, "kiln.texel.%s%u.%u%s", gathers ? "gather" : "of", n->size, l->width,
           is_one_row(n) ? ".row" : "");
  LLVMValueRef fn = LLVMGetNamedFunction(l->e->env->module, name), part[WORDS];
  if (fn != NULL) return fn;
  for (unsigned k = 0; k < n->parts; k++) parts[k] = kiln_lanes_type(l, n->part);
  LLVMTypeRef result = LLVMStructTypeInContext(l->e->env->context, parts, n->parts, false);
  fn = kiln_routine_declare(l, name, result, param, 3);
  struct kl_routine_place before = kiln_routine_enter(l, fn);
  struct near_load inner =
      near_load(l, n->size, LLVMGetParam(fn, 0), LLVMGetParam(fn, 1), LLVMGetParam(fn, 2));
  if (gathers) gather(&inner, part);
  else load_either(&inner, false, part);
  return_parts(l, result, part, n->parts);
  kiln_routine_leave(l, before);
  return fn;
}

static void call_one_size(struct near_load *n, bool gathers, LLVMValueRef *part) {
  LLVMValueRef fn = one_size_function(n, gathers), args[] = {n->row, n->x, n->mask};
  LLVMValueRef made = LLVMBuildCall2(n->l->e->b, LLVMGlobalGetValueType(fn), fn, args, 3, "");
  for (uint32_t k = 0; k < n->parts; k++) part[k] = LLVMBuildExtractValue(n->l->e->b, made, k, "");
}

static void load_either(struct near_load *n, bool calls, LLVMValueRef *part) {
  LLVMValueRef row[WORDS] = {NULL}, any[WORDS] = {NULL}, start;
  LLVMValueRef follows = follow(n, &start);
  struct ways w = part_ways(n, follows);
  load_rows(n, start, row);
  turn_to_second(n, &w);
  if (calls) call_one_size(n, true, any);
  else gather(n, any);
  meet(n, &w, row, any, part);
}

/* The 32 bits that hold each component. */
static void words_of(struct near_load *n, LLVMValueRef *part, LLVMValueRef *word) {
  for (uint32_t k = 0; k < WORDS; k++) {
    word[k] = part[k * n->parts / WORDS];
    if (n->size < 4)
      word[k] = LLVMBuildZExt(n->l->e->b, word[k], kiln_lanes_type(n->l, n->l->e->map->i32), "");
  }
}

/* In place while there are few. */
static void load_one_size(struct near_load *n, LLVMValueRef *word) {
  LLVMValueRef part[WORDS] = {NULL};
  if (!n->l->seldom && n->l->texels++ < MOST_IN_PLACE) load_either(n, true, part);
  else call_one_size(n, false, part);
  words_of(n, part, word);
}

/* ---- elements of any size ---- */

/* A block for each size of an element; the largest is the default. */
static void emit_sizes(struct kl_lanes *l, LLVMValueRef fn, LLVMTypeRef result) {
  static const unsigned sizes[] = {16, 1, 2, 4, 8};
  struct kl_emit *e = l->e;
  enum { N = sizeof sizes / sizeof *sizes };
  LLVMBasicBlockRef block[N];
  for (unsigned i = 0; i < N; i++) block[i] = kiln_emit_new_block(e, "");
  LLVMValueRef choice = LLVMBuildSwitch(e->b, LLVMGetParam(fn, 0), block[0], N - 1);
  LLVMValueRef mask = LLVMCountParams(fn) > 3 ? LLVMGetParam(fn, 3) : all_on(l), part[WORDS] = {NULL},
               word[WORDS];
  for (unsigned i = 1; i < N; i++) LLVMAddCase(choice, number(l, sizes[i]), block[i]);
  for (unsigned i = 0; i < N; i++) {
    LLVMPositionBuilderAtEnd(e->b, block[i]);
    struct near_load n = near_load(l, sizes[i], LLVMGetParam(fn, 1), LLVMGetParam(fn, 2), mask);
    load_either(&n, false, part);
    words_of(&n, part, word);
    return_parts(l, result, word, WORDS);
  }
}

/* (size, row, x, mask unless full) to the words; made when first asked for. */
static LLVMValueRef any_size_function(struct kl_lanes *l, bool full) {
  char name[64];
  snprintf(name, sizeof name, "kiln.texel.%u%s", l->width, full ? "" : ".masked");
  LLVMValueRef fn = LLVMGetNamedFunction(l->e->env->module, name);
  if (fn != NULL) return fn;
  LLVMTypeRef word = kiln_lanes_type(l, l->e->map->i32), words[WORDS] = {word, word, word, word};
  LLVMTypeRef param[] = {l->e->map->i32, kiln_lanes_type(l, l->e->map->ptr), word, LLVMTypeOf(all_on(l))};
  LLVMTypeRef result = LLVMStructTypeInContext(l->e->env->context, words, WORDS, false);
  fn = kiln_routine_declare(l, name, result, param, full ? 3 : 4);
  struct kl_routine_place before = kiln_routine_enter(l, fn);
  emit_sizes(l, fn, result);
  kiln_routine_leave(l, before);
  return fn;
}

static void call_any_size(struct kl_lanes *l, LLVMValueRef size, LLVMValueRef row, LLVMValueRef x,
                          LLVMValueRef mask, LLVMValueRef *word) {
  bool full = kiln_lanes_is_full(mask) || !can_gather(l); /* one function is shorter than two */
  if (full) row = kiln_lanes_borrow(l, row, mask), x = kiln_lanes_borrow(l, x, mask);
  LLVMValueRef args[] = {size, row, x, mask}, fn = any_size_function(l, full);
  LLVMValueRef made = LLVMBuildCall2(l->e->b, LLVMGlobalGetValueType(fn), fn, args, full ? 3 : 4, "");
  for (uint32_t k = 0; k < WORDS; k++) word[k] = LLVMBuildExtractValue(l->e->b, made, k, "");
}

/* ---- what is known before ---- */

/* Of read_image and write_image with rows: the operand that the coordinates are, or of which they begin where
 * they have been handed over one by one (split.c); 0: of something else. */
static uint32_t coordinates(LLVMValueRef callee) {
  size_t len;
  const char *name = LLVMGetValueName2(callee, &len);
  if (!strstr(name, "image2d") && !strstr(name, "image3d")) return 0;
  return strstr(name, "sampler") ? 2 : 1;
}

/* Whether all lanes have one number there, as far as insertions one by one show. */
static bool is_shared(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t vector, unsigned k) {
  while (f->inst[vector].op == LLVMInsertElement) {
    if (kl_is_number(f->inst[kl_operand(f, vector, 2)].v, k))
      return shapes->of[kl_operand(f, vector, 1)].kind == KL_UNIFORM;
    vector = kl_operand(f, vector, 0);
  }
  return true;
}

bool kiln_lanes_leave_row(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t call) {
  if (!kiln_call_is_of_image(f->inst[call].v)) return false;
  if (kiln_call_is_texel(f->inst[call].v)) return shapes->of[kl_operand(f, call, 1)].kind != KL_UNIFORM;
  const uint32_t first = coordinates(kiln_func_resolve(LLVMGetCalledValue(f->inst[call].v)));
  if (first == 0 || first + 1 >= f->inst[call].nops) return false;
  const uint32_t x = kl_operand(f, call, first), y = kl_operand(f, call, first + 1);
  if (LLVMGetTypeKind(LLVMTypeOf(f->inst[x].v)) == LLVMVectorTypeKind) return !is_shared(f, shapes, x, 1);
  return shapes->of[y].kind != KL_UNIFORM;
}

/* ---- the instruction ---- */

bool kiln_lanes_texel(struct kl_lanes *l, uint32_t i) {
  struct kl_emit *e = l->e;
  if (!kiln_call_is_texel(e->f->inst[i].v)) return false;
  uint32_t size = kl_operand(e->f, i, 0), row = kl_operand(e->f, i, 1);
  if (kiln_lanes_shape(l, size).kind != KL_UNIFORM) return false; /* of different images */
  LLVMValueRef mask = kiln_lanes_mask(l), bytes = kiln_emit_operand(e, size);
  LLVMValueRef x = kiln_lanes_part(l, kl_operand(e->f, i, 2), 0);
  bool one_size = LLVMIsAConstantInt(bytes) != NULL;
  bool one_row = one_size && kiln_lanes_shape(l, row).kind == KL_UNIFORM;
  LLVMValueRef rows = one_row ? kiln_emit_operand(e, row) : kiln_lanes_part(l, row, 0);
  struct kl_pack pack = kiln_lanes_new_pack(l, WORDS);
  kiln_emit_position(e, i);
  if (one_size) {
    struct near_load n = near_load(l, (unsigned)LLVMConstIntGetZExtValue(bytes), rows, x, mask);
    load_one_size(&n, pack.part);
  } else {
    call_any_size(l, bytes, rows, x, mask, pack.part);
  }
  kiln_lanes_define(l, i, pack);
  return true;
}
