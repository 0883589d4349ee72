// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SPEED_PERIOD  1000000 /* ns: clocks and shares follow the load this late */
#define SPIN_DELAY    200     /* ns: a CPU that waits actively looks again after this */
#define FEW_CPUS      16      /* whose state stays in the caches */
#define PROGRESS_MASK 0x3fff  /* events between two reports of progress */

void engine_fail(struct sim *sim, const char *format, ...)
{
	va_list args;

	sim->done = true;
	if (sim->failure)
		return;
	va_start(args, format);
	sim->failure = memory_vformat(format, args);
	va_end(args);
}

static uint64_t next_event(const struct sim *sim, int index)
{
	const struct sim_cpu *cpu = &sim->cpus[index];
	uint64_t now = sim->shared->cpu[index].now;
	uint64_t next = cpu->resume < cpu->timer_at ? cpu->resume : cpu->timer_at;

	for (unsigned int irqs = cpu->irqs; irqs; irqs &= irqs - 1) {
		int i = __builtin_ctz(irqs);

		next = cpu->irq_at[i - FIRST_IRQ] < next ? cpu->irq_at[i - FIRST_IRQ] : next;
	}
	return next < now ? now : next;
}

/* the time of a CPU's next event into the queue */
static void requeue(struct sim *sim, int index)
{
	queue_set(sim->queue, index, next_event(sim, index));
}

/* ---- computing ---- */

static uint64_t work_done(uint64_t elapsed, uint64_t rate)
{
	return (uint64_t)((unsigned __int128)elapsed * rate >> RATE_SHIFT);
}

/* ns until that much work is done, rounded up */
static uint64_t work_time(uint64_t work, uint64_t rate)
{
	if (work < (uint64_t)1 << (63 - RATE_SHIFT))
		return ((work << RATE_SHIFT) + rate - 1) / rate;
	return (uint64_t)((((unsigned __int128)work << RATE_SHIFT) + rate - 1) / rate);
}

static void account(struct sim_cpu *cpu, uint64_t time)
{
	struct load *load = cpu->load;
	uint64_t done;

	if (!load || time <= cpu->since)
		return;
	done = work_done(time - cpu->since, cpu->rate);
	*(cpu->in_kernel ? &cpu->work_ns : &cpu->user_ns) += time - cpu->since;
	cpu->since = time;
	if (load->penalty >= done) {
		load->penalty -= done;
		return;
	}
	done -= load->penalty;
	load->penalty = 0;
	load->left = load->left > done ? load->left - done : 0;
}

static void plan_resume(struct sim *sim, int index)
{
	struct sim_cpu *cpu = &sim->cpus[index];
	const struct load *load = cpu->load;

	speed_set(sim, index, load);
	if (load->left >= WORK_MAX / 2) /* until the end of the trial */
		cpu->resume = QUEUE_NEVER;
	else
		cpu->resume = cpu->since + work_time(load->left + load->penalty, cpu->rate);
	if (sim->over && load->stops)
		cpu->resume = cpu->since;
}

/* the speed of a CPU may have changed at a time */
static void respeed(struct sim *sim, int index, uint64_t time)
{
	struct sim_cpu *cpu = &sim->cpus[index];

	if (!cpu->load)
		return;
	account(cpu, time);
	plan_resume(sim, index);
	requeue(sim, index);
}

static void set_busy(struct sim *sim, int index, bool busy, uint64_t time)
{
	struct sim_cpu *cpu = &sim->cpus[index];

	speed_busy(sim, index, busy);
	if (!busy)
		cpu->idle_since = time;
	for (int i = cpu->sibling; i != index; i = sim->cpus[i].sibling)
		respeed(sim, i, time);
}

static void set_load(struct sim *sim, int index, struct load *load)
{
	struct sim_cpu *cpu = &sim->cpus[index];

	cpu->load = load;
	cpu->rated = UNSTEADY;
	if (!load)
		return;
	if (load->last_cpu >= 0 && load->last_cpu != index)
		load->penalty += speed_refill(sim, load->last_cpu, index);
	load->last_cpu = index;
}

