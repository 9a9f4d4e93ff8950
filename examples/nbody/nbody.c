/* One time step of the gravitational N-body problem, all pairs, bodies tiled through local
 * memory, against a host reference in double precision. */
#include "check.h"
#include "device.h"
#include "options.h"
#include "program.h"
#include "random.h"
#include "report.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILE = 256, FLOPS_PER_PAIR = 20 /* the customary count */ };

static const float time_step = 0.25f, softening = 1e-4f;

/* Everything the device gets and gives; arrays of `count`. */
struct cluster {
  int count;
  cl_float4 *bodies, *velocities;
  cl_float4 *new_bodies, *new_velocities;
};

static cl_float4 random_body(uint64_t *seed, float mass) {
  cl_float4 body;
  for (int axis = 0; axis < 3; axis++) body.s[axis] = ex_random_float(seed) - 0.5f;
  body.s[3] = mass;
  return body;
}

/* A unit cube of bodies of total mass 1, moving slowly. */
static struct cluster cluster_new(int count) {
  struct cluster cluster = {.count = count};
  cl_float4 **arrays[] = {&cluster.bodies, &cluster.velocities, &cluster.new_bodies, &cluster.new_velocities};
  for (int i = 0; i < 4; i++) *arrays[i] = ex_alloc((size_t)count, sizeof(cl_float4));
  uint64_t seed = 1;
  for (int i = 0; i < count; i++) {
    cluster.bodies[i] = random_body(&seed, (0.5f + ex_random_float(&seed)) / (float)count);
    cluster.velocities[i] = random_body(&seed, 0.0f);
  }
  return cluster;
}

static void cluster_free(struct cluster *cluster) {
  free(cluster->new_velocities);
  free(cluster->new_bodies);
  free(cluster->velocities);
  free(cluster->bodies);
}

static double run_kernel(const struct ex_options *options, const struct ex_device *device, cl_kernel kernel,
                         int count, const cl_mem buffers[4]) {
  const size_t global = (size_t)count, local = TILE;
  const cl_int count_argument = count;
  for (cl_uint i = 0; i < 4; i++) EX_CHECK(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]));
  EX_CHECK(clSetKernelArg(kernel, 4, TILE * sizeof(cl_float4), NULL));
  EX_CHECK(clSetKernelArg(kernel, 5, sizeof count_argument, &count_argument));
  EX_CHECK(clSetKernelArg(kernel, 6, sizeof time_step, &time_step));
  EX_CHECK(clSetKernelArg(kernel, 7, sizeof softening, &softening));
  return ex_timing_best_ms(device, kernel, 1, &global, &local, ex_options_runs(options, 3));
}

/* Takes the step on the device and returns the kernel time. */
static double step_on_device(const struct ex_options *options, struct cluster *cluster) {
  const size_t bytes = (size_t)cluster->count * sizeof(cl_float4);
  struct ex_device device = ex_device_open();
  cl_program program = ex_program_build(&device, "nbody/nbody.cl", "");
  cl_kernel kernel = ex_program_kernel(program, "nbody_step");
  cl_mem buffers[4] = {
      ex_device_buffer(&device, CL_MEM_READ_ONLY, bytes, cluster->bodies),
      ex_device_buffer(&device, CL_MEM_READ_ONLY, bytes, cluster->velocities),
      ex_device_buffer(&device, CL_MEM_WRITE_ONLY, bytes, NULL),
      ex_device_buffer(&device, CL_MEM_WRITE_ONLY, bytes, NULL),
  };

  double ms = run_kernel(options, &device, kernel, cluster->count, buffers);
  ex_device_read(&device, buffers[2], cluster->new_bodies, bytes);
  ex_device_read(&device, buffers[3], cluster->new_velocities, bytes);

  for (int i = 0; i < 4; i++) EX_CHECK(clReleaseMemObject(buffers[i]));
  EX_CHECK(clReleaseKernel(kernel));
  EX_CHECK(clReleaseProgram(program));
  ex_device_close(&device);
  return ms;
}

/* The acceleration of body `me` in double precision, and in [3] the sum of the sizes of all the
 * single pulls: rounding errors in the device's float sum grow with that. */
static void accelerate(const struct cluster *cluster, int me, double out[4]) {
  const cl_float4 *bodies = cluster->bodies;
  double sum[4] = {0};
  for (int i = 0; i < cluster->count; i++) {
    double away[3], square = (double)softening;
    for (int axis = 0; axis < 3; axis++) {
      away[axis] = (double)bodies[i].s[axis] - (double)bodies[me].s[axis];
      square += away[axis] * away[axis];
    }
    const double strength = (double)bodies[i].s[3] / (square * sqrt(square));
    for (int axis = 0; axis < 3; axis++) sum[axis] += away[axis] * strength;
    sum[3] += sqrt(square) * strength;
  }
  for (int i = 0; i < 4; i++) out[i] = sum[i];
}

/* One component of one body. The tolerance is about a sixth of an average single pull when there
 * are 16384 bodies, so that one body left out or counted twice shows. */
static bool component_is_right(const struct cluster *cluster, int me, int axis,
                               const double acceleration[4]) {
  const double velocity = (double)cluster->velocities[me].s[axis] + (double)time_step * acceleration[axis];
  const double place = (double)cluster->bodies[me].s[axis] + (double)time_step * velocity;
  const double tolerance = 1e-5 * (double)time_step * acceleration[3] + 1e-6;
  const double velocity_error = fabs((double)cluster->new_velocities[me].s[axis] - velocity);
  const double place_error = fabs((double)cluster->new_bodies[me].s[axis] - place);
  if (velocity_error <= tolerance && place_error <= tolerance) return true; /* false for NaN */
  printf("body %d axis %d: velocity off by %g, place by %g, allowed %g\n", me, axis, velocity_error,
         place_error, tolerance);
  return false;
}

static bool step_is_right(const struct cluster *cluster) {
  for (int me = 0; me < cluster->count; me++) {
    double acceleration[4];
    accelerate(cluster, me, acceleration);
    for (int axis = 0; axis < 3; axis++)
      if (!component_is_right(cluster, me, axis, acceleration)) return false;
    if (cluster->new_bodies[me].s[3] != cluster->bodies[me].s[3]) {
      printf("body %d changed its mass\n", me);
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  struct ex_options options = ex_options_parse(argc, argv);
  struct cluster cluster = cluster_new(options.small ? 1024 : 16384);

  struct ex_report report = {.example = "nbody", .unit = "GFLOP/s"};
  snprintf(report.size, sizeof report.size, "%d bodies", cluster.count);
  report.ms = step_on_device(&options, &cluster);
  report.work = (double)FLOPS_PER_PAIR * cluster.count * cluster.count;
  ex_options_damage(&options, cluster.new_velocities, (size_t)cluster.count * sizeof *cluster.new_velocities);
  report.ok = step_is_right(&cluster);

  cluster_free(&cluster);
  return ex_report_finish(&options, &report);
}
