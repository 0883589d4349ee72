// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_monitor.c - which of the plan's monitors have nothing to say, told once each
 *
 * Before the first trial, as settings are, by asking the backends; what only a trial shows (a kernel
 * that counts nothing) after the first one. The reason is stored with each metric of each trial.
 */
#include "backend/session_private.h"

#include <stdlib.h>

#include "base/memory.h"
#include "monitor/monitor.h"

void session_say_monitors(struct session *session, const struct trial *trial,
			  void (*before)(void *), void *data)
{
	const struct plan *plan = session->plan;
	bool said = false;

	for (int i = 0; i < plan->n_monitors; i++) {
		const struct monitor *monitor = monitor_find(plan->monitors[i]);
		const char *reason = monitor ? monitor_reason(monitor, trial) : NULL;

		if (!reason || session->monitors_said[i])
			continue;
		if (before && !said)
			before(data);
		fprintf(stderr, "fairtrial: monitor %s is not available: %s\n", monitor->name,
			reason);
		session->monitors_said[i] = said = true;
	}
}

/* the first variant that runs on a backend stands for all of them */
static bool is_first_of_backend(const struct session *session, int index)
{
	if (session->skipped[index])
		return false;
	for (int i = 0; i < index; i++)
		if (!session->skipped[i] && session->backends[i] == session->backends[index])
			return false;
	return true;
}

void session_probe_monitors(struct session *session)
{
	const struct plan *plan = session->plan;

	session->monitors_said = memory_zeroed(plan->n_monitors, sizeof(*session->monitors_said));
	for (int i = 0; plan->n_monitors && session->n_cases && i < plan->n_variants; i++) {
		struct trial trial = { 0 };

		if (!is_first_of_backend(session, i) ||
		    session_is_elsewhere(session, i, session->cases[0].machine))
			continue;
		session->backends[i]->probe_monitors(plan, &session->cases[0], &trial);
		session_say_monitors(session, &trial, NULL, NULL);
		trial_clear(&trial);
	}
}
