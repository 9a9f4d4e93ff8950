/* Tables of what atomics add up to; see tally.h. */
#include "compiler/spmd/tally.h"

#include "compiler/spmd/combine.h"

enum { LOCAL_SPACE = 3 };
enum {
  TABLE_BYTES =
      16 << 10, /* of values, on the stack; as many keys of words are all that the first cache holds */
  MOST_TABLES = 2,
  MOST_DEPTH = 16
};

struct kl_tally {
  LLVMValueRef base; /* of the argument's memory; NULL: no table */
  /* Arrays of so many entries, a power of 2, by the low bits of an element's number; keys: all 32 bits, plus
   * 1; 0: empty. */
  LLVMValueRef keys, values;
  uint64_t entries;
  LLVMValueRef asked, missed; /* how often the call at hand looked for an address, and found another */
  LLVMValueRef closed;        /* bool: it looks no more */
  enum kl_tally_state state;  /* of the code that is emitted */
  LLVMTypeRef type;           /* of a value */
  LLVMAtomicRMWBinOp op;
  uint16_t sub; /* combine.h: how two operands of op become one */
};

/* ---- which arguments ---- */

struct tracer {
  const struct kl_func *f;
  const struct kl_uses *uses;
  LLVMValueRef first; /* of the atomics: the others are like it */
  bool ordered;       /* some are not relaxed */
};

static bool is_like(LLVMValueRef a, LLVMValueRef b) {
  return LLVMTypeOf(a) == LLVMTypeOf(b) && LLVMGetAtomicRMWBinOp(a) == LLVMGetAtomicRMWBinOp(b);
}

static bool is_tallied(struct tracer *t, uint32_t pointer, uint32_t atomic) {
  LLVMValueRef v = t->f->inst[atomic].v;
  uint16_t sub;
  if (kl_operand(t->f, atomic, 0) != pointer || kl_operand(t->f, atomic, 1) == pointer) return false;
  if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || LLVMGetFirstUse(v) != NULL) return false;
  if (LLVMGetVolatile(v) || kiln_atomic_may_rest(v)) return false;
  if (!kiln_atomic_combination(LLVMGetAtomicRMWBinOp(v), &sub)) return false;
  if (t->first == NULL) t->first = v;
  t->ordered |= LLVMGetOrdering(v) != LLVMAtomicOrderingMonotonic;
  return is_like(t->first, v);
}

/* All that is made of the pointer goes into such atomics. */
static bool is_tallied_only(struct tracer *t, uint32_t pointer, unsigned depth) {
  if (depth > MOST_DEPTH) return false;
  for (uint32_t k = t->uses->first[pointer]; k < t->uses->first[pointer + 1]; k++) {
    uint32_t user = t->uses->at[k];
    switch (t->f->inst[user].op) {
    case LLVMGetElementPtr:
    case LLVMAddrSpaceCast:
      if (!is_tallied_only(t, user, depth + 1)) return false;
      break;
    case LLVMAtomicRMW:
      if (!is_tallied(t, pointer, user)) return false;
      break;
    default:
      return false;
    }
  }
  return true;
}

/* The argument that an address of the kernel's own form is made of, or NULL. */
static LLVMValueRef argument_of(LLVMValueRef pointer) {
  for (unsigned depth = 0; depth <= MOST_DEPTH; depth++) {
    if (!LLVMIsAGetElementPtrInst(pointer) && !LLVMIsAAddrSpaceCastInst(pointer)) break;
    pointer = LLVMGetOperand(pointer, 0);
  }
  return LLVMIsAArgument(pointer) ? pointer : NULL;
}

static uint32_t index_of(LLVMValueRef argument) {
  uint32_t i = 0;
  for (LLVMValueRef p = argument; (p = LLVMGetPreviousParam(p)) != NULL;) i++;
  return i;
}

enum form { NONE, RELAXED, ORDERED }; /* of what is done through an argument */

static enum form form_of(const struct kl_func *f, const struct kl_uses *uses, uint32_t argument) {
  struct tracer t = {f, uses, NULL, false};
  if (!is_tallied_only(&t, argument, 0) || t.first == NULL) return NONE;
  return t.ordered ? ORDERED : RELAXED;
}

/* Local memory is one thread's. */
static bool is_shared(LLVMValueRef pointer) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != LOCAL_SPACE;
}

