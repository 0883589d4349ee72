// SPDX-License-Identifier: GPL-2.0-only
/* registry.c - the list of monitors, and the set of them that goes with a trial */
#include "monitor/monitor.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

/* in the order in which their metrics are shown */
static const struct monitor *const monitors[] = {
	&monitor_cpu,	&monitor_sched, &monitor_throttle, &monitor_load,      &monitor_counters,
	&monitor_clock, &monitor_power, &monitor_thermal,  &monitor_schedstat, &monitor_events,
	NULL,
};

const struct monitor *const *monitor_all(void)
{
	return monitors;
}

const struct monitor *monitor_find(const char *name)
{
	for (const struct monitor *const *monitor = monitors; *monitor; monitor++)
		if (!strcmp((*monitor)->name, name))
			return *monitor;
	return NULL;
}

static struct error *unknown(const char *name, const char *file, int line)
{
	const char *names[ARRAY_SIZE(monitors)] = { NULL };
	char *list = memory_string("");
	const char *nearest;
	struct error *error;

	for (size_t i = 0; monitors[i]; i++) {
		list = memory_append(list, "%s%s", i ? ", " : "", monitors[i]->name);
		names[i] = monitors[i]->name;
	}
	nearest = text_nearest(name, names);
	error = error_at(ERR_INPUT, file, line, "unknown monitor '%s'%s%s; there are: %s", name,
			 nearest ? ", did you mean " : "", nearest ? nearest : "", list);
	free(list);
	return error;
}

struct error *monitor_check_names(char *const *names, int n, const char *file, int line)
{
	for (int i = 0; i < n; i++) {
		if (!monitor_find(names[i]))
			return unknown(names[i], file, line);
		for (int j = 0; j < i; j++)
			if (!strcmp(names[i], names[j]))
				return error_at(ERR_INPUT, file, line,
						"monitor '%s' is named twice", names[i]);
	}
	return NULL;
}

uint64_t monitor_now(const struct monitor_context *context)
{
	return context->now_ns ? context->now_ns : clock_ns();
}

/* one monitor of a trial: a state between start and stop, or why there is none */
struct member {
	const struct monitor *monitor;
	bool started;
	void *state;
	char *failure;
};

struct monitor_set {
	struct member *members;
	int n;
};

struct error *monitor_set_new(char *const *names, int n, struct monitor_set **out)
{
	struct error *error = monitor_check_names(names, n, NULL, 0);
	struct monitor_set *set;

	if (error)
		return error;
	set = memory_zeroed(1, sizeof(*set));
	for (int i = 0; i < n; i++)
		array_append(set->members, set->n)->monitor = monitor_find(names[i]);
	*out = set;
	return NULL;
}

/* takes the error's text, for the result */
static char *reason_of(struct error *error)
{
	char *text = error_text(error);

	error_free(error);
	return text;
}

static void member_reset(struct member *member)
{
	if (member->started)
		member->monitor->drop(member->state);
	free(member->failure);
	*member = (struct member){ .monitor = member->monitor };
}

void monitor_set_start(struct monitor_set *set, const struct monitor_context *context)
{
	for (int i = 0; i < set->n; i++) {
		struct member *member = &set->members[i];
		struct error *error;

		member_reset(member);
		if (member->monitor->recorded)
			continue;
		error = member->monitor->start(context, &member->state);
		if (error)
			member->failure = reason_of(error);
		else
			member->started = true;
	}
}

void monitor_set_stop(struct monitor_set *set, const struct monitor_context *context,
		      struct trial *trial)
{

	for (int i = 0; i < set->n; i++) {
		struct member *member = &set->members[i];
		const struct metric_desc *desc = member->monitor->metrics;

		if (member->monitor->recorded)
			continue;
		if (member->started) {
			struct error *error = member->monitor->stop(context, member->state, trial);

			member->started = false;
			if (error)
				member->failure = reason_of(error);
		} else if (!member->failure) {
			member->failure = memory_string("the monitor was not started");
		}
		if (!member->failure)
			continue;
		for (; desc->name; desc++)
			if (!trial_metric(trial, desc->name))
				trial_add_unavailable(trial, desc, member->failure);
	}
}

void monitor_set_free(struct monitor_set *set)
{
	if (!set)
		return;
	for (int i = 0; i < set->n; i++)
		member_reset(&set->members[i]);
	free(set->members);
	free(set);
}
