/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loadfile_list.h - lists of file operations that clients of workload loadfile replay
 *
 * A text, one operation a line, words separated by blanks, '#' begins a comment:
 *
 *     folder PATH             is there before the start, made by each client for itself
 *     file PATH SIZE          the same, a file of that size
 *
 *     create HANDLE PATH      open HANDLE PATH        close HANDLE
 *     write HANDLE OFFSET SIZE                        read HANDLE OFFSET SIZE
 *     flush HANDLE            status HANDLE           (fsync, fstat)
 *     stat PATH               missing PATH            (missing: there must be no such file)
 *     touch PATH              list PATH               space PATH
 *     rename PATH TO          unlink PATH             mkdir PATH          rmdir PATH
 *     think TIME              sleeps
 *     repeat N ... end        the lines between, N times, $i in paths is 1 to N; not nested
 *
 * A PATH is in the client's own folder, which is "."; one that begins with '/' is in a folder that all
 * clients share, which is "/". There $c, the number of the client, keeps names apart: what is created,
 * renamed or removed there has it in its name.
 *
 * A list is checked whole when it is read: every operation succeeds in its order, and at the end the
 * files are those of the beginning, so that it can be replayed for ever.
 */
#ifndef FT_WORKLOAD_LOADFILE_LIST_H
#define FT_WORKLOAD_LOADFILE_LIST_H

#include "task/task.h"

enum step_kind {
	STEP_FILE,    /* one operation of task_file() */
	STEP_MISSING, /* FILE_STAT that must find nothing */
	STEP_THINK,   /* sleeps `size` nanoseconds */
	STEP_FOLDER,  /* before the start */
	STEP_PRESENT, /* before the start: a file of `size` bytes */
};

struct step {
	enum step_kind kind;
	enum file_op op;
	int line;
	int handle; /* 0 to LOADFILE_HANDLES - 1 */
	char *path, *to;
	uint64_t offset, size;
};

#define LOADFILE_HANDLES 100
#define LOADFILE_STEPS	 1000000 /* operations of a list at most, repeats counted */
#define LOADFILE_NAMES	 20000	 /* files and folders at a time */
#define LOADFILE_PATH	 256	 /* bytes of a path at most */

struct loadfile {
	char *name; /* for messages: the file, or the name of the built-in list */
	struct step *present;
	int n_present;
	struct step *steps;
	int n_steps;
};

/*
 * loadfile_parse - @name for messages
 * Errors: ERR_INPUT with line.
 */
struct error *loadfile_parse(const char *name, const char *text, size_t length,
			     struct loadfile **out);

/* loadfile_open - a built-in list by name, else a file; errors of file_read() too */
struct error *loadfile_open(const char *name, struct loadfile **out);
void loadfile_free(struct loadfile *list);

/* loadfile_check - do all operations succeed in their order? (loadfile_check.c; part of parse) */
struct error *loadfile_check(const struct loadfile *list);

/* loadfile_path - a path of the list for one client, relative to the folder of the team; a new string */
char *loadfile_path(const char *path, int client);

/* loadfile_word - the word of a step's operation, for messages */
const char *loadfile_word(const struct step *step);

/* The list "office": the text of loadfile_office.c. */
extern const char loadfile_office[];

#endif
