/* Estimates; see lane_cost.h. */
#include "compiler/spmd/lane_cost.h"

#include "compiler/spmd/called_cost.h"
#include "compiler/spmd/chase.h"
#include "compiler/spmd/id_bounds.h"
#include "compiler/spmd/lane_in_rows.h"
#include "compiler/spmd/lane_jumps.h"
#include "compiler/spmd/lane_live.h"
#include "compiler/spmd/lane_private.h"
#include "compiler/spmd/lanes.h"
#include "compiler/spmd/long_loops.h"
#include "compiler/spmd/map.h"
#include "compiler/spmd/op_cost.h"
#include "compiler/spmd/row_loop.h"
#include "compiler/spmd/row_walks.h"
#include "compiler/spmd/search_loop.h"
#include "compiler/spmd/serial_regions.h"
#include "compiler/spmd/steady_load.h"

struct estimate {
  const struct kl_lane_costs *in;
  const struct kl_shapes *shapes;
  const struct kl_mapping *map;
  const enum kl_search *searches; /* by loop */
  const bool *thins;              /* by loop: its lanes become fewer from turn to turn */
  const bool *inner;              /* by loop: none is inside */
  const bool *walks;              /* by loop: it is for lanes to take in blocks (row_walks.h) */
  const bool *in_blocks;          /* by loop: and not for scalar code to go along */
  const bool *steady;             /* by instruction: a load that leaves its loop */
  const uint32_t *turns;          /* by loop */
  const bool *in_rows;            /* by value: kept in the order of memory; NULL: none is */
  const bool *sparse;             /* by block: some lanes are off, who knows which */
  struct kl_lane_cost cost;
};

static LLVMTypeRef mapped_type(const struct kl_lane_costs *in, LLVMValueRef v) {
  return kiln_map_type(in->map, LLVMTypeOf(v));
}

static uint32_t registers(struct estimate *c, LLVMTypeRef type) {
  return kiln_lane_registers(c->in, c->map, type);
}

static uint32_t all_registers(struct estimate *c, LLVMTypeRef type) {
  return registers(c, type) * kiln_type_parts(type);
}

/* ---- memory ---- */

enum {
  MOST_PITCH = 16, /* components from lane to lane of what is accessed by rows and shuffles */
  MANY_BYTES = 8,  /* components, which are found by several shuffles each: uchar8 to uchar16 by a table takes
                      twice as long in lanes with Sapphire Rapids */
  SHUFFLES = 3,
  TRAFFIC = 3 /* a register's way from or to memory, where no loop makes it likely that caches hold it */
};

/* Of a load: that of fewer lanes, and a shuffle for each register. */
static double steps_cost(struct estimate *c, LLVMTypeRef type, struct kl_shape shape) {
  const uint32_t parts = kiln_type_parts(type), regs = registers(c, type), fewer = regs >> shape.alike;
  const int64_t size = (int64_t)kiln_map_size(c->in->map, kiln_type_part(type, 0));
  if (c->map->width >> shape.alike <= 1) return parts;
  const double pitch = (double)(shape.stride < 0 ? -shape.stride : shape.stride) / (double)size;
  return (pitch == 1 ? 1 : pitch + parts) * (fewer > 1 ? fewer : 1) + parts * regs;
}

/* A byte or half word of a lane: indices out of a vector one by one, bytes into one; measured 2 cycles each,
 * where scalar look-ups take 0.8. */
#define NARROW 7.0

/* For each component: a lane's own are stored together, in one access. Measured with transposes that store
 * float4: 4 times as fast with lanes across them as along, where they load from lines far apart. */
#define WHOLE_STORE 0.8

static bool is_whole_store(uint32_t parts, int64_t size, struct kl_shape shape) {
  return shape.kind == KL_STRIDED && parts * size == 16 && size >= 4;
}

/* More lanes need more of the latter two. */
enum way { IN_ROWS, BY_SHUFFLES, BY_LANE };

/* masked: lanes may be off, which only rows that are mostly used are worth. */
static double access_cost(struct estimate *c, LLVMTypeRef type, struct kl_shape shape, bool is_store,
                          bool masked, enum way *way) {
  const struct kl_mapping *map = c->map;
  uint32_t parts = kiln_type_parts(type), regs = registers(c, type);
  int64_t size = (int64_t)kiln_map_size(c->in->map, kiln_type_part(type, 0)), stride = shape.stride;
  *way = IN_ROWS;
  if (shape.kind == KL_UNIFORM) return is_store ? 3 : 1;
  if (shape.alike != 0 && is_store) shape.kind = KL_VARYING;
  if (shape.alike != 0 && !is_store && shape.stride % size == 0 && shape.stride <= MOST_PITCH * size)
    return steps_cost(c, type, shape);
  if (shape.kind == KL_STRIDED && stride == 0 && !is_store) return map->rows;
  if (shape.kind == KL_STRIDED && parts == 1 && stride == size) {
    if (shape.uneven || map->rows == 1) return regs > map->rows ? regs : map->rows;
    if (!is_store) return regs > map->rows ? (double)regs / map->rows : 1;
  }
  *way = BY_LANE;
  const double part = !is_store ? 1.2 : is_whole_store(parts, size, shape) ? WHOLE_STORE : 2.0;
  const double each = part * parts * map->width;
  const bool is_narrow = parts == 1 && size < 4 && !is_store;
  if (shape.kind == KL_VARYING && is_narrow) return NARROW * map->width;
  if (shape.kind == KL_STRIDED && map->rows > 1)
    return 2.5 * parts * map->width; /* measured beside W = run */
  if (shape.kind != KL_STRIDED || stride % size != 0) return each;
  double pitch = (double)(stride < 0 ? -stride : stride) / (double)size, rows = (pitch + parts) * regs;
  if (size == 1 && parts >= MANY_BYTES) rows *= SHUFFLES;
  bool by_lane = pitch > MOST_PITCH || (masked && pitch > 2 * parts);
  if (by_lane || rows >= each) return !is_narrow ? each : masked ? NARROW * map->width : 2 * each;
  /* else there is room for more of them */
  *way = size * map->width >= 4 * (int64_t)c->in->native ? BY_SHUFFLES : IN_ROWS;
  return rows;
}

