// SPDX-License-Identifier: GPL-2.0-only
/* session_run.c - the loop over the trials of a run */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/process.h"
#include "backend/session_private.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/progress.h"

/* how often the loop looks at Ctrl-C and redraws the progress line */
#define LOOK_MILLISECONDS 200

/* A trial that runs, or that has ended while one before it still runs. */
struct flight {
	int step;
	double started;
	struct trial_order order;
	struct trial_process *process; /* NULL once it is finished */
	struct trial trial;
};

struct loop {
	struct session *session;
	struct store *store;
	struct flight **flights; /* by rising step */
	int n_flights, next_step, limit;
	int n_done, n_missing, n_failed;
	double trial_seconds;
	bool looked_at_monitors;
	int n_recordings; /* of events, that were kept */
	double recorded_bytes;
	struct progress *progress;
};

static const struct backend *backend_of(const struct loop *loop, const struct flight *flight)
{
	const struct session *session = loop->session;

	return session->backends[session->steps[flight->step].variant_index];
}

static int jobs(const struct session *session)
{
	int limit = 1 << 20;

	for (int i = 0; i < session->plan->n_variants; i++)
		if (!session->skipped[i] && session->backends[i]->parallel() < limit)
			limit = session->backends[i]->parallel();
	if (session->options->jobs && session->options->jobs < limit)
		limit = session->options->jobs;
	return limit;
}

static struct error *start_next(struct loop *loop)
{
	struct session *session = loop->session;
	const struct plan_step *step = &session->steps[loop->next_step];
	struct flight *flight = memory_zeroed(1, sizeof(*flight));
	struct error *error;

	flight->step = loop->next_step++;
	flight->started = clock_seconds();
	flight->order = (struct trial_order){
		.plan = session->plan,
		.instance = &session->cases[step->case_index],
		.variant = &session->plan->variants[step->variant_index],
		.machine = session->cases[step->case_index].machine,
		.kernel = session_kernel(session, step->variant_index),
		.seed = step->seed,
		.block = step->block,
		.interrupted = session->options->interrupted,
	};
	error = backend_of(loop, flight)->start(&flight->order, &flight->process);
	if (error) {
		free(flight);
		return error;
	}
	*array_append(loop->flights, loop->n_flights) = flight;
	return NULL;
}

static struct error *fill(struct loop *loop)
{
	struct session *session = loop->session;
	struct error *error = NULL;

	while (!error && loop->n_flights < loop->limit && loop->next_step < session->n_steps) {
		if (session->done[loop->next_step])
			loop->next_step++;
		else
			error = start_next(loop);
	}
	return error;
}

static void show(struct loop *loop)
{
	const struct flight *first = loop->flights[0];
	double done = loop->n_done;
	autofree char *what = NULL;

	for (int i = 0; i < loop->n_flights; i++) {
		const struct flight *flight = loop->flights[i];
		double share = 0;

		if (backend_of(loop, flight)->own_time)
			share = flight->process ? trial_process_progress(flight->process) / 1e3 : 1;
		else
			share = (clock_seconds() - flight->started) / loop->trial_seconds;
		done += !flight->process || share > 1 ? 1 : share;
	}
	what = memory_format("trial %d of %d: %s, %s", first->step + 1, loop->session->n_steps,
			     first->order.instance->name, first->order.variant->name);
	progress_show(loop->progress, done, what);
}

static void wait_a_little(struct loop *loop)
{
	struct trial_process **running = NULL;
	int n = 0;

	for (int i = 0; i < loop->n_flights; i++)
		if (loop->flights[i]->process)
			*array_append(running, n) = loop->flights[i]->process;
	trial_process_poll(running, n, LOOK_MILLISECONDS);
	free(running);
}

static struct error *finish_ended(struct loop *loop)
{
	struct error *error = NULL;

	for (int i = 0; !error && i < loop->n_flights; i++) {
		struct flight *flight = loop->flights[i];
		struct trial_process *process = flight->process;

		if (!process || !trial_process_ended(process))
			continue;
		flight->process = NULL;
		error = backend_of(loop, flight)->finish(process, &flight->trial);
	}
	return error;
}

static void say_failure(struct loop *loop, const struct flight *flight)
{
	progress_clear(loop->progress);
	fprintf(stderr, "fairtrial: trial %d of %d (%s, %s, block %d) failed: %s\n",
		flight->step + 1, loop->session->n_steps, flight->order.instance->name,
		flight->order.variant->name, flight->order.block, flight->trial.reason);
	loop->n_failed++;
}

