// SPDX-License-Identifier: GPL-2.0-only
#include "events/crowd.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* how often imbalance and sharing are looked at; they cost a walk over all groups */
#define SAMPLE_NS 1000000

struct group {
	int32_t idle, waiting;
};

struct class
{
	hwloc_bitmap_t cpus;
	struct group *groups[N_LEVELS_GROUPS];
	int64_t matched[N_LEVELS_GROUPS]; /* sum over groups of min(idle, waiting) */
	double integral[N_LEVELS_GROUPS]; /* ns */
	uint64_t since;
};

/* a group of CPUs with all tasks, whatever their class */
struct place {
	int32_t n_cpus, running, waiting, idle;
	uint64_t since;
	double running_ns, waiting_ns, idle_ns;
};

struct crowd {
	const struct levels *levels;
	hwloc_bitmap_t cpus; /* NULL: all */
	bool *idle;	     /* by CPU */
	struct class classes[CROWD_CLASSES];
	int n_classes;
	struct place *places[N_LEVELS_GROUPS]; /* CORE to ALL */
	uint64_t begin, next_sample, now;
	double samples;
	double sharing[N_LEVELS_GROUPS], imbalance[N_LEVELS_GROUPS];
};

static bool allowed(hwloc_const_bitmap_t cpus, int cpu)
{
	return !cpus || hwloc_bitmap_isset(cpus, (unsigned)cpu);
}

static int32_t least(const struct group *group)
{
	return group->idle < group->waiting ? group->idle : group->waiting;
}

/* ---- classes ---- */

static void class_integrate(struct class *class, uint64_t now)
{
	double ns = (double)(now - class->since);

	class->since = now;
	for (int level = 0; level < N_LEVELS_GROUPS; level++)
		class->integral[level] += (double)class->matched[level] * ns;
}

static void class_change(const struct crowd *crowd, struct class *class, uint64_t now, int cpu,
			 int idle, int waiting)
{
	const int32_t *groups = crowd->levels->group[cpu];

	class_integrate(class, now);
	for (int level = 0; level < N_LEVELS_GROUPS; level++) {
		struct group *group = &class->groups[level][groups[level]];

		class->matched[level] -= least(group);
		group->idle += idle;
		group->waiting += waiting;
		class->matched[level] += least(group);
	}
}

int crowd_class(struct crowd *crowd, hwloc_const_bitmap_t cpus)
{
	hwloc_const_bitmap_t wanted = cpus ? cpus : crowd->cpus;
	struct class *class;

	for (int i = 0; i < crowd->n_classes; i++) {
		hwloc_const_bitmap_t other = crowd->classes[i].cpus;

		if (wanted && other ? hwloc_bitmap_isequal(wanted, other) : !wanted && !other)
			return i;
	}
	if (crowd->n_classes == CROWD_CLASSES)
		return -1;
	class = &crowd->classes[crowd->n_classes];
	class->cpus = wanted ? hwloc_bitmap_dup(wanted) : NULL;
	class->since = crowd->now;
	for (int level = 0; level < N_LEVELS_GROUPS; level++)
		class->groups[level] =
			memory_zeroed((size_t)crowd->levels->n_groups[level], sizeof(struct group));
	for (int cpu = 0; cpu < crowd->levels->n_cpus; cpu++)
		if (crowd->idle[cpu] && allowed(wanted, cpu))
			class_change(crowd, class, crowd->now, cpu, 1, 0);
	return crowd->n_classes++;
}

/* ---- places ---- */

static void place_integrate(struct place *place, uint64_t now)
{
	double ns = (double)(now - place->since);

	place->since = now;
	place->running_ns += place->running * ns;
	place->waiting_ns += place->waiting * ns;
	place->idle_ns += place->idle * ns;
}

static void places_change(struct crowd *crowd, uint64_t now, int cpu, int running, int waiting,
			  int idle)
{
	for (int level = GROUP_CORE; level < N_LEVELS_GROUPS; level++) {
		struct place *place = &crowd->places[level][crowd->levels->group[cpu][level]];

		place_integrate(place, now);
		place->running += running;
		place->waiting += waiting;
		place->idle += idle;
	}
}

