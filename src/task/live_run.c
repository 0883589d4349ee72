// SPDX-License-Identifier: GPL-2.0-only
/* live_run.c - the trial's process: starts the workers, opens the gate, measures, stops them */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "task/live_measure.h"
#include "task/live_private.h"
#include "task/live_prompt.h"
#include "task/live_reap.h"

/* how long workers may take to reach the gate, prepare() included */
#define START_LIMIT_NS 20000000000ull

/* A signal handler may have run between a look at a flag and the sleep: look again this often. */
#define LOOK_NS 250000000ull

/* between two rounds of wake signals while workers stop */
#define WAKE_FIRST_NS 200000ull
#define WAKE_MOST_NS  20000000ull

struct live_run {
	struct live_team *team;
	struct live_measure measure;
	struct live_reaper reaper;
	sigset_t caller_mask;
	struct sigaction caller_sigchld;
	bool interrupted;
};

/* ---- worker processes ---- */

static struct error *fork_error(const struct live_team *team, int process)
{
	struct rlimit limit;
	int saved = errno;

	getrlimit(RLIMIT_NPROC, &limit);
	errno = saved;
	if (saved != EAGAIN)
		return error_errno("cannot start process %d of %d", process + 1, team->n_processes);
	if (limit.rlim_cur == RLIM_INFINITY)
		return error_errno("cannot start process %d of %d (pids.max of the cgroup or "
				   "kernel.pid_max is reached)",
				   process + 1, team->n_processes);
	return error_errno("cannot start process %d of %d (ulimit -u is %llu; or pids.max of the "
			   "cgroup is reached)",
			   process + 1, team->n_processes, (unsigned long long)limit.rlim_cur);
}

static struct error *start_processes(struct live_team *team)
{
	for (int i = 0; i < team->n_processes; i++) {
		pid_t pid = fork();

		if (!pid)
			live_worker_process(team, i);
		if (pid < 0)
			return fork_error(team, i);
		team->processes[i].pid = pid;
	}
	return NULL;
}

static const struct live_worker *first_lost(const struct live_team *team, int process, int *number)
{
	for (int i = 0; i < team->n_workers; i++)
		if (team->workers[i].process == process &&
		    __atomic_load_n(&team->slots[i].state, __ATOMIC_ACQUIRE) != SLOT_RETURNED) {
			*number = i;
			return &team->workers[i];
		}
	*number = -1;
	return NULL;
}

static void process_ended(struct live_run *run, int index)
{
	struct live_team *team = run->team;
	struct live_process *process = &team->processes[index];
	int status = process->status, number;
	const char *who;
	autofree char *reason = NULL;

	process->ended = true;
	if (!first_lost(team, index, &number) && WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	who = number < 0 ? "the process of a worker" : "";
	if (WIFSIGNALED(status))
		reason = memory_format("%s was killed by signal %d (%s)", who, WTERMSIG(status),
				       strsignal(WTERMSIG(status)));
	else
		reason = memory_format("%s exited with status %d before the end", who,
				       WEXITSTATUS(status));
	live_fail(team, number, reason);
}

static void collect_ended(struct live_run *run)
{
	struct live_team *team = run->team;
	siginfo_t info = { 0 };

	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return;
	for (int i = 0; i < team->n_processes; i++) {
		struct live_process *process = &team->processes[i];

		if (!process->ended && process->pid &&
		    waitpid(process->pid, &process->status, WNOHANG) == process->pid)
			process_ended(run, i);
	}
}

static bool all_ended(const struct live_team *team)
{
	for (int i = 0; i < team->n_processes; i++)
		if (team->processes[i].pid && !team->processes[i].ended)
			return false;
	return true;
}

/* ---- waiting ---- */

static bool over(struct live_run *run)
{
	struct live_team *team = run->team;

	run->interrupted |= team->options.interrupted && *team->options.interrupted;
	return run->interrupted || __atomic_load_n(&team->control->failed, __ATOMIC_ACQUIRE);
}

/* sleeps until SIGCHLD (of children, or of notify() in live_worker.c), a handler that ran, or the time */
static void nap(uint64_t until)
{
	uint64_t now = clock_ns(), left = until > now ? until - now : 0;
	struct timespec time;
	sigset_t set;

	if (left > LOOK_NS)
		left = LOOK_NS;
	time = (struct timespec){ left / 1000000000, left % 1000000000 };
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &time);
}

