// SPDX-License-Identifier: GPL-2.0-only
/*
 * group.c - task groups: the CPU controller of the kernel without the cgroup file system
 *
 * A group is a css of the controller and the css_set that a task in it has. Its files are the controller's
 * own cftypes; their handlers find the group by of_css(), which is answered here.
 */
#include "api.h"

#include <linux/cgroup.h>
#include <linux/kernfs.h>
#include <linux/seq_file.h>

struct ksched_group {
	struct css_set cset;
	struct cgroup cgroup;
	struct cgroup_subsys_state *css;
	struct ksched_group *parent;
	int nr_children;
};

DEFINE_STATIC_KEY_TRUE(cpu_cgrp_subsys_on_dfl_key);
DEFINE_STATIC_KEY_TRUE(cpu_cgrp_subsys_enabled_key);

struct css_set ks_root_cset;
static struct cgroup root_cgroup;
static struct cgroup_subsys_state *root_css;
static struct cgroup_subsys_state *of_css_now; /* whose file is being read or written */

/* ---- what the controller asks of the cgroup core --------------------------------------------------- */

struct cgroup_subsys_state *of_css(struct kernfs_open_file *of)
{
	return of_css_now;
}

/* The tasks that move: one here. */
struct cgroup_taskset {
	struct task_struct *task;
	struct cgroup_subsys_state *css;
};

struct task_struct *cgroup_taskset_first(struct cgroup_taskset *tset,
					 struct cgroup_subsys_state **dst_css)
{
	*dst_css = tset->css;
	return tset->task;
}

struct task_struct *cgroup_taskset_next(struct cgroup_taskset *tset,
					struct cgroup_subsys_state **dst_css)
{
	return NULL;
}

/* CPU time is counted by the group's own statistics; cpu.stat of the cgroup core is not modelled. */
void __cgroup_account_cputime(struct cgroup *cgrp, u64 delta_exec)
{
}

void __cgroup_account_cputime_field(struct cgroup *cgrp, enum cpu_usage_stat index, u64 delta_exec)
{
}

/* ---- life of a group -------------------------------------------------------------------------------- */

static void init_css(struct cgroup_subsys_state *css, struct cgroup *cgrp,
		     struct cgroup_subsys_state *parent)
{
	css->cgroup = cgrp;
	css->ss = &cpu_cgrp_subsys;
	css->id = 1;
	css->flags |= CSS_NO_REF | CSS_ONLINE;
	css->parent = parent;
	INIT_LIST_HEAD(&css->sibling);
	INIT_LIST_HEAD(&css->children);
	if (parent)
		list_add_tail_rcu(&css->sibling, &parent->children);
}

/* Before sched_init(), which uses the root's css. */
void ks_groups_init(void)
{
	cpu_cgrp_subsys.id = cpu_cgrp_id;
	cpu_cgrp_subsys.name = "cpu";
	root_css = &root_task_group.css;
	init_css(root_css, &root_cgroup, NULL);
	ks_root_cset.subsys[cpu_cgrp_id] = root_css;
	ks_root_cset.dfl_cgrp = &root_cgroup;
}

struct css_set *ks_group_cset(struct ksched_group *g)
{
	return g ? &g->cset : &ks_root_cset;
}

int ks_group_new(struct ksched_group *parent, struct ksched_group **out)
{
	struct cgroup_subsys_state *parent_css = parent ? parent->css : root_css;
	struct ksched_group *g = kzalloc(sizeof(*g), GFP_KERNEL);
	struct cgroup_subsys_state *css;

	if (!g)
		return -ENOMEM;
	ks_syscall_enter();
	css = cpu_cgrp_subsys.css_alloc(parent_css);
	if (IS_ERR(css)) {
		kfree(g);
		ks_syscall_exit();
		return PTR_ERR(css);
	}
	g->css = css;
	g->parent = parent;
	if (parent)
		parent->nr_children++;
	init_css(css, &g->cgroup, parent_css);
	g->cset.subsys[cpu_cgrp_id] = css;
	g->cset.dfl_cgrp = &root_cgroup;
	if (cpu_cgrp_subsys.css_online)
		cpu_cgrp_subsys.css_online(css);
	*out = g;
	ks_syscall_exit();
	return 0;
}

