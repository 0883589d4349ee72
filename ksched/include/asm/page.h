/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_PAGE_H
#define KSCHED_ASM_PAGE_H

#define PAGE_SHIFT  12
#define PAGE_SIZE   (1UL << PAGE_SHIFT)
#define PAGE_MASK   (~(PAGE_SIZE - 1))
#define PAGE_OFFSET 0UL

#ifndef __ASSEMBLY__
typedef struct {
	unsigned long pte;
} pte_t;
typedef struct {
	unsigned long pgd;
} pgd_t;
typedef struct {
	unsigned long pgprot;
} pgprot_t;
typedef struct page *pgtable_t;

#define pte_val(x)    ((x).pte)
#define pgd_val(x)    ((x).pgd)
#define pgprot_val(x) ((x).pgprot)
#define __pte(x)      ((pte_t){ (x) })
#define __pgd(x)      ((pgd_t){ (x) })
#define __pgprot(x)   ((pgprot_t){ (x) })

/* There is no struct page behind any address: the allocators are the C library's. */
#define __pa(x)		      ((unsigned long)(x))
#define __va(x)		      ((void *)(unsigned long)(x))
#define virt_to_page(addr)    ((struct page *)(addr))
#define page_to_virt(page)    ((void *)(page))
#define virt_to_pfn(kaddr)    (__pa(kaddr) >> PAGE_SHIFT)
#define pfn_to_virt(pfn)      __va((pfn) << PAGE_SHIFT)
#define virt_addr_valid(addr) (1)
#define clear_page(p)	      __builtin_memset((p), 0, PAGE_SIZE)
#define copy_page(to, from)   __builtin_memcpy((to), (from), PAGE_SIZE)
#endif

#include <asm-generic/memory_model.h>
#include <asm-generic/getorder.h>

#endif
