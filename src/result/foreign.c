// SPDX-License-Identifier: GPL-2.0-only
#include "result/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const struct foreign_format *const formats[] = {
	&foreign_stress_ng,
	&foreign_schbench,
	&foreign_schbench_json,
	&foreign_hackbench,
	&foreign_perf_bench,
	&foreign_unixbench,
	&foreign_dbench,
	&foreign_cyclictest,
	&foreign_cyclictest_json,
	&foreign_sysbench,
	&foreign_hwbench,
	&foreign_fastpath,
	NULL,
};

const struct foreign_format *const *foreign_format_all(void)
{
	return formats;
}

const struct foreign_format *foreign_format_find(const char *name)
{
	for (const struct foreign_format *const *at = formats; *at; at++)
		if (!strcmp((*at)->name, name))
			return *at;
	return NULL;
}

const struct foreign_format *foreign_format_detect(const char *text)
{
	for (const struct foreign_format *const *at = formats; *at; at++)
		if ((*at)->matches(text))
			return *at;
	return NULL;
}

static int line_of(const char *text, size_t offset)
{
	int line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

static struct error *check_text(const char *file, const char *text, size_t length)
{
	size_t start = 0;

	if (strlen(text) != length)
		return error_at(ERR_INPUT, file, line_of(text, strlen(text)),
				"a NUL byte: text is expected");
	if (!text[strspn(text, " \t\r\n")])
		return error_at(ERR_INPUT, file, 0, "it is empty");
	while (start < length) {
		size_t end = start + strcspn(text + start, "\n");

		if (!text_is_utf8(text + start, end - start))
			return error_at(ERR_INPUT, file, line_of(text, start),
					"bytes that are not UTF-8: text is expected");
		start = end + 1;
	}
	return NULL;
}

/* a parser that found nothing says so itself; a result without a figure could not be compared */
static struct error *check_results(const char *file, const struct foreign *foreign)
{
	if (!foreign->n)
		return error_at(ERR_INPUT, file, 0, "it holds no result");
	for (int i = 0; i < foreign->n; i++)
		if (!foreign->results[i].trial.n_metrics)
			return error_at(ERR_INPUT, file, 0, "%s has no figure",
					foreign->results[i].case_name);
	return NULL;
}

static struct error *parse_json(const struct foreign_format *format, const char *file,
				const char *text, struct foreign *out)
{
	json_t *root;
	struct error *error = json_parse(text, file, 1, &root);

	if (error)
		return error;
	error = format->parse_json(file, root, out);
	json_decref(root);
	return error;
}

struct error *foreign_read(const struct foreign_format *format, const char *file, const char *text,
			   size_t length, struct foreign *out)
{
	struct error *error = check_text(file, text, length);

	if (!error)
		error = format->parse_json ? parse_json(format, file, text, out)
					   : format->parse(file, text, out);
	if (!error)
		error = check_results(file, out);
	if (error)
		foreign_clear(out);
	return error;
}

void foreign_clear(struct foreign *foreign)
{
	for (int i = 0; i < foreign->n; i++) {
		struct foreign_result *result = &foreign->results[i];

		free(result->case_name);
		free(result->variant);
		free(result->program_version);
		free(result->cpus);
		json_decref(result->params);
		trial_clear(&result->trial);
	}
	free(foreign->results);
	*foreign = (struct foreign){ 0 };
}
