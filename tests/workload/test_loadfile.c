// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "workload/loadfile_list.h"

static struct error *parse(const char *text)
{
	struct loadfile *list;
	struct error *error = loadfile_parse("test", text, strlen(text), &list);

	if (!error)
		loadfile_free(list);
	return error;
}

START_TEST(a_list_becomes_steps_in_order)
{
	static const char text[] = "# comment\n"
				   "folder a\r\n"
				   "file a/f 8K # there\n"
				   "\n"
				   "open 7 a/f\n"
				   "\tread  7 4K 64K\n"
				   "close 7\n"
				   "think 5ms\n"
				   "missing x";
	struct loadfile *list;

	ck_no_error(loadfile_parse("test", text, strlen(text), &list));
	ck_assert_int_eq(list->n_present, 2);
	ck_assert_int_eq(list->present[0].kind, STEP_FOLDER);
	ck_assert_uint_eq(list->present[1].size, 8192);
	ck_assert_int_eq(list->n_steps, 5);
	ck_assert_int_eq(list->steps[0].op, FILE_OPEN);
	ck_assert_int_eq(list->steps[1].line, 6);
	ck_assert_int_eq(list->steps[1].handle, 7);
	ck_assert_uint_eq(list->steps[1].offset, 4096);
	ck_assert_uint_eq(list->steps[1].size, 65536);
	ck_assert_int_eq(list->steps[3].kind, STEP_THINK);
	ck_assert_uint_eq(list->steps[3].size, 5000000);
	ck_assert_int_eq(list->steps[4].kind, STEP_MISSING);
	loadfile_free(list);
}
END_TEST

START_TEST(a_repeat_numbers_its_paths)
{
	static const char text[] = "repeat 3\nmkdir d$i\nend\nrepeat 3\nrmdir d$i\nend\n";
	struct loadfile *list;

	ck_no_error(loadfile_parse("test", text, strlen(text), &list));
	ck_assert_int_eq(list->n_steps, 6);
	ck_assert_str_eq(list->steps[2].path, "d3");
	ck_assert_int_eq(list->steps[2].line, 2);
	ck_assert_str_eq(list->steps[3].path, "d1");
	loadfile_free(list);
}
END_TEST

