/* Loads and stores of a vector of work-items: which form each takes. Inactive lanes touch nothing. */
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/lane_jumps.h"
#include "compiler/spmd/lane_private.h"
#include "compiler/spmd/lane_turned.h"
#include "compiler/spmd/stream.h"
#include "compiler/value.h"

#include <string.h>

/* ---- rows ---- */

LLVMValueRef kiln_lanes_load_row(struct kl_lanes *l, LLVMTypeRef part, LLVMValueRef base, unsigned align,
                                 LLVMValueRef mask) {
  LLVMTypeRef type = kiln_lanes_type(l, part);
  if (kiln_lanes_is_full(mask)) {
    LLVMValueRef made = LLVMBuildLoad2(l->e->b, type, base, "");
    LLVMSetAlignment(made, align);
    return made;
  }
  LLVMTypeRef types[] = {type, l->e->map->ptr};
  LLVMValueRef args[] = {base, kiln_lanes_number(l, align), mask, LLVMGetPoison(type)};
  return kiln_lanes_intrinsic(l, "llvm.masked.load", types, 2, args, 4);
}

void kiln_lanes_store_row(struct kl_lanes *l, LLVMValueRef value, LLVMValueRef base, unsigned align,
                          LLVMValueRef mask) {
  if (kiln_lanes_is_full(mask)) {
    LLVMSetAlignment(LLVMBuildStore(l->e->b, value, base), align);
    return;
  }
  LLVMTypeRef types[] = {LLVMTypeOf(value), l->e->map->ptr};
  LLVMValueRef args[] = {value, base, kiln_lanes_number(l, align), mask};
  kiln_lanes_intrinsic(l, "llvm.masked.store", types, 2, args, 4);
}

/* ---- what is accessed ---- */

LLVMTypeRef kiln_access_type(struct kl_map *map, const struct kl_func *f, uint32_t i) {
  return kiln_map_type(map, LLVMTypeOf(f->inst[kl_moved_by(f, i)].v));
}

static void add_components(struct kl_lanes *l, struct kl_access *a, uint32_t inst, int64_t offset) {
  LLVMTypeRef type = kiln_access_type(l->e->map, l->e->f, inst);
  uint64_t distance = a->by_lane ? a->size * l->width : a->size;
  for (uint32_t k = 0; k < kiln_type_parts(type); k++) {
    a->type[a->n] = kiln_type_part(type, k);
    a->inst[a->n] = inst;
    a->offset[a->n++] = offset + (int64_t)(k * distance);
  }
}

static struct kl_access describe(struct kl_lanes *l, uint32_t i) {
  const struct kl_func *f = l->e->f;
  struct kl_access a = {.pointer = kl_pointer_of(f, i), .align = LLVMGetAlignment(f->inst[i].v)};
  a.size = kiln_map_size(l->e->map, kiln_type_part(kiln_access_type(l->e->map, f, i), 0));
  a.shape = kiln_lanes_shape(l, a.pointer);
  if (a.shape.kind == KL_STRIDED && l->map->rows > 1) a.shape.kind = KL_VARYING; /* see lane_tile.c */
  if (a.shape.kind != KL_VARYING) a.base = kiln_emit_operand(l->e, a.pointer);
  a.by_lane = l->shapes->unit[a.pointer] != 0;
  a.streams = kiln_stream_is(l->e, a.pointer);
  add_components(l, &a, i, 0);
  return a;
}

/* ---- forms ---- */

/* How the lanes' addresses lie as long as a condition holds: that of their checks, and that all lanes are on.
 */
struct plan {
  struct kl_access as;
  LLVMValueRef condition; /* NULL: always */
  bool found;             /* something better than one address per lane */
  bool far;               /* one address per lane, which lie at one distance */
  bool early;             /* the condition is tested where the copy for all lanes on begins */
};

/* While the condition holds, lanes' addresses are those of `as`. */
static bool follows(const struct plan *p) { return p->found || p->far; }

static void demand(struct kl_lanes *l, struct plan *p, LLVMValueRef condition) {
  p->condition = p->condition == NULL ? condition : LLVMBuildAnd(l->e->b, p->condition, condition, "");
}

/* Rows with lanes off are worth it: much of them is used, and the processor has instructions for them, or
 * there is little to do without. */
static bool takes_masks(const struct kl_lanes *l, const struct kl_access *a) {
  const bool has = kiln_lanes_has_masked_rows(a->size, l->e->program->native);
  if (a->by_lane || a->shape.kind == KL_UNIFORM) return true;
  if (a->shape.alike != 0 || kiln_access_is_wide(a)) return false;
  return kiln_access_is_dense(a) && (has || a->n * l->width <= KL_AS_SHORT);
}

