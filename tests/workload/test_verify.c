// SPDX-License-Identifier: GPL-2.0-only
/* Wrong results fail a trial: workloads on a backend that gives the results that a test wants. */
#include "unit.h"

#include <math.h>

#include "task/team.h"
#include "workload/workload.h"

#define MOST 8

struct fake_task {
	struct task base;
	struct fake *fake;
};

struct fake {
	struct team team;
	struct worker_spec specs[MOST];
	int n;
	bool executes;
	struct compute_result result; /* of every worker */
	char *failure;
	uint64_t clock;
	struct worker_report reports[MOST];
	void *shared[2 * MOST];
	int n_shared;
};

static struct fake *of_task(struct task *task)
{
	return ((struct fake_task *)task)->fake;
}

static bool yes(struct task *task)
{
	(void)task;
	return true;
}

static uint64_t next_clock(struct task *task)
{
	return of_task(task)->clock += 1000000;
}

static void take_failure(struct task *task, const char *reason)
{
	free(of_task(task)->failure);
	of_task(task)->failure = memory_string(reason);
}

/* a compute is its backend */
static struct compute *compute_of(struct task *task, enum compute_method method, size_t bytes)
{
	(void)method;
	(void)bytes;
	return (struct compute *)of_task(task);
}

static void no_free(struct task *task, struct compute *compute)
{
	(void)task;
	(void)compute;
}

static void no_compute(struct task *task, struct compute *compute, uint64_t units, int counter)
{
	(void)task;
	(void)compute;
	(void)units;
	(void)counter;
}

static void no_seek(struct compute *compute, uint64_t unit)
{
	(void)compute;
	(void)unit;
}

static bool result_of(const struct compute *compute, struct compute_result *out)
{
	const struct fake *fake = (const struct fake *)compute;

	*out = fake->executes ? fake->result : (struct compute_result){ 0 };
	return fake->executes;
}

static void *shared(struct team *team, size_t size)
{
	struct fake *fake = (struct fake *)team;

	ck_assert_int_lt(fake->n_shared, 2 * MOST);
	return fake->shared[fake->n_shared++] = memory_zeroed(1, size);
}

static void add(struct team *team, const struct worker_spec *spec)
{
	struct fake *fake = (struct fake *)team;

	ck_assert_int_lt(fake->n, MOST);
	fake->specs[fake->n++] = *spec;
}

static const struct task_ops fake_ops = {
	.running = yes,
	.measured = yes,
	.clock = next_clock,
	.fail = take_failure,
	.compute_new = compute_of,
	.compute_free = no_free,
	.compute = no_compute,
	.compute_seek = no_seek,
	.compute_result = result_of,
	.shared = shared,
	.add = add,
};

/* two workers of a workload that get @result each; what finish() says */
static struct error *play(struct fake *fake, const char *name, struct trial *trial)
{
	const struct workload *workload = workload_find(name);
	struct team_report report = { .workers = fake->reports, .n_workers = 2, .seconds = 1 };
	struct params params = { 0 };
	struct error *error;

	for (const struct param *param = workload->params; param->name; param++) {
		struct param_value *value = array_append(params.values, params.n);

		value->param = param;
		value->text = memory_string("");
		if (!strcmp(param->name, "workers"))
			value->number = 2;
	}
	fake->team.ops = &fake_ops;
	ck_no_error(workload->setup(&fake->team, &params));
	ck_assert_int_eq(fake->n, 2);
	for (int i = 0; i < fake->n; i++) {
		struct fake_task task = { { &fake_ops }, fake };

		if (fake->specs[i].prepare)
			fake->specs[i].prepare(&task.base, fake->specs[i].data);
		fake->specs[i].body(&task.base, fake->specs[i].data);
	}
	error = workload->finish(&fake->team, &params, &report, trial);
	params_clear(&params);
	for (int i = 0; i < fake->n_shared; i++)
		free(fake->shared[i]);
	fake->n_shared = 0;
	return error;
}

/* the published sums of class S (the parameter's first word), half by each of two workers */
static struct compute_result half_of_class_s(void)
{
	return (struct compute_result){ .units = 128,
					.sum_x = -3.247834652034740e3 / 2,
					.sum_y = -6.958407078382297e3 / 2 };
}

START_TEST(ep_with_the_published_sums_is_verified)
{
	struct fake fake = { .executes = true, .result = half_of_class_s() };
	struct trial trial = { 0 };

	ck_no_error(play(&fake, "ep", &trial));
	ck_assert(trial_metric(&trial, "verified")->value == 1);
	ck_assert_ptr_null(fake.failure);
	trial_clear(&trial);
}
END_TEST

static void check_ep_refused(struct compute_result result)
{
	struct fake fake = { .executes = true, .result = result };
	struct trial trial = { 0 };
	struct error *error = play(&fake, "ep", &trial);

	ck_assert_ptr_nonnull(error);
	ck_assert(strstr(error->message, "verification failed") != NULL);
	ck_assert_int_eq(trial.n_metrics, 0);
	error_free(error);
	trial_clear(&trial);
}

START_TEST(ep_fails_when_either_sum_is_off_by_more_than_the_tolerance)
{
	struct compute_result result = half_of_class_s();

	result.sum_x *= 1 + 3e-8;
	check_ep_refused(result);
	result = half_of_class_s();
	result.sum_y *= 1 - 3e-8;
	check_ep_refused(result);
	result.sum_y = NAN;
	check_ep_refused(result);
}
END_TEST

START_TEST(ep_that_was_not_calculated_is_not_called_verified)
{
	struct fake fake = { .executes = false };
	struct trial trial = { 0 };

	ck_no_error(play(&fake, "ep", &trial));
	ck_assert(isnan(trial_metric(&trial, "verified")->value));
	ck_assert(strstr(trial_metric(&trial, "verified")->unavailable, "not verified") != NULL);
	trial_clear(&trial);
}
END_TEST

START_TEST(core_with_a_wrong_checksum_fails_the_trial)
{
	struct fake fake = { .executes = true, .result = { .units = 1000, .wrong = 1 } };
	struct trial trial = { 0 };

	ck_no_error(play(&fake, "core", &trial));
	ck_assert_str_eq(fake.failure, "1 of 1000 blocks have a wrong checksum");
	trial_clear(&trial);
	free(fake.failure);
}
END_TEST

START_TEST(core_counts_what_was_verified_and_says_when_nothing_was)
{
	struct fake fake = { .executes = true, .result = { .units = 1000 } };
	struct fake simulated = { .executes = false };
	struct trial trial = { 0 };

	ck_no_error(play(&fake, "core", &trial));
	ck_assert_ptr_null(fake.failure);
	ck_assert(trial_metric(&trial, "verified")->value == 2000);
	trial_clear(&trial);
	ck_no_error(play(&simulated, "core", &trial));
	ck_assert(isnan(trial_metric(&trial, "verified")->value));
	trial_clear(&trial);
}
END_TEST

UNIT_TESTS("verify", ep_with_the_published_sums_is_verified,
	   ep_fails_when_either_sum_is_off_by_more_than_the_tolerance,
	   ep_that_was_not_calculated_is_not_called_verified,
	   core_with_a_wrong_checksum_fails_the_trial,
	   core_counts_what_was_verified_and_says_when_nothing_was)
