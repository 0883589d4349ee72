// SPDX-License-Identifier: GPL-2.0-only
/*
 * setting_cgroup.c - a cgroup of our own for cpu.weight and cpu.max
 *
 * It is made beside the cgroup that fairtrial runs in, so that what limits the parent holds for it
 * too; where fairtrial runs in the hierarchy's root, below the root.
 */
#include "backend/setting_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "monitor/cgroup.h"

#define WAIT_MS	 500  /* for processes that are about to end */
#define LIMIT_MS 5000 /* for killed ones */
#define STEP_MS	 10

#define V1_PERIOD_US 100000

int setting_cgroup_writes(bool unified, const char *key, const char *value,
			  struct cgroup_write writes[2])
{
	long long quota = -1, period = V1_PERIOD_US;

	if (!strcmp(key, "cpu.weight")) {
		/* the kernel's own conversion, sched_weight_from_cgroup(): 100 is 1024 */
		long shares = (strtol(value, NULL, 10) * 1024 + 50) / 100;

		writes[0].file = unified ? "cpu.weight" : "cpu.shares";
		if (unified)
			snprintf(writes[0].text, sizeof(writes[0].text), "%s", value);
		else
			snprintf(writes[0].text, sizeof(writes[0].text), "%ld",
				 shares < 2 ? 2 : shares);
		return 1;
	}
	if (strcmp(key, "cpu.max") != 0)
		return 0;
	if (sscanf(value, "%lld %lld", &quota, &period) < 1)
		sscanf(value, "max %lld", &period);
	if (unified) {
		writes[0].file = "cpu.max";
		if (quota < 0)
			snprintf(writes[0].text, sizeof(writes[0].text), "max %lld", period);
		else
			snprintf(writes[0].text, sizeof(writes[0].text), "%lld %lld", quota,
				 period);
		return 1;
	}
	writes[0].file = "cpu.cfs_period_us";
	snprintf(writes[0].text, sizeof(writes[0].text), "%lld", period);
	writes[1].file = "cpu.cfs_quota_us";
	snprintf(writes[1].text, sizeof(writes[1].text), "%lld", quota);
	return 2;
}

/* does the folder's cgroup.subtree_control give its children the cpu controller? */
static bool delegates_cpu(const char *folder)
{
	autofree char *path = memory_format("%s/cgroup.subtree_control", folder);
	autofree char *line = file_read_line(path);

	return line && features_find(line, "cpu") == 1;
}

/* has the folder's cgroup a bandwidth limit itself? */
static bool has_quota(const struct cgroup *cgroup)
{
	autofree char *path = memory_format("%s/%s", cgroup->folder,
					    cgroup->unified ? "cpu.max" : "cpu.cfs_quota_us");
	autofree char *line = file_read_line(path);

	return line && *line >= '0' && *line <= '9';
}

struct error *setting_cgroup_place(const struct setting_host *host, bool bounded,
				   struct setting_change *change)
{
	struct cgroup cgroup;
	struct error *error = cgroup_of(host->root, "self", "cpu", &cgroup);
	char *parent;

	if (error)
		return error;
	parent = cgroup_parent(&cgroup, cgroup.folder);
	if (parent && !bounded && has_quota(&cgroup)) {
		error = error_new(ERR_UNAVAILABLE,
				  "fairtrial's own cgroup %s has a CPU quota, which would not hold "
				  "in the variant's; start it from a cgroup without one, or set "
				  "cpu.max in every variant",
				  cgroup.folder);
		free(parent);
		cgroup_clear(&cgroup);
		return error;
	}
	if (!parent)
		parent = memory_string(cgroup.folder);
	if (access(parent, W_OK)) {
		int number = errno;

		if (number == EACCES && geteuid())
			error = error_new(ERR_PERMISSION,
					  "cannot make a cgroup in %s: needs root, or systemd-run "
					  "--user --scope -p Delegate=yes",
					  parent);
		else
			error = error_errno("cannot make a cgroup in %s", parent);
	} else if (cgroup.unified && !delegates_cpu(parent)) {
		error = error_new(
			ERR_UNAVAILABLE,
			"the cpu controller is not on for cgroups in %s; switch it on with "
			"echo +cpu > %s/cgroup.subtree_control",
			parent, parent);
	} else {
		change->kind = CHANGE_CGROUP;
		change->path = memory_format("%s/fairtrial-%ld", parent, (long)getpid());
		for (int i = 1; !access(change->path, F_OK); i++) {
			free(change->path);
			change->path =
				memory_format("%s/fairtrial-%ld-%d", parent, (long)getpid(), i);
		}
	}
	free(parent);
	cgroup_clear(&cgroup);
	return error;
}

