/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - what the files of `fairtrial trace` share
 */
#ifndef FT_CMD_TRACE_H
#define FT_CMD_TRACE_H

#include "base/output.h"
#include "cmd/verb.h"
#include "events/event.h"

/* trace_record - `trace record`; in trace_record.c */
struct error *trace_record(const struct arguments *arguments);

/* trace_report - `trace report FILE`; in trace_report.c */
struct error *trace_report(const struct arguments *arguments);

/* trace_machine - the machine of --machine; NULL if it is not given */
struct error *trace_machine(const struct arguments *arguments, struct machine **out);

/* trace_other_file - ERR_INPUT if @output is the file @recording, by whatever name or link, which
 * writing would destroy before it is read; either may be "-" or not exist */
struct error *trace_other_file(const char *recording, const char *output);

/*
 * trace_output - begins the file of --output for a recording or an export; ERR_USAGE without one
 * @binary: it is nothing for a terminal: ERR_USAGE
 */
struct error *trace_output(const struct arguments *arguments, bool binary, struct output **out);

#endif
