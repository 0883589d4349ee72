/* SPDX-License-Identifier: GPL-2.0-only */
/* session_private.h - between the files of a session */
#ifndef FT_BACKEND_SESSION_PRIVATE_H
#define FT_BACKEND_SESSION_PRIVATE_H

#include "backend/session.h"

/* session_label - of the results: --label, else the plan's, else the plan's name; borrowed */
const char *session_label(const struct session *session);

/* starting and stopping workers, reading monitors: measured at about 0.1 s a trial */
#define TRIAL_OVERHEAD_SECONDS 0.1

/* session_is_elsewhere - a dry run shows what a plan would be on a machine that is not here: nothing can
 * be checked there */
bool session_is_elsewhere(const struct session *session, int index, const struct machine *machine);

/* session_probe_monitors - asks the backends which of the plan's monitors they have here; says the others */
void session_probe_monitors(struct session *session);

/*
 * session_say_monitors - says on stderr which of the plan's monitors gave @trial nothing, each once
 * @before: called with @data before the first line; may be NULL
 */
void session_say_monitors(struct session *session, const struct trial *trial,
			  void (*before)(void *), void *data);

/*
 * session_check_programs - are the programs of cases that run programs of others there? Their versions
 * are kept with the cases; a case is left out where that is asked for. Errors: as session_new()
 */
struct error *session_check_programs(struct session *session);

/* session_check_memory - is there as much as a case takes? Errors: ERR_INPUT with its line */
struct error *session_check_memory(const struct session *session, int index);

/*
 * session_check_limits - can this machine have so many tasks, open files and connections at once as the
 * case takes? Cases that only a simulated machine runs have no such limits. Errors: ERR_INPUT with its line
 */
struct error *session_check_limits(const struct session *session, int index);

/* session_check_affinity - has a case any CPU of each variant's `affinity`? Errors: ERR_INPUT with its line */
struct error *session_check_affinity(const struct session *session, int index);

/* task_limits_read - the same limits; @root is put before the paths that are read */
struct task_limits {
	double tasks, files, connections;
};
void task_limits_read(const char *root, struct task_limits *out);

/* session_check_loads - can each load that is to be found be found? Errors: ERR_INPUT with its line */
struct error *session_check_loads(const struct session *session);

/* session_search_seconds - the time that the searches will take, an estimate */
double session_search_seconds(const struct session *session);

/* session_take_loads - those that were found when @run began; ERR_MISMATCH if they do not fit */
struct error *session_take_loads(struct session *session, const struct run *run);

#endif
