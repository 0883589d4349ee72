/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * escape.h - out of a kernel that cannot go on, from the stack of one of its tasks to the host's
 *
 *	if (!setjmp(sim->escape))
 *		...
 *	else
 *		escape_arrived();
 *
 * AddressSanitizer has to be told: it would go on to take the host's stack for the task's, and what was
 * called between for live frames.
 */
#ifndef FT_SIM_ESCAPE_H
#define FT_SIM_ESCAPE_H

#include <setjmp.h>

/* escape_to - longjmp(); what is on the stack that is left is lost */
void escape_to(jmp_buf place) __attribute__((noreturn));
void escape_arrived(void);

#endif
