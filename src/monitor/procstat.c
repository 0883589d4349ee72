// SPDX-License-Identifier: GPL-2.0-only
#include "monitor/procstat.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* "cpuN user nice system idle [iowait irq softirq steal ...]" */
static bool read_cpu(const char *line, struct cpu_ticks *out)
{
	uint64_t v[8] = { 0 };
	int used = 0, n;
	long id;
	char *end;

	id = strtol(line + 3, &end, 10);
	if (id < 0 || id > INT_MAX || *end != ' ')
		return false;
	n = sscanf(end,
		   "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
		   "%" SCNu64 "%n",
		   &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &used);
	if (n < 4)
		return false;
	*out = (struct cpu_ticks){ .id = (int)id,
				   .user = v[0] + v[1],
				   .system = v[2],
				   .idle = v[3],
				   .iowait = v[4],
				   .irq = v[5] + v[6],
				   .steal = v[7] };
	return true;
}

struct error *proc_stat_parse(const char *text, const char *file, struct proc_stat *out)
{
	struct proc_stat stat = { 0 };
	bool switches = false;
	int number = 1;

	for (const char *line = text; *line; number++) {
		const char *end = strchrnul(line, '\n');
		/* a line of its own: numbers must not be taken from the next one */
		autofree char *copy = memory_string_n(line, end - line);

		if (!strncmp(copy, "cpu", 3) && isdigit((unsigned char)copy[3])) {
			struct cpu_ticks ticks;

			if (!read_cpu(copy, &ticks)) {
				proc_stat_clear(&stat);
				return error_at(ERR_INPUT, file, number,
						"a CPU line without its times");
			}
			*array_append(stat.cpus, stat.n_cpus) = ticks;
		} else if (!strncmp(copy, "ctxt ", 5)) {
			switches = sscanf(copy + 5, "%" SCNu64, &stat.switches) == 1;
		}
		line = *end ? end + 1 : end;
	}
	if (!switches) {
		proc_stat_clear(&stat);
		return error_at(ERR_INPUT, file, 0, "no number of context switches (ctxt)");
	}
	*out = stat;
	return NULL;
}

struct error *proc_stat_read(const char *root, struct proc_stat *out)
{
	autofree char *path = memory_format("%s/proc/stat", root);
	autofree char *text = NULL;
	struct error *error = file_read(path, &text, NULL);

	return error ? error : proc_stat_parse(text, path, out);
}

void proc_stat_clear(struct proc_stat *stat)
{
	free(stat->cpus);
	*stat = (struct proc_stat){ 0 };
}
