// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload/workload.h"

static const struct param workers = { "workers", PARAM_COUNT };
static const struct param method = { "method", PARAM_CHOICE, .choices = "int128 double" };

static struct params two_params(void)
{
	struct params params = { .values = memory_zeroed(2, sizeof(struct param_value)), .n = 2 };

	params.values[0] = (struct param_value){ &workers, 7, memory_string("7") };
	params.values[1] = (struct param_value){ &method, 1, memory_string("double") };
	return params;
}

START_TEST(values_are_found_by_name)
{
	struct params params = two_params();

	ck_assert_int_eq(params_number(&params, "workers"), 7);
	ck_assert_int_eq(params_number(&params, "method"), 1);
	ck_assert_str_eq(params_text(&params, "method"), "double");
	params_clear(&params);
	ck_assert_int_eq(params.n, 0);
	ck_assert_ptr_null(params.values);
}
END_TEST

START_TEST(asking_for_an_unknown_name_aborts)
{
	struct params params = two_params();
	int status = 0;
	pid_t child = fork();

	if (!child) {
		if (freopen("/dev/null", "w", stderr))
			params_number(&params, "wokers");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	params_clear(&params);
}
END_TEST

START_TEST(registry_finds_each_of_its_workloads_and_nothing_else)
{
	for (const struct workload *const *at = workload_all(); *at; at++)
		ck_assert_ptr_eq(workload_find((*at)->name), *at);
	ck_assert_ptr_null(workload_find("no such workload"));
	ck_assert_ptr_null(workload_find(""));
}
END_TEST

UNIT_TESTS("params", values_are_found_by_name, asking_for_an_unknown_name_aborts,
	   registry_finds_each_of_its_workloads_and_nothing_else)
