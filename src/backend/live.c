// SPDX-License-Identifier: GPL-2.0-only
/* live.c - trials on this machine: settings around, monitors beside, the team in the middle */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/environment.h"
#include "backend/live_events.h"
#include "backend/others.h"
#include "backend/process.h"
#include "backend/setting.h"
#include "base/memory.h"
#include "monitor/monitor.h"
#include "task/live.h"
#include "workload/program.h"

/* beside runtime, warm-up and the limit for stopping: starting workers, reading monitors */
#define OVERHEAD_LIMIT_SECONDS 30.0

/* What the mark callback needs of a trial that is running. */
struct observation {
	bool program; /* the worker only starts and watches an external program */
	struct monitor_set *monitors;
	struct monitor_context context;
	struct live_recording *recording; /* of events; NULL: none */
	struct others_reading others[2];  /* at the start and the end of the measured time */
	struct error *others_error;	  /* why they could not be read */
	struct trial seen;		  /* takes the monitors' metrics */
};

static void read_others(struct observation *observation, bool start)
{
	if (!observation->others_error)
		observation->others_error =
			others_read(observation->context.root, observation->context.cpus,
				    &observation->others[start ? 0 : 1]);
}

static void observe(void *data, bool start, const pid_t *pids, int n_pids)
{
	struct observation *observation = data;

	observation->context.pids = pids;
	observation->context.program = observation->program;
	observation->context.n_pids = n_pids;
	if (!start)
		read_others(observation, start);
	/* what is recorded is the time between the monitors' readings */
	if (start)
		monitor_set_start(observation->monitors, &observation->context);
	live_recording_mark(observation->recording, start, pids, n_pids);
	if (!start)
		monitor_set_stop(observation->monitors, &observation->context, &observation->seen);
	if (start)
		read_others(observation, start);
}

/* the CPU time that was not the workers', for who reads the trial's values */
static void record_others(struct observation *observation, const struct team_report *report,
			  struct trial *out)
{
	double share = NAN;
	json_t *value;

	if (!observation->others_error)
		share = others_share(&observation->others[0], &observation->others[1],
				     report->cpu_seconds);
	if (observation->others_error)
		value = json_sprintf("not available: %s", observation->others_error->message);
	else if (isnan(share))
		value = json_string("not available: the workers' CPU time is not known, or the "
				    "measured time is shorter than a tick of /proc/stat");
	else
		value = json_real(share);
	json_object_set_new(out->environment, "others", value);
	error_free(observation->others_error);
	observation->others_error = NULL;
}

/* the workers are there: see live_recording_start() */
static struct error *read_recording(void *data)
{
	struct observation *observation = data;

	return live_recording_read(observation->recording);
}

/* the workload's metrics come first, then those of the monitors */
static void take_metrics(struct trial *to, struct trial *from)
{
	for (int i = 0; i < from->n_metrics; i++)
		*array_append(to->metrics, to->n_metrics) = from->metrics[i];
	free(from->metrics);
	from->metrics = NULL;
	from->n_metrics = 0;
}

static void fill_trial(const struct trial_order *order, struct team *team,
		       struct team_report *report, struct observation *observation,
		       struct trial *out)
{
	struct error *error;

	out->duration = report->seconds;
	if (report->failure) {
		out->status = TRIAL_FAILED;
		out->reason = memory_string(report->failure);
		return;
	}
	error = workload_report(order->instance->workload, team, &order->instance->params, report,
				out);
	if (error) {
		json_t *environment = out->environment;

		out->environment = NULL;
		trial_clear(out);
		out->environment = environment;
		out->status = TRIAL_FAILED;
		out->reason = error_text(error);
		error_free(error);
		return;
	}
	take_metrics(out, &observation->seen);
}

/* a recording that failed (a full disk) fails the trial that asked for it */
static void report_recording(struct observation *observation, struct trial *out)
{
	struct error *error = live_recording_report(observation->recording, out);

	if (!error)
		return;
	out->status = TRIAL_FAILED;
	out->reason = error_text(error);
	error_free(error);
}

static struct error *run_team(const struct trial_order *order, hwloc_const_bitmap_t cpus,
			      struct observation *observation, struct trial *out)
{
	struct live_options options = {
		.cpus = cpus,
		.machine = order->machine,
		.runtime_ns = order->plan->runtime_ns,
		.warmup_ns = order->plan->warmup_ns,
		.stop_limit_ns = order->plan->stop_limit_ns,
		.interrupted = order->interrupted,
		.mark = observe,
		.ready = read_recording,
		.data = observation,
	};
	struct team_report report = { 0 };
	struct team *team;
	struct error *error = live_team_new(&options, &team);

	if (error)
		return error;
	error = workload_setup(order->instance->workload, team, &order->instance->params);
	if (error) {
		out->status = TRIAL_FAILED;
		out->reason = error_text(error);
		error_free(error);
		live_team_free(team);
		return NULL;
	}
	error = live_recording_start(order, cpus, &observation->recording);
	if (!error)
		error = live_team_run(team, &report);
	if (!error) {
		record_others(observation, &report, out);
		fill_trial(order, team, &report, observation, out);
	}
	if (!error && out->status == TRIAL_OK)
		report_recording(observation, out);
	live_recording_free(observation->recording);
	team_report_clear(&report);
	live_team_free(team);
	return error;
}

/*
 * Before the workers are forked: where a fork is placed depends on what the parent may use, and a
 * worker that pinned itself later would hide that.
 */
static struct error *stay_on(hwloc_const_bitmap_t cpus)
{
	int n = hwloc_bitmap_last(cpus) + 1, cpu;
	cpu_set_t *set = CPU_ALLOC(n);
	size_t size = CPU_ALLOC_SIZE(n);
	struct error *error = NULL;

