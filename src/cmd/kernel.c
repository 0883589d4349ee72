// SPDX-License-Identifier: GPL-2.0-only
/* kernel.c - `fairtrial kernel`: kernels of the simulator by name */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "cmd/verb.h"
#include "ksched/build/kernel.h"

static const struct option_desc options[] = {
	{ "patch", 0, "FILE", "add: apply this patch (-p1) to a copy of the tree first", true },
	{ "config", 0, "SYMBOL=VALUE", "add: set a configuration symbol of the kernel", true },
	{ "sanitize", 0, "LIST", "add: build with these sanitizers (address,undefined)", false },
	{ "force", 'f', NULL, "add: replace a kernel of that name", false },
	{ "rebuild", 0, NULL, "add: build also what is there", false },
	{ "json", 0, NULL, "list, show: print JSON", false },
	{ 0 },
};

struct bar {
	struct progress *progress;
};

static void show_progress(void *data, int done, int total)
{
	struct bar *bar = data;

	if (!bar->progress)
		bar->progress = progress_start(total);
	progress_show(bar->progress, done, "compiling kernel/sched");
}

static const char *text_of(const struct kernel *kernel, const char *key)
{
	const char *text = json_string_value(json_object_get(kernel->record, key));

	return text ? text : "";
}

static const char *const origins[] = {
	[KERNEL_BUILT] = "",
	[KERNEL_CACHED] = " (built before)",
	[KERNEL_SAME] = " (already there, the same)",
};

/* a patch that was forgotten shows here: the new name stands for what another name has */
static void warn_about_same(const struct kernel *kernel)
{
	struct kernel **all;
	struct error *error;
	int n;

	error = kernel_all(&all, &n);
	for (int i = 0; !error && i < n; i++)
		if (strcmp(all[i]->name, kernel->name) && !strcmp(all[i]->library, kernel->library))
			fprintf(stderr,
				"fairtrial: warning: kernel %s is the same build as kernel %s\n",
				kernel->name, all[i]->name);
	if (!error)
		kernel_all_free(all, n);
	error_free(error);
}

static struct error *add(const struct arguments *arguments)
{
	struct bar bar = { NULL };
	struct kernel_request request = {
		.name = arguments->words[1],
		.source = arguments->words[2],
		.sanitize = option_value(arguments, "sanitize", NULL),
		.force = option_given(arguments, "force"),
		.rebuild = option_given(arguments, "rebuild"),
		.progress = show_progress,
		.progress_data = &bar,
	};
	const char **patches = option_values(arguments, "patch", &request.n_patches);
	const char **configs = option_values(arguments, "config", &request.n_configs);
	struct kernel *kernel = NULL;
	struct error *error;

	request.patches = patches;
	request.configs = configs;
	error = kernel_add(&request, &kernel);
	progress_end(bar.progress);
	if (!error)
		printf("kernel %s: Linux %s, %zu functions not modelled%s\n", kernel->name,
		       text_of(kernel, "version"),
		       json_array_size(json_object_get(kernel->record, "not_modelled")),
		       origins[kernel->origin]);
	if (!error)
		warn_about_same(kernel);
	kernel_free(kernel);
	free(patches);
	free(configs);
	return error;
}

static void print_json(const json_t *value)
{
	autofree char *text = json_text(value);

	puts(text);
}

/* "tree@HEAD (51c06e1b49af)": what HEAD or a branch was when it was added; it may have moved since */
static char *source_text(const struct kernel *kernel)
{
	static const char commit[] = "commit:";
	const char *id = text_of(kernel, "source_id");

	if (strncmp(id, commit, strlen(commit)) != 0)
		return memory_string(text_of(kernel, "source"));
	return memory_format("%s (%.12s)", text_of(kernel, "source"), id + strlen(commit));
}

static struct error *list(const struct arguments *arguments)
{
	struct kernel **kernels;
	struct error *error;
	int n;

