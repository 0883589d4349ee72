// SPDX-License-Identifier: GPL-2.0-only
/* ready.c - is a program there, which version is it, and can it do what is asked? */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "workload/program.h"

/* how long a program may take to print its version */
#define VERSION_SECONDS 10.0

/* its full path, a new string */
static struct error *find(const struct workload *workload, const struct params *params, char **path)
{
	const struct program_desc *desc = workload->program;
	const char *given = params_text(params, desc->path_param);
	autofree char *name = NULL;

	if (desc->in_folder) {
		name = memory_format("%s/%s", given, desc->in_folder);
	} else {
		struct program_args words = { 0 };
		struct error *error = args_split(&words, given);

		/* of `command` the first word; for all others the parameter is the name */
		if (!error && strcmp(desc->path_param, "command"))
			name = memory_string(given);
		else if (!error && words.n)
			name = memory_string(words.items[0]);
		args_clear(&words);
		if (error)
			return error_prefix(error, "%s", desc->path_param);
	}
	if (!name || !*name)
		return error_new(ERR_INPUT, "%s: it names no program", desc->path_param);
	*path = subprocess_find(name);
	if (*path)
		return NULL;
	return error_new(ERR_UNAVAILABLE, "workload %s: there is no program %s%s%s%s",
			 workload->name, name, strchr(name, '/') ? "" : " in PATH",
			 *desc->from ? "; it is in " : "", desc->from);
}

/* "stress-ng, version 0.15.06 (gcc ...)" with the prefix "stress-ng, version " -> "0.15.06" */
static char *number_behind(const char *text, const char *prefix)
{
	const char *at = strstr(text, prefix);

	if (!at)
		return NULL;
	at += strlen(prefix);
	return memory_string_n(at, strcspn(at, " ,)\r\n"));
}

static char *printed_version(const struct program_desc *desc, const char *path)
{
	const char *const argv[] = { path, desc->version_option, NULL };
	struct subprocess_output output;
	struct error *error;
	char *number;

	if (!desc->version_option)
		return NULL;
	error = subprocess_run(argv, NULL, VERSION_SECONDS, &output);
	if (error) {
		error_free(error);
		return NULL;
	}
	number = number_behind(output.out, desc->version_prefix);
	if (!number)
		number = number_behind(output.err, desc->version_prefix);
	subprocess_free(&output);
	return number;
}

/* FNV-1a, 64 bits: tells one build from another */
static struct error *content_hash(const char *path, uint64_t *out)
{
	autofree char *text = NULL;
	size_t length;
	struct error *error = file_read(path, &text, &length);
	uint64_t hash = 0xcbf29ce484222325;

	if (error)
		return error;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	*out = hash;
	return NULL;
}

static struct error *find_version(const struct program_desc *desc, const struct params *params,
				  const char *path, char **version)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *name = desc->version_name ? desc->version_name : base;
	const char *given = desc->version_param ? params_text(params, desc->version_param) : "";
	autofree char *number = *given ? memory_string(given) : printed_version(desc, path);
	uint64_t hash;
	struct error *error;

	if (number && *number && text_is_utf8(number, strlen(number))) {
		*version = memory_format("%s %s", name, number);
		return NULL;
	}
	error = content_hash(path, &hash);
	if (!error)
		*version = memory_format("%s (build %016" PRIx64 ")", name, hash);
	return error_prefix(error, "which version it is cannot be told");
}

/* what is wrong with the runtime, or NULL */
static struct error *check_times(const struct workload *workload, const struct program_times *times)
{
	const struct program_desc *desc = workload->program;
	autofree char *runtime = text_duration_format(times->runtime_ns);

	if (!desc->whole_seconds || !(times->runtime_ns % 1000000000))
		return NULL;
	return error_new(ERR_INPUT,
			 "runtime %s: %s runs for whole seconds, at least one, are accepted",
			 runtime, workload->name);
}

struct error *program_ready(const struct workload *workload, const struct params *params,
			    const struct program_times *times, char **version)
{
	struct program_args args = { 0 };
	autofree char *path = NULL;
	struct error *error = check_times(workload, times);

	if (!error)
		error = workload->program->arguments(&args, params, times);
	if (!error)
		error = find(workload, params, &path);
	if (!error)
		error = find_version(workload->program, params, path, version);
	args_clear(&args);
	return error;
}
