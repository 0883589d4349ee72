/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traps.h - symbols that nothing defines and whose address alone is used
 *
 * Such a symbol may be data or a function in a table. It gets a page of its own that nobody may access.
 */
#ifndef KSCHED_GLUE_TRAPS_H
#define KSCHED_GLUE_TRAPS_H

#define KS_TRAP_PAGE 4096

struct ks_trap_page {
	void *page;
	const char *name;
};

extern const struct ks_trap_page ks_no_access[] KS_HIDDEN; /* ends with a null page */
extern const char *const ks_not_modelled[] KS_HIDDEN;

/* Take the access away and report faults by name. */
void ks_arm_traps(void) KS_HIDDEN;

#endif
