// SPDX-License-Identifier: GPL-2.0-only
/* topology.c - what hwloc knows, as the scheduler sees it */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "machine/build.h"

/* the newest major version of the XML format that hwloc 2 reads */
#define XML_MAJOR 2

/* of a CPU or node, as in CPU lists */
#define MOST_NUMBER 65535

/* An environment variable of hwloc for the time of one load; it must not reach workloads. */
struct variable {
	const char *name;
	char *before;
};

static struct variable variable_set(const char *name, const char *value)
{
	const char *before = getenv(name);
	struct variable variable = { name, before ? memory_string(before) : NULL };

	setenv(name, value, 1);
	return variable;
}

static void variable_restore(struct variable *variable)
{
	if (variable->before)
		setenv(variable->name, variable->before, 1);
	else
		unsetenv(variable->name);
	free(variable->before);
}

static hwloc_topology_t topology_new(void)
{
	hwloc_topology_t topology;

	if (hwloc_topology_init(&topology))
		return NULL;
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
	return topology;
}

/* loads, after @set told the topology where from; 0 if both succeed, else -1 and errno */
static int load(hwloc_topology_t topology, int set)
{
	struct variable quiet;
	int failed;

	if (!topology)
		return -1;
	if (set) {
		hwloc_topology_destroy(topology);
		return -1;
	}
	/* 2: also what it takes for critical; the caller reports the failure */
	quiet = variable_set("HWLOC_HIDE_ERRORS", "2");
	failed = hwloc_topology_load(topology);
	variable_restore(&quiet);
	if (failed)
		hwloc_topology_destroy(topology);
	return failed;
}

/* the version attribute of the root element, or "1.0": hwloc 1 wrote none */
static char *xml_version(const char *text)
{
	const char *root = strstr(text, "<topology");
	const char *end, *version;

	if (!root)
		return NULL;
	end = strchrnul(root, '>');
	version = strstr(root, "version=\"");
	if (!version || version > end)
		return memory_string("1.0");
	version += strlen("version=\"");
	return memory_string_n(version, strcspn(version, "\"\n"));
}

struct error *topology_load_xml(const char *path, hwloc_topology_t *out)
{
	hwloc_topology_t topology;
	autofree char *text = NULL;
	autofree char *version = NULL;
	struct error *error;
	size_t length;
	int set;

	error = file_read(path, &text, &length);
	if (error)
		return error;
	version = xml_version(text);
	if (!version)
		return error_at(ERR_INPUT, path, 0,
				"not an hwloc XML file: it has no <topology> element");
	if (atoi(version) > XML_MAJOR)
		return error_at(ERR_INPUT, path, 0,
				"written in format %.20s by a newer hwloc; this hwloc (%s) reads "
				"formats 1 and %d",
				version, HWLOC_VERSION, XML_MAJOR);
	topology = topology_new();
	set = topology ? hwloc_topology_set_xmlbuffer(topology, text, length + 1) : -1;
	if (load(topology, set))
		return error_at(ERR_INPUT, path, 0,
				"not a whole hwloc XML file: hwloc %s "
				"cannot read it",
				HWLOC_VERSION);
	*out = topology;
	return NULL;
}

/*
 * The product of the numbers outside of parentheses: "pack:2 [numa] 4 pu:2" has 16 CPUs. hwloc would
 * work for hours on a typing error.
 */
static double synthetic_cpus(const char *text)
{
	double product = 1;
	int depth = 0;

	for (const char *at = text; *at; at++) {
		bool starts = at == text || at[-1] == ' ' || at[-1] == ':';

		depth += (*at == '(') - (*at == ')');
		if (!depth && starts && *at >= '0' && *at <= '9')
			product *= strtod(at, NULL);
	}
	return product;
}

/*
 * Has each CPU and node a number of its own, and do CPUs have those of the last level's list
 * "indexes=0,2,1,3"? hwloc takes a number twice, and passes over a list that does not fit.
 */
