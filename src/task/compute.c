// SPDX-License-Identifier: GPL-2.0-only
/* compute.c - one interface for the compute kernels */
#include "task/compute.h"

#include <stdlib.h>
#include <string.h>

struct compute {
	enum compute_method method;
	union {
		struct compute_int128 int128;
		struct compute_double fp;
		struct compute_matrix matrix;
		struct compute_chase chase;
	};
};

struct compute *compute_new(enum compute_method method, size_t bytes)
{
	struct compute *compute = calloc(1, sizeof(*compute));
	int result = 0;

	if (!compute)
		return NULL;
	compute->method = method;
	switch (method) {
	case COMPUTE_INT128:
		compute_int128_start(&compute->int128);
		break;
	case COMPUTE_DOUBLE:
		compute_double_start(&compute->fp);
		break;
	case COMPUTE_MATRIX:
		result = compute_matrix_start(&compute->matrix, bytes);
		break;
	case COMPUTE_CHASE:
		result = compute_chase_start(&compute->chase, bytes);
		break;
	}
	if (result) {
		free(compute);
		return NULL;
	}
	return compute;
}

void compute_free(struct compute *compute)
{
	if (compute->method == COMPUTE_MATRIX)
		compute_matrix_end(&compute->matrix);
	else if (compute->method == COMPUTE_CHASE)
		compute_chase_end(&compute->chase);
	free(compute);
}

void compute_run(struct compute *compute, uint64_t units)
{
	uint64_t i;

	switch (compute->method) {
	case COMPUTE_INT128:
		for (i = 0; i < units; i++)
			compute_int128_unit(&compute->int128);
		break;
	case COMPUTE_DOUBLE:
		for (i = 0; i < units; i++)
			compute_double_unit(&compute->fp);
		break;
	case COMPUTE_MATRIX:
		for (i = 0; i < units; i++)
			compute_matrix_unit(&compute->matrix);
		break;
	case COMPUTE_CHASE:
		for (i = 0; i < units; i++)
			compute_chase_unit(&compute->chase);
		break;
	}
}

uint64_t compute_batch(const struct compute *compute)
{
	switch (compute->method) {
	case COMPUTE_INT128:
		return 8;
	case COMPUTE_DOUBLE:
		return 8;
	case COMPUTE_MATRIX:
		return 6;
	case COMPUTE_CHASE:
		break; /* from 1 us in the nearest cache to 100 us and more in remote memory */
	}
	return 1;
}

static uint64_t bits(double value)
{
	uint64_t word;

	memcpy(&word, &value, sizeof(word));
	return word;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
	return (sum ^ word) * 0x9e3779b97f4a7c15 + (sum >> 29);
}

uint64_t compute_checksum(const struct compute *compute)
{
	const struct compute_int128 *int128 = &compute->int128;
	const struct compute_matrix *matrix = &compute->matrix;
	uint64_t sum = 1;

	switch (compute->method) {
	case COMPUTE_INT128:
		sum = mix(mix(sum, int128->a), int128->a >> 64);
		return mix(mix(sum, int128->b), int128->b >> 64);
	case COMPUTE_DOUBLE:
		sum = mix(sum, bits(compute->fp.x));
		return mix(mix(sum, bits(compute->fp.y)), bits(compute->fp.z));
	case COMPUTE_MATRIX:
		for (size_t i = 0; i < matrix->n * matrix->n; i++)
			sum = mix(sum, bits(matrix->c[i]));
		return mix(sum, matrix->next);
	case COMPUTE_CHASE:
		break;
	}
	return mix(sum, compute->chase.sum);
}
