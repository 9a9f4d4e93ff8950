/* Devices: finding them, asking them, their timers. Their division is subdevice.c's. */
#include "api/check.h"
#include "api/info.h"
#include "api/subdevice.h"
#include "api/table.h"
#include "api/versions.h"
#include "base/os.h"
#include "core/platform.h"

#include <string.h>

bool kiln_device_type_is_valid(cl_device_type type) {
  const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                               CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  /* CL_DEVICE_TYPE_ALL has bits no type has; so has ALL without some types, which is asked for too */
  return (type & known) != 0 && ((type & ~known) == 0 || (type | known) == CL_DEVICE_TYPE_ALL);
}

cl_int kiln_clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                           cl_device_id *devices, cl_uint *num_devices) {
  /* "If platform is NULL, the behavior is implementation-defined": then it is this one */
  if (platform == NULL) platform = kiln_platform_get();
  /* CL_INVALID_PLATFORM if platform is not a valid platform */
  KILN_CHECK(NULL, platform, PLATFORM);
  /* CL_INVALID_DEVICE_TYPE if device_type is not a valid value */
  KILN_REQUIRE(NULL, kiln_device_type_is_valid(device_type), CL_INVALID_DEVICE_TYPE,
               "device_type 0x%llX is not a combination of CL_DEVICE_TYPE_* bits",
               (unsigned long long)device_type);
  /* CL_INVALID_VALUE if num_entries is equal to zero and devices is not NULL */
  KILN_REQUIRE(NULL, devices == NULL || num_entries > 0, CL_INVALID_VALUE,
               "num_entries is 0 and devices is not NULL");
  /* CL_INVALID_VALUE if both num_devices and devices are NULL */
  KILN_REQUIRE(NULL, devices != NULL || num_devices != NULL, CL_INVALID_VALUE,
               "devices and num_devices are both NULL");
  kiln_device *found[KILN_MAX_ROOT_DEVICES];
  uint32_t count = kiln_platform_match(platform, device_type, found);
  /* CL_DEVICE_NOT_FOUND if no OpenCL devices that matched device_type were found */
  KILN_REQUIRE(NULL, count > 0, CL_DEVICE_NOT_FOUND, "none of the %u devices has device_type 0x%llX",
               platform->num_devices, (unsigned long long)device_type);
  if (devices != NULL) memcpy(devices, found, (count < num_entries ? count : num_entries) * sizeof *devices);
  if (num_devices != NULL) *num_devices = count;
  return CL_SUCCESS;
}

/* ---- clGetDeviceInfo ---- */

/* Code is vectorized across work-items, so scalars are the best vectors to write. */
static cl_uint preferred_width(const struct kiln_caps *caps, bool supported) { return supported ? 1 : 0; }

static cl_uint native_width(const struct kiln_caps *caps, bool supported, uint32_t bits) {
  if (!supported) return 0;
  return caps->native_width_bits < bits ? 1 : caps->native_width_bits / bits;
}

static cl_device_fp_config single_config(const struct kiln_caps *caps) {
  cl_device_fp_config config = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |
                               CL_FP_ROUND_TO_INF | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  return caps->fast_fma ? config | CL_FP_FMA : config;
}

static cl_device_fp_config double_config(const struct kiln_caps *caps) {
  return caps->fp64 ? CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |
                          CL_FP_ROUND_TO_INF | CL_FP_FMA
                    : 0;
}

static cl_device_fp_config half_config(const struct kiln_caps *caps) {
  return caps->fp16 ? CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST : 0;
}

static cl_device_exec_capabilities exec_capabilities(const struct kiln_caps *caps) {
  return caps->native_kernels ? CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL : CL_EXEC_KERNEL;
}

static bool has(const kiln_device *device, const char *macro) {
  return kiln_device_has_feature(device, macro);
}

