/* The one copier behind every clGet*Info: a query's value goes out under the rule all of them share. */
#ifndef KILN_API_INFO_H
#define KILN_API_INFO_H

#include "base/ocl.h"

#include <stddef.h>

/* Where a clGet*Info call wants its answer. */
struct kiln_info {
  kiln_context *context; /* for messages; may be NULL */
  const char *where;     /* __func__ of the entry point */
  cl_uint param;         /* param_name */
  size_t capacity;       /* param_value_size */
  void *value;           /* param_value; may be NULL */
  size_t *size_out;      /* param_value_size_ret; may be NULL */
};

/* size bytes at data. CL_INVALID_VALUE if value is not NULL and capacity < size. size may be 0. */
cl_int kiln_info_bytes(const struct kiln_info *info, const void *data, size_t size);
cl_int kiln_info_string(const struct kiln_info *info, const char *text); /* NULL as "" */
/* The error for a param_name that is none of this query's. */
cl_int kiln_info_unknown(const struct kiln_info *info);

/* kiln_info_value(&info, cl_uint, x): one value of a type. */
#define kiln_info_value(info, type, x) kiln_info_bytes((info), &(type){(x)}, sizeof(type))

#endif
