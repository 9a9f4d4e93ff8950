/* On which processors workers of a team spin and sleep.
 *
 * Who wakes a worker must not find it queued behind itself while another processor idles, and the system does
 * just that: in virtual machines a processor that halts counts as taken by the host, and where most were busy
 * just now idle ones are not looked for. The worker then waits for milliseconds behind the thread that helps
 * with the launch it was woken for. So each sleeps bound to a processor of its own, those elsewhere are woken
 * first, and awake they are free to go where the system likes. */
#ifndef KILN_DRIVERS_CPU_SEATS_H
#define KILN_DRIVERS_CPU_SEATS_H

#include <sched.h>
#include <stdatomic.h>

/* Zeroed: all free. */
struct kiln_seats {
  atomic_ushort taken[CPU_SETSIZE]; /* threads, by processor */
  atomic_ushort by_bit[32];         /* and by kiln_seat_bit */
};

/* Counts the calling thread in where it runs. Returns its seat for the other functions; -1, which they
 * accept, if the processor is not known. */
int kiln_seat_take(struct kiln_seats *seats);
void kiln_seat_leave(struct kiln_seats *seats, int seat);
/* Counts the calling thread in where it runs by now; returns its seat. */
int kiln_seat_follow(struct kiln_seats *seats, int seat);
/* How many threads sit where the caller runs. */
unsigned kiln_seat_beside(struct kiln_seats *seats);

/* Takes a seat and binds the calling thread to it: where it runs if that is free, else a free processor of
 * its affinity mask if there is one. mask_out: the mask, for kiln_seat_rise. */
int kiln_seat_settle(struct kiln_seats *seats, cpu_set_t *mask_out);
/* Leaves the seat and gives the calling thread its mask back. */
void kiln_seat_rise(struct kiln_seats *seats, int seat, const cpu_set_t *mask);

/* Bits for futexes: that of a seat's processor (beyond 31 processors they share bits), one of its own if it
 * is -1; those of all processors but the caller's; and those that no thread sits on, with that of -1. */
unsigned kiln_seat_bit(int seat);
unsigned kiln_seat_bits_elsewhere(void);
unsigned kiln_seat_bits_free(struct kiln_seats *seats);

#endif