static void clear_progress(void *progress)
{
	progress_clear(progress);
}

/* what could not be known before: said after the first trial, so that nobody waits for the last in vain */
static void say_missing_monitors(struct loop *loop, const struct trial *trial)
{
	if (loop->looked_at_monitors || trial->status == TRIAL_FAILED)
		return;
	loop->looked_at_monitors = true;
	session_say_monitors(loop->session, trial, clear_progress, loop->progress);
}

static void count_recording(struct loop *loop, const struct trial *trial)
{
	const char *path = json_string_value(json_object_get(trial->environment, "events_file"));
	struct stat status;

	if (!path || stat(path, &status))
		return;
	loop->n_recordings++;
	loop->recorded_bytes += (double)status.st_size;
}

/* recordings are large: what they take should not be found out by a full disk */
static void say_recordings(const struct loop *loop)
{
	if (loop->n_recordings)
		fprintf(stderr, "fairtrial: %d recording%s of events in %s-*.fttrace, %.1f MiB\n",
			loop->n_recordings, loop->n_recordings == 1 ? "" : "s",
			loop->session->plan->events, loop->recorded_bytes / (1 << 20));
}

/* in the order of the plan, so that a run's trials do not depend on how many run at once */
static struct error *store_finished(struct loop *loop)
{
	struct error *error = NULL;

	while (!error && loop->n_flights && !loop->flights[0]->process) {
		struct flight *flight = loop->flights[0];
		const struct plan_step *step = &loop->session->steps[flight->step];

		flight->trial.case_index = step->case_index;
		flight->trial.variant_index = step->variant_index;
		flight->trial.block = step->block;
		flight->trial.seed = step->seed;
		flight->trial.position = flight->step;
		if (flight->trial.status == TRIAL_FAILED)
			say_failure(loop, flight);
		say_missing_monitors(loop, &flight->trial);
		error = store_add_trial(loop->store, loop->session->run, &flight->trial);
		if (error)
			break;
		count_recording(loop, &flight->trial);
		loop->session->done[flight->step] = true;
		loop->n_done++;
		trial_clear(&flight->trial);
		free(flight);
		memmove(loop->flights, loop->flights + 1,
			--loop->n_flights * sizeof(*loop->flights));
	}
	return error;
}

/* ends what runs, without keeping it; settings are put back by finish() */
static void abandon(struct loop *loop)
{
	for (int i = 0; i < loop->n_flights; i++)
		if (loop->flights[i]->process)
			trial_process_stop(loop->flights[i]->process);
	for (int i = 0; i < loop->n_flights; i++) {
		struct flight *flight = loop->flights[i];

		if (flight->process) {
			struct error *error =
				backend_of(loop, flight)->finish(flight->process, &flight->trial);

			if (error && error->code != ERR_INTERRUPTED)
				error_report(stderr, error);
			error_free(error);
		}
		trial_clear(&flight->trial);
		free(flight);
	}
	loop->n_flights = 0;
}

static bool interrupted(const struct loop *loop)
{
	return loop->session->options->interrupted && *loop->session->options->interrupted;
}

static struct error *run_all(struct loop *loop)
{
	struct error *error = fill(loop);

	while (!error && loop->n_flights) {
		if (interrupted(loop))
			return error_new(ERR_INTERRUPTED,
					 "interrupted after %d of %d trials, which are kept; "
					 "fairtrial run --resume goes on",
					 loop->session->n_steps - loop->n_missing + loop->n_done,
					 loop->session->n_steps);
		show(loop);
		wait_a_little(loop);
		error = finish_ended(loop);
		if (!error)
			error = store_finished(loop);
		if (!error)
			error = fill(loop);
	}
	return error;
}

struct error *session_run(struct session *session, struct store *store, int *n_failed)
{
	struct loop loop = { .session = session, .store = store, .limit = jobs(session) };
	struct error *error;

	for (int i = 0; i < session->n_steps; i++)
		loop.n_missing += !session->done[i];
	loop.trial_seconds = session_trial_seconds(session);
	loop.progress = progress_start(loop.n_missing ? loop.n_missing : 1);
	error = run_all(&loop);
	abandon(&loop);
	free(loop.flights);
	progress_end(loop.progress);
	if (!error)
		error = store_complete_run(store, session->run);
	say_recordings(&loop);
	*n_failed = loop.n_failed;
	return error;
}
