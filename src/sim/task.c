// SPDX-License-Identifier: GPL-2.0-only
/* The task API on a simulated CPU: computing, counting, time, sleeping, scheduling parameters. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/team.h"

#define LOOK_PS	  2000	/* looking whether the trial goes on: a load and a branch */
#define COUNT_PS  1000	/* adding to a counter */
#define RECORD_PS 25000 /* five additions to shared memory, as atomic operations */
#define CLOCK_PS  25000 /* clock_gettime() through the vDSO */
/* Linux' numbers of the real-time policies */
#define POLICY_FIFO	1
#define POLICY_RR	2
#define POLICY_DEADLINE 6

#define DEBT_MAX_PS 1000000 /* small computing is simulated when it adds up to this */

void task_init(struct sim_task *task, struct sim_team *team, struct sim_worker *worker)
{
	struct sim *sim = team->sim;
	uint64_t jitter;

	task->base.ops = &sim_task_ops;
	task->sim = sim;
	task->team = team;
	task->worker = worker;
	task->counter = -1;
	task->prng = prng_split(&sim->prng);
	task->load.last_cpu = -1;
	task->load.stops = worker != NULL;
	jitter = worker ? sim->model->speed_jitter : 0;
	task->load.speed = (uint32_t)prng_around(&task->prng, 1 << 20, (unsigned)jitter);
}

void task_link(struct sim_task *task)
{
	struct sim_team *team = task->team;

	task->previous = NULL;
	task->next = team->tasks;
	if (team->tasks)
		team->tasks->previous = task;
	team->tasks = task;
}

void task_unlink(struct sim_task *task)
{
	if (task->next)
		task->next->previous = task->previous;
	if (task->previous)
		task->previous->next = task->next;
	else if (task->team->tasks == task)
		task->team->tasks = task->next;
}

static void compute_all(struct sim_task *task, enum ksched_mode mode)
{
	while (task->load.left && !task_over(task))
		task->sim->kernel->compute(mode);
}

void task_work(struct sim_task *task, uint64_t ps)
{
	task->load.left = ps;
	compute_all(task, KSCHED_USER);
	task->load.left = 0;
}

void task_work_kernel(struct sim_task *task, uint64_t ps)
{
	task->load.left = ps;
	compute_all(task, KSCHED_KERNEL);
	task->load.left = 0;
}

void task_spin(struct sim_task *task)
{
	task_work(task, WORK_MAX);
}

static void pay(struct sim_task *task, uint64_t ps)
{
	task->debt += ps;
	if (task->debt >= DEBT_MAX_PS) {
		ps = task->debt;
		task->debt = 0;
		task_work(task, ps);
	}
}

void task_settle(struct sim_task *task, uint64_t ps)
{
	ps += task->debt;
	task->debt = 0;
	if (ps)
		task_work(task, ps);
}

void task_spend(struct sim_task *task, uint64_t ps)
{
	const struct ksched_shared *shared = task->sim->shared;
	uint64_t scaled = ps * shared->cpu[shared->this_cpu].cost_scale / 1024;

	if (scaled >= 1000)
		task->sim->kernel->spend(scaled / 1000);
}

bool task_block(struct sim_task *task, uint64_t timeout)
{
	if (task_over(task))
		return false;
	task->blocked = true;
	task->sim->kernel->block(timeout);
	task->blocked = false;
	return !task_over(task);
}

/* ---- computing ---- */

static struct compute *sim_compute_new(struct task *base, enum compute_method method, size_t bytes)
{
	struct sim_task *task = sim_task(base);
	struct compute *compute = memory_zeroed(1, sizeof(*compute));

	compute->method = method;
	if (compute_has_set(method))
		compute->bytes = bytes < 4096 ? 4096 : bytes;
	compute->home = task->sim->cpus[task->sim->shared->this_cpu].node;
	/* touching the memory: each byte once at the speed of one CPU */
	task_work(task, (uint64_t)((unsigned __int128)compute->bytes * 1000000000000 /
				   task->sim->model->cpu_bandwidth));
	return compute;
}

