// SPDX-License-Identifier: GPL-2.0-only
#include "machine/asymmetry.h"
#include "machine/build.h"
#include "machine/distances.h"
#include "unit.h"

static struct machine *read_text(const char *text)
{
	struct machine *machine;

	ck_no_error(machine_read_text("some/big.machine", text, strlen(text), &machine));
	return machine;
}

static void check_error(const char *text, const char *part)
{
	struct machine *machine;

	ck_error(machine_read_text("m.machine", text, strlen(text), &machine), ERR_INPUT, part);
}

static void check_cpus(hwloc_const_bitmap_t cpus, const char *expected)
{
	autofree char *list = cpulist_format(cpus);

	ck_assert_str_eq(list, expected);
}

static const char epyc[] = "[topology]\n"
			   "description = 2x EPYC 9845\n"
			   "synthetic = pack:2 numa:10 l3:1(size=32MiB) l2:16 core:1 pu:2\n"
			   "numbering = threads-last\n"
			   "memory = 38G\n"
			   "distances = local 10, package 12, remote 32\n"
			   "[cost]\n"
			   "switch = 1 us   ; measured\n";

START_TEST(node_has_its_first_threads_then_their_siblings)
{
	struct machine *machine = read_text(epyc);
	const struct machine_cpu *cpu = machine_cpu(machine, 335);

	ck_assert_str_eq(machine->name, "big");
	ck_assert_str_eq(machine->description, "2x EPYC 9845");
	ck_assert_int_eq(machine->n_cpus, 640);
	ck_assert_int_eq(machine->n_groups[LEVEL_CORE], 320);
	ck_assert_int_eq(machine->n_groups[LEVEL_LLC], 20);
	ck_assert_int_eq(machine->n_groups[LEVEL_NODE], 20);
	check_cpus(machine->groups[LEVEL_NODE][0].cpus, "0-15,320-335");
	check_cpus(machine->groups[LEVEL_NODE][3].cpus, "48-63,368-383");
	check_cpus(machine->groups[LEVEL_LLC][19].cpus, "304-319,624-639");
	check_cpus(machine->groups[LEVEL_CORE][15].cpus, "15,335");
	check_cpus(machine->groups[LEVEL_PACKAGE][1].cpus, "160-319,480-639");
	ck_assert_int_eq(cpu->thread, 1);
	ck_assert_int_eq(cpu->group[LEVEL_CORE], 15);
	ck_assert_uint_eq(machine->groups[LEVEL_NODE][7].bytes, 38ULL << 30);
	machine_close(machine);
}
END_TEST

START_TEST(distance_rule_knows_packages)
{
	struct machine *machine = read_text(epyc);
	struct distance_grouping *groupings;

	ck_assert_uint_eq(machine_distance(machine, 4, 4), 10);
	ck_assert_uint_eq(machine_distance(machine, 0, 9), 12);
	ck_assert_uint_eq(machine_distance(machine, 0, 10), 32);
	ck_assert_int_eq(distances_groups(machine, &groupings), 1);
	ck_assert_int_eq(groupings[0].n_groups, 2);
	ck_assert_uint_eq(groupings[0].longest, 12);
	ck_assert_int_eq(groupings[0].group[9], 0);
	ck_assert_int_eq(groupings[0].group[10], 1);
	distances_groups_free(groupings, 1);
	machine_close(machine);
}
END_TEST

START_TEST(other_sections_are_handed_over_with_their_lines)
{
	struct machine *machine = read_text(epyc);

	ck_assert_int_eq(machine->n_entries, 1);
	ck_assert_str_eq(machine->entries[0].section, "cost");
	ck_assert_str_eq(machine->entries[0].key, "switch");
	ck_assert_str_eq(machine->entries[0].value, "1 us");
	ck_assert_int_eq(machine->entries[0].line, 8);
	machine_close(machine);
}
END_TEST

