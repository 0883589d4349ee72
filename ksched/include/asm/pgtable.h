/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_PGTABLE_H
#define KSCHED_ASM_PGTABLE_H

/* Without CONFIG_MMU the page-table headers ask for nearly nothing. */
#include <asm-generic/pgtable-nopmd.h>

#define swapper_pg_dir	 ((pgd_t *)0)
#define ZERO_PAGE(vaddr) ((struct page *)0)
#define VMALLOC_START	 0UL
#define VMALLOC_END	 (~0UL)
#define KMALLOC_START	 0UL

#endif
