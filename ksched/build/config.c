// SPDX-License-Identifier: GPL-2.0-only
/*
 * config.c - the configuration: our default, the user's changes, and what a choice implies
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "ksched/build/internal.h"

static int find(const struct config *c, const char *symbol)
{
	for (int i = 0; i < c->symbol.n; i++)
		if (!strcmp(c->symbol.item[i], symbol))
			return i;
	return -1;
}

static void set(struct config *c, const char *symbol, const char *value)
{
	int i = find(c, symbol);

	if (i < 0) {
		words_add(&c->symbol, "%s", symbol);
		words_add(&c->value, "%s", value);
		return;
	}
	free(c->value.item[i]);
	c->value.item[i] = memory_string(value);
}

/* What Kconfig would select or exclude along with a choice of the preemption model. */
static const struct {
	const char *symbol, *implied;
} implied[] = {
	{ "PREEMPT", "PREEMPT_BUILD=y PREEMPTION=y UNINLINE_SPIN_UNLOCK=y PREEMPT_RCU=y "
		     "PREEMPT_NONE=n PREEMPT_NONE_BUILD=n PREEMPT_VOLUNTARY=n PREEMPT_LAZY=n" },
	{ "PREEMPT_LAZY", "ARCH_HAS_PREEMPT_LAZY=y PREEMPT_BUILD=y PREEMPTION=y PREEMPT_RCU=y "
			  "PREEMPT_NONE=n PREEMPT_NONE_BUILD=n PREEMPT_VOLUNTARY=n PREEMPT=n" },
	{ "PREEMPT_VOLUNTARY", "PREEMPT_VOLUNTARY_BUILD=y PREEMPT_NONE=n PREEMPT_NONE_BUILD=n" },
	{ "UCLAMP_TASK", "UCLAMP_BUCKETS_COUNT=5" },
};

static void set_implied(struct config *c, const char *symbol)
{
	for (size_t i = 0; i < ARRAY_SIZE(implied); i++) {
		char **parts;
		int n;

		if (strcmp(implied[i].symbol, symbol))
			continue;
		parts = text_split(implied[i].implied, ' ', &n);
		for (int k = 0; k < n; k++) {
			char *equal = strchr(parts[k], '=');

			if (!equal)
				continue;
			*equal = '\0';
			set(c, parts[k], equal + 1);
		}
		text_split_free(parts, n);
	}
}

/* ---- does the tree know the symbol ---------------------------------------------------------------- */

static bool kconfig_has(const char *path, const char *symbol)
{
	size_t length = strlen(symbol);
	bool found = false;
	char *text;

	if (path_exists("%s", path)) {
		struct error *error = file_read(path, &text, NULL);

		if (error) {
			error_free(error);
			return false;
		}
		for (const char *p = text; !found && (p = strstr(p, "config ")); p += 7) {
			const char *name = p + strlen("config ");

			found = (p == text || p[-1] == '\n' || !strncmp(p - 4, "menu", 4)) &&
				!strncmp(name, symbol, length) &&
				!isalnum((unsigned char)name[length]) && name[length] != '_';
		}
		free(text);
	}
	return found;
}

