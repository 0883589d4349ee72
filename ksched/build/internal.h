/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - what the parts of the builder share
 */
#ifndef FT_KSCHED_BUILD_INTERNAL_H
#define FT_KSCHED_BUILD_INTERNAL_H

#include <stdint.h>

#include "ksched/build/kernel.h"

/* A growing list of strings, owned. */
struct words {
	char **item;
	int n;
};

void words_add(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_free(struct words *w);
/* words_argv - the items as an argument vector, NULL at the end; freed by free(), items stay owned */
const char **words_argv(const struct words *w);

/* ---- hash.c: content hashes for keys of the cache ---- */

/* 128 bits of FNV-1a: the inputs are nobody's attack, only different. */
struct hash {
	unsigned __int128 state;
};

void hash_start(struct hash *h);
void hash_string(struct hash *h, const char *s);	   /* with its NUL */
struct error *hash_file(struct hash *h, const char *path); /* name and content */
/* hash_folder - all regular files below, in the order of their names */
struct error *hash_folder(struct hash *h, const char *path);
char *hash_text(const struct hash *h); /* 32 hexadecimal digits, a new string */

/* ---- folder.c ---- */

struct error *folder_make(const char *path);   /* with its parents */
struct error *folder_remove(const char *path); /* and all below; no error if it is not there */
struct error *folder_copy(const char *from, const char *to, const char *const *parts);
bool path_exists(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* write a file below a folder, making its parents */
struct error *folder_write(const char *folder, const char *name, const char *text);

/* ---- registry.c ---- */

struct registry {
	char *root; /* .../fairtrial/kernels */
};

struct error *registry_open(struct registry *r); /* makes the folders, removes stale ones */
void registry_close(struct registry *r);
/* registry_temporary - a new folder for work in progress, a new string */
struct error *registry_temporary(const struct registry *r, char **path);
struct error *registry_load(const struct registry *r, const char *name, struct kernel **out);
struct error *registry_check_name(const char *name);

/* ---- unused.c ---- */

/* registry_lock - nothing is cleaned away while @fd is held; waits for who is cleaning */
struct error *registry_lock(const struct registry *r, int *fd);
void registry_unlock(int *fd);
/*
 * registry_clean - removes libraries and trees that no name stands for
 * @lock: held by the caller; what it holds afterwards is for registry_unlock() only
 * @busy: others hold the lock; nothing was removed, the next one will do it
 */
struct error *registry_clean(const struct registry *r, int lock, bool *busy);

/* ---- source.c: from SOURCE to a folder with the needed parts of a tree ---- */

struct tree {
	char *folder;  /* the tree to compile */
	char *source;  /* as asked */
	char *id;      /* "sha256:...", "commit:..." or "content:..." */
	char *version; /* "6.12.117" */
	bool patched;  /* folder is our copy */
};

/* Parts of a tree that a build may read, for copying and unpacking; NULL at the end. */
extern const char *const tree_parts[];

/* file_sha256 - 64 hexadecimal digits, a new string */
struct error *file_sha256(const char *path, char **digest);
struct error *source_open(const struct registry *r, const char *source, struct tree *out);
/* tree_check - is it a kernel tree; fills version */
struct error *tree_check(struct tree *t);
/* tree_patch - a patched copy below `work`, in place of t->folder */
struct error *tree_patch(struct tree *t, const char *work, const char *const *patches, int n);
struct error *tree_hash(const struct tree *t, struct hash *h);
void tree_close(struct tree *t);
/* tree_remark - what is known about this version, a new string for a message */
char *tree_remark(const struct tree *t);

/* ---- overlay.c: our own files: include/, glue/, stub/, config, files, probes, kernel.lds ---- */

struct error *overlay_find(char **folder);
/* overlay_lines - of a file of ours, each trimmed; freed with text_split_free() */
struct error *overlay_lines(const char *overlay, const char *name, char ***lines, int *n);

/* ---- config.c ---- */

struct config {
	struct words symbol, value; /* same length; value "y" or text; "n" ones are dropped */
	int hz;
};

struct error *config_read(const char *overlay, const struct tree *t, const char *const *changes,
			  int n, struct config *out);
char *config_header(const struct config *c); /* generated/autoconf.h */
void config_free(struct config *c);

/* ---- build.c ---- */

struct build {
	const char *overlay, *work; /* work: our folder with gen/ and obj/ */
	const struct tree *tree;
	const struct config *config;
	const struct kernel_request *request;
	const char *compiler; /* program */
	struct words common;  /* compiler arguments for kernel code */
	struct words plain;   /* for stubs, against the C library */
	struct words objects; /* paths, as they are made */
	struct words not_modelled;
};

/* generate.c: gen/ and uapi forwards, version, bounds, timeconst */
struct error *generate_headers(struct build *b);
/* compile.c; compile_hash - the compiler arguments that do not depend on a request */
void compile_hash(struct hash *h);
struct error *compile_setup(struct build *b); /* arguments */
struct error *compile_all(struct build *b);
/* compile_asm - the assembler text of one kernel file, for constants */
struct error *compile_asm(struct build *b, const char *file, char **text);
/* link.c: traps, the shared object work/kernel.so */
struct error *link_library(struct build *b);

/* ---- elf.c ---- */

enum symbol_use {
	SYMBOL_CALLED = 1,    /* by a call or jump: a function */
	SYMBOL_ADDRESSED = 2, /* its address is taken: data, or a function in a table */
};

struct symbol {
	char *name;
	unsigned int use;
	bool weak; /* all references are weak */
};

struct symbols {
	struct symbol *item;
	int n;
};

/* elf_undefined - what the objects use and none defines, sorted by name */
struct error *elf_undefined(const struct words *objects, struct symbols *out);
void symbols_free(struct symbols *s);

#endif
