/* What the exits of loops depend on: a backward walk from the conditions under which loops are left. Only
 * loops that ask others count: what the others read cannot change while they run, as there are no data races.
 */
#include "compiler/spmd/spin.h"

#include "compiler/spmd/map.h"
#include "compiler/spmd/retry_loop.h"

enum { STORES_FOLLOWED = 2 };
enum { UNKNOWN, FREE, ASKS }; /* of a loop: whether something in it asks others that decide on its turns */

struct walk {
  struct kl_program *program;
  const struct kl_func *f;
  const struct kl_uses *uses;
  const struct kiln_loops *loops;
  const struct kiln_tree *postdom;
  struct kl_env *env;
  uint8_t *seen;       /* by value; STORES_FOLLOWED: what is stored in it, too */
  uint8_t *asks;       /* by loop: UNKNOWN where nothing in it asks */
  bool any_asks;       /* some loop does */
  uint8_t *around;     /* by block, for kiln_loop_is_free */
  uint8_t *ways;       /* by block: the branches that decide on it have been followed */
  uint32_t *value;     /* by block: which value of a phi it leads to, or who decides (follow_choice) */
  struct kl_list todo; /* values */
  bool found;          /* a value that other work-items decide on */
};

static bool is_used(struct walk *w, uint32_t v) { return w->uses->first[v] != w->uses->first[v + 1]; }

/* The function with a body that is called, or NULL. */
static LLVMValueRef called_code(const struct kl_inst *inst) {
  if (inst->op != LLVMCall) return NULL;
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(inst->v));
  return fn == NULL || LLVMIsDeclaration(fn) ? NULL : fn;
}

/* An answer in a loop that may depend on when it is asked. */
static bool asks_others(struct walk *w, uint32_t v) {
  const struct kl_inst *inst = &w->f->inst[v];
  if (inst->bb == KL_NONE || w->loops->of[inst->bb] == KL_NONE) return false;
  if (inst->op == LLVMLoad) return !kiln_is_ordinary(inst->v);
  LLVMValueRef fn = called_code(inst);
  if (fn != NULL) return kiln_program_callee(w->program, fn)->orders_memory;
  return (inst->op == LLVMAtomicRMW || inst->op == LLVMAtomicCmpXchg) && is_used(w, v);
}

static void follow(struct walk *w, uint32_t v) {
  if (v >= w->f->ninst || w->seen[v]) return;
  w->seen[v] = 1;
  kiln_list_push(w->env, &w->todo, v);
}

/* The condition of a block's branch. */
static void follow_branch(struct walk *w, uint32_t block) {
  uint32_t last = kl_last_of(w->f, block);
  unsigned op = w->f->inst[last].op;
  if ((op == LLVMBr || op == LLVMSwitch) && w->f->inst[last].nops == 1) follow(w, kl_operand(w->f, last, 0));
}

/* The branch of b decides whether `block` comes next, or comes at all. */
static bool decides_on(const struct walk *w, uint32_t b, uint32_t block) {
  const struct kiln_graph *g = &w->f->graph;
  if (g->succ0[b + 1] - g->succ0[b] < 2 || kiln_tree_above(w->postdom, block, b)) return false;
  for (uint32_t s = g->succ0[b]; s < g->succ0[b + 1]; s++)
    if (kiln_tree_above(w->postdom, block, g->succ[s])) return true;
  return false;
}

/* All branches in loops that decide on a block, and on theirs. */
static void follow_way(struct walk *w, uint32_t block) {
  struct kl_list blocks = {0};
  kiln_list_push(w->env, &blocks, block);
  while (blocks.n > 0) {
    uint32_t to = blocks.at[--blocks.n];
    if (w->ways[to]) continue;
    w->ways[to] = 1;
    for (uint32_t b = 0; b < w->f->graph.n; b++)
      if (w->loops->of[b] != KL_NONE && decides_on(w, b, to)) {
        follow_branch(w, b);
        kiln_list_push(w->env, &blocks, b);
      }
  }
}

static void follow_exits(struct walk *w) {
  const struct kiln_graph *g = &w->f->graph;
  for (uint32_t b = 0; b < g->n; b++) {
    for (uint32_t l = w->loops->of[b]; l != KL_NONE; l = w->loops->parent[l]) {
      if (w->asks[l] != ASKS || !kiln_loops_leave(w->loops, g, l, b)) continue;
      follow_branch(w, b);
      follow_way(w, b);
    }
  }
}

