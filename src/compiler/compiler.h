/* The compiler's interface: requests in, replies out; it knows no queue, context or program object.
 *
 * libkiln.so links only compiler/client/ (no LLVM): kiln_compiler_run() there opens libkiln-compiler.so at
 * the first call, runs the request on the compile thread (1 GiB reserved stack) and returns its reply; after
 * a crash, a fatal error or a timeout of that thread, this and later requests run in the helper executable
 * kiln-compile. libkiln-compiler.so exports one symbol, kiln_compiler_entry. */
#ifndef KILN_COMPILER_COMPILER_H
#define KILN_COMPILER_COMPILER_H

#include "base/abi.h"
#include "base/blob.h"
#include "base/ocl.h"

/* What KILN_DUMP and `kiln run --dump` can show, in the order of the pipeline: X(name, what the stage has
 * done) */
#define KILN_DUMP_TABLE(X)                                                                                   \
  X("frontend", "source to IR")                                                                              \
  X("merge", "inputs of a link to one module")                                                               \
  X("resolve", "nothing undefined, no recursion")                                                            \
  X("internalise", "unused functions gone")                                                                  \
  X("registers", "variables in registers")                                                                   \
  X("parameters", "unused parameters gone")                                                                  \
  X("angles", "sine and cosine of one angle computed together")                                              \
  X("powers", "powers of known exponents as products")                                                       \
  X("builtins", "definitions of builtin functions linked")                                                   \
  X("inline", "callees inlined, within the budget")                                                          \
  X("samplers", "literal samplers made constants")                                                           \
  X("split", "components of vectors handed over one by one")                                                 \
  X("arguments", "structures by value copied to variables, where they are changed or functions have them")   \
  X("normalise", "the form that lowering reads")                                                             \
  X("coordinates",                                                                                           \
    "integers of vectors computed by components, where they are put together and looked at so")              \
  X("components", "components of vectors that change stored alone")                                          \
  X("vectors", "vectors put together where they are used")                                                   \
  X("globals", "places of program-scope variables")                                                          \
  X("describe", "the same, kernels' metadata known")                                                         \
  X("store", "as stored in binaries and the cache")                                                          \
  X("load", "the stored program again, for one kernel")                                                      \
  X("isolate", "one kernel and what it calls")                                                               \
  X("alone", "groups of one work-item, which share nothing")                                                 \
  X("opaque", "what is known of images and samplers made constants")                                         \
  X("native", "builtins in the forms of this processor")                                                     \
  X("lower", "the work-group function")                                                                      \
  X("target", "with the processor's features")                                                               \
  X("optimise", "as it goes to code generation")                                                             \
  X("assembly", "machine code, as assembler text")                                                           \
  X("emit", "what code generation left of the IR")

/* ---- kernels' metadata: travels with bitcode and machine code, so a warm start needs no compiler ---- */

enum kiln_arg_kind {
  KILN_ARG_VALUE,  /* by value, struct included */
  KILN_ARG_GLOBAL, /* pointer to __global or __constant: 8 bytes in the packed block */
  KILN_ARG_LOCAL,  /* __local pointer: packed as a 32-bit offset into the worker's local block */
  KILN_ARG_IMAGE,
  KILN_ARG_SAMPLER,
  KILN_ARG_PIPE
};