static bool is_in(const struct kl_uniform *u, uint32_t block, const bool *loops) {
  for (uint32_t l = u->loops.of[block]; l != KL_NONE; l = u->loops.parent[l])
    if (loops[l]) return true;
  return false;
}

/* Lanes of neighbours that count in the same steps to the same end, as in `for (i = id; i < n; i += size)`:
 * all leave in a turn or two. */
static bool leaves_at_count(const struct kl_lane_costs *in, const struct kl_shapes *shapes, uint32_t block) {
  const uint32_t condition = kl_operand(in->f, kl_last_of(in->f, block), 0);
  if (in->f->inst[condition].op != LLVMICmp) return false;
  unsigned strided = 0, uniform = 0;
  for (uint32_t k = 0; k < 2; k++) {
    const struct kl_shape *shape = &shapes->of[kl_operand(in->f, condition, k)];
    strided += shape->kind == KL_STRIDED;
    uniform += shape->kind == KL_UNIFORM;
  }
  return strided == 1 && uniform == 1;
}

/* By loop: work-items leave it at turns that may lie far apart. */
static bool *find_thinning(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kl_uniform *u = &shapes->uniform;
  const struct kiln_graph *g = &in->f->graph;
  bool *thins = kl_new(in->env, (size_t)u->loops.count + 1, bool);
  for (uint32_t b = 0; b < g->n; b++) {
    if (u->loops.of[b] == KL_NONE || !kiln_uniform_is_divergent(u, in->f, b) ||
        leaves_at_count(in, shapes, b))
      continue;
    for (uint32_t e = g->succ0[b]; e < g->succ0[b + 1]; e++)
      for (uint32_t l = u->loops.of[b]; l != KL_NONE; l = u->loops.parent[l])
        thins[l] |= u->loop_diverges[l] && !kiln_loops_contain(&u->loops, l, g->succ[e]);
  }
  return thins;
}

/* By block: below one side of a branch that lanes take differently, but for bounds of ids. */
static bool *find_sparse(const struct kl_lane_costs *in, const struct kl_shapes *shapes, const bool *bounds) {
  const struct kl_func *f = in->f;
  bool *sparse = kl_new(in->env, f->graph.n, bool);
  for (uint32_t b = 0; b < f->graph.n; b++) {
    const uint32_t above = shapes->uniform.dom.parent[b];
    if (above == KILN_NONE) continue;
    sparse[b] = sparse[above] || (kiln_uniform_is_side(&shapes->uniform, f, b) && !bounds[above]);
  }
  return sparse;
}

/* Addresses one by one under a mask that thins out: lanes wait for the one with the most turns, and find what
 * they load each in a line of its own. Measured with sparse rows, where scalar code is 2.4 times as fast,
 * trees of boxes (1.4 times), and with searches along the edges of a graph, which mark what they find: 1.4 to
 * 5 times. */
enum { THIN = 4, THIN_STORE = 4 };

/* Where masks have no registers of their own, each lane under one: its address is chosen from two. Several
 * components take more code, and are stored in a loop over lanes, of which the way through is foretold badly;
 * as is what a processor with SSE stores. Where few lanes are on, all of them store nevertheless: sorts of
 * pairs are 1.6 times as fast with one lane after the other. */
enum { PARTED = 1, PARTED_ROW = 3, PARTED_STORE = 2, LOOPED_STORE = 12 };

/* Where they have: what a scatter has stored cannot be gathered before it is in the cache, and lanes that are
 * off take as long as others (sums of neighbours in local memory: 8 times as long as one lane after the
 * other). */
#define SPARSE 1.5
#define SPARSE_STORE 3.0

static double each_parted(const struct estimate *c, LLVMTypeRef type, bool is_store, bool few) {
  if (c->in->native >= 16) return !few ? 0 : is_store ? SPARSE_STORE : SPARSE;
  const bool is_row = kiln_type_parts(type) > 1;
  if (is_store) return is_row || few || c->in->native < 8 ? LOOPED_STORE : PARTED_STORE;
  return is_row ? PARTED_ROW : PARTED;
}

