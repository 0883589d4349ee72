// SPDX-License-Identifier: GPL-2.0-only
/* topo_save.c - machine files: those that are ready, and a new one of any machine */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/topo.h"
#include "machine/save.h"

struct error *topo_save(const struct machine *machine, const char *file, bool replace)
{
	const char *ending = strrchr(file, '.');
	autofree char *text = NULL;
	struct error *error;

	if (!ending || strcmp(ending, ".machine") != 0)
		return error_new(ERR_USAGE,
				 "topo: --save %s: a machine file is read by its ending "
				 ".machine",
				 file);
	error = machine_file_text(machine, &text);
	if (!error)
		error = file_write(file, text, strlen(text), replace, 0666);
	return error;
}

static void print_ready(const char *name)
{
	struct machine *machine;
	struct error *error = machine_open(name, &machine);

	if (error) {
		printf("%-20s %5s  %s\n", name, "-", error->message);
		error_free(error);
		return;
	}
	printf("%-20s %5d  %s\n", name, machine->n_cpus,
	       machine->description ? machine->description : "");
	machine_close(machine);
}

void topo_list(void)
{
	int n;
	char **names = machine_ready_names(&n);

	printf("%-20s %5s  %s\n", "machine", "CPUs", "description");
	for (int i = 0; i < n; i++)
		print_ready(names[i]);
	text_split_free(names, n);
}
