// SPDX-License-Identifier: GPL-2.0-only
/* explain_print.c - results, sentences with their figures, and the table behind them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/explain.h"
#include "report/format.h"
#include "report/header.h"

#define MOST_SENTENCES	12
#define MOST_CANDIDATES 4

/* widths of the table: with a blank before each column but the first, and two figures of 11, 78 */
#define NAME_WIDTH     21
#define VALUE_WIDTH    10
#define CHANGE_WIDTH   9
#define INTERVAL_WIDTH 20

/* means as the effect is of them: geometric for a ratio */
static double location(const struct cell *cell, const struct sample *sample)
{
	bool ratio = cell->compared && cell->effect.scale == EFFECT_RATIO;

	return ratio && !isnan(sample->geometric) ? sample->geometric : sample->mean;
}

/* drops zeros behind the point, from both alike; "1.50" and "0" or "2.00" give "1.5", "0", "2.0" */
static void trim_pair(char *a, char *b)
{
	char *texts[2] = { a, b };

	for (;;) {
		char *ends[2];

		for (int i = 0; i < 2; i++) {
			size_t length = strlen(texts[i]);

			ends[i] = length ? texts[i] + length - 1 : texts[i];
			if (!strcmp(texts[i], "0"))
				continue;
			if (!strchr(texts[i], '.') || (*ends[i] != '0' && *ends[i] != '.'))
				return;
		}
		if (!strcmp(a, "0") && !strcmp(b, "0"))
			return;
		for (int i = 0; i < 2; i++)
			if (strcmp(texts[i], "0") != 0)
				*ends[i] = '\0';
	}
}

/* all digits that say something: "7.00000" is "7" */
static char *exact(double value)
{
	char *text = format_value(value);

	if (strspn(text, "-0123456789.") == strlen(text) && strchr(text, '.')) {
		char *end = text + strlen(text) - 1;

		while (*end == '0')
			*end-- = '\0';
		if (*end == '.')
			*end = '\0';
	}
	return text;
}

/* "28670.9/s", "12 us", "3" */
static char *with_unit(const char *figures, const char *unit)
{
	if (!strcmp(unit, "1"))
		return memory_string(figures);
	if (!strncmp(unit, "1/", 2))
		return memory_format("%s%s", figures, unit + 1);
	return memory_format("%s %s", figures, unit);
}

/* ---- results ---- */

static void print_line(FILE *stream, const char *text)
{
	fprintf(stream, "  result  ");
	print_wrapped(stream, text, 10, 12);
}

/* of what is undecided: how many trials more would decide it, as compare says it */
static char *further_text(const struct cell *cell)
{
	if (cell->verdict != VERDICT_UNDECIDED || !cell->further.trials)
		return memory_string("");
	if (cell->further.trials > FURTHER_MOST)
		return memory_format(" >%d", FURTHER_MOST);
	return memory_format(" +%d%s", cell->further.trials, cell->further.no_change ? "=" : "");
}

static void print_result(FILE *stream, const struct row *row)
{
	const struct cell *cell = &row->cells[1];
	const struct sample *base = cell->compared ? &cell->base : &row->cells[0].sample;
	const struct sample *test = cell->compared ? &cell->test : &cell->sample;
	autofree char *metric = format_name(row->metric);
	autofree char *from = exact(location(cell, base));
	autofree char *to = exact(location(cell, test));
	autofree char *figures = memory_format("%s -> %s", from, to);
	autofree char *values = with_unit(figures, row->unit);
	autofree char *line = NULL;

	if (cell->compared) {
		autofree char *effect = format_effect(&cell->effect);
		autofree char *interval = format_interval(&cell->effect);
		const char *letter = verdict_letter(cell->verdict);
		autofree char *further = further_text(cell);

		line = memory_format("%s %s, %s %s  %s%s", metric, values, effect, interval,
				     *letter ? letter : "-", further);
	} else {
		line = memory_format("%s %s, not compared: %s", metric, values,
				     cell->not_compared ? cell->not_compared : "no values");
	}
	print_line(stream, line);
}

