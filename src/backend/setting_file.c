// SPDX-License-Identifier: GPL-2.0-only
/* setting_file.c - one setting of the kernel that is a file: can it be changed, read, write, compare */
#include "backend/setting_internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#define DEBUGFS "/sys/kernel/debug"
#define LOCKDOWN                                                                                   \
	"/sys/kernel/security/lockdown" /* only where securityfs is mounted and the LSM built in */

/* the next word of a line of features, or NULL */
static char *next_word(char **rest)
{
	char *word;

	do {
		word = strsep(rest, " \t\n");
	} while (word && !*word);
	return word;
}

int features_find(const char *text, const char *name)
{
	autofree char *copy = memory_string(text);
	char *rest = copy, *word;

	while ((word = next_word(&rest))) {
		if (!strcmp(word, name))
			return 1;
		if (!strncmp(word, "NO_", 3) && !strcmp(word + 3, name))
			return 0;
	}
	return -1;
}

static const char *feature_name(const struct setting_change *change)
{
	return strncmp(change->new, "NO_", 3) ? change->new : change->new + 3;
}

/* the word in parentheses of "none voluntary (full)"; the whole text if there is none */
static char *chosen(const char *text)
{
	const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;

	if (!close)
		return memory_string(text);
	return memory_string_n(open + 1, (size_t)(close - open - 1));
}

struct error *setting_file_read(const struct setting_change *change, char **value)
{
	autofree char *text = NULL;
	struct error *error = file_read(change->path, &text, NULL);
	char *trimmed;
	int on;

	if (error)
		return error;
	trimmed = text_trim(text);
	switch (change->kind) {
	case CHANGE_FEATURE:
		on = features_find(trimmed, feature_name(change));
		if (on < 0)
			return error_new(ERR_INPUT, "%s has no feature %s", change->path,
					 feature_name(change));
		*value = memory_format("%s%s", on ? "" : "NO_", feature_name(change));
		return NULL;
	case CHANGE_CHOICE:
		*value = chosen(trimmed);
		return NULL;
	default:
		*value = memory_string(trimmed);
		return NULL;
	}
}

static bool same_word(const char *asked, const char *got)
{
	struct error *error;
	double a, b;

	/* booleans of debugfs read as Y and N */
	if (!strcmp(got, "Y") || !strcmp(got, "N"))
		return toupper((unsigned char)*asked) == *got ||
		       !strcmp(asked, *got == 'Y' ? "1" : "0");
	if (!strcmp(asked, got))
		return true;
	error = text_number(asked, &a);
	if (!error)
		error = text_number(got, &b);
	if (error) {
		error_free(error);
		return false;
	}
	return fabs(a - b) <= 0.01 * fabs(a);
}

bool setting_same_value(const char *asked, const char *got)
{
	autofree char *left = memory_string(asked), *right = memory_string(got);
	char *left_rest = left, *right_rest = right, *a, *b;

	for (;;) {
		a = next_word(&left_rest);
		b = next_word(&right_rest);
		if (!a || !b)
			return !a && !b;
		if (!same_word(a, b))
			return false;
	}
}

static struct error *write_kernel(const char *path, const char *text)
{
	size_t length = strlen(text);
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
	struct error *error = NULL;

	if (fd < 0)
		return error_errno("cannot write %s", path);
	/* in one call: the kernel takes a value whole */
	if (write(fd, text, length) != (ssize_t)length)
		error = error_errno("%s does not take '%s'", path, text);
	close(fd);
	return error;
}

struct error *setting_file_write(const struct setting_host *host,
				 const struct setting_change *change, const char *value)
{
	struct error *error = host->write ? host->write(host->data, change->path, value)
					  : write_kernel(change->path, value);
	autofree char *got = NULL;

	if (error)
		return error;
	setting_step(host, "write", change->path);
	error = setting_file_read(change, &got);
	if (!error && !setting_same_value(value, got))
		error = error_new(ERR_UNAVAILABLE, "%s: the kernel made '%s' of '%s'", change->path,
				  got, value);
	return error;
}

/* the files next to @path, for "did you mean" and the list; freed with text_split_free() */
static char **neighbours(const char *path, int *n)
{
	autofree char *folder = memory_string_n(path, (size_t)(strrchr(path, '/') - path));
	DIR *stream = opendir(folder);
	struct dirent *entry;
	char **names = NULL;

	*n = 0;
	while (stream && (entry = readdir(stream)))
		if (entry->d_name[0] != '.')
			*array_append(names, *n) = memory_string(entry->d_name);
	if (stream)
		closedir(stream);
	return names;
}

static struct error *no_such_file(const struct setting_change *change)
{
	const char *base = strrchr(change->path, '/') + 1;
	const char **candidates;
	const char *nearest;
	struct error *error;
	int n;
	char **names = neighbours(change->path, &n);

	candidates = memory_zeroed((size_t)n + 1, sizeof(*candidates));
	for (int i = 0; i < n; i++)
		candidates[i] = names[i];
	nearest = text_nearest(base, candidates);
	error = error_new(ERR_UNAVAILABLE, "this kernel has no %s%s%s%s", change->path,
			  nearest ? "; did you mean " : "", nearest ? nearest : "",
			  nearest ? "?" : "");
	free(candidates);
	text_split_free(names, n);
	return error;
}

