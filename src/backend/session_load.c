// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_load.c - loads that are per cent of a saturation: a search before the first trial
 *
 * What is found is kept with the run, so that all variants, and a run that is resumed, have the same.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/process.h"
#include "backend/saturation.h"
#include "backend/session_private.h"
#include "base/memory.h"
#include "base/progress.h"

/* of a trial of the search, whatever the plan's are, so that the answer does not depend on these */
#define RUNTIME_NS   1000000000ull
#define PROGRAM_NS   2000000000ull /* of others: dbench's first second has no figure */
#define WARMUP_NS    500000000ull
#define USUAL_TRIALS 15 /* of a search, for the estimate of time */
#define MOST_LOAD    (1 << 20)
/* Of what is offered: so many arrive in a trial, which is as long as that takes. */
#define LEAST_ARRIVALS	  50
#define LONGEST_SECONDS	  10
#define LOOK_MILLISECONDS 200

struct load_search {
	struct session *session;
	struct plan plan; /* the session's, with shorter trials and no monitors */
	int case_index, variant_index;
	struct progress *progress;
	int n_trials;
	int64_t load; /* of the trial before */
	int n_repeats;
};

/* the variant under which loads are found: base, or the first that can run */
static int base_variant(const struct session *session)
{
	int index = 0;

	while (session->skipped[index])
		index++;
	return index;
}

static bool is_searched(const struct session *session, int index)
{
	const struct case_load *load = &session->cases[index].load;

	return load->of_saturation && load->group == index && !load->saturation;
}

/* the metric that tells how full the machine is: the first that is better higher */
static const struct workload_metric *throughput_metric(const struct workload *workload)
{
	for (const struct workload_metric *metric = workload->metrics; metric->desc.name; metric++)
		if (metric->desc.better == BETTER_HIGHER)
			return metric;
	return NULL;
}

struct error *session_check_loads(const struct session *session)
{
	for (int i = 0; i < session->n_cases; i++) {
		const struct case_instance *instance = &session->cases[i];

		if (is_searched(session, i) && !throughput_metric(instance->workload))
			return error_at(ERR_INPUT, session->plan->file,
					instance->section->load_line,
					"case %s: workload %s has no throughput by which a "
					"saturation could be found",
					instance->name, instance->workload->name);
	}
	return NULL;
}

/* is the load how many are to be done in a second, and the throughput how many are? */
static bool is_offered(const struct case_instance *instance)
{
	const struct param *param = instance->params.values[instance->load.param].param;

	return param->unit &&
	       !strcmp(param->unit, throughput_metric(instance->workload)->desc.unit);
}

/* of a trial at that load; 0: at any that is not small */
static uint64_t search_runtime(const struct session *session, const struct case_instance *instance,
			       int64_t load)
{
	uint64_t runtime = instance->workload->program ? PROGRAM_NS : RUNTIME_NS;

	if (instance->workload->ends && runtime < session->plan->runtime_ns)
		runtime = session->plan->runtime_ns;
	if (load && is_offered(instance) && runtime < LEAST_ARRIVALS * RUNTIME_NS / load)
		runtime = LEAST_ARRIVALS * RUNTIME_NS / load;
	return runtime;
}

/*
 * Of what is offered, what is completed tells only from when on the first ones are done: a load that
 * seems not to be kept up with is tried again after a longer warm-up, in case each of them takes longer.
 */
static uint64_t search_warmup(struct load_search *search, const struct case_instance *instance,
			      int64_t load, uint64_t runtime)
{
	uint64_t warmup = WARMUP_NS;

	search->n_repeats = load == search->load ? search->n_repeats + 1 : 0;
	search->load = load;
	if (!is_offered(instance))
		return warmup;
	if (load < LEAST_ARRIVALS)
		warmup = runtime / 2;
	return warmup << (search->n_repeats < SATURATION_REPEAT ? search->n_repeats
								: SATURATION_REPEAT);
}

/* how many loads are to be found */
static int n_searches(const struct session *session)
{
	int n = 0;

	for (int i = 0; i < session->n_cases; i++)
		n += is_searched(session, i);
	return n;
}

double session_search_seconds(const struct session *session)
{
	double seconds = 0;

	for (int i = 0; i < session->n_cases; i++)
		if (is_searched(session, i))
			seconds +=
				(search_runtime(session, &session->cases[i], 0) + WARMUP_NS) / 1e9 +
				TRIAL_OVERHEAD_SECONDS;
	return seconds * USUAL_TRIALS;
}

/* ---- one trial at one load ---- */

static struct error *wait_for(struct load_search *search, struct trial_process *process)
{
	const volatile sig_atomic_t *interrupted = search->session->options->interrupted;

