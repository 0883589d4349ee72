// SPDX-License-Identifier: GPL-2.0-only
#include "monitor/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

struct perf_counters {
	int *fds;
	int n;
};

static struct error *refused(int cpu)
{
	int number = errno;
	autofree char *paranoid = file_read_line("/proc/sys/kernel/perf_event_paranoid");

	if (number == ENOSYS)
		return error_new(ERR_UNAVAILABLE, "the kernel was built without perf events");
	if (number == EACCES || number == EPERM)
		return error_new(ERR_PERMISSION,
				 "counting on CPU %d needs root or kernel.perf_event_paranoid <= 0 "
				 "(it is %s)",
				 cpu, paranoid ? paranoid : "unknown");
	errno = number;
	return error_errno("cannot count on CPU %d", cpu);
}

/* a descriptor a CPU and counter is more than the usual 1024 on large machines */
static bool raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_cpu(struct perf_event_attr *attributes, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EMFILE && raise_file_limit())
		fd = (int)syscall(SYS_perf_event_open, attributes, -1, cpu, -1,
				  PERF_FLAG_FD_CLOEXEC);
	return fd;
}

struct error *perf_open(uint32_t type, uint64_t config, hwloc_const_bitmap_t cpus,
			struct perf_counters **out)
{
	struct perf_event_attr attributes = {
		.type = type,
		.size = sizeof(attributes),
		.config = config,
	};
	struct perf_counters *counters = memory_zeroed(1, sizeof(*counters));
	int cpu;

	for (cpu = hwloc_bitmap_first(cpus); cpu >= 0; cpu = hwloc_bitmap_next(cpus, cpu)) {
		int fd = open_cpu(&attributes, cpu);

		if (fd < 0) {
			struct error *error = refused(cpu);

			perf_close(counters);
			return error;
		}
		*array_append(counters->fds, counters->n) = fd;
	}
	*out = counters;
	return NULL;
}

struct error *perf_sum(const struct perf_counters *counters, uint64_t *sum)
{
	uint64_t total = 0, value;

	for (int i = 0; i < counters->n; i++) {
		if (read(counters->fds[i], &value, sizeof(value)) != sizeof(value))
			return error_new(ERR_UNAVAILABLE,
					 "a CPU went off-line while its events were counted");
		total += value;
	}
	*sum = total;
	return NULL;
}

void perf_close(struct perf_counters *counters)
{
	if (!counters)
		return;
	for (int i = 0; i < counters->n; i++)
		close(counters->fds[i]);
	free(counters->fds);
	free(counters);
}
