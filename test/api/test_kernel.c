/* Kernel objects: creation, arguments, queries, copies. */
#include "api/fake_compiler.h"

#include "core/kernel.h"
#include "core/mem.h"

static const char source[] =
    "kernel void k(global int *a, local float4 *tmp, int n, float4 v, constant long *c) {}\n"
    "__attribute__((reqd_work_group_size(8,4,1)))\nkernel void fixed(int n) {}\n";

static void create_checks_its_arguments(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_source(f, source);
  expect_no_handle(CL_INVALID_PROGRAM, "program is NULL", kiln_clCreateKernel(NULL, "k", &err));
  expect_no_handle(CL_INVALID_PROGRAM_EXECUTABLE, "no successfully built executable",
                   kiln_clCreateKernel(program, "k", &err));
  expect_error(CL_INVALID_PROGRAM_EXECUTABLE, "no successfully built executable",
               kiln_clCreateKernelsInProgram(program, 0, NULL, NULL));
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  expect_no_handle(CL_INVALID_VALUE, "kernel_name is NULL", kiln_clCreateKernel(program, NULL, &err));
  expect_no_handle(CL_INVALID_KERNEL_NAME, "\"kk\" is no kernel", kiln_clCreateKernel(program, "kk", &err));
  expect_success(kiln_clReleaseProgram(program));
}

