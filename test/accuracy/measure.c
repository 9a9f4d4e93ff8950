/* See measure.h.
 *
 * Most results are settled by the C library's result in a wider type: what is clearly better than the worst
 * so far needs no more. The rest is computed again with MPFR. That is exact as long as the C library keeps to
 * what struct quick promises. */
#include "measure.h"

#include "library.h"
#include "relaxed.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 64, SPARE_BITS = 40, CHUNK = 2048 };
static const uint64_t ALL_FLOATS = (uint64_t)1 << 32;

/* A part of the arguments, for one thread: samples, or floats from the bits `first` on. */
struct job {
  const struct function *function;
  enum number_type type;
  bool relaxed; /* errors are parts of what is allowed */
  struct relaxed_bound bound;
  unsigned num_builds;
  const struct sample *samples; /* NULL: a sweep */
  const uint64_t *results[DEVICE_BUILDS];
  const uint32_t *swept[DEVICE_BUILDS];
  uint32_t first, step;
  size_t n;
  struct worst worst;
};

/* ---- one result ---- */

struct scratch {
  mpfr_t a, b, c, want, difference;
};

static void scratch_init(struct scratch *s, enum number_type type) {
  mpfr_prec_t bits = number_formats[type].digits;
  mpfr_inits2(64, s->a, s->b, s->c, (mpfr_ptr)0);
  mpfr_init2(s->want, bits + SPARE_BITS);
  mpfr_init2(s->difference, bits + SPARE_BITS);
}

static void scratch_finish(struct scratch *s) {
  mpfr_clears(s->a, s->b, s->c, s->want, s->difference, (mpfr_ptr)0);
  mpfr_free_cache();
}

/* The unit of errors, in units of the last place of want; INFINITY: any will do. */
static double error_unit(const struct job *job, double a, double b, double want) {
  return job->relaxed ? relaxed_allowed(&job->bound, a, b, want) : 1.0;
}

/* 0: there is none. */
static double second_argument(const struct job *job, const struct sample *sample) {
  if (job->function->arguments == ONE) return 0.0;
  return job->function->arguments == WITH_INT ? sample->i : number_value(job->type, sample->bits[1]);
}

/* By MPFR. */
static void judge(struct job *job, struct scratch *s, const struct sample *sample, unsigned build,
                  double got) {
  mpfr_set_d(s->a, number_value(job->type, sample->bits[0]), MPFR_RNDN);
  mpfr_set_d(s->b, number_value(job->type, sample->bits[1]), MPFR_RNDN);
  mpfr_set_d(s->c, number_value(job->type, sample->bits[2]), MPFR_RNDN);
  job->function->exact(s->want, s->a, s->b, s->c, sample->i);
  double error = number_error(job->type, got, s->want, s->difference);
  double want = mpfr_get_d(s->want, MPFR_RNDN);
  if (job->relaxed && got == 0.0 && fabs(want) < 0x1p-126) return; /* of either sign */
  double unit = error_unit(job, mpfr_get_d(s->a, MPFR_RNDN), second_argument(job, sample), want);
  error = isinf(unit) || error == 0.0 ? 0.0 : error / unit;
  if (error > job->worst.error) job->worst = (struct worst){error, got, *sample, build};
}

/* Units that a result may be off for certain without being a new worst. */
static double settled_limit(const struct job *job) {
  return job->worst.error - (job->type == DOUBLE ? 0x1p-5 : 0x1p-12);
}

/* The C library's result in a wider type; false: it has none. */
static bool quick_result(const struct job *job, const struct sample *sample, long double *want) {
  const struct quick *q = &job->function->quick;
  enum arguments arguments = job->function->arguments;
  double a = number_value(job->type, sample->bits[0]), b = second_argument(job, sample);
  if (arguments == ONE && q->one != NULL) *want = job->type == DOUBLE ? q->one_long(a) : q->one(a);
  else if (arguments != ONE && q->two != NULL) *want = job->type == DOUBLE ? q->two_long(a, b) : q->two(a, b);
  else return false;
  return true;
}

/* ---- samples ---- */

static void check_sample(struct job *job, struct scratch *s, size_t k) {
  const struct sample *sample = &job->samples[k];
  long double want = 0.0L;
  bool quick = quick_result(job, sample, &want);
  double unit =
      error_unit(job, number_value(job->type, sample->bits[0]), second_argument(job, sample), (double)want);
  if (quick && !isfinite(unit)) return;
  for (unsigned b = 0; b < job->num_builds; b++) {
    if (b > 0 && job->results[b][k] == job->results[0][k]) continue;
    double got = number_value(job->type, job->results[b][k]);
    if (!quick || !number_is_within(job->type, got, want, settled_limit(job) * unit))
      judge(job, s, sample, b, got);
  }
}

/* ---- sweeps ---- */

static uint64_t as_bits(double d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits;
}

static float as_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* number_is_within for float, which sweeps spend their time with. */
static bool is_settled(float got, double want, double limit) {
  double size = fabs(want) < 0x1p-126 ? 0x1p-126 : fabs(want);
  uint64_t unit_bits = (as_bits(size) >> 52 << 52) - ((uint64_t)23 << 52);
  double unit;
  memcpy(&unit, &unit_bits, sizeof unit);
  if ((as_bits(want) ^ as_bits((double)got)) >> 63 != 0) return isnan(got) && isnan(want);
  if (fabsf(got) < INFINITY) return fabs((double)got - want) <= limit * unit || (got == 0.0f && want == 0.0);
  return isnan(got) ? isnan(want) : size >= 0x1p+128;
}

