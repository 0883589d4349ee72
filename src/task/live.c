// SPDX-License-Identifier: GPL-2.0-only
/* live.c - a team on this machine: what setup() describes, and the memory and files it needs */
#include "task/live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <version.h>

#include "base/memory.h"
#include "task/live_private.h"

#define REGION_SIZE  ((size_t)1 << 20)
#define EXIT_PROGRAM "fairtrial-exit"

void live_setup_error(struct live_team *team, struct error *error)
{
	if (team->error)
		error_free(error);
	else
		team->error = error;
}

static void *region_take(struct live_region *region, size_t size)
{
	void *memory = region->start + region->used;

	region->used += size;
	return memory;
}

void *live_shared(struct team *base, size_t size)
{
	struct live_team *team = live_team(base);
	struct live_region *region = team->n_regions ? &team->regions[team->n_regions - 1] : NULL;
	size_t rounded = (size + LIVE_LINE - 1) / LIVE_LINE * LIVE_LINE;
	char *start;

	if (!rounded)
		rounded = LIVE_LINE;
	if (region && region->size - region->used >= rounded)
		return region_take(region, rounded);
	region = array_append(team->regions, team->n_regions);
	region->size = rounded > REGION_SIZE ? rounded : REGION_SIZE;
	start = mmap(NULL, region->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (start == MAP_FAILED) {
		live_setup_error(team, error_errno("cannot share %zu bytes between workers",
						   region->size));
		/* setup() goes on into private memory; the team will not run */
		start = memory_zeroed(1, region->size + LIVE_LINE);
		region->size = 0;
		region->start = start;
		return (void *)(((uintptr_t)start + LIVE_LINE - 1) / LIVE_LINE * LIVE_LINE);
	}
	region->start = start;
	return region_take(region, rounded);
}

static void regions_free(struct live_team *team)
{
	for (int i = 0; i < team->n_regions; i++) {
		if (team->regions[i].size)
			munmap(team->regions[i].start, team->regions[i].size);
		else
			free(team->regions[i].start);
	}
	free(team->regions);
}

cpu_set_t *live_cpu_set(hwloc_const_bitmap_t cpus, size_t *size)
{
	int last = cpus ? hwloc_bitmap_last(cpus) : -1, cpu;
	cpu_set_t *set;

	*size = 0;
	if (last < 0)
		return NULL;
	*size = CPU_ALLOC_SIZE(last + 1);
	set = memory_zeroed(1, *size);
	for (cpu = hwloc_bitmap_first(cpus); cpu >= 0; cpu = hwloc_bitmap_next(cpus, cpu))
		CPU_SET_S(cpu, *size, set);
	return set;
}

static int process_of(struct live_team *team, const struct worker_spec *spec)
{
	struct live_process *process;

	if (spec->process >= 0)
		for (int i = 0; i < team->n_processes; i++)
			if (team->processes[i].number == spec->process) {
				team->processes[i].session |= spec->session;
				return i;
			}
	process = array_append(team->processes, team->n_processes);
	process->number = spec->process;
	process->session = spec->session;
	return team->n_processes - 1;
}

void live_add(struct team *base, const struct worker_spec *spec)
{
	struct live_team *team = live_team(base);
	struct live_worker *worker = array_append(team->workers, team->n_workers);
	hwloc_const_bitmap_t cpus = spec->cpus ? spec->cpus : team->cpus;

	worker->spec = *spec;
	worker->cpus = cpus ? hwloc_bitmap_dup(cpus) : NULL;
	worker->set = live_cpu_set(cpus, &worker->set_size);
	worker->process = process_of(team, spec);
	worker->index = spec->helper ? -1 : team->n_reported++;
}

/* Next to the build when we run out of it, else where it is installed. */
static char *exit_program_path(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *build = FT_BUILD_ROOT "/";

	if (length > 0) {
		self[length] = '\0';
		if (!strncmp(self, build, strlen(build)))
			return memory_format("%ssrc/task/%s", build, EXIT_PROGRAM);
	}
	return memory_format("%s/%s", FT_LIBEXEC, EXIT_PROGRAM);
}

/* a channel takes up to two descriptors, and teams have many */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

struct error *live_team_new(const struct live_options *options, struct team **out)
{
	struct live_team *team = memory_zeroed(1, sizeof(*team));

	team->base.ops = &live_task_ops;
	team->options = *options;
	team->cpus = options->cpus ? hwloc_bitmap_dup(options->cpus) : NULL;
	team->options.cpus = team->cpus;
	team->base.cpus = team->cpus;
	team->base.machine = options->machine;
	team->base.runtime_ns = options->runtime_ns;
	team->base.warmup_ns = options->warmup_ns;
	raise_file_limit();
	team->control = live_shared(&team->base, sizeof(*team->control));
	team->exit_program = exit_program_path();
	if (team->error) {
		struct error *error = team->error;

		team->error = NULL;
		live_team_free(&team->base);
		return error;
	}
	*out = &team->base;
	return NULL;
}

void live_team_free(struct team *base)
{
	struct live_team *team = live_team(base);

	if (!team)
		return;
	for (int i = 0; i < team->n_channels; i++)
		live_channel_close(team->channels[i]);
	program_free(base->program);
	for (int i = 0; i < team->n_folders; i++)
		live_folder_free(team->folders[i]);
	for (int i = 0; i < team->n_workers; i++) {
		hwloc_bitmap_free(team->workers[i].cpus);
		free(team->workers[i].set);
	}
	regions_free(team);
	hwloc_bitmap_free(team->cpus);
	error_free(team->error);
	free(team->channels);
	free(team->folders);
	free(team->workers);
	free(team->processes);
	free(team->exit_program);
	free(team);
}
