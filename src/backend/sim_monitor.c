// SPDX-License-Identifier: GPL-2.0-only
#include "backend/sim_monitor.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "monitor/monitor.h"
#include "monitor/schedstat.h"
#include "monitor/schedstat_domains.h"

#define SCHEDSTAT "/proc/schedstat"

/* longest line of a domain, mask included; lines a CPU */
#define LINE_BYTES 1024
#define LINES	   12

/* ---- what the simulated kernel says ---- */

static char *read_schedstat(struct sim *sim, int n_cpus)
{
	size_t size = (size_t)(n_cpus + 1) * LINES * LINE_BYTES;
	char *text = memory_zeroed(1, size);

	if (sim_kernel(sim)->read(SCHEDSTAT, text, size) >= 0)
		return text;
	free(text);
	return NULL;
}

void sim_observe(void *data, struct sim *sim, bool end)
{
	struct sim_observation *observation = data;
	int n = sim_n_cpus(sim);
	char *text = read_schedstat(sim, n);

	if (!end) {
		observation->n_cpus = n;
		observation->cpu_ids = memory_zeroed(n, sizeof(*observation->cpu_ids));
		for (int i = 0; i < n; i++)
			observation->cpu_ids[i] = sim_machine_cpu(sim, i);
		observation->before = text;
		return;
	}
	observation->after = text;
	if (sim_kernel(sim)->read("/proc/sys/kernel/sched_schedstats", observation->enabled,
				  sizeof(observation->enabled)) < 0)
		observation->enabled[0] = '\0';
}

void sim_observation_clear(struct sim_observation *observation)
{
	free(observation->before);
	free(observation->after);
	free(observation->cpu_ids);
	memset(observation, 0, sizeof(*observation));
}

/* ---- metrics ---- */

struct source {
	const struct plan *plan;
	const struct machine *machine;
	hwloc_const_bitmap_t cpus; /* of the case, the machine's ids */
	const struct team_report *report;
	const struct sim_observation *observation;
	struct sim_usage usage;
};

/* Why a monitor, or one metric of it, has no value here. */
static const struct {
	const char *monitor, *metric, *reason; /* metric NULL: all that are left */
} reasons[] = {
	{ "cpu", "iowait", "waiting for a simulated disk is idle time" },
	{ "cpu", "irq", "the simulator counts interrupts as system" },
	{ "cpu", "steal", "a simulated machine has no host that takes time" },
	{ "sched", "cpu_migrations",
	  "the simulator counts migrations of each worker (migrations), not those to a CPU" },
	{ "throttle", NULL, "the simulator does not read cpu.stat of its groups" },
	{ "load", NULL, "a simulated machine runs the trial and its file's background only" },
	{ "counters", NULL,
	  "a simulated CPU has no performance counters; switches, migrations and CPU time of "
	  "workers are measured without" },
	{ "clock", NULL, "the clock is the machine file's (clock-one, clock-all), not measured" },
	{ "power", NULL, "the simulator has no model of power" },
	{ "thermal", NULL, "the simulator has no model of heat" },
};

static const char *reason_of(const char *monitor, const char *metric)
{
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(reasons[i].monitor, monitor) &&
		    (!reasons[i].metric || !strcmp(reasons[i].metric, metric)))
			return reasons[i].reason;
	return "monitors read this machine, not a simulated one";
}

static bool cpu_value(const struct source *source, const char *name, double *value)
{
	if (!strcmp(name, "user"))
		*value = source->usage.user;
	else if (!strcmp(name, "system"))
		*value = source->usage.system;
	else if (!strcmp(name, "idle"))
		*value = source->usage.idle;
	else
		return false;
	return true;
}

/* of the workers' threads */
static bool wait_share(const struct source *source, double *value)
{
	double run = 0, wait = 0;

	for (int i = 0; i < source->report->n_workers; i++) {
		run += source->report->workers[i].cpu_seconds;
		wait += source->report->workers[i].wait_seconds;
	}
	*value = 100 * wait / (run + wait);
	return run + wait > 0;
}

static struct error *cpu_counts(const struct source *source, const char *text,
				struct cpu_schedstat *out)
{
	/* its lines have the kernel's numbers */
	hwloc_bitmap_t numbers = hwloc_bitmap_alloc();
	struct error *error;

	for (int i = 0; i < source->observation->n_cpus; i++)
		if (hwloc_bitmap_isset(source->cpus, source->observation->cpu_ids[i]))
			hwloc_bitmap_set(numbers, i);
	error = cpu_schedstat_parse(text, SCHEDSTAT, numbers, out);
	hwloc_bitmap_free(numbers);
	return error;
}

/* whether schedstats count; else why not */
static struct error *counted(const struct sim_observation *observation)
{
	if (!observation->before || !observation->after)
		return error_new(ERR_UNAVAILABLE, "the simulated kernel has no " SCHEDSTAT);
	if (observation->enabled[0] == '0')
		return error_new(ERR_UNAVAILABLE,
				 "not counted while kernel.sched_schedstats is 0 "
				 "(sysctl.kernel.sched_schedstats = 1 in [variant] sets it)");
	return NULL;
}

