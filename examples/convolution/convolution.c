/* Blurs a picture with a 9 x 9 filter; reads and writes PNG. */
#include "blur.h"
#include "check.h"
#include "device.h"
#include "program.h"
#include "report.h"
#include "timing.h"

#include <stdio.h>

static void set_arguments(cl_kernel kernel, const struct blur *blur, cl_mem before, cl_mem after,
                          cl_mem filter) {
  const cl_int width = blur->picture.width, height = blur->picture.height, offset = BLUR_OFFSET;
  EX_CHECK(clSetKernelArg(kernel, 0, sizeof before, &before));
  EX_CHECK(clSetKernelArg(kernel, 1, sizeof after, &after));
  EX_CHECK(clSetKernelArg(kernel, 2, sizeof width, &width));
  EX_CHECK(clSetKernelArg(kernel, 3, sizeof height, &height));
  EX_CHECK(clSetKernelArg(kernel, 4, sizeof filter, &filter));
  EX_CHECK(clSetKernelArg(kernel, 5, sizeof offset, &offset));
  EX_CHECK(clSetKernelArg(kernel, 6, sizeof(cl_float) * BLUR_TILE * BLUR_TILE, NULL));
  EX_CHECK(clSetKernelArg(kernel, 7, sizeof blur->filter, NULL));
}

static double run_kernel(const struct ex_options *options, const struct ex_device *device, cl_kernel kernel,
                         const struct blur *blur) {
  const size_t global[3] = {blur_round_up(blur->picture.width), blur_round_up(blur->picture.height), 3};
  const size_t local[3] = {BLUR_SIDE, BLUR_SIDE, 1};
  return ex_timing_best_ms(device, kernel, 3, global, local, ex_options_runs(options, 5));
}

/* Fills blur->after and returns the kernel time. */
static double convolve(const struct ex_options *options, struct blur *blur) {
  const size_t bytes = blur->count * sizeof *blur->before;
  struct ex_device device = ex_device_open();
  cl_program program = ex_program_build(&device, "convolution/convolution.cl", "");
  cl_kernel kernel = ex_program_kernel(program, "convolve");
  cl_mem before = ex_device_buffer(&device, CL_MEM_READ_ONLY, bytes, blur->before);
  cl_mem after = ex_device_buffer(&device, CL_MEM_WRITE_ONLY, bytes, NULL);
  cl_mem filter = ex_device_buffer(&device, CL_MEM_READ_ONLY, sizeof blur->filter, blur->filter);

  set_arguments(kernel, blur, before, after, filter);
  double ms = run_kernel(options, &device, kernel, blur);
  ex_device_read(&device, after, blur->after, bytes);

  EX_CHECK(clReleaseMemObject(filter));
  EX_CHECK(clReleaseMemObject(after));
  EX_CHECK(clReleaseMemObject(before));
  EX_CHECK(clReleaseKernel(kernel));
  EX_CHECK(clReleaseProgram(program));
  ex_device_close(&device);
  return ms;
}

int main(int argc, char **argv) {
  struct ex_options options = ex_options_parse(argc, argv);
  struct blur blur = blur_open(&options);

  struct ex_report report = {.example = "convolution", .unit = "GFLOP/s"};
  snprintf(report.size, sizeof report.size, "%d x %d RGB, %d x %d", blur.picture.width, blur.picture.height,
           BLUR_DIAMETER, BLUR_DIAMETER);
  report.ms = convolve(&options, &blur);
  report.work = blur_operations(&blur);
  ex_options_damage(&options, blur.after, blur.count * sizeof *blur.after);
  report.ok = blur_is_right(&blur);
  report.ok &= blur_write(&blur, &options, "convolution");

  blur_close(&blur);
  return ex_report_finish(&options, &report);
}