/* Neighbours each of which fills registers, where there is no good form for all of them. */
static bool is_better_alone(struct kl_lanes *l, const struct kl_access *alone,
                            const struct kl_access *together) {
  struct kl_access one = *alone, all = *together;
  if (one.shape.kind == KL_VARYING && kiln_lanes_has_check(l, one.pointer))
    one.shape = all.shape = kiln_lanes_checked_shape(l, one.pointer);
  return kiln_access_is_wide(&one) && !kiln_access_halves(&all) && !kiln_access_is_compact(&all);
}

/* One form is shorter than two, unless it is a long one. */
static void drop_condition(struct plan *p, const struct kl_access *a) { *p = (struct plan){.as = *a}; }

/* Whether the way for lanes that follow no pattern is. Not so where the slow way is taken again and again, as
 * in the short steps of a butterfly. */
static bool is_rare(struct kl_lanes *l, const struct kl_access *a) {
  return !kiln_jumps_find(l->e->f, l->shapes, a->pointer).is_segmented;
}

/* Too far for rows; with each lane's address computed it would go lane by lane, too. */
static bool is_far(const struct kl_access *a) {
  return a->shape.kind == KL_STRIDED && a->shape.alike == 0 && kiln_access_pitch(a) == 0;
}

/* Where lanes part, some are off as often as not. */
static bool parts_records(const struct kl_access *a, const struct kl_access *as, LLVMValueRef mask) {
  return !kiln_lanes_is_full(mask) && kiln_access_is_wide(as) && kiln_record_registers(a) != 0;
}

/* The form for all lanes on only needs no addresses taken out of a vector: records are there up to 1.5 times
 * as soon, with twice the code. A few have it. */
static bool is_one_enough(const struct kl_lanes *l, const struct kl_access *a, const struct kl_access *as,
                          LLVMValueRef mask) {
  return (l->called || 2 * l->elements >= l->most_elements) && parts_records(a, as, mask);
}

static struct plan make_plan(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask) {
  struct plan p = {.as = *a};
  if (a->shape.kind == KL_VARYING && kiln_lanes_has_check(l, a->pointer)) {
    p.as.shape = kiln_lanes_checked_shape(l, a->pointer);
    p.as.base = l->e->value[a->pointer];
    p.condition = l->ok[a->pointer];
    if (p.condition != NULL && LLVMIsAConstantInt(p.condition)) {
      if (LLVMIsNull(p.condition)) return p;
      p.condition = NULL;
    }
  }
  p.found = p.as.shape.kind == KL_UNIFORM || (a->by_lane && p.as.shape.kind == KL_STRIDED) ||
            kiln_access_pitch(&p.as) != 0;
  if (p.as.shape.alike != 0 && l->e->f->inst[a->inst[0]].op == LLVMStore) p.found = false;
  p.far =
      !p.found && a->shape.kind == KL_VARYING && is_far(&p.as) && kiln_access_goes_apart(l, a, &p.as, mask);
  if (follows(&p) && p.condition != NULL && is_rare(l, a) && kiln_lanes_full_demand(l, p.condition)) {
    p.condition = NULL;
    p.early = true;
  }
  bool demands_all = p.found && !kiln_lanes_is_full(mask) && !takes_masks(l, &p.as);
  if (demands_all) demand(l, &p, kiln_lanes_all(l, mask));
  bool is_short = l->seldom && p.condition != NULL && (demands_all || !kiln_access_is_long(l, a));
  if (is_short || (demands_all && (l->parted || is_one_enough(l, a, &p.as, mask)))) drop_condition(&p, a);
  return p;
}

struct choice {
  LLVMBasicBlockRef fast, slow, done;
};

/* A lane that is off may have left its index undefined, so what the check says then is frozen. */
static struct choice open_choice(struct kl_lanes *l, LLVMValueRef condition) {
  struct choice c = {kiln_emit_new_block(l->e, "checked"), kiln_emit_new_block(l->e, ""),
                     kiln_emit_new_block(l->e, "")};
  LLVMValueRef frozen = LLVMBuildFreeze(l->e->b, condition, "");
  kiln_emit_likely(l->e, LLVMBuildCondBr(l->e->b, frozen, c.fast, c.slow));
  LLVMPositionBuilderAtEnd(l->e->b, c.fast);
  return c;
}

static void turn_choice(struct kl_lanes *l, struct choice *c) {
  c->fast = LLVMGetInsertBlock(l->e->b);
  LLVMBuildBr(l->e->b, c->done);
  LLVMPositionBuilderAtEnd(l->e->b, c->slow);
}

