/* Owns a team's threads, its list of ready work, and who joins, sleeps and wakes. What a chunk does is
 * run.c's.
 *
 * Sleeping: a worker looks for work from the moment it leaves the last one, before who waits for that can
 * know, or is awake. If it finds nothing it spins, then counts itself parked, looks at demand once more and
 * waits for epoch to change. Who adds demand looks at looking and parked after it: either it sees the worker,
 * or the worker sees the demand (both sides are sequentially consistent). A worker that is being woken counts
 * as coming until it looks itself, and no other is woken in its stead: waking takes ten microseconds and
 * more, and a second worker may well land on the processor of the very thread that has work for one. */
#include "drivers/cpu/team.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/os.h"
#include "drivers/cpu/print.h"
#include "drivers/cpu/seats.h"
#include "drivers/cpu/shares.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kiln_team {
  struct kiln_team_options options;
  uint32_t num_workers;
  struct kiln_thread *threads;
  struct kiln_print_pool prints;
  struct kiln_share_pool shares;
  struct kiln_seats watching, resting; /* workers that look for work, that sleep */
  struct kiln_seats helping;           /* hosts that help or are about to */

  struct kiln_lock lock; /* rank DRIVER: list, helper lanes, wanted and joining of listed work */
  struct kiln_work *first, *last;
  /* For helpers: as many as may run chunks at once. A lane gets its memory with its first use. */
  struct kiln_lane *lanes, *free_lanes;

  atomic_uint demand __attribute__((aligned(64))); /* sum of wanted over the list */
  atomic_uint active;                              /* threads that run chunks; at most num_workers */
  atomic_uint submitted;                           /* counts submits: idle workers watch it */
  atomic_uint epoch __attribute__((aligned(64)));  /* what parked workers sleep on */
  atomic_uint sleep; /* workers parked, and how many of these are coming times COMING */
  atomic_uint looking;
  atomic_bool stop;
};

static _Thread_local struct kiln_thread *self; /* the calling thread, if it is a worker */

/* ---- waking ---- */

/* bits: the set that the sleeper belongs to; wakers name sets. */
static void futex_wait(atomic_uint *word, uint32_t value, uint32_t bits) {
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, NULL, NULL, bits);
}

/* Returns how many were woken. */
static long futex_wake(atomic_uint *word, int count, uint32_t bits) {
  return syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, count, NULL, NULL, bits);
}

/* Of the word `sleep`: both counts change at once, so that coming <= parked always and who is counted as
 * coming has not looked at demand yet. */
enum { COMING = 1 << 16 };

static uint32_t parked_of(uint32_t sleep) { return sleep % COMING; }
static uint32_t coming_of(uint32_t sleep) { return sleep / COMING; }

/* Counts one more parked worker as coming; false if all of them are, or enough for the demand. */
static bool call_one(struct kiln_team *team) {
  uint32_t demand = atomic_load(&team->demand), sleep = atomic_load(&team->sleep);
  do {
    uint32_t coming = coming_of(sleep);
    if (coming >= demand || coming == parked_of(sleep)) return false;
  } while (!atomic_compare_exchange_weak(&team->sleep, &sleep, sleep + COMING));
  return true;
}

/* The calling worker is awake: called or not, it stands for one that was. */
static void unpark(struct kiln_team *team) {
  uint32_t sleep = atomic_load(&team->sleep), awake;
  do awake = sleep - 1 - (coming_of(sleep) != 0 ? COMING : 0);
  while (!atomic_compare_exchange_weak(&team->sleep, &sleep, awake));
}

static void begin_looking(struct kiln_thread *thread) {
  thread->seat = kiln_seat_take(&thread->team->watching);
  atomic_fetch_add(&thread->team->looking, 1);
}

static void end_looking(struct kiln_thread *thread) {
  atomic_fetch_sub(&thread->team->looking, 1);
  kiln_seat_leave(&thread->team->watching, thread->seat);
}

/* Whether some worker that looks for work is running: those where the caller runs are not. */
static bool sees_demand(struct kiln_team *team) {
  uint32_t looking = atomic_load(&team->looking);
  return looking != 0 && looking > kiln_seat_beside(&team->watching);
}

/* Nobody was there to be woken. */
static void call_off(struct kiln_team *team) {
  uint32_t sleep = atomic_load(&team->sleep);
  do
    if (coming_of(sleep) == 0) return;
  while (!atomic_compare_exchange_weak(&team->sleep, &sleep, sleep - COMING));
}

/* Wakes one worker if demand asks for one and no worker is about to see it anyhow; none that would interrupt
 * a host that helps: it calls again when it is through. */
