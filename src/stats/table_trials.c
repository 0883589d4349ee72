// SPDX-License-Identifier: GPL-2.0-only
/* table_trials.c - finds the trials of a case and puts those that ran side by side side by side */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/table_parts.h"

/* a block of a run; @run is the position of the run within the side */
struct block_key {
	int run, block;
};

static int compare_keys(const void *a, const void *b)
{
	const struct block_key *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

const struct result_case *side_case(const struct side *side, const char *name)
{
	for (int part = 0; part < side->n_parts; part++) {
		const struct run *run = side->parts[part].run;
		int index = run_case_index(run, name);

		if (index >= 0)
			return &run->cases[index];
	}
	return NULL;
}

static int run_position(const struct side *side, const struct run *run)
{
	for (int part = 0; part < side->n_parts; part++)
		if (side->parts[part].run->id == run->id)
			return part;
	return -1;
}

bool sides_interleaved(const struct side *sides, int n_sides)
{
	for (int i = 1; i < n_sides; i++) {
		if (sides[i].n_parts != sides[0].n_parts)
			return false;
		for (int part = 0; part < sides[i].n_parts; part++)
			if (run_position(&sides[0], sides[i].parts[part].run) < 0)
				return false;
	}
	return true;
}

/* calls for each trial of a case of one side */
typedef void (*trial_visitor)(const struct trial *trial, struct block_key key, void *data);

static void visit_trials(const struct side *side, const struct side *order, const char *case_name,
			 trial_visitor visit, void *data)
{
	for (int part = 0; part < side->n_parts; part++) {
		const struct run *run = side->parts[part].run;
		int case_index = run_case_index(run, case_name);
		struct block_key key = { run_position(order, run), 0 };

		if (case_index < 0)
			continue;
		for (int i = 0; i < run->n_trials; i++) {
			const struct trial *trial = &run->trials[i];

			if (trial->case_index != case_index ||
			    trial->variant_index != side->parts[part].variant)
				continue;
			key.block = trial->block;
			visit(trial, key, data);
		}
	}
}

struct key_list {
	struct block_key *keys;
	int n;
};

static void collect_key(const struct trial *trial, struct block_key key, void *data)
{
	struct key_list *list = data;

	(void)trial;
	*array_append(list->keys, list->n) = key;
}

static void sort_unique(struct key_list *list)
{
	int kept = 0;

	if (list->n)
		qsort(list->keys, list->n, sizeof(*list->keys), compare_keys);
	for (int i = 0; i < list->n; i++)
		if (!kept || compare_keys(&list->keys[kept - 1], &list->keys[i]))
			list->keys[kept++] = list->keys[i];
	list->n = kept;
}

struct slot_filler {
	const struct key_list *list;
	const struct trial **slots;
};

/* of two trials of one block (a run that was resumed) one that is OK is taken, else the later */
static void fill_slot(const struct trial *trial, struct block_key key, void *data)
{
	struct slot_filler *filler = data;
	const struct block_key *found =
		bsearch(&key, filler->list->keys, filler->list->n, sizeof(key), compare_keys);
	const struct trial **slot = &filler->slots[found - filler->list->keys];

	if (!*slot || (*slot)->status != TRIAL_OK)
		*slot = trial;
}

static void fill_slots(struct case_trials *trials, int index, const struct side *side,
		       const struct side *order, const char *case_name, const struct key_list *list)
{
	struct slot_filler filler = { list, NULL };

	filler.slots = memory_zeroed(list->n, sizeof(*filler.slots));
	visit_trials(side, order, case_name, fill_slot, &filler);
	trials->slots[index] = filler.slots;
	trials->n_slots[index] = list->n;
}

struct case_trials case_trials_of(const struct side *sides, int n_sides, const char *case_name,
				  bool interleaved)
{
	struct case_trials trials = { .n_sides = n_sides };
	struct key_list all = { NULL, 0 };

	trials.slots = memory_zeroed(n_sides, sizeof(*trials.slots));
	trials.n_slots = memory_zeroed(n_sides, sizeof(*trials.n_slots));
	for (int i = 0; interleaved && i < n_sides; i++)
		visit_trials(&sides[i], &sides[0], case_name, collect_key, &all);
	sort_unique(&all);
	for (int i = 0; i < n_sides; i++) {
		struct key_list own = { NULL, 0 };

		if (interleaved) {
			fill_slots(&trials, i, &sides[i], &sides[0], case_name, &all);
			continue;
		}
		visit_trials(&sides[i], &sides[i], case_name, collect_key, &own);
		sort_unique(&own);
		fill_slots(&trials, i, &sides[i], &sides[i], case_name, &own);
		free(own.keys);
	}
	free(all.keys);
	return trials;
}

void case_trials_clear(struct case_trials *trials)
{
	for (int i = 0; i < trials->n_sides; i++)
		free(trials->slots[i]);
	free(trials->slots);
	free(trials->n_slots);
	*trials = (struct case_trials){ 0 };
}
