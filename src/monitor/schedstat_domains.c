// SPDX-License-Identifier: GPL-2.0-only
#include "monitor/schedstat_domains.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* most numbers after the span of a domain line: three kinds of 11, and 12 (version 17) */
#define MOST_NUMBERS 45

/* where the counts of a kind are, by version */
struct layout {
	int version;
	bool named;
	int per_kind;		    /* numbers for each kind of balancing */
	int gained;		    /* position of lb_gained among these */
	int order[N_BALANCE_KINDS]; /* position of the kind's numbers */
};

static const struct layout layouts[] = {
	{ 15, false, 8, 4, { [BALANCE_IDLE] = 0, [BALANCE_BUSY] = 1, [BALANCE_NEWIDLE] = 2 } },
	{ 16, false, 8, 4, { [BALANCE_BUSY] = 0, [BALANCE_IDLE] = 1, [BALANCE_NEWIDLE] = 2 } },
	{ 17, true, 11, 7, { [BALANCE_BUSY] = 0, [BALANCE_IDLE] = 1, [BALANCE_NEWIDLE] = 2 } },
};

struct parser {
	const struct layout *layout;
	const struct machine *machine;
	hwloc_const_bitmap_t cpus;
	const int *cpu_ids;
	int n_ids;
	const char *file;
	int line;
	bool wanted; /* the CPU whose domains are read is one of cpus */
};

static int machine_id(const struct parser *parser, unsigned cpu)
{
	if (!parser->cpu_ids)
		return cpu > INT_MAX ? -1 : (int)cpu;
	return cpu < (unsigned)parser->n_ids ? parser->cpu_ids[cpu] : -1;
}

/* "00000000,0000000f": words of 32 bits, the highest first */
static bool read_mask(const struct parser *parser, const char *text, size_t length,
		      hwloc_bitmap_t out)
{
	unsigned bit = 0;

	hwloc_bitmap_zero(out);
	for (size_t i = length; i-- > 0;) {
		int digit;

		if (text[i] == ',')
			continue;
		if (!isxdigit((unsigned char)text[i]))
			return false;
		digit = isdigit((unsigned char)text[i]) ? text[i] - '0'
							: tolower(text[i]) - 'a' + 10;
		for (int b = 0; b < 4; b++, bit++) {
			int id = digit >> b & 1 ? machine_id(parser, bit) : -1;

			if (id >= 0)
				hwloc_bitmap_set(out, (unsigned)id);
		}
	}
	return !hwloc_bitmap_iszero(out);
}

/* the lowest level with a group that holds the span */
static int level_of(const struct machine *machine, hwloc_const_bitmap_t span)
{
	const struct machine_cpu *cpu = machine_cpu(machine, hwloc_bitmap_first(span));

	if (!cpu)
		return N_MACHINE_LEVELS;
	for (int level = 0; level < N_MACHINE_LEVELS; level++) {
		int group = cpu->group[level];

		if (group >= 0 && hwloc_bitmap_isincluded(span, machine->groups[level][group].cpus))
			return level;
	}
	return N_MACHINE_LEVELS;
}

static const char *word(const char *text, size_t *length)
{
	text += strspn(text, " \t");
	*length = strcspn(text, " \t\n");
	return text;
}

static int read_numbers(const char *text, uint64_t *numbers)
{
	int n = 0;

	while (n < MOST_NUMBERS) {
		char *end;
		uint64_t value = strtoull(text, &end, 10);

		if (end == text)
			break;
		numbers[n++] = value;
		text = end;
	}
	return n;
}

static void add_numbers(const struct layout *layout, const uint64_t *numbers,
			struct level_balance *sum)
{
	const uint64_t *rest = numbers + N_BALANCE_KINDS * layout->per_kind;

	for (int kind = 0; kind < N_BALANCE_KINDS; kind++) {
		const uint64_t *counts = numbers + layout->order[kind] * layout->per_kind;

		/* lb_count, lb_balanced, lb_failed, ... */
		sum->calls[kind] += counts[0];
		sum->failed[kind] += counts[2];
		sum->success[kind] += counts[0] - counts[1] - counts[2];
		sum->pulled[kind] += counts[layout->gained];
	}
	/* alb_count, alb_failed, alb_pushed, six of exec and fork, ttwu_wake_remote, ttwu_move_affine */
	sum->active += rest[2];
	sum->wake_remote += rest[9];
	sum->wake_affine += rest[10];
	sum->n_domains++;
}

