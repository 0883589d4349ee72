/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interrupt.h - Ctrl-C and its like: what they end, and that nothing half-written is left
 */
#ifndef FT_CMD_INTERRUPT_H
#define FT_CMD_INTERRUPT_H

#include <signal.h>

/* interrupt_clean_up - from now on a signal that ends the program removes unfinished output first
 * (output_remove_unfinished()) */
void interrupt_clean_up(void);

/* interrupt_flag - what the handler sets */
const volatile sig_atomic_t *interrupt_flag(void);

/* interrupt_catch - from now on the first SIGINT, SIGTERM or SIGHUP sets the flag; the second ends the
 * program at once: what was changed is then put back by the next start */
void interrupt_catch(void);

#endif
