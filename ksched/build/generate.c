// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate.c - headers that Kbuild would generate, under work/gen
 *
 * Nothing is written into the tree. Order matters: bounds.h and rq-offsets.h are taken from the
 * assembler text of a kernel file, which needs the headers before them.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "ksched/build/internal.h"

/* ---- one-line forwards for asm/ headers that the overlay does not have ------------------------- */

static bool is_header(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && !strcmp(name + n - 2, ".h");
}

/* For each header of a folder of the tree: gen/DIR/NAME that includes TO/NAME. */
static struct error *forward_all(const struct build *b, const char *from, const char *dir,
				 const char *to)
{
	autofree char *path = memory_format("%s/%s", b->tree->folder, from);
	DIR *folder = opendir(path);
	struct dirent *entry;
	struct error *error = NULL;

	if (!folder)
		return error_errno("%s", path);
	while (!error && (entry = readdir(folder))) {
		autofree char *name = NULL, *text = NULL;

		if (!is_header(entry->d_name) ||
		    path_exists("%s/include/asm/%s", b->overlay, entry->d_name))
			continue;
		name = memory_format("gen/%s/%s", dir, entry->d_name);
		if (path_exists("%s/%s", b->work, name))
			continue;
		text = memory_format("#include <%s/%s>\n", to, entry->d_name);
		error = folder_write(b->work, name, text);
	}
	closedir(folder);
	return error;
}

/* ---- timeconst.h: what kernel/time/timeconst.bc computes ------------------------------------------ */

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* ceil(2^shift * n / d) */
static unsigned __int128 scaled(int shift, uint64_t n, uint64_t d)
{
	return (((unsigned __int128)n << shift) + d - 1) / d;
}

/* The factor for x * n / d as (x * mul + adj) >> shift, with 32 bits in mul. */
static void put_factor(FILE *f, const char *name, uint64_t n, uint64_t d)
{
	int shift = 0;
	unsigned __int128 mul, adj;
	uint64_t g = gcd(n, d);

	while (scaled(shift, n, d) < (unsigned __int128)1 << 31)
		shift++;
	mul = scaled(shift, n, d);
	adj = ((unsigned __int128)1 << shift) * (d / g - 1) / (d / g);
	fprintf(f, "#define %s_MUL32\tU64_C(0x%llx)\n", name, (unsigned long long)mul);
	fprintf(f, "#define %s_ADJ32\tU64_C(0x%llx%08llx)\n", name, (unsigned long long)(adj >> 32),
		(unsigned long long)(adj & 0xffffffff));
	fprintf(f, "#define %s_SHR32\t%d\n", name, shift);
	fprintf(f, "#define %s_NUM\tU64_C(%llu)\n", name, (unsigned long long)(n / g));
	fprintf(f, "#define %s_DEN\tU64_C(%llu)\n", name, (unsigned long long)(d / g));
}

static struct error *write_timeconst(const struct build *b)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	uint64_t hz = b->config->hz;
	struct error *error;

	if (!f)
		return error_errno("timeconst.h");
	fprintf(f, "#define U64_C(x) x##ULL\n");
	put_factor(f, "HZ_TO_MSEC", 1000, hz);
	put_factor(f, "MSEC_TO_HZ", hz, 1000);
	put_factor(f, "HZ_TO_USEC", 1000000, hz);
	put_factor(f, "USEC_TO_HZ", hz, 1000000);
	put_factor(f, "HZ_TO_NSEC", 1000000000, hz);
	put_factor(f, "NSEC_TO_HZ", hz, 1000000000);
	fclose(f);
	error = folder_write(b->work, "gen/generated/timeconst.h", text);
	free(text);
	return error;
}

/* ---- constants from assembler text ------------------------------------------------------------------ */

/* Lines ->NAME VALUE COMMENT as include/linux/kbuild.h makes them; VALUE has the marks of the target. */
static struct error *write_constants(struct build *b, const char *source, const char *header)
{
	char *assembler, *text = NULL;
	size_t length;
	struct error *error = compile_asm(b, source, &assembler);
	FILE *f;
	int found = 0;

	if (error)
		return error;
	f = open_memstream(&text, &length);
	if (!f)
		return error_errno("%s", header);
	for (const char *p = assembler; (p = strstr(p, "->")); p += 2) {
		char name[64];
		long long value;

		if (sscanf(p + 2, "%63[A-Za-z0-9_] %*[$#]%lld", name, &value) == 2 ||
		    sscanf(p + 2, "%63[A-Za-z0-9_] %lld", name, &value) == 2) {
			fprintf(f, "#define %s %lld\n", name, value);
			found++;
		}
	}
	fclose(f);
	free(assembler);
	if (found)
		error = folder_write(b->work, header, text);
	else
		error = error_new(ERR_INPUT, "%s gives no constants", source);
	free(text);
	return error;
}

static struct error *write_version(const struct build *b)
{
	autofree char *release = NULL, *code = NULL;
	int version = 0, patchlevel = 0, sublevel = 0;
	struct error *error;

	sscanf(b->tree->version, "%d.%d.%d", &version, &patchlevel, &sublevel);
	release = memory_format("#define UTS_RELEASE \"%s\"\n", b->tree->version);
	code = memory_format("#define LINUX_VERSION_CODE %d\n"
			     "#define KERNEL_VERSION(a, b, c) "
			     "(((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))\n",
			     (version << 16) + (patchlevel << 8) +
				     (sublevel > 255 ? 255 : sublevel));
	error = folder_write(b->work, "gen/generated/utsrelease.h", release);
	if (!error)
		error = folder_write(b->work, "gen/generated/uapi/linux/version.h", code);
	if (!error)
		error = folder_write(b->work, "gen/linux/version.h",
				     "#include <generated/uapi/linux/version.h>\n");
	return error;
}

struct error *generate_headers(struct build *b)
{
	autofree char *config = config_header(b->config);
	struct error *error = folder_write(b->work, "gen/generated/autoconf.h", config);

	if (!error)
		error = forward_all(b, "include/asm-generic", "asm", "asm-generic");
	if (!error)
		error = forward_all(b, "include/uapi/asm-generic", "asm", "uapi/asm-generic");
	if (!error)
		error = forward_all(b, "include/uapi/asm-generic", "uapi/asm", "asm-generic");
	if (!error)
		error = write_version(b);
	if (!error)
		error = write_timeconst(b);
	if (!error)
		error = folder_write(b->work, "gen/generated/bounds.h", "");
	if (!error)
		error = write_constants(b, "kernel/bounds.c", "gen/generated/bounds.h");
	/* 7.0: an offset in struct rq that headers use before they know the struct. */
	if (!error && path_exists("%s/kernel/sched/rq-offsets.c", b->tree->folder))
		error = write_constants(b, "kernel/sched/rq-offsets.c",
					"gen/generated/rq-offsets.h");
	return error;
}
