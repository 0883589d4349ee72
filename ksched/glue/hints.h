/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hints.h - what makes the simulation faster and changes nothing else; ksched.h says what they do
 */
#ifndef KSCHED_GLUE_HINTS_H
#define KSCHED_GLUE_HINTS_H

void ks_hints_init(void); /* per-CPU memory exists */
void ks_prefetch(int cpu, int ahead);

#define FETCH_PARTS 4

extern int ks_fetch_pending; /* parts of the next CPU that are still to be fetched */
void ks_fetch_part(void);

/* Called at a few places that every entry of a CPU passes, some hundred ns apart. */
static inline void ks_fetch_more(void)
{
	if (ks_fetch_pending)
		ks_fetch_part();
}

/* At the first pause of a task on a CPU: what the next entries will touch. */
static inline void ks_hints_note(struct ks_cpu *p, struct task_struct *tsk)
{
	int idle = is_idle_task(tsk);

	p->cfs_rq = idle ? NULL : tsk->se.cfs_rq;
	p->parent = idle ? NULL : tsk->se.parent;
}

#endif
