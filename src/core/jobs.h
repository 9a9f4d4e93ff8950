/* The compile thread: runs jobs one after the other, in the background. It starts with the first job. */
#ifndef KILN_CORE_JOBS_H
#define KILN_CORE_JOBS_H

#include <stdbool.h>

struct kiln_job { /* embedded in what the job is about; belongs to the thread from submit to run */
  struct kiln_job *next;
  void (*run)(struct kiln_job *job);
};

/* Runs job->run(job) on the compile thread, before others if urgent. When no thread can be had it runs at
 * once, here. No lock held. */
void kiln_job_submit(struct kiln_job *job, bool urgent);
/* Moves a job that has not begun to the front. */
void kiln_job_hurry(struct kiln_job *job);

#endif
