// SPDX-License-Identifier: GPL-2.0-only
#include "task/live_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* one read() is enough: the longest of these files has about 4 KiB */
#define TEXT_SIZE 16384

static bool read_text(const char *root, pid_t pid, pid_t tid, const char *name, char *text)
{
	char path[512];
	ssize_t length;
	int fd, saved;

	snprintf(path, sizeof(path), "%s/proc/%d/task/%d/%s", root, pid, tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, text, TEXT_SIZE - 1);
	saved = errno;
	close(fd);
	errno = saved;
	if (length < 0)
		return false;
	text[length] = '\0';
	return true;
}

/* the number after "@key ... :" at the start of a line */
static double field(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) || !strchr(" \t:", line[length]))
			continue;
		line += length + strspn(line + length, " \t:");
		return *line >= '0' && *line <= '9' ? strtod(line, NULL) : NAN;
	}
	return NAN;
}

/*
 * CPU time and run-queue wait in nanoseconds, then the number of time slices: at least one for a
 * thread that lives, and a kernel that keeps no account prints zeros
 */
static bool parse_schedstat(const char *text, double *cpu_ns, double *wait_ns)
{
	unsigned long long cpu, wait, slices;

	if (sscanf(text, "%llu %llu %llu", &cpu, &wait, &slices) != 3 || !slices)
		return false;
	*cpu_ns = cpu;
	*wait_ns = wait;
	return true;
}

static void probe_schedstat(struct live_stat_source *source, pid_t pid, pid_t tid, char *text)
{
	double cpu, wait;

	if (!read_text(source->root, pid, tid, "schedstat", text)) {
		source->wait = memory_format("not available: /proc/PID/task/TID/schedstat: %s",
					     strerror(errno));
		return;
	}
	if (!parse_schedstat(text, &cpu, &wait)) {
		source->wait = memory_string("not available: the kernel keeps no account of run "
					     "delays (CONFIG_SCHED_INFO)");
		return;
	}
	source->schedstat = true;
	source->wait = memory_string("schedstat");
}

void live_stat_probe(struct live_stat_source *source, const char *root, pid_t pid, pid_t tid)
{
	autofree char *text = memory_zeroed(1, TEXT_SIZE);

	*source = (struct live_stat_source){ .root = root };
	probe_schedstat(source, pid, tid, text);
	source->sched =
		read_text(root, pid, tid, "sched", text) && !isnan(field(text, "se.nr_migrations"));
	source->perf = !source->sched;
	source->migrations = memory_string(source->sched ? "sched file" : "perf");
}

void live_stat_source_clear(struct live_stat_source *source)
{
	free(source->wait);
	free(source->migrations);
	*source = (struct live_stat_source){ 0 };
}

int live_stat_open(struct live_stat_source *source, pid_t tid)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_CPU_MIGRATIONS,
	};
	int fd;

	if (!source->perf)
		return -1;
	fd = syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return fd;
	source->perf = false;
	free(source->migrations);
	source->migrations = memory_format("not available: no nr_migrations in /proc/PID/sched "
					   "(CONFIG_SCHED_DEBUG), and perf_event_open: %s",
					   strerror(errno));
	return -1;
}

/* in clock ticks, of 10 ms mostly: where there is neither schedstat nor sched */
static double ticks_ns(const char *text)
{
	const char *after_name = strrchr(text, ')');
	unsigned long long user, system;

	if (!after_name ||
	    sscanf(after_name + 1, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &user,
		   &system) != 2)
		return NAN;
	return (user + system) * 1e9 / sysconf(_SC_CLK_TCK);
}

void live_stat_read(const struct live_stat_source *source, pid_t pid, pid_t tid, int perf_fd,
		    struct live_stat *out)
{
	char text[TEXT_SIZE];
	uint64_t count;

	*out = (struct live_stat){ NAN, NAN, NAN, NAN, NAN };
	if (source->schedstat && read_text(source->root, pid, tid, "schedstat", text))
		parse_schedstat(text, &out->cpu_ns, &out->wait_ns);
	if (source->sched && read_text(source->root, pid, tid, "sched", text)) {
		out->migrations = field(text, "se.nr_migrations");
		out->switches = field(text, "nr_switches");
		out->involuntary = field(text, "nr_involuntary_switches");
		if (isnan(out->cpu_ns))
			out->cpu_ns = field(text, "se.sum_exec_runtime") * 1e6;
	}
	if (isnan(out->cpu_ns) && read_text(source->root, pid, tid, "stat", text))
		out->cpu_ns = ticks_ns(text);
	if (perf_fd >= 0 && read(perf_fd, &count, sizeof(count)) == sizeof(count))
		out->migrations = count;
	if (isnan(out->switches) && read_text(source->root, pid, tid, "status", text)) {
		out->involuntary = field(text, "nonvoluntary_ctxt_switches");
		out->switches = field(text, "voluntary_ctxt_switches") + out->involuntary;
	}
}
