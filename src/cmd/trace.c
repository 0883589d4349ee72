// SPDX-License-Identifier: GPL-2.0-only
/* trace.c - `fairtrial trace`: scheduling events recorded, read, written for others, looked at */
#include "cmd/trace.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "events/export.h"
#include "events/file.h"
#include "events/import.h"

static const struct option_desc options[] = {
	{ "output", 'o', "FILE", "record, import, export: what is written; - is stdout", false },
	{ "force", 'f', NULL, "replace an existing file", false },
	{ "format", 0, "NAME",
	  "import, report: fttrace, text, perf, trace-cmd; export: perfetto, ftrace, csv; or list",
	  false },
	{ "machine", 0, "M", "the machine it was taken on, or --trial runs on", false },
	{ "seconds", 0, "N", "record: for so long", false },
	{ "trial", 0, "PLAN", "record: one trial of a plan", false },
	{ "case", 0, "NAME", "record: of this case; default: the first one", false },
	{ "variant", 0, "NAME", "record: of this variant; default: the first one", false },
	{ "block", 0, "N", "record: with the seed of this block, from 0", false },
	{ "backend", 0, "NAME", "record: where the trial runs, in place of the plan's", false },
	{ "kernel", 0, "K", "record: a kernel by name (backend sim)", false },
	{ "set", 's', "KEY=VALUE", "record: a key of the plan, as run --set", true },
	{ "buffer", 0, "SIZE", "record: each CPU's buffer in the kernel, such as 16M", false },
	{ "cpus", 0, "LIST", "record: these CPUs only (not with --trial)", false },
	{ "no-idle", 0, NULL, "record: leave out when CPUs enter and leave idle states", false },
	{ "tasks", 0, "N", "report: so many tasks with the most CPU time; default 20", false },
	{ "by-name", 0, NULL, "report: tasks of one name are one line", false },
	{ "map", 0, NULL, "report: draw what ran where, CPUs by time", false },
	{ "svg", 0, "FILE", "report: the map and the imbalance as a picture (gnuplot)", false },
	{ NULL },
};

struct error *trace_machine(const struct arguments *arguments, struct machine **out)
{
	const char *name = option_value(arguments, "machine", NULL);

	*out = NULL;
	return name ? machine_open(name, out) : NULL;
}

struct error *trace_other_file(const char *recording, const char *output)
{
	struct stat in, out;

	if (!strcmp(output, "-"))
		return NULL;
	if (strcmp(recording, "-") != 0 ? stat(recording, &in) : fstat(STDIN_FILENO, &in))
		return NULL; /* reading it says why */
	if (stat(output, &out) || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return NULL;
	return error_new(ERR_INPUT, "%s is the recording that is read; it is not written over",
			 output);
}

struct error *trace_output(const struct arguments *arguments, bool binary, struct output **out)
{
	bool exports = !strcmp(arguments->words[0], "export");
	const char *path = option_value(arguments, "output", exports ? "-" : NULL);
	struct error *error;

	if (!path)
		return error_new(ERR_USAGE, "trace %s: --output FILE is needed",
				 arguments->words[0]);
	error = output_open(path, option_given(arguments, "force"), 0600, out);
	if (!error && binary && isatty(output_fd(*out)))
		error = output_close(*out, error_new(ERR_USAGE,
						     "trace %s: what is written is not for a "
						     "terminal; --output FILE",
						     arguments->words[0]));
	return error;
}

/* ---- import and export ---- */

/* A sink behind another one: has that seen its end? Then what it wrote is whole. */
struct ending {
	struct event_sink sink;
	bool seen;
};

static struct error *ending_end(struct event_sink *sink, const struct event_totals *totals)
{
	(void)totals;
	((struct ending *)sink)->seen = true;
	return NULL;
}

/*
 * A damaged recording: what is whole of it is kept, unless there is an old file, which may be better.
 * Everything else that fails leaves nothing.
 */
static struct error *finish(struct output *output, bool whole, struct error *error)
{
	autofree char *name = memory_string(output_name(output));
	bool replaces = output_replaces(output);
	struct error *failed;

