/* Shapes, flows and the choice between scalar code and lanes; see lane_plan.h. */
#include "compiler/spmd/lane_plan.h"

#include "compiler/spmd/group.h"
#include "compiler/spmd/lane_choice.h"
#include "compiler/spmd/lane_planner.h"
#include "compiler/spmd/spin.h"
#include "compiler/spmd/stream.h"
#include "compiler/spmd/word_loads.h"

#include <stdio.h>

/* Of a kernel that gets lanes: its code is there twice, and wider. Hash functions of so many instructions
 * take up to two seconds, 1 to 2.5 times what they take without, and run 2 to 4 times as fast. */
enum {
  MOST_INSTRUCTIONS = 16000,
  LONG = 6000,  /* from here on code must not become much longer by lanes */
  GATHERED = 4, /* instructions of an access with an address for each lane, if the processor gathers */
  BY_LANE = 2,  /* if it does not, of each lane */
  MASKED = 3,   /* of an instruction under a mask, beyond it */
  REGION = 40,  /* of the loops over vectors between two barriers */
  MOST_SHARED = 16 << 20 /* bytes of the lanes' copies of large arrays: so much a worker keeps (lane.c) */
};

/* ---- what lanes cannot do yet ---- */

/* A loop that lanes leave at different turns, with a barrier in some: not legal where they do, so it need not
 * be fast. */
static bool barrier_in_divergent_loop(struct kl_lane_planner *p) {
  const struct kl_uniform *u = &p->lanes->shapes.uniform;
  for (uint32_t b = 0; b < p->f->graph.n; b++) {
    if (p->f->block[b].barrier == 0) continue;
    for (uint32_t l = u->loops.of[b]; l != KL_NONE; l = u->loops.parent[l])
      if (u->loop_diverges[l]) return true;
  }
  return false;
}

static bool may_spin(struct kl_lane_planner *p) {
  if (kiln_callees_may_spin(p->program)) return true; /* code out of line runs for one lane after the other */
  const struct kl_uniform *u = &p->lanes->shapes.uniform;
  return kiln_may_spin(p->program, p->f, &p->uses, &u->loops, &u->postdom);
}

/* Vectors of parts of bytes have less room in their slot than lanes need; truth values take whole bytes. */
static bool slots_fit(struct kl_lane_planner *p) {
  for (uint32_t v = p->f->narg; v < p->f->ninst; v++) {
    LLVMTypeRef type = LLVMTypeOf(p->f->inst[v].v);
    if (p->plan->keep[v] != KL_KEEP_ITEM || LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind)
      continue;
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(type));
    if (bits != 1 && bits % 8 != 0) return false;
  }
  return true;
}

/* Frames and the lanes' copies of large arrays are not larger than they may be, and leave half of the arena.
 */
static bool are_few(const struct kl_lane_planner *p, unsigned lanes) {
  const uint64_t bytes = p->program->frame_bytes + lanes * p->plan->shared_bytes;
  return bytes <= MOST_SHARED && bytes <= p->program->arena_size / 2;
}

/* The arena has room for what each work-item of a group accounts for (kiln_plan_bound): for the lanes' copies
 * of large arrays, if the group has as many work-items, or if nothing else lies there. */
static bool shared_fits(const struct kl_lane_planner *p, const struct kl_mapping *map,
                        const uint32_t local_size[3]) {
  const uint64_t items = (uint64_t)local_size[0] * local_size[1] * local_size[2];
  return p->plan->shared_bytes == 0 ||
         (are_few(p, map->width) && (items >= map->width || p->plan->nslot == 0));
}

/* Where there are large arrays fewer, down to those of a register. */
static unsigned most_lanes(const struct kl_lane_planner *p, const struct kiln_spec *spec, unsigned native) {
  unsigned most = p->program->most_lanes != 0 ? p->program->most_lanes : KL_MOST_LANES;
  while (most > native && !are_few(p, most)) most /= 2;
  return most == KL_MOST_LANES || (spec->most != 0 && spec->most < most) ? spec->most : most;
}

/* ---- choice ---- */

static bool is_large(const struct kl_func *f) { return f->ninst - f->narg > MOST_INSTRUCTIONS; }

static const char large[] = "the kernel is very large";

