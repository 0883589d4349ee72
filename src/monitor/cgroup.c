// SPDX-License-Identifier: GPL-2.0-only
#include "monitor/cgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* is @word one of the comma-separated words of @list */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, length) && (at[length] == ',' || !at[length]))
			return true;
	}
	return false;
}

/* the path of the v1 hierarchy with that controller, else of v2, from "id:controllers:path" lines */
static char *find_path(const char *text, const char *controller, bool *unified)
{
	char *path = NULL;
	int n;
	char **lines = text_split(text, '\n', &n);

	for (int i = 0; i < n; i++) {
		char *names = strchr(lines[i], ':');
		char *place = names ? strchr(names + 1, ':') : NULL;

		if (!place)
			continue;
		*place++ = '\0';
		names++;
		if (*names ? !has_word(names, controller) : path != NULL)
			continue;
		free(path);
		path = memory_string(place);
		*unified = !*names;
		if (*names)
			break;
	}
	text_split_free(lines, n);
	return path;
}

/* mountinfo writes space, tab, newline and backslash as \ooo */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
		    text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
				       (text[3] - '0'));
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* "id parent major:minor ROOT POINT options ... - TYPE source SUPER": is it that hierarchy? */
static bool read_mount(char *line, const char *controller, bool unified, char **subtree,
		       char **point)
{
	char *tail = strstr(line, " - "), *save = NULL, *word[5], *type, *super;

	if (!tail)
		return false;
	*tail = '\0';
	type = strtok_r(tail + 3, " ", &save);
	strtok_r(NULL, " ", &save);
	super = strtok_r(NULL, " ", &save);
	if (!type || strcmp(type, unified ? "cgroup2" : "cgroup"))
		return false;
	if (!unified && (!super || !has_word(super, controller)))
		return false;
	save = NULL;
	for (int i = 0; i < 5; i++) {
		word[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!word[i])
			return false;
	}
	unescape(word[3]);
	unescape(word[4]);
	*subtree = word[3];
	*point = word[4];
	return true;
}

/* the part of @path below @subtree, "" for the same; NULL if it is not below */
static const char *below(const char *path, const char *subtree)
{
	size_t length = strlen(subtree);

	if (!strcmp(subtree, "/"))
		return strcmp(path, "/") ? path : "";
	if (strncmp(path, subtree, length) || (path[length] && path[length] != '/'))
		return NULL;
	return path + length;
}

static bool find_mount(const char *root, const char *text, const char *controller,
		       struct cgroup *cgroup)
{
	bool found = false;
	int n;
	char **lines = text_split(text, '\n', &n);

	for (int i = 0; i < n && !found; i++) {
		char *subtree, *point;
		const char *rest;

		if (!read_mount(lines[i], controller, cgroup->unified, &subtree, &point))
			continue;
		rest = below(cgroup->path, subtree);
		if (!rest)
			continue;
		cgroup->mount = memory_format("%s%s", root, point);
		cgroup->folder = memory_format("%s%s", cgroup->mount, rest);
		found = true;
	}
	text_split_free(lines, n);
	return found;
}

struct error *cgroup_of(const char *root, const char *process, const char *controller,
			struct cgroup *out)
{
	autofree char *own = memory_format("%s/proc/%s/cgroup", root, process);
	autofree char *mounts = memory_format("%s/proc/self/mountinfo", root);
	autofree char *text = NULL, *mount_text = NULL;
	struct cgroup cgroup = { 0 };
	struct error *error = file_read(own, &text, NULL);

	if (!error)
		error = file_read(mounts, &mount_text, NULL);
	if (error) {
		error->code = ERR_UNAVAILABLE;
		return error;
	}
	cgroup.path = find_path(text, controller, &cgroup.unified);
	if (!cgroup.path)
		return error_new(ERR_UNAVAILABLE, "%s names no cgroup of the %s controller", own,
				 controller);
	if (!find_mount(root, mount_text, controller, &cgroup)) {
		error = error_new(ERR_UNAVAILABLE,
				  "the cgroup %s of the %s controller is not visible: no mounted "
				  "hierarchy contains it",
				  cgroup.path, controller);
		cgroup_clear(&cgroup);
		return error;
	}
	*out = cgroup;
	return NULL;
}

void cgroup_clear(struct cgroup *cgroup)
{
	free(cgroup->path);
	free(cgroup->mount);
	free(cgroup->folder);
	*cgroup = (struct cgroup){ 0 };
}

char *cgroup_parent(const struct cgroup *cgroup, const char *folder)
{
	const char *end = strrchr(folder, '/');

	if (!strcmp(folder, cgroup->mount) || !end)
		return NULL;
	return memory_string_n(folder, end - folder);
}

bool cgroup_field(const char *text, const char *name, uint64_t *value)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && line[length] == ' ')
			return sscanf(line + length, "%" SCNu64, value) == 1;
	}
	return false;
}