static struct error *read_domain(const struct parser *parser, const char *line,
				 struct balance_counts *counts)
{
	uint64_t numbers[MOST_NUMBERS];
	hwloc_bitmap_t span = hwloc_bitmap_alloc();
	int needed = N_BALANCE_KINDS * parser->layout->per_kind + 12;
	size_t length;
	const char *text = word(line, &length); /* "domain0" */
	struct error *error = NULL;

	text = word(text + length, &length);
	if (parser->layout->named)
		text = word(text + length, &length);
	if (!read_mask(parser, text, length, span))
		error = error_at(ERR_INPUT, parser->file, parser->line,
				 "no CPU mask of the domain");
	else if (read_numbers(text + length, numbers) < needed)
		error = error_at(ERR_INPUT, parser->file, parser->line,
				 "fewer than the %d counts of version %d", needed,
				 parser->layout->version);
	else
		add_numbers(parser->layout, numbers,
			    &counts->levels[level_of(parser->machine, span)]);
	hwloc_bitmap_free(span);
	return error;
}

static struct error *read_line(struct parser *parser, const char *line,
			       struct balance_counts *counts)
{
	if (!strncmp(line, "cpu", 3) && isdigit((unsigned char)line[3])) {
		int id = machine_id(parser, (unsigned)strtoul(line + 3, NULL, 10));

		parser->wanted = id >= 0 && hwloc_bitmap_isset(parser->cpus, (unsigned)id);
		return NULL;
	}
	if (!parser->wanted || strncmp(line, "domain", 6))
		return NULL;
	return read_domain(parser, line, counts);
}

static struct error *find_layout(const char *text, const char *file, const struct layout **out)
{
	int version;

	if (sscanf(text, "version %d", &version) != 1)
		return error_at(ERR_INPUT, file, 1, "no version");
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].version == version) {
			*out = &layouts[i];
			return NULL;
		}
	return error_at(ERR_UNAVAILABLE, file, 1, "version %d; 15 to 17 are known", version);
}

struct error *balance_counts_parse(const char *text, const char *file,
				   const struct machine *machine, hwloc_const_bitmap_t cpus,
				   const int *cpu_ids, int n_ids, struct balance_counts *out)
{
	struct parser parser = {
		.machine = machine,
		.cpus = cpus,
		.cpu_ids = cpu_ids,
		.n_ids = n_ids,
		.file = file,
	};
	struct error *error = find_layout(text, file, &parser.layout);

	*out = (struct balance_counts){ 0 };
	for (const char *line = text; *line && !error;) {
		const char *end = strchrnul(line, '\n');
		/* a line of its own: numbers must not be taken from the next one */
		autofree char *copy = memory_string_n(line, (size_t)(end - line));

		parser.line++;
		error = read_line(&parser, copy, out);
		line = *end ? end + 1 : end;
	}
	return error;
}

#define LEVEL_METRICS(suffix, where)                                                               \
	{ "busy_balance_" suffix, "1/s", BETTER_NEITHER, 1,                                        \
	  "load balancing by busy CPUs " where },                                                  \
		{ "idle_balance_" suffix, "1/s", BETTER_NEITHER, 1,                                \
		  "load balancing for idle CPUs " where },                                         \
		{ "newidle_balance_" suffix, "1/s", BETTER_NEITHER, 1,                             \
		  "load balancing by CPUs that become idle " where },                              \
		{ "busy_pulled_" suffix, "1/s", BETTER_NEITHER, 1,                                 \
		  "tasks that busy CPUs pulled " where },                                          \
		{ "idle_pulled_" suffix, "1/s", BETTER_NEITHER, 1,                                 \
		  "tasks that idle CPUs pulled " where },                                          \
		{ "newidle_pulled_" suffix, "1/s", BETTER_NEITHER, 1,                              \
		  "tasks that CPUs pulled when they became idle " where },                         \
		{ "busy_failed_" suffix, "1/s", BETTER_NEITHER, 1,                                 \
		  "balancing by busy CPUs that moved nothing in spite of an imbalance " where },   \
		{ "idle_failed_" suffix, "1/s", BETTER_NEITHER, 1,                                 \
		  "balancing for idle CPUs that moved nothing in spite of an imbalance " where },  \
		{ "newidle_failed_" suffix, "1/s", BETTER_NEITHER, 1,                              \
		  "balancing by CPUs that become idle that moved nothing in spite of an "          \
		  "imbalance " where },                                                            \
		{ "busy_success_" suffix, "1/s", BETTER_NEITHER, 1,                                \
		  "load balancing by busy CPUs that moved tasks " where },                         \
		{ "idle_success_" suffix, "1/s", BETTER_NEITHER, 1,                                \
		  "load balancing for idle CPUs that moved tasks " where },                        \
		{ "newidle_success_" suffix, "1/s", BETTER_NEITHER, 1,                             \
		  "load balancing by CPUs that become idle that moved tasks " where },             \
		{ "active_balance_" suffix, "1/s", BETTER_NEITHER, 1,                              \
		  "running tasks that were pushed " where },                                       \
		{ "wake_remote_" suffix, "1/s", BETTER_NEITHER, 1,                                 \
		  "wakeups on another CPU than the waker's " where },                              \
	{                                                                                          \
		"wake_affine_" suffix, "1/s", BETTER_NEITHER, 1,                                   \
			"wakeups for which the waker's CPU was preferred " where                   \
	}

