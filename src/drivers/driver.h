/* The contract between the core and a processor. A driver sees base, this file and kiln_kernel_info; never
 * core. Nothing here assumes a CPU. Unless said otherwise a function may be called from any thread, with no
 * lock of rank KILN_RANK_DRIVER or above held, and returns CL_SUCCESS or an OpenCL error code; outputs are
 * set on success only. */
#ifndef KILN_DRIVERS_DRIVER_H
#define KILN_DRIVERS_DRIVER_H

#include "base/abi.h"
#include "base/ocl.h"
#include "compiler/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>

struct kiln_driver;

/* Limits of images, in elements and layers; all 0 when the device has none (target.image_support). */
struct kiln_image_caps {
  size_t size2d[2], size3d[3], buffer_width, array_size;
  uint32_t pitch_alignment, base_alignment; /* of images made of buffers */
  uint32_t read_args, write_args, read_write_args, samplers;
};

/* What a device reports; filled by the driver at open, constant afterwards. Strings live as long as the
 * device. */
struct kiln_caps {
  cl_device_type type;
  char name[128], vendor[64], driver_version[64];
  cl_uint vendor_id;
  uint32_t compute_units;
  uint32_t max_clock_mhz;
  uint64_t global_mem_bytes, max_alloc_bytes, global_cache_bytes;
  uint64_t stream_bytes; /* of a command: what is written will not be found in a cache later; 0: never */
  uint32_t cacheline_bytes, local_mem_bytes;
  uint64_t max_constant_bytes;
  size_t max_group_size, max_item_sizes[3];
  uint32_t max_sub_group;     /* sub-groups can be of any power of two up to it; 0: there are none */
  uint32_t native_width_bits; /* widest vector register */
  uint32_t mem_base_align_bits;
  size_t max_parameter_bytes, printf_bytes;
  uint32_t wait_spin_ns; /* how long a thread that waits for this device spins before it sleeps */
  bool fp16, fp64, native_kernels;
  bool fast_fma;        /* fma in hardware (CL_FP_FMA of single precision) */
  bool dedicated_local; /* local memory is storage of its own, not part of global memory */
  bool discrete_memory; /* host and device do not share one memory */
  uint8_t uuid[16];
  struct kiln_image_caps images;
  struct kiln_target target; /* for the compiler */
};

/* A device opened by its driver. The driver embeds this as its first member. */
struct kiln_driver_device {
  const struct kiln_driver *driver;
  struct kiln_caps caps;
};

/* Code of one kernel variant, loaded on a device; owned by the driver. */
struct kiln_code;

/* One unit of work: a command as the driver sees it. The core embeds it in kiln_cmd, fills it before submit
 * and does not touch it until done() is called. */
enum kiln_work_type {
  KILN_WORK_NOTHING /* marker, barrier, map, unmap */,
  KILN_WORK_RANGE,
  KILN_WORK_COPY,
  KILN_WORK_FILL,
  KILN_WORK_NATIVE
};

/* Copy between two host-visible ranges: width bytes x height rows x depth slices. A plain copy has height =
 * depth = 1. Source and destination do not overlap. */
struct kiln_copy {
  const uint8_t *src;
  uint8_t *dst;
  size_t width, height, depth, src_row, src_slice, dst_row, dst_slice;
};
/* Repeats a pattern over width bytes x height rows x depth slices, each row from its start. */
struct kiln_fill {
  uint8_t *dst;
  size_t width, height, depth, row, slice;
  uint8_t pattern[128];
  size_t pattern_size; /* a power of two; divides width */
};

struct kiln_range {
  struct kiln_code *code;    /* set by the core when the variant exists, before submit */
  struct kiln_launch launch; /* args point into the command */
  uint64_t total_groups;     /* product of launch.num_groups */
  uint32_t local_bytes;      /* local memory a group needs: automatic + arguments */
  uint64_t arena_bytes;      /* context arena a group needs */
  uint32_t flags;            /* KILN_KERNEL_* of the kernel */
};

/* Units [next, end) of a work that nobody has taken. A cache line. */
struct kiln_share {
  atomic_uint_fast64_t next;
  uint64_t end;
  atomic_bool claimed; /* some thread begins with it */
  char line[47];
};

