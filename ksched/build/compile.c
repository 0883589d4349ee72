// SPDX-License-Identifier: GPL-2.0-only
/*
 * compile.c - compiler arguments, and compiling all files in parallel
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "ksched/build/internal.h"

/* Longest time for one file; fair.c takes some seconds, ten times that under a sanitizer. */
#define SECONDS_A_FILE 600

/* ---- arguments ---------------------------------------------------------------------------------- */

/* As the kernel's own, where they change the meaning of code. */
static const char *const kernel_flags[] = {
	"-std=gnu11",
	"-O2",
	"-g1",
	"-fPIC",
	"-fvisibility=hidden",
	"-nostdinc",
	"-w",
	"-fno-strict-aliasing",
	"-fno-common",
	"-fshort-wchar",
	"-funsigned-char",
	"-fno-strict-overflow",
	"-fno-delete-null-pointer-checks",
	"-fms-extensions",
	"-fno-asynchronous-unwind-tables",
	"-fomit-frame-pointer",
	"-fno-stack-protector",
	/* An implicit declaration would cut results to 32 bits without a word. */
	"-Werror=implicit-function-declaration",
	"-Werror=int-conversion",
	"-Werror=incompatible-pointer-types",
	"-D__KERNEL__",
	"-DKBUILD_MODNAME=\"ksched\"",
	"-DKBUILD_BASENAME=\"ksched\"",
	"-DKBUILD_MODFILE=\"ksched\"",
};

static const char *const plain_flags[] = {
	"-std=gnu11",	       "-O2",	"-g1",	   "-fPIC",
	"-fvisibility=hidden", "-Wall", "-Wextra", "-fno-stack-protector",
};

/*
 * Taken if the compiler knows them. Load balancing zeroes structs of 100 to 300 bytes, for which GCC
 * takes `rep stos` by itself; that instruction takes longer to start than the stores do.
 */
static const char *const optional_flags[] = {
	"-mmemset-strategy=unrolled_loop:512:noalign,libcall:-1:noalign",
};

void compile_hash(struct hash *h)
{
	for (size_t i = 0; i < ARRAY_SIZE(optional_flags); i++)
		hash_string(h, optional_flags[i]);
	for (size_t i = 0; i < ARRAY_SIZE(kernel_flags); i++)
		hash_string(h, kernel_flags[i]);
	for (size_t i = 0; i < ARRAY_SIZE(plain_flags); i++)
		hash_string(h, plain_flags[i]);
}

static struct error *compiler_headers(const char *compiler, char **path)
{
	const char *argv[] = { compiler, "-print-file-name=include", NULL };
	struct subprocess_output output;
	struct error *error = subprocess_check(argv, NULL, 30, &output);

	if (error)
		return error_prefix(error, "compiler");
	*path = memory_string(text_trim(output.out));
	subprocess_free(&output);
	return NULL;
}

static void add_sanitizers(struct build *b)
{
	const char *what = b->request->sanitize;

	if (!what)
		return;
	words_add(&b->common, "-O1"); /* -O2 takes minutes for one file then */
	words_add(&b->common, "-fsanitize=%s", what);
	words_add(&b->plain, "-fsanitize=%s", what);
	/*
	 * Arrays made of sections would get gaps. Per-CPU offsets and container_of() are arithmetic between
	 * objects, which is what the kernel is written in; it packs structs too.
	 */
	if (strstr(what, "address"))
		words_add(&b->common, "-fsanitize-address-use-after-scope");
	if (strstr(what, "undefined"))
		words_add(&b->common, "-fno-sanitize=alignment,pointer-overflow,object-size,null,"
				      "vla-bound,nonnull-attribute,returns-nonnull-attribute");
}

static struct error *add_probes(struct build *b, struct words *args)
{
	char **lines;
	int n;
	struct error *error = overlay_lines(b->overlay, "probes", &lines, &n);

	if (error)
		return error;
	for (int i = 0; i < n && !error; i++) {
		autofree char *file = NULL, *content = NULL;
		char macro[64], name[128], what[128];

		if (sscanf(lines[i], "%63s %127s %127[^\n]", macro, name, what) != 3 ||
		    macro[0] == '#')
			continue;
		file = memory_format("%s/%s", b->tree->folder, name);
		if (!path_exists("%s", file))
			continue;
		error = file_read(file, &content, NULL);
		if (!error && strstr(content, what))
			words_add(args, "-D%s", macro);
	}
	text_split_free(lines, n);
	return error;
}

static struct error *add_optional(struct build *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(optional_flags); i++) {
		const char *argv[] = { b->compiler, optional_flags[i], "-x", "c", "-c", "/dev/null",
				       "-o",	    "/dev/null",       NULL };
		struct subprocess_output output;
		struct error *error = subprocess_run(argv, NULL, 30, &output);

