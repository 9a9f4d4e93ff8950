/* Random kernels: the same program as OpenCL C and as plain C. Owns the two texts, the random numbers and
 * what is in scope; knows no OpenCL objects.
 *
 * Every program has one meaning: unsigned or bitwise arithmetic where signed would overflow, divisors that
 * are not zero, indices within bounds, floating point without contraction, NaNs told apart from nothing.
 * Work-items share memory in three modes that change at barriers only: each its own element, all elements
 * read-only, or one commutative atomic operation per array.
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

enum base { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE };

struct type {
  enum base base;
  int n; /* components: 1, 2, 3, 4, 8, 16 */
};

/* What an expression may read or a statement write; fields of structures are variables of their own. */
struct var {
  char name[32];
  struct type type;
  int count; /* elements of an array, a power of two; 0: no array */
  bool item; /* lives in the kernel: C keeps one per work-item */
  bool fixed;
};

struct aggregate { /* a variable of structure type */
  char name[32];
  int which;
  bool item;
};

/* What pixels are: four components, which the C form sees as words. */
enum image { NO_IMAGE, IMAGE_UINT32, IMAGE_UINT8, IMAGE_INT16, IMAGE_FLOAT };
enum { IMAGE_WIDTH = 16, IMAGE_HEIGHT = 8, IMAGE_WORDS = 4 * IMAGE_WIDTH * IMAGE_HEIGHT };

enum mode { OWN, SHARED, ATOMIC };

struct shared { /* a __local array with an element per work-item */
  struct type type;
  enum mode mode;
  int operation; /* ATOMIC: of all work-items until the next barrier */
};

enum { MAX_VARS = 96, MAX_FUNCTIONS = 6, MAX_FIELDS = 5, NUM_STRUCTS = 2, NUM_SHARED = 3, MAX_PARAMS = 4 };

struct function {
  struct type result;
  int num_params;
  struct {
    struct type type;
    int count, which; /* count != 0: pointer to an array; which >= 0: structure by value */
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
  size_t local[2], groups[2];
  int names, budget, loops;
  unsigned required; /* sub-group size, 0: any */
  unsigned cluster;  /* the largest asked for: sub-groups must be no smaller */
  int loop;          /* of the flow that work-items take differently; -1: none */
  bool masked;       /* some work-items of a sub-group only */
  bool in_switch;    /* which a break would leave, and not the loop */
  enum image image;
  const char *options;
  bool generic;     /* pointers to any memory: OpenCL C 2.0 */
  bool kernel;      /* the text goes into the kernel: shared arrays are in scope */
  bool alone;       /* work-items share nothing and cannot tell their groups apart */
  bool collectives; /* work-group functions are used: OpenCL C 3.0 */
  bool sub_groups;  /* those of sub-groups are: the same */
};

/* ---- gen.c ---- */

uint32_t gen_random(struct gen *g, uint32_t below);
bool gen_chance(struct gen *g, uint32_t percent);
void both(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void only_cl(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void only_c(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct type gen_type(struct gen *g);
const char *type_name(struct type t);
bool is_float(enum base b);
bool is_signed(enum base b);
int base_bits(enum base b);
void put_name(struct gen *g, const struct var *v); /* of a variable, in both texts */
struct var *gen_declare(struct gen *g, struct type type, int count, bool item);
/* A variable with this type (any when NULL) that may be written; arrays when count says so. NULL: none. */
struct var *gen_pick(struct gen *g, const struct type *type, bool array, bool writable);

/* ---- expr.c ---- */

void gen_expr(struct gen *g, struct type t, int depth);
void gen_index(struct gen *g, int count);     /* [expression], within a power of two */
void gen_condition(struct gen *g, int depth); /* an int, 0 or 1 */

/* ---- stmt.c ---- */

void gen_block(struct gen *g, int statements, int depth, bool in_loop); /* statements in the scope at hand */
void gen_braces(struct gen *g, int depth, bool in_loop);                /* in one of their own */
void gen_assign(struct gen *g, const struct var *v);
void gen_new_variable(struct gen *g, bool item);
void gen_functions(struct gen *g);

/* ---- sub_group.c ---- */

bool gen_sub_group_id(struct gen *g); /* a uint; false: none here */
void gen_sub_group(struct gen *g);    /* a statement with a sub-group function */
void gen_parted(struct gen *g,
                int depth); /* control flow that work-items take differently, with such in it */
void gen_sub_group_prelude(FILE *c);

/* ---- memory.c ---- */

bool gen_generic(struct gen *g); /* a statement that goes through a pointer to some memory or other */
bool gen_pixel(struct gen *g, struct type t);
bool gen_write_pixel(struct gen *g);
void gen_memory_functions(struct gen *g); /* what statements of OpenCL C call */
void gen_memory_prelude(FILE *c);

/* ---- kernel.c ---- */

/* Writes the program of a seed: OpenCL C to cl, and to c a function
 *   void run_SEED(uint *out, const uint *in, uint n, const void *argument, uint *counts, const uint *image,
 *                 uint *painted, uint sub_group_size)
 * and its data: size_t argument_size_SEED. The shape comes back in g->local and g->groups. */
void gen_program(struct gen *g, uint64_t seed, FILE *cl, FILE *c);
void gen_c_prelude(FILE *c);

enum { OUT_WORDS = 2, IN_WORDS = 64, COUNTERS = 6 };

#endif
