// SPDX-License-Identifier: GPL-2.0-only
#include "stats/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/memory.h"
#include "base/text.h"
#include "plan/plan.h"
#include "stats/origin.h"

#define MOST_DIFFERENCES 3
#define MOST_VALUE	 60 /* characters of a value that are shown */

static bool both(const struct side_part *a, const struct side_part *b, const char *backend)
{
	return !strcmp(origin_backend(a), backend) && !strcmp(origin_backend(b), backend);
}

/* ---- two JSON values ---- */

struct differences {
	char *text; /* of the first few; NULL: none */
	int n;
};

static char *value_text(const json_t *value)
{
	autofree char *text =
		json_is_string(value) ? memory_string(json_string_value(value)) : json_text(value);

	if (strlen(text) > MOST_VALUE)
		return memory_format("%.*s...", MOST_VALUE, text);
	return memory_string(text);
}

static void add_difference(struct differences *list, const char *name, const json_t *a,
			   const json_t *b)
{
	autofree char *one = value_text(a), *other = value_text(b);

	if (++list->n > MOST_DIFFERENCES)
		return;
	if (!list->text)
		list->text = memory_string("");
	list->text = memory_append(list->text, "%s%s (%s, and %s)", list->n > 1 ? "; " : "", name,
				   one, other);
}

static bool is_available(const json_t *value)
{
	const char *text = json_string_value(value);

	return value && (!text || strncmp(text, "not available: ", strlen("not available: ")) != 0);
}

/* what only one has cannot be compared; objects are gone through member by member */
static void add_differences(struct differences *list, const char *name, const json_t *a,
			    const json_t *b)
{
	const char *key;
	json_t *value;

	if (!is_available(a) || !is_available(b) || json_equal(a, b))
		return;
	if (!json_is_object(a) || !json_is_object(b)) {
		add_difference(list, name, a, b);
		return;
	}
	json_object_foreach((json_t *)a, key, value)
	{
		autofree char *path =
			*name ? memory_format("%s.%s", name, key) : memory_string(key);

		add_differences(list, path, value, json_object_get(b, key));
	}
}

static char *differences_text(struct differences *list)
{
	if (list->n > MOST_DIFFERENCES)
		list->text = memory_append(list->text, "; and %d more", list->n - MOST_DIFFERENCES);
	return list->text;
}

/* ---- texts ---- */

/* takes both; NULL is "not recorded" */
static char *difference_of_texts(char *a, char *b)
{
	char *difference = NULL;

	if (a && b && strcmp(a, b) != 0)
		difference = memory_format("%s, and %s", a, b);
	free(a);
	free(b);
	return difference;
}

static char *kernel_difference(const struct side_part *a, const struct side_part *b)
{
	autofree char *name_a = origin_kernel(a), *name_b = origin_kernel(b);
	autofree char *key_a = origin_kernel_key(a), *key_b = origin_kernel_key(b);

	/* one library may have several names; of the running kernel the key is only the build */
	if (key_a && key_b && both(a, b, "sim") && !strcmp(key_a, key_b))
		return NULL;
	if (strcmp(name_a, name_b) != 0)
		return memory_format("%s, and %s", name_a, name_b);
	if (!key_a || !key_b || !strcmp(key_a, key_b))
		return NULL;
	if (!both(a, b, "sim"))
		return memory_format("%s %s, and %s %s", name_a, key_a, name_b, key_b);
	return memory_format("%s (%.*s), and %s (%.*s)", name_a, ORIGIN_KEY_SHOWN, key_a, name_b,
			     ORIGIN_KEY_SHOWN, key_b);
}

static char *version_difference(const struct side_part *a, const struct side_part *b)
{
	const char *one = a->run->tool_version, *other = b->run->tool_version;

	return difference_of_texts(one && *one ? memory_string(one) : NULL,
				   other && *other ? memory_string(other) : NULL);
}

/* ---- of the plan ---- */

struct planned {
	const char *key;
	char *value;
};

static struct error *find_planned(void *data, int line, const char *section, const char *key,
				  const char *value)
{
	struct planned *planned = data;

	(void)line;
	if (!key || strcmp(section, "plan") || strcmp(key, planned->key))
		return NULL;
	free(planned->value);
	planned->value = memory_string(value);
	return NULL;
}

