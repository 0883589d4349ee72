/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - workloads that are programs of others: what their files and the runner share
 *
 * Each is one file in program/ with a `const struct workload` and the `const struct program_desc` that it
 * points to: its arguments, its version, its format. All else is the same for all of them and is done by
 * the runner. It starts the program as a vector of arguments, without a shell, bounds its time and its
 * output, and has the parser of its format (result/foreign.h) make metrics of what it printed.
 */
#ifndef FT_WORKLOAD_PROGRAM_H
#define FT_WORKLOAD_PROGRAM_H

#include "result/foreign.h"
#include "task/program.h"
#include "workload/workload.h"

/* A growing vector of arguments. */
struct program_args {
	char **items;
	int n;
};

/* args_add - one argument, printf-style; args_count - two: an option and a parameter's number */
void args_add(struct program_args *args, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void args_count(struct program_args *args, const char *option, const struct params *params,
		const char *param);
void args_clear(struct program_args *args);

/*
 * args_split - appends the words of @text: separated by blanks; within '...' all characters stand for
 * themselves; within "..." a \ before " or \ makes these characters; outside of both a \ before any
 * character makes that character. There are no variables and no patterns: no shell is involved.
 *
 * Errors: ERR_INPUT for a quote that is not closed, and for a \ at the end.
 */
struct error *args_split(struct program_args *args, const char *text);

/* When a trial begins and ends, as the plan has it. */
struct program_times {
	uint64_t runtime_ns, warmup_ns;
};

struct program_desc {
	const char *from; /* where it is found: "the Debian package stress-ng" */
	/* name of the parameter that is its path or name in PATH (PARAM_TEXT), or of a folder */
	const char *path_param;
	const char
		*in_folder; /* NULL; else the parameter is a folder, and the program this in it */
	/*
	 * The version: what follows @version_prefix, up to a blank, ',' or ')', in what the program
	 * prints when called with @version_option, put behind @version_name. Where that is not found, and
	 * for NULL: "@version_name (build HASH)", HASH of the content of its file.
	 */
	const char *version_name, *version_option, *version_prefix;
	const char *version_param; /* a parameter that, if not empty, is the version; may be NULL */
	const struct foreign_format *format; /* NULL: metrics are of workload.finish alone */
	enum program_stream stream;	     /* which output has the results */
	bool whole_seconds;		     /* its duration is in whole seconds, at least 1 */
	/*
	 * It does a fixed amount of work: it takes no duration, and the parameter "limit" bounds how long
	 * it may run. Else it ends after warm-up and runtime, or is ended PROGRAM_GRACE_NS later.
	 */
	bool fixed_work;
	bool own_folder; /* it runs in a folder that is removed; below the parameter "directory" */
	/* the arguments behind argv[0]. Errors: ERR_INPUT for parameters that cannot be meant */
	struct error *(*arguments)(struct program_args *args, const struct params *params,
				   const struct program_times *times);
};

/* how much longer than its runtime a program may take: starting, cleaning up */
#define PROGRAM_GRACE_NS 10000000000ull

/*
 * program_ready - can this case run on this machine? Called before anything runs, and not by setup()
 * @version: of the program that was found; a new string
 *
 * Errors: ERR_UNAVAILABLE if the program is not there (says where it comes from), ERR_INPUT for a
 * runtime or arguments that it cannot have.
 */
struct error *program_ready(const struct workload *workload, const struct params *params,
			    const struct program_times *times, char **version);

/* program_limit_ns - how long a trial of it may take */
uint64_t program_limit_ns(const struct program_desc *desc, const struct params *params,
			  const struct program_times *times);

/*
 * program_setup, program_finish - what workload_setup() and workload_report() do for a workload with that
 * description; a workload.finish that it has comes behind
 */
struct error *program_setup(struct team *team, const struct program_desc *desc,
			    const struct params *params);
struct error *program_finish(struct team *team, const struct program_desc *desc,
			     struct trial *trial);

/*
 * program_check_end - did it end by itself, with status 0? Else ERR_INPUT with the reason and the end
 * of what it wrote to stderr
 */
struct error *program_check_end(const struct program *program, const struct program_desc *desc);

/* program_blame - "PROGRAM: @error; the end of its stderr: ..."; takes @error over */
struct error *program_blame(const struct program *program, struct error *error);

/* What their workloads have in common. */
#define PROGRAM_WORKLOAD(description)                                                              \
	.needs = TASK_PROGRAM,                                                                     \
	.unsupported = "it is a program of others, which needs a real machine",                    \
	.program = &(description)

/* Parameters that many of them have. */
#define PROGRAM_PARAM(default_name)                                                                \
	{                                                                                          \
		"program", PARAM_TEXT, .def = default_name,                                        \
				       .help = "its name in PATH, or its path"                     \
	}
#define PROGRAM_OPTIONS_PARAM                                                                      \
	{                                                                                          \
		"options", PARAM_TEXT, .def = "",                                                  \
				       .help = "more arguments, by the rules of `command`"         \
	}
#define PROGRAM_DIRECTORY_PARAM                                                                    \
	{                                                                                          \
		"directory", PARAM_TEXT, .def = "",                                                \
					 .help = "where its files are made [$TMPDIR or /tmp]"      \
	}
#define PROGRAM_LIMIT_PARAM                                                                        \
	{                                                                                          \
		"limit", PARAM_DURATION, .def = "10min",                                           \
					 .help = "it is ended when it takes longer"                \
	}

#endif
