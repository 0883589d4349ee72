// SPDX-License-Identifier: GPL-2.0-only
/* topo_print.c - a machine in text, at most 78 columns wide */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cmd/topo.h"
#include "machine/asymmetry.h"
#include "machine/distances.h"
#include "plan/plan.h"

#define WIDTH 78
#define LABEL 12

/*
 * Prints @text from column @indent (the cursor is there already), broken after ',' or at a space;
 * a longer word is cut in two. Ends the line.
 */
static void print_wrapped(int indent, const char *text)
{
	int room = WIDTH - indent;

	while ((int)strlen(text) > room) {
		int cut = room;

		while (cut > 0 && text[cut - 1] != ',' && text[cut] != ' ')
			cut--;
		if (!cut)
			cut = room;
		printf("%.*s\n%*s", cut, text, indent, "");
		text += cut;
		text += *text == ' ';
	}
	puts(text);
}

static void print_line(const char *label, const char *text)
{
	printf("%-*s", LABEL, label);
	print_wrapped(LABEL, text);
}

/* "0-3 (4)" */
static char *cpus_text(hwloc_const_bitmap_t cpus)
{
	autofree char *list = cpulist_format(cpus);

	return memory_format("%s (%d)", *list ? list : "none", hwloc_bitmap_weight(cpus));
}

static void print_excluded(const char *label, hwloc_const_bitmap_t all, hwloc_const_bitmap_t kept,
			   const char *why)
{
	hwloc_bitmap_t out = hwloc_bitmap_alloc();
	autofree char *cpus = NULL;
	autofree char *text = NULL;

	hwloc_bitmap_andnot(out, all, kept);
	cpus = cpus_text(out);
	text = memory_format("%s: %s", cpus, why);
	if (!hwloc_bitmap_iszero(out))
		print_line(label, text);
	hwloc_bitmap_free(out);
}

static void print_quota(const struct machine *machine)
{
	const struct machine_quota *quota = &machine->quota;
	int usable = hwloc_bitmap_weight(machine->usable);
	autofree char *text = NULL;

	if (!machine->live)
		return;
	if (quota->cpus > 0)
		text = memory_format("%.4g CPUs, set by %s, throttled %" PRIu64
				     " times; %d of %d usable CPUs run at once",
				     quota->cpus, quota->path, quota->throttled,
				     machine_quota_cpus(machine, usable), usable);
	print_line("quota", text ? text : "none");
}

static void print_cpus(const struct machine *machine)
{
	autofree char *online = cpus_text(machine->online);
	autofree char *usable = cpus_text(machine->usable);
	hwloc_bitmap_t in_cpuset = hwloc_bitmap_dup(machine->online);

	hwloc_bitmap_and(in_cpuset, in_cpuset, machine->cpuset);
	print_line("online", online);
	print_excluded("offline", machine->possible, machine->online, "possible, but not online");
	print_line("usable", usable);
	print_excluded("not usable", machine->online, in_cpuset, "not in the cpuset");
	print_excluded("not usable", in_cpuset, machine->affinity,
		       "not in the affinity of this process");
	print_quota(machine);
	hwloc_bitmap_free(in_cpuset);
}

/* the range of a value over the groups of a level: "8", or "2-8" */
static char *range_text(const struct machine *machine, enum machine_level level)
{
	int least = 0, most = 0;

	for (int i = 0; i < machine->n_groups[level]; i++) {
		int weight = hwloc_bitmap_weight(machine->groups[level][i].cpus);

		least = !i || weight < least ? weight : least;
		most = weight > most ? weight : most;
	}
	if (least == most)
		return memory_format("%d", most);
	return memory_format("%d-%d", least, most);
}

static char *size_range_text(const struct machine *machine, enum machine_level level)
{
	const struct machine_group *groups = machine->groups[level];
	uint64_t least = 0, most = 0;
	autofree char *low = NULL;
	autofree char *high = NULL;

	for (int i = 0; i < machine->n_groups[level]; i++) {
		least = !i || groups[i].bytes < least ? groups[i].bytes : least;
		most = groups[i].bytes > most ? groups[i].bytes : most;
	}
	if (!most)
		return memory_string("");
	low = machine_size_format(least);
	high = machine_size_format(most);
	return least == most ? memory_string(low) : memory_format("%s to %s", low, high);
}

static void print_levels(const struct machine *machine)
{
	puts("\nlevel       count  CPUs each  size each");
	for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++) {
		autofree char *range = range_text(machine, level);
		autofree char *size = size_range_text(machine, level);

		if (machine->n_groups[level])
			printf("%-*s%5d  %9s%s%s\n", LABEL, machine_level_name(level),
			       machine->n_groups[level], range, *size ? "  " : "", size);
		else
			printf("%-*s%5s\n", LABEL, machine_level_name(level), "none");
	}
}

