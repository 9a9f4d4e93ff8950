/* The device that the programs of this folder work on. */
#include "corpus.h"

bool device_open(struct device *on) {
  cl_platform_id platform;
  cl_int err = clGetPlatformIDs(1, &platform, NULL);
  if (err == CL_SUCCESS) err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &on->id, NULL);
  if (err == CL_SUCCESS) on->context = clCreateContext(NULL, 1, &on->id, NULL, NULL, &err);
  if (err == CL_SUCCESS) on->queue = clCreateCommandQueueWithProperties(on->context, on->id, NULL, &err);
  return err == CL_SUCCESS;
}

static cl_int run_once(const struct device *on, cl_program program, cl_mem memory) {
  const size_t items = 1000;
  const cl_int n = 4000, step = 1;
  cl_int err = clBuildProgram(program, 1, &on->id, NULL, NULL, NULL);
  cl_kernel kernel = err == CL_SUCCESS ? clCreateKernel(program, "warm", &err) : NULL;
  if (kernel == NULL) return err;
  err = clSetKernelArg(kernel, 0, sizeof memory, &memory);
  err |= clSetKernelArg(kernel, 1, sizeof n, &n);
  err |= clSetKernelArg(kernel, 2, sizeof step, &step);
  if (err == CL_SUCCESS)
    err = clEnqueueNDRangeKernel(on->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  if (err == CL_SUCCESS) err = clFinish(on->queue);
  clReleaseKernel(kernel);
  return err;
}

bool device_warm_up(const struct device *on) {
  static const char *text = "kernel void warm(global float *x, int n, int step) {\n"
                            "  for (int i = get_global_id(0); i < n; i += get_global_size(0))\n"
                            "    if (x[i * step] < i) x[i * step] = sqrt(x[i * step]) + i % 7;\n"
                            "}\n";
  cl_int err;
  cl_mem memory = clCreateBuffer(on->context, 0, 4000 * sizeof(float), NULL, &err);
  cl_program program =
      err == CL_SUCCESS ? clCreateProgramWithSource(on->context, 1, &text, NULL, &err) : NULL;
  if (program != NULL) err = run_once(on, program, memory);
  if (program != NULL) clReleaseProgram(program);
  if (memory != NULL) clReleaseMemObject(memory);
  return err == CL_SUCCESS;
}
