// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/internal.h"

struct choices {
	const struct machine *machine;
	struct cpu_choice *items;
	int n;
};

/* takes @cpus over; a set that is there already is dropped */
static void add_choice(struct choices *choices, char *label, hwloc_bitmap_t cpus)
{
	struct cpu_choice *choice;

	for (int i = 0; i < choices->n; i++) {
		if (hwloc_bitmap_isequal(choices->items[i].cpus, cpus)) {
			free(label);
			hwloc_bitmap_free(cpus);
			return;
		}
	}
	choice = array_append(choices->items, choices->n);
	*choice = (struct cpu_choice){ label, cpus };
}

static void add_all(struct choices *choices)
{
	add_choice(choices, memory_string("all"), hwloc_bitmap_dup(choices->machine->usable));
}

/* ---- a list of CPUs ---- */

/* why the lowest CPU of @cpus that is not usable is not; NULL if all are */
static struct error *check_usable(const struct machine *machine, hwloc_const_bitmap_t cpus)
{
	autofree char *usable = cpulist_format(machine->usable);
	hwloc_bitmap_t missing = hwloc_bitmap_alloc();
	int cpu;

	hwloc_bitmap_andnot(missing, cpus, machine->usable);
	cpu = hwloc_bitmap_first(missing);
	hwloc_bitmap_free(missing);
	if (cpu < 0)
		return NULL;
	if (!hwloc_bitmap_isset(machine->possible, cpu))
		return error_new(ERR_INPUT, "CPU %d does not exist on machine %s: usable are %s",
				 cpu, machine->name, usable);
	if (!hwloc_bitmap_isset(machine->online, cpu))
		return error_new(ERR_INPUT, "CPU %d is offline: usable are %s", cpu, usable);
	return error_new(ERR_INPUT,
			 "CPU %d is outside of the cpuset or affinity of this process: usable are "
			 "%s",
			 cpu, usable);
}

static struct error *add_list(struct choices *choices, const char *text)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct error *error = cpulist_parse(text, cpus);

	if (!error)
		error = check_usable(choices->machine, cpus);
	if (error)
		hwloc_bitmap_free(cpus);
	else
		add_choice(choices, cpulist_format(cpus), cpus);
	return error;
}

/* ---- nodes and LLCs ---- */

/* The groups that a prefix selects from. */
struct group_kind {
	const char *prefix; /* "node:" */
	enum machine_level level;
};

static const struct group_kind group_kinds[] = {
	{ "node:", LEVEL_NODE },
	{ "llc:", LEVEL_LLC },
};

/* the number that `fairtrial topo` shows: the kernel's, or the place if it has none */
static int group_number(const struct group_kind *kind, const struct machine *machine, int index)
{
	int id = machine->groups[kind->level][index].id;

	return id < 0 ? index : id;
}

static bool has_usable(const struct machine *machine, const struct machine_group *group)
{
	return hwloc_bitmap_intersects(group->cpus, machine->usable);
}

/* the numbers of the groups with usable CPUs, or of all */
static hwloc_bitmap_t group_numbers(const struct group_kind *kind, const struct machine *machine,
				    bool usable)
{
	hwloc_bitmap_t numbers = hwloc_bitmap_alloc();

	for (int i = 0; i < machine->n_groups[kind->level]; i++) {
		int number = group_number(kind, machine, i);

		if (number >= 0 &&
		    (!usable || has_usable(machine, &machine->groups[kind->level][i])))
			hwloc_bitmap_set(numbers, number);
	}
	return numbers;
}

/* adds the usable CPUs of the group of that number to @cpus */
static void add_group(const struct group_kind *kind, const struct machine *machine, int number,
		      hwloc_bitmap_t cpus)
{
	for (int i = 0; i < machine->n_groups[kind->level]; i++)
		if (group_number(kind, machine, i) == number)
			hwloc_bitmap_or(cpus, cpus, machine->groups[kind->level][i].cpus);
	hwloc_bitmap_and(cpus, cpus, machine->usable);
}

