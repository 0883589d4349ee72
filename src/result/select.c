// SPDX-License-Identifier: GPL-2.0-only
#include "result/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "result/sql.h"

#define NAMES_SHOWN 12

/* A variant of a run; a run without variants has one entry with variant -1. */
struct entry {
	int64_t run;
	char *label;
	int variant;
	char *name, *skipped;
};

struct catalogue {
	struct entry *entries; /* by rising run id, then variant */
	int n;
	int64_t newest; /* 0: there is no run */
	const char *path;
};

/* What of the catalogue a name asks for. A part that is NULL or 0 does not matter. */
struct wanted {
	int64_t run;
	const char *label, *variant;
};

struct name_list {
	char **names;
	int n;
};

static void catalogue_clear(struct catalogue *catalogue)
{
	for (int i = 0; i < catalogue->n; i++) {
		free(catalogue->entries[i].label);
		free(catalogue->entries[i].name);
		free(catalogue->entries[i].skipped);
	}
	free(catalogue->entries);
}

static struct error *catalogue_read(struct store *store, struct catalogue *out)
{
	struct query query =
		query_start(store, "cannot list the runs",
			    "SELECT run.id, label, number, name, skipped, "
			    "run.id = (SELECT id FROM run ORDER BY started DESC, id DESC "
			    "LIMIT 1) FROM run LEFT JOIN run_variant "
			    "ON run_variant.run = run.id ORDER BY run.id, number");
	struct error *error;

	*out = (struct catalogue){ .path = store->path };
	while (query_row(&query)) {
		struct entry *entry = array_append(out->entries, out->n);

		entry->run = column_integer(&query, 0);
		entry->label = column_string(&query, 1);
		entry->name = column_string(&query, 3);
		entry->variant = entry->name ? column_integer(&query, 2) : -1;
		entry->skipped = column_string(&query, 4);
		if (column_integer(&query, 5))
			out->newest = entry->run;
	}
	error = query_end(&query);
	if (error)
		catalogue_clear(out);
	return error;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool is_wanted(const struct entry *entry, const struct wanted *wanted)
{
	return (!wanted->run || entry->run == wanted->run) &&
	       (!wanted->label || same(entry->label, wanted->label)) &&
	       (!wanted->variant || same(entry->name, wanted->variant));
}

static bool exists(const struct catalogue *catalogue, const struct wanted *wanted)
{
	for (int i = 0; i < catalogue->n; i++)
		if (is_wanted(&catalogue->entries[i], wanted))
			return true;
	return false;
}

/* adds a name once; takes it over */
static void add_name(struct name_list *list, char *name)
{
	for (int i = 0; i < list->n; i++) {
		if (!strcmp(list->names[i], name)) {
			free(name);
			return;
		}
	}
	*array_append(list->names, list->n) = name;
}

/* "a, b, c" and frees the names */
static char *joined(struct name_list *list)
{
	char *text = memory_string(list->n ? "" : "none");

	for (int i = 0; i < list->n; i++) {
		char *longer = NULL;

		if (i < NAMES_SHOWN)
			longer = memory_format("%s%s%s", text, i ? ", " : "", list->names[i]);
		else if (i == NAMES_SHOWN)
			longer = memory_format("%s and %d more", text, list->n - i);
		if (longer) {
			free(text);
			text = longer;
		}
		free(list->names[i]);
	}
	free(list->names);
	return text;
}

static char *labels(const struct catalogue *catalogue)
{
	struct name_list list = { 0 };

	for (int i = 0; i < catalogue->n; i++)
		if (catalogue->entries[i].label)
			add_name(&list, memory_string(catalogue->entries[i].label));
	return joined(&list);
}

/* the variants of what is wanted, each with @prefix in front */
static char *variants(const struct catalogue *catalogue, const struct wanted *wanted,
		      const char *prefix)
{
	struct name_list list = { 0 };

	for (int i = 0; i < catalogue->n; i++) {
		const struct entry *entry = &catalogue->entries[i];

		if (entry->name && is_wanted(entry, wanted))
			add_name(&list, memory_format("%s%s", prefix, entry->name));
	}
	return joined(&list);
}

/*
 * Reads one meaning of a name: the text before a ':' is a label, or nothing for the newest run; what
 * is after it a variant. False if the store has nothing of that meaning.
 */
static bool split_meaning(const struct catalogue *catalogue, char *name, char *colon,
			  struct wanted *wanted)
{
	*wanted = (struct wanted){ 0 };
	*colon = '\0';
	if (colon == name)
		wanted->run = catalogue->newest;
	else
		wanted->label = name;
	if (colon[1])
		wanted->variant = colon + 1;
	if (wanted->run && !wanted->variant)
		return false;
	return exists(catalogue, wanted);
}

/* "#ID" and "#ID:VARIANT"; @name is cut at the colon */
static struct error *number_meaning(const struct catalogue *catalogue, char *name,
				    struct wanted *wanted)
{
	char *colon = strchr(name, ':');
	struct error *error;

