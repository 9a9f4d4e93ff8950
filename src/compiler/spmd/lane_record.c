/* Records: components of a lane that lie near each other, with gaps between them or in numbers that are no
 * power of 2. Each lane's are loaded by whole registers, which are transposed then: for 16 lanes 16 loads and
 * 8 shuffles for four words, where gathers take 16 loads and more for each word, and rows a shuffle for each
 * row and component. */
#include "compiler/spmd/lane_access.h"

enum { REGISTER = 16, MOST_SPAN = 64, WORD = 4 /* bytes */ };

struct record {
  int64_t low;                        /* offset of the first component */
  uint32_t each;                      /* elements of a register */
  uint32_t span;                      /* elements from the first to the last component */
  uint32_t registers;                 /* by which components are loaded */
  uint32_t start[KL_MOST_COMPONENTS]; /* by register: its first element */
  uint32_t of[KL_MOST_COMPONENTS];    /* by component: its register */
};

static bool is_number(LLVMTypeRef type) {
  const LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static uint32_t place_of(const struct kl_access *a, const struct record *r, uint32_t k) {
  return (uint32_t)((uint64_t)(a->offset[k] - r->low) / a->size);
}

/* Component at a place; KL_NONE: a gap. */
static uint32_t owner_of(const struct kl_access *a, const struct record *r, uint32_t place) {
  for (uint32_t k = 0; k < a->n; k++)
    if (place_of(a, r, k) == place) return k;
  return KL_NONE;
}

static bool measure(const struct kl_access *a, struct record *r) {
  const struct kl_extent e = kiln_access_extent(a);
  *r = (struct record){.low = e.low, .each = (uint32_t)(REGISTER / a->size)};
  for (uint32_t k = 0; k < a->n; k++)
    if (!is_number(a->type[k]) || (a->offset[k] - r->low) % (int64_t)a->size != 0) return false;
  if (e.high - e.low > MOST_SPAN - (int64_t)a->size) return false;
  r->span = (uint32_t)((uint64_t)(e.high - e.low) / a->size) + 1;
  return true;
}

/* The last register ends with the last component: what lies behind may be on a page that is not there. */
static void deal(const struct kl_access *a, struct record *r) {
  const uint32_t last = r->span > r->each ? r->span - r->each : 0;
  for (uint32_t place = 0, end = 0; place < r->span; place++) {
    if (place < end || owner_of(a, r, place) == KL_NONE) continue;
    r->start[r->registers] = place < last ? place : last;
    end = r->start[r->registers++] + r->each;
  }
  for (uint32_t k = 0; k < a->n; k++)
    while (place_of(a, r, k) >= r->start[r->of[k]] + r->each) r->of[k]++;
}

static bool describe(const struct kl_access *a, struct record *r) {
  if (a->by_lane || (a->size != WORD && a->size != 2 * WORD) || !measure(a, r)) return false;
  if (r->span < r->each && a->n < r->each - 1) return false;
  deal(a, r);
  return 2 * r->registers <= a->n + 1;
}

uint32_t kiln_record_registers(const struct kl_access *a) {
  struct record r;
  return a->n > 1 && describe(a, &r) ? r.registers : 0;
}

uint32_t kiln_record_cost(const struct kl_access *a) {
  struct record r;
  if (a->n < 2 || !describe(a, &r)) return 0;
  return r.span < r.each ? 2 : r.registers;
}

bool kiln_record_is_full(const struct kl_access *a) {
  struct record r;
  if (a->n < 2 || !describe(a, &r) || r.span < r.each) return false;
  for (uint32_t g = 0; g < r.registers; g++)
    for (uint32_t e = 0; e < r.each; e++)
      if (owner_of(a, &r, r.start[g] + e) == KL_NONE) return false;
  return true;
}

/* ---- accesses ---- */

static LLVMTypeRef element_type(const struct kl_lanes *l, const struct kl_access *a) {
  for (uint32_t k = 1; k < a->n; k++)
    if (a->type[k] != a->type[0]) return LLVMIntTypeInContext(l->e->env->context, (unsigned)(8 * a->size));
  return a->type[0];
}

static unsigned align_of(const struct kl_access *a) {
  const unsigned known = kiln_access_align(a, 0);
  return known < a->size ? known : (unsigned)a->size;
}

static LLVMValueRef register_at(struct kl_lanes *l, const struct kl_access *a, const struct record *r,
                                LLVMValueRef at, uint32_t start) {
  LLVMValueRef offset = LLVMConstInt(l->e->map->i64, (uint64_t)(r->low + (int64_t)(start * a->size)), true);
  return LLVMBuildGEP2(l->e->b, l->e->map->i8, at, &offset, 1, "");
}

/* A register, or what there is of one. */
static LLVMValueRef load_register(struct kl_lanes *l, const struct kl_access *a, const struct record *r,
                                  LLVMTypeRef type, LLVMValueRef at, uint32_t start) {
  const unsigned align = align_of(a);
  at = register_at(l, a, r, at, start);
  if (r->span >= r->each) {
    LLVMValueRef made = LLVMBuildLoad2(l->e->b, type, at, "");
    LLVMSetAlignment(made, align);
    return made;
  }
  LLVMTypeRef types[] = {type, l->e->map->ptr};
  LLVMValueRef on[REGISTER];
  for (uint32_t e = 0; e < r->each; e++) on[e] = LLVMConstInt(l->e->map->i1, e < r->span, false);
  LLVMValueRef args[] = {at, kiln_lanes_number(l, align), LLVMConstVector(on, r->each), LLVMGetPoison(type)};
  return kiln_lanes_intrinsic(l, "llvm.masked.load", types, 2, args, 4);
}

void kiln_record_load(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *at,
                      LLVMValueRef *out) {
  struct record r;
  LLVMValueRef lane[KL_MOST_LANES], part[KL_MOST_COMPONENTS][REGISTER];
  if (!describe(a, &r)) return;
  LLVMTypeRef type = LLVMVectorType(element_type(l, a), r.each);
  for (uint32_t g = 0; g < r.registers; g++) {
    for (unsigned i = 0; i < l->width; i++) lane[i] = load_register(l, a, &r, type, at[i], r.start[g]);
    kiln_lanes_to_components(l, lane, r.each, part[g]);
  }
  for (uint32_t k = 0; k < a->n; k++)
    out[k] = LLVMBuildBitCast(l->e->b, part[r.of[k]][place_of(a, &r, k) - r.start[r.of[k]]],
                              kiln_lanes_type(l, a->type[k]), "");
}

/* Where registers overlap, what both have of a component is the same. */
void kiln_record_store(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *at,
                       const LLVMValueRef *value) {
  struct record r;
  LLVMValueRef lane[KL_MOST_LANES], row[REGISTER], part[REGISTER];
  if (!describe(a, &r)) return;
  LLVMTypeRef type = kiln_lanes_type(l, element_type(l, a));
  for (uint32_t g = 0; g < r.registers; g++) {
    for (uint32_t e = 0; e < r.each; e++)
      part[e] = LLVMBuildBitCast(l->e->b, value[owner_of(a, &r, r.start[g] + e)], type, "");
    if (kiln_packed_rows(l, part, r.each, row)) kiln_rows_to_lanes(l, row, r.each, lane);
    else kiln_components_to_lanes(l, part, r.each, lane);
    for (unsigned i = 0; i < l->width; i++)
      LLVMSetAlignment(LLVMBuildStore(l->e->b, lane[i], register_at(l, a, &r, at[i], r.start[g])),
                       align_of(a));
  }
}
