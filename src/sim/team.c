// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trial from its first task to its report
 *
 * The first task (root) makes the variant's settings, starts the noise, forks the workers, holds
 * them at the gate as the live backend does, opens it, and at the end wakes whoever sleeps and
 * waits for all. What the result counts is read by the host at the exact beginning and end of the
 * measured time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "sim/escape.h"
#include "sim/team.h"

#define SETTLE_NS 100000000 /* noise runs alone before the workers are made */

/* ---- the team ---- */

struct team *sim_team_new(struct sim *sim, const struct sim_options *options)
{
	struct sim_team *team = memory_zeroed(1, sizeof(*team));

	team->base.ops = &sim_task_ops;
	team->options = *options;
	team->cpus = hwloc_bitmap_dup(options->cpus ? options->cpus : sim->machine->online);
	team->options.cpus = team->cpus;
	team->base.cpus = team->cpus;
	team->base.machine = sim->machine;
	team->sim = sim;
	team->usage = memory_zeroed((size_t)sim->n_cpus * 2, sizeof(*team->usage));
	sim->team = team;
	engine_seed(sim, options->seed);
	return &team->base;
}

void *sim_shared(struct team *base, size_t size)
{
	struct sim_team *team = sim_team(base);
	size_t rounded = (size + 63) / 64 * 64;
	void *block = aligned_alloc(64, rounded ? rounded : 64);

	if (!block)
		abort();
	memset(block, 0, rounded ? rounded : 64);
	*array_append(team->shared, team->n_shared) = block;
	return block;
}

void sim_add(struct team *base, const struct worker_spec *spec)
{
	struct sim_team *team = sim_team(base);
	struct sim_worker *worker = memory_zeroed(1, sizeof(*worker));

	*array_append(team->workers, team->n_workers) = worker;
	worker->spec = *spec;
	worker->cpus = spec->cpus ? hwloc_bitmap_dup(spec->cpus) : NULL;
}

void sim_team_free(struct team *base)
{
	struct sim_team *team = sim_team(base);

	if (!team)
		return;
	channel_free(team);
	file_free(team);
	barrier_free(team);
	for (int i = 0; i < team->n_workers; i++) {
		hwloc_bitmap_free(team->workers[i]->cpus);
		free(team->workers[i]->histograms);
		free(team->workers[i]);
	}
	for (int i = 0; i < team->n_shared; i++)
		free(team->shared[i]);
	free(team->workers);
	free(team->shared);
	free(team->usage);
	hwloc_bitmap_free(team->cpus);
	error_free(team->error);
	free(team);
}

/* ---- workers, on their own stacks ---- */

static void at_gate(struct sim_worker *worker)
{
	struct sim_task *task = &worker->task;
	struct sim_team *team = task->team;
	struct ksched_task *root = team->root.kernel;

	if (++team->arrived == team->n_workers)
		task->sim->kernel->wake(&root, 1);
	if (worker->spec.spins && !team->open)
		task_spin(task);
	while (!team->open) {
		task->blocked = true;
		task->sim->kernel->block(KSCHED_NEVER);
		task->blocked = false;
	}
	worker->started = engine_now(task->sim);
}

/* as on the live backend: when all bodies have returned, there is nothing left to measure */
static void returned(struct sim_team *team)
{
	struct ksched_task *root = team->root.kernel;
	uint64_t now = engine_now(team->sim);
	int n = 0;

	for (int i = 0; i < team->n_workers; i++)
		n += !team->workers[i]->spec.helper;
	if (++team->returned < n || team->sim->over)
		return;
	team->end = now > team->begin ? now : team->begin + 1;
	if (team->measuring)
		engine_source(team->sim, SOURCE_PHASE, team->end);
	team->sim->kernel->wake(&root, 1);
}

