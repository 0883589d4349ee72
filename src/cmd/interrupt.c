// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/interrupt.h"

#include <stddef.h>

#include "base/memory.h"

/* the only state that a signal handler can reach */
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

const volatile sig_atomic_t *interrupt_flag(void)
{
	return &interrupted;
}

void interrupt_catch(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaction(numbers[i], &action, NULL);
}
