/* SPDX-License-Identifier: GPL-2.0-only */
/* Wanted before 6.12. */
#ifndef KSCHED_ASM_MMZONE_H
#define KSCHED_ASM_MMZONE_H

extern struct pglist_data *node_data[];

#define NODE_DATA(nid) (node_data[nid])

#endif
