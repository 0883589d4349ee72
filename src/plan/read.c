// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "plan/internal.h"

#define MAX_TRIALS     100000
#define MAX_TIME_NS    (7 * 24 * 3600000000000)
#define MIN_RUNTIME_NS 1000000
#define MAX_LABEL      100

static struct error *read_trials(struct plan *plan, const char *value)
{
	int64_t trials = 0;
	struct error *error = text_integer(value, 1, MAX_TRIALS, &trials);

	plan->trials = trials;
	return error;
}

static struct error *read_time(const char *value, uint64_t min, const char *min_text, uint64_t *out)
{
	struct error *error = text_duration(value, out);

	if (!error && (*out < min || *out > MAX_TIME_NS))
		error = error_new(ERR_INPUT, "'%s' is not a time from %s to 168h", value, min_text);
	return error;
}

static struct error *read_runtime(struct plan *plan, const char *value)
{
	return read_time(value, MIN_RUNTIME_NS, "1ms", &plan->runtime_ns);
}

static struct error *read_warmup(struct plan *plan, const char *value)
{
	return read_time(value, 0, "0", &plan->warmup_ns);
}

static struct error *read_stop_limit(struct plan *plan, const char *value)
{
	return read_time(value, MIN_RUNTIME_NS, "1ms", &plan->stop_limit_ns);
}

static struct error *read_seed(struct plan *plan, const char *value)
{
	int64_t seed = 0;
	struct error *error = text_integer(value, 0, INT64_MAX, &seed);

	plan->seed = seed;
	return error;
}

static struct error *read_margin(struct plan *plan, const char *value)
{
	size_t length = strlen(value);
	bool percent = value[length - 1] == '%';
	autofree char *digits = memory_string_n(value, length - percent);
	double margin = 0;
	struct error *error = text_number(text_trim(digits), &margin);

	if (percent)
		margin /= 100;
	error_free(error);
	if (error || !(margin >= 0 && margin < 1))
		return error_new(ERR_INPUT,
				 "'%s' is not a margin: 0.01 or 1%%, at least 0 and below 100%%",
				 value);
	plan->margin = margin;
	return NULL;
}

static struct error *read_monitor(struct plan *plan, const char *value)
{
	int n;
	char **words = text_split(value, ',', &n);
	struct error *error = NULL;

	if (n == 1 && !strcmp(words[0], "none")) {
		text_split_free(words, n);
		return NULL;
	}
	for (int i = 0; !error && i < n; i++) {
		if (!*words[i])
			error = error_new(ERR_INPUT, "'%s': an empty word in the list", value);
		for (int k = 0; !error && k < i; k++)
			if (!strcmp(words[i], words[k]))
				error = error_new(ERR_INPUT, "'%s' is given twice", words[i]);
	}
	if (error) {
		text_split_free(words, n);
		return error;
	}
	plan->monitors = words;
	plan->n_monitors = n;
	return NULL;
}

static struct error *read_events(struct plan *plan, const char *value)
{
	bool word;
	struct error *error = text_bool(value, &word);

	if (!error)
		return error_new(ERR_INPUT,
				 "'%s': the value is the beginning of file names, such as "
				 "traces/run1, or none; `monitor = events` analyses without files",
				 value);
	error_free(error);
	plan->events = strcmp(value, "none") != 0 ? memory_string(value) : NULL;
	return NULL;
}

/* `label:variant` names a variant of a result; a label is a cell of tables and a JSON string */
struct error *plan_check_label(const char *label)
{
	if (!*label || *label == ' ' || label[strlen(label) - 1] == ' ')
		return error_new(ERR_INPUT,
				 "'%s': a label begins and ends with a character that "
				 "can be seen",
				 label);
	if (*label == '#' || *label == '-')
		return error_new(ERR_INPUT,
				 "'%s': a label does not begin with '#', as numbers of runs do, "
				 "nor with '-', as options do",
				 label);
	if (strchr(label, ':'))
		return error_new(ERR_INPUT, "'%s' contains a ':', which ends a label", label);
	if (strlen(label) > MAX_LABEL)
		return error_new(ERR_INPUT, "the label is %zu bytes long: at most %d are accepted",
				 strlen(label), MAX_LABEL);
	for (const char *at = label; *at; at++)
		if (iscntrl((unsigned char)*at))
			return error_new(ERR_INPUT, "'%s' contains a control character", label);
	if (!text_is_utf8(label, strlen(label)))
		return error_new(ERR_INPUT, "'%s' is not UTF-8 text", label);
	return NULL;
}