static bool is_result(const struct row *row)
{
	return row->role == ROLE_MAIN && row->better != BETTER_NEITHER &&
	       (row->cells[0].sample.n || row->cells[1].sample.n);
}

/* prints the results of a case; is one of them a regression or an improvement? */
static bool print_results(FILE *stream, const struct table *table, int case_index)
{
	bool moved = false, any = false;

	for (int i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->rows[i];

		if (row->case_index != case_index || !is_result(row) ||
		    (!row->shown && row->between_workers) ||
		    (row->between_workers && !row->cells[1].compared))
			continue;
		print_result(stream, row);
		any = true;
		moved |= row->cells[1].verdict == VERDICT_REGRESSION ||
			 row->cells[1].verdict == VERDICT_IMPROVEMENT;
	}
	if (!any)
		fprintf(stream, "  no trial gave a result\n");
	return moved;
}

/* ---- sentences ---- */

/* both with the decimals that give the larger one four digits: "0.03 -> 18.97" */
static char *pair_text(double base, double test)
{
	double largest = fmax(fabs(base), fabs(test)), values[2] = { base, test };
	int decimals = largest > 0 ? 3 - (int)floor(log10(largest)) : 0;
	char *text[2];
	char *pair;

	decimals = decimals < 0 ? 0 : decimals;
	for (int i = 0; i < 2; i++) {
		double least = 0.5 * pow(10, -decimals);

		if (largest >= 1e6 || largest < 0.01)
			text[i] = format_short(values[i]);
		else if (values[i] == 0)
			text[i] = memory_string("0");
		else if (fabs(values[i]) < least)
			text[i] = memory_format("<%.*f", decimals, 2 * least);
		else
			text[i] = memory_format("%.*f", decimals, values[i]);
	}
	trim_pair(text[0], text[1]);
	pair = memory_format("%s -> %s", text[0], text[1]);
	free(text[0]);
	free(text[1]);
	return pair;
}

/* "39 -> 19332/s" */
static char *values_text(const struct row *row)
{
	const struct cell *cell = &row->cells[1];
	autofree char *pair = pair_text(location(cell, &cell->base), location(cell, &cell->test));

	return with_unit(pair, row->unit);
}

/* a part is told if it differs too: all figures of a sentence are in the table */
static const struct row *part_row(const struct table *table, const struct finding *finding,
				  const char *metric)
{
	const struct row *row = explain_row(table, finding->row->case_index, metric);

	return row && row != finding->row && explain_differs(table, &row->cells[1]) ? row : NULL;
}

/* has the machine more than one distance between two CPUs? Else a level says nothing new */
static bool has_levels(const struct case_shape *shape)
{
	return !shape->known || shape->smt > 1 || shape->n_llcs > 1 || shape->n_nodes > 1;
}

static char *append_levels(char *text, const struct table *table, const struct finding *finding,
			   const struct case_shape *shape)
{
	const struct explanation *explanation = finding->explanation;
	const struct {
		const char *suffix, *words;
	} levels[] = {
		{ "smt", "SMT sibling" },
		{ "cluster", "same cluster" },
		{ "llc", shape->known && shape->n_llcs == 1 ? "other core" : "same LLC" },
		{ "node", "other LLC of the node" },
		{ "remote", "other node" },
	};
	int n = 0;

	for (size_t i = 0; explanation->levels && has_levels(shape) && i < ARRAY_SIZE(levels);
	     i++) {
		autofree char *metric =
			memory_format("%s_%s", explanation->levels, levels[i].suffix);
		const struct row *row = part_row(table, finding, metric);
		autofree char *values = row ? values_text(row) : NULL;

		if (!row)
			continue;
		if (!n++)
			text = memory_append(text, "; %s: ", explanation->levels_words);
		else
			text = memory_append(text, ", ");
		text = memory_append(text, "%s %s", levels[i].words, values);
	}
	return text;
}

