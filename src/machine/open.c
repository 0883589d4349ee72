// SPDX-License-Identifier: GPL-2.0-only
/* open.c - what a MACHINE on the command line or in a plan names */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/ready.h"
#include "base/text.h"
#include "machine/build.h"

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

char **machine_ready_names(int *n)
{
	return ready_names("machines", ".machine", n);
}

static struct error *no_such_machine(const char *name)
{
	int n;
	char **names = machine_ready_names(&n);
	const char **candidates = memory_zeroed(n + 2, sizeof(*candidates));
	const char *nearest;
	struct error *error;

	for (int i = 0; i < n; i++)
		candidates[i] = names[i];
	candidates[n] = "live";
	nearest = text_nearest(name, candidates);
	if (nearest)
		error = error_new(ERR_INPUT, "no machine '%s'; did you mean '%s'?", name, nearest);
	else
		error = error_new(
			ERR_INPUT,
			"no machine '%s'; accepted: live, a ready machine (fairtrial topo --list), a .machine or "
			".xml file, or a synthetic string such as 'pack:2 core:8 pu:2'",
			name);
	free(candidates);
	text_split_free(names, n);
	return error;
}

/* finishes a machine that only a topology tells of; @synthetic: the string it is of, or NULL */
static struct error *finish(struct machine *machine, const char *synthetic, struct machine **out)
{
	struct error *error;

	topology_read(machine);
	if (synthetic)
		synthetic_forget_defaults(machine, synthetic);
	hwloc_bitmap_copy(machine->cpuset, machine->online);
	hwloc_bitmap_copy(machine->affinity, machine->online);
	hwloc_bitmap_copy(machine->usable, machine->online);
	error = machine_index(machine);
	if (!error)
		error = topology_read_distances(machine);
	if (error && !error->file)
		error->file = memory_string(machine->source);
	if (!error)
		*out = machine;
	return error;
}

static struct error *open_xml(const char *path, struct machine **out)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	autofree char *name = memory_string_n(base, strlen(base) - strlen(".xml"));
	struct machine *machine = machine_new(name, path);
	struct error *error = topology_load_xml(path, &machine->topology);

	if (!error)
		error = finish(machine, NULL, out);
	if (error)
		machine_close(machine);
	return error;
}

static struct error *open_synthetic(const char *text, struct machine **out)
{
	struct machine *machine = machine_new("synthetic", text);
	struct error *error = topology_load_synthetic(text, NULL, 0, &machine->topology);

	if (!error)
		error = finish(machine, text, out);
	if (error)
		machine_close(machine);
	return error;
}

struct error *machine_open(const char *name, struct machine **out)
{
	autofree char *ready = NULL;

	if (!name || !strcmp(name, "live"))
		return machine_open_root("", out);
	if (ends_with(name, ".xml"))
		return open_xml(name, out);
	if (ends_with(name, ".machine"))
		return machine_read_file(name, out);
	ready = ready_find("machines", name, ".machine");
	if (ready)
		return machine_read_file(ready, out);
	if (strchr(name, ':'))
		return open_synthetic(name, out);
	return no_such_machine(name);
}
