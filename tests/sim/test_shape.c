// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "sim/shape.h"

static struct error *shape_of(const char *name, int max_cpus, int max_nodes,
			      struct machine **machine, struct sim_model **model,
			      struct shape **shape)
{
	ck_no_error(machine_open(name, machine));
	ck_no_error(model_read(*machine, model));
	return shape_new(*machine, *model, max_cpus, max_nodes, shape);
}

static void close_all(struct machine *machine, struct sim_model *model, struct shape *shape)
{
	shape_free(shape);
	model_free(model);
	machine_close(machine);
}

START_TEST(cpus_keep_their_groups_and_numbers)
{
	struct machine *machine;
	struct sim_model *model;
	struct shape *shape;

	ck_no_error(shape_of("epyc-9845-2s", 1024, 64, &machine, &model, &shape));
	ck_assert_int_eq(shape->kernel.nr_cpus, 640);
	ck_assert_int_eq(shape->kernel.nr_nodes, 20);
	ck_assert_int_eq(shape->kernel.node_reclaim_distance, 32);
	ck_assert_int_eq(shape->kernel.numa_in_package, 1);
	/* CPU 320 is the sibling of CPU 0, and 16 is in another node */
	ck_assert_int_eq(shape->cpus[320].core, shape->cpus[0].core);
	ck_assert_int_eq(shape->cpus[320].node, shape->cpus[0].node);
	ck_assert_int_ne(shape->cpus[16].node, shape->cpus[0].node);
	ck_assert_int_eq(shape->cpus[16].package, shape->cpus[0].package);
	ck_assert_int_ne(shape->cpus[160].package, shape->cpus[0].package);
	close_all(machine, model, shape);
}
END_TEST

START_TEST(distances_are_symmetric_and_local_is_ten)
{
	struct machine *machine;
	struct sim_model *model;
	struct shape *shape;

	ck_no_error(shape_of("zen3-2s-nps4", 1024, 64, &machine, &model, &shape));
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			ck_assert_int_eq(shape->distance[i * 8 + j], i == j	      ? 10
								     : i / 4 == j / 4 ? 12
										      : 32);
	close_all(machine, model, shape);
}
END_TEST

START_TEST(too_many_cpus_or_nodes_say_what_the_kernel_allows)
{
	struct machine *machine;
	struct sim_model *model;
	struct shape *shape;

	ck_error(shape_of("epyc-9845-2s", 512, 64, &machine, &model, &shape), ERR_INPUT,
		 "640 CPUs, the kernel was built for 512");
	close_all(machine, model, NULL);
	ck_error(shape_of("epyc-9845-2s", 1024, 16, &machine, &model, &shape), ERR_INPUT,
		 "20 nodes, the kernel was built for 16");
	close_all(machine, model, NULL);
}
END_TEST

START_TEST(contradictory_distances_name_the_nodes)
{
	struct machine *machine;
	struct sim_model *model;
	struct shape *shape;

	ck_no_error(machine_open("zen3-2s-nps1", &machine));
	ck_no_error(model_read(machine, &model));
	machine->distances[1] = 40;
	ck_error(shape_new(machine, model, 1024, 64, &shape), ERR_INPUT,
		 "nodes 0 and 1: distance 40 one way and 32 back");
	machine->distances[1] = 32;
	machine->distances[3] = 12;
	ck_error(shape_new(machine, model, 1024, 64, &shape), ERR_INPUT,
		 "nodes 1 and 1: distance 12");
	close_all(machine, model, NULL);
}
END_TEST

START_TEST(ids_with_holes_translate_both_ways)
{
	struct machine_cpu cpus[] = { { .id = 0 }, { .id = 3 }, { .id = 64 } };
	struct machine machine = { .source = (char *)"holes", .cpus = cpus, .n_cpus = 3 };
	hwloc_bitmap_t set = hwloc_bitmap_alloc(), back = hwloc_bitmap_alloc();
	struct sim_model *model;
	struct shape *shape;
	uint64_t mask = 0;

	for (int i = 0; i < 3; i++)
		for (int level = 0; level < N_MACHINE_LEVELS; level++)
			cpus[i].group[level] = -1;
	for (int i = 0; i < 3; i++)
		cpus[i].kind = -1;
	ck_no_error(model_read(&machine, &model));
	ck_no_error(shape_new(&machine, model, 64, 4, &shape));
	ck_assert_int_eq(shape_cpu(shape, 64), 2);
	ck_assert_int_eq(shape_cpu(shape, 1), -1);
	hwloc_bitmap_set(set, 64);
	hwloc_bitmap_set(set, 1);
	shape_mask(shape, set, &mask);
	ck_assert_uint_eq(mask, 4);
	shape_set(shape, &mask, back);
	ck_assert_int_eq(hwloc_bitmap_first(back), 64);
	ck_assert_int_eq(hwloc_bitmap_weight(back), 1);
	hwloc_bitmap_free(set);
	hwloc_bitmap_free(back);
	shape_free(shape);
	model_free(model);
}
END_TEST

START_TEST(a_machine_without_cpus_is_refused)
{
	struct machine machine = { .source = (char *)"nothing" };
	struct sim_model *model;
	struct shape *shape;

	ck_no_error(model_read(&machine, &model));
	ck_error(shape_new(&machine, model, 64, 4, &shape), ERR_INPUT, "no CPUs");
	model_free(model);
}
END_TEST

UNIT_TESTS("sim shape", cpus_keep_their_groups_and_numbers,
	   distances_are_symmetric_and_local_is_ten,
	   too_many_cpus_or_nodes_say_what_the_kernel_allows,
	   contradictory_distances_name_the_nodes, ids_with_holes_translate_both_ways,
	   a_machine_without_cpus_is_refused)