static char *sentence(const struct table *table, const struct finding *finding)
{
	const struct explanation *explanation = finding->explanation;
	struct case_shape shape = case_shape(table, finding->row->case_index);
	autofree char *values = values_text(finding->row);
	char *text = memory_format("%s %s", explain_what(explanation, &shape), values);
	int n = 0;

	text = append_levels(text, table, finding, &shape);
	for (int i = 0; i < EXPLANATION_PARTS && explanation->parts[i].metric; i++) {
		const struct row *row = part_row(table, finding, explanation->parts[i].metric);
		autofree char *part_values = row ? values_text(row) : NULL;

		if (row)
			text = memory_append(text, "%s %s %s", n++ ? "," : ";",
					     explanation->parts[i].words, part_values);
	}
	return text;
}

static void print_sentences(FILE *stream, const struct table *table, const struct finding *findings,
			    int n, bool moved)
{
	bool placed = false;

	if (n && !moved)
		fprintf(stream, "  no result is called R or I; what moved all the same:\n");
	for (int i = 0; i < n && i < MOST_SENTENCES; i++) {
		autofree char *text = sentence(table, &findings[i]);
		/* where tasks crowd is one picture: it is told once */
		autofree char *where = placed ? NULL : explain_where(table, &findings[i]);
		autofree char *both = where ? memory_format("%s; %s", text, where) : NULL;

		placed |= where != NULL;
		if (!i ||
		    findings[i].explanation->decision != findings[i - 1].explanation->decision)
			fprintf(stream, "  %s, the largest share first:\n",
				findings[i].explanation->decision ? "what the scheduler decided"
								  : "where the time went");
		fprintf(stream, "  %4d. ", i + 1);
		print_wrapped(stream, both ? both : text, 8, 8);
	}
	if (n > MOST_SENTENCES)
		fprintf(stream, "        and %d smaller, in the table\n", n - MOST_SENTENCES);
}

/* ---- the table ---- */

static void print_table_row(FILE *stream, const struct row *row)
{
	const struct cell *cell = &row->cells[1];
	autofree char *base = exact(location(cell, &cell->base));
	autofree char *test = exact(location(cell, &cell->test));
	autofree char *effect = format_effect(&cell->effect);
	autofree char *interval = format_interval(&cell->effect);
	autofree char *metric = format_name(row->metric);
	autofree char *name = memory_format("%s %s", metric, row->unit);
	autofree char *left = memory_format("  %-*s %*s %*s %*s", NAME_WIDTH,
					    strlen(name) > NAME_WIDTH ? "" : name, VALUE_WIDTH,
					    base, VALUE_WIDTH, test, CHANGE_WIDTH, effect);

	if (strlen(name) > NAME_WIDTH)
		fprintf(stream, "  %s\n", name);
	/* two limits of thousands of per cent do not fit beside the rest */
	if (strlen(left) + 1 + strlen(interval) > REPORT_COLUMNS)
		fprintf(stream, "%s\n%*s\n", left, REPORT_COLUMNS - 2, interval);
	else
		fprintf(stream, "%s %*s\n", left, INTERVAL_WIDTH, interval);
}

static void print_head(FILE *stream, const struct table *table)
{
	const char *base = table->sides[0].name, *test = table->sides[1].name;
	bool fit = strlen(base) <= VALUE_WIDTH && strlen(test) <= VALUE_WIDTH;
	autofree char *left = format_name(fit ? base : "base");
	autofree char *right = format_name(fit ? test : "test");

	fprintf(stream, "  %-*s %*s %*s %*s %*s\n", NAME_WIDTH, "", VALUE_WIDTH, left, VALUE_WIDTH,
		right, CHANGE_WIDTH, "change", INTERVAL_WIDTH, "interval");
}

/* metrics that were measured and could not be compared */
struct uncompared {
	int n;
	const char *first; /* its name */
	const char *why;   /* of the first, or NULL */
};

/* of the scheduling metrics of a case */
struct counts {
	int differ, compared;
	struct uncompared alone[2]; /* measured in base, in test alone */
	struct uncompared both;	    /* measured in both, too few trials */
	int too_few;		    /* without any spread, too few blocks for the sign test */
};

static bool is_context(const struct row *row, int case_index)
{
	return row->case_index == case_index && row->role == ROLE_CONTEXT;
}