/* By accesses with an address of its own for each lane, by code that some lanes run and others do not, and by
 * regions. */
static bool lengthens(const struct kl_lane_planner *p, unsigned native, unsigned width) {
  const struct kl_func *f = p->f;
  const struct kl_shapes *shapes = &p->lanes->shapes;
  const uint32_t size = f->ninst - f->narg, each = native >= 16 ? GATHERED : BY_LANE * width;
  uint32_t more = 0;
  if (size <= LONG) return false;
  for (uint32_t b = 0; b < f->graph.n; b++)
    if (kiln_uniform_is_side(&shapes->uniform, f, b)) more += MASKED * f->block[b].n;
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const struct kl_inst *inst = &f->inst[i];
    if (inst->op == KL_BARRIER) more += REGION;
    if (inst->op != LLVMLoad && inst->op != LLVMStore) continue;
    more += kiln_shape_checked_at(shapes, f, kl_pointer_of(f, i), inst->bb).kind == KL_VARYING ? each : 0;
  }
  return more > size;
}

static const char spins[] = "a loop may wait for what another work-item does";

/* Why the kernel gets no lanes whatever the mapping; NULL: it may get them. */
static const char *refuse_early(const struct kl_lane_planner *p, const struct kiln_spec *spec,
                                unsigned native) {
  if (spec->width == 1 || (spec->width == 0 && native < 2)) return "that is asked for";
  return is_large(p->f) ? large : NULL;
}

/* Two work-items side by side are asked for; why there are none, or that. */
static const char *plan_pair(struct kl_lane_planner *p, const struct kiln_spec *spec) {
  const struct kl_mapping map = kiln_mapping_row(0, 2);
  struct kl_abreast *a = kl_new(p->env, 1, struct kl_abreast);
  kiln_shapes_find(&p->lanes->shapes, p->env, p->program, p->plan, &map, spec->small, false);
  if (!kiln_abreast_find(a, p->env, p->program, p->plan, &p->lanes->shapes.uniform))
    return "its regions, loops or private objects have no form for two side by side";
  if (may_spin(p)) return spins;
  p->lanes->abreast = a;
  return "that is asked for";
}

static const char *refuse_spin(struct kl_lane_planner *p) { return may_spin(p) ? spins : NULL; }

static const char no_form[] = "its control flow has no form in lanes";

/* What cannot be done, once shapes are known. */
static const char *find_form(struct kl_lane_planner *p, const struct kl_mapping *map,
                             const uint32_t local_size[3]) {
  if (p->lanes->shapes.uniform.loops.irreducible) return "there are jumps into the middle of loops";
  if (p->apart == NULL && barrier_in_divergent_loop(p))
    return "work-items leave a loop with a barrier at different turns";
  if (!slots_fit(p)) return "vectors of parts of bytes live across a barrier";
  if (!shared_fits(p, map, local_size)) return "private arrays are too large for one copy per lane";
  if (!kiln_lanes_accept(p->f, &p->lanes->shapes, p->program->map)) return "a value has no form in lanes";
  return kiln_lane_plan_regions(p) ? NULL : no_form;
}

/* The same where a barrier stands in some turns of a loop only, or lanes may be in different ones between
 * two: each lane keeps values of its own that all would have in common if it was known that they are in the
 * same turn. Sums of pyFAI that leave out what lies far from their mean: 3.1 times as fast as without lanes.
 */
static const char *find_form_apart(struct kl_lane_planner *p, const struct kl_mapping *map,
                                   const struct kiln_spec *spec) {
  struct kl_plan own = *p->plan;
  const bool whole = kiln_mapping_has_whole_rows(spec, map);
  const char *why = NULL;
  p->apart = kl_new(p->env, p->f->nvalue, bool);
  do {
    p->found_apart = false;
    kiln_shapes_find(&p->lanes->shapes, p->env, p->program, &own, map, spec->small, whole);
    why = find_form(p, map, spec->local_size);
    own.apart = p->apart;
  } while (p->found_apart);
  p->apart = NULL;
  return why;
}