START_TEST(paths_are_the_clients_own_or_shared)
{
	static const struct {
		const char *written, *path;
	} paths[] = {
		{ ".", "c12" },
		{ "/", "shared" },
		{ "a/b", "c12/a/b" },
		{ "a-$c$c", "c12/a-1212" },
		{ "/pool/x$c", "shared/pool/x12" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		autofree char *path = loadfile_path(paths[i].written, 12);

		ck_assert_str_eq(path, paths[i].path);
	}
}
END_TEST

START_TEST(what_is_wrong_is_told_with_its_line)
{
	static const struct {
		const char *text, *part;
	} wrong[] = {
		{ "", "test: the list has no operation" },
		{ "folder a\n", "no operation to replay" },
		{ "statt .\n", "test:1: there is no operation 'statt' (did you mean 'stat'?)" },
		{ "stat .\nstat\n", "test:2: 'stat' has the form: stat PATH" },
		{ "stat . .\n", "has the form" },
		{ "stat a b c d e f g\n", "has the form" },
		{ "create 100 a\n", "handle: " },
		{ "create x a\n", "handle: " },
		{ "file a 1K\nopen 1 a\nread 1 0 64K\nread 1 0 65K\nclose 1\n",
		  "test:4: 65K bytes: 1 to 64K are accepted" },
		{ "file a 0\nstat .\n", "0 bytes" },
		{ "think 5\n", "test:1: " },
		{ "stat a/../b\n", "'..' is not" },
		{ "stat a//b\n", "an empty name" },
		{ "stat a/\n", "an empty name" },
		{ "mkdir $x\n", "behind '$' only" },
		{ "mkdir a$\n", "behind '$' only" },
		{ "mkdir a$i\n", "$i has a value within repeat" },
		{ "mkdir .\n", "the top folder stays" },
		{ "mkdir /a\n", "needs $c" },
		{ "folder /a$c\nmkdir /a$c/b\n", "needs $c" },
		{ "repeat 2\nstat .\n", "test:1: 'repeat' without 'end'" },
		{ "stat .\nend\n", "test:2: 'end' without 'repeat'" },
		{ "repeat 2\nend\n", "nothing between" },
		{ "repeat 2\nrepeat 2\nstat .\nend\nend\n", "test:2: a repeat within a repeat" },
		{ "repeat 0\nstat .\nend\n", "test:1: " },
		{ "repeat\nstat .\nend\n", "test:1: 'repeat' has the form: repeat N" },
		{ "repeat 600000\nstat .\nstat .\nend\n", "more than 1000000 operations" },
		{ "stat a\n", "test:1: stat: there is no 'a' here" },
		{ "stat .\nopen 1 a\n", "test:2: open: there is no 'a' here" },
		{ "create 1 d/a\n", "there is no folder 'd' here" },
		{ "file d 1\ncreate 1 d/a\n", "'d' is a file here" },
		{ "folder d\nopen 1 d\n", "'d' is a folder here, not a file" },
		{ "read 1 0 1\n", "handle 1 is not open here" },
		{ "create 1 a\ncreate 1 b\n", "test:2: create: handle 1 is open since line 1" },
		{ "mkdir a\nmkdir a\n", "'a' is there already (line 1)" },
		{ "mkdir a\nmkdir a/b\nrmdir a\n", "folder 'a' is not empty here: 'a/b' is in it" },
		{ "mkdir a\nunlink a\n", "'a' is a folder here, not a file" },
		{ "mkdir a\nmissing a\n", "test:2: missing: 'a' is there already" },
		{ "create 1 a\nrename a a\n", "renamed to itself" },
		{ "create 1 a\nunlink a\n", "test:1: handle 1 is still open at the end" },
		{ "mkdir a\n", "test:1: 'a' is still there at the end of the list" },
		{ "file a 1\nunlink a\n", "test:1: 'a' is gone at the end of the list" },
		{ "file a 1\nunlink a\nmkdir a\n", "test:3: 'a' is still there" },
		{ "stat \xff\n", "UTF-8" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_error(parse(wrong[i].text), ERR_INPUT, wrong[i].part);
}
END_TEST

START_TEST(folders_with_like_names_are_told_apart)
{
	ck_no_error(parse("mkdir a\nmkdir a-b\nmkdir a-b/c\nrmdir a\nrmdir a-b/c\nrmdir a-b\n"));
	ck_error(parse("mkdir a\nmkdir a-b\nmkdir a/c\nrmdir a-b\nrmdir a\n"), ERR_INPUT,
		 "'a/c' is in it");
}
END_TEST

START_TEST(a_file_may_be_replaced_and_put_back)
{
	ck_no_error(parse("file a 1\ncreate 1 b\nclose 1\nrename b a\n"));
	ck_no_error(parse("file a 1\nunlink a\ncreate 1 a\nclose 1\n"));
	ck_no_error(parse("file a 1\nrename a b\nrename b a\n"));
}
END_TEST

START_TEST(the_list_that_is_built_in_is_accepted)
{
	struct loadfile *list;

	ck_no_error(loadfile_open("office", &list));
	ck_assert_int_eq(list->n_steps, 474);
	loadfile_free(list);
}
END_TEST

UNIT_TESTS("loadfile", a_list_becomes_steps_in_order, a_repeat_numbers_its_paths,
	   paths_are_the_clients_own_or_shared, what_is_wrong_is_told_with_its_line,
	   folders_with_like_names_are_told_apart, a_file_may_be_replaced_and_put_back,
	   the_list_that_is_built_in_is_accepted)
