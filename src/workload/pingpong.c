// SPDX-License-Identifier: GPL-2.0-only
/* pingpong.c - pairs that pass a token to and fro: wakeup and switch latency */
#include "workload/workload.h"

/* what the two sides of a pair share */
struct pair {
	struct channel *there, *back;
};

/* the side that counts */
static void serve(struct task *task, void *data)
{
	struct pair *pair = data;

	while (channel_send(task, pair->there) && channel_receive(task, pair->back))
		task_count(task, 0, 1);
}

static void answer(struct task *task, void *data)
{
	struct pair *pair = data;

	while (channel_receive(task, pair->there) && channel_send(task, pair->back))
		;
}

static bool threads(const struct params *params)
{
	return params_number(params, "threads");
}

/* the two sides of a pair are threads of one process, or two processes */
static struct error *setup(struct team *team, const struct params *params)
{
	/* the words of the choice are in the order of the enum */
	enum channel_kind kind = params_number(params, "channel");
	size_t size = params_number(params, "size");
	int64_t n = params_number(params, "pairs");

	for (int64_t i = 0; i < n; i++) {
		struct pair *pair = team_shared(team, sizeof(*pair));
		struct worker_spec spec = {
			.body = serve,
			.data = pair,
			.process = threads(params) ? i : -1,
		};

		pair->there = team_channel(team, kind, size);
		pair->back = team_channel(team, kind, size);
		team_add(team, &spec);
		spec.body = answer;
		spec.helper = true;
		team_add(team, &spec);
	}
	return NULL;
}

static unsigned needs_of(const struct params *params)
{
	return TASK_CHANNEL | (threads(params) ? TASK_THREAD : TASK_PROCESS);
}

static struct workload_demand demand(const struct params *params, hwloc_const_bitmap_t cpus)
{
	/* ends of the two channels of a pair, in the order of the words of `channel` */
	static const double ends[] = { 4, 4, 2, 0 };
	double pairs = (double)params_number(params, "pairs");

	(void)cpus;
	return (struct workload_demand){ .tasks = 2 * pairs,
					 .files = ends[params_number(params, "channel")] * pairs };
}

static const struct param pingpong_params[] = {
	{ "pairs", PARAM_COUNT, .def = "1", .max = PARAM_TASKS_MOST, .help = "pairs of tasks" },
	{ "channel", PARAM_CHOICE, .def = "pipe", .choices = "pipe socket eventfd futex",
	  .help = "what carries the token, one for each direction" },
	{ "size", PARAM_SIZE, .def = "4", .min = 1, .max = CHANNEL_MESSAGE_MAX, .unit = "bytes",
	  .help = "size of the token, up to 64K (pipe and socket)" },
	{ "threads", PARAM_BOOL, .def = "no", .help = "a pair is two threads, not two processes" },
	{ NULL },
};

static const struct workload_metric pingpong_metrics[] = {
	{ { "round_trips", "1/s", BETTER_HIGHER, 1, "token there and back; a worker is a pair" },
	  METRIC_RATE,
	  0 },
	{ { NULL } },
};

const struct workload workload_pingpong = {
	.name = "pingpong",
	.summary = "pairs passing a token",
	.exercises = "wakeup path, wakeup placement, context switch",
	.version = 1,
	.params = pingpong_params,
	.metrics = pingpong_metrics,
	.load = "pairs",
	.needs = TASK_CHANNEL,
	.unsupported = "it passes messages between tasks",
	.setup = setup,
	.needs_of = needs_of,
	.demand = demand,
};
