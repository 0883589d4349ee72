// SPDX-License-Identifier: GPL-2.0-only
#include "report/provenance.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "stats/origin.h"

#define HASH_SHOWN 12

/* what a kernel was built from, by the kind of its source_id */
static const struct {
	const char *prefix, *words;
} sources[] = {
	{ "sha256:", "tarball sha256:" },
	{ "commit:", "commit " },
	{ "content:", "folder of content " },
};

static char *source_text(const char *id)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		size_t length = strlen(sources[i].prefix);

		if (!strncmp(id, sources[i].prefix, length))
			return memory_format("%s%.*s", sources[i].words, HASH_SHOWN, id + length);
	}
	return memory_string(*id ? id : "source not recorded");
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* ---- kernels ---- */

/* of the first trial that has it; NULL: of an older version, or no trial was made */
static const json_t *kernel_record(const struct side_part *part)
{
	for (int i = 0; i < part->run->n_trials; i++) {
		const struct trial *trial = &part->run->trials[i];
		const json_t *kernel = json_object_get(trial->environment, "kernel");

		if (trial->variant_index == part->variant && json_is_object(kernel))
			return kernel;
	}
	return NULL;
}

static char *append_patch(char *text, const json_t *kernel, size_t i)
{
	const char *file = json_string_value(json_array_get(json_object_get(kernel, "patches"), i));
	const char *hash =
		json_string_value(json_array_get(json_object_get(kernel, "patch_sha256"), i));
	const char *name = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

	return memory_append(text, ", patch %s (sha256:%.*s)", name ? name : "?", HASH_SHOWN,
			     hash ? hash : "?");
}

static char *simulated_text(const json_t *kernel)
{
	autofree char *source = source_text(text_of(kernel, "source_id"));
	const json_t *config = json_object_get(kernel, "config");
	const json_t *patches = json_object_get(kernel, "patches");
	char *text = memory_format("Linux %s, %s", text_of(kernel, "version"), source);

	for (size_t i = 0; i < json_array_size(config); i++) {
		const char *line = json_string_value(json_array_get(config, i));

		text = memory_append(text, ", %s", line ? line : "?");
	}
	if (*text_of(kernel, "sanitize"))
		text = memory_append(text, ", sanitizers %s", text_of(kernel, "sanitize"));
	for (size_t i = 0; i < json_array_size(patches); i++)
		text = append_patch(text, kernel, i);
	return json_array_size(patches) ? text : memory_append(text, ", no patches");
}

char *provenance_kernel(const struct side_part *part)
{
	const json_t *kernel = kernel_record(part);

	if (strcmp(origin_backend(part), "sim") != 0)
		return origin_kernel_key(part);
	return kernel ? simulated_text(kernel) : NULL;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* the first side of the same kernel */
static int first_of(char *const *kernels, int side)
{
	int first = 0;

	while (!same_text(kernels[first], kernels[side]))
		first++;
	return first;
}

/* "off, new: KERNEL; old: KERNEL" */
static char *kernels_by_side(const struct table *table, char *const *kernels)
{
	char *text = memory_string("");

	for (int side = 0; side < table->n_sides; side++) {
		if (first_of(kernels, side) < side)
			continue;
		text = memory_append(text, "%s%s", side ? "; " : "", table->sides[side].name);
		for (int i = side + 1; i < table->n_sides; i++)
			if (first_of(kernels, i) == side)
				text = memory_append(text, ", %s", table->sides[i].name);
		text = memory_append(text, ": %s", kernels[side] ? kernels[side] : "not recorded");
	}
	return text;
}

char *provenance_kernels(const struct table *table)
{
	char **kernels = memory_zeroed((size_t)table->n_sides, sizeof(*kernels));
	char *text = NULL;
	bool same = true;

	for (int side = 0; side < table->n_sides; side++) {
		kernels[side] = provenance_kernel(&table->sides[side].parts[0]);
		same &= same_text(kernels[0], kernels[side]);
	}
	if (!same)
		text = kernels_by_side(table, kernels);
	else if (kernels[0])
		text = memory_string(kernels[0]);
	for (int side = 0; side < table->n_sides; side++)
		free(kernels[side]);
	free(kernels);
	return text;
}

/* ---- how it was measured ---- */

/* each text once, in the order of the first time; takes @more */
static void add_once(char ***texts, int *n, char *more)
{
	for (int i = 0; i < *n; i++)
		if (!strcmp((*texts)[i], more)) {
			free(more);
			return;
		}
	*array_append(*texts, *n) = more;
}

static char *joined(char **texts, int n)
{
	char *text = NULL;

	for (int i = 0; i < n; i++) {
		text = i ? memory_append(text, ", %s", texts[i]) : memory_string(texts[i]);
		free(texts[i]);
	}
	free(texts);
	return text;
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* the median over all trials, as cases may have times of their own; NULL: none was recorded */
static char *duration_text(const struct table *table)
{
	double *seconds = NULL;
	char *text = NULL;
	int n = 0;

	for (int side = 0; side < table->n_sides; side++)
		for (int i = 0; i < table->sides[side].n_parts; i++) {
			const struct side_part *part = &table->sides[side].parts[i];

			for (int j = 0; j < part->run->n_trials; j++) {
				const struct trial *trial = &part->run->trials[j];

				if (trial->variant_index == part->variant &&
				    trial->status == TRIAL_OK && isfinite(trial->duration) &&
				    trial->duration > 0)
					*array_append(seconds, n) = trial->duration;
			}
		}
	if (n) {
		qsort(seconds, n, sizeof(*seconds), compare_doubles);
		text = memory_format("a trial took %.3g s", seconds[n / 2]);
	}
	free(seconds);
	return text;
}

char *provenance_measured(const struct table *table)
{
	char **tools = NULL, **seeds = NULL;
	autofree char *tool = NULL, *seed = NULL;
	int n_tools = 0, n_seeds = 0;
	autofree char *duration = duration_text(table);
	char *text = NULL;

	for (int side = 0; side < table->n_sides; side++)
		for (int i = 0; i < table->sides[side].n_parts; i++) {
			const struct run *run = table->sides[side].parts[i].run;

			if (run->tool_version && *run->tool_version)
				add_once(&tools, &n_tools, memory_string(run->tool_version));
			add_once(&seeds, &n_seeds, memory_format("%" PRIu64, run->seed));
		}
	tool = joined(tools, n_tools);
	seed = joined(seeds, n_seeds);
	if (tool)
		text = memory_format("by fairtrial %s", tool);
	if (duration)
		text = text ? memory_append(text, "; %s", duration) : memory_string(duration);
	if (text)
		text = memory_append(text, "; seed%s %s", n_seeds > 1 ? "s" : "", seed);
	return text;
}