static void count_uncompared(struct uncompared *uncompared, const struct row *row, const char *why)
{
	if (uncompared->n++)
		return;
	uncompared->first = row->metric;
	uncompared->why = why;
}

static struct counts count_rows(const struct table *table, int case_index)
{
	struct counts counts = { 0 };

	for (int i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->rows[i];
		const struct cell *base = &row->cells[0], *test = &row->cells[1];

		if (!is_context(row, case_index))
			continue;
		if (test->compared) {
			counts.compared++;
			counts.differ += explain_differs(table, test);
			counts.too_few += explain_too_few(table, test);
		} else if (base->sample.n && test->sample.n) {
			count_uncompared(&counts.both, row, test->not_compared);
		} else if (base->sample.n) {
			count_uncompared(&counts.alone[0], row, test->unavailable);
		} else if (test->sample.n) {
			count_uncompared(&counts.alone[1], row, base->unavailable);
		}
	}
	return counts;
}

static void print_note(FILE *stream, char *text)
{
	fprintf(stream, "  ");
	print_wrapped(stream, text, 2, 4);
	free(text);
}

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

/* "wakeup_wait_p50 and 3 more" */
static char *names_of(const struct uncompared *uncompared)
{
	if (uncompared->n == 1)
		return memory_string(uncompared->first);
	return memory_format("%s and %d more", uncompared->first, uncompared->n - 1);
}

static void print_counts(FILE *stream, const struct table *table, const struct counts *counts)
{
	bool any = counts->compared || counts->both.n || counts->alone[0].n || counts->alone[1].n;
	const char *plan = table->sides[0].parts[0].run->plan_text;

	if (!any)
		print_note(stream,
			   memory_format("no scheduling metric was measured%s",
					 plan && *plan ? ": add monitor = events, sched, schedstat "
							 "to [plan]"
						       : "; these results were imported"));
	for (int i = 0; i < 2; i++) {
		autofree char *names = counts->alone[i].n ? names_of(&counts->alone[i]) : NULL;
		const char *why = counts->alone[i].why;

		if (names)
			print_note(stream, memory_format("measured in %s alone: %s (%s: %s)",
							 table->sides[i].name, names,
							 table->sides[1 - i].name,
							 why ? why : "not measured"));
	}
	if (counts->both.n) {
		autofree char *names = names_of(&counts->both);

		print_note(stream, memory_format("not compared: %s (%s)", names, counts->both.why));
	}
	if (counts->compared)
		print_note(stream,
			   memory_format("%d of %d scheduling metric%s differ%s%s", counts->differ,
					 counts->compared, plural(counts->compared),
					 counts->compared == 1 ? "s" : "",
					 counts->differ ? ":" : ""));
}

/* the most that one of these metrics has */
static int blocks_too_few(const struct table *table, int case_index)
{
	int most = 0;

	for (int i = 0; i < table->n_rows; i++) {
		const struct cell *cell = &table->rows[i].cells[1];
		const struct effect *effect = &cell->effect;
		int n = effect->n_base < effect->n_test ? effect->n_base : effect->n_test;

		if (is_context(&table->rows[i], case_index) && explain_too_few(table, cell) &&
		    n > most)
			most = n;
	}
	return most;
}

/* a simulator without noise: what moved is plain to see and must not pass in silence, nor be called sure */
static void print_too_few(FILE *stream, const struct table *table, int case_index, int n_metrics)
{
	struct case_shape shape = case_shape(table, case_index);
	int n;
	autofree struct finding *candidates = explain_candidates(table, case_index, &n);
	char *text = memory_format("%d scheduling metric%s moved by the same amount in all %d "
				   "blocks, too few to call %s different (%d are enough)",
				   n_metrics, plural(n_metrics), blocks_too_few(table, case_index),
				   n_metrics == 1 ? "it" : "them", explain_blocks_needed(table));

	for (int i = 0; i < n && i < MOST_CANDIDATES; i++) {
		autofree char *values = values_text(candidates[i].row);

		text = memory_append(text, "%s %s %s", i ? ";" : ":",
				     explain_what(candidates[i].explanation, &shape), values);
	}
	print_note(stream, text);
}

