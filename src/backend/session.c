// SPDX-License-Identifier: GPL-2.0-only
/* session.c - what is checked and recorded before the first trial */
#include "backend/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "monitor/monitor.h"
#include "version.h"

/* starting and stopping workers, reading monitors: measured at about 0.1 s a trial */
#define TRIAL_OVERHEAD_SECONDS 0.1

static const char *backend_name(const struct session *session, const struct plan_variant *variant)
{
	if (session->options->backend)
		return session->options->backend;
	return variant->backend ? variant->backend : "live";
}

const char *session_kernel(const struct session *session, int variant_index)
{
	return session->options->kernel ? session->options->kernel
					: session->plan->variants[variant_index].kernel;
}

static struct error *no_such_backend(const struct plan *plan, const struct plan_variant *variant,
				     const char *name)
{
	autofree char *known = memory_string("");

	for (const struct backend *const *backend = backend_all(); *backend; backend++) {
		char *longer = memory_format("%s%s%s", known, *known ? ", " : "", (*backend)->name);

		free(known);
		known = longer;
	}
	return error_at(ERR_INPUT, plan->file, variant->line,
			"variant %s: there is no backend '%s'; there is %s", variant->name, name,
			known);
}

/* the machine that the plan's variants name; they share one */
static struct error *common_machine(const struct plan *plan, const char **out)
{
	const char *name = plan->machine;

	for (int i = 0; i < plan->n_variants; i++) {
		const struct plan_variant *variant = &plan->variants[i];

		if (!variant->machine || (name && !strcmp(variant->machine, name)))
			continue;
		if (i && (!name || strcmp(variant->machine, name) != 0))
			return error_at(
				ERR_INPUT, plan->file, variant->line,
				"variant %s: machine '%s' is not that of the other variants; "
				"the variants of a case share one machine: name it in [plan] or in "
				"a case, or make two runs and compare their labels",
				variant->name, variant->machine);
		name = variant->machine;
	}
	*out = name;
	return NULL;
}

/* opens a machine once, however many cases name it; @names and machines go side by side */
static struct error *open_machine(struct session *session, const char *name,
				  const struct machine **out)
{
	struct machine *machine;
	struct error *error;

	for (int i = 0; i < session->n_machines; i++)
		if (!strcmp(session->machine_names[i], name ? name : "live")) {
			*out = session->machines[i];
			return NULL;
		}
	error = machine_open(name, &machine);
	if (error)
		return error;
	session->machine_names = memory_resized(session->machine_names, session->n_machines + 1,
						sizeof(*session->machine_names));
	session->machine_names[session->n_machines] = memory_string(name ? name : "live");
	*array_append(session->machines, session->n_machines) = machine;
	*out = machine;
	return NULL;
}

/* where the plan names the machine that the case runs on, for an error that does not say a place */
static struct error *at_machine(struct error *error, const struct session *session, int case_index)
{
	const struct plan *plan = session->plan;
	const struct plan_case *section = &plan->cases[case_index];
	int line = section->machine ? section->line : 0;

	if (!error || error->file || session->options->machine)
		return error;
	for (int i = 0; !line && i < plan->n_variants; i++)
		line = plan_line(plan, &plan->variants[i], "machine");
	if (!line)
		return error;
	if (section->machine)
		error = error_prefix(error, "case %s", section->name);
	error->file = memory_string(plan->file);
	error->line = line;
	return error;
}

/* a case is expanded over the topology of its machine; --machine takes the place of all */
static struct error *expand_cases(struct session *session)
{
	const struct plan *plan = session->plan;
	autofree const struct machine **machines =
		memory_zeroed(plan->n_cases, sizeof(struct machine *));
	const char *common = NULL;
	struct error *error = session->options->machine ? NULL : common_machine(plan, &common);

	for (int i = 0; i < plan->n_cases && !error; i++) {
		const char *name = plan->cases[i].machine ? plan->cases[i].machine : common;

		if (session->options->machine)
			name = session->options->machine;
		error = at_machine(open_machine(session, name, &machines[i]), session, i);
	}
	if (!error)
		error = plan_expand_on(plan, machines, &session->cases, &session->n_cases);
	return error;
}

static struct error *check_needs(const struct session *session, int variant_index)
{
	const struct backend *backend = session->backends[variant_index];

