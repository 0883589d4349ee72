// SPDX-License-Identifier: GPL-2.0-only
#include "backend/others.h"

#include <math.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "monitor/procstat.h"

#define LOOK_NANOSECONDS 250000000

struct error *others_read(const char *root, hwloc_const_bitmap_t cpus, struct others_reading *out)
{
	struct proc_stat stat = { 0 };
	struct error *error = proc_stat_read(root, &stat);
	double busy = 0, all = 0, hz = sysconf(_SC_CLK_TCK);

	for (int i = 0; i < stat.n_cpus && !error; i++) {
		const struct cpu_ticks *cpu = &stat.cpus[i];
		double taken = cpu->user + cpu->system + cpu->irq + cpu->steal;

		if (!hwloc_bitmap_isset(cpus, cpu->id))
			continue;
		busy += taken;
		all += taken + cpu->idle + cpu->iowait;
	}
	proc_stat_clear(&stat);
	if (error)
		return error;
	*out = (struct others_reading){ busy / hz, all / hz };
	return NULL;
}

double others_share(const struct others_reading *before, const struct others_reading *after,
		    double own_seconds)
{
	double all = after->all - before->all;
	double taken = after->busy - before->busy - own_seconds;

	if (!(all > 0) || isnan(own_seconds))
		return NAN;
	return taken > 0 ? fmin(100 * taken / all, 100) : 0;
}

double others_now(const char *root, hwloc_const_bitmap_t cpus)
{
	const struct timespec wait = { 0, LOOK_NANOSECONDS };
	struct others_reading before, after;
	struct error *error = others_read(root, cpus, &before);

	if (!error) {
		nanosleep(&wait, NULL);
		error = others_read(root, cpus, &after);
	}
	if (error) {
		error_free(error);
		return NAN;
	}
	return others_share(&before, &after, 0);
}
