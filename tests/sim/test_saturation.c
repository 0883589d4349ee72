// SPDX-License-Identifier: GPL-2.0-only
/* The search for the load at which a machine is full, on simulated machines where the answer is known. */
#include "simulation.h"

#include <sys/wait.h>
#include <unistd.h>

#include "backend/saturation.h"

/* 3 ms asleep, 1 ms of computing (a unit takes 1 us): a quarter of a CPU each */
static void quarter(struct task *task, void *data)
{
	struct compute *compute = task_compute_new(task, COMPUTE_INT128, 0);

	(void)data;
	while (task_running(task)) {
		task_compute(task, compute, 1000, 0);
		if (!task_sleep(task, 3000000))
			break;
	}
	task_compute_free(task, compute);
}

static double throughput_of(const struct team_report *report)
{
	double units = 0;

	for (int i = 0; i < report->n_workers; i++)
		units += report->workers[i].counters[0];
	return units;
}

/* a kernel is booted once a process, so each trial is one; negative: there is no kernel */
static double trial(task_body body, int64_t workers)
{
	struct simulation simulation;
	double throughput = -1;
	int ends[2];
	pid_t child;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (!child) {
		struct worker_spec spec = { .body = body, .process = -1, .spins = true };

		if (simulation_open("silent-2",
				    &(struct sim_options){ .runtime_ns = second,
							   .warmup_ns = second / 10,
							   .stop_limit_ns = second,
							   .seed = 5 },
				    &simulation)) {
			for (int64_t i = 0; i < workers; i++)
				team_add(simulation.team, &spec);
			simulation_run(&simulation);
			throughput = throughput_of(&simulation.report);
		}
		_exit(write(ends[1], &throughput, sizeof(throughput)) != sizeof(throughput));
	}
	ck_assert_int_eq(read(ends[0], &throughput, sizeof(throughput)), sizeof(throughput));
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	return throughput;
}

static struct error *measure(int64_t load, int number, void *body, double *throughput)
{
	(void)number;
	*throughput = trial(*(task_body *)body, load);
	return NULL;
}

static int64_t saturation_with(task_body body)
{
	const struct saturation_range range = { 1, 1, 1024, false };
	struct saturation found;
	int64_t load;

	if (trial(body, 1) < 0)
		return 0;
	ck_no_error(saturation_search(&range, measure, &body, &found));
	load = found.load;
	saturation_clear(&found);
	return load;
}

START_TEST(computing_workers_fill_a_machine_when_there_is_one_a_cpu)
{
	int64_t load = saturation_with(hog);

	ck_assert(!load || load == 2);
}
END_TEST

START_TEST(workers_that_sleep_three_quarters_fill_it_when_there_are_four_a_cpu)
{
	int64_t load = saturation_with(quarter);

	ck_assert_msg(!load || (load >= 8 && load <= 9), "%ld", (long)load);
}
END_TEST

UNIT_TESTS("saturation in the simulator", computing_workers_fill_a_machine_when_there_is_one_a_cpu,
	   workers_that_sleep_three_quarters_fill_it_when_there_are_four_a_cpu)