/* The more registers move, the less it matters what else is saved: streams gain nothing from longer steps. */
static double traffic(struct estimate *c, LLVMTypeRef type, struct kl_shape shape, uint32_t pointer) {
  LLVMTypeRef of = LLVMTypeOf(c->in->f->inst[pointer].v);
  if (shape.kind == KL_UNIFORM || LLVMGetPointerAddressSpace(of) != KL_AS_GLOBAL) return 0;
  return TRAFFIC * all_registers(c, type);
}

/* Lanes that each go along a row of their own count as going anywhere. */
static bool is_apart(struct estimate *c, LLVMTypeRef type, struct kl_shape shape) {
  int64_t size = (int64_t)kiln_map_size(c->in->map, kiln_type_part(type, 0));
  if (shape.kind != KL_STRIDED) return shape.kind == KL_VARYING;
  return shape.stride > MOST_PITCH * size || shape.stride < -MOST_PITCH * size;
}

static enum kl_search search_of(const struct estimate *c, uint32_t block) {
  uint32_t loop = c->shapes->uniform.loops.of[block];
  return loop == KL_NONE ? KL_NO_SEARCH : c->searches[loop];
}

/* Elements of a row that ends somewhere, as of a picture. Windows of 5 x 5 floats that are clamped at edges:
 * with 16 lanes 0.35 of the time with 64 in rows of 128, half in rows of 512, 0.75 in rows of 1,024, 1.3 in
 * rows of 4,096; denoising by windows around windows, and neighbours in a small cube, 0.25 and 0.5. */
enum { ROW = 512 };

/* The part of vectors whose lanes go anywhere, though a check could find them in a row. */
static double failing(struct estimate *c, uint32_t pointer) {
  const struct kl_jumps jumps = kiln_jumps_find(c->in->f, c->shapes, pointer);
  if (jumps.is_segmented) return 0.5;
  const double run = c->map->run,
               part = run * jumps.ends / ROW + (jumps.period == 0 ? 0 : run / (double)jumps.period);
  return part < 1 ? part : 1;
}

/* An element of a table in registers; false: it is none. */
static bool add_table(struct estimate *c, uint32_t i, double w) {
  const struct kl_inst *inst = &c->in->f->inst[i];
  const unsigned tables = inst->op == LLVMLoad ? kiln_lanes_table(c->in->f, i, c->in->native) : 0;
  if (tables == 0 || c->shapes->of[kl_operand(c->in->f, i, 0)].kind != KL_VARYING) return false;
  c->cost.total += w * tables * all_registers(c, mapped_type(c->in, inst->v));
  return true;
}

/* Of what an element by itself costs; measured with bytes and words, loaded and stored. */
#define IN_BLOCK 0.4

static bool *find_walks(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kiln_loops *loops = &shapes->uniform.loops;
  bool *walks = kl_new(in->env, (size_t)loops->count + 1, bool);
  for (uint32_t l = 0; l < loops->count; l++) walks[l] = kiln_row_walks_turns(in, shapes, l) != 0;
  return walks;
}

/* By loop: rows in blocks that scalar code would not go along (row_loop.h). */
static bool *find_blocks(const struct estimate *c) {
  const struct kiln_loops *loops = &c->shapes->uniform.loops;
  bool *in_blocks = kl_new(c->in->env, (size_t)loops->count + 1, bool);
  uint32_t each;
  for (uint32_t l = 0; l < loops->count; l++)
    in_blocks[l] = c->walks[l] && kiln_row_loop_find(c->in, loops, l, &each) == KL_NO_ROW;
  return in_blocks;
}

static bool is_in_block(const struct estimate *c, uint32_t i, LLVMTypeRef type) {
  const uint32_t loop = c->shapes->uniform.loops.of[c->in->f->inst[i].bb];
  return loop != KL_NONE && c->in_blocks[loop] && c->map->rows == 1 &&
         kiln_row_loop_step(c->in, &c->shapes->uniform.loops, i) == (int64_t)kiln_map_size(c->in->map, type);
}

/* Of an access to an address of its own for each lane: loads and stores that it becomes. */
static uint32_t elements(const struct estimate *c, LLVMTypeRef type, bool is_store) {
  const bool is_narrow = kiln_map_size(c->in->map, kiln_type_part(type, 0)) < 4;
  return c->in->native >= 16 && !(is_narrow && is_store) ? 0 : kiln_type_parts(type) * c->map->width;
}

/* A volatile access outside of local memory, which is one for each lane (lane_memory.c) but where lanes
 * access a row of numbers; measured with vectors of four. */
#define ALONE 1.5

static bool is_alone(const struct estimate *c, uint32_t i, LLVMTypeRef type, struct kl_shape shape) {
  const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(c->in->f->inst[kl_pointer_of(c->in->f, i)].v));
  const bool is_row = kiln_type_parts(type) == 1 && shape.kind == KL_STRIDED;
  return LLVMGetVolatile(c->in->f->inst[i].v) && space != KL_AS_LOCAL && shape.kind != KL_UNIFORM && !is_row;
}