/* Orders and scopes beyond the mandatory ones are those whose feature macros are listed. */
static cl_device_atomic_capabilities atomic_extras(const kiln_device *device) {
  cl_device_atomic_capabilities bits = 0;
  if (has(device, "__opencl_c_atomic_order_acq_rel")) bits |= CL_DEVICE_ATOMIC_ORDER_ACQ_REL;
  if (has(device, "__opencl_c_atomic_order_seq_cst")) bits |= CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
  if (has(device, "__opencl_c_atomic_scope_device")) bits |= CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  if (has(device, "__opencl_c_atomic_scope_all_devices")) bits |= CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  return bits;
}

static cl_device_atomic_capabilities atomic_memory(const kiln_device *device) {
  return CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | atomic_extras(device);
}

static cl_device_atomic_capabilities atomic_fence(const kiln_device *device) {
  return CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
         atomic_extras(device);
}

enum { FP_ATOMICS = 6 };
static const cl_device_fp_atomic_capabilities_ext fp_atomic_bits[FP_ATOMICS] = {
    CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT, CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT,
    CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT,    CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT,
    CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT,         CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT,
};

/* CL_DEVICE_*_FP_ATOMIC_CAPABILITIES_EXT: the bits whose macros the device has. NULL: comes with the
 * language. */
static cl_device_fp_atomic_capabilities_ext fp_atomics(const kiln_device *device,
                                                       const char *const macros[FP_ATOMICS]) {
  cl_device_fp_atomic_capabilities_ext bits = 0;
  if (!kiln_device_has_extension(device, "cl_ext_float_atomics")) return 0;
  for (int i = 0; i < FP_ATOMICS; i++)
    if (macros[i] == NULL || has(device, macros[i])) bits |= fp_atomic_bits[i];
  return bits;
}

static cl_device_fp_atomic_capabilities_ext half_atomics(const kiln_device *device) {
  static const char *const macros[FP_ATOMICS] = {
      "__opencl_c_ext_fp16_global_atomic_load_store", "__opencl_c_ext_fp16_global_atomic_add",
      "__opencl_c_ext_fp16_global_atomic_min_max",    "__opencl_c_ext_fp16_local_atomic_load_store",
      "__opencl_c_ext_fp16_local_atomic_add",         "__opencl_c_ext_fp16_local_atomic_min_max"};
  return fp_atomics(device, macros);
}

static cl_device_fp_atomic_capabilities_ext single_atomics(const kiln_device *device) {
  static const char *const macros[FP_ATOMICS] = {
      NULL, "__opencl_c_ext_fp32_global_atomic_add", "__opencl_c_ext_fp32_global_atomic_min_max",
      NULL, "__opencl_c_ext_fp32_local_atomic_add",  "__opencl_c_ext_fp32_local_atomic_min_max"};
  return fp_atomics(device, macros);
}

static cl_device_fp_atomic_capabilities_ext double_atomics(const kiln_device *device) {
  static const char *const macros[FP_ATOMICS] = {
      NULL, "__opencl_c_ext_fp64_global_atomic_add", "__opencl_c_ext_fp64_global_atomic_min_max",
      NULL, "__opencl_c_ext_fp64_local_atomic_add",  "__opencl_c_ext_fp64_local_atomic_min_max"};
  return fp_atomics(device, macros);
}

static cl_device_kernel_clock_capabilities_khr kernel_clocks(const kiln_device *device) {
  cl_device_kernel_clock_capabilities_khr bits = 0;
  if (has(device, "__opencl_c_kernel_clock_scope_device")) bits |= CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR;
  if (has(device, "__opencl_c_kernel_clock_scope_work_group"))
    bits |= CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR;
  if (has(device, "__opencl_c_kernel_clock_scope_sub_group"))
    bits |= CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR;
  return bits;
}

static cl_device_integer_dot_product_capabilities_khr dot_products(const kiln_device *device) {
  cl_device_integer_dot_product_capabilities_khr bits = 0;
  if (has(device, "__opencl_c_integer_dot_product_input_4x8bit"))
    bits |= CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR;
  if (has(device, "__opencl_c_integer_dot_product_input_4x8bit_packed"))
    bits |= CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR;
  return bits;
}

