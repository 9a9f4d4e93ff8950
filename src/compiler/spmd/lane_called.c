/* Accesses with an address for each lane by calls of functions that the module has once: a few instructions
 * where code for each lane takes fifty to eighty and a loop twenty to forty. As fast as a loop; in place
 * bytes take 0.93 of the time with AVX-512, records under masks 0.97, so that only what is many goes by calls
 * there, and of bytes what is outside loops. Callers know which registers these functions leave alone
 * (object_file.h). */
#include "compiler/spmd/lane_routine.h"

#include <stdio.h>
#include <string.h>

enum {
  FEW = 6,         /* accesses of a function that are in place all the same */
  FEW_LOOPS = 2,   /* and loops over lanes that stay */
  FEW_RECORDS = 3, /* and loads of several components that are alike */
  MOST_KINDS = 8,  /* of such loads that are told apart */
  MOST_NAME = 200
};

/* An access by a number for each lane, as the function for it has it. */
struct form {
  struct kl_index x;  /* as the caller has it; its numbers have 32 or 64 bits */
  struct kl_access a; /* its components: numbers, the first one at the lane's address */
  unsigned scale;     /* bytes of what the numbers count */
  bool rows;          /* what is loaded is taken as rows: with a pattern beside them these stay in use */
};

static LLVMTypeRef number_type(struct kl_lanes *l, unsigned bytes) {
  return LLVMIntTypeInContext(l->e->env->context, 8 * bytes);
}

/* ---- what is worth it ---- */

static bool is_narrow(const struct kl_func *f, uint32_t i) {
  LLVMTypeRef type = LLVMTypeOf(f->inst[kl_moved_by(f, i)].v);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 32;
}

static bool is_outside_loops(const struct kl_shapes *shapes, const struct kl_func *f, uint32_t i) {
  return shapes->uniform.loops.of[f->inst[i].bb] == KL_NONE;
}

bool kiln_called_is_worth(const struct kl_func *f, const struct kl_shapes *shapes) {
  uint32_t n = 0;
  for (uint32_t i = f->narg; i < f->ninst && n <= FEW; i++) {
    if (f->inst[i].op != LLVMLoad && f->inst[i].op != LLVMStore) continue;
    const uint32_t pointer = kl_pointer_of(f, i);
    n += is_narrow(f, i) && is_outside_loops(shapes, f, i) && shapes->unit[pointer] == 0 &&
         shapes->of[pointer].kind == KL_VARYING && shapes->checked[pointer].kind == KL_VARYING;
  }
  return n > FEW;
}

/* Loads of several words side by side by a number for each lane. */
struct kind {
  LLVMTypeRef type, element; /* what is loaded, and what the number counts */
  uint32_t n;
};

static bool is_record(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t i,
                      struct kind *kind) {
  uint32_t index;
  if (f->inst[i].op != LLVMLoad || LLVMGetTypeKind(LLVMTypeOf(f->inst[i].v)) != LLVMVectorTypeKind)
    return false;
  const uint32_t pointer = kl_pointer_of(f, i);
  *kind = (struct kind){.type = LLVMTypeOf(f->inst[i].v)};
  return shapes->of[pointer].kind == KL_VARYING && kl_find_element(f, pointer, &kind->element, &index);
}

/* NULL: there is no room for another one. */
static struct kind *find_kind(struct kind *all, uint32_t *n, const struct kind *one) {
  for (uint32_t k = 0; k < *n; k++)
    if (all[k].type == one->type && all[k].element == one->element) return &all[k];
  if (*n == MOST_KINDS) return NULL;
  all[*n] = (struct kind){.type = one->type, .element = one->element};
  return &all[(*n)++];
}