static void wake_one(struct kiln_team *team) {
  if (atomic_load(&team->demand) == 0 || sees_demand(team) || !call_one(team)) return;
  uint32_t free = kiln_seat_bits_free(&team->helping);
  atomic_fetch_add(&team->epoch, 1);
  if (futex_wake(&team->epoch, 1, free & kiln_seat_bits_elsewhere()) <= 0 &&
      futex_wake(&team->epoch, 1, free) <= 0)
    call_off(team);
}

/* ---- the list; the team's lock is held ---- */

static void list_add(struct kiln_team *team, struct kiln_work *work, bool front) {
  struct kiln_work *before = front ? NULL : team->last, *after = front ? team->first : NULL;
  work->prev = before;
  work->next = after;
  *(before == NULL ? &team->first : &before->next) = work;
  *(after == NULL ? &team->last : &after->prev) = work;
}

static void list_remove(struct kiln_team *team, struct kiln_work *work) {
  *(work->prev == NULL ? &team->first : &work->prev->next) = work->next;
  *(work->next == NULL ? &team->last : &work->next->prev) = work->prev;
}

static void offer(struct kiln_team *team, struct kiln_work *work, uint32_t wanted, bool front) {
  list_add(team, work, front);
  atomic_store_explicit(&work->wanted, wanted, memory_order_relaxed);
  atomic_fetch_add(&team->demand, wanted);
}

/* Takes `count` places of work; with the last place it leaves the list. Released: who finds no place left
 * (close_work) finds all who took one among the holders. */
static void take_places(struct kiln_team *team, struct kiln_work *work, uint32_t count) {
  uint32_t wanted = atomic_load_explicit(&work->wanted, memory_order_relaxed);
  atomic_fetch_sub(&team->demand, count);
  atomic_store_explicit(&work->wanted, wanted - count, memory_order_release);
  if (wanted == count) list_remove(team, work);
}

/* ---- taking part in work ---- */

static bool needs_token(const struct kiln_work *work) { return work->type != KILN_WORK_NATIVE; }

/* Counts the calling thread in, if it may. Lock held; work is in the list. */
static bool join(struct kiln_team *team, struct kiln_work *work) {
  if (needs_token(work)) {
    if (atomic_load_explicit(&team->active, memory_order_relaxed) >= team->num_workers) return false;
    atomic_fetch_add(&team->active, 1);
  }
  atomic_fetch_add_explicit(&work->holders, 1, memory_order_relaxed); /* before the place is gone */
  take_places(team, work, 1);
  return true;
}

static bool is_helper(const struct kiln_lane *lane) { return self == NULL || &self->lane != lane; }

/* How long who may join in work is waited for: a helper for a place in what another thread has just begun, a
 * worker for a host that is about to help. */
enum { PATIENCE_NS = 2000 };

/* Whether all places of work are taken before long. */
static bool fills_up(const struct kiln_work *work) {
  uint64_t start = kiln_os_now_ns();
  while (atomic_load_explicit(&work->wanted, memory_order_relaxed) != 0) {
    if (kiln_os_now_ns() - start > PATIENCE_NS) return false;
    kiln_os_pause();
  }
  return true;
}

/* Lets other threads join work, which its first thread has started. A worker that was quick to take what a
 * host submits and then waits for would else wake one on the processor of that very host. */
static void open_work(struct kiln_lane *lane, struct kiln_work *work) {
  struct kiln_team *team = lane->team;
  uint64_t chunks = kiln_shares_chunks_left(work);
  uint32_t wanted = chunks < team->num_workers ? (uint32_t)chunks : team->num_workers;
  if (wanted <= 1) return;
  wanted--; /* the caller goes on */
  kiln_lock(&team->lock);
  offer(team, work, wanted, true);
  kiln_unlock(&team->lock);
  if (is_helper(lane) || !fills_up(work)) wake_one(team);
}

/* Nothing is left to take: nobody else need join. */
static void close_work(struct kiln_team *team, struct kiln_work *work) {
  if (atomic_load_explicit(&work->wanted, memory_order_acquire) == 0) return;
  kiln_lock(&team->lock);
  uint32_t wanted = atomic_load_explicit(&work->wanted, memory_order_relaxed);
  if (wanted != 0) take_places(team, work, wanted);
  kiln_unlock(&team->lock);
}

/* Standard output may keep the thread for any time: others look for work meanwhile. */
static void print(struct kiln_lane *lane, struct kiln_work *work) {
  if (!is_helper(lane)) end_looking(self);
  wake_one(lane->team);
  kiln_print_drain(&lane->team->prints, work);
  if (!is_helper(lane)) begin_looking(self);
}

