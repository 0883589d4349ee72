/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foreign.h - what other programs print, as results: one parser a program, a pure function of text
 *
 * The same parsers serve `fairtrial import` (files made elsewhere) and the workloads that run these
 * programs. A parser is strict: text that was cut off, that misses what the program always prints,
 * or that cannot be right, is ERR_INPUT with file, line, what is wrong and what would be accepted.
 * What a program prints beside its figures goes into the trial's environment; nothing that is
 * understood in part is passed over.
 */
#ifndef FT_RESULT_FOREIGN_H
#define FT_RESULT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"

/* The version of a program that its output does not tell. */
#define FOREIGN_UNKNOWN_VERSION "unknown"

/* One execution of one case, as far as the text tells. Strings may be NULL: it does not say. */
struct foreign_result {
	char *case_name;       /* never NULL: "cpu", "spawn copies=4" */
	char *variant;	       /* the kernel, where one file holds several */
	char *program_version; /* "stress-ng 0.15.06" */
	char *cpus;	       /* CPU list */
	json_t *params;	       /* object, never NULL */
	struct trial trial;    /* metrics; started 0 and duration NAN where unknown; environment */
};

struct foreign {
	struct foreign_result *results; /* in the order of the text; a case may come up again */
	int n;
};

struct foreign_format {
	const char *name;     /* of --format: "schbench-json" */
	const char *workload; /* of the results' cases: "schbench" */
	const char *summary;
	/* does the text look like it? Exact enough that no two formats claim the same text */
	bool (*matches)(const char *text);
	/* one of the two; errors as above; on error @out holds what was read so far */
	struct error *(*parse)(const char *file, const char *text, struct foreign *out);
	struct error *(*parse_json)(const char *file, const json_t *root, struct foreign *out);
};

/* foreign_format_find - by name, or NULL; foreign_format_all - ends with NULL */
const struct foreign_format *foreign_format_find(const char *name);
const struct foreign_format *const *foreign_format_all(void);

/* foreign_format_detect - the format that @text looks like, or NULL */
const struct foreign_format *foreign_format_detect(const char *text);

/*
 * foreign_read - parses a whole text
 * @file:   for messages
 * @text:   NUL-terminated; a NUL byte within, or bytes that are not UTF-8, are an error
 * @out:    zeroed by the caller; at least one result on success, empty on error
 */
struct error *foreign_read(const struct foreign_format *format, const char *file, const char *text,
			   size_t length, struct foreign *out);
void foreign_clear(struct foreign *foreign);

extern const struct foreign_format foreign_stress_ng, foreign_schbench, foreign_schbench_json,
	foreign_hackbench, foreign_perf_bench, foreign_unixbench, foreign_dbench,
	foreign_cyclictest, foreign_cyclictest_json, foreign_sysbench, foreign_hwbench,
	foreign_fastpath;

#endif
