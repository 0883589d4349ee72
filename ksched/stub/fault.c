// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault.c - faults on the pages of symbols that are not modelled
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "ksched.h"
#include "state.h"
#include "traps.h"

static struct sigaction before;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const struct ks_trap_page *t;
	const char *address = info->si_addr;

	for (t = ks_no_access; t->page; t++)
		if (address >= (char *)t->page && address < (char *)t->page + KS_TRAP_PAGE)
			ks_trap(t->name);
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(signal, info, context);
		return;
	}
	/* Comes again, without us. */
	sigaction(signal, &before, NULL);
}

void ks_arm_traps(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	const struct ks_trap_page *t;

	if (!ks_no_access[0].page)
		return;
	for (t = ks_no_access; t->page; t++)
		mprotect(t->page, KS_TRAP_PAGE, PROT_NONE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, &before);
}
