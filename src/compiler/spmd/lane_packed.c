/* Components that are computed alike from rows of memory and go to rows again, as when OpenCL vectors are
 * added: done in the order of memory, without shuffles. */
#include "compiler/spmd/lane_access.h"
#include "compiler/value.h"

#include <string.h>

/* Rows and the components that they hold in turn. */
struct kl_row_set {
  LLVMValueRef row[KL_MOST_PITCH];
  uint32_t n;
  uint32_t sources;             /* sets that the rows were made from; 0: none, or unknown */
  struct kl_row_choice *choice; /* rows are made of when first asked for; NULL: they are there */
};

/* Two ways that met in a block, of which one has rows and the other components. */
struct kl_row_choice {
  struct kl_row_set *fast;
  LLVMValueRef slow[KL_MOST_PITCH];
  LLVMBasicBlockRef from[2], met;
};

enum { MOST_DEPTH = 32, MOST_NODES = 200, MOST_OPERANDS = 4, WORD = 4 /* bytes */ };

/* Components that were visited, and the rows once these are made. */
struct visited {
  LLVMValueRef component[KL_MOST_PITCH], row[KL_MOST_PITCH];
  bool is_made;
};

struct packer {
  struct kl_lanes *l;
  uint32_t n;           /* components, and rows */
  uint32_t nodes;       /* visited so far */
  struct kl_table seen; /* by first component: struct visited */
  uint32_t rows_used, spread;
};

static struct kl_row_set *new_set(struct kl_lanes *l, const LLVMValueRef *component, uint32_t n) {
  struct kl_row_set *set = kl_new(l->e->env, 1, struct kl_row_set);
  set->n = n;
  for (uint32_t k = 0; k < n; k++) {
    kiln_table_put(l->e->env, &l->packed, component[k], (uint64_t)(uintptr_t)set);
    kiln_table_put(l->e->env, &l->packed_place, component[k], k);
  }
  return set;
}

void kiln_packed_remember(struct kl_lanes *l, const LLVMValueRef *row, const LLVMValueRef *component,
                          uint32_t n) {
  memcpy(new_set(l, component, n)->row, row, n * sizeof *row);
}

void kiln_packed_made(struct kl_lanes *l, const LLVMValueRef *row, const LLVMValueRef *component, uint32_t n,
                      uint32_t sources) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(l->e->b);
  for (uint32_t k = 0; k < n; k++)
    if (!LLVMIsAInstruction(component[k]) || LLVMGetInstructionParent(component[k]) != here ||
        kiln_table_find(&l->packed, component[k]) != NULL)
      return;
  struct kl_row_set *set = new_set(l, component, n);
  memcpy(set->row, row, n * sizeof *row);
  set->sources = sources;
}

/* ---- leaves ---- */

static struct kl_row_set *set_of(struct packer *p, const LLVMValueRef *c) {
  const uint64_t *found = kiln_table_find(&p->l->packed, c[0]);
  if (found == NULL) return NULL;
  struct kl_row_set *set = (struct kl_row_set *)(uintptr_t)*found;
  for (uint32_t k = 0; k < p->n; k++) {
    const uint64_t *own = kiln_table_find(&p->l->packed, c[k]);
    if (own == NULL || *own != *found || *kiln_table_find(&p->l->packed_place, c[k]) != k) return NULL;
  }
  return set->n == p->n ? set : NULL;
}

/* Components in any order of the one or two sets that they come from. */
struct mixture {
  struct kl_row_set *set[2];    /* the second: NULL if there is one only */
  uint32_t from[KL_MOST_PITCH]; /* by component: its place, behind those of the first set if of the second */
};

static uint32_t number_of(struct mixture *m, struct kl_row_set *set) {
  uint32_t k = 0;
  while (k < 2 && m->set[k] != NULL && m->set[k] != set) k++;
  if (k < 2) m->set[k] = set;
  return k;
}

