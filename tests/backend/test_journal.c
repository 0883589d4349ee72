// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <sys/wait.h>

#include "tree.h"

/* makes and undoes the variant in a process of its own; true if it was killed at step @die */
static bool apply_and_die(struct tree *tree, const struct variant *variant, int die)
{
	pid_t child = fork();
	int status;

	if (!child) {
		struct setting_journal *journal;
		struct error *error;

		tree->steps = 0;
		tree->die = die;
		error = setting_apply_on(&tree->host, &variant->plan, &variant->variant, &journal);
		if (!error)
			error = setting_undo(journal);
		if (error)
			error_report(stderr, error);
		_exit(error ? 1 : 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFSIGNALED(status) || !WEXITSTATUS(status), "the child failed");
	return WIFSIGNALED(status);
}

static char *recover(const struct tree *tree)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	ck_no_error(setting_recover_on(&tree->host, stream));
	fclose(stream);
	return text;
}

START_TEST(a_kill_at_any_step_is_undone_by_the_next_start)
{
	struct tree tree;
	struct variant variant;
	int step;

	tree_new(&tree);
	variant_of(&variant, "autogroup", "0", "feature.NEXT_BUDDY", "1", "sched.base_slice_ns",
		   "5000000", "cpu.weight", "50", NULL);
	for (step = 1; apply_and_die(&tree, &variant, step); step++) {
		autofree char *cgroup = NULL;

		free(recover(&tree));
		tree_expect(&tree, AUTOGROUP, "1");
		tree_expect(&tree, FEATURES, "PLACE_LAG NO_NEXT_BUDDY TTWU_QUEUE");
		tree_expect(&tree, SLICE, "3000000");
		ck_assert_int_eq(tree_journals(&tree), 0);
		cgroup = memory_format("rmdir %s" CPU "/fairtrial-* 2>&-", tree.root);
		ck_assert_int_ne(system(cgroup), 0); /* none was left */
		free(recover(&tree));
	}
	/* journal, 3 values, mkdir, weight, rmdir, 3 values, remove */
	ck_assert_int_eq(step, 12);
	tree_expect(&tree, AUTOGROUP, "1");
	ck_assert_int_eq(tree_journals(&tree), 0);
	tree_free(&tree);
}
END_TEST

START_TEST(recovery_says_what_it_put_back_and_is_silent_otherwise)
{
	struct tree tree;
	struct variant variant;
	autofree char *nothing = NULL, *said = NULL, *again = NULL;

	tree_new(&tree);
	nothing = recover(&tree);
	ck_assert_str_eq(nothing, "");
	variant_of(&variant, "autogroup", "0", NULL);
	ck_assert(apply_and_die(&tree, &variant, 2));
	tree_expect(&tree, AUTOGROUP, "0");
	said = recover(&tree);
	ck_assert_ptr_nonnull(strstr(said, AUTOGROUP " to 1 after a run that died\n"));
	again = recover(&tree);
	ck_assert_str_eq(again, "");
	tree_free(&tree);
}
END_TEST

START_TEST(a_journal_of_an_earlier_boot_is_removed_without_touching_values)
{
	struct tree tree;
	struct variant variant;
	autofree char *said = NULL;

	tree_new(&tree);
	variant_of(&variant, "autogroup", "0", NULL);
	ck_assert(apply_and_die(&tree, &variant, 2));
	tree.host.boot = "boot-2";
	said = recover(&tree);
	ck_assert_ptr_nonnull(strstr(said, "before the last boot"));
	tree_expect(&tree, AUTOGROUP, "0");
	ck_assert_int_eq(tree_journals(&tree), 0);
	tree_free(&tree);
}
END_TEST

static void put_journal(const struct tree *tree, long pid, long long start, const char *old)
{
	autofree char *text = memory_format(
		"{\"fairtrial_journal\":1,\"boot\":\"boot-1\",\"pid\":%ld,\"start\":%lld,"
		"\"changes\":[{\"kind\":\"value\",\"path\":\"%s" AUTOGROUP
		"\",\"old\":\"%s\",\"new\":\"1\"}]}",
		pid, start, tree->root, old);

	tree_put(tree, "/journals/x.json", text);
}

