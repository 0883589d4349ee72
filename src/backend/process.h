/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process.h - a trial in a process of its own
 *
 * Every backend runs a trial in a child: what a workload or a kernel does there cannot harm the program
 * that keeps the results. The child returns its trial through a pipe; it dies with its parent.
 */
#ifndef FT_BACKEND_PROCESS_H
#define FT_BACKEND_PROCESS_H

#include "backend/backend.h"

struct trial_process;

/*
 * The body runs in the child and fills @out. @order is the caller's, with `interrupted` pointing to
 * a flag of the child that trial_process_stop() sets. An error it returns is passed on to finish.
 */
typedef struct error *(*trial_body)(const struct trial_order *order, void *data, struct trial *out);

/*
 * trial_process_start - forks a child (in a session of its own) that runs @body
 * @limit_seconds: a child that has not ended by then is killed and its trial has failed
 * @data:          for @body; kept by the caller until finish, see trial_process_data()
 */
struct error *trial_process_start(const struct trial_order *order, trial_body body, void *data,
				  double limit_seconds, struct trial_process **out);

/* trial_process_poll - waits until one of them has ended, at most @milliseconds */
void trial_process_poll(struct trial_process *const *processes, int n, int milliseconds);

/* trial_process_ended - has it sent its result or died? (after a poll) */
bool trial_process_ended(const struct trial_process *process);

/* trial_process_stop - asks it to end early (SIGTERM); it then ends with ERR_INTERRUPTED,
 * or is killed 10 s later */
void trial_process_stop(struct trial_process *process);

/* trial_process_progress - what the body last wrote to order->progress; 0: nothing yet */
int trial_process_progress(const struct trial_process *process);

void *trial_process_data(const struct trial_process *process);

/*
 * trial_process_finish - waits for its end and frees it
 * @out: zeroed by the caller; a child that died or was killed gives TRIAL_FAILED with the reason
 */
struct error *trial_process_finish(struct trial_process *process, struct trial *out);

#endif
