/* Accesses lane after lane, by an ordinary load or store of each lane's components together: where processors
 * are slow to gather, which is with several components side by side, with narrow ones, and with addresses
 * that need no computing. */
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/near.h"

enum {
  MOST_LANE_BYTES = 64,
  MOST_NUMBERS = 8, /* lanes whose numbers are kept from load to load in the processor's 16 registers */
  FENCED = 4        /* words that kiln_lanes_fence() takes */
};

/* ---- what can be done so ---- */

static bool is_side_by_side(const struct kl_access *a) {
  for (uint32_t k = 0; k < a->n; k++)
    if (a->type[k] != a->type[0] || a->offset[k] != (int64_t)(k * a->size)) return false;
  return (a->n & (a->n - 1)) == 0 && a->n * a->size <= MOST_LANE_BYTES;
}

static bool is_strided(const struct kl_access *a) { return a->base != NULL && a->shape.kind == KL_STRIDED; }

bool kiln_access_is_compact(const struct kl_access *a) {
  return a->n > 1 && is_side_by_side(a) && !a->by_lane;
}

/* Words at computed addresses, which to take out of their vector would cost more than to gather. */
static bool are_gathered(const struct kl_lanes *l, const struct kl_access *a) {
  return l->e->program->gathers && a->size == 4 && !is_strided(a);
}

static bool are_gathered_pairs(const struct kl_lanes *l, const struct kl_access *a) {
  return are_gathered(l, a) && a->n % 2 == 0;
}

/* Code for each lane is to be no longer than the rest of the function. By rows it would be longer still. */
static bool is_enough(const struct kl_lanes *l, const struct kl_access *a) {
  return l->elements >= l->most_elements && !kiln_access_is_wide(a);
}

/* ---- addresses ---- */

/* What an address from before the region was made of need not be there in it. */
static bool is_at_hand(struct kl_lanes *l, uint32_t value) {
  const struct kl_emit *e = l->e;
  return e->fixed[value] != NULL || e->f->inst[value].op == KL_CONST || e->value_pass[value] == e->pass ||
         l->pack_pass[value] == e->pass;
}

LLVMValueRef kiln_index_element(struct kl_lanes *l, const struct kl_index *x, LLVMValueRef base,
                                LLVMValueRef n) {
  LLVMTypeRef type = kiln_map_type(l->e->map, x->element), i64 = l->e->map->i64;
  if (LLVMTypeOf(n) != i64)
    n = x->is_signed ? LLVMBuildSExt(l->e->b, n, i64, "") : LLVMBuildZExt(l->e->b, n, i64, "");
  return LLVMBuildGEP2(l->e->b, type, base, &n, 1, "");
}

/* A sum whose widened parts make the widened sum. */
static bool is_exact_sum(const struct kl_func *f, const struct kl_index *x) {
  const struct kl_inst *sum = &f->inst[x->value];
  if (sum->op != LLVMAdd) return false;
  if (LLVMGetIntTypeWidth(LLVMTypeOf(sum->v)) == 64) return true;
  return x->is_signed ? LLVMGetNSW(sum->v) : LLVMGetNUW(sum->v);
}

static bool is_shared(struct kl_lanes *l, uint32_t value) {
  return kiln_lanes_shape(l, value).kind == KL_UNIFORM && is_at_hand(l, value);
}

/* Widened from a narrower number. */
static void narrow(const struct kl_func *f, struct kl_index *x) {
  if (f->inst[x->value].op == LLVMSExt) x->value = kl_operand(f, x->value, 0);
  while (f->inst[x->value].op == LLVMZExt) { /* a number that was not negative stays so */
    x->is_signed = false;
    x->value = kl_operand(f, x->value, 0);
  }
}

/* Leaves what differs from lane to lane as the value, and the rest of its sum in shared[]. */
static void part_sums(struct kl_lanes *l, struct kl_index *x) {
  const struct kl_func *f = l->e->f;
  while (l->width <= MOST_NUMBERS && x->nshared < KL_MOST_SHARED && is_exact_sum(f, x)) {
    const uint32_t first = kl_operand(f, x->value, 0), second = kl_operand(f, x->value, 1);
    const bool is_first = is_shared(l, first);
    const uint32_t lanes = is_first ? second : first;
    if ((!is_first && !is_shared(l, second)) || kiln_lanes_is_left(l, lanes) || !is_at_hand(l, lanes)) return;
    x->shared[x->nshared++] = is_first ? first : second;
    x->value = lanes;
  }
}

