/* Candidates for the mapping, compared by estimated cost; see lane_choice.h. */
#include "compiler/spmd/lane_choice.h"

#include "compiler/spmd/combine.h"
#include "compiler/spmd/lanes.h"
#include "compiler/spmd/op_cost.h"

enum {
  MOST_BYTES = 1024, /* of a value in all its lanes: as many registers as OpenCL vectors have components */
  MOST_ROWS =
      512, /* the same of what lies in rows of narrow components, which fill registers by more lanes */
  MOST_VECTORS = 640,   /* registers written by code that several vectors share */
  MOST_WAITING = 1500,  /* the same where one vector would wait for its results */
  USUAL_PACKETS = 4,    /* vectors side by side, for whatever they share */
  ALL_REGISTERS = 32,   /* that AVX-512 has */
  WIDE_REGISTERS = 28,  /* of these */
  OTHER_REGISTERS = 13, /* of REGISTERS */
  REGISTERS = 16,
  SMALLEST_SUB_GROUP = 4,
  SHORTEST = 4,         /* 32-bit elements of the shortest registers */
  FEW_VECTORS = 4,      /* of a row, of which an incomplete one counts */
  SPILLED = 2,          /* code whose operands mostly lie in memory takes so many times as long */
  ALL_SPILLED = 3,      /* and where that is so in every turn of a loop */
  BEGUN_ALONE = 3,      /* operations of scalar code, in a turn of the processor */
  MOST_ELEMENTS = 2000, /* some 32 KB of code */
  MOST_SEARCH = 3000    /* instructions of a kernel for which dimensions are compared */
};

struct candidate {
  struct kl_mapping map;
  struct kl_shapes shapes;
  struct kl_lane_cost cost;
  double each; /* cost of a work-item, lanes that stay empty included */
};

struct chooser {
  const struct kl_lane_choice *in;
  uint64_t size[3]; /* work-items in each dimension; 0: many, or not known */
  unsigned vector;  /* lanes of one vector, of several that are compared */
  bool one_row;     /* lanes cannot lie in several */
  bool scans;       /* lanes and vectors must follow one another as linear local ids do */
};

/* ---- sizes ---- */

/* Part of the lanes that have work, in runs of n of size. */
static double filled(uint64_t size, unsigned n) {
  return size == 0 ? 1 : (double)size / (double)((size + n - 1) / n * n);
}

/* A row of merged groups. */
static bool is_long(const struct chooser *c, unsigned d) {
  return d == 0 && c->in->merges && c->size[0] == 0;
}

static bool divides(uint64_t size, unsigned n) { return size != 0 && size % n == 0; }

static unsigned power_up_to(uint64_t n, unsigned most) {
  unsigned p = 1;
  while (p * 2 <= n && p * 2 <= most) p *= 2;
  return p;
}

static unsigned power_from(uint64_t n, unsigned most) {
  unsigned p = 1;
  while (p < n && p < most) p *= 2;
  return p;
}

/* Vectors that come later have higher linear local ids, and so have lanes. */
static bool keeps_order(const struct chooser *c, const struct kl_mapping *m) {
  for (unsigned d = 0; d < m->along; d++)
    if (c->size[d] != 1) return false;
  if (m->rows == 1) return true;
  if (m->across < m->along || c->size[m->along] == 0 || c->size[m->along] > m->run) return false;
  for (unsigned d = m->along + 1; d < m->across; d++)
    if (c->size[d] != 1) return false;
  return true;
}

/* The order that scans want, and slots of a context, which are dealt out by whole vectors where these take
 * several rows. */
static bool fits(const struct chooser *c, const struct kl_mapping *m) {
  if (c->scans && !keeps_order(c, m)) return false;
  if (m->rows == 1 || c->in->costs.plan->nslot == 0) return true;
  return divides(c->size[m->along], m->run) && divides(c->size[m->across], m->rows);
}

/* ---- width of a register ---- */

