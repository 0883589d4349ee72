// SPDX-License-Identifier: GPL-2.0-only
/*
 * What else runs on a real system: device interrupts, kernel threads bound to CPUs, daemons, a
 * monitor that visits all cores. Amounts are figures of the machine file, phases come from the
 * seed.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "sim/team.h"

#define SPREAD 500 /* 1/1000: periods and amounts of work vary by half */

struct noise {
	struct sim_task task;
	uint64_t period, work; /* ns, ps */
};

/* ---- interrupts ---- */

void noise_arm(struct sim *sim, int cpu, uint64_t now)
{
	uint64_t rate = (uint64_t)sim->model->irq_rate; /* 1/1000 a second */

	if (rate)
		engine_interrupt_at(sim, cpu,
				    now + prng_around(&sim->prng, 1000000000000 / rate, 1000));
}

/*
 * The work of bound kernel threads, whose timers are deferrable: a tick finds one expired, an idle
 * CPU has no ticks. It is time of the interrupt here, and not a task: the kernel disregards bound
 * kernel threads when it balances, and a task that is merely pinned would count as one that cannot
 * be moved.
 */
void noise_tick(struct sim *sim, int cpu, uint64_t now)
{
	sim->cpus[cpu].bound_work = true;
	engine_interrupt_at(sim, cpu, now);
}

void noise_interrupt(void *self)
{
	struct sim *sim = self;
	const struct sim_model *model = sim->model;
	struct sim_cpu *cpu = &sim->cpus[sim->shared->this_cpu];

	if (!cpu->bound_work) {
		sim->kernel->spend(prng_around(&sim->prng, model->irq_time / 1000, SPREAD));
		return;
	}
	cpu->bound_work = false;
	cpu->bound_work_due =
		engine_now(sim) + prng_around(&sim->prng, model->kworker_period / 1000, SPREAD);
	sim->kernel->spend(prng_around(&sim->prng, model->kworker_work / 1000, SPREAD));
}

/* ---- tasks ---- */

static void bind_to(struct sim *sim, int cpu)
{
	uint64_t *mask = memory_zeroed((sim->n_cpus + 63) / 64, sizeof(*mask));

	mask[cpu / 64] = 1ull << (cpu % 64);
	sim->kernel->set_affinity(0, mask);
	free(mask);
}

static uint64_t first_wakeup(struct noise *noise)
{
	return engine_now(noise->task.sim) + prng_below(&noise->task.prng, noise->period);
}

static void sleep_then_work(struct noise *noise, uint64_t *next)
{
	struct sim_task *task = &noise->task;

	task->sim->kernel->sleep_until(*next, 50000);
	task_work(task, prng_around(&task->prng, noise->work, SPREAD));
	*next += prng_around(&task->prng, noise->period, SPREAD);
	if (*next < engine_now(task->sim))
		*next = engine_now(task->sim);
}

static void daemon_life(void *argument)
{
	struct noise *noise = argument;
	uint64_t next = first_wakeup(noise);

	noise->task.kernel = noise->task.sim->kernel->current();
	noise->task.sim->kernel->setsid();
	for (;;)
		sleep_then_work(noise, &next);
}

static bool first_of_core(const struct sim *sim, int cpu)
{
	for (int i = sim->cpus[cpu].sibling; i != cpu; i = sim->cpus[i].sibling)
		if (i < cpu)
			return false;
	return true;
}

static void monitor_life(void *argument)
{
	struct noise *noise = argument;
	struct sim *sim = noise->task.sim;
	uint64_t next = first_wakeup(noise);

	noise->task.kernel = sim->kernel->current();
	sim->kernel->setsid();
	for (;;) {
		sim->kernel->sleep_until(next, 50000);
		for (int i = 0; i < sim->n_cpus; i++) {
			if (!first_of_core(sim, i))
				continue;
			bind_to(sim, i);
			task_work(&noise->task,
				  prng_around(&noise->task.prng, noise->work, SPREAD));
		}
		next += noise->period;
	}
}

static void start(struct sim *sim, const char *name, void (*life)(void *), int64_t period,
		  int64_t work)
{
	struct noise *noise = memory_zeroed(1, sizeof(*noise));
	struct ksched_clone clone = {
		.entry = life,
		.arg = noise,
		.comm = name,
		.data = &noise->task.load,
	};
	int result;

	task_init(&noise->task, sim->team, NULL);
	noise->period = (uint64_t)period / 1000;
	noise->work = (uint64_t)work;
	result = sim->kernel->clone(&clone, &noise->task.kernel);
	if (result)
		engine_fail(sim, "a task of the background could not be made: error %d", -result);
}

void noise_start(struct sim *sim)
{
	const struct sim_model *model = sim->model;
	uint64_t now = engine_now(sim);

	for (int i = 0; i < sim->n_cpus; i++)
		sim->cpus[i].bound_work_due =
			model->kworker_period
				? now + prng_below(&sim->prng, model->kworker_period / 1000)
				: QUEUE_NEVER;
	for (int i = 0; i < model->daemons; i++) {
		autofree char *name = memory_format("daemon/%d", i);

		start(sim, name, daemon_life, model->daemon_period, model->daemon_work);
	}
	if (model->monitor_period)
		start(sim, "monitor", monitor_life, model->monitor_period, model->monitor_work);
}