/* ---- which of its values a phi gets ---- */

/* Of ways from a block: a value, or the block that decides on one, counted from nvalue on. */
enum { NO_VALUE = UINT32_MAX };

static uint32_t value_of_edge(const struct walk *w, uint32_t phi, uint32_t from) {
  uint32_t k = 0;
  while (kl_operand(w->f, phi, k + 1) != from) k += 2;
  return kl_operand(w->f, phi, k);
}

/* The branches from which ways lead to different values of the phi, among blocks `first` to `last`: those
 * before it or, where it is of a header, those of the loop. Blocks are in reverse post-order. */
static void follow_choice(struct walk *w, uint32_t phi, uint32_t first, uint32_t last) {
  const struct kiln_graph *g = &w->f->graph;
  uint32_t at = w->f->inst[phi].bb, *value = w->value;
  for (uint32_t b = last + 1; b-- > first;) {
    bool decides = false;
    value[b] = NO_VALUE;
    for (uint32_t s = g->succ0[b]; s < g->succ0[b + 1]; s++) {
      const uint32_t to = g->succ[s];
      if (to != at && (to <= b || to > last)) continue;
      const uint32_t one = to == at ? value_of_edge(w, phi, b) : value[to];
      decides |= value[b] != NO_VALUE && one != NO_VALUE && one != value[b];
      if (one != NO_VALUE) value[b] = one;
    }
    if (!decides) continue;
    value[b] = w->f->nvalue + b;
    if (w->loops->of[b] != KL_NONE) follow_branch(w, b);
  }
}

static uint32_t last_block_of(const struct walk *w, uint32_t loop) {
  uint32_t last = w->f->graph.n - 1;
  while (!kiln_loops_contain(w->loops, loop, last)) last--;
  return last;
}

static void follow_phi(struct walk *w, uint32_t v) {
  const struct kl_inst *inst = &w->f->inst[v];
  const uint32_t loop = w->loops->of[inst->bb];
  for (uint32_t k = 0; k < inst->nops; k += 2) follow(w, kl_operand(w->f, v, k));
  if (inst->bb > 0) follow_choice(w, v, 0, inst->bb - 1);
  if (w->loops->header[loop] == inst->bb) follow_choice(w, v, inst->bb, last_block_of(w, loop));
}

static bool is_intrinsic(const struct kl_inst *inst) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(inst->v));
  return fn != NULL && LLVMGetIntrinsicID(fn) != 0;
}

/* ---- private memory ---- */

/* What a pointer into private memory leads back to. */
static uint32_t origin_of(const struct walk *w, uint32_t pointer) {
  while (pointer < w->f->ninst && w->f->inst[pointer].op == LLVMGetElementPtr)
    pointer = kl_operand(w->f, pointer, 0);
  return pointer;
}

/* The private object that a pointer goes into; KL_NONE where that is not plain to see. */
static uint32_t private_object(const struct walk *w, uint32_t pointer) {
  const uint32_t origin = origin_of(w, pointer);
  return origin < w->f->ninst && w->f->inst[origin].op == LLVMAlloca ? origin : KL_NONE;
}

/* A kernel's argument that is a structure, which stays as it is: a changed one would be a variable. */
static bool reads_argument(const struct walk *w, uint32_t load) {
  return w->f == w->program->kernel && origin_of(w, kl_operand(w->f, load, 0)) < w->f->narg;
}

/* Follows all that is stored in a private object, and the ways to where it is. False if others may store
 * there: the address goes elsewhere. */
static bool follow_stores(struct walk *w, uint32_t pointer) {
  for (uint32_t k = w->uses->first[pointer]; k < w->uses->first[pointer + 1]; k++) {
    uint32_t user = w->uses->at[k];
    const struct kl_inst *inst = &w->f->inst[user];
    if (inst->op == LLVMGetElementPtr) {
      if (!follow_stores(w, user)) return false;
    } else if (inst->op == LLVMStore && kl_operand(w->f, user, 0) != pointer) {
      follow(w, kl_operand(w->f, user, 0));
      follow_way(w, inst->bb);
    } else if (inst->op != LLVMLoad && inst->op != KL_LIFETIME && inst->op != KL_DROP) {
      return false;
    }
  }
  return true;
}

