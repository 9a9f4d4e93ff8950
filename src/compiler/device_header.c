/* Owns the text that the front end includes after clang's default header: the macros that tell a program what
 * the device can do. Clang's header, for spir64, claims every extension; here what the device lacks is taken
 * back and what clang does not know is added. Must not know which devices there are. */
#include "compiler/device_header.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define VARIADIC "__cl_clang_variadic_functions"

/* Every macro of an extension or a feature that clang 19 or its header may define for spir64. */
static const char *const known[] = {
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_rotate",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_subgroups",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_depth_images",
    "cl_khr_device_enqueue_local_arg_types",
    "cl_khr_extended_async_copies",
    "cl_khr_gl_msaa_sharing",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_select_fprounding_mode",
    "cl_khr_srgb_image_writes",
    "cl_khr_work_group_uniform_arithmetic",
    "cl_ext_float_atomics",
    "cl_ext_image_raw10_raw12",
    "cl_ext_cxx_for_opencl",
    "cl_amd_media_ops",
    "cl_amd_media_ops2",
    "cl_arm_integer_dot_product_int8",
    "cl_arm_integer_dot_product_accumulate_int8",
    "cl_arm_integer_dot_product_accumulate_int16",
    "cl_arm_integer_dot_product_accumulate_saturate_int8",
    "cl_intel_required_subgroup_size",
    "cl_intel_subgroups",
    "cl_intel_subgroups_short",
    "cl_intel_device_side_avc_motion_estimation",
    "__cl_clang_bitfields",
    "__cl_clang_function_pointers",
    VARIADIC,
    "__cl_clang_non_portable_kernel_param_types",
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_device_enqueue",
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_global_atomic_load_store",
    "__opencl_c_ext_fp16_global_atomic_min_max",
    "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_load_store",
    "__opencl_c_ext_fp16_local_atomic_min_max",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_min_max",
    "__opencl_c_ext_image_raw10_raw12",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_sub_group",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
};

/* Calls `visit` for each word of a space-separated list. */
static void each_word(const char *list, struct kiln_blob *out,
                      void (*visit)(struct kiln_blob *, const char *, int)) {
  for (list = list == NULL ? "" : list; *list != '\0';) {
    size_t length = strcspn(list, " ");
    if (length > 0) visit(out, list, (int)length);
    list += length + (list[length] == ' ');
  }
}

static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; at != NULL && (at = strstr(at, word)) != NULL; at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

static void put_text(struct kiln_blob *out, const char *text) { kiln_blob_put(out, text, strlen(text)); }

static void put_define(struct kiln_blob *out, const char *word, int length) {
  char line[256];
  int n = snprintf(line, sizeof line, "#ifndef %.*s\n#define %.*s 1\n#endif\n", length, word, length, word);
  if (n > 0 && (size_t)n < sizeof line) kiln_blob_put(out, line, (size_t)n);
}

/* Macros of extensions that have parts: they come with the extension, in every version of the language. */
static bool is_part_of_extension(const char *macro) {
  static const char *const prefixes[] = {"__opencl_c_integer_dot_product_", "__opencl_c_kernel_clock_",
                                         "__opencl_c_ext_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(macro, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

static void put_part_define(struct kiln_blob *out, const char *word, int length) {
  if (is_part_of_extension(word)) put_define(out, word, length);
}

/* Clang warns of pragmas for extensions it does not know, unless a header introduced them. */
static void put_pragma(struct kiln_blob *out, const char *word, int length) {
  char line[512];
  int n = snprintf(line, sizeof line,
                   "#pragma OPENCL EXTENSION %.*s : begin\n#pragma OPENCL EXTENSION %.*s : end\n", length,
                   word, length, word);
  if (n > 0 && (size_t)n < sizeof line) kiln_blob_put(out, line, (size_t)n);
}

static void put_undef(struct kiln_blob *out, const char *word) {
  put_text(out, "#undef ");
  put_text(out, word);
  put_text(out, "\n");
}

static void put_enable(struct kiln_blob *out, const char *word, int length) {
  put_text(out, ",+");
  kiln_blob_put(out, word, (size_t)length);
}

/* Before 1.2 clang lets printf be declared only where all variadic functions may be. */
static const char printf_declaration[] =
    "#pragma OPENCL EXTENSION " VARIADIC " : enable\n"
    "int printf(__constant const char *__restrict, ...) __attribute__((format(printf, 1, 2)));\n"
    "#pragma OPENCL EXTENSION " VARIADIC " : disable\n";

static bool early_printf(const struct kiln_target *target, uint32_t std) {
  return std < 120 && has_word(target->extensions, "cl_amd_printf");
}

/* Feature macros came with OpenCL C 3.0. Of those that clang uses to choose the builtins of 2.0, the generic
 * address space is part of that language and stays. */
static bool keeps(const struct kiln_target *target, uint32_t std, const char *macro) {
  if (strncmp(macro, "__opencl_c_", 11) != 0) return has_word(target->extensions, macro);
  if (std == 200 && strcmp(macro, "__opencl_c_generic_address_space") == 0) return true;
  return (std >= 200 || is_part_of_extension(macro)) && has_word(target->feature_macros, macro);
}

void kiln_device_header(struct kiln_blob *out, const struct kiln_target *target, uint32_t std) {
  put_text(out, "#pragma clang system_header\n");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!keeps(target, std, known[i])) put_undef(out, known[i]);
  each_word(target->extensions, out, put_define);
  each_word(target->extensions, out, put_pragma);
  each_word(target->feature_macros, out, std >= 300 ? put_define : put_part_define);
  if (!target->image_support) put_undef(out, "__IMAGE_SUPPORT__");
  if (early_printf(target, std)) put_text(out, printf_declaration);
  if (target->device_version >= 310 || std == 310) put_text(out, "#define CL_VERSION_3_1 310\n");
  if (std == 310) put_text(out, "#undef __OPENCL_C_VERSION__\n#define __OPENCL_C_VERSION__ 310\n");
}

void kiln_device_extensions(struct kiln_blob *out, const struct kiln_target *target, uint32_t std) {
  put_text(out, "-cl-ext=-all");
  if (early_printf(target, std)) put_enable(out, VARIADIC, sizeof VARIADIC - 1);
  each_word(target->extensions, out, put_enable);
  each_word(target->feature_macros, out, put_enable);
}
