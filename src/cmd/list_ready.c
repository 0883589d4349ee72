// SPDX-License-Identifier: GPL-2.0-only
/* list_ready.c - `fairtrial list --plans` and `--workloads`: what comes with the program */
#include "cmd/list_ready.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/ready.h"
#include "base/text.h"
#include "report/format.h"
#include "workload/workload.h"

#define NAME_WIDTH 12

void list_plans(void)
{
	int n;
	char **names = ready_names("plans", ".plan", &n);

	for (int i = 0; i < n; i++)
		puts(names[i]);
	text_split_free(names, n);
}

void list_workloads(void)
{
	for (const struct workload *const *at = workload_all(); *at; at++) {
		autofree char *exercises = memory_format("exercises %s", (*at)->exercises);

		printf("%-*s ", NAME_WIDTH, (*at)->name);
		print_wrapped(stdout, (*at)->summary, NAME_WIDTH + 1, NAME_WIDTH + 1);
		printf("%*s", NAME_WIDTH + 1, "");
		print_wrapped(stdout, exercises, NAME_WIDTH + 1, NAME_WIDTH + 1);
	}
}
