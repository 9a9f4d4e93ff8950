/* Registers in use; see lane_live.h. Components of OpenCL vectors are followed one by one: each has registers
 * of its own, and taking a vector apart or putting one together only gives them other names. */
#include "compiler/spmd/lane_live.h"

#include "compiler/spmd/lanes.h"

struct live {
  const struct kl_lane_costs *in;
  const struct kl_func *f;
  const struct kl_shapes *shapes;
  const struct kl_mapping *map;
  const struct kiln_loops *loops;
  uint32_t *first; /* by value: its first component in last[]; KL_NONE: it has no vectors */
  uint32_t *last;  /* by component: the instruction after which nothing wants it */
  uint32_t *end;   /* by loop: the end of its last block */
};

uint32_t kiln_lane_registers(const struct kl_lane_costs *in, const struct kl_mapping *map, LLVMTypeRef type) {
  uint64_t bytes = kiln_map_size(in->map, kiln_type_part(type, 0)), whole = 4ull * in->native;
  if (type == in->map->i1) return 1;
  return (uint32_t)((bytes * map->width + whole - 1) / whole);
}

bool kiln_lane_is_free(unsigned op) {
  return op == KL_DROP || op == KL_LIFETIME || op == LLVMExtractElement || op == LLVMInsertElement ||
         op == LLVMShuffleVector || op == LLVMExtractValue || op == LLVMInsertValue || op == LLVMAlloca ||
         op == LLVMAddrSpaceCast || op == LLVMFreeze;
}

static bool is_contracted(LLVMValueRef v) {
  return LLVMCanValueUseFastMathFlags(v) && (LLVMGetFastMathFlags(v) & LLVMFastMathAllowContract) != 0;
}

bool kiln_lane_is_fused(const struct kl_lane_costs *in, uint32_t v) {
  const struct kl_inst *inst = &in->f->inst[v];
  const uint32_t first = in->uses->first[v];
  if (inst->op != LLVMFMul || in->uses->first[v + 1] != first + 1 || in->native != 8) return false;
  const struct kl_inst *sum = &in->f->inst[in->uses->at[first]];
  return (sum->op == LLVMFAdd || sum->op == LLVMFSub) && sum->bb == inst->bb && is_contracted(inst->v) &&
         is_contracted(sum->v);
}

static LLVMTypeRef type_of(const struct live *c, uint32_t v) {
  return kiln_map_type(c->in->map, LLVMTypeOf(c->f->inst[v].v));
}

static uint32_t parts_of(const struct live *c, uint32_t v) { return kiln_type_parts(type_of(c, v)); }

/* ---- what is loaded ---- */

static struct kl_shape address_shape(const struct live *c, uint32_t load) {
  return kiln_shape_checked_at(c->shapes, c->f, kl_operand(c->f, load, 0), c->f->inst[load].bb);
}

/* All rows of lanes find the same in memory. */
static bool is_same_in_rows(const struct live *c, uint32_t v) {
  if (c->map->rows == 1 || c->f->inst[v].op != LLVMLoad) return false;
  struct kl_shape shape = address_shape(c, v);
  return shape.kind == KL_STRIDED && !shape.uneven;
}

static bool takes_memory(unsigned op) {
  return op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMAdd || op == LLVMSub ||
         op == LLVMMul || op == LLVMAnd || op == LLVMOr || op == LLVMXor || op == LLVMCall;
}

enum { NEAR = 64 }; /* instructions: no search is longer */

/* Nothing that may write comes between. */
static bool is_quiet(const struct kl_func *f, uint32_t load, uint32_t user) {
  if (user - load > NEAR) return false;
  for (uint32_t i = load + 1; i < user; i++)
    if (f->inst[i].op == KL_COLLECTIVE || LLVMGetTypeKind(LLVMTypeOf(f->inst[i].v)) == LLVMVoidTypeKind)
      return false;
  return true;
}

/* Only one operation wants what a load brings, and could have it as its operand in memory. */
static bool is_wanted_once(const struct live *c, uint32_t load) {
  const struct kl_uses *uses = c->in->uses;
  const struct kl_inst *inst = &c->f->inst[load];
  if (inst->op != LLVMLoad || uses->first[load + 1] != uses->first[load] + 1) return false;
  const uint32_t user = uses->at[uses->first[load]];
  const uint64_t size = kiln_map_size(c->in->map, type_of(c, load));
  return parts_of(c, load) == 1 && (size == 4 || size == 8) && takes_memory(c->f->inst[user].op) &&
         c->f->inst[user].bb == inst->bb && is_quiet(c->f, load, user);
}

