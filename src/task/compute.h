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

#endif
