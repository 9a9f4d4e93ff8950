/* What clGetKernelArgInfo, clGetKernelInfo and clGetKernelWorkGroupInfo say of a source. */
#include "test.h"

#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char source[] =
    "typedef struct { int a; float4 b; } pair;\n"
    "typedef float real;\n"
    "kernel __attribute__((reqd_work_group_size(8, 2, 1), vec_type_hint(float4))) void first(\n"
    "    global float *a, const global uint4 *restrict b, constant pair *c, local char3 *d, int e, pair f,\n"
    "    volatile global unsigned long *g, global const volatile real *h, const double16 i,\n"
    "    unsigned char k, __global void *l) {\n"
    "  if (get_global_id(0) == 0) a[0] = e + f.a + k + d[0].x; }\n"
    "kernel __attribute__((work_group_size_hint(4, 1, 1))) void second(void) {}\n"
    "kernel void third(global int *x) { local int s[100]; s[get_local_id(0)] = 1; barrier(1); x[0] = s[1]; "
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_program program;

struct argument {
  const char *name, *type;
  cl_kernel_arg_address_qualifier address;
  cl_kernel_arg_type_qualifier qualifier;
};
static const struct argument arguments[] = {
    {"a", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0},
    {"b", "uint4*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
    {"c", "pair*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
    {"d", "char3*", CL_KERNEL_ARG_ADDRESS_LOCAL, 0},
    {"e", "int", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"f", "pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"g", "ulong*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_VOLATILE},
    {"h", "real*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_VOLATILE},
    {"i", "double16", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"k", "uchar", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"l", "void*", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0},
};

static int start(void **state) {
  cl_platform_id platform;
  cl_int err = clGetPlatformIDs(1, &platform, NULL);
  if (err == CL_SUCCESS) err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  if (err == CL_SUCCESS) context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  const char *text = source;
  if (err == CL_SUCCESS) program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
  if (err == CL_SUCCESS) err = clBuildProgram(program, 1, &device, "-cl-kernel-arg-info", NULL, NULL);
  return err != CL_SUCCESS;
}

static int stop(void **state) {
  clReleaseProgram(program);
  clReleaseContext(context);
  return 0;
}

static cl_kernel kernel_named(const char *name) {
  cl_int err;
  cl_kernel kernel = clCreateKernel(program, name, &err);
  assert_int_equal(err, CL_SUCCESS);
  return kernel;
}

static void argument_info(void **state) {
  cl_kernel kernel = kernel_named("first");
  cl_uint count = sizeof arguments / sizeof *arguments, reported = 0;
  assert_int_equal(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof reported, &reported, NULL), CL_SUCCESS);
  assert_int_equal(reported, count);
  for (cl_uint i = 0; i < count; i++) {
    const struct argument *a = &arguments[i];
    char text[64] = "";
    size_t size = 0;
    cl_uint address = 0, access = 0;
    cl_ulong qualifier = 0;
    assert_int_equal(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof text, text, &size), CL_SUCCESS);
    assert_string_equal(text, a->name);
    assert_int_equal(size, strlen(a->name) + 1);
    clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, &size);
    assert_string_equal(text, a->type);
    clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL);
    assert_int_equal(address, a->address);
    clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL);
    assert_int_equal(access, CL_KERNEL_ARG_ACCESS_NONE);
    clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL);
    assert_int_equal(qualifier, a->qualifier);
  }
  clReleaseKernel(kernel);
}

static void attributes(void **state) {
  static const struct {
    const char *kernel, *text;
    size_t required[3];
  } rows[] = {{"first", "reqd_work_group_size(8,2,1) vec_type_hint(float4)", {8, 2, 1}},
              {"second", "work_group_size_hint(4,1,1)", {0, 0, 0}},
              {"third", "", {0, 0, 0}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cl_kernel kernel = kernel_named(rows[i].kernel);
    char text[128];
    size_t required[3];
    assert_int_equal(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL), CL_SUCCESS);
    assert_string_equal(text, rows[i].text);
    assert_int_equal(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                              sizeof required, required, NULL),
                     CL_SUCCESS);
    assert_memory_equal(required, rows[i].required, sizeof required);
    clReleaseKernel(kernel);
  }
}

static void sizes(void **state) {
  cl_kernel kernel = kernel_named("third");
  cl_ulong local = 0, private_bytes = 0;
  size_t group = 0, multiple = 0;
  clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
  assert_in_range(local, 400, 512);
  assert_int_equal(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private_bytes,
                                            &private_bytes, NULL),
                   CL_SUCCESS);
  clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
  assert_true(group >= 4096);
  clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple,
                           &multiple, NULL);
  assert_true(multiple >= 1);
  clReleaseKernel(kernel);
}

/* A structure by value that each work-item changes, alive across barriers. */
static void structure_by_value(void **state) {
  static const char text[] =
      "struct s { int a; float4 b; int list[3]; };\n"
      "kernel void k(global int *out, struct s x) { local int t[8]; int l = get_local_id(0);\n"
      "  x.list[l % 3] += l; t[l] = x.list[l % 3]; barrier(1); x.a += t[7 - l]; barrier(1);\n"
      "  out[get_global_id(0)] = x.a + x.list[l % 3] + (int)x.b.y; }\n";
  struct {
    cl_int a;
    cl_float4 b;
    cl_int list[3];
  } x = {.a = 1000, .b = {{0, 5, 0, 0}}, .list = {10, 20, 30}};
  cl_int err, got[16];
  const char *lines = text;
  size_t global = 16, local = 8;
  cl_program p = clCreateProgramWithSource(context, 1, &lines, NULL, &err);
  assert_int_equal(clBuildProgram(p, 1, &device, "", NULL, NULL), CL_SUCCESS);
  cl_kernel kernel = clCreateKernel(p, "k", &err);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
  assert_int_equal(clSetKernelArg(kernel, 0, sizeof out, &out), CL_SUCCESS);
  assert_int_equal(clSetKernelArg(kernel, 1, sizeof x, &x), CL_SUCCESS);
  assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                   CL_SUCCESS);
  assert_int_equal(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), CL_SUCCESS);
  for (int i = 0; i < 16; i++) {
    int l = i % 8, m = 7 - l;
    assert_int_equal(got[i], 1000 + x.list[m % 3] + m + x.list[l % 3] + l + 5);
  }
  clReleaseMemObject(out);
  clReleaseCommandQueue(queue);
  clReleaseKernel(kernel);
  clReleaseProgram(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(argument_info), cmocka_unit_test(attributes),
                                     cmocka_unit_test(sizes), cmocka_unit_test(structure_by_value)};
  return cmocka_run_group_tests(tests, start, stop);
}