START_TEST(nodes_may_be_numbered_otherwise)
{
	struct machine *machine =
		read_text("[topology]\nsynthetic = pack:2 [numa(memory=1GiB)] l3:2 core:2 pu:1\n"
			  "node-ids = 8 0\nmemory = 1G 2G\n"
			  "[distances]\n0 = 10 21\n8 = 31 10\n");

	check_cpus(machine->groups[LEVEL_NODE][0].cpus, "0-3");
	ck_assert_int_eq(machine->groups[LEVEL_NODE][0].id, 8);
	ck_assert_uint_eq(machine->groups[LEVEL_NODE][0].bytes, 2ULL << 30);
	ck_assert_int_eq(machine->groups[LEVEL_NODE][1].id, 0);
	/* rows and columns of the file go by number, distances here by index */
	ck_assert_uint_eq(machine_distance(machine, 0, 1), 31);
	ck_assert_uint_eq(machine_distance(machine, 1, 0), 21);
	machine_close(machine);
	check_error("[topology]\nsynthetic = pack:2 numa:1 pu:2\nnode-ids = 1 1\n",
		    "m.machine:3: node-ids: 1 is given twice");
	check_error("[topology]\nsynthetic = pack:2 numa:1 pu:2\nnode-ids = 1\n",
		    "m.machine:3: node-ids has 1 numbers; 'synthetic' has 2 nodes");
	check_error("[topology]\nsynthetic = pack:2 pu:2\nnode-ids = 1\n",
		    "m.machine:3: node-ids needs a numa level");
	check_error("[topology]\nsynthetic = pack:2 pu:2\nnode-ids = 1 0\n",
		    "m.machine:3: node-ids has 2 numbers; 'synthetic' has 1 nodes");
}
END_TEST

static const char snc3[] = "[topology]\n"
			   "synthetic = pack:2 numa:3 l3:1 core:4 pu:2\n"
			   "numbering = threads-last\n"
			   "[distances]\n"
			   "0 = 10 15 17 21 28 26\n"
			   "1 = 15 10 15 23 26 23\n"
			   "2 = 17 15 10 26 23 21\n"
			   "3 = 21 28 26 10 15 17\n"
			   "4 = 23 26 23 15 10 15\n"
			   "5 = 26 23 21 17 15 10\n";

START_TEST(snc3_has_two_groups_of_three_nodes)
{
	static const int expected[] = { 0, 0, 0, 1, 1, 1 };
	struct machine *machine = read_text(snc3);
	struct distance_grouping *groupings;
	int from, to;

	ck_assert_uint_eq(machine_distance(machine, 0, 4), 28);
	ck_assert_uint_eq(machine_distance(machine, 4, 0), 23);
	ck_assert_int_eq(distances_groups(machine, &groupings), 1);
	ck_assert_int_eq(groupings[0].n_groups, 2);
	ck_assert_uint_eq(groupings[0].longest, 17);
	ck_assert_mem_eq(groupings[0].group, expected, sizeof(expected));
	ck_assert(distances_asymmetric(machine, &from, &to));
	ck_assert_int_eq(from, 0);
	ck_assert_int_eq(to, 4);
	distances_groups_free(groupings, 1);
	machine_close(machine);
}
END_TEST

