// SPDX-License-Identifier: GPL-2.0-only
/* topo.c - `fairtrial topo`: a machine as the scheduler sees it */
#include "cmd/topo.h"
#include "cmd/verb.h"

static const struct option_desc options[] = {
	{ "json", 0, NULL, "print one JSON object", false },
	{ "svg", 0, "FILE", "also draw it into a new file, by lstopo", false },
	{ "force", 'f', NULL, "let --svg replace a file", false },
	{ 0 },
};

static struct error *run(const struct arguments *arguments, int *status)
{
	const char *svg = option_value(arguments, "svg", NULL);
	struct machine *machine;
	struct error *error;

	(void)status;
	if (option_given(arguments, "force") && !svg)
		return error_new(ERR_USAGE, "topo: --force needs --svg");
	error = machine_open(arguments->n_words ? arguments->words[0] : NULL, &machine);
	if (error)
		return error;
	if (svg)
		error = topo_draw(machine, svg, option_given(arguments, "force"));
	if (!error && option_given(arguments, "json"))
		topo_print_json(machine);
	else if (!error)
		topo_print(machine);
	machine_close(machine);
	return error;
}

const struct verb verb_topo = {
	.name = "topo",
	.usage = "[MACHINE]",
	.summary = "show a machine as the scheduler sees it",
	.options = options,
	.min_words = 0,
	.max_words = 1,
	.run = run,
};