static cl_version device_version(const struct kiln_caps *caps) {
  return CL_MAKE_VERSION(caps->target.device_version / 100, caps->target.device_version % 100 / 10, 0);
}

static cl_uint reference_count(const kiln_device *device) {
  return device->parent == NULL ? 1 : atomic_load(&device->object.api_refs);
}

static size_t global_variables(const kiln_device *device, size_t bytes) {
  return has(device, "__opencl_c_program_scope_global_variables") ? bytes : 0;
}

enum { MAX_VARIABLE_BYTES = 16 << 20, MAX_VARIABLES_BYTES = 64 << 20 };
enum { MAX_CONSTANT_ARGS = 128, MAX_DATA_TYPE_BYTES = 128 };

/* X(param_name, type, value from device d and its caps c). Acceleration of dot products: all
 * members are false. Pipes, SVM and device queues: zero is what the specification prescribes for a device
 * without them. */
#define SCALARS(X)                                                                                           \
  X(CL_DEVICE_TYPE, cl_device_type, c->type)                                                                 \
  X(CL_DEVICE_VENDOR_ID, cl_uint, c->vendor_id)                                                              \
  X(CL_DEVICE_PLATFORM, cl_platform_id, d->platform)                                                         \
  X(CL_DEVICE_NUMERIC_VERSION, cl_version, device_version(c))                                                \
  X(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, cl_version, CL_MAKE_VERSION(1, 2, 0))                            \
  X(CL_DEVICE_AVAILABLE, cl_bool, CL_TRUE)                                                                   \
  X(CL_DEVICE_COMPILER_AVAILABLE, cl_bool, CL_TRUE)                                                          \
  X(CL_DEVICE_LINKER_AVAILABLE, cl_bool, CL_TRUE)                                                            \
  X(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities, exec_capabilities(c))                     \
  X(CL_DEVICE_ENDIAN_LITTLE, cl_bool, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)                             \
  X(CL_DEVICE_ERROR_CORRECTION_SUPPORT, cl_bool, CL_FALSE)                                                   \
  X(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, cl_bool, CL_TRUE)                                                 \
  X(CL_DEVICE_PROFILING_TIMER_RESOLUTION, size_t, 1)                                                         \
  X(CL_DEVICE_LUID_VALID_KHR, cl_bool, CL_FALSE)                                                             \
  X(CL_DEVICE_NODE_MASK_KHR, cl_uint, 0)                                                                     \
  /* size and shape */                                                                                       \
  X(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, c->compute_units)                                                  \
  X(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint, c->max_clock_mhz)                                                \
  X(CL_DEVICE_ADDRESS_BITS, cl_uint, c->target.address_bits)                                                 \
  X(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint, 3)                                                          \
  X(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t, c->max_group_size)                                                \
  X(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t, native_width(c, true, 32))                         \
  X(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, cl_bool, CL_TRUE)                                              \
  X(CL_DEVICE_MAX_PARAMETER_SIZE, size_t, c->max_parameter_bytes)                                            \
  X(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t, c->printf_bytes)                                                   \
  /* memory */                                                                                               \
  X(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong, c->global_mem_bytes)                                                \
  X(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong, c->max_alloc_bytes)                                              \
  X(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type, CL_READ_WRITE_CACHE)                          \
  X(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, cl_uint, c->cacheline_bytes)                                        \
  X(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong, c->global_cache_bytes)                                        \
  X(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong, c->max_constant_bytes)                                     \
  X(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint, MAX_CONSTANT_ARGS)                                                 \
  X(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type, c->dedicated_local ? CL_LOCAL : CL_GLOBAL)           \
  X(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong, c->local_mem_bytes)                                                  \
  X(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint, c->mem_base_align_bits)                                          \
  X(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, cl_uint, MAX_DATA_TYPE_BYTES)                                        \
  X(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool, !c->discrete_memory)                                             \
  X(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, size_t, global_variables(d, MAX_VARIABLE_BYTES))                     \
  X(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, size_t, global_variables(d, MAX_VARIABLES_BYTES))        \
  X(CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities, 0)                                               \
  X(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, cl_uint, 0)                                               \
  X(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, cl_uint, 0)                                                 \
  X(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, cl_uint, 0)                                                  \
  X(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, cl_device_atomic_capabilities, atomic_memory(d))                   \
  X(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, cl_device_atomic_capabilities, atomic_fence(d))                     \
  /* arithmetic */                                                                                           \
  X(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config, single_config(c))                                       \
  X(CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config, double_config(c))                                       \
  X(CL_DEVICE_HALF_FP_CONFIG, cl_device_fp_config, half_config(c))                                           \
  X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, cl_uint, preferred_width(c, true))                                \
  X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, cl_uint, preferred_width(c, true))                               \
  X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, cl_uint, preferred_width(c, true))                                 \
  X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, cl_uint, preferred_width(c, true))                                \
  X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, cl_uint, preferred_width(c, true))                               \
  X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, cl_uint, preferred_width(c, c->fp64))                           \
  X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, cl_uint, preferred_width(c, c->fp16))                             \
  X(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, cl_uint, native_width(c, true, 8))                                   \
  X(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, cl_uint, native_width(c, true, 16))                                 \
  X(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, cl_uint, native_width(c, true, 32))                                   \
  X(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, cl_uint, native_width(c, true, 64))                                  \
  X(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint, native_width(c, true, 32))                                 \
  X(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, cl_uint, native_width(c, c->fp64, 64))                             \
  X(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, cl_uint, native_width(c, c->fp16, 16))                               \
  /* language features */                                                                                    \
  X(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, cl_bool, has(d, "__opencl_c_generic_address_space"))            \
  X(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, cl_bool,                                              \
    has(d, "__opencl_c_work_group_collective_functions"))                                                    \
  X(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR, cl_device_integer_dot_product_capabilities_khr,          \
    dot_products(d))                                                                                         \
  X(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,                                          \
    cl_device_integer_dot_product_acceleration_properties_khr, CL_FALSE)                                     \
  X(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR,                                 \
    cl_device_integer_dot_product_acceleration_properties_khr, CL_FALSE)                                     \
  X(CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, cl_device_kernel_clock_capabilities_khr, kernel_clocks(d))      \
  X(CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, cl_device_fp_atomic_capabilities_ext, single_atomics(d))    \
  X(CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT, cl_device_fp_atomic_capabilities_ext, double_atomics(d))    \
  X(CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT, cl_device_fp_atomic_capabilities_ext, half_atomics(d))        \
  X(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint, has(d, "__opencl_c_subgroups") ? c->max_group_size : 0)           \
  X(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, cl_bool, CL_FALSE)                                     \
  /* queues */                                                                                               \
  X(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, cl_command_queue_properties,                                         \
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)                                      \
  X(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_device_device_enqueue_capabilities, 0)                         \
  X(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, cl_command_queue_properties, 0)                                    \
  X(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, cl_uint, 0)                                                    \
  X(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, cl_uint, 0)                                                          \
  X(CL_DEVICE_MAX_ON_DEVICE_QUEUES, cl_uint, 0)                                                              \
  X(CL_DEVICE_MAX_ON_DEVICE_EVENTS, cl_uint, 0)                                                              \
  /* pipes */                                                                                                \
  X(CL_DEVICE_PIPE_SUPPORT, cl_bool, CL_FALSE)                                                               \
  X(CL_DEVICE_MAX_PIPE_ARGS, cl_uint, 0)                                                                     \
  X(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, cl_uint, 0)                                                      \
  X(CL_DEVICE_PIPE_MAX_PACKET_SIZE, cl_uint, 0)                                                              \
  /* images */                                                                                               \
  X(CL_DEVICE_IMAGE_SUPPORT, cl_bool, c->target.image_support ? CL_TRUE : CL_FALSE)                          \
  X(CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint, c->images.read_args)                                             \
  X(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, cl_uint, c->images.write_args)                                           \
  X(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, cl_uint, c->images.read_write_args)                                 \
  X(CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t, c->images.size2d[0])                                                \
  X(CL_DEVICE_IMAGE2D_MAX_HEIGHT, size_t, c->images.size2d[1])                                               \
  X(CL_DEVICE_IMAGE3D_MAX_WIDTH, size_t, c->images.size3d[0])                                                \
  X(CL_DEVICE_IMAGE3D_MAX_HEIGHT, size_t, c->images.size3d[1])                                               \
  X(CL_DEVICE_IMAGE3D_MAX_DEPTH, size_t, c->images.size3d[2])                                                \
  X(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, size_t, c->images.buffer_width)                                         \
  X(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, size_t, c->images.array_size)                                            \
  X(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, cl_uint, c->images.pitch_alignment)                                     \
  X(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, cl_uint, c->images.base_alignment)                               \
  X(CL_DEVICE_MAX_SAMPLERS, cl_uint, c->images.samplers)                                                     \
  /* division */                                                                                             \
  X(CL_DEVICE_PARENT_DEVICE, cl_device_id, d->parent)                                                        \
  X(CL_DEVICE_PARENT_DEVICE_EXT, cl_device_id, d->parent)                                                    \
  X(CL_DEVICE_REFERENCE_COUNT, cl_uint, reference_count(d))                                                  \
  X(CL_DEVICE_REFERENCE_COUNT_EXT, cl_uint, reference_count(d))                                              \
  X(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint, c->compute_units)                                          \
  X(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, cl_device_affinity_domain, kiln_device_affinity_domains(d))

