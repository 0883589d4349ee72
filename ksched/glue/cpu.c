// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpu.c - the simulated CPU: entering and leaving it, interrupts, idle, context switch, clock
 *
 * A CPU that waits (in user mode, idle, or for another CPU) is a coroutine that paused. Entering it means
 * to swap to that coroutine, which then does what came: an interrupt on top of its own stack, or its
 * next piece of work.
 */
#include "ks.h"

#include <linux/clockchips.h>
#include <linux/clocksource.h>
#include <linux/irq_work.h>
#include <linux/resume_user_mode.h>
#include <linux/task_work.h>
#include <asm/irq_regs.h>
#include "hints.h"

int ks_this_cpu;
unsigned long ks_my_cpu_offset;
unsigned long ks_irqs_off = ARCH_IRQ_DISABLED;
struct task_struct *ks_current = &init_task;

static struct task_struct *last_task; /* argument of a context switch over the swap */
static DEFINE_PER_CPU(struct clock_event_device, ks_clockevent);

/* ---- clock -------------------------------------------------------------------------------- */

/* On a real machine all CPUs read one counter. Here each reads its own local clock: they differ by what
 * the kernel costs, never by more than the longest path. */
unsigned long long notrace sched_clock(void)
{
	ks_fetch_more();
	return ks_now();
}

static u64 read_clock(struct clocksource *cs)
{
	ks_fetch_more();
	return ks_now();
}

static struct clocksource clock = {
	.name = "ksched",
	.rating = 400,
	.read = read_clock,
	.mask = CLOCKSOURCE_MASK(64),
	.flags = CLOCK_SOURCE_IS_CONTINUOUS | CLOCK_SOURCE_VALID_FOR_HRES,
	/* 1 GHz. The shift leaves room for corrections of far below 1 ppm, where HZ does not divide
	 * a second. */
	.mult = 1 << 22,
	.shift = 22,
	.max_idle_ns = 1ULL << 40,
	.max_cycles = 1ULL << 40,
};

struct clocksource *clocksource_default_clock(void)
{
	return &clock;
}

/* Registered, or the kernel would take jiffies once it is up: the best clock that it knows. */
void ks_register_clock(void)
{
	WARN_ON(__clocksource_register(&clock));
}

static int set_next_event(unsigned long delta, struct clock_event_device *dev)
{
	ks_cpus[ks_this_cpu].timer = ks_now() + delta;
	ks_charge(KSCHED_COST_TIMER);
	return 0;
}

static int set_stopped(struct clock_event_device *dev)
{
	ks_cpus[ks_this_cpu].timer = KSCHED_NEVER;
	return 0;
}

static int set_oneshot(struct clock_event_device *dev)
{
	return 0;
}

void ks_init_clockevent(void)
{
	struct clock_event_device *dev = this_cpu_ptr(&ks_clockevent);

	dev->name = "ksched";
	dev->features = CLOCK_EVT_FEAT_ONESHOT;
	dev->rating = 400;
	dev->cpumask = cpumask_of(ks_this_cpu);
	dev->set_next_event = set_next_event;
	dev->set_state_shutdown = set_stopped;
	dev->set_state_oneshot = set_oneshot;
	dev->set_state_oneshot_stopped = set_stopped;
	clockevents_config_and_register(dev, NSEC_PER_SEC, 1, LONG_MAX);
}

/* ---- entering and leaving -------------------------------------------------------------------- */

void ks_set_current_cpu(int cpu)
{
	ks_this_cpu = cpu;
	ks_shared.this_cpu = cpu;
	ks_my_cpu_offset = __per_cpu_offset[cpu];
	ks_current = ks_priv[cpu].curr;
}

/* Only when another task runs than at the last pause: it takes four cache lines. */
static void note_current(struct ksched_cpu *c, struct ks_cpu *p)
{
	p->curr = current;
	p->coro = current->thread.coroutine;
	c->task = &ks_task_of(current)->pub;
	ks_hints_note(p, current);
}