static bool indexes_hold(const char *text, hwloc_topology_t topology)
{
	hwloc_const_bitmap_t cpus = hwloc_topology_get_topology_cpuset(topology);
	hwloc_const_bitmap_t nodes = hwloc_topology_get_topology_nodeset(topology);
	const char *level = strrchr(text, ' ');
	const char *list = strstr(level ? level : text, "indexes=");
	autofree char *numbers = NULL;
	hwloc_bitmap_t asked;
	struct error *error;
	int n_asked = 1;
	bool hold;

	if (hwloc_bitmap_weight(cpus) != hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU) ||
	    hwloc_bitmap_weight(nodes) != hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE))
		return false;
	if (!list)
		return true;
	list += strlen("indexes=");
	/* "indexes=2*4:..." and "indexes=core:pu" are rules */
	if (list[strspn(list, "0123456789,")] != ')')
		return true;
	asked = hwloc_bitmap_alloc();
	numbers = memory_string_n(list, strcspn(list, ")"));
	error = cpulist_parse(numbers, asked);
	for (const char *at = numbers; *at; at++)
		n_asked += *at == ',';
	hold = !error && hwloc_bitmap_isequal(asked, cpus) && n_asked == hwloc_bitmap_weight(cpus);
	error_free(error);
	hwloc_bitmap_free(asked);
	return hold;
}

/* hwloc fills bitmaps up to any number that it is given: 9999999999 takes all memory */
static bool indexes_small(const char *text)
{
	for (const char *at = text; (at = strstr(at, "indexes="));) {
		at += strlen("indexes=");
		while (*at && *at != ')' && *at != ' ') {
			char *end = (char *)at + 1;

			if (*at >= '0' && *at <= '9' && strtoull(at, &end, 10) > MOST_NUMBER)
				return false;
			at = end;
		}
	}
	return true;
}

struct error *topology_load_synthetic(const char *text, const char *file, int line,
				      hwloc_topology_t *out)
{
	hwloc_topology_t topology;

	if (synthetic_cpus(text) > MACHINE_MOST_CPUS)
		return error_at(ERR_INPUT, file, line,
				"'%.200s' has more than %d CPUs, the most that Linux can have",
				text, MACHINE_MOST_CPUS);
	if (!indexes_small(text))
		return error_at(ERR_INPUT, file, line, "an index of '%.200s' is above %d", text,
				MOST_NUMBER);
	topology = topology_new();
	if (load(topology, topology ? hwloc_topology_set_synthetic(topology, text) : -1))
		return error_at(ERR_INPUT, file, line,
				"'%.200s' is not a synthetic machine that hwloc can build, such as "
				"'pack:2 l3:4 core:8 pu:2'",
				text);
	if (!indexes_hold(text, topology)) {
		hwloc_topology_destroy(topology);
		return error_at(
			ERR_INPUT, file, line,
			"the indexes of '%.200s' do not give every CPU and node one number of "
			"its own",
			text);
	}
	*out = topology;
	return NULL;
}

struct error *topology_load_live(const char *root, hwloc_topology_t *out)
{
	hwloc_topology_t topology = topology_new();
	struct variable fsroot;
	int failed;

	if (*root)
		fsroot = variable_set("HWLOC_FSROOT", root);
	failed = load(topology, 0);
	if (*root)
		variable_restore(&fsroot);
	if (failed)
		return error_errno("hwloc cannot read the topology of this machine");
	*out = topology;
	return NULL;
}

static bool is_shared_cache(hwloc_obj_t object)
{
	return object->type >= HWLOC_OBJ_L2CACHE && object->type <= HWLOC_OBJ_L5CACHE;
}

/* what the kernel calls the LLC: the cache furthest from the CPU. An L1 alone is not one. */
static hwloc_obj_t find_llc(hwloc_obj_t pu)
{
	hwloc_obj_t llc = NULL;

	for (hwloc_obj_t object = pu->parent; object; object = object->parent)
		if (is_shared_cache(object))
			llc = object;
	return llc;
}

/*
 * A level between core and LLC: what the kernel calls a cluster, where hwloc read it from sysfs, else
 * the cores that share an L2.
 */
