// SPDX-License-Identifier: GPL-2.0-only
/* run.c - a program of others as a workload: its team, its end, its output as metrics */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "base/text.h"
#include "workload/program.h"

/* of what it wrote to stderr, in a reason */
#define TAIL_BYTES 200

uint64_t program_limit_ns(const struct program_desc *desc, const struct params *params,
			  const struct program_times *times)
{
	if (desc->fixed_work)
		return (uint64_t)params_number(params, "limit");
	return times->warmup_ns + times->runtime_ns + PROGRAM_GRACE_NS;
}

static void body(struct task *task, void *data)
{
	task_program(task, data);
}

/* argv[0] is looked up in PATH again: a variant may set PATH for its trials */
static void add_program(struct program_args *args, const struct program_desc *desc,
			const struct params *params)
{
	const char *given = params_text(params, desc->path_param);

	if (desc->in_folder)
		args_add(args, "%s/%s", given, desc->in_folder);
	else if (strcmp(desc->path_param, "command") != 0)
		args_add(args, "%s", given);
	/* of `command` it is the first of its own words */
}

struct error *program_setup(struct team *team, const struct program_desc *desc,
			    const struct params *params)
{
	struct program_times times = { team->runtime_ns, team->warmup_ns };
	struct worker_spec spec = { .body = body, .process = -1 };
	struct program_args args = { 0 };
	struct folder *folder = NULL;
	struct error *error;

	add_program(&args, desc, params);
	error = desc->arguments(&args, params, &times);
	if (!error && desc->own_folder)
		folder = team_folder(team, params_text(params, "directory"));
	if (!error) {
		*array_append(args.items, args.n) = NULL;
		error = team_program(team, (const char *const *)args.items,
				     program_limit_ns(desc, params, &times), folder);
	}
	args_clear(&args);
	if (error)
		return error;
	spec.data = team_own_program(team);
	team_add(team, &spec);
	return NULL;
}

/* ---- how it ended ---- */

/* the last bytes of a stream as one line, or NULL */
static char *tail_of(const struct program *program, enum program_stream stream)
{
	size_t length;
	autofree char *text = program_output(program, stream, &length);
	char *line, *utf8;

	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	if (!length)
		return NULL;
	line = length > TAIL_BYTES ? text + length - TAIL_BYTES : text;
	for (char *at = line; at < text + length; at++)
		if (!*at || isspace((unsigned char)*at))
			*at = ' ';
	utf8 = text_to_utf8(line);
	text_printable(utf8);
	return utf8;
}

/* "; the end of its stderr: ...", a new string; programs that are quiet there may tell on stdout */
static char *last_words(const struct program *program)
{
	static const struct {
		enum program_stream stream;
		const char *name;
	} streams[] = { { PROGRAM_STDERR, "stderr" }, { PROGRAM_STDOUT, "stdout" } };

	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		autofree char *tail = tail_of(program, streams[i].stream);

		if (tail)
			return memory_format("; the end of its %s: %s", streams[i].name, tail);
	}
	return memory_string("; it printed nothing");
}

static const char *name_of(const struct program *program)
{
	const char *slash = strrchr(program->argv[0], '/');

	return slash ? slash + 1 : program->argv[0];
}

struct error *program_blame(const struct program *program, struct error *error)
{
	autofree char *text = error_text(error);
	autofree char *words = last_words(program);

	error_free(error);
	return error_new(ERR_INPUT, "%s: %s%s", name_of(program), text, words);
}

static struct error *bad_status(const struct program *program, int status)
{
	if (WIFSIGNALED(status))
		return error_new(ERR_INPUT, "killed by signal %d (%s)", WTERMSIG(status),
				 strsignal(WTERMSIG(status)));
	if (WIFEXITED(status) && WEXITSTATUS(status))
		return error_new(ERR_INPUT, "exit status %d", WEXITSTATUS(status));
	(void)program;
	return NULL;
}

struct error *program_check_end(const struct program *program, const struct program_desc *desc)
{
	static const char *const streams[] = { "stdout", "stderr", "its file of results" };
	const struct program_end *end = program->end;
	struct error *error = NULL;

	switch (end->fate) {
	case PROGRAM_NOT_RUN:
		return error_new(ERR_INPUT, "%s was not started", name_of(program));
	case PROGRAM_NOT_STARTED:
		return error_new(ERR_INPUT, "cannot run %s: %s", program->argv[0],
				 strerror(end->error));
	case PROGRAM_OVERDUE:
		error = error_new(ERR_INPUT, "it did not end within %g s%s",
				  program->limit_ns / 1e9,
				  desc->fixed_work ? " (parameter limit)" : "");
		break;
	case PROGRAM_FLOODED:
		error = error_new(ERR_INPUT, "it wrote more than %zu MiB to %s",
				  PROGRAM_OUTPUT_MAX >> 20, streams[end->stream]);
		break;
	case PROGRAM_ENDED:
		error = bad_status(program, end->status);
		break;
	}
	return error ? program_blame(program, error) : NULL;
}

/* ---- its output as metrics ---- */

static void record_command(const struct program *program, struct trial *trial)
{
	json_t *argv = json_array();

	for (int i = 0; i < program->n_argv; i++) {
		autofree char *text = text_to_utf8(program->argv[i]);

		json_array_append_new(argv, json_string(text));
	}
	json_object_set_new(trial->environment, "command", argv);
}

/* one run is asked for: what several results would be, nobody knows */
static struct error *take_result(struct foreign *foreign, struct trial *trial)
{
	struct trial *seen = &foreign->results[0].trial;

	if (foreign->n != 1)
		return error_new(ERR_INPUT, "it printed %d results, one is expected", foreign->n);
	if (trial->n_metrics)
		return error_new(ERR_INPUT, "bug: the trial has metrics already");
	trial->metrics = seen->metrics;
	trial->n_metrics = seen->n_metrics;
	seen->metrics = NULL;
	seen->n_metrics = 0;
	if (json_object_size(seen->environment))
		json_object_set(trial->environment, "program", seen->environment);
	return NULL;
}

struct error *program_finish(struct team *team, const struct program_desc *desc,
			     struct trial *trial)
{
	static const char *const streams[] = { "stdout", "stderr", "file of results" };
	const struct program *program = team_own_program(team);
	struct foreign foreign = { 0 };
	autofree char *text = NULL;
	size_t length;
	struct error *error;

	record_command(program, trial);
	error = program_check_end(program, desc);
	if (error || !desc->format)
		return error;
	text = program_output(program, desc->stream, &length);
	error = foreign_read(desc->format, streams[desc->stream], text, length, &foreign);
	if (!error)
		error = take_result(&foreign, trial);
	foreign_clear(&foreign);
	return error ? program_blame(program, error) : NULL;
}
