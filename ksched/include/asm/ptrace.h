/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_PTRACE_H
#define KSCHED_ASM_PTRACE_H

/* No registers: what a task does is its coroutine. Only user mode or not is asked by the tick. */
#ifndef __ASSEMBLY__
struct pt_regs {
	int user;
};

#define user_mode(regs)		  ((regs)->user)
#define instruction_pointer(regs) 0UL
#define profile_pc(regs)	  0UL
#define user_stack_pointer(regs)  0UL
#define arch_has_single_step()	  0
#define current_pt_regs()	  ((struct pt_regs *)0)

static inline int regs_irqs_disabled(struct pt_regs *regs)
{
	(void)regs;
	return 0;
}
#endif

#endif