/* ---- interrupts ---- */

static uint64_t idle_exit(const struct sim *sim, int index, uint64_t time)
{
	const struct sim_cpu *cpu = &sim->cpus[index];
	const struct sim_model *model = sim->model;

	if (cpu->busy || index == sim->shared->this_cpu)
		return 0;
	if (time > cpu->idle_since &&
	    time - cpu->idle_since >= (uint64_t)model->idle_deep_after / 1000)
		return model->idle_exit_deep / 1000;
	return model->idle_exit / 1000;
}

static uint64_t ipi_latency(const struct sim *sim, int from, int to)
{
	const struct ksched_cpu_desc *a = &sim->shape->cpus[from], *b = &sim->shape->cpus[to];
	const struct sim_model *model = sim->model;

	if (from == to)
		return 0;
	if (a->package != b->package)
		return model->ipi_package / 1000;
	if (a->llc != b->llc)
		return model->ipi_node / 1000;
	return (a->core != b->core ? model->ipi_llc : model->ipi_core) / 1000;
}

static void interrupt(struct sim *sim, int index, enum ksched_enter kind, uint64_t time)
{
	struct sim_cpu *cpu = &sim->cpus[index];

	if (cpu->irqs & 1u << kind && time >= cpu->irq_at[kind - FIRST_IRQ])
		return;
	cpu->irqs |= 1u << kind;
	cpu->irq_at[kind - FIRST_IRQ] = time;
	if (index != sim->shared->this_cpu) /* else it is requeued when it is left */
		requeue(sim, index);
	/* what is running now must not run ahead of it */
	if (time < sim->shared->horizon)
		sim->shared->horizon = time;
}

void engine_ipi(void *self, int from, int to, enum ksched_enter kind)
{
	struct sim *sim = self;
	uint64_t sent = sim->shared->cpu[from].now;
	uint64_t latency =
		prng_around(&sim->prng, ipi_latency(sim, from, to), sim->model->cost_jitter);

	interrupt(sim, to, kind, sent + latency + idle_exit(sim, to, sent));
}

void engine_interrupt_at(struct sim *sim, int cpu, uint64_t time)
{
	interrupt(sim, cpu, KSCHED_IRQ_HOST, time);
}

/* the kernel programmed the timer of a CPU anew; @fired: the old one has just been delivered */
static void plan_timer(struct sim *sim, int index, bool fired)
{
	struct sim_cpu *cpu = &sim->cpus[index];
	const struct ksched_cpu *state = &sim->shared->cpu[index];

	if (state->timer == cpu->timer && !fired)
		return;
	cpu->timer = state->timer;
	if (state->timer == KSCHED_NEVER) {
		cpu->timer_at = QUEUE_NEVER;
		return;
	}
	cpu->timer_at = state->timer + prng_below(&sim->prng, sim->model->timer_jitter / 1000 + 1);
	if (!cpu->busy)
		cpu->timer_at += idle_exit(sim, index, state->timer);
}

/* ---- the loop ---- */

/* ksched_task.data, which is in no cache if there are many CPUs and the last task went on */
static struct load *load_of(const struct sim *sim, struct sim_cpu *cpu,
			    const struct ksched_task *task)
{
	if (cpu->task != task || cpu->tasks_freed != sim->tasks_freed) {
		cpu->task = task;
		cpu->task_load = task->data;
		cpu->tasks_freed = sim->tasks_freed;
	}
	return cpu->task_load;
}