/* `row + k` of a row of each lane's own: the row's index is what differs. Returns the row; KL_NONE: lanes
 * have left the loop that it is from with one each, of which what it was made of is gone. */
static uint32_t pass_shared(struct kl_lanes *l, uint32_t pointer, struct kl_index *x) {
  const struct kl_func *f = l->e->f;
  LLVMTypeRef element;
  uint32_t value;
  while (!kiln_lanes_is_left(l, pointer) && x->nbeyond < KL_MOST_SHARED && l->shapes->unit[pointer] == 0 &&
         kl_find_element(f, pointer, &element, &value) && is_shared(l, value) &&
         kiln_lanes_shape(l, kl_operand(f, pointer, 0)).kind != KL_UNIFORM) {
    x->beyond[x->nbeyond].element = element;
    x->beyond[x->nbeyond++].value = value;
    pointer = kl_operand(f, pointer, 0);
  }
  return kiln_lanes_is_left(l, pointer) ? KL_NONE : pointer;
}

bool kiln_access_has_index(struct kl_lanes *l, const struct kl_access *a, struct kl_index *x) {
  const struct kl_func *f = l->e->f;
  *x = (struct kl_index){.is_signed = true};
  if (a->base != NULL) return false;
  const uint32_t pointer = pass_shared(l, a->pointer, x);
  if (pointer == KL_NONE || !kl_find_element(f, pointer, &x->element, &x->value)) return false;
  x->base_of = kl_operand(f, pointer, 0);
  if (l->shapes->unit[pointer] != 0 || kiln_lanes_shape(l, x->base_of).kind != KL_UNIFORM ||
      kiln_lanes_is_left(l, x->value))
    return false;
  narrow(f, x);
  if (kiln_lanes_is_left(l, x->value) || !is_at_hand(l, x->value) || !is_at_hand(l, x->base_of)) return false;
  part_sums(l, x);
  return true;
}

bool kiln_access_find_index(struct kl_lanes *l, const struct kl_access *a, struct kl_index *x) {
  if (!kiln_access_has_index(l, a, x)) return false;
  x->base = kiln_emit_operand(l->e, x->base_of);
  for (uint32_t k = 0; k < x->nbeyond; k++) {
    LLVMValueRef n = kiln_emit_operand(l->e, x->beyond[k].value);
    x->base = LLVMBuildGEP2(l->e->b, kiln_map_type(l->e->map, x->beyond[k].element), x->base, &n, 1, "");
  }
  for (uint32_t k = 0; k < x->nshared; k++)
    x->base = kiln_index_element(l, x, x->base, kiln_emit_operand(l->e, x->shared[k]));
  x->lanes = kiln_lanes_part(l, x->value, 0);
  return true;
}

/* Words are taken out of their vector by two: one goes the slow way from there, not both (0.75 to 0.9 of the
 * time). Code generation is not to know that their high bits are zero: when it learns so late that it need
 * not cut an index out of its pair, LLVM 19 takes the pair. */
static LLVMValueRef index_of(struct kl_lanes *l, const struct kl_index *x, unsigned lane) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef i64 = l->e->map->i64;
  if (LLVMGetElementType(LLVMTypeOf(x->lanes)) != l->e->map->i32 || l->width < FENCED)
    return LLVMBuildExtractElement(b, x->lanes, kiln_lanes_number(l, lane), "");
  LLVMValueRef pairs =
                   LLVMBuildBitCast(b, kiln_lanes_fence(l, x->lanes), LLVMVectorType(i64, l->width / 2), ""),
               half = LLVMConstInt(i64, 32, false);
  LLVMValueRef two = LLVMBuildExtractElement(b, pairs, kiln_lanes_number(l, lane / 2), "");
  if (lane % 2 == 0) two = LLVMBuildShl(b, two, half, "");
  return x->is_signed ? LLVMBuildAShr(b, two, half, "") : LLVMBuildLShr(b, two, half, "");
}

LLVMValueRef kiln_index_address(struct kl_lanes *l, const struct kl_index *x, unsigned lane) {
  return kiln_index_element(l, x, x->base, index_of(l, x, lane));
}

/* Lanes that are off store to memory that nobody reads: with AVX2 a quarter fewer instructions than jumps
 * over them, at the same speed. (With SSE up to 1.5 times as slow.) */
