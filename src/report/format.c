// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/format.h"
#include "report/style.h"

static const struct {
	double size;
	const char *suffix;
} large[] = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" } };

/* decimals that give so many significant digits */
static int decimals_of(double value, int digits)
{
	int exponent = value == 0 ? 0 : (int)floor(log10(fabs(value)));
	int decimals = digits - 1 - exponent;

	return decimals < 0 ? 0 : decimals;
}

static char *significant(double value, int digits)
{
	double size = fabs(value);

	if (isnan(value))
		return memory_string("-");
	if (isinf(value))
		return memory_string(value > 0 ? "inf" : "-inf");
	for (size_t i = 0; i < ARRAY_SIZE(large); i++)
		if (size >= large[i].size)
			return memory_format("%.*f%s", decimals_of(value / large[i].size, digits),
					     value / large[i].size, large[i].suffix);
	if (size > 0 && size < 0.01)
		return memory_format("%.*e", digits - 1, value);
	return memory_format("%.*f", value == 0 ? 0 : decimals_of(value, digits), value);
}

char *format_value(double value)
{
	return significant(value, 6);
}

char *format_short(double value)
{
	return significant(value, 4);
}

char *format_percent(double percent)
{
	if (isnan(percent))
		return memory_string("-");
	return memory_format("%.*f%%", percent < 99.95 ? 1 : 0, percent);
}

char *format_change(double ratio)
{
	double percent = 100 * (ratio - 1);

	if (isnan(ratio))
		return memory_string("-");
	if (isinf(ratio))
		return memory_string("+inf%");
	if (ratio >= 1e6)
		return memory_format("%+.2e%%", percent);
	if (fabs(percent) < 0.005)
		return memory_string("0.00%");
	return memory_format("%+.*f%%", ratio >= 10 ? 0 : 2, percent);
}

char *format_difference(double difference)
{
	autofree char *text = significant(difference, 4);

	return memory_format("%s%s", difference > 0 ? "+" : "", text);
}

char *format_effect(const struct effect *effect)
{
	return effect->scale == EFFECT_RATIO ? format_change(effect->point)
					     : format_difference(effect->point);
}

char *format_interval(const struct effect *effect)
{
	bool ratio = effect->scale == EFFECT_RATIO;
	autofree char *low = ratio ? format_change(effect->low) : format_difference(effect->low);
	autofree char *high = ratio ? format_change(effect->high) : format_difference(effect->high);

	return memory_format("[%s, %s]", low, high);
}

char *format_date(double seconds)
{
	time_t time = (time_t)seconds;
	char text[64];
	struct tm tm;

	if (!gmtime_r(&time, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm))
		return memory_string("-");
	return memory_string(text);
}

char *format_name(const char *name)
{
	char *copy = memory_string(name);

	text_printable(copy);
	return copy;
}

void print_wrapped(FILE *stream, const char *text, int start, int indent)
{
	autofree char *copy = format_name(text);
	int column = start;
	bool first = true; /* of its line */

	text = copy;
	while (*text) {
		int word = (int)strcspn(text, " ");

		if (!first && column + 1 + word > REPORT_COLUMNS) {
			fprintf(stream, "\n%*s", indent, "");
			column = indent;
		} else if (!first) {
			putc(' ', stream);
			column++;
		}
		fprintf(stream, "%.*s", word, text);
		first = false;
		column += word;
		text += word;
		text += strspn(text, " ");
	}
	putc('\n', stream);
}
