/* Finds out which values are kept in the order of memory; see lane_in_rows.h. Must not know how. */
#include "compiler/spmd/lane_in_rows.h"

#include "compiler/elementwise.h"
#include "compiler/permutes.h"
#include "compiler/spmd/map.h"
#include "compiler/value.h"

enum { MOST_COMPONENTS = 16, MOST_ROUNDS = 8, WORD = 4 /* bytes */ };

struct finder {
  const struct kl_func *f;
  const struct kl_shapes *shapes;
  const struct kl_plan *plan;
  struct kl_map *map;
  struct kl_uses uses;
  bool *alike; /* by value: can be had in rows */
  bool *fed;   /* by value: and is made of what was loaded or permuted so, or permuted itself */
  bool *asked; /* by value: something in the loop wants components of it, or of what is made from it */
};

/* ---- what can be had in rows ---- */

static bool is_vector(const struct finder *d, uint32_t v) {
  LLVMTypeRef type = LLVMTypeOf(d->f->inst[v].v);
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return false;
  const unsigned n = LLVMGetVectorSize(type);
  return (n & (n - 1)) == 0 && n <= MOST_COMPONENTS;
}

static bool is_varying(const struct finder *d, uint32_t v) { return d->shapes->of[v].kind == KL_VARYING; }

/* Lanes follow one another without a gap. */
static bool is_row_of(const struct finder *d, uint32_t access) {
  const uint32_t pointer = kl_pointer_of(d->f, access), moved = kl_moved_by(d->f, access);
  LLVMTypeRef type = kiln_map_type(d->map, LLVMTypeOf(d->f->inst[moved].v));
  const struct kl_shape shape = kiln_shape_checked_at(d->shapes, d->f, pointer, d->f->inst[access].bb);
  return shape.kind == KL_STRIDED && d->shapes->unit[pointer] == 0 &&
         shape.stride == (int64_t)kiln_map_size(d->map, LLVMGetElementType(type)) * LLVMGetVectorSize(type);
}

static bool is_header_phi(const struct finder *d, uint32_t v) {
  const struct kiln_loops *loops = &d->shapes->uniform.loops;
  const uint32_t block = d->f->inst[v].bb, loop = loops->of[block];
  return loop != KL_NONE && loops->header[loop] == block;
}

/* All lanes come to it together. */
static bool is_joint_phi(const struct finder *d, uint32_t v) {
  const struct kl_uniform *u = &d->shapes->uniform;
  const uint32_t loop = u->loops.of[d->f->inst[v].bb];
  return !u->mixes[v] && (loop == KL_NONE || !u->loop_diverges[loop]) && d->plan->keep[v] == KL_KEEP_NONE;
}

/* Bytes become wider where they are: rows would be loaded in quarters, which takes as long as shifts and
 * masks. */
static bool is_cast(const struct finder *d, uint32_t v) {
  const struct kl_inst *inst = &d->f->inst[v];
  if (LLVMIsACastInst(inst->v) == NULL || inst->op == LLVMBitCast) return false;
  LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst->v, 0)), to = LLVMTypeOf(inst->v);
  const uint64_t size = kiln_map_size(d->map, kiln_map_type(d->map, kiln_element_type(from)));
  return size >= WORD || size >= kiln_map_size(d->map, kiln_map_type(d->map, kiln_element_type(to)));
}

/* Components in another order, by one instruction: words, and less that is 16 bytes together. */
static bool is_reordering(const struct finder *d, uint32_t v) {
  LLVMTypeRef type = LLVMTypeOf(d->f->inst[v].v);
  const uint64_t size = kiln_map_size(d->map, kiln_map_type(d->map, LLVMGetElementType(type)));
  return LLVMTypeOf(LLVMGetOperand(d->f->inst[v].v, 0)) == type &&
         (size >= WORD || size * LLVMGetVectorSize(type) == KILN_PERMUTED);
}

static bool is_operation(const struct finder *d, uint32_t v) {
  const struct kl_inst *inst = &d->f->inst[v];
  if (inst->op == LLVMShuffleVector) return is_reordering(d, v);
  if (kl_is_division(inst->op)) return LLVMIsConstant(LLVMGetOperand(inst->v, 1));
  if (inst->op == LLVMCall) {
    LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(inst->v));
    return kiln_is_permute(inst->v) || (fn != NULL && kiln_elementwise_find(fn) != NULL);
  }
  return LLVMIsABinaryOperator(inst->v) || is_cast(d, v) || inst->op == LLVMFNeg || inst->op == LLVMFreeze ||
         inst->op == LLVMICmp || inst->op == LLVMFCmp || inst->op == LLVMSelect;
}

static bool starts_alike(const struct finder *d, uint32_t v) {
  const struct kl_inst *inst = &d->f->inst[v];
  if (inst->bb == KL_NONE || !is_vector(d, v) || !is_varying(d, v)) return false;
  if (inst->op == LLVMLoad) return kiln_is_ordinary(inst->v) && is_row_of(d, v);
  return inst->op == LLVMPHI ? is_joint_phi(d, v) : is_operation(d, v);
}

static bool comes_into_loop(const struct finder *d, uint32_t phi, uint32_t k) {
  const struct kiln_loops *loops = &d->shapes->uniform.loops;
  return is_header_phi(d, phi) &&
         !kiln_loops_contain(loops, loops->of[d->f->inst[phi].bb], kl_operand(d->f, phi, k + 1));
}

