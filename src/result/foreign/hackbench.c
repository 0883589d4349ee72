// SPDX-License-Identifier: GPL-2.0-only
/*
 * hackbench.c - what hackbench prints: three lines a run, the last one its time
 *
 *   Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)
 *   Each sender will pass 20 messages of 100 bytes
 *   Time: 0.124
 *
 * A file may hold several runs: each is a trial.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign/lines.h"

struct run_line {
	char mode[16];
	int groups, fds, loops, size;
	bool started, sized; /* the first and second line were there */
};

static struct error *read_start(const struct lines *lines, struct run_line *run)
{
	if (run->started)
		return lines_problem(lines, "the run before it has no 'Time:'");
	/* "1 groups" and "1 group" have been seen */
	if (sscanf(lines->text,
		   " Running in %15s mode with %d group%*[s ]using %d file descriptors", run->mode,
		   &run->groups, &run->fds) != 3)
		return lines_problem(lines,
				     "'Running in process mode with NUMBER groups using NUMBER "
				     "file descriptors each' is expected");
	run->started = true;
	return NULL;
}

static struct error *read_size(const struct lines *lines, struct run_line *run)
{
	if (sscanf(lines->text, " Each sender will pass %d message%*[s ]of %d bytes", &run->loops,
		   &run->size) != 2)
		return lines_problem(lines,
				     "'Each sender will pass NUMBER messages of NUMBER bytes' "
				     "is expected");
	run->sized = true;
	return NULL;
}

static struct error *read_time(const struct lines *lines, const char *at, struct run_line *run,
			       struct foreign *out)
{
	struct foreign_result *result;
	autofree char *name = NULL;
	double seconds;
	struct error *error = lines_number(lines, "Time", at, &seconds, NULL);

	if (error)
		return error;
	if (!run->started || !run->sized)
		return lines_problem(lines,
				     "no 'Running in ... mode' and 'Each sender will pass ...' "
				     "before it: all that hackbench prints is accepted");
	if (!(seconds > 0))
		return lines_problem(lines, "a time of %g s: the run was too short, raise --loops",
				     seconds);
	name = memory_format("%s groups=%d loops=%d", run->mode, run->groups, run->loops);
	result = foreign_add(out, name);
	foreign_param(result, "mode", "%s", run->mode);
	foreign_param(result, "groups", "%d", run->groups);
	foreign_param(result, "fds", "%d", run->fds);
	foreign_param(result, "loops", "%d", run->loops);
	foreign_param(result, "size", "%d", run->size);
	foreign_metric(result, "time", "s", BETTER_LOWER, seconds, NULL, 0);
	result->trial.duration = seconds;
	*run = (struct run_line){ 0 };
	return NULL;
}

static struct error *parse(const char *file, const char *text, struct foreign *out)
{
	struct lines lines = lines_start(file, text);
	struct run_line run = { 0 };
	struct error *error = NULL;

	while (!error && lines_next(&lines)) {
		const char *at;

		if (lines_after(&lines, "Running in "))
			error = read_start(&lines, &run);
		else if (lines_after(&lines, "Each sender will pass "))
			error = read_size(&lines, &run);
		else if ((at = lines_after(&lines, "Time:")))
			error = read_time(&lines, at, &run, out);
	}
	lines_end(&lines);
	if (!error && (run.started || !out->n))
		error = lines_missing(file, "it is cut off: 'Time:' is missing at the end");
	return error;
}

static bool matches(const char *text)
{
	return text_has_line(text, "Each sender will pass ");
}

const struct foreign_format foreign_hackbench = {
	.name = "hackbench",
	.workload = "hackbench",
	.summary = "text of hackbench",
	.matches = matches,
	.parse = parse,
};