START_TEST(a_reused_process_number_does_not_keep_a_journal_alive)
{
	struct tree tree;

	tree_new(&tree);
	put_journal(&tree, getpid(), 1, "7");
	free(recover(&tree));
	tree_expect(&tree, AUTOGROUP, "7");
	ck_assert_int_eq(tree_journals(&tree), 0);
	tree_free(&tree);
}
END_TEST

START_TEST(a_damaged_journal_is_named_and_kept)
{
	struct tree tree;

	tree_new(&tree);
	tree_put(&tree, "/journals/x.json", "{\"fairtrial_journal\":1,");
	ck_error(setting_recover_on(&tree.host, stderr), ERR_INPUT, "journals/x.json");
	tree_put(&tree, "/journals/x.json", "{}");
	ck_error(setting_recover_on(&tree.host, stderr), ERR_INPUT, "damaged journal");
	ck_assert_int_eq(tree_journals(&tree), 1);
	tree_free(&tree);
}
END_TEST

START_TEST(a_value_that_cannot_be_put_back_keeps_its_journal)
{
	struct tree tree;
	autofree char *path = NULL;

	tree_new(&tree);
	put_journal(&tree, getpid(), 1, "0");
	path = memory_format("%s" AUTOGROUP, tree.root);
	ck_assert_int_eq(unlink(path), 0);
	ck_error(setting_recover_on(&tree.host, stderr), ERR_SYSTEM, "could not put back");
	ck_assert_int_eq(tree_journals(&tree), 1);
	tree_put(&tree, AUTOGROUP, "1");
	free(recover(&tree));
	tree_expect(&tree, AUTOGROUP, "0");
	ck_assert_int_eq(tree_journals(&tree), 0);
	tree_free(&tree);
}
END_TEST

START_TEST(recovery_touches_nothing_but_settings_and_own_cgroups)
{
	static const char *const changes[] = {
		"{\"kind\":\"value\",\"path\":\"%s/etc/passwd\",\"old\":\"x\",\"new\":\"1\"}",
		"{\"kind\":\"value\",\"path\":\"%s/proc/sys/../../etc/passwd\",\"old\":\"\",\"new\":\"\"}",
		"{\"kind\":\"cgroup\",\"path\":\"%s/sys/fs/cgroup/system.slice\"}",
		"{\"kind\":\"cgroup\",\"path\":\"%s/sys/fs/cgroup/fairtrial-1/../system.slice\"}",
	};
	struct tree tree;

	tree_new(&tree);
	tree_put(&tree, "/etc/passwd", "root");
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		autofree char *text = NULL, *change = NULL;

		change = memory_format(changes[i], tree.root);
		text = memory_format("{\"fairtrial_journal\":1,\"boot\":\"boot-1\",\"pid\":%d,"
				     "\"start\":1,\"changes\":[%s]}",
				     getpid(), change);
		tree_put(&tree, "/journals/x.json", text);
		ck_error(setting_recover_on(&tree.host, stderr), ERR_INPUT,
			 "not a setting of fairtrial's");
		tree_expect(&tree, "/etc/passwd", "root");
	}
	tree_free(&tree);
}
END_TEST

START_TEST(a_journal_of_another_user_is_left_to_that_user)
{
	struct tree tree;
	autofree char *path = NULL, *said = NULL;

	if (geteuid()) {
		fprintf(stderr, "skipped: giving a file away needs root\n");
		return;
	}
	tree_new(&tree);
	put_journal(&tree, getpid(), 1, "0");
	path = memory_format("%s/journals/x.json", tree.root);
	ck_assert_int_eq(chown(path, 65534, 65534), 0);
	said = recover(&tree);
	ck_assert_ptr_nonnull(strstr(said, "left alone"));
	tree_expect(&tree, AUTOGROUP, "1");
	ck_assert_int_eq(tree_journals(&tree), 1);
	tree_free(&tree);
}
END_TEST

