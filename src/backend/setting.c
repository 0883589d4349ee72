// SPDX-License-Identifier: GPL-2.0-only
/* setting.c - a variant's settings as a whole: checked, made, put back, recorded */
#include "backend/setting_internal.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "monitor/cgroup.h"

const struct setting_host setting_live_host = {
	.root = "",
	.shared = "/run/fairtrial/journal",
};

/* where the setting stands, and which it is; NULL stays NULL */
static struct error *at_entry(struct error *error, const struct plan *plan,
			      const struct plan_variant *variant, const struct plan_entry *entry)
{
	if (!error)
		return NULL;
	error = error_prefix(error, "variant %s: %s = %s", variant->name, entry->key, entry->value);
	if (!error->file && plan && plan->file) {
		error->file = memory_string(plan->file);
		error->line = entry->line;
	}
	return error;
}

static struct error *check_form(const struct plan_entry *entry)
{
	const struct setting_kind *kind;
	const char *name;
	struct error *error = setting_kind_find(entry->key, &kind, &name);

	return error ? error : kind->check(name, entry->value);
}

/*
 * The changes of the system that a variant needs, prepared; on error none. The journal gets them in
 * the order of the plan, with at most one cgroup, the last.
 */
static struct error *prepare(const struct setting_host *host, const struct plan *plan,
			     const struct plan_variant *variant, struct setting_journal *journal)
{
	const struct plan_entry *in_cgroup = NULL;
	struct error *error = NULL;
	bool bounded = false;

	for (int i = 0; i < variant->n_settings && !error; i++) {
		const struct plan_entry *entry = &variant->settings[i];
		const struct setting_kind *kind;
		const char *name;
		struct setting_change *change;

		error = setting_kind_find(entry->key, &kind, &name);
		if (!error && kind->scope == SCOPE_CGROUP)
			in_cgroup = entry;
		bounded |= !strcmp(entry->key, "cpu.max");
		if (!error && kind->scope == SCOPE_SYSTEM) {
			change = array_append(journal->changes, journal->n);
			error = kind->change(host, name, entry->value, change);
			if (!error)
				error = setting_file_prepare(host, change);
			for (int j = 0; !error && j < journal->n - 1; j++)
				if (!strcmp(journal->changes[j].path, change->path) &&
				    change->kind != CHANGE_FEATURE)
					error = error_new(ERR_INPUT, "%s is set twice",
							  change->path);
		}
		error = at_entry(error, plan, variant, entry);
	}
	if (!error && in_cgroup)
		error = at_entry(setting_cgroup_place(host, bounded,
						      array_append(journal->changes, journal->n)),
				 plan, variant, in_cgroup);
	return error;
}

/* tries a setting of the workers in a process that ends at once: what works there works in a trial */
static struct error *try_enter(const struct setting_host *host, const struct setting_kind *kind,
			       const char *name, const char *value)
{
	char text[512] = "";
	int ends[2];
	ssize_t length;
	pid_t child;

	if (pipe(ends))
		return error_errno("cannot make a pipe");
	child = fork();
	if (!child) {
		hwloc_bitmap_t cpus = hwloc_bitmap_alloc_full();
		struct error *error = kind->enter(host, name, value, cpus);
		char code = error ? (char)error->code : 0;

		if (write(ends[1], &code, 1) != 1 ||
		    (error && write(ends[1], error->message, strnlen(error->message, 500)) < 0))
			_exit(1);
		_exit(0);
	}
	close(ends[1]);
	length = child < 0 ? 0 : read(ends[0], text, 1);
	if (length == 1 && text[0]) {
		size_t used = 1;

		while (used < sizeof(text) - 1 &&
		       (length = read(ends[0], text + used, sizeof(text) - 1 - used)) > 0)
			used += (size_t)length;
		length = 1;
	}
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	if (length != 1)
		return error_new(ERR_SYSTEM, "cannot try it in a process of its own");
	return text[0] ? error_new((enum error_code)text[0], "%s", text + 1) : NULL;
}

