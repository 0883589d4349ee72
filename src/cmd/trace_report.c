// SPDX-License-Identifier: GPL-2.0-only
/* trace_report.c - `fairtrial trace report`: what a recording holds, and what its analysis says */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cmd/trace.h"
#include "events/analysis.h"
#include "events/import.h"
#include "report/map.h"

#define MOST_CPUS 65536

/* A sink that counts, and remembers the head and the marks. */
struct summary {
	struct event_sink sink;
	char *source, *clock, *kernel, *machine;
	bool topology; /* the machine is known */
	uint64_t kinds[N_EVENT_KINDS];
	uint64_t *cpus; /* events by CPU */
	int n_cpus;
	uint64_t *lost_cpus;
	int n_lost_cpus;
	uint64_t tasks, renamed;
	char **notes;
	int n_notes;
	uint64_t mark_begin, mark_end;
	int32_t *workers;
	int n_workers;
	struct event_totals totals;
	char *damage;
	bool ended;
};

static char *copy(const char *text)
{
	char *own = memory_string(text ? text : "not known");

	text_printable(own);
	return own;
}

static struct error *summary_begin(struct event_sink *sink, const struct event_info *info)
{
	struct summary *summary = (struct summary *)sink;

	summary->source = copy(info->source);
	summary->clock = copy(info->clock);
	summary->kernel = copy(info->kernel);
	summary->machine = copy(info->machine_name);
	summary->topology = info->machine != NULL;
	return NULL;
}

static struct error *summary_task(struct event_sink *sink, const struct event_task *task)
{
	struct summary *summary = (struct summary *)sink;

	summary->tasks += task->reason != EVENT_TASK_NAMED;
	summary->renamed += task->reason == EVENT_TASK_NAMED;
	return NULL;
}

static struct error *summary_event(struct event_sink *sink, const struct event *event)
{
	struct summary *summary = (struct summary *)sink;

	summary->kinds[event->kind]++;
	while (event->cpu < MOST_CPUS && summary->n_cpus <= event->cpu)
		array_append(summary->cpus, summary->n_cpus);
	if (event->cpu >= 0 && event->cpu < MOST_CPUS)
		summary->cpus[event->cpu]++;
	return NULL;
}

static struct error *summary_lost(struct event_sink *sink, const struct event_lost *lost)
{
	struct summary *summary = (struct summary *)sink;

	while (lost->cpu < MOST_CPUS && summary->n_lost_cpus <= lost->cpu)
		array_append(summary->lost_cpus, summary->n_lost_cpus);
	if (lost->cpu >= 0 && lost->cpu < MOST_CPUS)
		summary->lost_cpus[lost->cpu] += lost->count;
	return NULL;
}

static struct error *summary_mark(struct event_sink *sink, const struct event_mark *mark)
{
	struct summary *summary = (struct summary *)sink;

	if (mark->kind == EVENT_MARK_END) {
		summary->mark_end = mark->time;
		return NULL;
	}
	summary->mark_begin = mark->time;
	if (mark->n_workers && !summary->workers) {
		size_t bytes = (size_t)mark->n_workers * sizeof(*mark->workers);

		summary->workers = memory_copy(mark->workers, bytes);
		summary->n_workers = mark->n_workers;
	}
	if (mark->note)
		*array_append(summary->notes, summary->n_notes) = copy(mark->note);
	return NULL;
}

static struct error *summary_end(struct event_sink *sink, const struct event_totals *totals)
{
	struct summary *summary = (struct summary *)sink;

	summary->totals = *totals;
	summary->ended = true;
	summary->damage = totals->damage ? copy(totals->damage) : NULL;
	return NULL;
}

static void summary_clear(struct summary *summary)
{
	for (int i = 0; i < summary->n_notes; i++)
		free(summary->notes[i]);
	free(summary->notes);
	free(summary->source);
	free(summary->clock);
	free(summary->kernel);
	free(summary->machine);
	free(summary->cpus);
	free(summary->lost_cpus);
	free(summary->workers);
	free(summary->damage);
}

/* ---- printing ---- */