static void find_places(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *at) {
  if (l->spare == NULL) {
    l->spare = LLVMBuildAlloca(l->e->top, LLVMArrayType2(l->e->map->i8, MOST_LANE_BYTES), "");
    LLVMSetAlignment(l->spare, MOST_LANE_BYTES);
  }
  LLVMValueRef all =
      LLVMBuildSelect(l->e->b, mask, kiln_access_addresses(l, a, 0), kiln_lanes_splat(l, l->spare), "");
  for (unsigned i = 0; i < l->width; i++)
    at[i] = LLVMBuildExtractElement(l->e->b, all, kiln_lanes_number(l, i), "");
}

/* Lanes that are off get the address of one that is on; code that touches memory does not run for nobody. */
static void find_addresses(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                           LLVMValueRef *at) {
  struct kl_index x = {0};
  bool full = kiln_lanes_is_full(mask), strided = full && is_strided(a),
       indexed = (full || !kiln_access_can_gather(l, a)) && kiln_access_find_index(l, a, &x);
  if (indexed) x.lanes = kiln_lanes_borrow(l, x.lanes, mask);
  LLVMValueRef all = strided || indexed ? NULL : kiln_lanes_borrow(l, kiln_access_addresses(l, a, 0), mask);
  for (unsigned i = 0; i < l->width; i++) {
    LLVMValueRef offset = LLVMConstInt(l->e->map->i64, (uint64_t)(a->shape.stride * (int64_t)i), true);
    at[i] = strided   ? LLVMBuildGEP2(l->e->b, l->e->map->i8, a->base, &offset, 1, "")
            : indexed ? kiln_index_address(l, &x, i)
                      : LLVMBuildExtractElement(l->e->b, all, kiln_lanes_number(l, i), "");
  }
}

/* ---- lanes and rows ---- */

void kiln_lanes_to_rows(struct kl_lanes *l, LLVMValueRef *lane, uint32_t n, LLVMValueRef *row) {
  LLVMValueRef made[KL_MOST_LANES];
  for (uint32_t j = 0; j < n; j++) {
    unsigned first = j * l->width / n, count = l->width / n;
    if (count == 0) {
      row[j] = kiln_lanes_some_of(l, lane[first], j * l->width % n, l->width);
      continue;
    }
    for (unsigned i = 0; i < count; i++) made[i] = lane[first + i];
    row[j] = kiln_lanes_joined(l, made, count);
  }
}

void kiln_rows_to_lanes(struct kl_lanes *l, LLVMValueRef *row, uint32_t n, LLVMValueRef *lane) {
  for (unsigned i = 0; i < l->width; i++) {
    unsigned first = i * n / l->width, rows = n > l->width ? n / l->width : 1;
    LLVMValueRef made[KL_MOST_PITCH];
    if (rows == 1) {
      lane[i] = n == l->width ? row[first] : kiln_lanes_some_of(l, row[first], i * n % l->width, n);
      continue;
    }
    for (unsigned j = 0; j < rows; j++) made[j] = row[first + j];
    lane[i] = kiln_lanes_joined(l, made, rows);
  }
}

/* ---- accesses ---- */

/* Rows of each lane's own that a loop goes along: numbers that stay in registers, and what all lanes add to
 * them. Checksums along eight rows 2 times as fast on Zen 4 as by gathers. */
static bool goes_along_rows(struct kl_lanes *l, const struct kl_access *a) {
  const struct kiln_loops *loops = &l->shapes->uniform.loops;
  const struct kl_func *f = l->e->f;
  const uint32_t loop = loops->of[f->inst[a->inst[0]].bb];
  struct kl_index x;
  if (loop == KL_NONE || l->width > MOST_NUMBERS || !kiln_access_has_index(l, a, &x) ||
      x.nshared + x.nbeyond == 0)
    return false;
  return kiln_is_steady(f, loops, x.value, loop);
}

static bool can_load(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask) {
  if (is_enough(l, a) || !is_side_by_side(a) || a->by_lane || are_gathered_pairs(l, a)) return false;
  if (a->n > 1 || (l->e->program->native < 8 && !is_strided(a))) return true;
  return kiln_lanes_is_full(mask) && (is_strided(a) || a->size < 4 || !kiln_access_can_gather(l, a) ||
                                      (!l->e->program->gathers && goes_along_rows(l, a)));
}

static bool can_store(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask) {
  if (is_enough(l, a) || !is_side_by_side(a) || a->by_lane || are_gathered_pairs(l, a)) return false;
  if (!kiln_lanes_is_full(mask)) return l->e->program->native == 8 && a->n == 1;
  struct kl_index x;
  return a->n > 1 || is_strided(a) || (!kiln_access_can_scatter(l, a) && kiln_access_has_index(l, a, &x));
}

