// SPDX-License-Identifier: GPL-2.0-only
/* topo_draw.c - lstopo's drawing, of any machine, through a temporary XML file */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "cmd/topo.h"

/* a drawing takes well below a second, also of the largest machine */
#define TIME_LIMIT 60.0

static struct error *export_xml(const struct machine *machine, char **path)
{
	const char *folder = getenv("TMPDIR");
	char *name = memory_format("%s/fairtrial-topo.XXXXXX", folder ? folder : "/tmp");
	struct error *error = NULL;
	int descriptor = mkstemp(name);

	if (descriptor < 0) {
		error = error_errno("cannot make the temporary file %s", name);
		free(name);
		return error;
	}
	close(descriptor);
	if (hwloc_topology_export_xml(machine->topology, name, 0)) {
		error = error_errno("cannot write %s", name);
		unlink(name);
		free(name);
		return error;
	}
	*path = name;
	return NULL;
}

/* O_EXCL: neither a file of the user nor a link that someone else made is written through */
static struct error *write_new(const char *path, const char *text, size_t length)
{
	int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct error *error = NULL;
	size_t written = 0;

	if (descriptor < 0 && errno == EEXIST)
		return error_new(ERR_INPUT, "%s exists; --force replaces it", path);
	if (descriptor < 0)
		return error_errno("cannot make %s", path);
	while (written < length && !error) {
		ssize_t n = write(descriptor, text + written, length - written);

		if (n < 0 && errno != EINTR)
			error = error_errno("cannot write %s", path);
		else if (n > 0)
			written += n;
	}
	if (close(descriptor) && !error)
		error = error_errno("cannot write %s", path);
	if (error)
		unlink(path);
	return error;
}

struct error *topo_draw(const struct machine *machine, const char *file, bool replace)
{
	autofree char *program = subprocess_find("lstopo");
	struct subprocess_output output;
	struct error *error;
	char *xml;

	if (!program)
		program = subprocess_find("lstopo-no-graphics");
	if (!program)
		return error_new(ERR_UNAVAILABLE,
				 "--svg is not available: lstopo is missing; install the package "
				 "hwloc-nox or hwloc");
	/* before the work; the last word has O_EXCL */
	if (!replace && !access(file, F_OK))
		return error_new(ERR_INPUT, "%s exists; --force replaces it", file);
	error = export_xml(machine, &xml);
	if (error)
		return error;
	error = subprocess_check((const char *const[]){ program, "-i", xml, "--of", "svg", "-",
							NULL },
				 NULL, TIME_LIMIT, &output);
	unlink(xml);
	free(xml);
	if (error)
		return error;
	if (replace)
		error = file_replace(file, output.out, output.out_length, 0644);
	else
		error = write_new(file, output.out, output.out_length);
	subprocess_free(&output);
	return error;
}
