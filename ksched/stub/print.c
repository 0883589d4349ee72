// SPDX-License-Identifier: GPL-2.0-only
/*
 * print.c - the kernel log, warnings and traps; strings that the kernel formats
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "ksched.h"
#include "state.h"

#define WEAK __attribute__((weak))
#define SOH  '\001' /* "\001" "6" before a message is its level */

void ks_trap(const char *name)
{
	if (ks_host.trap)
		ks_host.trap(ks_host.self, name);
	fprintf(stderr, "kernel called %s, which is not modelled\n", name);
	abort();
}

void ks_warn(const char *text)
{
	if (ks_host.warning) {
		ks_host.warning(ks_host.self, text);
		return;
	}
	fprintf(stderr, "kernel warning: %s\n", text);
	abort();
}

/* ---- log --------------------------------------------------------------------------------------- */

static char line[1024];
static size_t line_len;
static int line_level = 4;

static int log_message(const char *format, va_list args)
{
	char text[1024];
	const char *s = text;
	int n = ks_vformat(text, sizeof(text), format, args);

	for (; s[0] == SOH && s[1]; s += 2)
		if (s[1] >= '0' && s[1] <= '7')
			line_level = s[1] - '0';
	for (; *s; s++) {
		if (*s != '\n' && line_len < sizeof(line) - 1) {
			line[line_len++] = *s;
			continue;
		}
		if (*s != '\n')
			continue;
		line[line_len] = '\0';
		line_len = 0;
		if (ks_host.console)
			ks_host.console(ks_host.self, line_level, line);
		line_level = 4;
	}
	return n;
}

WEAK int _printk(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = log_message(format, args);
	va_end(args);
	return n;
}

WEAK int _printk_deferred(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = log_message(format, args);
	va_end(args);
	return n;
}

WEAK int __printk_ratelimit(const char *func)
{
	(void)func;
	return 1;
}

WEAK void dump_stack(void)
{
}

WEAK void show_stack(void *task, unsigned long *sp, const char *level)
{
	(void)task;
	(void)sp;
	(void)level;
}

WEAK void show_regs(void *regs)
{
	(void)regs;
}

WEAK void print_worker_info(const char *level, void *task)
{
	(void)level;
	(void)task;
}

/* ---- WARN and BUG ------------------------------------------------------------------------------- */

static void warn_at(const char *what, const char *file, int line_nr, const char *format,
		    va_list *args)
{
	char text[1024];
	int n = snprintf(text, sizeof(text), "%s at %s:%d: ", what, file ? file : "?", line_nr);

	if (format && args)
		ks_vformat(text + n, sizeof(text) - n, format, *args);
	text[strcspn(text, "\n")] = '\0';
	ks_warn(text);
}

WEAK void warn_slowpath_fmt(const char *file, int line_nr, unsigned int taint, const char *format,
			    ...)
{
	va_list args;

	(void)taint;
	va_start(args, format);
	warn_at("WARNING", file, line_nr, format, format ? &args : NULL);
	va_end(args);
}

WEAK void __warn_printk(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	warn_at("WARNING", "", 0, format, &args);
	va_end(args);
}

WEAK void panic(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	ks_vformat(text, sizeof(text), format, args);
	va_end(args);
	ks_warn(text);
	abort();
}

WEAK void check_panic_on_warn(const char *origin)
{
	(void)origin;
}

WEAK void add_taint(unsigned int flag, int lockdep_ok)
{
	(void)flag;
	(void)lockdep_ok;
}

WEAK int oops_in_progress;

/* ---- strings -------------------------------------------------------------------------------------- */

void *__kmalloc(size_t size, unsigned int gfp); /* memory.c */

WEAK char *kvasprintf(unsigned int gfp, const char *format, va_list args)
{
	va_list copy;
	char *s;
	int n;

	(void)gfp;
	va_copy(copy, args);
	n = ks_vformat(NULL, 0, format, copy);
	va_end(copy);
	s = __kmalloc(n + 1, 0);
	if (s)
		ks_vformat(s, n + 1, format, args);
	return s;
}

WEAK char *kasprintf(unsigned int gfp, const char *format, ...)
{
	va_list args;
	char *s;

	va_start(args, format);
	s = kvasprintf(gfp, format, args);
	va_end(args);
	return s;
}

WEAK int scnprintf(char *buf, size_t size, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = ks_vformat(buf, size, format, args);
	va_end(args);
	return n < (int)size ? n : size ? (int)size - 1 : 0;
}

WEAK long strscpy(char *dst, const char *src, size_t size)
{
	size_t n = strnlen(src, size);

	if (!size)
		return -7;
	if (n == size)
		n--;
	memcpy(dst, src, n);
	dst[n] = '\0';
	return src[n] ? -7 : (long)n; /* -E2BIG */
}

/* 6.8 */
WEAK long sized_strscpy(char *dst, const char *src, size_t size)
{
	return strscpy(dst, src, size);
}

WEAK long strscpy_pad(char *dst, const char *src, size_t size)
{
	long n = strscpy(dst, src, size);

	if (n >= 0)
		memset(dst + n, 0, size - n);
	return n;
}

WEAK size_t strlcpy(char *dst, const char *src, size_t size)
{
	strscpy(dst, src, size);
	return strlen(src);
}

WEAK char *strim(char *s)
{
	size_t n;

	while (*s == ' ' || *s == '\n' || *s == '\t')
		s++;
	for (n = strlen(s); n && (s[n - 1] == ' ' || s[n - 1] == '\n' || s[n - 1] == '\t');)
		s[--n] = '\0';
	return s;
}

WEAK char *skip_spaces(const char *s)
{
	while (*s == ' ' || *s == '\n' || *s == '\t')
		s++;
	return (char *)s;
}
