// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim.c - trials on a simulated machine under the kernel's own scheduler
 *
 * A machine is booted once with a kernel, in this process, and every trial is a fork of it. That
 * the kernel boots and takes the variant's settings is tried before in a process of its own, so
 * that a kernel that fails there is an error like any other.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/process.h"
#include "backend/sim_events.h"
#include "backend/sim_kernel.h"
#include "backend/sim_monitor.h"
#include "backend/sim_setting.h"
#include "backend/trial_events.h"
#include "base/memory.h"
#include "ksched/build/kernel.h"
#include "sim/sim.h"

/* a trial that simulates so slowly hangs: wall seconds allowed for a simulated one, and in all */
#define WALL_PER_SIMULATED 120.0
#define WALL_LEAST	   120.0

/* A machine that is up. Kernel state is static in its library, so the list is the process's. */
struct booted {
	const struct machine *machine;
	struct sim_kernel *kernel;
	struct sim_model *model;
	struct sim *sim;
};

static struct booted **booted_machines;
static int n_booted;

static struct error *boot_new(const struct machine *machine, const char *kernel, bool fresh,
			      struct booted **out)
{
	struct booted *booted = memory_zeroed(1, sizeof(*booted));
	struct error *error = sim_kernel_find(kernel, &booted->kernel);

	booted->machine = machine;
	if (!error)
		error = model_read(machine, &booted->model);
	if (!error)
		error = sim_boot(machine, booted->model, booted->kernel->library, fresh,
				 &booted->sim);
	if (error) {
		sim_kernel_free(booted->kernel);
		model_free(booted->model);
		free(booted);
		return error;
	}
	*out = booted;
	return NULL;
}

