// SPDX-License-Identifier: GPL-2.0-only
#include "sim/domains.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/engine.h"

static bool same_kind(const struct domain_kind *kind, const struct ksched_domain *domain,
		      const char *flags)
{
	return kind->level == domain->level && !strcmp(kind->name, domain->name) &&
	       !strcmp(kind->flags, flags) && kind->n_cpus == domain->weight &&
	       kind->n_groups == domain->nr_groups && kind->imb_numa_nr == domain->imb_numa_nr;
}

static struct domain_kind *kind_of(const struct sim *sim, const struct ksched_domain *domain,
				   struct domain_kind **kinds, int *n)
{
	struct domain_kind *kind;
	char flags[1024] = "";

	sim->kernel->domain_flags(domain->flags, flags, sizeof(flags));
	for (int i = 0; i < *n; i++)
		if (same_kind(&(*kinds)[i], domain, flags))
			return &(*kinds)[i];
	kind = array_append(*kinds, *n);
	kind->level = domain->level;
	kind->name = memory_string(domain->name);
	kind->flags = memory_string(flags);
	kind->n_cpus = domain->weight;
	kind->n_groups = domain->nr_groups;
	kind->imb_numa_nr = domain->imb_numa_nr;
	kind->imbalance_pct = domain->imbalance_pct;
	return kind;
}

static void add_span(const struct sim *sim, const uint64_t *mask, struct domain_kind *kind)
{
	hwloc_bitmap_t span = hwloc_bitmap_alloc();

	shape_set(sim->shape, mask, span);
	for (int i = kind->n_spans - 1; i >= 0; i--) /* neighbours mostly share one */
		if (hwloc_bitmap_isequal(kind->spans[i], span)) {
			hwloc_bitmap_free(span);
			return;
		}
	*array_append(kind->spans, kind->n_spans) = span;
}

void domains_read(struct sim *sim, struct domain_kind **out, int *n)
{
	struct domain_kind *kinds = NULL;
	struct ksched_domain domain;
	bool more = true;

	*n = 0;
	for (int level = 0; more; level++) {
		more = false;
		for (int cpu = 0; cpu < sim->n_cpus; cpu++) {
			if (sim->kernel->domain(cpu, level, &domain))
				continue;
			domain.level = level;
			add_span(sim, domain.span, kind_of(sim, &domain, &kinds, n));
			more = true;
		}
	}
	*out = kinds;
}

void domains_free(struct domain_kind *kinds, int n)
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < kinds[i].n_spans; j++)
			hwloc_bitmap_free(kinds[i].spans[j]);
		free(kinds[i].spans);
		free(kinds[i].name);
		free(kinds[i].flags);
	}
	free(kinds);
}

static json_t *spans_json(const struct domain_kind *kind)
{
	json_t *array = json_array();

	for (int i = 0; i < kind->n_spans; i++) {
		autofree char *cpus = cpulist_format(kind->spans[i]);

		json_array_append_new(array, json_string(cpus));
	}
	return array;
}

json_t *domains_json(const struct domain_kind *kinds, int n)
{
	json_t *array = json_array();

	for (int i = 0; i < n; i++) {
		json_t *object =
			json_pack("{s:i, s:s, s:i, s:i, s:i, s:s, s:o}", "level", kinds[i].level,
				  "name", kinds[i].name, "cpus", kinds[i].n_cpus, "groups",
				  kinds[i].n_groups, "imbalance_pct", (int)kinds[i].imbalance_pct,
				  "flags", kinds[i].flags, "spans", spans_json(&kinds[i]));

		json_object_set_new(object, "imb_numa_nr",
				    kinds[i].imb_numa_nr < 0 ? json_null()
							     : json_integer(kinds[i].imb_numa_nr));
		json_array_append_new(array, object);
	}
	return array;
}
