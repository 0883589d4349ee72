/* SPDX-License-Identifier: GPL-2.0-only */
/* list_ready.h - what comes with the program and can be named in a command or a plan */
#ifndef FT_CMD_LIST_READY_H
#define FT_CMD_LIST_READY_H

/* list_plans - the names of ready plans, one a line */
void list_plans(void);

/* list_workloads - each workload with its summary and what of the scheduler it exercises */
void list_workloads(void);

#endif
