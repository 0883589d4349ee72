/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - files of users: opened and read, replaced at once, the folders of a path made
 */
#ifndef FT_BASE_FILE_H
#define FT_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * file_open - opens what a user named as input: a file, or a pipe
 * @fd: of the caller, close-on-exec
 *
 * Errors: ERR_SYSTEM or ERR_PERMISSION with the path; ERR_INPUT for what is neither: folders, sockets, and
 * devices, some of which have no end; and for a pipe that nobody has opened to write for 3 s.
 */
struct error *file_open(const char *path, int *fd);

/* file_open_stream - the same for stdio */
struct error *file_open_stream(const char *path, FILE **out);

/*
 * file_read - the whole content of a file, NUL-terminated; works on /proc and /sys too
 * @text:   a new string
 * @length: without the NUL; may be NULL
 *
 * Errors: as file_open(); ERR_INPUT for a file above 64 MiB.
 */
struct error *file_read(const char *path, char **text, size_t *length);

/* file_read_line - as file_read(), the first line alone, without the newline; NULL if the file
 * cannot be read: for values of /proc and /sys that a machine may lack */
char *file_read_line(const char *path);

/*
 * file_write - a file with that content, by output.h: whole, or what was there before; also after a crash
 * @replace, @mode, errors: of output_open()
 */
struct error *file_write(const char *path, const char *text, size_t length, bool replace,
			 mode_t mode);

/* file_replace - the same, whether or not there is an old file */
struct error *file_replace(const char *path, const char *text, size_t length, mode_t mode);

/*
 * file_unnamed - an empty file in memory, for a program that is started from here
 * @path: what that program opens; a new string
 *
 * It is gone when nobody has it open any more, however the processes end.
 */
struct error *file_unnamed(int *fd, char **path);

/* file_make_folders - makes the folders that contain @path (mode 0700), as mkdir -p of its parent */
struct error *file_make_folders(const char *path);

/*
 * file_data_path - $XDG_DATA_HOME/fairtrial/@name, or ~/.local/share/fairtrial/@name; a new string.
 * Errors: ERR_UNAVAILABLE when neither XDG_DATA_HOME nor HOME is set to an absolute path.
 */
struct error *file_data_path(const char *name, char **path);

#endif
