// SPDX-License-Identifier: GPL-2.0-only
#include "monitor/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

struct perf_counters {
	int *fds;
	int n;
};

struct error *perf_refused(const char *what)
{
	int number = errno;
	autofree char *paranoid = file_read_line("/proc/sys/kernel/perf_event_paranoid");

	if (number == ENOSYS)
		return error_new(ERR_UNAVAILABLE, "the kernel was built without perf events");
	if (number == ENOENT || number == EOPNOTSUPP || number == ENODEV)
		return error_new(ERR_UNAVAILABLE,
				 "%s: this machine has no such counter (virtual machines often "
				 "have none)",
				 what);
	if (number == EACCES || number == EPERM)
		return error_new(ERR_PERMISSION,
				 "%s needs root or a lower kernel.perf_event_paranoid (it is %s)",
				 what, paranoid ? paranoid : "unknown");
	errno = number;
	return error_errno("%s", what);
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

int perf_event_fd(struct perf_event_attr *attributes, pid_t pid, int cpu, int group)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	int fd = (int)syscall(SYS_perf_event_open, attributes, pid, cpu, group, flags);

	if (fd < 0 && errno == EMFILE && raise_file_limit())
		fd = (int)syscall(SYS_perf_event_open, attributes, pid, cpu, group, flags);
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
		int fd = perf_event_fd(&attributes, -1, cpu, -1);

		if (fd < 0) {
			autofree char *what = memory_format("counting on CPU %d", cpu);
			struct error *error = perf_refused(what);

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

struct error *perf_pmu_event(const char *root, const char *pmu, const char *event, uint32_t *type,
			     uint64_t *config, double *scale)
{
	autofree char *folder = memory_format("%s/sys/bus/event_source/devices/%s", root, pmu);
	autofree char *type_path = memory_format("%s/type", folder);
	autofree char *event_path = memory_format("%s/events/%s", folder, event);
	autofree char *scale_path = memory_format("%s/events/%s.scale", folder, event);
	autofree char *type_text = file_read_line(type_path);
	autofree char *event_text = file_read_line(event_path);
	autofree char *scale_text = file_read_line(scale_path);
	struct error *error = NULL;
	int64_t number;
	char *end;

	if (!type_text || !event_text)
		return error_new(ERR_UNAVAILABLE, "this machine has no event %s/%s/", pmu, event);
	error = text_integer(type_text, 0, UINT32_MAX, &number);
	if (error)
		return error_prefix(error, "%s", type_path);
	*type = (uint32_t)number;
	if (strncmp(event_text, "event=", 6))
		return error_at(ERR_INPUT, event_path, 1, "'%s' is not event=NUMBER", event_text);
	*config = strtoull(event_text + 6, &end, 0);
	if (end == event_text + 6 || *end)
		return error_at(ERR_INPUT, event_path, 1, "'%s' is not event=NUMBER", event_text);
	if (scale)
		*scale = 1;
	if (scale && scale_text)
		error = text_number(scale_text, scale);
	return error ? error_prefix(error, "%s", scale_path) : NULL;
}
