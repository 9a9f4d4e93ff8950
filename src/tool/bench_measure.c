/* Times of one benchmark case: rounds in turn on all platforms, medians, ratios with their intervals. */
#include "tool/bench.h"
#include "tool/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Kiln, the other platforms, and the program in C last. */
enum { ROOF = BENCH_MAX_PLATFORMS, RUNNERS };

struct race {
  const struct bench_options *o;
  const struct bench_case *b;
  struct launch launches[BENCH_MAX_PLATFORMS];
  bool ok[RUNNERS];
  double seconds[RUNNERS][BENCH_MAX_ROUNDS];
};

/* ---- figures ---- */

static void rate(const struct launch *l, struct bench_result *r) {
  long double work = 0;
  const struct run_case *c = l->c;
  const char *text = c->flops != NULL ? c->flops : c->items != NULL ? c->items : c->bytes;
  r->unit = c->flops != NULL ? "GFLOP/s" : c->items != NULL ? "Mitem/s" : "GB/s";
  if (text != NULL && launch_expr(l, text, &work))
    r->rate = (double)work / r->median * (text == c->items ? 1e-6 : 1e-9);
}

/* The median of n sorted values, and the ranks between which the true one lies with at least 95 % (by the
 * binomial distribution of the ranks; all values when there are fewer than six). */
static void interval(const double *sorted, int n, double *median, double *low, double *high) {
  double tail = 0, term = exp2(-n); /* n choose k, over 2^n */
  int k = 0;
  for (; k < n / 2 && tail + term <= 0.025; k++) {
    tail += term;
    term = term * (n - k) / (k + 1);
  }
  int rank = k > 0 ? k - 1 : 0;
  *median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  *low = sorted[rank];
  *high = sorted[n - 1 - rank];
}

/* Times over Kiln's, round by round. */
static void compare(const double *kiln, const double *seconds, int rounds, struct bench_result *r) {
  double ratios[BENCH_MAX_ROUNDS];
  for (int k = 0; k < rounds; k++) ratios[k] = seconds[k] / kiln[k];
  qsort(ratios, (size_t)rounds, sizeof *ratios, tool_by_value);
  interval(ratios, rounds, &r->ratio, &r->ratio_low, &r->ratio_high);
}

static void summarise(const struct race *race, int runner, const struct launch *l, struct bench_result *r) {
  double sorted[BENCH_MAX_ROUNDS], low, high;
  int rounds = race->o->rounds;
  r->ok = race->ok[runner];
  if (!r->ok) return;
  if (runner != 0 && race->ok[0]) compare(race->seconds[0], race->seconds[runner], rounds, r);
  memcpy(sorted, race->seconds[runner], (size_t)rounds * sizeof *sorted);
  qsort(sorted, (size_t)rounds, sizeof *sorted, tool_by_value);
  interval(sorted, rounds, &r->median, &low, &high);
  r->minimum = sorted[0];
  rate(l, r);
}

static int best_of(const struct bench_row *row, int num_platforms) {
  int best = 0;
  for (int p = 1; p < num_platforms; p++)
    if (row->result[p].ok && (best == 0 || row->result[p].median < row->result[best].median)) best = p;
  return best;
}

const struct bench_result *bench_other(const struct bench_row *row, int p) {
  if (p == 0) p = row->best;
  return p > 0 && row->result[p].ratio > 0 ? &row->result[p] : NULL;
}

struct bench_mean bench_mean(const struct bench_row *rows, int count, int p) {
  struct bench_mean mean = {0};
  double logs = 0;
  for (int k = 0; k < count; k++) {
    const struct bench_result *other = bench_other(&rows[k], p);
    if (other == NULL) continue;
    logs += log(other->ratio);
    mean.cases++;
    mean.slower += other->ratio_high < BENCH_SLOWER;
  }
  mean.ratio = mean.cases > 0 ? exp(logs / mean.cases) : 0;
  return mean;
}

/* ---- rounds ---- */

static void warm_up(struct race *race, struct bench_row *row) {
  double seconds;
  for (int p = 0; p < race->o->num_platforms; p++) {
    struct launch *l = &race->launches[p];
    tool_place(race->o->platforms[p]);
    tool_progress("%s: checking on %s", race->b->label, race->o->platforms[p]);
    race->ok[p] = launch_open(l, &race->b->c, race->o->platforms[p]) && launch_once(l, &seconds);
    row->result[p].first_ms = l->build_ms + l->launch_ms;
    race->ok[p] = race->ok[p] && launch_fetch(l) && launch_check(l);
    row->result[p].build_ms = l->build_ms;
  }
  race->ok[ROOF] = bench_roof_knows(race->o, race->b->label);
}

/* Threads of the platform before look for work for a while before they sleep, during which a short kernel of
 * the next one would be without a processor: without a rest `control/early_return` took 0.29 or 0.65 ms. */
static void let_others_rest(const struct race *race) {
  static const struct timespec rest = {.tv_nsec = 20000000};
  if (race->o->num_platforms > 1) nanosleep(&rest, NULL);
}

/* The first run does not count, on any platform nor in the roof's program: caches, threads and the
 * processor's clock are as the platform before left them. */
static void run_round(struct race *race, int round, struct bench_row *row) {
  double cold;
  for (int p = 0; p < race->o->num_platforms; p++) {
    struct launch *l = &race->launches[p];
    tool_progress("%s: round %d of %d on %s", race->b->label, round + 1, race->o->rounds,
                  race->o->platforms[p]);
    let_others_rest(race);
    race->ok[p] = race->ok[p] && launch_once(l, &cold) && launch_once(l, &race->seconds[p][round]);
  }
  race->ok[ROOF] =
      race->ok[ROOF] && bench_roof_once(race->o, race->b->label, &race->seconds[ROOF][round], row->roof_name);
}

void bench_measure(const struct bench_options *o, const struct bench_case *b, struct bench_row *row) {
  static struct race race;
  race = (struct race){.o = o, .b = b};
  *row = (struct bench_row){0};
  memcpy(row->label, b->label, sizeof row->label);
  warm_up(&race, row);
  for (int round = 0; round < o->rounds; round++) run_round(&race, round, row);
  tool_place(NULL);
  tool_progress(NULL);
  for (int p = 0; p < o->num_platforms; p++) summarise(&race, p, &race.launches[p], &row->result[p]);
  summarise(&race, ROOF, &race.launches[0], &row->roof);
  row->best = best_of(row, o->num_platforms);
  for (int p = 0; p < o->num_platforms; p++) launch_close(&race.launches[p]);
}
