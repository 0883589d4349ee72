// SPDX-License-Identifier: GPL-2.0-only
/* test_store_file.c - files that are missing, foreign, damaged, read-only, full or of another schema */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "result/schema.h"

#include "sample.h"

static struct store *opened(const char *path, enum store_mode mode)
{
	struct store *store;

	ck_no_error(store_open(path, mode, &store));
	return store;
}

/* a store with one run of @n trials */
static char *filled(int n)
{
	char *path = sample_path("results.db");
	struct store *store = opened(path, STORE_WRITE);

	sample_store(store, "before", n);
	store_close(store);
	return path;
}

static void refused(const char *path, enum store_mode mode, enum error_code code, const char *part)
{
	struct store *store;

	ck_error(store_open(path, mode, &store), code, part);
}

static void write_at(const char *path, off_t offset, const char *text, size_t length)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, text, length, offset), length);
	close(fd);
}

/* root passes every permission: from here on the process is nobody and owns @path and its folder */
static bool become_nobody(char *path)
{
	char *slash = strrchr(path, '/');
	bool done;

	if (geteuid())
		return true;
	*slash = '\0';
	done = !chown(path, 65534, 65534);
	*slash = '/';
	done = done && !chown(path, 65534, 65534) && !setegid(65534) && !seteuid(65534);
	if (!done)
		fprintf(stderr, "# not checked: cannot become another user: %s\n", strerror(errno));
	return done;
}

static void become_root(void)
{
	if (!getuid())
		ck_assert(!seteuid(0) && !setegid(0));
}

static void protect(char *path, mode_t folder, mode_t file)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	chmod(path, 0700);
	*slash = '/';
	chmod(path, file);
	*slash = '\0';
	chmod(path, folder);
	*slash = '/';
}

static int trials_in(const char *path)
{
	struct store *store = opened(path, STORE_READ);
	struct run_summary *list;
	int n, trials;

	ck_no_error(store_list(store, NULL, &list, &n));
	ck_assert_int_eq(n, 1);
	trials = list[0].n_trials;
	run_summaries_free(list, n);
	store_close(store);
	return trials;
}

START_TEST(new_store_and_its_folders_are_of_the_user_alone)
{
	char *path = sample_path("sub"), *deep = memory_format("%s/deep/results.db", path);
	struct stat status;

	umask(0);
	store_close(opened(deep, STORE_WRITE));
	ck_assert_int_eq(stat(deep, &status), 0);
	ck_assert_int_eq(status.st_mode & 07777, 0600);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_int_eq(status.st_mode & 07777, 0700);
	unlink(deep);
	*strrchr(deep, '/') = '\0';
	rmdir(deep);
	rmdir(path);
	free(deep);
	sample_clean(path);
}
END_TEST

START_TEST(closed_store_is_one_file)
{
	char *path = filled(2), *wal = memory_format("%s-wal", path);

	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_int_eq(access(wal, F_OK), -1);
	ck_assert_int_eq(trials_in(path), 2);
	ck_assert_int_eq(access(wal, F_OK), -1);
	free(wal);
	sample_clean(path);
}
END_TEST

START_TEST(missing_store_cannot_be_read)
{
	char *path = sample_path("results.db");

	refused(path, STORE_READ, ERR_INPUT, "there is no store");
	ck_assert_int_eq(access(path, F_OK), -1);
	sample_clean(path);
}
END_TEST

START_TEST(store_is_not_made_through_a_link)
{
	char *path = sample_path("results.db"), *target = memory_format("%s.target", path);

	ck_assert_int_eq(symlink(target, path), 0);
	refused(path, STORE_WRITE, ERR_STORE, "is not made through a link");
	ck_assert_int_eq(access(target, F_OK), -1);
	free(target);
	sample_clean(path);
}
END_TEST

START_TEST(link_to_a_store_is_followed)
{
	char *path = filled(3), *link = memory_format("%s.link", path);

	ck_assert_int_eq(symlink("results.db", link), 0);
	ck_assert_int_eq(trials_in(link), 3);
	unlink(link);
	free(link);
	sample_clean(path);
}
END_TEST

START_TEST(folder_is_not_a_store)
{
	refused("/", STORE_READ, ERR_INPUT, "is not a file");
	refused("/", STORE_WRITE, ERR_INPUT, "is not a file");
}
END_TEST

START_TEST(name_with_signs_of_a_uri_is_a_name)
{
	char *path = sample_path("a?mode=memory&b#c%20.db");
	struct store *store = opened(path, STORE_WRITE);

	sample_store(store, "a", 1);
	store_close(store);
	ck_assert_int_eq(access(path, F_OK), 0);
	if (become_nobody(path)) {
		protect(path, 0500, 0400);
		ck_assert_int_eq(trials_in(path), 1);
		protect(path, 0700, 0600);
		become_root();
	}
	sample_clean(path);
}
END_TEST

