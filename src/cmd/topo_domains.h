/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topo_domains.h - `fairtrial topo --kernel K`: the sched domains as that kernel builds them
 */
#ifndef FT_CMD_TOPO_DOMAINS_H
#define FT_CMD_TOPO_DOMAINS_H

#include "machine/machine.h"
#include "sim/domains.h"

/* What a kernel made of a machine. */
struct topo_domains {
	char *version; /* of the kernel */
	struct domain_kind *kinds;
	int n_kinds;
};

/*
 * topo_domains_read - boots the kernel on the machine in this process
 * Errors: a kernel that there is not, or a machine that it cannot be booted on.
 */
struct error *topo_domains_read(const struct machine *machine, const char *kernel,
				struct topo_domains *out);
void topo_domains_clear(struct topo_domains *domains);

/* topo_domains_print - for people, at most 78 columns, on stdout */
void topo_domains_print(const struct topo_domains *domains);

#endif
