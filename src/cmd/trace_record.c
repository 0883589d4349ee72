// SPDX-License-Identifier: GPL-2.0-only
/* trace_record.c - `fairtrial trace record`: this machine for a time or a command, or a plan's trial */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/process.h"
#include "backend/session.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cmd/interrupt.h"
#include "cmd/trace.h"
#include "events/file.h"
#include "events/live.h"

/* what a recording that is killed may lose */
#define KEEP_INTERVAL_NS 10000000000

/* before a file is made for it */
static struct error *check_command(const struct arguments *arguments)
{
	autofree char *program = NULL;

	if (option_given(arguments, "trial") || arguments->n_words < 2)
		return NULL;
	program = subprocess_find(arguments->words[1]);
	return program ? NULL
		       : error_new(ERR_INPUT, "trace record: there is no program '%s' to run",
				   arguments->words[1]);
}

/* what --buffer, --cpus and --no-idle ask for */
static struct error *read_options(const struct arguments *arguments, hwloc_bitmap_t cpus,
				  struct event_live_options *out)
{
	const char *buffer = option_value(arguments, "buffer", NULL);
	const char *list = option_value(arguments, "cpus", NULL);
	struct error *error = NULL;

	out->without_idle = option_given(arguments, "no-idle");
	if (buffer)
		error = text_size(buffer, &out->buffer_bytes);
	if (!error && buffer && (out->buffer_bytes < 8192 || out->buffer_bytes > 1ull << 32))
		error = error_new(ERR_INPUT, "'%s': from 8K to 4G are accepted", buffer);
	error = error_prefix(error, "--buffer");
	if (!error && list) {
		error = error_prefix(cpulist_parse(list, cpus), "--cpus");
		if (!error && hwloc_bitmap_last(cpus) >= sysconf(_SC_NPROCESSORS_CONF))
			error = error_new(ERR_INPUT, "--cpus: '%s': this machine has CPUs 0 to %ld",
					  list, sysconf(_SC_NPROCESSORS_CONF) - 1);
		out->cpus = cpus;
	}
	return error;
}

/* ---- this machine ---- */

/* A command that is started, and waits until it is let go. */
struct command {
	pid_t pid; /* 0: none */
	int gate;  /* a byte lets it go, the end of the stream ends it; 0: it is let go */
};

/*
 * The command in a process; its standard streams are ours. It is made before tracefs may be mounted, which
 * takes this process into a mount namespace of its own: what the command mounts is not to vanish in that.
 */
static struct error *start_command(const char *const *argv, struct command *command)
{
	int ends[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return error_errno("cannot make a pair of sockets");
	command->pid = fork();
	if (!command->pid) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1)
			_exit(127);
		execvp(argv[0], (char *const *)argv);
		fprintf(stderr, "fairtrial: cannot run %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(ends[0]);
	command->gate = ends[1];
	if (command->pid > 0)
		return NULL;
	command->pid = 0;
	close(command->gate);
	return error_errno("cannot start %s", argv[0]);
}

/* @run: it begins; otherwise it ends before it has begun */
static void let_go(struct command *command, bool run)
{
	if (!command->gate)
		return;
	/* one that was killed meanwhile does not matter here: it is waited for as others */
	if (run)
		send(command->gate, "", 1, MSG_NOSIGNAL);
	close(command->gate);
	command->gate = 0;
	if (!run)
		waitpid(command->pid, NULL, 0);
}

#define SECONDS_TO_END 5.0

/* asks the command to end, and kills one that does not */
static void end_command(pid_t pid, int *status)
{
	double end = clock_seconds() + SECONDS_TO_END;
	struct timespec nap = { 0, 20000000 };

	kill(pid, SIGTERM);
	while (waitpid(pid, status, WNOHANG) != pid) {
		if (clock_seconds() >= end)
			kill(pid, SIGKILL);
		nanosleep(&nap, NULL);
	}
}

static void wait_for(pid_t pid, double seconds, int *status)
{
	double end = clock_seconds() + seconds;

	while (!*interrupt_flag()) {
		struct timespec nap = { 0, 20000000 };

		if (pid && waitpid(pid, status, WNOHANG) == pid)
			return;
		if (clock_seconds() >= end)
			break;
		nanosleep(&nap, NULL);
	}
	if (pid)
		end_command(pid, status);
}

static void record_while(const struct arguments *arguments, double seconds, struct command *command,
			 struct event_live *live)
{
	int status = 0;