static struct error *queue_value(const struct source *source, const char *name, double *value)
{
	const struct sim_observation *observation = source->observation;
	struct cpu_schedstat before, after;
	bool wakeups = !strcmp(name, "local_wakeups");
	struct error *error = NULL;
	double all;

	if (wakeups)
		error = counted(observation);
	else if (!observation->before || !observation->after)
		error = error_new(ERR_UNAVAILABLE, "the simulated kernel has no " SCHEDSTAT);
	if (!error)
		error = cpu_counts(source, observation->before, &before);
	if (!error)
		error = cpu_counts(source, observation->after, &after);
	if (error)
		return error;
	if (!wakeups) {
		*value = (double)(after.wait_ns - before.wait_ns) / 1e9 / source->report->seconds;
		return NULL;
	}
	all = (double)(after.wakeups - before.wakeups);
	if (!(all > 0))
		return error_new(ERR_UNAVAILABLE, "no wakeup was counted");
	*value = 100 * (double)(after.local_wakeups - before.local_wakeups) / all;
	return NULL;
}

static struct error *sched_value(const struct source *source, const char *name, double *value)
{
	if (!strcmp(name, "queued") || !strcmp(name, "local_wakeups"))
		return queue_value(source, name, value);
	if (!strcmp(name, "wait_share") && wait_share(source, value))
		return NULL;
	if (!strcmp(name, "system_switches"))
		*value = (double)source->usage.count[KSCHED_COST_SWITCH] / source->report->seconds;
	else if (!strcmp(name, "cpu_switches"))
		*value = (double)source->usage.case_switches / source->report->seconds;
	else
		return error_new(ERR_UNAVAILABLE, "%s",
				 strcmp(name, "wait_share") ? reason_of("sched", name)
							    : "no worker was runnable");
	return NULL;
}

static void add_one(const struct source *source, const char *monitor,
		    const struct metric_desc *desc, struct trial *out)
{
	struct error *error = NULL;
	double value = 0;

	if (!strcmp(monitor, "sched"))
		error = sched_value(source, desc->name, &value);
	else if (strcmp(monitor, "cpu") != 0 || !cpu_value(source, desc->name, &value))
		error = error_new(ERR_UNAVAILABLE, "%s", reason_of(monitor, desc->name));
	if (error)
		trial_add_unavailable(out, desc, error->message);
	else
		trial_add_metric(out, desc, value, NULL, 0);
	error_free(error);
}

static void add_balancing(const struct source *source, struct trial *out)
{
	const struct sim_observation *observation = source->observation;
	struct balance_counts before, after;
	struct error *error = counted(observation);

	if (!error)
		error = balance_counts_parse(observation->before, SCHEDSTAT, source->machine,
					     source->cpus, observation->cpu_ids,
					     observation->n_cpus, &before);
	if (!error)
		error = balance_counts_parse(observation->after, SCHEDSTAT, source->machine,
					     source->cpus, observation->cpu_ids,
					     observation->n_cpus, &after);
	if (!error)
		balance_report(&before, &after, source->report->seconds, out);
	for (const struct metric_desc *desc = schedstat_metrics; error && desc->name; desc++)
		trial_add_unavailable(out, desc, error->message);
	error_free(error);
}

void sim_monitors_add(const struct plan *plan, const struct machine *machine, struct team *team,
		      const struct team_report *report, const struct sim_observation *observation,
		      struct trial *out)
{
	struct source source = {
		.plan = plan,
		.machine = machine,
		.cpus = team->cpus,
		.report = report,
		.observation = observation,
	};

	sim_team_usage(team, &source.usage);
	for (int i = 0; i < plan->n_monitors; i++) {
		const struct monitor *monitor = monitor_find(plan->monitors[i]);

		if (!strcmp(monitor->name, "schedstat")) {
			add_balancing(&source, out);
			continue;
		}
		if (monitor->recorded) /* by the backend, from events */
			continue;
		for (const struct metric_desc *desc = monitor->metrics; desc->name; desc++)
			add_one(&source, monitor->name, desc, out);
	}
}

void sim_monitors_probe(const struct plan *plan, const struct case_instance *instance,
			struct trial *out)
{
	(void)instance;
	for (int i = 0; i < plan->n_monitors; i++) {
		const struct monitor *monitor = monitor_find(plan->monitors[i]);

		/* of these the kernel and the trial decide */
		if (monitor->recorded || !strcmp(monitor->name, "schedstat") ||
		    !strcmp(monitor->name, "sched") || !strcmp(monitor->name, "cpu"))
			continue;
		for (const struct metric_desc *desc = monitor->metrics; desc->name; desc++)
			trial_add_unavailable(out, desc, reason_of(monitor->name, desc->name));
	}
}
