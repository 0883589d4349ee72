/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - an external program that a worker runs from its start to its end (TASK_PROGRAM)
 *
 * setup() calls team_program() and adds one worker, whose body calls task_program(). The measured time
 * is then the program's own: from the opening of the gate to its end, without warm-up. Where setup()
 * ran, finish() looks at how it ended and at what it printed.
 *
 * The program inherits the worker's affinity, priority, environment (with LC_ALL=C) and cgroup; its
 * standard input is empty. When it has ended, has been told to end, or fairtrial dies, none of its
 * processes is left behind, also none that has left its process group or session.
 */
#ifndef FT_TASK_PROGRAM_H
#define FT_TASK_PROGRAM_H

#include "task/task.h"

/* A file of memory for results, as an argument of the program. */
#define PROGRAM_RESULT_PATH "/proc/self/fd/3"

/* What a program writes to one stream before it is ended, in bytes. */
#define PROGRAM_OUTPUT_MAX ((size_t)16 << 20)

enum program_stream {
	PROGRAM_STDOUT,
	PROGRAM_STDERR,
	PROGRAM_RESULT, /* PROGRAM_RESULT_PATH */
	N_PROGRAM_STREAMS
};

enum program_fate {
	PROGRAM_NOT_RUN,     /* the worker did not come to it */
	PROGRAM_NOT_STARTED, /* exec failed: program_end.error */
	PROGRAM_ENDED,	     /* program_end.status */
	PROGRAM_OVERDUE,     /* it ran longer than its limit and was killed */
	PROGRAM_FLOODED,     /* it wrote more than PROGRAM_OUTPUT_MAX and was killed */
};

struct program_end {
	enum program_fate fate;
	int error;		    /* errno */
	int status;		    /* as waitpid() gives it */
	enum program_stream stream; /* FLOODED: which one */
};

struct program {
	char **argv; /* NULL-terminated; argv[0] is a path, or a name in PATH */
	int n_argv;
	uint64_t limit_ns;	      /* how long it may run */
	struct folder *folder;	      /* its working directory; NULL: ours */
	int files[N_PROGRAM_STREAMS]; /* files of memory with what it wrote */
	struct program_end *end;      /* shared with the worker */
};

/*
 * team_program - the team's program; at most one a team, freed with it
 * @argv:   NULL-terminated, copied
 * @folder: of team_folder(), or NULL
 *
 * Errors: ERR_SYSTEM when there is no memory file.
 */
struct error *team_program(struct team *team, const char *const *argv, uint64_t limit_ns,
			   struct folder *folder);

/* team_own_program - what team_program() made, or NULL */
struct program *team_own_program(const struct team *team);

/* task_program - runs it; returns when all its processes are gone */
void task_program(struct task *task, struct program *program);

/* program_output - what it wrote to a stream, NUL-terminated; a new string; @length may be NULL */
char *program_output(const struct program *program, enum program_stream stream, size_t *length);

/* program_free - for the backend that frees the team; NULL is allowed */
void program_free(struct program *program);

#endif
