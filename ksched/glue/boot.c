// SPDX-License-Identifier: GPL-2.0-only
/*
 * boot.c - bring the machine up, in the order of init/main.c and kernel/cpu.c
 *
 * The boot runs like everything later: on coroutines of simulated CPUs, which send each other
 * interrupts. Only the host's event loop is replaced by a small one, so that a host need not know
 * any of this; when it ends, all CPUs are idle but CPU 0, where the first user task waits.
 */
#include "ks.h"
#include "traps.h"

#include <linux/clocksource.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/sched/init.h>
#include <linux/sched/clock.h>
#include <linux/sched/mm.h>
#include <linux/sched/smt.h>
#include <linux/timekeeping.h>
#include <linux/hrtimer.h>
#include <linux/timer.h>
#include "hints.h"
#include "smpboot.h"

struct ksched_shared ks_shared = { .this_cpu = -1, .horizon = KSCHED_NEVER };
struct ksched_cpu *ks_cpus;
struct ks_cpu *ks_priv;
struct ksched_host ks_host;
unsigned int ks_scanned;
int ks_booted;

/* What kernel/cpu.c and init/main.c define. */
enum system_states system_state = SYSTEM_BOOTING;
bool static_key_initialized = true;
bool early_boot_irqs_disabled;
bool initcall_debug;
bool cpuhp_tasks_frozen;
unsigned long init_stack[THREAD_SIZE / sizeof(unsigned long)];

static const struct ksched_clone *root_task;
static struct ks_coro *boot_coro;

void ks_charge_scan(void)
{
	struct ksched_cpu *c = &ks_cpus[ks_this_cpu];
	uint64_t ps = (uint64_t)ks_shared.cost_ps[KSCHED_COST_SCAN] * ks_scanned;

	c->count[KSCHED_COST_SCAN] += ks_scanned;
	ks_scanned = 0;
	if (ps)
		ks_pass_ps(c, &ks_priv[ks_this_cpu], ps);
}

/* ---- CPU hotplug states: callbacks that subsystems register ------------------------------------- */

#define MAX_STATES 32

static struct {
	int state;
	int (*startup)(unsigned int cpu);
} states[MAX_STATES];
static int nr_states;

int ks_cpuhp_setup(int state, const char *name, bool invoke,
		   int (*startup)(unsigned int cpu)) __asm__("__cpuhp_setup_state");

static int run_on_cpu(void *arg)
{
	int (**fn)(unsigned int) = arg;

	return (*fn)(ks_this_cpu);
}

int ks_cpuhp_setup(int state, const char *name, bool invoke, int (*startup)(unsigned int cpu))
{
	int cpu, i;

	if (!startup)
		return 0;
	if (nr_states == MAX_STATES)
		ks_trap("more than 32 CPU hotplug states");
	for (i = nr_states; i > 0 && states[i - 1].state > state; i--)
		states[i] = states[i - 1];
	states[i].state = state;
	states[i].startup = startup;
	nr_states++;
	if (!invoke)
		return 0;
	for_each_online_cpu(cpu)
	{
		if (state < CPUHP_AP_OFFLINE)
			startup(cpu);
		else
			stop_one_cpu(cpu, run_on_cpu, &startup);
	}
	return 0;
}

static void run_states(int from, int to, int cpu)
{
	int i;

	for (i = 0; i < nr_states; i++)
		if (states[i].state >= from && states[i].state < to)
			states[i].startup(cpu);
}

/* Steps of kernel/cpu.c's table of states that are in this build; which there are differs by tree. */
int hrtimers_prepare_cpu(unsigned int cpu) __attribute__((weak));
int hrtimers_cpu_starting(unsigned int cpu) __attribute__((weak));
int smpcfd_prepare_cpu(unsigned int cpu) __attribute__((weak));

static void prepare_cpu(int cpu)
{
	smpboot_create_threads(cpu);
	run_states(0, CPUHP_BRINGUP_CPU, cpu);
	if (hrtimers_prepare_cpu)
		hrtimers_prepare_cpu(cpu);
	if (smpcfd_prepare_cpu)
		smpcfd_prepare_cpu(cpu);
}

