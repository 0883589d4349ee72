/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compute.h - the compute kernels of the live task API (enum compute_method in task.h)
 *
 * Every kernel is a chain: a unit begins with what the unit before left, and everything it computes
 * enters the checksum, so no compiler can drop or reorder units. Results are the same for every
 * compiler and level of optimisation: integers wrap, and doubles are only added, subtracted,
 * multiplied and divided, without contraction (-ffp-contract=off).
 */
#ifndef FT_TASK_COMPUTE_H
#define FT_TASK_COMPUTE_H

#include <stddef.h>
#include <stdint.h>

#include "task/task.h"

/* compute_new - memory is allocated and touched; NULL with errno when it is short */
struct compute *compute_new(enum compute_method method, size_t bytes);
void compute_free(struct compute *compute);

/* compute_run - does @units units */
void compute_run(struct compute *compute, uint64_t units);

/* compute_batch - how many units take some 50 us on a CPU of about 3 GHz */
uint64_t compute_batch(const struct compute *compute);

/* compute_checksum - of everything computed so far */
uint64_t compute_checksum(const struct compute *compute);

/* compute_select, compute_seek, compute_result - as task_compute_select() and so on in task.h */
void compute_select(struct compute *compute, enum compute_method method);
void compute_seek(struct compute *compute, uint64_t unit);
void compute_result(const struct compute *compute, struct compute_result *out);

/* compute_random - splitmix64 (Steele, Lea and Flood 2014): the same numbers everywhere */
static inline uint64_t compute_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* compute_map - zeroed memory that is not touched yet; NULL with errno */
void *compute_map(size_t bytes);

/* ---- the kernels: state, one unit, checksum ---- */

struct compute_int128 {
	unsigned __int128 a, b;
};

struct compute_double {
	double x, y, z;
};

/* c = c / 4 + a * b, walked in blocks of rows; a, b and c are n x n, in one allocation */
struct compute_matrix {
	double *a, *b, *c;
	size_t bytes, n;
	size_t pairs; /* (row, k) pairs a unit: about COMPUTE_MATRIX_STEPS multiplications */
	size_t next;  /* the pair that comes next, 0 <= next < n * n */
};

/* one pointer a cache line, all of them one cycle in random order */
struct compute_chase {
	void *memory;
	size_t bytes;
	void **at;
	uint64_t sum; /* of the offsets visited at the end of each unit */
};

/* a, b and c in one allocation */
struct compute_stream {
	double *a, *b, *c;
	size_t bytes;
	size_t n;    /* elements of an array, a multiple of COMPUTE_STREAM_ELEMENTS */
	size_t next; /* the element that comes next */
};

/* blocks that are visited in an order that no prefetcher foresees, one a unit */
struct compute_core {
	struct core_block *blocks;
	uint32_t *expected; /* the checksum of each block, from its first visit */
	size_t bytes, n;
	size_t step;   /* from a block to the next, without a common divisor with n */
	uint64_t unit; /* that comes next */
	uint64_t done, wrong;
	uint64_t sum; /* of checksums: does not depend on the order, or on who computed which */
};

struct compute_ep {
	uint64_t unit; /* the batch that comes next */
	uint64_t done;
	double sum_x, sum_y;
	uint64_t annuli[COMPUTE_EP_ANNULI];
};

/* records of 128 bytes, found by key through a hash table */
struct compute_objects {
	struct object *records;
	uint32_t *slots; /* number of a record + 1; 0: free */
	size_t bytes, n, n_slots;
	uint64_t random, sum;
};

#define COMPUTE_STEPS	     1000 /* a unit of INT128, DOUBLE and CHASE */
#define COMPUTE_MATRIX_STEPS 16384
#define COMPUTE_LINE	     64

void compute_int128_start(struct compute_int128 *state);
void compute_int128_unit(struct compute_int128 *state);
void compute_double_start(struct compute_double *state);
void compute_double_unit(struct compute_double *state);
int compute_matrix_start(struct compute_matrix *state, size_t bytes);
void compute_matrix_unit(struct compute_matrix *state);
void compute_matrix_end(struct compute_matrix *state);
int compute_chase_start(struct compute_chase *state, size_t bytes);
void compute_chase_unit(struct compute_chase *state);
void compute_chase_end(struct compute_chase *state);
int compute_stream_start(struct compute_stream *state, size_t bytes);
void compute_stream_unit(struct compute_stream *state, enum compute_method method);
void compute_stream_end(struct compute_stream *state);
int compute_core_start(struct compute_core *state, size_t bytes);
void compute_core_unit(struct compute_core *state);
void compute_core_end(struct compute_core *state);
void compute_ep_start(struct compute_ep *state);
void compute_ep_unit(struct compute_ep *state);
int compute_objects_start(struct compute_objects *state, size_t bytes);
void compute_objects_unit(struct compute_objects *state);
void compute_objects_end(struct compute_objects *state);

#endif
