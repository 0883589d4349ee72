// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/topo_domains.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sim_kernel.h"
#include "base/memory.h"

#define WIDTH	    78
#define SPANS_SHOWN 4

struct error *topo_domains_read(const struct machine *machine, const char *kernel,
				struct topo_domains *out)
{
	struct sim_kernel *found = NULL;
	struct sim_model *model = NULL;
	struct sim *sim;
	struct error *error = sim_kernel_find(kernel, &found);

	if (!error)
		error = model_read(machine, &model);
	if (!error)
		error = sim_boot(machine, model, found->library, false, &sim);
	if (!error) {
		out->version = memory_string(sim_kernel(sim)->version);
		domains_read(sim, &out->kinds, &out->n_kinds);
	}
	sim_kernel_free(found);
	if (error)
		model_free(model);
	return error; /* the machine stays up, and its figures with it, until the process ends */
}

void topo_domains_clear(struct topo_domains *domains)
{
	domains_free(domains->kinds, domains->n_kinds);
	free(domains->version);
}

/* words separated by spaces, from column @indent on; the cursor is there */
static void print_words(int indent, const char *text)
{
	autofree char *copy = memory_string(text);
	int column = indent;
	char *rest = copy, *word;

	while ((word = strsep(&rest, " "))) {
		if (column > indent && column + 1 + (int)strlen(word) > WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
		}
		column += printf("%s%s", column > indent ? " " : "", word);
	}
	putchar('\n');
}

static void print_spans(const struct domain_kind *kind)
{
	for (int i = 0; i < kind->n_spans && i < SPANS_SHOWN; i++) {
		autofree char *list = cpulist_format(kind->spans[i]);

		for (char *at = list; *at; at++) /* long lists break at their commas */
			if (*at == ',' && strlen(list) > WIDTH - 8)
				*at = ' ';
		printf("        ");
		print_words(8, list);
	}
	if (kind->n_spans > SPANS_SHOWN)
		printf("        ... %d more (--json has all)\n", kind->n_spans - SPANS_SHOWN);
}

void topo_domains_print(const struct topo_domains *domains)
{
	printf("\nsched domains as Linux %s builds them\n", domains->version);
	printf("%-6s%-6s%8s%8s%8s%15s%13s\n", "level", "name", "domains", "CPUs", "groups",
	       "imbalance_pct", "imb_numa_nr");
	for (int i = 0; i < domains->n_kinds; i++) {
		const struct domain_kind *kind = &domains->kinds[i];

		printf("%-6d%-6s%8d%8d%8d%15u", kind->level, *kind->name ? kind->name : "-",
		       kind->n_spans, kind->n_cpus, kind->n_groups, kind->imbalance_pct);
		if (kind->imb_numa_nr >= 0)
			printf("%13d\n", kind->imb_numa_nr);
		else
			printf("%13s\n", "-");
		print_spans(kind);
		printf("        ");
		print_words(8, kind->flags);
	}
}
