/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * format.h - printf as the kernel has it
 */
#ifndef KSCHED_STUB_FORMAT_H
#define KSCHED_STUB_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * ks_vformat - like vsnprintf(), and the kernel's %pX forms that the scheduler prints
 * Knows %*pb and %*pbl (bitmaps), %pV, %p, %px, %pK (numbers), %ps, %pS, %pB (addresses). Others trap: a
 * pointer printed as something it is not would mislead.
 */
int ks_vformat(char *buf, size_t size, const char *format, va_list args)
	__attribute__((visibility("hidden")));

#endif