/* few: some lanes are off for sure. */
static struct kl_lane_cost estimate_access(struct estimate *c, uint32_t i, double w, bool few) {
  const struct kl_inst *inst = &c->in->f->inst[i];
  bool is_store = inst->op == LLVMStore;
  const uint32_t pointer = kl_pointer_of(c->in->f, i);
  LLVMTypeRef type = mapped_type(c->in, c->in->f->inst[kl_moved_by(c->in->f, i)].v);
  enum way way;
  bool masked = few || is_in(&c->shapes->uniform, inst->bb, c->shapes->uniform.loop_diverges);
  struct kl_shape shape = kiln_shape_checked_at(c->shapes, c->in->f, pointer, inst->bb);
  if (!is_store && shape.kind == KL_STRIDED && search_of(c, inst->bb) == KL_SEARCH_TEXT)
    shape.kind = KL_VARYING; /* but for the first turns */
  const bool thins = is_apart(c, type, shape) && search_of(c, inst->bb) != KL_SEARCH_ROW &&
                     is_in(&c->shapes->uniform, inst->bb, c->thins);
  const bool parted = c->sparse[inst->bb] && !thins;
  const double each = parted ? w * c->map->width * each_parted(c, type, is_store, few) : 0;
  double cost = w * access_cost(c, type, shape, is_store, masked, &way);
  if (c->in_rows != NULL && c->in_rows[kl_moved_by(c->in->f, i)]) {
    cost = w * all_registers(c, type); /* no shuffles */
    way = IN_ROWS;
  }
  const uint32_t rows = shape.kind != KL_VARYING
                            ? 0
                            : kiln_private_rows(c->in->map, c->in->f, c->shapes, pointer, c->in->native);
  if (rows != 0) {
    /* it is looked who means the row, in words, and taken or put there */
    cost = w * rows * (all_registers(c, c->in->map->i32) + all_registers(c, type));
    way = IN_ROWS;
  }
  if (is_alone(c, i, type, shape)) {
    cost = w * ALONE * kiln_type_parts(type) * c->map->width;
    way = BY_LANE;
  }
  if (way == BY_LANE && is_in_block(c, i, type)) cost *= IN_BLOCK;
  if (way == BY_LANE) cost += each;
  const uint32_t each_lane = way == BY_LANE ? elements(c, type, is_store) : 0;
  double by_lane = way == IN_ROWS ? 0 : cost, part = failing(c, pointer);
  if (part != 0) {
    const struct kl_shape anywhere = {.kind = KL_VARYING};
    double other = each + w * access_cost(c, type, anywhere, is_store, masked, &way);
    cost += part * (other - cost);
    by_lane += part * (other - by_lane);
  }
  if (thins) {
    const double times = is_store ? THIN_STORE : THIN;
    cost *= times;
    by_lane *= times;
  }
  const double moved = w == 1 ? traffic(c, type, shape, pointer) : 0;
  return (struct kl_lane_cost){
      .total = cost + moved, .per_lane = by_lane, .traffic = moved, .elements = each_lane};
}

/* Rows are often apart by powers of two, whose lines fall into the same few places of the first cache: lines
 * beyond those are fetched again for every element, and those that were written taken back first. Rows of
 * 1,024 floats read and written: 4 times as fast with 4 lanes as with 8 on Zen 3, the same on Sapphire
 * Rapids; rows of 1,024 floats changed in place: 6 times as fast with 8 lanes as with 16 there. Others the
 * same, or up to 1.15 times as slow. */
enum {
  CROWDED = 6,
  CROWDED_READ = 16, /* where none is written, as all come from farther away */
  PLACES = 4096,     /* bytes after which they come again */
  LINE = 64,         /* bytes */
  FEWEST_TURNS = 2   /* for which a line is of use, if it is to be kept */
};

/* The part of a turn's step that the access takes, if each lane goes along a row of its own in the loop
 * around it, by several steps in a line, and nothing tells that the rows' lines have different places; else
 * 0. */
static double crowds_along_row(struct estimate *c, uint32_t i) {
  LLVMTypeRef type = mapped_type(c->in, c->in->f->inst[kl_moved_by(c->in->f, i)].v);
  const int64_t size = (int64_t)kiln_map_size(c->in->map, type),
                step = kiln_row_loop_step(c->in, &c->shapes->uniform.loops, i);
  const uint32_t pointer = kl_pointer_of(c->in->f, i);
  const struct kl_shape rows = kiln_shape_checked_at(c->shapes, c->in->f, pointer, c->in->f->inst[i].bb);
  const bool is_spread = rows.kind == KL_STRIDED && rows.stride % PLACES != 0;
  if (!is_apart(c, type, rows) || is_spread || step < size || FEWEST_TURNS * step > LINE) return 0;
  return (double)size / (double)step;
}

/* Another access of the block, before this one, has the same address. */
static bool is_repeated(const struct kl_lane_costs *in, uint32_t access) {
  const struct kl_func *f = in->f;
  const uint32_t pointer = kl_pointer_of(f, access);
  for (uint32_t u = in->uses->first[pointer]; u < in->uses->first[pointer + 1]; u++) {
    const uint32_t user = in->uses->at[u];
    const bool is_access = f->inst[user].op == LLVMLoad || f->inst[user].op == LLVMStore;
    if (is_access && user < access && f->inst[user].bb == f->inst[access].bb) return true;
  }
  return false;
}

