/* Random kernels: the same program as OpenCL C and as plain C. Owns the two texts, the random numbers and
 * what is in scope; knows no OpenCL objects.
 *
 * Every program has one meaning: unsigned or bitwise arithmetic where signed would overflow, divisors that
 * are not zero, indices within bounds, floating point without contraction, NaNs told apart from nothing.
 * Work-items share arrays in modes that change at barriers only: each its own element, all elements
 * read-only, or one commutative atomic operation per array. At barriers of sub-groups own elements become
 * those of the sub-group: read-only, or for one such operation.
 *
 * C runs the work-items of a group one after the other between OPEN and CLOSE. Sub-group functions stand
 * between a CLOSE and an OPEN; in control flow that work-items take differently each has a flag, on_, that
 * OPEN looks at. The size of sub-groups is the device's, known when the C program runs. */
#ifndef TEST_RANDOM_GEN_H
#define TEST_RANDOM_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum base { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, HALF, NUM_BASES };

struct type {
  enum base base;
  int n; /* components: 1, 2, 3, 4, 8, 16 */
};

enum space { PRIVATE, LOCAL, GLOBAL, CONSTANT };

/* What an expression may read or a statement write; fields of structures are variables of their own. */
struct var {
  char name[32];
  struct type type;
  int count; /* elements of an array, a power of two; 0: no array */
  bool item; /* lives in the kernel: C keeps one per work-item */
  bool fixed;
  bool doubled; /* a counter that a loop doubles or halves: a power of two */
  enum space space;
};

enum use { READ, WRITE, POINT_TO /* a pointer to private memory will */ };

struct aggregate { /* a variable of structure type */
  char name[32];
  int which;
  bool item;
};

/* What pixels are: four components, which the C form sees as words. */
enum image { NO_IMAGE, IMAGE_UINT32, IMAGE_UINT8, IMAGE_INT16, IMAGE_FLOAT };
enum { IMAGE_WIDTH = 16, IMAGE_HEIGHT = 8, IMAGE_WORDS = 4 * IMAGE_WIDTH * IMAGE_HEIGHT };

/* Whose elements a work-item may touch, and how: its own; all, read only; all, by one operation; and the same
 * two of its sub-group. */
enum mode { OWN, SHARED, ATOMIC, PEER, PEER_ATOMIC, NUM_MODES };

struct shared { /* an array with an element per work-item of a group; the last one in global memory */
  struct type type;
  enum mode mode;
  int operation; /* ATOMIC: of all work-items until the next barrier */
};

enum {
  MAX_VARS = 128,
  MAX_FUNCTIONS = 6,
  MAX_FIELDS = 5,
  NUM_STRUCTS = 2,
  NUM_SHARED = 4,
  IN_GLOBAL = NUM_SHARED - 1,
  MAX_PARAMS = 4,
  NUM_REGIONS = 11
};

enum passing {
  BY_VALUE,
  ARRAY,  /* pointer to elements in private memory */
  SCALAR, /* pointer to a variable in private memory */
  STRUCT,
  STRUCT_POINTER,
  TABLE,       /* pointer to constant elements */
  INPUT,       /* pointer to the input in global memory */
  OWN_ELEMENT, /* pointer to the work-item's element of an array in local memory */
  NUM_PASSINGS
};

struct function {
  struct type result;
  int result_struct; /* -1: none */
  int num_params;
  struct {
    enum passing passing;
    struct type type;
    int count, which; /* elements; structure or array in local memory */
  } param[MAX_PARAMS];
};