		if (error)
			return error_prefix(error, "compiler");
		if (!output.status)
			words_add(&b->common, "%s", optional_flags[i]);
		subprocess_free(&output);
	}
	return NULL;
}

struct error *compile_setup(struct build *b)
{
	const char *tree = b->tree->folder;
	autofree char *builtin = NULL;
	struct error *error = compiler_headers(b->compiler, &builtin);

	if (error)
		return error;
	for (size_t i = 0; i < ARRAY_SIZE(kernel_flags); i++)
		words_add(&b->common, "%s", kernel_flags[i]);
	words_add(&b->common, "-isystem");
	words_add(&b->common, "%s", builtin);
	/* Ours first, then what Kbuild would generate, then the tree. */
	words_add(&b->common, "-I%s/include", b->overlay);
	words_add(&b->common, "-I%s/gen", b->work);
	words_add(&b->common, "-I%s/include", tree);
	words_add(&b->common, "-I%s/gen/uapi", b->work);
	words_add(&b->common, "-I%s/include/uapi", tree);
	words_add(&b->common, "-I%s/gen/generated/uapi", b->work);
	words_add(&b->common, "-I%s/kernel/sched", tree);
	words_add(&b->common, "-I%s/kernel", tree);
	words_add(&b->common, "-fmacro-prefix-map=%s/=", tree);
	words_add(&b->common, "-fmacro-prefix-map=%s/=ksched/", b->overlay);
	for (int i = 0; i < 3; i++) {
		static const char *const first[] = { "compiler-version.h", "kconfig.h",
						     "compiler_types.h" };

		words_add(&b->common, "-include");
		words_add(&b->common, "%s/include/linux/%s", tree, first[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(plain_flags); i++)
		words_add(&b->plain, "%s", plain_flags[i]);
	words_add(&b->plain, "-I%s", b->overlay);
	words_add(&b->plain, "-I%s/glue", b->overlay);
	words_add(&b->plain, "-fmacro-prefix-map=%s/=ksched/", b->overlay);
	add_sanitizers(b);
	return add_optional(b);
}

/* ---- one file -------------------------------------------------------------------------------------- */

struct job {
	struct words argv;
	const char *file; /* for messages */
	char *file_owned;
	struct error *error;
	char *first_error; /* of the compiler, NULL: none */
};

/* The line with the first "error:", or the first line. */
static char *first_error(const char *text)
{
	const char *line = text;

	for (const char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
		size_t length = strcspn(p, "\n");

		if (memmem(p, length, "error:", 6)) {
			line = p;
			break;
		}
	}
	return memory_string_n(line, strcspn(line, "\n"));
}

static void run_job(struct job *job)
{
	const char **argv = words_argv(&job->argv);
	struct subprocess_output output;

	job->error = subprocess_run(argv, NULL, SECONDS_A_FILE, &output);
	free(argv);
	if (job->error)
		return;
	if (output.status)
		job->first_error = first_error(output.err);
	subprocess_free(&output);
}

static void job_clear(struct job *job)
{
	words_free(&job->argv);
	free(job->file_owned);
	free(job->first_error);
	error_free(job->error);
}

/* A path of the compiler's message, relative to the tree. */
static struct error *job_error(const struct build *b, struct job *job)
{
	autofree char *remark = NULL;
	const char *text = job->first_error;
	size_t length = strlen(b->tree->folder);

	if (job->error) {
		struct error *error = job->error;

		job->error = NULL;
		return error;
	}
	if (!strncmp(text, b->tree->folder, length) && text[length] == '/')
		text += length + 1;
	remark = tree_remark(b->tree);
	return error_new(ERR_INPUT, "%s (Linux %s) does not compile: %s (%s)", job->file,
			 b->tree->version, text, remark);
}

struct error *compile_asm(struct build *b, const char *file, char **text)
{
	autofree char *out = memory_format("%s/asm.s", b->work);
	struct job job = { .file = file };
	struct error *error = NULL;

	words_add(&job.argv, "%s", b->compiler);
	for (int i = 0; i < b->common.n; i++)
		if (strncmp(b->common.item[i], "-fsanitize", 10))
			words_add(&job.argv, "%s", b->common.item[i]);
	words_add(&job.argv, "-S");
	words_add(&job.argv, "%s/%s", b->tree->folder, file);
	words_add(&job.argv, "-o");
	words_add(&job.argv, "%s", out);
	run_job(&job);
	if (job.error || job.first_error)
		error = job_error(b, &job);
	else
		error = file_read(out, text, NULL);
	job_clear(&job);
	return error;
}

/* ---- all files ---------------------------------------------------------------------------------------- */

struct queue {
	struct job *job;
	int n, next, done;
	bool failed;
	pthread_mutex_t lock;
	const struct kernel_request *request;
};

static void *work(void *data)
{
	struct queue *q = data;

	for (;;) {
		struct job *job;

		pthread_mutex_lock(&q->lock);
		job = q->next < q->n && !q->failed ? &q->job[q->next++] : NULL;
		pthread_mutex_unlock(&q->lock);
		if (!job)
			return NULL;
		run_job(job);
		pthread_mutex_lock(&q->lock);
		q->done++;
		if (job->error || job->first_error)
			q->failed = true;
		if (q->request->progress)
			q->request->progress(q->request->progress_data, q->done, q->n);
		pthread_mutex_unlock(&q->lock);
	}
}

static void run_queue(struct queue *q)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t *thread;
	int started = 0;

	if (n < 1)
		n = 1;
	if (n > q->n)
		n = q->n;
	thread = memory_zeroed(n, sizeof(*thread));
	for (int i = 0; i < n - 1; i++)
		if (!pthread_create(&thread[started], NULL, work, q))
			started++;
	work(q);
	for (int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

/* `args` are the compiler's for this kind of file, `more` further ones separated by blanks. */
static void add_job(struct build *b, struct queue *q, const struct words *args, const char *more,
		    const char *path, const char *name)
{
	struct job *job = array_append(q->job, q->n);
	autofree char *object = memory_string(name);

	for (char *p = object; *p; p++)
		if (*p == '/')
			*p = '_';
	object[strlen(object) - 1] = 'o';
	words_add(&b->objects, "%s/obj/%s", b->work, object);
	job->file = job->file_owned = memory_string(name);
	words_add(&job->argv, "%s", b->compiler);
	for (int i = 0; i < args->n; i++)
		words_add(&job->argv, "%s", args->item[i]);
	if (more && more[0]) {
		int n;
		char **part = text_split(more, ' ', &n);

		for (int i = 0; i < n; i++)
			if (part[i][0])
				words_add(&job->argv, "%s", part[i]);
		text_split_free(part, n);
	}
	words_add(&job->argv, "-c");
	words_add(&job->argv, "%s", path);
	words_add(&job->argv, "-o");
	words_add(&job->argv, "%s", b->objects.item[b->objects.n - 1]);
}

static struct error *add_kernel_files(struct build *b, struct queue *q)
{
	char **lines;
	int n;
	struct error *error = overlay_lines(b->overlay, "files", &lines, &n);

	if (error)
		return error;
	for (int i = 0; i < n && !error; i++) {
		const char *name = lines[i][0] == '?' ? lines[i] + 1 : lines[i];
		autofree char *file = memory_string_n(name, strcspn(name, " "));
		autofree char *path = memory_format("%s/%s", b->tree->folder, file);

		if (!name[0] || name[0] == '#')
			continue;
		if (path_exists("%s", path)) {
			add_job(b, q, &b->common, name + strlen(file), path, file);
		} else if (lines[i][0] != '?') {
			autofree char *remark = tree_remark(b->tree);

			error = error_new(ERR_INPUT, "%s: Linux %s has no %s (%s)", b->tree->source,
					  b->tree->version, file, remark);
		}
	}
	text_split_free(lines, n);
	return error;
}

/* Our own: glue/ is kernel code but coro.c, which like stub/ is written against the C library. */
static struct error *add_own_files(struct build *b, struct queue *q)
{
	struct words glue = { 0 };
	char **lines;
	int n;
	struct error *error = overlay_lines(b->overlay, "own-files", &lines, &n);

	if (error)
		return error;
	for (int i = 0; i < b->common.n; i++)
		words_add(&glue, "%s", b->common.item[i]);
	words_add(&glue, "-I%s", b->overlay);
	words_add(&glue, "-I%s/glue", b->overlay);
	error = add_probes(b, &glue);
	for (int i = 0; i < n; i++) {
		autofree char *path = NULL, *name = NULL;
		bool kernel = !strncmp(lines[i], "kernel ", 7);

		if (!kernel && strncmp(lines[i], "plain ", 6))
			continue;
		name = memory_string(text_trim(strchr(lines[i], ' ')));
		path = memory_format("%s/%s", b->overlay, name);
		add_job(b, q, kernel ? &glue : &b->plain, NULL, path, name);
	}
	text_split_free(lines, n);
	words_free(&glue);
	return error;
}

struct error *compile_all(struct build *b)
{
	struct queue q = { .request = b->request, .lock = PTHREAD_MUTEX_INITIALIZER };
	autofree char *objects = memory_format("%s/obj", b->work);
	struct error *error = folder_make(objects);

	if (!error)
		error = add_kernel_files(b, &q);
	if (!error)
		error = add_own_files(b, &q);
	if (!error)
		run_queue(&q);
	for (int i = 0; i < q.n; i++) {
		if (!error && (q.job[i].error || q.job[i].first_error))
			error = job_error(b, &q.job[i]);
		job_clear(&q.job[i]);
	}
	free(q.job);
	return error;
}