/* It has: neighbours, or one element for all lanes of a row, which takes AVX-512. */
static bool is_operand(const struct live *c, uint32_t load) {
  if (c->in->native < 16 || !is_wanted_once(c, load)) return false;
  const struct kl_shape shape = address_shape(c, load);
  const int64_t size = (int64_t)kiln_map_size(c->in->map, type_of(c, load));
  return shape.kind == KL_STRIDED && (shape.stride == 0 || shape.stride == size);
}

/* One element for all lanes of a row goes to a register of its own just before it is wanted. */
static bool is_brought_by_rows(const struct live *c, uint32_t load) {
  if (!is_wanted_once(c, load)) return false;
  const struct kl_shape shape = address_shape(c, load);
  return shape.kind == KL_STRIDED && shape.stride == 0;
}

/* ---- where values start and end ---- */

static void find_values(struct live *c, const bool *skip) {
  uint32_t n = 0;
  c->first = kl_new(c->in->env, c->f->nvalue, uint32_t);
  for (uint32_t v = 0; v < c->f->nvalue; v++) {
    const struct kl_inst *inst = &c->f->inst[v];
    c->first[v] = KL_NONE;
    if (v < c->f->narg || v >= c->f->ninst || inst->bb == KL_NONE || skip[v]) continue;
    if (LLVMGetTypeKind(LLVMTypeOf(inst->v)) == LLVMVoidTypeKind || c->shapes->of[v].kind != KL_VARYING)
      continue;
    if (is_operand(c, v) || kiln_lane_is_fused(c->in, v)) continue;
    c->first[v] = n;
    n += parts_of(c, v);
  }
  c->last = kl_new(c->in->env, (size_t)n + 1, uint32_t);
  for (uint32_t v = c->f->narg; v < c->f->ninst; v++)
    for (uint32_t k = 0; c->first[v] != KL_NONE && k < parts_of(c, v); k++) c->last[c->first[v] + k] = v;
}

static void find_ends(struct live *c) {
  c->end = kl_new(c->in->env, (size_t)c->loops->count + 1, uint32_t);
  for (uint32_t b = 0; b < c->f->graph.n; b++)
    for (uint32_t l = c->loops->of[b]; l != KL_NONE; l = c->loops->parent[l]) c->end[l] = kl_last_of(c->f, b);
}

/* Wanted until `at` by something in the block: in a loop that v comes from outside of, until the loop's end.
 */
static void want(struct live *c, uint32_t v, uint32_t k, uint32_t block, uint32_t at) {
  uint32_t *last = &c->last[c->first[v] + k];
  for (uint32_t l = c->loops->of[block]; l != KL_NONE; l = c->loops->parent[l])
    if (!kiln_loops_contain(c->loops, l, c->f->inst[v].bb)) at = at > c->end[l] ? at : c->end[l];
  if (at > *last) *last = at;
}

static void want_all(struct live *c, uint32_t v, uint32_t block, uint32_t at) {
  for (uint32_t k = 0; k < parts_of(c, v); k++) want(c, v, k, block, at);
}

/* A phi takes v at the end of the blocks from which it is that value. */
static void want_by_phi(struct live *c, uint32_t v, uint32_t phi) {
  for (uint32_t o = 0; o < c->f->inst[phi].nops; o += 2) {
    uint32_t from = kl_operand(c->f, phi, o + 1);
    if (kl_operand(c->f, phi, o) == v) want_all(c, v, from, kl_last_of(c->f, from));
  }
}

/* ---- names of components ---- */

static bool component(LLVMValueRef number, uint32_t parts, uint32_t *k) {
  if (!LLVMIsAConstantInt(number) || LLVMConstIntGetZExtValue(number) >= parts) return false;
  *k = (uint32_t)LLVMConstIntGetZExtValue(number);
  return true;
}

/* The user is another name for components of its operands; false if it is more than that, or has no vectors.
 */
static bool is_name(const struct live *c, uint32_t user, uint32_t *k) {
  const struct kl_inst *inst = &c->f->inst[user];
  *k = 0;
  if (c->first[user] == KL_NONE) return false;
  if (inst->op == LLVMExtractElement)
    return component(LLVMGetOperand(inst->v, 1), LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(inst->v, 0))),
                     k);
  if (inst->op == LLVMInsertElement) return component(LLVMGetOperand(inst->v, 2), parts_of(c, user), k);
  return inst->op == LLVMShuffleVector;
}

static uint32_t last_of(const struct live *c, uint32_t v, uint32_t k) { return c->last[c->first[v] + k]; }