static void worker_run(struct sim_worker *worker)
{
	struct sim_task *task = &worker->task;

	if (worker->cpus && !sim_task_ops.set_affinity(&task->base, worker->cpus))
		engine_fail(task->sim, "a worker could not be bound to its CPUs");
	if (worker->spec.prepare)
		worker->spec.prepare(&task->base, worker->spec.data);
	at_gate(worker);
	worker->spec.body(&task->base, worker->spec.data);
	child_join_all(task);
	if (!task->sim->over && !task->sim->kernel->task_stat(task->kernel, &worker->after))
		worker->ended = true;
	if (!worker->spec.helper)
		returned(task->team);
}

static void thread_worker(void *argument)
{
	struct sim_worker *worker = argument, *leader = worker;
	struct sim_team *team = worker->task.team;
	struct ksched_task *parent;

	worker->task.kernel = team->sim->kernel->current();
	worker_run(worker);
	for (int i = 0; i < team->n_workers && leader == worker; i++)
		if (team->workers[i]->spec.process == worker->spec.process)
			leader = team->workers[i];
	worker->task.released = true;
	parent = leader->task.kernel;
	team->sim->kernel->wake(&parent, 1);
}

static void clone_worker(struct sim_worker *worker, void (*entry)(void *), unsigned flags)
{
	struct sim_task *task = &worker->task;
	struct ksched_clone clone = {
		.entry = entry,
		.arg = worker,
		.flags = flags,
		.data = &task->load,
		.stack_size = SIM_WORKER_STACK,
	};
	int result;

	/* before: the child may run before clone() returns, and looks for its threads */
	worker->forked = true;
	worker->thread = flags & KSCHED_THREAD;
	result = task->sim->kernel->clone(&clone, &task->kernel);
	if (result)
		engine_fail(task->sim, "a worker could not be made: error %d", -result);
	else
		worker->pid = task->kernel->pid;
}

/* the other workers of this process are its threads */
static void start_threads(struct sim_worker *leader)
{
	struct sim_team *team = leader->task.team;

	for (int i = 0; i < team->n_workers; i++) {
		struct sim_worker *worker = team->workers[i];

		if (worker->forked || worker->spec.process != leader->spec.process)
			continue;
		task_spend(&leader->task, team->sim->model->thread);
		clone_worker(worker, thread_worker, KSCHED_THREAD | KSCHED_AUTOREAP);
	}
}

static void join_threads(struct sim_worker *leader)
{
	struct sim_team *team = leader->task.team;

	for (int i = 0; i < team->n_workers; i++) {
		struct sim_worker *worker = team->workers[i];

		if (worker == leader || worker->spec.process != leader->spec.process)
			continue;
		while (!worker->task.released) {
			leader->task.blocked = true;
			team->sim->kernel->block(KSCHED_NEVER);
			leader->task.blocked = false;
		}
	}
}

static void process_worker(void *argument)
{
	struct sim_worker *worker = argument;
	struct sim_task *task = &worker->task;

	task->kernel = task->sim->kernel->current();
	task_spend(task, task->sim->model->page_faults);
	if (worker->spec.session)
		task->sim->kernel->setsid();
	if (worker->spec.process >= 0)
		start_threads(worker);
	worker_run(worker);
	if (worker->spec.process >= 0)
		join_threads(worker);
	task_spend(task, task->sim->model->reap);
}

/* ---- the first task ---- */

static void fork_workers(struct sim_team *team)
{
	struct sim_task *root = &team->root;

	for (int i = 0; i < team->n_workers; i++) {
		task_init(&team->workers[i]->task, team, team->workers[i]);
		task_link(&team->workers[i]->task);
	}
	for (int i = 0; i < team->n_workers; i++) {
		struct sim_worker *worker = team->workers[i];
		int process = worker->spec.process;
		bool leader = true;

		for (int j = 0; j < i && process >= 0; j++)
			leader &= team->workers[j]->spec.process != process;
		if (!leader)
			continue;
		task_spend(root, team->sim->model->copy_mm);
		clone_worker(worker, process_worker, 0);
	}
}

