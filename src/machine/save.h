/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * save.h - a machine as the text of a machine file, made of sections of CPU lists
 */
#ifndef FT_MACHINE_SAVE_H
#define FT_MACHINE_SAVE_H

#include "machine/machine.h"

/*
 * machine_file_text - the text of a machine file that reads back as the same machine: CPUs, groups
 * with their sizes, kinds, distances, and the simulator's sections if it has some. What the machine
 * allows this process (cpuset, affinity, quota) is no part of it. A level whose groups lack numbers
 * of their own (cores of two packages share them) is numbered by position.
 *
 * Errors: ERR_INPUT for a machine that a file cannot describe: its lists do not fit into lines.
 */
struct error *machine_file_text(const struct machine *machine, char **out);

/* machine_has_figures - does it say itself how fast it is ([speed] or [cost] of a machine file)? */
bool machine_has_figures(const struct machine *machine);

#endif