	*wanted = (struct wanted){ 0 };
	if (colon) {
		*colon = '\0';
		wanted->variant = colon + 1;
	}
	error = text_integer(name + 1, 1, INT64_MAX, &wanted->run);
	if (error)
		return error_prefix(error, "%s is not the number of a run", name);
	if (!exists(catalogue, &(struct wanted){ .run = wanted->run }))
		return error_new(ERR_INPUT, "there is no run %s in %s; see fairtrial list", name,
				 catalogue->path);
	if (!exists(catalogue, wanted)) {
		autofree char *there =
			variants(catalogue, &(struct wanted){ .run = wanted->run }, "");

		return error_new(ERR_INPUT, "run %s has no variant '%s'; it has %s", name,
				 wanted->variant, there);
	}
	return NULL;
}

/* "; it is a variant of mine: mine:on, ..." - a run may have hidden it by being newer */
static char *elsewhere(const struct catalogue *catalogue, const char *name)
{
	struct name_list list = { 0 };
	autofree char *names = NULL;

	for (int i = 0; i < catalogue->n; i++)
		if (catalogue->entries[i].label && same(catalogue->entries[i].name, name))
			add_name(&list, memory_format("%s:%s", catalogue->entries[i].label, name));
	if (!list.n)
		return memory_string("");
	names = joined(&list);
	return memory_format("; there is %s", names);
}

static struct error *unknown(const struct catalogue *catalogue, const char *name)
{
	autofree char *other = elsewhere(catalogue, name);
	autofree char *there =
		variants(catalogue, &(struct wanted){ .run = catalogue->newest }, "");
	autofree char *known = labels(catalogue);

	if (!catalogue->n)
		return error_new(ERR_INPUT, "'%s' cannot be found: there is no run in %s", name,
				 catalogue->path);
	return error_new(ERR_INPUT,
			 "'%s' is no variant of the newest run (%s), no label (%s) and no "
			 "LABEL:VARIANT of %s%s",
			 name, there, known, catalogue->path, other);
}

/* the selections of a meaning that is there */
static struct error *select_wanted(const struct catalogue *catalogue, const struct wanted *wanted,
				   const char *name, struct selection **out, int *n)
{
	struct selection *found = NULL;
	const char *variant = NULL, *skipped = NULL;
	bool several = false;
	int count = 0;

	for (int i = 0; i < catalogue->n; i++) {
		const struct entry *entry = &catalogue->entries[i];

		if (!is_wanted(entry, wanted) || entry->variant < 0)
			continue;
		if (entry->skipped) {
			skipped = entry->skipped;
			continue;
		}
		several |= variant && strcmp(variant, entry->name);
		variant = entry->name;
		*array_append(found, count) =
			(struct selection){ .run = entry->run, .variant = entry->variant };
	}
	if (!several && count) {
		*out = found;
		*n = count;
		return NULL;
	}
	free(found);
	if (several) {
		int length = strlen(name) - (name[strlen(name) - 1] == ':');
		autofree char *prefix = memory_format("%.*s:", length, name);
		autofree char *there = variants(catalogue, wanted, prefix);

		return error_new(ERR_INPUT, "'%s' has several variants; name one of %s", name,
				 there);
	}
	return error_new(ERR_INPUT, "'%s' has no trials: %s%s", name,
			 skipped ? "its variant was left out: " : "its runs have no variants",
			 skipped ? skipped : "");
}

/* the one meaning of a name that is not a number of a run */
static struct error *find_meaning(const struct catalogue *catalogue, const char *name, char **copy,
				  struct wanted *out)
{
	struct wanted as_variant = { .run = catalogue->newest, .variant = name };
	struct wanted as_label = { .label = name };
	int meanings = 0;