	event_live_mark(live, EVENT_MARK_BEGIN, &command->pid, command->pid ? 1 : 0,
			command->pid ? arguments->words[1] : NULL);
	let_go(command, true);
	wait_for(command->pid, seconds, &status);
	event_live_mark(live, EVENT_MARK_END, NULL, 0, NULL);
	event_live_stop(live);
	if (WIFSIGNALED(status) && !*interrupt_flag())
		fprintf(stderr, "fairtrial: %s was killed by signal %d (%s)\n", arguments->words[1],
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		fprintf(stderr, "fairtrial: %s ended with status %d\n", arguments->words[1],
			WEXITSTATUS(status));
}

static void say_cost(const struct event_live_cost *cost, const char *path)
{
	fprintf(stderr,
		"fairtrial: %.1f s recorded in %s: %.1f MiB read, with %.2f %% of a CPU meanwhile\n",
		cost->seconds, path, (double)cost->bytes / (1 << 20),
		cost->seconds > 0 ? 100 * cost->reader_seconds / cost->seconds : 0);
	if (cost->decode_seconds > 0)
		fprintf(stderr, "fairtrial: of these %.2f s went into decoding\n",
			cost->decode_seconds);
}

static struct error *record_here(const struct arguments *arguments, double seconds,
				 struct event_live_options *options, struct command *command)
{
	struct output *output;
	struct event_live_cost cost;
	struct event_live *live = NULL;
	struct event_sink *writer;
	struct machine *machine;
	struct error *error = event_live_check();

	if (!error)
		error = machine_open(option_value(arguments, "machine", NULL), &machine);
	if (error)
		return error;
	error = trace_output(arguments, true, &output);
	if (error) {
		machine_close(machine);
		return error;
	}
	options->machine = machine;
	options->interval_ns = KEEP_INTERVAL_NS;
	writer = event_writer_new(output_fd(output), output_name(output));
	interrupt_catch();
	error = event_live_start(options, writer, &live);
	if (!error)
		error = event_live_read(live);
	if (!error) {
		record_while(arguments, seconds, command, live);
		error = event_live_finish(live, &cost);
	}
	event_live_free(live);
	event_sink_free(writer);
	machine_close(machine);
	error = output_close(output, error);
	if (!error)
		say_cost(&cost, option_value(arguments, "output", NULL));
	return error;
}

static struct error *record_live(const struct arguments *arguments, double seconds,
				 struct event_live_options *options)
{
	struct command command = { 0 };
	struct error *error = NULL;

	if (arguments->n_words > 1)
		error = start_command(arguments->words + 1, &command);
	if (!error)
		error = record_here(arguments, seconds, options, &command);
	let_go(&command, false);
	return error;
}

/* ---- a trial of a plan ---- */

struct choice {
	int step;
	const struct case_instance *instance;
};

/* the first trial of the plan that is of the asked case, variant and block */
static struct error *choose(const struct arguments *arguments, const struct session *session,
			    struct choice *out)
{
	const char *instance = option_value(arguments, "case", NULL);
	const char *variant = option_value(arguments, "variant", NULL);
	struct error *error;
	long block;