/* Bytes of a varying value in one lane; 0 for what lanes share. */
static uint64_t lane_bytes(const struct chooser *c, const struct kl_shapes *shapes, uint32_t v) {
  LLVMTypeRef type = LLVMTypeOf(c->in->costs.f->inst[v].v);
  if (shapes->of[v].kind != KL_VARYING || LLVMGetTypeKind(type) == LLVMVoidTypeKind) return 0;
  return kiln_map_size(c->in->costs.map, kiln_map_type(c->in->costs.map, type));
}

static uint64_t widest_bytes(const struct chooser *c, const struct kl_shapes *shapes) {
  const struct kl_func *f = c->in->costs.f;
  uint64_t widest = 1;
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    const uint64_t bytes = lane_bytes(c, shapes, v);
    if (bytes > widest && LLVMGetTypeKind(LLVMTypeOf(f->inst[v].v)) != LLVMPointerTypeKind) widest = bytes;
  }
  return widest;
}

/* Most of what it computes is of halves, and the processor has instructions for them. */
static bool computes_halves(const struct chooser *c, const struct kl_shapes *shapes) {
  const struct kl_func *f = c->in->costs.f;
  uint32_t halves = 0, others = 0;
  if (!c->in->program->has_half) return false;
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    uint64_t bytes = lane_bytes(c, shapes, v);
    LLVMTypeRef type = LLVMTypeOf(f->inst[v].v);
    if (bytes == 0 || LLVMGetTypeKind(type) == LLVMPointerTypeKind) continue;
    if (LLVMGetTypeKind(kiln_type_part(type, 0)) == LLVMHalfTypeKind) halves++;
    else if (bytes / kiln_type_parts(type) >= 4) others++;
  }
  return halves > 2 * others;
}

/* A third and more of what lanes compute are products of integers. */
static bool computes_products(const struct chooser *c, const struct kl_shapes *shapes) {
  const struct kl_func *f = c->in->costs.f;
  uint32_t products = 0, all = 0;
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    const bool is_arithmetic = f->inst[v].op >= LLVMAdd && f->inst[v].op <= LLVMXor;
    if (shapes->of[v].kind != KL_VARYING || !is_arithmetic) continue;
    const uint32_t parts = kiln_type_parts(LLVMTypeOf(f->inst[v].v));
    if (f->inst[v].op == LLVMMul) products += parts;
    all += parts;
  }
  return products != 0 && 3 * products >= all;
}

/* Results take longer than those of floats, as on Emerald Rapids: of halves five turns and more, of products
 * of integers ten. */
static bool has_slow_results(const struct chooser *c, const struct kl_shapes *shapes) {
  return c->in->program->has_half && (computes_halves(c, shapes) || computes_products(c, shapes));
}

/* OpenCL vectors of shorts, nothing wider, leave no room for several vectors side by side: registers are to
 * be full. (Of scalars there is.) */
static bool computes_rows_of_shorts(const struct chooser *c, const struct kl_shapes *shapes) {
  const struct kl_func *f = c->in->costs.f;
  uint64_t most_parts = 0;
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    LLVMTypeRef type = LLVMTypeOf(f->inst[v].v);
    const uint64_t bytes = lane_bytes(c, shapes, v), parts = bytes == 0 ? 0 : kiln_type_parts(type);
    if (parts == 0 || LLVMGetTypeKind(type) == LLVMPointerTypeKind) continue;
    if (bytes != 2 * parts || LLVMGetTypeKind(kiln_type_part(type, 0)) != LLVMIntegerTypeKind) return false;
    if (parts > most_parts) most_parts = parts;
  }
  return most_parts >= 8;
}

/* Fewer lanes when values are wide: OpenCL vectors, or mostly 64-bit ones (addresses do not count). More when
 * they are halves, or many shorts. */
