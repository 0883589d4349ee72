// SPDX-License-Identifier: GPL-2.0-only
/*
 * add.c - `kernel add`: from a source to a name in the registry
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "ksched/build/internal.h"
#include "ksched/ksched.h"

/* What an addition carries from step to step. */
struct addition {
	const struct kernel_request *request;
	struct registry registry;
	int lock;
	struct tree tree;
	struct config config;
	char *overlay, *work;
	char *compiler, *compiler_version;
	char *key;
	json_t *patch_sha256, *patch_text; /* of each patch: a name alone proves nothing */
	json_t *record;
};

/* The compiler: $CC if set, else cc. */
static struct error *find_compiler(struct addition *a)
{
	const char *asked = getenv("CC");
	const char *program = asked && asked[0] ? asked : "cc";
	const char *argv[] = { NULL, "--version", NULL };
	struct subprocess_output output;
	struct error *error;

	a->compiler = subprocess_find(program);
	if (!a->compiler)
		return error_new(ERR_UNAVAILABLE,
				 "no C compiler: '%s' is not in PATH; install gcc, or set "
				 "CC",
				 program);
	argv[0] = a->compiler;
	error = subprocess_check(argv, NULL, 30, &output);
	if (error)
		return error_prefix(error, "compiler %s", program);
	output.out[strcspn(output.out, "\n")] = '\0';
	a->compiler_version = memory_string(output.out);
	subprocess_free(&output);
	return NULL;
}

static struct error *hash_overlay(const char *overlay, struct hash *h)
{
	static const char *const parts[] = { "include", "glue", "stub" };
	static const char *const files[] = { "ksched.h",  "config", "files",
					     "own-files", "probes", "kernel.lds" };
	struct error *error = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(parts) && !error; i++) {
		autofree char *path = memory_format("%s/%s", overlay, parts[i]);

		error = hash_folder(h, path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files) && !error; i++) {
		autofree char *path = memory_format("%s/%s", overlay, files[i]);

		error = hash_file(h, path);
	}
	return error;
}

/* A directory has no name for its content but the content itself. */
static struct error *identify(struct tree *t)
{
	autofree char *digest = NULL;
	struct error *error;
	struct hash h;

	if (t->id)
		return NULL;
	hash_start(&h);
	error = tree_hash(t, &h);
	if (error)
		return error;
	digest = hash_text(&h);
	t->id = memory_format("content:%s", digest);
	return NULL;
}

static struct error *make_key(struct addition *a)
{
	const struct kernel_request *q = a->request;
	autofree char *config = config_header(&a->config);
	struct error *error;
	struct hash h;

	hash_start(&h);
	hash_string(&h, a->tree.id);
	hash_string(&h, a->tree.version);
	hash_string(&h, config);
	hash_string(&h, a->compiler_version);
	hash_string(&h, q->sanitize ? q->sanitize : "");
	compile_hash(&h);
	error = hash_overlay(a->overlay, &h);
	for (int i = 0; i < q->n_patches && !error; i++)
		error = hash_file(&h, q->patches[i]);
	if (!error)
		a->key = hash_text(&h);
	return error;
}

static json_t *strings(const char *const *item, int n)
{
	json_t *array = json_array();

	for (int i = 0; i < n; i++) {
		autofree char *text = text_to_utf8(item[i]);

		json_array_append_new(array, json_string(text));
	}
	return array;
}

/* read once, before anything is built from them */
static struct error *read_patches(struct addition *a)
{
	struct error *error = NULL;

	a->patch_sha256 = json_array();
	a->patch_text = json_array();
	for (int i = 0; i < a->request->n_patches && !error; i++) {
		autofree char *content = NULL, *digest = NULL, *text = NULL;

		error = file_read(a->request->patches[i], &content, NULL);
		if (!error)
			error = file_sha256(a->request->patches[i], &digest);
		if (error)
			break;
		text = text_to_utf8(content);
		json_array_append_new(a->patch_sha256, json_string(digest));
		json_array_append_new(a->patch_text, json_string(text));
	}
	return error;
}