static void close_choice(struct kl_lanes *l, struct choice *c) {
  c->slow = LLVMGetInsertBlock(l->e->b);
  LLVMBuildBr(l->e->b, c->done);
  LLVMPositionBuilderAtEnd(l->e->b, c->done);
}

/* After both ways: out is what the fast one has made. */
static void join_choice(struct kl_lanes *l, struct choice *c, LLVMValueRef *out, LLVMValueRef *slow,
                        uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    LLVMValueRef both = LLVMBuildPhi(l->e->b, LLVMTypeOf(slow[k]), "");
    LLVMAddIncoming(both, &out[k], &c->fast, 1);
    LLVMAddIncoming(both, &slow[k], &c->slow, 1);
    out[k] = both;
  }
}

/* Under which the form is taken: where it is worth it with all lanes on only, the condition has seen to it.
 */
static LLVMValueRef pattern_mask(const struct kl_lanes *l, const struct plan *p, LLVMValueRef mask) {
  return p->condition == NULL || takes_masks(l, &p->as) ? mask : LLVMConstAllOnes(LLVMTypeOf(mask));
}

/* Lane by lane, and transposed. With some lanes off, addresses would have to be taken out of a vector. */
static bool goes_by_lane(const struct kl_access *a, LLVMValueRef mask) {
  return kiln_access_is_wide(a) && kiln_lanes_is_full(mask);
}

/* A store of several components at places of each lane's own. */
static bool goes_together(const struct kl_access *a, LLVMValueRef mask) {
  return kiln_access_is_compact(a) && kiln_lanes_is_full(mask);
}

/* ---- explanations ---- */

static enum kl_fate fate_of(const struct kl_lanes *l, const struct kl_access *a, const struct plan *p,
                            LLVMValueRef mask) {
  const bool is_load = l->e->f->inst[a->inst[0]].op == LLVMLoad;
  if (!p->found && (is_load ? kiln_record_registers(a) != 0 : goes_together(a, mask))) return KL_FATE_RECORD;
  if (!p->found) return p->far || a->shape.kind == KL_STRIDED ? KL_FATE_FAR : KL_FATE_ANY;
  if (p->as.shape.kind == KL_UNIFORM) return KL_FATE_SHARED;
  if (p->as.by_lane) return KL_FATE_OWN;
  if (p->as.shape.alike != 0) return KL_FATE_STEPS;
  int64_t pitch = kiln_access_pitch(&p->as);
  if (pitch == (int64_t)p->as.n) return KL_FATE_ROW;
  if (pitch == -(int64_t)p->as.n) return KL_FATE_REVERSED;
  return goes_by_lane(&p->as, mask) ? KL_FATE_APART : KL_FATE_PITCH;
}

/* What makes the lanes' addresses follow no pattern: the first thing on the way to them that is no sum. */
static const char *reason_of(struct kl_lanes *l, uint32_t v) {
  const struct kl_func *f = l->e->f;
  for (unsigned depth = 0; depth < 32; depth++) {
    unsigned op = f->inst[v].op;
    bool sums = op == LLVMGetElementPtr || op == LLVMAdd || op == LLVMSub || op == LLVMOr || op == LLVMMul ||
                op == LLVMShl || op == LLVMSExt || op == LLVMZExt || op == LLVMTrunc || op == LLVMFreeze;
    if (op == LLVMLoad) return "the index comes from memory";
    if (op == LLVMPHI || op == LLVMSelect) return "the index depends on the way lanes took";
    uint32_t next = KL_NONE;
    for (uint32_t k = 0; sums && k < f->inst[v].nops; k++)
      if (kiln_lanes_shape(l, kl_operand(f, v, k)).kind == KL_VARYING) next = kl_operand(f, v, k);
    if (next == KL_NONE) break;
    v = next;
  }
  return "the index is no sum of ids times constants";
}

/* of: the instructions; a and p: as words, where it is done so. */
static void explain(struct kl_lanes *l, const struct kl_access *of, const struct kl_access *a,
                    const struct plan *p, LLVMValueRef mask) {
  struct kl_note note = {.fate = fate_of(l, a, p, pattern_mask(l, p, mask)),
                         .checked = follows(p) && (p->early || p->condition != NULL)};
  const bool is_apart = note.fate == KL_FATE_PITCH || note.fate == KL_FATE_APART;
  int64_t pitch = is_apart ? kiln_access_pitch(&p->as) : 0;
  note.pitch = (uint32_t)(pitch < 0 ? -pitch : pitch);
  if (note.fate == KL_FATE_ANY && l->e->report != NULL) note.why = reason_of(l, a->pointer);
  for (uint32_t k = 0; k < of->n; k++) kiln_lanes_report(l, of->inst[k], note);
}

