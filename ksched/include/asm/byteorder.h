/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_BYTEORDER_H
#define KSCHED_ASM_BYTEORDER_H

#include <linux/byteorder/little_endian.h>

#endif