static void sim_compute_free(struct task *task, struct compute *compute)
{
	(void)task;
	free(compute);
}

static void load_compute(struct load *load, const struct compute *compute)
{
	load->compute = compute;
	if (!compute)
		load->steady = COMPUTE_INT128;
	else
		load->steady = compute->bytes ? UNSTEADY : (signed char)compute->method;
}

void task_credit(struct sim_task *task)
{
	uint64_t units;

	if (!task->unit || task->counter < 0 || task->sim->over)
		return;
	units = (task->total - task->load.left) / task->unit;
	task->worker->counters[task->counter] += units - task->credited;
	task->credited = units;
}

static void sim_compute(struct task *base, struct compute *compute, uint64_t units, int counter)
{
	struct sim_task *task = sim_task(base);

	if (task_over(task) || !units)
		return;
	task->unit = speed_unit(task->sim, compute);
	task->total = units > WORK_MAX / task->unit ? WORK_MAX : units * task->unit;
	task->credited = 0;
	task->counter = counter;
	load_compute(&task->load, compute);
	task->load.left = task->total;
	compute_all(task, KSCHED_USER);
	task_credit(task);
	task->unit = 0;
	task->load.left = 0;
	load_compute(&task->load, NULL);
}

static void sim_select(struct compute *compute, enum compute_method method)
{
	compute->method = method;
}

/* nothing is calculated: every unit takes the same time */
static void sim_seek(struct compute *compute, uint64_t unit)
{
	(void)compute;
	(void)unit;
}

static bool sim_result(const struct compute *compute, struct compute_result *out)
{
	(void)compute;
	(void)out;
	return false;
}

/* ---- counting and time ---- */

static bool sim_running(struct task *base)
{
	struct sim_task *task = sim_task(base);

	pay(task, LOOK_PS);
	return !task_over(task);
}

static bool sim_measured(struct task *base)
{
	const struct sim_task *task = sim_task(base);

	return task->team->measuring && !task->sim->over;
}

static bool sim_elapsed(struct task *base, uint64_t *ns)
{
	struct sim_task *task = sim_task(base);
	bool measured = sim_measured(base);
	uint64_t now;

	pay(task, CLOCK_PS);
	now = engine_now(task->sim) + task->debt / 1000;
	*ns = measured && now > task->team->begin ? now - task->team->begin : 0;
	return measured;
}

static void sim_count(struct task *base, int counter, uint64_t n)
{
	struct sim_task *task = sim_task(base);

	if (!task->sim->over && task->worker)
		task->worker->counters[counter] += n;
	pay(task, COUNT_PS);
}

static void sim_record(struct task *base, int histogram, uint64_t ns)
{
	struct sim_task *task = sim_task(base);

	if (task->team->measuring && !task->sim->over && task->worker && task->worker->histograms)
		histogram_record(&task->worker->histograms[histogram], ns);
	pay(task, RECORD_PS);
}

static uint64_t sim_clock(struct task *base)
{
	struct sim_task *task = sim_task(base);

	pay(task, CLOCK_PS);
	return engine_now(task->sim) + task->debt / 1000;
}

static void sim_fail(struct task *base, const char *reason)
{
	struct sim_task *task = sim_task(base);

	for (int i = 0, number = 0; i < task->team->n_workers; i++) {
		if (task->team->workers[i] == task->worker && !task->worker->spec.helper) {
			engine_fail(task->sim, "worker %d: %s", number, reason);
			return;
		}
		number += !task->team->workers[i]->spec.helper;
	}
	engine_fail(task->sim, "%s", reason);
}