static void open_gate(struct sim_team *team)
{
	struct ksched_task **tasks = memory_zeroed(team->n_workers, sizeof(struct ksched_task *));
	struct sim *sim = team->sim;

	for (int i = 0; i < team->n_workers; i++)
		tasks[i] = team->workers[i]->task.kernel;
	team->gate = engine_now(sim);
	team->begin = team->gate + team->options.warmup_ns;
	team->end = team->begin + team->options.runtime_ns;
	engine_source(sim, SOURCE_PHASE, team->begin);
	team->open = true;
	for (int i = 0; i < team->n_workers; i++)
		if (team->workers[i]->spec.spins)
			engine_finish_computing(sim, &team->workers[i]->task.load);
	sim->kernel->wake(tasks, team->n_workers);
	free(tasks);
}

/* wakes everyone who sleeps, after the end of the measured time */
static void release_workers(struct sim_team *team)
{
	struct ksched_task *kernel;

	channel_release(team);
	file_release(team);
	for (struct sim_task *task = team->tasks; task; task = task->next)
		if (task->blocked) {
			kernel = task->kernel;
			team->sim->kernel->wake(&kernel, 1);
		}
}

static void wait_for_workers(struct sim_team *team)
{
	for (int i = 0; i < team->n_workers; i++) {
		int code = 0, pid = team->workers[i]->pid;

		if (!team->workers[i]->thread && team->sim->kernel->wait(pid, 0, &code) != pid)
			engine_fail(team->sim, "worker %d vanished", i);
	}
}

static bool prepare(struct sim_team *team)
{
	struct sim *sim = team->sim;
	uint64_t *mask;
	int result;

	if (team->options.set_system)
		team->error = team->options.set_system(team->options.set_data, sim);
	if (team->error)
		return false;
	disk_start(team); /* a kernel thread is in no session */
	sim->kernel->setsid();
	noise_start(sim);
	if (team->options.set_workers)
		team->error = team->options.set_workers(team->options.set_data, sim);
	if (team->error)
		return false;
	mask = memory_zeroed((sim->n_cpus + 63) / 64, sizeof(*mask));
	shape_mask(sim->shape, team->cpus, mask);
	result = sim->kernel->set_affinity(0, mask);
	free(mask);
	if (result)
		engine_fail(sim, "the CPUs of the case cannot be had: error %d", -result);
	return !sim->failure;
}

void team_root(void *self)
{
	struct sim *sim = self;
	struct sim_team *team = sim->team;

	team->root.kernel = sim->kernel->current();
	if (prepare(team) && team->n_workers) {
		sim->kernel->sleep_until(engine_now(sim) + SETTLE_NS, 0);
		fork_workers(team);
		while (team->arrived < team->n_workers)
			sim->kernel->block(KSCHED_NEVER);
		open_gate(team);
		while (!sim->over)
			sim->kernel->block(team->end);
		release_workers(team);
		wait_for_workers(team);
	}
	sim->done = true;
	for (;;)
		sim->kernel->block(KSCHED_NEVER);
}

/* ---- the measured time, seen by the host ---- */

static void read_usage(struct sim_team *team)
{
	struct sim *sim = team->sim;

	for (int i = 0; i < sim->n_cpus; i++) {
		team->usage[2 * i] = sim->cpus[i].user_ns - team->usage[2 * i];
		team->usage[2 * i + 1] = sim->shared->cpu[i].kernel_ns + sim->cpus[i].work_ns -
					 team->usage[2 * i + 1];
		if (hwloc_bitmap_isset(team->cpus, sim->shape->cpu_id[i]))
			team->case_switches += sim->shared->cpu[i].count[KSCHED_COST_SWITCH] *
					       (sim->over ? 1 : -1ull);
		for (int j = 0; j < KSCHED_NR_COSTS; j++)
			if (sim->over)
				team->count[j] += sim->shared->cpu[i].count[j];
			else
				team->count[j] -= sim->shared->cpu[i].count[j];
	}
}

