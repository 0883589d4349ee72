// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct param beat_params[] = { { "workers", PARAM_COUNT, .def = "nr_cpus" },
					    { "size", PARAM_SIZE, .def = "64K" },
					    { "sleep", PARAM_DURATION, .def = "0" },
					    { "mode", PARAM_CHOICE, .def = "pipe",
					      .choices = "pipe socket futex" },
					    { "exec", PARAM_BOOL, .def = "no" },
					    {} };

static const struct workload beat = { .name = "beat", .params = beat_params, .load = "workers" };
static const struct workload *const workloads[] = { &beat, NULL };

/* read once for the whole run of the fuzzer: a machine is not what is tested here */
static struct machine *the_machine(void)
{
	static struct machine *machine;

	if (!machine) {
		struct error *error = machine_open("pack:2 numa:2 l3:1 core:2 pu:2", &machine);

		if (error)
			abort();
	}
	return machine;
}

static void drop(struct error *error)
{
	if (error->code != ERR_INPUT)
		abort();
	error_free(error);
}

/* everything up to the print of the dry run */
static void expand(const struct plan *plan, const struct machine *machine, FILE *stream)
{
	struct case_instance *cases;
	struct plan_step *steps;
	struct error *error;
	int n_cases, n_steps;

	error = plan_expand(plan, machine, &cases, &n_cases);
	if (error) {
		drop(error);
		return;
	}
	if (n_cases < 1 || (int64_t)n_cases * plan->n_variants * plan->trials > 1000000)
		abort();
	plan_schedule(plan, n_cases, NULL, &steps, &n_steps);
	plan_print(stream, plan, machine, cases, n_cases, steps, n_steps, NULL, n_steps);
	free(steps);
	case_instances_free(cases, n_cases);
}

/* a plan that was changed by --set is written so that it reads back the same */
static void check_text(const struct plan *plan)
{
	struct plan *again;
	struct error *error;

	error = plan_read_from("fuzz", plan->text, strlen(plan->text), NULL, 0, workloads, &again);
	if (error || again->trials != 2 || again->n_cases != plan->n_cases ||
	    again->n_variants != plan->n_variants || again->n_monitors != plan->n_monitors)
		abort();
	plan_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const overrides[] = { "trials=2" };
	FILE *stream = fopen("/dev/null", "w");
	struct plan *plan;
	struct error *error;

	if (!stream)
		abort();
	for (int n = 0; n <= 1; n++) {
		error = plan_read_from("fuzz", (const char *)data, size, overrides, n, workloads,
				       &plan);
		if (error) {
			drop(error);
			continue;
		}
		if (n)
			check_text(plan);
		expand(plan, the_machine(), stream);
		plan_free(plan);
	}
	fclose(stream);
	return 0;
}