const struct metric_desc schedstat_metrics[] = {
	LEVEL_METRICS("smt", "within a core"),
	LEVEL_METRICS("cluster", "within a cluster"),
	LEVEL_METRICS("llc", "within an LLC"),
	LEVEL_METRICS("node", "within a NUMA node"),
	LEVEL_METRICS("package", "within a package"),
	LEVEL_METRICS("system", "between packages"),
	{ NULL },
};

#define SUCCESS		  (3 * N_BALANCE_KINDS) /* where successful calls begin */
#define METRICS_PER_LEVEL (4 * N_BALANCE_KINDS + 3)

/* the counters of a level in the order of its metrics */
static void in_order(const struct level_balance *level, uint64_t counters[METRICS_PER_LEVEL])
{
	for (int kind = 0; kind < N_BALANCE_KINDS; kind++) {
		counters[kind] = level->calls[kind];
		counters[N_BALANCE_KINDS + kind] = level->pulled[kind];
		counters[2 * N_BALANCE_KINDS + kind] = level->failed[kind];
		counters[SUCCESS + kind] = level->success[kind];
	}
	counters[4 * N_BALANCE_KINDS] = level->active;
	counters[4 * N_BALANCE_KINDS + 1] = level->wake_remote;
	counters[4 * N_BALANCE_KINDS + 2] = level->wake_affine;
}

/* how much counter @i grew; false: counters, which have 32 bits, wrapped */
static bool growth(const uint64_t *first, const uint64_t *last, int i, uint64_t n_domains,
		   uint64_t *out)
{
	uint64_t most = UINT64_MAX;

	*out = last[i] - first[i];
	if (i >= SUCCESS && i < SUCCESS + N_BALANCE_KINDS) {
		/* a call under way at the first reading counted until it found nothing to do */
		if (-*out <= n_domains)
			*out = 0;
		most = last[i - SUCCESS] - first[i - SUCCESS] + n_domains;
	} else if (last[i] < first[i]) {
		return false;
	}
	return *out <= most;
}

void balance_report(const struct balance_counts *before, const struct balance_counts *after,
		    double seconds, struct trial *trial)
{
	for (int level = 0; level < SCHEDSTAT_LEVELS; level++) {
		const struct level_balance *old = &before->levels[level];
		const struct level_balance *new = &after->levels[level];
		uint64_t first[METRICS_PER_LEVEL], last[METRICS_PER_LEVEL], grown;

		in_order(old, first);
		in_order(new, last);
		for (int i = 0; i < METRICS_PER_LEVEL; i++) {
			const struct metric_desc *desc =
				&schedstat_metrics[level * METRICS_PER_LEVEL + i];

			if (!new->n_domains)
				trial_add_unavailable(trial, desc,
						      "the kernel has no domain of this level");
			else if (new->n_domains != old->n_domains)
				trial_add_unavailable(trial, desc,
						      "the domains were rebuilt during the trial");
			else if (!growth(first, last, i, (uint64_t) new->n_domains, &grown))
				trial_add_unavailable(trial, desc, "a counter wrapped");
			else
				trial_add_metric(trial, desc, (double)grown / seconds, NULL, 0);
		}
	}
}
