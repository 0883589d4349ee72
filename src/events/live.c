// SPDX-License-Identifier: GPL-2.0-only
/* live.c - a recording: the thread that reads, marks, the end */
#include "events/live.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "events/live_private.h"

#define BUFFER_DEFAULT (UINT64_C(16) << 20)
#define BUFFER_LEAST   (UINT64_C(64) << 10)

/* how often the buffers are read: less often while little is in them */
#define PERIOD_FIRST_NS 20000000
#define PERIOD_LEAST_NS 2000000
#define PERIOD_MOST_NS	200000000

/* raw pages that are kept before they are decoded: an 8th of the memory, within these */
#define SPOOL_LEAST (UINT64_C(64) << 20)
#define SPOOL_MOST  (UINT64_C(1) << 30)

/* events that happened while the buffers were read wait for the next time */
#define WINDOW (1 << 18)

/* an event gets its time a little before it can be read */
#define COMMIT_NS 1000000

struct event_live {
	struct event_live_options options;
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	struct raw_decoder *decoder;
	struct event_feed *feed;
	struct spool spool;
	uint64_t buffer_bytes, spool_limit;
	char *kernel;

	pthread_t thread;
	bool running; /* the thread */
	bool stopped;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop; /* under lock, as the marks */
	struct event_mark *marks;
	int n_marks;

	struct error *error; /* of the thread; read after it has ended */
	double started;
	struct event_live_cost cost;
};

static uint64_t memory_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 1u << 30;
}

static uint64_t default_buffer(int n_cpus)
{
	uint64_t share = memory_bytes() / 16 / (uint64_t)(n_cpus > 0 ? n_cpus : 1);

	if (share < BUFFER_LEAST)
		return BUFFER_LEAST;
	return share < BUFFER_DEFAULT ? share : BUFFER_DEFAULT;
}

static double thread_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- the thread ---- */

/* before others while it copies, not while it decodes: that may take long */
static void set_urgent(bool urgent)
{
	struct sched_param param = { .sched_priority = urgent ? 1 : 0 };

	/* without the right for it it is a thread like others, and more events may be lost */
	sched_setscheduler(0, urgent ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER, &param);
}

/* the CPUs of the machine but those that are measured; where those are all, any */
static void stay_off(hwloc_const_bitmap_t avoid)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t *set;
	size_t size;

	if (!avoid || n < 1)
		return;
	set = CPU_ALLOC((size_t)n);
	size = CPU_ALLOC_SIZE((size_t)n);
	if (!set)
		return;
	CPU_ZERO_S(size, set);
	for (int cpu = 0; cpu < n; cpu++)
		if (!hwloc_bitmap_isset(avoid, (unsigned)cpu))
			CPU_SET_S((size_t)cpu, size, set);
	sched_setaffinity(0, size, set);
	CPU_FREE(set);
}

static struct error *take_marks(struct event_live *live)
{
	struct error *error = NULL;

	pthread_mutex_lock(&live->lock);
	for (int i = 0; i < live->n_marks; i++) {
		if (!error)
			error = event_feed_mark(live->feed, &live->marks[i]);
		free((void *)live->marks[i].workers);
		free((void *)live->marks[i].note);
	}
	free(live->marks);
	live->marks = NULL;
	live->n_marks = 0;
	pthread_mutex_unlock(&live->lock);
	return error;
}

static struct error *decode(struct event_live *live, uint64_t horizon)
{
	struct error *error = take_marks(live);

	if (!error)
		error = spool_decode(&live->spool, live->decoder, horizon, live->feed);
	if (!error)
		error = event_feed_passed(live->feed, horizon);
	return error;
}

/* sleeps; true when the recording is over */
static bool pause_for(struct event_live *live, uint64_t ns)
{
	uint64_t until = clock_ns() + ns;
	struct timespec time = { (time_t)(until / 1000000000), (long)(until % 1000000000) };
	bool stop;

	pthread_mutex_lock(&live->lock);
	while (!live->stop && pthread_cond_timedwait(&live->wake, &live->lock, &time) != ETIMEDOUT)
		;
	stop = live->stop;
	pthread_mutex_unlock(&live->lock);
	return stop;
}

static uint64_t next_period(const struct event_live *live, uint64_t period, uint64_t most)
{
	if (most > live->buffer_bytes / 4)
		return period / 2 > PERIOD_LEAST_NS ? period / 2 : PERIOD_LEAST_NS;
	if (most < live->buffer_bytes / 16)
		return period * 2 < PERIOD_MOST_NS ? period * 2 : PERIOD_MOST_NS;
	return period;
}

static void *reader_main(void *data)
{
	struct event_live *live = data;
	uint64_t period = PERIOD_FIRST_NS, decoded = clock_ns();

	stay_off(live->options.avoid);
	set_urgent(true);
	while (!live->error && !pause_for(live, period)) {
		uint64_t horizon = clock_ns() - COMMIT_NS;
		double before;

		period = next_period(live, period, spool_fill(&live->spool));
		if (live->spool.bytes < live->spool_limit &&
		    (!live->options.interval_ns || horizon < decoded + live->options.interval_ns))
			continue;
		decoded = horizon;
		before = thread_seconds();
		set_urgent(false);
		live->error = decode(live, horizon);
		set_urgent(true);
		live->cost.decode_seconds += thread_seconds() - before;
	}
	live->cost.reader_seconds = thread_seconds();
	return NULL;
}

static struct error *start_thread(struct event_live *live)
{
	sigset_t all, before;
	int failed;

	/* signals are for the thread that started the recording */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&live->thread, NULL, reader_main, live);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return error_new(ERR_SYSTEM, "cannot start the thread that reads events: %s",
				 strerror(failed));
	live->running = true;
	return NULL;
}