struct kiln_arg_info {
  char *name, *type_name; /* as clGetKernelArgInfo reports them */
  cl_kernel_arg_address_qualifier address;
  cl_kernel_arg_access_qualifier access;
  cl_kernel_arg_type_qualifier qualifier;
  uint32_t kind;    /* enum kiln_arg_kind */
  uint32_t size;    /* what clSetKernelArg demands, bytes (0: any, local memory) */
  uint32_t offset;  /* byte offset in kiln_launch.args, naturally aligned */
  uint32_t align;   /* LOCAL: alignment of the pointee; else of the value */
  uint32_t image;   /* IMAGE: the cl_mem_object_type it takes, and KILN_ARG_DEPTH; else 0 */
  uint32_t stored;  /* GLOBAL: bytes that a work-item stores through it when nothing is read that way, or
                       KILN_STORES_ALL; else 0 */
  uint32_t tallied; /* GLOBAL: 1: all that is done through it are atomics of one kind (sums, say) whose
                       results nobody uses and whose order nothing shows */
  uint32_t integer; /* VALUE: 1: an integer of 32 bits; KILN_ARG_FACTOR: and products with it, or sums of it
                       and such, choose elements and may wrap */
  uint32_t turns;   /* VALUE of 32 or 64 bits: 1: a loop that sums up a row takes about so many turns */
};
enum { KILN_ARG_FACTOR = 2 };
enum { KILN_ARG_DEPTH = 1 << 16 }; /* a depth image */
/* The work-items share all of the buffer among them in loops, or store very much. */
#define KILN_STORES_ALL UINT32_MAX

/* How ranges of several dimensions are best cut where nothing ties a group together. */
enum kiln_tile_form {
  KILN_TILE_UNKNOWN,
  KILN_TILE_ROWS,   /* rows share nothing: long ones are good for memory */
  KILN_TILE_SHARED, /* neighbouring rows share what they read */
  KILN_TILE_SQUARE  /* what is contiguous along one dimension is not along the other, as in a transposition */
};
struct kiln_tiling {
  uint32_t form;          /* enum kiln_tile_form */
  uint32_t along, across; /* dimensions: of the lanes; from row to row */
};

/* Of which sub-groups can be: powers of two up to the lanes of the longest vectors. */
static inline bool kiln_is_sub_group_size(uint32_t items) {
  return items >= 1 && items <= KILN_MAX_SUB_GROUP && (items & (items - 1)) == 0;
}

struct kiln_kernel_info {
  char *name;
  char *attributes; /* CL_KERNEL_ATTRIBUTES text */
  uint32_t num_args;
  struct kiln_arg_info *args;
  uint32_t args_size;                  /* bytes of the packed block */
  uint32_t reqd_size[3], hint_size[3]; /* 0 when absent */
  uint32_t local_bytes;                /* automatic __local variables, rounded to 128 */
  uint64_t private_bytes;              /* CL_KERNEL_PRIVATE_MEM_SIZE, per work-item */
  uint64_t private_bound;              /* upper bound of arena bytes per work-item of any variant */
  uint32_t subgroup_size;              /* S, of all sub-groups but the last of a group */
  uint32_t reqd_subgroup;              /* S as the source requires it; 0: it does not */
  uint32_t flags;                      /* KILN_KERNEL_* */
  struct kiln_tiling tiling;
};
enum {
  KILN_KERNEL_PRINTF = 1,
  KILN_KERNEL_BARRIER = 2,
  KILN_KERNEL_UNIFORM_GROUPS = 4,
  KILN_KERNEL_DENORMS_ZERO = 8,
  KILN_KERNEL_STREAMS = 64,  /* some argument has kiln_arg_info.stored */
  KILN_KERNEL_TALLIES = 128, /* some argument has kiln_arg_info.tallied */
  KILN_KERNEL_WAITS =
      1024, /* a group may wait for what another one does: they begin in the order of numbers */
  KILN_KERNEL_APART = 512,  /* it gains where no two arguments point to the same memory */
  KILN_KERNEL_LOOPS = 256,  /* a work-item may take long: there are loops */
  KILN_KERNEL_FREE = 32,    /* nothing ties a group's work-items together: the local size does not matter */
  KILN_KERNEL_ARG_INFO = 16 /* clGetKernelArgInfo works: source build, or -cl-kernel-arg-info */
};

/* ---- a program after the front end or the linker ---- */

enum kiln_program_image_type {
  KILN_PROGRAM_IMAGE_NONE,
  KILN_PROGRAM_IMAGE_OBJECT /* clCompileProgram */,
  KILN_PROGRAM_IMAGE_LIBRARY,
  KILN_PROGRAM_IMAGE_EXECUTABLE
};

