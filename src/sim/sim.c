// SPDX-License-Identifier: GPL-2.0-only
/* Booting a machine, and the kernel's callbacks. */
#include "sim/sim.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "sim/escape.h"
#include "sim/team.h"

#define BOOT_SEED 1 /* of the kernel's random numbers while it boots; each trial seeds anew */

static void on_warning(void *self, const char *text)
{
	engine_fail(self, "the kernel warned: %s", text);
}

static void on_event(void *self, const struct ksched_event *event)
{
	const struct sim_options *options = &((struct sim *)self)->team->options;

	options->event(options->event_data, event);
}

static void on_trap(void *self, const char *name)
{
	struct sim *sim = self;

	engine_fail(sim, "the kernel called %s, which is not modelled", name);
	escape_to(sim->escape); /* what is on the task's stack is lost with the trial */
}

static void on_task_free(void *self, struct ksched_task *kernel)
{
	((struct sim *)self)->tasks_freed++;
	if (kernel->data)
		child_freed((struct sim_task *)((char *)kernel->data -
						offsetof(struct sim_task, load)));
}

/*
 * A kernel is never taken down: what it holds at the end of the process would be reported as
 * leaked. The function is there only in builds with LeakSanitizer.
 */
void __lsan_disable(void) __attribute__((weak));

static struct error *boot(struct sim *sim)
{
	struct ksched_host host = {
		.self = sim,
		.ipi = engine_ipi,
		.event = on_event,
		.warning = on_warning,
		.trap = on_trap,
		.task_free = on_task_free,
	};
	struct ksched_clone root = {
		.entry = team_root,
		.arg = sim,
		.comm = "fairtrial",
		.stack_size = SIM_STACK,
	};
	const char *why = "no reason given";
	volatile int result = 0;

	sim->shape->kernel.seed = BOOT_SEED;
	if (!setjmp(sim->escape))
		result = sim->kernel->boot(&sim->shape->kernel, &host, &root, &sim->shared, &why);
	else
		escape_arrived();
	if (result && !sim->failure)
		return error_at(ERR_INPUT, sim->machine->source, 0,
				"the kernel cannot boot on this machine: %s", why);
	if (sim->failure)
		return error_new(ERR_UNAVAILABLE, "while it booted, %s", sim->failure);
	return NULL;
}

struct error *sim_boot(const struct machine *machine, const struct sim_model *model,
		       const char *library, bool fresh, struct sim **out)
{
	struct error *error;
	struct sim *sim;

	if (__lsan_disable)
		__lsan_disable();
	sim = memory_zeroed(1, sizeof(*sim));
	error = library_open(library, fresh, &sim->kernel, &sim->hints);
	if (!error)
		error = shape_new(machine, model, sim->kernel->max_cpus, sim->kernel->max_nodes,
				  &sim->shape);
	if (error) {
		free(sim);
		return error;
	}
	sim->booted_by = getpid();
	sim->machine = machine;
	sim->model = model;
	sim->n_cpus = sim->shape->kernel.nr_cpus;
	sim->cpus = memory_lines(sim->n_cpus, sizeof(*sim->cpus));
	for (int i = 0; i < sim->n_cpus; i++)
		sim->cpus[i].bound_work_due = QUEUE_NEVER;
	sim->queue = queue_new(sim->n_cpus + N_SOURCES);
	speed_new(sim);
	error = boot(sim);
	if (error)
		return error;
	*out = sim;
	return NULL;
}

const struct ksched_api *sim_kernel(const struct sim *sim)
{
	return sim->kernel;
}

int sim_machine_cpu(const struct sim *sim, int cpu)
{
	return sim->shape->cpu_id[cpu];
}

int sim_n_cpus(const struct sim *sim)
{
	return sim->n_cpus;
}

const struct ksched_cpu *sim_cpu_state(const struct sim *sim, int cpu)
{
	return &sim->shared->cpu[cpu];
}

uint64_t sim_time(const struct sim *sim)
{
	return sim->time;
}
