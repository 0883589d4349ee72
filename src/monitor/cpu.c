// SPDX-License-Identifier: GPL-2.0-only
/* cpu.c - what the CPUs of the case did in the measured time, from /proc/stat */
#include "monitor/monitor.h"

#include <stdlib.h>

#include "base/memory.h"
#include "monitor/procstat.h"

static const struct metric_desc cpu_metrics[] = {
	{ "user", "%", BETTER_NEITHER, 1, "share of the case's CPUs in user mode, niced included" },
	{ "system", "%", BETTER_NEITHER, 1, "share of the case's CPUs in the kernel" },
	{ "idle", "%", BETTER_NEITHER, 1, "share of the case's CPUs without a runnable task" },
	{ "iowait", "%", BETTER_NEITHER, 1, "idle while a task that ran there waits for a disk" },
	{ "irq", "%", BETTER_NEITHER, 1, "share of the case's CPUs in hard and soft interrupts" },
	{ "steal", "%", BETTER_NEITHER, 1, "taken from this virtual machine by its host" },
	{ NULL },
};

static struct error *cpu_start(const struct monitor_context *context, void **state)
{
	struct proc_stat *stat = memory_zeroed(1, sizeof(*stat));
	struct error *error = proc_stat_read(context->root, stat);

	if (error) {
		free(stat);
		return error;
	}
	*state = stat;
	return NULL;
}

static void cpu_drop(void *state)
{
	proc_stat_clear(state);
	free(state);
}

static const struct cpu_ticks *find(const struct proc_stat *stat, int id)
{
	for (int i = 0; i < stat->n_cpus; i++)
		if (stat->cpus[i].id == id)
			return &stat->cpus[i];
	return NULL;
}

/* idle and iowait of a CPU that enters or leaves its idle state may step back by a tick */
static double since(uint64_t before, uint64_t after)
{
	return after > before ? (double)(after - before) : 0;
}

/* adds what a CPU did to @ticks, in the order of cpu_metrics */
static void add_ticks(const struct cpu_ticks *before, const struct cpu_ticks *after, double *ticks)
{
	ticks[0] += since(before->user, after->user);
	ticks[1] += since(before->system, after->system);
	ticks[2] += since(before->idle, after->idle);
	ticks[3] += since(before->iowait, after->iowait);
	ticks[4] += since(before->irq, after->irq);
	ticks[5] += since(before->steal, after->steal);
}

static struct error *sum_ticks(hwloc_const_bitmap_t cpus, const struct proc_stat *before,
			       const struct proc_stat *after, double *ticks)
{
	int id;

	for (id = hwloc_bitmap_first(cpus); id >= 0; id = hwloc_bitmap_next(cpus, id)) {
		const struct cpu_ticks *old = find(before, id), *new = find(after, id);

		if (!old || !new)
			return error_new(ERR_UNAVAILABLE,
					 "CPU %d was not on-line during the whole trial", id);
		add_ticks(old, new, ticks);
	}
	return NULL;
}

static struct error *cpu_stop(const struct monitor_context *context, void *state,
			      struct trial *trial)
{
	double ticks[ARRAY_SIZE(cpu_metrics) - 1] = { 0 }, total = 0;
	struct proc_stat after = { 0 };
	struct error *error = proc_stat_read(context->root, &after);

	if (!error)
		error = sum_ticks(context->cpus, state, &after, ticks);
	for (size_t i = 0; i < ARRAY_SIZE(ticks); i++)
		total += ticks[i];
	if (!error && !(total > 0))
		error = error_new(ERR_UNAVAILABLE,
				  "the measured time is shorter than a tick of /proc/stat");
	if (!error)
		for (size_t i = 0; i < ARRAY_SIZE(ticks); i++)
			trial_add_metric(trial, &cpu_metrics[i], 100 * ticks[i] / total, NULL, 0);
	proc_stat_clear(&after);
	cpu_drop(state);
	return error;
}

const struct monitor monitor_cpu = {
	.name = "cpu",
	.summary = "user, system, idle and stolen time of the case's CPUs",
	.metrics = cpu_metrics,
	.start = cpu_start,
	.stop = cpu_stop,
	.drop = cpu_drop,
	.shown = true,
};