static void make_record(struct addition *a, const struct words *not_modelled)
{
	const struct kernel_request *q = a->request;
	autofree char *source = text_to_utf8(q->source);
	char added[32];
	time_t now = time(NULL);
	struct tm utc;

	strftime(added, sizeof(added), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	a->record = json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:i, s:o, s:s}", "version",
			      a->tree.version, "source", source, "source_id", a->tree.id, "patches",
			      strings(q->patches, q->n_patches), "config",
			      strings(q->configs, q->n_configs), "compiler", a->compiler_version,
			      "sanitize", q->sanitize ? q->sanitize : "", "key", a->key,
			      "interface", KSCHED_ABI, "not_modelled",
			      strings((const char *const *)not_modelled->item, not_modelled->n),
			      "added", added);
	json_object_set(a->record, "patch_sha256", a->patch_sha256);
	json_object_set(a->record, "patch_text", a->patch_text);
}

static struct error *write_record(const struct addition *a, const char *path)
{
	autofree char *text = json_text(a->record);
	autofree char *line = memory_format("%s\n", text);

	return file_replace(path, line, strlen(line), 0644);
}

/* An older build changes places with the new one: at no time is there none. */
static struct error *put_in_place(const char *ready, const char *object)
{
	struct error *error = NULL;

	if (!rename(ready, object) ||
	    !renameat2(AT_FDCWD, ready, AT_FDCWD, object, RENAME_EXCHANGE))
		return NULL;
	/* a file system that cannot exchange */
	error = folder_remove(object);
	if (!error && rename(ready, object))
		error = error_errno("cannot move %s", object);
	return error;
}

/* Build in tmp/, then give it its place in objects/. */
static struct error *build_object(struct addition *a)
{
	autofree char *object = memory_format("%s/objects/%s", a->registry.root, a->key);
	autofree char *ready = memory_format("%s/ready", a->work);
	autofree char *from = memory_format("%s/kernel.so", a->work);
	autofree char *to = memory_format("%s/kernel.so", ready);
	autofree char *record = memory_format("%s/kernel.json", ready);
	struct build b = {
		.overlay = a->overlay,
		.work = a->work,
		.tree = &a->tree,
		.config = &a->config,
		.request = a->request,
		.compiler = a->compiler,
	};
	struct error *error = NULL;

	if (a->request->n_patches)
		error = tree_patch(&a->tree, a->work, a->request->patches, a->request->n_patches);
	if (!error)
		error = compile_setup(&b);
	if (!error)
		error = generate_headers(&b);
	if (!error)
		error = compile_all(&b);
	if (!error)
		error = link_library(&b);
	if (!error)
		error = folder_make(ready);
	if (!error && rename(from, to))
		error = error_errno("cannot move %s", from);
	if (!error) {
		make_record(a, &b.not_modelled);
		error = write_record(a, record);
	}
	if (!error)
		error = put_in_place(ready, object);
	words_free(&b.common);
	words_free(&b.plain);
	words_free(&b.objects);
	words_free(&b.not_modelled);
	return error;
}

/* The library is there: take what it says about itself, and who asks now. */
static struct error *reuse_object(struct addition *a, const char *path)
{
	autofree char *text = NULL;
	struct words not_modelled = { 0 };
	struct error *error = file_read(path, &text, NULL);
	json_t *old, *name;
	size_t i;

	if (!error)
		error = json_parse(text, path, 0, &old);
	if (error)
		return error;
	json_array_foreach(json_object_get(old, "not_modelled"), i, name)
		words_add(&not_modelled, "%s", json_string_value(name));
	make_record(a, &not_modelled);
	words_free(&not_modelled);
	json_decref(old);
	return NULL;
}

/* Does the name stand for what is asked, but for the time of its addition? */
static bool is_same(const struct addition *a, const json_t *there)
{
	static const char *const keys[] = { "key",     "version", "source",	 "source_id",
					    "patches", "config",  "patch_sha256" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!json_equal(json_object_get(there, keys[i]),
				json_object_get(a->record, keys[i])))
			return false;
	return true;
}