/* ---- loads ---- */

LLVMValueRef kiln_access_component(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef at,
                                   uint32_t k) {
  LLVMValueRef offset = LLVMConstInt(l->e->map->i64, (uint64_t)a->offset[k], true);
  return a->offset[k] == 0 ? at : LLVMBuildGEP2(l->e->b, l->e->map->i8, at, &offset, 1, "");
}

/* One address for all lanes. */
static void load_shared(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *out) {
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMValueRef one = LLVMBuildLoad2(l->e->b, a->type[k], kiln_access_component(l, a, a->base, k), "");
    LLVMSetAlignment(one, kiln_access_align(a, k));
    out[k] = kiln_lanes_splat(l, one);
  }
}

/* Private memory is there for lanes that are off, too. */
static void load_by_lane(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                         LLVMValueRef *out) {
  LLVMValueRef all = LLVMConstAllOnes(LLVMTypeOf(mask));
  for (uint32_t k = 0; k < a->n; k++)
    out[k] = kiln_lanes_load_row(l, a->type[k], kiln_access_component(l, a, a->base, k),
                                 kiln_access_align(a, k), all);
}

static void store_by_lane(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                          LLVMValueRef *value) {
  LLVMValueRef all = LLVMConstAllOnes(LLVMTypeOf(mask)), old[KL_MOST_COMPONENTS];
  if (!kiln_lanes_is_full(mask)) load_by_lane(l, a, mask, old);
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMValueRef v =
        kiln_lanes_is_full(mask) ? value[k] : LLVMBuildSelect(l->e->b, mask, value[k], old[k], "");
    kiln_lanes_store_row(l, v, kiln_access_component(l, a, a->base, k), kiln_access_align(a, k), all);
  }
}

/* Each element for the lanes side by side that share its address: as fewer lanes would load it. All lanes are
 * on. */
static void load_steps(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *out) {
  const unsigned width = l->width;
  int from[KL_MOST_LANES];
  if (width >> a->shape.alike <= 1) {
    load_shared(l, a, out);
    return;
  }
  l->width = width >> a->shape.alike;
  kiln_access_load_rows(l, a, LLVMConstAllOnes(kiln_lanes_type(l, l->e->map->i1)), out);
  l->width = width;
  for (unsigned i = 0; i < width; i++) from[i] = (int)(i >> a->shape.alike);
  for (uint32_t k = 0; k < a->n; k++) out[k] = kiln_access_shuffle(l, out[k], NULL, from, width);
}

static void load_pattern(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                         LLVMValueRef *out) {
  if (a->shape.kind == KL_UNIFORM) load_shared(l, a, out);
  else if (a->shape.alike != 0) load_steps(l, a, out);
  else if (a->by_lane) load_by_lane(l, a, mask, out);
  else if (is_far(a)) kiln_access_gather(l, a, mask, false, out);
  else if (!goes_by_lane(a, mask) || !kiln_access_load_lanes(l, a, mask, out))
    kiln_access_load_rows(l, a, mask, out);
}

/* The way where no check holds. */
static void load_other(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool rare,
                       LLVMValueRef *out) {
  struct kl_turned turned;
  LLVMValueRef slow[KL_MOST_COMPONENTS];
  if (!kiln_turned_find(l, a, &turned)) {
    kiln_access_gather(l, a, mask, rare, out);
    return;
  }
  struct choice c = open_choice(l, kiln_turned_fits(l, &turned));
  out[0] = kiln_turned_load(l, a, &turned, mask);
  turn_choice(l, &c);
  kiln_access_gather(l, a, mask, rare, slow);
  close_choice(l, &c);
  join_choice(l, &c, out, slow, 1);
}

static void load_whole(struct kl_lanes *l, const struct kl_access *a, const struct plan *p, LLVMValueRef mask,
                       LLVMValueRef *out) {
  LLVMValueRef fast[KL_MOST_COMPONENTS], slow[KL_MOST_COMPONENTS];
  if (!follows(p) || p->condition == NULL) {
    if (follows(p)) load_pattern(l, &p->as, mask, out);
    else kiln_access_gather(l, a, mask, false, out);
    return;
  }
  struct choice c = open_choice(l, p->condition);
  load_pattern(l, &p->as, pattern_mask(l, p, mask), out);
  turn_choice(l, &c);
  load_other(l, a, mask, is_rare(l, a) && !parts_records(a, &p->as, mask), slow);
  close_choice(l, &c);
  memcpy(fast, out, a->n * sizeof *fast);
  join_choice(l, &c, out, slow, a->n);
  if (a->n > 1 && a->n <= KL_MOST_PITCH)
    kiln_packed_join(l, fast, slow, out, a->n, (LLVMBasicBlockRef[]){c.fast, c.slow});
}

