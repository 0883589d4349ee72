// SPDX-License-Identifier: GPL-2.0-only
/*
 * compute_objects.c - a store of records: what transactions over objects in memory do to caches
 *
 * An operation finds a record by its key in a hash table (linear probing), books on it, and goes on
 * to one that depends on what it found: three lines of memory, one after the other.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "task/compute.h"

#define OPERATIONS 16 /* a unit */
#define KEY_FACTOR 0x9e3779b97f4a7c15
#define STOCK_LOW  10
#define STOCK_MORE 91

struct object {
	uint64_t key;
	uint64_t amount; /* booked, in hundredths */
	uint32_t stock, orders;
	uint32_t price;
	uint32_t quantities[9]; /* of the last orders, a ring */
	char text[64];
};

static uint64_t key_of(uint64_t number)
{
	return number * KEY_FACTOR + 1;
}

static size_t slot_of(const struct compute_objects *state, uint64_t key)
{
	return (key ^ key >> 32) * KEY_FACTOR >> 20 & (state->n_slots - 1);
}

static void insert(struct compute_objects *state, size_t number)
{
	struct object *record = &state->records[number];
	size_t slot;

	record->key = key_of(number);
	record->price = 100 + number % 9901;
	record->stock = STOCK_LOW + number % STOCK_MORE;
	memset(record->text, 'a' + (int)(number % 26), sizeof(record->text));
	for (slot = slot_of(state, record->key); state->slots[slot];)
		slot = (slot + 1) & (state->n_slots - 1);
	state->slots[slot] = number + 1;
}

static size_t slots_for(size_t n)
{
	size_t slots = 16;

	while (slots < 2 * n)
		slots *= 2;
	return slots;
}

int compute_objects_start(struct compute_objects *state, size_t bytes)
{
	size_t n = bytes / (sizeof(struct object) + 2 * sizeof(uint32_t));

	if (n >= UINT32_MAX) {
		errno = ENOMEM;
		return -1;
	}
	*state = (struct compute_objects){ .n = n ? n : 1, .random = 0xb7e151628aed2a6a };
	state->n_slots = slots_for(state->n);
	state->bytes = state->n * sizeof(struct object) + state->n_slots * sizeof(uint32_t);
	state->records = compute_map(state->bytes);
	if (!state->records)
		return -1;
	state->slots = (uint32_t *)(state->records + state->n);
	for (size_t i = 0; i < state->n; i++)
		insert(state, i);
	return 0;
}

static struct object *find(struct compute_objects *state, uint64_t key)
{
	size_t slot = slot_of(state, key);

	for (;;) {
		struct object *record = &state->records[state->slots[slot] - 1];

		if (record->key == key)
			return record;
		slot = (slot + 1) & (state->n_slots - 1);
	}
}

/* some records are asked for more often: the larger of two random numbers */
static uint64_t choose(struct compute_objects *state, uint64_t bits)
{
	uint64_t a = (bits >> 32) * state->n >> 32, b = (bits & UINT32_MAX) * state->n >> 32;

	return a > b ? a : b;
}

static void book(struct object *record, uint32_t quantity)
{
	if (record->stock < quantity + STOCK_LOW)
		record->stock += STOCK_MORE;
	record->stock -= quantity;
	record->amount += (uint64_t)quantity * record->price;
	record->quantities[record->orders++ % 9] = quantity;
	record->text[record->orders % sizeof(record->text)] = 'a' + record->amount % 26;
}

void compute_objects_unit(struct compute_objects *state)
{
	uint64_t sum = state->sum;

	for (int i = 0; i < OPERATIONS; i++) {
		uint64_t bits = compute_random(&state->random) ^ sum;
		struct object *record = find(state, key_of(choose(state, bits)));

		book(record, 1 + bits % 10);
		sum = (sum ^ record->amount) * KEY_FACTOR + record->text[bits % 64];
	}
	state->sum = sum;
}

void compute_objects_end(struct compute_objects *state)
{
	munmap(state->records, state->bytes);
}