/* Another kernel of that name is replaced only by force. */
static struct error *check_free(const struct addition *a, const char *path)
{
	autofree char *text = NULL;

	if (a->request->force || !path_exists("%s", path))
		return NULL;
	error_free(file_read(path, &text, NULL));
	if (text && strstr(text, a->key))
		return NULL;
	return error_new(ERR_MISMATCH,
			 "there is a kernel '%s' already; fairtrial kernel rm %s removes it, "
			 "--force replaces it",
			 a->request->name, a->request->name);
}

static struct error *prepare(struct addition *a)
{
	const struct kernel_request *q = a->request;
	struct error *error = registry_check_name(q->name);

	if (!error)
		error = overlay_find(&a->overlay);
	if (!error)
		error = find_compiler(a);
	if (!error)
		error = registry_open(&a->registry);
	if (!error)
		error = registry_lock(&a->registry, &a->lock);
	if (!error)
		error = source_open(&a->registry, q->source, &a->tree);
	if (!error)
		error = tree_check(&a->tree);
	if (!error)
		error = identify(&a->tree);
	if (!error)
		error = config_read(a->overlay, &a->tree, q->configs, q->n_configs, &a->config);
	if (!error)
		error = make_key(a);
	if (!error)
		error = read_patches(a);
	return error;
}

static bool object_there(const struct addition *a)
{
	return path_exists("%s/objects/%s/kernel.so", a->registry.root, a->key) &&
	       path_exists("%s/objects/%s/kernel.json", a->registry.root, a->key);
}

static struct error *write_name(const struct addition *a, const char *path,
				enum kernel_origin *origin)
{
	struct kernel *there = NULL;
	bool same;

	*origin = a->work ? KERNEL_BUILT : KERNEL_CACHED;
	if (a->work || !path_exists("%s", path))
		return write_record(a, path);
	error_free(registry_load(&a->registry, a->request->name, &there));
	same = there && is_same(a, there->record);
	kernel_free(there);
	if (!same)
		return write_record(a, path);
	*origin = KERNEL_SAME;
	return NULL;
}

static struct error *add(struct addition *a, struct kernel **out)
{
	autofree char *name_path = NULL, *object_record = NULL;
	enum kernel_origin origin;
	struct error *error = prepare(a);

	if (error)
		return error;
	name_path = memory_format("%s/names/%s.json", a->registry.root, a->request->name);
	object_record = memory_format("%s/objects/%s/kernel.json", a->registry.root, a->key);
	error = check_free(a, name_path);
	if (error)
		return error;
	if (!a->request->rebuild && object_there(a)) {
		error = reuse_object(a, object_record);
	} else {
		error = registry_temporary(&a->registry, &a->work);
		if (!error)
			error = build_object(a);
	}
	if (error)
		return error;
	json_object_set_new(a->record, "name", json_string(a->request->name));
	/* building takes minutes, in which another addition may have taken the name */
	error = check_free(a, name_path);
	if (!error)
		error = write_name(a, name_path, &origin);
	if (!error && out) {
		error = registry_load(&a->registry, a->request->name, out);
		if (!error)
			(*out)->origin = origin;
	}
	return error;
}

struct error *kernel_add(const struct kernel_request *request, struct kernel **out)
{
	struct addition a = { .request = request, .lock = -1 };
	struct error *error = add(&a, out);
	bool busy;

	if (a.work)
		error_free(folder_remove(a.work));
	/* what a replaced name or a failed build leaves; the next one tries again */
	if (a.lock >= 0)
		error_free(registry_clean(&a.registry, a.lock, &busy));
	registry_unlock(&a.lock);
	json_decref(a.record);
	json_decref(a.patch_sha256);
	json_decref(a.patch_text);
	config_free(&a.config);
	tree_close(&a.tree);
	registry_close(&a.registry);
	free(a.overlay);
	free(a.work);
	free(a.compiler);
	free(a.compiler_version);
	free(a.key);
	return error;
}