/* Program-scope variables: one block per (program, device), kiln_launch.globals. */
struct kiln_globals {
  uint64_t size; /* bytes; 0: there are none */
  uint32_t align;
  uint8_t *bytes; /* initial contents; what follows them is zero */
  size_t num_bytes;
  uint32_t num_fixups; /* 8-byte values that are addresses within the block */
  struct kiln_fixup {
    uint64_t at, to; /* offsets: the value at `at` is the address of `to` */
  } * fixups;
};

struct kiln_program_image {
  uint32_t type;    /* enum kiln_program_image_type */
  uint8_t *bitcode; /* normalised spir64 LLVM bitcode */
  size_t bitcode_size;
  uint32_t num_kernels; /* executables only */
  struct kiln_kernel_info *kernels;
  struct kiln_globals globals; /* executables only */
  uint64_t hash[2];            /* level-1 key: identity of this image */
  char *options;               /* build options, normalised, as CL_PROGRAM_BUILD_OPTIONS reports them */
  uint32_t num_includes;       /* files read or probed while compiling: for checking a cached entry */
  struct kiln_include {
    char *path;
    uint64_t hash;
    uint32_t absent;
  } * includes;
  uint32_t uncacheable; /* __DATE__, __TIME__ */
};

void kiln_program_image_finish(struct kiln_program_image *image);
/* Serialises / parses; reading sets r->failed on any malformed input and leaves *image finished. */
void kiln_program_image_put(struct kiln_blob *b, const struct kiln_program_image *image);
void kiln_program_image_read(struct kiln_reader *r, struct kiln_program_image *image);

/* ---- what a variant of a kernel is made for ---- */

/* What a specialisation knows of the first arguments that are images or samplers, by a word for each, in
 * their order: an image's channel order << 16 | channel type, or a sampler's bits with KILN_OPAQUE_SAMPLER;
 * 0: it knows nothing. */
enum {
  KILN_SPEC_OPAQUE = 8,
  KILN_SPEC_GRAIN = 64 /* work-items: longer vectors seldom pay, and most sizes are multiples of it */
};
#define KILN_OPAQUE_SAMPLER 0x80000000u

/* What offset + global size in each dimension, and arguments, of a launch are below, by kiln_spec.small.
 * Products of both, and sums and small multiples of these, do not wrap in 32 bits then. */
enum { KILN_SMALL_IMAGE = 3, KILN_SMALL_ROWS, KILN_SMALL_POINTS, KILN_SMALLS };
struct kiln_small {
  uint64_t ids;      /* 0: any */
  uint64_t integers; /* an image's: arguments with kiln_arg_info.integer; others': with KILN_ARG_FACTOR */
};
static inline struct kiln_small kiln_small(uint32_t small) {
  static const struct kiln_small of[KILN_SMALLS] = {
      {0, UINT64_C(1) << 32},
      {UINT64_C(1) << 31, UINT64_C(1) << 32},
      {UINT64_C(1) << 27, UINT64_C(1) << 32},
      [KILN_SMALL_IMAGE] = {(1 << 13) + 1, (1 << 14) + 1}, /* of two dimensions or three */
      [KILN_SMALL_ROWS] = {1 << 17, 1 << 13},
      [KILN_SMALL_POINTS] = {1 << 22, 1 << 8}};
  return of[small];
}

/* How long rows are that loops sum up, by arguments with kiln_arg_info.turns. */
enum { KILN_ROWS_ANY, KILN_ROWS_SHORT, KILN_ROWS_LONG, KILN_ROWS_KINDS };
enum { KILN_LONG_ROW = 32 /* turns, fewer of which LLVM takes one by one with AVX2 */ };

