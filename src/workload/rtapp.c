// SPDX-License-Identifier: GPL-2.0-only
/* rtapp.c - tasks described by the JSON of rt-app */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workload/rtapp_run.h"
#include "workload/workload.h"

static void make_objects(struct team *team, const struct rtapp_file *file,
			 struct rtapp_state *states)
{
	for (int i = 0; i < file->n_objects; i++) {
		states[i].mutex = team_mutex(team);
		states[i].condition = team_condition(team);
	}
}

static struct error *check(const struct params *params, hwloc_const_bitmap_t cpus)
{
	struct rtapp_file *file;
	struct error *error = rtapp_open(params_text(params, "file"), &file);

	if (error)
		return error;
	error = rtapp_check_cpus(file, cpus);
	rtapp_free(file);
	return error;
}

static char *note(const struct params *params)
{
	const char *name = params_text(params, "file");
	struct rtapp_file *file = NULL;
	char *text = NULL;

	error_free(rtapp_open(name, &file));
	for (int i = 0; file && i < file->n_without_effect; i++)
		text = memory_append(text, "%s%s", i ? ", " : "", file->without_effect[i]);
	rtapp_free(file);
	return text ? memory_append(text, " of %s have no effect here", name) : NULL;
}

static void add_task(struct team *team, const struct rtapp_file *file,
		     const struct rtapp_task *task, struct rtapp_state *states, uint64_t unit_ps)
{
	for (int64_t i = 0; i < task->instances; i++) {
		struct rtapp_thread *thread = team_shared(team, sizeof(*thread));
		struct worker_spec spec = {
			.prepare = rtapp_prepare,
			.body = rtapp_body,
			.data = thread,
			.process = 0,
		};

		thread->file = file;
		thread->task = task;
		thread->states = states;
		thread->unit_ps = unit_ps;
		thread->all_cpus = team_cpus(team);
		team_add(team, &spec);
	}
}

static struct error *setup(struct team *team, const struct params *params)
{
	struct rtapp_file *file;
	struct rtapp_state *states;
	uint64_t unit_ps;
	struct error *error = rtapp_open(params_text(params, "file"), &file);

	if (error)
		return error;
	team_keep(team, file);
	team_histograms(team, RTAPP_HISTOGRAMS);
	states = team_shared(team, (size_t)file->n_objects * sizeof(*states));
	make_objects(team, file, states);
	unit_ps = team_unit_time(team, COMPUTE_INT128, file->calibration_cpu);
	for (int i = 0; i < file->n_tasks; i++)
		add_task(team, file, &file->tasks[i], states, unit_ps ? unit_ps : 1);
	return NULL;
}

/* ---- metrics ---- */

enum {
	SLACK_MEAN = 6,
	MISSED_SHARE
};

static const struct workload_metric rtapp_metrics[] = {
	{ { "wakeup", "us", BETTER_LOWER, 1, "how late a task runs after its timer" },
	  METRIC_HISTOGRAM,
	  RTAPP_WAKEUP },
	{ { "slack", "us", BETTER_HIGHER, 1, "time left until the timer, where some was left" },
	  METRIC_HISTOGRAM,
	  RTAPP_SLACK },
	{ { "run", "us", BETTER_LOWER, 1, "time from beginning to end of a loop's run events" },
	  METRIC_HISTOGRAM,
	  RTAPP_RUN_TIME },
	{ { "period", "us", BETTER_NEITHER, 1, "time of a loop of a phase" },
	  METRIC_HISTOGRAM,
	  RTAPP_PERIOD },
	{ { "activations", "1/s", BETTER_HIGHER, 1, "loops of phases" },
	  METRIC_RATE,
	  RTAPP_ACTIVATIONS },
	{ { "missed", "1", BETTER_LOWER, 1, "timers that were over when a task came to them" },
	  METRIC_TOTAL,
	  RTAPP_MISSED },
	[SLACK_MEAN] = { { "slack_mean", "us", BETTER_HIGHER, 1,
			   "mean time left until the timer, negative where it was missed" },
			 METRIC_COMPUTED },
	[MISSED_SHARE] = { { "missed_share", "%", BETTER_LOWER, 1, "missed of all timers" },
			   METRIC_COMPUTED },
	{ { NULL } },
};

struct ratio_sum {
	double above, below;
};

static struct ratio_sum slack_of(const uint64_t *counters)
{
	return (struct ratio_sum){
		((double)counters[RTAPP_SLACK_LEFT] - (double)counters[RTAPP_SLACK_LACK]) / 1e3,
		counters[RTAPP_SLACKS]
	};
}

static struct ratio_sum missed_of(const uint64_t *counters)
{
	return (struct ratio_sum){ 100.0 * counters[RTAPP_MISSED], counters[RTAPP_TIMERS] };
}

static void add_ratio(const struct metric_desc *desc,
		      struct ratio_sum (*of)(const uint64_t *counters),
		      const struct team_report *report, struct trial *trial)
{
	autofree double *values = memory_zeroed(report->n_workers, sizeof(*values));
	struct ratio_sum all = { 0 };

	for (int i = 0; i < report->n_workers; i++) {
		struct ratio_sum own = of(report->workers[i].counters);

		values[i] = own.below > 0 ? own.above / own.below : NAN;
		all.above += own.above;
		all.below += own.below;
	}
	if (all.below > 0)
		trial_add_metric(trial, desc, all.above / all.below, values, report->n_workers);
	else
		trial_add_unavailable(trial, desc, "no timer was used in the measured time");
}

/* which worker is which task, and what of the file has no effect */
static json_t *record(const struct rtapp_file *file)
{
	json_t *workers = json_array(), *without = json_array();

	for (int i = 0; i < file->n_tasks; i++)
		for (int64_t j = 0; j < file->tasks[i].instances; j++)
			json_array_append_new(workers,
					      json_sprintf("%s-%d", file->tasks[i].name, (int)j));
	for (int i = 0; i < file->n_without_effect; i++)
		json_array_append_new(without, json_string(file->without_effect[i]));
	return json_pack("{s:s, s:o, s:o}", "file", file->name, "workers", workers,
			 "without_effect", without);
}

static struct error *finish(struct team *team, const struct params *params,
			    const struct team_report *report, struct trial *trial)
{
	struct rtapp_file *file = team_kept(team);

	(void)params;
	add_ratio(&rtapp_metrics[SLACK_MEAN].desc, slack_of, report, trial);
	add_ratio(&rtapp_metrics[MISSED_SHARE].desc, missed_of, report, trial);
	if (trial->environment)
		json_object_set_new(trial->environment, "rtapp", record(file));
	rtapp_free(file);
	return NULL;
}

static const struct param rtapp_params[] = {
	{ "file", PARAM_TEXT, .def = "periodic",
	  .help = "JSON of rt-app; periodic, a small one, is built in" },
	{ NULL },
};

const struct workload workload_rtapp = {
	.name = "rtapp",
	.summary = "tasks of an rt-app file",
	.exercises = "wakeups by timers and by other tasks, periodic tasks, classes and priorities",
	.version = 1,
	.params = rtapp_params,
	.metrics = rtapp_metrics,
	.needs = TASK_THREAD | TASK_COMPUTE,
	.unsupported = "it needs threads that compute, sleep and wake each other",
	.setup = setup,
	.finish = finish,
	.check = check,
	.note = note,
};
