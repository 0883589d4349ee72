/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For ksched.h inside kernel code: the kernel has its own names of the C99 types. uint64_t is
 * unsigned long long there and unsigned long in the C library, which is the same on a call.
 */
#ifndef KSCHED_STDINT_H
#define KSCHED_STDINT_H

#include <linux/types.h>

#ifndef UINT64_MAX
#define UINT64_MAX (~0ULL)
#endif

#endif
