// SPDX-License-Identifier: GPL-2.0-only
#include "sim/unit.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct suffix {
	const char *name;
	int64_t factor;
};

struct unit_desc {
	const char *accepted;
	struct suffix suffixes[6]; /* largest first; ends with an empty one */
};

static const struct unit_desc units[] = {
	[FIGURE_TIME] = { "a time: a number with ps, ns, us, ms or s",
			  { { "s", 1000000000000 },
			    { "ms", 1000000000 },
			    { "us", 1000000 },
			    { "ns", 1000 },
			    { "ps", 1 } } },
	[FIGURE_CLOCK] = { "a clock: a number with MHz or GHz",
			   { { "GHz", 1000000 }, { "MHz", 1000 }, { "kHz", 1 } } },
	[FIGURE_SHARE] = { "a share: a number with %", { { "%", 10 } } },
	[FIGURE_RATE] = { "a rate: a number with /s", { { "/s", 1000 } } },
	[FIGURE_BANDWIDTH] = { "a bandwidth: a number with MB/s or GB/s (powers of ten)",
			       { { "GB/s", 1000000000 }, { "MB/s", 1000000 } } },
	[FIGURE_COUNT] = { "a whole number", { { "", 1 } } },
};

static const struct suffix *suffix_find(const struct unit_desc *desc, const char *name)
{
	for (const struct suffix *suffix = desc->suffixes; suffix->name; suffix++)
		if (!strcmp(suffix->name, name))
			return suffix;
	return NULL;
}

struct error *unit_parse(enum figure_unit unit, const char *text, int64_t *out)
{
	const struct unit_desc *desc = &units[unit];
	const struct suffix *suffix;
	autofree char *number = NULL;
	size_t digits = strspn(text, "0123456789.");
	double value, product;
	struct error *error;

	if (unit == FIGURE_SIZE) {
		uint64_t bytes;

		error = text_size(text, &bytes);
		if (!error)
			*out = (int64_t)bytes;
		return error;
	}
	if (unit == FIGURE_COUNT)
		return text_integer(text, 0, INT64_MAX, out);
	number = memory_string_n(text, digits);
	suffix = suffix_find(desc, text + digits + strspn(text + digits, " "));
	error = digits ? text_number(number, &value) : error_new(ERR_INPUT, "no number");
	if (error || !suffix) {
		error_free(error);
		return error_new(ERR_INPUT, "'%s' is not %s", text, desc->accepted);
	}
	product = value * (double)suffix->factor + 0.5;
	if (product >= 9e18)
		return error_new(ERR_INPUT, "'%s' is too large", text);
	*out = (int64_t)product;
	return NULL;
}

char *unit_format(enum figure_unit unit, int64_t value)
{
	const struct suffix *suffix = units[unit].suffixes;

	if (unit == FIGURE_COUNT || unit == FIGURE_SIZE)
		return memory_format("%" PRId64, value);
	while (suffix[1].name && (!value || value % suffix->factor))
		suffix++;
	if (value % suffix->factor == 0)
		return memory_format("%" PRId64 "%s", value / suffix->factor, suffix->name);
	/* shares and rates have one unit and up to three decimals */
	return memory_format("%.10g%s", (double)value / (double)suffix->factor, suffix->name);
}