START_TEST(an_unfinished_journal_file_is_swept_away)
{
	struct tree tree;

	tree_new(&tree);
	put_journal(&tree, getpid(), 1, "0");
	tree_put(&tree, "/journals/1-2-0.json.77.new", "{\"fair");
	free(recover(&tree));
	ck_assert_int_eq(tree_journals(&tree), 0);
	tree_put(&tree, "/journals/1-2-0.json.78.new", "{\"fair"); /* and without a journal */
	free(recover(&tree));
	ck_assert_int_eq(tree_journals(&tree), 0);
	tree_free(&tree);
}
END_TEST

START_TEST(a_journal_reads_back_as_it_was_written)
{
	struct setting_change changes[] = {
		{ CHANGE_FEATURE, (char *)"/f", (char *)"NO_A", (char *)"A" },
		{ CHANGE_VALUE, (char *)"/v \"x\"", (char *)"1\t2", (char *)"" },
		{ CHANGE_CGROUP, (char *)"/c", NULL, NULL },
	};
	struct setting_journal journal = {
		.boot = (char *)"b", .pid = 5, .start = 99, .changes = changes, .n = 3
	};
	struct setting_journal *back;
	autofree char *text = journal_text(&journal), *again = NULL;

	ck_no_error(journal_parse(text, "f", &back));
	ck_assert_int_eq(back->n, 3);
	ck_assert_int_eq(back->made, 3);
	ck_assert_str_eq(back->changes[1].old, "1\t2");
	again = journal_text(back);
	ck_assert_str_eq(text, again);
	journal_free(back);
	ck_error(journal_parse("[1]", "f", &back), ERR_INPUT, "not a journal");
	ck_error(journal_parse("{\"fairtrial_journal\":2,\"boot\":\"b\",\"pid\":5,\"start\":9,"
			       "\"changes\":[]}",
			       "f", &back),
		 ERR_INPUT, "f: not a journal of this version");
}
END_TEST

/* a process that has applied the variant and holds it until its standard input ends */
static pid_t hold(const struct tree *tree, const struct variant *variant, int *input)
{
	int in[2], out[2];
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(in) | pipe(out), 0);
	child = fork();
	if (!child) {
		struct setting_journal *journal;
		struct error *error;

		close(in[1]);
		error = setting_apply_on(&tree->host, &variant->plan, &variant->variant, &journal);
		if (error || write(out[1], "x", 1) != 1)
			_exit(1);
		while (read(in[0], &byte, 1) > 0)
			;
		_exit(setting_undo(journal) ? 1 : 0);
	}
	close(in[0]);
	close(out[1]);
	ck_assert_int_eq(read(out[0], &byte, 1), 1);
	close(out[0]);
	*input = in[1];
	return child;
}

START_TEST(a_second_run_that_changes_the_same_setting_is_refused_with_the_process)
{
	struct tree tree;
	struct variant variant, other;
	struct setting_journal *journal;
	autofree char *said = NULL, *part = NULL, *elsewhere = NULL;
	int input, status;
	pid_t child;

	tree_new(&tree);
	variant_of(&variant, "autogroup", "0", "feature.NEXT_BUDDY", "1", NULL);
	child = hold(&tree, &variant, &input);
	part = memory_format("process %ld", (long)child);
	ck_error(setting_apply_on(&tree.host, &variant.plan, &variant.variant, &journal),
		 ERR_MISMATCH, part);
	tree_expect(&tree, AUTOGROUP, "0"); /* still the first run's */
	said = recover(&tree);
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(tree_journals(&tree), 1);
	/* also of a run whose data folder is another */
	elsewhere = memory_format("%s/elsewhere", tree.root);
	tree.host.journals = elsewhere;
	ck_error(setting_apply_on(&tree.host, &variant.plan, &variant.variant, &journal),
		 ERR_MISMATCH, "another fairtrial");
	tree.host.journals = tree.journals;
	variant_of(&other, "sched.base_slice_ns", "5000000", NULL);
	ck_no_error(setting_apply_on(&tree.host, &other.plan, &other.variant, &journal));
	ck_no_error(setting_undo(journal));
	close(input);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	tree_expect(&tree, AUTOGROUP, "1");
	ck_no_error(setting_apply_on(&tree.host, &variant.plan, &variant.variant, &journal));
	ck_no_error(setting_undo(journal));
	tree_free(&tree);
}
END_TEST