/* ---- start ---- */

static struct error *tell_begin(struct event_live *live, int n_cpus)
{
	const struct machine *machine = live->options.machine;
	struct event_info info = {
		.source = "live",
		.clock = "CLOCK_MONOTONIC",
		.kernel = live->kernel,
		.machine_name = machine ? machine->name : "live",
		.machine = machine,
		.nr_cpus = n_cpus,
		.online = machine ? machine->online : NULL,
	};

	return event_feed_begin(live->feed, &info);
}

static struct error *set_up(struct event_live *live, struct event_sink *sink)
{
	const struct event_live_options *options = &live->options;
	long n = sysconf(_SC_NPROCESSORS_CONF);
	int n_cpus = n > 0 ? (int)n : 1;
	struct error *error;

	live->buffer_bytes = options->buffer_bytes ? options->buffer_bytes : default_buffer(n_cpus);
	live->spool_limit = memory_bytes() / 8;
	if (live->spool_limit < SPOOL_LEAST)
		live->spool_limit = SPOOL_LEAST;
	if (live->spool_limit > SPOOL_MOST)
		live->spool_limit = SPOOL_MOST;
	error = instance_new(options, live->buffer_bytes, &live->instance);
	if (error)
		return error;
	live->feed = event_feed_new(sink, WINDOW);
	error = tell_begin(live, n_cpus);
	if (!error)
		error = live_tasks_tell(live->feed, clock_ns());
	return error ? error : instance_on(live->instance);
}

struct error *event_live_start(const struct event_live_options *options, struct event_sink *sink,
			       struct event_live **out)
{
	struct event_live *live = memory_zeroed(1, sizeof(*live));
	pthread_condattr_t clock;
	struct utsname name;
	struct error *error;

	live->options = *options;
	pthread_mutex_init(&live->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&live->wake, &clock);
	pthread_condattr_destroy(&clock);
	live->kernel = memory_string(uname(&name) ? "not known" : name.release);
	error = set_up(live, sink);
	if (error) {
		event_live_free(live);
		return error;
	}
	live->started = clock_seconds();
	*out = live;
	return NULL;
}

/* not in set_up(): see event_live_start() */
static struct error *open_reader(struct event_live *live)
{
	struct error *error = instance_events(&live->tep);

	if (!error)
		error = raw_decoder_new(live->tep, &live->decoder);
	return error ? error : spool_open(live->instance, &live->spool);
}

struct error *event_live_read(struct event_live *live)
{
	struct error *error = open_reader(live);

	return error ? error : start_thread(live);
}

void event_live_mark(struct event_live *live, enum event_mark_kind kind, const int32_t *workers,
		     int n_workers, const char *note)
{
	struct event_mark *mark;

	pthread_mutex_lock(&live->lock);
	mark = array_append(live->marks, live->n_marks);
	mark->time = clock_ns();
	mark->kind = kind;
	if (n_workers)
		mark->workers = memory_copy(workers, (size_t)n_workers * sizeof(*workers));
	mark->n_workers = n_workers;
	mark->note = note ? memory_string(note) : NULL;
	pthread_mutex_unlock(&live->lock);
}

/* ---- end ---- */

void event_live_stop(struct event_live *live)
{
	if (live->stopped)
		return;
	live->stopped = true;
	if (live->instance)
		instance_off(live->instance);
	live->cost.seconds = clock_seconds() - live->started;
	if (!live->running)
		return;
	pthread_mutex_lock(&live->lock);
	live->stop = true;
	pthread_cond_signal(&live->wake);
	pthread_mutex_unlock(&live->lock);
	pthread_join(live->thread, NULL);
	live->running = false;
}

/* what the kernel counted as lost beyond what was seen in the pages */
static struct error *tell_lost(struct event_live *live)
{
	struct error *error = NULL;

	for (int i = 0; !error && i < live->spool.n; i++) {
		const struct spool_cpu *cpu = &live->spool.cpus[i];
		struct event_lost lost = { .cpu = cpu->cpu,
					   .from = cpu->gap_from,
					   .to = cpu->gap_to };
		uint64_t counted = instance_lost(live->instance, cpu->cpu);

		if (counted <= cpu->lost && !cpu->gap_to)
			continue;
		lost.count = counted > cpu->lost ? counted - cpu->lost : 0;
		error = event_feed_lost(live->feed, &lost);
	}
	return error;
}

struct error *event_live_finish(struct event_live *live, struct event_live_cost *cost)
{
	struct error *error;

	event_live_stop(live);
	error = live->error;
	live->error = NULL;
	if (!error && !live->decoder)
		error = open_reader(live);
	if (!error) {
		spool_fill(&live->spool);
		error = decode(live, UINT64_MAX);
	}
	if (!error)
		error = tell_lost(live);
	spool_close(&live->spool);
	instance_remove(live->instance);
	live->instance = NULL;
	live->cost.bytes = live->spool.read;
	if (cost)
		*cost = live->cost;
	return error ? error : event_feed_end(live->feed, NULL);
}

void event_live_free(struct event_live *live)
{
	if (!live)
		return;
	event_live_stop(live);
	spool_clear(&live->spool);
	if (live->instance)
		instance_remove(live->instance);
	event_feed_free(live->feed);
	raw_decoder_free(live->decoder);
	if (live->tep)
		tep_free(live->tep);
	for (int i = 0; i < live->n_marks; i++) {
		free((void *)live->marks[i].workers);
		free((void *)live->marks[i].note);
	}
	free(live->marks);
	free(live->kernel);
	error_free(live->error);
	pthread_cond_destroy(&live->wake);
	pthread_mutex_destroy(&live->lock);
	free(live);
}