static struct error *read_label(struct plan *plan, const char *value)
{
	plan->label = memory_string(value);
	return plan_check_label(value);
}

static struct error *read_backend(struct plan *plan, const char *value)
{
	plan->backend = memory_string(value);
	return NULL;
}

static struct error *read_machine(struct plan *plan, const char *value)
{
	plan->machine = memory_string(value);
	return NULL;
}

static struct error *read_kernel(struct plan *plan, const char *value)
{
	plan->kernel = memory_string(value);
	return NULL;
}

/* The keys of [plan]; defaults are in plan_new(). */
static const struct {
	const char *name;
	struct error *(*read)(struct plan *plan, const char *value);
} plan_keys[] = {
	{ "trials", read_trials },	   { "runtime", read_runtime }, { "warmup", read_warmup },
	{ "stop-limit", read_stop_limit }, { "seed", read_seed },	{ "monitor", read_monitor },
	{ "margin", read_margin },	   { "label", read_label },	{ "backend", read_backend },
	{ "machine", read_machine },	   { "kernel", read_kernel },	{ "events", read_events },
};

static struct error *read_plan_entry(struct plan *plan, const struct plan_entry *entry)
{
	const char *accepted[ARRAY_SIZE(plan_keys) + 1] = { 0 };
	autofree char *hint = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(plan_keys); i++) {
		accepted[i] = plan_keys[i].name;
		if (!strcmp(entry->key, plan_keys[i].name))
			return plan_locate(plan_keys[i].read(plan, entry->value), plan->file,
					   entry);
	}
	hint = unknown_word(entry->key, accepted);
	return plan_problem(plan->file, entry->line, "unknown key '%s' in [plan]%s", entry->key,
			    hint);
}

static void copy_entry(struct plan_entry *to, const struct plan_entry *from)
{
	to->key = memory_string(from->key);
	to->value = memory_string(from->value);
	to->line = from->line;
}

static struct error *read_plan_section(struct plan *plan, const struct section *section)
{
	struct error *error = NULL;

	for (int i = 0; !error && i < section->n_entries; i++) {
		copy_entry(array_append(plan->entries, plan->n_entries), &section->entries[i]);
		error = read_plan_entry(plan, &section->entries[i]);
	}
	return error;
}

static void read_variant(struct plan *plan, const struct section *section)
{
	struct plan_variant *variant = array_append(plan->variants, plan->n_variants);

	variant->name = memory_string(section->name);
	variant->line = section->line;
	for (int i = 0; i < section->n_entries; i++) {
		const struct plan_entry *entry = &section->entries[i];
		char **place = !strcmp(entry->key, "backend")	? &variant->backend
			       : !strcmp(entry->key, "machine") ? &variant->machine
			       : !strcmp(entry->key, "kernel")	? &variant->kernel
								: NULL;

		if (place) {
			*place = memory_string(entry->value);
			copy_entry(array_append(variant->places, variant->n_places), entry);
		} else {
			copy_entry(array_append(variant->settings, variant->n_settings), entry);
		}
	}
}

static char *list_of_workloads(const struct workload *const *workloads, const char *name)
{
	const char **names = NULL;
	char *hint;
	int n = 0;

	for (const struct workload *const *at = workloads; *at; at++)
		*array_append(names, n) = (*at)->name;
	*array_append(names, n) = NULL;
	hint = unknown_word(name, names);
	free(names);
	return hint;
}

