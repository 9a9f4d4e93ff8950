/* The mapping that a group large enough in all dimensions would get; see tiling.h. */
#include "compiler/spmd/tiling.h"

#include "compiler/spmd/lane_choice.h"

enum {
  ROOMY = 64, /* a size that lets any mapping do */
  LANES = 16, /* the processor may have fewer, which changes no preference */
  MOST_INSTRUCTIONS = 3000
};
#define SCATTERED 0.25 /* part of the cost that goes into accesses lane by lane */

/* The dimensions whose ids the kernel asks for. */
static unsigned dimensions_of(const struct kl_func *f, bool asked[3]) {
  unsigned count = 0;
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    if (f->inst[i].op != KL_QUERY || f->inst[i].sub != KL_Q_GLOBAL_ID) continue;
    LLVMValueRef dimension = f->inst[kl_operand(f, i, 0)].v;
    uint64_t d = LLVMIsAConstantInt(dimension) ? LLVMConstIntGetZExtValue(dimension) : 3;
    if (d < 3 && !asked[d]) asked[d] = true, count++;
  }
  return count;
}

struct kiln_tiling kiln_tiling_find(struct kl_env *env, struct kl_program *program,
                                    const struct kl_plan *plan) {
  struct kiln_spec spec = {.uniform = 1, .offset_zero = 1, .small = 2};
  struct kl_shapes shapes;
  struct kl_uses uses;
  bool asked[3] = {false};
  const struct kl_func *f = program->kernel;
  if (f->ninst - f->narg > MOST_INSTRUCTIONS || dimensions_of(f, asked) < 2) return (struct kiln_tiling){0};
  for (int d = 0; d < 3; d++) spec.local_size[d] = asked[d] ? ROOMY : 1;
  kiln_uses_find(env, f, &uses);
  struct kl_lane_choice in = {.costs = {.env = env,
                                        .map = program->map,
                                        .f = f,
                                        .uses = &uses,
                                        .plan = plan,
                                        .local_size = spec.local_size,
                                        .native = LANES,
                                        .lines_in_place = KL_LINES_IN_PLACE,
                                        .integer_turns = 1},
                              .program = program,
                              .spec = &spec,
                              .lanes = 1};
  struct kl_lane_turns turns;
  struct kl_abreast *abreast;
  struct kl_lane_estimate estimate;
  struct kl_mapping map = kiln_lane_choose(&in, &shapes, &turns, &abreast, &estimate);
  struct kl_lane_cost cost = kiln_lane_cost(&in.costs, &shapes, &map);
  uint32_t form = map.rows > 1 ? KILN_TILE_SHARED : KILN_TILE_ROWS;
  if (cost.per_lane > cost.total * SCATTERED) form = KILN_TILE_SQUARE;
  return (struct kiln_tiling){form, map.along, map.across};
}