/* First code on a new CPU, on its idle task. */
void ks_idle_entry(void)
{
	int cpu = ks_this_cpu;

	local_irq_disable();
	mmgrab(&init_mm);
	current->active_mm = &init_mm;
	sched_cpu_starting(cpu);
	if (hrtimers_cpu_starting)
		hrtimers_cpu_starting(cpu);
	run_states(CPUHP_AP_OFFLINE, CPUHP_AP_ONLINE, cpu);
	set_cpu_online(cpu, true);
	ks_init_clockevent();
	local_irq_enable();
	cpu_startup_entry(CPUHP_AP_ONLINE_IDLE);
	BUG();
}

/* Called by the idle task of a new CPU, once it is ready for more. */
void cpuhp_online_idle(enum cpuhp_state state)
{
	stop_machine_unpark(ks_this_cpu);
}

void cpuhp_threads_init(void)
{
}

static int run_online_states(void *arg)
{
	run_states(CPUHP_AP_ONLINE, INT_MAX, ks_this_cpu);
	return 0;
}

static void online_cpu(int cpu)
{
	smpboot_unpark_threads(cpu);
	/* On every CPU, also CPU 0: this sets rq->idle_stamp, and a CPU that was never idle is never
	 * chosen for a fork. */
	stop_one_cpu(cpu, run_online_states, NULL);
	sched_cpu_activate(cpu);
}

/* Called by smp_init(), on CPU 0. The CPU is entered by the boot's event loop. */
void bringup_nonboot_cpus(unsigned int max)
{
	struct task_struct *idle;
	int cpu;

	for_each_present_cpu(cpu)
	{
		if (cpu_online(cpu))
			continue;
		prepare_cpu(cpu);
		idle = idle_thread_get(cpu);
		ks_priv[cpu].curr = idle;
		ks_priv[cpu].coro = idle->thread.coroutine;
		ks_priv[cpu].sp = ks_priv[cpu].coro->sp;
		ks_cpus[cpu].now = ks_now();
		ks_cpus[cpu].task = &ks_task_of(idle)->pub;
		ks_cpus[cpu].mode = KSCHED_READY;
		while (!cpu_online(cpu))
			cpu_relax();
		online_cpu(cpu);
	}
}

/* ---- the boot CPU ---------------------------------------------------------------------------------- */

extern initcall_t __initcall_early_start[], __initcall0_start[], __initcall_end[];

static void do_initcalls(initcall_t *from, initcall_t *to)
{
	for (; from < to; from++)
		(*from)();
}

extern const struct obs_kernel_param __setup_start[], __setup_end[];

/* One word of the command line, "name" or "name=value", as the __setup() tables want it. */
static void do_parameter(char *word, int early)
{
	const struct obs_kernel_param *p;
	char *value = strchr(word, '=');
	size_t len;

	for (p = __setup_start; p < __setup_end; p++) {
		len = strlen(p->str);
		if (p->early) {
			if (early && len == (value ? value - word : strlen(word)) &&
			    !strncmp(p->str, word, len))
				p->setup_func(value ? value + 1 : NULL);
		} else if (!early && !strncmp(p->str, word, len)) {
			if (p->setup_func(word + len))
				return;
		}
	}
}

static int parameter_known(const char *word)
{
	size_t name = strcspn(word, "=");
	const struct obs_kernel_param *p;

	for (p = __setup_start; p < __setup_end; p++)
		if (p->early ? strlen(p->str) == name && !strncmp(p->str, word, name)
			     : !strncmp(p->str, word, strlen(p->str)))
			return 1;
	return 0;
}

/*
 * Linux hands parameters that it does not know to init. Here they would have no effect: NULL, or what is
 * wrong with the first of them.
 */
