// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/memory.h"
#include "base/text.h"
#include "plan/internal.h"

/* Longest name of a variant or case: tables show it in one column. */
#define MAX_NAME 48

static const char *const kind_words[] = { "plan", "variant", "case" };

static struct section *find_section(const struct document *document, enum section_kind kind,
				    const char *name)
{
	for (int i = 0; i < document->n_sections; i++) {
		struct section *section = &document->sections[i];

		if (section->kind == kind && (!name || !strcmp(section->name, name)))
			return section;
	}
	return NULL;
}

static struct plan_entry *find_entry(const struct section *section, const char *key)
{
	for (int i = 0; i < section->n_entries; i++)
		if (!strcmp(section->entries[i].key, key))
			return &section->entries[i];
	return NULL;
}

/* names are words of tables, of `label:variant` and of command lines */
static struct error *check_name(const char *file, int line, const char *name)
{
	if (strlen(name) > MAX_NAME)
		return plan_problem(file, line,
				    "the name is %zu characters long: at most %d are accepted",
				    strlen(name), MAX_NAME);
	for (const char *at = name; *at; at++) {
		bool letter =
			(isalnum((unsigned char)*at) && isascii((unsigned char)*at)) || *at == '_';

		if (!letter && (at == name || !strchr(".+-@%/~", *at)))
			return plan_problem(file, line,
					    "'%s' is no name: letters, digits and _ are accepted, "
					    "behind the first also . + - @ %% / ~",
					    name);
	}
	return NULL;
}

/* "plan", "variant NAME", "case NAME" -> kind and name (a pointer into @header, or NULL) */
static struct error *split_header(const char *file, int line, char *header, enum section_kind *kind,
				  const char **name)
{
	static const char *const accepted[] = { "plan", "variant NAME", "case NAME", NULL };
	size_t length = strcspn(header, " \t");
	char *rest = header + length;
	autofree char *hint = NULL;

	if (*rest)
		*rest++ = '\0';
	rest = text_trim(rest);
	for (int i = 0; i < N_SECTION_KINDS; i++) {
		if (strcmp(header, kind_words[i]))
			continue;
		if (i == SECTION_PLAN && *rest)
			return plan_problem(file, line, "[plan] takes no name");
		if (i != SECTION_PLAN && !*rest)
			return plan_problem(file, line, "a %s needs a name: [%s NAME]", header,
					    header);
		*kind = i;
		*name = i == SECTION_PLAN ? NULL : rest;
		return *name ? check_name(file, line, *name) : NULL;
	}
	hint = unknown_word(header, accepted);
	for (int i = 0; i < N_SECTION_KINDS; i++) {
		const char *const words[] = { kind_words[i], NULL };

		if (text_nearest(header, words)) {
			free(hint);
			hint = memory_format(": did you mean '%s'? Accepted: plan, variant NAME, "
					     "case NAME",
					     accepted[i]);
			break;
		}
	}
	return plan_problem(file, line, "unknown section [%s]%s", header, hint);
}

static struct error *add_section(struct document *document, int line, const char *header)
{
	autofree char *copy = memory_string(header);
	const struct section *before;
	struct section *section;
	enum section_kind kind;
	const char *name;
	struct error *error;

	error = split_header(document->file, line, copy, &kind, &name);
	if (error)
		return error;
	before = find_section(document, kind, name);
	if (before)
		return plan_problem(document->file, line,
				    "[%s] is given twice: the first is in line %d", header,
				    before->line);
	section = array_append(document->sections, document->n_sections);
	section->kind = kind;
	section->line = line;
	section->name = name ? memory_string(name) : NULL;
	return NULL;
}

static void add_entry(struct section *section, int line, const char *key, const char *value)
{
	struct plan_entry *entry = array_append(section->entries, section->n_entries);

	entry->key = memory_string(key);
	entry->value = memory_string(value);
	entry->line = line;
}

static struct error *take(void *data, int line, const char *header, const char *key,
			  const char *value)
{
	struct document *document = data;
	const struct plan_entry *before;
	struct section *section;

	if (!key)
		return add_section(document, line, header);
	section = &document->sections[document->n_sections - 1];
	before = find_entry(section, key);
	if (before)
		return plan_problem(document->file, line,
				    "key '%s' is given twice: the first is in line %d", key,
				    before->line);
	if (strpbrk(key, " \t"))
		return plan_problem(document->file, line, "key '%s' contains a space", key);
	add_entry(section, line, key, value);
	return NULL;
}

/* ---- --set ---- */

struct override {
	int n;
	char *key, *value;
};

