/* A team: the threads of one CPU device or of one part of it, and the work they share.
 *
 * Ready work lies in a list, oldest first, as long as more threads may join it (wanted > 0). A thread joins
 * under the team's lock, then takes chunks of units until none is left; the last to leave calls
 * done(). The first to join calls started() before others are let in. At most `num_workers` threads run
 * chunks at a time, waiting hosts that help included, so that a helper never makes the processors
 * oversubscribed; native kernels need no such token: they occupy a worker of their own. */
#ifndef KILN_DRIVERS_CPU_TEAM_H
#define KILN_DRIVERS_CPU_TEAM_H

#include "base/abi.h"
#include "base/lock.h"
#include "drivers/cpu/topology.h"
#include "drivers/driver.h"

struct kiln_share_pool;
struct kiln_team;

/* What a thread needs to run groups: its local-memory block and its context arena. */
struct kiln_lane {
  struct kiln_worker worker;
  struct kiln_team *team;
  struct kiln_print_pool *prints; /* the team's */
  struct kiln_share_pool *shares; /* the team's */
  size_t local_bytes;
  uint64_t fill_stream_bytes, copy_stream_bytes; /* fills and copies of more do not go through the caches */
  struct kiln_lane *next;                        /* in the team's list of lanes for helpers */
  uint8_t *memory; /* one reservation: guard, local block, guard, arena, guard */
  size_t memory_size;
  size_t local_touched;   /* bytes that have pages, those before the local block first */
  uint64_t arena_touched; /* upper bound of arena bytes written since it was last given back */
};

struct kiln_thread { /* a worker */
  pthread_t id;
  struct kiln_team *team;
  struct kiln_lane lane;
  uint32_t index;
  int seat;        /* while it looks for work: where it was counted */
  bool frees_team; /* it destroyed its own team: frees it when it ends */
};

struct kiln_team_options {
  char name[12];      /* of the threads, before their index */
  uint32_t workers;   /* threads wanted */
  cpu_set_t cpus;     /* where they may run */
  uint32_t look_ns;   /* how long an idle worker looks for work before it sleeps */
  size_t local_bytes; /* per lane */
  uint64_t arena_bytes;
  uint64_t fill_stream_bytes, copy_stream_bytes; /* see struct kiln_lane */
};

/* Starts the threads; fewer than wanted when the system allows no more. CL_OUT_OF_RESOURCES if none,
 * CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_team_create(const struct kiln_team_options *options, struct kiln_team **team_out);
/* Stops and frees; no work is left. A team that its own worker destroys ends when that worker does. NULL is
 * accepted. */
void kiln_team_destroy(struct kiln_team *team);
/* In a child after fork: frees the memory of a team whose threads do not exist here. */
void kiln_team_forget(struct kiln_team *team);

void kiln_team_submit(struct kiln_team *team, struct kiln_work *work);
/* driver.h help. */
bool kiln_team_help(struct kiln_team *team, struct kiln_work *work);

/* ---- between team.c and run.c ---- */

/* Cuts work into units and chunks for up to `threads` threads. Returns how many threads are useful. */
uint32_t kiln_run_plan(struct kiln_work *work, uint32_t threads);
/* Cuts work that was planned and not begun into a share for each thread. */
void kiln_run_cut(struct kiln_share_pool *pool, struct kiln_work *work);
/* Runs chunks until none is left or one faults; `more` is called once it shows that other threads are worth
 * waking (NULL: others were let in already). Sets work->fault. */
typedef void kiln_more_fn(struct kiln_lane *lane, struct kiln_work *work);
void kiln_run_units(struct kiln_lane *lane, struct kiln_work *work, kiln_more_fn *more);
/* True if work is predicted to end before another thread could help. */
bool kiln_run_is_short(const struct kiln_work *work);

/* ---- lanes (lane.c) ---- */

cl_int kiln_lane_init(struct kiln_lane *lane, struct kiln_team *team, const struct kiln_team_options *options,
                      struct kiln_print_pool *prints, struct kiln_share_pool *shares);
void kiln_lane_finish(struct kiln_lane *lane);
/* Sees to pages for groups that use so many bytes of local memory, and some more; 0: none. */
void kiln_lane_touch_local(struct kiln_lane *lane, size_t bytes);
/* Gives the arena's pages back when much of it was used. */
void kiln_lane_trim(struct kiln_lane *lane);

#endif