/* A row is to have whole lanes. To shuffle narrow elements of two registers takes three instructions. */
static bool find_mixture(const struct packer *p, const LLVMValueRef *c, struct mixture *m) {
  const uint64_t size = kiln_map_size(p->l->e->map, LLVMGetElementType(LLVMTypeOf(c[0])));
  memset(m, 0, sizeof *m);
  if (p->l->width % p->n != 0) return false;
  for (uint32_t k = 0; k < p->n; k++) {
    const uint64_t *found = kiln_table_find(&p->l->packed, c[k]);
    if (found == NULL || LLVMTypeOf(c[k]) != LLVMTypeOf(c[0])) return false;
    struct kl_row_set *set = (struct kl_row_set *)(uintptr_t)*found;
    const uint32_t number = number_of(m, set);
    if (set->n != p->n || number == 2 || (number == 1 && size < WORD)) return false;
    m->from[k] = number * p->n + (uint32_t)*kiln_table_find(&p->l->packed_place, c[k]);
  }
  return true;
}

static const LLVMValueRef *rows_of(struct kl_lanes *l, struct kl_row_set *set);

/* Where the ways meet, once for all. */
static void choose_rows(struct kl_lanes *l, struct kl_row_set *set) {
  LLVMBuilderRef b = l->e->b;
  LLVMBasicBlockRef at = LLVMGetInsertBlock(b);
  struct kl_row_choice *c = set->choice;
  const LLVMValueRef *fast = rows_of(l, c->fast);
  LLVMValueRef slow[KL_MOST_PITCH];
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(c->from[1]));
  if (!kiln_packed_find(l, c->slow, set->n, slow)) kiln_rows_merge(l, c->slow, set->n, slow);
  LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(c->met));
  for (uint32_t j = 0; j < set->n; j++) {
    LLVMValueRef either[] = {fast[j], slow[j]};
    set->row[j] = LLVMBuildPhi(b, LLVMTypeOf(slow[j]), "");
    LLVMAddIncoming(set->row[j], either, c->from, 2);
  }
  LLVMPositionBuilderAtEnd(b, at);
  set->choice = NULL;
}

static const LLVMValueRef *rows_of(struct kl_lanes *l, struct kl_row_set *set) {
  if (set->choice != NULL) choose_rows(l, set);
  return set->row;
}

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

static bool is_same(const struct packer *p, const LLVMValueRef *c) {
  for (uint32_t k = 1; k < p->n; k++)
    if (c[k] != c[0]) return false;
  return true;
}

/* The scalar that all elements have, or NULL. */
static LLVMValueRef splatted(LLVMValueRef v) {
  if (LLVMIsConstant(v)) {
    LLVMValueRef first = LLVMGetAggregateElement(v, 0);
    for (unsigned i = 1; first != NULL && i < LLVMGetVectorSize(LLVMTypeOf(v)); i++)
      if (LLVMGetAggregateElement(v, i) != first) return NULL;
    return first;
  }
  return kiln_splatted(v);
}

static bool are_splats(const struct packer *p, const LLVMValueRef *c) {
  for (uint32_t k = 0; k < p->n; k++)
    if (splatted(c[k]) == NULL) return false;
  return true;
}

/* Each component's scalar in its places; of as many lanes as a multiple of n all rows are the same. */
static void repeat(struct packer *p, const LLVMValueRef *c, LLVMValueRef *row) {
  struct kl_lanes *l = p->l;
  LLVMValueRef made = LLVMGetPoison(LLVMVectorType(LLVMGetElementType(LLVMTypeOf(c[0])), p->n)),
               index[KL_MOST_LANES];
  for (uint32_t k = 0; k < p->n; k++)
    made = LLVMBuildInsertElement(l->e->b, made, splatted(c[k]), kiln_lanes_number(l, k), "");
  for (uint32_t j = 0; j < p->n; j++) {
    const unsigned first = j * l->width % p->n;
    for (unsigned i = 0; i < l->width; i++) index[i] = kiln_lanes_number(l, (first + i) % p->n);
    row[j] = j > 0 && l->width % p->n == 0
                 ? row[0]
                 : LLVMBuildShuffleVector(l->e->b, made, LLVMGetPoison(LLVMTypeOf(made)),
                                          LLVMConstVector(index, l->width), "");
  }
}