START_TEST(contradictory_distances_are_refused)
{
	const char *shape = "[topology]\nsynthetic = numa:2 pu:2\n";
	static const struct {
		const char *rows, *message;
	} cases[] = {
		{ "[distances]\n0 = 10 20\n", "has 1 rows; the machine has 2 nodes" },
		{ "[distances]\n0 = 10 20 30\n1 = 20 10\n",
		  "m.machine:4: distances: the row has 3" },
		{ "[distances]\n0 = 10\n1 = 20 10\n", "m.machine:4: distances: the row has 1" },
		{ "[distances]\n0 = 10 9\n1 = 20 10\n", "contradicts itself" },
		{ "[distances]\n0 = 10 10\n1 = 20 10\n", "contradicts itself" },
		{ "[distances]\n0 = 10 0\n1 = 20 10\n", "m.machine:4: distances: '0' is not" },
		{ "[distances]\n0 = 10 256\n1 = 20 10\n", "m.machine:4: distances: '256' is not" },
		{ "[distances]\n0 = 10 20\n2 = 20 10\n",
		  "m.machine:5: distances: there is no node 2" },
		{ "[distances]\n0 = 10 20\n0 = 20 10\n",
		  "m.machine:5: '0' of [distances] is given twice" },
		{ "distances = local 10\n", "m.machine:3: 'local' and 'remote' are needed" },
		{ "distances = local 20, remote 10\n",
		  "m.machine:3: distances contradicts itself" },
		{ "distances = local 10, far 20\n", "m.machine:3: 'far' is not part of a rule" },
		{ "distances = local 10, local 10\n", "m.machine:3: 'local' is given twice" },
		{ "distances = local, remote 20\n", "m.machine:3: 'local' is not part of a rule" },
		{ "distances = local 10, remote 20\n[distances]\n0 = 10 20\n1 = 20 10\n",
		  "m.machine:5: [distances] cannot be combined with the rule of line 3" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autofree char *text = memory_format("%s%s", shape, cases[i].rows);

		check_error(text, cases[i].message);
	}
}
END_TEST

START_TEST(sparse_ids_and_a_node_without_cpus)
{
	struct machine *machine = read_text("[topology]\n"
					    "possible = 0-127\n"
					    "[nodes]\n"
					    "0 = 0,1,109-117 16G\n"
					    "8 = 118-127\n"
					    "9 = none 64G\n"
					    "[llcs]\n"
					    "0 = 0,1,109-117 32M\n"
					    "1 = 118-127 32M\n");
	struct machine_counts counts = machine_counts(machine, machine->usable);

	ck_assert_int_eq(machine->n_cpus, 21);
	check_cpus(machine->online, "0-1,109-127");
	check_cpus(machine->possible, "0-127");
	ck_assert_ptr_null(machine_cpu(machine, 2));
	ck_assert_int_eq(machine_cpu(machine, 109)->group[LEVEL_NODE], 0);
	ck_assert_int_eq(machine_cpu(machine, 118)->group[LEVEL_NODE], 1);
	ck_assert_int_eq(machine->groups[LEVEL_NODE][1].id, 8);
	ck_assert_uint_eq(machine->groups[LEVEL_NODE][1].bytes, 0);
	ck_assert_int_eq(machine->groups[LEVEL_NODE][2].id, 9);
	ck_assert(hwloc_bitmap_iszero(machine->groups[LEVEL_NODE][2].cpus));
	ck_assert_int_eq(counts.nr_nodes, 2);
	ck_assert_int_eq(counts.cpus_per_node, 10);
	machine_close(machine);
}
END_TEST

static bool has_line(char **lines, int n, const char *part)
{
	for (int i = 0; i < n; i++)
		if (strstr(lines[i], part))
			return true;
	return false;
}

START_TEST(llcs_of_one_package_keep_their_own_sizes)
{
	struct machine *machine = read_text("[topology]\n"
					    "synthetic = pack:1 l3:2 core:8 pu:2\n"
					    "llc-size = 96M 32M\n");
	int n;
	char **lines = machine_asymmetries(machine, &n);

	ck_assert_uint_eq(machine->groups[LEVEL_LLC][0].bytes, 96 << 20);
	ck_assert_uint_eq(machine->groups[LEVEL_LLC][1].bytes, 32 << 20);
	ck_assert_int_eq(n, 1);
	ck_assert_str_eq(lines[0], "LLCs differ in size: 1 with 96 MiB, 1 with 32 MiB");
	for (int i = 0; i < n; i++)
		free(lines[i]);
	free(lines);
	machine_close(machine);
}
END_TEST

START_TEST(hybrid_from_lists)
{
	struct machine *machine = read_text("[topology]\n"
					    "description = two big cores, two clusters\n"
					    "[llcs]\n0 = 0-11 12M\n"
					    "[clusters]\n0 = 4-7 2M\n1 = 8-11 2M\n"
					    "[cores]\n0 = 0,1\n1 = 2,3\n"
					    "[kinds]\nbig = 0-3 1024\nsmall = 4-11 512\n");
	struct machine_counts counts = machine_counts(machine, machine->usable);
	int n;
	char **lines = machine_asymmetries(machine, &n);

	ck_assert_int_eq(machine->n_groups[LEVEL_CORE], 10);
	ck_assert_int_eq(machine->n_groups[LEVEL_CLUSTER], 2);
	ck_assert_int_eq(machine_cpu(machine, 0)->group[LEVEL_CLUSTER], -1);
	ck_assert_int_eq(machine_cpu(machine, 9)->group[LEVEL_CLUSTER], 1);
	ck_assert_int_eq(machine->n_groups[LEVEL_NODE], 1);
	ck_assert_str_eq(machine->kinds[0].name, "small");
	ck_assert_int_eq(machine->kinds[0].capacity, 512);
	ck_assert_int_eq(machine_cpu(machine, 3)->kind, 1);
	ck_assert_int_eq(counts.smt, 2);
	ck_assert_int_eq(counts.nr_cores, 10);
	ck_assert(has_line(lines, n, "SMT on some cores only: no sibling for CPUs 4-11"));
	ck_assert(has_line(lines, n, "kind big: CPUs 0-3, capacity 1024"));
	ck_assert(has_line(lines, n, "clusters of some CPUs only: none for CPUs 0-3"));
	for (int i = 0; i < n; i++)
		free(lines[i]);
	free(lines);
	machine_close(machine);
}
END_TEST

START_TEST(lists_take_the_place_of_a_level_of_an_xml_file)
{
	static const char text[] = "[topology]\nxml = AMD-19h-Zen4-2xEpyc-9654.xml\n"
				   "[nodes]\n0 = 0-95,192-287 1G\n1 = 96-191,288-383 1G\n"
				   "[distances]\n0 = 10 32\n1 = 32 10\n";
	autofree char *path = test_data("machine/data/zen4.machine");
	struct machine *machine;

	ck_no_error(machine_read_text(path, text, strlen(text), &machine));

	ck_assert_int_eq(machine->n_groups[LEVEL_NODE], 2);
	ck_assert_int_eq(machine->n_groups[LEVEL_LLC], 24);
	ck_assert_int_eq(machine_cpu(machine, 383)->group[LEVEL_NODE], 1);
	ck_assert_uint_eq(machine_distance(machine, 1, 0), 32);
	machine_close(machine);
}
END_TEST

START_TEST(offline_cpus_are_in_no_group)
{
	struct machine *machine = read_text("[topology]\n"
					    "synthetic = numa:2 l3:1 core:2 pu:2\n"
					    "offline = 1,4-7\n");

	check_cpus(machine->online, "0,2-3");
	check_cpus(machine->usable, "0,2-3");
	check_cpus(machine->possible, "0-7");
	ck_assert_int_eq(machine->n_groups[LEVEL_CORE], 2);
	ck_assert_int_eq(machine->n_groups[LEVEL_LLC], 1);
	ck_assert_int_eq(machine->n_groups[LEVEL_NODE], 2);
	ck_assert(hwloc_bitmap_iszero(machine->groups[LEVEL_NODE][1].cpus));
	check_cpus(machine->groups[LEVEL_CORE][0].cpus, "0");
	machine_close(machine);
}
END_TEST

START_TEST(mistakes_name_file_and_line)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "m.machine: the machine has no CPU" },
		{ "[topology]\nsynthetik = pu:2\n",
		  "m.machine:2: unknown key 'synthetik' in [topology]; did you mean 'synthetic'?" },
		{ "[topology]\nwhatever = 1\n",
		  "m.machine:2: unknown key 'whatever' in [topology]; accepted:" },
		{ "[topologie]\nsynthetic = pu:2\n",
		  "m.machine:1: unknown section [topologie]; did you mean" },
		{ "[node]\n0 = 0-1\n",
		  "m.machine:1: unknown section [node]; did you mean [nodes]?" },
		{ "[topology]\nsynthetic = pu:2\nsynthetic = pu:4\n",
		  "m.machine:3: 'synthetic' of [topology] is given twice, first in line 2" },
		{ "[topology]\nsynthetic = pu:x\n",
		  "m.machine:2: 'pu:x' is not a synthetic machine" },
		{ "[topology]\nsynthetic = pack:2 pu:1(indexes=0,9999999999)\n",
		  "m.machine:2: an index of 'pack:2 pu:1(indexes=0,9999999999)' is above 65535" },
		{ "[topology]\nsynthetic = pu:2(indexes=0,0)\n",
		  "m.machine:2: the indexes of 'pu:2(indexes=0,0)' do not give every CPU" },
		{ "[topology]\nsynthetic = core:4 pu:2(indexes=0,1,2)\n",
		  "m.machine:2: the indexes of 'core:4 pu:2(indexes=0,1,2)' do not give every CPU" },
		{ "[topology]\nsynthetic = pu:2\nxml = a.xml\n",
		  "m.machine:2: synthetic cannot be combined" },
		{ "[topology]\nnumbering = threads-last\n[cores]\n0 = 0-1\n",
		  "m.machine:2: numbering needs 'synthetic'" },
		{ "[topology]\nsynthetic = pu:2\nnumbering = random\n",
		  "m.machine:3: numbering is 'random'; accepted:" },
		{ "[topology]\nsynthetic = core:2 pu:2(indexes=0,2,1,3)\nnumbering = threads-last\n",
		  "m.machine:3: numbering cannot be combined" },
		{ "[topology]\nsynthetic = pu:2\noffline = 0-1\n",
		  "m.machine: the machine has no CPU that is online" },
		{ "[topology]\nsynthetic = pu:2\noffline = 5\n", "m.machine:3: offline has CPUs" },
		{ "[topology]\nsynthetic = pu:2\noffline = x\n",
		  "m.machine:3: 'x' is not a CPU list" },
		{ "[topology]\nsynthetic = pu:2\npossible = 0\n",
		  "m.machine:3: possible leaves out" },
		{ "[topology]\nsynthetic = pu:2\nmemory = much\n",
		  "m.machine:3: memory: 'much' is not a size" },
		{ "[topology]\nsynthetic = pu:2\nmemory = 1G 2G\n",
		  "m.machine:3: memory: 2 sizes for 1 groups" },
		{ "[topology]\nsynthetic = pu:2\nllc-size = 1G\n",
		  "m.machine:3: llc-size: the machine has no LLC" },
		{ "[cores]\n0 = 0-1\n1 = 1-2\n",
		  "m.machine:3: core 1: it has CPUs that are also in core 0" },
		{ "[cores]\na = 0-1\n", "m.machine:2: number of a core: 'a' is not an integer" },
		{ "[cores]\n0 = 0-1 4M\n", "m.machine:2: core 0: '4M' after the CPUs" },
		{ "[llcs]\n0 = 0-1 4X\n", "m.machine:2: LLC 0: '4X' is not a size" },
		{ "[llcs]\n0 = none\n", "m.machine:2: LLC 0: 'none' is not a CPU list" },
		{ "[cores]\n0 = 1-2\n[llcs]\n0 = 0-1\n1 = 2-3\n",
		  "m.machine:2: the core with CPUs 1-2 is only partly in LLC 0" },
		{ "[topology]\nsynthetic = pu:2\n[llcs]\n0 = 0-7\n",
		  "m.machine:4: LLC 0: '0-7' has CPUs that the topology" },
		{ "[cores]\n0 = 0-1\n[kinds]\nbig = 0 1024\n",
		  "m.machine: [kinds] leaves CPUs out" },
		{ "[cores]\n0 = 0-1\n[kinds]\nbig = 0-1\n",
		  "m.machine:4: kind big: CPUs and a capacity" },
		{ "[cores]\n0 = 0-1\n[kinds]\nbig = 0-1 2000\n",
		  "m.machine:4: kind big: '2000' is not" },
		{ "[cores]\n0 = 0-1\n[kinds]\na = 0-1 10\nb = 1 20\n",
		  "m.machine:5: kind b: it has CPUs" },
		{ "[llcs]\n0 = 0-9999\n",
		  "m.machine: the machine has 10000 CPUs; Linux can have 8192" },
	};

	static const char xml[] = "[topology]\nxml = no.xml\n";
	struct machine *machine;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_error(cases[i].text, cases[i].message);
	ck_error(machine_read_text("x/m.machine", xml, strlen(xml), &machine), ERR_SYSTEM,
		 "x/m.machine:2: cannot open x/no.xml: No such file");
}
END_TEST

START_TEST(drawing_shows_what_lists_group)
{
	struct machine *machine = read_text("[llcs]\n0 = 0-3\n1 = 5-8\n");

	ck_assert_int_eq(hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_GROUP), 2);
	ck_assert_int_eq(hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_PU), 8);
	ck_assert_str_eq(hwloc_get_obj_by_type(machine->topology, HWLOC_OBJ_GROUP, 1)->subtype,
			 "LLC 1");
	machine_close(machine);
}
END_TEST

UNIT_TESTS("machine", node_has_its_first_threads_then_their_siblings, distance_rule_knows_packages,
	   other_sections_are_handed_over_with_their_lines, nodes_may_be_numbered_otherwise,
	   snc3_has_two_groups_of_three_nodes, contradictory_distances_are_refused,
	   sparse_ids_and_a_node_without_cpus, llcs_of_one_package_keep_their_own_sizes,
	   hybrid_from_lists, lists_take_the_place_of_a_level_of_an_xml_file,
	   offline_cpus_are_in_no_group, mistakes_name_file_and_line,
	   drawing_shows_what_lists_group)
