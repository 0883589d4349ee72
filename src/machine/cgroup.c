// SPDX-License-Identifier: GPL-2.0-only
#include "machine/cgroup.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* Where one hierarchy shows the cgroup of this process. */
struct place {
	int version;	/* 1 or 2 */
	char *mount;	/* folder that the hierarchy is mounted on, without the root prefix */
	char *relative; /* of the cgroup below @mount, "" or "/a/b" */
};

/* is @word one of the comma-separated @list */
static bool listed(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (*list) {
		size_t part = strcspn(list, ",");

		if (part == length && !strncmp(list, word, length))
			return true;
		list += part + (list[part] == ',');
	}
	return false;
}

/* the cgroup of this process in a hierarchy: of "4:cpu,cpuacct:/path" or "0::/path"; or NULL */
static char *cgroup_path(const char *root, int version, const char *controller)
{
	autofree char *file = memory_format("%s/proc/self/cgroup", root);
	autofree char *text = NULL;
	char *line, *rest;
	struct error *error = file_read(file, &text, NULL);

	if (error) {
		error_free(error);
		return NULL;
	}
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		char *number = strsep(&line, ":");
		char *controllers = strsep(&line, ":");

		if (!line || *line != '/')
			continue;
		if (version == 2 ? !strcmp(number, "0") && !*controllers
				 : listed(controllers, controller))
			return memory_string(line);
	}
	return NULL;
}

/* mountinfo writes space, tab, newline and backslash as \ooo */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
		    from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
			*to = (from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0');
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/*
 * Reads a line of mountinfo: "31 23 0:28 /root /mount options [optional...] - type source super".
 * Fills @mounted with the part of the hierarchy that is mounted, and returns the mount point, both
 * pointing into @line; NULL if it is another file system or hierarchy.
 */
static char *cgroup_mount(char *line, int version, const char *controller, char **mounted)
{
	char *fields[5], *tail = strstr(line, " - ");
	char *type, *super;

	if (!tail)
		return NULL;
	*tail = '\0';
	tail += strlen(" - ");
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		fields[i] = strsep(&line, " ");
	type = strsep(&tail, " ");
	strsep(&tail, " ");
	super = tail;
	if (!fields[4] || !super)
		return NULL;
	if (version == 2 ? strcmp(type, "cgroup2") != 0
			 : strcmp(type, "cgroup") != 0 || !listed(super, controller))
		return NULL;
	unescape(fields[3]);
	unescape(fields[4]);
	*mounted = fields[3];
	return fields[4];
}

/* @path below the part that is mounted; "" when it lies outside: then the mount is all we see */
static const char *below(const char *path, const char *mounted)
{
	size_t length = strcmp(mounted, "/") ? strlen(mounted) : 0;

	if (!strncmp(path, "/..", 3) || strncmp(path, mounted, length) ||
	    (path[length] && path[length] != '/') || !strcmp(path + length, "/"))
		return "";
	return path + length;
}

static bool find_place(const char *root, int version, const char *controller, struct place *place)
{
	autofree char *file = memory_format("%s/proc/self/mountinfo", root);
	autofree char *path = cgroup_path(root, version, controller);
	autofree char *text = NULL;
	struct error *error;
	char *line, *rest;

	if (!path)
		return false;
	error = file_read(file, &text, NULL);
	if (error) {
		error_free(error);
		return false;
	}
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		char *mounted;
		char *mount = cgroup_mount(line, version, controller, &mounted);

		if (!mount)
			continue;
		place->version = version;
		place->mount = memory_string(mount);
		place->relative = memory_string(below(path, mounted));
		return true;
	}
	return false;
}