static void print_groups(const struct machine *machine, enum machine_level level)
{
	if (!machine->n_groups[level])
		return;
	putchar('\n');
	for (int i = 0; i < machine->n_groups[level]; i++) {
		const struct machine_group *group = &machine->groups[level][i];
		autofree char *name = machine_group_name(machine, level, i);
		autofree char *list = cpulist_format(group->cpus);
		autofree char *size =
			group->bytes ? machine_size_format(group->bytes) : memory_string("");

		printf("%-*s%10s  ", LABEL, name, size);
		print_wrapped(LABEL + 12, *list ? list : "no CPUs");
	}
}

static void print_distance_columns(const struct machine *machine, int first, int n)
{
	const struct machine_group *nodes = machine->groups[LEVEL_NODE];

	printf("%-*s", LABEL, first ? "" : "distance to");
	for (int k = first; k < first + n; k++)
		printf("%5d", nodes[k].id);
	putchar('\n');
	for (int i = 0; i < machine->n_groups[LEVEL_NODE]; i++) {
		autofree char *label = memory_format("from %d", nodes[i].id);

		printf("%-*s", LABEL, label);
		for (int k = first; k < first + n; k++)
			printf("%5u", machine_distance(machine, i, k));
		putchar('\n');
	}
}

static void print_node_groups(const struct machine *machine)
{
	struct distance_grouping *groupings;
	int n = distances_groups(machine, &groupings), n_nodes = machine->n_groups[LEVEL_NODE];
	hwloc_bitmap_t ids = hwloc_bitmap_alloc();

	for (int i = 0; i < n; i++) {
		char *text = memory_format("up to %u:", groupings[i].longest);

		for (int g = 0; g < groupings[i].n_groups; g++) {
			autofree char *list = NULL;
			hwloc_bitmap_zero(ids);
			for (int k = 0; k < n_nodes; k++)
				if (groupings[i].group[k] == g)
					hwloc_bitmap_set(ids, machine->groups[LEVEL_NODE][k].id);
			list = cpulist_format(ids);
			text = memory_append(text, "%s %s", g ? " |" : "", list);
		}
		print_line(i ? "" : "node groups", text);
		free(text);
	}
	hwloc_bitmap_free(ids);
	distances_groups_free(groupings, n);
}

/* columns that do not fit go into further tables of about the same width */
static void print_distances(const struct machine *machine)
{
	int n = machine->n_groups[LEVEL_NODE], most = (WIDTH - LABEL) / 5;
	int tables = (n + most - 1) / most, first = 0;

	if (n < 2)
		return;
	putchar('\n');
	if (!machine->distances) {
		print_line("distances", "unknown; 10 to itself and 20 to others is assumed");
		return;
	}
	for (int i = 0; i < tables; i++) {
		int columns = (n - first + tables - i - 1) / (tables - i);

		print_distance_columns(machine, first, columns);
		first += columns;
	}
	print_node_groups(machine);
}

static void print_asymmetries(const struct machine *machine)
{
	int n;
	char **lines = machine_asymmetries(machine, &n);

	putchar('\n');
	print_line("uneven", n ? lines[0] : "nothing");
	for (int i = 1; i < n; i++)
		print_line("", lines[i]);
	text_split_free(lines, n);
}

static void print_values(const struct machine *machine)
{
	struct machine_counts counts = plan_counts(machine, machine->usable);

	puts("\nvalues that plan expressions know, of the usable CPUs:");
	printf("  nr_cpus = %d  nr_cores = %d  nr_llcs = %d  nr_nodes = %d  nr_sockets = %d\n"
	       "  cpus_per_llc = %d  cpus_per_node = %d  smt = %d\n",
	       counts.nr_cpus, counts.nr_cores, counts.nr_llcs, counts.nr_nodes, counts.nr_sockets,
	       counts.cpus_per_llc, counts.cpus_per_node, counts.smt);
}

void topo_print(const struct machine *machine)
{
	print_line("machine", machine->name);
	if (machine->description)
		print_line("", machine->description);
	if (!machine->live)
		print_line("source", machine->source);
	print_cpus(machine);
	print_levels(machine);
	print_groups(machine, LEVEL_PACKAGE);
	print_groups(machine, LEVEL_NODE);
	print_groups(machine, LEVEL_LLC);
	print_groups(machine, LEVEL_CLUSTER);
	print_distances(machine);
	print_asymmetries(machine);
	print_values(machine);
}