static hwloc_obj_t find_cluster(hwloc_topology_t topology, hwloc_obj_t pu, hwloc_obj_t llc)
{
	hwloc_obj_t cluster = NULL;

	for (hwloc_obj_t object = pu->parent; object; object = object->parent) {
		bool named = object->type == HWLOC_OBJ_GROUP && object->subtype &&
			     !strcmp(object->subtype, "Cluster");

		if (llc && !hwloc_bitmap_isincluded(object->cpuset, llc->cpuset))
			break;
		if (llc && hwloc_bitmap_isequal(object->cpuset, llc->cpuset))
			break;
		if (!named && !is_shared_cache(object))
			continue;
		if (hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset,
							   HWLOC_OBJ_CORE) < 2)
			continue;
		cluster = object;
		if (named)
			break;
	}
	return cluster;
}

static hwloc_obj_t find_object(hwloc_topology_t topology, hwloc_obj_t pu, enum machine_level level)
{
	hwloc_obj_t llc = find_llc(pu);

	switch (level) {
	case LEVEL_CORE:
		return hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
	case LEVEL_CLUSTER:
		return find_cluster(topology, pu, llc);
	case LEVEL_LLC:
		return llc;
	case LEVEL_PACKAGE:
		return hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, pu);
	default:
		return NULL;
	}
}

static uint64_t object_bytes(hwloc_obj_t object)
{
	return hwloc_obj_type_is_cache(object->type) ? object->attr->cache.size : 0;
}

static void read_level(struct machine *machine, enum machine_level level)
{
	hwloc_bitmap_t seen = hwloc_bitmap_alloc();
	hwloc_obj_t pu = NULL;

	while ((pu = hwloc_get_next_obj_by_type(machine->topology, HWLOC_OBJ_PU, pu))) {
		hwloc_obj_t object;

		if (hwloc_bitmap_isset(seen, pu->os_index))
			continue;
		object = find_object(machine->topology, pu, level);
		if (!object)
			continue;
		hwloc_bitmap_or(seen, seen, object->cpuset);
		machine_add_group(machine, level, (int)object->os_index, object->cpuset,
				  object_bytes(object));
	}
	hwloc_bitmap_free(seen);
}

/* Of nodes that claim the same CPU the narrowest has it, then the lowest number: hwloc gives a node
 * without CPUs (CXL, HBM in flat mode) the CPUs that are close to it. */
static hwloc_obj_t node_of(hwloc_topology_t topology, int cpu)
{
	hwloc_obj_t node = NULL, best = NULL;

	while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))) {
		int weight = hwloc_bitmap_weight(node->cpuset), best_weight;

		if (!hwloc_bitmap_isset(node->cpuset, cpu))
			continue;
		best_weight = best ? hwloc_bitmap_weight(best->cpuset) : 0;
		if (!best || weight < best_weight ||
		    (weight == best_weight && node->os_index < best->os_index))
			best = node;
	}
	return best;
}

static void read_nodes(struct machine *machine)
{
	int n = hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_NUMANODE);
	hwloc_bitmap_t *sets = memory_zeroed(n > 0 ? n : 0, sizeof(*sets));
	int cpu;

	for (int i = 0; i < n; i++)
		sets[i] = hwloc_bitmap_alloc();
	hwloc_bitmap_foreach_begin(cpu, machine->online)
	{
		hwloc_obj_t node = node_of(machine->topology, cpu);

		if (node)
			hwloc_bitmap_set(sets[node->logical_index], cpu);
	}
	hwloc_bitmap_foreach_end();
	for (int i = 0; i < n; i++) {
		hwloc_obj_t node = hwloc_get_obj_by_type(machine->topology, HWLOC_OBJ_NUMANODE, i);

		machine_add_group(machine, LEVEL_NODE, (int)node->os_index, sets[i],
				  node->attr->numanode.local_memory);
		hwloc_bitmap_free(sets[i]);
	}
	free(sets);
}

