/* Regions between barriers, and which values live from one into another; see plan.h. */
#include "compiler/spmd/regions.h"

#include <stdlib.h>
#include <string.h>

/* ---- membership ---- */

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

struct collector {
  struct kl_plan_job *job;
  uint32_t *stamp, *stack, n; /* by block: region + 1 that saw it last; found blocks */
};

static void collect(struct collector *c, uint32_t r) {
  struct kl_region *region = &c->job->plan->region[r];
  const struct kl_func *f = c->job->f;
  struct kl_list found = {0};
  uint32_t depth = 0;
  c->stack[depth++] = region->entry;
  c->stamp[region->entry] = r + 1;
  while (depth > 0) {
    uint32_t b = c->stack[--depth];
    kiln_list_push(c->job->env, &found, b);
    if (f->block[b].barrier != 0) {
      kiln_list_push(c->job->env, &region->next, f->block[b].barrier);
      continue;
    }
    region->returns |= f->inst[kl_last_of(f, b)].op == LLVMRet;
    for (uint32_t k = f->graph.succ0[b]; k < f->graph.succ0[b + 1]; k++) {
      uint32_t to = f->graph.succ[k];
      if (c->stamp[to] != r + 1) c->stamp[to] = r + 1, c->stack[depth++] = to;
    }
  }
  qsort(found.at, found.n, sizeof *found.at, compare);
  region->block = found.at;
  region->nblock = found.n;
}

void kiln_regions_find(struct kl_plan_job *job) {
  const struct kl_func *f = job->f;
  struct kl_plan *plan = job->plan;
  struct collector c = {job, kl_new(job->env, f->graph.n, uint32_t), kl_new(job->env, f->graph.n, uint32_t),
                        0};
  plan->nregion = f->nbarrier + 1;
  plan->region = kl_new(job->env, plan->nregion, struct kl_region);
  job->region_at = kl_new(job->env, f->graph.n, uint32_t);
  memset(job->region_at, 0xff, f->graph.n * sizeof *job->region_at);
  plan->region[0].after = KL_NONE;
  for (uint32_t b = 0; b < f->graph.n; b++) {
    if (f->block[b].barrier == 0) continue;
    struct kl_region *region = &plan->region[f->block[b].barrier];
    region->entry = f->graph.succ[f->graph.succ0[b]];
    region->after = kl_last_of(f, b);
  }
  for (uint32_t r = 0; r < plan->nregion; r++) {
    job->region_at[plan->region[r].entry] = r;
    collect(&c, r);
  }
}

/* ---- liveness ---- */

struct liveness {
  struct kl_plan_job *job;
  uint32_t *mark, *stack; /* by block: value + 1 whose walk passed */
  uint32_t depth, value;
  struct kl_list found;   /* regions at whose entry the value at hand is live */
  struct kl_list *starts; /* by value: regions at whose entry a value computed again there wants it */
};

static void live_into(struct liveness *l, uint32_t block) {
  if (l->mark[block] == l->value + 1) return;
  l->mark[block] = l->value + 1;
  l->stack[l->depth++] = block;
}

static void walk_back(struct liveness *l) {
  struct kl_plan_job *job = l->job;
  const struct kiln_graph *g = &job->f->graph;
  uint32_t home = job->f->inst[l->value].bb;
  while (l->depth > 0) {
    uint32_t b = l->stack[--l->depth], r = job->region_at[b];
    if (r != KL_NONE && r != 0) {
      kiln_list_push(job->env, &job->plan->region[r].live, l->value);
      kiln_list_push(job->env, &l->found, r);
      job->crosses[l->value] = true;
    }
    for (uint32_t k = g->pred0[b]; k < g->pred0[b + 1]; k++)
      if (g->pred[k] != home) live_into(l, g->pred[k]);
  }
}

static void find_live_value(struct liveness *l, uint32_t v) {
  struct kl_plan_job *job = l->job;
  const struct kl_func *f = job->f;
  uint32_t home = f->inst[v].bb;
  l->value = v;
  for (uint32_t k = job->uses.first[v]; k < job->uses.first[v + 1]; k++) {
    uint32_t user = job->uses.at[k];
    if (f->inst[user].op != LLVMPHI) {
      if (f->inst[user].bb != home) live_into(l, f->inst[user].bb);
      continue;
    }
    for (uint32_t o = 0; o < f->inst[user].nops; o += 2) {
      uint32_t from = kl_operand(f, user, o + 1);
      if (kl_operand(f, user, o) == v && from != home) live_into(l, from);
    }
  }
  for (uint32_t k = 0; k < l->starts[v].n; k++) live_into(l, job->plan->region[l->starts[v].at[k]].entry);
  walk_back(l);
}

/* Where a value is computed again its operands must be there too. Operands have lower numbers: going down
 * reaches them after all who want them. */
static void want_operands(struct liveness *l, uint32_t v) {
  const struct kl_func *f = l->job->f;
  for (uint32_t k = 0; k < f->inst[v].nops; k++) {
    uint32_t o = kl_operand(f, v, k);
    if (o < f->narg || o >= f->ninst) continue;
    for (uint32_t i = 0; i < l->found.n; i++) kiln_list_push(l->job->env, &l->starts[o], l->found.at[i]);
  }
}

static void find_all_live(struct liveness *l) {
  struct kl_plan_job *job = l->job;
  for (uint32_t v = job->f->ninst; v-- > job->f->narg;) {
    l->found.n = 0;
    find_live_value(l, v);
    if (job->crosses[v] && job->again[v]) want_operands(l, v);
  }
}

void kiln_regions_liveness(struct kl_plan_job *job) {
  struct liveness l = {.job = job,
                       .mark = kl_new(job->env, job->f->graph.n, uint32_t),
                       .stack = kl_new(job->env, job->f->graph.n, uint32_t),
                       .starts = kl_new(job->env, job->f->ninst, struct kl_list)};
  job->crosses = kl_new(job->env, job->f->nvalue, bool);
  find_all_live(&l);
  for (uint32_t r = 1; r < job->plan->nregion; r++) {
    struct kl_list *live = &job->plan->region[r].live;
    if (live->n != 0) qsort(live->at, live->n, sizeof *live->at, compare);
  }
}

/* ---- early exits ---- */

/* Where barriers and returns end everything, a branch whose paths do not meet again decides which of them is
 * next. */
static void cut_postdominators(struct kl_plan_job *job, struct kiln_tree *post) {
  const struct kl_func *f = job->f;
  struct kiln_edge *edges = kl_new(job->env, f->graph.succ0[f->graph.n], struct kiln_edge);
  size_t count = 0;
  for (uint32_t b = 0; b < f->graph.n; b++)
    for (uint32_t k = f->graph.succ0[b]; k < f->graph.succ0[b + 1] && f->block[b].barrier == 0; k++)
      edges[count++] = (struct kiln_edge){b, f->graph.succ[k]};
  struct kiln_graph cut;
  kiln_graph_build(&cut, &job->env->arena, f->graph.n, edges, count);
  kiln_tree_postdominators(post, &cut, &job->env->arena);
}

bool kiln_regions_exit_early(struct kl_plan_job *job) {
  struct kiln_tree post;
  cut_postdominators(job, &post);
  for (uint32_t r = 0; r < job->plan->nregion; r++) {
    const struct kl_region *region = &job->plan->region[r];
    if (!region->returns || region->next.n == 0) continue;
    for (uint32_t i = 0; i < region->nblock; i++)
      if (post.parent[region->block[i]] == job->f->graph.n &&
          kiln_uniform_is_divergent(&job->uniform, job->f, region->block[i]))
        return true;
  }
  return false;
}