/*
 * wait_until - to the time, or until *@counter is @target (NULL: no counter)
 * Returns false when the trial is over before: failed, interrupted.
 */
static bool wait_until(struct live_run *run, uint64_t until, const uint32_t *counter,
		       uint32_t target)
{
	for (;;) {
		collect_ended(run);
		if (over(run))
			return false;
		if (counter && __atomic_load_n(counter, __ATOMIC_ACQUIRE) == target)
			return true;
		if (clock_ns() >= until)
			return true;
		nap(until);
	}
}

/* ---- the phases of a trial ---- */

static void name_laggard(struct live_run *run, enum slot_state state, const char *what,
			 uint64_t limit_ns)
{
	struct live_team *team = run->team;

	for (int i = 0; i < team->n_workers; i++) {
		autofree char *reason = NULL;

		if (__atomic_load_n(&team->slots[i].state, __ATOMIC_ACQUIRE) >= (int)state)
			continue;
		reason = memory_format(" %s within %g s", what, limit_ns / 1e9);
		live_fail(team, i, reason);
		return;
	}
}

static bool gather(struct live_run *run)
{
	struct live_control *control = run->team->control;

	if (!wait_until(run, clock_ns() + START_LIMIT_NS, &control->arrived, run->team->n_workers))
		return false;
	name_laggard(run, SLOT_AT_GATE, "did not get ready", START_LIMIT_NS);
	return !over(run);
}

static uint64_t open_gate(struct live_team *team)
{
	uint64_t now = clock_ns();

	__atomic_store_n(&team->control->gate, 1, __ATOMIC_RELEASE);
	live_futex_wake(&team->control->gate, INT_MAX);
	return now;
}

static void set_measuring(struct live_team *team, bool measuring)
{
	if (measuring)
		team->control->begin_ns = clock_ns();
	__atomic_store_n(&team->control->measuring, measuring, __ATOMIC_RELEASE);
}

/* a program begins when it is started and ends by itself: it has no warm-up, and a limit of its own */
static uint64_t runtime_of(const struct live_team *team)
{
	return team->base.program ? team->base.program->limit_ns : team->options.runtime_ns;
}

static bool measure(struct live_run *run)
{
	struct live_team *team = run->team;
	struct live_measure *m = &run->measure;

	if (team->options.warmup_ns && !team->base.program) {
		m->gate_ns = open_gate(team);
		if (!wait_until(run, m->gate_ns + team->options.warmup_ns, NULL, 0))
			return false;
		live_measure_mark(m, true);
		live_measure_begin(m);
		m->begin_ns = clock_ns();
		set_measuring(team, true);
		live_measure_counters(m, true);
	} else {
		live_measure_mark(m, true);
		live_measure_begin(m);
		set_measuring(team, true);
		m->begin_ns = m->gate_ns = open_gate(team);
	}
	wait_until(run, m->begin_ns + runtime_of(team), &team->control->returned,
		   team->n_reported ? (uint32_t)team->n_reported : UINT32_MAX);
	m->end_ns = clock_ns();
	set_measuring(team, false);
	live_measure_counters(m, false);
	live_measure_end(m);
	live_measure_mark(m, false);
	return !over(run);
}

static void wake_workers(struct live_team *team)
{
	for (int i = 0; i < team->n_workers; i++) {
		struct live_slot *slot = &team->slots[i];

		if (!team->processes[team->workers[i].process].ended && slot->tid &&
		    __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != SLOT_RETURNED)
			syscall(SYS_tgkill, slot->pid, slot->tid, LIVE_WAKE_SIGNAL);
	}
}

