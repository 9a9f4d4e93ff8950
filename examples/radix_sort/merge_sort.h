/* The host reference: a stable sort that has nothing in common with the one on the device. */
#ifndef EXAMPLES_RADIX_SORT_MERGE_SORT_H
#define EXAMPLES_RADIX_SORT_MERGE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct pair {
  uint32_t key, value;
};

/* Sorts by key; pairs with equal keys keep their order. */
void merge_sort(struct pair *pairs, size_t count);

#endif
