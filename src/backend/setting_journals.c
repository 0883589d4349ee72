// SPDX-License-Identifier: GPL-2.0-only
/*
 * setting_journals.c - the folder of journals: what is changed is on disk before it is changed
 *
 * A journal is put in place at once (file_replace()): it is there whole or not at all, and before it
 * is there nothing was changed. A start that finds the journal of a dead process puts its values
 * back. After a reboot the kernel has its own values again, and only the file is left.
 */
#include "backend/setting_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

struct error *journal_folder(const struct setting_host *host, char **folder)
{
	if (host->journals)
		*folder = memory_string(host->journals);
	else if (host->shared && geteuid() == 0 && !access("/run", W_OK))
		*folder = memory_string(host->shared);
	else
		return file_data_path("journal", folder);
	return NULL;
}

/* a user may see that there is a journal of root, but not read it */
static void open_folder(const struct setting_host *host, const char *folder)
{
	autofree char *above = NULL;

	if (!host->shared || strcmp(folder, host->shared) != 0)
		return;
	above = memory_string_n(folder, (size_t)(strrchr(folder, '/') - folder));
	if (chmod(above, 0755) || chmod(folder, 0755))
		return; /* then users are not told, which harms nothing */
}

struct error *journal_lock(const struct setting_host *host, const char *folder, int *fd)
{
	autofree char *path = memory_format("%s/lock", folder);
	struct error *error = file_make_folders(path);

	if (error)
		return error;
	open_folder(host, folder);
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd < 0)
		return error_errno("cannot open %s", path);
	while (flock(*fd, LOCK_EX)) {
		if (errno == EINTR)
			continue;
		error = error_errno("cannot lock %s", path);
		close(*fd);
		return error;
	}
	return NULL;
}

/* Called for the path of each journal of a folder. */
typedef struct error *(*journal_visit)(const char *path, void *data);

static int is_journal(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return end && !strcmp(end, ".json");
}

static int is_unfinished(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return end && !strcmp(end, ".new") && strstr(entry->d_name, ".json.");
}

static int is_left(const struct dirent *entry)
{
	return is_journal(entry) || is_unfinished(entry);
}

bool journal_any(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_left, NULL);

	/* what a user may not list is another's: of root's dead runs journal_tell() speaks */
	if (n < 0)
		return errno != ENOENT && errno != ENOTDIR && (errno != EACCES || !geteuid());
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	return n > 0;
}

static struct error *visit_journals(const char *folder, journal_visit visit, void *data)
{
	struct error *error = NULL;
	struct dirent **entries;
	int n = scandir(folder, &entries, is_journal, alphasort);

	if (n < 0)
		return errno == ENOENT ? NULL : error_errno("cannot list %s", folder);
	for (int i = 0; i < n; i++) {
		autofree char *path = memory_format("%s/%s", folder, entries[i]->d_name);

		if (!error)
			error = visit(path, data);
		free(entries[i]);
	}
	free(entries);
	return error;
}

/*
 * NULL if there is none any more: its owner, which removes it without the lock, has ended since the
 * folder was listed
 */
static struct error *read_journal(const char *path, struct setting_journal **out)
{
	autofree char *text = NULL;
	struct error *error = file_read(path, &text, NULL);
	struct stat status;

	*out = NULL;
	if (error && lstat(path, &status) && errno == ENOENT) {
		error_free(error);
		return NULL;
	}
	if (error)
		return error;
	error = journal_parse(text, path, out);
	if (error)
		error = error_prefix(error, "damaged journal of changed settings; put them back by "
					    "hand, then remove the file");
	return error;
}

/* do both change the same thing? features share a file */
static bool overlap(const struct setting_change *a, const struct setting_change *b)
{
	if (strcmp(a->path, b->path) != 0)
		return false;
	if (a->kind != CHANGE_FEATURE || b->kind != CHANGE_FEATURE)
		return true;
	return !strcmp(a->new + (strncmp(a->new, "NO_", 3) ? 0 : 3),
		       b->new + (strncmp(b->new, "NO_", 3) ? 0 : 3));
}