bool kiln_access_goes_apart(struct kl_lanes *l, const struct kl_access *a, const struct kl_access *strided,
                            LLVMValueRef mask) {
  if (!kiln_lanes_is_full(mask)) return false;
  if (l->e->f->inst[a->inst[0]].op == LLVMLoad) return can_load(l, a, mask);
  return can_store(l, strided, mask) && !kiln_access_can_gather(l, a);
}

static bool load_record(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *out) {
  LLVMValueRef at[KL_MOST_LANES];
  const uint32_t registers = kiln_record_registers(a);
  if (registers == 0 || is_side_by_side(a) || is_enough(l, a) || are_gathered(l, a)) return false;
  l->elements += registers;
  find_addresses(l, a, mask, at);
  kiln_record_load(l, a, at, out);
  return true;
}

static void load_each(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *at,
                      LLVMValueRef *lane) {
  LLVMTypeRef type = a->n == 1 ? a->type[0] : LLVMVectorType(a->type[0], a->n);
  for (unsigned i = 0; i < l->width; i++) {
    lane[i] = LLVMBuildLoad2(l->e->b, type, at[i], "");
    LLVMSetAlignment(lane[i], kiln_access_align(a, 0));
  }
}

static LLVMValueRef join_elements(struct kl_lanes *l, LLVMTypeRef element, const LLVMValueRef *lane) {
  LLVMValueRef all = LLVMGetPoison(kiln_lanes_type(l, element));
  for (unsigned i = 0; i < l->width; i++)
    all = LLVMBuildInsertElement(l->e->b, all, lane[i], kiln_lanes_number(l, i), "");
  return all;
}

/* lane: each one's components; row: room for them as rows, where there are several */
static void part_lanes(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *lane, LLVMValueRef *row,
                       LLVMValueRef *out) {
  if (a->n == 1) {
    out[0] = join_elements(l, a->type[0], lane);
    return;
  }
  kiln_lanes_to_rows(l, lane, a->n, row);
  if (!kiln_parts_from_lanes(l, lane, a->n, out)) kiln_rows_split(l, row, a->n, out);
}

void kiln_access_load_at(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *at, bool rows,
                         LLVMValueRef *out) {
  LLVMValueRef lane[KL_MOST_LANES], row[KL_MOST_PITCH];
  if (!is_side_by_side(a)) {
    kiln_record_load(l, a, at, out);
    return;
  }
  load_each(l, a, at, lane);
  if (rows) kiln_lanes_to_rows(l, lane, a->n, out);
  else part_lanes(l, a, lane, row, out);
}

bool kiln_access_load_lanes(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                            LLVMValueRef *out) {
  LLVMValueRef at[KL_MOST_LANES], lane[KL_MOST_LANES], row[KL_MOST_PITCH];
  if (load_record(l, a, mask, out)) return true;
  if (!can_load(l, a, mask)) return false;
  l->elements++;
  find_addresses(l, a, mask, at);
  load_each(l, a, at, lane);
  part_lanes(l, a, lane, row, out);
  if (a->n > 1) kiln_packed_remember(l, row, out, a->n);
  return true;
}

/* All lanes are on. */
static bool store_record(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                         LLVMValueRef *value) {
  LLVMValueRef at[KL_MOST_LANES];
  if (!kiln_lanes_is_full(mask) || !is_strided(a) || is_side_by_side(a) || !kiln_record_is_full(a) ||
      is_enough(l, a))
    return false;
  l->elements += kiln_record_registers(a);
  find_addresses(l, a, mask, at);
  kiln_record_store(l, a, at, value);
  return true;
}

bool kiln_access_store_lanes(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                             LLVMValueRef *value) {
  LLVMValueRef at[KL_MOST_LANES], lane[KL_MOST_LANES], row[KL_MOST_PITCH];
  if (store_record(l, a, mask, value)) return true;
  if (!can_store(l, a, mask)) return false;
  l->elements++;
  if (kiln_lanes_is_full(mask)) find_addresses(l, a, mask, at);
  else find_places(l, a, mask, at);
  if (a->n > 1) {
    if (kiln_packed_rows(l, value, a->n, row)) kiln_rows_to_lanes(l, row, a->n, lane);
    else kiln_components_to_lanes(l, value, a->n, lane);
  } else {
    for (unsigned i = 0; i < l->width; i++)
      lane[i] = LLVMBuildExtractElement(l->e->b, value[0], kiln_lanes_number(l, i), "");
  }
  for (unsigned i = 0; i < l->width; i++)
    LLVMSetAlignment(LLVMBuildStore(l->e->b, lane[i], at[i]), kiln_access_align(a, 0));
  return true;
}