/* Component `from` of an operand's place in a shuffle's result. */
static void want_shuffled(struct live *c, uint32_t v, uint32_t user, bool second) {
  LLVMValueRef shuffle = c->f->inst[user].v;
  int parts = (int)parts_of(c, v);
  for (uint32_t j = 0; j < parts_of(c, user); j++) {
    int from = LLVMGetMaskValue(shuffle, j) - (second ? parts : 0);
    if (from >= 0 && from < parts) want(c, v, (uint32_t)from, c->f->inst[user].bb, last_of(c, user, j));
  }
}

/* What the user's components are wanted for, v's are wanted for. */
static void want_named(struct live *c, uint32_t v, uint32_t user, uint32_t k) {
  const struct kl_inst *inst = &c->f->inst[user];
  const bool is_first = kl_operand(c->f, user, 0) == v;
  if (inst->op == LLVMExtractElement) {
    want(c, v, k, inst->bb, last_of(c, user, 0));
  } else if (inst->op == LLVMInsertElement) {
    for (uint32_t j = 0; is_first && j < parts_of(c, v); j++)
      if (j != k) want(c, v, j, inst->bb, last_of(c, user, j));
    if (kl_operand(c->f, user, 1) == v) want(c, v, 0, inst->bb, last_of(c, user, k));
  } else {
    if (is_first) want_shuffled(c, v, user, false);
    if (kl_operand(c->f, user, 1) == v) want_shuffled(c, v, user, true);
  }
}

/* Users come later, but for phis of loops, which are no names. */
static void find_last_uses(struct live *c) {
  const struct kl_uses *uses = c->in->uses;
  for (uint32_t v = c->f->ninst; v-- > c->f->narg;) {
    if (c->first[v] == KL_NONE) continue;
    for (uint32_t u = uses->first[v]; u < uses->first[v + 1]; u++) {
      uint32_t user = uses->at[u], k;
      if (u > uses->first[v] && uses->at[u - 1] == user) continue; /* all its operands were looked at */
      if (is_name(c, user, &k)) want_named(c, v, user, k);
      else if (c->f->inst[user].op == LLVMPHI) want_by_phi(c, v, user);
      else want_all(c, v, c->f->inst[user].bb, user);
    }
  }
}

/* ---- the count ---- */

/* The most registers at an instruction. Around the loops that take the time a few may go to memory. */
static void find_most(const struct live *c, const int32_t *change, struct kl_lane_cost *cost) {
  const bool *inner = kiln_loops_innermost(c->loops, &c->in->env->arena);
  int32_t now = 0, most = 0, most_inside = 0;
  for (uint32_t v = c->f->narg; v < c->f->ninst; v++) {
    const uint32_t block = c->f->inst[v].bb, loop = block == KL_NONE ? KL_NONE : c->loops->of[block];
    now += change[v];
    const bool is_inside = c->loops->count == 0 || (loop != KL_NONE && inner[loop]);
    const int32_t felt = is_inside ? now : now * 4 / 5;
    if (felt > most) most = felt;
    if (is_inside && now > most_inside) most_inside = now;
  }
  cost->live = (uint32_t)most;
  cost->live_inside = (uint32_t)most_inside;
}

static uint32_t registers(const struct live *c, uint32_t v) {
  uint32_t n = kiln_lane_registers(c->in, c->map, type_of(c, v));
  if (is_brought_by_rows(c, v)) return 1;
  return is_same_in_rows(c, v) ? (n + c->map->rows - 1) / c->map->rows : n;
}

void kiln_lane_live(const struct kl_lane_costs *in, const struct kl_shapes *shapes,
                    const struct kl_mapping *map, const bool *skip, struct kl_lane_cost *cost) {
  const struct kl_func *f = in->f;
  struct live c = {.in = in, .f = f, .shapes = shapes, .map = map, .loops = &shapes->uniform.loops};
  find_values(&c, skip);
  find_ends(&c);
  find_last_uses(&c);
  int32_t *change = kl_new(in->env, (size_t)f->ninst + 2, int32_t);
  cost->vectors = 0;
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    uint32_t dummy;
    if (c.first[v] == KL_NONE || type_of(&c, v) == in->map->i1) continue; /* masks have their own registers */
    uint32_t parts = parts_of(&c, v), n = registers(&c, v);
    if (!kiln_lane_is_free(f->inst[v].op)) cost->vectors += n * parts;
    if (is_name(&c, v, &dummy)) continue;
    for (uint32_t k = 0; k < parts; k++) {
      change[v] += (int32_t)n;
      change[last_of(&c, v, k)] -= (int32_t)n;
    }
  }
  find_most(&c, change, cost);
}