/* Up to CHUNK floats from the k-th on. */
static void check_floats(struct job *job, struct scratch *s, size_t k, size_t n) {
  double x[CHUNK] = {0}, want[CHUNK];
  for (size_t j = 0; j < n; j++) x[j] = as_float(job->first + (uint32_t)(k + j) * job->step);
  library_apply(&job->function->quick, x, want, (n + 7) & ~(size_t)7);
  for (unsigned b = 0; b < job->num_builds; b++) {
    if (b > 0 && memcmp(job->swept[b] + k, job->swept[0] + k, n * sizeof *job->swept[0]) == 0) continue;
    double limit = settled_limit(job);
    for (size_t j = 0; j < n; j++) {
      float got = as_float(job->swept[b][k + j]);
      double unit = error_unit(job, x[j], 0.0, want[j]);
      if (!isfinite(unit) || is_settled(got, want[j], limit * unit)) continue;
      struct sample sample = {.bits = {job->first + (uint32_t)(k + j) * job->step}};
      judge(job, s, &sample, b, (double)got);
      limit = settled_limit(job);
    }
  }
}

/* ---- threads ---- */

static void *check(void *data) {
  struct job *job = data;
  struct scratch s;
  scratch_init(&s, job->type);
  if (job->samples != NULL)
    for (size_t k = 0; k < job->n; k++) check_sample(job, &s, k);
  else
    for (size_t k = 0; k < job->n; k += CHUNK)
      check_floats(job, &s, k, job->n - k < CHUNK ? job->n - k : CHUNK);
  scratch_finish(&s);
  return NULL;
}

static unsigned num_threads(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

/* The arguments [from, to) of the whole. */
static struct job part_of(const struct job *whole, size_t from, size_t to) {
  struct job part = *whole;
  part.n = to - from;
  part.first += (uint32_t)from * part.step;
  if (part.samples != NULL) part.samples += from;
  for (unsigned b = 0; b < part.num_builds; b++) {
    if (part.samples != NULL) part.results[b] += from;
    else part.swept[b] += from;
  }
  return part;
}

/* Shares the job among threads and updates its worst. */
static bool check_all(struct job *whole) {
  struct job jobs[MAX_THREADS];
  pthread_t threads[MAX_THREADS];
  unsigned n = num_threads();
  for (unsigned t = 0; t < n; t++) {
    jobs[t] = part_of(whole, whole->n * t / n, whole->n * (t + 1) / n);
    if (pthread_create(&threads[t], NULL, check, &jobs[t]) != 0) return false;
  }
  for (unsigned t = 0; t < n; t++) {
    pthread_join(threads[t], NULL);
    if (jobs[t].worst.error > whole->worst.error) whole->worst = jobs[t].worst;
  }
  return true;
}

/* ---- all arguments ---- */

static bool check_every(struct job *job, uint64_t step) {
  static uint32_t swept[DEVICE_BUILDS][DEVICE_SWEEP];
  uint64_t total = (ALL_FLOATS + step - 1) / step;
  job->step = (uint32_t)step;
  for (uint64_t done = 0; done < total; done += job->n) {
    job->first = (uint32_t)(done * step);
    job->n = total - done < DEVICE_SWEEP ? (size_t)(total - done) : DEVICE_SWEEP;
    for (unsigned b = 0; b < job->num_builds; b++) {
      job->swept[b] = swept[b];
      if (!device_sweep(b, job->first, job->step, job->n, swept[b])) return false;
    }
    if (!check_all(job)) return false;
  }
  return true;
}

/* A few first: where all errors are small, as near zero, each would be a new worst. */
static bool check_sweep(struct job *job, uint32_t step) {
  return check_every(job, (uint64_t)step * 8191) && check_every(job, step);
}

static bool check_samples(struct job *job, uint64_t total, bool every) {
  static struct sample samples[DEVICE_BATCH];
  static uint64_t results[DEVICE_BUILDS][DEVICE_BATCH];
  job->samples = samples;
  for (uint64_t done = 0; done < total; done += job->n) {
    job->n = total - done < DEVICE_BATCH ? (size_t)(total - done) : DEVICE_BATCH;
    sample_fill(samples, job->n, done, job->type, job->function->arguments, every);
    for (unsigned b = 0; b < job->num_builds; b++) {
      job->results[b] = results[b];
      if (!device_run(b, samples, job->n, results[b])) return false;
    }
    if (!check_all(job)) return false;
  }
  return true;
}

bool measure(const struct measure *how, const struct function *function, enum number_type type,
             uint64_t *count_out, struct worst *worst_out) {
  struct job job = {.function = function,
                    .type = type,
                    .relaxed = how->relaxed,
                    .bound = relaxed_bound(function),
                    .num_builds = how->num_builds};
  bool one = function->arguments == ONE, sweep = one && type == FLOAT && how->step != 0;
  uint64_t total = one && type == HALF ? 1 << 16 : how->samples;
  if (sweep) total = (ALL_FLOATS + how->step - 1) / how->step;
  for (unsigned b = 0; b < how->num_builds; b++)
    if (!device_build(b, function, type, how->builds[b])) return false;
  bool ok = sweep ? check_sweep(&job, how->step) : check_samples(&job, total, one && type == HALF);
  *count_out = total;
  *worst_out = job.worst;
  return ok;
}
