/* Owns the count of threads on each processor and the binding of those that sleep. */
#include "drivers/cpu/seats.h"

#include <stdbool.h>

static int current_seat(void) {
  int cpu = sched_getcpu();
  return cpu < CPU_SETSIZE ? cpu : -1;
}

enum { NO_SEAT = 31 }; /* its bit */

static int bit_of(int seat) { return seat < 0 ? NO_SEAT : seat % NO_SEAT; }

/* Whether the seat was free. */
static bool sit_down(struct kiln_seats *seats, int seat) {
  atomic_fetch_add(&seats->by_bit[bit_of(seat)], 1);
  return atomic_fetch_add_explicit(&seats->taken[seat], 1, memory_order_relaxed) == 0;
}

int kiln_seat_take(struct kiln_seats *seats) {
  int here = current_seat();
  if (here >= 0) sit_down(seats, here);
  return here;
}

void kiln_seat_leave(struct kiln_seats *seats, int seat) {
  if (seat < 0) return;
  atomic_fetch_sub_explicit(&seats->taken[seat], 1, memory_order_relaxed);
  atomic_fetch_sub(&seats->by_bit[bit_of(seat)], 1);
}

int kiln_seat_follow(struct kiln_seats *seats, int seat) {
  if (current_seat() == seat) return seat;
  kiln_seat_leave(seats, seat);
  return kiln_seat_take(seats);
}

unsigned kiln_seat_beside(struct kiln_seats *seats) {
  int here = current_seat();
  return here < 0 ? 0 : atomic_load_explicit(&seats->taken[here], memory_order_relaxed);
}

int kiln_seat_settle(struct kiln_seats *seats, cpu_set_t *mask_out) {
  int here = current_seat();
  if (here < 0 || sched_getaffinity(0, sizeof *mask_out, mask_out) != 0) return -1;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(here, &only);
  if (sit_down(seats, here) && sched_setaffinity(0, sizeof only, &only) == 0) return here;
  kiln_seat_leave(seats, here);
  return -1;
}

void kiln_seat_rise(struct kiln_seats *seats, int seat, const cpu_set_t *mask) {
  if (seat < 0) return;
  sched_setaffinity(0, sizeof *mask, mask);
  kiln_seat_leave(seats, seat);
}

unsigned kiln_seat_bit(int seat) { return 1u << bit_of(seat); }

unsigned kiln_seat_bits_elsewhere(void) {
  int here = current_seat();
  return ~kiln_seat_bit(-1) & (here < 0 ? ~0u : ~kiln_seat_bit(here));
}

unsigned kiln_seat_bits_free(struct kiln_seats *seats) {
  unsigned bits = kiln_seat_bit(-1);
  for (unsigned i = 0; i < NO_SEAT; i++)
    if (atomic_load(&seats->by_bit[i]) == 0) bits |= 1u << i;
  return bits;
}