static bool scalar_query(const struct kiln_info *info, kiln_device *d, cl_int *err_out) {
  const struct kiln_caps *c = &d->backend->caps;
  switch (info->param) {
#define X(param, type, value)                                                                                \
  case param:                                                                                                \
    *err_out = kiln_info_value(info, type, value);                                                           \
    return true;
    SCALARS(X)
#undef X
  default:
    return false;
  }
}

/* "Returns the latest version of the conformance test suite that this device has fully passed in accordance
 * with the official conformance process": none yet, in the form that the suite itself wants. */
#define CONFORMANCE_PASSED "v0000-01-01-00"

static bool string_query(const struct kiln_info *info, kiln_device *device, cl_int *err_out) {
  const struct kiln_caps *caps = &device->backend->caps;
  switch (info->param) {
  case CL_DEVICE_NAME:
    *err_out = kiln_info_string(info, caps->name);
    return true;
  case CL_DEVICE_VENDOR:
    *err_out = kiln_info_string(info, caps->vendor);
    return true;
  case CL_DRIVER_VERSION:
    *err_out = kiln_info_string(info, caps->driver_version);
    return true;
  case CL_DEVICE_PROFILE:
    *err_out = kiln_info_string(info, "FULL_PROFILE");
    return true;
  case CL_DEVICE_VERSION:
    *err_out = kiln_info_version_string(info, "OpenCL", device_version(caps));
    return true;
  case CL_DEVICE_OPENCL_C_VERSION:
    *err_out = kiln_info_version_string(info, "OpenCL C", CL_MAKE_VERSION(1, 2, 0));
    return true;
  case CL_DEVICE_EXTENSIONS:
    *err_out = kiln_info_extensions(info, &device, 1);
    return true;
  case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
    *err_out = kiln_info_string(info, CONFORMANCE_PASSED);
    return true;
  case CL_DEVICE_BUILT_IN_KERNELS:
  case CL_DEVICE_IL_VERSION: /* no intermediate language: "" */
    *err_out = kiln_info_string(info, "");
    return true;
  default:
    return false;
  }
}

