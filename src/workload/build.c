// SPDX-License-Identifier: GPL-2.0-only
/*
 * build.c - makes that start compilers: trees of short processes that execute programs, read files and pass
 * their output through pipes
 *
 * A make holds as many jobs as it has tokens. A job is a driver process that starts `depth` stages; a
 * stage executes a program, then works in pieces that it gets through a pipe from the one before it. At the
 * end of a build one process links what the jobs have made.
 */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "workload/workload.h"

#define DEPTH_MAX 8

/* pieces in which a stage passes its output on, and bytes of a piece */
#define PIECES	   16
#define PIECE_SIZE 4096

#define MOST_NS 3600000000000 /* of the work of a job */

/* files that all jobs of a make read, in blocks */
#define HEADERS	    16
#define HEADER_SIZE 65536
#define BLOCK_SIZE  16384

enum {
	JOBS,
	BUILDS
};
enum {
	JOB_TIME,
	BUILD_TIME
};

struct make;

struct job {
	struct make *make;
	struct channel *pipes[DEPTH_MAX]; /* from stage i to stage i + 1 */
	int slot;
	uint32_t done; /* set by its driver, taken by the make */
	/* of the make alone */
	int64_t child; /* 0: the slot is free */
	uint64_t begin;
};

/* A stage of a job: what its process is told. */
struct stage {
	const struct job *job;
	int number;
};

struct make {
	int number;
	int64_t jobs, files, depth, reads;
	uint64_t work_units, link_units; /* of a stage, of linking */
	struct folder *folder;
	struct channel *tokens; /* a message for each job that has ended */
	struct compute *compute;
	struct job slots[];
};

/* ---- files ---- */

static bool failed(struct task *task, int64_t result, const char *what, const char *path)
{
	if (result >= 0)
		return false;
	if (result != -EINTR)
		task_fail(task, "%s %s: %s", what, path, strerror((int)-result));
	return true;
}

static int64_t open_file(struct task *task, const struct make *make, enum file_op op,
			 const char *path)
{
	const struct file_request request = { .op = op, .path = path };
	int64_t handle = task_file(task, make->folder, &request);

	failed(task, handle, "a file of the build:", path);
	return handle;
}

static void close_file(struct task *task, const struct make *make, int64_t handle)
{
	const struct file_request request = { .op = FILE_CLOSE, .handle = (int)handle };

	task_file(task, make->folder, &request);
}

static bool write_file(struct task *task, const struct make *make, const char *path, uint64_t size)
{
	struct file_request request = { .op = FILE_WRITE, .size = size };
	int64_t handle = open_file(task, make, FILE_CREATE, path), result;

	if (handle < 0)
		return false;
	request.handle = (int)handle;
	result = task_file(task, make->folder, &request);
	close_file(task, make, handle);
	return !failed(task, result, "writing", path);
}

/* some blocks from its start */
static bool read_file(struct task *task, const struct make *make, const char *path, int blocks)
{
	struct file_request request = { .op = FILE_READ, .size = BLOCK_SIZE };
	int64_t handle = open_file(task, make, FILE_OPEN, path), result = 0;

	if (handle < 0)
		return false;
	request.handle = (int)handle;
	for (int i = 0; i < blocks && result >= 0; i++, request.offset += BLOCK_SIZE)
		result = task_file(task, make->folder, &request);
	close_file(task, make, handle);
	return !failed(task, result, "reading", path);
}

static char *header_path(const struct make *make, int64_t number)
{
	return memory_format("m%d-header%d", make->number, (int)(number % HEADERS));
}

static char *object_path(const struct make *make, int slot)
{
	return memory_format("m%d-object%d", make->number, slot);
}

/* ---- a job ---- */

/* the first stage reads headers: the reads that fall to a piece */
static bool read_headers(struct task *task, const struct make *make, int piece)
{
	int64_t from = make->reads * piece / PIECES, to = make->reads * (piece + 1) / PIECES;

	for (; from < to; from++) {
		autofree char *path = header_path(make, from);

		if (!read_file(task, make, path, 1))
			return false;
	}
	return true;
}

static bool do_piece(struct task *task, const struct stage *stage, int piece)
{
	const struct job *job = stage->job;
	const struct make *make = job->make;
	uint64_t units =
		make->work_units * (piece + 1) / PIECES - make->work_units * piece / PIECES;

	if (stage->number ? !channel_receive(task, job->pipes[stage->number - 1])
			  : !read_headers(task, make, piece))
		return false;
	task_compute(task, make->compute, units, -1);
	return stage->number + 1 == make->depth || channel_send(task, job->pipes[stage->number]);
}

