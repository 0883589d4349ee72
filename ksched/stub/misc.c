// SPDX-License-Identifier: GPL-2.0-only
/*
 * misc.c - functions of other parts of the kernel that the scheduler calls, where the simulated machine
 * has nothing to do: each with why an empty one is right
 *
 * Weak, and without prototypes of the kernel: a real definition wins, and prototypes may change. What is
 * not here or elsewhere becomes a trap.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))
#define ZERO(name)                                                                                 \
	WEAK long name(void)                                                                       \
	{                                                                                          \
		return 0;                                                                          \
	}
#define ONE(name)                                                                                  \
	WEAK long name(void)                                                                       \
	{                                                                                          \
		return 1;                                                                          \
	}

/* The user is root, and all is allowed. */
ONE(capable)
ONE(ns_capable)
ZERO(cap_task_setnice)
ZERO(cap_task_setscheduler)

/* No signals are sent. */
ZERO(calculate_sigpending)
ZERO(recalc_sigpending)
ZERO(ignore_signals)
ZERO(do_no_restart_syscall)

/* Address spaces have no page tables to switch. */
ZERO(switch_mm)
ZERO(quiet_vmstat)

/* No POSIX CPU timers, no interrupts of devices, no sysfs, no suspend, no module. */
ZERO(run_posix_cpu_timers)
ZERO(irq_can_set_affinity)
ZERO(irq_set_affinity)
ZERO(register_syscore)
ZERO(register_syscore_ops)
ZERO(subsys_system_register)
ZERO(bus_unregister)
ZERO(device_register)
ZERO(device_create_file)
ZERO(smp_cpus_done)
ZERO(tk_debug_account_sleep_time)
ZERO(rcuwait_wake_up)
ZERO(finish_rcuwait)

/* Groups count no tasks: see glue/group.c. */
ZERO(cgroup_task_dead)

/* Work queues have no workers, so no worker is running, sleeping or ticking. */
ZERO(wq_worker_running)
ZERO(wq_worker_sleeping)
ZERO(wq_worker_tick)
WEAK void *system_wq;
WEAK void *system_percpu_wq;
WEAK void *system_unbound_wq;
WEAK void *system_dfl_wq;

/* Addresses that are compared with those of code: nothing lies between them. */
WEAK char __cpuidle_text_start[1], __cpuidle_text_end[1];
WEAK char __sched_text_start[1], __sched_text_end[1];
WEAK char __lock_text_start[1], __lock_text_end[1];

/* User memory is memory. */
WEAK unsigned long _copy_from_user(void *to, const void *from, unsigned long n)
{
	memcpy(to, from, n);
	return 0;
}

WEAK unsigned long _copy_to_user(void *to, const void *from, unsigned long n)
{
	memcpy(to, from, n);
	return 0;
}

WEAK unsigned long raw_copy_from_user(void *to, const void *from, unsigned long n)
{
	return _copy_from_user(to, from, n);
}

WEAK unsigned long raw_copy_to_user(void *to, const void *from, unsigned long n)
{
	return _copy_to_user(to, from, n);
}

WEAK long copy_from_kernel_nofault(void *dst, const void *src, size_t n)
{
	memcpy(dst, src, n);
	return 0;
}

WEAK char *__get_task_comm(char *buf, size_t size, void *task)
{
	(void)task;
	if (size)
		buf[0] = '\0';
	return buf;
}

WEAK int match_string(const char *const *array, size_t n, const char *string)
{
	size_t i;

	for (i = 0; i < n && array[i]; i++)
		if (!strcmp(array[i], string))
			return i;
	return -22; /* -EINVAL */
}

WEAK long simple_strtol(const char *s, char **end, unsigned int base)
{
	return strtol(s, end, base);
}

WEAK unsigned long long simple_strtoull(const char *s, char **end, unsigned int base)
{
	return strtoull(s, end, base);
}

/* DO_ONCE(): without jump labels there is no code to patch afterwards. */
WEAK _Bool __do_once_start(_Bool *done, unsigned long *flags)
{
	(void)flags;
	return !*done;
}

WEAK void __do_once_done(_Bool *done)
{
	*done = 1;
}
