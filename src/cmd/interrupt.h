/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interrupt.h - Ctrl-C and its like end a run after the trial in flight, for verbs that run trials
 */
#ifndef FT_CMD_INTERRUPT_H
#define FT_CMD_INTERRUPT_H

#include <signal.h>

/* interrupt_flag - what the handler sets */
const volatile sig_atomic_t *interrupt_flag(void);

/* interrupt_catch - from now on the first SIGINT, SIGTERM or SIGHUP sets the flag; the second ends the
 * program at once: what was changed is then put back by the next start */
void interrupt_catch(void);

#endif