	error = option_integer(arguments, "block", 0, 99999, 0, &block);
	if (error)
		return error;
	/* the order of variants is drawn: without a name it is the first of the file */
	if (!variant)
		variant = session->plan->variants[0].name;
	if (!instance)
		instance = session->cases[0].name;
	for (int i = 0; i < session->n_steps; i++) {
		const struct plan_step *step = &session->steps[i];

		if (step->block != block ||
		    strcmp(session->cases[step->case_index].name, instance) != 0 ||
		    strcmp(session->plan->variants[step->variant_index].name, variant) != 0)
			continue;
		*out = (struct choice){ i, &session->cases[step->case_index] };
		return NULL;
	}
	return error_new(ERR_INPUT,
			 "the plan has no trial of case '%s', variant '%s', block %ld; fairtrial "
			 "run --dry-run shows which there are",
			 instance, variant, block);
}

static struct error *run_step(const struct arguments *arguments, struct session *session,
			      const struct choice *choice, const struct event_live_options *options)
{
	const struct plan_step *step = &session->steps[choice->step];
	const struct backend *backend = session->backends[step->variant_index];
	struct trial_order order = {
		.plan = session->plan,
		.instance = choice->instance,
		.variant = &session->plan->variants[step->variant_index],
		.machine = choice->instance->machine,
		.kernel = session_kernel(session, step->variant_index),
		.seed = step->seed,
		.block = step->block,
		.interrupted = interrupt_flag(),
		.events_file = option_value(arguments, "output", NULL),
		.events_force = option_given(arguments, "force"),
		.events_buffer = options->buffer_bytes,
		.events_without_idle = options->without_idle,
	};
	struct trial trial = { 0 };
	struct trial_process *process;
	struct error *error = backend->start(&order, &process);

	if (error)
		return error;
	while (!trial_process_ended(process) && !*interrupt_flag())
		trial_process_poll(&process, 1, 200);
	if (*interrupt_flag())
		trial_process_stop(process);
	error = backend->finish(process, &trial);
	if (!error && trial.status == TRIAL_FAILED)
		error = error_new(ERR_INPUT, "the trial failed: %s", trial.reason);
	if (!error)
		fprintf(stderr, "fairtrial: %s, variant %s, block %d recorded in %s\n",
			order.instance->name, order.variant->name, order.block, order.events_file);
	trial_clear(&trial);
	return error;
}

static struct error *record_trial(const struct arguments *arguments,
				  const struct event_live_options *options)
{
	int n_overrides;
	const char **overrides = option_values(arguments, "set", &n_overrides);
	struct session_options session_options = {
		.backend = option_value(arguments, "backend", NULL),
		.machine = option_value(arguments, "machine", NULL),
		.kernel = option_value(arguments, "kernel", NULL),
		.overrides = overrides,
		.n_overrides = n_overrides,
		.interrupted = interrupt_flag(),
	};
	struct session *session = NULL;
	struct plan *plan = NULL;
	struct choice choice;
	struct error *error = NULL;

	if (!option_given(arguments, "output"))
		error = error_new(ERR_USAGE, "trace record: --output FILE is needed");
	if (!error)
		error = plan_read(option_value(arguments, "trial", NULL), overrides, n_overrides,
				  &plan);
	if (!error)
		error = session_new(plan, &session_options, &session);
	if (!error)
		error = session_find_loads(session);
	if (!error)
		error = choose(arguments, session, &choice);
	interrupt_catch();
	if (!error)
		error = run_step(arguments, session, &choice, options);
	session_free(session);
	plan_free(plan);
	free(overrides);
	return error;
}

static struct error *check_usage(const struct arguments *arguments, double *seconds)
{
	static const char *const of_trial[] = { "case",	   "variant", "block",
						"backend", "kernel",  "set" };
	bool trial = option_given(arguments, "trial"), timed = option_given(arguments, "seconds");
	bool command = arguments->n_words > 1;
	struct error *error;

	if (trial + command == 2 || (trial && timed))
		return error_new(ERR_USAGE,
				 "trace record: --trial PLAN goes with neither --seconds nor a "
				 "command");
	if (!trial && !timed && !command)
		return error_new(ERR_USAGE, "trace record: give --trial PLAN, --seconds N or -- "
					    "COMMAND");
	if (trial && option_given(arguments, "cpus"))
		return error_new(ERR_USAGE,
				 "trace record: --cpus does not go with --trial: all CPUs "
				 "are recorded");
	if (command && !strcmp(option_value(arguments, "output", ""), "-"))
		return error_new(ERR_USAGE, "trace record: standard output is the command's; "
					    "--output FILE");
	for (size_t i = 0; i < ARRAY_SIZE(of_trial) && !trial; i++)
		if (option_given(arguments, of_trial[i]))
			return error_new(ERR_USAGE, "trace record: --%s needs --trial",
					 of_trial[i]);
	*seconds = INFINITY;
	if (!timed)
		return NULL;
	error = text_number(option_value(arguments, "seconds", NULL), seconds);
	if (!error && !(*seconds > 0 && *seconds <= 1e6))
		error = error_new(ERR_INPUT, "a time above 0 and up to 1000000 is accepted");
	return error_prefix(error, "--seconds");
}

struct error *trace_record(const struct arguments *arguments)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct event_live_options options = { 0 };
	double seconds;
	struct error *error = check_usage(arguments, &seconds);

	if (!error)
		error = check_command(arguments);
	if (!error)
		error = read_options(arguments, cpus, &options);
	if (!error)
		error = option_given(arguments, "trial")
				? record_trial(arguments, &options)
				: record_live(arguments, seconds, &options);
	hwloc_bitmap_free(cpus);
	return error;
}
