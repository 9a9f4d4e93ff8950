/* Loops that carry in registers what they add up in memory do so only where no other argument lies in the
 * same memory object. */
#include "program/program.h"

enum { N = 64, TURNS = 3 };

/* In the same memory, what a turn adds is what turns before it have made. */
static const char source[] = "kernel void k(global int *sum, global const int *part, int n) {\n"
                             "  size_t i = get_global_id(0);\n"
                             "  for (int j = 0; j < n; j++) sum[i] += 2 * part[i] + j;\n"
                             "}\n";

/* at: where the sums lie, and where the numbers that are added once lay, in elements; same: there as well. */
static void expect_sums(const cl_int *before, const cl_int *after, size_t at, size_t at_parts, bool same) {
  for (size_t i = 0; i < N; i++) {
    cl_int sum = before[at + i];
    for (cl_int j = 0; j < TURNS; j++) sum += 2 * (same ? sum : before[at_parts + i]) + j;
    assert_int_equal(after[at + i], sum);
  }
}

static void run(const struct fixture *f, cl_kernel k, cl_mem sums, cl_mem parts) {
  const size_t size = N;
  const cl_int turns = TURNS;
  expect_success(kiln_clSetKernelArg(k, 0, sizeof sums, &sums));
  expect_success(kiln_clSetKernelArg(k, 1, sizeof parts, &parts));
  expect_success(kiln_clSetKernelArg(k, 2, sizeof turns, &turns));
  expect_success(kiln_clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &size, NULL, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
}

static cl_mem part_of(cl_mem whole, size_t at) {
  cl_int err;
  const cl_buffer_region region = {at * sizeof(cl_int), N * sizeof(cl_int)};
  cl_mem part = kiln_clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
  expect_success(err);
  return part;
}

static void sums_are_those_of_their_memory(void **state) {
  struct fixture *f = *state;
  cl_program program = program_build(f, source, NULL);
  cl_int err, before[2 * N], after[2 * N];
  cl_kernel k = kiln_clCreateKernel(program, "k", &err);
  expect_success(err);
  for (cl_int i = 0; i < 2 * N; i++) before[i] = i * 7 % 31;
  for (unsigned where = 0; where < 4; where++) {
    cl_mem whole = kiln_clCreateBuffer(f->context, CL_MEM_COPY_HOST_PTR, sizeof before, before, &err);
    expect_success(err);
    cl_mem other = kiln_clCreateBuffer(f->context, CL_MEM_COPY_HOST_PTR, sizeof before, before, &err);
    expect_success(err);
    cl_mem first = part_of(whole, 0), second = part_of(whole, N);
    const struct {
      cl_mem sums, parts;
      size_t at, at_parts;
      bool same;
    } cases[] = {{whole, other, 0, 0, false},
                 {whole, whole, 0, 0, true},
                 {first, whole, 0, 0, true},
                 {second, first, N, 0, false}};
    run(f, k, cases[where].sums, cases[where].parts);
    expect_success(kiln_clEnqueueReadBuffer(f->queue, whole, CL_TRUE, 0, sizeof after, after, 0, NULL, NULL));
    expect_sums(before, after, cases[where].at, cases[where].at_parts, cases[where].same);
    expect_success(kiln_clReleaseMemObject(second));
    expect_success(kiln_clReleaseMemObject(first));
    expect_success(kiln_clReleaseMemObject(other));
    expect_success(kiln_clReleaseMemObject(whole));
  }
  expect_success(kiln_clReleaseKernel(k));
  expect_success(kiln_clReleaseProgram(program));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(sums_are_those_of_their_memory, fixture_open, fixture_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