	if (exists(catalogue, &as_label)) {
		*out = as_label;
		meanings++;
	}
	if (exists(catalogue, &as_variant)) {
		*out = as_variant;
		meanings++;
	}
	if (meanings == 2)
		return error_new(
			ERR_INPUT,
			"'%s' is both a variant of the newest run and a label; write ':%s' "
			"for the variant or '%s:' for the label",
			name, name, name);
	for (const char *at = strchr(name, ':'); at; at = strchr(at + 1, ':')) {
		char *parts = memory_string(name);
		struct wanted wanted;

		if (!split_meaning(catalogue, parts, parts + (at - name), &wanted)) {
			free(parts);
			continue;
		}
		free(*copy);
		*copy = parts;
		*out = wanted;
		meanings++;
	}
	if (meanings > 1)
		return error_new(
			ERR_INPUT,
			"'%s' has several meanings, because labels or variants have a ':'; "
			"write #ID:VARIANT with the number of fairtrial list",
			name);
	return meanings ? NULL : unknown(catalogue, name);
}

struct error *store_resolve(struct store *store, const char *name, struct selection **out, int *n)
{
	struct catalogue catalogue;
	struct wanted wanted;
	struct error *error = catalogue_read(store, &catalogue);
	char *copy = NULL;

	if (error)
		return error;
	if (*name == '#') {
		copy = memory_string(name);
		error = number_meaning(&catalogue, copy, &wanted);
	} else {
		error = find_meaning(&catalogue, name, &copy, &wanted);
	}
	if (!error)
		error = select_wanted(&catalogue, &wanted, name, out, n);
	free(copy);
	catalogue_clear(&catalogue);
	return error;
}

/* "ID", "#ID", "LABEL" and "LABEL:" of a name; both if digits are a label too */
static void run_meanings(const char *name, char *copy, struct wanted *as_number,
			 struct wanted *as_label)
{
	size_t length = strlen(copy);
	struct error *error = text_integer(name + (*name == '#'), 1, INT64_MAX, &as_number->run);

	error_free(error);
	if (length > 1 && copy[length - 1] == ':')
		copy[length - 1] = '\0';
	as_label->label = copy;
}

struct error *store_resolve_runs(struct store *store, const char *name, int64_t **ids, int *n)
{
	struct wanted as_number = { 0 }, as_label = { 0 };
	autofree char *copy = memory_string(name);
	struct catalogue catalogue;
	bool number, label;
	struct error *error = catalogue_read(store, &catalogue);
	int64_t *found = NULL;
	int count = 0;

	if (error)
		return error;
	run_meanings(name, copy, &as_number, &as_label);
	number = as_number.run && exists(&catalogue, &as_number);
	label = exists(&catalogue, &as_label);
	if (number && label) {
		error = error_new(
			ERR_INPUT,
			"'%s' is both the number of a run and a label; write '%s%s' for the "
			"run or '%s:' for the label",
			name, *name == '#' ? "" : "#", name + (*name == '#'), name);
	} else if (!number && !label) {
		autofree char *known = labels(&catalogue);

		error = error_new(ERR_INPUT,
				  "there is no run '%s' in %s; labels are: %s; numbers are in "
				  "fairtrial list",
				  name, store->path, known);
	}
	for (int i = 0; !error && i < catalogue.n; i++) {
		const struct entry *entry = &catalogue.entries[i];

		if (is_wanted(entry, number ? &as_number : &as_label) &&
		    (!count || found[count - 1] != entry->run))
			*array_append(found, count) = entry->run;
	}
	catalogue_clear(&catalogue);
	if (error)
		return error;
	*ids = found;
	*n = count;
	return NULL;
}