/* Of the software: the same for all its devices and processes, new with each version. */
static cl_int driver_uuid(const struct kiln_info *info) {
  cl_uchar uuid[CL_UUID_SIZE_KHR] = "KILN";
  strncpy((char *)uuid + 4, KILN_VERSION, sizeof uuid - 4);
  return kiln_info_bytes(info, uuid, sizeof uuid);
}

/* CL_DEVICE_SUB_GROUP_SIZES_INTEL (cl_intel_required_subgroup_size), in rising order. */
static cl_int sub_group_sizes(const struct kiln_info *info, const struct kiln_caps *caps) {
  size_t sizes[32], count = 0;
  for (uint32_t size = 1; size != 0 && size <= caps->max_sub_group; size *= 2) sizes[count++] = size;
  return kiln_info_bytes(info, sizes, count * sizeof *sizes);
}

static bool array_query(const struct kiln_info *info, kiln_device *device, cl_int *err_out) {
  const struct kiln_caps *caps = &device->backend->caps;
  switch (info->param) {
  case CL_DEVICE_MAX_WORK_ITEM_SIZES:
    *err_out = kiln_info_bytes(info, caps->max_item_sizes, sizeof caps->max_item_sizes);
    return true;
  case CL_DEVICE_SUB_GROUP_SIZES_INTEL:
    *err_out = sub_group_sizes(info, caps);
    return true;
  case CL_DEVICE_EXTENSIONS_WITH_VERSION:
    *err_out = kiln_info_extension_versions(info, &device, 1);
    return true;
  case CL_DEVICE_OPENCL_C_FEATURES:
    *err_out = kiln_info_features(info, device);
    return true;
  case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
    *err_out = kiln_info_language_versions(info, device);
    return true;
  case CL_DEVICE_ILS_WITH_VERSION:
  case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
    *err_out = kiln_info_bytes(info, NULL, 0);
    return true;
  case CL_DEVICE_UUID_KHR:
    *err_out = kiln_info_bytes(info, caps->uuid, sizeof caps->uuid);
    return true;
  case CL_DRIVER_UUID_KHR:
    *err_out = driver_uuid(info);
    return true;
  case CL_DEVICE_LUID_KHR:
    *err_out = kiln_info_bytes(info, (cl_uchar[CL_LUID_SIZE_KHR]){0}, CL_LUID_SIZE_KHR);
    return true;
  default:
    return kiln_partition_query(info, device, err_out);
  }
}