enum ksched_enter ks_pause(enum ksched_mode mode)
{
	struct ksched_cpu *c = &ks_cpus[ks_this_cpu];
	struct ks_cpu *p = &ks_priv[ks_this_cpu];
	unsigned long irqs_off = ks_irqs_off;

	if (ks_scanned)
		ks_charge_scan();
	c->mode = mode;
	if (!p->curr)
		note_current(c, p);
	p->irqs_off = irqs_off;
	ks_coro_leave(p->coro, &p->sp);
	ks_irqs_off = irqs_off;
	return p->why;
}

static void enter(int cpu, enum ksched_enter why, uint64_t now)
{
	struct ksched_cpu *c = &ks_cpus[cpu];
	struct ks_cpu *p = &ks_priv[cpu];

	if (c->now < now)
		c->now = now;
	/* Waits with interrupts disabled: they wait too. */
	if (c->mode == KSCHED_SPIN && p->irqs_off && why != KSCHED_RESUME) {
		p->pending |= 1U << why;
		if (why == KSCHED_IRQ_TIMER)
			c->timer = KSCHED_NEVER;
		return;
	}
	p->why = why;
	ks_set_current_cpu(cpu);
	ks_coro_enter(p->coro, &p->sp);
	ks_run_rcu();
	ks_shared.this_cpu = -1;
}

void ks_enter(int cpu, enum ksched_enter why, uint64_t now)
{
	enter(cpu, why, now);
}

void ks_interrupt(int cpu, uint64_t now, void (*fn)(void *arg), void *arg)
{
	ks_priv[cpu].irq_fn = fn;
	ks_priv[cpu].irq_arg = arg;
	enter(cpu, KSCHED_IRQ_HOST, now);
}

/* ---- interrupts ------------------------------------------------------------------------------- */

static void call_host_irq(struct ks_cpu *p)
{
	void (*fn)(void *arg) = p->irq_fn;

	p->irq_fn = NULL;
	if (fn)
		fn(p->irq_arg);
}

static void run_irq(unsigned long why, unsigned long user)
{
	struct clock_event_device *dev;
	struct pt_regs regs = { .user = user };
	struct pt_regs *old;

	local_irq_disable();
	old = set_irq_regs(&regs);
	ks_charge(KSCHED_COST_IRQ);
	ks_event_irq(why);
	irq_enter();
	switch (why) {
	case KSCHED_IRQ_TIMER:
		ks_charge(KSCHED_COST_TICK);
		dev = this_cpu_ptr(&ks_clockevent);
		ks_cpus[ks_this_cpu].timer = KSCHED_NEVER;
		dev->event_handler(dev);
		break;
	case KSCHED_IPI_RESCHEDULE:
		scheduler_ipi();
		break;
	case KSCHED_IPI_CALL:
		generic_smp_call_function_interrupt();
		break;
	case KSCHED_IPI_WORK:
		irq_work_run();
		break;
	case KSCHED_IRQ_HOST:
		call_host_irq(&ks_priv[ks_this_cpu]);
		break;
	case KSCHED_RESUME:
	case KSCHED_POLL_WAKE:
		break;
	}
	irq_exit();
	set_irq_regs(old);
	local_irq_enable();
}

static void handle_irq(enum ksched_enter why, int user)
{
	ks_coro_call(run_irq, why, user);
}

static void handle_pending(int user)
{
	struct ks_cpu *p = &ks_priv[ks_this_cpu];
	unsigned int why;

	while (p->pending) {
		why = __ffs(p->pending);
		p->pending &= ~(1U << why);
		handle_irq(why, user);
	}
}

/* What an entry with an interrupt does; nothing for RESUME. */
static void handle_entry(enum ksched_enter why, int user)
{
	if (ks_priv[ks_this_cpu].pending)
		handle_pending(user);
	if (why != KSCHED_RESUME && why != KSCHED_POLL_WAKE)
		handle_irq(why, user);
}

