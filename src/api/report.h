/* What `kiln info` shows beyond OpenCL's queries (include/kiln/kiln.h). */
#ifndef KILN_API_REPORT_H
#define KILN_API_REPORT_H

#include "kiln/kiln.h"

kiln_device_report_fn kiln_device_report;

#endif