static bool folder_has(const char *folder, const char *symbol)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool found = false;
	struct stat st;

	while (dir && !found && (entry = readdir(dir))) {
		autofree char *path = memory_format("%s/%s", folder, entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		if (!strncmp(entry->d_name, "Kconfig", 7))
			found = kconfig_has(path, symbol);
		else if (!lstat(path, &st) && S_ISDIR(st.st_mode))
			found = folder_has(path, symbol);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool tree_knows(const struct tree *t, const char *symbol)
{
	static const char *const folders[] = { "kernel", "init", "lib" };
	static const char *const files[] = { "mm/Kconfig", "arch/Kconfig", "arch/x86/Kconfig",
					     "arch/arm64/Kconfig" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		autofree char *path = memory_format("%s/%s", t->folder, files[i]);

		if (kconfig_has(path, symbol))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		autofree char *path = memory_format("%s/%s", t->folder, folders[i]);

		if (folder_has(path, symbol))
			return true;
	}
	return false;
}

/* What the simulator cannot be: it would not compile, or trap in each trial. */
static const struct {
	const char *symbol, *reason;
} not_modelled[] = {
	{ "NUMA_BALANCING", "NUMA balancing is not modelled: simulated memory has no pages" },
	{ "SCHED_CLASS_EXT", "sched_ext is not modelled: there is no BPF here" },
	{ "PSI", "pressure stall information is not modelled" },
	{ "CPU_FREQ_GOV_SCHEDUTIL", "frequency governors are not modelled" },
	{ "HOTPLUG_CPU", "CPU hot-plug is not modelled" },
	{ "LOCKDEP", "locks never contend here: lockdep is not modelled" },
	{ "MMU", "memory management is not modelled" },
};

static struct error *check_modelled(const char *symbol, const char *value, const char *change)
{
	for (size_t i = 0; i < ARRAY_SIZE(not_modelled); i++)
		if (!strcmp(not_modelled[i].symbol, symbol) && strcmp(value, "n") != 0)
			return error_new(ERR_UNAVAILABLE, "--config %s: %s", change,
					 not_modelled[i].reason);
	return NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static struct error *add_change(struct config *c, const struct tree *t, const char *change)
{
	const char *name = strncmp(change, "CONFIG_", 7) ? change : change + 7;
	const char *equal = strchr(name, '=');
	autofree char *symbol = NULL;
	struct error *error;

	if (!equal || equal == name || !equal[1])
		return error_new(ERR_USAGE, "--config %s: expected SYMBOL=VALUE", change);
	symbol = memory_string_n(name, equal - name);
	for (const char *p = symbol; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return error_new(ERR_USAGE, "--config %s: not the name of a symbol",
					 change);
	for (const char *p = equal + 1; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
			return error_new(ERR_INPUT,
					 "--config %s: a value is y, n, a number or a word",
					 change);
	if (!strcmp(equal + 1, "m"))
		return error_new(ERR_INPUT, "--config %s: there are no modules here; use y",
				 change);
	if (find(c, symbol) < 0 && !tree_knows(t, symbol))
		return error_new(ERR_INPUT,
				 "--config %s: Linux %s has no symbol %s (looked in kernel, "
				 "init, lib, mm, arch, x86 and arm64)",
				 change, t->version, symbol);
	error = check_modelled(symbol, equal + 1, change);
	if (error)
		return error;
	set(c, symbol, equal + 1);
	if (!strcmp(equal + 1, "y"))
		set_implied(c, symbol);
	return NULL;
}

static struct error *read_default(const char *overlay, struct config *c)
{
	char **lines;
	int n;
	struct error *error = overlay_lines(overlay, "config", &lines, &n);

	if (error)
		return error;
	for (int i = 0; i < n && !error; i++) {
		char *equal = strchr(lines[i], '=');

		if (!lines[i][0] || lines[i][0] == '#')
			continue;
		if (!equal) {
			autofree char *path = memory_format("%s/config", overlay);

			error = error_at(ERR_INPUT, path, i + 1, "expected SYMBOL=VALUE");
			break;
		}
		*equal = '\0';
		set(c, lines[i], equal + 1);
	}
	text_split_free(lines, n);
	return error;
}

static struct error *read_number(const struct config *c, const char *symbol, int64_t min,
				 int64_t max, int64_t *out)
{
	int i = find(c, symbol);

	return error_prefix(text_integer(i < 0 ? "" : c->value.item[i], min, max, out),
			    "--config %s", symbol);
}

struct error *config_read(const char *overlay, const struct tree *t, const char *const *changes,
			  int n, struct config *out)
{
	struct error *error;
	int64_t hz = 0, number;

	*out = (struct config){ 0 };
	error = read_default(overlay, out);
	for (int i = 0; i < n && !error; i++)
		error = add_change(out, t, changes[i]);
	if (!error)
		error = read_number(out, "HZ", 12, 1000, &hz);
	if (!error)
		error = read_number(out, "NR_CPUS", 2, 8192, &number);
	if (!error)
		error = read_number(out, "NODES_SHIFT", 1, 10, &number);
	out->hz = hz;
	if (error)
		config_free(out);
	return error;
}

char *config_header(const struct config *c)
{
	char *text = memory_string("/* Made by fairtrial kernel add. */\n");

	for (int i = 0; i < c->symbol.n; i++) {
		const char *value = c->value.item[i];
		const char *quote = "";
		char *more;

		if (!strcmp(value, "n"))
			continue;
		if (!strcmp(value, "y"))
			value = "1";
		else if (!isdigit((unsigned char)value[0]) && value[0] != '-')
			quote = "\"";
		more = memory_format("%s#define CONFIG_%s %s%s%s\n", text, c->symbol.item[i], quote,
				     value, quote);
		free(text);
		text = more;
	}
	return text;
}

void config_free(struct config *c)
{
	words_free(&c->symbol);
	words_free(&c->value);
}
