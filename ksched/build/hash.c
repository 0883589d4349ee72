// SPDX-License-Identifier: GPL-2.0-only
/*
 * hash.c - content hashes for keys of the cache
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "ksched/build/internal.h"

/* FNV-1a, 128 bits: offset basis and prime (Fowler, Noll, Vo) */
#define BASIS ((unsigned __int128)0x6c62272e07bb0142ULL << 64 | 0x62b821756295c58dULL)
#define PRIME ((unsigned __int128)0x0000000001000000ULL << 64 | 0x000000000000013bULL)

void hash_start(struct hash *h)
{
	h->state = BASIS;
}

static void hash_bytes(struct hash *h, const void *data, size_t length)
{
	const unsigned char *p = data;
	unsigned __int128 state = h->state;

	for (; length; length--)
		state = (state ^ *p++) * PRIME;
	h->state = state;
}

void hash_string(struct hash *h, const char *s)
{
	hash_bytes(h, s, strlen(s) + 1);
}

struct error *hash_file(struct hash *h, const char *path)
{
	char *text;
	size_t length;
	struct error *error = file_read(path, &text, &length);

	if (error)
		return error;
	hash_bytes(h, &length, sizeof(length));
	hash_bytes(h, text, length);
	free(text);
	return NULL;
}

static int not_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

struct error *hash_folder(struct hash *h, const char *path)
{
	struct dirent **entry;
	struct error *error = NULL;
	struct stat st;
	int n, i;

	n = scandir(path, &entry, not_dots, by_name);
	if (n < 0)
		return error_errno("cannot read %s", path);
	for (i = 0; i < n; i++) {
		autofree char *child = memory_format("%s/%s", path, entry[i]->d_name);

		if (!error && !lstat(child, &st)) {
			hash_string(h, entry[i]->d_name);
			if (S_ISDIR(st.st_mode))
				error = hash_folder(h, child);
			else if (S_ISREG(st.st_mode))
				error = hash_file(h, child);
		}
		free(entry[i]);
	}
	free(entry);
	return error;
}

char *hash_text(const struct hash *h)
{
	return memory_format("%016llx%016llx", (unsigned long long)(h->state >> 64),
			     (unsigned long long)h->state);
}

char *content_key(const char *text)
{
	struct hash h;

	hash_start(&h);
	hash_string(&h, text);
	return hash_text(&h);
}

struct error *content_key_of_file(const char *path, char **key)
{
	struct hash h;
	struct error *error;

	hash_start(&h);
	error = hash_file(&h, path);
	if (!error)
		*key = hash_text(&h);
	return error;
}