/* Each lane's elements of the rows of one or two sets, in another order. */
static void mix(struct packer *p, const struct mixture *m, LLVMValueRef *row) {
  const LLVMValueRef *a = rows_of(p->l, m->set[0]), *b = m->set[1] == NULL ? NULL : rows_of(p->l, m->set[1]);
  int from[KL_MOST_LANES];
  for (unsigned i = 0; i < p->l->width; i++) {
    const uint32_t at = m->from[i % p->n];
    from[i] = (int)(i - i % p->n + at % p->n + (at < p->n ? 0 : p->l->width));
  }
  for (uint32_t j = 0; j < p->n; j++)
    row[j] = kiln_access_shuffle(p->l, a[j], b == NULL ? NULL : b[j], from, p->l->width);
}

/* A lane's value n times in a row. */
static LLVMValueRef spread(struct packer *p, LLVMValueRef v, uint32_t row) {
  LLVMValueRef index[KL_MOST_LANES];
  for (unsigned i = 0; i < p->l->width; i++)
    index[i] = kiln_lanes_number(p->l, (row * p->l->width + i) / p->n);
  return LLVMBuildShuffleVector(p->l->e->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                LLVMConstVector(index, p->l->width), "");
}

/* ---- operations ---- */

static bool is_element_wise(LLVMValueRef v) {
  if (!LLVMIsAInstruction(v)) return false;
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  if (op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem)
    return LLVMIsConstant(LLVMGetOperand(v, 1)); /* others go by elements */
  if ((op >= LLVMAdd && op <= LLVMXor) || (op >= LLVMTrunc && op <= LLVMSIToFP) || op == LLVMFPTrunc ||
      op == LLVMFPExt || op == LLVMFNeg || op == LLVMICmp || op == LLVMFCmp || op == LLVMSelect ||
      op == LLVMFreeze)
    return true;
  /* what the lanes call themselves works on each element alone */
  return op == LLVMCall && LLVMGetIntrinsicID(LLVMGetCalledValue(v)) != 0 &&
         strncmp(LLVMGetValueName(LLVMGetCalledValue(v)), "llvm.masked.", 12) != 0;
}