/* what the kernel left a CPU doing */
static void look(struct sim *sim, int index, bool timer_fired)
{
	struct sim_cpu *cpu = &sim->cpus[index];
	const struct ksched_cpu *state = &sim->shared->cpu[index];
	bool busy = state->mode != KSCHED_IDLE;
	bool computes = state->mode == KSCHED_USER || state->mode == KSCHED_KERNEL;
	struct load *load = computes ? load_of(sim, cpu, state->task) : NULL;

	if (busy != cpu->busy)
		set_busy(sim, index, busy, state->now);
	else if (!busy)
		cpu->idle_since = state->now;
	if (load != cpu->load)
		set_load(sim, index, load);
	speed_load(sim, index, load, state->now);
	cpu->in_kernel = state->mode == KSCHED_KERNEL;
	if (state->now > cpu->since)
		cpu->since = state->now;
	if (load)
		plan_resume(sim, index);
	else if (state->mode == KSCHED_READY || state->mode == KSCHED_KERNEL)
		cpu->resume = state->now;
	else if (state->mode == KSCHED_SPIN)
		cpu->resume = state->now + SPIN_DELAY;
	else
		cpu->resume = QUEUE_NEVER;
	plan_timer(sim, index, timer_fired);
	requeue(sim, index);
}

/* the event that is due: interrupts first, in the order of their numbers */
static enum ksched_enter due(struct sim_cpu *cpu, uint64_t time)
{
	for (unsigned int irqs = cpu->irqs; irqs; irqs &= irqs - 1) {
		int i = __builtin_ctz(irqs);

		if (cpu->irq_at[i - FIRST_IRQ] <= time) {
			cpu->irqs &= ~(1u << i);
			return i;
		}
	}
	if (cpu->timer_at <= time)
		return KSCHED_IRQ_TIMER;
	return KSCHED_RESUME;
}

/*
 * If there are many CPUs, the state of the next one is not in the caches any more. Its misses take
 * place together while this one executes (a trial of 640 CPUs took 1.4 times as long without).
 */
static void fetch_ahead(const struct sim *sim, int next, int third)
{
	if (third < sim->n_cpus) {
		for (int line = 0; line < 3; line++) /* what is looked at before it is entered */
			__builtin_prefetch((const char *)&sim->cpus[third] + 64 * line);
		sim->hints->prefetch(third, 2);
	}
	if (next < sim->n_cpus) {
		sim->hints->prefetch(next, 1);
		__builtin_prefetch(sim->cpus[next].load);
	}
}

static void deliver(struct sim *sim, int index, uint64_t time)
{
	struct sim_cpu *cpu = &sim->cpus[index];
	struct ksched_cpu *state = &sim->shared->cpu[index];
	enum ksched_enter kind = due(cpu, time);
	uint64_t next, others;
	int second, third;

	second = queue_second(sim->queue, &third);
	if (sim->n_cpus > FEW_CPUS)
		fetch_ahead(sim, second, third);
	account(cpu, time);
	cpu->resume = QUEUE_NEVER;
	if (kind == KSCHED_IRQ_TIMER)
		cpu->timer_at = QUEUE_NEVER;
	/*
	 * What else comes to this CPU ends the run of its task too. The queue hears of that only when
	 * the CPU is left and look() has found its next event: nobody asks for the first before.
	 */
	next = next_event(sim, index);
	others = queue_time(sim->queue, second);
	sim->shared->horizon = next < others ? next : others;
	state->cost_scale = (uint32_t)prng_around(&sim->prng, cpu->kernel_scale,
						  (unsigned)sim->model->cost_jitter);
	if (kind == KSCHED_IRQ_HOST)
		sim->kernel->interrupt(index, time, noise_interrupt, sim);
	else
		sim->kernel->enter(index, kind, time);
	if (kind == KSCHED_IRQ_HOST)
		noise_arm(sim, index, state->now);
	else if (kind == KSCHED_IRQ_TIMER && time >= cpu->bound_work_due)
		noise_tick(sim, index, state->now);
	look(sim, index, kind == KSCHED_IRQ_TIMER);
}

static void update_speeds(struct sim *sim, uint64_t time)
{
	if (speed_update(sim, time))
		for (int i = 0; i < sim->n_cpus; i++)
			respeed(sim, i, time);
}

static void host_event(struct sim *sim, int source, uint64_t time)
{
	queue_set(sim->queue, source, QUEUE_NEVER);
	switch (source - sim->n_cpus) {
	case SOURCE_PHASE:
		team_phase(sim, time);
		break;
	case SOURCE_LIMIT:
		team_overdue(sim);
		break;
	case SOURCE_SPEED:
		update_speeds(sim, time);
		break;
	}
}