static bool is_unified(const char *path)
{
	autofree char *v1 = memory_format("%s/cpu.shares", path);

	return access(v1, F_OK) != 0;
}

struct error *setting_cgroup_make(const struct setting_host *host, const char *path,
				  const struct plan_variant *variant)
{
	struct error *error = NULL;

	if (mkdir(path, 0755))
		return error_errno("cannot make the cgroup %s", path);
	setting_step(host, "mkdir", path);
	for (int i = 0; i < variant->n_settings; i++) {
		const struct plan_entry *entry = &variant->settings[i];
		struct cgroup_write writes[2];
		int n = setting_cgroup_writes(is_unified(path), entry->key, entry->value, writes);

		for (int j = 0; j < n && !error; j++) {
			struct setting_change change = { .kind = CHANGE_VALUE };

			change.path = memory_format("%s/%s", path, writes[j].file);
			error = setting_file_write(host, &change, writes[j].text);
			setting_change_clear(&change);
		}
	}
	return error;
}

static struct error *move_self(const struct setting_host *host, const char *folder)
{
	autofree char *path = memory_format("%s/cgroup.procs", folder);
	FILE *stream;
	bool failed;

	if (host->write)
		return host->write(host->data, path, "0");
	stream = fopen(path, "we");
	if (!stream)
		return error_errno("cannot open %s", path);
	failed = fputs("0", stream) < 0;
	failed |= fclose(stream) != 0;
	return failed ? error_errno("cannot enter the cgroup %s", folder) : NULL;
}

struct error *setting_cgroup_enter(const struct setting_host *host, const char *path)
{
	return move_self(host, path);
}

/* the number of processes in the cgroup; with @kill_them each gets SIGKILL, but not this one */
static int processes(const char *folder, bool kill_them, bool *self)
{
	autofree char *path = memory_format("%s/cgroup.procs", folder);
	FILE *stream = fopen(path, "re");
	long pid;
	int n = 0;

	*self = false;
	while (stream && fscanf(stream, "%ld", &pid) == 1) {
		n++;
		if (pid == getpid())
			*self = true;
		else if (kill_them && pid > 1)
			kill((pid_t)pid, SIGKILL);
	}
	if (stream)
		fclose(stream);
	return n;
}

static void pause_ms(long milliseconds)
{
	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

struct error *setting_cgroup_remove(const struct setting_host *host, const char *path,
				    const char *origin)
{
	struct error *error;
	bool self;

	for (int waited = 0; waited <= LIMIT_MS; waited += STEP_MS) {
		int n = processes(path, waited >= WAIT_MS, &self);

		if (self && origin) {
			error = move_self(host, origin);
			if (error)
				return error;
			n--;
		}
		if (n <= 0) {
			setting_step(host, "rmdir", path);
			if (!rmdir(path) || errno == ENOENT)
				return NULL;
			if (errno != EBUSY)
				return error_errno("cannot remove the cgroup %s", path);
		}
		pause_ms(STEP_MS);
	}
	return error_new(ERR_SYSTEM, "cannot remove the cgroup %s: its processes do not end", path);
}
