/* What a vector of work-items loads or stores at a time: one instruction, or several that each lane does side
 * by side. */
#ifndef KILN_COMPILER_SPMD_LANE_ACCESS_H
#define KILN_COMPILER_SPMD_LANE_ACCESS_H

#include "compiler/spmd/lanes.h"

enum {
  KL_MOST_COMPONENTS = 16,
  KL_MOST_PITCH = 16,
  KL_MOST_SHARED = 4, /* terms of an index that lanes have alike */
  KL_AS_SHORT = 4     /* elements: code for each of them is as short as a loop over lanes */
};

struct kl_access {
  LLVMTypeRef type[KL_MOST_COMPONENTS]; /* of a component; all of one size */
  int64_t offset[KL_MOST_COMPONENTS];   /* bytes from the lane's address */
  uint32_t inst[KL_MOST_COMPONENTS];    /* the load or store it belongs to */
  uint32_t n;
  uint64_t size;  /* bytes of a component */
  unsigned align; /* of each lane's address */
  struct kl_shape shape;
  uint32_t pointer;  /* value: the lanes' addresses */
  LLVMValueRef base; /* address of lane 0; NULL when the addresses are anywhere */
  bool streams;      /* stores of whole lines of memory pass by the caches */
  bool by_lane;      /* of a private object whose elements lie lane by lane: a row for each component */
};

/* What load or store i moves, as the target has it. */
LLVMTypeRef kiln_access_type(struct kl_map *map, const struct kl_func *f, uint32_t i);
/* Known alignment of component k. */
unsigned kiln_access_align(const struct kl_access *a, uint32_t k);
/* The address of component k, where that of the first one is `at`. */
LLVMValueRef kiln_access_component(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef at,
                                   uint32_t k);

/* ---- rows and interleaved components (lane_rows.c) ---- */

/* Offsets of the first and of the last component of a lane. */
struct kl_extent {
  int64_t low, high;
};
struct kl_extent kiln_access_extent(const struct kl_access *a);
/* Components from one lane to the next, negative when addresses go down, if all lanes' components lie in a
 * few rows of consecutive elements; 0: they do not. */
int64_t kiln_access_pitch(const struct kl_access *a);
/* Much of the rows is used: worth it with lanes off, too. */
bool kiln_access_is_dense(const struct kl_access *a);
/* Rows can be halved until components are left, most of which are used. */
bool kiln_access_halves(const struct kl_access *a);
/* Each lane's components by themselves, and a transposition, are less work than rows and shuffles. */
bool kiln_access_is_wide(const struct kl_access *a);
/* By whole rows. No byte is touched but those between components of lanes that are on, and only on pages with
 * such; stores touch the components only. Requires a pitch. */
void kiln_access_load_rows(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                           LLVMValueRef *out);
void kiln_access_store_rows(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                            LLVMValueRef *value);

/* Element i of the n that result is element from[i] of a and b (NULL: none) one behind the other; negative:
 * any. */
LLVMValueRef kiln_access_shuffle(struct kl_lanes *l, LLVMValueRef a, LLVMValueRef b, const int *from,
                                 unsigned n);

/* ---- odd numbers of narrow components (lane_pieces.c) ---- */

/* Whether n rows of consecutive elements of so many bytes are best taken apart and put together so. */
bool kiln_pieces_fit(const struct kl_lanes *l, uint64_t size, uint32_t n);
/* n rows to the n components that they hold in turn, and back. */
void kiln_pieces_split(struct kl_lanes *l, const LLVMValueRef *row, uint64_t size, uint32_t n,
                       LLVMValueRef *component);
void kiln_pieces_merge(struct kl_lanes *l, const LLVMValueRef *component, uint64_t size, uint32_t n,
                       LLVMValueRef *row);

/* ---- powers of 2 of words (lane_parts.c) ---- */

/* Whether n rows, a power of 2, of elements of so many bytes are best taken apart and put together so. */
bool kiln_parts_fit(const struct kl_lanes *l, uint64_t size, uint32_t n);
/* n rows to the n components that they hold in turn, and back. The last row may begin `shift` elements
 * earlier; what its last elements would be is undefined. */
