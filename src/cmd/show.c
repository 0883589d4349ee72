// SPDX-License-Identifier: GPL-2.0-only
/* show.c - `fairtrial show`: a run or a trial of it, with all values */
#include "cmd/show.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cmd/store_option.h"
#include "report/grid.h"
#include "result/export.h"

#define WIDEST_NAME 38

static const struct option_desc options[] = {
	{ "trial", 't', "N", "one trial of the run, with its values by worker", false },
	{ "plan", 0, NULL, "the text of the plan alone, as it was when it ran", false },
	{ "json", 0, NULL, "print one JSON object for each run", false },
	STORE_OPTION,
	{ 0 },
};

/* a value on one line: the content of a file may have several */
static char *json_as_text(const json_t *value)
{
	char *text =
		json_is_string(value) ? memory_string(json_string_value(value)) : json_text(value);

	for (char *at = text; *at; at++)
		if (*at == '\n' || *at == '\t')
			*at = ' ';
	if (!*text) {
		free(text);
		text = memory_string("(empty)");
	}
	return text;
}

/* A member of an object, objects within objects flattened: "a.b". */
struct member {
	char *name, *text;
};

static void add_members(struct member **members, int *n, const char *prefix, const json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		autofree char *name = memory_format("%s%s%s", prefix, *prefix ? "." : "", key);
		struct member *member;

		if (json_is_object(value) && json_object_size(value)) {
			add_members(members, n, name, value);
			continue;
		}
		member = array_append(*members, *n);
		member->name = memory_string(name);
		member->text = json_as_text(value);
		text_printable(member->name);
		text_printable(member->text);
	}
}

static int name_width(const struct member *members, int n)
{
	int width = 0;

	for (int i = 0; i < n; i++)
		if ((int)strlen(members[i].name) > width)
			width = strlen(members[i].name);
	return width < WIDEST_NAME ? width : WIDEST_NAME;
}

/* beside its name if the value fits there, else below it */
void show_object(const json_t *object, int indent)
{
	struct member *members = NULL;
	int n = 0, width;

	add_members(&members, &n, "", object);
	width = name_width(members, n);
	if (!n)
		grid_wrap(stdout, "(nothing was recorded)", indent);
	for (int i = 0; i < n; i++) {
		int name = strlen(members[i].name), text = strlen(members[i].text);

		printf("%*s%s", indent, "", members[i].name);
		if (name <= width && indent + width + 2 + text <= GRID_WIDTH) {
			printf("%*s%s\n", width - name + 2, "", members[i].text);
		} else {
			printf("\n");
			grid_wrap(stdout, members[i].text, indent + 6);
		}
		free(members[i].name);
		free(members[i].text);
	}
	free(members);
}

char *show_settings(const json_t *object)
{
	char *line = memory_string("");
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		autofree char *text = json_as_text(value);
		line = memory_append(line, "%s%s = %s", *line ? ", " : "", key, text);
	}
	return line;
}

/* the run of the command line, or the newest */
static struct error *find_runs(struct store *store, const struct arguments *arguments,
			       int64_t **ids, int *n)
{
	struct error *error;

	if (arguments->n_words)
		return runs_of_words(store, arguments, ids, n);
	*ids = memory_zeroed(1, sizeof(**ids));
	*n = 1;
	error = store_newest(store, NULL, &(*ids)[0]);
	if (error) {
		free(*ids);
		*ids = NULL;
	}
	return error;
}

static struct error *check_trial(const struct run *run, int number)
{
	if (number <= run->n_trials)
		return NULL;
	if (!run->n_trials)
		return error_new(ERR_INPUT, "run %lld has no trials", (long long)run->id);
	return error_new(ERR_INPUT, "run %lld has no trial %d; its trials are 1 to %d",
			 (long long)run->id, number, run->n_trials);
}

static json_t *run_json(const struct run *run, int number)
{
	json_t *object, *trials;

	if (number)
		return export_trial(run, &run->trials[number - 1]);
	object = export_run(run);
	trials = json_array();
	for (int i = 0; i < run->n_trials; i++)
		json_array_append_new(trials, export_trial(run, &run->trials[i]));
	json_object_set_new(object, "id", json_integer(run->id));
	json_object_set_new(object, "trials", trials);
	return object;
}

static struct error *show(struct store *store, const struct arguments *arguments, int64_t id,
			  int number)
{
	bool json = option_given(arguments, "json"), plan = option_given(arguments, "plan");
	enum load_depth depth = number || json ? LOAD_ALL : plan ? LOAD_RUN : LOAD_VALUES;
	struct run *run;
	struct error *error = store_load_run(store, id, depth, &run);

	if (error)
		return error;
	if (plan)
		fputs(run->plan_text, stdout);
	else
		error = check_trial(run, number);
	if (!error && json)
		print_json(run_json(run, number));
	else if (!error && number)
		show_trial(run, number);
	else if (!error && !plan)
		show_run(run);
	run_free(run);
	return error;
}

static struct error *several(const struct arguments *arguments, const int64_t *ids, int n)
{
	char *list = memory_format("%lld", (long long)ids[0]);
	struct error *error;

	for (int i = 1; i < n; i++) {
		list = memory_append(list, ", %lld", (long long)ids[i]);
	}
	error = error_new(ERR_INPUT, "'%s' names %d runs (%s); give one number",
			  arguments->words[0], n, list);
	free(list);
	return error;
}

static struct error *show_all(struct store *store, const struct arguments *arguments, int number)
{
	int64_t *ids;
	int n;
	struct error *error = find_runs(store, arguments, &ids, &n);

	if (error)
		return error;
	if (n > 1 && (number || option_given(arguments, "plan")))
		error = several(arguments, ids, n);
	for (int i = 0; !error && i < n; i++) {
		if (i && !option_given(arguments, "json"))
			putchar('\n');
		error = show(store, arguments, ids[i], number);
	}
	free(ids);
	return error;
}

static struct error *run(const struct arguments *arguments, int *status)
{
	struct store *store;
	long number;
	struct error *error = option_integer(arguments, "trial", 1, INT_MAX, 0, &number);

	(void)status;
	if (error)
		return error;
	if (option_given(arguments, "plan") && (number || option_given(arguments, "json")))
		return error_new(ERR_USAGE, "show: --plan goes with neither --trial nor --json");
	error = open_store(arguments, STORE_READ, &store);
	if (error)
		return error;
	error = show_all(store, arguments, number);
	store_close(store);
	return error;
}

const struct verb verb_show = {
	.name = "show",
	.usage = "[ID|LABEL]",
	.summary = "a run (by default the newest), what it was measured on, its values",
	.options = options,
	.min_words = 0,
	.max_words = 1,
	.run = run,
};
