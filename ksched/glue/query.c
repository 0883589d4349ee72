// SPDX-License-Identifier: GPL-2.0-only
/*
 * query.c - what the kernel built and counted: sched domains, tasks
 */
#include "api.h"

#include <linux/sched/topology.h>

static struct sched_domain *domain_at(int cpu, int level)
{
	struct sched_domain *sd;

	if (cpu < 0 || cpu >= ks_shared.nr_cpus || level < 0)
		return NULL;
	sd = rcu_dereference_raw(cpu_rq(cpu)->sd);
	while (sd && level--)
		sd = sd->parent;
	return sd;
}

static int count_groups(struct sched_domain *sd)
{
	struct sched_group *sg = sd->groups;
	int n = 0;

	do {
		n++;
		sg = sg->next;
	} while (sg != sd->groups);
	return n;
}

int ks_domain(int cpu, int level, struct ksched_domain *out)
{
	struct sched_domain *sd = domain_at(cpu, level);

	if (!sd)
		return -ENOENT;
	memset(out, 0, sizeof(*out));
	strscpy(out->name, KS_SD_NAME(sd), sizeof(out->name));
	out->level = level;
	out->flags = sd->flags;
	out->weight = sd->span_weight;
	out->nr_groups = count_groups(sd);
	out->imb_numa_nr = KS_SD_IMB_NUMA_NR(sd);
	out->imbalance_pct = sd->imbalance_pct;
	out->busy_factor = sd->busy_factor;
	out->min_interval_ms = sd->min_interval;
	out->max_interval_ms = sd->max_interval;
	out->span = (const void *)cpumask_bits(sched_domain_span(sd));
	return 0;
}

int ks_domain_group(int cpu, int level, int i, uint64_t *mask, unsigned long *capacity)
{
	struct sched_domain *sd = domain_at(cpu, level);
	struct sched_group *sg;

	if (!sd || i < 0 || i >= count_groups(sd))
		return -ENOENT;
	for (sg = sd->groups; i; i--)
		sg = sg->next;
	memcpy(mask, cpumask_bits(sched_group_span(sg)), (nr_cpu_ids + 63) / 64 * sizeof(*mask));
	if (capacity)
		*capacity = sg->sgc->capacity;
	return 0;
}

#define SD_FLAG(name, mflags) [ilog2(name)] = #name,
static const char *const flag_names[32] = {
#include <linux/sched/sd_flags.h>
};
#undef SD_FLAG

int ks_domain_flags(unsigned int flags, char *buf, size_t size)
{
	int i, n = 0;

	if (size)
		buf[0] = '\0';
	for (i = 0; i < 32; i++)
		if (flags & 1U << i)
			n += scnprintf(buf + n, size - n, "%s%s", n ? " " : "",
				       flag_names[i] ?: "?");
	return n;
}

int ks_task_stat(struct ksched_task *task, struct ksched_task_stat *out)
{
	struct task_struct *p = ((struct ks_task *)task)->tsk;

	memset(out, 0, sizeof(*out));
	/* A CPU that runs it has a clock of its own, which the caller's is not. */
	out->exec_ns = p->se.sum_exec_runtime;
	if (task_cpu(p) < ks_shared.nr_cpus && cpu_rq(task_cpu(p))->curr == p &&
	    ks_cpus[task_cpu(p)].now > p->se.exec_start)
		out->exec_ns += ks_cpus[task_cpu(p)].now - p->se.exec_start;
	out->run_delay_ns = p->sched_info.run_delay;
	out->timeslices = p->sched_info.pcount;
	out->nr_migrations = p->se.nr_migrations;
	out->nr_voluntary = p->nvcsw;
	out->nr_involuntary = p->nivcsw;
	out->cpu = task_cpu(p);
	out->on_rq = p->on_rq;
	out->policy = p->policy;
	out->nice = task_nice(p);
	out->prio = p->prio;
	out->state = READ_ONCE(p->__state);
	out->slice_ns = KS_SLICE(p);
	out->vruntime = p->se.vruntime;
	out->util_avg = p->se.avg.util_avg;
	out->load_avg = p->se.avg.load_avg;
	return 0;
}

struct ksched_task *ks_find_task(int pid)
{
	struct ks_task *t = ks_find_pid(pid);

	return t ? &t->pub : NULL;
}

int ks_nr_running(int cpu)
{
	return cpu_rq(cpu)->nr_running;
}

void ks_each_task(void (*fn)(void *arg, struct ksched_task *task), void *arg)
{
	struct ks_task *t;

	list_for_each_entry(t, &ks_all_tasks, all) fn(arg, &t->pub);
}
