// SPDX-License-Identifier: GPL-2.0-only
/*
 * loadfile.c - clients that replay a list of file operations, again and again
 *
 * The shape of dbench, measured by what tells about scheduling: the time of each replay, and how evenly
 * clients get on.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "workload/loadfile_list.h"
#include "workload/quantiles.h"
#include "workload/workload.h"

/* counters of a client */
enum {
	REPLAYS,
	BYTES,
	OPERATIONS
};

/* operations between two entries into the course of a client's progress */
#define PROGRESS_STEPS 16

/* parts of an interval, and parts that are kept: with intervals of 1 s almost an hour */
#define PARTS_AN_INTERVAL 10
#define PARTS_MAX	  32768

struct client;

/* what all clients share */
struct course {
	uint64_t epoch;	     /* when the first client began, 0: not yet */
	uint64_t part_ns;    /* length of a part of the course */
	uint32_t incomplete; /* 1: it was longer than PARTS_MAX */
	struct loadfile *list;
	int64_t n_clients;
	struct client *clients[];
};

struct client {
	int number;
	struct folder *folder;
	const struct loadfile *list;
	const char *directory; /* for messages */
	struct course *course;
	struct step *present, *steps; /* the list with this client's paths */
	int64_t handles[LOADFILE_HANDLES];
	uint32_t parts[PARTS_MAX]; /* operations done in each part of the course */
};

/* ---- operations ---- */

static void fail(struct task *task, const struct client *client, const struct step *step,
		 int64_t result)
{
	const char *name = step->path ? step->path : "";

	if (result == -EINTR)
		return;
	if (result == -ENOSPC || result == -EDQUOT)
		task_fail(task, "no space is left in the directory for files (%s): %s:%d: %s %s",
			  client->directory, client->list->name, step->line, loadfile_word(step),
			  name);
	else
		task_fail(task, "%s:%d: %s %s: %s", client->list->name, step->line,
			  loadfile_word(step), name,
			  result < 0 ? strerror((int)-result) : "it was there");
}

/* a write may end early where space does; the rest says why */
static int64_t write_all(struct task *task, const struct client *client,
			 const struct file_request *request)
{
	struct file_request rest = *request;

	while (rest.size) {
		int64_t n = task_file(task, client->folder, &rest);

		if (n <= 0)
			return n ? n : -ENOSPC;
		rest.offset += n;
		rest.size -= n;
	}
	return request->size;
}

/* the result, or a negative errno; > 0 of STEP_MISSING: something was there */
static int64_t perform(struct task *task, struct client *client, const struct step *step)
{
	struct file_request request = {
		.op = step->op,
		.path = step->path,
		.to = step->to,
		.handle = (int)client->handles[step->handle],
		.offset = step->offset,
		.size = step->size,
	};
	int64_t result;

	if (step->kind == STEP_THINK)
		return task_sleep(task, step->size) ? 0 : -EINTR;
	if (step->op == FILE_WRITE)
		return write_all(task, client, &request);
	result = task_file(task, client->folder, &request);
	if (step->kind == STEP_MISSING)
		return result == -ENOENT ? 0 : result == 0 ? 1 : result;
	if (result >= 0 && (step->op == FILE_OPEN || step->op == FILE_CREATE))
		client->handles[step->handle] = result;
	return result;
}

static bool succeeded(const struct step *step, int64_t result)
{
	return result >= 0 && !(step->kind == STEP_MISSING && result);
}

/* ---- before the gate ---- */

static struct step *steps_of(const struct step *steps, int n, int client)
{
	struct step *own = memory_zeroed(n, sizeof(*own));

	for (int i = 0; i < n; i++) {
		own[i] = steps[i];
		own[i].path = steps[i].path ? loadfile_path(steps[i].path, client) : NULL;
		own[i].to = steps[i].to ? loadfile_path(steps[i].to, client) : NULL;
	}
	return own;
}

static void steps_free(struct step *steps, int n)
{
	for (int i = 0; steps && i < n; i++) {
		free(steps[i].path);
		free(steps[i].to);
	}
	free(steps);
}