static unsigned fit_width(const struct chooser *c, const struct kl_shapes *shapes) {
  const struct kl_func *f = c->in->costs.f;
  const uint64_t widest = widest_bytes(c, shapes);
  uint32_t wide = 0, others = 0;
  unsigned width = c->in->costs.native;
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    uint64_t bytes = lane_bytes(c, shapes, v);
    LLVMTypeRef type = LLVMTypeOf(f->inst[v].v);
    if (bytes == 0 || LLVMGetTypeKind(type) == LLVMPointerTypeKind) continue;
    if (LLVMGetTypeKind(kiln_type_part(type, 0)) == LLVMDoubleTypeKind) wide++;
    else if (LLVMGetTypeKind(kiln_type_part(type, 0)) == LLVMFloatTypeKind) others++;
  }
  if (wide > others) width /= 2;
  else if (computes_halves(c, shapes) || computes_rows_of_shorts(c, shapes)) width *= 2;
  while (width > 2 && widest * width > MOST_BYTES) width /= 2;
  return width;
}

/* ---- candidates ---- */

static bool has_many_registers(const struct chooser *c) { return c->in->costs.native >= 16; }

static void estimate(const struct chooser *c, struct candidate *k, const struct kl_shapes *known) {
  const struct kl_lane_choice *in = c->in;
  if (known != NULL && known->map.along == k->map.along && known->map.across == k->map.across &&
      (known->map.rows > 1) == (k->map.rows > 1) &&
      known->whole_rows == kiln_mapping_has_whole_rows(c->in->spec, &k->map) &&
      k->map.width <= known->widest) {
    k->shapes = *known;
    k->shapes.map = k->map;
  } else {
    kiln_shapes_find(&k->shapes, in->costs.env, in->program, in->costs.plan, &k->map, in->spec->small,
                     kiln_mapping_has_whole_rows(c->in->spec, &k->map));
  }
  k->cost = kiln_lane_cost(&in->costs, &k->shapes, &k->map);
  double part = filled(c->size[k->map.along], k->map.run);
  if (k->map.rows > 1) part *= filled(c->size[k->map.across], k->map.rows);
  k->each = k->cost.total / (k->map.width * part);
}

/* Cost of a work-item, as dimensions are compared by it: processors that begin one operation on 512 bits in a
 * cycle begin two on half of that. Tiles of CLBlast's products, rows of eight along x, sixteen along y: 1.9
 * times as fast along x (Zen 4). */
static double compared_by(const struct chooser *c, const struct candidate *k) {
  const bool splits = has_many_registers(c) && c->in->program->in_flight <= USUAL_PACKETS;
  if (!splits || 2 * k->map.width > fit_width(c, &k->shapes)) return k->each;
  const double computed = (k->cost.total - k->cost.per_lane - k->cost.traffic) / k->cost.total;
  return k->each * (1 - computed / 2);
}

/* The other dimension with the most work-items. */
static unsigned other_dimension(const struct chooser *c, unsigned along) {
  unsigned best = along == 0 ? 1 : 0;
  for (unsigned d = 0; d < 3; d++)
    if (d != along && c->size[d] > c->size[best]) best = d;
  return best;
}

/* Lanes along a dimension; in several rows where it is too short. */
static struct kl_mapping base_mapping(const struct chooser *c, unsigned along, unsigned width) {
  struct kl_mapping m = kiln_mapping_row(along, width);
  m.across = other_dimension(c, along);
  uint64_t size = c->size[along];
  if (size == 0 || size >= width) return m;
  m.run = power_from(size, width);
  if (m.run < 2) m.run = 2;
  m.width = m.rest = m.run;
  if (c->one_row) return m;
  struct kl_mapping rows = m;
  rows.rows = power_up_to(c->size[m.across], width / m.run);
  rows.width = rows.run * rows.rows;
  return fits(c, &rows) ? rows : m;
}

static bool is_plausible(const struct chooser *c, unsigned d) {
  const struct kl_func *f = c->in->costs.f;
  const struct kl_mapping row = kiln_mapping_row(d, 1);
  if (c->scans && !keeps_order(c, &row)) return false;
  if (c->size[d] < 2 || f->ninst - f->narg > MOST_SEARCH) return false;
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    if (f->inst[i].op != KL_QUERY || (f->inst[i].sub != KL_Q_GLOBAL_ID && f->inst[i].sub != KL_Q_LOCAL_ID))
      continue;
    LLVMValueRef dimension = f->inst[kl_operand(f, i, 0)].v;
    if (kl_is_number(dimension, d)) return true;
  }
  return false;
}

