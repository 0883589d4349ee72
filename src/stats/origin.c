// SPDX-License-Identifier: GPL-2.0-only
#include "stats/origin.h"

#include <string.h>

#include "base/memory.h"

static const struct result_variant *variant_of(const struct side_part *part)
{
	return &part->run->variants[part->variant];
}

const char *origin_backend(const struct side_part *part)
{
	const char *backend = variant_of(part)->backend;

	return backend ? backend : "live";
}

char *origin_kernel(const struct side_part *part)
{
	const char *kernel = variant_of(part)->kernel;

	if (!kernel || !strcmp(kernel, "running"))
		kernel = json_string_value(
			json_object_get(part->run->environment, "kernel_release"));
	return memory_string(kernel ? kernel : "unknown");
}

char *origin_kernel_key(const struct side_part *part)
{
	const json_t *environment = part->run->environment;
	const char *name = variant_of(part)->kernel, *key;

	if (!strcmp(origin_backend(part), "sim"))
		key = json_string_value(json_object_get(json_object_get(environment, "sim_kernels"),
							name ? name : "default"));
	else
		key = json_string_value(json_object_get(environment, "kernel_version"));
	if (!key || !strncmp(key, "not available: ", strlen("not available: ")))
		return NULL;
	return memory_string(key);
}

/* "4 CPUs, 1 node", or "" */
static char *counts_of(const json_t *machine)
{
	long long cpus = json_integer_value(json_object_get(machine, "nr_cpus"));
	long long nodes = json_integer_value(json_object_get(machine, "nr_nodes"));

	if (!cpus)
		return memory_string("");
	return memory_format(", %lld CPU%s, %lld node%s", cpus, cpus == 1 ? "" : "s", nodes,
			     nodes == 1 ? "" : "s");
}

char *origin_machine(const struct side_part *part)
{
	const json_t *environment = part->run->environment;
	const json_t *recorded = json_object_get(environment, "machine");
	const char *name = variant_of(part)->machine;
	const char *recorded_name = json_string_value(json_object_get(recorded, "name"));
	const char *model =
		json_string_value(json_object_get(json_object_get(environment, "cpu"), "model"));
	autofree char *counts = counts_of(recorded);
	bool live = !name || !strcmp(name, "live");

	/* the counts are those of the machine that the run was made for, the model is the host's */
	if (!live)
		return memory_format("%s%s", name,
				     recorded_name && !strcmp(recorded_name, name) ? counts : "");
	if (model)
		return memory_format("%s%s", model, counts);
	return memory_string(name ? name : "unknown");
}