static void finish_work(struct kiln_lane *lane, struct kiln_work *work) {
  if (atomic_load_explicit(&work->printed, memory_order_relaxed) != NULL) print(lane, work);
  kiln_shares_release(&lane->team->shares, work);
  int fault = atomic_load_explicit(&work->fault, memory_order_relaxed);
  work->done(work, fault == 0 ? CL_COMPLETE : fault, fault == 0 ? NULL : work->fault_message);
}

static void leave(struct kiln_lane *lane, struct kiln_work *work) {
  close_work(lane->team, work);
  if (needs_token(work)) atomic_fetch_sub(&lane->team->active, 1);
  if (!is_helper(lane)) begin_looking(self);
  if (atomic_fetch_sub_explicit(&work->holders, 1, memory_order_acq_rel) == 1) finish_work(lane, work);
}

/* The calling thread has joined; first: nobody was there before. */
static void take_part(struct kiln_lane *lane, struct kiln_work *work, bool first) {
  bool may_open = first && work->total_units > work->chunk;
  if (first) work->started(work);
  if (may_open && !kiln_run_is_short(work)) {
    kiln_run_cut(&lane->team->shares, work);
    open_work(lane, work);
    may_open = false;
  }
  kiln_run_units(lane, work, may_open ? open_work : NULL);
  leave(lane, work);
}

/* ---- workers ---- */

/* The oldest work the calling worker may join; joined when returned. A helper that holds the last token keeps
 * workers from chunks, not from native kernels. */
static struct kiln_work *pick(struct kiln_team *team, bool *first_out) {
  for (struct kiln_work *work = team->first; work != NULL; work = work->next) {
    bool first = atomic_load_explicit(&work->holders, memory_order_relaxed) == 0;
    if (!join(team, work)) continue;
    *first_out = first;
    return work;
  }
  return NULL;
}

enum outcome { IDLE, WORKED, NO_TOKEN };

/* The caller is looking, and is again when it returns. */
static enum outcome work_once(struct kiln_thread *thread) {
  struct kiln_team *team = thread->team;
  if (atomic_load_explicit(&team->demand, memory_order_relaxed) == 0) return IDLE;
  bool first = false;
  kiln_lock(&team->lock);
  struct kiln_work *work = pick(team, &first);
  kiln_unlock(&team->lock);
  if (work == NULL) return atomic_load_explicit(&team->demand, memory_order_relaxed) != 0 ? NO_TOKEN : IDLE;
  end_looking(thread);
  /* What is left over is for the next two, and so on: all are awake after a logarithm of their number of
   * steps. */
  wake_one(team);
  wake_one(team);
  take_part(&thread->lane, work, first);
  return WORKED;
}

/* A worker that looks for work keeps others from its processor for so long only. */
enum { ALONE_NS = 5000 };

/* Watches for demand; every submit seen, even if another thread took the work, starts the time anew. Not in
 * the way of a host that helps: it may have been interrupted for this worker. */
static bool spin(struct kiln_thread *thread) {
  struct kiln_team *team = thread->team;
  if (team->options.look_ns == 0) return false;
  uint32_t seen = atomic_load_explicit(&team->submitted, memory_order_relaxed);
  uint64_t start = kiln_os_now_ns(), idle = 0;
  bool found = false;
  for (uint32_t i = 0; !found && !atomic_load_explicit(&team->stop, memory_order_relaxed); i++) {
    if (idle > ALONE_NS) sched_yield();
    else kiln_os_pause();
    found = atomic_load_explicit(&team->demand, memory_order_relaxed) != 0;
    if (i % 32 != 0) continue;
    uint32_t submitted = atomic_load_explicit(&team->submitted, memory_order_relaxed);
    uint64_t now = kiln_os_now_ns();
    if (submitted != seen) start = now;
    seen = submitted;
    idle = now - start;
    if (idle > team->options.look_ns) break;
    if (kiln_seat_beside(&team->helping) != 0) break;
    thread->seat = kiln_seat_follow(&team->watching, thread->seat);
  }
  return found;
}

/* Demand that this worker may not serve (all tokens are out) does not keep it awake: who gives a token back
 * wakes it. Work submitted since `seen` was read might be a native kernel, which it may. */
