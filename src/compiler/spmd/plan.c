/* Puts the plan together; see plan.h. Owns the choice of places for private arrays and of keeps for values.
 */
#include "compiler/spmd/plan.h"

#include "compiler/spmd/regions.h"
#include "compiler/spmd/slots.h"

/* ---- byval arguments ---- */

static LLVMAttributeRef byval_attribute(LLVMValueRef fn, uint32_t arg) {
  unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
  return LLVMGetEnumAttributeAtIndex(fn, arg + 1, kind);
}

bool kiln_is_byval(LLVMValueRef fn, uint32_t arg) { return byval_attribute(fn, arg) != NULL; }

LLVMTypeRef kiln_byval_type(struct kl_map *map, LLVMValueRef fn, uint32_t arg) {
  return kiln_map_type(map, LLVMGetTypeAttributeValue(byval_attribute(fn, arg)));
}

/* ---- private objects ---- */

struct object {
  uint32_t value;
  uint64_t size;
  uint32_t align;
};

static struct object object_at(struct kl_plan_job *job, uint32_t v) {
  LLVMValueRef object = job->f->inst[v].v;
  return (struct object){v, kiln_alloca_size(job->map, object), kiln_alloca_align(job->map, object)};
}

/* Arrays that do not outlive a region share one place for all work-items: on the stack while there are few.
 */
static void place_objects(struct kl_plan_job *job) {
  struct kl_plan *plan = job->plan;
  for (uint32_t v = job->f->narg; v < job->f->ninst; v++) {
    if (job->f->inst[v].op != LLVMAlloca) continue;
    struct object o = object_at(job, v);
    if (job->program->kernel->nbarrier != 0 && kiln_object_outlives(job, v)) {
      plan->place[v] = KL_PLACE_ITEM;
      plan->slot[v] = kiln_slot_add(job, o.size, o.align);
      plan->slots[plan->slot[v]].is_object = true;
    } else if (job->program->has_space_test || plan->stack_bytes + o.size > KL_STACK_BYTES) {
      plan->place[v] = KL_PLACE_SHARED;
      plan->shared_bytes = (plan->shared_bytes + o.align - 1) & ~(uint64_t)(o.align - 1);
      plan->shared_at[v] = plan->shared_bytes;
      plan->shared_bytes += (o.size + o.align - 1) & ~(uint64_t)(o.align - 1); /* as far as a lane's copy */
      if (plan->shared_align < o.align) plan->shared_align = o.align;
    } else {
      plan->place[v] = KL_PLACE_STACK;
      plan->stack_bytes += o.size;
    }
  }
}

/* ---- values ---- */

/* Longest chain computed again instead of kept: loads and stores it saves cost about as much. Sums of ids are
 * the same for a vector as for one work-item, and memory at them is wide accesses as long as they are known
 * to be sums: a kept one is an address for each lane. */
enum { KL_AGAIN_COST = 6, KL_AGAIN_SUM_COST = 20 };

/* Divisions by constants: a few operations. */
static bool is_quotient(const struct kl_func *f, uint32_t v) {
  return kl_is_division(f->inst[v].op) && LLVMIsAConstantInt(f->inst[kl_operand(f, v, 1)].v) != NULL;
}

static bool is_cheap(const struct kl_inst *inst) {
  switch (inst->op) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMGetElementPtr:
  case LLVMAddrSpaceCast:
  case LLVMBitCast:
  case LLVMICmp:
  case LLVMSelect:
  case KL_QUERY:
    return true;
  default:
    return false;
  }
}

/* Not computed by work-items. */
static bool is_given(const struct kl_plan_job *job, uint32_t v) {
  return v < job->f->narg || v >= job->f->ninst || kiln_is_group_value(job, v);
}

/* Of ids times what a group shares, and of high and low bits of such: places in tiles. sum: by value, of
 * those before. */
static bool is_sum(const struct kl_plan_job *job, const bool *sum, uint32_t v) {
  const struct kl_inst *inst = &job->f->inst[v];
  uint32_t terms = 0;
  for (uint32_t k = 0; k < inst->nops; k++) {
    uint32_t o = kl_operand(job->f, v, k);
    if (is_given(job, o)) continue;
    if (!sum[o]) return false;
    terms++;
  }
  switch (inst->op) {
  case LLVMMul:
  case LLVMShl:
    return terms < 2 && (inst->op == LLVMMul || is_given(job, kl_operand(job->f, v, 1)));
  case LLVMAnd:
  case LLVMLShr:
  case LLVMAShr:
    return LLVMIsAConstantInt(job->f->inst[kl_operand(job->f, v, 1)].v) != NULL;
  case LLVMAdd:
  case LLVMSub:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMGetElementPtr:
  case LLVMAddrSpaceCast:
  case KL_QUERY:
    return true;
  default:
    return is_quotient(job->f, v);
  }
}