	if (!set)
		return error_new(ERR_SYSTEM, "no memory for a set of %d CPUs", n);
	CPU_ZERO_S(size, set);
	hwloc_bitmap_foreach_begin(cpu, cpus) CPU_SET_S(cpu, size, set);
	hwloc_bitmap_foreach_end();
	if (sched_setaffinity(0, size, set))
		error = error_errno("cannot run on the CPUs of the case");
	CPU_FREE(set);
	return error;
}

/* in the trial's process, which ends after it */
static struct error *live_body(const struct trial_order *order, void *data, struct trial *out)
{
	struct setting_journal *journal = data;
	struct observation observation = { .context.root = "",
					   .program = order->instance->workload->program };
	hwloc_bitmap_t cpus = hwloc_bitmap_dup(order->instance->cpus);
	struct timespec now;
	struct error *error;

	clock_gettime(CLOCK_REALTIME, &now);
	out->started = now.tv_sec + now.tv_nsec / 1e9;
	out->seed = order->seed;
	out->block = order->block;
	out->environment = json_object();
	error = setting_enter(order->variant, journal, cpus);
	if (!error)
		error = stay_on(cpus);
	if (!error)
		error = environment_trial("", cpus, out->environment);
	if (!error)
		error = monitor_set_new(order->plan->monitors, order->plan->n_monitors,
					&observation.monitors);
	if (!error) {
		setting_record(order->variant, out->environment);
		observation.context.cpus = cpus;
		observation.context.machine = order->machine;
		error = run_team(order, cpus, &observation, out);
		monitor_set_free(observation.monitors);
	}
	trial_clear(&observation.seen);
	hwloc_bitmap_free(cpus);
	return error;
}

/* beside an error that is passed on; the journal is kept, so that the next start tries again */
static void undo_beside_error(struct setting_journal *journal)
{
	struct error *error = setting_undo(journal);

	if (error)
		error_report(stderr, error);
	error_free(error);
}

/* how long the measured time and what comes before may take */
static uint64_t measured_ns(const struct trial_order *order)
{
	const struct program_times times = { order->plan->runtime_ns, order->plan->warmup_ns };
	const struct program_desc *program = order->instance->workload->program;

	if (program)
		return program_limit_ns(program, &order->instance->params, &times);
	return times.runtime_ns + times.warmup_ns;
}

static struct error *live_start(const struct trial_order *order, struct trial_process **out)
{
	double limit =
		(measured_ns(order) + order->plan->stop_limit_ns) / 1e9 + OVERHEAD_LIMIT_SECONDS;
	struct setting_journal *journal;
	struct error *error = setting_apply(order->plan, order->variant, &journal);

	if (error)
		return error;
	error = trial_process_start(order, live_body, journal, limit, out);
	if (error)
		undo_beside_error(journal);
	return error;
}

static struct error *live_finish(struct trial_process *process, struct trial *out)
{
	struct setting_journal *journal = trial_process_data(process);
	struct error *error = trial_process_finish(process, out);

	if (!error)
		return setting_undo(journal);
	undo_beside_error(journal);
	return error;
}

static bool sets_autogroup(const struct plan_variant *variant)
{
	for (int i = 0; i < variant->n_settings; i++)
		if (strstr(variant->settings[i].key, "autogroup"))
			return true;
	return false;
}

static void live_warnings(const struct plan *plan, const struct plan_variant *variant,
			  char ***lines, int *n_lines)
{
	char *note;

	(void)plan;
	if (!sets_autogroup(variant))
		return;
	note = environment_autogroup_note("");
	if (!note)
		return;
	*array_append(*lines, *n_lines) = memory_format("variant %s: %s", variant->name, note);
	free(note);
}

static struct error *live_check(const struct plan *plan, const struct plan_variant *variant,
				const struct machine *machine, const char *kernel)
{
	if (!machine->live)
		return error_at(
			ERR_INPUT, plan->file, variant->line,
			"variant %s: backend live runs on this machine, not on %s; a machine "
			"file needs a simulating backend",
			variant->name, machine->name);
	if (kernel && strcmp(kernel, "running") != 0)
		return error_at(ERR_INPUT, plan->file, variant->line,
				"variant %s: backend live runs the running kernel, not '%s'",
				variant->name, kernel);
	return setting_check(plan, variant);
}

static int live_parallel(void)
{
	return 1; /* trials at the same time would disturb each other */
}

static struct error *live_environment(const struct machine *machine, json_t *into)
{
	return environment_host("", machine, into);
}

static void live_probe_monitors(const struct plan *plan, const struct case_instance *instance,
				struct trial *out)
{
	pid_t self = getpid();
	struct monitor_context context = {
		.root = "",
		.cpus = instance->cpus,
		.machine = instance->machine,
		.pids = &self,
		.n_pids = 1,
	};

	/* the plan's names have been checked */
	error_free(monitor_probe(plan->monitors, plan->n_monitors, &context, out));
	live_recording_probe(plan, out);
}

const struct backend backend_live = {
	.name = "live",
	.summary = "this machine, the running kernel",
	.offers = TASK_PROCESS | TASK_THREAD | TASK_EXEC | TASK_SESSION | TASK_CHANNEL |
		  TASK_COMPUTE | TASK_MEMORY | TASK_FILES | TASK_NETWORK | TASK_PROGRAM,
	.parallel = live_parallel,
	.check = live_check,
	.warnings = live_warnings,
	.probe_monitors = live_probe_monitors,
	.start = live_start,
	.finish = live_finish,
	.environment = live_environment,
};