/* What a loop keeps in private memory is its own: a stack of what is still to visit, say. */
static bool reads_private(struct walk *w, uint32_t v) {
  uint32_t object = private_object(w, kl_operand(w->f, v, 0));
  if (object == KL_NONE || w->seen[object] == STORES_FOLLOWED) return object != KL_NONE;
  w->seen[object] = STORES_FOLLOWED;
  return follow_stores(w, object);
}

/* What the loop itself may have stored after an answer. Not in global memory: a loop keeps its state
 * elsewhere, and a flag that others store there must be asked for, not loaded. (Work-items that wait for each
 * other are beyond what OpenCL promises; this is to let most of them get on.) */
static bool reads_memory(const struct walk *w, uint32_t v) {
  const struct kl_inst *inst = &w->f->inst[v];
  if (inst->op == LLVMCall) return !is_intrinsic(inst);
  if (inst->op != LLVMLoad) return false;
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst->v, 0)));
  if (space == KL_AS_PRIVATE) return !reads_argument(w, v);
  return space != KL_AS_CONSTANT && space != KL_AS_GLOBAL;
}

static void visit(struct walk *w, uint32_t v) {
  const struct kl_inst *inst = &w->f->inst[v];
  if (inst->bb == KL_NONE || w->loops->of[inst->bb] == KL_NONE) return;
  w->found |= asks_others(w, v) || (reads_memory(w, v) && !(inst->op == LLVMLoad && reads_private(w, v)));
  if (inst->op == LLVMPHI) follow_phi(w, v);
  else
    for (uint32_t k = 0; k < inst->nops; k++) follow(w, kl_operand(w->f, v, k));
}

/* Marks the loops around v, which asks, unless others do not decide on their turns. */
static void mark_askers(struct walk *w, uint32_t v) {
  for (uint32_t l = w->loops->of[w->f->inst[v].bb]; l != KL_NONE; l = w->loops->parent[l]) {
    if (w->asks[l] == UNKNOWN) w->asks[l] = kiln_loop_is_free(w->f, w->loops, l, w->around) ? FREE : ASKS;
    w->any_asks |= w->asks[l] == ASKS;
  }
}

/* True if any loop asks. */
static bool find_askers(struct walk *w) {
  for (uint32_t v = w->f->narg; v < w->f->ninst; v++)
    if (asks_others(w, v)) mark_askers(w, v);
  return w->any_asks;
}

bool kiln_may_spin(struct kl_program *program, const struct kl_func *f, const struct kl_uses *uses,
                   const struct kiln_loops *loops, const struct kiln_tree *postdom) {
  struct kl_env *env = program->env;
  struct walk w = {.program = program, .f = f, .uses = uses, .loops = loops, .postdom = postdom, .env = env};
  w.asks = kl_new(env, loops->count, uint8_t);
  w.around = kl_new(env, f->graph.n, uint8_t);
  if (!find_askers(&w)) return false;
  w.seen = kl_new(env, f->ninst, uint8_t);
  w.ways = kl_new(env, f->graph.n, uint8_t);
  w.value = kl_new(env, f->graph.n, uint32_t);
  follow_exits(&w);
  for (uint32_t i = 0; i < w.todo.n && !w.found; i++) visit(&w, w.todo.at[i]);
  return w.found;
}

static bool func_may_spin(struct kl_program *program, const struct kl_func *f) {
  if (!kiln_graph_has_cycles(&f->graph)) return false;
  struct kl_env *env = program->env;
  struct kl_uses uses;
  struct kiln_tree dominators, postdominators;
  struct kiln_loops loops;
  kiln_uses_find(env, f, &uses);
  kiln_tree_dominators(&dominators, &f->graph, &env->arena, 0);
  kiln_tree_postdominators(&postdominators, &f->graph, &env->arena);
  kiln_loops_find(&loops, &f->graph, &dominators, &env->arena);
  return loops.irreducible || kiln_may_spin(program, f, &uses, &loops, &postdominators);
}

bool kiln_callees_may_spin(struct kl_program *program) {
  for (uint32_t c = 0; c < program->ncallee; c++) {
    const struct kl_callee *callee = &program->callee[c];
    if (callee->orders_memory && func_may_spin(program, callee->f)) return true;
  }
  return false;
}

bool kiln_program_may_spin(struct kl_program *program) {
  return program->orders_memory &&
         (kiln_callees_may_spin(program) || func_may_spin(program, program->kernel));
}
