// SPDX-License-Identifier: GPL-2.0-only
/* test_export.c - JSON lines out and in: nothing lost, nothing accepted that is wrong */
#include "result/export.h"
#include "result/store_open.h"
#include "result/trial_json.h"

#include "sample.h"

static struct store *memory_store(void)
{
	struct store *store;

	ck_no_error(store_open_memory(&store));
	return store;
}

static char *exported(struct store *store)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	ck_no_error(store_export(store, NULL, 0, stream));
	fclose(stream);
	return text;
}

static struct error *import(struct store *store, const char *text)
{
	FILE *stream = fmemopen((void *)text, strlen(text), "r");
	int n = -1;
	struct error *error = store_import(store, stream, "in.jsonl", &n);

	fclose(stream);
	return error;
}

static int n_runs(struct store *store)
{
	struct run_summary *list;
	int n;

	ck_no_error(store_list(store, NULL, &list, &n));
	run_summaries_free(list, n);
	return n;
}

static char *sample_export(void)
{
	struct store *store = memory_store();
	char *text;

	sample_store(store, "before", 8);
	sample_store(store, "after", 3);
	text = exported(store);
	store_close(store);
	return text;
}

START_TEST(export_import_export_gives_the_same_bytes)
{
	char *first = sample_export(), *second;
	struct store *store = memory_store();

	ck_no_error(import(store, first));
	ck_assert_int_eq(n_runs(store), 2);
	second = exported(store);
	ck_assert_str_eq(first, second);
	store_close(store);
	free(first);
	free(second);
}
END_TEST

START_TEST(values_keep_every_bit)
{
	static const double values[] = {
		0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -2.5, 1e22, 123456789012345680.0
	};
	struct metric_desc desc = { "", "1", BETTER_NEITHER, 1, "" };
	struct trial trial = { 0 }, read = { 0 };
	json_t *object;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		char name[] = { 'a' + (char)i, '\0' };

		desc.name = name;
		trial_add_metric(&trial, &desc, values[i], values, ARRAY_SIZE(values));
	}
	object = trial_to_json(&trial);
	ck_no_error(trial_from_json(object, "f", 1, &read));
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		ck_assert(read.metrics[i].value == values[i]);
		ck_assert(!memcmp(read.metrics[i].per_worker, values, sizeof(values)));
	}
	json_decref(object);
	trial_clear(&trial);
	trial_clear(&read);
}
END_TEST

START_TEST(trial_with_bytes_that_are_not_utf8_is_still_a_record)
{
	struct trial trial = sample_trial(3), read = { 0 };
	json_t *object;

	free(trial.reason);
	trial.reason = memory_string("no file caf\xe9");
	trial.metrics[0].value = INFINITY;
	object = trial_to_json(&trial);
	ck_no_error(trial_from_json(object, "f", 1, &read));
	ck_assert_str_eq(read.reason, "no file caf\xef\xbf\xbd");
	ck_assert_str_eq(read.metrics[0].unavailable, "the value is infinite");
	json_decref(object);
	trial_clear(&trial);
	trial_clear(&read);
}
END_TEST

START_TEST(second_import_of_a_run_is_refused)
{
	char *text = sample_export();
	struct store *store = memory_store();

	ck_no_error(import(store, text));
	ck_error(import(store, text), ERR_INPUT, "in.jsonl:2: the run ");
	ck_error(import(store, text), ERR_INPUT, "is already in :memory:, as number 1");
	ck_assert_int_eq(n_runs(store), 2);
	store_close(store);
	free(text);
}
END_TEST

START_TEST(exports_put_behind_each_other_are_one_file)
{
	char *first = sample_export(), *second = sample_export();
	char *both = memory_format("%s%s", first, second);
	struct store *store = memory_store();

	ck_no_error(import(store, both));
	ck_assert_int_eq(n_runs(store), 4);
	store_close(store);
	free(first);
	free(second);
	free(both);
}
END_TEST

START_TEST(file_cut_off_anywhere_is_refused_whole)
{
	char *text = sample_export();
	size_t length = strlen(text);
	struct store *store = memory_store();

	for (size_t cut = 1; cut < length; cut += 1 + cut % 97) {
		struct error *error;
		char *part = memory_string_n(text, cut);

		error = import(store, part);
		ck_assert_msg(error && error->code == ERR_INPUT, "cut at %zu", cut);
		ck_assert_int_ge(error->line, 1);
		error_free(error);
		ck_assert_int_eq(n_runs(store), 0);
		free(part);
	}
	store_close(store);
	free(text);
}
END_TEST

