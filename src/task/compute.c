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
		struct compute_stream stream;
		struct compute_core core;
		struct compute_ep ep;
		struct compute_objects objects;
	};
};

static int start(struct compute *compute, size_t bytes)
{
	switch (compute->method) {
	case COMPUTE_INT128:
		compute_int128_start(&compute->int128);
		return 0;
	case COMPUTE_DOUBLE:
		compute_double_start(&compute->fp);
		return 0;
	case COMPUTE_MATRIX:
		return compute_matrix_start(&compute->matrix, bytes);
	case COMPUTE_CHASE:
		return compute_chase_start(&compute->chase, bytes);
	case COMPUTE_COPY:
	case COMPUTE_SCALE:
	case COMPUTE_ADD:
	case COMPUTE_TRIAD:
		return compute_stream_start(&compute->stream, bytes);
	case COMPUTE_CORE:
		return compute_core_start(&compute->core, bytes);
	case COMPUTE_EP:
		compute_ep_start(&compute->ep);
		return 0;
	case COMPUTE_OBJECTS:
		return compute_objects_start(&compute->objects, bytes);
	case N_COMPUTE_METHODS:
		break;
	}
	abort();
}

struct compute *compute_new(enum compute_method method, size_t bytes)
{
	struct compute *compute = calloc(1, sizeof(*compute));

	if (!compute)
		return NULL;
	compute->method = method;
	if (start(compute, bytes)) {
		free(compute);
		return NULL;
	}
	return compute;
}

void compute_free(struct compute *compute)
{
	if (compute_is_stream(compute->method))
		compute_stream_end(&compute->stream);
	else if (compute->method == COMPUTE_MATRIX)
		compute_matrix_end(&compute->matrix);
	else if (compute->method == COMPUTE_CHASE)
		compute_chase_end(&compute->chase);
	else if (compute->method == COMPUTE_CORE)
		compute_core_end(&compute->core);
	else if (compute->method == COMPUTE_OBJECTS)
		compute_objects_end(&compute->objects);
	free(compute);
}

static void unit(struct compute *compute)
{
	switch (compute->method) {
	case COMPUTE_INT128:
		compute_int128_unit(&compute->int128);
		break;
	case COMPUTE_DOUBLE:
		compute_double_unit(&compute->fp);
		break;
	case COMPUTE_MATRIX:
		compute_matrix_unit(&compute->matrix);
		break;
	case COMPUTE_CHASE:
		compute_chase_unit(&compute->chase);
		break;
	case COMPUTE_COPY:
	case COMPUTE_SCALE:
	case COMPUTE_ADD:
	case COMPUTE_TRIAD:
		compute_stream_unit(&compute->stream, compute->method);
		break;
	case COMPUTE_CORE:
		compute_core_unit(&compute->core);
		break;
	case COMPUTE_EP:
		compute_ep_unit(&compute->ep);
		break;
	case COMPUTE_OBJECTS:
		compute_objects_unit(&compute->objects);
		break;
	case N_COMPUTE_METHODS:
		break;
	}
}

void compute_run(struct compute *compute, uint64_t units)
{
	for (uint64_t i = 0; i < units; i++)
		unit(compute);
}

uint64_t compute_batch(const struct compute *compute)
{
	switch (compute->method) {
	case COMPUTE_INT128:
	case COMPUTE_DOUBLE:
		return 8;
	case COMPUTE_MATRIX:
		return 6;
	case COMPUTE_COPY:
	case COMPUTE_SCALE:
	case COMPUTE_ADD:
	case COMPUTE_TRIAD:
		return 32;
	case COMPUTE_CORE:
		return 4;
	case COMPUTE_OBJECTS:
		return 64;
	case COMPUTE_CHASE: /* from 1 us in the nearest cache to 100 us and more in remote memory */
	case COMPUTE_EP:    /* some ms */
	case N_COMPUTE_METHODS:
		break;
	}
	return 1;
}

void compute_select(struct compute *compute, enum compute_method method)
{
	compute->method = method;
	compute->stream.next = 0;
}

void compute_seek(struct compute *compute, uint64_t number)
{
	if (compute->method == COMPUTE_EP)
		compute->ep.unit = number;
	else if (compute->method == COMPUTE_CORE)
		compute->core.unit = number;
}

void compute_result(const struct compute *compute, struct compute_result *out)
{
	*out = (struct compute_result){ 0 };
	if (compute->method == COMPUTE_EP) {
		out->units = compute->ep.done;
		out->sum_x = compute->ep.sum_x;
		out->sum_y = compute->ep.sum_y;
		memcpy(out->annuli, compute->ep.annuli, sizeof(out->annuli));
	} else if (compute->method == COMPUTE_CORE) {
		out->units = compute->core.done;
		out->wrong = compute->core.wrong;
	}
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

static uint64_t mix_array(uint64_t sum, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = mix(sum, bits(values[i]));
	return sum;
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
		return mix(mix_array(sum, matrix->c, matrix->n * matrix->n), matrix->next);
	case COMPUTE_CHASE:
		return mix(sum, compute->chase.sum);
	case COMPUTE_COPY:
	case COMPUTE_SCALE:
	case COMPUTE_ADD:
	case COMPUTE_TRIAD:
		sum = mix_array(sum, compute->stream.a, 3 * compute->stream.n);
		return mix(sum, compute->stream.next);
	case COMPUTE_CORE:
		return compute->core.sum;
	case COMPUTE_EP:
		return mix(mix(sum, bits(compute->ep.sum_x)), bits(compute->ep.sum_y));
	case COMPUTE_OBJECTS:
		return mix(sum, compute->objects.sum);
	case N_COMPUTE_METHODS:
		break;
	}
	return 0;
}
