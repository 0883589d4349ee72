// SPDX-License-Identifier: GPL-2.0-only
/*
 * source.c - from SOURCE on the command line to a folder with the needed parts of a kernel tree
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "ksched/build/internal.h"

const char *const tree_parts[] = {
	"Makefile",
	"Kconfig",
	"kernel",
	"include",
	"lib",
	"init",
	"io_uring",
	"mm/Kconfig",
	"arch/Kconfig",
	"arch/x86/Kconfig",
	"arch/arm64/Kconfig",
	"fs/mount.h",
	"fs/internal.h",
	NULL,
};

/* A tree of a tarball or commit is complete when it is in trees/. */
static struct error *keep_tree(const struct registry *r, const char *unpacked, const char *kept)
{
	(void)r;
	if (rename(unpacked, kept) && !path_exists("%s/Makefile", kept))
		return error_errno("cannot move %s", kept);
	return NULL;
}

static struct error *run(const struct words *w, const char *directory, char **out)
{
	const char **argv = words_argv(w);
	struct subprocess_output output;
	struct error *error = subprocess_check(argv, directory, 0, &output);

	free(argv);
	if (error)
		return error;
	if (out)
		*out = memory_string(output.out);
	subprocess_free(&output);
	return NULL;
}

/* ---- tarballs ---------------------------------------------------------------------------------- */

static struct error *sha256_of(const char *path, char **digest)
{
	struct words w = { 0 };
	struct error *error;

	words_add(&w, "sha256sum");
	words_add(&w, "--");
	words_add(&w, "%s", path);
	error = run(&w, NULL, digest);
	words_free(&w);
	if (error)
		return error;
	/* A name with odd characters makes sha256sum start with a backslash. */
	if ((*digest)[0] == '\\')
		memmove(*digest, *digest + 1, strlen(*digest));
	(*digest)[strcspn(*digest, " \n")] = '\0';
	return NULL;
}

static struct error *unpack(const char *tarball, const char *folder)
{
	struct words w = { 0 };
	struct error *error;

	words_add(&w, "tar");
	words_add(&w, "-xf");
	words_add(&w, "%s", tarball);
	words_add(&w, "-C");
	words_add(&w, "%s", folder);
	words_add(&w, "--strip-components=1");
	words_add(&w, "--no-same-owner");
	words_add(&w, "--no-same-permissions");
	words_add(&w, "--wildcards");
	words_add(&w, "--no-wildcards-match-slash");
	/* A pattern that matches nothing is an error of tar: these are in every tree. The folders that
	 * are not (io_uring before 6.0) are not asked for by name. */
	words_add(&w, "*/Makefile");
	words_add(&w, "*/kernel");
	words_add(&w, "*/include");
	words_add(&w, "*/lib");
	words_add(&w, "*/init");
	words_add(&w, "*/io_uring");
	words_add(&w, "*/mm/Kconfig");
	words_add(&w, "*/arch/Kconfig");
	words_add(&w, "*/arch/x86/Kconfig");
	words_add(&w, "*/arch/arm64/Kconfig");
	words_add(&w, "*/fs/mount.h");
	words_add(&w, "*/fs/internal.h");
	error = run(&w, NULL, NULL);
	words_free(&w);
	return error_prefix(error, "%s", tarball);
}

static struct error *open_tarball(const struct registry *r, const char *path, struct tree *t)
{
	autofree char *digest = NULL, *work = NULL;
	struct error *error = sha256_of(path, &digest);

	if (error)
		return error;
	t->id = memory_format("sha256:%s", digest);
	t->folder = memory_format("%s/trees/%s", r->root, digest);
	if (path_exists("%s/Makefile", t->folder))
		return NULL;
	error = registry_temporary(r, &work);
	if (!error)
		error = unpack(path, work);
	if (!error && !path_exists("%s/kernel/sched/core.c", work))
		error = error_new(ERR_INPUT, "%s holds no kernel tree", path);
	if (!error)
		error = keep_tree(r, work, t->folder);
	if (work && error) {
		struct error *second = folder_remove(work);

		error_free(second);
	}
	return error;
}

/* ---- git ------------------------------------------------------------------------------------------ */

