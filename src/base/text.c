// SPDX-License-Identifier: GPL-2.0-only
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct scale {
	const char *suffix;
	uint64_t factor;
};

/* largest first: text_duration_format() takes the first that divides */
static const struct scale time_scales[] = {
	{ "h", 3600000000000 }, { "min", 60000000000 }, { "s", 1000000000 },
	{ "ms", 1000000 },	{ "us", 1000 },		{ "ns", 1 },
};

static const struct scale size_scales[] = {
	{ "", 1 },	    { "K", 1 << 10 }, { "KiB", 1 << 10 }, { "M", 1 << 20 },
	{ "MiB", 1 << 20 }, { "G", 1 << 30 }, { "GiB", 1 << 30 },
};

struct error *text_integer(const char *text, int64_t min, int64_t max, int64_t *out)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || isspace((unsigned char)*text) || errno || value < min ||
	    value > max)
		return error_new(ERR_INPUT, "'%s' is not an integer from %" PRId64 " to %" PRId64,
				 text, min, max);
	*out = value;
	return NULL;
}

/* the length of a plain decimal number at the start of @text, 0 if there is none */
static size_t number_length(const char *text)
{
	const char *at = text;
	bool digits = false;

	if (*at == '-' || *at == '+')
		at++;
	for (; isdigit((unsigned char)*at); at++)
		digits = true;
	if (*at == '.')
		for (at++; isdigit((unsigned char)*at); at++)
			digits = true;
	if (!digits)
		return 0;
	if (*at == 'e' || *at == 'E') {
		const char *exponent = at + 1;

		if (*exponent == '-' || *exponent == '+')
			exponent++;
		if (isdigit((unsigned char)*exponent)) {
			while (isdigit((unsigned char)*exponent))
				exponent++;
			at = exponent;
		}
	}
	return at - text;
}

struct error *text_number(const char *text, double *out)
{
	size_t length = number_length(text);
	double value;

	if (!length || text[length])
		return error_new(ERR_INPUT, "'%s' is not a number", text);
	value = strtod(text, NULL);
	if (!isfinite(value))
		return error_new(ERR_INPUT, "'%s' is too large", text);
	*out = value;
	return NULL;
}

/* a number followed by one of the suffixes, as an integer of the smallest unit */
static bool scaled(const char *text, const struct scale *scales, size_t n_scales, uint64_t *out)
{
	size_t length = number_length(text), i;
	autofree char *digits = memory_string_n(text, length);
	const char *suffix = text + length;
	double value, product;

	if (!length)
		return false;
	while (*suffix == ' ')
		suffix++;
	value = strtod(digits, NULL);
	for (i = 0; i < n_scales; i++)
		if (!strcmp(suffix, scales[i].suffix))
			break;
	if (i == n_scales) {
		if (value || *suffix)
			return false;
		i = 0;
	}
	product = value * (double)scales[i].factor;
	if (!(product >= 0) || product >= 9e18)
		return false;
	*out = (uint64_t)(product + 0.5);
	return true;
}

struct error *text_duration(const char *text, uint64_t *out)
{
	if (!scaled(text, time_scales, ARRAY_SIZE(time_scales), out))
		return error_new(ERR_INPUT,
				 "'%s' is not a time: a number with ns, us, ms, s, min or h", text);
	return NULL;
}

char *text_duration_format(uint64_t nanoseconds)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(time_scales) - 1; i++)
		if (nanoseconds && nanoseconds % time_scales[i].factor == 0)
			break;
	return memory_format("%" PRIu64 "%s", nanoseconds / time_scales[i].factor,
			     time_scales[i].suffix);
}

struct error *text_size(const char *text, uint64_t *out)
{
	if (!scaled(text, size_scales, ARRAY_SIZE(size_scales), out))
		return error_new(ERR_INPUT, "'%s' is not a size: bytes, or a number with K, M or G",
				 text);
	return NULL;
}

char *text_size_format(uint64_t bytes)
{
	static const char suffixes[] = "KMG";
	int power = 0;

	while (bytes && bytes % 1024 == 0 && power < 3) {
		bytes /= 1024;
		power++;
	}
	return memory_format("%" PRIu64 "%.*s", bytes, power > 0,
			     power ? &suffixes[power - 1] : "");
}

struct error *text_bool(const char *text, bool *out)
{
	static const char *const words[] = { "0", "no", "off", "false", "1", "yes", "on", "true" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(text, words[i])) {
			*out = i >= ARRAY_SIZE(words) / 2;
			return NULL;
		}
	}
	return error_new(ERR_INPUT, "'%s' is neither 0 (no, off, false) nor 1 (yes, on, true)",
			 text);
}

char *text_trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* bytes of the character at @at, 0 if it is not well-formed (Unicode 15, table 3-7) */
static size_t character_length(const unsigned char *at, size_t left)
{
	size_t length = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

	if (!at[0] || (at[0] >= 0x80 && at[0] < 0xc2) || at[0] > 0xf4 || length > left)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return length;
}

bool text_is_utf8(const char *text, size_t length)
{
	while (length) {
		size_t step = character_length((const unsigned char *)text, length);

		if (!step)
			return false;
		text += step;
		length -= step;
	}
	return true;
}

char *text_to_utf8(const char *text)
{
	size_t left = strlen(text);
	char *clean = memory_zeroed(3 * left + 1, 1), *end = clean;

	while (left) {
		size_t step = character_length((const unsigned char *)text, left);

		memcpy(end, step ? text : "\xef\xbf\xbd", step ? step : 3);
		end += step ? step : 3;
		text += step ? step : 1;
		left -= step ? step : 1;
	}
	return clean;
}

void text_printable(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			*text = '?';
}

char **text_split(const char *text, char separator, int *count)
{
	char **parts = NULL;
	int n = 0;

	for (;;) {
		const char *end = strchrnul(text, separator);
		autofree char *part = memory_string_n(text, end - text);

		*array_append(parts, n) = memory_string(text_trim(part));
		if (!*end)
			break;
		text = end + 1;
	}
	*count = n;
	return parts;
}

void text_split_free(char **parts, int count)
{
	for (int i = 0; i < count; i++)
		free(parts[i]);
	free(parts);
}

char *text_join(char *const *parts, int count, const char *separator)
{
	char *text = memory_string("");

	for (int i = 0; i < count; i++)
		text = memory_append(text, "%s%s", i ? separator : "", parts[i]);
	return text;
}

/*
 * Distance of Damerau and Levenshtein in its restricted form ("optimal string alignment"): letters put
 * in, left out or replaced, and two neighbours that changed places, count one each. Two rows before
 * the present one are kept.
 */
static size_t edit_distance(const char *a, const char *b)
{
	size_t width = strlen(b) + 1;
	autofree size_t *rows = memory_zeroed(3 * width, sizeof(*rows));
	size_t *before = rows, *last = rows + width, *row = rows + 2 * width;

	for (size_t j = 0; j < width; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *oldest = before;

		before = last;
		last = row;
		row = oldest;
		row[0] = i;
		for (size_t j = 1; j < width; j++) {
			size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);

			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
	}
	return row[width - 1];
}

const char *text_nearest(const char *word, const char *const *candidates)
{
	size_t limit = (strlen(word) + 2) / 3;
	const char *best = NULL;

	for (; *candidates; candidates++) {
		size_t distance = edit_distance(word, *candidates);

		if (distance <= limit && (!best || distance < edit_distance(word, best)))
			best = *candidates;
	}
	return best;
}
