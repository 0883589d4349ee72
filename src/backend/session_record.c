// SPDX-License-Identifier: GPL-2.0-only
/* session_record.c - the run of a session in the store: begun anew, or taken up again */
#include "backend/session_private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/release.h"

static json_t *params_object(const struct params *params)
{
	json_t *object = json_object();

	for (int i = 0; i < params->n; i++)
		json_object_set_new(object, params->values[i].param->name,
				    json_string(params->values[i].text));
	return object;
}

static void record_cases(const struct session *session, struct run *run)
{
	for (int i = 0; i < session->n_cases; i++) {
		const struct case_instance *instance = &session->cases[i];
		struct result_case *record = array_append(run->cases, run->n_cases);

		record->name = memory_string(instance->name);
		record->workload = memory_string(instance->workload->name);
		record->workload_version = instance->workload->version;
		if (instance->program_version)
			record->program_version = memory_string(instance->program_version);
		record->params = params_object(&instance->params);
		record->cpus = memory_string(instance->cpus_text);
	}
}

/* "a, b": all machines that cases run on */
static char *machines_text(const struct session *session)
{
	char *text = memory_string(session->machines[0]->name);

	for (int i = 1; i < session->n_machines; i++) {
		text = memory_append(text, ", %s", session->machines[i]->name);
	}
	return text;
}

static void record_variants(const struct session *session, struct run *run)
{
	for (int i = 0; i < session->plan->n_variants; i++) {
		const struct plan_variant *variant = &session->plan->variants[i];
		struct result_variant *record = array_append(run->variants, run->n_variants);
		const char *kernel = session_kernel(session, i);

		record->name = memory_string(variant->name);
		record->settings = json_object();
		for (int j = 0; j < variant->n_settings; j++)
			json_object_set_new(record->settings, variant->settings[j].key,
					    json_string(variant->settings[j].value));
		record->backend = memory_string(session->backends[i]->name);
		record->machine = machines_text(session);
		record->kernel = memory_string(kernel			      ? kernel
					       : session->backends[i]->kernel ? "default"
									      : "running");
		if (session->skipped[i])
			record->skipped = memory_string(session->skipped[i]);
	}
}

/* the machines of all cases, and which each case runs on */
static void record_machines(const struct session *session, json_t *into)
{
	json_t *machines = json_object(), *cases = json_object();

	for (int i = 0; i < session->n_machines; i++) {
		const struct machine *machine = session->machines[i];
		struct machine_counts counts = machine_counts(machine, machine->online);

		json_object_set_new(machines, machine->name,
				    json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "nr_cpus",
					      counts.nr_cpus, "nr_cores", counts.nr_cores,
					      "nr_llcs", counts.nr_llcs, "nr_nodes",
					      counts.nr_nodes, "nr_sockets", counts.nr_sockets,
					      "smt", counts.smt));
	}
	for (int i = 0; i < session->n_cases; i++)
		json_object_set_new(cases, session->cases[i].name,
				    json_string(session->cases[i].machine->name));
	json_object_set_new(into, "machines", machines);
	json_object_set_new(into, "case_machines", cases);
}

static struct error *record_environment(const struct session *session, json_t *into)
{
	struct error *error = NULL;
	json_t *overrides = json_array();

	for (int i = 0; i < session->options->n_overrides; i++)
		json_array_append_new(overrides, json_string(session->options->overrides[i]));
	json_object_set_new(into, "overrides", overrides);
	record_machines(session, into);
	if (session->loads)
		json_object_set(into, "loads", session->loads);
	if (session->left_out)
		json_object_set(into, "left_out", session->left_out);
	for (int i = 0; !error && i < session->plan->n_variants; i++)
		for (int j = 0; !error && j < session->n_machines; j++)
			if (!i || session->backends[i] != session->backends[i - 1])
				error = session->backends[i]->environment(session->machines[j],
									  into);
	for (int i = 0; !error && i < session->plan->n_variants; i++)
		if (!session->skipped[i] && session->backends[i]->kernel)
			error = session->backends[i]->kernel(session_kernel(session, i), into);
	return error;
}

static struct error *describe_run(const struct session *session, struct run **out)
{
	const struct plan *plan = session->plan;
	struct run *run = run_new();
	struct timespec now;
	struct error *error;

