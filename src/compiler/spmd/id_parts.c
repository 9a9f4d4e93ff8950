/* Finds quotients and remainders of ids; see id_parts.h. */
#include "compiler/spmd/id_parts.h"

#include "compiler/spmd/shape.h"

struct finder {
  struct kl_func *f;
  const struct kiln_spec *spec;
};

/* Ids of a dimension, and one of its queries in the program. */
struct id {
  uint32_t query;
  unsigned dimension; /* below 3 */
};

/* The value before conversions that leave numbers below 2^31 as they are. */
static uint32_t whole(const struct finder *p, uint32_t v) {
  for (;;) {
    const struct kl_inst *inst = &p->f->inst[v];
    const unsigned op = inst->op;
    if (op != LLVMZExt && op != LLVMSExt && op != LLVMFreeze && op != LLVMTrunc) return v;
    if (LLVMGetTypeKind(LLVMTypeOf(inst->v)) != LLVMIntegerTypeKind) return v;
    if (op == LLVMTrunc && LLVMGetIntTypeWidth(LLVMTypeOf(inst->v)) < 32) return v;
    v = kl_operand(p->f, v, 0);
  }
}

static uint32_t whole_operand(const struct finder *p, uint32_t i, uint32_t k) {
  return whole(p, kl_operand(p->f, i, k));
}

static bool asks(const struct finder *p, uint32_t v, unsigned what, struct id *out) {
  if (p->f->inst[v].op != KL_QUERY || p->f->inst[v].sub != what) return false;
  LLVMValueRef d = p->f->inst[kl_operand(p->f, v, 0)].v;
  if (!LLVMIsAConstantInt(d) || LLVMConstIntGetZExtValue(d) > 2) return false;
  *out = (struct id){v, (unsigned)LLVMConstIntGetZExtValue(d)};
  return true;
}

static bool asks_for(const struct finder *p, uint32_t v, unsigned what, unsigned dimension) {
  struct id id;
  return asks(p, v, what, &id) && id.dimension == dimension;
}

/* ---- local sizes ---- */

static bool is_size(const struct finder *p, uint32_t v, unsigned dimension) {
  const uint32_t size = p->spec->local_size[dimension];
  if (p->f->inst[v].op == KL_CONST) return size != 0 && kl_is_number(p->f->inst[v].v, size);
  return (p->spec->uniform && asks_for(p, v, KL_Q_LOCAL_SIZE, dimension)) ||
         asks_for(p, v, KL_Q_ENQUEUED_LOCAL_SIZE, dimension);
}

static bool is_power(uint32_t size) { return size != 0 && (size & (size - 1)) == 0; }

/* Places by which a shift multiplies with the size, or divides by it. */
static bool is_places(const struct finder *p, uint32_t v, unsigned dimension) {
  const uint32_t size = p->spec->local_size[dimension];
  return is_power(size) && kl_is_number(p->f->inst[v].v, (unsigned)__builtin_ctz(size));
}

/* What a remainder by the size can be, as a mask. */
static bool is_mask(const struct finder *p, uint32_t v, unsigned dimension) {
  const uint32_t size = p->spec->local_size[dimension];
  return is_power(size) && kl_is_number(p->f->inst[v].v, size - 1);
}

/* ---- global ids ---- */

/* Of the first work-item of a group. */
static bool is_base(const struct finder *p, uint32_t v, unsigned dimension) {
  const unsigned op = p->f->inst[v].op;
  if (op == LLVMShl)
    return asks_for(p, whole_operand(p, v, 0), KL_Q_GROUP_ID, dimension) &&
           is_places(p, kl_operand(p->f, v, 1), dimension);
  for (uint32_t k = 0; k < 2 && op == LLVMMul; k++)
    if (asks_for(p, whole_operand(p, v, k), KL_Q_GROUP_ID, dimension) &&
        is_size(p, whole_operand(p, v, 1 - k), dimension))
      return true;
  return false;
}

/* v is a global id, counted from the launch's offset: asked for, or put together of the group's and the local
 * one. */
static bool is_global_id(const struct finder *p, uint32_t v, struct id *out) {
  const unsigned op = p->f->inst[v].op;
  if (op == KL_QUERY) return p->spec->offset_zero && asks(p, v, KL_Q_GLOBAL_ID, out);
  if (op == LLVMSub)
    return asks(p, whole_operand(p, v, 0), KL_Q_GLOBAL_ID, out) &&
           asks_for(p, whole_operand(p, v, 1), KL_Q_GLOBAL_OFFSET, out->dimension);
  for (uint32_t k = 0; k < 2 && op == LLVMAdd; k++)
    if (asks(p, whole_operand(p, v, k), KL_Q_LOCAL_ID, out) &&
        is_base(p, whole_operand(p, v, 1 - k), out->dimension))
      return true;
  return false;
}

/* Whether instruction i makes the group's id of a global one, or the local id; *part: which of the queries.
 */
static bool is_part(const struct finder *p, uint32_t i, unsigned dimension, unsigned *part) {
  switch (p->f->inst[i].op) {
  case LLVMUDiv:
  case LLVMSDiv:
    *part = KL_Q_GROUP_ID;
    return is_size(p, whole(p, kiln_shape_divisor(p->f, i)), dimension);
  case LLVMURem:
  case LLVMSRem:
    *part = KL_Q_LOCAL_ID;
    return is_size(p, whole(p, kiln_shape_divisor(p->f, i)), dimension);
  case LLVMLShr:
  case LLVMAShr:
    *part = KL_Q_GROUP_ID;
    return is_places(p, kl_operand(p->f, i, 1), dimension);
  case LLVMAnd:
    *part = KL_Q_LOCAL_ID;
    return is_mask(p, kl_operand(p->f, i, 1), dimension);
  default:
    return false;
  }
}

void kiln_id_parts_find(struct kl_func *f, const struct kiln_spec *spec) {
  const struct finder p = {f, spec};
  struct id id;
  unsigned part;
  if (!spec->small) return; /* conversions to int may change ids, and divide them as negative ones */
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    struct kl_inst *inst = &f->inst[i];
    if (inst->nops != 2 || inst->op < LLVMAdd || inst->op > LLVMXor) continue; /* no arithmetic */
    if (!is_global_id(&p, whole_operand(&p, i, 0), &id) || !is_part(&p, i, id.dimension, &part)) continue;
    inst->op = KL_QUERY;
    inst->sub = (uint16_t)part;
    inst->op0 = f->inst[id.query].op0;
    inst->nops = 1;
  }
}
