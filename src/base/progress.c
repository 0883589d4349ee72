// SPDX-License-Identifier: GPL-2.0-only
#include "base/progress.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

struct progress {
	double total, started, printed, interval;
	bool terminal, shown;
};

struct progress *progress_start(double total)
{
	struct progress *progress = memory_zeroed(1, sizeof(*progress));

	progress->total = total;
	progress->started = progress->printed = clock_seconds();
	progress->interval = 60;
	progress->terminal = isatty(STDERR_FILENO);
	return progress;
}

void progress_set_interval(struct progress *progress, double seconds)
{
	progress->interval = seconds;
}

static int terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

static char *time_left(double seconds)
{
	if (seconds < 100)
		return memory_format("%.0f s left", ceil(seconds));
	if (seconds < 6000)
		return memory_format("%.0f min left", ceil(seconds / 60));
	return memory_format("%.1f h left", seconds / 3600);
}

void progress_show(struct progress *progress, double done, const char *what)
{
	double share = done / progress->total, elapsed = clock_seconds() - progress->started;
	autofree char *left = NULL, *line = NULL;

	if (!progress->terminal && clock_seconds() - progress->printed < progress->interval)
		return;
	left = share > 0 ? time_left(elapsed * (1 - share) / share) : memory_string("");
	line = memory_format("%3.0f %% %s  %s", 100 * share, left, what);
	if (!progress->terminal) {
		fprintf(stderr, "fairtrial: %s\n", line + strspn(line, " "));
		progress->printed = clock_seconds();
		return;
	}
	fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, line);
	fflush(stderr);
	progress->shown = true;
}

void progress_clear(struct progress *progress)
{
	if (!progress->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->shown = false;
}

void progress_end(struct progress *progress)
{
	if (!progress)
		return;
	progress_clear(progress);
	free(progress);
}
