// SPDX-License-Identifier: GPL-2.0-only
/*
 * schbench_json.c - the file of `schbench --json FILE`
 *
 * One object: "normal" (kernel, command line) and "int" (figures: wakeup_latency_pct99.0 ...). It has
 * no average of the requests per second, only percentiles of the samples of each second.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign/lines.h"

static const struct {
	const char *json, *prefix, *unit;
	enum better better;
} groups[] = {
	{ "wakeup_latency", "wakeup", "us", BETTER_LOWER },
	{ "request_latency", "request", "us", BETTER_LOWER },
	{ "rps", "rps", "1/s", BETTER_HIGHER },
};

static struct error *add(const char *file, const char *key, const json_t *value, const char *name,
			 size_t group, struct foreign_result *result)
{
	if (!json_is_number(value))
		return lines_missing(file, "'%s' is not a number", key);
	foreign_metric(result, name, groups[group].unit, groups[group].better,
		       json_number_value(value), NULL, 0);
	return NULL;
}

/* "wakeup_latency_pct99.0" -> wakeup_p99; the text's 20th percentile of latencies is left out there
 * too, as is the smallest */
static struct error *add_figure(const char *file, const char *key, const json_t *value,
				struct foreign_result *result)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		size_t length = strlen(groups[i].json);
		const char *rest = key + length;
		bool rps = !strcmp(groups[i].json, "rps");
		autofree char *name = NULL;

		if (strncmp(key, groups[i].json, length) || *rest != '_')
			continue;
		rest++;
		if (!strncmp(rest, "pct", 3)) {
			double percent = strtod(rest + 3, NULL);

			if (!rps && percent < 50)
				return NULL;
			if (rps && percent > 90)
				return NULL;
			name = memory_format("%s_p%g", groups[i].prefix, percent);
		} else if (!strcmp(rest, "max") && !rps) {
			name = memory_format("%s_max", groups[i].prefix);
		} else {
			return NULL;
		}
		return add(file, key, value, name, i, result);
	}
	return NULL;
}

static struct error *read_object(const char *file, const json_t *root, struct foreign *out)
{
	const json_t *figures = json_object_get(root, "int"), *value;
	json_t *normal = json_object_get(root, "normal");
	struct foreign_result *result;
	struct error *error = NULL;
	const char *key;

	if (!json_is_object(figures) || !json_is_object(normal))
		return lines_missing(file, "an object with \"normal\" and \"int\" is expected, as "
					   "schbench --json writes it");
	result = foreign_add(out, "schbench");
	json_object_foreach((json_t *)figures, key, value)
	{
		error = add_figure(file, key, value, result);
		if (error)
			return error;
	}
	if (!result->trial.n_metrics)
		return lines_missing(file,
				     "\"int\" has no wakeup_latency_pct50.0: schbench made no "
				     "request");
	value = json_object_get(figures, "runtime");
	if (json_is_number(value))
		result->trial.duration = json_number_value(value);
	value = json_object_get(figures, "time");
	if (json_is_number(value))
		result->trial.started = json_number_value(value);
	json_object_set(result->trial.environment, "schbench", normal);
	return NULL;
}

static bool matches(const char *text)
{
	text += strspn(text, " \t\r\n");
	return *text == '{' && strstr(text, "\"normal\"") && strstr(text, "\"int\"");
}

const struct foreign_format foreign_schbench_json = {
	.name = "schbench-json",
	.workload = "schbench",
	.summary = "JSON of schbench --json",
	.matches = matches,
	.parse_json = read_object,
};
