/* The copier of clGet*Info answers. */
#include "api/info.h"

#include "core/error.h"

#include <string.h>

cl_int kiln_info_bytes(const struct kiln_info *info, const void *data, size_t size) {
  if (info->value != NULL) {
    /* CL_INVALID_VALUE if size in bytes specified by param_value_size is < size of return type and
       param_value is not NULL. */
    if (info->capacity < size)
      return kiln_fail(info->context, CL_INVALID_VALUE, info->where,
                       "param_value_size %zu is smaller than the %zu bytes of param_name 0x%X",
                       info->capacity, size, info->param);
    if (size > 0) memcpy(info->value, data, size);
  }
  if (info->size_out != NULL) *info->size_out = size;
  return CL_SUCCESS;
}

cl_int kiln_info_string(const struct kiln_info *info, const char *text) {
  if (text == NULL) text = "";
  return kiln_info_bytes(info, text, strlen(text) + 1);
}

cl_int kiln_info_unknown(const struct kiln_info *info) {
  return kiln_fail(info->context, CL_INVALID_VALUE, info->where, "param_name 0x%X is not one of this query's",
                   info->param);
}