void engine_source(struct sim *sim, enum sim_source source, uint64_t time)
{
	queue_set(sim->queue, sim->n_cpus + source, time);
	if (sim->shared->this_cpu >= 0 && time < sim->shared->horizon)
		sim->shared->horizon = time;
}

void engine_settle(struct sim *sim, uint64_t time)
{
	for (int i = 0; i < sim->n_cpus; i++)
		account(&sim->cpus[i], time);
}

void engine_stop_computing(struct sim *sim, uint64_t time)
{
	for (int i = 0; i < sim->n_cpus; i++)
		if (sim->cpus[i].load && sim->cpus[i].load->stops)
			respeed(sim, i, time);
}

void engine_finish_computing(struct sim *sim, struct load *load)
{
	int index = load->last_cpu;

	load->left = 0;
	load->penalty = 0;
	if (index < 0 || sim->cpus[index].load != load)
		return; /* it sees that when it runs again */
	sim->cpus[index].resume = engine_now(sim);
	requeue(sim, index);
	sim->shared->horizon = 0; /* the others go on from now */
}

static void set_costs(struct sim *sim)
{
	const struct sim_model *model = sim->model;
	const int64_t costs[KSCHED_NR_COSTS] = {
		[KSCHED_COST_SYSCALL] = model->syscall,
		[KSCHED_COST_IRQ] = model->irq,
		[KSCHED_COST_TICK] = model->tick,
		[KSCHED_COST_SOFTIRQ] = model->softirq,
		[KSCHED_COST_SWITCH] = model->context_switch,
		[KSCHED_COST_WAKEUP] = model->wakeup,
		[KSCHED_COST_FORK] = model->fork,
		[KSCHED_COST_EXIT] = model->exit,
		[KSCHED_COST_EXEC] = model->exec,
		[KSCHED_COST_MIGRATE] = model->migrate,
		[KSCHED_COST_IPI_SEND] = model->ipi_send,
		[KSCHED_COST_TIMER] = model->timer,
		[KSCHED_COST_SCAN] = model->scan,
		[KSCHED_COST_BALANCE] = model->balance,
	};

	for (int i = 0; i < KSCHED_NR_COSTS; i++)
		sim->shared->cost_ps[i] = costs[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)costs[i];
}

void engine_seed(struct sim *sim, uint64_t seed)
{
	struct prng seeds = { seed };

	sim->prng = prng_split(&seeds);
	sim->kernel->seed(prng_next(&seeds));
}

void engine_start(struct sim *sim)
{
	set_costs(sim);
	sim->started = 0;
	for (int i = 0; i < sim->n_cpus; i++)
		if (sim->shared->cpu[i].now > sim->started)
			sim->started = sim->shared->cpu[i].now;
	for (int i = 0; i < sim->n_cpus; i++) {
		sim->shared->cpu[i].freq_scale = 1024;
		look(sim, i, true);
		noise_arm(sim, i, sim->started);
	}
}

void engine_run(struct sim *sim)
{
	while (!sim->done) {
		int source = queue_first(sim->queue);
		uint64_t time = queue_time(sim->queue, source);

		if (time == QUEUE_NEVER) {
			engine_fail(sim, "the simulated machine waits for nothing: a deadlock");
			break;
		}
		sim->time = time;
		if (source < sim->n_cpus) {
			sim->events++;
			deliver(sim, source, time);
		} else {
			host_event(sim, source, time);
		}
		if (sim->speed_changed) {
			sim->speed_changed = false;
			if (queue_time(sim->queue, sim->n_cpus + SOURCE_SPEED) == QUEUE_NEVER) {
				speed_period(sim, time);
				engine_source(sim, SOURCE_SPEED, time + SPEED_PERIOD);
			}
		}
		if (!(sim->events & PROGRESS_MASK))
			team_progress(sim, time);
	}
}
