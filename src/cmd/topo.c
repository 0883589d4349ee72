// SPDX-License-Identifier: GPL-2.0-only
/* topo.c - `fairtrial topo`: a machine as the scheduler sees it */
#include "cmd/topo.h"
#include "cmd/topo_domains.h"
#include "cmd/verb.h"

static const struct option_desc options[] = {
	{ "kernel", 0, "K", "also the sched domains as that simulated kernel builds them", false },
	{ "json", 0, NULL, "print one JSON object", false },
	{ "svg", 0, "FILE", "also draw it into a new file, by lstopo", false },
	{ "save", 0, "FILE", "also write it into a new machine file (.machine)", false },
	{ "force", 'f', NULL, "let --svg and --save replace a file", false },
	{ "list", 0, NULL, "list the ready machines", false },
	{ 0 },
};

/* the list is all that is printed */
static struct error *topo_list_asked(const struct arguments *arguments)
{
	if (arguments->n_words || arguments->n_values > 1)
		return error_new(ERR_USAGE,
				 "topo: --list goes with no machine and no other option");
	topo_list();
	return NULL;
}

static struct error *run(const struct arguments *arguments, int *status)
{
	const char *svg = option_value(arguments, "svg", NULL);
	const char *kernel = option_value(arguments, "kernel", NULL);
	const char *save = option_value(arguments, "save", NULL);
	struct topo_domains domains = { 0 };
	struct machine *machine;
	struct error *error;

	(void)status;
	if (option_given(arguments, "list"))
		return topo_list_asked(arguments);
	if (option_given(arguments, "force") && !svg && !save)
		return error_new(ERR_USAGE, "topo: --force needs --svg or --save");
	error = machine_open(arguments->n_words ? arguments->words[0] : NULL, &machine);
	if (error)
		return error;
	if (svg)
		error = topo_draw(machine, svg, option_given(arguments, "force"));
	if (!error && save)
		error = topo_save(machine, save, option_given(arguments, "force"));
	if (!error && kernel)
		error = topo_domains_read(machine, kernel, &domains);
	if (!error && option_given(arguments, "json")) {
		topo_print_json(machine,
				kernel ? domains_json(domains.kinds, domains.n_kinds) : NULL);
	} else if (!error) {
		topo_print(machine);
		if (kernel)
			topo_domains_print(&domains);
	}
	topo_domains_clear(&domains);
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