/* Lines that the first block of a loop keeps in use, which every turn runs. Those that are written count
 * twice, unless it is by whole blocks (row_walks.h), which each line takes two of. */
static double lines_in_use(struct estimate *c, uint32_t loop, bool *writes) {
  const struct kl_func *f = c->in->f;
  const uint32_t block = c->shapes->uniform.loops.header[loop];
  double lines = 0;
  for (uint32_t i = f->block[block].first; i <= kl_last_of(f, block); i++) {
    if (f->inst[i].op != LLVMLoad && f->inst[i].op != LLVMStore) continue;
    const bool is_store = f->inst[i].op == LLVMStore;
    const double part = crowds_along_row(c, i) * c->map->width;
    *writes |= is_store && part != 0;
    lines += part * (!is_repeated(c->in, i) + (is_store && !c->walks[loop]));
  }
  return lines;
}

/* What they cost: beyond the room for them where some are written, of which twice as many have room. Where
 * all are only read, whole blocks are done with at once; else all are fetched again where they are many more
 * than fit, and work-items by themselves are faster: sums and maxima of four rows of 2,048 floats each with
 * AVX2 1.9 times (8 lanes) and 1.25 times (4). */
static void add_crowding(struct estimate *c, uint32_t block) {
  const struct kiln_loops *loops = &c->shapes->uniform.loops;
  const uint32_t loop = loops->of[block];
  const double places = c->in->lines_in_place;
  bool writes = false;
  if (!kiln_loops_begin(loops, block) || !c->inner[loop]) return;
  /* searches begin anywhere */
  if (c->shapes->uniform.loop_diverges[loop] && !kiln_row_loop_is_counted(c->in, loops, loop)) return;
  const double lines = lines_in_use(c, loop, &writes), w = kl_weight(loops, c->turns, block);
  if (!writes && !c->walks[loop] && lines > 1.5 * places) c->cost.crowding_read = w * CROWDED_READ * lines;
  if (writes && lines > 2 * places) c->cost.crowding = w * CROWDED * (lines - 2 * places);
  c->cost.total += c->cost.crowding + c->cost.crowding_read;
}

/* A byte or short of a word that is loaded already: it is shifted down. */
static bool add_word_part(struct estimate *c, uint32_t i, double w) {
  if (c->in->word_loads == NULL || !c->in->word_loads[i]) return false;
  LLVMTypeRef type = mapped_type(c->in, c->in->f->inst[i].v);
  if (!is_apart(c, type, c->shapes->of[kl_pointer_of(c->in->f, i)])) return false;
  c->cost.total += w * all_registers(c, c->in->map->i32);
  return true;
}

static void add_access(struct estimate *c, uint32_t i, double w) {
  if (add_table(c, i, w) || add_word_part(c, i, w)) return;
  const struct kl_lane_cost cost = estimate_access(c, i, w, false);
  c->cost.total += cost.total;
  c->cost.per_lane += cost.per_lane;
  c->cost.traffic += cost.traffic;
  c->cost.elements += cost.elements;
  if (c->sparse[c->in->f->inst[i].bb]) c->cost.sparse += estimate_access(c, i, w, true).total - cost.total;
}

/* ---- instructions ---- */

/* A scalar and a check stand for the lanes. */
static bool is_put_off(struct estimate *c, uint32_t i) {
  return c->shapes->checked[i].kind != KL_VARYING && !c->shapes->exact[i];
}

enum {
  DIVIDED_BY_ONE = 5, /* divisor: a product with its inverse */
  CONTENDED = 60,     /* a line that the processors take from each other */
  ROW_APART = 8 /* an element of an image in a row that the other lanes are not in, which caches hold for none
                   of the turns that follow: convolutions along rows 8 times as fast as across them */
};

/* Of all lanes, for each register. Trial divisions, of which one work-item in many takes all, are 1.8 times
 * as fast one by one. */
static double op_cost(const struct estimate *c, uint32_t i) {
  const struct kl_inst *inst = &c->in->f->inst[i];
  const bool by_one = kl_is_division(inst->op) && !kl_is_cheap_division(inst) && !kl_is_wide_division(inst) &&
                      !is_in(&c->shapes->uniform, inst->bb, c->thins) &&
                      kiln_lanes_shared_divisor(c->in->f, c->shapes, i) != KL_NONE;
  return by_one ? DIVIDED_BY_ONE : kl_op_cost(inst);
}