static struct error *find_workload(const struct plan *plan, const struct section *section,
				   const struct workload *const *workloads,
				   const struct workload **out)
{
	autofree char *hint = NULL;

	for (int i = 0; i < section->n_entries; i++) {
		const struct plan_entry *entry = &section->entries[i];

		if (strcmp(entry->key, "workload"))
			continue;
		for (const struct workload *const *at = workloads; *at; at++) {
			if (!strcmp((*at)->name, entry->value)) {
				*out = *at;
				return NULL;
			}
		}
		if (strchr(entry->value, '#'))
			return plan_problem(plan->file, entry->line,
					    "unknown workload '%s'; after a value comments begin "
					    "with ' ;'",
					    entry->value);
		hint = list_of_workloads(workloads, entry->value);
		return plan_problem(plan->file, entry->line, "unknown workload '%s'%s",
				    entry->value, hint);
	}
	hint = list_of_workloads(workloads, "");
	return plan_problem(plan->file, section->line, "[case %s] has no key 'workload'%s",
			    section->name, hint);
}

static struct error *check_param_key(const struct plan *plan, const struct workload *workload,
				     const struct plan_entry *entry)
{
	const char **accepted = NULL;
	struct error *error;
	char *hint;
	int n = 0;

	for (const struct param *at = workload->params; at->name; at++)
		if (!strcmp(entry->key, at->name))
			return NULL;
	for (const struct param *at = workload->params; at->name; at++)
		*array_append(accepted, n) = at->name;
	*array_append(accepted, n) = "workload";
	*array_append(accepted, n) = "machine";
	*array_append(accepted, n) = "cpus";
	if (workload->load)
		*array_append(accepted, n) = "load";
	*array_append(accepted, n) = NULL;
	hint = unknown_word(entry->key, accepted);
	error = plan_problem(plan->file, entry->line, "unknown key '%s' of workload %s%s",
			     entry->key, workload->name, hint);
	free(hint);
	free(accepted);
	return error;
}

static struct error *read_case(struct plan *plan, const struct section *section,
			       const struct workload *const *workloads)
{
	struct plan_case *into = array_append(plan->cases, plan->n_cases);
	struct error *error;

	into->name = memory_string(section->name);
	into->line = section->line;
	into->cpus_line = section->line;
	error = find_workload(plan, section, workloads, &into->workload);
	for (int i = 0; !error && i < section->n_entries; i++) {
		const struct plan_entry *entry = &section->entries[i];

		if (!strcmp(entry->key, "workload"))
			continue;
		if (!strcmp(entry->key, "machine")) {
			into->machine = memory_string(entry->value);
			continue;
		}
		if (!strcmp(entry->key, "cpus")) {
			into->cpus = memory_string(entry->value);
			into->cpus_line = entry->line;
			continue;
		}
		if (!strcmp(entry->key, "load") || !strcmp(entry->key, "load-by")) {
			into->load_place = into->n_params;
			continue;
		}
		error = check_param_key(plan, into->workload, entry);
		copy_entry(array_append(into->params, into->n_params), entry);
	}
	if (!error)
		error = case_load_read(plan, section, into);
	if (!into->cpus)
		into->cpus = memory_string("all");
	return error;
}

/* a variant runs where [plan] says unless it says otherwise */
static void inherit(char **own, const char *of_plan)
{
	if (!*own && of_plan)
		*own = memory_string(of_plan);
}

static struct error *interpret(struct plan *plan, const struct document *document,
			       const struct workload *const *workloads)
{
	struct error *error = NULL;

	for (int i = 0; !error && i < document->n_sections; i++) {
		const struct section *section = &document->sections[i];

		if (section->kind == SECTION_PLAN)
			error = read_plan_section(plan, section);
		else if (section->kind == SECTION_VARIANT)
			read_variant(plan, section);
		else
			error = read_case(plan, section, workloads);
	}
	if (error)
		return error;
	if (!plan->n_cases)
		return error_at(ERR_INPUT, plan->file, 0,
				"no case: a plan needs a section [case NAME] with a workload");
	if (!plan->n_variants)
		return error_at(
			ERR_INPUT, plan->file, 0,
			"no variant: a plan needs a section [variant NAME], two to compare");
	for (int i = 0; i < plan->n_variants; i++) {
		inherit(&plan->variants[i].backend, plan->backend);
		inherit(&plan->variants[i].machine, plan->machine);
		inherit(&plan->variants[i].kernel, plan->kernel);
	}
	return NULL;
}