static void print_lost(const struct summary *summary)
{
	const struct event_totals *totals = &summary->totals;

	printf("%-12s", "lost");
	if (!totals->lost && !totals->lost_unknown)
		printf("none");
	if (totals->lost)
		printf("%" PRIu64 " events", totals->lost);
	if (totals->lost_unknown)
		printf("%s an unknown number", totals->lost ? " and" : "");
	for (int i = 0, n = 0; i < summary->n_lost_cpus; i++)
		if (summary->lost_cpus[i])
			printf("%s %" PRIu64 " on CPU %d", n++ ? "," : ";", summary->lost_cpus[i],
			       i);
	putchar('\n');
	if (totals->late)
		printf("%-12s%" PRIu64 " events came too late to be sorted in, by up to %.3f ms\n",
		       "late", totals->late, (double)totals->late_most_ns / 1e6);
	if (summary->damage)
		printf("%-12s%s\n", "damaged", summary->damage);
}

static void print_kinds(const struct summary *summary)
{
	double seconds = (double)(summary->totals.last - summary->totals.first) / 1e9;

	printf("\n%-12s %12s %12s\n", "EVENT", "COUNT", "A SECOND");
	for (int i = 0; i < N_EVENT_KINDS; i++)
		if (summary->kinds[i])
			printf("%-12s %12" PRIu64 " %12.0f\n", event_kind_name(i),
			       summary->kinds[i], seconds > 0 ? summary->kinds[i] / seconds : NAN);
}

static void print_cpus(const struct summary *summary)
{
	int column = 0;

	puts("\nEVENTS BY CPU");
	for (int i = 0; i < summary->n_cpus; i++) {
		if (!summary->cpus[i])
			continue;
		printf("%5d %10" PRIu64 "%s", i, summary->cpus[i], ++column % 4 ? "   " : "\n");
	}
	if (column % 4)
		putchar('\n');
}

static void print_summary(const struct summary *summary)
{
	const struct event_totals *totals = &summary->totals;

	printf("%-12s%s, kernel %s\n", "source", summary->source, summary->kernel);
	printf("%-12s%s%s\n", "machine", summary->machine,
	       summary->topology ? "" : " (no topology; --machine gives one)");
	printf("%-12s%s\n", "clock", summary->clock);
	if (totals->events)
		printf("%-12s%.9f to %.9f s, %.6f s\n", "time", (double)totals->first / 1e9,
		       (double)totals->last / 1e9, (double)(totals->last - totals->first) / 1e9);
	for (int i = 0; i < summary->n_notes; i++)
		printf("%-12s%s\n", "trial", summary->notes[i]);
	if (summary->mark_begin)
		if (totals->events)
			printf("%-12s%.9f to %.9f s, %.6f s, %d workers\n", "measured",
			       (double)summary->mark_begin / 1e9, (double)summary->mark_end / 1e9,
			       summary->mark_end > summary->mark_begin
				       ? (double)(summary->mark_end - summary->mark_begin) / 1e9
				       : NAN,
			       summary->n_workers);
	printf("%-12s%" PRIu64 "\n", "events", totals->events);
	printf("%-12s%" PRIu64 ", %" PRIu64 " new names\n", "tasks", summary->tasks,
	       summary->renamed);
	print_lost(summary);
	if (!totals->events)
		return;
	print_kinds(summary);
	print_cpus(summary);
}

static void print_metrics(const struct analysis *analysis)
{
	struct trial trial = { .environment = json_object() };
	const struct metric *missing;

	analysis_report(analysis, &trial);
	missing = trial_metric(&trial, "events_missing");
	printf("\nMETRICS of %.6f s (docs/events.md defines each)\n", analysis_seconds(analysis));
	if (missing && missing->value > 0)
		printf("note: %.0f switches contradict the one before on their CPU: events in between "
		       "are\n  missing, though not told as lost. Idle and waiting times are not to be "
		       "trusted.\n",
		       missing->value);
	for (int i = 0; i < trial.n_metrics; i++) {
		const struct metric *metric = &trial.metrics[i];

		if (metric->unavailable)
			printf("%-24s %14s  %s\n", metric->name, "-", metric->unavailable);
		else
			printf("%-24s %14.6g  %s\n", metric->name, metric->value, metric->unit);
	}
	trial_clear(&trial);
}

