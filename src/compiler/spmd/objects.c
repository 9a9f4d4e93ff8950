/* Private objects: what happens to the memory behind an alloca. */
#include "compiler/spmd/regions.h"
#include "compiler/value.h"

#include <string.h>

struct tracer {
  struct kl_plan_job *job;
  struct kl_table seen;  /* instruction numbers + 1, as keys */
  struct kl_list work;   /* pointers into the object */
  struct kl_list access; /* instructions that read or write it */
  bool escapes;
};

static void follow(struct tracer *t, uint32_t pointer) {
  const void *key = (const void *)(uintptr_t)(pointer + 1);
  if (kiln_table_find(&t->seen, key) != NULL) return;
  kiln_table_put(t->job->env, &t->seen, key, 1);
  kiln_list_push(t->job->env, &t->work, pointer);
}

static bool is_intrinsic(LLVMValueRef call, const char *prefix) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(call));
  return fn != NULL && kiln_name_begins(fn, prefix);
}

static void trace_call(struct tracer *t, uint32_t user) {
  const struct kl_func *f = t->job->f;
  LLVMValueRef call = f->inst[user].v;
  bool copy = is_intrinsic(call, "llvm.memcpy.") || is_intrinsic(call, "llvm.memmove.");
  if (!copy && !is_intrinsic(call, "llvm.memset.")) t->escapes = true;
}

static void trace_use(struct tracer *t, uint32_t pointer, uint32_t user) {
  const struct kl_func *f = t->job->f;
  kiln_list_push(t->job->env, &t->access, user);
  switch (f->inst[user].op) {
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMFreeze:
    follow(t, user);
    break;
  case LLVMLoad:
  case LLVMICmp:
  case KL_LIFETIME:
    break;
  case LLVMStore:
    t->escapes |= kl_operand(f, user, 0) == pointer;
    break;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    for (uint32_t k = 1; k < f->inst[user].nops; k++) t->escapes |= kl_operand(f, user, k) == pointer;
    break;
  case LLVMCall:
    trace_call(t, user);
    break;
  default:
    t->escapes = true;
  }
}

static void trace(struct tracer *t, uint32_t value) {
  follow(t, value);
  while (t->work.n > 0) {
    uint32_t p = t->work.at[--t->work.n];
    for (uint32_t k = t->job->uses.first[p]; k < t->job->uses.first[p + 1]; k++)
      trace_use(t, p, t->job->uses.at[k]);
  }
}

/* Walks back from the accesses; the contents before a lifetime's start are never read. */
struct span {
  struct kl_plan_job *job;
  uint8_t *kind; /* by block: 1 the first access starts the lifetime, 2 it is another one */
  bool *live;    /* by block: contents are wanted at its start */
  uint32_t *stack, depth;
};

static bool starts_lifetime(const struct kl_inst *inst) { return inst->op == KL_LIFETIME && inst->sub == 1; }

static void note_first_access(struct span *s, const struct tracer *t) {
  const struct kl_func *f = s->job->f;
  uint32_t *first = kl_new(s->job->env, f->graph.n, uint32_t);
  for (uint32_t k = 0; k < t->access.n; k++) {
    uint32_t i = t->access.at[k], b = f->inst[i].bb;
    if (f->inst[i].op == KL_LIFETIME && f->inst[i].sub == 0) continue;
    if (first[b] != 0 && first[b] <= i) continue;
    first[b] = i;
    s->kind[b] = starts_lifetime(&f->inst[i]) ? 1 : 2;
  }
}

static void want_contents(struct span *s, uint32_t block) {
  if (s->live[block]) return;
  s->live[block] = true;
  s->stack[s->depth++] = block;
}

bool kiln_object_outlives(struct kl_plan_job *job, uint32_t value) {
  const struct kl_func *f = job->f;
  struct tracer t = {.job = job};
  trace(&t, value);
  if (t.escapes) return true;
  struct span s = {job, kl_new(job->env, f->graph.n, uint8_t), kl_new(job->env, f->graph.n, bool),
                   kl_new(job->env, f->graph.n, uint32_t), 0};
  note_first_access(&s, &t);
  for (uint32_t b = 0; b < f->graph.n; b++)
    if (s.kind[b] == 2) want_contents(&s, b);
  while (s.depth > 0) {
    uint32_t b = s.stack[--s.depth];
    if (job->region_at[b] != KL_NONE && job->region_at[b] != 0) return true;
    for (uint32_t k = f->graph.pred0[b]; k < f->graph.pred0[b + 1]; k++)
      if (s.kind[f->graph.pred[k]] != 1) want_contents(&s, f->graph.pred[k]);
  }
  return false;
}