cl_int kiln_clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret) {
  /* CL_INVALID_DEVICE if device is not a valid device */
  KILN_CHECK(NULL, device, DEVICE);
  struct kiln_info info = {NULL, __func__, param_name, param_value_size, param_value, param_value_size_ret};
  cl_int err = CL_SUCCESS;
  if (scalar_query(&info, device, &err) || string_query(&info, device, &err) ||
      array_query(&info, device, &err))
    return err;
  /* CL_INVALID_VALUE if param_name is not one of the supported values */
  return kiln_info_unknown(&info);
}

/* ---- timers ---- */

cl_int kiln_clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
                                    cl_ulong *host_timestamp) {
  /* CL_INVALID_DEVICE if device is not a valid device */
  KILN_CHECK(NULL, device, DEVICE);
  /* CL_INVALID_VALUE if host_timestamp is NULL or device_timestamp is NULL */
  KILN_REQUIRE(NULL, host_timestamp != NULL, CL_INVALID_VALUE, "host_timestamp is NULL");
  KILN_REQUIRE(NULL, device_timestamp != NULL, CL_INVALID_VALUE, "device_timestamp is NULL");
  *device_timestamp = device->backend->driver->now(device->backend);
  *host_timestamp = kiln_os_now_ns();
  return CL_SUCCESS;
}

cl_int kiln_clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp) {
  /* CL_INVALID_DEVICE if device is not a valid device */
  KILN_CHECK(NULL, device, DEVICE);
  /* CL_INVALID_VALUE if host_timestamp is NULL */
  KILN_REQUIRE(NULL, host_timestamp != NULL, CL_INVALID_VALUE, "host_timestamp is NULL");
  *host_timestamp = kiln_os_now_ns();
  return CL_SUCCESS;
}
