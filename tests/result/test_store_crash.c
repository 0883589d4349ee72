// SPDX-License-Identifier: GPL-2.0-only
/* test_store_crash.c - a writer that is killed at any moment costs the trial in flight alone */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "result/schema.h"

#include "sample.h"

static void sleep_microseconds(long microseconds)
{
	struct timespec time = { 0, microseconds * 1000 };

	nanosleep(&time, NULL);
}

static int64_t number(struct store *store, const char *sql)
{
	int64_t value;

	ck_no_error(sql_number(store, "cannot read", sql, &value));
	return value;
}

/* stores trials without end; a byte into @fd for each that was stored */
static void write_trials(const char *path, int fd)
{
	struct store *store;
	struct run *run = sample_run("killed");

	if (store_open(path, STORE_WRITE, &store) || store_add_run(store, run))
		_exit(1);
	for (int i = 0;; i++) {
		struct trial trial = sample_trial(i);

		if (store_add_trial(store, run, &trial) || write(fd, "x", 1) != 1)
			_exit(1);
		trial_clear(&trial);
	}
}

static int drain(int fd)
{
	char bytes[4096];
	int total = 0;
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		total += got;
	return total;
}

/*
 * a writer that is killed after @microseconds, from its start or from its first stored trial on;
 * returns how many trials it said were stored
 */
static int killed_writer(const char *path, long microseconds, bool after_first)
{
	int pipes[2], status, stored = 0;
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(pipes), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		close(pipes[0]);
		write_trials(path, pipes[1]);
	}
	close(pipes[1]);
	if (after_first)
		stored = read(pipes[0], &byte, 1) == 1;
	sleep_microseconds(microseconds);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFSIGNALED(status), "the writer failed by itself");
	stored += drain(pipes[0]);
	close(pipes[0]);
	return stored;
}

static void check_newest(struct store *store, int stored)
{
	struct run *run;
	int64_t id;

	ck_no_error(store_newest(store, NULL, &id));
	ck_no_error(store_load_run(store, id, LOAD_ALL, &run));
	ck_assert_int_ge(run->n_trials, stored);
	ck_assert_int_le(run->n_trials, stored + 1);
	for (int i = 0; i < run->n_trials; i++) {
		ck_assert_int_eq(run->trials[i].position, i);
		ck_assert_int_eq(run->trials[i].n_metrics, 2);
		ck_assert_int_eq(run->trials[i].metrics[0].n_workers, 4);
		ck_assert_str_eq(run->trials[i].metrics[1].unavailable, "schedstat is off");
	}
	run_free(run);
}

static void check_sound(struct store *store)
{
	struct query query = query_start(store, "cannot check", "PRAGMA integrity_check");
	char *verdict;

	ck_assert(query_row(&query));
	verdict = column_string(&query, 0);
	ck_assert_str_eq(verdict, "ok");
	free(verdict);
	ck_no_error(query_end(&query));
	query = query_start(store, "cannot check", "PRAGMA foreign_key_check");
	ck_assert(!query_row(&query));
	ck_no_error(query_end(&query));
}

/* each round goes on with the store that the killed writer before it left */
START_TEST(killed_writer_loses_at_most_the_trial_in_flight)
{
	char *path = sample_path("results.db");
	struct store *store;
	int total = 0;

	ck_no_error(store_open(path, STORE_WRITE, &store));
	store_close(store);
	srand(time(NULL) ^ getpid());
	for (int round = 0; round < 25; round++) {
		int stored = killed_writer(path, 1000 + rand() % 60000, round % 3 == 0);

		ck_no_error(store_open(path, round % 2 ? STORE_READ : STORE_WRITE, &store));
		check_sound(store);
		if (stored)
			check_newest(store, stored);
		total += stored;
		ck_assert_int_ge(number(store, "SELECT count(*) FROM trial"), total);
		store_close(store);
	}
	ck_assert_int_gt(total, 0);
	sample_clean(path);
}
END_TEST

START_TEST(store_whose_making_was_killed_can_be_made_again)
{
	srand(time(NULL) ^ getpid());
	for (int round = 0; round < 15; round++) {
		char *path = sample_path("results.db");
		struct store *store;

		killed_writer(path, rand() % 15000, false);
		ck_no_error(store_open(path, STORE_WRITE, &store));
		check_sound(store);
		ck_assert_int_eq(number(store, "PRAGMA user_version"), schema_version);
		sample_store(store, "after", 1);
		store_close(store);
		sample_clean(path);
	}
}
END_TEST

/* what the killed writer left in the WAL is neither lost nor left out silently */
START_TEST(write_ahead_log_in_a_read_only_folder_is_read_or_refused)
{
	char *path = sample_path("results.db"), *slash = strrchr(path, '/');
	char *shm = memory_format("%s-shm", path), *wal = memory_format("%s-wal", path);
	int stored = 0, owner = 65534;
	struct store *store;

	while (!stored)
		stored = killed_writer(path, 50000, false);
	unlink(shm);
	*slash = '\0';
	if (!geteuid() && (chown(path, owner, owner) || setegid(owner))) {
		fprintf(stderr, "# not checked: cannot give files to another user\n");
		owner = -1;
	}
	chmod(path, 0500);
	*slash = '/';
	if (!geteuid() && owner > 0)
		ck_assert(!chown(path, owner, owner) && !chown(wal, owner, owner) &&
			  !seteuid(owner));
	if (owner > 0)
		ck_error(store_open(path, STORE_READ, &store), ERR_STORE,
			 "-wal holds results that cannot be read in a read-only folder");
	if (!getuid())
		ck_assert(!seteuid(0) && !setegid(0));
	*slash = '\0';
	chmod(path, 0700);
	*slash = '/';
	ck_no_error(store_open(path, STORE_READ, &store));
	check_newest(store, stored);
	store_close(store);
	free(shm);
	free(wal);
	sample_clean(path);
}
END_TEST

UNIT_TESTS("store_crash", killed_writer_loses_at_most_the_trial_in_flight,
	   store_whose_making_was_killed_can_be_made_again,
	   write_ahead_log_in_a_read_only_folder_is_read_or_refused)
