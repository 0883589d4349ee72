// SPDX-License-Identifier: GPL-2.0-only
/* session.c - what is checked before the first trial */
#include "backend/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "backend/sim_kernel.h"
#include "base/memory.h"
#include "base/text.h"
#include "machine/save.h"
#include "monitor/monitor.h"

#define GIB 1073741824.0

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
		known = memory_append(known, "%s%s", *known ? ", " : "", (*backend)->name);
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

/* a workload that would run into the limit of memory is not begun: others would suffer with it */
struct error *session_check_memory(const struct session *session, int index)
{
	const struct case_instance *instance = &session->cases[index];
	autofree char *source = NULL;
	uint64_t wanted, available;
	struct error *error;

	if (!instance->workload->memory)
		return NULL;
	error = instance->workload->memory(instance->machine, instance->cpus, &instance->params,
					   &wanted);
	if (error) {
		struct error *at =
			error_at(error->code, session->plan->file, instance->section->line,
				 "case %s: %s", instance->name, error->message);

		error_free(error);
		return at;
	}
	available = machine_memory_available(instance->machine, &source);
	if (source && wanted > available)
		return error_at(ERR_INPUT, session->plan->file, instance->section->line,
				"case %s: workload %s takes %.1f GiB of memory here, %.1f "
				"GiB are available (%s)",
				instance->name, instance->workload->name, (double)wanted / GIB,
				(double)available / GIB, source);
	return NULL;
}

static struct error *check_memory(const struct session *session)
{
	struct error *error = NULL;

	for (int i = 0; i < session->n_cases && !error; i++)
		error = session_check_memory(session, i);
	return error;
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

bool session_is_elsewhere(const struct session *session, int index, const struct machine *machine)
{
	return session->options->dry_run && !machine->live &&
	       session->backends[index] == &backend_live;
}

static struct error *check_on_machines(const struct session *session, int index)
{
	struct error *error = NULL;

	for (int i = 0; i < session->n_machines && !error; i++)
		if (!session_is_elsewhere(session, index, session->machines[i]))
			error = session->backends[index]->check(session->plan,
								&session->plan->variants[index],
								session->machines[i],
								session_kernel(session, index));
	return error;
}

/* @reason: most say themselves which variant they are about: once is enough */
static void print_left_out(const char *name, const char *reason)
{
	autofree char *words = memory_format("variant %s: ", name);
	const char *at = strstr(reason, words);
	int before = at ? (int)(at - reason) : 0;

	fprintf(stderr, "fairtrial: variant %s is left out: %.*s%s\n", name, before, reason,
		at ? at + strlen(words) : reason);
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
	print_left_out(variant->name, session->skipped[index]);
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

/* what a simulation is worth on such a machine should be known before it */
static void warn_about_figures(const struct session *session)
{
	bool simulated = false;

	for (int i = 0; i < session->plan->n_variants; i++)
		simulated |= !session->skipped[i] && session->backends[i] == &backend_sim;
	for (int i = 0; simulated && i < session->n_machines; i++)
		if (!machine_has_figures(session->machines[i]))
			fprintf(stderr,
				"fairtrial: machine %s tells no speeds and costs: simulated with the "
				"defaults, a server of about 2020 (docs/simulator.md)\n",
				session->machines[i]->name);
}

/* two names of one build differ in nothing: often a patch that was forgotten when the second was added */
static void warn_about_same_kernels(const struct session *session)
{
	for (int i = 1; i < session->plan->n_variants; i++)
		for (int j = 0; j < i; j++) {
			const char *a = session_kernel(session, j), *b = session_kernel(session, i);

			if (!a || !b || !strcmp(a, b) || !sim_kernel_same(a, b))
				continue;
			fprintf(stderr,
				"fairtrial: warning: kernels %s and %s are the same build "
				"(variants %s and %s)\n",
				a, b, session->plan->variants[j].name,
				session->plan->variants[i].name);
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
			if (session_is_elsewhere(session, i, session->machines[j]))
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
	if (!error) {
		warn_about_jobs(session);
		warn_about_figures(session);
		warn_about_same_kernels(session);
	}
	return error;
}

/* once for each section */
static void print_notes(const struct session *session)
{
	for (int i = 0; i < session->n_cases; i++) {
		const struct case_instance *instance = &session->cases[i];
		autofree char *note = NULL;

		if (!instance->workload->note ||
		    (i && session->cases[i - 1].section == instance->section))
			continue;
		note = instance->workload->note(&instance->params);
		if (note)
			fprintf(stderr, "fairtrial: warning: case %s: %s\n",
				instance->section->name, note);
	}
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

const char *session_label(const struct session *session)
{
	if (session->options->label)
		return session->options->label;
	return session->plan->label ? session->plan->label : session->plan->name;
}

static struct error *check_label(const struct session *session)
{
	struct error *error = plan_check_label(session_label(session));

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
		error = check_memory(session);
	if (!error)
		error = session_check_programs(session);
	if (!error)
		error = check_variants(session);
	for (int i = 0; i < session->n_cases && !error; i++)
		error = session_check_limits(session, i);
	for (int i = 0; i < session->n_cases && !error; i++)
		error = session_check_affinity(session, i);
	if (!error)
		error = check_monitors(plan);
	if (!error)
		error = check_label(session);
	if (!error)
		error = session_check_loads(session);
	if (error) {
		session_free(session);
		return error;
	}
	print_notes(session);
	session_probe_monitors(session);
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
	free(session->monitors_said);
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
	json_decref(session->left_out);
	json_decref(session->loads);
	free(session);
}

double session_trial_seconds(const struct session *session)
{
	return (session->plan->runtime_ns + session->plan->warmup_ns) / 1e9 +
	       TRIAL_OVERHEAD_SECONDS;
}

double session_seconds(const struct session *session)
{
	int missing = 0;

	for (int i = 0; i < session->n_steps; i++) {
		if (session->done[i])
			continue;
		if (session->backends[session->steps[i].variant_index]->own_time)
			return -1;
		missing++;
	}
	return missing * session_trial_seconds(session) + session_search_seconds(session);
}
