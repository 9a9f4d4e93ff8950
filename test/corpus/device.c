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
