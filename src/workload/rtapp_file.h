/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp_file.h - a workload in the JSON of rt-app: what its tasks do
 *
 * The format is that of rt-app 1.0 and its tutorial; docs/workloads.md has every key. A file is checked
 * whole: a key that is not known or not supported is an error with its place and path, such as
 * "tasks/AudioTick/phases/p1/iorun". Keys that are about rt-app's own logs, and have no meaning here, are
 * accepted and listed in `without_effect`.
 */
#ifndef FT_WORKLOAD_RTAPP_FILE_H
#define FT_WORKLOAD_RTAPP_FILE_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum rtapp_event_kind {
	RTAPP_RUN,     /* work that takes `ns` at the speed of the calibration */
	RTAPP_RUNTIME, /* computes until `ns` have passed */
	RTAPP_SLEEP,
	RTAPP_TIMER, /* until `ns` after the last use of the timer */
	RTAPP_LOCK,
	RTAPP_UNLOCK,
	RTAPP_WAIT, /* on condition `object`, under `mutex` */
	RTAPP_SIGNAL,
	RTAPP_BROAD,
	RTAPP_SYNC,    /* lock `mutex`, signal, wait, unlock */
	RTAPP_SUSPEND, /* until somebody resumes `object` */
	RTAPP_RESUME,
	RTAPP_BARRIER,
	RTAPP_YIELD,
	N_RTAPP_EVENTS
};

/* What events refer to by name; conditions, suspensions, mutexes, timers and barriers are apart. */
enum rtapp_object_kind {
	RTAPP_NO_OBJECT,
	RTAPP_MUTEX,
	RTAPP_CONDITION,
	RTAPP_SUSPENSION,
	RTAPP_A_TIMER,
	RTAPP_A_BARRIER,
};

struct rtapp_object {
	enum rtapp_object_kind kind;
	char *name;
	bool unique; /* a timer: every thread has its own */
	int users;   /* a barrier: threads that meet there */
};

struct rtapp_event {
	enum rtapp_event_kind kind;
	uint64_t ns;
	int object, mutex; /* into rtapp_file.objects, -1: none */
	bool absolute;	   /* a timer: its times do not move when one was missed */
	int line;
	char *path;
};

/* Scheduling properties of a task or phase; what is not given stays as it is. */
struct rtapp_properties {
	bool given; /* one of the next ones */
	int policy; /* Linux' numbers, -1: not given */
	bool has_priority;
	int priority; /* nice of OTHER, BATCH and IDLE, else the real-time priority */
	uint64_t dl_runtime, dl_deadline, dl_period; /* ns, 0: not given */
	hwloc_bitmap_t cpus;			     /* NULL: not given */
	int line;
	char *path;
};

struct rtapp_phase {
	int64_t loop; /* -1: for ever */
	struct rtapp_properties properties;
	struct rtapp_event *events;
	int n_events;
};

struct rtapp_task {
	char *name;
	int64_t instances, loop;
	uint64_t delay_ns;
	struct rtapp_properties properties;
	struct rtapp_phase *phases;
	int n_phases;
};

struct rtapp_file {
	char *name;
	uint64_t duration_ns; /* 0: no end of its own */
	int calibration_cpu;  /* -1: any */
	int default_policy;   /* Linux' numbers */
	bool cumulative_slack;
	struct rtapp_task *tasks;
	int n_tasks;
	struct rtapp_object *objects;
	int n_objects;
	char **without_effect; /* paths */
	int n_without_effect;
};

/* threads of all tasks at most */
#define RTAPP_THREADS 10000

/*
 * rtapp_parse - @name for messages
 * Errors: ERR_INPUT with file and line; the message begins with "column N: ".
 */
struct error *rtapp_parse(const char *name, const char *text, size_t length,
			  struct rtapp_file **out);

/* rtapp_open - "periodic", which is built in, or a file; errors of file_read() too */
struct error *rtapp_open(const char *name, struct rtapp_file **out);
void rtapp_free(struct rtapp_file *file);

/* rtapp_threads - of all tasks */
int64_t rtapp_threads(const struct rtapp_file *file);

/* rtapp_check_cpus - are all CPUs that the file names among these? */
struct error *rtapp_check_cpus(const struct rtapp_file *file, hwloc_const_bitmap_t cpus);

#endif
