// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_program.c - cases that run programs of others: are these there, and which versions?
 *
 * A case whose program is missing refuses the plan; with --skip-unavailable it is left out, and the run
 * keeps why.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/session_private.h"
#include "base/memory.h"
#include "workload/program.h"

/* a case that only simulated variants would run is refused by what they offer, with a better reason */
static bool runs_here(const struct session *session, const struct case_instance *instance)
{
	if (!instance->workload->program || !instance->machine->live)
		return false;
	for (int i = 0; i < session->plan->n_variants; i++) {
		const char *name = session->options->backend ? session->options->backend
							     : session->plan->variants[i].backend;

		if (!name || !strcmp(name, backend_live.name))
			return true;
	}
	return false;
}

static void leave_out(struct session *session, int index, const struct error *error)
{
	struct case_instance *instance = &session->cases[index];

	if (!session->left_out)
		session->left_out = json_object();
	json_object_set_new(session->left_out, instance->name, json_string(error->message));
	fprintf(stderr, "fairtrial: case %s is left out: %s\n", instance->name, error->message);
	case_instance_clear(instance);
	session->n_cases--;
	memmove(instance, instance + 1, (session->n_cases - index) * sizeof(*instance));
	/* cases that share a search for their load know its first one by number */
	for (int i = 0; i < session->n_cases; i++)
		if (session->cases[i].load.group > index)
			session->cases[i].load.group--;
}

static struct error *check_case(struct session *session, int index)
{
	struct case_instance *instance = &session->cases[index];
	const struct program_times times = { session->plan->runtime_ns, session->plan->warmup_ns };
	struct error *error = program_ready(instance->workload, &instance->params, &times,
					    &instance->program_version);

	if (!error)
		return NULL;
	if (error->code == ERR_UNAVAILABLE && session->options->skip_unavailable) {
		leave_out(session, index, error);
		error_free(error);
		return NULL;
	}
	error = error_prefix(error, "case %s", instance->name);
	if (!error->file) {
		error->file = memory_string(session->plan->file);
		error->line = instance->section->line;
	}
	return error;
}

static void warn_about_warmup(const struct session *session)
{
	int line = plan_line(session->plan, NULL, "warmup");

	if (line)
		fprintf(stderr,
			"fairtrial: warning: %s:%d: warmup: programs of others are measured from "
			"their start; schbench alone takes a warm-up\n",
			session->plan->file, line);
}

struct error *session_check_programs(struct session *session)
{
	struct error *error = NULL;
	bool any = false;

	for (int i = 0; !error && i < session->n_cases;) {
		int before = session->n_cases;

		if (runs_here(session, &session->cases[i])) {
			any = true;
			error = check_case(session, i);
		}
		i += session->n_cases == before; /* one that is left out is taken from the list */
	}
	if (!error && any && session->plan->warmup_ns)
		warn_about_warmup(session);
	if (!error && !session->n_cases)
		error = error_at(ERR_UNAVAILABLE, session->plan->file, 0,
				 "no case is left that can run here");
	return error;
}