static const char *check_cmdline(const char *text)
{
	static char why[160];
	char *copy, *word, *rest;

	copy = rest = text ? kstrdup(text, GFP_KERNEL) : NULL;
	why[0] = '\0';
	while (!why[0] && (word = strsep(&rest, " "))) {
		if (!*word || parameter_known(word))
			continue;
		if (!strncmp(word, "numa_balancing", 14))
			scnprintf(why, sizeof(why), "NUMA balancing is not modelled (cmdline: %s)",
				  word);
		else
			scnprintf(why, sizeof(why),
				  "cmdline: the simulated kernel has no parameter '%s'", word);
	}
	kfree(copy);
	return why[0] ? why : NULL;
}

static void parse_cmdline(const char *cmdline, int early)
{
	char *copy, *word, *rest;

	if (!cmdline)
		return;
	copy = rest = kstrdup(cmdline, GFP_KERNEL);
	while ((word = strsep(&rest, " ")))
		if (*word)
			do_parameter(word, early);
	/* The kernel's parameters may point into it. */
}

static const char *cmdline;
static DECLARE_COMPLETION(kthreadd_done);

/* Ticks of a CPU are periodic at first; the first few of them turn on high resolution and stop it. */
#define SETTLE_NS (50 * NSEC_PER_MSEC)

static void settle(void)
{
	ktime_t delay = SETTLE_NS;

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&delay, HRTIMER_MODE_REL);
}

static int init_thread(void *unused)
{
	wait_for_completion(&kthreadd_done);
	do_initcalls(__initcall_early_start, __initcall0_start);
	smp_init();
	sched_init_smp();
	ks_workqueue_init();
	do_initcalls(__initcall0_start, __initcall_end);
	system_state = SYSTEM_RUNNING;
	settle();
	ks_become_root(root_task);
	/* The boot's event loop sees this and ends. */
	ks_booted = 1;
	ks_pause_until_resumed(KSCHED_READY);
	ks_run_user(ks_task_of(current));
}

static void start_kernel(void *arg)
{
	int pid;

	parse_cmdline(cmdline, 1);
	parse_cmdline(cmdline, 0);
	sched_init();
	tick_init();
	ks_init_timers();
	hrtimers_init();
	softirq_init();
	timekeeping_init();
	ks_register_clock();
	ks_init_clockevent();
	sched_clock_init();
	local_irq_enable();
	ks_kernel_thread(init_thread, NULL);
	pid = ks_kernel_thread(kthreadd, NULL);
	kthreadd_task = find_task_by_vpid(pid);
	system_state = SYSTEM_SCHEDULING;
	complete(&kthreadd_done);
	schedule_preempt_disabled();
	cpu_startup_entry(CPUHP_ONLINE);
	BUG();
}

void ks_seed(uint64_t seed)
{
	ks_random_seed(seed);
	ks_seed_sched();
}

/* ---- the event loop of the boot -------------------------------------------------------------------- */

struct boot_ipi {
	int to;
	enum ksched_enter kind;
};

static struct boot_ipi *ipis;
static unsigned int ipi_head, ipi_tail, ipi_size; /* a ring; size is a power of two */
static uint64_t boot_time;

static void boot_ipi(void *self, int from, int to, enum ksched_enter kind)
{
	struct boot_ipi *bigger;
	unsigned int i;

	if (ipi_tail - ipi_head == ipi_size) {
		bigger = kzalloc(2 * ipi_size * sizeof(*bigger), GFP_KERNEL);
		for (i = 0; i < ipi_size; i++)
			bigger[i] = ipis[(ipi_head + i) & (ipi_size - 1)];
		kfree(ipis);
		ipis = bigger;
		ipi_head = 0;
		ipi_tail = ipi_size;
		ipi_size *= 2;
	}
	ipis[ipi_tail & (ipi_size - 1)].to = to;
	ipis[ipi_tail++ & (ipi_size - 1)].kind = kind;
}