START_TEST(other_file_is_not_a_store_and_is_left_alone)
{
	static const char text[] = "trials = 10\n";
	char *path = sample_path("results.db");
	struct stat status;

	write_at(path, 0, text, strlen(text));
	refused(path, STORE_READ, ERR_STORE, "is no SQLite file");
	refused(path, STORE_WRITE, ERR_STORE, "is no SQLite file");
	stat(path, &status);
	ck_assert_int_eq(status.st_size, strlen(text));
	sample_clean(path);
}
END_TEST

static void execute(const char *path, const char *sql)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

START_TEST(database_of_another_program_is_not_a_store)
{
	char *path = sample_path("results.db");

	execute(path, "CREATE TABLE history (url TEXT)");
	refused(path, STORE_READ, ERR_STORE, "another program's database");
	refused(path, STORE_WRITE, ERR_STORE, "another program's database");
	execute(path, "PRAGMA user_version = 1");
	refused(path, STORE_WRITE, ERR_STORE, "another program's database");
	sample_clean(path);
}
END_TEST

START_TEST(newer_schema_is_refused_with_both_versions)
{
	char *path = filled(1);

	execute(path, "PRAGMA user_version = 99");
	refused(path, STORE_READ, ERR_STORE, "has schema 99, this fairtrial reads schema 1 to 2");
	refused(path, STORE_WRITE, ERR_STORE, "has schema 99");
	sample_clean(path);
}
END_TEST

START_TEST(empty_file_becomes_a_store)
{
	char *path = sample_path("results.db");
	struct store *store;

	write_at(path, 0, "", 0);
	store = opened(path, STORE_WRITE);
	sample_store(store, "a", 1);
	store_close(store);
	ck_assert_int_eq(trials_in(path), 1);
	sample_clean(path);
}
END_TEST

/* the frame of migration, with steps of its own */
static const char *const steps[] = {
	"CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7)",
	"ALTER TABLE a RENAME COLUMN x TO y",
	"ALTER TABLE a ADD COLUMN z INTEGER NOT NULL DEFAULT 3; UPDATE a SET y = y + z",
};

static struct store *bare(void)
{
	struct store *store = memory_zeroed(1, sizeof(*store));

	store->path = memory_string(":memory:");
	store->writable = true;
	ck_assert_int_eq(sqlite3_open(":memory:", &store->db), SQLITE_OK);
	return store;
}

static int64_t number(struct store *store, const char *sql)
{
	int64_t value;

	ck_no_error(sql_number(store, "cannot read", sql, &value));
	return value;
}

START_TEST(older_schema_is_upgraded_step_by_step)
{
	struct store *store = bare();

	ck_no_error(schema_upgrade(store, steps, 1));
	ck_assert_int_eq(number(store, "PRAGMA user_version"), 1);
	ck_assert_int_eq(number(store, "SELECT x FROM a"), 7);
	ck_no_error(schema_upgrade(store, steps, 3));
	ck_assert_int_eq(number(store, "PRAGMA user_version"), 3);
	ck_assert_int_eq(number(store, "SELECT y FROM a"), 10);
	ck_no_error(schema_upgrade(store, steps, 3));
	ck_assert_int_eq(number(store, "SELECT y FROM a"), 10);
	store_close(store);
}
END_TEST

START_TEST(failed_upgrade_changes_nothing)
{
	static const char *const broken[] = {
		"CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7)",
		"UPDATE a SET x = 8",
		"UPDATE no_such_table SET x = 9",
	};
	struct store *store = bare();

	ck_no_error(schema_upgrade(store, broken, 1));
	ck_error(schema_upgrade(store, broken, 3), ERR_STORE, "cannot upgrade the schema");
	ck_assert_int_eq(number(store, "PRAGMA user_version"), 1);
	ck_assert_int_eq(number(store, "SELECT x FROM a"), 7);
	store_close(store);
}
END_TEST

static off_t size_of(const char *path)
{
	struct stat status;

	ck_assert_int_eq(stat(path, &status), 0);
	return status.st_size;
}

START_TEST(truncated_store_is_damaged)
{
	char *path = filled(40);
	off_t size = size_of(path);

	ck_assert_int_eq(truncate(path, size / 2), 0);
	refused(path, STORE_READ, ERR_STORE, "is damaged");
	refused(path, STORE_WRITE, ERR_STORE, ".recover");
	ck_assert_int_eq(truncate(path, 5000), 0);
	refused(path, STORE_READ, ERR_STORE, "is damaged");
	ck_assert_int_eq(truncate(path, 50), 0);
	refused(path, STORE_READ, ERR_STORE, "cut off after 50 bytes");
	ck_assert_int_eq(truncate(path, 7), 0);
	refused(path, STORE_WRITE, ERR_STORE, "cut off after 7 bytes");
	sample_clean(path);
}
END_TEST

START_TEST(overwritten_pages_are_damage)
{
	char *path = filled(40), *zeros = memory_zeroed(1, size_of(path));
	off_t size = size_of(path);
	struct store *store;
	struct run *run;
	int64_t id;

	write_at(path, 16384 * 2, zeros, size - 16384 * 2);
	store = opened(path, STORE_READ);
	ck_error(store_newest(store, NULL, &id), ERR_STORE, "is damaged");
	ck_error(store_load_run(store, 1, LOAD_ALL, &run), ERR_STORE, "is damaged");
	store_close(store);
	free(zeros);
	sample_clean(path);
}
END_TEST

