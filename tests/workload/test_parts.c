// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "base/file.h"
#include "task/team.h"
#include "workload/parts.h"
#include "workload/workload.h"

#define MIB ((uint64_t)1 << 20)

static struct machine *open_text(const char *text)
{
	char path[] = "/tmp/fairtrial-parts.XXXXXX.machine";
	int fd = mkstemps(path, strlen(".machine"));
	struct machine *machine;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_no_error(machine_open(path, &machine));
	unlink(path);
	return machine;
}

static const char several_llcs[] = "[topology]\n"
				   "synthetic = pack:1 numa:2 l3:2(size=32MiB) core:2 pu:2\n"
				   "numbering = threads-last\n";

/* CPUs with holes, an LLC without a size, CPUs without any LLC */
static const char odd[] = "[llcs]\n"
			  "0 = 3,9 96M\n"
			  "1 = 100,102 32M\n"
			  "2 = 104\n"
			  "[nodes]\n"
			  "0 = 3,9,100\n"
			  "1 = 102,104\n"
			  "7 = 200,201\n";

static void check_part(const struct part *part, const char *cpus, uint64_t cache)
{
	autofree char *text = memory_string("");

	for (int i = 0; i < part->n_cpus; i++) {
		char *longer = memory_format("%s%s%d", text, i ? " " : "", part->cpus[i]);

		free(text);
		text = longer;
	}
	ck_assert_str_eq(text, cpus);
	ck_assert_uint_eq(part->cache, cache);
}

START_TEST(a_node_has_the_caches_of_all_its_llcs)
{
	struct machine *machine = open_text(several_llcs);
	struct part *parts;
	int n = parts_of(machine, machine->online, PART_NODE, &parts);

	ck_assert_int_eq(n, 2);
	check_part(&parts[0], "0 1 2 3 8 9 10 11", 64 * MIB);
	check_part(&parts[1], "4 5 6 7 12 13 14 15", 64 * MIB);
	parts_free(parts, n);
	n = parts_of(machine, machine->online, PART_LLC, &parts);
	ck_assert_int_eq(n, 4);
	check_part(&parts[3], "6 7 14 15", 32 * MIB);
	parts_free(parts, n);
	n = parts_of(machine, machine->online, PART_MACHINE, &parts);
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(parts[0].n_cpus, 16);
	ck_assert_uint_eq(parts[0].cache, 128 * MIB);
	parts_free(parts, n);
	machine_close(machine);
}
END_TEST

START_TEST(a_cpu_has_its_share_of_an_llc_by_the_cpus_of_the_case)
{
	struct machine *machine = open_text(several_llcs);
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct part *parts;
	int n;

	ck_no_error(cpulist_parse("0,1,8,2", cpus));
	n = parts_of(machine, cpus, PART_CPU, &parts);
	ck_assert_int_eq(n, 4);
	check_part(&parts[0], "0", 32 * MIB / 3);
	check_part(&parts[2], "2", 32 * MIB);
	check_part(&parts[3], "8", 32 * MIB / 3);
	parts_free(parts, n);
	hwloc_bitmap_free(cpus);
	machine_close(machine);
}
END_TEST

START_TEST(holes_and_unknown_caches_are_told_as_they_are)
{
	struct machine *machine = open_text(odd);
	struct part *parts;
	int n = parts_of(machine, machine->online, PART_LLC, &parts);

	ck_assert_int_eq(n, 4);
	check_part(&parts[0], "3 9", 96 * MIB);
	check_part(&parts[1], "100 102", 32 * MIB);
	check_part(&parts[2], "104", 0);
	check_part(&parts[3], "200 201", 0);
	parts_free(parts, n);
	n = parts_of(machine, machine->online, PART_NODE, &parts);
	ck_assert_int_eq(n, 3);
	check_part(&parts[0], "3 9 100", 112 * MIB);
	check_part(&parts[1], "102 104", 0);
	check_part(&parts[2], "200 201", 0);
	parts_free(parts, n);
	machine_close(machine);
}
END_TEST

/* ---- what stream makes of them ---- */

static struct params stream_params(const struct workload *workload, const char *instances,
				   int64_t threads, int64_t size)
{
	struct params params = { 0 };

	for (const struct param *param = workload->params; param->name; param++) {
		struct param_value *value = array_append(params.values, params.n);

		value->param = param;
		value->text = memory_string("");
		if (!strcmp(param->name, "threads"))
			value->number = threads;
		else if (!strcmp(param->name, "array-size"))
			value->number = size;
		else if (!strcmp(param->name, "instances"))
			value->number = !strcmp(instances, "llc")    ? 0
					: !strcmp(instances, "node") ? 1
					: !strcmp(instances, "cpu")  ? 2
								     : 3;
	}
	return params;
}

static uint64_t stream_memory(const struct machine *machine, const char *instances, int64_t threads,
			      int64_t size)
{
	const struct workload *workload = workload_find("stream");
	struct params params = stream_params(workload, instances, threads, size);
	uint64_t bytes;

	ck_no_error(workload->memory(machine, machine->online, &params, &bytes));
	params_clear(&params);
	return bytes;
}

START_TEST(stream_takes_three_arrays_of_four_times_the_caches)
{
	struct machine *machine = open_text(several_llcs);

	ck_assert_uint_eq(stream_memory(machine, "llc", 0, 0), 3 * 4 * 128 * MIB);
	ck_assert_uint_eq(stream_memory(machine, "node", 0, 0), 3 * 4 * 128 * MIB);
	ck_assert_uint_eq(stream_memory(machine, "machine", 4, 0), 3 * 4 * 128 * MIB);
	ck_assert_uint_eq(stream_memory(machine, "cpu", 0, 0), 3 * 4 * 128 * MIB);
	/* a size is of an instance, rounded up to whole units of each thread */
	ck_assert_uint_eq(stream_memory(machine, "llc", 1, 8192), 4 * 3 * 8192);
	ck_assert_uint_eq(stream_memory(machine, "llc", 2, 8193), 4 * 3 * 2 * 8192);
	machine_close(machine);
}
END_TEST

START_TEST(stream_asks_for_a_size_where_a_cache_is_unknown)
{
	const struct workload *workload = workload_find("stream");
	struct params params = stream_params(workload, "llc", 0, 0);
	struct machine *machine = open_text(odd);
	struct error *error;
	uint64_t bytes;

	error = workload->memory(machine, machine->online, &params, &bytes);
	ck_assert_ptr_nonnull(error);
	ck_assert(strstr(error->message, "array-size") != NULL);
	error_free(error);
	ck_assert_uint_eq(stream_memory(machine, "llc", 1, 8192), 4 * 3 * 8192);
	params_clear(&params);
	machine_close(machine);
	machine = open_text("[topology]\nsynthetic = pack:1 core:2 pu:1\n");
	ck_assert_uint_eq(stream_memory(machine, "llc", 0, 1 << 20), 3 << 20);
	machine_close(machine);
}
END_TEST

UNIT_TESTS("parts", a_node_has_the_caches_of_all_its_llcs,
	   a_cpu_has_its_share_of_an_llc_by_the_cpus_of_the_case,
	   holes_and_unknown_caches_are_told_as_they_are,
	   stream_takes_three_arrays_of_four_times_the_caches,
	   stream_asks_for_a_size_where_a_cache_is_unknown)
