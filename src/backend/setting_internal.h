/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * setting_internal.h - the parts of setting.h: the table of settings, changes of files, the journal
 *
 * Included by setting*.c and their tests only. Everything is done on a host, which is this machine
 * or, in tests, a tree of files that looks like one.
 */
#ifndef FT_BACKEND_SETTING_INTERNAL_H
#define FT_BACKEND_SETTING_INTERNAL_H

#include <stdbool.h>
#include <stdio.h>

#include "backend/setting.h"

struct setting_host {
	const char *root;     /* prefix of /proc, /sys and of mount points; "" live */
	const char *journals; /* folder of the journals; NULL: journal_folder() decides */
	const char *shared;   /* folder of root's journals, whatever HOME is; NULL: none */
	const char *boot;     /* id of this boot; NULL: the kernel's */
	/* tests only: called in place of a write to a file of the kernel, and after each step */
	struct error *(*write)(void *data, const char *path, const char *text);
	void (*step)(void *data, const char *step, const char *path);
	void *data;
};

extern const struct setting_host setting_live_host;

/* One change of the system. Paths have the host's root before them. */
enum change_kind {
	CHANGE_VALUE,	/* the file holds the value */
	CHANGE_FEATURE, /* the file lists features; writing NAME or NO_NAME changes one */
	CHANGE_CHOICE,	/* the file lists words, the one in force in parentheses */
	CHANGE_CGROUP,	/* a cgroup of our own; old and new are NULL */
};

struct setting_change {
	enum change_kind kind;
	char *path;
	char *old, *new; /* as they are written */
};

void setting_change_clear(struct setting_change *change);

/* setting_step - tells a test that a step is done; nothing on a live host */
void setting_step(const struct setting_host *host, const char *step, const char *path);

/* ---- setting_file.c ---- */

/*
 * setting_file_prepare - fills the old value of a change whose kind, path and new value are set, and
 * sees that the file can be written and that the value fits
 *
 * Errors: ERR_INPUT (with what is accepted), ERR_UNAVAILABLE, ERR_PERMISSION, each with what to do.
 */
struct error *setting_file_prepare(const struct setting_host *host, struct setting_change *change);

/* setting_file_write - writes, then reads back; a value of another meaning is ERR_UNAVAILABLE */
struct error *setting_file_write(const struct setting_host *host,
				 const struct setting_change *change, const char *value);

/* setting_file_read - the value in force, as it would be written */
struct error *setting_file_read(const struct setting_change *change, char **value);

/* setting_same_value - do they mean the same to the kernel: equal words, numbers within 1 % */
bool setting_same_value(const char *asked, const char *got);

/* features_find - is the feature on, off (0), or not there (-1) in the text of the features file */
int features_find(const char *text, const char *name);

/* ---- setting_journal.c ---- */

struct setting_journal {
	const struct setting_host *host;
	char *file; /* NULL: nothing was changed */
	char *boot;
	long pid;
	unsigned long long start; /* field 22 of /proc/PID/stat */
	struct setting_change *changes;
	int n;
	int made;     /* so many changes are made, or may be */
	char *origin; /* cgroup that the process was in */
	int *held;    /* descriptors with a lock on each file that is changed */
	int n_held;
};

/* journal_parse - reads what journal_text() wrote. ERR_INPUT with the file for anything else. */
struct error *journal_parse(const char *text, const char *file, struct setting_journal **out);
char *journal_text(const struct setting_journal *journal);
void journal_free(struct setting_journal *journal);

/* journal_alive - does the process that wrote it still run (number and start time)? */
bool journal_alive(const struct setting_journal *journal);

/* journal_boot - the id of the host's boot; a new string */
char *journal_boot(const struct setting_host *host);

/* ---- setting_journals.c ---- */

/*
 * journal_folder - the folder of the host's journals; a new string
 *
 * Root's are all in one place that goes with a reboot, as the settings do: runs by sudo, with or
 * without HOME kept, see each other's. A user's, or root's where there is no /run, are in the data folder.
 */
struct error *journal_folder(const struct setting_host *host, char **folder);

/* journal_lock - serialises starts; a descriptor to close; makes the folder */
struct error *journal_lock(const struct setting_host *host, const char *folder, int *fd);

/* journal_tell - for a user: one line on @stream if a dead run of root has left settings */
void journal_tell(const struct setting_host *host, FILE *stream);

/* journal_new - of the calling process, without changes and file */
struct error *journal_new(const struct setting_host *host, struct setting_journal **out);

/* journal_write - under the lock: ERR_MISMATCH if a living process is changing one of the paths */
struct error *journal_write(const char *folder, struct setting_journal *journal);
/* journal_hold - locks the files themselves, against a run that keeps its journals elsewhere */
struct error *journal_hold(struct setting_journal *journal);
struct error *journal_remove(struct setting_journal *journal);

/* journal_any - is there a journal in the folder, whole or not, or may be (it cannot be listed)? */
bool journal_any(const char *folder);