/* only CPUs that this process may use can be given to workers */
static struct error *check_usable(const char *value)
{
	hwloc_bitmap_t wanted = hwloc_bitmap_alloc(), usable = hwloc_bitmap_alloc();
	struct error *error = cpulist_parse(value, wanted);
	cpu_set_t *set = CPU_ALLOC(8192);

	if (!error && !sched_getaffinity(0, CPU_ALLOC_SIZE(8192), set)) {
		for (int cpu = 0; cpu < 8192; cpu++)
			if (CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(8192), set))
				hwloc_bitmap_set(usable, (unsigned)cpu);
		if (!hwloc_bitmap_isincluded(wanted, usable)) {
			autofree char *text = cpulist_format(usable);

			error = error_new(ERR_UNAVAILABLE, "the CPUs usable here are %s", text);
		}
	}
	CPU_FREE(set);
	hwloc_bitmap_free(wanted);
	hwloc_bitmap_free(usable);
	return error;
}

static struct error *check_workers(const struct setting_host *host, const struct plan *plan,
				   const struct plan_variant *variant)
{
	struct error *error = NULL;

	for (int i = 0; i < variant->n_settings && !error; i++) {
		const struct plan_entry *entry = &variant->settings[i];
		const struct setting_kind *kind;
		const char *name;

		error = setting_kind_find(entry->key, &kind, &name);
		if (!error && kind->scope == SCOPE_WORKER)
			error = !strcmp(kind->key, "affinity")
					? check_usable(entry->value)
					: try_enter(host, kind, name, entry->value);
		error = at_entry(error, plan, variant, entry);
	}
	return error;
}

struct error *setting_check_on(const struct setting_host *host, const struct plan *plan,
			       const struct plan_variant *variant)
{
	struct setting_journal *journal;
	struct error *error = NULL;

	for (int i = 0; i < variant->n_settings && !error; i++) {
		const struct plan_entry *entry = &variant->settings[i];

		error = at_entry(check_form(entry), plan, variant, entry);
		for (int j = 0; j < i && !error; j++)
			if (!strcmp(variant->settings[j].key, entry->key))
				error = at_entry(error_new(ERR_INPUT, "the key was given before"),
						 plan, variant, entry);
	}
	if (error)
		return error;
	error = journal_new(host, &journal);
	if (error)
		return error;
	error = prepare(host, plan, variant, journal);
	journal_free(journal);
	return error ? error : check_workers(host, plan, variant);
}

static struct error *make(struct setting_journal *journal, const struct plan_variant *variant)
{
	struct error *error = NULL;

	while (journal->made < journal->n && !error) {
		/* counted first: a change that fails half-way is undone too */
		const struct setting_change *change = &journal->changes[journal->made++];

		if (change->kind == CHANGE_CGROUP)
			error = setting_cgroup_make(journal->host, change->path, variant);
		else
			error = setting_file_write(journal->host, change, change->new);
	}
	return error;
}

/* under the lock: old values are read when no dead run's are left, and no one else changes them */
static struct error *write_down(const struct setting_host *host, const struct plan *plan,
				const struct plan_variant *variant, struct setting_journal *journal)
{
	autofree char *folder = NULL;
	struct error *error = journal_folder(host, &folder);
	int lock;

	if (error)
		return error;
	error = journal_lock(host, folder, &lock);
	if (error)
		return error;
	error = journal_recover(host, folder, stderr);
	if (!error)
		error = prepare(host, plan, variant, journal);
	if (!error)
		error = journal_write(folder, journal);
	if (!error)
		error = journal_hold(journal);
	if (error)
		error_free(journal_remove(journal));
	close(lock);
	return error;
}

static bool changes_system(const struct plan_variant *variant)
{
	for (int i = 0; i < variant->n_settings; i++) {
		const struct setting_kind *kind;
		const char *name;
		struct error *error = setting_kind_find(variant->settings[i].key, &kind, &name);

		if (!error && kind->scope != SCOPE_WORKER)
			return true;
		error_free(error);
	}
	return false;
}

static struct error *undo(struct setting_journal *journal)
{
	struct error *error = journal_undo(journal);

	/* after an error the journal stays: the next start tries again */
	if (!error)
		error = journal_remove(journal);
	journal_free(journal);
	return error;
}

