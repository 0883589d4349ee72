// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/import_foreign.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/release.h"
#include "plan/plan.h"
#include "workload/workload.h"

#define UNNAMED "imported"

/* What is known while files are read. */
struct reading {
	const struct foreign_options *options;
	struct run *run;
	const char *file;	 /* the one being read */
	const char **case_files; /* of each case the file it first came from */
	int n_case_files;
	uint64_t hash[2]; /* of all that makes the run what it is */
};

/* its first record is a header, with its keys in any order */
bool foreign_is_export(const char *text)
{
	autofree char *line = memory_string_n(text, strcspn(text, "\n"));

	return *line == '{' && strstr(line, "\"header\"") && strstr(line, "\"fairtrial\"");
}

/* FNV-1a, two of them with different starts: 128 bits that tell one import from another */
static void hash_text(struct reading *reading, const char *text)
{
	for (;; text++) {
		for (int i = 0; i < 2; i++)
			reading->hash[i] =
				(reading->hash[i] ^ (unsigned char)*text) * 0x100000001b3;
		if (!*text)
			return;
	}
}

/* as a UUID of version 8, whose bits are the maker's own (RFC 9562) */
static char *identity(const struct reading *reading)
{
	uint64_t a = reading->hash[0], b = reading->hash[1];

	return memory_format("%08x-%04x-8%03x-%04x-%012" PRIx64, (unsigned)(a >> 32),
			     (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xfff),
			     (unsigned)(0x8000 | (b >> 48 & 0x3fff)), b & 0xffffffffffff);
}

/* ---- cases and variants ---- */

static struct error *mismatch(const struct reading *reading, int index, const char *what,
			      const char *here, const char *there)
{
	return error_at(ERR_MISMATCH, reading->file, 0,
			"case %s: %s %s, and %s in %s; such values are never mixed: import them as "
			"two, with --case or --label",
			reading->run->cases[index].name, what, here, there,
			reading->case_files[index]);
}

