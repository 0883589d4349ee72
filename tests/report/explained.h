/* SPDX-License-Identifier: GPL-2.0-only */
/* explained.h - runs with scheduling metrics in memory, and what explain prints of them */
#ifndef FT_TESTS_EXPLAINED_H
#define FT_TESTS_EXPLAINED_H

#include "../stats/fixture.h"
#include "capture.h"
#include "report/explain.h"

/* `ops` is the result, everything else a scheduling metric */
static inline enum metric_role explained_role(const char *workload, const struct metric *metric,
					      void *data)
{
	(void)workload;
	(void)data;
	return strcmp(metric->name, "ops") ? ROLE_CONTEXT : ROLE_MAIN;
}

static inline struct table *explained_table(struct run *run, struct fixture_sides *sides)
{
	struct table_options options = fixture_options();
	struct table *table;

	options.role = explained_role;
	fixture_sides_of(sides, run);
	ck_no_error(table_new(sides->sides, sides->n, &options, &table));
	return table;
}

/* one line, whose words are separated by one blank: sentences are wrapped */
/* not inlined: GCC 12 then takes the stream's buffer for gone */
__attribute__((noinline, unused)) static void flatten(char *text)
{
	char *line;

	while ((line = strchr(text, '\n')))
		*line = ' ';
	for (char *blank; (blank = strstr(text, "  "));)
		memmove(blank, blank + 1, strlen(blank));
}

__attribute__((noinline, unused)) static char *explained(struct run *run)
{
	struct report_options options = { false };
	struct fixture_sides sides;
	struct table *table = explained_table(run, &sides);
	size_t length;
	char *text;
	FILE *stream = open_memstream(&text, &length);

	explain_print(stream, table, &options);
	fclose(stream);
	table_free(table);
	run_free(run);
	return text;
}

/* a value of a scheduling metric in both variants, the same in all blocks but for a little noise */
struct explained_metric {
	const char *name, *unit;
	double base, test;
};

/* six blocks of "off" and "on", in which the result falls to a half */
static inline struct run *explained_run(const struct explained_metric *metrics)
{
	struct run *run = fixture_run(7, "off on");

	for (int block = 0; block < 6; block++)
		for (int variant = 0; variant < 2; variant++) {
			struct trial *trial = fixture_trial(run, 0, variant, block);
			double noise = 1 + 0.001 * ((block + 2 * variant) % 3);

			trial_add_metric(trial, &fixture_ops, (variant ? 500 : 1000) * noise, NULL,
					 0);
			for (const struct explained_metric *m = metrics; m->name; m++) {
				struct metric_desc desc = { m->name, m->unit, BETTER_NEITHER, 1,
							    "" };

				trial_add_metric(trial, &desc,
						 (variant ? m->test : m->base) * noise, NULL, 0);
			}
			trial->environment = json_object();
		}
	return run;
}

/* records the machine of the run's case */
static inline void explained_machine(struct run *run, int smt, int llcs, int nodes)
{
	json_object_set_new(run->environment, "case_machines", json_pack("{s:s}", "spawn", "m"));
	json_object_set_new(run->environment, "machines",
			    json_pack("{s:{s:i,s:i,s:i}}", "m", "smt", smt, "nr_llcs", llcs,
				      "nr_nodes", nodes));
}

#endif