static void add_inst(struct estimate *c, uint32_t i) {
  const struct kl_inst *inst = &c->in->f->inst[i];
  const struct kiln_loops *loops = &c->shapes->uniform.loops;
  double w = kl_weight(loops, c->turns, inst->bb) / (c->steady[i] ? c->turns[loops->of[inst->bb]] : 1);
  w *= kiln_search_turns(search_of(c, inst->bb), c->map->width);
  if (inst->op == LLVMLoad || inst->op == LLVMStore) {
    add_access(c, i, w);
    return;
  }
  if (kiln_lane_is_free(inst->op)) return;
  bool varying = !kl_is_void(inst->v) && c->shapes->of[i].kind == KL_VARYING;
  if (varying && is_put_off(c, i)) {
    c->cost.total += w * 2;
  } else if (inst->op == LLVMAtomicRMW && kiln_atomic_joins(inst->v) &&
             kiln_shape_at(c->shapes, c->in->f, kl_operand(c->in->f, i, 0), inst->bb).kind == KL_UNIFORM) {
    bool is_global = kl_is_contended(inst);
    c->cost.joins |= is_global;
    c->cost.total += w * ((is_global ? CONTENDED : 8) + 3 * all_registers(c, mapped_type(c->in, inst->v)));
  } else if (kl_calls_cold(inst)) {
    c->cost.total += w * kl_call_cost(inst);
  } else if (kiln_calls_function(inst) && (varying || kl_is_void(inst->v))) {
    const double cost = w * kiln_called_cost(c->in, inst, c->map->width);
    c->cost.per_lane += cost;
    c->cost.total += cost;
  } else if (kl_is_serial(inst, c->in->native) && (varying || kl_is_void(inst->v))) {
    const bool has_form = inst->op == LLVMCall && kiln_call_is_of_image(inst->v); /* mostly, in vectors */
    double times = has_form ? (double)c->map->width / c->in->native : c->map->width;
    double cost = w * kl_serial_cost(inst) * times;
    if (inst->op == LLVMCall && kiln_lanes_leave_row(c->in->f, c->shapes, i))
      cost += w * ROW_APART * c->map->width;
    c->cost.per_lane += cost;
    c->cost.total += cost;
  } else if (varying) {
    c->cost.total += w * all_registers(c, mapped_type(c->in, inst->v)) * op_cost(c, i);
  } else if (inst->op == LLVMCall && kiln_call_is_of_image(inst->v)) {
    c->cost.total += w * kl_serial_cost(inst);
  } else {
    c->cost.total += w * (c->shapes->of[i].uneven ? 0.3 * c->map->rows : 0.5);
  }
}

/* ---- registers ---- */

static bool is_serial(const struct estimate *c, uint32_t v) {
  const uint32_t block = c->in->f->inst[v].bb;
  return block != KL_NONE && c->cost.turns.root[block] != KL_NONE;
}

static void find_live(struct estimate *c) {
  const struct kl_func *f = c->in->f;
  bool *skip = kl_new(c->in->env, f->nvalue, bool);
  for (uint32_t v = f->narg; v < f->ninst; v++) skip[v] = is_put_off(c, v) || is_serial(c, v);
  kiln_lane_live(c->in, c->shapes, c->map, skip, &c->cost);
}

/* A value that a loop carries from turn to turn. */
static bool is_carried(struct estimate *c, uint32_t v) {
  const struct kl_inst *inst = &c->in->f->inst[v];
  return inst->op == LLVMPHI && inst->bb != KL_NONE && c->shapes->uniform.loops.of[inst->bb] != KL_NONE &&
         c->shapes->of[v].kind == KL_VARYING && !is_put_off(c, v) &&
         mapped_type(c->in, inst->v) != c->in->map->i1;
}

static uint32_t carried_registers(struct estimate *c) {
  uint32_t n = 0;
  for (uint32_t v = c->in->f->narg; v < c->in->f->ninst; v++)
    if (is_carried(c, v)) n += all_registers(c, mapped_type(c->in, c->in->f->inst[v].v));
  return n;
}

/* What comes after what, in operations or turns of the processor. */
struct path {
  uint32_t *after; /* by value: up to its result */
  uint32_t longest;
};

static void follow(struct estimate *c, struct path *path, uint32_t i, uint32_t length) {
  const struct kl_func *f = c->in->f;
  uint32_t *after = &path->after[i];
  for (uint32_t k = 0; k < f->inst[i].nops; k++) {
    uint32_t v = kl_operand(f, i, k);
    if (v < i && path->after[v] > *after) *after = path->after[v];
  }
  *after += length;
  if (*after > path->longest) path->longest = *after;
}

/* An address of its own for each lane. */
static bool is_gather(struct estimate *c, uint32_t i) {
  const struct kl_inst *inst = &c->in->f->inst[i];
  if (inst->op != LLVMLoad || kiln_lanes_table(c->in->f, i, c->in->native) != 0) return false;
  const uint32_t pointer = kl_operand(c->in->f, i, 0);
  const struct kl_shape shape = kiln_shape_checked_at(c->shapes, c->in->f, pointer, inst->bb);
  return shape.kind == KL_VARYING;
}

enum { GATHER_TURNS = 20 };

/* Of the processor until the result is there. */
static uint32_t turns_of(struct estimate *c, uint32_t i) {
  return is_gather(c, i) ? GATHER_TURNS : kl_turns(&c->in->f->inst[i], c->in->integer_turns);
}

