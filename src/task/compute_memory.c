// SPDX-License-Identifier: GPL-2.0-only
/* compute_memory.c - kernels with a working set: matrix multiplication, pointer chasing */
#include <math.h>
#include <sys/mman.h>

#include "task/compute.h"

void *compute_map(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* three matrices fill the working set */
int compute_matrix_start(struct compute_matrix *state, size_t bytes)
{
	size_t n = sqrt(bytes / 3.0 / sizeof(double)), cells;

	if (n < 1)
		n = 1;
	cells = n * n;
	state->bytes = 3 * cells * sizeof(double);
	state->a = compute_map(state->bytes);
	if (!state->a)
		return -1;
	state->b = state->a + cells;
	state->c = state->b + cells;
	state->n = n;
	state->pairs = (COMPUTE_MATRIX_STEPS + n - 1) / n;
	state->next = 0;
	for (size_t i = 0; i < cells; i++) {
		state->a[i] = (double)(i % 13) - 6.0;
		state->b[i] = (double)(i % 7) * 0.25 - 0.75;
		state->c[i] = 0.0;
	}
	return 0;
}

/* c keeps a quarter of its value at each visit, so that it stays finite however long it runs */
void compute_matrix_unit(struct compute_matrix *state)
{
	size_t n = state->n, cells = n * n, pair = state->next;

	for (size_t i = 0; i < state->pairs; i++) {
		size_t row = pair / n, k = pair % n;
		const double *b = state->b + k * n;
		double *c = state->c + row * n;
		double factor = state->a[pair];

		for (size_t column = 0; column < n; column++)
			c[column] = c[column] * 0.25 + factor * b[column];
		if (++pair == cells)
			pair = 0;
	}
	state->next = pair;
}

static void **chase_line(char *memory, size_t line)
{
	return (void **)(memory + line * COMPUTE_LINE);
}

/* Sattolo's algorithm: every line holds the address of another one, and all are one cycle. */
int compute_chase_start(struct compute_chase *state, size_t bytes)
{
	size_t lines = bytes / COMPUTE_LINE ? bytes / COMPUTE_LINE : 1;
	char *memory = compute_map(lines * COMPUTE_LINE);
	uint64_t seed = 0x13198a2e03707344;

	if (!memory)
		return -1;
	for (size_t i = 0; i < lines; i++)
		*chase_line(memory, i) = chase_line(memory, i);
	for (size_t i = lines - 1; i > 0; i--) {
		size_t other = compute_random(&seed) % i;
		void *swap = *chase_line(memory, i);

		*chase_line(memory, i) = *chase_line(memory, other);
		*chase_line(memory, other) = swap;
	}
	state->memory = memory;
	state->bytes = lines * COMPUTE_LINE;
	state->at = (void **)memory;
	state->sum = 0;
	return 0;
}

void compute_chase_unit(struct compute_chase *state)
{
	void **at = state->at;

	for (int i = 0; i < COMPUTE_STEPS; i++)
		at = *at;
	state->at = at;
	state->sum = state->sum * 31 + ((char *)at - (char *)state->memory);
}

void compute_matrix_end(struct compute_matrix *state)
{
	munmap(state->a, state->bytes);
}

void compute_chase_end(struct compute_chase *state)
{
	munmap(state->memory, state->bytes);
}
