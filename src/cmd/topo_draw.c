// SPDX-License-Identifier: GPL-2.0-only
/* topo_draw.c - lstopo's drawing, of any machine, through XML */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/subprocess.h"
#include "cmd/topo.h"

/* a drawing takes well below a second, also of the largest machine */
#define TIME_LIMIT 60.0

/* the machine as a file for lstopo */
static struct error *export_xml(const struct machine *machine, int *fd, char **path)
{
	struct error *error;
	char *text;
	int length;

	if (hwloc_topology_export_xmlbuffer(machine->topology, &text, &length, 0))
		return error_errno("hwloc cannot write the machine as XML");
	error = file_unnamed(fd, path);
	/* the length counts a NUL */
	if (!error && write(*fd, text, (size_t)length - 1) != length - 1) {
		error = error_errno("cannot write the machine as XML");
		close(*fd);
		free(*path);
	}
	hwloc_free_xmlbuffer(machine->topology, text);
	return error;
}

struct error *topo_draw(const struct machine *machine, const char *file, bool replace)
{
	autofree char *program = subprocess_find("lstopo");
	struct subprocess_output output;
	struct error *error;
	char *xml;
	int fd;

	if (!program)
		program = subprocess_find("lstopo-no-graphics");
	if (!program)
		return error_new(ERR_UNAVAILABLE,
				 "--svg is not available: lstopo is missing; install the package "
				 "hwloc-nox or hwloc");
	/* before the work */
	error = output_check(file, replace);
	if (!error)
		error = export_xml(machine, &fd, &xml);
	if (error)
		return error;
	error = subprocess_check((const char *const[]){ program, "--if", "xml", "-i", xml, "--of",
							"svg", "-", NULL },
				 NULL, TIME_LIMIT, &output);
	close(fd);
	free(xml);
	if (error)
		return error;
	error = file_write(file, output.out, output.out_length, replace, 0666);
	subprocess_free(&output);
	return error;
}
