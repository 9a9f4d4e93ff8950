/* Seats: one sleeper to a processor, bound while it sleeps; who spins beside whom; bits for futexes. */
#include "test.h"

#include "drivers/cpu/seats.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static struct kiln_seats seats;

static cpu_set_t mask_of_caller(void) {
  cpu_set_t mask;
  assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
  return mask;
}

static void bind_to(int cpu) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(cpu, &only);
  assert_int_equal(sched_setaffinity(0, sizeof only, &only), 0);
}

struct other {
  int cpu, seat;
  bool is_free; /* its mask is what it was */
};

/* Settles where `cpu` says; rises again if it could. */
static void *settle_there(void *data) {
  struct other *other = data;
  bind_to(other->cpu);
  cpu_set_t before = mask_of_caller(), mask;
  other->seat = kiln_seat_settle(&seats, &mask);
  kiln_seat_rise(&seats, other->seat, &mask);
  cpu_set_t after = mask_of_caller();
  other->is_free = CPU_EQUAL(&before, &after);
  return NULL;
}

static struct other settle_in_thread(int cpu) {
  struct other other = {.cpu = cpu};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, settle_there, &other), 0);
  pthread_join(thread, NULL);
  return other;
}

static void sleepers_are_bound_one_to_a_processor(void **state) {
  memset(&seats, 0, sizeof seats);
  cpu_set_t before = mask_of_caller(), mask;
  int seat = kiln_seat_settle(&seats, &mask);
  assert_true(seat >= 0);
  cpu_set_t bound = mask_of_caller();
  assert_int_equal(CPU_COUNT(&bound), 1);
  assert_true(CPU_ISSET(seat, &bound));
  struct other beside = settle_in_thread(seat);
  assert_int_equal(beside.seat, -1);
  assert_true(beside.is_free);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (cpu != seat && CPU_ISSET(cpu, &before)) assert_int_equal(settle_in_thread(cpu).seat, cpu);
  kiln_seat_rise(&seats, seat, &mask);
  cpu_set_t after = mask_of_caller();
  assert_true(CPU_EQUAL(&before, &after));
  assert_int_equal(settle_in_thread(seat).seat, seat);
}

static void who_moves_is_counted_anew(void **state) {
  memset(&seats, 0, sizeof seats);
  cpu_set_t before = mask_of_caller();
  int last = -1, seat = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &before)) continue;
    bind_to(cpu);
    assert_int_equal(kiln_seat_beside(&seats), 0);
    seat = last < 0 ? kiln_seat_take(&seats) : kiln_seat_follow(&seats, seat);
    assert_int_equal(seat, cpu);
    assert_int_equal(kiln_seat_follow(&seats, seat), cpu);
    assert_int_equal(kiln_seat_beside(&seats), 1);
    last = cpu;
  }
  kiln_seat_leave(&seats, seat);
  assert_int_equal(kiln_seat_beside(&seats), 0);
  kiln_seat_leave(&seats, -1);
  sched_setaffinity(0, sizeof before, &before);
}

static void bits_leave_out_the_caller(void **state) {
  cpu_set_t before = mask_of_caller();
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &before)) continue;
    bind_to(cpu);
    unsigned elsewhere = kiln_seat_bits_elsewhere();
    assert_int_equal(elsewhere & kiln_seat_bit(cpu), 0);
    assert_int_equal(elsewhere & kiln_seat_bit(-1), 0);
    assert_int_not_equal(elsewhere & kiln_seat_bit(cpu + 1), 0);
    assert_int_not_equal(kiln_seat_bit(cpu), kiln_seat_bit(-1));
  }
  sched_setaffinity(0, sizeof before, &before);
}

static void bits_leave_out_taken_seats(void **state) {
  memset(&seats, 0, sizeof seats);
  assert_int_equal(kiln_seat_bits_free(&seats), ~0u);
  int first = kiln_seat_take(&seats), second = kiln_seat_take(&seats);
  assert_int_equal(kiln_seat_bits_free(&seats), ~(kiln_seat_bit(first) | kiln_seat_bit(second)));
  kiln_seat_leave(&seats, second);
  assert_int_equal(kiln_seat_bits_free(&seats), ~kiln_seat_bit(first));
  kiln_seat_leave(&seats, first);
  assert_int_equal(kiln_seat_bits_free(&seats), ~0u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sleepers_are_bound_one_to_a_processor), cmocka_unit_test(who_moves_is_counted_anew),
      cmocka_unit_test(bits_leave_out_the_caller), cmocka_unit_test(bits_leave_out_taken_seats)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