/* As refuse_early(). */
static const char *refuse_late(struct kl_lane_planner *p, const struct kl_mapping *map, unsigned native,
                               const struct kiln_spec *spec) {
  const bool forced = spec->width != 0;
  const char *why = refuse_spin(p);
  if (why == NULL && map->width == 1) return "lanes would cost more than they gain";
  if (why == NULL && !forced && lengthens(p, native, map->width)) return large;
  if (why == NULL) why = find_form(p, map, spec->local_size);
  return why == no_form ? find_form_apart(p, map, spec) : why;
}

static void start(struct kl_lane_planner *p) {
  p->node_of = kl_new(p->env, p->f->graph.n, uint32_t);
  kiln_uses_find(p->env, p->f, &p->uses);
}

static void settle(struct kl_lane_plan *lanes, const struct kl_mapping *map) {
  lanes->width = map->width;
  lanes->rest = lanes->shapes;
  lanes->rest.map.width = lanes->rest.map.run = map->rest;
}

/* ---- sub-groups ---- */

static bool has_private_objects(const struct kl_lane_planner *p) {
  for (uint32_t v = 0; v < p->f->ninst; v++)
    if (p->plan->place[v] != KL_PLACE_NONE) return true;
  return false;
}

/* The last one is what has been found to do when the size was chosen. */
static void plan_sub_groups(struct kl_lane_planner *p, const struct kiln_kernel_info *info,
                            const struct kiln_spec *spec) {
  static const struct kiln_spec nothing_known;
  bool uniform = spec->uniform || (info->flags & KILN_KERNEL_UNIFORM_GROUPS) != 0;
  unsigned size = info->subgroup_size;
  const struct kl_mapping linear = kiln_mapping_linear(size),
                          best = kiln_mapping_of_sub_group(spec, size, uniform, has_private_objects(p));
  const struct kl_mapping *map = &best;
  const char *why = find_form_apart(p, map, spec);
  if (why != NULL) why = find_form_apart(p, map = &linear, spec);
  if (why != NULL) why = find_form_apart(p, map, &nothing_known);
  if (why != NULL) kiln_env_fail(p->env, "internal: no form for sub-groups of %u: %s", size, why);
  settle(p->lanes, map);
}

static bool callee_uses_sub_groups(struct kl_lane_planner *p) {
  for (uint32_t c = 0; c < p->program->ncallee; c++) {
    const struct kl_func *f = p->program->callee[c].f;
    for (uint32_t i = f->narg; i < f->ninst; i++)
      if (f->inst[i].op == KL_SUB_GROUP) return true;
  }
  return false;
}

unsigned kiln_lane_plan_sub_group(struct kl_env *env, struct kl_program *program, const struct kl_plan *plan,
                                  unsigned native, unsigned wanted, const char **why_out) {
  struct kl_lane_plan lanes = {0};
  struct kl_lane_planner p = {
      .lanes = &lanes, .env = env, .program = program, .f = program->kernel, .plan = plan};
  unsigned size = wanted != 0 ? wanted : kiln_lane_sub_group(program, native);
  struct kl_mapping map = kiln_mapping_linear(size);
  *why_out = NULL;
  if (!program->has_sub_groups || size == 1) return size;
  start(&p);
  if (is_large(p.f) && wanted == 0) *why_out = large;
  else if (callee_uses_sub_groups(&p)) *why_out = "a function that is not expanded uses them";
  else *why_out = find_form_apart(&p, &map, &(struct kiln_spec){0});
  if (*why_out == NULL && wanted == 0) *why_out = refuse_spin(&p);
  return *why_out == NULL ? size : 1;
}

/* ---- interface ---- */

/* The mapping for launches like spec, and why it cannot be had after all. */
static const char *choose(struct kl_lane_planner *p, const struct kiln_kernel_info *info,
                          const struct kiln_spec *spec, unsigned native, struct kl_mapping *map_out) {
  struct kl_lane_choice in = {
      .costs = {.env = p->env,
                .map = p->program->map,
                .f = p->f,
                .uses = &p->uses,
                .plan = p->plan,
                .word_loads = kiln_word_loads_find(p->env, p->program->map, p->f),
                .local_size = spec->local_size,
                .rows = spec->rows,
                .native = native < 4 ? 4 : native,
                .integer_turns = p->program->integer_turns,
                .lines_in_place = p->program->lines_in_place,
                .has_half = p->program->has_half},
      .program = p->program,
      .spec = spec,
      .most = most_lanes(p, spec, native),
      .merges = p->lanes->merges,
      .lanes = kiln_stream_lanes(spec, info, native),
  };
  *map_out =
      kiln_lane_choose(&in, &p->lanes->shapes, &p->lanes->turns, &p->lanes->abreast, &p->lanes->estimate);
  if (p->lanes->abreast != NULL && may_spin(p)) p->lanes->abreast = NULL;
  return refuse_late(p, map_out, native, spec);
}