/* from a cgroup to its parent; false at the top of what is mounted */
static bool go_up(struct place *place)
{
	char *slash = strrchr(place->relative, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

static void place_clear(struct place *place)
{
	free(place->mount);
	free(place->relative);
}

static char *read_value(const char *root, const struct place *place, const char *name)
{
	autofree char *file = memory_format("%s%s%s/%s", root, place->mount, place->relative, name);

	return file_read_line(file);
}

/* CPUs of the limit of one cgroup, 0: none */
static double quota_here(const char *root, const struct place *place)
{
	autofree char *value =
		read_value(root, place, place->version == 2 ? "cpu.max" : "cpu.cfs_quota_us");
	autofree char *period = NULL;
	char *words = value;
	double quota, per;

	if (!value)
		return 0;
	if (place->version == 2) {
		strsep(&words, " ");
		period = memory_string(words ? words : "100000");
	} else {
		period = read_value(root, place, "cpu.cfs_period_us");
	}
	/* "max" and -1 are no limit */
	quota = strtod(value, NULL);
	per = period ? strtod(period, NULL) : 0;
	return quota > 0 && per > 0 ? quota / per : 0;
}

static uint64_t throttled_here(const char *root, const struct place *place)
{
	autofree char *file = memory_format("%s%s%s/cpu.stat", root, place->mount, place->relative);
	autofree char *text = NULL;
	struct error *error = file_read(file, &text, NULL);
	const char *found;

	if (error) {
		error_free(error);
		return 0;
	}
	found = strstr(text, "nr_throttled ");
	return found ? strtoull(found + strlen("nr_throttled "), NULL, 10) : 0;
}

void machine_quota_read(const char *root, struct machine_quota *out)
{
	*out = (struct machine_quota){ 0 };
	for (int version = 1; version <= 2; version++) {
		struct place place;

		if (!find_place(root, version, "cpu", &place))
			continue;
		do {
			double cpus = quota_here(root, &place);

			if (!cpus || (out->cpus && cpus >= out->cpus))
				continue;
			free(out->path);
			out->cpus = cpus;
			out->throttled = throttled_here(root, &place);
			out->path = memory_format("%s%s", place.mount, place.relative);
		} while (go_up(&place));
		place_clear(&place);
	}
}

/* a number of a file of one cgroup; false for "max" and for a file that is not there */
static bool number_here(const char *root, const struct place *place, const char *name,
			uint64_t *out)
{
	autofree char *value = read_value(root, place, name);
	char *end;

	if (!value || *value < '0' || *value > '9')
		return false;
	*out = strtoull(value, &end, 10);
	return !*end;
}

/* page cache that can be dropped at once: inactive_file of memory.stat */
static uint64_t droppable_here(const char *root, const struct place *place)
{
	autofree char *file =
		memory_format("%s%s%s/memory.stat", root, place->mount, place->relative);
	autofree char *text = NULL;
	struct error *error = file_read(file, &text, NULL);
	const char *key = place->version == 2 ? "\ninactive_file " : "\ntotal_inactive_file ";
	const char *found;

	if (error) {
		error_free(error);
		return 0;
	}
	found = strstr(text, key);
	return found ? strtoull(found + strlen(key), NULL, 10) : 0;
}

bool cgroup_memory_left(const char *root, uint64_t *left, char **path)
{
	static const char *const names[2][2] = {
		{ "memory.limit_in_bytes", "memory.usage_in_bytes" },
		{ "memory.max", "memory.current" },
	};
	bool known = false;

	for (int version = 1; version <= 2; version++) {
		struct place place;

		if (!find_place(root, version, "memory", &place))
			continue;
		do {
			const char *const *name = names[version - 1];
			uint64_t most, used, dropped, here;

			if (!number_here(root, &place, name[0], &most) ||
			    !number_here(root, &place, name[1], &used))
				continue;
			dropped = droppable_here(root, &place);
			used -= dropped < used ? dropped : used;
			here = most > used ? most - used : 0;
			if (known && here >= *left)
				continue;
			if (known)
				free(*path);
			known = true;
			*left = here;
			*path = memory_format("%s%s", place.mount, place.relative);
		} while (go_up(&place));
		place_clear(&place);
	}
	return known;
}

/* an empty list is inherited: the parent's counts */
static bool cpuset_here(const char *root, const struct place *place, hwloc_bitmap_t out)
{
	static const char *const names[2][2] = {
		{ "cpuset.effective_cpus", "cpuset.cpus" },
		{ "cpuset.cpus.effective", "cpuset.cpus" },
	};

	for (int i = 0; i < 2; i++) {
		autofree char *value = read_value(root, place, names[place->version - 1][i]);
		struct error *error;

		if (!value || !*value)
			continue;
		error = cpulist_parse(value, out);
		if (!error)
			return true;
		error_free(error);
	}
	return false;
}

bool cgroup_cpuset_read(const char *root, hwloc_bitmap_t out)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	bool known = false;

	/* a controller is in one hierarchy only; the other one has no such files */
	for (int version = 1; version <= 2 && !known; version++) {
		struct place place;

		if (!find_place(root, version, "cpuset", &place))
			continue;
		do
			known = cpuset_here(root, &place, set);
		while (!known && go_up(&place));
		place_clear(&place);
	}
	if (known)
		hwloc_bitmap_copy(out, set);
	hwloc_bitmap_free(set);
	return known;
}