const bool *kiln_called_records(struct kl_env *env, const struct kl_func *f, const struct kl_shapes *shapes) {
  struct kind all[MOST_KINDS], one;
  uint32_t n = 0;
  bool *called = NULL;
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    struct kind *kind = is_record(f, shapes, i, &one) ? find_kind(all, &n, &one) : NULL;
    if (kind != NULL) kind->n++;
  }
  for (uint32_t i = f->narg; n != 0 && i < f->ninst; i++) {
    struct kind *kind = is_record(f, shapes, i, &one) ? find_kind(all, &n, &one) : NULL;
    if (kind == NULL || kind->n <= FEW_RECORDS) continue;
    if (called == NULL) called = kl_new(env, f->ninst, bool);
    called[i] = true;
  }
  return called;
}

/* Components as numbers of their size, the first of them at the lane's address. */
static bool find_components(struct kl_lanes *l, const struct kl_access *a, struct kl_access *out) {
  *out = (struct kl_access){.n = a->n, .size = a->size, .align = 1};
  for (uint32_t k = 0; k < a->n; k++) {
    out->type[k] = number_type(l, (unsigned)a->size);
    out->offset[k] = a->offset[k] - a->offset[0];
  }
  return a->n == 1 || kiln_access_is_compact(out) || kiln_record_registers(out) != 0;
}

static bool find_form(struct kl_lanes *l, const struct kl_access *a, struct form *form) {
  if (a->size > 8 || a->by_lane || !find_components(l, a, &form->a) ||
      !kiln_access_find_index(l, a, &form->x))
    return false;
  LLVMBuilderRef b = l->e->b;
  struct kl_index *x = &form->x;
  LLVMTypeRef i32 = kiln_lanes_type(l, l->e->map->i32);
  LLVMValueRef offset = LLVMConstInt(l->e->map->i64, (uint64_t)a->offset[0], true);
  if (a->offset[0] != 0) x->base = LLVMBuildGEP2(b, l->e->map->i8, x->base, &offset, 1, "");
  if (LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x->lanes))) < 32) {
    x->lanes = x->is_signed ? LLVMBuildSExt(b, x->lanes, i32, "") : LLVMBuildZExt(b, x->lanes, i32, "");
    x->is_signed = true;
  }
  form->scale = (unsigned)kiln_map_size(l->e->map, kiln_map_type(l->e->map, x->element));
  return true;
}

/* ---- the functions ---- */

static void name_form(const struct kl_lanes *l, const struct form *form, const char *what,
                      char name[MOST_NAME]) {
  const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(form->x.lanes)));
  int length = snprintf(name, MOST_NAME, KL_ACCESS_NAME "%s%u.%u.%c%u.%u", what, (unsigned)form->a.size,
                        l->width, form->x.is_signed ? 'i' : 'u', bits, form->scale);
  for (uint32_t k = 1; k < form->a.n; k++)
    length += snprintf(name + length, MOST_NAME - (size_t)length, ".%d", (int)form->a.offset[k]);
}

/* The index, in the function: of its first two parameters. */
static struct kl_index own_index(const struct form *form, LLVMValueRef fn) {
  return (struct kl_index){.element = form->x.element,
                           .is_signed = form->x.is_signed,
                           .base = LLVMGetParam(fn, 0),
                           .lanes = LLVMGetParam(fn, 1)};
}

static LLVMTypeRef mask_type(const struct kl_lanes *l) {
  return LLVMIntTypeInContext(l->e->env->context, l->width);
}

/* The mask, in the function: of its last parameter; mask: in the caller. */
static LLVMValueRef own_mask(struct kl_lanes *l, LLVMValueRef fn, LLVMValueRef mask) {
  if (kiln_lanes_is_full(mask)) return mask;
  return LLVMBuildBitCast(l->e->b, LLVMGetParam(fn, LLVMCountParams(fn) - 1), LLVMTypeOf(mask), "");
}

static LLVMTypeRef result_type(struct kl_lanes *l, const struct form *form) {
  LLVMTypeRef part[KL_MOST_COMPONENTS];
  for (uint32_t k = 0; k < form->a.n; k++) part[k] = kiln_lanes_type(l, form->a.type[k]);
  return form->a.n == 1 ? part[0] : LLVMStructTypeInContext(l->e->env->context, part, form->a.n, false);
}