/* what [plan] says, else @otherwise; NULL without a plan: results of other programs */
static char *planned_text(const struct side_part *part, const char *key, const char *otherwise)
{
	const char *text = part->run->plan_text;
	struct planned planned = { key, NULL };

	if (!text || !*text)
		return NULL;
	/* a plan that was stored was read without an error before */
	error_free(ini_read("plan", text, strlen(text), find_planned, &planned));
	return planned.value ? planned.value : memory_string(otherwise);
}

static char *planned_time(const struct side_part *part, const char *key, uint64_t otherwise)
{
	autofree char *normal = text_duration_format(otherwise);
	autofree char *text = planned_text(part, key, normal);
	uint64_t ns = otherwise;
	struct error *error;

	if (!text)
		return NULL;
	error = text_duration(text, &ns);
	error_free(error);
	return text_duration_format(ns);
}

static char *runtime_difference(const struct side_part *a, const struct side_part *b)
{
	return difference_of_texts(planned_time(a, "runtime", PLAN_RUNTIME_NS),
				   planned_time(b, "runtime", PLAN_RUNTIME_NS));
}

static char *warmup_difference(const struct side_part *a, const struct side_part *b)
{
	return difference_of_texts(planned_time(a, "warmup", PLAN_WARMUP_NS),
				   planned_time(b, "warmup", PLAN_WARMUP_NS));
}

/* reading takes time on the machine itself; of a simulated one it takes none */
static char *monitor_difference(const struct side_part *a, const struct side_part *b)
{
	if (!both(a, b, "live"))
		return NULL;
	return difference_of_texts(planned_text(a, "monitor", "none"),
				   planned_text(b, "monitor", "none"));
}

/* ---- of the machine ---- */

static const char *case_machine(const struct side_part *part, const char *case_name)
{
	return json_string_value(json_object_get(
		json_object_get(part->run->environment, "case_machines"), case_name));
}

/* the record of a simulated machine; its source is a name, no content */
static json_t *simulated_machine(const struct side_part *part, const char *name)
{
	const json_t *all = json_object_get(part->run->environment, "sim_machines");
	const json_t *counts = json_object_get(part->run->environment, "machines");
	const json_t *record = name ? json_object_get(all, name) : NULL;
	json_t *content;

	if (!record)
		return NULL;
	content = json_deep_copy(record);
	json_object_del(content, "source");
	if (json_object_get(counts, name))
		json_object_set(content, "counts", json_object_get(counts, name));
	return content;
}

static void add_machine(struct differences *list, const struct side_part *a,
			const struct side_part *b, const char *name)
{
	json_t *one = simulated_machine(a, name), *other = simulated_machine(b, name);

	add_differences(list, name, one, other);
	json_decref(one);
	json_decref(other);
}

/* machines of one name with other content */
static char *machine_difference(const struct side_part *a, const struct side_part *b)
{
	struct differences list = { NULL, 0 };
	const char *name;
	json_t *value;

	if (!both(a, b, "sim"))
		return NULL;
	json_object_foreach(json_object_get(a->run->environment, "sim_machines"), name, value)
	{
		add_machine(&list, a, b, name);
	}
	return differences_text(&list);
}

/* ---- of the host ---- */

/* does a variant set it itself? Then what the host had before does not matter */
static json_t *without_settings(const struct side_part *a, const struct side_part *b,
				const char *prefix, const json_t *value)
{
	json_t *left = json_deep_copy(value);
	const char *key;
	json_t *member;

	json_object_foreach((json_t *)value, key, member)
	{
		autofree char *setting = memory_format("%s%s", prefix, key);
		bool autogroup = !strcmp(setting, "sysctl.kernel.sched_autogroup_enabled");

		for (int i = 0; i < 2; i++) {
			const struct side_part *part = i ? b : a;
			const json_t *settings = part->run->variants[part->variant].settings;

			if (json_object_get(settings, setting) ||
			    (autogroup && json_object_get(settings, "autogroup")))
				json_object_del(left, key);
		}
	}
	return left;
}

