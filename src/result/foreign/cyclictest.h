/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cyclictest.h - private to the two parsers of cyclictest: what both its text and its JSON hold
 */
#ifndef FT_RESULT_FOREIGN_CYCLICTEST_H
#define FT_RESULT_FOREIGN_CYCLICTEST_H

#include "result/foreign/lines.h"

/* Timer wakeups of a thread, latencies in microseconds. */
struct cyclictest_thread {
	double cycles, min, avg, max;
};

struct cyclictest {
	struct cyclictest_thread *threads; /* at least one */
	int n_threads;
};

/*
 * cyclictest_add - adds the result of a run: the average over all wakeups, the largest and the
 * smallest latency, each by thread too
 *
 * Errors: ERR_INPUT for a thread without a wakeup, or with an average outside of its extremes.
 */
struct error *cyclictest_add(const char *file, const struct cyclictest *test, struct foreign *out);
void cyclictest_clear(struct cyclictest *test);

#endif
