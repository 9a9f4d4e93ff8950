/* What a device can do, once: feeds CL_DEVICE_EXTENSIONS(_WITH_VERSION), CL_DEVICE_OPENCL_C_FEATURES and the
 * macros the front end defines or hides. A row is listed only when all of it works. */
#ifndef KILN_BASE_FEATURES_H
#define KILN_BASE_FEATURES_H

#include <stdint.h>

/* X(name, major, minor, patch, in_kernel)  in_kernel: 1 when OpenCL C sources see it as a macro/pragma
 * cl_khr_work_group_uniform_arithmetic and cl_khr_async_work_group_copy_fence are not among them, although
 * their functions are there: the conformance suite fails devices that announce them, as its list of Khronos
 * extensions lacks the names. */
#define KILN_PLAIN_EXTENSION_TABLE(X)                                                                        \
  X(cl_khr_byte_addressable_store, 1, 0, 0, 1)                                                               \
  X(cl_khr_global_int32_base_atomics, 1, 0, 0, 1)                                                            \
  X(cl_khr_global_int32_extended_atomics, 1, 0, 0, 1)                                                        \
  X(cl_khr_local_int32_base_atomics, 1, 0, 0, 1)                                                             \
  X(cl_khr_local_int32_extended_atomics, 1, 0, 0, 1)                                                         \
  X(cl_khr_int64_base_atomics, 1, 0, 0, 1)                                                                   \
  X(cl_khr_int64_extended_atomics, 1, 0, 0, 1)                                                               \
  X(cl_khr_fp16, 1, 0, 0, 1)                                                                                 \
  X(cl_khr_fp64, 1, 0, 0, 1)                                                                                 \
  X(cl_khr_extended_async_copies, 1, 0, 0, 1)                                                                \
  X(cl_khr_extended_bit_ops, 1, 0, 0, 1)                                                                     \
  X(cl_khr_integer_dot_product, 2, 0, 0, 1)                                                                  \
  X(cl_khr_kernel_clock, 1, 0, 0, 1)                                                                         \
  X(cl_khr_subgroup_extended_types, 1, 0, 0, 1)                                                              \
  X(cl_khr_subgroup_non_uniform_vote, 1, 0, 0, 1)                                                            \
  X(cl_khr_subgroup_ballot, 1, 0, 0, 1)                                                                      \
  X(cl_khr_subgroup_non_uniform_arithmetic, 1, 0, 0, 1)                                                      \
  X(cl_khr_subgroup_shuffle, 1, 0, 0, 1)                                                                     \
  X(cl_khr_subgroup_shuffle_relative, 1, 0, 0, 1)                                                            \
  X(cl_khr_subgroup_clustered_reduce, 1, 0, 0, 1)                                                            \
  X(cl_khr_subgroup_rotate, 1, 0, 0, 1)                                                                      \
  X(cl_khr_extended_versioning, 1, 0, 0, 0)                                                                  \
  X(cl_khr_icd, 2, 0, 0, 0)                                                                                  \
  X(cl_khr_suggested_local_work_size, 1, 0, 0, 0)                                                            \
  X(cl_khr_device_uuid, 1, 0, 0, 0)                                                                          \
  X(cl_khr_create_command_queue, 1, 0, 0, 0)                                                                 \
  X(cl_ext_device_fission, 1, 0, 0, 0)                                                                       \
  X(cl_ext_float_atomics, 1, 0, 0, 1)                                                                        \
  X(cl_amd_printf, 1, 0, 0, 1)                                                                               \
  X(cl_intel_required_subgroup_size, 1, 0, 0, 1)

/* Of devices that support images. */
#define KILN_IMAGE_EXTENSION_TABLE(X)                                                                        \
  X(cl_khr_3d_image_writes, 1, 0, 0, 1)                                                                      \
  X(cl_khr_depth_images, 1, 0, 0, 1)                                                                         \
  X(cl_khr_image2d_from_buffer, 1, 0, 0, 1)                                                                  \
  X(cl_khr_srgb_image_writes, 1, 0, 0, 1)                                                                    \
  X(cl_ext_image_from_buffer, 1, 0, 0, 0)                                                                    \
  X(cl_ext_image_requirements_info, 0, 5, 0, 0)