static uint32_t registers(const struct chooser *c) {
  return has_many_registers(c) ? WIDE_REGISTERS : OTHER_REGISTERS;
}

/* Several rows, or one that leaves registers half empty but finds its data in order. */
static struct candidate with_or_without_rows(const struct chooser *c, struct candidate k) {
  struct candidate one = {.map = k.map};
  one.map.rows = 1;
  one.map.width = one.map.rest = one.map.run;
  if (k.map.rows == 1 || k.map.run < 4) return k;
  estimate(c, &one, NULL);
  return one.each < k.each * 0.85 ? one : k;
}

static unsigned at_most(const struct chooser *c, unsigned width) {
  const unsigned most = c->in->most;
  return most != 0 && width > most ? most : width;
}

/* Rows of bytes and shorts that fill registers. */
static struct candidate with_full_rows(const struct chooser *c, unsigned d, struct candidate k) {
  const uint32_t bytes = k.cost.row_bytes;
  unsigned width = k.map.width;
  while (bytes != 0 && bytes * width < 4 * c->in->costs.native &&
         widest_bytes(c, &k.shapes) * 2 * width <= MOST_ROWS)
    width *= 2;
  struct candidate full = {.map = base_mapping(c, d, at_most(c, width))};
  if (full.map.width <= k.map.width || full.map.rows > 1) return k;
  estimate(c, &full, &k.shapes);
  return full.each < k.each ? full : k;
}

/* Doubles in code that hardly runs, as for the largest arguments of sin: full vectors of floats are 1.8 times
 * as fast. Rows of components have to fit. */
static bool is_dearer(const struct chooser *c, const struct candidate *full, const struct candidate *fitted) {
  return fitted->each > full->each * 1.6 && widest_bytes(c, &full->shapes) <= sizeof(double);
}

static struct candidate along_dimension(const struct chooser *c, unsigned d) {
  unsigned forced = c->in->spec->width;
  struct candidate k = {.map = base_mapping(c, d, forced != 0 ? forced : at_most(c, c->in->costs.native))};
  estimate(c, &k, NULL);
  if (forced != 0) return k;
  unsigned width = at_most(c, fit_width(c, &k.shapes));
  struct kl_mapping fitting = base_mapping(c, d, width);
  if (fitting.width == k.map.width && fitting.run == k.map.run)
    return with_full_rows(c, d, with_or_without_rows(c, k));
  struct candidate fitted = {.map = fitting};
  estimate(c, &fitted, &k.shapes);
  if (is_dearer(c, &k, &fitted)) fitted = k;
  return with_full_rows(c, d, with_or_without_rows(c, fitted));
}

/* Half as many lanes, where these cost no more than so many times as much. */
static bool halve(const struct chooser *c, struct candidate *k, double times) {
  struct candidate half = {.map = k->map};
  if (k->map.rows > 1 || k->map.run < 4) return false;
  half.map.width = half.map.rest = half.map.run /= 2;
  estimate(c, &half, &k->shapes);
  if (half.each > k->each * times) return false;
  *k = half;
  return true;
}

/* Numbers of 64 bits fill two registers: one, where there are too few registers for all. Lines of rows push
 * each other out, down to vectors of 128 bits. */
static void fit_width_again(const struct chooser *c, struct candidate *k) {
  const unsigned least = k->map.run * SHORTEST / c->in->costs.native;
  if (k->cost.live > registers(c)) halve(c, k, 1.05);
  while (k->cost.crowding != 0 && k->map.run > least && halve(c, k, 1)) continue;
  while (k->cost.crowding_read != 0 && k->map.run > least && halve(c, k, 1.25)) continue;
}

/* ---- several vectors side by side ---- */

static bool has_divergent_loop(const struct kl_shapes *shapes) {
  for (uint32_t l = 0; l < shapes->uniform.loops.count; l++)
    if (shapes->uniform.loop_diverges[l]) return true;
  return false;
}

static bool has_divergent_branch(const struct chooser *c, const struct kl_shapes *shapes) {
  const struct kl_func *f = c->in->costs.f;
  for (uint32_t b = 0; b < f->graph.n; b++)
    if (kiln_uniform_is_divergent(&shapes->uniform, f, b)) return true;
  return false;
}