void kiln_parts_split(struct kl_lanes *l, const LLVMValueRef *row, uint64_t size, uint32_t n, uint32_t shift,
                      LLVMValueRef *component);
void kiln_parts_merge(struct kl_lanes *l, const LLVMValueRef *component, uint64_t size, uint32_t n,
                      LLVMValueRef *row);
/* The n components of lanes that are loaded one by one, if they are a part each; false: they are not. */
bool kiln_parts_from_lanes(struct kl_lanes *l, const LLVMValueRef *lane, uint32_t n, LLVMValueRef *component);
/* n components of each lane, whatever they are, and back. */
void kiln_lanes_to_components(struct kl_lanes *l, LLVMValueRef *lane, uint32_t n, LLVMValueRef *component);
void kiln_components_to_lanes(struct kl_lanes *l, LLVMValueRef *component, uint32_t n, LLVMValueRef *lane);

/* ---- without shuffles (lane_packed.c) ---- */

/* n rows hold n components in turn: component k of a lane follows k - 1 of it. */
void kiln_packed_remember(struct kl_lanes *l, const LLVMValueRef *row, const LLVMValueRef *component,
                          uint32_t n);
/* The same of rows that were made here, of the components or of so many other sets of rows: remembered where
 * whatever follows the components follows the rows, too. */
void kiln_packed_made(struct kl_lanes *l, const LLVMValueRef *row, const LLVMValueRef *component, uint32_t n,
                      uint32_t sources);
/* Components whose rows were made from several others' are taken out of these rows for what follows, which is
 * shorter than to make them, too; false: they were not. */
bool kiln_packed_take(struct kl_lanes *l, struct kl_pack *pack);
/* The rows that were remembered of just these n components; false: there are none. */
bool kiln_packed_find(struct kl_lanes *l, const LLVMValueRef *component, uint32_t n, LLVMValueRef *row);
/* The rows of n components, if these are made alike from rows that were remembered. */
bool kiln_packed_rows(struct kl_lanes *l, const LLVMValueRef *component, uint32_t n, LLVMValueRef *row);

/* After ways that came from these two blocks have met: components that are phis of those of which rows were
 * remembered, and of others, are remembered as well. */
void kiln_packed_join(struct kl_lanes *l, const LLVMValueRef *fast, const LLVMValueRef *slow,
                      const LLVMValueRef *component, uint32_t n, const LLVMBasicBlockRef *from);

/* Whether a value is kept in rows (lane_in_rows.h). */
bool kiln_packed_wanted(const struct kl_lanes *l, uint32_t value);
/* After the code of such an instruction: its rows beside its components. */
void kiln_packed_make(struct kl_lanes *l, uint32_t inst);
/* Cells of such a phi: its components, and new ones for the lanes of mask. */
struct kl_pack kiln_packed_load(struct kl_lanes *l, const struct kl_cells *cells);
void kiln_packed_store(struct kl_lanes *l, const struct kl_cells *cells, struct kl_pack pack,
                       LLVMValueRef mask);

/* n rows of consecutive elements to the components that they hold in turn, and back; n is a power of 2. */
void kiln_rows_split(struct kl_lanes *l, LLVMValueRef *row, uint32_t n, LLVMValueRef *out);
void kiln_rows_merge(struct kl_lanes *l, LLVMValueRef *component, uint32_t n, LLVMValueRef *row);

/* ---- narrow components side by side, as words (lane_words.c) ---- */

/* Fills in the same access to words; false: it is none to whole words. */
bool kiln_access_as_words(struct kl_lanes *l, const struct kl_access *a, struct kl_access *words);
void kiln_words_split(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *word, LLVMValueRef *out);
void kiln_words_join(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *value, LLVMValueRef *word);
/* The same for words in pairs of 64 bits. */
bool kiln_access_as_pairs(struct kl_lanes *l, const struct kl_access *a, struct kl_access *pairs);
void kiln_pairs_split(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *pair, LLVMValueRef *out);
void kiln_pairs_join(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *value, LLVMValueRef *pair);
/* As kiln_packed_remember and kiln_packed_rows, of components that were or will be words. */
void kiln_words_remember(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *word,
                         const LLVMValueRef *component);
bool kiln_words_pack(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *component,
                     LLVMValueRef *word);

/* ---- any addresses (lane_gather.c) ---- */