	clock_gettime(CLOCK_REALTIME, &now);
	run->label = memory_string(session_label(session));
	run->plan_name = memory_string(plan->name);
	run->plan_text = memory_string(plan->text);
	run->tool_version = memory_string(fairtrial_version());
	run->started = now.tv_sec + now.tv_nsec / 1e9;
	run->seed = plan->seed;
	run->trials_planned = plan->trials;
	record_cases(session, run);
	record_variants(session, run);
	error = record_environment(session, run->environment);
	if (error) {
		run_free(run);
		return error;
	}
	*out = run;
	return NULL;
}

struct error *session_create(struct session *session, struct store *store)
{
	struct error *error = describe_run(session, &session->run);

	if (!error)
		error = store_add_run(store, session->run);
	return error;
}

struct error *session_find(struct store *store, const char *text, struct run **out)
{
	struct run_summary *list;
	struct error *error;
	struct run *run = NULL;
	int n;

	error = store_list(store, NULL, &list, &n);
	if (error)
		return error;
	for (int i = n - 1; !error && !run && i >= 0; i--) {
		if (list[i].complete)
			continue;
		error = store_load_run(store, list[i].id, LOAD_VALUES, &run);
		if (!error && text && strcmp(run->plan_text, text) != 0) {
			run_free(run);
			run = NULL;
		}
	}
	run_summaries_free(list, n);
	if (error)
		return error;
	if (!run)
		return error_new(ERR_INPUT,
				 "nothing to resume: the store has no run%s that is "
				 "not complete",
				 text ? " of this plan" : "");
	*out = run;
	return NULL;
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* a simulated run has no kernel_release, a live one no simulated kernel */
static bool same_json(const json_t *a, const json_t *b)
{
	return a && b ? json_equal(a, b) : a == b;
}

/* what must not have changed between the two halves of a run */
static struct error *check_same(const struct run *then, const struct run *now)
{
	/* overrides are part of the plan's text, which session_find() has compared */
	static const char *const keys[] = { "kernel_release", "sim_machines", "sim_kernels" };
	bool same = then->n_cases == now->n_cases && then->n_variants == now->n_variants &&
		    same_text(then->tool_version, now->tool_version);

	for (int i = 0; same && i < then->n_cases; i++)
		same = same_text(then->cases[i].name, now->cases[i].name) &&
		       same_text(then->cases[i].cpus, now->cases[i].cpus) &&
		       then->cases[i].workload_version == now->cases[i].workload_version &&
		       same_text(then->cases[i].program_version, now->cases[i].program_version) &&
		       json_equal(then->cases[i].params, now->cases[i].params);
	for (int i = 0; same && i < then->n_variants; i++)
		same = same_text(then->variants[i].name, now->variants[i].name) &&
		       same_text(then->variants[i].backend, now->variants[i].backend) &&
		       same_text(then->variants[i].machine, now->variants[i].machine) &&
		       same_text(then->variants[i].kernel, now->variants[i].kernel) &&
		       !then->variants[i].skipped == !now->variants[i].skipped;
	if (!same)
		return error_new(ERR_MISMATCH,
				 "run %lld cannot be resumed: its cases, variants or fairtrial's "
				 "version are not what they were when it began; start a new run",
				 (long long)then->id);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!same_json(json_object_get(then->environment, keys[i]),
			       json_object_get(now->environment, keys[i])))
			return error_new(
				ERR_MISMATCH,
				"run %lld cannot be resumed: %s is not what it was when it "
				"began; start a new run",
				(long long)then->id, keys[i]);
	return NULL;
}

static void mark_done(struct session *session)
{
	for (int i = 0; i < session->run->n_trials; i++) {
		const struct trial *trial = &session->run->trials[i];

		for (int j = 0; j < session->n_steps; j++)
			if (session->steps[j].case_index == trial->case_index &&
			    session->steps[j].variant_index == trial->variant_index &&
			    session->steps[j].block == trial->block)
				session->done[j] = true;
	}
}

struct error *session_resume(struct session *session, struct store *store)
{
	struct run *then, *now;
	struct error *error = session_find(store, session->plan->text, &then);

	if (error)
		return error;
	error = session_take_loads(session, then);
	if (!error)
		error = describe_run(session, &now);
	if (!error) {
		error = check_same(then, now);
		run_free(now);
	}
	if (error) {
		run_free(then);
		return error;
	}
	session->run = then;
	mark_done(session);
	return NULL;
}