/* a process that executes a program and waits for it */
static bool execute(struct task *task)
{
	int64_t child = task_spawn(task, CHILD_EXEC, NULL, NULL);

	return child > 0 && task_wait(task, child) && task_running(task);
}

static void run_stage(struct task *task, void *data)
{
	const struct stage *stage = data;
	const struct make *make = stage->job->make;
	autofree char *object = object_path(make, stage->job->slot);

	if (!execute(task))
		return;
	for (int i = 0; i < PIECES; i++)
		if (!do_piece(task, stage, i))
			return;
	if (stage->number + 1 == make->depth)
		write_file(task, make, object, PIECES * (uint64_t)PIECE_SIZE / 2);
}

static void run_driver(struct task *task, void *data)
{
	struct job *job = data;
	struct make *make = job->make;
	struct stage stages[DEPTH_MAX];
	int64_t children[DEPTH_MAX];

	for (int i = 0; i < make->depth; i++) {
		stages[i] = (struct stage){ job, i };
		children[i] = task_spawn(task, CHILD_FORK, run_stage, &stages[i]);
	}
	for (int i = 0; i < make->depth; i++)
		if (children[i] > 0)
			task_wait(task, children[i]);
	__atomic_store_n(&job->done, 1, __ATOMIC_RELEASE);
	channel_send(task, make->tokens);
}

static void run_link(struct task *task, void *data)
{
	const struct make *make = data;
	int64_t n = make->files < make->jobs ? make->files : make->jobs;

	if (!execute(task))
		return;
	for (int64_t i = 0; i < n; i++) {
		autofree char *path = object_path(make, (int)i);

		if (!read_file(task, make, path, 2))
			return;
	}
	task_compute(task, make->compute, make->link_units, -1);
}

/* ---- a make ---- */

static struct job *free_slot(struct make *make)
{
	for (int64_t i = 0; i < make->jobs; i++)
		if (!make->slots[i].child)
			return &make->slots[i];
	return NULL;
}

static bool start_job(struct task *task, struct job *job)
{
	job->begin = task_clock(task);
	job->child = task_spawn(task, CHILD_FORK, run_driver, job);
	if (job->child > 0)
		return true;
	job->child = 0;
	return false;
}

/* takes those that have ended; how many */
static int64_t reap(struct task *task, struct make *make)
{
	int64_t n = 0;

	for (int64_t i = 0; i < make->jobs; i++) {
		struct job *job = &make->slots[i];

		if (!job->child || !__atomic_load_n(&job->done, __ATOMIC_ACQUIRE))
			continue;
		task_wait(task, job->child);
		task_record(task, JOB_TIME, task_clock(task) - job->begin);
		task_count(task, JOBS, 1);
		job->child = 0;
		job->done = 0;
		n++;
	}
	return n;
}

/* the trial is over: drivers see that, too */
static void wait_for_rest(struct task *task, struct make *make)
{
	for (int64_t i = 0; i < make->jobs; i++)
		if (make->slots[i].child)
			task_wait(task, make->slots[i].child);
}

static bool compile_all(struct task *task, struct make *make)
{
	int64_t started = 0, running = 0, tokens = 0;

	while (started < make->files || running) {
		struct job *job = started < make->files ? free_slot(make) : NULL;

		if (job) {
			if (!start_job(task, job))
				return false;
			started++;
			running++;
			continue;
		}
		if (!channel_receive(task, make->tokens))
			return false;
		tokens++;
		running -= reap(task, make);
	}
	/* jobs that were reaped with another one's token have left theirs */
	for (; tokens < make->files; tokens++)
		if (!channel_receive(task, make->tokens))
			return false;
	return true;
}

static bool link_all(struct task *task, struct make *make)
{
	int64_t child = task_spawn(task, CHILD_FORK, run_link, make);

	return child > 0 && task_wait(task, child) && task_running(task);
}

static void body(struct task *task, void *data)
{
	struct make *make = data;

	while (make->compute) {
		uint64_t begin = task_clock(task);

		if (!compile_all(task, make) || !link_all(task, make))
			break;
		task_record(task, BUILD_TIME, task_clock(task) - begin);
		task_count(task, BUILDS, 1);
	}
	wait_for_rest(task, make);
	task_compute_free(task, make->compute);
}

static void prepare(struct task *task, void *data)
{
	struct make *make = data;

	make->compute = task_compute_new(task, COMPUTE_INT128, 0);
	for (int i = 0; i < HEADERS; i++) {
		autofree char *path = header_path(make, i);

		if (!write_file(task, make, path, HEADER_SIZE))
			return;
	}
}