static void create_all_kernels(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel kernels[2];
  cl_uint count = 0;
  char name[8];
  expect_success(kiln_clCreateKernelsInProgram(program, 0, NULL, &count));
  assert_int_equal(count, 2);
  expect_error(CL_INVALID_VALUE, "num_kernels 1 is less than the 2",
               kiln_clCreateKernelsInProgram(program, 1, kernels, NULL));
  expect_success(kiln_clCreateKernelsInProgram(program, 2, kernels, &count));
  expect_success(kiln_clGetKernelInfo(kernels[1], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
  assert_string_equal(name, "fixed");
  for (int i = 0; i < 2; i++) expect_success(kiln_clReleaseKernel(kernels[i]));
  expect_success(kiln_clReleaseProgram(program));
}

static void queries(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_build(f, source, NULL), got_program;
  cl_kernel kernel = fake_kernel_of(program, "fixed");
  cl_context context;
  cl_uint count;
  char text[64];
  size_t size;
  expect_success(kiln_clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
  assert_int_equal(count, 1);
  expect_success(kiln_clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 1);
  expect_success(kiln_clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context, &context, NULL));
  assert_ptr_equal(context, f->context);
  expect_success(kiln_clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof got_program, &got_program, NULL));
  assert_ptr_equal(got_program, program);
  expect_success(kiln_clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, &size));
  assert_string_equal(text, "reqd_work_group_size(8,4,1)");
  assert_int_equal(size, strlen(text) + 1);
  expect_error(CL_INVALID_VALUE, "param_name 0x1",
               kiln_clGetKernelInfo(kernel, 1, sizeof count, &count, NULL));
  expect_error(CL_INVALID_KERNEL, "kernel is NULL",
               kiln_clGetKernelInfo(NULL, CL_KERNEL_NUM_ARGS, 0, NULL, NULL));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

static void argument_queries(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  cl_kernel_arg_address_qualifier address;
  cl_kernel_arg_type_qualifier qualifier;
  char text[16];
  expect_success(
      kiln_clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL));
  assert_int_equal(address, CL_KERNEL_ARG_ADDRESS_LOCAL);
  expect_success(
      kiln_clGetKernelArgInfo(kernel, 4, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
  assert_int_equal(qualifier, CL_KERNEL_ARG_TYPE_CONST);
  expect_success(kiln_clGetKernelArgInfo(kernel, 3, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
  assert_string_equal(text, "float4");
  expect_success(kiln_clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
  assert_string_equal(text, "a");
  expect_error(CL_INVALID_ARG_INDEX, "arg_index is 5, but kernel k has 5 arguments",
               kiln_clGetKernelArgInfo(kernel, 5, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "0x1", kiln_clGetKernelArgInfo(kernel, 0, 1, 0, NULL, NULL));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

static void set_arg_checks_kind_and_size(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  cl_int err, n = 7;
  cl_mem buffer = kiln_clCreateBuffer(f->context, CL_MEM_READ_WRITE, 64, NULL, &err), none = NULL;
  expect_success(err);
  expect_error(CL_INVALID_KERNEL, "kernel is NULL", kiln_clSetKernelArg(NULL, 0, sizeof buffer, &buffer));
  expect_error(CL_INVALID_ARG_INDEX, "arg_index is 9, but kernel k has 5 arguments",
               kiln_clSetKernelArg(kernel, 9, 4, &n));
  expect_error(CL_INVALID_ARG_SIZE, "arg_size is 4, but argument 0 (a) of kernel k is a cl_mem of 8 bytes",
               kiln_clSetKernelArg(kernel, 0, 4, &buffer));
  void *junk = not_a_handle();
  expect_error(CL_INVALID_MEM_OBJECT, "not a live memory object",
               kiln_clSetKernelArg(kernel, 0, sizeof junk, &junk));
  expect_error(CL_INVALID_ARG_VALUE, "argument 1 (tmp) points to local memory",
               kiln_clSetKernelArg(kernel, 1, 64, &n));
  expect_error(CL_INVALID_ARG_SIZE, "arg_size is 0", kiln_clSetKernelArg(kernel, 1, 0, NULL));
  expect_error(CL_INVALID_ARG_SIZE, "arg_size is 8, but argument 2 (n) of kernel k is int of 4 bytes",
               kiln_clSetKernelArg(kernel, 2, 8, &n));
  expect_error(CL_INVALID_ARG_VALUE, "arg_value is NULL", kiln_clSetKernelArg(kernel, 2, 4, NULL));
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof none, &none));
  expect_success(kiln_clSetKernelArg(kernel, 4, sizeof none, NULL));
  expect_success(kiln_clReleaseMemObject(buffer));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

static void objects_of_another_context_are_refused(void **state) {
  struct fixture *f = *state;
  cl_int err;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  cl_context other = kiln_clCreateContext(NULL, 1, &f->device, NULL, NULL, &err);
  cl_mem buffer = kiln_clCreateBuffer(other, CL_MEM_READ_WRITE, 64, NULL, &err);
  expect_success(err);
  expect_error(CL_INVALID_CONTEXT, "belongs to another context",
               kiln_clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  expect_success(kiln_clReleaseMemObject(buffer));
  expect_success(kiln_clReleaseContext(other));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

static void arguments_reach_the_launch(void **state) {
  struct fixture *f = *state;
  cl_int err, n = 7;
  cl_float4 v = {{1, 2, 3, 4}}, got_v;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  cl_mem buffer = kiln_clCreateBuffer(f->context, CL_MEM_READ_WRITE, 64, NULL, &err);
  cl_buffer_region region = {128, 64};
  cl_mem large = kiln_clCreateBuffer(f->context, CL_MEM_READ_WRITE, 256, NULL, &err);
  cl_mem part = kiln_clCreateSubBuffer(large, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
  expect_success(err);
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  expect_success(kiln_clSetKernelArg(kernel, 1, 100, NULL));
  expect_success(kiln_clSetKernelArg(kernel, 2, sizeof n, &n));
  expect_success(kiln_clSetKernelArg(kernel, 3, sizeof v, &v));
  expect_success(kiln_clSetKernelArg(kernel, 4, sizeof part, &part));
  fake_run(f, kernel, 64, 64);
  const struct kiln_kernel_info *info = kernel->info;
  const uint8_t *args = fake_last_launch()->args;
  uint64_t address;
  uint32_t offset;
  memcpy(&address, args + info->args[0].offset, sizeof address);
  assert_int_equal(address, (uintptr_t)buffer->data);
  memcpy(&offset, args + info->args[1].offset, sizeof offset);
  assert_int_equal(offset, 0);
  assert_int_equal(fake_last_launch()->local_bytes, 100);
  assert_memory_equal(args + info->args[2].offset, &n, sizeof n);
  memcpy(&got_v, args + info->args[3].offset, sizeof got_v);
  assert_memory_equal(&got_v, &v, sizeof v);
  memcpy(&address, args + info->args[4].offset, sizeof address);
  assert_int_equal(address, (uintptr_t)large->data + 128);
  cl_mem none = NULL;
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof none, &none));
  fake_run(f, kernel, 64, 64);
  memcpy(&address, fake_last_launch()->args + info->args[0].offset, sizeof address);
  assert_int_equal(address, 0);
  cl_mem mems[] = {buffer, part, large};
  for (int i = 0; i < 3; i++) expect_success(kiln_clReleaseMemObject(mems[i]));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

/* The command holds what it uses: the application may let go at once. */
static void a_launch_holds_its_objects(void **state) {
  struct fixture *f = *state;
  cl_int err;
  cl_program program = fake_build(f, "kernel void k(global int *a) {}", NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  cl_mem buffer = kiln_clCreateBuffer(f->context, CL_MEM_READ_WRITE, 64, NULL, &err);
  cl_event gate = kiln_clCreateUserEvent(f->context, &err), done;
  size_t n = 4;
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  expect_success(kiln_clEnqueueNDRangeKernel(f->queue, kernel, 1, NULL, &n, NULL, 1, &gate, &done));
  expect_success(kiln_clReleaseMemObject(buffer));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
  assert_int_equal(fake.unloads, 0);
  expect_success(kiln_clSetUserEventStatus(gate, CL_COMPLETE));
  expect_success(kiln_clWaitForEvents(1, &done));
  expect_success(kiln_clFinish(f->queue));
  expect_success(kiln_clReleaseEvent(done));
  expect_success(kiln_clReleaseEvent(gate));
  for (int i = 0; i < 10000 && fake.unloads == 0; i++)
    usleep(100); /* the compile thread may be last to let go */
  assert_int_equal(fake.unloads, 1);
}

static void many_arguments_and_large_blocks(void **state) {
  struct fixture *f = *state;
  char text[2048] = "kernel void k(";
  cl_float4 v = {{1, 2, 3, 4}};
  cl_int err;
  cl_mem buffer = kiln_clCreateBuffer(f->context, CL_MEM_READ_WRITE, 64, NULL, &err);
  for (int i = 0; i < 15; i++) snprintf(text + strlen(text), 64, "global int *a%d, ", i);
  for (int i = 0; i < 15; i++) snprintf(text + strlen(text), 64, "float4 v%d%s", i, i < 14 ? ", " : ") {}");
  cl_program program = fake_build(f, text, NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  for (cl_uint i = 0; i < 15; i++) expect_success(kiln_clSetKernelArg(kernel, i, sizeof buffer, &buffer));
  for (cl_uint i = 15; i < 30; i++) expect_success(kiln_clSetKernelArg(kernel, i, sizeof v, &v));
  fake_run(f, kernel, 64, 64);
  assert_int_equal(kernel->info->args_size, 15 * 8 + 8 + 15 * 16);
  assert_memory_equal(fake_last_launch()->args + kernel->info->args[20].offset, &v, sizeof v);
  expect_success(kiln_clReleaseMemObject(buffer));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

static void work_group_queries(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel kernel = fake_kernel_of(program, "k"), fixed = fake_kernel_of(program, "fixed");
  size_t size, sizes[3];
  cl_ulong bytes;
  expect_success(
      kiln_clGetKernelWorkGroupInfo(kernel, f->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
  assert_int_equal(size, f->device->backend->caps.max_group_size);
  expect_success(
      kiln_clGetKernelWorkGroupInfo(fixed, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
  assert_int_equal(size, 32);
  expect_success(kiln_clGetKernelWorkGroupInfo(fixed, f->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                               sizeof sizes, sizes, NULL));
  assert_true(sizes[0] == 8 && sizes[1] == 4 && sizes[2] == 1);
  expect_success(
      kiln_clGetKernelWorkGroupInfo(kernel, f->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
  assert_int_equal(bytes, 0);
  expect_success(kiln_clSetKernelArg(kernel, 1, 100, NULL));
  expect_success(
      kiln_clGetKernelWorkGroupInfo(kernel, f->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
  assert_int_equal(bytes, 100);
  expect_success(kiln_clGetKernelWorkGroupInfo(kernel, f->device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes,
                                               &bytes, NULL));
  assert_int_equal(bytes, 16);
  expect_success(kiln_clGetKernelWorkGroupInfo(
      kernel, f->device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof size, &size, NULL));
  assert_int_equal(size, f->device->backend->caps.native_width_bits / 32);
  expect_error(CL_INVALID_VALUE, "built-in kernels",
               kiln_clGetKernelWorkGroupInfo(kernel, f->device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes,
                                             sizes, NULL));
  expect_error(
      CL_INVALID_DEVICE, "none of the kernel's 1 devices",
      kiln_clGetKernelWorkGroupInfo(kernel, not_a_handle(), CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL));
  expect_success(kiln_clReleaseKernel(fixed));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

static void sub_group_queries(void **state) {
  struct fixture *f = *state;
  fake.subgroup_size = 8;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel k = fake_kernel_of(program, "k");
  size_t most = f->device->backend->caps.max_group_size / 8, size, local[3] = {20, 3, 1}, sizes[3], count = 5;
  expect_success(kiln_clGetKernelSubGroupInfo(k, f->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                              sizeof size, &size, NULL));
  assert_int_equal(size, most);
  expect_success(kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                                              2 * sizeof *local, local, sizeof size, &size, NULL));
  assert_int_equal(size, 8);
  expect_success(kiln_clGetKernelSubGroupInfoKHR(k, NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                                 sizeof local, local, sizeof size, &size, NULL));
  assert_int_equal(size, 8);
  expect_success(kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                                              &count, sizeof sizes, sizes, &size));
  assert_true(size == sizeof sizes && sizes[0] == 40 && sizes[1] == 1 && sizes[2] == 1);
  count = most + 1;
  expect_success(kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                                              &count, 2 * sizeof *sizes, sizes, &size));
  assert_true(size == 2 * sizeof *sizes && sizes[0] == 0 && sizes[1] == 0);
  expect_success(kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof size,
                                              &size, NULL));
  assert_int_equal(size, 0);
  expect_success(kiln_clReleaseKernel(k));
  expect_success(kiln_clReleaseProgram(program));
}

static void groups_are_multiples_of_sub_groups(void **state) {
  struct fixture *f = *state;
  size_t size, lanes = f->device->backend->caps.native_width_bits / 32;
  for (fake.subgroup_size = 1; fake.subgroup_size <= 32; fake.subgroup_size *= 2) {
    char options[32];
    snprintf(options, sizeof options, "-D S=%u", fake.subgroup_size);
    cl_program program = fake_build(f, source, options);
    cl_kernel k = fake_kernel_of(program, "k");
    expect_success(kiln_clGetKernelWorkGroupInfo(k, f->device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                                 sizeof size, &size, NULL));
    assert_int_equal(size, lanes > fake.subgroup_size ? lanes : fake.subgroup_size);
    expect_success(kiln_clReleaseKernel(k));
    expect_success(kiln_clReleaseProgram(program));
  }
}

/* A kernel with room for 100 work-items: 12 full sub-groups and one of four. */
static void last_sub_group_is_smaller(void **state) {
  struct fixture *f = *state;
  fake.subgroup_size = 8;
  fake.private_bound = f->device->backend->caps.target.arena_size / 100;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel k = fake_kernel_of(program, "k");
  size_t size, local[3], count = 13;
  expect_success(
      kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof size, &size, NULL));
  assert_int_equal(size, 13);
  expect_success(kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                                              &count, sizeof local, local, NULL));
  assert_true(local[0] == 100 && local[1] == 1 && local[2] == 1);
  expect_success(kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local,
                                              local, sizeof size, &size, NULL));
  assert_int_equal(size, 13);
  expect_success(kiln_clReleaseKernel(k));
  expect_success(kiln_clReleaseProgram(program));
}

static void sub_groups_of_a_required_size(void **state) {
  struct fixture *f = *state;
  fake.subgroup_size = 8;
  cl_program program =
      fake_build(f, "__attribute__((reqd_work_group_size(5,7,1))) kernel void k() {}\n", NULL);
  cl_kernel k = fake_kernel_of(program, "k");
  size_t local[3], count = 5;
  expect_success(kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                                              &count, sizeof local, local, NULL));
  assert_true(local[0] == 5 && local[1] == 7 && local[2] == 1);
  count = 4;
  expect_success(kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                                              &count, sizeof local, local, NULL));
  assert_true(local[0] == 0 && local[1] == 0 && local[2] == 0);
  expect_success(kiln_clReleaseKernel(k));
  expect_success(kiln_clReleaseProgram(program));
}

static void sub_group_queries_check_their_arguments(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel k = fake_kernel_of(program, "k");
  size_t size, local[4] = {4, 3, 1, 1};
  expect_error(CL_INVALID_VALUE, "input_value is NULL",
               kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof *local,
                                            NULL, sizeof size, &size, NULL));
  expect_error(CL_INVALID_VALUE, "input_value_size 32 is not that of 1 to 3 size_t values",
               kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                                            local, sizeof size, &size, NULL));
  expect_error(CL_INVALID_VALUE, "input_value_size 4 is not that of 1 to 1 size_t values",
               kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 4, local,
                                            sizeof size, &size, NULL));
  expect_error(CL_INVALID_VALUE, "param_value_size",
               kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 1, &size, NULL));
  expect_error(
      CL_INVALID_VALUE, "param_name",
      kiln_clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, sizeof size, &size, NULL));
  expect_error(CL_INVALID_DEVICE, "none of the kernel's 1 devices",
               kiln_clGetKernelSubGroupInfo(k, not_a_handle(), CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                            sizeof size, &size, NULL));
  assert_int_equal(kiln_clGetKernelSubGroupInfo(not_a_handle(), NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                                sizeof size, &size, NULL),
                   CL_INVALID_KERNEL);
  struct kiln_target *target = &f->device->backend->caps.target;
  const char *features = target->feature_macros;
  fake_drain(); /* the compile thread reads it */
  target->feature_macros = "__opencl_c_int64";
  expect_error(CL_INVALID_OPERATION, "does not support sub-groups",
               kiln_clGetKernelSubGroupInfo(k, f->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof size,
                                            &size, NULL));
  expect_error(CL_INVALID_OPERATION, "does not support sub-groups",
               kiln_clGetKernelSubGroupInfoKHR(k, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof size,
                                               &size, NULL));
  target->feature_macros = features;
  expect_success(kiln_clReleaseKernel(k));
  expect_success(kiln_clReleaseProgram(program));
}

/* Private memory that barriers have to keep limits the group. */
static void private_memory_limits_the_group(void **state) {
  struct fixture *f = *state;
  fake.private_bound = f->device->backend->caps.target.arena_size / 100;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  size_t size;
  expect_success(
      kiln_clGetKernelWorkGroupInfo(kernel, f->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
  assert_int_equal(size, 100);
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

static void a_clone_has_its_own_arguments(void **state) {
  struct fixture *f = *state;
  cl_int err, one = 1, two = 2;
  cl_program program = fake_build(f, "kernel void k(int n, local int *t) {}", NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof one, &one));
  expect_success(kiln_clSetKernelArg(kernel, 1, 64, NULL));
  cl_kernel clone = kiln_clCloneKernel(kernel, &err);
  expect_success(err);
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof two, &two));
  fake_run(f, clone, 8, 8);
  assert_memory_equal(fake_last_launch()->args, &one, sizeof one);
  assert_int_equal(fake_last_launch()->local_bytes, 64);
  fake_run(f, kernel, 8, 8);
  assert_memory_equal(fake_last_launch()->args, &two, sizeof two);
  cl_uint count;
  expect_success(kiln_clGetKernelInfo(clone, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 1);
  expect_success(kiln_clReleaseKernel(kernel));
  expect_error(CL_INVALID_OPERATION, "1 kernel objects",
               kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  expect_success(kiln_clReleaseKernel(clone));
  assert_null(kiln_clCloneKernel(NULL, &err));
  assert_int_equal(err, CL_INVALID_KERNEL);
  expect_success(kiln_clReleaseProgram(program));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_open_fixture, fake_close_fixture)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(create_checks_its_arguments),
      TEST(create_all_kernels),
      TEST(queries),
      TEST(argument_queries),
      TEST(set_arg_checks_kind_and_size),
      TEST(objects_of_another_context_are_refused),
      TEST(arguments_reach_the_launch),
      TEST(a_launch_holds_its_objects),
      TEST(many_arguments_and_large_blocks),
      TEST(work_group_queries),
      TEST(sub_group_queries),
      TEST(groups_are_multiples_of_sub_groups),
      TEST(last_sub_group_is_smaller),
      TEST(sub_groups_of_a_required_size),
      TEST(sub_group_queries_check_their_arguments),
      TEST(private_memory_limits_the_group),
      TEST(a_clone_has_its_own_arguments),
  };
  return alloc_fail_run_group(tests, NULL, NULL);
}