START_TEST(a_user_is_told_of_roots_journal_and_goes_on)
{
	struct tree tree;
	int status;
	pid_t child;

	if (geteuid()) {
		fprintf(stderr, "skipped: giving up root needs root\n");
		return;
	}
	tree_new(&tree);
	put_journal(&tree, getpid(), 1, "0");
	ck_assert_int_eq(chmod(tree.root, 0755) | chmod(tree.journals, 0755), 0);
	child = fork();
	if (!child) {
		char *text = NULL;
		size_t length;
		FILE *stream = open_memstream(&text, &length);
		struct error *error;

		if (setgid(65534) || setuid(65534))
			_exit(1);
		error = setting_recover_on(&tree.host, stream);
		fclose(stream);
		_exit(error || !strstr(text, "as root") || strchr(text, '\n')[1] ? 1 : 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(tree_journals(&tree), 1);
	tree_expect(&tree, AUTOGROUP, "1");
	tree_free(&tree);
}
END_TEST

START_TEST(a_user_is_told_of_roots_dead_run_but_not_of_a_living_one)
{
	struct tree tree;
	autofree char *shared = NULL, *own = NULL;
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	struct setting_journal *self;

	tree_new(&tree);
	shared = memory_format("%s/shared", tree.root);
	tree.host.shared = shared;
	journal_tell(&tree.host, stream); /* no folder */
	ck_no_error(journal_new(&tree.host, &self));
	own = memory_format("/shared/%ld-%llu-0.json", self->pid, self->start);
	tree_put(&tree, own, "not looked at");
	journal_tell(&tree.host, stream);
	fflush(stream);
	ck_assert_str_eq(text, "");
	tree_put(&tree, "/shared/1-77-0.json", "not looked at");
	tree_put(&tree, "/shared/1-78-0.json", "not looked at");
	journal_tell(&tree.host, stream);
	fclose(stream);
	ck_assert_ptr_nonnull(strstr(text, "any start as root does it"));
	ck_assert_str_eq(strchr(text, '\n'), "\n"); /* one line */
	free(text);
	journal_free(self);
	tree_free(&tree);
}
END_TEST

/* its owner takes a journal away without the lock, so one that was listed may be gone when it is read */
START_TEST(a_journal_that_vanishes_meanwhile_is_no_error)
{
	struct tree tree;
	struct variant variant;
	pid_t child;
	int status;

	tree_new(&tree);
	variant_of(&variant, "autogroup", "0", NULL);
	child = fork();
	if (!child) {
		struct setting_journal *journal;

		for (int i = 0; i < 300; i++)
			if (setting_apply_on(&tree.host, &variant.plan, &variant.variant,
					     &journal) ||
			    setting_undo(journal))
				_exit(1);
		_exit(0);
	}
	while (!waitpid(child, &status, WNOHANG))
		for (int i = 0; i < 100; i++)
			free(recover(&tree));
	ck_assert_int_eq(status, 0);
	tree_free(&tree);
}
END_TEST

UNIT_TESTS("journal", a_journal_that_vanishes_meanwhile_is_no_error,
	   a_kill_at_any_step_is_undone_by_the_next_start,
	   recovery_says_what_it_put_back_and_is_silent_otherwise,
	   a_journal_of_an_earlier_boot_is_removed_without_touching_values,
	   a_reused_process_number_does_not_keep_a_journal_alive,
	   a_damaged_journal_is_named_and_kept, a_value_that_cannot_be_put_back_keeps_its_journal,
	   recovery_touches_nothing_but_settings_and_own_cgroups,
	   a_journal_of_another_user_is_left_to_that_user, an_unfinished_journal_file_is_swept_away,
	   a_journal_reads_back_as_it_was_written,
	   a_second_run_that_changes_the_same_setting_is_refused_with_the_process,
	   a_user_is_told_of_roots_journal_and_goes_on,
	   a_user_is_told_of_roots_dead_run_but_not_of_a_living_one)
