/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload.h - the registry of workloads: one constant description and one file each
 *
 * Adding a workload touches its file, the list in registry.c and the build list.
 */
#ifndef FT_WORKLOAD_WORKLOAD_H
#define FT_WORKLOAD_WORKLOAD_H

#include "result/result.h"
#include "task/team.h"

/* tasks that one parameter may ask for: more than any machine runs, and a typing error costs no machine */
#define PARAM_TASKS_MOST 100000
/* bytes of one of them: so many times so much does not wrap */
#define PARAM_BYTES_MOST ((int64_t)1 << 40)

enum param_type {
	PARAM_COUNT,	/* an expression over the topology, an integer >= min */
	PARAM_SIZE,	/* bytes, text_size() or an expression */
	PARAM_DURATION, /* text_duration(); the value is nanoseconds */
	PARAM_CHOICE,	/* one of the words of choices */
	PARAM_BOOL,
	PARAM_TEXT, /* any text (a path, a command) */
};

struct param {
	const char *name;
	enum param_type type;
	const char *def;     /* default, as it would stand in a plan; NULL: must be given */
	const char *choices; /* PARAM_CHOICE: words separated by a space */
	int64_t min;	     /* PARAM_COUNT, PARAM_SIZE: smallest value; 0 means 1 for a count */
	int64_t max;	     /* PARAM_COUNT, PARAM_SIZE: largest value; 0: what the type holds */
	const char
		*unit; /* for the help, may be NULL; of a load, that of the throughput: offered */
	const char *help;
	bool zero; /* PARAM_COUNT: 0 is accepted too, for "none" or "by itself" */
};

/* The value of a parameter after expansion. */
struct param_value {
	const struct param *param;
	int64_t number; /* COUNT, SIZE, DURATION, BOOL; CHOICE: index of the word */
	char *text;	/* as it is shown and stored */
};

/* The parameters of one case, in the order of workload.params. */
struct params {
	struct param_value *values;
	int n;
};

/* params_number, params_text - by name; a name that the workload does not have is a bug (abort) */
int64_t params_number(const struct params *params, const char *name);
const char *params_text(const struct params *params, const char *name);
void params_clear(struct params *params);

enum workload_metric_kind {
	METRIC_RATE,	 /* counter / seconds, summed over the workers; per-worker values kept */
	METRIC_TOTAL,	 /* counter, summed over the workers; per-worker values kept */
	METRIC_COMPUTED, /* filled by workload.finish */
	/*
	 * Quantiles of what task_record() got, in us: NAME_p50, _p90, _p99, _p99.9 and _max, of the
	 * merged histograms of all workers and of each worker's. NAME_p50 carries the merged
	 * histogram. The description is of all of them but for the unit, which is "us".
	 */
	METRIC_HISTOGRAM,
};

struct workload_metric {
	struct metric_desc desc;
	enum workload_metric_kind kind;
	int counter; /* of task_count(); of task_record() for a histogram */
};

struct program_desc;

/* What a trial takes beside time and memory, with everything that it has at once. */
struct workload_demand {
	double tasks;	    /* processes and threads: at most PARAM_TASKS_MOST */
	double files;	    /* live: descriptors that its channels keep open */
	double connections; /* live: of TCP, each with a port of the loopback device */
};

struct workload {
	const char *name;
	const char *summary;	    /* one line */
	const char *exercises;	    /* what of the scheduler, one line */
	int version;		    /* raised when its numbers stop being comparable */
	const struct param *params; /* ends with name == NULL */
	const struct workload_metric
		*metrics; /* ends with desc.name == NULL; the first is the main one */
	/*
	 * Which of the parameters (PARAM_COUNT) set how much work there is, separated by a blank; a
	 * plan's `load` stands for the first, or the one that its `load-by` names. NULL: none.
	 */
	const char *load;
	bool ends; /* a trial ends when its work is done: the runtime is the most that it may take */
	unsigned needs;			    /* enum task_needs */
	const struct program_desc *program; /* of others (workload/program.h); NULL: our own */
	const char *unsupported; /* why backends that lack `needs` cannot run it, one clause */

	/*
	 * describes the team; memory may come from team_shared(). Errors fail the trial. NULL for
	 * programs of others, whose description says it all
	 */
	struct error *(*setup)(struct team *team, const struct params *params);
	/* optional: computes METRIC_COMPUTED metrics and checks; runs where setup() ran */
	struct error *(*finish)(struct team *team, const struct params *params,
				const struct team_report *report, struct trial *trial);
	/* optional: which of `needs` these parameters require, for workloads with modes */
	unsigned (*needs_of)(const struct params *params);
	/*
	 * optional: what cannot be run as written and only the workload can see, such as a file that a
	 * parameter names, or parameters that do not go together; called when a plan is expanded, before anything runs
	 * Errors: with the place in that file, or without one: then they get the case's.
	 */
	struct error *(*check)(const struct params *params, hwloc_const_bitmap_t cpus);
	/*
	 * optional: bytes of memory that all workers together take on these CPUs, so that a plan that
	 * asks for more than there is can be refused. Errors: ERR_INPUT without a place, for
	 * parameters that the machine has no answer for.
	 */
	struct error *(*memory)(const struct machine *machine, hwloc_const_bitmap_t cpus,
				const struct params *params, uint64_t *bytes);
	/*
	 * optional: what is accepted and has no effect here, to be said before anything runs; a new
	 * string, or NULL
	 */
	char *(*note)(const struct params *params);
	/* optional: where tasks are not the value of the first of `load`; counted in doubles, which do not wrap */
	struct workload_demand (*demand)(const struct params *params, hwloc_const_bitmap_t cpus);
};

/* workload_demand - 0 tasks for programs of others, and where the tasks are not known before */
struct workload_demand workload_demand(const struct workload *workload, const struct params *params,
				       hwloc_const_bitmap_t cpus);

/*
 * workload_has_metric - is a metric of that name the workload's own? Quantiles of a histogram are
 */
bool workload_has_metric(const struct workload *workload, const char *name);

/* workload_find - by name, or NULL; workload_all - ends with NULL */
const struct workload *workload_find(const char *name);
const struct workload *const *workload_all(void);

/* workload_setup - describes the team of a trial: by workload.setup, or by the description of a program */
struct error *workload_setup(const struct workload *workload, struct team *team,
			     const struct params *params);

/*
 * workload_report - turns a team's report into the metrics of a trial: the workload's own, then
 * the common ones of every worker (worker_metrics: cpu_time, run_delay, migrations, switches,
 * start_skew), each with its per-worker values
 */
struct error *workload_report(const struct workload *workload, struct team *team,
			      const struct params *params, const struct team_report *report,
			      struct trial *trial);

#endif