/* Registers of a mask, which has elements as wide as what is compared, for ways out of divergent loops. */
static unsigned mask_registers(const struct chooser *c, const struct candidate *k) {
  const struct kl_func *f = c->in->costs.f;
  const struct kl_uniform *u = &k->shapes.uniform;
  uint64_t widest = 0;
  for (uint32_t b = 0; b < f->graph.n; b++) {
    if (u->loops.of[b] == KL_NONE || !u->loop_diverges[u->loops.of[b]] || !kiln_uniform_is_divergent(u, f, b))
      continue;
    const uint32_t condition = kl_operand(f, f->block[b].first + f->block[b].n - 1, 0);
    const unsigned op = f->inst[condition].op;
    if (op != LLVMICmp && op != LLVMFCmp) continue;
    const uint64_t bytes = lane_bytes(c, &k->shapes, kl_operand(f, condition, 0));
    if (bytes > widest) widest = bytes;
  }
  return (unsigned)(k->map.width * widest / (4 * c->in->costs.native));
}

/* A joint atomic, for which processors wait in turn, is worth more than two vectors if these are short. */
static bool shares_atomic(const struct candidate *k, bool is_pair) {
  return k->cost.joins && (is_pair || k->cost.vectors <= MOST_VECTORS / 4);
}

/* Masks of more than two registers are taken apart and put together again, and everything waits for the lane
 * that takes longest. Two gain all the same: reductions and stencils 1.2 to 2.1 times on processors without
 * registers for masks, unless these come from numbers of 64 bits: then two vectors have masks of four. */
static bool suffers_from_masks(const struct chooser *c, const struct candidate *k, bool is_pair) {
  if (is_pair || shares_atomic(k, is_pair)) return false;
  if (has_divergent_loop(&k->shapes)) return true;
  if (k->cost.returns) return false;
  return has_divergent_branch(c, &k->shapes) && (!k->cost.chains || c->in->costs.native < 16);
}

/* More vectors than the usual: only to have enough in flight, where nothing but chains keeps the processor
 * waiting, and all is in registers. */
static bool is_worth_many(const struct chooser *c, const struct candidate *k) {
  if (k->cost.returns) return k->cost.vectors <= MOST_VECTORS / 2 && !has_divergent_loop(&k->shapes);
  if (!has_many_registers(c) && k->cost.live > REGISTERS) return false;
  const unsigned most = has_slow_results(c, &k->shapes) ? MOST_VECTORS : MOST_VECTORS / 2;
  return k->cost.chains && k->cost.per_lane == 0 && k->cost.vectors <= most &&
         !has_divergent_loop(&k->shapes) && !has_divergent_branch(c, &k->shapes);
}

/* Code so long that a processor does not begin the next vector before this one is done, and of which one
 * operation mostly takes what the one before has made, as in series for exp and log: 1.3 times as fast in
 * pairs. Within a twentieth: sums of such series with AVX2, 1.25 times. */
static bool is_long_chain(const struct candidate *k) {
  const uint32_t chain = k->cost.wait != 0 ? k->cost.wait : k->cost.longest;
  const double by_lane = k->cost.per_lane < k->cost.vectors ? k->cost.per_lane : k->cost.vectors;
  return k->cost.vectors + by_lane > WINDOW * 3 / 8 && BEGUN * chain > 0.95 * k->cost.vectors;
}

/* For a quarter of its turns and more the processor waits for results. */
static bool waits(const struct chooser *c, const struct candidate *k) {
  return 3 * BEGUN * k->cost.wait > 4 * k->cost.vectors || is_long_chain(k);
}

/* Much goes lane by lane, of which longer vectors have more; less harm where results are waited for, and none
 * where lanes look things up where they have found where to look, as in binary searches: 0.65 of the time
 * with two vectors, and the same in checksums by tables. At barriers all wait anyway. */
