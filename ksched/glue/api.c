// SPDX-License-Identifier: GPL-2.0-only
/*
 * api.c - the exported table
 */
#include "api.h"
#include "hints.h"
#include "traps.h"

#include <generated/utsrelease.h>

static struct ksched_task *current_task(void)
{
	return &ks_task_of(current)->pub;
}

#pragma push_macro("current")
#undef current
const struct ksched_api __attribute__((visibility("default"))) ksched = {
	.abi = KSCHED_ABI,
	.max_cpus = NR_CPUS,
	.max_nodes = MAX_NUMNODES,
	.hz = HZ,
	.version = UTS_RELEASE,
	.not_modelled = ks_not_modelled,
	.boot = ks_boot,
	.enter = ks_enter,
	.interrupt = ks_interrupt,
	.seed = ks_seed,
	.current = current_task,
	.compute = ks_compute,
	.spend = ks_spend,
	.clone = ks_clone,
	.exec = ks_exec,
	.exit = ks_exit,
	.wait = ks_wait,
	.sleep_until = ks_sleep_until,
	.yield = ks_yield,
	.block = ks_block,
	.wake = ks_wake,
	.waitq_new = ks_waitq_new,
	.waitq_free = ks_waitq_free,
	.waitq_wait = ks_waitq_wait,
	.waitq_wake = ks_waitq_wake,
	.set_nice = ks_set_nice,
	.set_attr = ks_set_attr,
	.set_affinity = ks_set_affinity,
	.get_affinity = ks_get_affinity,
	.setsid = ks_setsid,
	.autogroup_nice = ks_autogroup_nice,
	.group_new = ks_group_new,
	.group_free = ks_group_free,
	.group_write = ks_group_write,
	.group_read = ks_group_read,
	.group_move = ks_group_move,
	.write = ks_write,
	.read = ks_read,
	.files = ks_files,
	.domain = ks_domain,
	.domain_group = ks_domain_group,
	.domain_flags = ks_domain_flags,
	.task_stat = ks_task_stat,
	.find_task = ks_find_task,
	.nr_running = ks_nr_running,
	.each_task = ks_each_task,
};
#pragma pop_macro("current")

const struct ksched_hints __attribute__((visibility("default"))) ksched_hints = {
	.prefetch = ks_prefetch,
	.settle = ks_arena_settle,
};