START_TEST(environment_that_is_no_json_is_damage)
{
	char *path = filled(1);
	struct store *store;
	struct run *run;

	execute(path, "UPDATE environment SET content = '{\"kernel\": '");
	store = opened(path, STORE_READ);
	ck_error(store_load_run(store, 1, LOAD_RUN, &run), ERR_STORE, "JSON");
	store_close(store);
	sample_clean(path);
}
END_TEST

START_TEST(read_only_file_is_read_and_not_written)
{
	char *path = filled(3);

	if (become_nobody(path)) {
		protect(path, 0700, 0400);
		ck_assert_int_eq(trials_in(path), 3);
		refused(path, STORE_WRITE, ERR_STORE, "read-only for this user");
		become_root();
	}
	sample_clean(path);
}
END_TEST

START_TEST(store_in_a_read_only_folder_is_read_and_not_written)
{
	char *path = filled(3);

	if (become_nobody(path)) {
		protect(path, 0500, 0400);
		ck_assert_int_eq(trials_in(path), 3);
		refused(path, STORE_WRITE, ERR_STORE, "read-only");
		protect(path, 0500, 0600);
		ck_assert_int_eq(trials_in(path), 3);
		refused(path, STORE_WRITE, ERR_STORE, "read-only");
		protect(path, 0700, 0600);
		become_root();
	}
	sample_clean(path);
}
END_TEST

START_TEST(store_is_not_made_in_a_read_only_folder)
{
	char *path = sample_path("results.db");

	write_at(path, 0, "", 0);
	if (become_nobody(path)) {
		unlink(path);
		protect(path, 0500, 0600);
		refused(path, STORE_WRITE, ERR_STORE, "cannot make the store");
		protect(path, 0700, 0600);
		become_root();
	}
	sample_clean(path);
}
END_TEST

START_TEST(full_disk_keeps_what_was_stored_and_nothing_of_the_rest)
{
	char *path = sample_path("results.db");
	struct store *store = opened(path, STORE_WRITE);
	struct run *run = sample_run("a"), *read;
	struct rlimit limit = { 400000, RLIM_INFINITY };
	struct error *error = NULL;
	int stored = 0;

	signal(SIGXFSZ, SIG_IGN);
	ck_no_error(store_add_run(store, run));
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	while (!error && stored < 10000) {
		struct trial trial = sample_trial(stored);

		error = store_add_trial(store, run, &trial);
		stored += !error;
		trial_clear(&trial);
	}
	ck_assert_ptr_nonnull(error);
	ck_assert_int_eq(error->code, ERR_STORE);
	ck_assert_msg(strstr(error->message, "no space left") != NULL, "%s", error->message);
	error_free(error);
	store_close(store);
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(trials_in(path), stored);
	store = opened(path, STORE_WRITE);
	ck_no_error(store_load_run(store, 1, LOAD_ALL, &read));
	for (int i = 0; i < stored; i++)
		ck_assert_int_eq(read->trials[i].n_metrics, 2);
	run_free(read);
	run_free(run);
	store_close(store);
	sample_clean(path);
}
END_TEST

START_TEST(two_writers_take_turns)
{
	char *path = filled(0);
	struct store *first = opened(path, STORE_WRITE), *second = opened(path, STORE_WRITE);

	sample_store(first, "a", 4);
	sample_store(second, "b", 4);
	sample_store(first, "c", 4);
	ck_assert_int_eq(number(second, "SELECT count(*) FROM trial"), 12);
	store_close(first);
	store_close(second);
	sample_clean(path);
}
END_TEST

START_TEST(removed_runs_give_their_space_back)
{
	char *path = filled(400);
	off_t before = size_of(path);
	struct store *store = opened(path, STORE_WRITE);

	ck_no_error(store_remove_run(store, 1));
	ck_assert_int_eq(number(store, "PRAGMA freelist_count"), 0);
	store_close(store);
	ck_assert_int_lt(size_of(path), before);
	sample_clean(path);
}
END_TEST

UNIT_TESTS("store_file", new_store_and_its_folders_are_of_the_user_alone, closed_store_is_one_file,
	   missing_store_cannot_be_read, store_is_not_made_through_a_link,
	   link_to_a_store_is_followed, folder_is_not_a_store, name_with_signs_of_a_uri_is_a_name,
	   other_file_is_not_a_store_and_is_left_alone, database_of_another_program_is_not_a_store,
	   newer_schema_is_refused_with_both_versions, empty_file_becomes_a_store,
	   older_schema_is_upgraded_step_by_step, failed_upgrade_changes_nothing,
	   truncated_store_is_damaged, overwritten_pages_are_damage,
	   environment_that_is_no_json_is_damage, read_only_file_is_read_and_not_written,
	   store_in_a_read_only_folder_is_read_and_not_written,
	   store_is_not_made_in_a_read_only_folder,
	   full_disk_keeps_what_was_stored_and_nothing_of_the_rest, two_writers_take_turns,
	   removed_runs_give_their_space_back)
