/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * monitor.h - the registry of monitors: what is read before and after a trial's measured time
 *
 * A monitor is one file with one constant description. One that is not available on this machine
 * says why, and the trial's result carries that reason with each of its metrics.
 */
#ifndef FT_MONITOR_MONITOR_H
#define FT_MONITOR_MONITOR_H

#include <hwloc.h>
#include <sys/types.h>

#include "machine/machine.h"
#include "result/result.h"

struct monitor_context {
	const char *root;	       /* prefix of /proc and /sys: "" live, a folder in tests */
	hwloc_const_bitmap_t cpus;     /* of the case */
	const struct machine *machine; /* whose levels the CPUs have; NULL: not known */
	const pid_t *pids;	       /* the workers' threads, valid in start and stop */
	int n_pids;
	bool program; /* the one worker starts an external program, whose tasks are not in pids */
	uint64_t now_ns; /* of any clock, for rates; 0: the monitors read CLOCK_MONOTONIC */
};

struct monitor {
	const char *name;
	const char *summary;
	const struct metric_desc *metrics; /* ends with name == NULL */
	/*
	 * start: reads the state at the gate into a new *state. stop: reads again, adds one metric for
	 * each of `metrics` to the trial (with a value or unavailable) and frees the state. On error
	 * of start all metrics are added as unavailable with that message.
	 */
	struct error *(*start)(const struct monitor_context *context, void **state);
	struct error *(*stop)(const struct monitor_context *context, void *state,
			      struct trial *trial);
	void (*drop)(void *state); /* frees a state without reading, after a failed trial */
	/* optional: where this belongs in a table of results: shown next to the main metric */
	bool shown;
	/*
	 * its metrics come from the stream of scheduling events, which the backend records and
	 * analyses (events/analysis.h): a set passes over it, start and stop are NULL
	 */
	bool recorded;
};

const struct monitor *monitor_find(const char *name);
const struct monitor *const *monitor_all(void); /* ends with NULL */

/*
 * monitor_check_names - are all of these monitors, each named once?
 * @file, @line: where they stand, for the message; NULL and 0 if nowhere
 *
 * Errors: ERR_INPUT with the nearest name and the list of all.
 */
struct error *monitor_check_names(char *const *names, int n, const char *file, int line);

/* monitor_now - the time of the context in nanoseconds */
uint64_t monitor_now(const struct monitor_context *context);

extern const struct monitor monitor_cpu, monitor_sched, monitor_throttle, monitor_load,
	monitor_counters, monitor_clock, monitor_power, monitor_thermal, monitor_schedstat,
	monitor_events;

/* A set of monitors of one trial; a monitor that fails never fails the trial. */
struct monitor_set;
/* monitor_set_new - names as monitor_check_names() accepts them */
struct error *monitor_set_new(char *const *names, int n, struct monitor_set **out);
void monitor_set_start(struct monitor_set *set, const struct monitor_context *context);
void monitor_set_stop(struct monitor_set *set, const struct monitor_context *context,
		      struct trial *trial);
void monitor_set_free(struct monitor_set *set);

/*
 * monitor_probe - reads these monitors over 30 ms in which this process works, and adds what they say to
 *                 @out; recorded ones are passed over
 * Errors: as monitor_set_new()
 */
struct error *monitor_probe(char *const *names, int n, const struct monitor_context *context,
			    struct trial *out);

/*
 * monitor_reason - why a monitor gave a trial nothing: the reason of its first metric; NULL if one of
 *                  them has a value, or if the trial has none of them. Borrowed from @trial.
 */
const char *monitor_reason(const struct monitor *monitor, const struct trial *trial);

#endif
