/* Takes addresses apart; see address.h. */
#include "compiler/spmd/address.h"

enum { MOST_DEPTH = 8 };

static void add_term(struct kl_address *p, uint32_t value, enum kl_widening widening, int64_t scale) {
  for (uint32_t k = 0; k < p->n; k++)
    if (p->term[k].value == value && p->term[k].widening == widening) {
      p->term[k].scale += scale;
      return;
    }
  if (p->n == KL_MOST_TERMS) {
    p->ok = false;
    return;
  }
  p->term[p->n].value = value;
  p->term[p->n].widening = widening;
  p->term[p->n++].scale = scale;
}

static bool is_constant(const struct kl_func *f, uint32_t v, enum kl_widening widening, int64_t *x) {
  LLVMValueRef c = f->inst[v].v;
  if (f->inst[v].op != KL_CONST || !LLVMIsAConstantInt(c) || LLVMGetIntTypeWidth(LLVMTypeOf(c)) > 64)
    return false;
  *x = widening == KL_UNSIGNED ? (int64_t)LLVMConstIntGetZExtValue(c) : LLVMConstIntGetSExtValue(c);
  return true;
}

/* The operation on narrow numbers gives what it would on wide ones. */
static bool holds_wide(LLVMValueRef v, enum kl_widening widening) {
  return widening == KL_AS_IT_IS || (widening == KL_SIGNED ? LLVMGetNSW(v) : LLVMGetNUW(v));
}

static bool is_moderate(int64_t x) { return x > -((int64_t)1 << 40) && x < (int64_t)1 << 40; }

static void add_index(struct kl_address *p, const struct kl_func *f, uint32_t v, enum kl_widening widening,
                      int64_t scale, unsigned depth);

static bool add_scaled(struct kl_address *p, const struct kl_func *f, uint32_t v, enum kl_widening widening,
                       int64_t scale, unsigned depth) {
  int64_t factor;
  uint32_t k = f->inst[v].op == LLVMMul && is_constant(f, kl_operand(f, v, 0), widening, &factor) ? 0 : 1;
  if (!holds_wide(f->inst[v].v, widening) || !is_constant(f, kl_operand(f, v, k), widening, &factor))
    return false;
  if (f->inst[v].op == LLVMShl) {
    if (factor < 0 || factor > 30) return false;
    factor = (int64_t)1 << factor;
  }
  if (factor <= -((int64_t)1 << 20) || factor >= (int64_t)1 << 20 || !is_moderate(scale * factor))
    return false;
  add_index(p, f, kl_operand(f, v, 1 - k), widening, scale * factor, depth + 1);
  return true;
}

static bool add_sum(struct kl_address *p, const struct kl_func *f, uint32_t v, enum kl_widening widening,
                    int64_t scale, unsigned depth) {
  const struct kl_inst *inst = &f->inst[v];
  if (inst->op == LLVMOr ? !LLVMGetIsDisjoint(inst->v) : !holds_wide(inst->v, widening)) return false;
  add_index(p, f, kl_operand(f, v, 0), widening, scale, depth + 1);
  add_index(p, f, kl_operand(f, v, 1), widening, inst->op == LLVMSub ? -scale : scale, depth + 1);
  return true;
}

static bool add_parts(struct kl_address *p, const struct kl_func *f, uint32_t v, enum kl_widening widening,
                      int64_t scale, unsigned depth) {
  switch (f->inst[v].op) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMOr:
    return add_sum(p, f, v, widening, scale, depth);
  case LLVMMul:
  case LLVMShl:
    return add_scaled(p, f, v, widening, scale, depth);
  case LLVMSExt:
  case LLVMZExt:
    if (widening != KL_AS_IT_IS) return false;
    add_index(p, f, kl_operand(f, v, 0), f->inst[v].op == LLVMSExt ? KL_SIGNED : KL_UNSIGNED, scale,
              depth + 1);
    return true;
  default:
    return false;
  }
}

/* Adds v, widened to 64 bits and scaled. */
static void add_index(struct kl_address *p, const struct kl_func *f, uint32_t v, enum kl_widening widening,
                      int64_t scale, unsigned depth) {
  int64_t x;
  if (is_constant(f, v, widening, &x) && is_moderate(x) && is_moderate(scale)) {
    p->offset += x * scale;
    p->ok &= x > -((int64_t)1 << 31) && x < (int64_t)1 << 31 && is_moderate(p->offset);
  } else if (depth >= MOST_DEPTH || !add_parts(p, f, v, widening, scale, depth)) {
    add_term(p, v, widening, scale);
  }
}

static void add_indices(struct kl_address *p, struct kl_map *map, const struct kl_func *f, uint32_t gep) {
  LLVMTypeRef type = kiln_map_type(map, LLVMGetGEPSourceElementType(f->inst[gep].v));
  for (uint32_t k = 1; k < f->inst[gep].nops && p->ok; k++) {
    uint32_t v = kl_operand(f, gep, k);
    int64_t x;
    if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      p->ok = is_constant(f, v, KL_SIGNED, &x);
      if (!p->ok) return;
      p->offset += (int64_t)LLVMOffsetOfElement(map->env->layout, type, (unsigned)x);
      type = LLVMStructGetTypeAtIndex(type, (unsigned)x);
      continue;
    }
    if (k > 1) type = LLVMGetElementType(type);
    bool narrow = LLVMGetIntTypeWidth(LLVMTypeOf(f->inst[v].v)) < 64;
    add_index(p, f, v, narrow ? KL_SIGNED : KL_AS_IT_IS, (int64_t)kiln_map_size(map, type), 0);
  }
}

struct kl_address kiln_address_find(struct kl_map *map, const struct kl_func *f, uint32_t pointer) {
  struct kl_address p = {.root = pointer, .ok = true};
  for (unsigned depth = 0; depth < MOST_DEPTH && p.ok; depth++) {
    const struct kl_inst *inst = &f->inst[p.root];
    if (inst->op != LLVMGetElementPtr && inst->op != LLVMAddrSpaceCast) break;
    if (inst->op == LLVMGetElementPtr) add_indices(&p, map, f, p.root);
    p.root = kl_operand(f, p.root, 0);
  }
  return p;
}

static bool has_term(const struct kl_address *p, const struct kl_address *q, uint32_t k) {
  for (uint32_t j = 0; j < q->n; j++)
    if (p->term[k].value == q->term[j].value && p->term[k].widening == q->term[j].widening)
      return p->term[k].scale == q->term[j].scale;
  return p->term[k].scale == 0;
}

bool kiln_addresses_differ_by_constant(const struct kl_address *p, const struct kl_address *q) {
  if (!p->ok || !q->ok || p->root != q->root) return false;
  for (uint32_t k = 0; k < p->n; k++)
    if (!has_term(p, q, k)) return false;
  for (uint32_t k = 0; k < q->n; k++)
    if (!has_term(q, p, k)) return false;
  return true;
}