/* Loads whose address comes of what a loop carries: each turn waits for that of the turn before. */
static bool find_chase(struct estimate *c) {
  const struct kl_func *f = c->in->f;
  bool *carried = kl_new(c->in->env, f->nvalue, bool);
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const struct kl_inst *inst = &f->inst[i];
    carried[i] = is_carried(c, i);
    for (uint32_t k = 0; k < inst->nops && !carried[i] && inst->op != LLVMPHI; k++)
      carried[i] = carried[kl_operand(f, i, k)];
    if (carried[i] && is_gather(c, i)) return true;
  }
  return false;
}

/* Of a turn of a loop, without what lanes wait for each other. */
static double busy_cost(struct estimate *c, uint32_t i) {
  LLVMValueRef v = c->in->f->inst[i].v;
  if (c->shapes->of[i].kind != KL_VARYING || kl_is_void(v)) return 1;
  if (is_gather(c, i)) return (double)kiln_type_parts(LLVMTypeOf(v)) * c->map->width;
  return all_registers(c, mapped_type(c->in, v));
}

/* Loops that look up where to look next, and have less to do than they wait for that. */
static void add_chases(struct estimate *c, const struct kl_lane_cost *by_block, double serial) {
  const struct kl_func *f = c->in->f;
  const struct kiln_loops *loops = &c->shapes->uniform.loops;
  double *busy = kl_new(c->in->env, (size_t)loops->count + 1, double);
  bool *gathers = kl_new(c->in->env, (size_t)loops->count + 1, bool), some = false;
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const uint32_t loop = f->inst[i].bb == KL_NONE ? KL_NONE : loops->of[f->inst[i].bb];
    if (loop == KL_NONE) continue;
    busy[loop] += busy_cost(c, i);
    gathers[loop] |= is_gather(c, i);
    some |= gathers[loop];
  }
  if (!some) return;
  const uint32_t *turns = kiln_chases_find(c->in, loops);
  for (uint32_t b = 0; b < f->graph.n; b++) {
    const uint32_t loop = loops->of[b];
    if (loop == KL_NONE || !gathers[loop] || turns[loop] == 0 || c->cost.turns.root[b] != KL_NONE) continue;
    if (BEGUN * (turns[loop] + GATHER_TURNS) > busy[loop])
      c->cost.chasing += by_block[b].total / (c->cost.total - serial);
  }
}

/* A private array, element by element lane by lane; KL_NONE: the access is to something else. */
static uint32_t array_accessed(struct estimate *c, uint32_t i, unsigned op) {
  const struct kl_func *f = c->in->f;
  if (f->inst[i].op != op || f->inst[i].bb == KL_NONE) return KL_NONE;
  const uint32_t pointer = kl_pointer_of(f, i);
  return c->shapes->unit[pointer] != 0 ? kl_object_of(f, pointer) : KL_NONE;
}

/* Loops that load from a private array which they store to, and in which each lane looks up an element of its
 * own in one. */
static bool find_return(struct estimate *c) {
  const struct kl_func *f = c->in->f;
  const struct kiln_loops *loops = &c->shapes->uniform.loops;
  uint32_t *stored_in = kl_new(c->in->env, f->nvalue, uint32_t); /* by array: a loop that stores to it + 1 */
  uint8_t *seen = kl_new(c->in->env, (size_t)loops->count + 1, uint8_t);
  enum { LOADS_STORED = 1, LOOKS_UP = 2 };
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const uint32_t array = array_accessed(c, i, LLVMStore);
    if (array != KL_NONE) stored_in[array] = loops->of[f->inst[i].bb] + 1;
  }
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const uint32_t array = array_accessed(c, i, LLVMLoad);
    const uint32_t loop = array == KL_NONE ? KL_NONE : loops->of[f->inst[i].bb];
    if (loop == KL_NONE) continue;
    if (stored_in[array] == loop + 1) seen[loop] |= LOADS_STORED;
    if (c->shapes->of[kl_operand(f, i, 0)].kind == KL_VARYING) seen[loop] |= LOOKS_UP;
    if (seen[loop] == (LOADS_STORED | LOOKS_UP)) return true;
  }
  return false;
}

/* Chains: long code in which so much depends on what comes before that registers wait, as they do in loops.
 */
static void find_chains(struct estimate *c) {
  const struct kl_func *f = c->in->f;
  struct path ops = {.after = kl_new(c->in->env, f->nvalue, uint32_t)},
              turns = {.after = kl_new(c->in->env, f->nvalue, uint32_t)},
              turns_of_loops = {.after = kl_new(c->in->env, f->nvalue, uint32_t)};
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const struct kl_inst *inst = &f->inst[i];
    if (c->shapes->of[i].kind != KL_VARYING || kl_is_void(inst->v) || inst->op == LLVMPHI || is_serial(c, i))
      continue;
    bool is_free = kiln_lane_is_free(inst->op) || kiln_lane_is_fused(c->in, i);
    const uint32_t length = is_free ? 0 : turns_of(c, i);
    follow(c, &ops, i, !is_free);
    follow(c, &turns, i, length);
    if (inst->bb != KL_NONE && c->shapes->uniform.loops.of[inst->bb] != KL_NONE)
      follow(c, &turns_of_loops, i, length);
  }
  c->cost.longest = turns.longest;
  c->cost.wait = turns_of_loops.longest;
  c->cost.carried = carried_registers(c);
  const bool carries = c->cost.carried != 0;
  c->cost.chases = carries && find_chase(c);
  c->cost.returns = find_return(c);
  c->cost.chains =
      carries || (ops.longest * REAL_TURNS > WINDOW && 2 * ops.longest * REAL_TURNS > c->cost.vectors);
}