/* replaces the first @from of a good export, which must be refused with @message and leave nothing */
static void refused(const char *from, const char *to, const char *message)
{
	char *text = sample_export(), *at = strstr(text, from), *changed;
	struct store *store = memory_store();

	ck_assert_msg(at != NULL, "'%s' is not in the export", from);
	changed = memory_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	ck_error(import(store, changed), ERR_INPUT, message);
	ck_assert_int_eq(n_runs(store), 0);
	store_close(store);
	free(changed);
	free(text);
}

START_TEST(lines_that_are_not_records_are_refused)
{
	refused("{", "[", "in.jsonl:1: not valid JSON");
	refused("\n{\"cases", "\n\n{\"cases", "in.jsonl:2: an empty line");
	refused("\"type\":\"trial\"", "\"type\":\"trail\"", "in.jsonl:3: unknown type 'trail'");
	refused("\"type\":\"trial\"", "\"typ\":\"trial\"",
		"in.jsonl:3: a JSON object with a 'type' is expected");
	refused("{\"format\":\"fairtrial\",\"schema\":2,\"type\":\"header\"}\n", "",
		"in.jsonl:1: a header is expected");
	refused("\"format\":\"fairtrial\"", "\"format\":\"x\"", "not of an export of fairtrial");
	refused("\"schema\":2,", "\"schema\":9,", "this export has schema 9");
	refused("\"schema\":2,", "\"schema\":0,", "'schema' must be an integer from 1 to 2");
	refused("\"schema\":2,", "\"schema\":true,", "'schema' must be an integer from 1 to 2");
}
END_TEST

START_TEST(keys_are_checked_by_name)
{
	refused("\"complete\":", "\"completed\":",
		"unknown key 'completed'; did you mean 'complete'");
	refused("\"complete\":false,", "", "in.jsonl:2: a run: the key 'complete' is missing");
	refused("\"block\":", "\"blocks\":", "in.jsonl:3: a trial: unknown key 'blocks'");
	refused("\"block\":0", "\"block\":0,\"block\":0", "not valid JSON: duplicate object key");
	refused("\"better\":\"higher\",", "", "a metric: the key 'better' is missing");
	refused("\"cpus\":", "\"cups\":", "a case: unknown key 'cups'; did you mean 'cpus'");
	refused("\"skipped\":null", "\"skipped\":null,\"x\":1", "a variant: unknown key 'x'");
}
END_TEST

START_TEST(types_are_checked)
{
	refused("\"complete\":false", "\"complete\":0", "'complete' must be true or false");
	refused("\"started\":1790000000.125", "\"started\":\"now\"", "'started' must be a number");
	refused("\"label\":\"before\"", "\"label\":7", "'label' must be a string or null");
	refused("\"seed\":\"18446744073709551615\"", "\"seed\":1", "'seed' must be a string");
	refused("18446744073709551615", "18446744073709551616", "digits below 2^64");
	refused("\"18446744073709551615\"", "\"-1\"", "digits below 2^64");
	refused("\"trials_planned\":3", "\"trials_planned\":3.0", "must be an integer from 0");
	refused("\"trials_planned\":3", "\"trials_planned\":-3", "must be an integer from 0");
	refused("\"environment\":{\"kernel\":\"6.12.1\"}", "\"environment\":[]", "an object");
	refused("\"better\":\"higher\"", "\"better\":\"up\"", "higher, lower or neither");
	refused("\"status\":\"ok\"", "\"status\":\"good\"", "'status' must be ok or failed");
	refused("\"block\":0", "\"block\":99999999999", "'block' must be an integer");
	refused("\"identity\":\"", "\"identity\":\"0", "'identity' must be a UUID");
	refused("\"name\":\"ops\"", "\"name\":\"\"", "a string that is not empty");
}
END_TEST

START_TEST(values_that_are_no_numbers_are_refused)
{
	refused("\"workers\":[", "\"workers\":[NaN,", "in.jsonl:3: not valid JSON");
	refused("\"workers\":[", "\"workers\":[\"NaN\",", "must hold numbers and null alone");
	refused("\"workers\":[", "\"workers\":[1e999,", "not valid JSON");
	refused("\"workers\":null", "\"workers\":[]", "must be null or have a value");
	refused("\"unavailable\":\"schedstat is off\"", "\"unavailable\":null",
		"either 'value' or 'unavailable' must be null");
	refused("\"unavailable\":null", "\"unavailable\":\"why\"",
		"either 'value' or 'unavailable' must be null");
}
END_TEST

