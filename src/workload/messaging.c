// SPDX-License-Identifier: GPL-2.0-only
/*
 * messaging.c - groups in which every sender writes to every receiver in turn
 *
 * The shape of hackbench: a receiver has one channel that all senders of its group write to.
 */
#include "workload/workload.h"

struct group {
	int64_t n;		     /* receivers */
	struct channel *receivers[]; /* a channel each */
};

static void send_loop(struct task *task, void *data)
{
	struct group *group = data;

	while (task_running(task))
		for (int64_t i = 0; i < group->n; i++)
			if (!channel_send(task, group->receivers[i]))
				return;
}

static void receive_loop(struct task *task, void *data)
{
	while (channel_receive(task, data))
		task_count(task, 0, 1);
}

static bool threads(const struct params *params)
{
	return params_number(params, "threads");
}

static void add_group(struct team *team, const struct params *params)
{
	/* the words of the choice are in the order of the enum */
	enum channel_kind kind = params_number(params, "channel");
	int64_t senders = params_number(params, "senders");
	int64_t receivers = params_number(params, "receivers");
	struct group *group =
		team_shared(team, sizeof(*group) + receivers * sizeof(group->receivers[0]));
	struct worker_spec spec = { .process = threads(params) ? 0 : -1 };

	group->n = receivers;
	for (int64_t i = 0; i < receivers; i++) {
		group->receivers[i] = team_channel(team, kind, params_number(params, "size"));
		spec.body = receive_loop;
		spec.data = group->receivers[i];
		team_add(team, &spec);
	}
	spec.body = send_loop;
	spec.data = group;
	spec.helper = true;
	for (int64_t i = 0; i < senders; i++)
		team_add(team, &spec);
}

static struct error *setup(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "groups");

	for (int64_t i = 0; i < n; i++)
		add_group(team, params);
	return NULL;
}

static unsigned needs_of(const struct params *params)
{
	return TASK_CHANNEL | (threads(params) ? TASK_THREAD : TASK_PROCESS);
}

static struct workload_demand demand(const struct params *params, hwloc_const_bitmap_t cpus)
{
	double groups = (double)params_number(params, "groups");
	double senders = (double)params_number(params, "senders");
	double receivers = (double)params_number(params, "receivers");

	(void)cpus;
	return (struct workload_demand){ .tasks = groups * (senders + receivers),
					 .files = groups * receivers * 2 };
}

static const struct param messaging_params[] = {
	{ "groups", PARAM_COUNT, .def = "1", .max = PARAM_TASKS_MOST,
	  .help = "groups of senders and receivers" },
	{ "senders", PARAM_COUNT, .def = "20", .help = "senders in a group" },
	{ "receivers", PARAM_COUNT, .def = "20", .help = "receivers in a group" },
	{ "channel", PARAM_CHOICE, .def = "pipe", .choices = "pipe socket",
	  .help = "what carries messages, one for each receiver" },
	{ "size", PARAM_SIZE, .def = "100", .min = 1, .max = CHANNEL_MESSAGE_MAX, .unit = "bytes",
	  .help = "size of a message, up to 64K" },
	{ "threads", PARAM_BOOL, .def = "no", .help = "threads of one process, not processes" },
	{ NULL },
};

static const struct workload_metric messaging_metrics[] = {
	{ { "messages", "1/s", BETTER_HIGHER, 1, "messages received; a worker is a receiver" },
	  METRIC_RATE,
	  0 },
	{ { NULL } },
};

const struct workload workload_messaging = {
	.name = "messaging",
	.summary = "groups of senders and receivers",
	.exercises = "wakeups of many tasks, preemption by wakeup, balancing of short runners",
	.version = 1,
	.params = messaging_params,
	.metrics = messaging_metrics,
	.load = "groups",
	.needs = TASK_CHANNEL,
	.unsupported = "it passes messages between tasks",
	.setup = setup,
	.needs_of = needs_of,
	.demand = demand,
};