struct kiln_spec {
  uint32_t local_size[3]; /* all 0: any size; 0, 1, 1: any in the first dimension */
  uint32_t uniform;       /* 1: the local size divides the global one in each dimension */
  uint32_t offset_zero;   /* 1: the global offset is 0 */
  uint32_t small;         /* the launch is below kiln_small(small) */
  uint32_t rows;          /* KILN_ROWS_LONG: all of them; ANY: it is not known */
  uint32_t streams;       /* 1: stores through arguments with kiln_arg_info.stored pass by the caches */
  uint32_t tallies; /* 1: what goes through arguments with kiln_arg_info.tallied is gathered by thread */
  uint32_t apart;   /* 1: no two arguments point to the same memory object */
  uint32_t grain; /* KILN_SPEC_GRAIN: groups and launch have a multiple of it in the first dimension; or 0 */
  uint32_t width; /* forced vector width, or KILN_WIDTH_PAIR; 0: the compiler chooses */
  uint32_t most;  /* lanes at most, where none are forced: the launch has few work-items; 0: any number */
  uint32_t opaque[KILN_SPEC_OPAQUE];
};

static inline bool kiln_has_factors(const struct kiln_kernel_info *kernel) {
  for (uint32_t i = 0; i < kernel->num_args; i++)
    if (kernel->args[i].integer == KILN_ARG_FACTOR) return true;
  return false;
}

/* kiln_spec.rows as launches mostly have it. */
static inline uint32_t kiln_spec_usual_rows(const struct kiln_kernel_info *kernel) {
  for (uint32_t i = 0; i < kernel->num_args; i++)
    if (kernel->args[i].turns != 0) return KILN_ROWS_LONG;
  return KILN_ROWS_ANY;
}

/* kiln_spec.small as launches of a kernel with such local sizes mostly have it. */
static inline uint32_t kiln_spec_usual_small(const struct kiln_kernel_info *kernel,
                                             const uint32_t local_size[3]) {
  if ((local_size[0] > 1) + (local_size[1] > 1) + (local_size[2] > 1) > 1) return KILN_SMALL_IMAGE;
  return kiln_has_factors(kernel) ? KILN_SMALL_ROWS : 2;
}

/* Groups of one work-item. */
static inline bool kiln_spec_is_alone(const uint32_t local_size[3]) {
  return local_size[0] == 1 && local_size[1] == 1 && local_size[2] == 1;
}

/* ---- a device as the compiler sees it ---- */

struct kiln_target {
  const char *features;       /* LLVM target features from CPUID: "+avx2,+fma,..." */
  const char *tune;           /* tuning CPU derived from the features */
  const char *extensions;     /* space-separated in-kernel extension names */
  const char *feature_macros; /* space-separated __opencl_c_* names */
  uint32_t device_version;    /* 300 or 310: __OPENCL_VERSION__ */
  uint32_t address_bits;
  uint32_t image_support; /* __IMAGE_SUPPORT__ */
  uint64_t arena_size;    /* context arena per worker, bytes */
};

/* ---- requests ---- */

enum kiln_request_kind { KILN_REQUEST_COMPILE, KILN_REQUEST_LINK, KILN_REQUEST_CODEGEN };

struct kiln_request {
  uint32_t kind;
  struct kiln_target target;
  const char *options; /* as given to clBuildProgram etc., "" if none */
  /* COMPILE: one source; embedded headers of clCompileProgram by their include names. */
  const char *source;
  size_t source_size;
  uint32_t num_headers;
  const struct kiln_source_header {
    const char *name, *text;
    size_t size;
  } * headers;
  uint32_t executable; /* COMPILE: 1 for clBuildProgram: link and finish at once */
  /* LINK: images in order. */
  uint32_t num_inputs;
  const struct kiln_program_image *const *inputs;
  uint32_t library; /* LINK: -create-library */
  /* CODEGEN */
  const struct kiln_program_image *image;
  const char *kernel;
  struct kiln_spec spec;
  uint32_t optimize; /* 1 normal; 0: the unoptimised W = 1 fallback */
};

enum kiln_reply_status {
  KILN_REPLY_OK,
  KILN_REPLY_FAILED,  /* the source is at fault: log says why */
  KILN_REPLY_CRASHED, /* the compiler is at fault: log says what happened and where the reproducer lies */
  KILN_REPLY_NO_MEMORY,
  KILN_REPLY_NO_COMPILER /* libkiln-compiler.so or the helper cannot be opened: log says why */
};