void kiln_lane_plan_make(struct kl_lane_plan *lanes, struct kl_env *env, struct kl_program *program,
                         const struct kl_plan *plan, const struct kiln_kernel_info *info,
                         const struct kiln_spec *spec, unsigned native) {
  struct kl_lane_planner p = {
      .lanes = lanes, .env = env, .program = program, .f = program->kernel, .plan = plan};
  lanes->width = lanes->sub_group = 1;
  lanes->merges = kiln_mapping_is_free(program, info);
  lanes->grain = lanes->merges ? spec->grain : 0;
  if (program->has_sub_groups) {
    lanes->sub_group = info->subgroup_size;
    lanes->is_sub_group = true;
    start(&p);
    if (lanes->sub_group > 1) plan_sub_groups(&p, info, spec);
    else kiln_lane_plan_sub_group(env, program, plan, native < 4 ? 4 : native, 0, &lanes->why);
    if (lanes->why == NULL) lanes->why = "so they were made when the program was built";
    return;
  }
  lanes->why = refuse_early(&p, spec, native);
  lanes->any_number = lanes->why != NULL && spec->width != 1;
  if (lanes->why != NULL) return;
  start(&p);
  if (spec->width == KILN_WIDTH_PAIR) {
    lanes->why = plan_pair(&p, spec);
    return;
  }
  struct kiln_spec many = *spec;
  struct kl_mapping map;
  many.most = 0;
  lanes->why = choose(&p, info, &many, native, &map);
  lanes->any_number = lanes->why != NULL && lanes->abreast == NULL;
  if (spec->most == 1) lanes->abreast = NULL;
  if (lanes->why == NULL && spec->most == 1)
    lanes->why = "there are few work-items, each for a thread of its own";
  else if (lanes->why == NULL && spec->most != 0) lanes->why = choose(&p, info, spec, native, &map);
  if (lanes->why == NULL) settle(lanes, &map);
}

void kiln_lane_plan_describe(const struct kl_lane_plan *lanes, char *out, size_t size) {
  const struct kl_mapping *map = &lanes->shapes.map;
  const char *groups = lanes->merges         ? "; work-groups side by side may run as one"
                       : lanes->is_sub_group ? ", a sub-group"
                                             : "";
  if (lanes->width == 1 && lanes->is_sub_group)
    snprintf(out, size, "one work-item at a time, and sub-groups of one: %s", lanes->why);
  else if (lanes->width == 1)
    snprintf(out, size, "%s: %s",
             lanes->abreast != NULL ? "two work-items side by side, in scalar code"
                                    : "one work-item at a time",
             lanes->why);
  else if (map->linear) snprintf(out, size, "%u lanes by linear local id%s", map->width, groups);
  else if (map->rows == 1)
    snprintf(out, size, "%u lanes along dimension %u%s", map->width, map->along, groups);
  else
    snprintf(out, size, "%u lanes along dimension %u in each of %u rows along dimension %u%s", map->run,
             map->along, map->rows, map->across, groups);
}

bool kiln_lane_plan_function(struct kl_lane_plan *lanes, struct kl_env *env, struct kl_program *program,
                             const struct kl_plan *plan, const struct kl_mapping *map, bool small_ids) {
  struct kl_lane_planner p = {
      .lanes = lanes, .env = env, .program = program, .f = program->kernel, .plan = plan};
  if (is_large(p.f)) return false;
  lanes->width = map->width;
  start(&p);
  kiln_shapes_find(&lanes->shapes, env, program, plan, map, small_ids, false);
  return !lanes->shapes.uniform.loops.irreducible && !may_spin(&p) &&
         !lengthens(&p, program->native, map->width) && plan->shared_bytes == 0 &&
         kiln_lanes_accept(p.f, &lanes->shapes, program->map) && kiln_lane_plan_regions(&p);
}
