/* The functions that a kernel reaches; see program.h. */
#include "compiler/spmd/program.h"

#include <string.h>

static const char *name_of(LLVMValueRef fn) {
  size_t len;
  return LLVMGetValueName2(fn, &len);
}

LLVMTypeRef kiln_alloca_type(struct kl_map *map, LLVMValueRef v) {
  LLVMTypeRef type = kiln_map_type(map, LLVMGetAllocatedType(v));
  LLVMValueRef count = LLVMGetOperand(v, 0);
  if (!LLVMIsAConstantInt(count) || LLVMConstIntGetZExtValue(count) == 1) return type;
  return LLVMArrayType2(type, LLVMConstIntGetZExtValue(count));
}

uint64_t kiln_alloca_size(struct kl_map *map, LLVMValueRef v) {
  LLVMValueRef count = LLVMGetOperand(v, 0);
  if (!LLVMIsAConstantInt(count)) kiln_env_fail(map->env, "a private array has a size that is no constant");
  uint64_t size = kiln_map_size(map, kiln_map_type(map, LLVMGetAllocatedType(v))), bytes;
  if (__builtin_mul_overflow(size, LLVMConstIntGetZExtValue(count), &bytes) || bytes > (uint64_t)1 << 40)
    kiln_env_fail(map->env, "a private array is too large");
  return bytes;
}

uint32_t kiln_alloca_align(struct kl_map *map, LLVMValueRef v) {
  uint32_t given = LLVMGetAlignment(v),
           own = kiln_map_align(map, kiln_map_type(map, LLVMGetAllocatedType(v)));
  return given > own ? given : own;
}

/* ---- variables ---- */

static void note_variables(struct kl_program *p, struct kl_table *local, LLVMValueRef c) {
  if (LLVMIsAGlobalVariable(c)) {
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(c)) == KL_AS_LOCAL) kiln_table_put(p->env, local, c, 1);
    return;
  }
  if (!kiln_map_is_moving(p->map, c)) return;
  for (int i = 0, n = LLVMGetNumOperands(c); i < n; i++)
    note_variables(p, local, LLVMGetOperand(c, (unsigned)i));
}

/* In the order of the module, so that the layout depends on nothing else. */
static void place_locals(struct kl_program *p, const struct kl_table *used) {
  for (LLVMValueRef v = LLVMGetFirstGlobal(p->env->module); v != NULL; v = LLVMGetNextGlobal(v)) {
    if (kiln_table_find(used, v) == NULL) continue;
    LLVMTypeRef type = kiln_map_type(p->map, LLVMGlobalGetValueType(v));
    uint64_t align = LLVMGetAlignment(v), own = kiln_map_align(p->map, type);
    if (align < own) align = own;
    p->local_bytes = (p->local_bytes + align - 1) & ~(align - 1);
    kiln_table_put(p->env, &p->map->local_offset, v, p->local_bytes);
    p->local_bytes += kiln_map_size(p->map, type);
  }
}

/* ---- call graph ---- */

/* Depth-first with a stack of its own; callee[] receives functions when all they call are in it. */
struct visit {
  struct kl_func *f;
  uint32_t next; /* callee to look at */
};

static struct kl_callee finish_callee(struct kl_program *p, struct kl_func *f) {
  struct kl_callee c = {.f = f, .orders_memory = f->orders_memory};
  uint64_t stack = 0;
  for (uint32_t i = 0; i < f->nvalue; i++) {
    unsigned op = f->inst[i].op;
    c.needs_context |= op == KL_QUERY || op == KL_PRINTF || op == KL_SPACE;
    c.needs_context |= op == KL_CONST && kiln_map_is_moving(p->map, f->inst[i].v);
    if (op != LLVMAlloca) continue;
    uint64_t size = kiln_alloca_size(p->map, f->inst[i].v);
    if (stack + size > KL_STACK_BYTES / 4 || f->has_space_test) c.needs_context = true;
    stack += size;
  }
  c.stack_bytes = stack;
  for (uint32_t k = 0; k < f->callees.n; k++) {
    const struct kl_callee *called = kiln_program_callee(p, f->inst[f->callees.at[k]].v);
    c.needs_context |= called->needs_context;
    c.orders_memory |= called->orders_memory;
  }
  if (f->nbarrier != 0)
    kiln_env_fail(p->env, "the function '%s' has a barrier but cannot be inlined", name_of(f->fn));
  return c;
}

struct kl_callee *kiln_program_callee(struct kl_program *p, LLVMValueRef fn) {
  return &p->callee[*kiln_table_find(&p->number, fn)];
}

