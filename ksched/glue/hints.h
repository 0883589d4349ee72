/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hints.h - what makes the simulation faster and changes nothing else; ksched.h says what they do
 */
#ifndef KSCHED_GLUE_HINTS_H
#define KSCHED_GLUE_HINTS_H

void ks_hints_init(void); /* per-CPU memory exists */
void ks_prefetch(int cpu, int ahead);

/* At a pause: what the next entry of this CPU will touch. */
static inline void ks_hints_note(struct ks_cpu *p, struct task_struct *tsk, const void *sp)
{
	int idle = is_idle_task(tsk);

	p->sp = sp;
	p->cfs_rq = idle ? NULL : tsk->se.cfs_rq;
	p->parent = idle ? NULL : tsk->se.parent;
	p->signal = idle ? NULL : tsk->signal;
}

#endif
