// SPDX-License-Identifier: GPL-2.0-only
/*
 * source.c - from SOURCE on the command line to a folder with the needed parts of a kernel tree
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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

/* A tree of a tarball or commit is complete when it is in trees/. Another addition may have been faster. */
static struct error *keep_tree(const char *unpacked, const char *kept)
{
	if (!rename(unpacked, kept))
		return NULL;
	if (!path_exists("%s/Makefile", kept))
		return error_errno("cannot move %s", kept);
	return folder_remove(unpacked);
}

/* `out` may be NULL: what the program prints is not wanted. */
static struct error *run(const char *const *argv, const char *directory, char **out)
{
	struct subprocess_output output;
	struct error *error = subprocess_check(argv, directory, 0, &output);

	if (error)
		return error;
	if (out)
		*out = memory_string(output.out);
	subprocess_free(&output);
	return NULL;
}

/* As run(), for a command that depends on the tree; frees the words. */
static struct error *run_words(struct words *w, const char *directory)
{
	const char **argv = words_argv(w);
	struct error *error = run(argv, directory, NULL);

	free(argv);
	words_free(w);
	return error;
}

/* tar tells a full disk by how many bytes of a file it wrote. */
static struct error *tell_full_disk(const char *folder, struct error *error)
{
	struct statvfs disk;

	if (error && !statvfs(folder, &disk) && !disk.f_bavail)
		return error_prefix(error, "no space left on the disk of %s", folder);
	return error;
}

/* Of a tree that could not be made; the first error counts. */
static struct error *drop_folder(const char *folder, struct error *error)
{
	if (folder && error)
		error_free(folder_remove(folder));
	return error;
}

/* ---- tarballs ---------------------------------------------------------------------------------- */

struct error *file_sha256(const char *path, char **digest)
{
	const char *argv[] = { "sha256sum", "--", path, NULL };
	struct error *error = run(argv, NULL, digest);

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
	for (int i = 0; tree_parts[i]; i++)
		if (strcmp(tree_parts[i], "init") != 0 && strcmp(tree_parts[i], "io_uring") != 0)
			words_add(&w, "*/%s", tree_parts[i]);
	/*
	 * A pattern that matches nothing is an error of tar, and trees before 6.0 have no io_uring: one
	 * pattern for both, so that tree_check() can tell.
	 */
	words_add(&w, "*/i[no][i_]*");
	return error_prefix(tell_full_disk(folder, run_words(&w, NULL)), "%s", tarball);
}

static struct error *open_tarball(const struct registry *r, const char *path, struct tree *t)
{
	autofree char *digest = NULL, *work = NULL;
	struct error *error = file_sha256(path, &digest);

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
		error = keep_tree(work, t->folder);
	return drop_folder(work, error);
}

/* ---- git ------------------------------------------------------------------------------------------ */

static struct error *resolve_commit(const char *folder, const char *name, char **commit)
{
	autofree char *object = memory_format("%s^{commit}", name);
	const char *argv[] = { "git",  "rev-parse", "--verify", "--quiet", "--end-of-options",
			       object, NULL };
	struct error *error = run(argv, folder, commit);

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
	struct error *error = NULL;

	words_add(&w, "git");
	words_add(&w, "archive");
	words_add(&w, "--format=tar");
	words_add(&w, "--prefix=linux/");
	words_add(&w, "--output=%s", tarball);
	words_add(&w, "%s", commit);
	words_add(&w, "--");
	for (int i = 0; tree_parts[i] && !error; i++) {
		const char *argv[] = { "git", "ls-tree", commit, tree_parts[i], NULL };
		autofree char *listing = NULL;

		error = run(argv, folder, &listing);
		if (listing && listing[0])
			words_add(&w, "%s", tree_parts[i]);
	}
	if (!error)
		return run_words(&w, folder);
	words_free(&w);
	return error;
}

static struct error *unpack_archive(const char *tarball, const char *folder)
{
	const char *argv[] = { "tar", "-xf", tarball, "-C", folder, "--strip-components=1", NULL };
	struct error *error = tell_full_disk(folder, run(argv, NULL, NULL));

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
		error = keep_tree(work, t->folder);
	return drop_folder(work, error);
}

struct error *source_open(const struct registry *r, const char *source, struct tree *out)
{
	const char *at = strrchr(source, '@');
	struct stat st;
	struct error *error;

	*out = (struct tree){ .source = memory_string(source) };
	if (!stat(source, &st)) {
		if (S_ISREG(st.st_mode))
			return open_tarball(r, source, out);
		if (!S_ISDIR(st.st_mode))
			return error_new(
				ERR_INPUT,
				"%s is neither a folder nor a file; accepted: a kernel tree, "
				"a tarball of one, or TREE@COMMIT",
				source);
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
