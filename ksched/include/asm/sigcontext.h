/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_SIGCONTEXT_H
#define KSCHED_ASM_SIGCONTEXT_H

/* No signals reach a simulated task. */
struct sigcontext {
	unsigned long unused;
};

#endif
