/* The build threads: run jobs in the background, several at a time. They start as jobs come. */
#ifndef KILN_CORE_JOBS_H
#define KILN_CORE_JOBS_H

#include <stdbool.h>

enum { KILN_MOST_JOB_THREADS = 8 }; /* and no more than processors; they mostly wait for compiles */

struct kiln_job { /* embedded in what the job is about; belongs to the threads from submit to run */
  struct kiln_job *next;
  void (*run)(struct kiln_job *job);
};

/* Runs job->run(job) on a build thread, before others if urgent. When no thread can be had it runs at once,
 * here. No lock held. */
void kiln_job_submit(struct kiln_job *job, bool urgent);
/* Moves a job that has not begun to the front. */
void kiln_job_hurry(struct kiln_job *job);

#endif