static void print_tasks(const struct analysis *analysis, bool by_name, long most)
{
	int n;
	autofree struct analysis_task *tasks = analysis_tasks(analysis, by_name, &n);

	printf("\n%-16s %8s %6s %12s %9s %12s %12s\n", "TASK", by_name ? "PID(1st)" : "PID",
	       "TASKS", "RUN ms", "SWITCHES", "MEAN WAIT us", "MAX WAIT us");
	for (int i = 0; i < n && i < most; i++) {
		const struct analysis_task *task = &tasks[i];

		printf("%-16s %8d %6d %12.3f %9" PRIu64 " %12.1f %12.1f\n", task->name, task->pid,
		       task->n_tasks, (double)task->run_ns / 1e6, task->switches,
		       task->switches ? (double)task->wait_ns / 1e3 / (double)task->switches : 0,
		       (double)task->longest_ns / 1e3);
	}
	if (n > most)
		printf("and %ld more; --tasks %d shows all\n", n - most, n);
}

/* ---- the map: a second reading, now that the time is known ---- */

static struct error *read_map(const struct arguments *arguments, const struct summary *summary,
			      const struct machine *machine, int columns, struct map **out)
{
	bool marked = summary->mark_end > summary->mark_begin && summary->mark_begin;
	uint64_t from = marked ? summary->mark_begin : summary->totals.first;
	uint64_t to = marked ? summary->mark_end : summary->totals.last;
	struct map *map = map_new(from, to, columns);
	struct error *error = event_import(
		arguments->words[1], option_value(arguments, "format", NULL), machine, &map->sink);

	/* what is damaged was said by the first reading; the rest of it is in the map */
	if (summary->damage) {
		error_free(error);
		error = NULL;
	}
	*out = map;
	return error;
}

static void print_map(const struct map *map, const struct summary *summary,
		      const struct analysis *analysis, bool by_name)
{
	struct map_names names = {
		.workers = summary->workers,
		.n_workers = summary->n_workers,
		.by_name = by_name,
	};
	autofree struct analysis_task *tasks = analysis_tasks(analysis, false, &names.n_tasks);

	names.tasks = tasks;
	map_print(stdout, map, &names);
}

static struct error *draw_map(const struct arguments *arguments, const struct summary *summary,
			      const struct analysis *analysis, const struct machine *machine)
{
	const char *path = option_value(arguments, "svg", NULL);
	struct error *error = NULL;
	struct map *map = NULL;

	if (option_given(arguments, "map")) {
		error = read_map(arguments, summary, machine, MAP_TEXT_COLUMNS, &map);
		if (!error)
			print_map(map, summary, analysis, option_given(arguments, "by-name"));
		map_free(map);
		map = NULL;
	}
	if (!error && path) {
		error = read_map(arguments, summary, machine, MAP_PICTURE_COLUMNS, &map);
		if (!error)
			error = map_svg(map, path, option_given(arguments, "force"));
		map_free(map);
	}
	return error;
}

struct error *trace_report(const struct arguments *arguments)
{
	struct analysis_options options = { .keep_tasks = true };
	struct analysis *analysis = analysis_new(&options);
	struct summary summary = {
		.sink = { summary_begin, summary_task, summary_event, summary_lost, summary_mark,
			  summary_end, NULL },
	};
	struct event_sink *tee =
		event_tee((struct event_sink *[]){ &summary.sink, analysis_sink(analysis) }, 2);
	const char *svg = option_value(arguments, "svg", NULL);
	struct machine *machine = NULL;
	struct error *error;
	long most;

	error = option_integer(arguments, "tasks", 0, 1000000, 20, &most);
	if (!error && !strcmp(arguments->words[1], "-") &&
	    (option_given(arguments, "map") || option_given(arguments, "svg")))
		error = error_new(ERR_USAGE, "trace report: --map and --svg read the recording "
					     "twice: a file is needed, not standard input");
	if (!error && svg)
		error = trace_other_file(arguments->words[1], svg);
	if (!error && svg)
		error = output_check(svg, option_given(arguments, "force"));
	if (!error)
		error = trace_machine(arguments, &machine);
	if (!error)
		error = event_import(arguments->words[1], option_value(arguments, "format", NULL),
				     machine, tee);
	/* a damaged recording is reported as far as it is whole; the error comes after it */
	if (summary.ended)
		print_summary(&summary);
	if (summary.totals.events) {
		print_metrics(analysis);
		print_tasks(analysis, option_given(arguments, "by-name"), most);
		if (!error || summary.damage) {
			struct error *drawing = draw_map(arguments, &summary, analysis, machine);

			if (!error)
				error = drawing;
			else
				error_free(drawing);
		}
	}
	event_sink_free(tee); /* both sinks have nothing of their own to free by it */
	analysis_free(analysis);
	summary_clear(&summary);
	machine_close(machine);
	return error;
}