static struct error *refuse_overlap(const char *path, void *data)
{
	const struct setting_journal *own = data;
	struct setting_journal *other;
	struct error *error = read_journal(path, &other);

	for (int i = 0; !error && other && i < own->n; i++)
		for (int j = 0; !error && j < other->n; j++)
			if (overlap(&own->changes[i], &other->changes[j]))
				error = error_new(ERR_MISMATCH,
						  "%s is being changed by another fairtrial, "
						  "process %ld; wait until it has ended",
						  own->changes[i].path, other->pid);
	if (error && error->code != ERR_MISMATCH)
		return error;
	journal_free(other);
	return error;
}

struct error *journal_write(const char *folder, struct setting_journal *journal)
{
	struct error *error = visit_journals(folder, refuse_overlap, journal);
	autofree char *text = NULL;
	char *path = NULL;

	if (error)
		return error;
	for (int i = 0; !path || !access(path, F_OK); i++) {
		free(path);
		path = memory_format("%s/%ld-%llu-%d.json", folder, journal->pid, journal->start,
				     i);
	}
	text = journal_text(journal);
	error = file_replace(path, text, strlen(text), 0600);
	if (error) {
		free(path);
		return error;
	}
	journal->file = path;
	setting_step(journal->host, "journal", path);
	return NULL;
}

struct error *journal_hold(struct setting_journal *journal)
{
	for (int i = 0; i < journal->n; i++) {
		const char *path = journal->changes[i].path;
		bool held = journal->changes[i].kind == CHANGE_CGROUP;
		int fd;

		for (int j = 0; j < i; j++)
			held |= !strcmp(path, journal->changes[j].path);
		if (held)
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			return error_errno("cannot open %s", path);
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			close(fd);
			return error_new(
				ERR_MISMATCH,
				"%s is being changed by another fairtrial (see /proc/locks); "
				"wait until it has ended",
				path);
		}
		*array_append(journal->held, journal->n_held) = fd;
	}
	return NULL;
}

static void sync_folder_of(const char *path)
{
	autofree char *folder = memory_string_n(path, (size_t)(strrchr(path, '/') - path));
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

struct error *journal_remove(struct setting_journal *journal)
{
	if (!journal->file)
		return NULL;
	if (unlink(journal->file) && errno != ENOENT)
		return error_errno("cannot remove %s", journal->file);
	sync_folder_of(journal->file);
	setting_step(journal->host, "remove", journal->file);
	return NULL;
}

static struct error *undo_change(struct setting_journal *journal,
				 const struct setting_change *change)
{
	autofree char *now = NULL;

	if (change->kind == CHANGE_CGROUP)
		return setting_cgroup_remove(journal->host, change->path, journal->origin);
	/* not made yet, or refused: such a file may refuse its old value too */
	error_free(setting_file_read(change, &now));
	if (now && !strcmp(now, change->old))
		return NULL;
	return error_prefix(setting_file_write(journal->host, change, change->old),
			    "could not put back %s to '%s'", change->path, change->old);
}

struct error *journal_undo(struct setting_journal *journal)
{
	struct error *first = NULL;

	while (journal->made > 0) {
		struct error *error = undo_change(journal, &journal->changes[--journal->made]);

		if (first)
			error_free(error);
		else
			first = error;
	}
	return first;
}

struct recovery {
	const struct setting_host *host;
	FILE *stream;
};

struct error *journal_soften(struct error *error, const char *path, FILE *stream)
{
	char *text;

	if (!error || error->code != ERR_PERMISSION || !geteuid())
		return error;
	text = error_text(error);
	fprintf(stream,
		"fairtrial: settings of a dead run are not put back: %s; any start as root does it "
		"(%s)\n",
		text, path);
	free(text);
	error_free(error);
	return NULL;
}

static void say_undone(const struct setting_journal *journal, FILE *stream)
{
	for (int i = journal->n - 1; i >= 0; i--) {
		const struct setting_change *change = &journal->changes[i];

		if (change->kind == CHANGE_CGROUP)
			fprintf(stream, "fairtrial: removed the cgroup %s of a dead run\n",
				change->path);
		else
			fprintf(stream, "fairtrial: put back %s to %s after a run that died\n",
				change->path, change->old);
	}
}

/*
 * Root may read journals in a folder that a user can write to (sudo keeps HOME), so what a journal
 * says is done only if it is our own, and only to files that variants change.
 */
static bool is_setting(const struct setting_host *host, const struct setting_change *change)
{
	static const char *const places[] = { "/proc/sys/", "/sys/kernel/debug/sched/",
					      "/sys/kernel/debug/sched_features" };
	const char *name = strrchr(change->path, '/') + 1;

	if (strstr(change->path, "/../"))
		return false;
	if (change->kind == CHANGE_CGROUP)
		return !strncmp(name, "fairtrial-", strlen("fairtrial-"));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		autofree char *place = memory_format("%s%s", host->root, places[i]);

		if (!strncmp(change->path, place, strlen(place)))
			return true;
	}
	return false;
}