static void print_table(FILE *stream, const struct table *table, int case_index)
{
	struct counts counts = count_rows(table, case_index);

	if (counts.too_few)
		print_too_few(stream, table, case_index, counts.too_few);
	print_counts(stream, table, &counts);
	if (!counts.differ)
		return;
	print_head(stream, table);
	for (int i = 0; i < table->n_rows; i++)
		if (is_context(&table->rows[i], case_index) &&
		    explain_differs(table, &table->rows[i].cells[1]))
			print_table_row(stream, &table->rows[i]);
}

/* ---- all of it ---- */

static void print_case(FILE *stream, const struct table *table, int case_index)
{
	const struct table_case *table_case = &table->cases[case_index];
	const char *cpus = table_case->description->cpus;
	bool told = !cpus || !*cpus || strstr(table_case->name, "cpus");
	autofree char *title = told ? memory_string(table_case->name)
				    : memory_format("%s (CPUs %s)", table_case->name, cpus);
	bool moved;
	int n;
	autofree struct finding *findings = explain_findings(table, case_index, &n);

	putc('\n', stream);
	print_wrapped(stream, title, 0, 2);
	moved = print_results(stream, table, case_index);
	print_sentences(stream, table, findings, n, moved);
	print_table(stream, table, case_index);
}

/* what a reader must know comes first; metrics that no trial has come last */
static void print_notes(FILE *stream, const struct table *table, int from, int to)
{
	for (int i = from; i < to; i++) {
		fprintf(stream, "note      ");
		print_wrapped(stream, table->warnings[i], 10, 10);
	}
}

static void print_versions(FILE *stream, const struct table *table)
{
	const struct run *base = table->sides[0].parts[0].run;
	const struct run *test = table->sides[1].parts[0].run;
	autofree char *text = NULL;

	if (!base->tool_version || !test->tool_version ||
	    !strcmp(base->tool_version, test->tool_version))
		return;
	text = memory_format("made by two versions: %s by %s, %s by %s", table->sides[0].name,
			     base->tool_version, table->sides[1].name, test->tool_version);
	fprintf(stream, "note      ");
	print_wrapped(stream, text, 10, 10);
}

static void print_legend(FILE *stream, const struct table *table)
{
	double alpha = 100 - 100 * table->options.level;
	int compared = 0;
	autofree char *text = NULL, *figures = NULL;

	for (int i = 0; i < table->n_rows; i++)
		compared += table->rows[i].role == ROLE_CONTEXT && table->rows[i].cells[1].compared;
	figures = memory_format(
		"A -> B: means of base and test, geometric where the change is a ratio, which the "
		"table gives exactly; intervals of %g%%. R regression, I improvement, = no change "
		"(within %g%%), ? undecided, +N: so many trials more would decide it one time in "
		"two.",
		100 * table->options.level, 100 * table->options.margin);
	putc('\n', stream);
	print_wrapped(stream, figures, 0, 2);
	if (!compared)
		return;
	text = memory_format(
		"%d comparison%s of scheduling metrics. \"Differ\": p-value adjusted over all of "
		"them (Benjamini-Hochberg) at most %g%%, so about one in %.0f of those may be "
		"chance; without any spread, the sign test of the blocks. Share: of CPU time, of "
		"forks, of wakeups, of switches. What moves with a result need not be its cause: an "
		"experiment shows that.",
		compared, plural(compared), alpha, 100 / alpha);
	print_wrapped(stream, text, 0, 2);
}

void explain_print(FILE *stream, const struct table *table, const struct report_options *options)
{
	int missing = table->n_warnings - table->n_missing;

	(void)options;
	print_header(stream, table);
	print_versions(stream, table);
	print_notes(stream, table, 0, missing);
	for (int i = 0; i < table->n_cases; i++)
		print_case(stream, table, i);
	explain_print_experiments(stream, table);
	if (table->n_missing)
		putc('\n', stream);
	print_notes(stream, table, missing, table->n_warnings);
	print_legend(stream, table);
}
