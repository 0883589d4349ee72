// SPDX-License-Identifier: GPL-2.0-only
/* explain.c - finds what moved, and ranks it */
#include "report/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/machine.h"

#define FACT_WORK  "work"
#define TAIL_SHARE 0.01
#define COV_SHARE  0.4

const struct row *explain_row(const struct table *table, int case_index, const char *metric)
{
	for (int i = 0; i < table->n_rows; i++)
		if (table->rows[i].case_index == case_index &&
		    !strcmp(table->rows[i].metric, metric))
			return &table->rows[i];
	return NULL;
}

int case_cpus(const struct table *table, int case_index)
{
	const char *list = table->cases[case_index].description->cpus;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int n = 0;

	if (list) {
		struct error *error = cpulist_parse(list, cpus);

		if (!error)
			n = hwloc_bitmap_weight(cpus);
		error_free(error);
	}
	hwloc_bitmap_free(cpus);
	return n > 0 ? n : 1;
}

static int count_of(const json_t *machine, const char *key)
{
	return (int)json_integer_value(json_object_get(machine, key));
}

struct case_shape case_shape(const struct table *table, int case_index)
{
	const json_t *environment = table->sides[0].parts[0].run->environment;
	const char *name = json_string_value(json_object_get(
		json_object_get(environment, "case_machines"), table->cases[case_index].name));
	const json_t *machine =
		name ? json_object_get(json_object_get(environment, "machines"), name) : NULL;

	return (struct case_shape){
		.known = machine != NULL,
		.smt = count_of(machine, "smt"),
		.n_llcs = count_of(machine, "nr_llcs"),
		.n_nodes = count_of(machine, "nr_nodes"),
	};
}

static bool has_no_smt(const struct explanation *explanation, const struct case_shape *shape)
{
	return explanation->without_smt && shape->known && shape->smt == 1;
}

const char *explain_what(const struct explanation *explanation, const struct case_shape *shape)
{
	return has_no_smt(explanation, shape) ? explanation->without_smt : explanation->what;
}

bool explain_differs(const struct table *table, const struct cell *cell)
{
	const struct effect *effect = &cell->effect;

	if (!cell->compared)
		return false;
	if (effect->no_spread)
		return effect->p_value <= 1 - table->options.level && effect->centre != 0;
	return cell->verdict == VERDICT_DIFFERS || cell->verdict == VERDICT_REGRESSION ||
	       cell->verdict == VERDICT_IMPROVEMENT;
}

int explain_blocks_needed(const struct table *table)
{
	int n = 1;

	while (ldexp(1, 1 - n) > 1 - table->options.level)
		n++;
	return n;
}

bool explain_too_few(const struct table *table, const struct cell *cell)
{
	return cell->compared && cell->effect.no_spread && cell->effect.centre != 0 &&
	       !explain_differs(table, cell);
}

/* ---- how much a change concerns ---- */

/* the larger of base and test of the sum of metrics; NAN: one was not measured */
static double whole_of(const struct table *table, int case_index, const char *const *metrics)
{
	double base = 0, test = 0;
	bool any = false;

	for (int i = 0; i < EXPLANATION_PARTS && metrics[i]; i++) {
		const struct row *row = explain_row(table, case_index, metrics[i]);

		if (!row || !row->cells[1].compared)
			return NAN;
		base += row->cells[1].base.mean;
		test += row->cells[1].test.mean;
		any = true;
	}
	return any ? fmax(base, test) : NAN;
}

static double ratio_share(double base, double test)
{
	double largest = fmax(fabs(base), fabs(test));

	return largest > 0 ? fabs(test - base) / largest : 0;
}

static double share_of(const struct table *table, int case_index,
		       const struct explanation *explanation, const struct cell *cell)
{
	double base = cell->base.mean, test = cell->test.mean, change = fabs(test - base);
	double share = 0;

	switch (explanation->share) {
	case SHARE_POINTS:
		share = change / 100;
		break;
	case SHARE_CPUS:
		share = change / case_cpus(table, case_index);
		break;
	case SHARE_SUM:
		share = change / whole_of(table, case_index, explanation->of);
		break;
	case SHARE_RATIO:
		share = ratio_share(base, test);
		break;
	case SHARE_COV:
		share = COV_SHARE * change / 100;
		break;
	case SHARE_TAIL:
		share = TAIL_SHARE * ratio_share(base, test);
		break;
	}
	return isfinite(share) ? fmin(share, 1) : 0;
}

/* ---- findings ---- */

typedef bool judge(const struct table *table, const struct cell *cell);

static bool applies(const struct table *table, int case_index, judge *differs,
		    const struct explanation *explanation, const struct row **row)
{
	const struct cell *cell;
	double least = explanation->least;

	*row = explain_row(table, case_index, explanation->metric);
	if (!*row || (*row)->role != ROLE_CONTEXT)
		return false;
	cell = &(*row)->cells[1];
	if (explanation->a_cpu)
		least *= case_cpus(table, case_index);
	return differs(table, cell) && fabs(cell->test.mean - cell->base.mean) >= least;
}

static const char *fact_of(const struct explanation *explanation, const struct case_shape *shape)
{
	return has_no_smt(explanation, shape) ? FACT_WORK : explanation->fact;
}

/* one sentence a fact: monitors and events tell the idle share, waits and preemptions both */
static bool told(const struct finding *findings, int n, const char *fact,
		 const struct case_shape *shape)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(fact_of(findings[i].explanation, shape), fact))
			return true;
	return false;
}

int finding_compare(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->explanation->decision != y->explanation->decision)
		return x->explanation->decision ? 1 : -1;
	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return strcmp(x->explanation->metric, y->explanation->metric);
}

static struct finding *find(const struct table *table, int case_index, judge *differs, int *n)
{
	struct case_shape shape = case_shape(table, case_index);
	struct finding *findings = NULL;
	const struct row *row;

	*n = 0;
	for (const struct explanation *explanation = explanations; explanation->metric;
	     explanation++) {
		if (told(findings, *n, fact_of(explanation, &shape), &shape) ||
		    (explanation->also && told(findings, *n, explanation->also, &shape)) ||
		    !applies(table, case_index, differs, explanation, &row))
			continue;
		*array_append(findings, *n) = (struct finding){
			.explanation = explanation,
			.row = row,
			.share = share_of(table, case_index, explanation, &row->cells[1]),
		};
	}
	if (*n)
		qsort(findings, (size_t)*n, sizeof(*findings), finding_compare);
	return findings;
}

struct finding *explain_findings(const struct table *table, int case_index, int *n)
{
	return find(table, case_index, explain_differs, n);
}

struct finding *explain_candidates(const struct table *table, int case_index, int *n)
{
	return find(table, case_index, explain_too_few, n);
}
