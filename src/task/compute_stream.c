// SPDX-License-Identifier: GPL-2.0-only
/*
 * compute_stream.c - the four kernels of STREAM (J. D. McCalpin, "Memory Bandwidth and Machine Balance
 * in Current High Performance Computers", 1995), written anew
 */
#include <sys/mman.h>

#include "task/compute.h"

/*
 * After copy, scale, add and triad in turn a is (2 s + s^2) a. With s = sqrt(2) - 1 that is a, so that
 * values stay what they are however long it runs.
 */
#define SCALAR 0.41421356237309503

int compute_stream_start(struct compute_stream *state, size_t bytes)
{
	size_t wanted = bytes / 3 / sizeof(double);
	size_t units = (wanted + COMPUTE_STREAM_ELEMENTS - 1) / COMPUTE_STREAM_ELEMENTS;

	state->n = (units ? units : 1) * COMPUTE_STREAM_ELEMENTS;
	state->bytes = 3 * state->n * sizeof(double);
	state->next = 0;
	state->a = compute_map(state->bytes);
	if (!state->a)
		return -1;
	state->b = state->a + state->n;
	state->c = state->b + state->n;
	for (size_t i = 0; i < state->n; i++) {
		state->a[i] = 1.0;
		state->b[i] = 2.0;
		state->c[i] = 0.0;
	}
	return 0;
}

void compute_stream_unit(struct compute_stream *state, enum compute_method method)
{
	double *restrict a = state->a + state->next;
	double *restrict b = state->b + state->next;
	double *restrict c = state->c + state->next;

	state->next += COMPUTE_STREAM_ELEMENTS;
	if (state->next == state->n)
		state->next = 0;
	switch (method) {
	case COMPUTE_COPY:
		for (int i = 0; i < COMPUTE_STREAM_ELEMENTS; i++)
			c[i] = a[i];
		break;
	case COMPUTE_SCALE:
		for (int i = 0; i < COMPUTE_STREAM_ELEMENTS; i++)
			b[i] = SCALAR * c[i];
		break;
	case COMPUTE_ADD:
		for (int i = 0; i < COMPUTE_STREAM_ELEMENTS; i++)
			c[i] = a[i] + b[i];
		break;
	default:
		for (int i = 0; i < COMPUTE_STREAM_ELEMENTS; i++)
			a[i] = b[i] + SCALAR * c[i];
		break;
	}
}

void compute_stream_end(struct compute_stream *state)
{
	munmap(state->a, state->bytes);
}