struct kiln_work {
  enum kiln_work_type type;
  union {
    struct kiln_range range;
    struct kiln_copy copy;
    struct kiln_fill fill;
    struct {
      void(CL_CALLBACK *function)(void *);
      void *args;
    } native;
  };
  /* Called once by the driver, on a thread of its choice, no lock held: status is CL_COMPLETE or a negative
     error, message one sentence or NULL (valid during the call). The work's memory may be reused when it
     returns. */
  void (*done)(struct kiln_work *work, cl_int status, const char *message);
  /* Called once when execution starts (first chunk), before any side effect. */
  void (*started)(struct kiln_work *work);
  /* The driver's own fields; zeroed by the core before submit. */
  struct kiln_work *next, *prev;
  uint64_t total_units;             /* work-groups, pieces of a copy */
  struct kiln_share whole, *shares; /* shares: num_shares of them, `whole` alone or a table's */
  uint32_t num_shares;
  uint64_t chunk, least_chunk; /* units taken at a time: at first, and as the end comes near */
  uint32_t threads;            /* that may take them */
  atomic_uint wanted;          /* threads that may still join */
  atomic_uint holders;         /* threads that have joined and not left */
  atomic_int fault;            /* first error of a chunk, 0 if none */
  _Atomic(struct kiln_print_block *) printed;
  char fault_message[160]; /* the message given to done(), valid until the command is recycled */
};

struct kiln_driver {
  const char *name;

  /* find: devices of this driver present now; count_out may be 0. Cheap: no threads, no library beyond libc.
   */
  cl_int (*probe)(unsigned *count_out);
  cl_int (*open)(unsigned index, struct kiln_driver_device **device_out);
  void (*close)(struct kiln_driver_device *device);

  /* A part of device: the given compute units (indices within device), with workers of its own that make
     progress whatever the parent and other parts do. */
  cl_int (*partition)(struct kiln_driver_device *device, const uint32_t *units, uint32_t num_units,
                      struct kiln_driver_device **part_out);
  /* Groups the units of device by an affinity domain (one CL_DEVICE_AFFINITY_DOMAIN_* bit): *group_of[unit]
     is filled for caps.compute_units units, *num_groups_out groups. CL_DEVICE_PARTITION_FAILED if the domain
     does not divide. */
  cl_int (*affinity)(struct kiln_driver_device *device, cl_device_affinity_domain domain, uint32_t *group_of,
                     uint32_t *num_groups_out);
  cl_device_affinity_domain (*affinity_domains)(struct kiln_driver_device *device);

  /* memory: size bytes usable by host and device, aligned to at least caps.mem_base_align_bits and to a page
     when large; contents undefined. */
  cl_int (*alloc)(struct kiln_driver_device *device, size_t size, void **address_out);
  void (*free)(struct kiln_driver_device *device, void *address, size_t size);

  /* code: loads an object of CODEGEN; name is for debuggers. */
  cl_int (*load)(struct kiln_driver_device *device, const void *object, size_t size, const char *name,
                 struct kiln_code **code_out, char **message_out);
  void (*unload)(struct kiln_driver_device *device, struct kiln_code *code);
  /* Whether code made for some kiln_spec.most and grain is the one for all of them. */
  bool (*any_number)(const struct kiln_code *code);

  /* work: start() brings up the device's threads (first queue; again after a fork). submit takes ready work,
     never blocks, never allocates; its caller holds the command, and so the device. help lets a waiting host
     thread run chunks of `work` (submitted before; a range, copy or fill) until nothing of it is left to
     take; returns true if it ran any. The caller of help holds the command, which may be done already. */
  cl_int (*start)(struct kiln_driver_device *device);
  void (*submit)(struct kiln_driver_device *device, struct kiln_work *work);
  bool (*help)(struct kiln_driver_device *device, struct kiln_work *work);

  /* report: lines of text for `kiln info`, two spaces of indent: what was detected and why; at most size
     bytes with the NUL. */
  void (*describe)(struct kiln_driver_device *device, char *out, size_t size);

  /* time: nanoseconds, monotonic, shared with kiln_os_now_ns() on the host. */
  uint64_t (*now)(struct kiln_driver_device *device);
};

extern const struct kiln_driver kiln_driver_cpu;

#endif
