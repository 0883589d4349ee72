// SPDX-License-Identifier: GPL-2.0-only
/*
 * tree.c - a kernel tree: version, patches, content, and what is known about it
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "ksched/build/internal.h"

/* The value of "NAME = value" in the first lines of the tree's Makefile, a new string. */
static char *makefile_value(const char *makefile, const char *name)
{
	size_t length = strlen(name);
	const char *line = makefile;

	for (int i = 0; i < 20 && line; i++) {
		if (!strncmp(line, name, length) && !strncmp(line + length, " =", 2)) {
			const char *value = line + length + 2;

			while (*value == ' ')
				value++;
			return memory_string_n(value, strcspn(value, "\n"));
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return memory_string("");
}

struct error *tree_check(struct tree *t)
{
	static const char *const needed[] = { "Makefile", "kernel/sched/core.c",
					      "include/linux/sched.h" };
	autofree char *makefile = NULL, *path = NULL, *version = NULL, *patchlevel = NULL,
		      *sublevel = NULL, *extra = NULL;
	struct error *error;

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!path_exists("%s/%s", t->folder, needed[i]))
			return error_new(ERR_INPUT, "%s is no kernel tree: it has no %s", t->source,
					 needed[i]);
	path = memory_format("%s/Makefile", t->folder);
	error = file_read(path, &makefile, NULL);
	if (error)
		return error;
	version = makefile_value(makefile, "VERSION");
	patchlevel = makefile_value(makefile, "PATCHLEVEL");
	sublevel = makefile_value(makefile, "SUBLEVEL");
	extra = makefile_value(makefile, "EXTRAVERSION");
	if (!isdigit((unsigned char)version[0]) || !isdigit((unsigned char)patchlevel[0]))
		return error_new(ERR_INPUT, "%s is no kernel tree: its Makefile has no VERSION",
				 t->source);
	t->version = memory_format("%s.%s.%s%s", version, patchlevel, sublevel[0] ? sublevel : "0",
				   extra);
	/* 5.18 split the scheduler into the files that are built here, 6.0 moved io_uring. */
	if (!path_exists("%s/kernel/sched/build_policy.c", t->folder) ||
	    !path_exists("%s/io_uring", t->folder))
		return error_new(ERR_INPUT, "%s is Linux %s; the simulator builds 6.0 and later",
				 t->source, t->version);
	return NULL;
}

/* ---- patches ------------------------------------------------------------------------------------ */

/* what libraries are built from: a tree is known by its content */
static const char *const built_from[] = { "include", "kernel", "lib", "init", "io_uring" };

/*
 * Does patch(1) say that it works on a file that libraries are built from? One that changes none, an
 * empty one among them, would be measured as a change that it is not.
 */
static bool touches_built(const char *messages)
{
	const char *at = messages;

	while ((at = strstr(at, "ing file "))) {
		at += strlen("ing file ");
		at += *at == '\'';
		for (size_t i = 0; i < ARRAY_SIZE(built_from); i++) {
			size_t length = strlen(built_from[i]);

			if (!strncmp(at, built_from[i], length) && at[length] == '/')
				return true;
		}
	}
	return false;
}

/*
 * Whether the patch applies (reversed) without a trace, and changes something of a library. @why, if
 * given, gets the first line of what patch(1) complains about, and then files do not matter.
 */
static struct error *try_patch(const char *folder, const char *patch, bool reverse, bool dry,
			       bool *applies, char **why)
{
	/* no fuzz: a change that lands in another function would be measured as what it is not */
	const char *argv[] = { "patch",
			       "-p1",
			       "-F0",
			       why ? "--silent" : "--verbose",
			       "--batch",
			       "--no-backup-if-mismatch",
			       "-i",
			       patch,
			       reverse ? "-R" : "-N",
			       dry ? "--dry-run" : NULL,
			       NULL };
	struct subprocess_output output;
	struct error *error = subprocess_run(argv, folder, 60, &output);

	if (error)
		return error;
	*applies = output.status == 0 && (why || touches_built(output.out));
	if (why) {
		*why = memory_string(output.out[0] ? output.out : output.err);
		(*why)[strcspn(*why, "\n")] = '\0';
	}
	subprocess_free(&output);
	return NULL;
}

static struct error *apply(const struct tree *t, const char *patch)
{
	autofree char *full = realpath(patch, NULL), *why = NULL;
	bool applies, there;
	struct error *error;

	if (!full)
		return error_errno("patch %s", patch);
	error = try_patch(t->folder, full, false, true, &applies, &why);
	if (error)
		return error;
	if (!applies) {
		error = try_patch(t->folder, full, true, true, &there, NULL);
		if (error)
			return error;
		if (there)
			return error_new(ERR_INPUT,
					 "patch %s: the tree (%s) has this change already", patch,
					 t->version);
		return error_new(ERR_INPUT, "patch %s does not apply to %s: %s", patch, t->version,
				 why);
	}
	error = try_patch(t->folder, full, false, false, &applies, NULL);
	if (!error && !applies)
		error = error_new(
			ERR_INPUT,
			"patch %s changes nothing that the simulator is built from: files in "
			"kernel, include, lib, init or io_uring are accepted",
			patch);
	return error;
}

struct error *tree_patch(struct tree *t, const char *work, const char *const *patches, int n)
{
	char *copy = memory_format("%s/tree", work);
	struct error *error = folder_copy(t->folder, copy, tree_parts);

	free(t->folder);
	t->folder = copy;
	t->patched = true;
	for (int i = 0; i < n && !error; i++)
		error = apply(t, patches[i]);
	return error;
}

/* ---- content -------------------------------------------------------------------------------------- */

struct error *tree_hash(const struct tree *t, struct hash *h)
{
	struct error *error = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(built_from) && !error; i++) {
		autofree char *path = memory_format("%s/%s", t->folder, built_from[i]);

		hash_string(h, built_from[i]);
		if (path_exists("%s", path))
			error = hash_folder(h, path);
	}
	return error;
}

/* ---- what is known ----------------------------------------------------------------------------------- */

static const struct {
	const char *prefix, *remark;
} known[] = {
	{ "6.1.", "Linux 6.1 (6.1.192 of Debian 12) is known to build" },
	{ "6.12.", "Linux 6.12 (6.12.117 of Debian 12) is known to build" },
	{ "7.2.", "Linux 7.2 (7.2.12 of Debian) is known to build" },
	{ "7.3.", "Linux 7.3 (7.3.4 of Debian) is known to build" },
};

char *tree_remark(const struct tree *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strncmp(t->version, known[i].prefix, strlen(known[i].prefix)))
			return memory_format("%s%s", known[i].remark,
					     t->patched ? ": look at the patches"
							: ": look at what differs in this tree");
	return memory_format(
		"Linux %s has not been tried; 6.1, 6.12, 7.2 and 7.3 are known to build",
		t->version);
}
