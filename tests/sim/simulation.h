/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * simulation.h - a trial in the simulator from a test: workers added by hand, on a machine of
 * tests/sim/data, under the kernel FT_TEST_KERNEL, else the library FT_TEST_LIBRARY, which
 * tests/ksched builds, else the kernel called 6.12
 */
#ifndef FT_TESTS_SIMULATION_H
#define FT_TESTS_SIMULATION_H

#include "unit.h"

#include <unistd.h>

#include "backend/sim_kernel.h"
#include "sim/sim.h"

struct simulation {
	struct sim *sim;
	struct team *team;
	struct team_report report;
};

static const uint64_t second = 1000000000;

/* false when there is no kernel to test with, which the message says */
static inline bool simulation_open(const char *machine_name, const struct sim_options *options,
				   struct simulation *out)
{
	autofree char *data = memory_format("sim/data/%s.machine", machine_name);
	autofree char *path = test_data(data);
	const char *name = getenv("FT_TEST_KERNEL"), *library = getenv("FT_TEST_LIBRARY");
	struct sim_kernel *kernel;
	struct sim_model *model;
	struct machine *machine;
	struct error *error;

	if (!name)
		name = library && !access(library, R_OK) ? library : "6.12";
	error = sim_kernel_find(name, &kernel);
	/* a kernel that is asked for must be there */
	if (getenv("FT_TEST_KERNEL"))
		ck_no_error(error);
	if (error) {
		fprintf(stderr, "skipped: %s\n", error->message);
		error_free(error);
		return false;
	}
	ck_no_error(machine_open(path, &machine));
	ck_no_error(model_read(machine, &model));
	ck_no_error(sim_boot(machine, model, kernel->library, false, &out->sim));
	sim_kernel_free(kernel);
	out->team = sim_team_new(out->sim, options);
	return true;
}

static inline void simulation_run(struct simulation *simulation)
{
	ck_no_error(sim_team_run(simulation->team, &simulation->report));
	ck_assert_msg(!simulation->report.failure, "%s", simulation->report.failure);
}

static inline double cpu_of(const struct simulation *simulation, int worker)
{
	return simulation->report.workers[worker].cpu_seconds;
}

/* a worker that computes until the end */
static inline void hog(struct task *task, void *data)
{
	struct compute *compute = task_compute_new(task, COMPUTE_INT128, 0);

	(void)data;
	task_compute(task, compute, UINT64_MAX, 0);
	task_compute_free(task, compute);
}

static inline void add_hogs(struct simulation *simulation, int n, int process, bool session)
{
	struct worker_spec spec = {
		.body = hog, .process = process, .session = session, .spins = true
	};

	for (int i = 0; i < n; i++)
		team_add(simulation->team, &spec);
}

#endif