	while (!trial_process_ended(process)) {
		if (interrupted && *interrupted) {
			trial_process_stop(process);
			return error_new(ERR_INTERRUPTED, "interrupted in the search for a load; "
							  "nothing was stored");
		}
		trial_process_poll(&process, 1, LOOK_MILLISECONDS);
	}
	return NULL;
}

static struct error *take_throughput(const struct load_search *search, const struct trial *trial,
				     double *throughput)
{
	const struct workload *workload = search->session->cases[search->case_index].workload;
	const char *name = throughput_metric(workload)->desc.name;
	const struct metric *metric = trial_metric(trial, name);

	if (trial->status != TRIAL_OK)
		return error_new(ERR_INPUT, "a trial failed: %s", trial->reason);
	if (!metric || isnan(metric->value))
		return error_new(ERR_INPUT, "a trial has no %s", name);
	*throughput = metric->value;
	return NULL;
}

/*
 * What the search is for: the case; for several the name without the load that they differ in, and how
 * many they are. A new string
 */
static char *name_of_group(const struct session *session, int group)
{
	const char *name = session->cases[group].name;
	const char *load = strstr(name, " load=");
	int n = 0;

	for (int i = 0; i < session->n_cases; i++)
		n += session->cases[i].load.of_saturation && session->cases[i].load.group == group;
	if (n == 1 || !load)
		return memory_string(name);
	return memory_format("%.*s%s (%d loads)", (int)(load - name), name,
			     load + 1 + strcspn(load + 1, " "), n);
}

static void show(struct load_search *search, int64_t load)
{
	const struct case_instance *instance = &search->session->cases[search->case_index];
	autofree char *name = name_of_group(search->session, search->case_index);
	autofree char *what =
		memory_format("search for saturation: %s, %s=%" PRId64, name,
			      instance->params.values[instance->load.param].param->name, load);

	progress_show(search->progress, search->n_trials++, what);
}

static struct error *measure(int64_t load, int number, void *data, double *throughput)
{
	struct load_search *search = data;
	struct session *session = search->session;
	struct case_instance *instance = &session->cases[search->case_index];
	const struct backend *backend = session->backends[search->variant_index];
	struct param_value *value = &instance->params.values[instance->load.param];
	struct trial_order order = {
		.plan = &search->plan,
		.instance = instance,
		.variant = &session->plan->variants[search->variant_index],
		.machine = instance->machine,
		.kernel = session_kernel(session, search->variant_index),
		.seed = session->plan->seed + (uint64_t)number,
		.interrupted = session->options->interrupted,
	};
	struct trial_process *process;
	struct trial trial = { 0 };
	struct error *error, *cut;

	show(search, load);
	search->plan.runtime_ns = search_runtime(session, instance, load);
	search->plan.warmup_ns = search_warmup(search, instance, load, search->plan.runtime_ns);
	value->number = load;
	error = backend->start(&order, &process);
	if (error)
		return error;
	cut = wait_for(search, process);
	error = backend->finish(process, &trial);
	if (cut) {
		error_free(error);
		error = cut;
	}
	if (!error)
		error = take_throughput(search, &trial, throughput);
	trial_clear(&trial);
	return error_prefix(error, "%s=%" PRId64, value->param->name, load);
}

/* ---- one search, and all of them ---- */

static void set_group(struct session *session, int group, int64_t saturation)
{
	for (int i = 0; i < session->n_cases; i++)
		if (session->cases[i].load.of_saturation && session->cases[i].load.group == group)
			case_load_found(&session->cases[i], saturation);
}

static void record(const struct load_search *search, const struct saturation *found)
{
	struct session *session = search->session;
	const struct case_instance *instance = &session->cases[search->case_index];
	const struct workload_metric *metric = throughput_metric(instance->workload);
	json_t *points = json_array();

	for (int i = 0; i < found->n; i++)
		json_array_append_new(points, json_pack("[I, f]", (json_int_t)found->points[i].load,
							found->points[i].throughput));
	if (!session->loads)
		session->loads = json_array();
	json_array_append_new(session->loads,
			      json_pack("{s:s, s:s, s:I, s:s, s:s, s:s, s:f, s:o}", "case",
					instance->name, "parameter",
					instance->params.values[instance->load.param].param->name,
					"saturation", (json_int_t)found->load, "variant",
					session->plan->variants[search->variant_index].name,
					"metric", metric->desc.name, "unit", metric->desc.unit,
					"throughput", found->throughput, "searched", points));
}

static void say(struct load_search *search, const struct saturation *found)
{
	const struct case_instance *instance = &search->session->cases[search->case_index];
	autofree char *name = name_of_group(search->session, search->case_index);

	progress_clear(search->progress);
	fprintf(stderr, "fairtrial: %s: saturation at %s=%" PRId64 ", found with %d short trials\n",
		name, instance->params.values[instance->load.param].param->name, found->load,
		found->n);
}

