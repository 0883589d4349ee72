// SPDX-License-Identifier: GPL-2.0-only
/* setting_journal.c - one journal: whose it is, what it holds, its text (JSON) */
#include "backend/setting_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

#define JOURNAL_VERSION 1

static const char *const kind_names[] = {
	[CHANGE_VALUE] = "value",
	[CHANGE_FEATURE] = "feature",
	[CHANGE_CHOICE] = "choice",
	[CHANGE_CGROUP] = "cgroup",
};

void setting_step(const struct setting_host *host, const char *step, const char *path)
{
	if (host->step)
		host->step(host->data, step, path);
}

void setting_change_clear(struct setting_change *change)
{
	free(change->path);
	free(change->old);
	free(change->new);
	*change = (struct setting_change){ 0 };
}

void journal_free(struct setting_journal *journal)
{
	if (!journal)
		return;
	for (int i = 0; i < journal->n; i++)
		setting_change_clear(&journal->changes[i]);
	free(journal->changes);
	for (int i = 0; i < journal->n_held; i++)
		close(journal->held[i]);
	free(journal->held);
	free(journal->file);
	free(journal->boot);
	free(journal->origin);
	free(journal);
}

/* false if the process is gone or only waits to be reaped */
static bool process_start(long pid, unsigned long long *start)
{
	autofree char *path = memory_format("/proc/%ld/stat", pid);
	autofree char *line = file_read_line(path);
	const char *end = line ? strrchr(line, ')') : NULL;
	char state;

	if (!end || sscanf(end + 1,
			   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			   "%*s %*s %llu",
			   &state, start) != 2)
		return false;
	return state != 'Z' && state != 'X';
}

char *journal_boot(const struct setting_host *host)
{
	char *id = host->boot ? memory_string(host->boot)
			      : file_read_line("/proc/sys/kernel/random/boot_id");

	return id ? id : memory_string("unknown");
}

struct error *journal_new(const struct setting_host *host, struct setting_journal **out)
{
	struct setting_journal *journal = memory_zeroed(1, sizeof(*journal));

	journal->host = host;
	journal->pid = getpid();
	if (!process_start(journal->pid, &journal->start)) {
		free(journal);
		return error_new(ERR_UNAVAILABLE,
				 "/proc/%ld/stat cannot be read: is /proc mounted?",
				 (long)getpid());
	}
	journal->boot = journal_boot(host);
	*out = journal;
	return NULL;
}

char *journal_text(const struct setting_journal *journal)
{
	json_t *changes = json_array();
	json_t *value = json_pack("{s:i, s:s, s:I, s:I, s:o}", "fairtrial_journal", JOURNAL_VERSION,
				  "boot", journal->boot, "pid", (json_int_t)journal->pid, "start",
				  (json_int_t)journal->start, "changes", changes);
	char *text;

	for (int i = 0; i < journal->n; i++) {
		const struct setting_change *change = &journal->changes[i];

		json_array_append_new(changes,
				      json_pack("{s:s, s:s, s:s*, s:s*}", "kind",
						kind_names[change->kind], "path", change->path,
						"old", change->old, "new", change->new));
	}
	text = json_text(value);
	json_decref(value);
	return text;
}

static bool kind_parse(const char *name, enum change_kind *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(kind_names); i++) {
		if (!strcmp(name, kind_names[i])) {
			*out = (enum change_kind)i;
			return true;
		}
	}
	return false;
}

static bool parse_change(json_t *value, struct setting_journal *journal)
{
	const char *kind, *path, *old = NULL, *new = NULL;
	struct setting_change change = { 0 };

	if (json_unpack(value, "{s:s, s:s, s?s, s?s}", "kind", &kind, "path", &path, "old", &old,
			"new", &new) ||
	    !kind_parse(kind, &change.kind) || *path != '/')
		return false;
	if (change.kind != CHANGE_CGROUP && (!old || !new))
		return false;
	change.path = memory_string(path);
	change.old = old ? memory_string(old) : NULL;
	change.new = new ? memory_string(new) : NULL;
	*array_append(journal->changes, journal->n) = change;
	return true;
}

static bool parse_journal(json_t *value, struct setting_journal *journal)
{
	const char *boot;
	json_t *changes;
	json_int_t pid, start;
	int version;

	if (json_unpack(value, "{s:i, s:s, s:I, s:I, s:o}", "fairtrial_journal", &version, "boot",
			&boot, "pid", &pid, "start", &start, "changes", &changes) ||
	    version != JOURNAL_VERSION || !json_is_array(changes) || pid < 1)
		return false;
	journal->boot = memory_string(boot);
	journal->pid = (long)pid;
	journal->start = (unsigned long long)start;
	for (size_t i = 0; i < json_array_size(changes); i++)
		if (!parse_change(json_array_get(changes, i), journal))
			return false;
	return true;
}

struct error *journal_parse(const char *text, const char *file, struct setting_journal **out)
{
	struct setting_journal *journal;
	json_t *value;
	struct error *error = json_parse(text, file, 0, &value);
	bool good;

	if (error)
		return error;
	journal = memory_zeroed(1, sizeof(*journal));
	journal->host = &setting_live_host;
	good = parse_journal(value, journal);
	json_decref(value);
	if (!good) {
		journal_free(journal);
		return error_at(ERR_INPUT, file, 0, "not a journal of this version of fairtrial");
	}
	journal->file = memory_string(file);
	journal->made = journal->n;
	*out = journal;
	return NULL;
}

bool journal_alive(const struct setting_journal *journal)
{
	unsigned long long start;

	return process_start(journal->pid, &start) && start == journal->start;
}