/* What comes into a loop is put in order before it. */
static bool has_alike_operands(const struct finder *d, uint32_t v) {
  const struct kl_inst *inst = &d->f->inst[v];
  const bool is_phi = inst->op == LLVMPHI;
  if (inst->op == LLVMLoad) return true;
  for (uint32_t k = 0; k < inst->nops; k += is_phi ? 2 : 1) {
    const uint32_t operand = kl_operand(d->f, v, k);
    if ((is_phi && comes_into_loop(d, v, k)) || !is_varying(d, operand)) continue;
    if (!d->alike[operand] || kiln_uniform_is_left(&d->shapes->uniform, d->f, operand, inst->bb))
      return false;
  }
  return true;
}

static void find_alike(struct finder *d) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t v = d->f->narg; v < d->f->ninst; v++) {
      if (!d->alike[v] || has_alike_operands(d, v)) continue;
      d->alike[v] = false;
      changed = true;
    }
  }
}

/* ---- what is worth it ---- */

/* Comes in rows, or is done by one instruction for several lanes only in rows. */
static bool is_source(const struct finder *d, uint32_t v) {
  return d->f->inst[v].op == LLVMLoad || kiln_is_permute(d->f->inst[v].v);
}

static bool is_permuted(const struct finder *d, uint32_t v) {
  for (uint32_t k = d->uses.first[v]; k < d->uses.first[v + 1]; k++)
    if (d->alike[d->uses.at[k]] && kiln_is_permute(d->f->inst[d->uses.at[k]].v)) return true;
  return false;
}

static void find_fed(struct finder *d) {
  bool changed = true;
  for (uint32_t v = d->f->narg; v < d->f->ninst; v++)
    d->fed[v] = d->alike[v] && (is_source(d, v) || is_permuted(d, v));
  while (changed) {
    changed = false;
    for (uint32_t v = d->f->narg; v < d->f->ninst; v++) {
      const bool is_phi = d->f->inst[v].op == LLVMPHI;
      if (!d->alike[v] || d->fed[v]) continue;
      for (uint32_t k = 0; k < d->f->inst[v].nops; k += is_phi ? 2 : 1)
        d->fed[v] |= d->fed[kl_operand(d->f, v, k)] && !(is_phi && comes_into_loop(d, v, k));
      changed |= d->fed[v];
    }
  }
}

static bool is_stored_in_row(const struct finder *d, uint32_t v, uint32_t user) {
  const struct kl_inst *inst = &d->f->inst[user];
  return inst->op == LLVMStore && kl_operand(d->f, user, 0) == v && kiln_is_ordinary(inst->v) &&
         is_row_of(d, user);
}

static bool is_asked(const struct finder *d, uint32_t v) {
  const struct kiln_loops *loops = &d->shapes->uniform.loops;
  const uint32_t loop = loops->of[d->f->inst[v].bb];
  for (uint32_t k = d->uses.first[v]; loop != KL_NONE && k < d->uses.first[v + 1]; k++) {
    const uint32_t user = d->uses.at[k];
    if (!kiln_loops_contain(loops, loop, d->f->inst[user].bb)) continue;
    if (d->alike[user] ? d->asked[user] : !is_stored_in_row(d, v, user)) return true;
  }
  return false;
}

static void find_asked(struct finder *d) {
  bool changed = true;
  for (uint32_t v = d->f->narg; v < d->f->ninst; v++) d->asked[v] = false;
  while (changed) {
    changed = false;
    for (uint32_t v = d->f->ninst; v-- > d->f->narg;) {
      if (!d->alike[v] || d->asked[v] || !is_asked(d, v)) continue;
      changed = d->asked[v] = true;
    }
  }
}

/* Takes out phis that gain nothing; true: there were some. */
static bool drop_idle(struct finder *d) {
  bool dropped = false;
  find_fed(d);
  find_asked(d);
  for (uint32_t v = d->f->narg; v < d->f->ninst; v++) {
    if (!d->alike[v] || d->f->inst[v].op != LLVMPHI || (d->fed[v] && !d->asked[v])) continue;
    d->alike[v] = false;
    dropped = true;
  }
  return dropped;
}

/* ---- all ---- */

static bool has_phis(const struct finder *d) {
  for (uint32_t v = d->f->narg; v < d->f->ninst; v++)
    if (d->alike[v] && d->f->inst[v].op == LLVMPHI) return true;
  return false;
}

static bool has_candidates(struct finder *d) {
  bool phis = false, sources = false;
  for (uint32_t v = d->f->narg; v < d->f->ninst; v++) {
    d->alike[v] = starts_alike(d, v);
    phis |= d->alike[v] && d->f->inst[v].op == LLVMPHI;
    sources |= d->alike[v] && is_source(d, v);
  }
  return phis && sources;
}

bool *kiln_in_rows_find(struct kl_env *env, const struct kl_func *f, const struct kl_shapes *shapes,
                        const struct kl_plan *plan, struct kl_map *map) {
  struct finder d = {.f = f, .shapes = shapes, .plan = plan, .map = map};
  if (shapes->map.rows > 1 || shapes->map.linear) return NULL;
  d.alike = kl_new(env, f->nvalue, bool);
  if (!has_candidates(&d)) return NULL;
  d.fed = kl_new(env, f->nvalue, bool);
  d.asked = kl_new(env, f->nvalue, bool);
  kiln_uses_find(env, f, &d.uses);
  unsigned round = 0;
  do find_alike(&d);
  while (drop_idle(&d) && ++round < MOST_ROUNDS);
  return round < MOST_ROUNDS && has_phis(&d) ? d.alike : NULL;
}
