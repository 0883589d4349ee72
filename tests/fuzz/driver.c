// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a fuzz target over its corpus as a TAP test, with any compiler: each file as it is, cut off
 * at every length, and with bytes changed at random but the same way every time. A target has no
 * result to check: it fails by crashing, by an abort of its own checks, or under a sanitizer.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#define MAX_CUTS  2000
#define N_CHANGED 500

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* xorshift64: any spread will do here, it only has to be the same on every machine */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* the target gets a block of exactly that size, so that a sanitizer sees reads behind it */
static void run_copy(const char *text, size_t size)
{
	autofree uint8_t *copy = memory_copy(text, size);

	LLVMFuzzerTestOneInput(copy, size);
}

static void run_cut(const char *text, size_t size)
{
	size_t step = size / MAX_CUTS + 1;

	for (size_t length = 0; length < size; length += step)
		run_copy(text, length);
}

static void run_changed(const char *text, size_t size, uint64_t *state)
{
	static const char interesting[] = "[]=;#\n\r\t ,.:()+-*/09\\\"{}\x80\xff";

	if (!size)
		return;
	for (int i = 0; i < N_CHANGED; i++) {
		autofree char *changed = memory_copy(text, size);
		int n_changes = 1 + next_random(state) % 4;

		while (n_changes--) {
			size_t at = next_random(state) % size;
			uint64_t draw = next_random(state);

			/* the terminating NUL is one of the interesting bytes */
			changed[at] = draw & 1 ? interesting[(draw >> 1) % sizeof(interesting)]
					       : (char)(draw >> 8);
		}
		run_copy(changed, size);
	}
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **names;
	uint64_t state = 88172645463325252;
	int n;

	if (argc != 2 || (n = scandir(argv[1], &names, is_input, alphasort)) < 0) {
		fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return EXIT_FAILURE;
	}
	printf("1..%d\n", n + 1);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	printf("ok 1 - empty input\n");
	for (int i = 0; i < n; i++) {
		autofree char *path = memory_format("%s/%s", argv[1], names[i]->d_name);
		autofree char *text = NULL;
		struct error *error;
		size_t size;

		printf("# %s\n", names[i]->d_name);
		fflush(stdout);
		error = file_read(path, &text, &size);
		if (error) {
			error_report(stderr, error);
			error_free(error);
			return EXIT_FAILURE;
		}
		run_copy(text, size);
		run_cut(text, size);
		run_changed(text, size, &state);
		printf("ok %d - %s\n", i + 2, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return EXIT_SUCCESS;
}