static bool is_by_lane(const struct chooser *c, const struct candidate *old, const struct candidate *now) {
  const bool is_idle = c->in->merges && waits(c, old);
  if ((is_idle && old->cost.chases) || (c->in->merges && old->cost.returns)) return false;
  return now->cost.per_lane > now->cost.total * (is_idle ? 0.33 : 0.25);
}

/* A third and more are loops that look up where to look next: the more lanes do so at a time, the more is on
 * its way from memory, whatever else they cost. Look-ups of cross sections in tables beyond the caches
 * (XSBench): 0.75 to 0.85 of the time with two vectors of doubles, 0.5 to 0.7 with four. */
static bool waits_for_memory(const struct chooser *c, const struct candidate *k) {
  return c->in->merges && k->cost.chasing > 0.33;
}

static bool is_waiting(const struct chooser *c, const struct candidate *k) {
  return waits(c, k) || waits_for_memory(c, k);
}

/* Where others would only wait for each other. */
static bool gains_nothing(const struct chooser *c, const struct candidate *old, const struct candidate *now,
                          bool is_pair) {
  if (!has_many_registers(c) && mask_registers(c, now) > 2) return true;
  if (waits_for_memory(c, old)) return false;
  return (is_by_lane(c, old, now) && !shares_atomic(now, is_pair)) || suffers_from_masks(c, now, is_pair);
}

/* Values in registers, or in memory where that does no harm: without chains there is other work while one is
 * on its way from there, and where results are waited for there is time. Words of a message only are read.
 * Two vectors share the constants of long code, such as powers (1.2 to 1.35 times as fast). */
static uint32_t most_live(const struct chooser *c, const struct candidate *old, const struct candidate *now,
                          bool is_pair) {
  if (is_long_chain(old)) return registers(c) * 3;
  if (is_waiting(c, old)) return registers(c) * 9 / 4;
  if (now->cost.chains) return registers(c);
  return registers(c) * (is_pair ? 6 : 5) / 4;
}

/* Loops that carry slow results may take every register, to have enough of them in flight. */
static bool fills_registers(const struct chooser *c, const struct candidate *k) {
  return k->cost.carried != 0 && k->cost.live_inside <= ALL_REGISTERS && k->cost.live <= 2 * ALL_REGISTERS &&
         has_slow_results(c, &k->shapes);
}

/* Vectors that share loads and addresses, or whose instructions overlap: two of them always do, more if loops
 * carry chains of dependent ones; not at the price of memory for registers. They share a joint
 * atomic, whatever else they do one by one: appending to a list takes half the time with two, and 0.6 of that
 * with four. Memory wants to be written in long pieces. */
static bool is_better(const struct chooser *c, const struct candidate *old, const struct candidate *now) {
  if (now->map.width <= c->in->lanes)
    return now->cost.live <= registers(c) * 2 && now->cost.vectors <= MOST_VECTORS / 4;
  bool is_pair = now->map.width <= 2 * c->vector;
  if (now->cost.live > most_live(c, old, now, is_pair) && !fills_registers(c, now)) return false;
  if (now->cost.vectors > (is_waiting(c, old) ? MOST_WAITING : MOST_VECTORS)) return false;
  if (gains_nothing(c, old, now, is_pair)) return false;
  if (now->map.width > USUAL_PACKETS * c->vector && !is_worth_many(c, now)) return false;
  return now->each < old->each * (now->cost.chains || is_pair ? 1.02 : 0.9);
}

static bool try_mapping(const struct chooser *c, struct candidate *best, const struct candidate *old,
                        struct kl_mapping map) {
  struct candidate k = {.map = map};
  k.map.width = map.run * map.rows;
  if (map.rows > 1 || !c->in->merges) k.map.rest = map.run;
  if (k.map.width > KL_MOST_LANES || !fits(c, &k.map)) return false;
  estimate(c, &k, &old->shapes);
  if (!is_better(c, old, &k) || (best->map.width > old->map.width && k.each >= best->each)) return false;
  *best = k;
  return true;
}

/* As many as it takes to be busy, twice that of slow results; twice that in rows, which share loads: a
 * processor that begins two operations a cycle begins two loads, and in a matrix product each row brings a
 * load of its own. */