static void credit_all(struct sim_team *team)
{
	for (struct sim_task *task = team->tasks; task; task = task->next)
		task_credit(task);
}

static void mark(struct sim_team *team, bool start, uint64_t time)
{
	autofree int *pids = memory_zeroed(team->n_workers, sizeof(*pids));
	int n = 0;

	if (!team->options.mark)
		return;
	for (int i = 0; i < team->n_workers; i++)
		if (!team->workers[i]->spec.helper)
			pids[n++] = team->workers[i]->pid;
	team->options.mark(team->options.event_data, start, time, pids, n);
}

static void observe(struct sim_team *team, bool end)
{
	if (team->options.observe)
		team->options.observe(team->options.observe_data, team->sim, end);
}

/* the kernel's view of a worker at a time: a task that computes is up to date at its CPU's last event alone */
static void read_stat(const struct sim_team *team, const struct sim_worker *worker, uint64_t time,
		      struct ksched_task_stat *out)
{
	const struct sim *sim = team->sim;
	const struct ksched_cpu *cpu;

	if (sim->kernel->task_stat(worker->task.kernel, out))
		return;
	if (out->cpu < 0 || out->cpu >= sim->n_cpus)
		return;
	cpu = &sim->shared->cpu[out->cpu];
	if (cpu->task == worker->task.kernel && time > cpu->now &&
	    (cpu->mode == KSCHED_USER || cpu->mode == KSCHED_KERNEL))
		out->exec_ns += time - cpu->now;
}

static void begin(struct sim_team *team)
{
	mark(team, true, team->begin);
	for (int i = 0; i < team->n_workers; i++) {
		struct sim_worker *worker = team->workers[i];

		memcpy(worker->counters_before, worker->counters, sizeof(worker->counters));
		worker->child_ns_before = worker->child_ns;
		if (worker->ended)
			worker->before = worker->after;
		else
			read_stat(team, worker, team->begin, &worker->before);
	}
	team->measuring = true;
	read_usage(team);
	observe(team, false);
	engine_source(team->sim, SOURCE_PHASE, team->end);
}

static void end(struct sim_team *team)
{
	struct sim *sim = team->sim;

	mark(team, false, team->end);
	for (int i = 0; i < team->n_workers; i++)
		if (!team->workers[i]->ended)
			read_stat(team, team->workers[i], team->end, &team->workers[i]->after);
	sim->over = true;
	read_usage(team);
	observe(team, true);
	engine_source(sim, SOURCE_LIMIT, team->end + team->options.stop_limit_ns);
	engine_stop_computing(sim, team->end);
}

void team_phase(struct sim *sim, uint64_t time)
{
	engine_settle(sim, time);
	credit_all(sim->team);
	if (time < sim->team->end)
		begin(sim->team);
	else
		end(sim->team);
}

/* the limit for stopping has come: says who is still there, and what it does */
void team_overdue(struct sim *sim)
{
	struct sim_team *team = sim->team;
	struct ksched_task_stat stat;

	for (int i = 0; i < team->n_workers; i++) {
		const struct ksched_task *kernel = team->workers[i]->task.kernel;

		if (!kernel || sim->kernel->task_stat(team->workers[i]->task.kernel, &stat))
			continue;
		engine_fail(
			sim,
			"worker task %d (pid %d) did not stop in time after the end: state 0x%x, "
			"on_rq %d, CPU %d",
			i, kernel->pid, stat.state, stat.on_rq, sim_machine_cpu(sim, stat.cpu));
	}
	engine_fail(sim, "the trial did not end in time");
}

void team_progress(struct sim *sim, uint64_t time)
{
	const struct sim_team *team = sim->team;
	uint64_t all = SETTLE_NS + team->options.warmup_ns + team->options.runtime_ns;
	uint64_t done = (time - sim->started) * 1000 / all;

	if (team->options.interrupted && *team->options.interrupted)
		engine_fail(sim, "interrupted");
	if (team->options.progress)
		*team->options.progress = (uint32_t)(done < 1000 ? done : 1000);
}

