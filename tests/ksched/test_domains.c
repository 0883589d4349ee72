// SPDX-License-Identifier: GPL-2.0-only
/* Sched domains as the kernel builds them: levels, spans and imb_numa_nr of known machines. */
#include "unit.h"

#include "loop.h"

static void idle_task(void *arg)
{
	(void)arg;
	loop_stop();
	for (;;)
		ks->compute(KSCHED_USER);
}

static void boot(const struct loop_machine *m)
{
	loop_open(getenv("KSCHED_LIBRARY"));
	loop_boot(m, idle_task, NULL);
}

/* "MC 16 0, NUMA 256 8": name, weight and imb_numa_nr of each level of CPU 0 */
static char *levels(void)
{
	char *text = memory_string("");
	struct ksched_domain d;

	for (int level = 0; !ks->domain(0, level, &d); level++) {
		char *more = memory_format("%s%s%s %d %d", text, level ? ", " : "", d.name,
					   d.weight, d.imb_numa_nr);

		free(text);
		text = more;
	}
	return text;
}

/* 2 x Zen 3, 64 cores a socket: 8 LLCs of 16 CPUs; `nodes` in all (NPS1, 2, 4: 2, 4, 8) */
static void zen3(int nodes)
{
	struct loop_machine m = {
		.nodes = nodes,
		.llcs_per_node = 16 / nodes,
		.cores_per_llc = 8,
		.smt = 2,
		.nodes_per_package = nodes / 2,
		.smt_last = 1,
		.near = 12,
		.far = 32,
		.reclaim_distance = 32,
	};

	boot(&m);
}

/* "PKG" is "DIE" before 6.7, and the level of one node has a name of its own where nodes are in a package */
static const char *package(void)
{
	return strncmp(ks->version, "6.1.", 4) ? "PKG" : "DIE";
}

START_TEST(zen3_nps1_allows_an_imbalance_of_8)
{
	zen3(2);
	ck_assert_str_eq(levels(),
			 memory_format("SMT 2 0, MC 16 0, %s 128 8, NUMA 256 8", package()));
}
END_TEST

START_TEST(zen3_nps2_allows_4_then_8)
{
	zen3(4);
	ck_assert_str_eq(levels(), "SMT 2 0, MC 16 0, NODE 64 4, NUMA 128 4, NUMA 256 8");
}
END_TEST

START_TEST(zen3_nps4_allows_2_then_4)
{
	zen3(8);
	ck_assert_str_eq(levels(), "SMT 2 0, MC 16 0, NODE 32 2, NUMA 128 2, NUMA 256 4");
}
END_TEST

START_TEST(twenty_llc_nodes_allow_4_then_8)
{
	struct loop_machine m = {
		.nodes = 20,
		.llcs_per_node = 1,
		.cores_per_llc = 16,
		.smt = 2,
		.nodes_per_package = 10,
		.smt_last = 1,
		.near = 12,
		.far = 32,
		.reclaim_distance = 32,
	};
	struct ksched_domain d;

	boot(&m);
	ck_assert_str_eq(levels(), "SMT 2 0, MC 32 0, NUMA 320 4, NUMA 640 8");
	ck_assert_int_eq(ks->domain(0, 2, &d), 0);
	ck_assert_int_eq(d.nr_groups, 10);
	/* node 0 is CPUs 0-15 and their siblings 320-335 */
	ck_assert_int_eq(ks->domain(0, 1, &d), 0);
	ck_assert_uint_eq(d.span[0], 0xffff);
	ck_assert_uint_eq(d.span[5], 0xffff);
}
END_TEST

START_TEST(one_llc_a_socket_allows_an_eighth)
{
	struct loop_machine m = {
		.nodes = 2,
		.llcs_per_node = 1,
		.cores_per_llc = 64,
		.smt = 1,
		.near = 21,
		.far = 21,
	};

	boot(&m);
	ck_assert_str_eq(levels(), "MC 64 0, NUMA 128 8");
}
END_TEST

/* SD_BALANCE_FORK stays on a NUMA level only up to the reclaim distance */
static int forks_across(int reclaim_distance)
{
	struct loop_machine m = {
		.nodes = 2,
		.llcs_per_node = 1,
		.cores_per_llc = 4,
		.smt = 1,
		.near = 32,
		.far = 32,
		.reclaim_distance = reclaim_distance,
	};
	struct ksched_domain d;
	char names[512];

	boot(&m);
	ck_assert_int_eq(ks->domain(0, 1, &d), 0);
	ks->domain_flags(d.flags, names, sizeof(names));
	return strstr(names, "SD_BALANCE_FORK") != NULL;
}

START_TEST(distance_30_ends_fork_balancing_at_32)
{
	ck_assert(!forks_across(30));
}
END_TEST

START_TEST(distance_32_keeps_fork_balancing_at_32)
{
	ck_assert(forks_across(32));
}
END_TEST

START_TEST(a_thousand_cpus_boot)
{
	struct loop_machine m = {
		.nodes = 16,
		.llcs_per_node = 4,
		.cores_per_llc = 8,
		.smt = 2,
		.nodes_per_package = 8,
		.near = 12,
		.far = 32,
	};

	boot(&m);
	ck_assert_int_eq(sh->nr_cpus, 1024);
	for (int cpu = 0; cpu < 1024; cpu++)
		ck_assert(sh->cpu[cpu].mode == KSCHED_IDLE || sh->cpu[cpu].mode == KSCHED_READY);
}
END_TEST

static void refused(int nr_cpus, int nr_nodes, const char *reason)
{
	struct ksched_cpu_desc cpu[2] = {
		{ .core = 0, .cluster = -1, .capacity = 1024 },
		{ .core = 1, .cluster = -1, .capacity = 1024 },
	};
	int distance[4] = { 10, 20, 21, 10 };
	struct ksched_machine m = {
		.nr_cpus = nr_cpus, .nr_nodes = nr_nodes, .cpu = cpu, .distance = distance
	};
	struct ksched_clone root = { .entry = idle_task };
	struct ksched_host host = { 0 };
	struct ksched_shared *shared;
	const char *why = NULL;

	cpu[1].node = cpu[1].llc = nr_nodes - 1;
	loop_open(getenv("KSCHED_LIBRARY"));
	ck_assert_int_lt(ks->boot(&m, &host, &root, &shared, &why), 0);
	ck_assert_ptr_nonnull(strstr(why, reason));
}

START_TEST(a_machine_without_cpus_is_refused)
{
	refused(0, 1, "number of CPUs");
}
END_TEST

START_TEST(asymmetric_distances_are_refused)
{
	refused(2, 2, "not symmetric");
}
END_TEST

UNIT_TESTS("ksched", zen3_nps1_allows_an_imbalance_of_8, zen3_nps2_allows_4_then_8,
	   zen3_nps4_allows_2_then_4, twenty_llc_nodes_allow_4_then_8,
	   one_llc_a_socket_allows_an_eighth, distance_30_ends_fork_balancing_at_32,
	   distance_32_keeps_fork_balancing_at_32, a_thousand_cpus_boot,
	   a_machine_without_cpus_is_refused, asymmetric_distances_are_refused)