static unsigned most_packets(const struct chooser *c, const struct candidate *k) {
  const unsigned in_flight = c->in->program->in_flight * (has_slow_results(c, &k->shapes) ? 2 : 1);
  if (c->in->lanes > in_flight * c->vector) return c->in->lanes / c->vector;
  const bool in_rows = in_flight > USUAL_PACKETS && k->map.rows >= in_flight && has_many_registers(c);
  return in_rows ? 2 * in_flight : in_flight;
}

/* The last vector of a row may be mostly empty, the others not. */
static bool is_mostly_filled(const struct chooser *c, const struct kl_mapping *longer) {
  const uint64_t size = c->size[longer->along];
  return divides(size, longer->run) || (longer->rows == 1 && size >= FEW_VECTORS * (uint64_t)longer->run);
}

/* Rows that end within a vector would put all of them under masks. */
static bool stays_whole(const struct chooser *c, const struct kl_mapping *higher) {
  const uint64_t size = c->size[higher->along];
  return divides(c->size[higher->across], higher->rows) && (size == 0 || size % higher->run == 0);
}

/* Rows of OpenCL vectors that loops carry are as many registers side by side as these have components, and
 * share nothing with the next ones. */
static void add_packets(struct chooser *c, struct candidate *k) {
  c->vector = k->map.width;
  if (k->cost.row_bytes != 0 && k->map.width >= c->in->lanes) return;
  while (k->map.width < c->vector * most_packets(c, k) && at_most(c, 2 * k->map.width) > k->map.width) {
    struct candidate old = *k;
    struct kl_mapping longer = old.map, higher = old.map;
    longer.run *= 2;
    higher.rows *= 2;
    bool found = false;
    if (is_long(c, longer.along) || is_mostly_filled(c, &longer)) found |= try_mapping(c, k, &old, longer);
    if (!c->one_row && stays_whole(c, &higher)) found |= try_mapping(c, k, &old, higher);
    if (!found) return;
  }
}

/* ---- choice ---- */

static bool has_private_objects(const struct kl_lane_choice *in) {
  for (uint32_t v = 0; v < in->costs.f->ninst; v++)
    if (in->costs.plan->place[v] != KL_PLACE_NONE) return true;
  return false;
}

static bool has_scans(const struct kl_func *f) {
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (f->inst[i].op == KL_COLLECTIVE && kl_is_scan(f->inst[i].sub)) return true;
  return false;
}

static double spilled(const struct chooser *c, const struct candidate *k) {
  if (k->cost.live <= 2 * registers(c)) return 1;
  return k->cost.carried > 2 * registers(c) ? ALL_SPILLED : SPILLED;
}

/* Work-items by themselves wait for results longer than they work. */
static bool waits_alone(const struct chooser *c, const struct candidate *k) {
  const struct kl_func *f = c->in->costs.f;
  return BEGUN_ALONE * k->cost.longest > f->ninst - f->narg;
}

/* Code for each lane that the first cache of instructions does not hold is brought there for every vector
 * anew. Measured with 250 bytes looked up and 250 stored with AVX2: as fast one by one, in a fifth of the
 * code, but 0.3 times as fast where each place comes of the byte before; 1,000 elements of rows that lie
 * anywhere: 3.2 times as fast. */
static double brought_in(const struct chooser *c, const struct candidate *k) {
  const bool is_much = k->cost.elements > MOST_ELEMENTS && !waits_alone(c, k);
  return is_much ? k->cost.per_lane / k->map.width : 0;
}

static void start(struct chooser *c, const struct kl_lane_choice *in) {
  c->in = in;
  c->scans = has_scans(in->costs.f);
  for (unsigned d = 0; d < 3; d++) c->size[d] = in->spec->local_size[d];
  c->one_row = has_private_objects(in);
  unsigned width = in->spec->width != 0 ? in->spec->width : in->costs.native;
  if (in->merges) c->size[0] *= kiln_mapping_merge(in->spec, width);
}

#define MOSTLY 0.9 /* of the cost */

/* With registers for masks lanes are worth it for what comes between the code that they run one by one;
 * measured with nobody in such code, and half of the work-items. Not where hardly anything does: rows of
 * pixels that edges cut off, for which float4 are loaded and multiplied, take 1.5 times as long. */
