// SPDX-License-Identifier: GPL-2.0-only
/* tcprr.c - requests and responses over loopback TCP, one at a time on each connection */
#include "workload/workload.h"

struct connection {
	struct channel *request, *response;
};

/* the side that counts */
static void client(struct task *task, void *data)
{
	struct connection *connection = data;
	uint64_t begin = task_clock(task);

	while (channel_send(task, connection->request) &&
	       channel_receive(task, connection->response)) {
		uint64_t end = task_clock(task);

		task_record(task, 0, end - begin);
		task_count(task, 0, 1);
		begin = end;
	}
}

static void server(struct task *task, void *data)
{
	struct connection *connection = data;

	while (channel_receive(task, connection->request) &&
	       channel_send(task, connection->response))
		;
}

static bool threads(const struct params *params)
{
	return params_number(params, "threads");
}

static struct error *setup(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "pairs");

	team_histograms(team, 1);
	for (int64_t i = 0; i < n; i++) {
		struct connection *connection = team_shared(team, sizeof(*connection));
		struct worker_spec spec = {
			.body = client,
			.data = connection,
			.process = threads(params) ? i : -1,
		};

		connection->request =
			team_channel(team, CHANNEL_TCP, params_number(params, "request"));
		connection->response = team_reply_channel(team, connection->request,
							  params_number(params, "response"));
		team_add(team, &spec);
		spec.body = server;
		spec.helper = true;
		team_add(team, &spec);
	}
	return NULL;
}

static unsigned needs_of(const struct params *params)
{
	return TASK_NETWORK | (threads(params) ? TASK_THREAD : TASK_PROCESS);
}

static struct workload_demand demand(const struct params *params, hwloc_const_bitmap_t cpus)
{
	double pairs = (double)params_number(params, "pairs");

	(void)cpus;
	return (struct workload_demand){ .tasks = 2 * pairs,
					 .files = 2 * pairs,
					 .connections = pairs };
}

static const struct param tcprr_params[] = {
	{ "pairs", PARAM_COUNT, .def = "1", .max = PARAM_TASKS_MOST,
	  .help = "connections, each with a client and a server" },
	{ "request", PARAM_SIZE, .def = "1", .min = 1, .max = CHANNEL_MESSAGE_MAX, .unit = "bytes",
	  .help = "size of a request, up to 64K" },
	{ "response", PARAM_SIZE, .def = "1", .min = 1, .max = CHANNEL_MESSAGE_MAX, .unit = "bytes",
	  .help = "size of a response, up to 64K" },
	{ "threads", PARAM_BOOL, .def = "no",
	  .help = "client and server are two threads, not two processes" },
	{ NULL },
};

static const struct workload_metric tcprr_metrics[] = {
	{ { "transactions", "1/s", BETTER_HIGHER, 1,
	    "requests answered; a worker is a connection" },
	  METRIC_RATE,
	  0 },
	{ { "latency", "us", BETTER_LOWER, 1, "from a request to its response" },
	  METRIC_HISTOGRAM,
	  0 },
	{ { NULL } },
};

const struct workload workload_tcprr = {
	.name = "tcprr",
	.summary = "requests and responses over loopback TCP",
	.exercises = "wakeups out of the network's softirq, wakeup placement, context switch",
	.version = 1,
	.params = tcprr_params,
	.metrics = tcprr_metrics,
	.load = "pairs",
	.needs = TASK_NETWORK,
	.unsupported = "it talks TCP over the loopback device",
	.setup = setup,
	.needs_of = needs_of,
	.demand = demand,
};
