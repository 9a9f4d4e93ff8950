/* Adds two vectors of floats: the smallest complete OpenCL program, and a bandwidth test. */
#include "check.h"
#include "device.h"
#include "options.h"
#include "program.h"
#include "random.h"
#include "report.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>

static float *random_vector(size_t count, uint64_t seed) {
  float *vector = ex_alloc(count, sizeof *vector);
  for (size_t i = 0; i < count; i++) vector[i] = ex_random_float(&seed) - 0.5f;
  return vector;
}

/* Adds on the device, reads the sum back and returns the kernel time. */
static double add(const struct ex_options *options, size_t count, const float *a, const float *b,
                  float *sum) {
  struct ex_device device = ex_device_open();
  cl_program program = ex_program_build(&device, "vector_add/vector_add.cl", "");
  cl_kernel kernel = ex_program_kernel(program, "vector_add");
  const size_t bytes = count * sizeof *sum;
  cl_mem a_buffer = ex_device_buffer(&device, CL_MEM_READ_ONLY, bytes, a);
  cl_mem b_buffer = ex_device_buffer(&device, CL_MEM_READ_ONLY, bytes, b);
  cl_mem sum_buffer = ex_device_buffer(&device, CL_MEM_WRITE_ONLY, bytes, NULL);

  EX_CHECK(clSetKernelArg(kernel, 0, sizeof a_buffer, &a_buffer));
  EX_CHECK(clSetKernelArg(kernel, 1, sizeof b_buffer, &b_buffer));
  EX_CHECK(clSetKernelArg(kernel, 2, sizeof sum_buffer, &sum_buffer));
  double ms = ex_timing_best_ms(&device, kernel, 1, &count, NULL, ex_options_runs(options, 10));
  ex_device_read(&device, sum_buffer, sum, bytes);

  EX_CHECK(clReleaseMemObject(sum_buffer));
  EX_CHECK(clReleaseMemObject(b_buffer));
  EX_CHECK(clReleaseMemObject(a_buffer));
  EX_CHECK(clReleaseKernel(kernel));
  EX_CHECK(clReleaseProgram(program));
  ex_device_close(&device);
  return ms;
}

/* One addition is correctly rounded on host and device alike: no tolerance. */
static bool sum_is_right(size_t count, const float *a, const float *b, const float *sum) {
  for (size_t i = 0; i < count; i++) {
    if (sum[i] == a[i] + b[i]) continue;
    printf("sum[%zu] is %g, not %g\n", i, (double)sum[i], (double)(a[i] + b[i]));
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  struct ex_options options = ex_options_parse(argc, argv);
  const size_t count = (size_t)(options.small ? 1 : 16) << 20;
  float *a = random_vector(count, 1), *b = random_vector(count, 2);
  float *sum = ex_alloc(count, sizeof *sum);

  struct ex_report report = {.example = "vector_add", .unit = "GB/s"};
  snprintf(report.size, sizeof report.size, "%zu M floats", count >> 20);
  report.ms = add(&options, count, a, b, sum);
  report.work = 3.0 * sizeof(float) * (double)count;
  ex_options_damage(&options, sum, count * sizeof *sum);
  report.ok = sum_is_right(count, a, b, sum);

  free(sum);
  free(b);
  free(a);
  return ex_report_finish(&options, &report);
}
