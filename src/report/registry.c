// SPDX-License-Identifier: GPL-2.0-only
/* registry.c - the list of report styles */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/style.h"

extern const struct report_style style_csv, style_grid, style_hwbench, style_json, style_mmtests,
	style_summary;

static const struct report_style *const styles[] = {
	&style_summary, &style_mmtests, &style_hwbench, &style_grid, &style_json, &style_csv, NULL,
};

const struct report_style *const *style_all(void)
{
	return styles;
}

const struct report_style *style_find(const char *name)
{
	for (const struct report_style *const *style = styles; *style; style++)
		if (!strcmp((*style)->name, name))
			return *style;
	return NULL;
}

bool report_wants_colour(FILE *stream)
{
	const char *no_colour = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return isatty(fileno(stream)) && !(no_colour && *no_colour) &&
	       !(terminal && !strcmp(terminal, "dumb"));
}
