/* Memory of buffers on the CPU: host memory. */
#ifndef KILN_DRIVERS_CPU_MEMORY_H
#define KILN_DRIVERS_CPU_MEMORY_H

#include "drivers/driver.h"

enum { KILN_CPU_ALIGN = 128 }; /* the largest OpenCL C type: long16 */

/* driver.h alloc and free */
cl_int kiln_memory_alloc(struct kiln_driver_device *device, size_t size, void **address_out);
void kiln_memory_free(struct kiln_driver_device *device, void *address, size_t size);
/* Gives back what freed buffers left behind. */
void kiln_memory_forget(void);

#endif