/* why the file cannot be used: debugfs is special, it may be not mounted or locked down */
static struct error *unusable(const struct setting_host *host, const struct setting_change *change,
			      const char *action, int number)
{
	autofree char *debugfs = memory_format("%s" DEBUGFS, host->root);
	autofree char *folder = memory_format("%s/sched", debugfs);
	bool debug = !strncmp(change->path, debugfs, strlen(debugfs));

	if ((number == EACCES || number == EPERM) && geteuid())
		return error_new(ERR_PERMISSION, "cannot %s %s: needs root", action, change->path);
	if (number == ENOENT && debug && access(folder, F_OK))
		return error_new(ERR_UNAVAILABLE,
				 "%s does not exist: mount debugfs (mount -t debugfs none " DEBUGFS
				 "); if it is mounted, the kernel has no CONFIG_SCHED_DEBUG",
				 folder);
	if (number == ENOENT)
		return no_such_file(change);
	if (number == EPERM && debug)
		return error_new(
			ERR_PERMISSION,
			"cannot %s %s: Operation not permitted even for root: the kernel is "
			"locked down or this machine's owner forbids it%s",
			action, change->path, access(LOCKDOWN, F_OK) ? "" : " (cat " LOCKDOWN ")");
	if (number == EACCES)
		return error_new(ERR_UNAVAILABLE, "cannot %s %s: the kernel does not allow it",
				 action, change->path);
	if (number == EROFS)
		return error_new(ERR_PERMISSION,
				 "cannot %s %s: it is mounted read-only (a container?)", action,
				 change->path);
	errno = number;
	return error_errno("cannot %s %s", action, change->path);
}

static struct error *try_open(const struct setting_host *host, const struct setting_change *change,
			      int mode, const char *action)
{
	int fd = open(change->path, mode | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return unusable(host, change, action, errno);
	close(fd);
	return NULL;
}

static bool all_numbers(const char *text, int *n)
{
	autofree char *copy = memory_string(text);
	char *rest = copy, *word;

	*n = 0;
	while ((word = next_word(&rest))) {
		double number;
		struct error *error = text_number(word, &number);

		error_free(error);
		if (error)
			return false;
		++*n;
	}
	return *n > 0;
}

/* a file that holds numbers takes as many numbers */
static struct error *check_shape(const struct setting_change *change)
{
	int n_old, n_new;

	if (change->kind == CHANGE_VALUE && all_numbers(change->old, &n_old) &&
	    (!all_numbers(change->new, &n_new) || n_old != n_new))
		return error_new(ERR_INPUT, "'%s' is not %s, as %s holds ('%s')", change->new,
				 n_old == 1 ? "a number" : "a list of as many numbers",
				 change->path, change->old);
	return NULL;
}

/* words that a choice file offers, without parentheses */
static struct error *check_choice(const struct setting_change *change)
{
	autofree char *text = NULL, *copy = NULL;
	struct error *error = file_read(change->path, &text, NULL);
	char *rest, *word;
	bool found = false;

	if (error)
		return error;
	for (char *at = text; *at; at++)
		if (*at == '(' || *at == ')' || *at == '\n')
			*at = ' ';
	copy = memory_string(text);
	for (rest = copy; (word = next_word(&rest));)
		found |= !strcmp(word, change->new);
	if (!found)
		return error_new(ERR_INPUT, "'%s' is not offered by %s: %s", change->new,
				 change->path, text_trim(text));
	return NULL;
}

static struct error *unknown_feature(const struct setting_change *change)
{
	autofree char *text = NULL;
	struct error *error = file_read(change->path, &text, NULL);
	const char **names = NULL, *nearest;
	char *rest = text, *word;
	int n = 0;

	if (error)
		return error;
	while ((word = next_word(&rest)))
		*array_append(names, n) = strncmp(word, "NO_", 3) ? word : word + 3;
	*array_append(names, n) = NULL;
	nearest = text_nearest(feature_name(change), names);
	error = error_new(ERR_UNAVAILABLE, "this kernel has no feature %s%s%s; see %s",
			  feature_name(change), nearest ? ", did you mean " : "",
			  nearest ? nearest : "", change->path);
	free(names);
	return error;
}

struct error *setting_file_prepare(const struct setting_host *host, struct setting_change *change)
{
	struct error *error = try_open(host, change, O_RDONLY, "read");

	if (error)
		return error;
	error = setting_file_read(change, &change->old);
	if (error && error->code == ERR_INPUT && change->kind == CHANGE_FEATURE) {
		error_free(error);
		return unknown_feature(change);
	}
	if (error) {
		/* opened, but reading is refused: debugfs of a locked down kernel */
		int number = error->code == ERR_PERMISSION ? EPERM : 0;

		if (!number)
			return error;
		error_free(error);
		return unusable(host, change, "read", number);
	}
	error = try_open(host, change, O_WRONLY, "write");
	if (!error)
		error = check_shape(change);
	if (!error && change->kind == CHANGE_CHOICE)
		error = check_choice(change);
	return error;
}