static bool in_use(struct ksched_group *g)
{
	struct ks_task *t;

	if (g->nr_children)
		return true;
	list_for_each_entry(t, &ks_all_tasks, all) if (t->cset == &g->cset) return true;
	return false;
}

int ks_group_free(struct ksched_group *g)
{
	if (in_use(g))
		return -EBUSY;
	ks_syscall_enter();
	if (cpu_cgrp_subsys.css_offline)
		cpu_cgrp_subsys.css_offline(g->css);
	list_del_rcu(&g->css->sibling);
	if (cpu_cgrp_subsys.css_released)
		cpu_cgrp_subsys.css_released(g->css);
	cpu_cgrp_subsys.css_free(g->css);
	if (g->parent)
		g->parent->nr_children--;
	/* A dead task may still point to the css_set until the next grace period. */
	kfree_rcu(g, cset.rcu_head);
	ks_syscall_exit();
	return 0;
}

int ks_group_move(struct ksched_group *g, int pid)
{
	struct ks_task *t = pid ? ks_find_pid(pid) : ks_task_of(current);
	struct cgroup_taskset tset;
	struct css_set *old;
	int ret = 0;

	if (!t)
		return -ESRCH;
	tset.task = t->tsk;
	tset.css = g ? g->css : root_css;
	ks_syscall_enter();
	if (cpu_cgrp_subsys.can_attach)
		ret = cpu_cgrp_subsys.can_attach(&tset);
	if (!ret) {
		old = t->cset;
		t->cset = ks_group_cset(g);
		rcu_assign_pointer(t->tsk->cgroups, t->cset);
		if (old != t->cset)
			cpu_cgrp_subsys.attach(&tset);
	}
	ks_syscall_exit();
	return ret;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static const struct cftype *find_in(const struct cftype *list, const char *name)
{
	const struct cftype *cft;

	for (cft = list; cft && cft->name[0]; cft++)
		if (!strcmp(cft->name, name))
			return cft;
	return NULL;
}

/* "cpu.weight", or without "cpu.". */
static const struct cftype *find_file(const char *file)
{
	if (!strncmp(file, "cpu.", 4))
		file += 4;
	return find_in(cpu_cgrp_subsys.dfl_cftypes, file)
		       ?: find_in(cpu_cgrp_subsys.legacy_cftypes, file);
}

static int write_file(struct cgroup_subsys_state *css, const struct cftype *cft, const char *text)
{
	struct kernfs_open_file of = { .file = NULL };
	unsigned long long u;
	long long s;
	char *copy;
	long n;

	if (cft->write) {
		copy = kstrdup(text, GFP_KERNEL);
		n = cft->write(&of, copy, strlen(copy), 0);
		kfree(copy);
		return n < 0 ? n : 0;
	}
	if (cft->write_u64)
		return kstrtoull(text, 0, &u) ? -EINVAL
					      : cft->write_u64(css, (struct cftype *)cft, u);
	if (cft->write_s64)
		return kstrtoll(text, 0, &s) ? -EINVAL
					     : cft->write_s64(css, (struct cftype *)cft, s);
	return -EACCES;
}

int ks_group_write(struct ksched_group *g, const char *file, const char *text)
{
	const struct cftype *cft = find_file(file);
	int ret;

	if (!cft)
		return -ENOENT;
	ks_syscall_enter();
	of_css_now = g ? g->css : root_css;
	ret = write_file(of_css_now, cft, text);
	ks_syscall_exit();
	return ret;
}

int ks_group_read(struct ksched_group *g, const char *file, char *buf, size_t size)
{
	struct cgroup_subsys_state *css = g ? g->css : root_css;
	const struct cftype *cft = find_file(file);
	struct seq_file m;

	if (!cft)
		return -ENOENT;
	of_css_now = css;
	ks_seq_begin(&m, NULL);
	if (cft->seq_show)
		cft->seq_show(&m, NULL);
	else if (cft->read_u64)
		seq_printf(&m, "%llu\n", cft->read_u64(css, (struct cftype *)cft));
	else if (cft->read_s64)
		seq_printf(&m, "%lld\n", cft->read_s64(css, (struct cftype *)cft));
	else
		return -EACCES;
	return ks_seq_end(&m, buf, size);
}
