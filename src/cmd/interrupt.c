// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/interrupt.h"

#include <stddef.h>

#include "base/memory.h"
#include "base/output.h"

/* the only state that a signal handler can reach */
static volatile sig_atomic_t interrupted;

/* the process ends by the signal, as it would without us */
static void on_end(int number)
{
	output_remove_unfinished();
	raise(number);
}

static void end_by(int number)
{
	struct sigaction action = { .sa_handler = on_end, .sa_flags = SA_RESETHAND };

	sigaction(number, &action, NULL);
}

void interrupt_clean_up(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct sigaction old;

		/* ignored by who started us, as by nohup: it stays so */
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
			end_by(numbers[i]);
	}
}

static void on_signal(int number)
{
	interrupted = 1;
	end_by(number);
}

const volatile sig_atomic_t *interrupt_flag(void)
{
	return &interrupted;
}

void interrupt_catch(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaction(numbers[i], &action, NULL);
}