	for (int i = 0; i < session->n_cases; i++) {
		const struct case_instance *instance = &session->cases[i];
		unsigned needs = instance->workload->needs_of
					 ? instance->workload->needs_of(&instance->params)
					 : instance->workload->needs;

		if (needs & ~backend->offers)
			return error_at(ERR_UNAVAILABLE, session->plan->file,
					instance->section->line,
					"case %s: workload %s cannot run on backend %s: %s",
					instance->name, instance->workload->name, backend->name,
					instance->workload->unsupported
						? instance->workload->unsupported
						: "it lacks what the workload needs");
	}
	return NULL;
}

static void print_warnings(const struct session *session, int index)
{
	const struct backend *backend = session->backends[index];
	char **lines = NULL;
	int n = 0;

	if (!backend->warnings)
		return;
	backend->warnings(session->plan, &session->plan->variants[index], &lines, &n);
	for (int i = 0; i < n; i++) {
		fprintf(stderr, "fairtrial: warning: %s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}

/* a dry run shows what a plan would be on a machine that is not here: nothing can be checked there */
static bool is_elsewhere(const struct session *session, int index, const struct machine *machine)
{
	return session->options->dry_run && !machine->live &&
	       session->backends[index] == &backend_live;
}

static struct error *check_on_machines(const struct session *session, int index)
{
	struct error *error = NULL;

	for (int i = 0; i < session->n_machines && !error; i++)
		if (!is_elsewhere(session, index, session->machines[i]))
			error = session->backends[index]->check(session->plan,
								&session->plan->variants[index],
								session->machines[i],
								session_kernel(session, index));
	return error;
}

/* a variant that this machine cannot run is left out only when that was asked for */
static struct error *check_variant(struct session *session, int index)
{
	const struct plan_variant *variant = &session->plan->variants[index];
	const char *name = backend_name(session, variant);
	struct error *error;

	session->backends[index] = backend_find(name);
	if (!session->backends[index])
		return no_such_backend(session->plan, variant, name);
	error = check_needs(session, index);
	if (!error)
		error = check_on_machines(session, index);
	if (!error) {
		print_warnings(session, index);
		return NULL;
	}
	if (!session->options->skip_unavailable ||
	    (error->code != ERR_UNAVAILABLE && error->code != ERR_PERMISSION))
		return error;
	session->skipped[index] = error_text(error);
	error_free(error);
	fprintf(stderr, "fairtrial: variant %s is left out: %s\n", variant->name,
		session->skipped[index]);
	return NULL;
}

static void warn_about_jobs(const struct session *session)
{
	for (int i = 0; i < session->plan->n_variants; i++) {
		const struct backend *backend = session->backends[i];

		if (session->skipped[i] || session->options->jobs <= backend->parallel())
			continue;
		fprintf(stderr,
			"fairtrial: warning: --jobs %d: backend %s runs at most %d at once here\n",
			session->options->jobs, backend->name, backend->parallel());
		return;
	}
}

static struct error *check_variants(struct session *session)
{
	int n = session->plan->n_variants, left = 0;
	struct error *error = NULL;
	const char *elsewhere = NULL;

	session->backends = memory_zeroed(n, sizeof(*session->backends));
	session->skipped = memory_zeroed(n, sizeof(*session->skipped));
	for (int i = 0; !error && i < n; i++) {
		error = check_variant(session, i);
		left += !session->skipped[i];
		for (int j = 0; !error && j < session->n_machines; j++)
			if (is_elsewhere(session, i, session->machines[j]))
				elsewhere = session->machines[j]->name;
	}
	if (!error && elsewhere)
		fprintf(stderr,
			"fairtrial: warning: settings are not checked: backend live runs on this "
			"machine, not on %s\n",
			elsewhere);
	if (!error && !left)
		error = error_at(ERR_UNAVAILABLE, session->plan->file, 0,
				 "no variant is left that can run here");
	if (!error)
		warn_about_jobs(session);
	return error;
}

static struct error *check_monitors(const struct plan *plan)
{
	struct monitor_set *set;
	struct error *error = monitor_set_new(plan->monitors, plan->n_monitors, &set);

	if (error) {
		if (!error->file) {
			error->file = memory_string(plan->file);
			error->line = plan_line(plan, NULL, "monitor");
		}
		return error;
	}
	monitor_set_free(set);
	return NULL;
}

static const char *label_of(const struct session *session)
{
	if (session->options->label)
		return session->options->label;
	return session->plan->label ? session->plan->label : session->plan->name;
}

static struct error *check_label(const struct session *session)
{
	struct error *error = plan_check_label(label_of(session));

	if (session->options->label)
		return error_prefix(error, "--label");
	return error_prefix(error, "the plan's name cannot be the label, give one with --label");
}

static void schedule(struct session *session)
{
	int n = session->plan->n_variants;
	autofree bool *skipped = memory_zeroed(n, sizeof(*skipped));

	for (int i = 0; i < n; i++)
		skipped[i] = session->skipped[i];
	plan_schedule(session->plan, session->n_cases, skipped, &session->steps, &session->n_steps);
	session->done = memory_zeroed(session->n_steps, sizeof(*session->done));
}

struct error *session_new(const struct plan *plan, const struct session_options *options,
			  struct session **out)
{
	struct session *session = memory_zeroed(1, sizeof(*session));
	struct error *error;

	session->plan = plan;
	session->options = options;
	error = expand_cases(session);
	if (!error)
		error = check_variants(session);
	if (!error)
		error = check_monitors(plan);
	if (!error)
		error = check_label(session);
	if (error) {
		session_free(session);
		return error;
	}
	schedule(session);
	*out = session;
	return NULL;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	run_free(session->run);
	free(session->done);
	free(session->steps);
	for (int i = 0; session->skipped && i < session->plan->n_variants; i++)
		free(session->skipped[i]);
	free(session->skipped);
	free(session->backends);
	case_instances_free(session->cases, session->n_cases);
	for (int i = 0; i < session->n_machines; i++) {
		machine_close(session->machines[i]);
		free(session->machine_names[i]);
	}
	free(session->machines);
	free(session->machine_names);
	free(session);
}

double session_seconds(const struct session *session)
{
	double trial = (session->plan->runtime_ns + session->plan->warmup_ns) / 1e9 +
		       TRIAL_OVERHEAD_SECONDS;
	int missing = 0;

	for (int i = 0; i < session->n_steps; i++)
		missing += !session->done[i];
	return missing * trial;
}

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
		record->params = params_object(&instance->params);
		record->cpus = memory_string(instance->cpus_text);
	}
}

/* "a, b": all machines that cases run on */
static char *machines_text(const struct session *session)
{
	char *text = memory_string(session->machines[0]->name);

	for (int i = 1; i < session->n_machines; i++) {
		char *longer = memory_format("%s, %s", text, session->machines[i]->name);

		free(text);
		text = longer;
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
		record->kernel = memory_string(kernel ? kernel : "running");
		if (session->skipped[i])
			record->skipped = memory_string(session->skipped[i]);
	}
}

static struct error *record_environment(const struct session *session, json_t *into)
{
	struct error *error = NULL;
	json_t *overrides = json_array();

	for (int i = 0; i < session->options->n_overrides; i++)
		json_array_append_new(overrides, json_string(session->options->overrides[i]));
	json_object_set_new(into, "overrides", overrides);
	for (int i = 0; !error && i < session->plan->n_variants; i++)
		for (int j = 0; !error && j < session->n_machines; j++)
			if (!i || session->backends[i] != session->backends[i - 1])
				error = session->backends[i]->environment(session->machines[j],
									  into);
	return error;
}

static struct error *describe_run(const struct session *session, struct run **out)
{
	const struct plan *plan = session->plan;
	struct run *run = run_new();
	struct timespec now;
	struct error *error;

	clock_gettime(CLOCK_REALTIME, &now);
	run->label = memory_string(label_of(session));
	run->plan_name = memory_string(plan->name);
	run->plan_text = memory_string(plan->text);
	run->tool_version = memory_string(FT_VERSION);
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

/* what must not have changed between the two halves of a run */
static struct error *check_same(const struct run *then, const struct run *now)
{
	/* overrides are part of the plan's text, which session_find() has compared */
	static const char *const keys[] = { "kernel_release" };
	bool same = then->n_cases == now->n_cases && then->n_variants == now->n_variants &&
		    same_text(then->tool_version, now->tool_version);

	for (int i = 0; same && i < then->n_cases; i++)
		same = same_text(then->cases[i].name, now->cases[i].name) &&
		       same_text(then->cases[i].cpus, now->cases[i].cpus) &&
		       then->cases[i].workload_version == now->cases[i].workload_version &&
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
		if (!json_equal(json_object_get(then->environment, keys[i]),
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