struct gen {
  uint64_t seed, state;
  FILE *cl, *c, *fields; /* fields: of C's struct item */
  struct var vars[MAX_VARS];
  int num_vars;
  struct aggregate aggregates[8];
  int num_aggregates;
  struct {
    struct var field[MAX_FIELDS];
    int num;
  } structs[NUM_STRUCTS];
  struct function functions[MAX_FUNCTIONS];
  int num_functions;
  struct shared shared[NUM_SHARED];
  int dims, num_tables;                  /* program-scope variables are the first of vars */
  size_t local[3], global[3], offset[3]; /* unused dimensions: 1, 1, 0 */
  bool uneven;                           /* the global size is no multiple of the local one */
  bool unsized;                          /* the implementation chooses the local size */
  struct var own;                        /* an element for each work-item of the launch; no name: none */
  bool initialiser;                      /* of a program-scope variable: C's literals have no type */
  uint32_t regions[NUM_REGIONS];         /* how often each kind */
  int names, budget, loops;
  unsigned required;               /* sub-group size, 0: any */
  unsigned cluster;                /* the largest asked for: sub-groups must be no smaller */
  int loop;                        /* of the flow that work-items take differently; -1: none */
  bool masked;                     /* some work-items of a sub-group only */
  bool whole_loop;                 /* the loop is left by whole sub-groups only */
  int leavable;                    /* loops that a whole group may leave, since the last change of modes */
  const struct function *function; /* being written; NULL: the kernel */
  int way_out;                     /* the label outN that may be jumped to; -1: none */
  bool in_switch;                  /* which a break would leave, and not the loop */
  enum image image;
  const char *options;
  bool generic;     /* pointers to any memory: OpenCL C 2.0 */
  bool half;        /* arithmetic on half */
  char row[24];     /* of the planes that out's words lie in, its length; "": side by side */
  bool kernel;      /* the text goes into the kernel: shared arrays are in scope */
  bool alone;       /* work-items share nothing and cannot tell their groups apart, */
  bool placed;      /* or share nothing in a row of short groups, but may ask where they are */
  bool collectives; /* work-group functions are used: OpenCL C 3.0 */
  bool sub_groups;  /* those of sub-groups are: the same */
};

/* ---- gen.c ---- */

