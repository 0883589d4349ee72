// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void is_bad_input(struct error *error)
{
	if (error && error->code != ERR_INPUT)
		abort();
	error_free(error);
}

/* the tables of a perf.data or trace.dat, whatever they say: whole, or bad input */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_source source = { .name = "fuzz", .size = size };

	source.fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (source.fd < 0 || write(source.fd, data, size) != (ssize_t)size)
		abort();
	is_bad_input(event_check_perf(&source));
	is_bad_input(event_check_trace_dat(&source));
	close(source.fd);
	return 0;
}