/* By the instruction work-items may learn in which order others did something. */
static bool shows_order(const struct kl_inst *inst, const enum form *form) {
  LLVMValueRef argument;
  switch (inst->op) {
  case LLVMLoad:
  case LLVMStore:
    return !kiln_is_ordinary(inst->v);
  case LLVMAtomicCmpXchg:
    return is_shared(LLVMGetOperand(inst->v, 0));
  case LLVMAtomicRMW:
    argument = argument_of(LLVMGetOperand(inst->v, 0));
    if (form != NULL && argument != NULL && form[index_of(argument)] != NONE) return false;
    if (kiln_atomic_may_rest(inst->v) && LLVMGetFirstUse(inst->v) == NULL) return false;
    return is_shared(LLVMGetOperand(inst->v, 0));
  default:
    return false;
  }
}

/* form: of the kernel's arguments; NULL for other functions. */
static bool shows_order_in(const struct kl_func *f, const enum form *form) {
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (shows_order(&f->inst[i], form)) return true;
  return false;
}

static bool program_shows_order(const struct kl_program *program, const enum form *form) {
  for (uint32_t c = 0; c < program->ncallee; c++)
    if (shows_order_in(program->callee[c].f, NULL)) return true;
  return shows_order_in(program->kernel, form);
}

bool kiln_tally_find(struct kl_env *env, const struct kl_program *program, struct kiln_kernel_info *info) {
  const struct kl_func *kernel = program->kernel;
  enum form *form = kl_new(env, (size_t)info->num_args + 1, enum form);
  struct kl_uses uses;
  unsigned count = 0;
  bool any_ordered = false;
  kiln_uses_find(env, kernel, &uses);
  for (uint32_t i = 0; i < info->num_args; i++) {
    if (info->args[i].kind == KILN_ARG_GLOBAL) form[i] = form_of(kernel, &uses, i);
    any_ordered |= form[i] == ORDERED;
  }
  bool order_shows = any_ordered && program_shows_order(program, form);
  for (uint32_t i = 0; i < info->num_args; i++) {
    bool may = form[i] == RELAXED || (form[i] == ORDERED && !order_shows);
    info->args[i].tallied = may && count < MOST_TABLES;
    count += info->args[i].tallied;
  }
  return count != 0;
}

/* ---- tables ---- */

static LLVMValueRef open_variable(struct kl_emit *e, LLVMTypeRef type) {
  LLVMValueRef variable = LLVMBuildAlloca(e->top, type, "");
  LLVMBuildStore(e->setup, LLVMConstNull(type), variable);
  return variable;
}

static LLVMValueRef advance(struct kl_emit *e, LLVMValueRef count, LLVMValueRef by) {
  LLVMValueRef now = LLVMBuildLoad2(e->b, e->map->i64, count, "");
  now = LLVMBuildAdd(e->b, now, by, "");
  LLVMBuildStore(e->b, now, count);
  return now;
}

static void open_table(struct kl_emit *e, struct kl_tally *table, LLVMValueRef atomic, LLVMValueRef base) {
  table->type = kiln_map_type(e->map, LLVMTypeOf(atomic));
  table->op = LLVMGetAtomicRMWBinOp(atomic);
  kiln_atomic_combination(table->op, &table->sub);
  table->base = base;
  table->entries = TABLE_BYTES / kiln_map_size(e->map, table->type);
  table->keys = LLVMBuildAlloca(e->top, LLVMArrayType2(e->map->i32, table->entries), "tally");
  table->values = LLVMBuildAlloca(e->top, LLVMArrayType2(table->type, table->entries), "tally");
  LLVMSetAlignment(table->keys, 64);
  LLVMSetAlignment(table->values, 64);
  LLVMValueRef zero = LLVMConstNull(e->map->i8), bytes = LLVMConstInt(e->map->i64, 4 * table->entries, false);
  LLVMBuildMemSet(e->setup, table->keys, zero, bytes, 64);
  table->asked = open_variable(e, e->map->i64);
  table->missed = open_variable(e, e->map->i64);
  table->closed = open_variable(e, e->map->i1);
}

void kiln_tally_open(struct kl_emit *e, const struct kiln_kernel_info *info) {
  const struct kl_func *f = e->program->kernel;
  e->tally = kl_new(e->env, (size_t)info->num_args + 1, struct kl_tally);
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    LLVMValueRef argument =
        f->inst[i].op == LLVMAtomicRMW ? argument_of(LLVMGetOperand(f->inst[i].v, 0)) : NULL;
    if (argument == NULL || !info->args[index_of(argument)].tallied) continue;
    const uint32_t index = index_of(argument);
    if (e->tally[index].base == NULL) open_table(e, &e->tally[index], f->inst[i].v, e->fixed[index]);
  }
}