static void load(struct kl_lanes *l, const struct kl_access *a, const struct plan *p, LLVMValueRef mask,
                 LLVMValueRef *out) {
  struct kl_access words;
  LLVMValueRef word[KL_MOST_COMPONENTS];
  if (p->as.shape.kind == KL_UNIFORM || !kiln_access_as_words(l, a, &words)) {
    explain(l, a, a, p, mask);
    load_whole(l, a, p, mask, out);
    return;
  }
  struct plan by_words = make_plan(l, &words, mask);
  explain(l, a, &words, &by_words, mask);
  load_whole(l, &words, &by_words, mask, word);
  kiln_words_split(l, a, word, out);
  kiln_words_remember(l, a, word, out);
}

static void define_loaded(struct kl_lanes *l, uint32_t i, const LLVMValueRef *part) {
  struct kl_pack pack = kiln_lanes_new_pack(l, kiln_lanes_parts(l, i));
  memcpy(pack.part, part, pack.n * sizeof *part);
  kiln_lanes_define(l, i, pack);
}

/* The loads that follow and lie beside this one are done with it, when rows serve them all. */
static bool load_neighbours(struct kl_lanes *l, uint32_t i, const struct kl_access *alone,
                            LLVMValueRef mask) {
  struct kl_neighbours near;
  LLVMValueRef out[KL_MOST_COMPONENTS];
  struct kl_access a = *alone;
  kiln_neighbours_of_load(l, i, &near);
  if (near.n < 2) return false;
  a.n = 0;
  for (uint32_t k = 0; k < near.n; k++) add_components(l, &a, near.inst[k], near.offset[k]);
  struct kl_access words;
  const bool is_record =
      kiln_record_registers(&a) != 0 || kiln_access_as_words(l, &a, &words) || kiln_narrow_share_word(l, &a);
  if (!is_record && is_better_alone(l, alone, &a)) return false;
  struct plan p = make_plan(l, &a, mask);
  if (!p.found && !l->seldom && !is_record) return false;
  load(l, &a, &p, mask, out);
  for (uint32_t k = 0, at = 0; k < near.n; at += kiln_lanes_parts(l, near.inst[k]), k++) {
    define_loaded(l, near.inst[k], out + at);
    l->done_pass[near.inst[k]] = l->e->pass;
  }
  return true;
}

/* ---- stores ---- */

/* All lanes store to one place: the last one's value stays. */
static void store_last(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef inst, struct kl_pack pack,
                       LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef bits = kiln_lanes_bits(l, mask), no = LLVMConstNull(l->e->map->i1);
  LLVMTypeRef type = LLVMTypeOf(bits);
  LLVMValueRef args[] = {bits, no}, last = LLVMConstInt(type, l->width - 1, false);
  if (!kiln_lanes_is_full(mask))
    last = LLVMBuildSub(b, last, kiln_lanes_intrinsic(l, "llvm.ctlz", &type, 1, args, 2), "");
  LLVMValueRef value = NULL;
  for (uint32_t k = 0; k < pack.n; k++) {
    LLVMValueRef part = LLVMBuildExtractElement(b, pack.part[k], last, "");
    if (pack.n == 1) value = part;
    else {
      if (value == NULL) value = LLVMGetPoison(LLVMVectorType(a->type[0], pack.n));
      value = LLVMBuildInsertElement(b, value, part, kiln_lanes_number(l, k), "");
    }
  }
  LLVMValueRef made = LLVMBuildStore(b, value, a->base);
  LLVMSetAlignment(made, LLVMGetAlignment(inst));
  LLVMSetVolatile(made, LLVMGetVolatile(inst));
  LLVMSetOrdering(made, LLVMGetOrdering(inst));
}

static void store_pattern(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                          LLVMValueRef *value) {
  if (a->by_lane) store_by_lane(l, a, mask, value);
  else if (is_far(a)) kiln_access_scatter(l, a, mask, false, value);
  else if (!goes_by_lane(a, mask) || !kiln_access_store_lanes(l, a, mask, value))
    kiln_access_store_rows(l, a, mask, value);
}

static bool has_pattern(const struct plan *p) { return follows(p) && p->as.shape.kind != KL_UNIFORM; }

/* The way for lanes that follow no pattern, which is there beside another one, is to be short: where only
 * some lanes are on a loop over them is as fast. */
static bool other_is_short(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask) {
  return !kiln_lanes_is_full(mask) || is_rare(l, a);
}