/* One thing that is due: an interrupt, else a CPU that can go on, else the next timer. 0: booted. */
static int boot_step(void)
{
	static int last;
	int cpu, i, next = -1;

	boot_time += 1000;
	if (ipi_head != ipi_tail) {
		struct boot_ipi *ipi = &ipis[ipi_head++ & (ipi_size - 1)];

		ks_enter(ipi->to, ipi->kind, boot_time);
		return 1;
	}
	for (i = 1; i <= ks_shared.nr_cpus; i++) {
		cpu = (last + i) % ks_shared.nr_cpus;
		/* The first user task, which may be on any CPU, waits for the host. */
		if (ks_booted && ks_cpus[cpu].task == &ks_init_handle->pub)
			continue;
		if (ks_cpus[cpu].mode != KSCHED_IDLE) {
			last = cpu;
			ks_enter(cpu, KSCHED_RESUME, boot_time);
			return 1;
		}
		if (ks_cpus[cpu].timer != KSCHED_NEVER &&
		    (next < 0 || ks_cpus[cpu].timer < ks_cpus[next].timer))
			next = cpu;
	}
	if (ks_booted)
		return 0;
	if (next < 0)
		ks_trap("boot: all CPUs sleep for ever");
	boot_time = max(boot_time, ks_cpus[next].timer);
	ks_enter(next, KSCHED_IRQ_TIMER, boot_time);
	return 1;
}

static const char *allocate(const struct ksched_machine *m)
{
	int cpu;

	ks_cpus = kzalloc(m->nr_cpus * sizeof(*ks_cpus), GFP_KERNEL);
	ks_priv = kzalloc(m->nr_cpus * sizeof(*ks_priv), GFP_KERNEL);
	ipi_size = 1024;
	ipis = kzalloc(ipi_size * sizeof(*ipis), GFP_KERNEL);
	if (!ks_cpus || !ks_priv || !ipis || ks_percpu_init(m->nr_cpus))
		return "out of memory";
	ks_shared.cpu = ks_cpus;
	ks_shared.nr_cpus = m->nr_cpus;
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		ks_cpus[cpu].now = boot_time;
		ks_cpus[cpu].timer = KSCHED_NEVER;
		ks_cpus[cpu].mode = KSCHED_IDLE;
		ks_cpus[cpu].cost_scale = 1024;
		ks_cpus[cpu].freq_scale = 1024;
	}
	return NULL;
}

int ks_boot(const struct ksched_machine *m, const struct ksched_host *host,
	    const struct ksched_clone *root, struct ksched_shared **shared, const char **why)
{
	static struct ksched_clone root_copy;
	const char *bad;
	int cpu;

	if (ks_cpus)
		bad = "this process has a machine already";
	else
		bad = ks_topology_check(m)
			      ?: allocate(m) ?: ks_topology_init(m) ?: check_cmdline(m->cmdline);
	if (bad) {
		*why = bad;
		return -EINVAL;
	}
	ks_arm_traps();
	ks_random_seed(m->seed);
	root_copy = *root;
	root_task = &root_copy;
	cmdline = m->cmdline;
	if (host)
		ks_host = *host;
	ks_host.ipi = boot_ipi;
	ks_adopt_init_task();
	ks_groups_init();
	ks_boot_cpu_masks(m);
	ks_hints_init();
	ks_topology_levels();
	boot_coro = ks_coro_new(KS_STACK_SIZE, start_kernel, NULL);
	if (!boot_coro) {
		*why = "out of memory";
		return -ENOMEM;
	}
	init_task.thread.coroutine = boot_coro;
	ks_priv[0].curr = &init_task;
	ks_priv[0].coro = boot_coro;
	ks_priv[0].sp = boot_coro->sp;
	ks_cpus[0].mode = KSCHED_READY;
	ks_cpus[0].task = &ks_task_of(&init_task)->pub;
	while (boot_step())
		;
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		ks_cpus[cpu].now = boot_time;
		ks_cpus[cpu].kernel_ns = 0;
		memset(ks_cpus[cpu].count, 0, sizeof(ks_cpus[cpu].count));
	}
	ks_host.ipi = host->ipi;
	*shared = &ks_shared;
	return 0;
}