/* The processor gathers, in one instruction that is no slower than a load for each lane. */
bool kiln_access_can_gather(const struct kl_lanes *l, const struct kl_access *a);
/* The processor scatters. */
bool kiln_access_can_scatter(const struct kl_lanes *l, const struct kl_access *a);
/* Components of that type at the lanes' addresses. */
LLVMValueRef kiln_lanes_gather(struct kl_lanes *l, LLVMTypeRef part, LLVMValueRef from, unsigned align,
                               LLVMValueRef mask);
/* In code that seldom runs, a loop over the lanes is shorter than instructions that gather. */
bool kiln_access_is_long(const struct kl_lanes *l, const struct kl_access *a);
/* Of component k of all lanes. */
LLVMValueRef kiln_access_addresses(struct kl_lanes *l, const struct kl_access *a, uint32_t k);
/* It goes lane by lane in a loop. rare: as below. */
bool kiln_access_goes_in_loop(struct kl_lanes *l, const struct kl_access *a, bool rare);
/* rare: in code that seldom runs, which is kept small. */
void kiln_access_gather(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool rare,
                        LLVMValueRef *out);
void kiln_access_scatter(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool rare,
                         LLVMValueRef *value);
/* A narrow index into what all lanes share, as the lanes have it: cheaper to take out of its vector than an
 * address. What lanes add to it alike goes to the base: loads of neighbours, and of the same columns of
 * several rows, take the same numbers out of one vector (a picture enlarged: 0.6 of the time). */
struct kl_index {
  uint32_t base_of, value;
  LLVMTypeRef element; /* of the program: what the index counts */
  struct {
    LLVMTypeRef element;
    uint32_t value;
  } beyond[KL_MOST_SHARED]; /* what all lanes go on by from there */
  uint32_t nbeyond;
  uint32_t shared[KL_MOST_SHARED], nshared;
  bool is_signed;
  LLVMValueRef base, lanes;
};
/* False: the access has no such index (lane_element.c). The latter emits the base and the lanes. */
bool kiln_access_has_index(struct kl_lanes *l, const struct kl_access *a, struct kl_index *x);
bool kiln_access_find_index(struct kl_lanes *l, const struct kl_access *a, struct kl_index *x);
/* The address of element n from a base on. */
LLVMValueRef kiln_index_element(struct kl_lanes *l, const struct kl_index *x, LLVMValueRef base,
                                LLVMValueRef n);
/* That of a lane; base and lanes are there. */
LLVMValueRef kiln_index_address(struct kl_lanes *l, const struct kl_index *x, unsigned lane);
/* Bytes and half words of a lane that one word, or one of twice the length, holds (lane_narrow.c). */
bool kiln_narrow_share_word(const struct kl_lanes *l, const struct kl_access *a);
/* Bytes and half words out of words. False: the processor gathers no words, or the components of a lane lie
 * too far apart. */
bool kiln_narrow_gather(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *out);
/* Words (i32) of which the lowest bits are the byte, or half word at an even address, that lies at each
 * lane's address; what lies above these bits is anything. */
LLVMValueRef kiln_narrow_at(struct kl_lanes *l, LLVMValueRef from, LLVMValueRef mask);
/* One component, several side by side or a record, of which `at` has each lane's address. rows: of several
 * side by side, instead of components. */
void kiln_access_load_at(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *at, bool rows,
                         LLVMValueRef *out);
/* With an address of its own for each lane the access goes lane after lane (lane_element.c), and strided,
 * too: nothing is taken out of a vector then. */
bool kiln_access_goes_apart(struct kl_lanes *l, const struct kl_access *a, const struct kl_access *strided,
                            LLVMValueRef mask);
/* Lane after lane (lane_element.c); false: this access is no case for it. */
bool kiln_access_load_lanes(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                            LLVMValueRef *out);
bool kiln_access_store_lanes(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                             LLVMValueRef *value);
/* n rows of consecutive elements to what each lane has of them. */
void kiln_rows_to_lanes(struct kl_lanes *l, LLVMValueRef *row, uint32_t n, LLVMValueRef *lane);

/* ---- several components near each other (lane_record.c) ---- */

