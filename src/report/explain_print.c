// SPDX-License-Identifier: GPL-2.0-only
/* explain_print.c - sentences with their figures, the table behind them, and experiments */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/explain.h"
#include "report/format.h"
#include "report/header.h"

#define MOST_SENTENCES 12
#define MOST_PLACES    3

/* means as the effect is of them: geometric for a ratio */
static double location(const struct cell *cell, const struct sample *sample)
{
	return cell->effect.scale == EFFECT_RATIO && !isnan(sample->geometric) ? sample->geometric
									       : sample->mean;
}

static const char *plain_unit(const char *unit)
{
	return strcmp(unit, "1") ? unit : "";
}

/* "273 -> 351598 1/s" */
static char *values_text(const struct row *row)
{
	const struct cell *cell = &row->cells[1];
	autofree char *base = format_short(location(cell, &cell->base));
	autofree char *test = format_short(location(cell, &cell->test));
	const char *unit = plain_unit(row->unit);

	return memory_format("%s -> %s%s%s", base, test, *unit ? " " : "", unit);
}

/* ---- results ---- */

static void print_result(FILE *stream, const struct row *row)
{
	const struct cell *cell = &row->cells[1];
	autofree char *values = values_text(row);
	autofree char *effect = format_effect(&cell->effect);
	autofree char *interval = format_interval(&cell->effect);
	autofree char *metric = format_name(row->metric);
	autofree char *line =
		memory_format("%s %s, %s %s  %s", metric, values, effect, interval,
			      *verdict_letter(cell->verdict) ? verdict_letter(cell->verdict) : "-");

	fprintf(stream, "  result  ");
	print_wrapped(stream, line, 10, 12);
}

static bool is_result(const struct row *row)
{
	return row->role == ROLE_MAIN && row->better != BETTER_NEITHER && row->cells[1].compared;
}

/* ---- where ---- */

struct place {
	char *name; /* "node 10 (CPUs 160-175,480-495)" */
	double value, idle;
};

static int fullest_first(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->value < y->value ? 1 : x->value > y->value ? -1 : 0;
}

static const char *level_word(const char *level)
{
	return strcmp(level, "llc") ? level : "LLC";
}

/* adds one trial's places of a level to the sums, which have the same groups in all trials */
static void add_trial(const struct trial *trial, const char *level, const char *field,
		      struct place **places, int *n)
{
	json_t *list = json_object_get(json_object_get(trial->environment, "events"), level);
	json_t *group;
	size_t i;

	json_array_foreach(list, i, group)
	{
		if ((int)i == *n) {
			struct place *place = array_append(*places, *n);

			place->name =
				memory_format("%s %d (CPUs %s)", level_word(level),
					      (int)json_integer_value(json_object_get(group, "id")),
					      json_string_value(json_object_get(group, "cpus")));
		}
		(*places)[i].value += json_number_value(json_object_get(group, field)) /
				      fmax(1, json_number_value(json_object_get(group, "allowed")));
		(*places)[i].idle += json_number_value(json_object_get(group, "idle")) /
				     fmax(1, json_number_value(json_object_get(group, "allowed")));
	}
}

static struct place *places_of(const struct side *side, const char *case_name, const char *level,
			       const char *field, int *n)
{
	struct place *places = NULL;
	int trials = 0;

	*n = 0;
	for (int p = 0; p < side->n_parts; p++) {
		const struct run *run = side->parts[p].run;

		for (int t = 0; t < run->n_trials; t++) {
			const struct trial *trial = &run->trials[t];

			if (trial->variant_index != side->parts[p].variant ||
			    strcmp(run->cases[trial->case_index].name, case_name) ||
			    !trial->environment)
				continue;
			add_trial(trial, level, field, &places, n);
			trials++;
		}
	}
	for (int i = 0; i < *n; i++) {
		places[i].value /= trials;
		places[i].idle /= trials;
	}
	return places;
}

static void places_free(struct place *places, int n)
{
	for (int i = 0; i < n; i++)
		free(places[i].name);
	free(places);
}

/* the groups that stand out: the fullest, and how idle the emptiest are at the same time */
static char *where_text(const struct place *places, int n, const char *side, const char *field)
{
	char *text = memory_format("in %s: ", side);
	double idlest = 0;

	for (int i = 0; i < n && i < MOST_PLACES && places[i].value > 0; i++) {
		autofree char *value = format_short(places[i].value);

		text = memory_append(text, "%s%s %s %s a CPU", i ? ", " : "", places[i].name, value,
				     field);
	}
	for (int i = 0; i < n; i++)
		idlest = fmax(idlest, places[i].idle);
	for (int i = n - 1; i >= 0 && idlest >= 0.005; i--)
		if (places[i].idle == idlest)
			return memory_append(text, "; %s idle %.1f %% of the time", places[i].name,
					     100 * idlest);
	return text;
}