	error = kernel_all(&kernels, &n);
	if (error)
		return error;
	if (option_given(arguments, "json")) {
		json_t *array = json_array();

		for (int i = 0; i < n; i++)
			json_array_append(array, kernels[i]->record);
		print_json(array);
		json_decref(array);
	} else if (n) {
		printf("%-20s %-12s %-7s %s\n", "NAME", "VERSION", "PATCHES", "SOURCE");
		for (int i = 0; i < n; i++) {
			autofree char *source = source_text(kernels[i]);

			printf("%-20s %-12s %7zu %s\n", kernels[i]->name,
			       text_of(kernels[i], "version"),
			       json_array_size(json_object_get(kernels[i]->record, "patches")),
			       source);
		}
	}
	kernel_all_free(kernels, n);
	return NULL;
}

static void print_strings(const char *title, const json_t *array)
{
	json_t *item;
	size_t i;

	json_array_foreach((json_t *)array, i, item)
		printf("%-16s%s\n", i ? "" : title, json_string_value(item));
	if (!json_array_size(array))
		printf("%-16s-\n", title);
}

static struct error *show(const struct arguments *arguments)
{
	struct kernel *kernel;
	struct error *error = kernel_open(arguments->words[1], &kernel);

	if (error)
		return error;
	if (option_given(arguments, "json")) {
		print_json(kernel->record);
	} else {
		printf("%-16s%s\n", "name", kernel->name);
		printf("%-16s%s\n", "version", text_of(kernel, "version"));
		printf("%-16s%s\n", "source", text_of(kernel, "source"));
		printf("%-16s%s\n", "source id", text_of(kernel, "source_id"));
		print_strings("patches", json_object_get(kernel->record, "patches"));
		print_strings("patch sha256", json_object_get(kernel->record, "patch_sha256"));
		print_strings("configuration", json_object_get(kernel->record, "config"));
		printf("%-16s%s\n", "compiler", text_of(kernel, "compiler"));
		if (text_of(kernel, "sanitize")[0])
			printf("%-16s%s\n", "sanitizers", text_of(kernel, "sanitize"));
		printf("%-16s%s\n", "added", text_of(kernel, "added"));
		printf("%-16s%s\n", "library", kernel->library);
		print_strings("not modelled", json_object_get(kernel->record, "not_modelled"));
	}
	kernel_free(kernel);
	return NULL;
}

static struct error *rm(const struct arguments *arguments)
{
	bool kept;
	struct error *error = kernel_remove(arguments->words[1], &kept);

	if (!error && kept)
		fprintf(stderr,
			"fairtrial: its files stay until the next kernel add or rm: another process "
			"builds or simulates now\n");
	return error;
}

static const struct {
	const char *name, *usage;
	int n_words;
	struct error *(*run)(const struct arguments *arguments);
} actions[] = {
	{ "add", "NAME SOURCE", 3, add },
	{ "list", "", 1, list },
	{ "show", "NAME", 2, show },
	{ "rm", "NAME", 2, rm },
};

static struct error *run(const struct arguments *arguments, int *status)
{
	const char *const names[] = { "add", "list", "show", "rm", NULL };
	const char *action = arguments->words[0], *near = text_nearest(action, names);

	(void)status;
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (strcmp(actions[i].name, action))
			continue;
		if (arguments->n_words != actions[i].n_words)
			return error_new(ERR_USAGE, "usage: fairtrial kernel %s%s%s", action,
					 actions[i].usage[0] ? " " : "", actions[i].usage);
		if (i && (option_given(arguments, "patch") || option_given(arguments, "config") ||
			  option_given(arguments, "sanitize") || option_given(arguments, "force") ||
			  option_given(arguments, "rebuild")))
			return error_new(ERR_USAGE, "kernel %s takes no such option", action);
		return actions[i].run(arguments);
	}
	if (near)
		return error_new(ERR_USAGE, "kernel: no action '%s'; did you mean '%s'?", action,
				 near);
	return error_new(ERR_USAGE, "kernel: no action '%s'; there are add, list, show and rm",
			 action);
}

const struct verb verb_kernel = {
	.name = "kernel",
	.usage = "add NAME SOURCE | list | show NAME | rm NAME",
	.summary = "kernel source trees for the simulator, by name",
	.options = options,
	.min_words = 1,
	.max_words = 3,
	.run = run,
};
