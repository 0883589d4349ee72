/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - whole files: read, replace at once, make the folders of a path
 */
#ifndef FT_BASE_FILE_H
#define FT_BASE_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * file_read - the whole content of a file, NUL-terminated; works on /proc and /sys too
 * @text:   a new string
 * @length: without the NUL; may be NULL
 *
 * Errors: ERR_SYSTEM or ERR_PERMISSION with the path; ERR_INPUT for a file above 64 MiB.
 */
struct error *file_read(const char *path, char **text, size_t *length);

/* file_read_line - as file_read(), the first line alone, without the newline; NULL if the file
 * cannot be read: for values of /proc and /sys that a machine may lack */
char *file_read_line(const char *path);

/*
 * file_replace - puts @text in place of the file at once: a new file in the same folder (O_EXCL,
 * @mode), fsync, rename. Either the old or the new content is there, also after a crash.
 */
struct error *file_replace(const char *path, const char *text, size_t length, mode_t mode);

/* file_make_folders - makes the folders that contain @path (mode 0700), as mkdir -p of its parent */
struct error *file_make_folders(const char *path);

/*
 * file_data_path - $XDG_DATA_HOME/fairtrial/@name, or ~/.local/share/fairtrial/@name; a new string.
 * Errors: ERR_UNAVAILABLE when neither XDG_DATA_HOME nor HOME is set to an absolute path.
 */
struct error *file_data_path(const char *name, char **path);

#endif