/* every number must be one of a group with usable CPUs */
static struct error *check_groups(const struct group_kind *kind, const struct machine *machine,
				  hwloc_const_bitmap_t wanted)
{
	const char *what = machine_level_name(kind->level);
	hwloc_bitmap_t all = group_numbers(kind, machine, false);
	hwloc_bitmap_t usable = group_numbers(kind, machine, true);
	hwloc_bitmap_t wrong = hwloc_bitmap_alloc();
	autofree char *accepted = cpulist_format(usable);
	struct error *error = NULL;
	int number;

	hwloc_bitmap_andnot(wrong, wanted, usable);
	number = hwloc_bitmap_first(wrong);
	if (number >= 0 && hwloc_bitmap_iszero(all))
		error = error_new(ERR_INPUT, "machine %s has no %ss", machine->name, what);
	else if (number >= 0)
		error = error_new(
			ERR_INPUT, "%s %d %s on machine %s: accepted are %s", what, number,
			hwloc_bitmap_isset(all, number) ? "has no usable CPUs" : "does not exist",
			machine->name, accepted);
	hwloc_bitmap_free(all);
	hwloc_bitmap_free(usable);
	hwloc_bitmap_free(wrong);
	return error;
}

static struct error *add_groups(struct choices *choices, const struct group_kind *kind,
				const char *text)
{
	const struct machine *machine = choices->machine;
	hwloc_bitmap_t wanted = hwloc_bitmap_alloc(), cpus = hwloc_bitmap_alloc();
	struct error *error = cpulist_parse(text + strlen(kind->prefix), wanted);
	unsigned number;

	if (error) {
		error_free(error);
		error = error_new(ERR_INPUT, "'%s' is not a list of numbers such as %s0,2-3", text,
				  kind->prefix);
	} else {
		error = check_groups(kind, machine, wanted);
	}
	if (!error) {
		autofree char *numbers = cpulist_format(wanted);

		hwloc_bitmap_foreach_begin(number, wanted) add_group(kind, machine, number, cpus);
		hwloc_bitmap_foreach_end();
		add_choice(choices, memory_format("%s%s", kind->prefix, numbers),
			   hwloc_bitmap_dup(cpus));
	}
	hwloc_bitmap_free(wanted);
	hwloc_bitmap_free(cpus);
	return error;
}

/* the first group, the first two, ... all; groups without usable CPUs are passed over */
static void add_cumulative_groups(struct choices *choices, const struct group_kind *kind)
{
	hwloc_bitmap_t usable = group_numbers(kind, choices->machine, true);
	hwloc_bitmap_t numbers = hwloc_bitmap_alloc(), cpus = hwloc_bitmap_alloc();
	unsigned number;

	hwloc_bitmap_foreach_begin(number, usable) autofree char *list = NULL;

	hwloc_bitmap_set(numbers, number);
	add_group(kind, choices->machine, number, cpus);
	list = cpulist_format(numbers);
	add_choice(choices, memory_format("%s%s", kind->prefix, list), hwloc_bitmap_dup(cpus));
	hwloc_bitmap_foreach_end();
	/* CPUs that are in no such group, and machines that have none */
	add_all(choices);
	hwloc_bitmap_free(usable);
	hwloc_bitmap_free(numbers);
	hwloc_bitmap_free(cpus);
}

static struct error *add_numa_simple(struct choices *choices)
{
	add_cumulative_groups(choices, &group_kinds[0]);
	return NULL;
}

static struct error *add_llc_simple(struct choices *choices)
{
	add_cumulative_groups(choices, &group_kinds[1]);
	return NULL;
}

/* ---- simple: cores ---- */

/* the usable CPUs of the core of @cpu */
static hwloc_bitmap_t core_of(const struct machine *machine, int cpu)
{
	const struct machine_cpu *at = machine_cpu(machine, cpu);
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int core = at ? at->group[LEVEL_CORE] : -1;

	hwloc_bitmap_set(cpus, cpu);
	if (core >= 0)
		hwloc_bitmap_or(cpus, cpus, machine->groups[LEVEL_CORE][core].cpus);
	hwloc_bitmap_and(cpus, cpus, machine->usable);
	return cpus;
}