static struct error *resolve_commit(const char *folder, const char *name, char **commit)
{
	struct words w = { 0 };
	struct error *error;

	words_add(&w, "git");
	words_add(&w, "rev-parse");
	words_add(&w, "--verify");
	words_add(&w, "--quiet");
	words_add(&w, "--end-of-options");
	words_add(&w, "%s^{commit}", name);
	error = run(&w, folder, commit);
	words_free(&w);
	if (error) {
		if (error->code == ERR_UNAVAILABLE)
			return error;
		error_free(error);
		return error_new(ERR_INPUT, "%s: no commit '%s' in this git tree", folder, name);
	}
	(*commit)[strcspn(*commit, "\n")] = '\0';
	return NULL;
}

/* The parts that the commit has; git archive refuses names that it has not. */
static struct error *archive(const char *folder, const char *commit, const char *tarball)
{
	struct words w = { 0 };
	struct error *error;
	char *listing = NULL;

	words_add(&w, "git");
	words_add(&w, "archive");
	words_add(&w, "--format=tar");
	words_add(&w, "--prefix=linux/");
	words_add(&w, "--output=%s", tarball);
	words_add(&w, "%s", commit);
	words_add(&w, "--");
	for (int i = 0; tree_parts[i]; i++) {
		struct words ls = { 0 };

		words_add(&ls, "git");
		words_add(&ls, "ls-tree");
		words_add(&ls, "%s", commit);
		words_add(&ls, "%s", tree_parts[i]);
		error = run(&ls, folder, &listing);
		words_free(&ls);
		if (error)
			break;
		if (listing[0])
			words_add(&w, "%s", tree_parts[i]);
		free(listing);
	}
	if (!error)
		error = run(&w, folder, NULL);
	words_free(&w);
	return error;
}

static struct error *unpack_archive(const char *tarball, const char *folder)
{
	struct words w = { 0 };
	struct error *error;

	words_add(&w, "tar");
	words_add(&w, "-xf");
	words_add(&w, "%s", tarball);
	words_add(&w, "-C");
	words_add(&w, "%s", folder);
	words_add(&w, "--strip-components=1");
	error = run(&w, NULL, NULL);
	words_free(&w);
	unlink(tarball);
	return error;
}

static struct error *open_commit(const struct registry *r, const char *folder, const char *name,
				 struct tree *t)
{
	autofree char *commit = NULL, *work = NULL, *tarball = NULL;
	struct error *error = resolve_commit(folder, name, &commit);

	if (error)
		return error;
	t->id = memory_format("commit:%s", commit);
	t->folder = memory_format("%s/trees/%s", r->root, commit);
	if (path_exists("%s/Makefile", t->folder))
		return NULL;
	error = registry_temporary(r, &work);
	if (error)
		return error;
	tarball = memory_format("%s/parts.tar", work);
	error = archive(folder, commit, tarball);
	if (!error)
		error = unpack_archive(tarball, work);
	if (!error && !path_exists("%s/kernel/sched/core.c", work))
		error = error_new(ERR_INPUT, "%s@%s is no kernel tree", folder, name);
	if (!error)
		error = keep_tree(r, work, t->folder);
	if (error) {
		struct error *second = folder_remove(work);

		error_free(second);
	}
	return error;
}

struct error *source_open(const struct registry *r, const char *source, struct tree *out)
{
	const char *at = strrchr(source, '@');
	struct stat st;
	struct error *error;

	*out = (struct tree){ .source = memory_string(source) };
	if (!stat(source, &st)) {
		if (!S_ISDIR(st.st_mode))
			return open_tarball(r, source, out);
		out->folder = realpath(source, NULL);
		return out->folder ? NULL : error_errno("%s", source);
	}
	if (!at || at == source || !at[1])
		return error_errno("%s", source);
	{
		autofree char *folder = memory_string_n(source, at - source);

		if (stat(folder, &st) || !S_ISDIR(st.st_mode))
			return error_errno("%s", source);
		error = open_commit(r, folder, at + 1, out);
	}
	return error;
}

void tree_close(struct tree *t)
{
	free(t->folder);
	free(t->source);
	free(t->id);
	free(t->version);
	*t = (struct tree){ 0 };
}