/* "plans/autogroup.plan" -> "autogroup" */
static char *name_of_file(const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	const char *dot = strrchr(base, '.');

	return memory_string_n(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static struct plan *plan_new(const char *file)
{
	struct plan *plan = memory_zeroed(1, sizeof(*plan));

	plan->file = memory_string(file);
	plan->name = name_of_file(file);
	plan->trials = 10;
	plan->runtime_ns = PLAN_RUNTIME_NS;
	plan->warmup_ns = PLAN_WARMUP_NS;
	plan->stop_limit_ns = 5000000000;
	plan->seed = 1;
	plan->margin = 0.01;
	return plan;
}

static char *changed_text(const struct document *document, const char *file,
			  const char *const *overrides, int n)
{
	char *why = memory_string(file), *text;

	for (int i = 0; i < n; i++) {
		why = memory_append(why, " --set '%s'", overrides[i]);
	}
	text = document_text(document, why);
	free(why);
	return text;
}

struct error *plan_read_from(const char *file, const char *text, size_t length,
			     const char *const *overrides, int n_overrides,
			     const struct workload *const *workloads, struct plan **out)
{
	struct plan *plan = plan_new(file);
	struct document document;
	struct error *error;

	error = document_read(file, text, length, overrides, n_overrides, &document);
	if (!error)
		error = interpret(plan, &document, workloads);
	if (!error)
		plan->text = n_overrides ? changed_text(&document, file, overrides, n_overrides)
					 : memory_string_n(text, length);
	document_clear(&document);
	if (error)
		plan_free(plan);
	else
		*out = plan;
	return error;
}

struct error *plan_read(const char *file, const char *const *overrides, int n_overrides,
			struct plan **out)
{
	autofree char *text = NULL;
	struct error *error;
	size_t length;

	error = file_read(file, &text, &length);
	if (error)
		return error;
	return plan_read_from(file, text, length, overrides, n_overrides, workload_all(), out);
}

struct error *plan_read_text(const char *name, const char *text, const char *const *overrides,
			     int n_overrides, struct plan **out)
{
	return plan_read_from(name, text, strlen(text), overrides, n_overrides, workload_all(),
			      out);
}

int plan_line(const struct plan *plan, const struct plan_variant *variant, const char *key)
{
	if (variant)
		for (int i = 0; i < variant->n_places; i++)
			if (!strcmp(variant->places[i].key, key))
				return variant->places[i].line;
	for (int i = 0; i < plan->n_entries; i++)
		if (!strcmp(plan->entries[i].key, key))
			return plan->entries[i].line;
	return 0;
}

static void free_entries(struct plan_entry *entries, int n)
{
	for (int i = 0; i < n; i++) {
		free(entries[i].key);
		free(entries[i].value);
	}
	free(entries);
}

static void clear_variant(struct plan_variant *variant)
{
	free(variant->name);
	free(variant->backend);
	free(variant->machine);
	free(variant->kernel);
	free_entries(variant->settings, variant->n_settings);
	free_entries(variant->places, variant->n_places);
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	for (int i = 0; i < plan->n_variants; i++)
		clear_variant(&plan->variants[i]);
	for (int i = 0; i < plan->n_cases; i++) {
		free(plan->cases[i].name);
		free(plan->cases[i].cpus);
		free(plan->cases[i].machine);
		free(plan->cases[i].load);
		free_entries(plan->cases[i].params, plan->cases[i].n_params);
	}
	text_split_free(plan->monitors, plan->n_monitors);
	free_entries(plan->entries, plan->n_entries);
	free(plan->variants);
	free(plan->cases);
	free(plan->events);
	free(plan->backend);
	free(plan->machine);
	free(plan->kernel);
	free(plan->label);
	free(plan->text);
	free(plan->name);
	free(plan->file);
	free(plan);
}
