// SPDX-License-Identifier: GPL-2.0-only
/* main.c - finds the verb and dispatches; the one place that prints an error */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backend/setting.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/release.h"
#include "cmd/interrupt.h"
#include "cmd/verb.h"
#include "events/live.h"

#define LEAST_STACK (256 << 10) /* bytes */

static void help(void)
{
	puts("Usage: fairtrial VERB [OPTION]... [WORD]...\n"
	     "A laboratory for Linux CPU-scheduler regressions.\n\nVerbs:");
	for (const struct verb *const *verb = verb_all(); *verb; verb++)
		printf("  %-10s %s\n", (*verb)->name, (*verb)->summary);
	puts("\n'fairtrial VERB --help' lists the options of a verb; 'man fairtrial-VERB' tells more.");
}

static struct error *unknown_verb(const char *word)
{
	const char **names = NULL;
	const char *nearest;
	struct error *error;
	int n = 0;

	for (const struct verb *const *verb = verb_all(); *verb; verb++)
		*array_append(names, n) = (*verb)->name;
	*array_append(names, n) = NULL;
	nearest = text_nearest(word, names);
	free(names);
	if (nearest)
		error = error_new(ERR_USAGE, "unknown verb '%s'; did you mean %s?", word, nearest);
	else
		error = error_new(ERR_USAGE, "unknown verb '%s'; see fairtrial --help", word);
	return error;
}

/* settings and tracefs instances that a killed run left go away with whatever starts next */
static struct error *recover(const struct verb *verb)
{
	struct error *error = setting_recover();

	event_live_recover();
	if (!error || verb->changes_settings)
		return error;
	error_report(stderr, error);
	error_free(error);
	return NULL;
}

static struct error *run(int argc, char **argv, int *status)
{
	struct arguments arguments;
	const struct verb *verb;
	struct error *error;

	if (argc < 2)
		return error_new(ERR_USAGE, "a verb is needed; see fairtrial --help");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help();
		return NULL;
	}
	if (!strcmp(argv[1], "--version")) {
		autofree char *built_with = fairtrial_built_with();

		printf("fairtrial %s\nbuilt with %s\n", fairtrial_version(), built_with);
		return NULL;
	}
	verb = verb_find(argv[1]);
	if (!verb)
		return unknown_verb(argv[1]);
	error = arguments_read(verb, argc - 1, argv + 1, &arguments);
	if (error)
		return error;
	if (!arguments.help)
		error = recover(verb);
	if (!error && !arguments.help)
		error = verb->run(&arguments, status);
	arguments_clear(&arguments);
	return error;
}

/*
 * A standard descriptor that was closed would be given to the next file that is opened, and messages
 * would go there. Reading the input or writing the output fails as it would without this.
 */
static void occupy_standard_descriptors(void)
{
	static const int flags[] = { O_WRONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) < 0)
			return;
}

/* with less, the kernel would end us by SIGSEGV in the middle of a run, without a word */
static struct error *check_stack(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= LEAST_STACK)
		return NULL;
	return error_new(ERR_UNAVAILABLE,
			 "the limit of the stack is %llu KiB, at least %d are needed (ulimit -s)",
			 (unsigned long long)limit.rlim_cur >> 10, LEAST_STACK >> 10);
}

int main(int argc, char **argv)
{
	int status = EXIT_SUCCESS;
	struct error *error;

	occupy_standard_descriptors();
	interrupt_clean_up();
	signal(SIGXFSZ, SIG_IGN); /* above ulimit -f, writing is an error that says so */
	error = check_stack();
	if (!error)
		error = run(argc, argv, &status);

	if (!error && (fflush(stdout) || ferror(stdout)))
		error = error_errno("cannot write the output");
	if (error) {
		fflush(stdout);
		signal(SIGPIPE, SIG_IGN); /* the status counts where nobody reads the message */
		error_report(stderr, error);
		status = error_exit_status(error);
		error_free(error);
	}
	return status;
}
