/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - kernels of the simulator: built from a source tree, kept under a name
 *
 * Under $XDG_DATA_HOME/fairtrial/kernels:
 *	names/NAME.json		what NAME stands for: the record below
 *	objects/KEY/kernel.so	the library (ksched.h); KEY is a hash of all that went into it
 *	trees/ID/		the needed part of a tarball (by its SHA-256) or of a git commit
 *	tmp/PID-N/		work in progress; those of dead processes are removed by the next start
 *	lock			held by who builds or has opened a kernel
 * Everything appears by rename when it is complete. A source tree is never written to. Libraries and trees
 * that no name stands for are removed at the end of each addition and removal, unless the lock is held.
 *
 * The record is a JSON object: name, version, source, source_id, patches (files),
 * patch_sha256 and patch_text (of each), config (what was asked beyond the default), compiler, sanitize, key, interface, not_modelled, added (UTC).
 */
#ifndef FT_KSCHED_BUILD_KERNEL_H
#define FT_KSCHED_BUILD_KERNEL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"

struct kernel_request {
	const char *name;	    /* letters, digits, "._+-"; at most 64 */
	const char *source;	    /* a directory, a tarball, or DIR@COMMIT */
	const char *const *patches; /* files, applied in this order with -p1 */
	int n_patches;
	const char *const *configs; /* "SYMBOL=VALUE", VALUE: y, n, a number or a word */
	int n_configs;
	const char *sanitize; /* "address,undefined" and such, or NULL */
	bool force;	      /* replace a kernel of that name */
	bool rebuild;	      /* build also what is there */
	void (*progress)(void *data, int done, int total); /* files compiled; may be NULL */
	void *progress_data;
};

enum kernel_origin {
	KERNEL_BUILT,  /* by this addition */
	KERNEL_CACHED, /* its library was there, under another name or an older record */
	KERNEL_SAME,   /* it was there, the same in all: nothing was done */
};

struct kernel {
	char *name;
	enum kernel_origin origin; /* of kernel_add() */
	int lock;		   /* while it is open, its library stays; see registry_lock() */
	char *library;		   /* path of the shared object */
	json_t *record;
};

/*
 * kernel_add - builds the scheduler of a tree and gives it a name
 * @out: may be NULL
 *
 * Errors: ERR_INPUT: the tree, a patch or a symbol is wrong, or the tree does not compile (the first
 * compiler error, and what is known about that version); ERR_UNAVAILABLE: a program is missing;
 * ERR_MISMATCH: the name is taken by another kernel.
 */
struct error *kernel_add(const struct kernel_request *request, struct kernel **out);

/*
 * kernel_open - the kernel of that name; NULL: the one called "default", or the only one
 * Errors: ERR_UNAVAILABLE with the names there are.
 */
struct error *kernel_open(const char *name, struct kernel **out);

/* kernel_all - all kernels, by name; freed with kernel_all_free() */
struct error *kernel_all(struct kernel ***out, int *n);
void kernel_all_free(struct kernel **kernels, int n);

/*
 * kernel_remove - forget a name; its library and its tree go when no other name uses them
 * @kept: they stay for now, because another process builds or simulates
 */
struct error *kernel_remove(const char *name, bool *kept);

void kernel_free(struct kernel *kernel);

/*
 * content_key - 32 hexadecimal digits that stand for @text, made as keys of kernels are; a new string
 * content_key_of_file - the same of a file's content
 */
char *content_key(const char *text);
struct error *content_key_of_file(const char *path, char **key);

#endif
