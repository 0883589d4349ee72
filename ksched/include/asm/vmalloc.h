/* SPDX-License-Identifier: GPL-2.0-only */
/* No vmalloc areas: the allocators are the C library's. */
