// SPDX-License-Identifier: GPL-2.0-only
/*
 * table_repeated.c - a simulated trial that was made twice is one trial
 *
 * A simulated trial is a function of kernel, machine, case, settings, times and seed. The seeds of a plan
 * that is run again are the same ones, and so are all values: as further trials they would make any
 * difference significant.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/conditions.h"
#include "stats/table_parts.h"

static const struct side_part *part_of(const struct side *side, const struct trial *trial)
{
	for (int i = 0; i < side->n_parts; i++) {
		const struct run *run = side->parts[i].run;

		if (trial >= run->trials && trial < run->trials + run->n_trials)
			return &side->parts[i];
	}
	return NULL;
}

/* two trials of one case; of one run they have different seeds or are one that was made again */
static bool same_trial(const struct side *side_a, const struct trial *a, const struct side *side_b,
		       const struct trial *b, const char *case_name)
{
	const struct side_part *part_a, *part_b;

	if (a->seed != b->seed)
		return false;
	part_a = part_of(side_a, a);
	part_b = part_of(side_b, b);
	return part_a && part_b && part_a->run != part_b->run &&
	       same_simulation(part_a, part_b, case_name);
}

/* the sides whose slots stand in blocks together: all, or one */
struct together {
	const struct side *sides;
	const struct trial ***slots;
	int n_sides, n_slots;
	const char *case_name;
};

/* is all that both blocks have the same? */
static bool repeats(const struct together *all, int first, int second)
{
	bool any = false;

	for (int i = 0; i < all->n_sides; i++) {
		const struct trial *a = all->slots[i][first], *b = all->slots[i][second];

		if (!a || !b)
			continue;
		if (!same_trial(&all->sides[i], a, &all->sides[i], b, all->case_name))
			return false;
		any = true;
	}
	return any;
}

/* a run that was cut off may lack what the second one has; returns how many trials there were twice */
static int merge(const struct together *all, int first, int second)
{
	int n = 0;

	for (int i = 0; i < all->n_sides; i++) {
		const struct trial **a = &all->slots[i][first], **b = &all->slots[i][second];

		n += *a && *b;
		if (*b && (!*a || (*a)->status != TRIAL_OK))
			*a = *b;
		*b = NULL;
	}
	return n;
}

static bool is_empty(const struct together *all, int slot)
{
	for (int i = 0; i < all->n_sides; i++)
		if (all->slots[i][slot])
			return false;
	return true;
}

/* returns how many trials were repetitions; @n_slots: what is left */
static int merge_all(const struct together *all, int *n_slots)
{
	int repeated = 0, kept = 0;

	for (int i = 0; i < all->n_slots; i++) {
		bool merged = false;

		for (int j = 0; j < kept && !merged; j++) {
			merged = repeats(all, j, i);
			if (merged)
				repeated += merge(all, j, i);
		}
		if (merged || is_empty(all, i))
			continue;
		for (int side = 0; side < all->n_sides; side++)
			all->slots[side][kept] = all->slots[side][i];
		kept++;
	}
	*n_slots = kept;
	return repeated;
}

int case_trials_merge(struct case_trials *trials, const struct side *sides, const char *case_name,
		      bool interleaved)
{
	int repeated = 0;

	for (int i = 0; i < trials->n_sides; i += interleaved ? trials->n_sides : 1) {
		const struct together all = {
			.sides = &sides[i],
			.slots = &trials->slots[i],
			.n_sides = interleaved ? trials->n_sides : 1,
			.n_slots = trials->n_slots[i],
			.case_name = case_name,
		};
		int left;

		repeated += merge_all(&all, &left);
		for (int side = i; side < i + all.n_sides; side++)
			trials->n_slots[side] = left;
	}
	return repeated;
}

int case_trials_shared(const struct case_trials *trials, const struct side *sides, int side,
		       const char *case_name)
{
	int shared = 0;

	for (int i = 0; i < trials->n_slots[side]; i++) {
		const struct trial *trial = trials->slots[side][i];
		bool found = false;

		for (int j = 0; trial && j < trials->n_slots[0] && !found; j++)
			found = trials->slots[0][j] && same_trial(&sides[side], trial, &sides[0],
								  trials->slots[0][j], case_name);
		shared += found;
	}
	return shared;
}