static char *find_where(const struct table *table, const struct finding *finding)
{
	static const char *const levels[] = { "node", "llc" };
	const struct cell *cell = &finding->row->cells[1];
	/* the variant in which there is more of it */
	const struct side *side = &table->sides[cell->test.mean > cell->base.mean];
	const char *field = finding->explanation->where;

	for (size_t i = 0; i < ARRAY_SIZE(levels) && field; i++) {
		int n;
		struct place *places =
			places_of(side, finding->row->case_name, levels[i], field, &n);
		char *text = NULL;

		if (n > 1)
			qsort(places, (size_t)n, sizeof(*places), fullest_first);
		if (n > 1 && places[0].value > 0)
			text = where_text(places, n, side->name, field);
		places_free(places, n);
		if (text)
			return text;
	}
	return NULL;
}

/* ---- sentences ---- */

static char *sentence(const struct table *table, const struct finding *finding)
{
	const struct explanation *explanation = finding->explanation;
	autofree char *values = values_text(finding->row);
	char *text = memory_format("%s %s", explanation->what, values);
	autofree char *where = find_where(table, finding);
	int n = 0;

	for (int i = 0; explanation->parts[i].metric; i++) {
		const struct row *part =
			explain_row(table, finding->row->case_index, explanation->parts[i].metric);
		const struct cell *cell = part ? &part->cells[1] : NULL;
		autofree char *part_values = NULL;

		if (!cell || !cell->compared || (cell->base.mean == 0 && cell->test.mean == 0))
			continue;
		part_values = values_text(part);
		text = memory_append(text, "%s %s %s", n++ ? "," : ";", explanation->parts[i].words,
				     part_values);
	}
	return where ? memory_append(text, "; %s", where) : text;
}

static void print_sentences(FILE *stream, const struct table *table, const struct finding *findings,
			    int n)
{
	for (int i = 0; i < n && i < MOST_SENTENCES; i++) {
		autofree char *text = sentence(table, &findings[i]);

		fprintf(stream, "  %4d. ", i + 1);
		print_wrapped(stream, text, 8, 8);
	}
	if (n > MOST_SENTENCES)
		fprintf(stream, "        and %d smaller changes, in the table\n",
			n - MOST_SENTENCES);
}

/* ---- the table ---- */

static void print_table_row(FILE *stream, const struct row *row)
{
	const struct cell *cell = &row->cells[1];
	autofree char *base = format_short(location(cell, &cell->base));
	autofree char *test = format_short(location(cell, &cell->test));
	autofree char *effect = format_effect(&cell->effect);
	autofree char *interval = format_interval(&cell->effect);
	autofree char *metric = format_name(row->metric);
	autofree char *name = memory_format("%s, %s", metric, row->unit);

	if (strlen(name) > 23)
		fprintf(stream, "    %s\n    %-23s", name, "");
	else
		fprintf(stream, "    %-23s", name);
	/* two limits of thousands of per cent do not fit beside the rest */
	fprintf(stream, strlen(interval) > 20 ? " %9s %9s %9s\n%78s\n" : " %9s %9s %9s %20s\n",
		base, test, effect, interval);
}

static bool moved(const struct table *table, const struct row *row)
{
	return row->role == ROLE_CONTEXT && explain_differs(table, &row->cells[1]);
}

static void print_table(FILE *stream, const struct table *table, int case_index)
{
	int n = 0, all = 0;

	for (int i = 0; i < table->n_rows; i++)
		if (table->rows[i].case_index == case_index) {
			all += table->rows[i].role == ROLE_CONTEXT &&
			       table->rows[i].cells[1].compared;
			n += moved(table, &table->rows[i]);
		}
	if (!all) {
		fprintf(stream, "  no scheduling metric was measured: add monitor = events, sched, "
				"schedstat\n  to [plan]\n");
		return;
	}
	fprintf(stream, "  %d of %d scheduling metrics differ%s\n", n, all, n ? ":" : "");
	if (!n)
		return;
	fprintf(stream, "    %-23s %9.9s %9.9s %9s %20s\n", "", table->sides[0].name,
		table->sides[1].name, "change", "interval");
	for (int i = 0; i < table->n_rows; i++)
		if (table->rows[i].case_index == case_index && moved(table, &table->rows[i]))
			print_table_row(stream, &table->rows[i]);
}