/* ---- the report ---- */

static void report_worker(const struct sim_team *team, const struct sim_worker *worker,
			  struct worker_report *out)
{
	const struct ksched_task_stat *a = &worker->before, *b = &worker->after;
	uint64_t children = worker->child_ns - worker->child_ns_before;

	for (int i = 0; i < TEAM_MAX_COUNTERS; i++)
		out->counters[i] = worker->counters[i] - worker->counters_before[i];
	out->seconds = (double)(team->end - team->begin) / 1e9;
	out->cpu_seconds = (double)(b->exec_ns - a->exec_ns + children) / 1e9;
	out->wait_seconds = (double)(b->run_delay_ns - a->run_delay_ns) / 1e9;
	out->migrations = (double)(b->nr_migrations - a->nr_migrations);
	out->involuntary = (double)(b->nr_involuntary - a->nr_involuntary);
	out->switches = (double)(b->nr_voluntary - a->nr_voluntary) + out->involuntary;
	out->start_skew_ns = (double)(worker->started - team->gate);
	out->histograms = worker->histograms;
	out->start_ns = worker->started;
	out->end_ns = team->end;
}

static void report_fill(const struct sim_team *team, struct team_report *report)
{
	memset(report, 0, sizeof(*report));
	report->workers = memory_zeroed(team->n_workers, sizeof(*report->workers));
	report->seconds = (double)(team->end - team->begin) / 1e9;
	report->n_histograms = team->base.n_histograms;
	report->wait_source = memory_string("schedstat");
	report->migrations_source = memory_string("sched file");
	report->failure = team->sim->failure ? memory_string(team->sim->failure) : NULL;
	for (int i = 0; i < team->n_workers; i++)
		if (!team->workers[i]->spec.helper)
			report_worker(team, team->workers[i],
				      &report->workers[report->n_workers++]);
}

/* pages that hold no value are never touched */
static void histograms_new(struct sim_team *team)
{
	for (int i = 0; i < team->n_workers; i++)
		if (team->base.n_histograms && !team->workers[i]->spec.helper)
			team->workers[i]->histograms =
				memory_zeroed(team->base.n_histograms, sizeof(struct histogram));
}

struct error *sim_team_run(struct team *base, struct team_report *report)
{
	struct sim_team *team = sim_team(base);
	struct sim *sim = team->sim;
	struct error *error;

	if (getpid() != sim->booted_by)
		sim->hints->settle();
	histograms_new(team);
	task_init(&team->root, team, NULL);
	engine_start(sim);
	sim->shared->events = team->options.event ? team->options.event_kinds : 0;
	if (setjmp(sim->escape))
		escape_arrived();
	else if (!sim->failure)
		engine_run(sim);
	error = team->error;
	team->error = NULL;
	if (!error && team->options.interrupted && *team->options.interrupted)
		error = error_new(ERR_INTERRUPTED, "interrupted");
	if (!error)
		report_fill(team, report);
	return error;
}

void sim_team_usage(const struct team *base, struct sim_usage *out)
{
	const struct sim_team *team = (const struct sim_team *)base;
	const struct sim *sim = team->sim;
	double user = 0, kernel = 0, all = 0;

	for (int i = 0; i < sim->n_cpus; i++) {
		if (!hwloc_bitmap_isset(team->cpus, sim->shape->cpu_id[i]))
			continue;
		user += (double)team->usage[2 * i];
		kernel += (double)team->usage[2 * i + 1];
		all += (double)(team->end - team->begin);
	}
	out->user = 100 * user / all;
	out->system = 100 * kernel / all;
	out->idle = fmax(0, 100 - out->user - out->system); /* rounding */
	out->seconds = (double)team->end / 1e9;
	out->events = sim->events;
	out->case_switches = team->case_switches;
	memcpy(out->count, team->count, sizeof(out->count));
}