bool kiln_program_may_loop(const struct kl_program *p) {
  bool loops = kiln_graph_has_cycles(&p->kernel->graph);
  for (uint32_t i = 0; i < p->ncallee; i++) loops |= kiln_graph_has_cycles(&p->callee[i].f->graph);
  return loops;
}

static void read_reached(struct kl_program *p) {
  struct kl_table state = {0}; /* function: 1 open, 2 done */
  uint32_t cap = 1, depth = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(p->env->module); f != NULL; f = LLVMGetNextFunction(f)) cap++;
  struct visit *stack = kl_new(p->env, cap, struct visit);
  p->callee = kl_new(p->env, cap, struct kl_callee);
  stack[depth++] = (struct visit){p->kernel, 0};
  kiln_table_put(p->env, &state, p->kernel->fn, 1);
  while (depth > 0) {
    struct visit *top = &stack[depth - 1];
    if (top->next < top->f->callees.n) {
      LLVMValueRef fn = top->f->inst[top->f->callees.at[top->next++]].v;
      uint64_t *seen = kiln_table_find(&state, fn);
      if (seen != NULL && *seen == 1) kiln_env_fail(p->env, "the function '%s' calls itself", name_of(fn));
      if (seen != NULL) continue;
      kiln_table_put(p->env, &state, fn, 1);
      stack[depth++] = (struct visit){kiln_func_read(p->env, fn), 0};
    } else {
      kiln_table_put(p->env, &state, top->f->fn, 2);
      if (--depth == 0) break;
      kiln_table_put(p->env, &p->number, top->f->fn, p->ncallee);
      p->callee[p->ncallee++] = finish_callee(p, top->f);
    }
  }
}

/* ---- frames ---- */

static uint64_t align_up(uint64_t x, uint64_t align) { return (x + align - 1) & ~(align - 1); }

/* Arrays go to the frame when the function has more of them than a stack should hold. */
static void size_frame(struct kl_program *p, struct kl_callee *c) {
  uint64_t size = 0;
  if (!c->needs_context) return;
  for (uint32_t i = c->f->narg; i < c->f->ninst; i++) {
    if (c->f->inst[i].op != LLVMAlloca) continue;
    size = align_up(size, kiln_alloca_align(p->map, c->f->inst[i].v)) +
           kiln_alloca_size(p->map, c->f->inst[i].v);
  }
  if (size > KL_STACK_BYTES / 4 || c->f->has_space_test) c->frame_size = align_up(size, 128);
}

/* Callers come after their callees in callee[]; a frame begins where the deepest caller's ends. */
static void place_frames(struct kl_program *p) {
  for (uint32_t i = 0; i < p->ncallee; i++) size_frame(p, &p->callee[i]);
  for (uint32_t i = p->ncallee; i-- > 0;) {
    struct kl_callee *c = &p->callee[i];
    uint64_t end = c->frame_at + c->frame_size;
    if (end > p->frame_bytes) p->frame_bytes = end;
    for (uint32_t k = 0; k < c->f->callees.n; k++) {
      struct kl_callee *to = kiln_program_callee(p, c->f->inst[c->f->callees.at[k]].v);
      if (to->frame_at < end) to->frame_at = end;
    }
  }
}

static bool uses_sub_groups(const struct kl_func *f) {
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (f->inst[i].op == KL_SUB_GROUP || (f->inst[i].op == KL_QUERY && f->inst[i].sub >= KL_Q_SUB_GROUP_ID))
      return true;
  return false;
}

static void note_function(struct kl_program *p, struct kl_func *f, struct kl_table *local) {
  p->has_printf |= f->has_printf;
  p->has_space_test |= f->has_space_test;
  p->orders_memory |= f->orders_memory;
  p->has_sub_groups |= uses_sub_groups(f);
  for (uint32_t i = f->ninst; i < f->nvalue; i++) note_variables(p, local, f->inst[i].v);
}

void kiln_program_read(struct kl_program *p, struct kl_env *env, struct kl_map *map, LLVMValueRef kernel) {
  struct kl_table local = {0};
  p->env = env;
  p->map = map;
  p->kernel = kiln_func_read(env, kernel);
  p->lane_functions = kl_new(env, 1, struct kl_lane_function *);
  read_reached(p);
  note_function(p, p->kernel, &local);
  for (uint32_t i = 0; i < p->ncallee; i++) note_function(p, p->callee[i].f, &local);
  place_locals(p, &local);
  place_frames(p);
}