static void store_other(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                        LLVMValueRef *value) {
  struct kl_turned turned;
  const bool is_short = other_is_short(l, a, mask);
  if (!kiln_turned_find(l, a, &turned)) {
    kiln_access_scatter(l, a, mask, is_short, value);
    return;
  }
  struct choice c = open_choice(l, kiln_turned_fits(l, &turned));
  kiln_turned_store(l, a, &turned, mask, value[0]);
  turn_choice(l, &c);
  kiln_access_scatter(l, a, mask, is_short, value);
  close_choice(l, &c);
}

static void store_planned(struct kl_lanes *l, const struct kl_access *a, const struct plan *p,
                          LLVMValueRef mask, LLVMValueRef *value) {
  if (!has_pattern(p)) {
    kiln_access_scatter(l, a, mask, l->parted, value);
    return;
  }
  if (p->condition == NULL) {
    store_pattern(l, &p->as, mask, value);
    return;
  }
  struct choice c = open_choice(l, p->condition);
  store_pattern(l, &p->as, pattern_mask(l, p, mask), value);
  turn_choice(l, &c);
  store_other(l, a, mask, value);
  close_choice(l, &c);
}

/* of: the instructions, of which a is the form as words or themselves. */
static void store_whole(struct kl_lanes *l, const struct kl_access *of, const struct kl_access *a,
                        LLVMValueRef mask, LLVMValueRef *value) {
  struct plan p = make_plan(l, a, mask);
  explain(l, of, a, &p, mask);
  store_planned(l, a, &p, mask, value);
}

/* Mostly words of which the low bits are stored: they are shifted together with less than they are cut. */
static bool are_cut(const struct kl_access *a, const LLVMValueRef *value) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < a->n; k++) n += LLVMIsATruncInst(value[k]) != NULL;
  return 2 * n >= a->n;
}

static void store(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *value) {
  struct kl_access words;
  LLVMValueRef word[KL_MOST_COMPONENTS];
  const bool is_one = a->inst[0] == a->inst[a->n - 1];
  bool in_words = kiln_access_as_words(l, a, &words);
  if (in_words && !kiln_words_pack(l, a, value, word)) {
    in_words = is_one || are_cut(a, value);
    if (in_words) kiln_words_join(l, a, value, word);
  }
  store_whole(l, a, in_words ? &words : a, mask, in_words ? word : value);
}

static void store_alone(struct kl_lanes *l, uint32_t i, LLVMValueRef mask) {
  struct kl_access a = describe(l, i);
  const uint32_t value = kl_operand(l->e->f, i, 0);
  struct kl_pack pack = kiln_lanes_operand(l, value);
  store(l, &a, mask, pack.part);
  const bool is_last = l->pack_pass[value] != l->e->pass || kiln_is_used_once(l->e->f->inst[value].v);
  if (!is_last && kiln_packed_take(l, &pack)) l->pack[value] = pack;
}

/* The last of stores that lie side by side does them all. */
static void store_neighbours(struct kl_lanes *l, uint32_t i, LLVMValueRef mask) {
  struct kl_neighbours near;
  LLVMValueRef value[KL_MOST_COMPONENTS];
  kiln_neighbours_of_store(l, i, &near);
  if (near.n == 1) store_alone(l, i, mask);
  if (near.n < 2) return;
  const struct kl_access first = describe(l, near.inst[0]);
  struct kl_access a = first;
  a.n = 0;
  for (uint32_t k = 0; k < near.n; k++) add_components(l, &a, near.inst[k], near.offset[k]);
  if (is_better_alone(l, &first, &a)) {
    for (uint32_t k = 0; k < near.n; k++) store_alone(l, near.inst[k], mask);
    return;
  }
  for (uint32_t k = 0, at = 0; k < near.n; k++) {
    struct kl_pack pack = kiln_lanes_operand(l, kl_operand(l->e->f, near.inst[k], 0));
    for (uint32_t p = 0; p < pack.n; p++) value[at++] = pack.part[p];
  }
  store(l, &a, mask, value);
}

/* ---- columns ---- */

struct columns {
  struct kl_access a[KL_MOST_COLUMNS];
  struct plan plan[KL_MOST_COLUMNS];
  LLVMValueRef value[KL_MOST_COLUMNS]; /* to store, or loaded */
  uint32_t n;
};

static bool is_last(const struct kl_columns *c, uint32_t i) { return c->inst[c->n - 1] == i; }

static void plan_columns(struct kl_lanes *l, struct columns *c, const struct kl_columns *found,
                         LLVMValueRef mask) {
  c->n = found->n;
  for (uint32_t k = 0; k < c->n; k++) {
    c->a[k] = describe(l, found->inst[k]);
    c->plan[k] = make_plan(l, &c->a[k], mask);
    explain(l, &c->a[k], &c->a[k], &c->plan[k], mask);
  }
}

