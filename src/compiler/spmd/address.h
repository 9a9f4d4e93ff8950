/* Addresses taken apart into a root, multiples of values and a constant. */
#ifndef KILN_COMPILER_SPMD_ADDRESS_H
#define KILN_COMPILER_SPMD_ADDRESS_H

#include "compiler/spmd/ir.h"
#include "compiler/spmd/map.h"

enum { KL_MOST_TERMS = 4 };

/* How an index is widened to an address. */
enum kl_widening { KL_AS_IT_IS, KL_SIGNED, KL_UNSIGNED };

struct kl_address {
  uint32_t root; /* a pointer */
  struct {
    uint32_t value;
    enum kl_widening widening;
    int64_t scale;
  } term[KL_MOST_TERMS];
  uint32_t n;
  int64_t offset; /* bytes */
  bool ok;        /* it could be taken apart */
};

struct kl_address kiln_address_find(struct kl_map *map, const struct kl_func *f, uint32_t pointer);
/* Both have the same root and terms: their distance is that of their offsets. */
bool kiln_addresses_differ_by_constant(const struct kl_address *p, const struct kl_address *q);

#endif