/* One component, or all of them as the function's result. */
static LLVMValueRef as_result(struct kl_lanes *l, const LLVMValueRef *part, uint32_t n, LLVMTypeRef type) {
  LLVMValueRef all = LLVMGetPoison(type);
  if (n == 1) return part[0];
  for (uint32_t k = 0; k < n; k++) all = LLVMBuildInsertValue(l->e->b, all, part[k], k, "");
  return all;
}

static LLVMValueRef load_function(struct kl_lanes *l, const struct form *form, LLVMValueRef mask) {
  char name[MOST_NAME];
  const bool full = kiln_lanes_is_full(mask);
  name_form(l, form, form->rows ? full ? "rows" : "rows.some" : full ? "load" : "load.some", name);
  LLVMValueRef fn = LLVMGetNamedFunction(l->e->env->module, name), at[KL_MOST_LANES],
               part[KL_MOST_COMPONENTS];
  if (fn != NULL) return fn;
  LLVMTypeRef type = result_type(l, form),
              param[] = {l->e->map->ptr, LLVMTypeOf(form->x.lanes), mask_type(l)};
  fn = kiln_routine_declare(l, name, type, param, full ? 2 : 3);
  kiln_routine_only(fn, KL_TOUCH_READ);
  struct kl_routine_place before = kiln_routine_enter(l, fn);
  struct kl_index x = own_index(form, fn);
  x.lanes = kiln_lanes_borrow(l, x.lanes, own_mask(l, fn, mask));
  for (unsigned i = 0; i < l->width; i++) at[i] = kiln_index_address(l, &x, i);
  kiln_access_load_at(l, &form->a, at, form->rows, part);
  LLVMBuildRet(l->e->b, as_result(l, part, form->a.n, type));
  kiln_routine_leave(l, before);
  return fn;
}

static void store_one(struct kl_lanes *l, LLVMValueRef value, LLVMValueRef to) {
  LLVMSetAlignment(LLVMBuildStore(l->e->b, value, to), 1);
}

/* Each component of the lanes that are on, in a loop. */
static void store_some(struct kl_lanes *l, const struct form *form, const struct kl_index *x, LLVMValueRef fn,
                       LLVMValueRef mask) {
  struct kl_lane_loop loop;
  struct kl_extract numbers, value[KL_MOST_COMPONENTS];
  kiln_extract_start(l, &numbers, x->lanes, KL_EXTRACT_WHOLE);
  for (uint32_t k = 0; k < form->a.n; k++)
    kiln_extract_start(l, &value[k], LLVMGetParam(fn, 2 + k), KL_EXTRACT_WHOLE);
  kiln_lanes_open_loop(l, &loop, mask);
  LLVMValueRef lane = LLVMBuildZExt(l->e->b, loop.lane, l->e->map->i64, "");
  LLVMValueRef to = kiln_index_element(l, x, x->base, kiln_extract_lane(&numbers, lane));
  for (uint32_t k = 0; k < form->a.n; k++)
    store_one(l, kiln_extract_lane(&value[k], lane), kiln_access_component(l, &form->a, to, k));
  kiln_lanes_close_loop(l, &loop);
}

static void store_all(struct kl_lanes *l, const struct form *form, const struct kl_index *x,
                      LLVMValueRef fn) {
  for (unsigned i = 0; i < l->width; i++) {
    LLVMValueRef to = kiln_index_address(l, x, i);
    for (uint32_t k = 0; k < form->a.n; k++)
      store_one(l, LLVMBuildExtractElement(l->e->b, LLVMGetParam(fn, 2 + k), kiln_lanes_number(l, i), ""),
                kiln_access_component(l, &form->a, to, k));
  }
}