static char *host_difference(const struct side_part *a, const struct side_part *b)
{
	/* the kernel, the machine and the boot have words of their own */
	static const struct {
		const char *key, *prefix; /* of a setting of a variant, for its members */
	} keys[] = {
		{ "frequency", "frequency." }, { "sysctls", "sysctl." },
		{ "knobs", "sched." },	       { "features", "" },
		{ "smt_active", "" },	       { "isolated", "" },
		{ "idle_driver", "" },	       { "idle_governor", "" },
		{ "clocksource", "" },	       { "huge_pages", "" },
		{ "mitigations", "" },	       { "command_line", "" },
	};
	struct differences list = { NULL, 0 };

	if (!both(a, b, "live"))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const json_t *one = json_object_get(a->run->environment, keys[i].key);
		json_t *left = json_is_object(one) ? without_settings(a, b, keys[i].prefix, one)
						   : json_incref((json_t *)one);

		add_differences(&list, keys[i].key, left,
				json_object_get(b->run->environment, keys[i].key));
		json_decref(left);
	}
	return differences_text(&list);
}

static const struct condition condition_kernel = {
	.what = "kernel",
	.difference = kernel_difference,
	.refused = true,
};
static const struct condition condition_machine = {
	.what = "simulated machine",
	.difference = machine_difference,
	.refused = true,
	.noted = true,
};
static const struct condition condition_runtime = {
	.what = "runtime",
	.difference = runtime_difference,
	.refused = true,
	.noted = true,
};
static const struct condition condition_warmup = {
	.what = "warm-up",
	.difference = warmup_difference,
	.refused = true,
	.noted = true,
};
static const struct condition condition_monitors = {
	.what = "monitors",
	.difference = monitor_difference,
	.noted = true,
};
static const struct condition condition_version = {
	.what = "version of fairtrial",
	.difference = version_difference,
	.noted = true,
};
static const struct condition condition_host = {
	.what = "state of the host",
	.difference = host_difference,
	.noted = true,
};

const struct condition *const *condition_all(void)
{
	static const struct condition *const all[] = { &condition_kernel,   &condition_machine,
						       &condition_runtime,  &condition_warmup,
						       &condition_monitors, &condition_version,
						       &condition_host,	    NULL };

	return all;
}

/* ---- the same trial ---- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

char *difference_of_cases(const struct result_case *a, const struct result_case *b)
{
	autofree char *params_a = json_text(a->params), *params_b = json_text(b->params);

	if (!same_text(a->workload, b->workload))
		return memory_format("workload %s, and %s", a->workload, b->workload);
	if (a->workload_version != b->workload_version)
		return memory_format("workload %s version %d, and %d", a->workload,
				     a->workload_version, b->workload_version);
	if (!same_text(a->program_version, b->program_version))
		return memory_format("program version %s, and %s",
				     a->program_version ? a->program_version : "unknown",
				     b->program_version ? b->program_version : "unknown");
	if (strcmp(params_a, params_b) != 0)
		return memory_format("parameters %s, and %s", params_a, params_b);
	if (!same_text(a->cpus, b->cpus))
		return memory_format("CPUs %s, and %s", a->cpus ? a->cpus : "?",
				     b->cpus ? b->cpus : "?");
	return NULL;
}

static bool same_case(const struct side_part *a, const struct side_part *b, const char *name)
{
	int case_a = run_case_index(a->run, name), case_b = run_case_index(b->run, name);
	char *difference;

	if (case_a < 0 || case_b < 0)
		return false;
	difference = difference_of_cases(&a->run->cases[case_a], &b->run->cases[case_b]);
	free(difference);
	return !difference;
}

/* by content: a machine may have another name */
static bool same_machine(const struct side_part *a, const struct side_part *b, const char *name)
{
	json_t *one = simulated_machine(a, case_machine(a, name));
	json_t *other = simulated_machine(b, case_machine(b, name));
	struct differences list = { NULL, 0 };
	bool known = one && other;

	add_differences(&list, "", one, other);
	free(list.text);
	json_decref(one);
	json_decref(other);
	return known && !list.n;
}

static bool same_times(const struct side_part *a, const struct side_part *b)
{
	autofree char *difference = runtime_difference(a, b);
	autofree char *other = warmup_difference(a, b);

	return !difference && !other;
}

bool same_simulation(const struct side_part *a, const struct side_part *b, const char *case_name)
{
	autofree char *key_a = NULL, *key_b = NULL;

	if (!both(a, b, "sim"))
		return false;
	key_a = origin_kernel_key(a);
	key_b = origin_kernel_key(b);
	return key_a && key_b && !strcmp(key_a, key_b) &&
	       json_equal(a->run->variants[a->variant].settings,
			  b->run->variants[b->variant].settings) &&
	       same_case(a, b, case_name) && same_machine(a, b, case_name) && same_times(a, b);
}