/* ---- setup ---- */

static struct make *make_new(struct team *team, const struct params *params, int number)
{
	int64_t jobs = params_number(params, "jobs");
	struct make *make = team_shared(team, sizeof(*make) + jobs * sizeof(make->slots[0]));

	make->number = number;
	make->jobs = jobs;
	make->files = params_number(params, "files");
	make->depth = params_number(params, "depth");
	make->reads = params_number(params, "reads");
	make->tokens = team_channel(team, CHANNEL_PIPE, 1);
	for (int64_t i = 0; i < jobs; i++) {
		make->slots[i].make = make;
		make->slots[i].slot = (int)i;
		for (int64_t j = 0; j + 1 < make->depth; j++)
			make->slots[i].pipes[j] = team_channel(team, CHANNEL_PIPE, PIECE_SIZE);
	}
	return make;
}

static struct error *setup(struct team *team, const struct params *params)
{
	uint64_t unit_ps = team_unit_time(team, COMPUTE_INT128, -1);
	struct folder *folder = team_folder(team, NULL);
	int64_t n = params_number(params, "makes");

	unit_ps = unit_ps ? unit_ps : 1;
	team_histograms(team, 2);
	for (int64_t i = 0; i < n; i++) {
		struct make *make = make_new(team, params, (int)i);
		struct worker_spec spec = {
			.prepare = prepare, .body = body, .data = make, .process = -1
		};

		make->folder = folder;
		make->work_units =
			params_number(params, "work") * 1000 / unit_ps / (uint64_t)make->depth;
		make->link_units = params_number(params, "link") * 1000 / unit_ps;
		team_add(team, &spec);
	}
	return NULL;
}

static struct workload_demand demand(const struct params *params, hwloc_const_bitmap_t cpus)
{
	double makes = (double)params_number(params, "makes");
	double jobs = (double)params_number(params, "jobs");
	double depth = (double)params_number(params, "depth");

	(void)cpus;
	/* a job's driver, its stages and the program that each may be executing; ends of the pipes */
	return (struct workload_demand){ .tasks = makes * (1 + jobs * (1 + 2 * depth)),
					 .files = makes * 2 * (1 + jobs * (depth - 1)) };
}

static const struct param build_params[] = {
	{ "makes", PARAM_COUNT, .def = "1", .help = "builds at the same time, each its own tree" },
	{ "jobs", PARAM_COUNT, .def = "nr_cpus", .max = 4096,
	  .help = "jobs that a make runs at a time (-j)" },
	{ "files", PARAM_COUNT, .def = "4 * nr_cpus", .max = 65536,
	  .help = "jobs of a build, before it is linked" },
	{ "depth", PARAM_COUNT, .def = "2", .max = DEPTH_MAX,
	  .help = "stages of a job, joined by pipes" },
	{ "work", PARAM_DURATION, .def = "5ms", .max = MOST_NS,
	  .help = "CPU time of a job, all stages" },
	{ "reads", PARAM_COUNT, .def = "64", .max = 65536, .help = "files that a job reads" },
	{ "link", PARAM_DURATION, .def = "10ms", .max = MOST_NS, .help = "CPU time of linking" },
	{ NULL },
};

static const struct workload_metric build_metrics[] = {
	{ { "jobs", "1/s", BETTER_HIGHER, 1, "jobs that ended; a worker is a make" },
	  METRIC_RATE,
	  JOBS },
	{ { "builds", "1/s", BETTER_HIGHER, 1, "whole builds" }, METRIC_RATE, BUILDS },
	{ { "job", "us", BETTER_LOWER, 1, "from the start of a job until make has seen its end" },
	  METRIC_HISTOGRAM,
	  JOB_TIME },
	{ { "build", "us", BETTER_LOWER, 1, "time of a build" }, METRIC_HISTOGRAM, BUILD_TIME },
	{ { NULL } },
};

const struct workload workload_build = {
	.name = "build",
	.summary = "makes with compilers and a linker",
	.exercises = "placement at fork and exec, short tasks in chains of pipes, idle balancing",
	.version = 1,
	.params = build_params,
	.metrics = build_metrics,
	.needs = TASK_PROCESS | TASK_EXEC | TASK_CHANNEL | TASK_COMPUTE | TASK_FILES,
	.unsupported = "it forks processes that execute programs and read files",
	.setup = setup,
	.demand = demand,
};