static struct error *take_override(void *data, int line, const char *header, const char *key,
				   const char *value)
{
	struct override *override = data;

	(void)line;
	(void)header;
	if (key && override->n++ == 0) {
		override->key = memory_string(key);
		override->value = memory_string(value);
	}
	return NULL;
}

/* how long a part of @key names the section: "NAME." or "KIND NAME."; 0: it does not */
static size_t section_prefix(const struct section *section, const char *key)
{
	autofree char *full =
		memory_format("%s%s%s.", kind_words[section->kind], section->name ? " " : "",
			      section->name ? section->name : "");
	size_t length = section->name ? strlen(section->name) : 0;

	if (!strncmp(key, full, strlen(full)))
		return strlen(full);
	if (length && !strncmp(key, section->name, length) && key[length] == '.')
		return length + 1;
	return 0;
}

/* the section that @key means by the longest name, and the rest of the key; [plan] without a name */
static struct error *find_target(struct document *document, const char *key,
				 struct section **target, const char **rest)
{
	size_t longest = 0;
	bool twice = false;

	*target = NULL;
	for (int i = 0; i < document->n_sections; i++) {
		struct section *section = &document->sections[i];
		size_t length = section_prefix(section, key);

		if (!length || length < longest)
			continue;
		twice = length == longest;
		longest = length;
		*target = section;
	}
	*rest = key + longest;
	if (twice)
		return plan_problem(document->file, 0,
				    "'%s' may mean a variant or a case: write '%s %s' or '%s %s'",
				    key, kind_words[SECTION_VARIANT], key, kind_words[SECTION_CASE],
				    key);
	if (*target)
		return NULL;
	if (strchr(key, '.') || strchr(key, ' '))
		return plan_problem(document->file, 0,
				    "'%s' is neither a key of [plan] nor NAME.key with the name of "
				    "a variant or case of the plan",
				    key);
	*target = find_section(document, SECTION_PLAN, NULL);
	if (!*target) {
		*target = array_append(document->sections, document->n_sections);
		(*target)->kind = SECTION_PLAN;
	}
	return NULL;
}

static struct error *set_key(struct document *document, const char *key, const char *value)
{
	struct plan_entry *entry;
	struct section *target;
	const char *rest;
	struct error *error = find_target(document, key, &target, &rest);

	if (error)
		return error;
	if (!*rest || strpbrk(rest, " \t"))
		return plan_problem(document->file, 0, "'%s' names no key", key);
	entry = find_entry(target, rest);
	if (!entry) {
		add_entry(target, 0, rest, value);
		return NULL;
	}
	free(entry->value);
	entry->value = memory_string(value);
	entry->line = 0;
	return NULL;
}

/* an override is read by the rules of a line of a file, so that it can be written as one */
static struct error *apply_override(struct document *document, const char *text)
{
	autofree char *line = memory_format("[set]\n%s\n", text);
	struct override override = { 0 };
	struct error *error;

	if (!strchr(text, '='))
		return error_new(ERR_INPUT, "--set: '%s' is not KEY=VALUE", text);
	error = ini_read("--set", line, strlen(line), take_override, &override);
	if (error) {
		error->line = 0;
		error = error_prefix(error, "'%s'", text);
	} else if (override.n != 1 || strchr(text, '\n')) {
		error = plan_problem(document->file, 0, "'%s' is not KEY=VALUE", text);
	} else {
		error = set_key(document, override.key, override.value);
	}
	free(override.key);
	free(override.value);
	return error;
}

struct error *document_read(const char *file, const char *text, size_t length,
			    const char *const *overrides, int n_overrides, struct document *out)
{
	struct error *error;

	*out = (struct document){ .file = file };
	error = ini_read(file, text, length, take, out);
	for (int i = 0; !error && i < n_overrides; i++)
		error = apply_override(out, overrides[i]);
	return error;
}

void document_clear(struct document *document)
{
	for (int i = 0; i < document->n_sections; i++) {
		struct section *section = &document->sections[i];

		for (int k = 0; k < section->n_entries; k++) {
			free(section->entries[k].key);
			free(section->entries[k].value);
		}
		free(section->entries);
		free(section->name);
	}
	free(document->sections);
	*document = (struct document){ 0 };
}

char *document_text(const struct document *document, const char *why)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	if (!stream)
		abort();
	fprintf(stream, "; %s\n", why);
	for (int i = 0; i < document->n_sections; i++) {
		const struct section *section = &document->sections[i];

		fprintf(stream, "\n[%s%s%s]\n", kind_words[section->kind], section->name ? " " : "",
			section->name ? section->name : "");
		for (int k = 0; k < section->n_entries; k++)
			fprintf(stream, "%s=%s\n", section->entries[k].key,
				section->entries[k].value);
	}
	if (fclose(stream))
		abort();
	return text;
}
