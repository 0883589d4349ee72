// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_limits.c - what this machine lets a process have, against what a case takes
 *
 * Only what fails with certainty is refused: what else runs, and what a trial itself needs beside its
 * channels, may still make it fail near a limit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "backend/session_private.h"
#include "backend/setting_internal.h"
#include "base/file.h"
#include "base/memory.h"

/* the number in a file below @root; INFINITY if it cannot be read */
static double number_in(const char *root, const char *path)
{
	autofree char *name = memory_format("%s%s", root, path);
	autofree char *text = file_read_line(name);
	double number;

	return text && sscanf(text, "%lf", &number) == 1 ? number : INFINITY;
}

/* a trial raises the soft limit to the hard one */
static double hard_limit(__rlimit_resource_t resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_max == RLIM_INFINITY)
		return INFINITY;
	return (double)limit.rlim_max;
}

/* ports that the kernel chooses from, both ends included */
static double ports(const char *root)
{
	autofree char *name = memory_format("%s/proc/sys/net/ipv4/ip_local_port_range", root);
	autofree char *text = file_read_line(name);
	double first, last;

	return text && sscanf(text, "%lf %lf", &first, &last) == 2 ? last - first + 1 : INFINITY;
}

void task_limits_read(const char *root, struct task_limits *out)
{
	out->tasks = fmin(number_in(root, "/proc/sys/kernel/pid_max"),
			  number_in(root, "/proc/sys/kernel/threads-max"));
	out->files = hard_limit(RLIMIT_NOFILE);
	out->connections = ports(root);
}

static bool runs_here(const struct session *session, int index)
{
	if (!session->cases[index].machine->live)
		return false;
	for (int i = 0; i < session->plan->n_variants; i++)
		if (!session->skipped[i] && session->backends[i] == &backend_live)
			return true;
	return false;
}

struct error *session_check_limits(const struct session *session, int index)
{
	const struct case_instance *instance = &session->cases[index];
	struct workload_demand demand;
	struct task_limits limits;
	const struct {
		const double *wanted, *limit;
		const char *what, *which;
	} rows[] = {
		{ &demand.tasks, &limits.tasks, "tasks", "kernel.pid_max and kernel.threads-max" },
		{ &demand.files, &limits.files, "open files", "hard limit, ulimit -Hn" },
		{ &demand.connections, &limits.connections, "TCP connections",
		  "net.ipv4.ip_local_port_range" },
	};

	if (!runs_here(session, index))
		return NULL;
	demand = workload_demand(instance->workload, &instance->params, instance->cpus);
	task_limits_read("", &limits);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (*rows[i].wanted > *rows[i].limit)
			return error_at(ERR_INPUT, session->plan->file, instance->section->line,
					"case %s: workload %s takes %.0f %s at once: at most %.0f "
					"are possible here (%s)",
					instance->name, instance->workload->name, *rows[i].wanted,
					rows[i].what, *rows[i].limit, rows[i].which);
	return NULL;
}

static struct error *check_affinity(const struct session *session,
				    const struct case_instance *instance,
				    const struct plan_variant *variant)
{
	for (int i = 0; i < variant->n_settings; i++) {
		const struct plan_entry *entry = &variant->settings[i];
		hwloc_bitmap_t cpus;
		struct error *error, *at;

		if (strcmp(entry->key, "affinity") != 0)
			continue;
		cpus = hwloc_bitmap_dup(instance->cpus);
		error = setting_enter_affinity(NULL, "", entry->value, cpus);
		hwloc_bitmap_free(cpus);
		if (!error)
			continue;
		at = error_at(ERR_INPUT, session->plan->file, entry->line,
			      "variant %s, case %s: affinity: %s", variant->name, instance->name,
			      error->message);
		error_free(error);
		return at;
	}
	return NULL;
}

struct error *session_check_affinity(const struct session *session, int index)
{
	struct error *error = NULL;

	for (int i = 0; i < session->plan->n_variants && !error; i++)
		if (!session->skipped[i])
			error = check_affinity(session, &session->cases[index],
					       &session->plan->variants[i]);
	return error;
}
