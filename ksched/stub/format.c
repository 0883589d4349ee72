// SPDX-License-Identifier: GPL-2.0-only
/*
 * format.c - printf as the kernel has it
 *
 * Conversions are handed to the C library one at a time, but %pX.
 */
#include "format.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ksched.h"
#include "state.h"

struct out {
	char *buf;
	size_t size, len; /* len may pass size, as snprintf() counts on */
};

static void put(struct out *o, const char *s, size_t n)
{
	size_t room = o->len < o->size ? o->size - o->len : 0;

	if (room)
		memcpy(o->buf + o->len, s, n < room ? n : room);
	o->len += n;
}

static void put_number(struct out *o, const char *format, unsigned long value)
{
	char tmp[32];

	put(o, tmp, snprintf(tmp, sizeof(tmp), format, value));
}

static int bit(const unsigned long *map, int i)
{
	return map[i / 64] >> i % 64 & 1;
}

/* "0-3,8" */
static void put_bit_list(struct out *o, const unsigned long *map, int bits)
{
	const char *comma = "";
	int i, end;

	for (i = 0; i < bits; i++) {
		if (!bit(map, i))
			continue;
		for (end = i; end + 1 < bits && bit(map, end + 1);)
			end++;
		put(o, comma, strlen(comma));
		put_number(o, "%lu", i);
		if (end > i)
			put_number(o, "-%lu", end);
		comma = ",";
		i = end;
	}
}

/* "ff,ffffffff": words of 32 bits, the highest first */
static void put_bit_words(struct out *o, const unsigned long *map, int bits)
{
	int word = (bits + 31) / 32 - 1, digits = (bits % 32 ? bits % 32 + 3 : 32) / 4;
	char format[16];

	for (; word >= 0; word--, digits = 8) {
		snprintf(format, sizeof(format), "%%0%dlx%s", digits, word ? "," : "");
		put_number(o, format, map[word / 2] >> word % 2 * 32 & 0xffffffff);
	}
}

struct va_format { /* of %pV */
	const char *fmt;
	va_list *va;
};

static void put_nested(struct out *o, const struct va_format *v)
{
	char tmp[512];
	va_list copy;
	int n;

	va_copy(copy, *v->va);
	n = ks_vformat(tmp, sizeof(tmp), v->fmt, copy);
	va_end(copy);
	put(o, tmp, (size_t)n < sizeof(tmp) ? (size_t)n : sizeof(tmp) - 1);
}

/* `s` stands behind "%p"; returns what follows the conversion. */
static const char *put_pointer(struct out *o, const char *s, void *p, int width)
{
	if (s[0] == 'b' && s[1] == 'l') {
		put_bit_list(o, p, width);
		return s + 2;
	}
	if (s[0] == 'b') {
		put_bit_words(o, p, width);
		return s + 1;
	}
	if (s[0] == 'V') {
		put_nested(o, p);
		return s + 1;
	}
	if (s[0] == 's' || s[0] == 'S' || s[0] == 'B' || s[0] == 'x' || s[0] == 'K') {
		put_number(o, "0x%lx", (unsigned long)p);
		return s + 1;
	}
	if (isalnum((unsigned char)s[0]))
		ks_trap("printk with an unknown %p form");
	put_number(o, "0x%lx", (unsigned long)p);
	return s;
}

/* Length modifiers and conversion of one directive that begins at *s (behind "%"). */
static void put_directive(struct out *o, const char **s, va_list *args)
{
	char spec[32] = "%", tmp[512];
	size_t n = 1;
	int width = 0, longs = 0, len;
	const char *p = *s;

	while (*p && strchr("-+ #0123456789.*", *p)) {
		if (*p == '*') {
			width = va_arg(*args, int);
			n += snprintf(spec + n, sizeof(spec) - n, "%d", width);
		} else if (n < 20) {
			spec[n++] = *p;
		}
		p++;
	}
	for (; *p && strchr("hlzjtLq", *p); p++)
		if (*p != 'h')
			longs++;
	*s = p + 1;
	if (*p == 'p') {
		*s = put_pointer(o, p + 1, va_arg(*args, void *), width);
		return;
	}
	if (longs)
		spec[n++] = 'l';
	spec[n++] = *p;
	spec[n] = '\0';
	if (*p == 's') {
		/* May be longer than tmp. */
		const char *str = va_arg(*args, const char *);

		if (n == 2) {
			put(o, str, strlen(str));
			return;
		}
		len = snprintf(tmp, sizeof(tmp), spec, str);
	} else if (longs) {
		len = snprintf(tmp, sizeof(tmp), spec, va_arg(*args, long));
	} else {
		len = snprintf(tmp, sizeof(tmp), spec, va_arg(*args, int));
	}
	put(o, tmp, len < (int)sizeof(tmp) ? (size_t)len : sizeof(tmp) - 1);
}

int ks_vformat(char *buf, size_t size, const char *format, va_list args)
{
	struct out o = { buf, size, 0 };
	const char *s = format, *percent;
	va_list copy;

	va_copy(copy, args);
	while ((percent = strchr(s, '%'))) {
		put(&o, s, percent - s);
		s = percent + 1;
		if (*s == '%') {
			put(&o, "%", 1);
			s++;
		} else {
			put_directive(&o, &s, &copy);
		}
	}
	put(&o, s, strlen(s));
	va_end(copy);
	if (size)
		buf[o.len < size ? o.len : size - 1] = '\0';
	return o.len;
}
