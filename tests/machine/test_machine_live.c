// SPDX-License-Identifier: GPL-2.0-only
/* this machine, and recorded trees of machines that tell of themselves in other ways */
#include <sched.h>

#include "machine/machine.h"
#include "tree.h"

static void check_cpus(hwloc_const_bitmap_t cpus, const char *expected)
{
	autofree char *list = cpulist_format(cpus);

	ck_assert_str_eq(list, expected);
}

/* a mask as sysfs writes it, of the CPUs from @first to @last (all below 32) */
static char *mask(int first, int last)
{
	return memory_format("%08x\n", (unsigned)(((1ULL << (last - first + 1)) - 1) << first));
}

static void cpu_file(const char *root, int cpu, const char *name, const char *text)
{
	autofree char *path = memory_format("/sys/devices/system/cpu/cpu%d/%s", cpu, name);

	tree_write(root, path, text);
}

static void cpu_cache(const char *root, int cpu, int index, int level, const char *size, int first,
		      int last)
{
	const struct {
		const char *name;
		char *text;
	} files[] = {
		{ "level", memory_format("%d\n", level) },
		{ "type", memory_string(level == 1 ? "Data\n" : "Unified\n") },
		{ "size", memory_format("%s\n", size) },
		{ "shared_cpu_map", mask(first, last) },
		{ "shared_cpu_list", memory_format("%d-%d\n", first, last) },
		{ "id", memory_format("%d\n", first / (last - first + 1)) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		autofree char *name = memory_format("cache/index%d/%s", index, files[i].name);

		cpu_file(root, cpu, name, files[i].text);
		free(files[i].text);
	}
}

/* CPU @cpu of a package of CPUs @first to @last without SMT, with an own L2 and a shared L3 */
static void tree_cpu(const char *root, int cpu, int package, int first, int last)
{
	autofree char *core = memory_format("%d\n", cpu);
	autofree char *id = memory_format("%d\n", package);
	autofree char *own = mask(cpu, cpu);
	autofree char *all = mask(first, last);

	cpu_file(root, cpu, "topology/core_id", core);
	cpu_file(root, cpu, "topology/physical_package_id", id);
	cpu_file(root, cpu, "topology/core_cpus", own);
	cpu_file(root, cpu, "topology/thread_siblings", own);
	cpu_file(root, cpu, "topology/package_cpus", all);
	cpu_file(root, cpu, "topology/core_siblings", all);
	cpu_cache(root, cpu, 0, 1, "32K", cpu, cpu);
	cpu_cache(root, cpu, 1, 2, "1024K", cpu, cpu);
	cpu_cache(root, cpu, 2, 3, "32768K", first, last);
}

/* 32 possible CPUs of which 0-15 are on-line, in packages of 8 */
static char *tree_half_online(void)
{
	char *root = tree_new();

	tree_write(root, "/sys/devices/system/cpu/possible", "0-31\n");
	tree_write(root, "/sys/devices/system/cpu/present", "0-31\n");
	tree_write(root, "/sys/devices/system/cpu/online", "0-15\n");
	tree_write(root, "/proc/meminfo", "MemTotal: 16000000 kB\n");
	tree_write(root, "/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-31\n");
	for (int cpu = 0; cpu < 16; cpu++)
		tree_cpu(root, cpu, cpu / 8, cpu / 8 * 8, cpu / 8 * 8 + 7);
	/* the others have a folder, but no topology in it */
	for (int cpu = 16; cpu < 32; cpu++)
		cpu_file(root, cpu, "online", "0\n");
	return root;
}

START_TEST(cpus_without_topology_are_passed_over)
{
	char *root = tree_half_online();
	struct machine *machine;

	ck_no_error(machine_open_root(root, &machine));
	check_cpus(machine->possible, "0-31");
	check_cpus(machine->online, "0-15");
	check_cpus(machine->usable, "0-15");
	ck_assert_int_eq(machine->n_cpus, 16);
	ck_assert_int_eq(machine->n_groups[LEVEL_LLC], 2);
	ck_assert_int_eq(machine->n_groups[LEVEL_PACKAGE], 2);
	check_cpus(machine->groups[LEVEL_LLC][1].cpus, "8-15");
	ck_assert_int_eq(machine->groups[LEVEL_LLC][1].id, 1);
	ck_assert_uint_eq(machine->groups[LEVEL_LLC][1].bytes, 32 << 20);
	ck_assert_int_eq(machine->n_kinds, 0);
	machine_close(machine);
	tree_remove(root);
}
END_TEST

START_TEST(cpuset_and_affinity_narrow_what_is_usable)
{
	char *root = tree_half_online();
	struct machine *machine;

	tree_write(root, "/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-2,6\nx:\t1\n");
	tree_cgroups(root, "0::/slice\n", TREE_MOUNT_V2);
	tree_write(root, "/sys/fs/cgroup/slice/cpuset.cpus.effective", "0-4,6\n");
	ck_no_error(machine_open_root(root, &machine));
	check_cpus(machine->online, "0-15");
	check_cpus(machine->cpuset, "0-4,6");
	check_cpus(machine->affinity, "0-2,6");
	check_cpus(machine->usable, "0-2,6");
	ck_assert_int_eq(machine_counts(machine, machine->usable).nr_cpus, 4);
	ck_assert_int_eq(machine_counts(machine, machine->usable).nr_llcs, 1);
	machine_close(machine);
	tree_remove(root);
}
END_TEST

START_TEST(cpuset_of_one_cpu_with_quota_and_throttling)
{
	char *root = tree_half_online();
	struct machine *machine;

	tree_write(root, "/proc/self/status", "Cpus_allowed_list:\t2\n");
	tree_cgroups(root, "5:cpuset:/job\n4:cpu,cpuacct:/job\n", TREE_MOUNT_V1);
	tree_write(root, "/sys/fs/cgroup/cpuset/job/cpuset.cpus", "2\n");
	tree_write(root, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "100000\n");
	tree_write(root, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
	tree_write(root, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat", "nr_throttled 34\n");
	ck_no_error(machine_open_root(root, &machine));
	check_cpus(machine->usable, "2");
	ck_assert_double_eq(machine->quota.cpus, 1);
	ck_assert_uint_eq(machine->quota.throttled, 34);
	ck_assert_int_eq(machine_quota_cpus(machine, 1), 1);
	machine_close(machine);
	tree_remove(root);
}
END_TEST

START_TEST(smaller_of_cpuset_and_quota_sizes_a_run)
{
	struct machine machine = { .quota = { .cpus = 3.99 } };

	ck_assert_int_eq(machine_quota_cpus(&machine, 16), 4);
	ck_assert_int_eq(machine_quota_cpus(&machine, 2), 2);
	machine.quota.cpus = 0.1;
	ck_assert_int_eq(machine_quota_cpus(&machine, 16), 1);
	machine.quota.cpus = 0;
	ck_assert_int_eq(machine_quota_cpus(&machine, 16), 16);
}
END_TEST

START_TEST(cpu_capacity_makes_kinds)
{
	char *root = tree_half_online();
	struct machine *machine;

	for (int cpu = 0; cpu < 16; cpu++)
		cpu_file(root, cpu, "cpu_capacity", cpu < 4 ? "1024\n" : "446\n");
	ck_no_error(machine_open_root(root, &machine));
	ck_assert_int_eq(machine->n_kinds, 2);
	ck_assert_int_eq(machine->kinds[0].capacity, 446);
	check_cpus(machine->kinds[0].cpus, "4-15");
	check_cpus(machine->kinds[1].cpus, "0-3");
	ck_assert_int_eq(machine_cpu(machine, 3)->kind, 1);
	machine_close(machine);
	tree_remove(root);
}
END_TEST

START_TEST(cluster_of_sysfs_is_a_level_between_core_and_llc)
{
	char *root = tree_half_online();
	struct machine *machine;

	for (int cpu = 0; cpu < 16; cpu++) {
		autofree char *cpus = mask(cpu / 4 * 4, cpu / 4 * 4 + 3);
		autofree char *id = memory_format("%d\n", cpu / 4);

		cpu_file(root, cpu, "topology/cluster_cpus", cpus);
		cpu_file(root, cpu, "topology/cluster_id", id);
	}
	ck_no_error(machine_open_root(root, &machine));
	ck_assert_int_eq(machine->n_groups[LEVEL_CLUSTER], 4);
	check_cpus(machine->groups[LEVEL_CLUSTER][1].cpus, "4-7");
	ck_assert_int_eq(machine_cpu(machine, 15)->group[LEVEL_CLUSTER], 3);
	machine_close(machine);
	tree_remove(root);
}
END_TEST

static void tree_node(const char *root, int node, const char *map, const char *distances)
{
	autofree char *cpus = memory_format("/sys/devices/system/node/node%d/cpumap", node);
	autofree char *memory = memory_format("/sys/devices/system/node/node%d/meminfo", node);
	autofree char *row = memory_format("/sys/devices/system/node/node%d/distance", node);
	autofree char *total = memory_format("Node %d MemTotal: 8388608 kB\n", node);

	tree_write(root, cpus, map);
	tree_write(root, memory, total);
	tree_write(root, row, distances);
}

START_TEST(sparse_nodes_with_distances)
{
	char *root = tree_half_online();
	struct machine *machine;

	tree_write(root, "/sys/devices/system/node/online", "0,8\n");
	tree_write(root, "/sys/devices/system/node/possible", "0,8\n");
	tree_node(root, 0, "000000ff\n", "10 40\n");
	tree_node(root, 8, "0000ff00\n", "40 10\n");
	ck_no_error(machine_open_root(root, &machine));
	ck_assert_int_eq(machine->n_groups[LEVEL_NODE], 2);
	ck_assert_int_eq(machine->groups[LEVEL_NODE][1].id, 8);
	check_cpus(machine->groups[LEVEL_NODE][1].cpus, "8-15");
	ck_assert_uint_eq(machine->groups[LEVEL_NODE][1].bytes, 8ULL << 30);
	ck_assert_ptr_nonnull(machine->distances);
	ck_assert_uint_eq(machine_distance(machine, 0, 1), 40);
	machine_close(machine);
	tree_remove(root);
}
END_TEST

START_TEST(nonsense_distances_of_firmware_are_ignored)
{
	char *root = tree_half_online();
	struct machine *machine;

	tree_write(root, "/sys/devices/system/node/online", "0-1\n");
	tree_node(root, 0, "000000ff\n", "10 10\n");
	tree_node(root, 1, "0000ff00\n", "10 10\n");
	ck_no_error(machine_open_root(root, &machine));
	ck_assert_int_eq(machine->n_groups[LEVEL_NODE], 2);
	ck_assert_ptr_null(machine->distances);
	ck_assert_uint_eq(machine_distance(machine, 0, 1), 20);
	machine_close(machine);
	tree_remove(root);
}
END_TEST

START_TEST(this_machine_has_the_cpus_that_its_kernel_tells)
{
	struct machine *machine;
	cpu_set_t allowed;
	int cpu;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	ck_no_error(machine_open("live", &machine));
	ck_assert(machine->live);
	ck_assert_int_eq(machine->n_cpus, sysconf(_SC_NPROCESSORS_ONLN));
	ck_assert_int_eq(hwloc_bitmap_weight(machine->usable), CPU_COUNT(&allowed));
	hwloc_bitmap_foreach_begin(cpu, machine->usable) ck_assert(CPU_ISSET(cpu, &allowed));
	hwloc_bitmap_foreach_end();
	machine_close(machine);
}
END_TEST

START_TEST(hwloc_variables_do_not_stay_set)
{
	char *root = tree_half_online();
	struct machine *machine;

	ck_no_error(machine_open_root(root, &machine));
	ck_assert_ptr_null(getenv("HWLOC_FSROOT"));
	ck_assert_ptr_null(getenv("HWLOC_HIDE_ERRORS"));
	machine_close(machine);
	tree_remove(root);
}
END_TEST

UNIT_TESTS("machine", cpus_without_topology_are_passed_over,
	   cpuset_and_affinity_narrow_what_is_usable, cpuset_of_one_cpu_with_quota_and_throttling,
	   smaller_of_cpuset_and_quota_sizes_a_run, cpu_capacity_makes_kinds,
	   cluster_of_sysfs_is_a_level_between_core_and_llc, sparse_nodes_with_distances,
	   nonsense_distances_of_firmware_are_ignored,
	   this_machine_has_the_cpus_that_its_kernel_tells, hwloc_variables_do_not_stay_set)