/* Registers by which each lane's components are loaded; 0: this access is no case for it. */
uint32_t kiln_record_registers(const struct kl_access *a);
/* The same in work: a part of a register takes a mask. */
uint32_t kiln_record_cost(const struct kl_access *a);
/* at: the address of each lane, which may be read. Requires registers. */
void kiln_record_load(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *at,
                      LLVMValueRef *out);
/* Components fill the registers, so that they can be stored by them. */
bool kiln_record_is_full(const struct kl_access *a);
void kiln_record_store(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *at,
                       const LLVMValueRef *value);

/* One lane's element of a vector (lane_extract.c). */
struct kl_extract {
  struct kl_lanes *l;
  LLVMValueRef all, leaf,
      place;          /* the vector; what it is made of that is on the stack, or NULL; its alloca */
  LLVMValueRef known; /* this lane's element of the leaf, if it is at hand */
};
/* Elements of this type by a number that is not known are picked from memory; code generation would write the
 * whole vector there in each turn. */
bool kiln_extract_has_place(LLVMTypeRef type);
enum kl_extract_form {
  KL_EXTRACT_WHOLE,
  KL_EXTRACT_APART,  /* from what the vector is made of, where that can be */
  KL_EXTRACT_SHORT,  /* so, too, divisions included: the loop seldom runs */
  KL_EXTRACT_IN_TURN /* so, too; the loop may be unrolled, and changes memory */
};
/* Before a loop over lanes. */
void kiln_extract_start(struct kl_lanes *l, struct kl_extract *x, LLVMValueRef all,
                        enum kl_extract_form form);
/* In it; lane: i64. */
LLVMValueRef kiln_extract_lane(const struct kl_extract *x, LLVMValueRef lane);
/* The same of n lanes, a power of two, from one of which the number is a multiple of n. */
void kiln_extract_lanes(const struct kl_extract *x, LLVMValueRef lane, unsigned n, LLVMValueRef *out);
/* n elements of the vector that lies at `place` on the stack, from such a number on: of several that a word
 * of 64 bits holds the processor loads the word and shifts, which is faster than to load each. */
void kiln_lanes_elements(struct kl_lanes *l, LLVMTypeRef element, LLVMValueRef place, LLVMValueRef index,
                         unsigned n, LLVMValueRef *out);

/* n components of each lane, lane after lane, as n rows of them. */
void kiln_lanes_to_rows(struct kl_lanes *l, LLVMValueRef *lane, uint32_t n, LLVMValueRef *row);

/* Several components side by side, which are accessed together. */
bool kiln_access_is_compact(const struct kl_access *a);
/* The same in a loop over the lanes that are on (lane_loop.c): any access, little code; of n accesses, at
 * most KL_MOST_COLUMNS with KL_MOST_COMPONENTS in all, for each lane in order. rare: shorter rather than
 * faster, where that differs. */
void kiln_access_load_loop(struct kl_lanes *l, const struct kl_access *a, uint32_t n, LLVMValueRef mask,
                           bool rare, LLVMValueRef *out);
void kiln_access_store_loop(struct kl_lanes *l, const struct kl_access *a, uint32_t n, LLVMValueRef mask,
                            bool rare, LLVMValueRef *value);

/* ---- neighbours (lane_group.c) ---- */

/* Loads or stores of one block whose addresses differ by constants, with nothing between them that touches
 * memory in a way that could tell in which order they are done. */
struct kl_neighbours {
  uint32_t inst[KL_MOST_COMPONENTS], n; /* in order; n = 0: none */
  int64_t offset[KL_MOST_COMPONENTS];   /* bytes, from the address of inst[0] */
};
/* Loads from `inst` on. */
void kiln_neighbours_of_load(struct kl_lanes *l, uint32_t inst, struct kl_neighbours *n);
/* Stores up to `inst`; n is 0 when later ones come. */
void kiln_neighbours_of_store(struct kl_lanes *l, uint32_t inst, struct kl_neighbours *n);

/* The loads or stores with which `inst` is done by the last of them, each a row as long as a check holds, as
 * of the planes of a picture: in order, `inst` alone if there are no others. What is loaded is not used
 * before the last. Asked for in order; holds up to the next question. */
const struct kl_columns *kiln_columns_of(struct kl_lanes *l, uint32_t inst);

#endif