static LLVMValueRef place_in(struct kl_emit *e, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef entry) {
  return LLVMBuildInBoundsGEP2(e->b, type, array, &entry, 1, "");
}

static void add_at_once(struct kl_emit *e, const struct kl_tally *table, LLVMValueRef pointer,
                        LLVMValueRef value) {
  LLVMBuildAtomicRMW(e->b, table->op, pointer, value, LLVMAtomicOrderingMonotonic, false);
}

/* One atomic for the entry, if it is not empty. Leaves the builder after it. */
static void settle(struct kl_emit *e, const struct kl_tally *table, LLVMValueRef key, LLVMValueRef place) {
  LLVMBasicBlockRef some = kiln_emit_new_block(e, "settle"), after = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(e->b, LLVMBuildIsNull(e->b, key, ""), after, some);
  LLVMPositionBuilderAtEnd(e->b, some);
  LLVMValueRef number = LLVMBuildSub(e->b, key, LLVMConstInt(e->map->i32, 1, false), "");
  number = LLVMBuildZExt(e->b, number, e->map->i64, "");
  LLVMValueRef pointer = place_in(e, table->type, table->base, number);
  add_at_once(e, table, pointer, LLVMBuildLoad2(e->b, table->type, place, ""));
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

/* The element of the argument's memory that the pointer points to: 32 bits are enough (core/tally.c). */
static LLVMValueRef number_of(struct kl_emit *e, const struct kl_tally *table, LLVMValueRef pointer) {
  const uint64_t size = kiln_map_size(e->map, table->type);
  LLVMValueRef base = LLVMBuildPtrToInt(e->b, table->base, e->map->i64, "");
  LLVMValueRef at = LLVMBuildSub(e->b, LLVMBuildPtrToInt(e->b, pointer, e->map->i64, ""), base, "");
  return LLVMBuildUDiv(e->b, at, LLVMConstInt(e->map->i64, size, false), "");
}

/* More than `part` of 8 addresses were not there, beyond so many eighths by which the table fills up. */
static LLVMValueRef misses(struct kl_emit *e, LLVMValueRef missed, LLVMValueRef asked, uint64_t part,
                           uint64_t fills) {
  LLVMTypeRef i64 = e->map->i64;
  missed = LLVMBuildMul(e->b, missed, LLVMConstInt(i64, 8, false), "");
  asked = LLVMBuildMul(e->b, asked, LLVMConstInt(i64, part, false), "");
  return LLVMBuildICmp(e->b, LLVMIntUGT, missed,
                       LLVMBuildAdd(e->b, asked, LLVMConstInt(i64, fills, false), ""), "");
}

/* Called where an address was not there. Where most are not, what is there stays, as what comes often came
 * first (returned); where seven of eight are not, the call at hand looks no more. Of the misses of a table
 * that fills at random at most 1.23 entries, and 0.07, are beyond that. */
static LLVMValueRef note_missed(struct kl_emit *e, const struct kl_tally *table) {
  LLVMValueRef asked = LLVMBuildLoad2(e->b, e->map->i64, table->asked, "");
  LLVMValueRef missed = advance(e, table->missed, LLVMConstInt(e->map->i64, 1, false));
  LLVMBuildStore(e->b, misses(e, missed, asked, 7, table->entries / 4), table->closed);
  return misses(e, missed, asked, 4, table->entries * 5 / 4);
}

/* In the entry that the address has. */
static void add_in_table(struct kl_emit *e, const struct kl_tally *table, LLVMValueRef pointer,
                         LLVMValueRef value) {
  LLVMValueRef number = number_of(e, table, pointer);
  LLVMValueRef entry = LLVMBuildAnd(e->b, number, LLVMConstInt(e->map->i64, table->entries - 1, false), "");
  LLVMValueRef key = LLVMBuildTrunc(e->b, number, e->map->i32, "");
  key = LLVMBuildAdd(e->b, key, LLVMConstInt(e->map->i32, 1, false), "");
  LLVMValueRef key_place = place_in(e, e->map->i32, table->keys, entry);
  LLVMValueRef place = place_in(e, table->type, table->values, entry);
  LLVMValueRef there = LLVMBuildLoad2(e->b, e->map->i32, key_place, "");
  LLVMBasicBlockRef found = kiln_emit_new_block(e, "found"), other = kiln_emit_new_block(e, "other"),
                    enter = kiln_emit_new_block(e, "enter"), stay_out = kiln_emit_new_block(e, "stay_out"),
                    after = kiln_emit_new_block(e, "");
  kiln_emit_likely(e, LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, there, key, ""), found, other));
  LLVMPositionBuilderAtEnd(e->b, other);
  LLVMValueRef is_taken = LLVMBuildIsNotNull(e->b, there, "");
  LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, note_missed(e, table), is_taken, ""), stay_out, enter);
  LLVMPositionBuilderAtEnd(e->b, stay_out);
  add_at_once(e, table, pointer, value);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, enter);
  settle(e, table, there, place);
  LLVMBuildStore(e->b, key, key_place);
  LLVMBuildStore(e->b, kiln_combine_identity(table->sub, table->type), place);
  LLVMBuildBr(e->b, found);
  LLVMPositionBuilderAtEnd(e->b, found);
  LLVMValueRef old = LLVMBuildLoad2(e->b, table->type, place, "");
  LLVMBuildStore(e->b, kiln_combine_build(e->b, table->sub, old, value), place);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