static void park(struct kiln_thread *thread, uint32_t epoch, uint32_t seen) {
  struct kiln_team *team = thread->team;
  kiln_lane_trim(&thread->lane);
  cpu_set_t mask;
  int seat = kiln_seat_settle(&team->resting, &mask);
  end_looking(thread);
  atomic_fetch_add(&team->sleep, 1);
  bool idle = atomic_load(&team->demand) == 0 ||
              (atomic_load(&team->active) >= team->num_workers && atomic_load(&team->submitted) == seen);
  if (idle && !atomic_load(&team->stop)) futex_wait(&team->epoch, epoch, kiln_seat_bit(seat));
  begin_looking(thread);
  unpark(team);
  kiln_seat_rise(&team->resting, seat, &mask);
}

static void enter_thread(struct kiln_thread *thread) {
  char name[16];
  snprintf(name, sizeof name, "%.11s%u", thread->team->options.name, thread->index % 1000);
  pthread_setname_np(pthread_self(), name);
  sched_setaffinity(0, sizeof thread->team->options.cpus, &thread->team->options.cpus);
  bool borrowed;
  kiln_fault_stack_enter(&borrowed);
  self = thread;
}

static void team_free(struct kiln_team *team) {
  for (uint32_t i = 0; i < team->num_workers; i++) kiln_lane_finish(&team->threads[i].lane);
  for (uint32_t i = 0; team->lanes != NULL && i < team->options.workers; i++)
    kiln_lane_finish(&team->lanes[i]);
  kiln_print_pool_finish(&team->prints);
  kiln_share_pool_finish(&team->shares);
  kiln_lock_finish(&team->lock);
  kiln_free(team->lanes);
  kiln_free(team->threads);
  kiln_free(team);
}

static void *thread_main(void *data) {
  struct kiln_thread *thread = data;
  struct kiln_team *team = thread->team;
  enter_thread(thread);
  begin_looking(thread);
  while (!atomic_load_explicit(&team->stop, memory_order_relaxed)) {
    uint32_t epoch = atomic_load(&team->epoch), seen = atomic_load(&team->submitted);
    enum outcome outcome = work_once(thread);
    if (outcome == WORKED || (outcome == IDLE && spin(thread))) continue;
    park(thread, epoch, seen);
  }
  if (thread->frees_team) team_free(team);
  return NULL;
}

/* ---- lanes of helpers ---- */

/* Lock held. */
static void lane_return(struct kiln_team *team, struct kiln_lane *lane) {
  lane->next = team->free_lanes;
  team->free_lanes = lane;
}

static void lane_put(struct kiln_team *team, struct kiln_lane *lane) {
  kiln_lane_trim(lane);
  kiln_lock(&team->lock);
  lane_return(team, lane);
  kiln_unlock(&team->lock);
}

/* ---- life of a team ---- */

