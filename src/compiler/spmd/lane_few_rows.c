/* Private arrays of few elements that lie lane by lane, at places that lanes choose: each row is asked which
 * lanes mean it. What follows then finds the array in rows, often in registers, where it would wait for
 * elements that were scattered. */
#include "compiler/spmd/lane_private.h"

/* Rows that are asked one by one, of elements of so many bytes: narrow ones are longer to fetch one by one,
 * and to ask for where masks are vectors of another size. */
static unsigned most_rows(unsigned native, uint64_t size) {
  if (size >= 4 || native >= 16) return 12;
  return native >= 8 ? 8 : 0;
}

uint32_t kiln_private_rows(struct kl_map *map, const struct kl_func *f, const struct kl_shapes *shapes,
                           uint32_t pointer, unsigned native) {
  const uint32_t object = kl_object_of(f, pointer), unit = shapes->unit[pointer];
  if (unit == 0 || f->inst[object].op != LLVMAlloca) return 0;
  const uint64_t rows = kiln_lane_object_size(map, f->inst[object].v) / unit;
  return rows <= most_rows(native, unit) ? (uint32_t)rows : 0;
}

/* Bytes from an array's start where what lane 0 means begins: first, plus any number of steps; step 0: first
 * only. */
struct progression {
  int64_t first, step;
};

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static LLVMValueRef add_step(void *user, uint32_t value, uint64_t step) {
  struct progression *p = user;
  (void)value;
  p->step = common_divisor(p->step, (int64_t)step);
  return NULL;
}

/* By what a pointer is made of. */
static struct progression progression_of(struct kl_emit *e, uint32_t pointer) {
  struct progression p = {0};
  int64_t constant;
  for (; e->f->inst[pointer].op == LLVMGetElementPtr; pointer = kl_operand(e->f, pointer, 0)) {
    kiln_emit_offset(e, pointer, &constant, add_step, &p);
    p.first += constant;
  }
  return e->f->inst[pointer].op == LLVMAlloca ? p : (struct progression){0, 1};
}

/* The rows of a small array that lanes may mean. */
struct rows {
  LLVMValueRef base, numbers; /* numbers: by lane */
  unsigned first, step, n;
};

static bool find_rows(struct kl_lanes *l, const struct kl_access *a, struct rows *rows) {
  LLVMValueRef shift[KL_MOST_LANES], on = LLVMConstAllOnes(kiln_lanes_type(l, l->e->map->i1));
  const uint32_t object = kl_object_of(l->e->f, a->pointer);
  if (!kiln_private_is_choosing(a)) return false;
  if (l->e->f->inst[object].op != LLVMAlloca || l->shapes->unit[a->pointer] != a->size) return false;
  LLVMValueRef offsets = kiln_private_offsets(l, a, on, &rows->base);
  if (offsets == NULL) return false;
  const struct progression p = progression_of(l->e, a->pointer);
  const int64_t row = (int64_t)l->width * a->size,
                all = (int64_t)kiln_lane_object_size(l->e->map, l->e->f->inst[object].v) / a->size;
  const int64_t step = p.step == 0 || p.step % row != 0 ? 1 : p.step / row,
                first = (p.first / row % step + step) % step, last = all - 1 - a->offset[a->n - 1] / row,
                n = last < first ? 0 : (last - first) / step + 1;
  if (n == 0 || n > most_rows(l->e->program->native, a->size)) return false;
  for (unsigned i = 0; i < l->width; i++) shift[i] = kiln_lanes_number(l, (uint64_t)__builtin_ctzll(row));
  rows->numbers = LLVMBuildLShr(l->e->b, offsets, LLVMConstVector(shift, l->width), "");
  rows->first = (unsigned)first;
  rows->step = (unsigned)step;
  rows->n = (unsigned)n;
  return true;
}

/* Of the k-th row. */
static LLVMValueRef lanes_of_row(struct kl_lanes *l, const struct rows *rows, unsigned k) {
  LLVMValueRef number = LLVMConstInt(l->e->map->i32, rows->first + k * rows->step, false);
  return LLVMBuildICmp(l->e->b, LLVMIntEQ, rows->numbers, kiln_lanes_splat(l, number), "");
}

static LLVMValueRef place_of_row(struct kl_lanes *l, const struct kl_access *a, const struct rows *rows,
                                 unsigned k) {
  const uint64_t number = rows->first + k * rows->step;
  LLVMValueRef offset = LLVMConstInt(l->e->map->i64, number * l->width * a->size, false);
  return LLVMBuildGEP2(l->e->b, l->e->map->i8, rows->base, &offset, 1, "");
}

static LLVMValueRef load_row(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef at, uint32_t c) {
  LLVMValueRef all = LLVMConstAllOnes(kiln_lanes_type(l, l->e->map->i1));
  return kiln_lanes_load_row(l, a->type[c], kiln_private_component(l, a, at, c), kiln_access_align(a, c),
                             all);
}

bool kiln_private_load_rows(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *out) {
  struct rows rows;
  if (!find_rows(l, a, &rows)) return false;
  for (unsigned k = 0; k < rows.n; k++) {
    LLVMValueRef at = place_of_row(l, a, &rows, k), lanes = lanes_of_row(l, &rows, k);
    for (uint32_t c = 0; c < a->n; c++) {
      LLVMValueRef row = load_row(l, a, at, c);
      out[c] = k == 0 ? row : LLVMBuildSelect(l->e->b, lanes, row, out[c], "");
    }
  }
  return true;
}

bool kiln_private_store_rows(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                             LLVMValueRef *value) {
  struct rows rows;
  LLVMValueRef all = LLVMConstAllOnes(LLVMTypeOf(mask));
  if (!find_rows(l, a, &rows)) return false;
  for (unsigned k = 0; k < rows.n; k++) {
    LLVMValueRef at = place_of_row(l, a, &rows, k), lanes = lanes_of_row(l, &rows, k);
    if (!kiln_lanes_is_full(mask)) lanes = LLVMBuildAnd(l->e->b, lanes, mask, "");
    for (uint32_t c = 0; c < a->n; c++) {
      LLVMValueRef row = LLVMBuildSelect(l->e->b, lanes, value[c], load_row(l, a, at, c), "");
      kiln_lanes_store_row(l, row, kiln_private_component(l, a, at, c), kiln_access_align(a, c), all);
    }
  }
  return true;
}