/* Cost of computing v again at the start of a region; KL_NONE if it cannot be. */
static uint32_t again_cost(struct kl_plan_job *job, const uint32_t *cost, uint32_t v, uint32_t most) {
  const struct kl_inst *inst = &job->f->inst[v];
  if (inst->op == LLVMAlloca) return job->plan->place[v] == KL_PLACE_ITEM ? 1 : 0;
  if (!is_cheap(inst) && !is_quotient(job->f, v)) return KL_NONE;
  uint32_t total = 1;
  for (uint32_t k = 0; k < inst->nops; k++) {
    uint32_t o = kl_operand(job->f, v, k);
    if (is_given(job, o)) continue;
    if (cost[o] == KL_NONE || total + cost[o] > most) return KL_NONE;
    total += cost[o];
  }
  return total;
}

static void choose_keeps(struct kl_plan_job *job) {
  const struct kl_func *f = job->f;
  uint32_t *cost = kl_new(job->env, f->ninst, uint32_t);
  bool *sum = kl_new(job->env, f->ninst, bool);
  job->again = kl_new(job->env, f->ninst, bool);
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    sum[v] = is_sum(job, sum, v);
    cost[v] = again_cost(job, cost, v, sum[v] ? KL_AGAIN_SUM_COST : KL_AGAIN_COST);
    job->again[v] = cost[v] != KL_NONE && (f->inst[v].op == LLVMAlloca || !kiln_is_group_value(job, v));
  }
  kiln_regions_liveness(job);
  bool *kept = kl_new(job->env, f->ninst, bool);
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    if (!job->crosses[v]) continue;
    if (job->again[v]) job->plan->keep[v] = KL_KEEP_AGAIN;
    else if (kiln_is_group_value(job, v)) job->plan->keep[v] = KL_KEEP_GROUP;
    else kept[v] = true;
  }
  kiln_slots_deal(job, kept);
}

bool kiln_is_group_value(const struct kl_plan_job *job, uint32_t v) {
  return !job->uniform.varying[v] && !job->uniform.leaves[v];
}

static void start_plan(struct kl_plan *plan, struct kl_plan_job *job) {
  const struct kl_func *f = job->f;
  plan->keep = kl_new(job->env, f->nvalue, uint8_t);
  plan->place = kl_new(job->env, f->nvalue, uint8_t);
  plan->slot = kl_new(job->env, f->nvalue, uint32_t);
  plan->slots = kl_new(job->env, (size_t)f->ninst + 1, struct kl_context_slot);
  plan->shared_at = kl_new(job->env, f->nvalue, uint64_t);
}

void kiln_plan_make(struct kl_plan *plan, struct kl_env *env, struct kl_program *program) {
  struct kl_plan_job job = {
      .env = env, .map = program->map, .program = program, .f = program->kernel, .plan = plan};
  kiln_uses_find(env, job.f, &job.uses);
  start_plan(plan, &job);
  if (job.f->nbarrier != 0)
    kiln_uniform_find(&job.uniform, env, program, &job.uses, NULL, NULL, KL_LEVEL_GROUP);
  kiln_regions_find(&job);
  place_objects(&job);
  if (job.f->nbarrier != 0) choose_keeps(&job);
  if (job.f->nbarrier != 0 && kiln_regions_exit_early(&job)) {
    plan->exits_early = true;
    plan->exit_slot = kiln_slot_add(&job, 1, 1);
  }
}

bool kiln_region_has(const struct kl_region *region, uint32_t block) {
  uint32_t low = 0, high = region->nblock;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (region->block[middle] == block) return true;
    if (region->block[middle] < block) low = middle + 1;
    else high = middle;
  }
  return false;
}

uint64_t kiln_plan_bound(const struct kl_plan *plan, const struct kl_program *program) {
  uint64_t bytes = program->frame_bytes + plan->shared_bytes,
           align = plan->shared_align > 128 ? plan->shared_align : 128;
  for (uint32_t i = 0; i < plan->nslot; i++) {
    uint32_t pad = plan->slots[i].align > 64 ? plan->slots[i].align : 64;
    bytes += plan->slots[i].size + pad;
    if (align < pad) align = pad;
  }
  return bytes == 0 ? 0 : bytes + 2 * align;
}
