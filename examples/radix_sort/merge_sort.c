/* Merge sort, from the bottom up. */
#include "merge_sort.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Merges from[start..middle) and from[middle..end) into `to`; on a tie the left one goes first. */
static void merge(const struct pair *from, struct pair *to, size_t start, size_t middle, size_t end) {
  size_t left = start, right = middle;
  for (size_t i = start; i < end; i++) {
    const int take_left = left < middle && (right == end || from[left].key <= from[right].key);
    to[i] = from[take_left ? left++ : right++];
  }
}

void merge_sort(struct pair *pairs, size_t count) {
  struct pair *spare = ex_alloc(count, sizeof *spare);
  struct pair *from = pairs, *to = spare;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t start = 0; start < count; start += 2 * run)
      merge(from, to, start, least(start + run, count), least(start + 2 * run, count));
    struct pair *swap = from;
    from = to;
    to = swap;
  }
  if (from != pairs) memcpy(pairs, from, count * sizeof *pairs);
  free(spare);
}
