/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_ELF_H
#define KSCHED_ASM_ELF_H

/* No program is loaded; linux/elf.h only wants the class. */
#define ELF_CLASS ELFCLASS64
#define ELF_DATA  ELFDATA2LSB
#define ELF_ARCH  EM_NONE

#endif
