/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asymmetry.h - in what the CPUs, caches and nodes of a machine are not all alike
 */
#ifndef FT_MACHINE_ASYMMETRY_H
#define FT_MACHINE_ASYMMETRY_H

#include "machine/machine.h"

/*
 * machine_asymmetries - one line for people for each thing that is uneven: sizes and CPU counts of
 * groups, SMT or clusters on some cores only, kinds, nodes without CPUs or memory, distances
 *
 * Returns new strings, freed with text_split_free(); @n is 0 when everything is even.
 */
char **machine_asymmetries(const struct machine *machine, int *n);

/* machine_size_format - "32 MiB", "1.5 GiB", "512 KiB"; a new string */
char *machine_size_format(uint64_t bytes);

/*
 * machine_group_name - the number that people know it by: "node 2", "LLC 3" (its id, or its index
 * where the kernel gives none); a new string
 */
char *machine_group_name(const struct machine *machine, enum machine_level level, int index);

#endif