static LLVMValueRef store_function(struct kl_lanes *l, const struct form *form, LLVMValueRef mask) {
  char name[MOST_NAME];
  const bool full = kiln_lanes_is_full(mask);
  name_form(l, form, full ? "store" : "store.some", name);
  LLVMValueRef fn = LLVMGetNamedFunction(l->e->env->module, name);
  if (fn != NULL) return fn;
  const uint32_t n = form->a.n;
  LLVMTypeRef param[KL_MOST_COMPONENTS + 3] = {l->e->map->ptr, LLVMTypeOf(form->x.lanes)};
  for (uint32_t k = 0; k < n; k++) param[2 + k] = kiln_lanes_type(l, form->a.type[k]);
  param[2 + n] = mask_type(l);
  fn = kiln_routine_declare(l, name, LLVMVoidTypeInContext(l->e->env->context), param, n + (full ? 2 : 3));
  kiln_routine_only(fn, KL_TOUCH_WRITE);
  struct kl_routine_place before = kiln_routine_enter(l, fn);
  const struct kl_index x = own_index(form, fn);
  if (full) store_all(l, form, &x, fn);
  else store_some(l, form, &x, fn, own_mask(l, fn, mask));
  LLVMBuildRetVoid(l->e->b);
  kiln_routine_leave(l, before);
  return fn;
}

/* ---- the calls ---- */

static bool is_many(const struct kl_lanes *l, const struct kl_access *a) {
  return a->n == 1 && l->calls && a->size < 4 && is_outside_loops(l->shapes, l->e->f, a->inst[0]);
}

static bool is_one_of_many(const struct kl_lanes *l, const struct kl_access *a) {
  return a->n > 1 && a->size >= 4 && l->called_records != NULL && l->called_records[a->inst[0]];
}

static bool is_pointer(const struct kl_access *a, uint32_t k) {
  return LLVMGetTypeKind(a->type[k]) == LLVMPointerTypeKind;
}

static LLVMValueRef call(struct kl_lanes *l, LLVMValueRef fn, LLVMValueRef *args, LLVMValueRef mask) {
  unsigned n = LLVMCountParams(fn);
  if (!kiln_lanes_is_full(mask)) args[n - 1] = kiln_lanes_bits(l, mask);
  return LLVMBuildCall2(l->e->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

bool kiln_called_load(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool rare,
                      LLVMValueRef *out) {
  struct form form;
  const bool full = kiln_lanes_is_full(mask);
  if (a->n == 1 ? !full || !is_many(l, a) : (full && !rare) || !is_one_of_many(l, a)) return false;
  if (!find_form(l, a, &form)) return false;
  form.rows = rare && kiln_access_is_compact(a);
  LLVMValueRef args[] = {form.x.base, form.x.lanes, NULL}, row[KL_MOST_COMPONENTS];
  LLVMValueRef made = call(l, load_function(l, &form, mask), args, mask);
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMValueRef part = a->n == 1 ? made : LLVMBuildExtractValue(l->e->b, made, k, "");
    LLVMTypeRef type = kiln_lanes_type(l, a->type[k]);
    row[k] = is_pointer(a, k) ? LLVMBuildIntToPtr(l->e->b, part, type, "")
                              : LLVMBuildBitCast(l->e->b, part, type, "");
  }
  if (form.rows) {
    kiln_rows_split(l, row, a->n, out);
    kiln_packed_remember(l, row, out, a->n);
  } else memcpy(out, row, a->n * sizeof *row);
  return true;
}

bool kiln_called_store(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool loops,
                       LLVMValueRef *value) {
  struct form form = {0};
  if (a->n > 1 && a->size < 4) return false;
  if (!is_many(l, a) && (!loops || l->loops++ < FEW_LOOPS)) return false;
  if (!find_form(l, a, &form)) return false;
  LLVMValueRef args[KL_MOST_COMPONENTS + 3] = {form.x.base, form.x.lanes};
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMTypeRef type = kiln_lanes_type(l, form.a.type[k]);
    args[2 + k] = is_pointer(a, k) ? LLVMBuildPtrToInt(l->e->b, value[k], type, "")
                                   : LLVMBuildBitCast(l->e->b, value[k], type, "");
  }
  call(l, store_function(l, &form, mask), args, mask);
  return true;
}