	if (!error || !whole || error->code != ERR_INPUT)
		return output_close(output, error);
	if (replaces) {
		error = output_close(output, error);
		error->message = memory_append(error->message, "; %s was left as it was", name);
		return error;
	}
	failed = output_close(output, NULL);
	if (failed) {
		error_free(error);
		return failed;
	}
	error->message = memory_append(error->message, "; what is whole is in %s", name);
	return error;
}

/* the recording that the command line names into @sink, which is freed and writes to @output */
static struct error *pass_on(const struct arguments *arguments, const char *format,
			     struct event_sink *sink, struct output *output)
{
	struct ending ending = { .sink = { .end = ending_end } };
	struct event_sink *both = event_tee((struct event_sink *[]){ sink, &ending.sink }, 2);
	struct machine *machine;
	struct error *error = trace_machine(arguments, &machine);

	if (!error)
		error = event_import(arguments->words[1], format, machine, both);
	event_sink_free(both);
	machine_close(machine);
	return finish(output, ending.seen, error);
}

static struct error *import(const struct arguments *arguments)
{
	const char *path = option_value(arguments, "output", NULL);
	struct output *output;
	struct error *error = path ? trace_other_file(arguments->words[1], path) : NULL;

	if (!error)
		error = trace_output(arguments, true, &output);
	if (error)
		return error;
	return pass_on(arguments, option_value(arguments, "format", NULL),
		       event_writer_new(output_fd(output), path), output);
}

static struct error *export(const struct arguments *arguments)
{
	const char *path = option_value(arguments, "output", "-");
	const struct event_export *format;
	struct output *output;
	struct error *error =
		event_export_find(option_value(arguments, "format", NULL), path, &format);

	if (!error)
		error = trace_other_file(arguments->words[1], path);
	if (!error)
		error = trace_output(arguments, format->binary, &output);
	if (error)
		return error;
	return pass_on(arguments, NULL, format->open(output_stream(output), output_name(output)),
		       output);
}

static struct error *print_formats(const struct arguments *arguments)
{
	const char *action = arguments->words[0];

	if (!strcmp(action, "record"))
		return error_new(ERR_USAGE, "trace record: --format does not go with it");
	if (!strcmp(action, "export"))
		for (const struct event_export *const *at = event_exports(); *at; at++)
			printf("  %-16s %s\n", (*at)->name, (*at)->summary);
	else
		for (const struct event_format *const *at = event_formats(); *at; at++)
			printf("  %-16s %s\n", (*at)->name, (*at)->summary);
	return NULL;
}

/* ---- the verb ---- */

static const struct {
	const char *name;
	int min_words, max_words; /* behind the name */
	struct error *(*run)(const struct arguments *arguments);
} actions[] = {
	{ "record", 0, -1, trace_record },
	{ "import", 1, 1, import },
	{ "export", 1, 1, export },
	{ "report", 1, 1, trace_report },
};

static struct error *run(const struct arguments *arguments, int *status)
{
	const char *names[ARRAY_SIZE(actions) + 1] = { NULL }, *nearest;

	(void)status;
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		int n = arguments->n_words - 1;

		names[i] = actions[i].name;
		if (strcmp(actions[i].name, arguments->words[0]) != 0)
			continue;
		if (!strcmp(option_value(arguments, "format", ""), "list"))
			return print_formats(arguments);
		if (n < actions[i].min_words ||
		    (actions[i].max_words >= 0 && n > actions[i].max_words))
			return error_new(ERR_USAGE, "trace %s takes one file", actions[i].name);
		return actions[i].run(arguments);
	}
	nearest = text_nearest(arguments->words[0], names);
	return error_new(ERR_USAGE, "trace: '%s' is not record, import, export or report%s%s%s",
			 arguments->words[0], nearest ? "; did you mean '" : "",
			 nearest ? nearest : "", nearest ? "'?" : "");
}

const struct verb verb_trace = {
	.name = "trace",
	.usage = "record|import|export|report [FILE | -- COMMAND...]",
	.summary = "scheduling events: record, import, export, report",
	.options = options,
	.min_words = 1,
	.max_words = -1,
	.changes_settings = true,
	.run = run,
};