static bool same_name(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct error *boot_once(const struct machine *machine, const char *kernel,
			       struct booted **out)
{
	struct error *error;

	for (int i = 0; i < n_booted; i++)
		if (booted_machines[i]->machine == machine &&
		    same_name(booted_machines[i]->kernel->asked, kernel)) {
			*out = booted_machines[i];
			return NULL;
		}
	error = boot_new(machine, kernel, n_booted > 0, out);
	if (!error)
		*array_append(booted_machines, n_booted) = *out;
	return error;
}

/* ---- a trial ---- */

/* What a trial is set to, and where what is in force then is recorded; NULL: nowhere. */
struct setting {
	const struct plan_variant *variant;
	json_t *record;
};

static struct error *set_system(void *data, struct sim *sim)
{
	const struct setting *setting = data;
	struct error *error = sim_setting_system(setting->variant, sim);

	if (!error && setting->record)
		sim_setting_record(sim, setting->record);
	return error;
}

static struct error *set_workers(void *data, struct sim *sim)
{
	const struct setting *setting = data;

	return sim_setting_workers(setting->variant, sim);
}

static void failed(struct trial *out, char *reason)
{
	out->status = TRIAL_FAILED;
	out->reason = reason;
}

static void fill(const struct trial_order *order, struct team *team,
		 const struct team_report *report, const struct sim_observation *observation,
		 struct trial *out)
{
	struct error *error;

	out->duration = report->seconds;
	if (report->failure) {
		failed(out, memory_string(report->failure));
		return;
	}
	error = workload_report(order->instance->workload, team, &order->instance->params, report,
				out);
	if (error)
		failed(out, error_text(error));
	else
		sim_monitors_add(order->plan, order->machine, team, report, observation, out);
	error_free(error);
}

static void record(const struct booted *booted, struct trial *out)
{
	out->environment = json_object();
	json_object_set_new(out->environment, "backend", json_string("sim"));
	json_object_set_new(out->environment, "machine", json_string(booted->machine->name));
	json_object_set_new(out->environment, "kernel", json_deep_copy(booted->kernel->record));
}

/* What is recorded of a trial; events and stream NULL: no events. */
struct recording {
	struct sim_observation observation; /* for monitors */
	struct trial_events *events;
	struct sim_events *stream;
};

static struct error *recording_new(const struct trial_order *order, struct booted *booted,
				   hwloc_const_bitmap_t cpus, struct sim_options *options,
				   struct recording *out)
{
	const char *version = json_string_value(json_object_get(booted->kernel->record, "version"));
	struct error *error;

	if (!trial_events_wanted(order))
		return NULL;
	error = trial_events_new(order, cpus, true, &out->events);
	if (!error)
		out->stream = sim_events_new(booted->sim, booted->machine, version,
					     trial_events_sink(out->events),
					     trial_events_note(out->events), options);
	return error;
}

/* the stream's end; a recording that failed (a full disk) fails the trial that asked for it */
static void recording_end(struct recording *recording, struct trial *out)
{
	struct error *error = sim_events_end(recording->stream);

	if (!error && out->status == TRIAL_OK)
		error = trial_events_report(recording->events, out);
	if (!error)
		return;
	if (out->status == TRIAL_OK)
		failed(out, error_text(error));
	error_free(error);
}

static struct error *run_prepared(const struct trial_order *order, struct team *team,
				  struct recording *recording, struct trial *out)
{
	struct team_report report = { 0 };
	struct error *error =
		workload_setup(order->instance->workload, team, &order->instance->params);

	if (error) {
		failed(out, error_text(error));
		error_free(error);
		return NULL;
	}
	if (recording->stream)
		sim_events_begin(recording->stream);
	error = sim_team_run(team, &report);
	if (!error)
		fill(order, team, &report, &recording->observation, out);
	if (!error && recording->stream)
		recording_end(recording, out);
	team_report_clear(&report);
	return error;
}

static struct error *run_team(const struct trial_order *order, struct booted *booted,
			      hwloc_const_bitmap_t cpus, struct trial *out)
{
	struct recording recording = { 0 };
	struct setting setting = { order->variant, out->environment };
	struct sim_options options = {
		.cpus = cpus,
		.runtime_ns = order->plan->runtime_ns,
		.warmup_ns = order->plan->warmup_ns,
		.stop_limit_ns = order->plan->stop_limit_ns,
		.seed = order->seed,
		.set_system = set_system,
		.set_workers = set_workers,
		.set_data = &setting,
		.observe = sim_observe,
		.observe_data = &recording.observation,
		.progress = order->progress,
		.interrupted = order->interrupted,
	};
	struct error *error = recording_new(order, booted, cpus, &options, &recording);
	struct team *team;

	if (!error) {
		team = sim_team_new(booted->sim, &options);
		error = run_prepared(order, team, &recording, out);
		sim_team_free(team);
	}
	sim_observation_clear(&recording.observation);
	sim_events_free(recording.stream);
	trial_events_free(recording.events);
	return error;
}

/* in the trial's process, which ends after it */
static struct error *sim_body(const struct trial_order *order, void *data, struct trial *out)
{
	struct booted *booted = data;
	hwloc_bitmap_t cpus = hwloc_bitmap_dup(order->instance->cpus);
	struct error *error = sim_setting_narrow(order->variant, cpus);

	out->seed = order->seed;
	out->block = order->block;
	record(booted, out);
	if (!error)
		error = run_team(order, booted, cpus, out);
	hwloc_bitmap_free(cpus);
	return error;
}

static struct error *sim_start(const struct trial_order *order, struct trial_process **out)
{
	const struct plan *plan = order->plan;
	double simulated = (double)(plan->runtime_ns + plan->warmup_ns + plan->stop_limit_ns) / 1e9;
	struct booted *booted;
	struct error *error = boot_once(order->machine, order->kernel, &booted);

	if (error)
		return error;
	return trial_process_start(order, sim_body, booted,
				   simulated * WALL_PER_SIMULATED + WALL_LEAST, out);
}

static struct error *sim_finish(struct trial_process *process, struct trial *out)
{
	return trial_process_finish(process, out);
}

/* ---- before a run ---- */

struct probe {
	const struct plan_variant *variant;
	const struct machine *machine;
	const char *kernel;
};

/* boots and makes the settings, with no workers */
static struct error *probe_body(const struct trial_order *order, void *data, struct trial *out)
{
	const struct probe *probe = data;
	struct setting setting = { probe->variant, NULL };
	struct sim_options options = {
		.seed = 1,
		.set_system = set_system,
		.set_workers = set_workers,
		.set_data = &setting,
	};
	struct team_report report = { 0 };
	struct booted *booted;
	struct error *error = boot_new(probe->machine, probe->kernel, false, &booted);

	(void)order;
	if (error)
		return error;
	error = sim_team_run(sim_team_new(booted->sim, &options), &report);
	if (!error && report.failure)
		error = error_new(ERR_UNAVAILABLE, "%s", report.failure);
	out->environment = json_object();
	return error;
}

static struct error *try_variant(const struct plan_variant *variant, const struct machine *machine,
				 const char *kernel)
{
	struct probe probe = { variant, machine, kernel };
	struct trial_order order = { .variant = variant, .machine = machine, .kernel = kernel };
	struct trial trial = { 0 };
	struct trial_process *process;
	struct error *error = trial_process_start(&order, probe_body, &probe, WALL_LEAST, &process);

	if (!error)
		error = trial_process_finish(process, &trial);
	if (!error && trial.status == TRIAL_FAILED)
		error = error_new(ERR_UNAVAILABLE, "the kernel does not boot on machine %s: %s",
				  machine->name, trial.reason);
	trial_clear(&trial);
	return error;
}

static struct error *sim_check(const struct plan *plan, const struct plan_variant *variant,
			       const struct machine *machine, const char *kernel)
{
	struct sim_model *model = NULL;
	struct error *error = sim_setting_check(plan, variant, machine);

	if (!error)
		error = model_read(machine, &model);
	model_free(model);
	if (!error)
		error = try_variant(variant, machine, kernel);
	return error && !error->file ? error_prefix(error, "variant %s", variant->name) : error;
}

static int sim_parallel(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (int)n : 1;
}

/* stands for the groups of CPUs, the distances and the capacities: a file may change under its name */
static char *topology_key(const struct machine *machine)
{
	autofree char *text = memory_string("");
	int n_distances = machine->n_groups[LEVEL_NODE] * machine->n_groups[LEVEL_NODE];

	for (int level = 0; level < N_MACHINE_LEVELS; level++) {
		for (int i = 0; i < machine->n_groups[level]; i++) {
			const struct machine_group *group = &machine->groups[level][i];
			autofree char *cpus = cpulist_format(group->cpus);

			text = memory_append(text, "%s %d %s %llu\n", machine_level_name(level),
					     group->id, cpus, (unsigned long long)group->bytes);
		}
	}
	for (int i = 0; i < machine->n_kinds; i++) {
		autofree char *cpus = cpulist_format(machine->kinds[i].cpus);

		text = memory_append(text, "kind %d %s\n", machine->kinds[i].capacity, cpus);
	}
	for (int i = 0; machine->distances && i < n_distances; i++) {
		text = memory_append(text, "%u ", machine->distances[i]);
	}
	return content_key(text);
}

static struct error *sim_environment(const struct machine *machine, json_t *into)
{
	autofree char *topology = NULL;
	struct sim_model *model;
	struct error *error = model_read(machine, &model);
	json_t *machines;

	if (error)
		return error;
	topology = topology_key(machine);
	machines = json_object_get(into, "sim_machines");
	if (!machines) {
		machines = json_object();
		json_object_set_new(into, "sim_machines", machines);
	}
	json_object_set_new(machines, machine->name,
			    json_pack("{s:s, s:s, s:o}", "source", machine->source, "topology",
				      topology, "figures", model_record(model)));
	model_free(model);
	return NULL;
}

/* what a kernel was patched with goes with the results, by its content */
static void record_patches(const char *name, const struct sim_kernel *kernel, json_t *into)
{
	json_t *texts = kernel->found ? json_object_get(kernel->found->record, "patch_text") : NULL;
	json_t *all = json_object_get(into, "sim_patches");

	if (!json_array_size(texts))
		return;
	if (!all) {
		all = json_object();
		json_object_set_new(into, "sim_patches", all);
	}
	json_object_set_new(all, name, json_deep_copy(texts));
}

/* a run that goes on must have the same library, not only one of the same name */
static struct error *sim_record_kernel(const char *name, json_t *into)
{
	json_t *kernels = json_object_get(into, "sim_kernels");
	struct sim_kernel *kernel;
	struct error *error = sim_kernel_find(name, &kernel);

	if (error)
		return error;
	if (!kernels) {
		kernels = json_object();
		json_object_set_new(into, "sim_kernels", kernels);
	}
	json_object_set(kernels, name ? name : "default", json_object_get(kernel->record, "key"));
	record_patches(name ? name : "default", kernel, into);
	sim_kernel_free(kernel);
	return NULL;
}

const struct backend backend_sim = {
	.name = "sim",
	.own_time = true,
	.summary = "a simulated machine that runs the kernel's own kernel/sched",
	.offers = TASK_PROCESS | TASK_THREAD | TASK_EXEC | TASK_SESSION | TASK_CHANNEL |
		  TASK_COMPUTE | TASK_MEMORY | TASK_FILES | TASK_NETWORK,
	.parallel = sim_parallel,
	.check = sim_check,
	.probe_monitors = sim_monitors_probe,
	.start = sim_start,
	.finish = sim_finish,
	.environment = sim_environment,
	.kernel = sim_record_kernel,
};
