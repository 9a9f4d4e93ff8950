/* Accesses with an address for each lane by calls of functions that the module has once: a few instructions
 * where code for each lane takes fifty and a loop twenty. As fast as a loop; in place they take 0.93 of the
 * time with AVX-512, so that only what is outside loops, and many, goes by calls there. Callers know which
 * registers these functions leave alone (object_file.h). */
#include "compiler/spmd/lane_routine.h"

#include <stdio.h>

enum {
  FEW = 6,       /* accesses of a function that are in place all the same */
  FEW_LOOPS = 2, /* and loops over lanes that stay */
  MOST_NAME = 80
};

/* An access by a number for each lane, as the function for it has it. */
struct form {
  struct kl_index x;    /* as the caller has it; its numbers have 32 or 64 bits */
  unsigned size, scale; /* bytes: of an element, and of what the numbers count */
};

static LLVMTypeRef number_type(struct kl_lanes *l, unsigned bytes) {
  return LLVMIntTypeInContext(l->e->env->context, 8 * bytes);
}

static bool has_masks(const struct kl_lanes *l) { return l->e->program->native >= 16; }

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

static bool find_form(struct kl_lanes *l, const struct kl_access *a, struct form *form) {
  if (a->n != 1 || a->size > 8 || a->by_lane || !kiln_access_find_index(l, a, &form->x)) return false;
  LLVMBuilderRef b = l->e->b;
  struct kl_index *x = &form->x;
  LLVMTypeRef i32 = kiln_lanes_type(l, l->e->map->i32);
  if (LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x->lanes))) < 32) {
    x->lanes = x->is_signed ? LLVMBuildSExt(b, x->lanes, i32, "") : LLVMBuildZExt(b, x->lanes, i32, "");
    x->is_signed = true;
  }
  form->size = (unsigned)a->size;
  form->scale = (unsigned)kiln_map_size(l->e->map, kiln_map_type(l->e->map, x->element));
  return true;
}

/* ---- the functions ---- */

static void name_form(const struct kl_lanes *l, const struct form *form, const char *what,
                      char name[MOST_NAME]) {
  const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(form->x.lanes)));
  snprintf(name, MOST_NAME, "kiln.lanes.%s%u.%u.%c%u.%u", what, form->size, l->width,
           form->x.is_signed ? 'i' : 'u', bits, form->scale);
}

/* The index, in the function: of its first two parameters. */
static struct kl_index own_index(const struct form *form, LLVMValueRef fn) {
  return (struct kl_index){.element = form->x.element,
                           .is_signed = form->x.is_signed,
                           .base = LLVMGetParam(fn, 0),
                           .lanes = LLVMGetParam(fn, 1)};
}

static LLVMValueRef load_function(struct kl_lanes *l, const struct form *form) {
  char name[MOST_NAME];
  name_form(l, form, "load", name);
  LLVMValueRef fn = LLVMGetNamedFunction(l->e->env->module, name);
  if (fn != NULL) return fn;
  LLVMTypeRef part = number_type(l, form->size), type = kiln_lanes_type(l, part),
              param[] = {l->e->map->ptr, LLVMTypeOf(form->x.lanes)};
  fn = kiln_routine_declare(l, name, type, param, 2);
  struct kl_routine_place before = kiln_routine_enter(l, fn);
  const struct kl_index x = own_index(form, fn);
  LLVMValueRef all = LLVMGetPoison(type);
  for (unsigned i = 0; i < l->width; i++) {
    LLVMValueRef one = LLVMBuildLoad2(l->e->b, part, kiln_index_address(l, &x, i), "");
    LLVMSetAlignment(one, 1);
    all = LLVMBuildInsertElement(l->e->b, all, one, kiln_lanes_number(l, i), "");
  }
  LLVMBuildRet(l->e->b, all);
  kiln_routine_leave(l, before);
  return fn;
}

static void store_one(struct kl_lanes *l, LLVMValueRef value, LLVMValueRef to) {
  LLVMSetAlignment(LLVMBuildStore(l->e->b, value, to), 1);
}

