// SPDX-License-Identifier: GPL-2.0-only
#include "report/header.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/format.h"
#include "report/provenance.h"
#include "report/recorded.h"
#include "stats/origin.h"

#define LABEL_WIDTH 10

static void print_line(FILE *stream, const char *label, const char *text)
{
	fprintf(stream, "%-*s", LABEL_WIDTH, label);
	print_wrapped(stream, text, LABEL_WIDTH, LABEL_WIDTH);
}

static char *run_text(const struct run *run)
{
	autofree char *date = format_date(run->started);
	autofree char *label = run->label && *run->label ? memory_format(", label %s", run->label)
							 : memory_string("");

	return memory_format("run %lld (%s, %s UTC%s%s)", (long long)run->id,
			     run->plan_name ? run->plan_name : "?", date, label,
			     run->complete ? "" : ", incomplete");
}

static char *append(char *text, const char *separator, char *more)
{
	char *longer = text ? memory_format("%s%s%s", text, separator, more) : memory_string(more);

	free(text);
	free(more);
	return longer;
}

/* what is the same of all sides is said once, else for each */
typedef char *(*part_text)(const struct side_part *part);

static char *backend_text(const struct side_part *part)
{
	return memory_string(origin_backend(part));
}

static char *common_text(const struct table *table, part_text text_of)
{
	char *common = NULL;

	for (int side = 0; side < table->n_sides; side++) {
		for (int i = 0; i < table->sides[side].n_parts; i++) {
			char *text = text_of(&table->sides[side].parts[i]);

			if (common && strcmp(common, text)) {
				free(text);
				free(common);
				return NULL;
			}
			free(common);
			common = text;
		}
	}
	return common;
}

static char *text_by_side(const struct table *table, part_text text_of)
{
	char *text = common_text(table, text_of);

	if (text)
		return text;
	for (int side = 0; side < table->n_sides; side++) {
		autofree char *own = text_of(&table->sides[side].parts[0]);

		text = append(text, "; ", memory_format("%s: %s", table->sides[side].name, own));
	}
	return text;
}

static char *runs_of(const struct side *side)
{
	char *text = NULL;

	for (int i = 0; i < side->n_parts; i++)
		text = append(text, ", ", run_text(side->parts[i].run));
	return text;
}

/* the largest number of trials of a variant that a row uses */
static int most_blocks(const struct table *table)
{
	int most = 0;

	for (int i = 0; i < table->n_rows; i++) {
		for (int side = 1; side < table->n_sides; side++) {
			const struct cell *cell = &table->rows[i].cells[side];
			int n = cell->compared ? cell->effect.n_test : cell->test.n;

			most = n > most ? n : most;
		}
	}
	return most;
}

/* nothing drifts there */
static bool is_simulated(const struct table *table)
{
	for (int side = 0; side < table->n_sides; side++)
		for (int i = 0; i < table->sides[side].n_parts; i++)
			if (strcmp(origin_backend(&table->sides[side].parts[i]), "sim") != 0)
				return false;
	return true;
}

/* kernels of one name that are not one kernel: added again under it, or built again */
static bool are_namesakes(const struct side_part *a, const struct side_part *b)
{
	autofree char *name = origin_kernel(a), *other = origin_kernel(b);
	autofree char *key = origin_kernel_key(a), *other_key = origin_kernel_key(b);

	return key && other_key && !strcmp(name, other) && strcmp(key, other_key) != 0;
}

static bool has_namesakes(const struct table *table)
{
	for (int a = 0; a < table->n_sides; a++)
		for (int b = 0; b < a; b++)
			if (are_namesakes(&table->sides[a].parts[0], &table->sides[b].parts[0]))
				return true;
	return false;
}

static char *kernel_with_key(const struct side_part *part)
{
	autofree char *name = origin_kernel(part), *key = origin_kernel_key(part);

	if (!key)
		return memory_format("%s (key not recorded)", name);
	if (strcmp(origin_backend(part), "sim") != 0)
		return memory_format("%s (%s)", name, key);
	return memory_format("%s (%.*s)", name, ORIGIN_KEY_SHOWN, key);
}

void print_header(FILE *stream, const struct table *table)
{
	autofree char *machine = text_by_side(table, origin_machine);
	autofree char *kernel =
		text_by_side(table, has_namesakes(table) ? kernel_with_key : origin_kernel);
	autofree char *backend = text_by_side(table, backend_text);
	autofree char *environment =
		memory_format("%s; kernel %s; backend %s", machine, kernel, backend);
	autofree char *recorded = recorded_text(table);
	autofree char *kernels = provenance_kernels(table);
	autofree char *measured = provenance_measured(table);
	autofree char *trials = NULL;
	char *tests = NULL;

	for (int side = 1; side < table->n_sides; side++)
		tests = append(tests, ", ", memory_string(table->sides[side].name));
	tests = append(tests, " against ", memory_format("%s (base)", table->sides[0].name));
	print_line(stream, "compared", tests);
	free(tests);
	for (int side = 0; side < (table->interleaved ? 1 : table->n_sides); side++) {
		autofree char *runs = runs_of(&table->sides[side]);
		autofree char *text =
			table->interleaved ? memory_string(runs)
					   : memory_format("%s: %s", table->sides[side].name, runs);

		print_line(stream, side ? "" : "results", text);
	}
	print_line(stream, "machine", environment);
	if (kernels)
		print_line(stream, "kernels", kernels);
	if (table->interleaved)
		trials = memory_format("interleaved, %d block%s: drift cancels within a block",
				       most_blocks(table), most_blocks(table) == 1 ? "" : "s");
	else if (is_simulated(table))
		trials = memory_string("not interleaved: compared without pairs");
	else
		trials = memory_string("not interleaved: a drift or another boot between the runs "
				       "looks like an effect");
	print_line(stream, "trials", trials);
	if (measured)
		print_line(stream, "measured", measured);
	if (recorded)
		print_line(stream, "recorded", recorded);
}

void print_warnings(FILE *stream, const struct table *table)
{
	for (int i = 0; i < table->n_warnings; i++)
		print_line(stream, "note", table->warnings[i]);
}