void ks_exit_to_user(void)
{
	for (;;) {
		unsigned long flags = READ_ONCE(current_thread_info()->flags);

		if (flags & KS_TIF_RESCHED) {
			schedule();
		} else if (flags & _TIF_NOTIFY_RESUME) {
			clear_thread_flag(TIF_NOTIFY_RESUME);
			task_work_run();
		} else {
			break;
		}
	}
}

void ks_pause_until_resumed(enum ksched_mode mode)
{
	int user = mode != KSCHED_KERNEL;
	enum ksched_enter why;

	do {
		why = ks_pause(mode);
		handle_entry(why, user);
		if (user)
			ks_exit_to_user();
	} while (why != KSCHED_RESUME);
}

void ks_catch_up(void)
{
	while (ks_now() > ks_shared.horizon)
		ks_pause_until_resumed(KSCHED_KERNEL);
}

void ks_syscall_enter(void)
{
	if (unlikely(ks_coro_is_low(current->thread.coroutine)))
		ks_trap("more stack than a task has");
	ks_charge(KSCHED_COST_SYSCALL);
}

void ks_syscall_exit(void)
{
	if (ks_priv[ks_this_cpu].pending)
		handle_pending(0);
	ks_exit_to_user();
	if (ks_now() > min(ks_shared.horizon, ks_cpus[ks_this_cpu].timer))
		ks_pause_until_resumed(KSCHED_READY);
}

/* ---- what the kernel asks of its architecture ---------------------------------------------------- */

void ks_cpu_relax(void)
{
	enum ksched_enter why;

	ks_spinning++;
	why = ks_pause(KSCHED_SPIN);
	ks_spinning--;
	if (!irqs_disabled())
		handle_entry(why, 0);
}

void arch_cpu_idle(void)
{
	enum ksched_enter why;
	int polling = ks_machine_polls(ks_this_cpu);

	/* A CPU that monitors its flag word (mwait) says so, and is woken without an interrupt. */
	if (polling && current_set_polling_and_test()) {
		__current_clr_polling();
		return;
	}
	why = ks_pause(KSCHED_IDLE);
	if (polling)
		__current_clr_polling();
	handle_entry(why, 0);
	raw_local_irq_disable();
}

struct task_struct *ks_switch_to(struct task_struct *prev, struct task_struct *next)
{
	ks_charge(KSCHED_COST_SWITCH);
	last_task = prev;
	ks_current = next;
	ks_priv[ks_this_cpu].curr = NULL;
	ks_coro_swap(prev->thread.coroutine, next->thread.coroutine);
	return last_task;
}

struct task_struct *ks_switched_from(void)
{
	return last_task;
}

static void send_ipi(int to, enum ksched_enter kind)
{
	ks_charge(KSCHED_COST_IPI_SEND);
	if (ks_scanned)
		ks_charge_scan();
	ks_host.ipi(ks_host.self, ks_this_cpu, to, kind);
}

void arch_smp_send_reschedule(int cpu)
{
	send_ipi(cpu, KSCHED_IPI_RESCHEDULE);
}

/* The name before 6.4, which then made this one an inline function around a tracepoint. */
#ifndef smp_send_reschedule
void smp_send_reschedule(int cpu)
{
	send_ipi(cpu, KSCHED_IPI_RESCHEDULE);
}
#endif

void arch_send_call_function_single_ipi(int cpu)
{
	send_ipi(cpu, KSCHED_IPI_CALL);
}

void arch_send_call_function_ipi_mask(const struct cpumask *mask)
{
	int cpu;

	for_each_cpu(cpu, mask) send_ipi(cpu, KSCHED_IPI_CALL);
}

void arch_irq_work_raise(void)
{
	send_ipi(ks_this_cpu, KSCHED_IPI_WORK);
}

/* The tracepoint is the only sign that a polling CPU was woken by its flag word alone. */
void ks_tp_sched_wake_idle_without_ipi(int cpu)
{
	ks_host.ipi(ks_host.self, ks_this_cpu, cpu, KSCHED_POLL_WAKE);
}