/* hwloc puts the least efficient kind first, which is the slowest */
static void read_kinds(struct machine *machine)
{
	int n = hwloc_cpukinds_get_nr(machine->topology, 0);

	for (int i = 0; n > 1 && i < n; i++) {
		struct machine_kind *kind = array_append(machine->kinds, machine->n_kinds);
		struct hwloc_info_s *infos = NULL;
		unsigned n_infos = 0;

		kind->cpus = hwloc_bitmap_alloc();
		hwloc_cpukinds_get_info(machine->topology, i, kind->cpus, NULL, &n_infos, &infos,
					0);
		for (unsigned k = 0; k < n_infos; k++)
			if (!strcmp(infos[k].name, "CoreType") && !kind->name)
				kind->name = memory_string(infos[k].value);
	}
}

void topology_read(struct machine *machine)
{
	hwloc_topology_t topology = machine->topology;

	hwloc_bitmap_copy(machine->possible, hwloc_topology_get_complete_cpuset(topology));
	hwloc_bitmap_copy(machine->online, hwloc_topology_get_topology_cpuset(topology));
	for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++)
		if (level != LEVEL_NODE)
			read_level(machine, level);
	read_nodes(machine);
	read_kinds(machine);
}

/* the level of @synthetic that starts with @type, such as "l3:4(size=32MiB)", has that attribute */
static bool synthetic_tells(const char *synthetic, const char *type, const char *attribute)
{
	const char *at = synthetic;

	while ((at = strcasestr(at, type))) {
		const char *open = at + strcspn(at, "( ]");
		size_t length = *open == '(' ? strcspn(open, ")") : 0;
		const char *found = strstr(open, attribute);

		if ((at == synthetic || at[-1] == ' ' || at[-1] == '[') && found &&
		    found < open + length)
			return true;
		at++;
	}
	return false;
}

void synthetic_forget_defaults(struct machine *machine, const char *synthetic)
{
	static const char *const caches[] = { "l5", "l4", "l3", "l2" };
	const char *llc = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(caches) && !llc; i++)
		if (strcasestr(synthetic, caches[i]))
			llc = caches[i];
	for (int i = 0; i < machine->n_groups[LEVEL_NODE]; i++)
		if (!synthetic_tells(synthetic, "numa", "memory="))
			machine->groups[LEVEL_NODE][i].bytes = 0;
	for (int i = 0; i < machine->n_groups[LEVEL_LLC]; i++)
		if (!llc || !synthetic_tells(synthetic, llc, "size="))
			machine->groups[LEVEL_LLC][i].bytes = 0;
	for (int i = 0; i < machine->n_groups[LEVEL_CLUSTER]; i++)
		if (!synthetic_tells(synthetic, "l2", "size="))
			machine->groups[LEVEL_CLUSTER][i].bytes = 0;
}

/* position in @distances of the node with that number, -1 */
static int find_node(const struct hwloc_distances_s *distances, int id)
{
	for (unsigned i = 0; i < distances->nbobjs; i++)
		if ((int)distances->objs[i]->os_index == id)
			return i;
	return -1;
}

static unsigned *copy_table(const struct machine *machine,
			    const struct hwloc_distances_s *distances)
{
	int n = machine->n_groups[LEVEL_NODE];
	unsigned *table = memory_zeroed((size_t)n * n, sizeof(*table));

	for (int i = 0; i < n; i++) {
		int from = find_node(distances, machine->groups[LEVEL_NODE][i].id);

		for (int k = 0; k < n; k++) {
			int to = find_node(distances, machine->groups[LEVEL_NODE][k].id);
			hwloc_uint64_t value;

			if (from < 0 || to < 0) {
				free(table);
				return NULL;
			}
			value = distances->values[(unsigned)from * distances->nbobjs + to];
			table[i * n + k] = value > UINT32_MAX ? UINT32_MAX : value;
		}
	}
	return table;
}

struct error *topology_read_distances(struct machine *machine)
{
	struct hwloc_distances_s *distances;
	struct error *error;
	unsigned count = 1;
	unsigned *table;

	if (hwloc_distances_get_by_type(machine->topology, HWLOC_OBJ_NUMANODE, &count, &distances,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) ||
	    !count)
		return NULL;
	table = copy_table(machine, distances);
	hwloc_distances_release(machine->topology, distances);
	if (!table)
		return NULL;
	error = distances_check(table, machine, "the table of node distances");
	if (error) {
		free(table);
		return error;
	}
	machine->distances = table;
	return NULL;
}
