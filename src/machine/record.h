/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - a machine as JSON, to travel with data that was taken on it
 *
 * Holds what placement goes by: CPUs, groups, distances, kinds. Not what only drawings and the
 * simulator need: `topology` of a machine that was read back is NULL and it has no entries.
 */
#ifndef FT_MACHINE_RECORD_H
#define FT_MACHINE_RECORD_H

#include "base/json.h"
#include "machine/machine.h"

/* machine_to_json - a new object */
json_t *machine_to_json(const struct machine *machine);

/*
 * machine_from_json - the machine again
 * @file: where it stands, for messages
 *
 * Errors: ERR_INPUT for anything that machine_to_json() does not write.
 */
struct error *machine_from_json(const json_t *json, const char *file, struct machine **out);

#endif