struct error *setting_apply_on(const struct setting_host *host, const struct plan *plan,
			       const struct plan_variant *variant, struct setting_journal **out)
{
	struct setting_journal *journal;
	struct error *error = journal_new(host, &journal);
	struct cgroup own;

	if (error)
		return error;
	if (!changes_system(variant)) {
		*out = journal;
		return NULL;
	}
	error = cgroup_of(host->root, "self", "cpu", &own);
	if (error) {
		error_free(error);
	} else {
		journal->origin = memory_string(own.folder);
		cgroup_clear(&own);
	}
	error = write_down(host, plan, variant, journal);
	if (error) {
		journal_free(journal);
		return error;
	}
	error = make(journal, variant);
	if (error) {
		struct error *second = undo(journal);

		error = error_prefix(error, "variant %s", variant->name);
		if (second)
			error_report(stderr, second);
		error_free(second);
		return error;
	}
	*out = journal;
	return NULL;
}

struct error *setting_recover_on(const struct setting_host *host, FILE *stream)
{
	autofree char *folder = NULL;
	struct error *error = journal_folder(host, &folder);
	int lock;

	if (host->shared && geteuid())
		journal_tell(host, stream);
	if (error) {
		/* without a data folder there is no journal */
		error_free(error);
		return NULL;
	}
	/* one that appears after this look is of a living process */
	if (!journal_any(folder))
		return NULL;
	error = journal_lock(host, folder, &lock);
	if (error)
		return journal_soften(error, folder, stream);
	error = journal_recover(host, folder, stream);
	close(lock);
	return error;
}

void setting_record_on(const struct setting_host *host, const struct plan_variant *variant,
		       json_t *into)
{
	json_t *values = json_object();

	for (int i = 0; i < variant->n_settings; i++) {
		const char *key = variant->settings[i].key, *name;
		const struct setting_kind *kind;
		struct error *error = setting_kind_find(key, &kind, &name);
		struct setting_change change = { 0 };
		char *value = NULL;

		if (!error && kind->change)
			error = kind->change(host, name, variant->settings[i].value, &change);
		if (!error && kind->change)
			error = setting_file_read(&change, &value);
		if (!error && kind->now)
			value = kind->now(host, name);
		if (error)
			value = memory_format("not available: %s", error->message);
		json_object_set_new(values, key,
				    value ? json_string(value)
					  : json_string(variant->settings[i].value));
		free(value);
		error_free(error);
		setting_change_clear(&change);
	}
	json_object_set_new(into, "settings", values);
}

struct error *setting_check(const struct plan *plan, const struct plan_variant *variant)
{
	return setting_check_on(&setting_live_host, plan, variant);
}

struct error *setting_apply(const struct plan *plan, const struct plan_variant *variant,
			    struct setting_journal **out)
{
	return setting_apply_on(&setting_live_host, plan, variant, out);
}

struct error *setting_undo(struct setting_journal *journal)
{
	return journal ? undo(journal) : NULL;
}

struct error *setting_recover(void)
{
	return setting_recover_on(&setting_live_host, stderr);
}

void setting_record(const struct plan_variant *variant, json_t *into)
{
	setting_record_on(&setting_live_host, variant, into);
}

/* the cgroup first: what else is set is set in there */
struct error *setting_enter(const struct plan_variant *variant, struct setting_journal *journal,
			    hwloc_bitmap_t cpus)
{
	const struct setting_host *host = journal ? journal->host : &setting_live_host;
	struct error *error = NULL;

	for (int i = 0; journal && i < journal->n && !error; i++)
		if (journal->changes[i].kind == CHANGE_CGROUP)
			error = setting_cgroup_enter(host, journal->changes[i].path);
	for (const struct setting_kind *kind = setting_kinds; kind->key; kind++) {
		for (int i = 0; i < variant->n_settings && !error; i++) {
			const struct plan_entry *entry = &variant->settings[i];
			const struct setting_kind *own;
			const char *name;

			error = setting_kind_find(entry->key, &own, &name);
			if (!error && own == kind && kind->enter)
				error = kind->enter(host, name, entry->value, cpus);
			error = at_entry(error, NULL, variant, entry);
		}
	}
	return error;
}