/* halves @most until the case can be run */
static int64_t most_possible(struct load_search *search, int64_t least, int64_t most)
{
	struct case_instance *instance = &search->session->cases[search->case_index];
	struct param_value *value = &instance->params.values[instance->load.param];

	for (; most > least; most /= 2) {
		struct error *error;

		value->number = most;
		error = case_check(search->session->plan, instance);
		if (!error)
			error = session_check_memory(search->session, search->case_index);
		if (!error)
			error = session_check_limits(search->session, search->case_index);
		if (!error)
			break;
		error_free(error);
	}
	return most < least ? least : most;
}

/* what was checked with the least load before, with the load that was found */
static struct error *check_group(const struct session *session, int group)
{
	struct error *error = NULL;

	for (int i = 0; i < session->n_cases && !error; i++) {
		const struct case_load *load = &session->cases[i].load;

		if (!load->of_saturation || load->group != group)
			continue;
		error = case_check(session->plan, &session->cases[i]);
		if (!error)
			error = session_check_memory(session, i);
		if (!error)
			error = session_check_limits(session, i);
	}
	return error;
}

static struct saturation_range range_of(struct load_search *search)
{
	const struct case_instance *instance = &search->session->cases[search->case_index];
	const struct param *param = instance->params.values[instance->load.param].param;
	struct saturation_range range = {
		.start = plan_counts(instance->machine, instance->cpus).nr_cpus / 4,
		.least = param->min > 0 ? param->min : 1,
		.most = param->max && param->max < MOST_LOAD ? param->max : MOST_LOAD,
		.offered = is_offered(instance),
	};

	if (range.offered && range.least < LEAST_ARRIVALS / LONGEST_SECONDS)
		range.least = LEAST_ARRIVALS / LONGEST_SECONDS;
	if (range.offered && range.start < LEAST_ARRIVALS)
		range.start = LEAST_ARRIVALS;
	range.most = most_possible(search, range.least, range.most);
	if (range.start < range.least)
		range.start = range.least;
	if (range.start > range.most)
		range.start = range.most;
	return range;
}

static struct error *search_one(struct load_search *search)
{
	struct saturation_range range = range_of(search);
	autofree char *name = name_of_group(search->session, search->case_index);
	struct saturation found;
	struct error *error = saturation_search(&range, measure, search, &found);

	if (!error) {
		say(search, &found);
		set_group(search->session, search->case_index, found.load);
		record(search, &found);
	}
	saturation_clear(&found);
	if (!error)
		return check_group(search->session, search->case_index);
	if (error->code == ERR_INTERRUPTED)
		return error;
	return error_prefix(error, "case %s: search for its saturation", name);
}

struct error *session_find_loads(struct session *session)
{
	int n = n_searches(session);
	struct load_search search = {
		.session = session,
		.plan = *session->plan,
		.variant_index = base_variant(session),
	};
	struct error *error = NULL;

	if (!n)
		return NULL;
	search.plan.n_monitors = 0;
	search.plan.events = NULL;
	search.progress = progress_start(n * USUAL_TRIALS);
	for (int i = 0; i < session->n_cases && !error; i++) {
		search.case_index = i;
		search.load = 0;
		if (is_searched(session, i))
			error = search_one(&search);
	}
	progress_end(search.progress);
	return error;
}

/* ---- a run that is taken up again ---- */

static struct error *take_load(struct session *session, const json_t *load)
{
	const char *name = json_string_value(json_object_get(load, "case"));
	const json_t *saturation = json_object_get(load, "saturation");

	for (int i = 0; name && i < session->n_cases; i++) {
		if (strcmp(session->cases[i].name, name) != 0 || !is_searched(session, i))
			continue;
		if (!json_is_integer(saturation) || json_integer_value(saturation) < 1)
			break;
		set_group(session, i, json_integer_value(saturation));
		return NULL;
	}
	return error_new(ERR_MISMATCH, "the load that was found for case %s does not fit the plan",
			 name ? name : "?");
}

struct error *session_take_loads(struct session *session, const struct run *run)
{
	const json_t *loads = json_object_get(run->environment, "loads");
	struct error *error = NULL;

	for (size_t i = 0; i < json_array_size(loads) && !error; i++)
		error = take_load(session, json_array_get(loads, i));
	if (!error && n_searches(session))
		error = error_new(ERR_MISMATCH, "run %lld has no load for some case",
				  (long long)run->id);
	if (!error && loads)
		session->loads = json_deep_copy(loads);
	return error;
}