static bool is_alike(LLVMValueRef a, LLVMValueRef b) {
  if (!is_element_wise(b) || LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) ||
      LLVMTypeOf(a) != LLVMTypeOf(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
    return false;
  LLVMOpcode op = LLVMGetInstructionOpcode(a);
  if (op == LLVMICmp) return LLVMGetICmpPredicate(a) == LLVMGetICmpPredicate(b);
  if (op == LLVMFCmp) return LLVMGetFCmpPredicate(a) == LLVMGetFCmpPredicate(b);
  return op != LLVMCall || LLVMGetCalledValue(a) == LLVMGetCalledValue(b);
}

static bool are_alike(const struct packer *p, const LLVMValueRef *c) {
  if (!is_element_wise(c[0])) return false;
  for (uint32_t k = 1; k < p->n; k++)
    if (!is_alike(c[0], c[k])) return false;
  int n = LLVMGetNumOperands(c[0]) - (LLVMGetInstructionOpcode(c[0]) == LLVMCall);
  return n <= MOST_OPERANDS;
}

static bool operands(const struct packer *p, const LLVMValueRef *c, unsigned o, LLVMValueRef *out) {
  for (uint32_t k = 0; k < p->n; k++) out[k] = LLVMGetOperand(c[k], o);
  return is_vector(out[0]) || is_same(p, out);
}

static unsigned operand_count(LLVMValueRef v) {
  return (unsigned)LLVMGetNumOperands(v) - (LLVMGetInstructionOpcode(v) == LLVMCall);
}

static struct visited *visited(struct packer *p, const LLVMValueRef *c) {
  const uint64_t *found = kiln_table_find(&p->seen, c[0]);
  struct visited *v = found == NULL ? NULL : (struct visited *)(uintptr_t)*found;
  return v != NULL && memcmp(v->component, c, p->n * sizeof *c) == 0 ? v : NULL;
}

static void visit(struct packer *p, const LLVMValueRef *c) {
  if (kiln_table_find(&p->seen, c[0]) != NULL) return; /* beside others */
  struct visited *v = kl_new(p->l->e->env, 1, struct visited);
  memcpy(v->component, c, p->n * sizeof *c);
  kiln_table_put(p->l->e->env, &p->seen, c[0], (uint64_t)(uintptr_t)v);
}

/* Everything below the components can be had in rows. */
static bool can_pack(struct packer *p, const LLVMValueRef *c, unsigned depth) {
  LLVMValueRef below[KL_MOST_PITCH];
  if (visited(p, c) != NULL) return true;
  if (++p->nodes > MOST_NODES || depth > MOST_DEPTH) return false;
  visit(p, c);
  if (set_of(p, c) != NULL) {
    p->rows_used++;
    return true;
  }
  if (are_splats(p, c)) return true;
  struct mixture m;
  const bool is_mixed = find_mixture(p, c, &m);
  p->rows_used += is_mixed;
  p->spread += is_mixed || is_same(p, c);
  if (is_mixed || is_same(p, c)) return true;
  if (!are_alike(p, c)) return false;
  for (unsigned o = 0; o < operand_count(c[0]); o++)
    if (!operands(p, c, o, below) || (is_vector(below[0]) && !can_pack(p, below, depth + 1))) return false;
  return true;
}

static void pack(struct packer *p, const LLVMValueRef *c, LLVMValueRef *row) {
  struct visited *v = visited(p, c);
  if (v != NULL && v->is_made) {
    memcpy(row, v->row, p->n * sizeof *row);
    return;
  }
  LLVMValueRef below[KL_MOST_PITCH], input[MOST_OPERANDS][KL_MOST_PITCH];
  struct kl_row_set *set = set_of(p, c);
  const LLVMValueRef *known = set != NULL ? rows_of(p->l, set) : NULL;
  const bool same = set == NULL && is_same(p, c), splats = set == NULL && are_splats(p, c);
  struct mixture m;
  if (splats && !same) {
    repeat(p, c, row);
    return;
  }
  if (set == NULL && !splats && find_mixture(p, c, &m)) {
    mix(p, &m, row);
    return;
  }
  if (set != NULL || same) {
    for (uint32_t j = 0; j < p->n; j++) row[j] = set != NULL ? known[j] : splats ? c[0] : spread(p, c[0], j);
    return;
  }
  unsigned n = operand_count(c[0]);
  for (unsigned o = 0; o < n; o++) {
    operands(p, c, o, below);
    if (is_vector(below[0])) pack(p, below, input[o]);
    else
      for (uint32_t j = 0; j < p->n; j++) input[o][j] = below[0];
  }
  for (uint32_t j = 0; j < p->n; j++) {
    row[j] = LLVMInstructionClone(c[0]);
    for (unsigned o = 0; o < n; o++) LLVMSetOperand(row[j], o, input[o][j]);
    LLVMInsertIntoBuilder(p->l->e->b, row[j]);
  }
  if (v == NULL) return;
  memcpy(v->row, row, p->n * sizeof *row);
  v->is_made = true;
}

bool kiln_packed_find(struct kl_lanes *l, const LLVMValueRef *component, uint32_t n, LLVMValueRef *row) {
  struct kl_row_set *set = set_of(&(struct packer){.l = l, .n = n}, component);
  if (set == NULL) return false;
  memcpy(row, rows_of(l, set), n * sizeof *row);
  return true;
}

void kiln_packed_join(struct kl_lanes *l, const LLVMValueRef *fast, const LLVMValueRef *slow,
                      const LLVMValueRef *component, uint32_t n, const LLVMBasicBlockRef *from) {
  struct kl_row_set *rows = set_of(&(struct packer){.l = l, .n = n}, fast);
  if (rows == NULL || (n & (n - 1)) != 0) return;
  struct kl_row_choice *c = kl_new(l->e->env, 1, struct kl_row_choice);
  *c = (struct kl_row_choice){.fast = rows, .from = {from[0], from[1]}, .met = LLVMGetInsertBlock(l->e->b)};
  memcpy(c->slow, slow, n * sizeof *slow);
  new_set(l, component, n)->choice = c;
}

bool kiln_packed_rows(struct kl_lanes *l, const LLVMValueRef *component, uint32_t n, LLVMValueRef *row) {
  struct packer p = {.l = l, .n = n};
  if (n < 2 || !can_pack(&p, component, 0) || p.rows_used < 1 || p.spread > p.rows_used) return false;
  pack(&p, component, row);
  kiln_packed_made(l, row, component, n, p.rows_used);
  return true;
}

bool kiln_packed_take(struct kl_lanes *l, struct kl_pack *pack) {
  const struct kl_row_set *set = set_of(&(struct packer){.l = l, .n = pack->n}, pack->part);
  if (set == NULL || set->sources < 2) return false;
  LLVMValueRef row[KL_MOST_PITCH];
  memcpy(row, set->row, set->n * sizeof *row);
  *pack = kiln_lanes_new_pack(l, set->n);
  kiln_rows_split(l, row, pack->n, pack->part);
  kiln_packed_remember(l, set->row, pack->part, pack->n);
  return true;
}

/* ---- values kept in rows ---- */

bool kiln_packed_wanted(const struct kl_lanes *l, uint32_t value) {
  return l->in_rows != NULL && l->in_rows[value];
}

void kiln_packed_make(struct kl_lanes *l, uint32_t inst) {
  LLVMValueRef row[KL_MOST_PITCH];
  const unsigned op = l->e->f->inst[inst].op;
  if (!kiln_packed_wanted(l, inst) || op == LLVMPHI || op == LLVMLoad) return;
  const struct kl_pack pack = kiln_lanes_operand(l, inst);
  if (kiln_packed_rows(l, pack.part, pack.n, row)) kiln_packed_remember(l, row, pack.part, pack.n);
}

struct kl_pack kiln_packed_load(struct kl_lanes *l, const struct kl_cells *cells) {
  struct kl_pack rows = kiln_lanes_load(l, cells), pack = kiln_lanes_new_pack(l, rows.n);
  LLVMValueRef row[KL_MOST_PITCH];
  memcpy(row, rows.part, rows.n * sizeof *row);
  kiln_rows_split(l, row, rows.n, pack.part);
  kiln_packed_remember(l, rows.part, pack.part, rows.n);
  return pack;
}

void kiln_packed_store(struct kl_lanes *l, const struct kl_cells *cells, struct kl_pack pack,
                       LLVMValueRef mask) {
  struct kl_pack rows = kiln_lanes_new_pack(l, pack.n);
  if (!kiln_lanes_is_full(mask)) {
    const struct kl_pack old = kiln_packed_load(l, cells), given = pack;
    pack = kiln_lanes_new_pack(l, given.n);
    for (uint32_t k = 0; k < pack.n; k++)
      pack.part[k] = LLVMBuildSelect(l->e->b, mask, given.part[k], old.part[k], "");
  }
  if (!kiln_packed_rows(l, pack.part, pack.n, rows.part)) kiln_rows_merge(l, pack.part, pack.n, rows.part);
  kiln_lanes_store(l, cells, rows, LLVMConstAllOnes(LLVMTypeOf(mask)));
}