/* signals are repeated: one may come between a worker's look at the flag and its system call */
static void stop_workers(struct live_run *run)
{
	struct live_team *team = run->team;
	uint64_t begin = clock_ns(), end = begin + team->options.stop_limit_ns;
	uint64_t pause = WAKE_FIRST_NS;

	__atomic_store_n(&team->control->stop, 1, __ATOMIC_SEQ_CST);
	open_gate(team);
	live_futex_wake(&team->control->stop, INT_MAX);
	for (;;) {
		uint64_t now;

		collect_ended(run);
		if (all_ended(team))
			return;
		now = clock_ns();
		if (now >= end)
			break;
		wake_workers(team);
		nap(now + pause < end ? now + pause : end);
		if (pause < WAKE_MOST_NS)
			pause *= 2;
	}
	name_laggard(run, SLOT_RETURNED, "did not stop", team->options.stop_limit_ns);
}

static void kill_workers(struct live_run *run)
{
	struct live_team *team = run->team;

	for (int i = 0; i < team->n_processes; i++) {
		struct live_process *process = &team->processes[i];

		if (!process->pid)
			continue;
		kill(-process->pid, SIGKILL); /* its group: children too */
		if (process->ended)
			continue;
		kill(process->pid, SIGKILL);
		while (waitpid(process->pid, &process->status, 0) < 0 && errno == EINTR)
			;
		process->ended = true;
	}
}

/* ---- the whole ---- */

static void enter(struct live_run *run)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &blocked, &run->caller_mask);
	sigaction(SIGCHLD, &standard, &run->caller_sigchld);
	run->team->worker_mask = run->caller_mask;
	run->team->parent_pid = getpid();
	run->team->parent_tid = gettid();
	live_reaper_begin(&run->reaper);
}

static void leave(struct live_run *run)
{
	struct timespec none = { 0 };
	sigset_t set;

	kill_workers(run);
	live_reaper_end(&run->reaper);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	while (sigtimedwait(&set, NULL, &none) > 0 || errno == EINTR)
		;
	sigaction(SIGCHLD, &run->caller_sigchld, NULL);
	pthread_sigmask(SIG_SETMASK, &run->caller_mask, NULL);
}

static struct error *tell_ready(const struct live_options *options)
{
	return options->ready ? options->ready(options->data) : NULL;
}

static struct error *run_trial(struct live_run *run)
{
	struct error *error = NULL;
	struct live_prompt prompt;
	bool gathered = gather(run);

	if (gathered)
		error = tell_ready(&run->team->options);
	if (gathered && !error) {
		live_measure_prepare(&run->measure);
		live_prompt_begin(&prompt);
		run->measure.complete = measure(run);
		stop_workers(run);
		live_prompt_end(&prompt);
	} else {
		stop_workers(run);
	}
	return error;
}

struct error *live_team_run(struct team *base, struct team_report *report)
{
	struct live_team *team = live_team(base);
	struct live_run run = { .team = team };
	struct error *error = team->error;

	*report = (struct team_report){ 0 };
	team->error = NULL;
	if (!error && !team->n_workers)
		error = error_new(ERR_DOMAIN, "the workload has no workers");
	if (error)
		return error;
	team->slots = live_shared(base, team->n_workers * sizeof(*team->slots));
	if (base->n_histograms)
		team->histograms = live_shared(base, (size_t)team->n_reported * base->n_histograms *
							     sizeof(*team->histograms));
	if (team->error) {
		error = team->error;
		team->error = NULL;
		return error;
	}
	live_measure_new(&run.measure, team);
	enter(&run);
	error = start_processes(team);
	if (!error)
		error = run_trial(&run);
	leave(&run);
	if (!error) {
		live_measure_report(&run.measure, report);
		if (run.interrupted && !report->failure)
			error = error_new(ERR_INTERRUPTED, "interrupted");
	}
	live_measure_free(&run.measure);
	return error;
}