/* ---- samples: what needs all groups of a level ---- */

/* tasks of groups that have more than one, but no more than there are idle groups */
static double sharing_of(const struct crowd *crowd, int level)
{
	double surplus = 0, empty = 0;

	for (int i = 0; i < crowd->levels->n_groups[level]; i++) {
		const struct place *place = &crowd->places[level][i];
		int tasks = place->running + place->waiting;

		if (!place->n_cpus)
			continue;
		if (tasks > 1)
			surplus += tasks - 1;
		else if (!tasks && place->idle == place->n_cpus)
			empty++;
	}
	return fmin(surplus, empty);
}

static double imbalance_of(const struct crowd *crowd, int level)
{
	double most = -INFINITY, fewest = INFINITY;

	for (int i = 0; i < crowd->levels->n_groups[level]; i++) {
		const struct place *place = &crowd->places[level][i];
		double load;

		if (!place->n_cpus)
			continue;
		load = (double)(place->running + place->waiting) / place->n_cpus;
		most = fmax(most, load);
		fewest = fmin(fewest, load);
	}
	return most > fewest ? most - fewest : 0;
}

/* the state has been the same since the last change, so all samples up to now are equal */
static void sample(struct crowd *crowd, uint64_t now)
{
	double n;

	if (now < crowd->next_sample)
		return;
	n = (double)((now - crowd->next_sample) / SAMPLE_NS + 1);
	crowd->next_sample += (uint64_t)n * SAMPLE_NS;
	crowd->samples += n;
	crowd->sharing[GROUP_CORE] += n * sharing_of(crowd, GROUP_CORE);
	crowd->sharing[GROUP_LLC] += n * sharing_of(crowd, GROUP_LLC);
	crowd->sharing[GROUP_NODE] += n * sharing_of(crowd, GROUP_NODE);
	for (int level = GROUP_LLC; level <= GROUP_PACKAGE; level++)
		crowd->imbalance[level] += n * imbalance_of(crowd, level);
}

/* ---- the life of a crowd ---- */

struct crowd *crowd_new(const struct levels *levels, hwloc_const_bitmap_t cpus, uint64_t now,
			bool starts_idle)
{
	struct crowd *crowd = memory_zeroed(1, sizeof(*crowd));

	crowd->levels = levels;
	crowd->cpus = cpus ? hwloc_bitmap_dup(cpus) : NULL;
	crowd->idle = memory_zeroed((size_t)levels->n_cpus, sizeof(*crowd->idle));
	crowd->now = now;
	for (int level = GROUP_CORE; level < N_LEVELS_GROUPS; level++) {
		crowd->places[level] =
			memory_zeroed((size_t)levels->n_groups[level], sizeof(struct place));
		for (int i = 0; i < levels->n_groups[level]; i++)
			crowd->places[level][i].since = now;
		for (int cpu = 0; cpu < levels->n_cpus; cpu++)
			if (allowed(cpus, cpu))
				crowd->places[level][levels->group[cpu][level]].n_cpus++;
	}
	for (int cpu = 0; starts_idle && cpu < levels->n_cpus; cpu++)
		crowd_idle(crowd, now, cpu, true);
	crowd_restart(crowd, now);
	return crowd;
}

void crowd_free(struct crowd *crowd)
{
	if (!crowd)
		return;
	for (int i = 0; i < crowd->n_classes; i++) {
		hwloc_bitmap_free(crowd->classes[i].cpus);
		for (int level = 0; level < N_LEVELS_GROUPS; level++)
			free(crowd->classes[i].groups[level]);
	}
	for (int level = 0; level < N_LEVELS_GROUPS; level++)
		free(crowd->places[level]);
	hwloc_bitmap_free(crowd->cpus);
	free(crowd->idle);
	free(crowd);
}

void crowd_idle(struct crowd *crowd, uint64_t now, int cpu, bool idle)
{
	if (crowd->idle[cpu] == idle)
		return;
	sample(crowd, now);
	crowd->now = now;
	crowd->idle[cpu] = idle;
	for (int i = 0; i < crowd->n_classes; i++)
		if (allowed(crowd->classes[i].cpus, cpu))
			class_change(crowd, &crowd->classes[i], now, cpu, idle ? 1 : -1, 0);
	if (allowed(crowd->cpus, cpu))
		places_change(crowd, now, cpu, 0, 0, idle ? 1 : -1);
}