static bool sim_sleep_until(struct task *base, uint64_t time)
{
	struct sim_task *task = sim_task(base);

	task_settle(task, 0);
	while (engine_now(task->sim) < time && !task_over(task)) {
		/* a sleep with a slack of its own cannot be ended from outside: not beyond the end */
		if (task->slack && time <= task->team->end)
			task->sim->kernel->sleep_until(time, task->realtime ? 0 : task->slack);
		else if (!task_block(task, time))
			return false;
	}
	return !task_over(task);
}

/* ---- scheduling parameters ---- */

static void sim_yield(struct task *base)
{
	sim_task(base)->sim->kernel->yield();
}

static bool sim_set_affinity(struct task *base, hwloc_const_bitmap_t cpus)
{
	struct sim *sim = sim_task(base)->sim;
	uint64_t *mask = memory_zeroed((sim->n_cpus + 63) / 64, sizeof(*mask));
	int result;

	shape_mask(sim->shape, cpus, mask);
	result = sim->kernel->set_affinity(0, mask);
	free(mask);
	return result == 0;
}

static int sim_set_policy(struct task *base, const struct task_policy *policy)
{
	const struct ksched_attr attr = {
		.policy = (uint32_t)policy->policy,
		.nice = policy->nice,
		.priority = policy->priority,
		.runtime = policy->runtime,
		.deadline = policy->deadline,
		.period = policy->period,
	};

	int result = sim_task(base)->sim->kernel->set_attr(0, &attr);

	if (!result)
		sim_task(base)->realtime = policy->policy == POLICY_FIFO ||
					   policy->policy == POLICY_RR ||
					   policy->policy == POLICY_DEADLINE;
	return result;
}

static void sim_set_slack(struct task *base, uint64_t ns)
{
	sim_task(base)->slack = ns ? ns : 1;
}

/* at the clock of a single busy core, on a CPU of the capacity of @id */
static uint64_t sim_unit_time(struct team *base, enum compute_method method, int id)
{
	const struct sim *sim = sim_team(base)->sim;
	const struct compute compute = { .method = method,
					 .bytes = (uint64_t)sim->model->l2_size / 2 };
	int cpu = id >= 0 ? shape_cpu(sim->shape, id) : -1;

	if (id >= 0 && cpu < 0) {
		engine_fail(sim_team(base)->sim,
			    "computing is to be calibrated on CPU %d, which "
			    "the machine does not have",
			    id);
		return 0;
	}
	return speed_unit(sim, &compute) * 1024 / (cpu < 0 ? 1024 : sim->cpus[cpu].capacity);
}

static int sim_cpu(struct task *base)
{
	const struct sim *sim = sim_task(base)->sim;

	return sim->shape->cpu_id[sim->shared->this_cpu];
}

const struct task_ops sim_task_ops = {
	.running = sim_running,
	.measured = sim_measured,
	.elapsed = sim_elapsed,
	.count = sim_count,
	.record = sim_record,
	.clock = sim_clock,
	.fail = sim_fail,
	.compute_new = sim_compute_new,
	.compute_free = sim_compute_free,
	.compute = sim_compute,
	.compute_select = sim_select,
	.compute_seek = sim_seek,
	.compute_result = sim_result,
	.send = sim_send,
	.receive = sim_receive,
	.lock = sim_lock,
	.unlock = sim_unlock,
	.spin = sim_spin,
	.condition_wait = sim_condition_wait,
	.condition_wake = sim_condition_wake,
	.file = sim_file,
	.meet = sim_meet,
	.sleep_until = sim_sleep_until,
	.yield = sim_yield,
	.spawn = sim_spawn,
	.wait = sim_wait,
	.set_affinity = sim_set_affinity,
	.set_policy = sim_set_policy,
	.set_slack = sim_set_slack,
	.cpu = sim_cpu,
	.shared = sim_shared,
	.channel = sim_channel,
	.reply_channel = sim_reply_channel,
	.mutex = sim_mutex,
	.condition = sim_condition,
	.folder = sim_folder,
	.unit_time = sim_unit_time,
	.barrier = sim_barrier,
	.add = sim_add,
};