/* ---- experiments ---- */

static char *settings_text(const struct experiment *experiment)
{
	char *text = memory_string("");

	for (int i = 0; i < EXPERIMENT_SETTINGS && experiment->settings[i]; i++)
		text = memory_append(text, "%s%s", i ? ", " : "", experiment->settings[i]);
	return text;
}

static void print_experiments(FILE *stream, const struct finding *findings, int n)
{
	int n_experiments;
	const struct experiment **list = explain_experiments(findings, n, &n_experiments);

	if (n_experiments)
		fprintf(stream, "  experiments that tell causes apart (explain --run; set in both "
				"variants):\n");
	for (int i = 0; i < n_experiments; i++) {
		autofree char *settings = settings_text(list[i]);
		autofree char *text = memory_format("%s (%s): does the difference go with %s?",
						    list[i]->name, settings, list[i]->removes);

		fprintf(stream, "    ");
		print_wrapped(stream, text, 4, 6);
	}
	free(list);
}

static void print_case(FILE *stream, const struct table *table, int case_index)
{
	const struct table_case *table_case = &table->cases[case_index];
	const char *cpus = table_case->description->cpus;
	autofree char *title = memory_format("%s%s%s%s", table_case->name, cpus ? " (CPUs " : "",
					     cpus ? cpus : "", cpus ? ")" : "");
	int n;
	struct finding *findings = explain_findings(table, case_index, &n);

	putc('\n', stream);
	print_wrapped(stream, title, 0, 2);
	for (int i = 0; i < table->n_rows; i++)
		if (table->rows[i].case_index == case_index && is_result(&table->rows[i]) &&
		    (table->rows[i].shown || !table->rows[i].between_workers))
			print_result(stream, &table->rows[i]);
	if (n)
		fprintf(stream, "  with it moved, the largest relative change first:\n");
	print_sentences(stream, table, findings, n);
	print_table(stream, table, case_index);
	print_experiments(stream, findings, n);
	free(findings);
}

void explain_print(FILE *stream, const struct table *table, const struct report_options *options)
{
	autofree char *note = NULL;

	(void)options;
	print_header(stream, table);
	print_warnings(stream, table);
	for (int i = 0; i < table->n_cases; i++)
		print_case(stream, table, i);
	note = memory_format(
		"A -> B: means of base and test (geometric where the change is a ratio). A metric "
		"differs if its p-value, adjusted over all of them (Benjamini-Hochberg), is at "
		"most %g%%, or if the effect is the same in all blocks and its sign test says so. What "
		"moves with a result need not be its cause: an experiment shows "
		"that.",
		100 - 100 * table->options.level);
	putc('\n', stream);
	print_wrapped(stream, note, 0, 2);
}

/* ---- outcomes ---- */

static const char *conclusion(const struct outcome *outcome, double level)
{
	double before = fabs(log(outcome->without.point)), after = fabs(log(outcome->with.point));
	bool changes = outcome->ratio.p_value <= 1 - level;

	if (outcome->without.p_value > 1 - level)
		return "there was no clear difference to explain this time";
	if (!changes)
		return "the difference does not depend on it, as far as these trials can tell";
	if (after < 0.25 * before || outcome->with.p_value > 1 - level)
		return "the difference goes with it";
	if (after < before)
		return "part of the difference goes with it";
	return "the difference grows without it: it works against the cause";
}

void explain_outcome_print(FILE *stream, const struct experiment *experiment, const char *case_name,
			   const char *metric, const struct outcome *outcome, double level)
{
	autofree char *settings = settings_text(experiment);
	autofree char *without = format_effect(&outcome->without);
	autofree char *without_interval = format_interval(&outcome->without);
	autofree char *with = format_effect(&outcome->with);
	autofree char *with_interval = format_interval(&outcome->with);
	autofree char *ratio = format_effect(&outcome->ratio);
	autofree char *ratio_interval = format_interval(&outcome->ratio);
	autofree char *text = memory_format(
		"%s, %s in both (without %s): %s %s %s -> %s %s; the second over the first: %s "
		"%s. So %s.",
		case_name, settings, experiment->removes, metric, without, without_interval, with,
		with_interval, ratio, ratio_interval, conclusion(outcome, level));

	print_wrapped(stream, text, 0, 2);
}