/* Threads inherit the mask of the one that makes them: all signals are the host's but its own faults. */
static void block_signals(sigset_t *saved) {
  sigset_t all;
  sigfillset(&all);
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  for (unsigned i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
  pthread_sigmask(SIG_SETMASK, &all, saved);
}

static bool start_thread(struct kiln_team *team, uint32_t index) {
  struct kiln_thread *thread = &team->threads[index];
  thread->team = team;
  thread->index = index;
  if (kiln_lane_init(&thread->lane, team, &team->options, &team->prints, &team->shares) != CL_SUCCESS)
    return false;
  if (pthread_create(&thread->id, NULL, thread_main, thread) == 0) return true;
  kiln_lane_finish(&thread->lane);
  return false;
}

/* num_workers is constant once a thread may read it: they all find the lock taken until it is. */
static void start_threads(struct kiln_team *team) {
  sigset_t saved;
  block_signals(&saved);
  kiln_lock(&team->lock);
  uint32_t started = 0;
  while (started < team->options.workers && start_thread(team, started)) started++;
  team->num_workers = started;
  kiln_unlock(&team->lock);
  pthread_sigmask(SIG_SETMASK, &saved, NULL);
  if (started < team->options.workers)
    kiln_log(KILN_LOG_SCHED, KILN_LOG_ERROR, "threads started %u wanted %u", started, team->options.workers);
}

cl_int kiln_team_create(const struct kiln_team_options *options, struct kiln_team **team_out) {
  struct kiln_team *team = kiln_alloc_aligned(64, sizeof *team);
  if (team == NULL) return CL_OUT_OF_HOST_MEMORY;
  memset(team, 0, sizeof *team);
  team->options = *options;
  kiln_lock_init(&team->lock, KILN_RANK_DRIVER);
  kiln_print_pool_init(&team->prints, options->workers);
  team->threads = kiln_zalloc(options->workers * sizeof *team->threads);
  team->lanes = kiln_zalloc(options->workers * sizeof *team->lanes);
  bool have_memory = team->threads != NULL && team->lanes != NULL &&
                     kiln_share_pool_init(&team->shares, options->workers, &options->cpus) == CL_SUCCESS;
  if (have_memory) start_threads(team);
  for (uint32_t i = 0; have_memory && i < options->workers; i++) lane_put(team, &team->lanes[i]);
  if (team->num_workers == 0) {
    cl_int err = have_memory ? CL_OUT_OF_RESOURCES : CL_OUT_OF_HOST_MEMORY;
    team_free(team);
    return err;
  }
  *team_out = team;
  return CL_SUCCESS;
}

void kiln_team_destroy(struct kiln_team *team) {
  if (team == NULL) return;
  bool by_worker = self != NULL && self->team == team;
  if (by_worker) self->frees_team = true;
  atomic_store(&team->stop, true);
  atomic_fetch_add(&team->epoch, 1);
  futex_wake(&team->epoch, INT_MAX, FUTEX_BITSET_MATCH_ANY);
  for (uint32_t i = 0; i < team->num_workers; i++) {
    if (by_worker && &team->threads[i] == self) pthread_detach(self->id);
    else pthread_join(team->threads[i].id, NULL);
  }
  if (!by_worker) team_free(team);
}

void kiln_team_forget(struct kiln_team *team) {
  if (team == NULL) return;
  kiln_lock_init(&team->lock, KILN_RANK_DRIVER); /* some thread of the parent may have held it */
  if (self != NULL && self->team == team) self = NULL;
  team_free(team);
}

/* ---- submit and help ---- */

void kiln_team_submit(struct kiln_team *team, struct kiln_work *work) {
  kiln_run_plan(work, team->num_workers);
  kiln_lock(&team->lock);
  offer(team, work, 1, false);
  kiln_unlock(&team->lock);
  atomic_fetch_add(&team->submitted, 1);
  /* A worker of this team looks for work itself as soon as it is through with what it does. */
  if (self == NULL || self->team != team) wake_one(team);
}

/* A lane for the calling host thread; NULL without memory. Lock held, given up meanwhile when the lane is
 * new. */
static struct kiln_lane *lane_get(struct kiln_team *team) {
  struct kiln_lane *lane = team->free_lanes;
  if (lane == NULL) return NULL;
  team->free_lanes = lane->next;
  if (lane->memory != NULL) return lane;
  kiln_unlock(&team->lock);
  cl_int err = kiln_lane_init(lane, team, &team->options, &team->prints, &team->shares);
  kiln_lock(&team->lock);
  if (err == CL_SUCCESS) return lane;
  lane_return(team, lane);
  return NULL;
}

static bool find_place(struct kiln_work *work) {
  uint64_t start = kiln_os_now_ns();
  while (atomic_load_explicit(&work->wanted, memory_order_relaxed) == 0) {
    if (atomic_load_explicit(&work->holders, memory_order_relaxed) == 0) return false;
    if (kiln_os_now_ns() - start > PATIENCE_NS) return false;
    kiln_os_pause();
  }
  return true;
}

/* Joins work for a helper; NULL if there is nothing to do or no token. */
static struct kiln_lane *join_as_helper(struct kiln_team *team, struct kiln_work *work, bool *first_out) {
  if (!find_place(work)) return NULL;
  kiln_lock(&team->lock);
  struct kiln_lane *lane = lane_get(team);
  bool joined = false;
  if (lane != NULL && atomic_load_explicit(&work->wanted, memory_order_relaxed) != 0) {
    *first_out = atomic_load_explicit(&work->holders, memory_order_relaxed) == 0;
    joined = join(team, work);
  }
  if (!joined && lane != NULL) lane_return(team, lane);
  kiln_unlock(&team->lock);
  return joined ? lane : NULL;
}

static bool help(struct kiln_team *team, struct kiln_work *work) {
  bool first = false, borrowed;
  struct kiln_lane *lane = join_as_helper(team, work, &first);
  if (lane == NULL) return false;
  kiln_fault_stack_enter(&borrowed);
  take_part(lane, work, first);
  kiln_fault_stack_leave(borrowed);
  lane_put(team, lane);
  return true;
}

bool kiln_team_help(struct kiln_team *team, struct kiln_work *work) {
  if (work->type == KILN_WORK_NATIVE) return false;
  int seat = kiln_seat_take(&team->helping);
  bool helped = help(team, work);
  kiln_seat_leave(&team->helping, seat);
  wake_one(team); /* whom it kept from waking, also for want of its token */
  return helped;
}