uint32_t gen_random(struct gen *g, uint32_t below);
bool gen_chance(struct gen *g, uint32_t percent);
uint32_t gen_weighted(struct gen *g, const uint32_t *weights, uint32_t n); /* an index */
void both(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void only_cl(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Before a loop of the kernel, at times. */
void gen_unroll_hint(struct gen *g);
void only_c(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum base gen_base(struct gen *g);
struct type gen_type(struct gen *g);
const char *type_name(struct type t);
bool is_float(enum base b);
static inline bool is_word(struct type t) { return t.base == UINT && t.n == 1; }
bool is_signed(enum base b);
int base_bits(enum base b);
void put_name(struct gen *g, const struct var *v); /* of a variable, in both texts */
struct var *gen_declare(struct gen *g, struct type type, int count, bool item);
/* A variable with this type (any when NULL) for that use; arrays when array says so. NULL: none. */
struct var *gen_pick(struct gen *g, const struct type *type, bool array, enum use use);

/* ---- expr.c ---- */

void gen_expr(struct gen *g, struct type t, int depth);
void gen_index(struct gen *g, int count);     /* [expression], within a power of two */
void gen_condition(struct gen *g, int depth); /* an int, 0 or 1 */
void gen_literal(struct gen *g, struct type t);
void gen_pattern(struct gen *g, unsigned count); /* an index below count, a power of two, of many forms */
/* [index] of an element of a shared array that the mode lets a work-item touch; of the only one when
 * NUM_MODES. Which is a work-item's own tells a function, own0() and so on. */
void gen_place(struct gen *g, int shared, enum mode mode);

/* ---- stmt.c ---- */

void gen_block(struct gen *g, int statements, int depth, bool in_loop); /* statements in the scope at hand */
void gen_braces(struct gen *g, int depth, bool in_loop);                /* in one of their own */
void gen_assign(struct gen *g, const struct var *v);
void gen_new_variable(struct gen *g, bool item);

/* ---- loop.c ---- */

void gen_loop(struct gen *g, int depth, bool in_loop); /* or a jump; in_loop: within another loop */

/* ---- function.c ---- */

void gen_functions(struct gen *g);
void gen_call(struct gen *g);
void gen_return(struct gen *g); /* of the function being written, or of the work-item */
/* A structure's fields become variables: access is "." or "->". */
void gen_fields(struct gen *g, const char *name, const char *access, int which, bool item);
/* The variables from first on get values, of what is in scope before them. */
void gen_initialise(struct gen *g, int first);

/* ---- program.c ---- */

void gen_tables(struct gen *g); /* program-scope variables */

/* ---- half.c ---- */

bool gen_load_half(struct gen *g, struct type t);
bool gen_store_half(struct gen *g);

/* ---- region.c ---- */

void gen_regions(struct gen *g, int depth); /* what all work-items of a group come to */
void gen_barrier(struct gen *g, const enum mode *next);
void gen_peer_phase(struct gen *g, int depth,
                    void (*inside)(struct gen *, int)); /* between sub-group barriers */

/* ---- collective.c ---- */

enum { NUM_COMBINES = 10 };
struct combine {
  const char *name, *neutral, *made; /* %s: the type; of t_ and z_ */
  bool always;                       /* also among the functions for a whole sub-group */
};
const struct combine *gen_combine(struct gen *g, struct type t);
/* C's x_, s_ and y_ by work-item, for operands and result; a_ says who takes part. */
void gen_open_peers(struct gen *g, const char *operand, const char *result);
void gen_start_results(struct gen *g); /* after the operand: what follows sets y_[ITEM] */
void gen_close_peers(struct gen *g, const struct var *v);
void gen_put_operand(struct gen *g, struct type t); /* whose sums are exact */
void gen_put_neutral(struct gen *g, const struct combine *o, struct type t);
/* PREFIX_FORM_OP(...) into v, form 0 to 2: reduce, inclusive and exclusive scan. all: the loop over peers. */
void gen_put_combine(struct gen *g, const struct var *v, const struct combine *o, const char *prefix,
                     uint32_t form, const char *all);
void gen_collective(struct gen *g);        /* a statement with a work-group function */
void gen_uniform(struct gen *g, int name); /* defines a uint that all work-items of the group have alike */

/* ---- sub_group.c, parted.c ---- */

bool gen_sub_group_id(struct gen *g); /* a uint; false: none here */
void gen_sub_group(struct gen *g);    /* a statement with a sub-group function */
void gen_parted(struct gen *g,
                int depth); /* control flow that work-items take differently, with such in it */

/* ---- memory.c ---- */

bool gen_generic(struct gen *g);         /* a statement that goes through a pointer to some memory or other */
bool gen_row(struct gen *g);             /* stores to own words in global memory, one on another */
bool gen_planes(struct gen *g);          /* both words at once, where they lie in planes */
void gen_own(struct gen *g, unsigned k); /* word k of the two, as an expression; in the kernel only */
bool gen_row_loop(struct gen *g);
bool gen_record(struct gen *g); /* words of a record of the input */
bool gen_pixel(struct gen *g, struct type t);
bool gen_write_pixel(struct gen *g);
void gen_memory_functions(struct gen *g); /* what statements of OpenCL C call */

/* ---- field.c ---- */

bool gen_field(struct gen *g, struct type t); /* what a work-item finds where it lies in the input */
bool gen_field_walk(struct gen *g);           /* a loop over some of that */

/* ---- kernel.c ---- */

/* Writes the program of a seed: OpenCL C to cl, and to c a function
 *   void run_SEED(const struct run *r)
 * and its data: size_t argument_size_SEED. The shape comes back in g. */
void gen_program(struct gen *g, uint64_t seed, FILE *cl, FILE *c);

/* ---- prelude.c ---- */

void gen_cl_prelude(const struct gen *g);
void gen_c_prelude(FILE *c);

/* What the C form is given; the prelude has the same text. */
struct run {
  uint32_t *out;
  const uint32_t *in;
  uint32_t n, sub_group;
  const void *argument;
  uint32_t *counts, *bins;
  const uint32_t *image;
  uint32_t *painted;
};

enum { OUT_WORDS = 2, LONGEST_ROW = 40, IN_WORDS = 64, COUNTERS = 6, BINS = 64 };
enum { TICKETS = 4 }; /* words behind the counters: a number and what is made of those drawn, twice */
enum { MOST_ITEMS = 8192, ELEMENT_BYTES = 128 };
/* Of the launch; elements that all work-items have on both sides; words of the input behind the first. */
enum { MOST_OFFSET = 64, MOST_BESIDE = 16, FIELD_WORDS = 1 << 17 };

#endif
