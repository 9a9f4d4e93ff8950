/* Accesses in a loop over the lanes that are on: for processors without an instruction for them, where code
 * for each lane would be long, and for code that seldom runs. Lanes are told apart by their place in memory:
 * values lie on the stack, and what addresses are made of. */
#include "compiler/spmd/lane_access.h"

struct loop {
  struct kl_lanes *l;
  bool rare; /* short rather than fast */
  struct kl_lane_loop lanes;
  LLVMValueRef index; /* the lane's number, as i64 */
};

static LLVMValueRef on_stack(struct kl_lanes *l, LLVMValueRef all) {
  LLVMValueRef place = LLVMBuildAlloca(l->e->top, LLVMTypeOf(all), "");
  LLVMBuildStore(l->e->b, all, place);
  return place;
}

/* This lane's element of what lies at `place`. */
static LLVMValueRef element(struct loop *loop, LLVMTypeRef type, LLVMValueRef place) {
  return LLVMBuildGEP2(loop->l->e->b, type, place, &loop->index, 1, "");
}

/* Lane after lane; code for one lane follows, which finds the addresses of the accesses' first components by
 * `addresses`. Loops that LLVM may unroll take whole addresses, of which it makes elements of vectors. */
static void start(struct loop *loop, const struct kl_access *a, uint32_t n, LLVMValueRef mask,
                  struct kl_extract *addresses) {
  for (uint32_t i = 0; i < n; i++)
    kiln_extract_start(loop->l, &addresses[i], kiln_access_addresses(loop->l, &a[i], 0),
                       loop->rare ? KL_EXTRACT_SHORT : KL_EXTRACT_WHOLE);
  kiln_lanes_open_loop(loop->l, &loop->lanes, mask);
  loop->index = LLVMBuildZExt(loop->l->e->b, loop->lanes.lane, loop->l->e->map->i64, "");
}

/* hint: for LLVM; NULL: none */
static void close_loop(struct loop *loop, const char *hint) {
  struct kl_emit *e = loop->l->e;
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b);
  kiln_lanes_close_loop(loop->l, &loop->lanes);
  if (hint != NULL) kiln_loop_hint(e->env->context, LLVMGetBasicBlockTerminator(latch), hint);
}

static void finish(struct loop *loop) { close_loop(loop, loop->rare ? "llvm.loop.unroll.disable" : NULL); }

static LLVMValueRef component_at(struct loop *loop, const struct kl_access *a, LLVMValueRef first,
                                 uint32_t k) {
  LLVMBuilderRef b = loop->l->e->b;
  LLVMValueRef offset = LLVMConstInt(loop->l->e->map->i64, (uint64_t)(a->offset[k] - a->offset[0]), true);
  return k == 0 ? first : LLVMBuildGEP2(b, loop->l->e->map->i8, first, &offset, 1, "");
}

/* from and to: addresses of one component */
static void copy(struct loop *loop, LLVMTypeRef type, LLVMValueRef from, unsigned from_align, LLVMValueRef to,
                 unsigned to_align) {
  LLVMValueRef one = LLVMBuildLoad2(loop->l->e->b, type, from, "");
  LLVMSetAlignment(one, from_align);
  LLVMSetAlignment(LLVMBuildStore(loop->l->e->b, one, to), to_align);
}

/* ---- components side by side: lane after lane as in memory ---- */

static LLVMTypeRef together(const struct kl_access *a) { return LLVMVectorType(a->type[0], a->n); }

static LLVMValueRef row_at(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef place, uint32_t k) {
  LLVMValueRef index = kiln_lanes_number(l, k);
  return LLVMBuildGEP2(l->e->b, kiln_lanes_type(l, a->type[0]), place, &index, 1, "");
}

static LLVMValueRef rows_on_stack(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *row) {
  LLVMTypeRef type = kiln_lanes_type(l, a->type[0]);
  LLVMValueRef place = LLVMBuildAlloca(l->e->top, LLVMArrayType2(type, a->n), "");
  for (uint32_t k = 0; k < a->n; k++)
    LLVMBuildStore(l->e->b, row == NULL ? LLVMConstNull(type) : row[k], row_at(l, a, place, k));
  return place;
}

static void load_together(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                          LLVMValueRef *out) {
  struct loop loop = {.l = l};
  struct kl_extract addresses;
  LLVMValueRef place = rows_on_stack(l, a, NULL), row[KL_MOST_COMPONENTS];
  start(&loop, a, 1, mask, &addresses);
  LLVMValueRef from = kiln_extract_lane(&addresses, loop.index);
  copy(&loop, together(a), from, kiln_access_align(a, 0), element(&loop, together(a), place),
       (unsigned)a->size);
  finish(&loop);
  for (uint32_t k = 0; k < a->n; k++)
    row[k] = LLVMBuildLoad2(l->e->b, kiln_lanes_type(l, a->type[0]), row_at(l, a, place, k), "");
  kiln_rows_split(l, row, a->n, out);
}