/* the usable cores of the socket of the lowest usable CPU */
static int cores_of_first_socket(const struct machine *machine)
{
	const struct machine_cpu *first = machine_cpu(machine, hwloc_bitmap_first(machine->usable));
	int package = first ? first->group[LEVEL_PACKAGE] : -1, n = 0;
	hwloc_bitmap_t left;

	if (package < 0)
		return 0;
	left = hwloc_bitmap_dup(machine->groups[LEVEL_PACKAGE][package].cpus);
	hwloc_bitmap_and(left, left, machine->usable);
	for (int cpu; (cpu = hwloc_bitmap_first(left)) >= 0; n++) {
		hwloc_bitmap_t core = core_of(machine, cpu);

		hwloc_bitmap_andnot(left, left, core);
		hwloc_bitmap_free(core);
	}
	hwloc_bitmap_free(left);
	return n;
}

/* the counts of cores that hwbench's "simple" tries: 1 2 3 4 8 16, then every 16, and a socket */
static bool simple_stops_at(int n, int socket)
{
	return n <= 4 || n == 8 || n % 16 == 0 || n == socket;
}

static struct error *add_simple(struct choices *choices)
{
	const struct machine *machine = choices->machine;
	hwloc_bitmap_t left = hwloc_bitmap_dup(machine->usable), cpus = hwloc_bitmap_alloc();
	int socket = cores_of_first_socket(machine);

	for (int cpu, n = 1; (cpu = hwloc_bitmap_first(left)) >= 0; n++) {
		hwloc_bitmap_t core = core_of(machine, cpu);

		hwloc_bitmap_or(cpus, cpus, core);
		hwloc_bitmap_andnot(left, left, core);
		hwloc_bitmap_free(core);
		if (simple_stops_at(n, socket) || hwloc_bitmap_iszero(left))
			add_choice(choices, cpulist_format(cpus), hwloc_bitmap_dup(cpus));
	}
	hwloc_bitmap_free(left);
	hwloc_bitmap_free(cpus);
	return NULL;
}

/* ---- the value of `cpus` ---- */

static struct error *add_usable(struct choices *choices)
{
	add_all(choices);
	return NULL;
}

static const struct {
	const char *word;
	struct error *(*add)(struct choices *choices);
	bool sweep;
} words[] = {
	{ "all", add_usable, false },
	{ "numa-simple", add_numa_simple, true },
	{ "llc-simple", add_llc_simple, true },
	{ "simple", add_simple, true },
};

static struct error *unknown_cpus(const char *text)
{
	static const char *const accepted[] = { "all",
						"numa-simple",
						"llc-simple",
						"simple",
						"node:N",
						"llc:N",
						"a CPU list such as 0-3,8",
						NULL };
	autofree char *hint = unknown_word(text, accepted);

	return error_new(ERR_INPUT, "'%s' names no CPUs%s", text, hint);
}

static struct error *add_part(struct choices *choices, const char *text, bool *swept)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(text, words[i].word)) {
			*swept = *swept || words[i].sweep;
			return words[i].add(choices);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(group_kinds); i++)
		if (!strncmp(text, group_kinds[i].prefix, strlen(group_kinds[i].prefix)))
			return add_groups(choices, &group_kinds[i], text);
	if (!*text || strspn(text, "0123456789,- ") != strlen(text))
		return unknown_cpus(text);
	return add_list(choices, text);
}

struct error *cpu_choices_read(const char *text, const struct machine *machine,
			       struct cpu_choice **out, int *n, bool *swept)
{
	struct choices choices = { .machine = machine };
	struct error *error = NULL;
	int n_parts;
	char **parts = text_split(text, '|', &n_parts);

	*swept = n_parts > 1;
	for (int i = 0; i < n_parts && !error; i++)
		error = add_part(&choices, parts[i], swept);
	text_split_free(parts, n_parts);
	if (error) {
		cpu_choices_free(choices.items, choices.n);
		return error;
	}
	*out = choices.items;
	*n = choices.n;
	return NULL;
}

void cpu_choices_free(struct cpu_choice *choices, int n)
{
	for (int i = 0; i < n; i++) {
		free(choices[i].label);
		hwloc_bitmap_free(choices[i].cpus);
	}
	free(choices);
}
