// SPDX-License-Identifier: GPL-2.0-only
/* settings of this machine, as root: each test leaves everything as it was */
#include "unit.h"

#include <glob.h>
#include <sys/wait.h>

#include "monitor/cgroup.h"
#include "tree.h"

/*
 * The host is real. Its journals are where a run as root has them: another run on this machine, and this
 * test run twice at once, must not take each other's changed values for the old ones.
 */
static void live_tree(struct tree *tree)
{
	tree_new(tree);
	tree->host.root = "";
	tree->host.journals = setting_live_host.shared;
	tree->host.shared = setting_live_host.shared;
	tree->host.boot = NULL;
	tree->host.write = NULL;
}

static void count_step(void *data, const char *step, const char *path)
{
	struct tree *tree = data;

	(void)step, (void)path;
	if (++tree->steps == tree->die)
		kill(getpid(), SIGKILL);
}

static bool usable(const struct tree *tree, struct variant *variant)
{
	struct error *error =
		geteuid() ? error_new(ERR_PERMISSION, "needs root")
			  : setting_check_on(&tree->host, &variant->plan, &variant->variant);

	if (error)
		fprintf(stderr, "skipped: %s\n", error->message);
	error_free(error);
	return !error;
}

/* applies and undoes, killed at step @die; exits with the code of an error */
static pid_t start_child(struct tree *tree, const struct variant *variant, int die)
{
	pid_t child = fork();
	struct setting_journal *journal;
	struct error *error;

	if (child)
		return child;
	tree->steps = 0;
	tree->die = die;
	error = setting_apply_on(&tree->host, &variant->plan, &variant->variant, &journal);
	if (!error)
		error = setting_undo(journal);
	if (error)
		error_report(stderr, error);
	_exit(error ? (int)error->code : 0);
}

static int journals_of(pid_t pid)
{
	autofree char *pattern = memory_format("%s/%ld-*", setting_live_host.shared, (long)pid);
	glob_t found;
	int n = glob(pattern, 0, NULL, &found) ? 0 : (int)found.gl_pathc;

	globfree(&found);
	return n;
}

START_TEST(a_real_sysctl_is_what_it_was_after_a_kill_at_each_step)
{
	struct tree tree;
	struct variant variant;
	autofree char *before = file_read_line(AUTOGROUP);
	int step, status = 0;

	live_tree(&tree);
	tree.host.step = count_step;
	variant_of(&variant, "autogroup", before && *before == '0' ? "1" : "0", NULL);
	if (!usable(&tree, &variant))
		return;
	for (step = 1; step == 1 || WIFSIGNALED(status); step++) {
		autofree char *after = NULL;
		pid_t child = start_child(&tree, &variant, step);

		ck_assert_int_eq(waitpid(child, &status, 0), child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == ERR_MISMATCH)
			break; /* a run that is going on changes it */
		ck_assert(WIFSIGNALED(status) || !WEXITSTATUS(status));
		ck_assert_int_eq(journals_of(child), WIFSIGNALED(status) && step < 4);
		ck_no_error(setting_recover_on(&tree.host, stderr));
		after = file_read_line(AUTOGROUP);
		ck_assert_str_eq(after, before);
		ck_assert_int_eq(journals_of(child), 0);
	}
	/* journal, write, write back, remove, and once to the end */
	if (WEXITSTATUS(status) == ERR_MISMATCH)
		fprintf(stderr, "skipped: another run changes the setting\n");
	else
		ck_assert_int_eq(step, 6);
	tree_free(&tree);
}
END_TEST

START_TEST(an_own_cgroup_holds_the_trial_and_goes_with_what_stayed_in_it)
{
	struct tree tree;
	struct variant variant;
	struct setting_journal *journal;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc_full();
	json_t *record = json_object();
	pid_t child, leftover;
	int status, out[2];

	live_tree(&tree);
	tree.host.step = NULL;
	variant_of(&variant, "cpu.weight", "200", NULL);
	if (!usable(&tree, &variant))
		return;
	ck_no_error(setting_apply_on(&tree.host, &variant.plan, &variant.variant, &journal));
	ck_assert_int_eq(pipe(out), 0);
	child = fork();
	if (!child) {
		struct cgroup cgroup;
		const char *value;

		if (setting_enter(&variant.variant, journal, cpus) ||
		    cgroup_of("", "self", "cpu", &cgroup) || !strstr(cgroup.path, "/fairtrial-"))
			_exit(1);
		setting_record(&variant.variant, record);
		value = json_string_value(
			json_object_get(json_object_get(record, "settings"), "cpu.weight"));
		if (strcmp(value, cgroup.unified ? "200" : "2048 shares") != 0)
			_exit(2);
		leftover = fork(); /* a process that does not end by itself */
		if (!leftover)
			for (;;)
				pause();
		if (write(out[1], &leftover, sizeof(leftover)) != sizeof(leftover))
			_exit(3);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(read(out[0], &leftover, sizeof(leftover)), sizeof(leftover));
	ck_assert_int_eq(kill(leftover, 0), 0);
	{
		autofree char *path = memory_string(journal->changes[0].path);

		ck_assert_int_eq(access(path, F_OK), 0);
		ck_no_error(setting_undo(journal));
		ck_assert_int_ne(access(path, F_OK), 0);
	}
	json_decref(record);
	hwloc_bitmap_free(cpus);
	tree_free(&tree);
}
END_TEST

UNIT_TESTS("setting_live", a_real_sysctl_is_what_it_was_after_a_kill_at_each_step,
	   an_own_cgroup_holds_the_trial_and_goes_with_what_stayed_in_it)