static int64_t make_folder(struct task *task, const struct client *client, const char *path)
{
	struct file_request request = { FILE_MKDIR, .path = path };
	int64_t result = task_file(task, client->folder, &request);

	return result == -EEXIST ? 0 : result;
}

static int64_t make_file(struct task *task, struct client *client, const struct step *step)
{
	struct file_request request = { FILE_CREATE, .path = step->path };
	int64_t handle = task_file(task, client->folder, &request), result = 1;

	if (handle < 0)
		return handle;
	request = (struct file_request){ FILE_WRITE, .handle = (int)handle };
	while (request.offset < step->size && result > 0) {
		uint64_t left = step->size - request.offset;

		request.size = left < FILE_IO_MAX ? left : FILE_IO_MAX;
		result = write_all(task, client, &request);
		request.offset += request.size;
	}
	request.op = FILE_CLOSE;
	task_file(task, client->folder, &request);
	return result < 0 ? result : 0;
}

/* a file in the shared folder that has no client's number in its name is made by the first client */
static bool makes(const struct client *client, const struct step *as_written)
{
	return as_written->kind == STEP_FOLDER || as_written->path[0] != '/' ||
	       strstr(as_written->path, "$c") || !client->number;
}

static void prepare(struct task *task, void *data)
{
	struct client *client = data;
	const struct loadfile *list = client->list;
	const struct step top = { STEP_FOLDER, FILE_MKDIR };
	autofree char *own = loadfile_path(".", client->number);
	int64_t result = make_folder(task, client, own);

	client->present = steps_of(list->present, list->n_present, client->number);
	client->steps = steps_of(list->steps, list->n_steps, client->number);
	if (!result)
		result = make_folder(task, client, "shared");
	if (result)
		fail(task, client, &top, result);
	for (int i = 0; i < list->n_present && result >= 0; i++) {
		const struct step *step = &client->present[i];

		if (!makes(client, &list->present[i]))
			continue;
		result = step->kind == STEP_FOLDER ? make_folder(task, client, step->path)
						   : make_file(task, client, step);
		if (result < 0)
			fail(task, client, step, result);
	}
}

/* ---- replaying ---- */

