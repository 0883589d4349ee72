/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * progress.h - one line on stderr that says how far a long job is and how long it will take
 *
 * Redrawn where stderr is a terminal; into a file or a pipe one line is printed every minute.
 */
#ifndef FT_BASE_PROGRESS_H
#define FT_BASE_PROGRESS_H

struct progress;

/* progress_start - @total: the amount of work in any unit, > 0 */
struct progress *progress_start(double total);

/*
 * progress_show - redraws the line " 12 % 4 min left  what"
 * @done: in the unit of progress_start(); the time left is extrapolated from the time it took
 */
void progress_show(struct progress *progress, double done, const char *what);

/* progress_set_interval - seconds between the lines where stderr is no terminal, in place of 60 */
void progress_set_interval(struct progress *progress, double seconds);

/* progress_clear - removes the line, so that something else can be printed */
void progress_clear(struct progress *progress);

/* progress_end - removes the line and frees; NULL is allowed */
void progress_end(struct progress *progress);

#endif
