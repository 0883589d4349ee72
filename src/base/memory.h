/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - allocation that cannot fail, strings, growing arrays
 *
 * When memory is exhausted these print one line on stderr and exit with status 1: nothing that
 * fairtrial keeps is lost by that, because the store commits a trial at a time and settings are
 * restored from the journal by the next start. Everything returned is freed with free().
 */
#ifndef FT_BASE_MEMORY_H
#define FT_BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* memory_zeroed - @count elements of @size bytes, zeroed; never NULL, also not for 0 */
void *memory_zeroed(size_t count, size_t size) __attribute__((returns_nonnull));

/* memory_lines - as memory_zeroed(), and begins at a cache line (64 bytes) */
void *memory_lines(size_t count, size_t size) __attribute__((returns_nonnull));

/* memory_resized - realloc() to @count elements of @size bytes; new bytes are not initialised */
void *memory_resized(void *block, size_t count, size_t size) __attribute__((returns_nonnull));

/* memory_copy - a copy of @size bytes */
void *memory_copy(const void *block, size_t size) __attribute__((returns_nonnull));

/* memory_string - strdup(); memory_string_n - strndup() */
char *memory_string(const char *string) __attribute__((returns_nonnull));
char *memory_string_n(const char *string, size_t length) __attribute__((returns_nonnull));

/* memory_format, memory_vformat - asprintf(), vasprintf() */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *memory_vformat(const char *format, va_list args)
	__attribute__((format(printf, 1, 0), returns_nonnull));

/*
 * memory_append - @text with more at its end, printf-style; frees @text, returns a new string
 * @text: of this file's functions; NULL: empty
 */
char *memory_append(char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull, warn_unused_result));

/*
 * array_append - makes room for one more element at the end of a growing array
 * @items: the array variable, a pointer to elements (NULL when empty)
 * @count: the number of elements, an lvalue; raised by one
 *
 * Evaluates to a pointer to the new element, zeroed. Capacity is the next power of two of the
 * count, so the array needs no third variable.
 */
#define array_append(items, count)                                                                 \
	((items) = array_grown((items), (count), sizeof(*(items))), &(items)[(count)++])

/* array_grown - the implementation of array_append() */
void *array_grown(void *items, size_t count, size_t size) __attribute__((returns_nonnull));

/* autofree - a local pointer that is freed when it goes out of scope: `autofree char *name = ...` */
#define autofree __attribute__((cleanup(memory_autofree)))
void memory_autofree(void *pointer_to_pointer);

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
