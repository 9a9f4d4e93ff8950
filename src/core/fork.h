/* fork(): the process-wide state of the core stays whole in the child, which starts its own compile thread.
 */
#ifndef KILN_CORE_FORK_H
#define KILN_CORE_FORK_H

enum kiln_fork_phase { KILN_FORK_PREPARE, KILN_FORK_PARENT, KILN_FORK_CHILD };

/* From the first call on, forks are prepared for. Idempotent, thread-safe. */
void kiln_fork_watch(void);

/* Each module with a process-wide lock: takes it in PREPARE, gives it back in PARENT and CHILD. */
void kiln_platform_fork(enum kiln_fork_phase phase);
void kiln_jobs_fork(enum kiln_fork_phase phase);
void kiln_cache_fork(enum kiln_fork_phase phase);
void kiln_program_image_fork(enum kiln_fork_phase phase);

#endif