struct kiln_reply {
  uint32_t status;
  char *log;                       /* build log, "" if none; kiln_alloc */
  struct kiln_program_image image; /* COMPILE, LINK */
  uint8_t *object;                 /* CODEGEN: ELF relocatable object defining KILN_ENTRY_SYMBOL */
  size_t object_size;
};

void kiln_reply_finish(struct kiln_reply *reply);

/* Runs one request to its end; thread-safe, blocks (callers hold no lock). Implemented in compiler/client/.
 */
void kiln_compiler_run(const struct kiln_request *request, struct kiln_reply *reply);

/* Drops the compiler's caches of parsed state where it has any (clUnloadPlatformCompiler). */
void kiln_compiler_unload(void);

/* ---- the boundary between the two libraries ---- */

/* Same layout on both sides of dlopen. Request and reply cross as bytes, for the thread and the helper alike.
 */
struct kiln_compiler_api {
  uint32_t abi_version; /* KILN_ABI_VERSION */
  /* Runs a serialised request; the reply is written through `put` (called once). */
  void (*run)(const void *request, size_t size, void (*put)(void *user, const void *bytes, size_t size),
              void *user);
  /* Has fatal errors of LLVM and exhausted memory reported to `fatal`, on the thread that compiles; it must
     not return. Once, before the first run. */
  void (*catch_fatal)(void (*fatal)(const char *reason));
};
typedef const struct kiln_compiler_api *kiln_compiler_entry_fn(void);

void kiln_request_put(struct kiln_blob *b, const struct kiln_request *request);
/* The request read owns all it points to: kiln_request_finish. Sets r->failed on malformed input; the request
 * is then finished. */
void kiln_request_read(struct kiln_reader *r, struct kiln_request *request);
void kiln_request_finish(struct kiln_request *request);
void kiln_reply_put(struct kiln_blob *b, const struct kiln_reply *reply);
void kiln_reply_read(struct kiln_reader *r, struct kiln_reply *reply);

/* Identity of compiler and builtins for cache keys: versions of Kiln, LLVM, ABI and the builtin library's
 * hash. */
const char *kiln_compiler_version(void);
/* True if machine code that the compiler with that version made (size bytes, no terminator) may be used here:
 * it is this one, or none is installed, so none could make the code again, and it belongs to this Kiln. */
bool kiln_compiler_made(const void *version, size_t size);

/* ---- options, shared by both sides (compiler/client/options.c) ---- */

struct kiln_options {
  uint32_t std; /* 100, 110, 120, 200, 300, 310; 120 when no -cl-std is given */
  /* clang-ready list of the language options, include folders and -D; owned */
  char **args;
  size_t num_args;
  uint32_t create_library, enable_link_options, kernel_arg_info, opt_disable, debug, denorms_zero,
      fast_relaxed, unsafe_math, contract, uniform_group_size, werror, no_warnings, std_given;
  uint32_t width;           /* -kiln-width=N or pair (KILN_WIDTH_PAIR); 0 if absent */
  uint32_t explain;         /* -kiln-explain: the build log says what is made of each kernel, line by line */
  uint32_t explain_size[3]; /* -kiln-explain=X,Y,Z: in groups of that size; 0: of a size that suits */
};
enum kiln_options_use { KILN_OPTIONS_BUILD, KILN_OPTIONS_COMPILE, KILN_OPTIONS_LINK };

/* Parses options for a use. CL_SUCCESS; CL_INVALID_BUILD_OPTIONS / CL_INVALID_COMPILER_OPTIONS /
 * CL_INVALID_LINKER_OPTIONS with *bad_out = the offending word (kiln_alloc); CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_options_parse(const char *options, enum kiln_options_use use, struct kiln_options *out,
                          char **bad_out);
void kiln_options_finish(struct kiln_options *options);

/* A forced width: two work-items side by side in scalar code, where the kernel allows that. */
enum { KILN_WIDTH_PAIR = 128 };
/* A width as -kiln-width and KILN_WIDTH name it: a power of two up to 64, or "pair". False: it is none. */
bool kiln_width_parse(const char *text, uint32_t *width_out);

#endif
