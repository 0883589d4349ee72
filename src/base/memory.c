// SPDX-License-Identifier: GPL-2.0-only
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *block)
{
	if (block)
		return block;
	fputs("fairtrial: out of memory\n", stderr);
	exit(EXIT_FAILURE);
}

void *memory_zeroed(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *memory_lines(size_t count, size_t size)
{
	size_t bytes = 0;
	void *block = NULL;

	if (!__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX - 63)
		block = aligned_alloc(64, bytes ? (bytes + 63) & ~(size_t)63 : 64);
	return memset(checked(block), 0, bytes);
}

void *memory_resized(void *block, size_t count, size_t size)
{
	return checked(reallocarray(block, count ? count : 1, size ? size : 1));
}

void *memory_copy(const void *block, size_t size)
{
	void *copy = memory_zeroed(1, size);

	if (size)
		memcpy(copy, block, size);
	return copy;
}

char *memory_string(const char *string)
{
	return checked(strdup(string));
}

char *memory_string_n(const char *string, size_t length)
{
	return checked(strndup(string, length));
}

char *memory_vformat(const char *format, va_list args)
{
	char *string;

	if (vasprintf(&string, format, args) < 0)
		string = NULL;
	return checked(string);
}

char *memory_format(const char *format, ...)
{
	va_list args;
	char *string;

	va_start(args, format);
	string = memory_vformat(format, args);
	va_end(args);
	return string;
}

char *memory_append(char *text, const char *format, ...)
{
	va_list args;
	char *more, *longer;

	va_start(args, format);
	more = memory_vformat(format, args);
	va_end(args);
	longer = memory_format("%s%s", text ? text : "", more);
	free(more);
	free(text);
	return longer;
}

void *array_grown(void *items, size_t count, size_t size)
{
	/* a power of two (or nothing) is full */
	if (!(count & (count - 1)))
		items = memory_resized(items, count ? 2 * count : 1, size);
	memset((char *)items + count * size, 0, size);
	return items;
}

void memory_autofree(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}