static struct error *check_paths(const struct setting_journal *journal, const char *file)
{
	for (int i = 0; i < journal->n; i++)
		if (!is_setting(journal->host, &journal->changes[i]))
			return error_at(ERR_INPUT, file, 0,
					"a journal that names %s, not a setting of fairtrial's: "
					"look at it, then remove it",
					journal->changes[i].path);
	return NULL;
}

static bool is_own(const char *path)
{
	struct stat status;

	return lstat(path, &status) || (S_ISREG(status.st_mode) && status.st_uid == geteuid());
}

static struct error *recover_one(const char *path, void *data)
{
	const struct recovery *recovery = data;
	autofree char *boot = journal_boot(recovery->host);
	struct setting_journal *journal;
	struct error *error;
	bool same_boot;

	if (geteuid() == 0 && !is_own(path)) {
		fprintf(recovery->stream, "fairtrial: %s is of another user: left alone\n", path);
		return NULL;
	}
	error = read_journal(path, &journal);
	if (error || !journal)
		return journal_soften(error, path, recovery->stream);
	journal->host = recovery->host;
	same_boot = !strcmp(journal->boot, boot);
	if (same_boot && journal_alive(journal)) {
		journal_free(journal);
		return NULL;
	}
	error = check_paths(journal, path);
	if (!error && same_boot)
		error = journal_undo(journal);
	if (!error)
		error = journal_remove(journal);
	if (!error && same_boot)
		say_undone(journal, recovery->stream);
	else if (!error)
		fprintf(recovery->stream,
			"fairtrial: a run died before the last boot, which reset its settings\n");
	journal_free(journal);
	return journal_soften(error, path, recovery->stream);
}

/* a journal that was not yet in place when its process died; writers hold the lock that we hold */
static void remove_unfinished(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_unfinished, NULL);

	for (int i = 0; i < n; i++) {
		autofree char *path = memory_format("%s/%s", folder, entries[i]->d_name);

		unlink(path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

struct error *journal_recover(const struct setting_host *host, const char *folder, FILE *stream)
{
	struct recovery recovery = { host, stream };

	remove_unfinished(folder);
	return visit_journals(folder, recover_one, &recovery);
}

void journal_tell(const struct setting_host *host, FILE *stream)
{
	struct dirent **entries;
	bool told = false;
	int n = scandir(host->shared, &entries, is_journal, alphasort);

	for (int i = 0; i < n; i++) {
		struct setting_journal named = { 0 };

		/* the name tells whose it is */
		if (!told &&
		    sscanf(entries[i]->d_name, "%ld-%llu-", &named.pid, &named.start) == 2 &&
		    !journal_alive(&named)) {
			fprintf(stream,
				"fairtrial: settings of a dead run of root are not put back; any "
				"start as root does it (%s/%s)\n",
				host->shared, entries[i]->d_name);
			told = true;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}