static void enter_progress(struct task *task, struct client *client, unsigned operations)
{
	struct course *course = client->course;
	uint64_t now = task_clock(task), none = 0, part;

	/* the first who comes here sets the epoch; the others read it */
	if (__atomic_compare_exchange_n(&course->epoch, &none, now, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		none = now;
	part = now > none ? (now - none) / course->part_ns : 0;
	if (part < PARTS_MAX)
		client->parts[part] += operations;
	else
		__atomic_store_n(&course->incomplete, 1, __ATOMIC_RELAXED);
	task_count(task, OPERATIONS, operations);
}

static bool replay(struct task *task, struct client *client)
{
	const struct loadfile *list = client->list;
	unsigned operations = 0;

	for (int i = 0; i < list->n_steps && task_running(task); i++) {
		const struct step *step = &client->steps[i];
		int64_t result = perform(task, client, step);

		if (!succeeded(step, result)) {
			fail(task, client, step, result);
			return false;
		}
		if (step->kind == STEP_FILE && (step->op == FILE_READ || step->op == FILE_WRITE))
			task_count(task, BYTES, result);
		if (++operations == PROGRESS_STEPS || i + 1 == list->n_steps) {
			enter_progress(task, client, operations);
			operations = 0;
		}
	}
	return task_running(task);
}

static void body(struct task *task, void *data)
{
	struct client *client = data;
	uint64_t begin = task_clock(task);

	enter_progress(task, client, 0);
	while (replay(task, client)) {
		uint64_t end = task_clock(task);

		task_record(task, 0, end - begin);
		task_count(task, REPLAYS, 1);
		begin = end;
	}
	steps_free(client->present, client->list->n_present);
	steps_free(client->steps, client->list->n_steps);
}

/* ---- setup ---- */

#define DEFAULT_DIRECTORY "temporary"

static const char *directory_of(const struct params *params)
{
	const char *directory = params_text(params, "directory");

	return strcmp(directory, DEFAULT_DIRECTORY) != 0 ? directory : NULL;
}

static struct error *check_directory(const char *directory)
{
	int fd = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (!directory)
		return NULL;
	if (fd < 0)
		return error_errno("directory '%s'", directory);
	close(fd);
	if (access(directory, W_OK | X_OK))
		return error_errno("directory '%s'", directory);
	return NULL;
}

static struct error *check(const struct params *params, hwloc_const_bitmap_t cpus)
{
	struct loadfile *list;
	struct error *error = loadfile_open(params_text(params, "list"), &list);

	(void)cpus;
	if (error)
		return error;
	loadfile_free(list);
	return check_directory(directory_of(params));
}

static struct error *setup(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "clients");
	const char *directory = directory_of(params);
	struct folder *folder = team_folder(team, directory);
	struct course *course = team_shared(team, sizeof(*course) + n * sizeof(course->clients[0]));
	struct loadfile *list;
	struct error *error = loadfile_open(params_text(params, "list"), &list);

	if (error)
		return error;
	course->part_ns = params_number(params, "interval") / PARTS_AN_INTERVAL;
	course->n_clients = n;
	course->list = list;
	team_keep(team, course);
	team_histograms(team, 1);
	for (int64_t i = 0; i < n; i++) {
		struct client *client = team_shared(team, sizeof(*client));
		struct worker_spec spec = {
			.prepare = prepare, .body = body, .data = client, .process = -1
		};

		client->number = (int)i;
		client->folder = folder;
		client->list = list;
		client->directory = directory ? directory : "of temporary files";
		client->course = course;
		course->clients[i] = client;
		team_add(team, &spec);
	}
	return NULL;
}

/* ---- metrics ---- */

enum {
	MEAN = 2,
	THROUGHPUT,
	PROGRESS_MOST,
	PROGRESS_MEAN
};

static const struct workload_metric loadfile_metrics[] = {
	{ { "loadfile", "us", BETTER_LOWER, 1, "time of a replay of the list" },
	  METRIC_HISTOGRAM,
	  0 },
	{ { "loadfiles", "1/s", BETTER_HIGHER, 1, "replays of the list" }, METRIC_RATE, REPLAYS },
	[MEAN] = { { "loadfile_mean", "us", BETTER_LOWER, 1, "mean time of a replay" },
		   METRIC_COMPUTED },
	[THROUGHPUT] = { { "throughput", "MB/s", BETTER_HIGHER, 1,
			   "bytes read and written (powers of ten)" },
			 METRIC_COMPUTED },
	[PROGRESS_MOST] = { { "progress_cov", "%", BETTER_LOWER, 1,
			      "largest CoV over clients of operations done in an interval" },
			    METRIC_COMPUTED },
	[PROGRESS_MEAN] = { { "progress_cov_mean", "%", BETTER_LOWER, 1,
			      "mean of these over the intervals" },
			    METRIC_COMPUTED },
	{ { NULL } },
};

static void add_means(const struct metric_desc *desc, const struct team_report *report,
		      struct trial *trial)
{
	autofree double *values = memory_zeroed(report->n_workers, sizeof(*values));
	struct histogram *merged = quantiles_merged(report, 0);

	for (int i = 0; i < report->n_workers; i++)
		values[i] = histogram_mean(&report->workers[i].histograms[0]) / 1e3;
	if (merged->count)
		trial_add_metric(trial, desc, histogram_mean(merged) / 1e3, values,
				 report->n_workers);
	else
		trial_add_unavailable(trial, desc, "no list was finished in the measured time");
	free(merged);
}

static void add_throughput(const struct metric_desc *desc, const struct team_report *report,
			   struct trial *trial)
{
	autofree double *values = memory_zeroed(report->n_workers, sizeof(*values));
	double sum = 0;

	for (int i = 0; i < report->n_workers; i++) {
		const struct worker_report *worker = &report->workers[i];

		values[i] =
			worker->seconds > 0 ? worker->counters[BYTES] / worker->seconds / 1e6 : NAN;
		sum += isnan(values[i]) ? 0 : values[i];
	}
	trial_add_metric(trial, desc, sum, values, report->n_workers);
}

/* CoV over the clients of the operations done from part @first on, for an interval; NAN: none done */
static double interval_cov(const struct course *course, uint64_t first)
{
	autofree double *done = memory_zeroed(course->n_clients, sizeof(*done));

	for (int64_t i = 0; i < course->n_clients; i++)
		for (uint64_t part = first; part < first + PARTS_AN_INTERVAL; part++)
			done[i] += course->clients[i]->parts[part];
	return spread_of(done, course->n_clients).cov;
}

struct progress {
	double most, sum;
	int n;
};

/* whole intervals within the measured time, the first one at the first part that begins in it */
static struct progress progress_of(const struct course *course, const struct team_report *report)
{
	const struct worker_report *any = &report->workers[0];
	uint64_t begin = any->start_ns > course->epoch ? any->start_ns - course->epoch : 0;
	uint64_t end = any->end_ns > course->epoch ? any->end_ns - course->epoch : 0;
	uint64_t first = (begin + course->part_ns - 1) / course->part_ns;
	uint64_t last = end / course->part_ns;
	struct progress progress = { 0 };

	for (int i = 1; i < report->n_workers; i++)
		if (report->workers[i].end_ns < any->end_ns)
			return progress; /* a client ended before the others: it has failed */
	last = last < PARTS_MAX ? last : PARTS_MAX;
	for (; first + PARTS_AN_INTERVAL <= last; first += PARTS_AN_INTERVAL) {
		double cov = interval_cov(course, first);

		if (isnan(cov))
			continue;
		progress.most = cov > progress.most ? cov : progress.most;
		progress.sum += cov;
		progress.n++;
	}
	return progress;
}

static const char *no_progress(const struct course *course, const struct progress *progress)
{
	if (course->n_clients < 2)
		return "a single client has nobody to be compared with";
	if (course->incomplete)
		return "the trial had more intervals than are kept; a longer `interval` helps";
	return progress->n ? NULL
			   : "the measured time has no whole interval in which operations were "
			     "done; a shorter `interval` helps";
}

static struct error *finish(struct team *team, const struct params *params,
			    const struct team_report *report, struct trial *trial)
{
	struct course *course = team_kept(team);
	struct progress progress = progress_of(course, report);
	const char *reason = no_progress(course, &progress);

	(void)params;
	add_means(&loadfile_metrics[MEAN].desc, report, trial);
	add_throughput(&loadfile_metrics[THROUGHPUT].desc, report, trial);
	for (int i = PROGRESS_MOST; i <= PROGRESS_MEAN; i++)
		if (reason)
			trial_add_unavailable(trial, &loadfile_metrics[i].desc, reason);
		else
			trial_add_metric(trial, &loadfile_metrics[i].desc,
					 i == PROGRESS_MOST ? progress.most
							    : progress.sum / progress.n,
					 NULL, 0);
	loadfile_free(course->list);
	return NULL;
}

static const struct param loadfile_params[] = {
	{ "clients", PARAM_COUNT, .def = "nr_cpus", .max = PARAM_TASKS_MOST,
	  .help = "processes that replay the list" },
	{ "list", PARAM_TEXT, .def = "office",
	  .help = "list of operations: office, which is built in, or a file" },
	{ "directory", PARAM_TEXT, .def = DEFAULT_DIRECTORY,
	  .help = "where a folder for the files is made; temporary: $TMPDIR or /tmp" },
	{ "interval", PARAM_DURATION, .def = "1s", .min = 1000000,
	  .help = "in which the progress of clients is compared" },
	{ NULL },
};

const struct workload workload_loadfile = {
	.name = "loadfile",
	.summary = "clients that replay file operations",
	.exercises = "sleeping locks of the file system, wakeups of its threads, fair progress",
	.version = 1,
	.params = loadfile_params,
	.metrics = loadfile_metrics,
	.load = "clients",
	.needs = TASK_PROCESS | TASK_FILES,
	.unsupported = "it works on files",
	.setup = setup,
	.finish = finish,
	.check = check,
};