static void store_together(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                           LLVMValueRef *value) {
  struct loop loop = {.l = l};
  struct kl_extract addresses;
  LLVMValueRef row[KL_MOST_COMPONENTS];
  kiln_rows_merge(l, value, a->n, row);
  LLVMValueRef place = rows_on_stack(l, a, row);
  start(&loop, a, 1, mask, &addresses);
  LLVMValueRef to = kiln_extract_lane(&addresses, loop.index);
  copy(&loop, together(a), element(&loop, together(a), place), (unsigned)a->size, to,
       kiln_access_align(a, 0));
  finish(&loop);
}

/* ---- all lanes are on: some of them in each turn ---- */

enum {
  SOME = 4,   /* lanes a turn */
  FEWEST = 16 /* lanes, of which a loop has so many turns that it is short */
};

/* A fifth of the code that there would be for each lane, which takes 0.6 to 0.9 of the time. Indices and
 * values lie on the stack, of which a word holds several. LLVM would make code for each lane of a loop of
 * which it can count the turns. */
static void store_some(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *value) {
  struct loop loop = {.l = l};
  struct kl_extract addresses;
  LLVMValueRef place[KL_MOST_COMPONENTS], first[SOME], one[SOME];
  for (uint32_t k = 0; k < a->n; k++) place[k] = on_stack(l, value[k]);
  kiln_extract_start(l, &addresses, kiln_access_addresses(l, a, 0), KL_EXTRACT_APART);
  kiln_lanes_open_full_loop(l, &loop.lanes, SOME);
  loop.index = LLVMBuildZExt(l->e->b, loop.lanes.lane, l->e->map->i64, "");
  kiln_extract_lanes(&addresses, loop.index, SOME, first);
  for (uint32_t k = 0; k < a->n; k++) {
    kiln_lanes_elements(l, a->type[k], place[k], loop.index, SOME, one);
    for (unsigned i = 0; i < SOME; i++) {
      LLVMValueRef made = LLVMBuildStore(l->e->b, one[i], component_at(&loop, a, first[i], k));
      LLVMSetAlignment(made, kiln_access_align(a, k));
    }
  }
  close_loop(&loop, "llvm.loop.disable_nonforced");
}

/* ---- accesses ---- */

void kiln_access_load_loop(struct kl_lanes *l, const struct kl_access *a, uint32_t n, LLVMValueRef mask,
                           bool rare, LLVMValueRef *out) {
  struct loop loop = {.l = l, .rare = rare};
  struct kl_extract addresses[KL_MOST_COLUMNS];
  LLVMValueRef made[KL_MOST_COMPONENTS];
  if (!rare && n == 1 && kiln_access_is_compact(a)) {
    load_together(l, a, mask, out);
    return;
  }
  for (uint32_t i = 0, at = 0; i < n; i++)
    for (uint32_t k = 0; k < a[i].n; k++)
      made[at++] = on_stack(l, LLVMConstNull(kiln_lanes_type(l, a[i].type[k])));
  start(&loop, a, n, mask, addresses);
  for (uint32_t i = 0, at = 0; i < n; i++) {
    LLVMValueRef first = kiln_extract_lane(&addresses[i], loop.index);
    for (uint32_t k = 0; k < a[i].n; k++, at++)
      copy(&loop, a[i].type[k], component_at(&loop, &a[i], first, k), kiln_access_align(&a[i], k),
           element(&loop, a[i].type[k], made[at]), (unsigned)a[i].size);
  }
  finish(&loop);
  for (uint32_t i = 0, at = 0; i < n; i++)
    for (uint32_t k = 0; k < a[i].n; k++, at++)
      out[at] = LLVMBuildLoad2(l->e->b, kiln_lanes_type(l, a[i].type[k]), made[at], "");
}

void kiln_access_store_loop(struct kl_lanes *l, const struct kl_access *a, uint32_t n, LLVMValueRef mask,
                            bool rare, LLVMValueRef *value) {
  struct loop loop = {.l = l, .rare = rare};
  struct kl_extract addresses[KL_MOST_COLUMNS];
  LLVMValueRef from[KL_MOST_COMPONENTS];
  if (!rare && n == 1 && kiln_access_is_compact(a)) {
    store_together(l, a, mask, value);
    return;
  }
  if (!rare && n == 1 && kiln_lanes_is_full(mask) && l->width >= FEWEST) {
    store_some(l, a, value);
    return;
  }
  for (uint32_t i = 0, at = 0; i < n; i++)
    for (uint32_t k = 0; k < a[i].n; k++, at++) from[at] = on_stack(l, value[at]);
  start(&loop, a, n, mask, addresses);
  for (uint32_t i = 0, at = 0; i < n; i++) {
    LLVMValueRef first = kiln_extract_lane(&addresses[i], loop.index);
    for (uint32_t k = 0; k < a[i].n; k++, at++)
      copy(&loop, a[i].type[k], element(&loop, a[i].type[k], from[at]), (unsigned)a[i].size,
           component_at(&loop, &a[i], first, k), kiln_access_align(&a[i], k));
  }
  finish(&loop);
}