static void add(struct kl_emit *e, const struct kl_tally *table, LLVMValueRef pointer, LLVMValueRef value) {
  LLVMBasicBlockRef open = kiln_emit_new_block(e, "open"), closed = kiln_emit_new_block(e, "closed"),
                    after = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(e->b, LLVMBuildLoad2(e->b, e->map->i1, table->closed, ""), closed, open);
  LLVMPositionBuilderAtEnd(e->b, closed);
  add_at_once(e, table, pointer, value);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, open);
  advance(e, table->asked, LLVMConstInt(e->map->i64, 1, false));
  add_in_table(e, table, pointer, value);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

static struct kl_tally *table_of(struct kl_emit *e, LLVMValueRef atomic) {
  if (e->tally == NULL || e->f != e->program->kernel) return NULL;
  LLVMValueRef argument = argument_of(LLVMGetOperand(atomic, 0));
  if (argument == NULL || e->tally[index_of(argument)].base == NULL) return NULL;
  return &e->tally[index_of(argument)];
}

bool kiln_tally_takes(struct kl_emit *e, uint32_t inst) {
  return e->f->inst[inst].op == LLVMAtomicRMW && table_of(e, e->f->inst[inst].v) != NULL;
}

bool kiln_tally_add(struct kl_emit *e, LLVMValueRef atomic, LLVMValueRef address, LLVMValueRef value) {
  const struct kl_tally *table = table_of(e, atomic);
  if (table == NULL) return false;
  switch (table->state) {
  case KL_TALLY_ASKS:
    add(e, table, address, value);
    break;
  case KL_TALLY_OPEN:
    add_in_table(e, table, address, value);
    break;
  case KL_TALLY_CLOSED:
    add_at_once(e, table, address, value);
    break;
  }
  return true;
}

LLVMValueRef kiln_tally_is_closed(struct kl_emit *e, uint32_t inst, LLVMValueRef times) {
  const struct kl_tally *table = table_of(e, e->f->inst[inst].v);
  advance(e, table->asked, times);
  return LLVMBuildLoad2(e->b, e->map->i1, table->closed, "");
}

void kiln_tally_set_state(struct kl_emit *e, uint32_t inst, enum kl_tally_state state) {
  table_of(e, e->f->inst[inst].v)->state = state;
}

static void end_table(struct kl_emit *e, const struct kl_tally *table) {
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), head = kiln_emit_new_block(e, "entry"),
                    after = kiln_emit_new_block(e, "");
  LLVMValueRef zero = LLVMConstNull(e->map->i64);
  LLVMBuildBr(e->b, head);
  LLVMPositionBuilderAtEnd(e->b, head);
  LLVMValueRef entry = LLVMBuildPhi(e->b, e->map->i64, "");
  LLVMAddIncoming(entry, &zero, &from, 1);
  LLVMValueRef key = LLVMBuildLoad2(e->b, e->map->i32, place_in(e, e->map->i32, table->keys, entry), "");
  settle(e, table, key, place_in(e, table->type, table->values, entry));
  LLVMValueRef next = LLVMBuildAdd(e->b, entry, LLVMConstInt(e->map->i64, 1, false), "");
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b);
  LLVMAddIncoming(entry, &next, &latch, 1);
  LLVMValueRef more =
      LLVMBuildICmp(e->b, LLVMIntULT, next, LLVMConstInt(e->map->i64, table->entries, false), "");
  LLVMBuildCondBr(e->b, more, head, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

void kiln_tally_end(struct kl_emit *e) {
  for (uint32_t i = 0; i < e->program->kernel->narg; i++)
    if (e->tally[i].base != NULL) end_table(e, &e->tally[i]);
}
