/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree.h - a folder that looks like /proc and /sys of a machine, and a host of settings on it
 *
 * Writes go through tree_write(), which does what the kernel does with a value: a feature is switched,
 * a choice is put in parentheses, base_slice_ns is clamped, nr_migrate is refused.
 */
#ifndef FT_TESTS_BACKEND_TREE_H
#define FT_TESTS_BACKEND_TREE_H

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/setting_internal.h"
#include "base/file.h"
#include "base/subprocess.h"

#define AUTOGROUP "/proc/sys/kernel/sched_autogroup_enabled"
#define FEATURES  "/sys/kernel/debug/sched/features"
#define SLICE	  "/sys/kernel/debug/sched/base_slice_ns"
#define PREEMPT	  "/sys/kernel/debug/sched/preempt"
#define CPU	  "/sys/fs/cgroup/cpu"

struct tree {
	char root[64], journals[96];
	struct setting_host host;
	int steps; /* done so far */
	int die;   /* SIGKILL at that step; 0: never */
};

static inline void tree_put(const struct tree *tree, const char *path, const char *text)
{
	autofree char *whole = memory_format("%s%s", tree->root, path);

	ck_no_error(file_make_folders(whole));
	ck_no_error(file_replace(whole, text, strlen(text), 0644));
}

static inline void tree_expect(const struct tree *tree, const char *path, const char *text)
{
	autofree char *whole = memory_format("%s%s", tree->root, path);
	autofree char *line = file_read_line(whole);

	ck_assert_msg(line != NULL, "%s is not there", path);
	ck_assert_msg(!strcmp(line, text), "%s is '%s', expected '%s'", path, line, text);
}

/* the old line with one word changed: @from in place of @to and the reverse */
static inline char *tree_switch_feature(const char *line, const char *word)
{
	bool off = !strncmp(word, "NO_", 3);
	autofree char *old = off ? memory_string(word + 3) : memory_format("NO_%s", word);
	autofree char *copy = memory_string(line);
	char *rest = copy, *part, *result = memory_string("");

	while ((part = strsep(&rest, " "))) {
		char *longer = memory_format("%s%s%s", result, *result ? " " : "",
					     strcmp(part, old) ? part : word);

		free(result);
		result = longer;
	}
	return result;
}

static inline struct error *tree_write(void *data, const char *path, const char *text)
{
	autofree char *line = file_read_line(path), *result = NULL;
	const char *name = strrchr(path, '/') + 1;
	FILE *stream;

	(void)data;
	if (!line && strcmp(name, "cgroup.procs") != 0) {
		errno = ENOENT;
		return error_errno("cannot write %s", path);
	}
	if (!strcmp(name, "nr_migrate")) {
		errno = EINVAL;
		return error_errno("%s does not take '%s'", path, text);
	}
	if (!strcmp(name, "features"))
		result = tree_switch_feature(line, text);
	else if (!strcmp(name, "preempt"))
		result = memory_format("none %svoluntary%s %sfull%s",
				       strcmp(text, "full") ? "(" : "",
				       strcmp(text, "full") ? ")" : "",
				       strcmp(text, "full") ? "" : "(",
				       strcmp(text, "full") ? "" : ")");
	else if (!strcmp(name, "base_slice_ns") && atol(text) < 100000)
		result = memory_string("100000");
	else
		result = memory_string(text);
	/* in place: a lock on the file must stay one, as on a file of the kernel */
	stream = fopen(path, "we");
	if (!stream || fputs(result, stream) < 0 || fclose(stream))
		return error_errno("cannot write %s", path);
	return NULL;
}

/* a cgroup gets its files with its folder, and a folder with files could not be removed */
static inline void tree_step(void *data, const char *step, const char *path)
{
	static const char *const files[] = { "cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us",
					     "cgroup.procs", NULL };
	struct tree *tree = data;

	for (const char *const *file = files; *file; file++) {
		autofree char *whole = memory_format("%s/%s", path, *file);

		if (!strcmp(step, "mkdir"))
			ck_no_error(file_replace(whole, "", 0, 0644));
		else if (!strcmp(step, "rmdir"))
			unlink(whole);
	}
	if (++tree->steps == tree->die)
		kill(getpid(), SIGKILL);
}

static inline void tree_new(struct tree *tree)
{
	*tree = (struct tree){ .root = "/tmp/ft-test-XXXXXX" };
	ck_assert_ptr_nonnull(mkdtemp(tree->root));
	snprintf(tree->journals, sizeof(tree->journals), "%s/journals", tree->root);
	tree->host = (struct setting_host){ .root = tree->root,
					    .journals = tree->journals,
					    .boot = "boot-1",
					    .write = tree_write,
					    .step = tree_step,
					    .data = tree };
	tree_put(tree, AUTOGROUP, "1");
	tree_put(tree, "/proc/sys/kernel/sched_rt_runtime_us", "950000");
	tree_put(tree, "/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456");
	tree_put(tree, "/proc/self/cgroup", "1:cpu:/\n");
	tree_put(tree, "/proc/self/mountinfo", "32 31 0:29 / " CPU " rw - cgroup cgroup rw,cpu\n");
	tree_put(tree, FEATURES, "PLACE_LAG NO_NEXT_BUDDY TTWU_QUEUE");
	tree_put(tree, SLICE, "3000000");
	tree_put(tree, PREEMPT, "none voluntary (full)");
	tree_put(tree, "/sys/kernel/debug/sched/nr_migrate", "32");
	tree_put(tree, "/sys/kernel/debug/sched/verbose", "N");
	tree_put(tree, CPU "/cpu.shares", "1024");
}

static inline void tree_free(struct tree *tree)
{
	const char *argv[] = { "rm", "-rf", tree->root, NULL };
	struct subprocess_output output;

	ck_no_error(subprocess_check(argv, NULL, 10, &output));
	subprocess_free(&output);
}

/* the number of files in the journal folder that are not the lock */
static inline int tree_journals(const struct tree *tree)
{
	const char *argv[] = {
		"find", tree->journals, "-type", "f", "-not", "-name", "lock", NULL
	};
	struct subprocess_output output;
	int n = 0;

	ck_no_error(subprocess_run(argv, NULL, 10, &output));
	for (const char *at = output.out; *at; at++)
		n += *at == '\n';
	subprocess_free(&output);
	return n;
}

/* a variant from key, value, ..., NULL; its line numbers count from 11 */
struct variant {
	struct plan plan;
	struct plan_variant variant;
	struct plan_entry entries[8];
};

static inline struct variant *variant_of(struct variant *out, const char *key, ...)
{
	va_list args;
	int n = 0;

	*out = (struct variant){ .plan.file = (char *)"a.plan", .variant.name = (char *)"on" };
	va_start(args, key);
	for (; key; key = va_arg(args, const char *)) {
		out->entries[n] = (struct plan_entry){ (char *)key, va_arg(args, char *), 11 + n };
		n++;
	}
	va_end(args);
	out->variant.settings = out->entries;
	out->variant.n_settings = n;
	return out;
}

#endif
