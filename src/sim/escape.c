// SPDX-License-Identifier: GPL-2.0-only
#include "sim/escape.h"

#include <pthread.h>
#include <stddef.h>

/* Of AddressSanitizer, in builds with it. */
void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size)
	__attribute__((weak));
void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size)
	__attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *at, size_t size) __attribute__((weak));

/* lowest address and length of this thread's own stack; false if that cannot be told */
static int own_stack(void **low, size_t *size)
{
	pthread_attr_t attributes;
	int found;

	if (pthread_getattr_np(pthread_self(), &attributes))
		return 0;
	found = !pthread_attr_getstack(&attributes, low, size);
	pthread_attr_destroy(&attributes);
	return found;
}

void escape_to(jmp_buf place)
{
	void *low;
	size_t size;

	if (__sanitizer_start_switch_fiber && own_stack(&low, &size))
		__sanitizer_start_switch_fiber(NULL, low, size);
	longjmp(place, 1);
}

void escape_arrived(void)
{
	char *here = __builtin_frame_address(0), *bottom;
	void *low;
	size_t size;

	if (!__sanitizer_finish_switch_fiber || !own_stack(&low, &size))
		return;
	__sanitizer_finish_switch_fiber(NULL, NULL, NULL);
	/* the frames that were jumped over; a stack that may grow without end is not so deep */
	bottom = low;
	if (here - bottom > 1 << 20)
		bottom = here - (1 << 20);
	__asan_unpoison_memory_region(bottom, (size_t)(here - bottom));
}