/* Each under a condition and in a loop where it does not hold, or all in loops. */
static bool share_a_way(struct kl_lanes *l, const struct columns *c, bool other_is_rare, bool only_is_rare) {
  const bool has = has_pattern(&c->plan[0]);
  for (uint32_t k = 0; k < c->n; k++) {
    const struct plan *p = &c->plan[k];
    if (has_pattern(p) != has || (has && p->condition == NULL) ||
        !kiln_access_goes_in_loop(l, &c->a[k], has ? other_is_rare || is_rare(l, &c->a[k]) : only_is_rare))
      return false;
  }
  return true;
}

static struct choice open_columns(struct kl_lanes *l, const struct columns *c) {
  LLVMValueRef all = c->plan[0].condition;
  for (uint32_t k = 1; k < c->n; k++) all = LLVMBuildAnd(l->e->b, all, c->plan[k].condition, "");
  return open_choice(l, all);
}

static void load_together(struct kl_lanes *l, struct columns *c, LLVMValueRef mask) {
  LLVMValueRef slow[KL_MOST_COLUMNS];
  if (!has_pattern(&c->plan[0])) {
    kiln_access_load_loop(l, c->a, c->n, mask, true, c->value);
    return;
  }
  struct choice choice = open_columns(l, c);
  for (uint32_t k = 0; k < c->n; k++)
    load_pattern(l, &c->plan[k].as, pattern_mask(l, &c->plan[k], mask), &c->value[k]);
  turn_choice(l, &choice);
  kiln_access_load_loop(l, c->a, c->n, mask, true, slow);
  close_choice(l, &choice);
  join_choice(l, &choice, c->value, slow, c->n);
}

static void store_together(struct kl_lanes *l, struct columns *c, LLVMValueRef mask) {
  const bool has = has_pattern(&c->plan[0]);
  struct choice choice = {0};
  if (has) {
    choice = open_columns(l, c);
    for (uint32_t k = 0; k < c->n; k++)
      store_pattern(l, &c->plan[k].as, pattern_mask(l, &c->plan[k], mask), &c->value[k]);
    turn_choice(l, &choice);
  }
  kiln_access_store_loop(l, c->a, c->n, mask, true, c->value);
  if (has) close_choice(l, &choice);
}

/* The last of loads that follow one another does them all: as rows if all of them are, or lane by lane. */
static void load_columns(struct kl_lanes *l, const struct kl_columns *found, LLVMValueRef mask) {
  struct columns c;
  plan_columns(l, &c, found, mask);
  if (share_a_way(l, &c, false, false)) load_together(l, &c, mask);
  else
    for (uint32_t k = 0; k < c.n; k++) load_whole(l, &c.a[k], &c.plan[k], mask, &c.value[k]);
  for (uint32_t k = 0; k < c.n; k++) define_loaded(l, found->inst[k], &c.value[k]);
}

/* So with stores. */
static void store_columns(struct kl_lanes *l, const struct kl_columns *found, LLVMValueRef mask) {
  struct columns c;
  plan_columns(l, &c, found, mask);
  for (uint32_t k = 0; k < c.n; k++)
    c.value[k] = kiln_lanes_part(l, kl_operand(l->e->f, found->inst[k], 0), 0);
  if (share_a_way(l, &c, !kiln_lanes_is_full(mask), l->parted)) store_together(l, &c, mask);
  else
    for (uint32_t k = 0; k < c.n; k++) store_planned(l, &c.a[k], &c.plan[k], mask, &c.value[k]);
}

/* ---- volatile accesses ---- */