static uint32_t row_bytes(struct estimate *c) {
  uint64_t widest = 0;
  for (uint32_t v = c->in->f->narg; c->in_rows != NULL && v < c->in->f->ninst; v++) {
    if (!c->in_rows[v] || c->in->f->inst[v].op != LLVMPHI) continue;
    const uint64_t bytes =
        kiln_map_size(c->in->map, kiln_type_part(mapped_type(c->in, c->in->f->inst[v].v), 0));
    if (bytes > widest) widest = bytes;
  }
  return (uint32_t)widest;
}

/* count: of the loop that a branch closes; 0: not known. */
static uint64_t turns_by(const struct kl_func *f, const struct kiln_loops *loops, uint32_t loop,
                         uint64_t (*count)(LLVMValueRef branch)) {
  const uint32_t latch = kiln_loops_latch(loops, &f->graph, loop);
  return latch == KL_NONE ? 0 : count(f->inst[kl_last_of(f, latch)].v);
}

uint64_t kiln_loop_turns_known(const struct kl_func *f, const struct kiln_loops *loops, uint32_t loop) {
  return turns_by(f, loops, loop, kiln_spmd_loop_turns);
}

static bool is_long_row(const struct kl_lane_costs *in, const struct kiln_loops *loops, uint32_t loop) {
  uint32_t each;
  if (in->rows != KILN_ROWS_LONG) return false;
  const enum kl_row_loop row = kiln_row_loop_find(in, loops, loop, &each);
  return row == KL_READ_ROW || row == KL_SUMMED_REALS;
}

uint32_t *kiln_loop_turns_find(const struct kl_lane_costs *in, const struct kiln_loops *loops) {
  uint32_t *turns = kl_new(in->env, (size_t)loops->count + 1, uint32_t);
  for (uint32_t l = 0; l < loops->count; l++) {
    const uint64_t mean = turns_by(in->f, loops, l, kiln_spmd_mean_turns);
    turns[l] = mean < MOST_TURNS ? (uint32_t)mean : MOST_TURNS;
    if (mean == 0) turns[l] = is_long_row(in, loops, l) ? LONG_ROW : TURNS;
  }
  return turns;
}

/* What vectors cost by block, of which some then run lane by lane. */
static void add_blocks(struct estimate *c, const bool *bounds) {
  const struct kl_func *f = c->in->f;
  struct kl_lane_cost *by_block = kl_new(c->in->env, f->graph.n, struct kl_lane_cost);
  for (uint32_t b = 0; b < f->graph.n; b++) {
    c->cost = (struct kl_lane_cost){0};
    for (uint32_t i = f->block[b].first; i <= kl_last_of(f, b); i++) add_inst(c, i);
    add_crowding(c, b);
    by_block[b] = c->cost;
  }
  const struct kl_serial_regions serial =
      kiln_serial_regions_find(c->in, c->shapes, c->turns, bounds, by_block);
  c->cost =
      (struct kl_lane_cost){.turns = serial.turns, .left_out = serial.left_out, .serial = serial.in_loops};
  c->cost.total = c->cost.per_lane = serial.cost;
  for (uint32_t b = 0; b < f->graph.n; b++) {
    if (serial.turns.root[b] != KL_NONE) continue;
    c->cost.total += by_block[b].total;
    c->cost.per_lane += by_block[b].per_lane;
    c->cost.traffic += by_block[b].traffic;
    c->cost.elements += by_block[b].elements;
    c->cost.joins |= by_block[b].joins;
    c->cost.crowding += by_block[b].crowding;
    c->cost.crowding_read += by_block[b].crowding_read;
  }
  add_chases(c, by_block, serial.cost);
}

struct kl_lane_cost kiln_lane_cost(const struct kl_lane_costs *in, const struct kl_shapes *shapes,
                                   const struct kl_mapping *map) {
  const bool *bounds = kiln_id_bounds_find(in, shapes);
  struct estimate c = {.in = in,
                       .shapes = shapes,
                       .map = map,
                       .searches = kiln_search_loops_find(in, shapes),
                       .thins = find_thinning(in, shapes),
                       .inner = kiln_loops_innermost(&shapes->uniform.loops, &in->env->arena),
                       .walks = find_walks(in, shapes),
                       .steady = kiln_steady_loads_find(in, shapes),
                       .turns = kiln_loop_turns_find(in, &shapes->uniform.loops),
                       .in_rows = kiln_in_rows_find(in->env, in->f, shapes, in->plan, in->map),
                       .sparse = find_sparse(in, shapes, bounds)};
  c.in_blocks = find_blocks(&c);
  add_blocks(&c, bounds);
  find_live(&c);
  find_chains(&c);
  c.cost.row_bytes = row_bytes(&c);
  return c.cost;
}