#define KILN_EXTENSION_TABLE(X)                                                                              \
  KILN_PLAIN_EXTENSION_TABLE(X)                                                                              \
  KILN_IMAGE_EXTENSION_TABLE(X)

/* X(macro, major, minor, patch): OpenCL C 3.0 feature macros, apart from those every device has. */
#define KILN_PLAIN_FEATURE_TABLE(X)                                                                          \
  X(__opencl_c_atomic_order_acq_rel, 3, 0, 0)                                                                \
  X(__opencl_c_atomic_order_seq_cst, 3, 0, 0)                                                                \
  X(__opencl_c_atomic_scope_device, 3, 0, 0)                                                                 \
  X(__opencl_c_atomic_scope_all_devices, 3, 0, 0)                                                            \
  X(__opencl_c_ext_fp16_global_atomic_load_store, 3, 0, 0)                                                   \
  X(__opencl_c_ext_fp16_global_atomic_add, 3, 0, 0)                                                          \
  X(__opencl_c_ext_fp16_global_atomic_min_max, 3, 0, 0)                                                      \
  X(__opencl_c_ext_fp16_local_atomic_load_store, 3, 0, 0)                                                    \
  X(__opencl_c_ext_fp16_local_atomic_add, 3, 0, 0)                                                           \
  X(__opencl_c_ext_fp16_local_atomic_min_max, 3, 0, 0)                                                       \
  X(__opencl_c_ext_fp32_global_atomic_add, 3, 0, 0)                                                          \
  X(__opencl_c_ext_fp32_global_atomic_min_max, 3, 0, 0)                                                      \
  X(__opencl_c_ext_fp32_local_atomic_add, 3, 0, 0)                                                           \
  X(__opencl_c_ext_fp32_local_atomic_min_max, 3, 0, 0)                                                       \
  X(__opencl_c_ext_fp64_global_atomic_add, 3, 0, 0)                                                          \
  X(__opencl_c_ext_fp64_global_atomic_min_max, 3, 0, 0)                                                      \
  X(__opencl_c_ext_fp64_local_atomic_add, 3, 0, 0)                                                           \
  X(__opencl_c_ext_fp64_local_atomic_min_max, 3, 0, 0)                                                       \
  X(__opencl_c_fp64, 3, 0, 0)                                                                                \
  X(__opencl_c_generic_address_space, 3, 0, 0)                                                               \
  X(__opencl_c_int64, 3, 0, 0)                                                                               \
  X(__opencl_c_integer_dot_product_input_4x8bit, 3, 0, 0)                                                    \
  X(__opencl_c_integer_dot_product_input_4x8bit_packed, 3, 0, 0)                                             \
  X(__opencl_c_kernel_clock_scope_device, 3, 0, 0)                                                           \
  X(__opencl_c_kernel_clock_scope_work_group, 3, 0, 0)                                                       \
  X(__opencl_c_kernel_clock_scope_sub_group, 3, 0, 0)                                                        \
  X(__opencl_c_program_scope_global_variables, 3, 0, 0)                                                      \
  X(__opencl_c_subgroups, 3, 0, 0)                                                                           \
  X(__opencl_c_work_group_collective_functions, 3, 0, 0)

#define KILN_IMAGE_FEATURE_TABLE(X)                                                                          \
  X(__opencl_c_images, 3, 0, 0)                                                                              \
  X(__opencl_c_3d_image_writes, 3, 0, 0)                                                                     \
  X(__opencl_c_read_write_images, 3, 0, 0)

#define KILN_FEATURE_TABLE(X)                                                                                \
  KILN_PLAIN_FEATURE_TABLE(X)                                                                                \
  KILN_IMAGE_FEATURE_TABLE(X)

#endif
