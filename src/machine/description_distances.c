// SPDX-License-Identifier: GPL-2.0-only
/* description_distances.c - node distances of a machine file: a rule, or a table */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/build.h"
#include "machine/description.h"

/* "local 10, package 12, remote 32"; 0 is "not given" */
struct rule {
	int64_t local, package, remote;
};

static struct error *read_term(char *term, struct rule *rule)
{
	char *number = term;
	char *word = strsep(&number, " \t");
	int64_t *value = !strcmp(word, "local")	    ? &rule->local
			 : !strcmp(word, "package") ? &rule->package
			 : !strcmp(word, "remote")  ? &rule->remote
						    : NULL;

	if (!value || !number)
		return error_new(ERR_INPUT,
				 "'%s' is not part of a rule such as 'local 10, package "
				 "12, remote 32'",
				 word);
	if (*value)
		return error_new(ERR_INPUT, "'%s' is given twice", word);
	return text_integer(text_trim(number), 1, 255, value);
}

static struct error *read_rule(const char *value, struct rule *rule)
{
	int n;
	char **terms = text_split(value, ',', &n);
	struct error *error = NULL;

	for (int i = 0; i < n && !error; i++)
		error = read_term(terms[i], rule);
	text_split_free(terms, n);
	if (!error && (!rule->local || !rule->remote))
		error = error_new(ERR_INPUT, "'local' and 'remote' are needed");
	if (!error && !rule->package)
		rule->package = rule->remote;
	return error;
}

/* index of the package that a node is in, -1 for a node without CPUs */
static int package_of(const struct machine *machine, int node)
{
	int first = hwloc_bitmap_first(machine->groups[LEVEL_NODE][node].cpus);
	const struct machine_cpu *cpu = first < 0 ? NULL : machine_cpu(machine, first);

	return cpu ? cpu->group[LEVEL_PACKAGE] : -1;
}

static struct error *table_from_rule(const struct machine_entry *entry,
				     const struct machine *machine, unsigned *table)
{
	int n = machine->n_groups[LEVEL_NODE];
	struct rule rule = { 0 };
	struct error *error = read_rule(entry->value, &rule);

	for (int i = 0; i < n && !error; i++) {
		for (int k = 0; k < n; k++) {
			int package = package_of(machine, i);
			bool near = package >= 0 && package == package_of(machine, k);

			table[i * n + k] = i == k ? rule.local : near ? rule.package : rule.remote;
		}
	}
	return error;
}

static int compare_ids(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int *machine_nodes_by_number(const struct machine *machine)
{
	int n = machine->n_groups[LEVEL_NODE];
	int *ids = memory_zeroed(n, sizeof(*ids));

	for (int i = 0; i < n; i++)
		ids[i] = machine->groups[LEVEL_NODE][i].id;
	qsort(ids, n, sizeof(*ids), compare_ids);
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++) {
			if (machine->groups[LEVEL_NODE][k].id == ids[i]) {
				ids[i] = k;
				break;
			}
		}
	}
	return ids;
}

static struct error *read_row(const struct machine_entry *entry, const int *order, int n,
			      unsigned *row)
{
	int n_words, found = 0;
	char **words = text_split(entry->value, ' ', &n_words);
	struct error *error = NULL;

	for (int i = 0; i < n_words && !error; i++) {
		int64_t value;

		if (!*words[i])
			continue;
		error = text_integer(words[i], 1, 255, &value);
		if (!error && found < n)
			row[order[found]] = value;
		found++;
	}
	text_split_free(words, n_words);
	if (!error && found != n)
		error = error_new(ERR_INPUT, "the row has %d distances; the machine has %d nodes",
				  found, n);
	return error;
}

static struct error *table_from_rows(const struct description *description,
				     const struct machine *machine, unsigned *table)
{
	int n = machine->n_groups[LEVEL_NODE], rows = 0;
	autofree int *order = machine_nodes_by_number(machine);
	const struct machine_entry *entry = NULL;

	while ((entry = description_next(description, "distances", entry))) {
		struct error *error;
		int64_t id;
		int node = 0;

		error = text_integer(entry->key, 0, 65535, &id);
		while (!error && node < n && machine->groups[LEVEL_NODE][node].id != id)
			node++;
		if (!error && node == n)
			error = error_new(ERR_INPUT, "there is no node %d", (int)id);
		if (!error)
			error = read_row(entry, order, n, table + (size_t)node * n);
		if (error)
			return description_error(description, entry,
						 error_prefix(error, "distances"));
		rows++;
	}
	if (rows != n)
		return error_at(ERR_INPUT, description->file, 0,
				"[distances] has %d rows; the machine has %d nodes", rows, n);
	return NULL;
}

struct error *description_distances(const struct description *description, struct machine *machine)
{
	const struct machine_entry *rule = description_find(description, "topology", "distances");
	const struct machine_entry *rows = description_next(description, "distances", NULL);
	int n = machine->n_groups[LEVEL_NODE];
	struct error *error;
	unsigned *table;

	if (!rule && !rows)
		return topology_read_distances(machine);
	if (rule && rows)
		return error_at(ERR_INPUT, description->file, rows->line,
				"[distances] cannot be combined with the rule of line %d",
				rule->line);
	table = memory_zeroed((size_t)n * n, sizeof(*table));
	error = rule ? table_from_rule(rule, machine, table)
		     : table_from_rows(description, machine, table);
	if (!error)
		error = distances_check(table, machine, "distances");
	if (error) {
		free(table);
		return description_error(description, rule ? rule : rows, error);
	}
	free(machine->distances);
	machine->distances = table;
	machine->distances_line = (rule ? rule : rows)->line;
	return NULL;
}
