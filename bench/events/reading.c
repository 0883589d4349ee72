// SPDX-License-Identifier: GPL-2.0-only
/*
 * reading.c - how fast are recordings read and analysed, and does memory stay flat?
 *
 * Usage: bench-reading [MOST]. Streams of 1 M events, 10 M ... up to MOST (default 10 M; the goal is
 * stated for 100 M, whose file takes 1 GB below TMPDIR) are made up: 8 CPUs, 400 tasks that
 * wake each other, one in 1000 of which ends and is forked anew. Each is written, read into a sink
 * that does nothing, and read into the analysis, in processes of their own, whose memory is the peak of
 * what each held.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/random.h"
#include "events/analysis.h"
#include "events/file.h"

#define N_CPUS	8
#define N_TASKS 400

struct maker {
	struct event_sink *sink;
	struct random random;
	uint64_t time, made;
	int32_t running[N_CPUS], pids[N_TASKS], last_pid;
	int cpu_of[N_TASKS];
	struct error *error;
};

static void emit(struct maker *maker, const struct event *event)
{
	if (!maker->error)
		maker->error = event_sink_event(maker->sink, event);
	maker->made++;
	maker->time += 100 + random_below(&maker->random, 900);
}

static struct event blank(const struct maker *maker, enum event_kind kind, int cpu)
{
	struct event event = event_blank(kind, maker->time, cpu);

	event.current = maker->running[cpu];
	event.prio = 120;
	return event;
}

static void tell(struct maker *maker, int task, enum event_task_reason reason)
{
	struct event_task told = { .time = maker->time,
				   .pid = maker->pids[task],
				   .tgid = maker->pids[task],
				   .parent = 1,
				   .reason = reason,
				   .name = "worker" };

	if (!maker->error)
		maker->error = event_sink_task(maker->sink, &told);
}

static void switch_to(struct maker *maker, int cpu, int32_t pid, unsigned int state)
{
	struct event event = blank(maker, EVENT_SWITCH, cpu);

	event.pid = maker->running[cpu];
	event.other = pid;
	event.state = (uint16_t)state;
	event.other_prio = 120;
	emit(maker, &event);
	maker->running[cpu] = pid;
}

/* a task wakes on a CPU, runs, sleeps; now and then it ends and another one takes its place */
static void step(struct maker *maker)
{
	int task = (int)random_below(&maker->random, N_TASKS);
	int cpu = (int)random_below(&maker->random, N_CPUS);
	struct event event = blank(maker, EVENT_WAKING, cpu);

	event.pid = maker->pids[task];
	event.target = maker->cpu_of[task];
	emit(maker, &event);
	event = blank(maker, EVENT_WAKEUP, cpu);
	event.pid = maker->pids[task];
	event.target = maker->cpu_of[task] = (int)random_below(&maker->random, N_CPUS);
	emit(maker, &event);
	switch_to(maker, event.target, maker->pids[task], 0);
	if (random_below(&maker->random, 1000)) {
		switch_to(maker, event.target, 0, EVENT_STATE_SLEEPS);
		return;
	}
	event = blank(maker, EVENT_EXIT, maker->cpu_of[task]);
	event.pid = maker->pids[task];
	emit(maker, &event);
	switch_to(maker, maker->cpu_of[task], 0, EVENT_STATE_DEAD);
	maker->pids[task] = ++maker->last_pid;
	tell(maker, task, EVENT_TASK_FORKED);
}

static struct error *make(struct event_sink *sink, uint64_t n)
{
	struct event_info info = { .source = "made up", .clock = "none", .nr_cpus = N_CPUS };
	struct maker maker = {
		.sink = sink, .random = random_seeded(1), .time = 1000000000, .last_pid = 100
	};
	struct event_totals totals = { 0 };

	maker.error = event_sink_begin(sink, &info);
	for (int i = 0; i < N_TASKS; i++) {
		maker.pids[i] = ++maker.last_pid;
		tell(&maker, i, EVENT_TASK_FOUND);
	}
	while (!maker.error && maker.made < n)
		step(&maker);
	totals.events = maker.made;
	return maker.error ? maker.error : event_sink_end(sink, &totals);
}

enum job {
	JOB_WRITE,
	JOB_READ,
	JOB_ANALYSE
};

static const char *const job_names[] = { "write", "read", "read and analyse" };

static struct error *run_job(enum job job, const char *path, uint64_t n)
{
	struct analysis_options options = { .starts_idle = true };
	struct event_sink nothing = { 0 }, *writer;
	struct analysis *analysis;
	struct error *error;
	struct output *output;

	switch (job) {
	case JOB_WRITE:
		error = output_open(path, true, 0600, &output);
		if (error)
			return error;
		writer = event_writer_new(output_fd(output), path);
		error = make(writer, n);
		event_sink_free(writer);
		return output_close(output, error);
	case JOB_READ:
		return event_file_read_path(path, NULL, &nothing);
	case JOB_ANALYSE:
		analysis = analysis_new(&options);
		error = event_file_read_path(path, NULL, analysis_sink(analysis));
		analysis_free(analysis);
		return error;
	}
	return NULL;
}

/* in a process of its own; prints a row */
static bool measure(enum job job, const char *path, uint64_t n)
{
	double before = clock_seconds(), seconds;
	struct rusage usage;
	struct stat file;
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct error *error = run_job(job, path, n);

		if (error)
			error_report(stderr, error);
		_exit(error ? 1 : 0);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return false;
	seconds = clock_seconds() - before;
	stat(path, &file);
	printf("%12" PRIu64 " %-18s %9.2f %14.2f %14.2f %9.1f %8.1f\n", n, job_names[job], seconds,
	       (double)n / seconds / 1e6,
	       (double)n /
		       (usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 +
			usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6) /
		       1e6,
	       usage.ru_maxrss / 1024.0, (double)file.st_size / (double)n);
	fflush(stdout);
	return true;
}

int main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp";
	uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	autofree char *path = memory_format("%s/bench-events-%d.fttrace", folder, getpid());
	bool well = true;

	printf("%12s %-18s %9s %14s %14s %9s %8s\n", "EVENTS", "", "SECONDS", "M EVENTS/s",
	       "M EVENTS/CPU s", "PEAK MiB", "BYTES");
	for (uint64_t n = 1000000; well && n <= most; n *= 10)
		for (enum job job = JOB_WRITE; well && job <= JOB_ANALYSE; job++)
			well = measure(job, path, n);
	unlink(path);
	return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