/* journal_soften - for a user, a journal of root is one line on @stream and no error */
struct error *journal_soften(struct error *error, const char *path, FILE *stream);

/* journal_recover - under the lock: undoes what dead processes left; says so on @stream */
struct error *journal_recover(const struct setting_host *host, const char *folder, FILE *stream);

/* journal_undo - puts the made changes back, the last one first; goes on after an error */
struct error *journal_undo(struct setting_journal *journal);

/* ---- setting_cgroup.c ---- */

/*
 * setting_cgroup_place - where an own cgroup would be made; a new string in change->path
 * @bounded: the variant sets cpu.max; without it, a quota of our own cgroup would be lost
 */
struct error *setting_cgroup_place(const struct setting_host *host, bool bounded,
				   struct setting_change *change);

/* setting_cgroup_make - makes it with the values of the variant's cpu.weight and cpu.max */
struct error *setting_cgroup_make(const struct setting_host *host, const char *path,
				  const struct plan_variant *variant);
/* setting_cgroup_enter - moves the calling process into it */
struct error *setting_cgroup_enter(const struct setting_host *host, const char *path);

/*
 * setting_cgroup_remove - waits for its processes, kills those that stay, removes it
 * @origin: cgroup folder to which the calling process goes back if it is in there, or NULL
 */
struct error *setting_cgroup_remove(const struct setting_host *host, const char *path,
				    const char *origin);

struct cgroup_write {
	const char *file;
	char text[64];
};

/*
 * setting_cgroup_writes - what to write for cpu.weight or cpu.max, whose value was checked
 *
 * v1: cpu.shares = weight * 1024 / 100, as the kernel converts a weight (sched_weight_from_cgroup(),
 * kernel/sched/sched.h), at least 2; cpu.cfs_period_us, then cpu.cfs_quota_us.
 * Returns the number of writes, 0 for another key.
 */
int setting_cgroup_writes(bool unified, const char *key, const char *value,
			  struct cgroup_write writes[2]);

/* ---- setting_table.c ---- */

enum setting_scope {
	SCOPE_SYSTEM, /* the whole machine: journalled, put back */
	SCOPE_CGROUP, /* an own cgroup: journalled, removed */
	SCOPE_WORKER, /* the trial's process and what it starts */
};

struct setting_kind {
	const char *key; /* whole, or what stands before the name when it ends with '.' */
	enum setting_scope scope;
	/* is the value right on any machine? @name: what follows the prefix, "" without one */
	struct error *(*check)(const char *name, const char *value);
	/* SCOPE_SYSTEM: fills kind, path and new of a change */
	struct error *(*change)(const struct setting_host *host, const char *name,
				const char *value, struct setting_change *out);
	/* SCOPE_WORKER: makes it for the calling process */
	struct error *(*enter)(const struct setting_host *host, const char *name, const char *value,
			       hwloc_bitmap_t cpus);
	/* the value in force for the calling process, a new string, or NULL */
	char *(*now)(const struct setting_host *host, const char *name);
};

extern const struct setting_kind setting_kinds[]; /* ends with key == NULL */

/* setting_kind_find - the kind of a key and its name; ERR_INPUT with "did you mean" and the list */
struct error *setting_kind_find(const char *key, const struct setting_kind **kind,
				const char **name);

/* kinds of SCOPE_WORKER, in setting_worker.c */
struct error *setting_enter_nice(const struct setting_host *, const char *, const char *,
				 hwloc_bitmap_t);
struct error *setting_slice_of_idle(void);
struct error *setting_enter_slice(const struct setting_host *, const char *, const char *,
				  hwloc_bitmap_t);
struct error *setting_enter_policy(const struct setting_host *, const char *, const char *,
				   hwloc_bitmap_t);
struct error *setting_enter_affinity(const struct setting_host *, const char *, const char *,
				     hwloc_bitmap_t);
struct error *setting_enter_env(const struct setting_host *, const char *, const char *,
				hwloc_bitmap_t);
struct error *setting_enter_autogroup_nice(const struct setting_host *, const char *, const char *,
					   hwloc_bitmap_t);
char *setting_now_nice(const struct setting_host *, const char *);
char *setting_now_slice(const struct setting_host *, const char *);
char *setting_now_policy(const struct setting_host *, const char *);
char *setting_now_env(const struct setting_host *, const char *);
char *setting_now_autogroup_nice(const struct setting_host *, const char *);

/* ---- setting.c, on a host ---- */

struct error *setting_check_on(const struct setting_host *host, const struct plan *plan,
			       const struct plan_variant *variant);
struct error *setting_apply_on(const struct setting_host *host, const struct plan *plan,
			       const struct plan_variant *variant, struct setting_journal **out);
struct error *setting_recover_on(const struct setting_host *host, FILE *stream);
void setting_record_on(const struct setting_host *host, const struct plan_variant *variant,
		       json_t *into);

#endif
