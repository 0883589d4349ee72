// SPDX-License-Identifier: GPL-2.0-only
#include "report/in_force.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/origin.h"

#define AUTOGROUP_SYSCTL "kernel.sched_autogroup_enabled"
#define UNAVAILABLE	 "not available: "

/* what a key begins with, and what follows; NULL: it begins with something else */
static const char *after(const char *key, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(key, prefix, length) ? NULL : key + length;
}

static bool is_autogroup(const char *key)
{
	return !strcmp(key, "autogroup") || !strcmp(key, "sysctl." AUTOGROUP_SYSCTL);
}

bool in_force_same_key(const char *a, const char *b)
{
	return !strcmp(a, b) || (is_autogroup(a) && is_autogroup(b));
}

bool in_force_equal(const char *key, const char *a, const char *b)
{
	uint64_t ns_a = 0, ns_b = 0;
	bool on_a = false, on_b = false, same;
	struct error *error;

	if (!a || !b)
		return false;
	if (!strcmp(a, b))
		return true;
	if (after(key, "feature.") || is_autogroup(key)) {
		error = text_bool(a, &on_a);
		if (!error)
			error = text_bool(b, &on_b);
		same = !error && on_a == on_b;
	} else {
		error = text_duration(a, &ns_a);
		if (!error)
			error = text_duration(b, &ns_b);
		same = !error && ns_a == ns_b;
	}
	error_free(error);
	return same;
}

const char *in_force_asked(const struct result_variant *variant, const char *key)
{
	const char *own;
	json_t *value;

	json_object_foreach(variant->settings, own, value)
	{
		if (in_force_same_key(own, key))
			return json_string_value(value);
	}
	return NULL;
}

/* ---- of one part ---- */

static const struct result_variant *variant_of(const struct side_part *part)
{
	return &part->run->variants[part->variant];
}

/* the record of the first trial that has one; NULL without */
static const json_t *trial_record(const struct side_part *part)
{
	for (int i = 0; i < part->run->n_trials; i++) {
		const struct trial *trial = &part->run->trials[i];

		if (trial->variant_index == part->variant && json_object_size(trial->environment))
			return trial->environment;
	}
	return NULL;
}

/* an entry of the trial's record, else of the run's, where live runs have it */
static const json_t *recorded(const struct side_part *part, const char *key)
{
	const json_t *own = json_object_get(trial_record(part), key);

	/* a simulated trial has nothing of the host that simulates */
	if (own || strcmp(origin_backend(part), "live") != 0)
		return own;
	return json_object_get(part->run->environment, key);
}

/* "1", "0", or NULL: the list of features has neither NAME nor NO_NAME */
static const char *feature_value(const char *list, const char *name)
{
	int n;
	char **words = text_split(list, ' ', &n);
	const char *value = NULL;

	for (int i = 0; i < n; i++) {
		const char *word = text_trim(words[i]);
		const char *off = after(word, "NO_");

		if (!strcmp(word, name))
			value = "1";
		else if (off && !strcmp(off, name))
			value = "0";
	}
	text_split_free(words, n);
	return value;
}

/* what the record says beside the variant's own settings; borrowed, or NULL */
static const char *found(const struct side_part *part, const char *key)
{
	const char *name = after(key, "feature.");
	const char *text;

	if (name) {
		text = json_string_value(recorded(part, "features"));
		return text && !after(text, UNAVAILABLE) ? feature_value(text, name) : NULL;
	}
	if (is_autogroup(key)) {
		text = json_string_value(json_object_get(recorded(part, "autogroup"), "enabled"));
		if (text)
			return text;
		key = "sysctl." AUTOGROUP_SYSCTL;
	}
	name = after(key, "sysctl.");
	if (name)
		return json_string_value(json_object_get(recorded(part, "sysctls"), name));
	name = after(key, "sched.");
	if (name)
		return json_string_value(json_object_get(recorded(part, "knobs"), name));
	text = json_string_value(recorded(part, key));
	/* the simulator starts its workers so */
	if (!text && !strcmp(key, "policy") && !strcmp(origin_backend(part), "sim"))
		return "other";
	return text;
}

static const char *part_value(const struct side_part *part, const char *key)
{
	const json_t *settings = json_object_get(trial_record(part), "settings");
	const char *told = json_string_value(json_object_get(settings, key));
	const char *asked = in_force_asked(variant_of(part), key);

	if (!told && !asked)
		told = found(part, key);
	if (told && !after(told, UNAVAILABLE))
		return told;
	return asked;
}

/* ---- of a side ---- */

char *in_force_value(const struct side *side, const char *key)
{
	const char *first = part_value(&side->parts[0], key);

	for (int i = 1; i < side->n_parts; i++)
		if (!in_force_equal(key, first, part_value(&side->parts[i], key)))
			return NULL;
	return first ? memory_string(first) : NULL;
}

char *in_force_lacking(const struct side *side, const char *key)
{
	const char *feature = after(key, "feature."), *knob = after(key, "sched.");
	const struct side_part *part = &side->parts[side->n_parts - 1];
	const json_t *record = NULL;
	const char *text;

	if (in_force_asked(variant_of(part), key))
		return NULL;
	if (feature)
		record = recorded(part, "features");
	else if (knob)
		record = recorded(part, "knobs");
	text = json_string_value(record);
	if (text && after(text, UNAVAILABLE))
		return memory_string(after(text, UNAVAILABLE));
	if (feature && text && !feature_value(text, feature))
		return memory_format("the kernel of %s has no feature %s", side->name, feature);
	if (knob && json_is_object(record) && !json_object_get(record, knob))
		return memory_format("the kernel of %s has no %s", side->name, knob);
	return NULL;
}

bool in_force_grouped(const struct side *side)
{
	for (int i = 0; i < side->n_parts; i++) {
		const struct side_part *part = &side->parts[i];
		const char *effect =
			json_string_value(json_object_get(recorded(part, "autogroup"), "effect"));

		if (!in_force_asked(variant_of(part), "cpu.weight") &&
		    !in_force_asked(variant_of(part), "cpu.max") &&
		    !(effect && strstr(effect, "in the cgroup")))
			return false;
	}
	return true;
}