static bool has_work_between(const struct chooser *c, const struct candidate *k) {
  return has_many_registers(c) && k->cost.serial < MOSTLY * k->cost.total;
}

/* Of a work-item in scalar code, alone or beside its neighbour, which must be worth the longer code. */
static double scalar_cost(const struct chooser *c, const struct candidate *best, struct kl_shapes *shapes,
                          struct kl_abreast **abreast) {
  const struct kl_lane_choice *in = c->in;
  struct kl_abreast *a = kl_new(in->costs.env, 1, struct kl_abreast);
  const bool can = best->map.along == 0 && c->size[0] != 1 &&
                   kiln_abreast_find(a, in->costs.env, in->program, in->costs.plan, &shapes->uniform);
  const struct kl_scalar_cost cost = kiln_scalar_cost(&in->costs, shapes, can ? a->branch : NULL);
  const double wait = cost.wait > cost.common ? (cost.wait - cost.common) / 2 : 0;
  *abreast = can && cost.common + wait < 0.8 * (cost.common + cost.wait) ? a : NULL;
  const double left_out = has_work_between(c, best) ? 0 : best->cost.left_out;
  return cost.work - left_out + (*abreast != NULL ? wait : cost.wait);
}

/* How many times as long it takes because operations wait for each other's results. */
static double waiting(const struct candidate *k) {
  if (k->map.width == 1 || !k->cost.chains || k->cost.vectors == 0) return 1;
  const double turns = (double)BEGUN * k->cost.wait / k->cost.vectors;
  return turns > 1 ? turns : 1;
}

struct kl_mapping kiln_lane_choose(const struct kl_lane_choice *in, struct kl_shapes *shapes,
                                   struct kl_lane_turns *turns, struct kl_abreast **abreast,
                                   struct kl_lane_estimate *estimate) {
  struct chooser c;
  start(&c, in);
  struct candidate best = along_dimension(&c, 0);
  for (unsigned d = 1; d < 3; d++) {
    if (!is_plausible(&c, d)) continue;
    struct candidate k = along_dimension(&c, d);
    if (compared_by(&c, &k) < compared_by(&c, &best) * 0.95) best = k;
  }
  *shapes = best.shapes;
  if (in->spec->width == 0) {
    fit_width_again(&c, &best);
    const double usual = best.each * (1 - best.cost.crowding / best.cost.total) * spilled(&c, &best),
                 each = usual + brought_in(&c, &best),
                 traffic = best.each * best.cost.traffic / best.cost.total;
    const double scalar = scalar_cost(&c, &best, shapes, abreast) + traffic;
    if (each > 0.8 * scalar) best.map.width = 1, best.each = scalar;
    else add_packets(&c, &best);
    *shapes = best.shapes;
  }
  *estimate = (struct kl_lane_estimate){.cost = best.each * waiting(&best), .chains = best.cost.chains};
  if (best.map.width != 1) *abreast = NULL;
  *turns = best.cost.turns;
  return best.map;
}

/* ---- sub-groups ---- */

unsigned kiln_lane_sub_group(const struct kl_program *program, unsigned native) {
  const struct kl_func *f = program->kernel;
  uint32_t wide = 0, others = 0;
  uint64_t widest = 1;
  unsigned size = native;
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    LLVMTypeRef type = LLVMTypeOf(f->inst[v].v);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) continue;
    LLVMTypeKind kind = LLVMGetTypeKind(kiln_type_part(type, 0));
    if (kind == LLVMDoubleTypeKind) wide++;
    else if (kind == LLVMFloatTypeKind) others++;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) continue;
    uint64_t bytes = kiln_map_size(program->map, kiln_map_type(program->map, type));
    if (bytes > widest) widest = bytes;
  }
  if (wide > others) size /= 2;
  while (size > SMALLEST_SUB_GROUP && widest * size > MOST_BYTES) size /= 2;
  return native >= SMALLEST_SUB_GROUP && size < SMALLEST_SUB_GROUP ? SMALLEST_SUB_GROUP : size;
}