static const char *text_or(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

static struct error *check_case(const struct reading *reading, int index,
				const struct foreign_format *format,
				const struct foreign_result *result, const char *version)
{
	const struct result_case *known = &reading->run->cases[index];
	const char *cpus = text_or(result->cpus, "");

	if (strcmp(known->workload, format->workload))
		return mismatch(reading, index, "of", format->workload, known->workload);
	if (strcmp(known->program_version, version))
		return mismatch(reading, index, "version", version, known->program_version);
	if (strcmp(known->cpus, cpus))
		return mismatch(reading, index, "CPUs", cpus, known->cpus);
	if (!json_equal(known->params, result->params)) {
		autofree char *here = json_text(result->params), *there = json_text(known->params);

		return mismatch(reading, index, "parameters", here, there);
	}
	return NULL;
}

/* all results of one import are one case, if it is named on the command line */
static struct error *find_case(struct reading *reading, const struct foreign_format *format,
			       const struct foreign_result *result, int *index)
{
	const struct foreign_options *options = reading->options;
	const struct workload *workload = workload_find(format->workload);
	const char *name = text_or(options->case_name, result->case_name);
	const char *version = text_or(options->program_version, result->program_version);
	struct result_case *added;

	version = text_or(version, FOREIGN_UNKNOWN_VERSION);
	*index = run_case_index(reading->run, name);
	if (*index >= 0)
		return check_case(reading, *index, format, result, version);
	*index = reading->run->n_cases;
	added = array_append(reading->run->cases, reading->run->n_cases);
	added->name = memory_string(name);
	added->workload = memory_string(format->workload);
	added->workload_version = workload ? workload->version : 1;
	added->program_version = memory_string(version);
	added->params = json_deep_copy(result->params);
	added->cpus = memory_string(text_or(result->cpus, ""));
	*array_append(reading->case_files, reading->n_case_files) = reading->file;
	return NULL;
}

static int find_variant(struct reading *reading, const struct foreign_result *result)
{
	const char *name = text_or(reading->options->variant, text_or(result->variant, UNNAMED));
	int index = run_variant_index(reading->run, name);
	struct result_variant *added;

	if (index >= 0)
		return index;
	added = array_append(reading->run->variants, reading->run->n_variants);
	added->name = memory_string(name);
	added->settings = json_object();
	added->backend = memory_string(UNNAMED);
	if (result->variant)
		added->kernel = memory_string(result->variant);
	return reading->run->n_variants - 1;
}

/* ---- trials ---- */

/* the n-th trial of a case under each variant is of block n */
static int next_block(const struct run *run, int case_index, int variant_index)
{
	int n = 0;

	for (int i = 0; i < run->n_trials; i++)
		n += run->trials[i].case_index == case_index &&
		     run->trials[i].variant_index == variant_index;
	return n;
}

static struct error *take_result(struct reading *reading, const struct foreign_format *format,
				 struct foreign_result *result, double file_time)
{
	struct run *run = reading->run;
	int case_index, variant_index, block;
	struct trial *trial;
	struct error *error = find_case(reading, format, result, &case_index);

	if (error)
		return error;
	variant_index = find_variant(reading, result);
	block = next_block(run, case_index, variant_index);
	trial = array_append(run->trials, run->n_trials);
	*trial = result->trial;
	result->trial = (struct trial){ 0 };
	trial->case_index = case_index;
	trial->variant_index = variant_index;
	trial->block = block;
	trial->position = run->n_trials - 1;
	if (!(trial->started > 0))
		trial->started = file_time;
	json_object_set_new(trial->environment, "imported_from", json_string(reading->file));
	json_object_set_new(trial->environment, "format", json_string(format->name));
	if (block + 1 > run->trials_planned)
		run->trials_planned = block + 1;
	return NULL;
}

static struct error *unknown_format(const char *file, const char *text)
{
	autofree char *list = memory_string("");

	for (const struct foreign_format *const *at = foreign_format_all(); *at; at++) {
		list = memory_append(list, "%s%s", *list ? ", " : "", (*at)->name);
	}
	if (foreign_is_export(text))
		return error_at(ERR_INPUT, file, 0,
				"it is an export of fairtrial: it brings its own names, and is "
				"imported without --format, --variant, --case, --label and "
				"--program-version, and not together with other files");
	return error_at(ERR_INPUT, file, 0,
			"it looks like the output of no program that is known here; accepted are "
			"an export of fairtrial, and (with --format) %s",
			list);
}

static struct error *read_file(struct reading *reading, const char *file)
{
	const struct foreign_format *format = reading->options->format;
	struct foreign foreign = { 0 };
	autofree char *text = NULL;
	struct stat status;
	size_t length;
	struct error *error = file_read(file, &text, &length);

	if (error)
		return error;
	reading->file = file;
	if (!format)
		format = foreign_format_detect(text);
	if (!format || foreign_is_export(text))
		return unknown_format(file, text);
	error = foreign_read(format, file, text, length, &foreign);
	if (error)
		return error;
	hash_text(reading, text);
	if (stat(file, &status))
		status.st_mtime = 0;
	for (int i = 0; !error && i < foreign.n; i++)
		error = take_result(reading, format, &foreign.results[i], status.st_mtime);
	foreign_clear(&foreign);
	return error;
}

/* ---- the run ---- */

/* what `compare` and `show` take as names; of a file's own variants too */
static struct error *check_names(const struct reading *reading)
{
	struct error *error = plan_check_label(reading->run->label);

	if (error)
		return error_prefix(error, "--label");
	for (int i = 0; !error && i < reading->run->n_variants; i++)
		error = plan_check_label(reading->run->variants[i].name);
	if (error)
		return error_prefix(error, "--variant");
	if (reading->options->case_name)
		error = plan_check_label(reading->options->case_name);
	return error_prefix(error, "--case");
}

static struct error *check_twice(const char *const *files, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			if (!strcmp(files[i], files[j]))
				return error_new(ERR_USAGE, "import: %s is given twice", files[i]);
	return NULL;
}

/* of the run as a whole: the first of its trials */
static double earliest(const struct run *run)
{
	double first = run->trials[0].started;

	for (int i = 1; i < run->n_trials; i++)
		if (run->trials[i].started < first)
			first = run->trials[i].started;
	return first;
}

/* what all files tell alike of the system that they were measured on; NULL: nothing */
static const char *system_text(const struct run *run, const char *key)
{
	const char *first = NULL;

	for (int i = 0; i < run->n_trials; i++) {
		const json_t *system = json_object_get(run->trials[i].environment, "sysinfo");
		const char *text = json_string_value(json_object_get(system, key));

		if (!text || (first && strcmp(first, text) != 0))
			return NULL;
		first = text;
	}
	return first;
}

/* the host and its kernel, where `compare` looks for them */
static void describe_system(struct run *run)
{
	const char *host = system_text(run, "nodename"), *release = system_text(run, "release");
	const char *version = system_text(run, "version");

	for (int i = 0; i < run->n_variants && host; i++)
		run->variants[i].machine = memory_string(host);
	if (release)
		json_object_set_new(run->environment, "kernel_release", json_string(release));
	if (version)
		json_object_set_new(run->environment, "kernel_version", json_string(version));
}

static void describe(struct reading *reading, int n_files)
{
	struct run *run = reading->run;

	run->plan_name = memory_string(UNNAMED);
	run->plan_text = memory_string("");
	run->tool_version = memory_string(fairtrial_version());
	run->started = earliest(run);
	json_object_set_new(run->environment, "imported_files", json_integer(n_files));
	describe_system(run);
	hash_text(reading, run->label);
	for (int i = 0; i < run->n_variants; i++)
		hash_text(reading, run->variants[i].name);
	for (int i = 0; i < run->n_cases; i++)
		hash_text(reading, run->cases[i].name);
	run->identity = identity(reading);
}

struct error *foreign_run(const char *const *files, int n_files,
			  const struct foreign_options *options, struct run **out)
{
	struct reading reading = {
		.options = options,
		.run = run_new(),
		.hash = { 0xcbf29ce484222325, 0x9ae16a3b2f90404f },
	};
	struct error *error = check_twice(files, n_files);

	reading.run->label = memory_string(text_or(options->label, UNNAMED));
	for (int i = 0; !error && i < n_files; i++)
		error = read_file(&reading, files[i]);
	if (!error)
		error = check_names(&reading);
	if (!error)
		describe(&reading, n_files);
	free(reading.case_files);
	if (error)
		run_free(reading.run);
	else
		*out = reading.run;
	return error;
}
