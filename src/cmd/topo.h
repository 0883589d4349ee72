/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topo.h - the outputs of `fairtrial topo`, one file each
 */
#ifndef FT_CMD_TOPO_H
#define FT_CMD_TOPO_H

#include <stdbool.h>

#include "base/json.h"
#include "machine/machine.h"

/* topo_print - for people, at most 78 columns, on stdout */
void topo_print(const struct machine *machine);

/*
 * topo_print_json - one object on stdout; its members are told in fairtrial-topo(1)
 * @domains: its member sched_domains, taken over; NULL: none
 */
void topo_print_json(const struct machine *machine, json_t *domains);

/*
 * topo_draw - lstopo's drawing of the machine into a new file
 * @replace: an existing file may be replaced; otherwise it is an error
 *
 * Errors: ERR_UNAVAILABLE without lstopo, ERR_INPUT for a file that exists.
 */
struct error *topo_draw(const struct machine *machine, const char *file, bool replace);

/*
 * topo_save - the machine as a machine file that reads back to the same machine
 * @replace: as for topo_draw()
 *
 * Errors: ERR_USAGE for a name that is not read as a machine file, those of machine_file_text().
 */
struct error *topo_save(const struct machine *machine, const char *file, bool replace);

/* topo_list - the ready machines on stdout, one a line: name, CPUs, description */
void topo_list(void);

#endif
