/* Multiplies two square matrices through tiles in local memory. */
#include "check.h"
#include "device.h"
#include "options.h"
#include "program.h"
#include "random.h"
#include "report.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>

enum { TILE = 16 }; /* as in matmul_tiled.cl */

/* Multiples of 1/8 in [-2, 2): a product has 6 bits after the point and a sum of 1024 of them fits
 * a float's 24 bits, so every order of summation, fused or not, gives the same exact result. */
static float *random_matrix(int order, uint64_t seed) {
  const size_t count = (size_t)order * (size_t)order;
  float *matrix = ex_alloc(count, sizeof *matrix);
  for (size_t i = 0; i < count; i++) matrix[i] = (float)(ex_random(&seed) % 32) / 8.0f - 2.0f;
  return matrix;
}

static double run_kernel(const struct ex_options *options, const struct ex_device *device, cl_kernel kernel,
                         int order, cl_mem a, cl_mem b, cl_mem c) {
  const size_t global[2] = {(size_t)order, (size_t)order};
  const size_t local[2] = {TILE, TILE};
  const cl_int order_argument = order;
  EX_CHECK(clSetKernelArg(kernel, 0, sizeof order_argument, &order_argument));
  EX_CHECK(clSetKernelArg(kernel, 1, sizeof a, &a));
  EX_CHECK(clSetKernelArg(kernel, 2, sizeof b, &b));
  EX_CHECK(clSetKernelArg(kernel, 3, sizeof c, &c));
  return ex_timing_best_ms(device, kernel, 2, global, local, ex_options_runs(options, 5));
}

/* Multiplies on the device, reads C back and returns the kernel time. */
static double multiply(const struct ex_options *options, int order, const float *a, const float *b,
                       float *c) {
  const size_t bytes = (size_t)order * (size_t)order * sizeof *c;
  struct ex_device device = ex_device_open();
  cl_program program = ex_program_build(&device, "matmul_tiled/matmul_tiled.cl", "");
  cl_kernel kernel = ex_program_kernel(program, "matmul_tiled");
  cl_mem a_buffer = ex_device_buffer(&device, CL_MEM_READ_ONLY, bytes, a);
  cl_mem b_buffer = ex_device_buffer(&device, CL_MEM_READ_ONLY, bytes, b);
  cl_mem c_buffer = ex_device_buffer(&device, CL_MEM_WRITE_ONLY, bytes, NULL);

  double ms = run_kernel(options, &device, kernel, order, a_buffer, b_buffer, c_buffer);
  ex_device_read(&device, c_buffer, c, bytes);

  EX_CHECK(clReleaseMemObject(c_buffer));
  EX_CHECK(clReleaseMemObject(b_buffer));
  EX_CHECK(clReleaseMemObject(a_buffer));
  EX_CHECK(clReleaseKernel(kernel));
  EX_CHECK(clReleaseProgram(program));
  ex_device_close(&device);
  return ms;
}

/* The three loops of the definition, ordered so that the inner one runs along rows. */
static void multiply_on_host(int order, const float *a, const float *b, float *c) {
  for (int row = 0; row < order; row++) {
    float *c_row = c + (size_t)row * (size_t)order;
    for (int k = 0; k < order; k++) {
      const float factor = a[(size_t)row * (size_t)order + (size_t)k];
      const float *b_row = b + (size_t)k * (size_t)order;
      for (int column = 0; column < order; column++) c_row[column] += factor * b_row[column];
    }
  }
}

static bool product_is_right(int order, const float *a, const float *b, const float *c) {
  const size_t count = (size_t)order * (size_t)order;
  float *expected = ex_alloc(count, sizeof *expected);
  multiply_on_host(order, a, b, expected);
  size_t i = 0;
  while (i < count && c[i] == expected[i]) i++;
  if (i < count)
    printf("c[%zu][%zu] is %g, not %g\n", i / (size_t)order, i % (size_t)order, (double)c[i],
           (double)expected[i]);
  free(expected);
  return i == count;
}

int main(int argc, char **argv) {
  struct ex_options options = ex_options_parse(argc, argv);
  const int order = options.small ? 128 : 1024;
  const size_t count = (size_t)order * (size_t)order;
  float *a = random_matrix(order, 1), *b = random_matrix(order, 2);
  float *c = ex_alloc(count, sizeof *c);

  struct ex_report report = {.example = "matmul_tiled", .unit = "GFLOP/s"};
  snprintf(report.size, sizeof report.size, "%d x %d", order, order);
  report.ms = multiply(&options, order, a, b, c);
  report.work = 2.0 * order * order * order;
  ex_options_damage(&options, c, count * sizeof *c);
  report.ok = product_is_right(order, a, b, c);

  free(c);
  free(b);
  free(a);
  return ex_report_finish(&options, &report);
}
