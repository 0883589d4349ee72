// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock.c - how fast the case's CPUs were clocked while they worked, and how fast they may be
 *
 * APERF counts at the real clock and MPERF at the TSC's, both only while a CPU is not halted, so
 * the clock while working is aperf / mperf x TSC rate (Intel SDM vol. 3, 15.5.2; the same on AMD).
 */
#include "monitor/clock.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "monitor/monitor.h"
#include "monitor/perf.h"

enum {
	CLOCK,
	AWAKE,
	CURRENT,
	LIMIT
};

static const struct metric_desc clock_metrics[] = {
	[CLOCK] = { "clock", "MHz", BETTER_NEITHER, 1,
		    "mean clock of the case's CPUs while not halted (aperf / mperf x TSC rate)" },
	[AWAKE] = { "awake", "%", BETTER_NEITHER, 1,
		    "time that the case's CPUs were not halted (mperf / TSC)" },
	[CURRENT] = { "cpufreq_clock", "MHz", BETTER_NEITHER, 1,
		      "mean clock of the case's CPUs that cpufreq tells at the end" },
	[LIMIT] = { "clock_limit", "%", BETTER_NEITHER, 1,
		    "highest clock that cpufreq allows, of what the CPUs can do" },
	{ NULL },
};

struct clock_state {
	uint64_t now_ns;
	struct perf_counters *aperf, *mperf, *tsc;
	struct error *error; /* why there are no counters */
};

bool clock_of(const struct clock_counts *counts, double *mhz, double *awake)
{
	if (!counts->mperf || !counts->tsc || !(counts->cpu_seconds > 0))
		return false;
	*mhz = (double)counts->aperf / (double)counts->mperf * (double)counts->tsc /
	       counts->cpu_seconds / 1e6;
	*awake = 100 * (double)counts->mperf / (double)counts->tsc;
	return true;
}

static struct error *open_msr(const struct monitor_context *context, const char *event,
			      struct perf_counters **out)
{
	uint32_t type;
	uint64_t config;
	struct error *error = perf_pmu_event(context->root, "msr", event, &type, &config, NULL);

	if (!error && *context->root)
		error = error_new(ERR_UNAVAILABLE,
				  "perf events cannot be read from a recorded tree");
	return error ? error : perf_open(type, config, context->cpus, out);
}

static struct error *clock_start(const struct monitor_context *context, void **out)
{
	struct clock_state *state = memory_zeroed(1, sizeof(*state));

	state->error = open_msr(context, "aperf", &state->aperf);
	if (!state->error)
		state->error = open_msr(context, "mperf", &state->mperf);
	if (!state->error)
		state->error = open_msr(context, "tsc", &state->tsc);
	state->now_ns = monitor_now(context);
	*out = state;
	return NULL;
}

static void clock_drop(void *data)
{
	struct clock_state *state = data;

	perf_close(state->aperf);
	perf_close(state->mperf);
	perf_close(state->tsc);
	error_free(state->error);
	free(state);
}

static void unavailable(struct trial *trial, int index, const struct error *error)
{
	autofree char *reason = error_text(error);

	trial_add_unavailable(trial, &clock_metrics[index], reason);
}

static void add_counted(const struct monitor_context *context, struct clock_state *state,
			struct trial *trial)
{
	struct clock_counts counts = { 0 };
	double mhz = NAN, awake = NAN;

	counts.cpu_seconds = (double)(monitor_now(context) - state->now_ns) / 1e9 *
			     hwloc_bitmap_weight(context->cpus);
	if (!state->error)
		state->error = perf_sum(state->aperf, &counts.aperf);
	if (!state->error)
		state->error = perf_sum(state->mperf, &counts.mperf);
	if (!state->error)
		state->error = perf_sum(state->tsc, &counts.tsc);
	if (!state->error && !clock_of(&counts, &mhz, &awake))
		state->error = error_new(ERR_UNAVAILABLE, "aperf and mperf do not count here");
	if (state->error) {
		unavailable(trial, CLOCK, state->error);
		unavailable(trial, AWAKE, state->error);
		return;
	}
	trial_add_metric(trial, &clock_metrics[CLOCK], mhz, NULL, 0);
	trial_add_metric(trial, &clock_metrics[AWAKE], awake, NULL, 0);
}

/* a number of kHz that cpufreq tells of a CPU */
static struct error *cpufreq(const struct monitor_context *context, int cpu, const char *name,
			     double *out)
{
	autofree char *path = memory_format("%s/sys/devices/system/cpu/cpu%d/cpufreq/%s",
					    context->root, cpu, name);
	autofree char *text = file_read_line(path);
	struct error *error;

	if (!text)
		return error_new(ERR_UNAVAILABLE, "CPU %d has no readable cpufreq/%s", cpu, name);
	error = text_number(text, out);
	return error ? error_prefix(error, "%s", path) : NULL;
}

static struct error *sum_cpufreq(const struct monitor_context *context, const char *name,
				 double *sum)
{
	int cpu;

	*sum = 0;
	for (cpu = hwloc_bitmap_first(context->cpus); cpu >= 0;
	     cpu = hwloc_bitmap_next(context->cpus, cpu)) {
		double value;
		struct error *error = cpufreq(context, cpu, name, &value);

		if (error)
			return error;
		*sum += value;
	}
	return NULL;
}

static void add_cpufreq(const struct monitor_context *context, struct trial *trial)
{
	double current, allowed, possible;
	struct error *error = sum_cpufreq(context, "scaling_cur_freq", &current);

	if (error)
		unavailable(trial, CURRENT, error);
	else
		trial_add_metric(trial, &clock_metrics[CURRENT],
				 current / 1e3 / hwloc_bitmap_weight(context->cpus), NULL, 0);
	error_free(error);
	error = sum_cpufreq(context, "scaling_max_freq", &allowed);
	if (!error)
		error = sum_cpufreq(context, "cpuinfo_max_freq", &possible);
	if (error)
		unavailable(trial, LIMIT, error);
	else
		trial_add_metric(trial, &clock_metrics[LIMIT], 100 * allowed / possible, NULL, 0);
	error_free(error);
}

static struct error *clock_stop(const struct monitor_context *context, void *data,
				struct trial *trial)
{
	add_counted(context, data, trial);
	add_cpufreq(context, trial);
	clock_drop(data);
	return NULL;
}

const struct monitor monitor_clock = {
	.name = "clock",
	.summary = "the clock of the case's CPUs while they work, and its limit",
	.metrics = clock_metrics,
	.start = clock_start,
	.stop = clock_stop,
	.drop = clock_drop,
};