static bool is_volatile(LLVMValueRef access) {
  return LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

/* Nobody can tell whether it is volatile: of local memory, too, where a group has one thread, and no loop is
 * in lanes that waits for others (spin.h). */
static bool is_plain(const struct kl_func *f, uint32_t i) {
  LLVMTypeRef pointer = LLVMTypeOf(f->inst[kl_pointer_of(f, i)].v);
  return kiln_is_ordinary(f->inst[i].v) ||
         (is_volatile(f->inst[i].v) && LLVMGetPointerAddressSpace(pointer) == KL_AS_LOCAL);
}

/* All lanes at once, as one volatile access to what each of them asks for: a row without gaps, as long as all
 * lanes are on. */
static bool plan_volatile(struct kl_lanes *l, uint32_t i, struct kl_access *a, struct plan *p) {
  LLVMValueRef mask = kiln_lanes_mask(l);
  if (!is_volatile(l->e->f->inst[i].v) || l->seldom) return false;
  *a = describe(l, i);
  if (a->n > 1 || a->by_lane) return false;
  *p = make_plan(l, a, LLVMConstAllOnes(LLVMTypeOf(mask)));
  if (!p->found || p->as.shape.alike != 0 || kiln_access_pitch(&p->as) != 1) return false;
  if (!kiln_lanes_is_full(mask)) demand(l, p, kiln_lanes_all(l, mask));
  return true;
}

static bool load_volatile(struct kl_lanes *l, uint32_t i) {
  struct kl_access a;
  struct plan p;
  if (!plan_volatile(l, i, &a, &p)) return false;
  struct choice c = {0};
  if (p.condition != NULL) c = open_choice(l, p.condition);
  LLVMValueRef row = LLVMBuildLoad2(l->e->b, kiln_lanes_type(l, a.type[0]), p.as.base, "");
  LLVMSetAlignment(row, kiln_access_align(&a, 0));
  LLVMSetVolatile(row, true);
  if (p.condition != NULL) {
    turn_choice(l, &c);
    kiln_lanes_serialize(l, i);
    LLVMValueRef slow = kiln_lanes_part(l, i, 0);
    close_choice(l, &c);
    LLVMValueRef both = LLVMBuildPhi(l->e->b, LLVMTypeOf(row), "");
    LLVMAddIncoming(both, &row, &c.fast, 1);
    LLVMAddIncoming(both, &slow, &c.slow, 1);
    row = both;
  }
  explain(l, &a, &a, &p, kiln_lanes_mask(l));
  define_loaded(l, i, &row);
  return true;
}

static bool store_volatile(struct kl_lanes *l, uint32_t i) {
  struct kl_access a;
  struct plan p;
  if (!plan_volatile(l, i, &a, &p)) return false;
  struct choice c = {0};
  LLVMValueRef row = kiln_lanes_part(l, kl_operand(l->e->f, i, 0), 0);
  if (p.condition != NULL) c = open_choice(l, p.condition);
  LLVMValueRef made = LLVMBuildStore(l->e->b, row, p.as.base);
  LLVMSetAlignment(made, kiln_access_align(&a, 0));
  LLVMSetVolatile(made, true);
  if (p.condition != NULL) {
    turn_choice(l, &c);
    kiln_lanes_serialize(l, i);
    close_choice(l, &c);
  }
  explain(l, &a, &a, &p, kiln_lanes_mask(l));
  return true;
}

/* ---- interface ---- */

void kiln_lanes_load_inst(struct kl_lanes *l, uint32_t i) {
  LLVMValueRef mask = kiln_lanes_mask(l), out[KL_MOST_COMPONENTS];
  if (l->done_pass[i] == l->e->pass) return;
  if (!is_plain(l->e->f, i)) {
    if (!load_volatile(l, i)) kiln_lanes_serialize(l, i);
    return;
  }
  if (kiln_lanes_load_table(l, i) || kiln_lanes_load_rows(l, i)) return;
  const struct kl_columns *c = kiln_columns_of(l, i);
  if (c->n > 1) {
    if (is_last(c, i)) load_columns(l, c, mask);
    return;
  }
  struct kl_access a = describe(l, i);
  if (load_neighbours(l, i, &a, mask)) return;
  struct plan p = make_plan(l, &a, mask);
  load(l, &a, &p, mask, out);
  define_loaded(l, i, out);
}

void kiln_lanes_store_inst(struct kl_lanes *l, uint32_t i) {
  LLVMValueRef inst = l->e->f->inst[i].v, mask = kiln_lanes_mask(l);
  if (l->update[i] == i) {
    const struct kl_access a = describe(l, i);
    kiln_lanes_update(l, i, &a);
    return;
  }
  uint32_t value = kl_operand(l->e->f, i, 0), pointer = kl_operand(l->e->f, i, 1);
  bool shared = kiln_lanes_shape(l, pointer).kind == KL_UNIFORM;
  if (shared) kiln_lanes_report(l, i, (struct kl_note){.fate = KL_FATE_SHARED});
  if (shared && kiln_lanes_shape(l, value).kind == KL_UNIFORM) {
    kiln_emit_inst(l->e, i);
  } else if (shared) {
    struct kl_access a = describe(l, i);
    store_last(l, &a, inst, kiln_lanes_operand(l, value), mask);
  } else if (!is_plain(l->e->f, i)) {
    if (!store_volatile(l, i)) kiln_lanes_serialize(l, i);
  } else if (!kiln_lanes_store_rows(l, i)) {
    const struct kl_columns *c = kiln_columns_of(l, i);
    if (c->n == 1) store_neighbours(l, i, mask);
    else if (is_last(c, i)) store_columns(l, c, mask);
  }
}
