/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ready.h - files that come with the program and are known by name: machines, plans
 *
 * They are in a folder of the source tree that was built, which comes first (a developer's edit counts),
 * and of the installed data.
 */
#ifndef FT_BASE_READY_H
#define FT_BASE_READY_H

/*
 * ready_find - the path of @name with @suffix (".machine") in @folder ("machines"); a new string,
 * NULL if there is none, or if @name has a '/'
 */
char *ready_find(const char *folder, const char *name, const char *suffix);

/* ready_names - the names there are, sorted, each once; free with text_split_free() */
char **ready_names(const char *folder, const char *suffix, int *n);

#endif
