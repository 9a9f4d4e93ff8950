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

/* Bytes from an array's start where what a lane means begins: first, plus any number of steps; step 0: first
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

static void add_step(void *user, uint32_t value, uint64_t step) {
  struct progression *p = user;
  (void)value;
  p->step = common_divisor(p->step, (int64_t)step);
}

/* By what a pointer is made of. */
static struct progression progression_of(struct kl_map *map, const struct kl_func *f, uint32_t pointer) {
  struct progression p = {0};
  for (; f->inst[pointer].op == LLVMGetElementPtr; pointer = kl_operand(f, pointer, 0))
    p.first += kiln_offset_by_lane(map, f, pointer, 1, add_step, &p);
  return f->inst[pointer].op == LLVMAlloca ? p : (struct progression){0, 1};
}

/* The rows in which what lanes may mean begins; n is 0: it is not to be asked for them. */
struct choice {
  unsigned first, step, n;
};

static struct choice choice_of(struct kl_map *map, const struct kl_func *f, const struct kl_shapes *shapes,
                               uint32_t pointer, unsigned components, unsigned native) {
  const uint32_t object = kl_object_of(f, pointer);
  const int64_t unit = shapes->unit[pointer];
  if (unit == 0 || f->inst[object].op != LLVMAlloca) return (struct choice){0};
  const struct progression p = progression_of(map, f, pointer);
  const int64_t last = (int64_t)kiln_lane_object_size(map, f->inst[object].v) / unit - components,
                step = p.step == 0 || p.step % unit != 0 ? 1 : p.step / unit,
                first = (p.first / unit % step + step) % step,
                n = last < first ? 0 : (last - first) / step + 1;
  if (n > most_rows(native, (uint64_t)unit)) return (struct choice){0};
  return (struct choice){(unsigned)first, (unsigned)step, (unsigned)n};
}

uint32_t kiln_private_rows(struct kl_map *map, const struct kl_func *f, const struct kl_shapes *shapes,
                           uint32_t pointer, unsigned native) {
  return choice_of(map, f, shapes, pointer, 1, native).n;
}

/* The same with code. */
struct rows {
  LLVMValueRef base, numbers; /* numbers: by lane */
  struct choice in;
};

static bool find_rows(struct kl_lanes *l, const struct kl_access *a, struct rows *rows) {
  LLVMValueRef shift[KL_MOST_LANES], on = LLVMConstAllOnes(kiln_lanes_type(l, l->e->map->i1));
  if (!kiln_private_is_choosing(a) || l->shapes->unit[a->pointer] != a->size) return false;
  rows->in = choice_of(l->e->map, l->e->f, l->shapes, a->pointer, a->n, l->e->program->native);
  LLVMValueRef offsets = rows->in.n == 0 ? NULL : kiln_private_offsets(l, a, on, &rows->base);
  if (offsets == NULL) return false;
  const uint64_t bytes = (uint64_t)l->width * a->size;
  for (unsigned i = 0; i < l->width; i++) shift[i] = kiln_lanes_number(l, (uint64_t)__builtin_ctzll(bytes));
  rows->numbers = LLVMBuildLShr(l->e->b, offsets, LLVMConstVector(shift, l->width), "");
  return true;
}

/* Of the k-th row. */
static LLVMValueRef lanes_of_row(struct kl_lanes *l, const struct rows *rows, unsigned k) {
  LLVMValueRef number = LLVMConstInt(l->e->map->i32, rows->in.first + k * rows->in.step, false);
  return LLVMBuildICmp(l->e->b, LLVMIntEQ, rows->numbers, kiln_lanes_splat(l, number), "");
}

static LLVMValueRef place_of_row(struct kl_lanes *l, const struct kl_access *a, const struct rows *rows,
                                 unsigned k) {
  const uint64_t number = rows->in.first + k * rows->in.step;
  return kiln_emit_at(l->e, l->e->b, rows->base, number * l->width * a->size);
}

static LLVMValueRef load_row(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef at, uint32_t c) {
  LLVMValueRef all = LLVMConstAllOnes(kiln_lanes_type(l, l->e->map->i1));
  return kiln_lanes_load_row(l, a->type[c], kiln_access_component(l, a, at, c), kiln_access_align(a, c), all);
}

bool kiln_private_load_rows(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *out) {
  struct rows rows;
  if (!find_rows(l, a, &rows)) return false;
  for (unsigned k = 0; k < rows.in.n; k++) {
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
  for (unsigned k = 0; k < rows.in.n; k++) {
    LLVMValueRef at = place_of_row(l, a, &rows, k), lanes = lanes_of_row(l, &rows, k);
    if (!kiln_lanes_is_full(mask)) lanes = LLVMBuildAnd(l->e->b, lanes, mask, "");
    for (uint32_t c = 0; c < a->n; c++) {
      LLVMValueRef row = LLVMBuildSelect(l->e->b, lanes, value[c], load_row(l, a, at, c), "");
      kiln_lanes_store_row(l, row, kiln_access_component(l, a, at, c), kiln_access_align(a, c), all);
    }
  }
  return true;
}