START_TEST(histograms_are_checked)
{
	refused("\"histogram\":null", "\"histogram\":7", "'histogram' must be a string or null");
	refused("\"histogram\":null,", "", "a metric: the key 'histogram' is missing");
	refused("\"histogram\":null", "\"histogram\":\"hdr7;1\"",
		"in.jsonl:3: a metric: 'histogram': not a histogram: SUM;MIN;MAX;OVERFLOW;");
	refused("\"schema\":2,", "\"schema\":1,", "schema 1 has no key 'histogram'");
}
END_TEST

static void cut_out(char *text, const char *part)
{
	while ((text = strstr(text, part)))
		memmove(text, text + strlen(part), strlen(text + strlen(part)) + 1);
}

START_TEST(exports_of_schema_1_without_histograms_are_read)
{
	struct store *store = memory_store(), *old = memory_store();
	struct run *run = sample_run("before");
	struct trial trial = sample_trial(0);
	char *text, *again;

	free(trial.metrics[0].histogram);
	trial.metrics[0].histogram = NULL;
	ck_no_error(store_add_run(store, run));
	ck_no_error(store_add_trial(store, run, &trial));
	text = exported(store);
	again = memory_string(text);
	cut_out(again, "\"histogram\":null,");
	*(strstr(again, "\"schema\":2") + strlen("\"schema\":")) = '1';
	ck_no_error(import(old, again));
	free(again);
	again = exported(old);
	ck_assert_str_eq(again, text);
	free(text);
	free(again);
	trial_clear(&trial);
	run_free(run);
	store_close(store);
	store_close(old);
}
END_TEST

START_TEST(names_must_be_of_the_run)
{
	refused("\"case\":\"spawn workers=4\"", "\"case\":\"x\"", "its run has no case 'x'");
	refused("\"variant\":\"off\"", "\"variant\":\"x\"", "its run has no variant 'x'");
	refused("\"run\":\"", "\"run\":\"x", "it is not of the run before it");
	refused("\"name\":\"spawn workers=8\"", "\"name\":\"spawn workers=4\"",
		"the run has two cases 'spawn workers=4'");
	refused("\"name\":\"on\"", "\"name\":\"off\"", "the run has two variants 'off'");
	refused("\"name\":\"run_delay\"", "\"name\":\"ops\"", "the trial has two metrics 'ops'");
}
END_TEST

START_TEST(lost_lines_are_noticed_by_the_counts)
{
	char *text = sample_export(), *trial = strstr(text, "\n{\"block") + 1;
	char *next = strchr(trial, '\n') + 1;
	struct store *store = memory_store();

	memmove(trial, next, strlen(next) + 1);
	ck_error(import(store, text), ERR_INPUT,
		 "it counts 2 runs and 11 trials, the file has 2 and 10: lines are missing");
	store_close(store);
	free(text);
}
END_TEST

START_TEST(empty_file_is_refused)
{
	struct store *store = memory_store();
	FILE *stream = tmpfile();
	int n;

	ck_error(store_import(store, stream, "in.jsonl", &n), ERR_INPUT, "the file is empty");
	fclose(stream);
	store_close(store);
}
END_TEST

START_TEST(empty_store_makes_an_export_that_can_be_read)
{
	struct store *store = memory_store();
	char *text = exported(store);

	ck_no_error(import(store, text));
	free(text);
	store_close(store);
}
END_TEST

START_TEST(import_reads_a_pipe)
{
	char *text = sample_export();
	struct store *store = memory_store();
	FILE *stream;
	int n = 0, pipes[2];

	ck_assert_int_eq(pipe(pipes), 0);
	if (!fork()) {
		close(pipes[0]);
		_exit(write(pipes[1], text, strlen(text)) < 0);
	}
	close(pipes[1]);
	stream = fdopen(pipes[0], "r");
	ck_no_error(store_import(store, stream, "-", &n));
	ck_assert_int_eq(n, 2);
	fclose(stream);
	store_close(store);
	free(text);
}
END_TEST

UNIT_TESTS("export", export_import_export_gives_the_same_bytes, values_keep_every_bit,
	   trial_with_bytes_that_are_not_utf8_is_still_a_record, second_import_of_a_run_is_refused,
	   exports_put_behind_each_other_are_one_file, file_cut_off_anywhere_is_refused_whole,
	   lines_that_are_not_records_are_refused, keys_are_checked_by_name, types_are_checked,
	   values_that_are_no_numbers_are_refused, histograms_are_checked,
	   exports_of_schema_1_without_histograms_are_read, names_must_be_of_the_run,
	   lost_lines_are_noticed_by_the_counts, empty_file_is_refused,
	   empty_store_makes_an_export_that_can_be_read, import_reads_a_pipe)