void crowd_waiting(struct crowd *crowd, uint64_t now, int class, int cpu, int change)
{
	sample(crowd, now);
	crowd->now = now;
	if (class >= 0)
		class_change(crowd, &crowd->classes[class], now, cpu, 0, change);
	places_change(crowd, now, cpu, 0, change, 0);
}

void crowd_running(struct crowd *crowd, uint64_t now, int cpu, int change)
{
	sample(crowd, now);
	crowd->now = now;
	places_change(crowd, now, cpu, change, 0, 0);
}

void crowd_advance(struct crowd *crowd, uint64_t now)
{
	sample(crowd, now);
	crowd->now = now;
	for (int i = 0; i < crowd->n_classes; i++)
		class_integrate(&crowd->classes[i], now);
	for (int level = GROUP_CORE; level < N_LEVELS_GROUPS; level++)
		for (int i = 0; i < crowd->levels->n_groups[level]; i++)
			place_integrate(&crowd->places[level][i], now);
}

void crowd_restart(struct crowd *crowd, uint64_t now)
{
	crowd_advance(crowd, now);
	crowd->begin = now;
	crowd->next_sample = now + SAMPLE_NS / 2; /* in the middle of each millisecond */
	crowd->samples = 0;
	for (int i = 0; i < crowd->n_classes; i++)
		for (int level = 0; level < N_LEVELS_GROUPS; level++)
			crowd->classes[i].integral[level] = 0;
	for (int level = 0; level < N_LEVELS_GROUPS; level++) {
		crowd->sharing[level] = crowd->imbalance[level] = 0;
		for (int i = 0; crowd->places[level] && i < crowd->levels->n_groups[level]; i++) {
			struct place *place = &crowd->places[level][i];

			place->running_ns = place->waiting_ns = place->idle_ns = 0;
		}
	}
}

/* ---- what came out ---- */

static double matched_within(const struct crowd *crowd, int level)
{
	double sum = 0;

	for (int i = 0; i < crowd->n_classes; i++)
		sum += crowd->classes[i].integral[level];
	return sum / 1e9;
}

void crowd_sums(const struct crowd *crowd, struct crowd_sums *out)
{
	/* the group in which a level's tasks and CPUs meet for the first time */
	static const enum levels_group groups[N_EVENT_LEVELS] = {
		GROUP_CPU, GROUP_CORE, GROUP_CLUSTER, GROUP_LLC, GROUP_NODE, GROUP_ALL,
	};
	double below = matched_within(crowd, GROUP_CPU);
	const struct place *all = &crowd->places[GROUP_ALL][0];

	*out = (struct crowd_sums){
		.seconds = (double)(crowd->now - crowd->begin) / 1e9,
		.idle = all->idle_ns / 1e9,
		.n_cpus = all->n_cpus,
	};
	for (int level = EVENT_LEVEL_SMT; level < N_EVENT_LEVELS; level++) {
		double within = matched_within(crowd, groups[level]);

		/* an LLC may be larger than a node: then the node adds nothing */
		out->unconserved[level] = fmax(0, within - below);
		below = fmax(below, within);
	}
	for (int level = 0; level < N_LEVELS_GROUPS && crowd->samples > 0; level++) {
		out->sharing[level] = crowd->sharing[level] / crowd->samples * out->seconds;
		out->imbalance[level] = crowd->imbalance[level] / crowd->samples * out->seconds;
	}
}

void crowd_place(const struct crowd *crowd, enum levels_group level, int group,
		 struct crowd_place *out)
{
	const struct place *place = &crowd->places[level][group];
	double ns = (double)(crowd->now - crowd->begin);

	*out = (struct crowd_place){ .n_cpus = place->n_cpus };
	if (!(ns > 0))
		return;
	out->running = place->running_ns / ns;
	out->waiting = place->waiting_ns / ns;
	out->idle = place->idle_ns / ns;
}