static void store_some(struct kl_lanes *l, const struct kl_index *x, LLVMValueRef value, LLVMValueRef mask) {
  struct kl_lane_loop loop;
  struct kl_extract numbers, values;
  kiln_extract_start(l, &numbers, x->lanes, KL_EXTRACT_WHOLE);
  kiln_extract_start(l, &values, value, KL_EXTRACT_WHOLE);
  kiln_lanes_open_loop(l, &loop, mask);
  LLVMValueRef lane = LLVMBuildZExt(l->e->b, loop.lane, l->e->map->i64, "");
  store_one(l, kiln_extract_lane(&values, lane),
            kiln_index_element(l, x, x->base, kiln_extract_lane(&numbers, lane)));
  kiln_lanes_close_loop(l, &loop);
}

static LLVMValueRef store_function(struct kl_lanes *l, const struct form *form, LLVMTypeRef value,
                                   LLVMValueRef mask) {
  char name[MOST_NAME];
  const bool full = kiln_lanes_is_full(mask);
  name_form(l, form, full ? "store" : "store.some", name);
  LLVMValueRef fn = LLVMGetNamedFunction(l->e->env->module, name);
  if (fn != NULL) return fn;
  LLVMTypeRef bits = LLVMIntTypeInContext(l->e->env->context, l->width),
              param[] = {l->e->map->ptr, LLVMTypeOf(form->x.lanes), value, bits};
  fn = kiln_routine_declare(l, name, LLVMVoidTypeInContext(l->e->env->context), param, full ? 3 : 4);
  struct kl_routine_place before = kiln_routine_enter(l, fn);
  const struct kl_index x = own_index(form, fn);
  if (full)
    for (unsigned i = 0; i < l->width; i++)
      store_one(l, LLVMBuildExtractElement(l->e->b, LLVMGetParam(fn, 2), kiln_lanes_number(l, i), ""),
                kiln_index_address(l, &x, i));
  else
    store_some(l, &x, LLVMGetParam(fn, 2),
               LLVMBuildBitCast(l->e->b, LLVMGetParam(fn, 3), LLVMTypeOf(mask), ""));
  LLVMBuildRetVoid(l->e->b);
  kiln_routine_leave(l, before);
  return fn;
}

/* ---- the calls ---- */

static bool is_many(const struct kl_lanes *l, const struct kl_access *a) {
  return l->calls && has_masks(l) && a->size < 4 && is_outside_loops(l->shapes, l->e->f, a->inst[0]);
}

bool kiln_called_load(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *out) {
  struct form form;
  if (!is_many(l, a) || !kiln_lanes_is_full(mask) || !find_form(l, a, &form)) return false;
  LLVMValueRef fn = load_function(l, &form), args[] = {form.x.base, form.x.lanes};
  LLVMValueRef made = LLVMBuildCall2(l->e->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
  out[0] = LLVMBuildBitCast(l->e->b, made, kiln_lanes_type(l, a->type[0]), "");
  return true;
}

bool kiln_called_store(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool loops,
                       LLVMValueRef *value) {
  struct form form;
  if (!is_many(l, a) && (!loops || l->loops++ < FEW_LOOPS)) return false;
  if (!find_form(l, a, &form)) return false;
  LLVMTypeRef type = kiln_lanes_type(l, number_type(l, form.size));
  LLVMValueRef all = LLVMGetTypeKind(a->type[0]) == LLVMPointerTypeKind
                         ? LLVMBuildPtrToInt(l->e->b, value[0], type, "")
                         : LLVMBuildBitCast(l->e->b, value[0], type, "");
  LLVMValueRef fn = store_function(l, &form, type, mask),
               args[] = {form.x.base, form.x.lanes, all, kiln_lanes_bits(l, mask)};
  LLVMBuildCall2(l->e->b, LLVMGlobalGetValueType(fn), fn, args, kiln_lanes_is_full(mask) ? 3 : 4, "");
  return true;
}
