/* SPDX-License-Identifier: GPL-2.0-only */
/* For ksched.h inside kernel code. */
#ifndef KSCHED_STDDEF_H
#define KSCHED_STDDEF_H

#include <linux/stddef.h>
#include <linux/types.h>

#endif
