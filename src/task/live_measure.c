// SPDX-License-Identifier: GPL-2.0-only
#include "task/live_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

void live_measure_new(struct live_measure *measure, struct live_team *team)
{
	*measure = (struct live_measure){ .team = team };
	measure->readings = memory_zeroed(team->n_workers, sizeof(*measure->readings));
	measure->pids = memory_zeroed(team->n_workers, sizeof(*measure->pids));
	for (int i = 0; i < team->n_workers; i++)
		measure->readings[i].perf_fd = -1;
}

void live_measure_free(struct live_measure *measure)
{
	for (int i = 0; i < measure->team->n_workers; i++)
		if (measure->readings[i].perf_fd >= 0)
			close(measure->readings[i].perf_fd);
	live_stat_source_clear(&measure->source);
	free(measure->readings);
	free(measure->pids);
}

void live_measure_prepare(struct live_measure *measure)
{
	const struct live_slot *slots = measure->team->slots;

	live_stat_probe(&measure->source, "", slots->pid, slots->tid);
	for (int i = 0; i < measure->team->n_workers; i++) {
		measure->pids[i] = slots[i].tid;
		measure->readings[i].perf_fd = live_stat_open(&measure->source, slots[i].tid);
	}
}

static void read_stats(struct live_measure *measure, int which)
{
	for (int i = 0; i < measure->team->n_workers; i++) {
		const struct live_slot *slot = &measure->team->slots[i];
		struct live_reading *reading = &measure->readings[i];

		reading->child_ns[which] = __atomic_load_n(&slot->child_ns, __ATOMIC_RELAXED);
		live_stat_read(&measure->source, slot->pid, slot->tid, reading->perf_fd,
			       &reading->stat[which]);
	}
}

void live_measure_begin(struct live_measure *measure)
{
	read_stats(measure, 0);
}

void live_measure_end(struct live_measure *measure)
{
	read_stats(measure, 1);
}

void live_measure_counters(struct live_measure *measure, bool begin)
{
	for (int i = 0; i < measure->team->n_workers; i++) {
		const struct live_slot *slot = &measure->team->slots[i];
		uint64_t *to = measure->readings[i].counters[begin ? 0 : 1];

		for (int j = 0; j < TEAM_MAX_COUNTERS; j++)
			to[j] = __atomic_load_n(&slot->counters[j], __ATOMIC_RELAXED) +
				__atomic_load_n(&slot->child_counters[j], __ATOMIC_RELAXED);
	}
}

void live_measure_mark(struct live_measure *measure, bool begin)
{
	const struct live_options *options = &measure->team->options;

	if (options->mark)
		options->mark(options->data, begin, measure->pids, measure->team->n_workers);
}

static double cpu_seconds(const struct live_reading *reading)
{
	return (reading->stat[1].cpu_ns - reading->stat[0].cpu_ns +
		(double)(reading->child_ns[1] - reading->child_ns[0])) /
	       1e9;
}

static void fill_worker(const struct live_measure *measure, int number, struct worker_report *out)
{
	const struct live_slot *slot = &measure->team->slots[number];
	const struct live_reading *reading = &measure->readings[number];
	const struct live_stat *begin = &reading->stat[0], *end = &reading->stat[1];
	uint64_t finished = slot->finished;

	for (int i = 0; i < TEAM_MAX_COUNTERS; i++)
		out->counters[i] = reading->counters[1][i] - reading->counters[0][i];
	if (measure->team->histograms)
		out->histograms = &measure->team->histograms[measure->team->workers[number].index *
							     measure->team->base.n_histograms];
	out->start_ns = measure->begin_ns;
	out->end_ns = measure->end_ns;
	if (finished && finished < out->end_ns)
		out->end_ns = finished > out->start_ns ? finished : out->start_ns;
	out->seconds = (out->end_ns - out->start_ns) / 1e9;
	out->cpu_seconds = cpu_seconds(reading);
	out->wait_seconds = (end->wait_ns - begin->wait_ns) / 1e9;
	out->migrations = end->migrations - begin->migrations;
	out->switches = end->switches - begin->switches;
	out->involuntary = end->involuntary - begin->involuntary;
	out->start_skew_ns = slot->started ? (double)(slot->started - measure->gate_ns) : NAN;
}

static char *take(char **text)
{
	char *taken = *text ? *text : memory_string("not available: the trial did not begin");

	*text = NULL;
	return taken;
}

void live_measure_report(struct live_measure *measure, struct team_report *report)
{
	struct live_team *team = measure->team;

	report->workers = memory_zeroed(team->n_reported, sizeof(*report->workers));
	report->n_workers = team->n_reported;
	report->n_histograms = team->base.n_histograms;
	for (int i = 0; i < team->n_workers; i++)
		if (team->workers[i].index >= 0)
			fill_worker(measure, i, &report->workers[team->workers[i].index]);
	for (int i = 0; i < team->n_workers; i++)
		report->cpu_seconds += cpu_seconds(&measure->readings[i]);
	report->seconds = (measure->end_ns - measure->begin_ns) / 1e9;
	report->wait_source = take(&measure->source.wait);
	report->migrations_source = take(&measure->source.migrations);
	if (__atomic_load_n(&team->control->failed, __ATOMIC_ACQUIRE))
		report->failure = memory_string(team->control->failure);
}
