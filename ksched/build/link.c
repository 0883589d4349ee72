// SPDX-License-Identifier: GPL-2.0-only
/*
 * link.c - traps for what is not modelled, and the shared object
 *
 * What no object defines becomes a trap: a called function aborts with its name; a symbol whose address
 * alone is used gets a page without access, and a fault there is reported by name (stub/fault.c), because
 * it may be data, which would be garbage silently, or a function in a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/subprocess.h"
#include "ksched/build/internal.h"

/* Defined by the linker script, the linker, the C library (what kernel code uses of it), or the traps. */
static const char *const elsewhere[] = {
	"_GLOBAL_OFFSET_TABLE_",
	"__ctype_b_loc",
	"__initcall0_start",
	"__initcall_early_start",
	"__initcall_end",
	"__isoc99_sscanf",
	"__isoc23_sscanf",
	"__isoc23_strtol",
	"__isoc23_strtoul",
	"__isoc23_strtoull",
	"__per_cpu_end",
	"__per_cpu_start",
	"__sched_class_highest",
	"__sched_class_lowest",
	"__setup_end",
	"__setup_start",
	"abort",
	"aligned_alloc",
	"bcmp",
	"calloc",
	"fprintf",
	"fputc",
	"fputs",
	"free",
	"fwrite",
	"jiffies",
	"ks_no_access",
	"ks_timer_bases",
	"ks_timer_bases_end",
	"ks_not_modelled",
	"madvise",
	"malloc",
	"memchr",
	"memcmp",
	"memcpy",
	"memmove",
	"memset",
	"mmap",
	"mprotect",
	"mremap",
	"munmap",
	"raise",
	"realloc",
	"sigaction",
	"sigemptyset",
	"snprintf",
	"sprintf",
	"sscanf",
	"stderr",
	"stpcpy",
	"strcat",
	"strchr",
	"strchrnul",
	"strcmp",
	"strcpy",
	"strcspn",
	"strdup",
	"strlcat",
	"strlen",
	"strncasecmp",
	"strncat",
	"strncmp",
	"strncpy",
	"strnlen",
	"strpbrk",
	"strrchr",
	"strsep",
	"strspn",
	"strstr",
	"strtol",
	"strtoul",
	"strtoull",
	"vsnprintf",
	"__stack_chk_fail",
	"__errno_location",
	"__tls_get_addr",
};

static bool is_elsewhere(const char *name)
{
	static const char *const prefixes[] = { "__asan_", "__ubsan_", "__sanitizer_", "__gcov_",
						"__llvm_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++)
		if (!strcmp(name, elsewhere[i]))
			return true;
	return false;
}

static struct error *write_traps(struct build *b, const struct symbols *s)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	struct error *error;

	if (!f)
		return error_errno("traps.c");
	fprintf(f, "#include <stddef.h>\n#include <stdint.h>\n"
		   "#include \"ksched.h\"\n#include \"state.h\"\n#include \"traps.h\"\n");
	for (int i = 0; i < s->n; i++) {
		if (s->item[i].use & SYMBOL_CALLED)
			fprintf(f, "void %s(void)\n{\n\tks_trap(\"%s\");\n}\n", s->item[i].name,
				s->item[i].name);
		else
			fprintf(f,
				"char %s[KS_TRAP_PAGE] __attribute__((aligned(KS_TRAP_PAGE)));\n",
				s->item[i].name);
	}
	fprintf(f, "const char *const ks_not_modelled[] = {\n");
	for (int i = 0; i < s->n; i++) {
		fprintf(f, "\t\"%s\",\n", s->item[i].name);
		words_add(&b->not_modelled, "%s", s->item[i].name);
	}
	fprintf(f, "\tNULL,\n};\nconst struct ks_trap_page ks_no_access[] = {\n");
	for (int i = 0; i < s->n; i++)
		if (!(s->item[i].use & SYMBOL_CALLED))
			fprintf(f, "\t{ %s, \"%s\" },\n", s->item[i].name, s->item[i].name);
	fprintf(f, "\t{ NULL, NULL },\n};\n");
	fclose(f);
	error = folder_write(b->work, "traps.c", text);
	free(text);
	return error;
}

static struct error *run_tool(const struct words *w, const char *what)
{
	const char **argv = words_argv(w);
	struct subprocess_output output;
	struct error *error = subprocess_check(argv, NULL, 600, &output);

	free(argv);
	if (!error)
		subprocess_free(&output);
	return error_prefix(error, "%s", what);
}

static struct error *compile_traps(struct build *b)
{
	struct words w = { 0 };
	struct error *error;

	words_add(&w, "%s", b->compiler);
	for (int i = 0; i < b->plain.n; i++)
		if (strncmp(b->plain.item[i], "-fsanitize", 10))
			words_add(&w, "%s", b->plain.item[i]);
	/* Some names are built-in functions of another type. */
	words_add(&w, "-fno-builtin");
	words_add(&w, "-w");
	words_add(&w, "-c");
	words_add(&w, "%s/traps.c", b->work);
	words_add(&w, "-o");
	words_add(&w, "%s/obj/traps.o", b->work);
	words_add(&b->objects, "%s/obj/traps.o", b->work);
	error = run_tool(&w, "traps");
	words_free(&w);
	return error;
}

struct error *link_library(struct build *b)
{
	struct symbols undefined, traps = { 0 };
	struct words w = { 0 };
	struct error *error = elf_undefined(&b->objects, &undefined);

	if (error)
		return error;
	for (int i = 0; i < undefined.n; i++)
		if (!undefined.item[i].weak && !is_elsewhere(undefined.item[i].name)) {
			*array_append(traps.item, traps.n) = undefined.item[i];
			undefined.item[i].name = NULL;
		}
	symbols_free(&undefined);
	error = write_traps(b, &traps);
	symbols_free(&traps);
	if (!error)
		error = compile_traps(b);
	if (error)
		return error;
	words_add(&w, "%s", b->compiler);
	words_add(&w, "-shared");
	words_add(&w, "-o");
	words_add(&w, "%s/kernel.so", b->work);
	for (int i = 0; i < b->objects.n; i++)
		words_add(&w, "%s", b->objects.item[i]);
	words_add(&w, "-Wl,-T,%s/kernel.lds", b->overlay);
	words_add(&w, "-Wl,--defsym=jiffies=jiffies_64");
	words_add(&w, "-Wl,-Bsymbolic");
	words_add(&w, "-Wl,--no-warn-rwx-segments");
	if (b->request->sanitize)
		words_add(&w, "-fsanitize=%s", b->request->sanitize);
	else
		words_add(&w, "-Wl,-z,defs");
	error = run_tool(&w, "link");
	words_free(&w);
	return error;
}
