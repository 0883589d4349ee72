// SPDX-License-Identifier: GPL-2.0-only
#include "monitor/schedstat.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

struct error *thread_times_read(const char *root, pid_t tid, struct thread_times *out)
{
	autofree char *path =
		memory_format("%s/proc/%ld/task/%ld/schedstat", root, (long)tid, (long)tid);
	autofree char *text = NULL;
	struct error *error = file_read(path, &text, NULL);

	if (error)
		return error;
	if (sscanf(text, "%" SCNu64 "%" SCNu64 "%" SCNu64, &out->run_ns, &out->wait_ns,
		   &out->slices) != 3)
		return error_at(ERR_INPUT, path, 1, "not three numbers");
	return NULL;
}

/* "cpuN yields 0 schedules idles ttwu ttwu_local run_ns wait_ns slices" */
static struct error *add_cpu(const char *line, const char *file, int number,
			     hwloc_const_bitmap_t cpus, struct cpu_schedstat *sum)
{
	uint64_t v[8];
	char *end;
	long id = strtol(line + 3, &end, 10);

	if (id > INT_MAX || !hwloc_bitmap_isset(cpus, (unsigned)id))
		return NULL;
	if (sscanf(end,
		   "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
		   "%" SCNu64,
		   &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) != 8)
		return error_at(ERR_INPUT, file, number, "a CPU line with fewer than 9 numbers");
	sum->wakeups += v[4];
	sum->local_wakeups += v[5];
	sum->wait_ns += v[7];
	sum->n_cpus++;
	return NULL;
}

struct error *cpu_schedstat_parse(const char *text, const char *file, hwloc_const_bitmap_t cpus,
				  struct cpu_schedstat *out)
{
	struct cpu_schedstat sum = { 0 };
	int number = 1, version;

	if (sscanf(text, "version %d", &version) != 1)
		return error_at(ERR_INPUT, file, 1, "no version");
	if (version < 15 || version > 17)
		return error_at(ERR_UNAVAILABLE, file, 1, "version %d; 15 to 17 are known",
				version);
	for (const char *line = text; *line; number++) {
		const char *end = strchrnul(line, '\n');
		/* a line of its own: numbers must not be taken from the next one */
		autofree char *copy = memory_string_n(line, end - line);

		if (!strncmp(copy, "cpu", 3) && isdigit((unsigned char)copy[3])) {
			struct error *error = add_cpu(copy, file, number, cpus, &sum);

			if (error)
				return error;
		}
		line = *end ? end + 1 : end;
	}
	*out = sum;
	return NULL;
}

struct error *schedstat_text(const char *root, char **path, char **text)
{
	*path = memory_format("%s/proc/schedstat", root);
	if (access(*path, F_OK))
		return error_new(
			ERR_UNAVAILABLE,
			"no /proc/schedstat: the kernel was built without CONFIG_SCHEDSTATS");
	return file_read(*path, text, NULL);
}

struct error *cpu_schedstat_read(const char *root, hwloc_const_bitmap_t cpus,
				 struct cpu_schedstat *out)
{
	autofree char *path = NULL, *text = NULL;
	struct error *error = schedstat_text(root, &path, &text);

	return error ? error : cpu_schedstat_parse(text, path, cpus, out);
}
