// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "base/text.h"
#include "sim/model.h"
#include "sim/unit.h"

static char file_name[] = "x.machine";

static struct error *read_one(const char *section, const char *key, const char *value,
			      struct sim_model **out)
{
	struct machine_entry entry = { (char *)section, (char *)key, (char *)value, 12 };
	struct machine machine = { .source = file_name, .entries = &entry, .n_entries = 1 };

	return model_read(&machine, out);
}

START_TEST(every_default_is_in_its_own_range)
{
	struct machine machine = { .source = file_name };
	struct sim_model *model;

	ck_no_error(model_read(&machine, &model));
	ck_assert_int_eq(model->irq, 600000);
	ck_assert_int_eq(model->smt[0], 600);
	ck_assert_int_eq(model->clock_one, 3300000);
	model_free(model);
}
END_TEST

START_TEST(keys_take_their_units)
{
	struct sim_model *model;

	ck_no_error(read_one("cost", "scan", "2.5ns", &model));
	ck_assert_int_eq(model->scan, 2500);
	model_free(model);
	ck_no_error(read_one("speed", "node-bandwidth", "57GB/s", &model));
	ck_assert_int_eq(model->node_bandwidth, 57000000000);
	model_free(model);
	ck_no_error(read_one("kernel", "polling-idle", "yes", &model));
	ck_assert(model->polling_idle);
	model_free(model);
}
END_TEST

START_TEST(unknown_keys_and_sections_are_refused_with_their_line)
{
	struct sim_model *model;

	ck_error(read_one("cost", "swich", "1us", &model), ERR_INPUT,
		 "x.machine:12: [cost] has no key 'swich' (did you mean 'switch'?)");
	ck_error(read_one("costs", "switch", "1us", &model), ERR_INPUT,
		 "x.machine:12: section [costs]");
	ck_error(read_one("speed", "switch", "1us", &model), ERR_INPUT,
		 "[speed] has no key 'switch'");
}
END_TEST

START_TEST(values_without_or_with_a_wrong_unit_are_refused)
{
	static const char *const wrong[] = { "1",    "us",    "-1us", "1xs",
					     "1us ", "1e3us", "",     "1.2.3us" };
	struct sim_model *model;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_error(read_one("cost", "switch", wrong[i], &model), ERR_INPUT,
			 "x.machine:12: switch: ");
	ck_error(read_one("speed", "smt-int128", "0.6", &model), ERR_INPUT, "a number with %");
	ck_error(read_one("speed", "smt-int128", "150%", &model), ERR_INPUT,
		 "between 10% and 100%");
	ck_error(read_one("cost", "switch", "99999999999s", &model), ERR_INPUT, "too large");
	ck_error(read_one("kernel", "polling-idle", "maybe", &model), ERR_INPUT, "polling-idle: ");
}
END_TEST

START_TEST(a_key_given_twice_is_refused)
{
	struct machine_entry entries[] = { { (char *)"cost", (char *)"irq", (char *)"1us", 3 },
					   { (char *)"cost", (char *)"irq", (char *)"2us", 9 } };
	struct machine machine = { .source = file_name, .entries = entries, .n_entries = 2 };
	struct sim_model *model;

	ck_error(model_read(&machine, &model), ERR_INPUT,
		 "x.machine:9: irq is given twice, first in line 3");
}
END_TEST

START_TEST(figures_that_contradict_each_other_are_refused)
{
	struct sim_model *model;

	ck_error(read_one("speed", "clock-all", "9GHz", &model), ERR_INPUT,
		 "clock-all is above clock-one");
	ck_error(read_one("speed", "llc-latency", "1us", &model), ERR_INPUT, "must not fall");
	ck_error(read_one("cost", "idle-exit", "1ms", &model), ERR_INPUT, "idle-exit is above");
}
END_TEST

START_TEST(a_kernel_takes_its_cycles_unless_its_time_is_told)
{
	struct machine_entry entries[] = {
		{ .section = "speed", .key = "clock-one", .value = "6.6GHz", .line = 1 },
		{ .section = "speed", .key = "double", .value = "9us", .line = 2 },
	};
	struct machine machine = { .source = file_name, .entries = entries, .n_entries = 2 };
	struct sim_model *model, *usual;

	ck_no_error(model_read(&(struct machine){ .source = file_name }, &usual));
	ck_no_error(model_read(&machine, &model));
	ck_assert_int_eq(model->unit_time[COMPUTE_INT128], usual->unit_time[COMPUTE_INT128] / 2);
	ck_assert_int_eq(model->unit_time[COMPUTE_EP], usual->unit_time[COMPUTE_EP] / 2);
	ck_assert_int_eq(model->unit_time[COMPUTE_DOUBLE], 9000000);
	ck_assert_int_eq(model->fork, usual->fork);
	model_free(model);
	model_free(usual);
}
END_TEST

START_TEST(a_written_figure_reads_back_as_itself)
{
	struct machine machine = { .source = file_name };
	struct sim_model *model;
	json_t *record;

	ck_no_error(model_read(&machine, &model));
	record = model_record(model);
	for (const struct figure *figure = model_figures(); figure->key; figure++) {
		autofree char *key = memory_format("%s.%s", figure->section, figure->key);
		const char *text = json_string_value(json_object_get(record, key));
		int64_t before, after;

		ck_assert_ptr_nonnull(text);
		if (figure->unit == FIGURE_TEXT || figure->unit == FIGURE_BOOL)
			continue;
		ck_no_error(unit_parse(figure->unit, figure->def, &before));
		ck_no_error(unit_parse(figure->unit, text, &after));
		ck_assert_msg(before == after, "%s: %s", key, text);
	}
	json_decref(record);
	model_free(model);
}
END_TEST

START_TEST(every_ready_machine_has_figures_that_can_be_read)
{
	int n;
	char **names = machine_ready_names(&n);

	ck_assert_int_ge(n, 10);
	for (int i = 0; i < n; i++) {
		struct sim_model *model;
		struct machine *machine;

		ck_no_error(machine_open(names[i], &machine));
		ck_no_error(model_read(machine, &model));
		model_free(model);
		machine_close(machine);
	}
	text_split_free(names, n);
}
END_TEST

UNIT_TESTS("sim model", every_default_is_in_its_own_range, keys_take_their_units,
	   unknown_keys_and_sections_are_refused_with_their_line,
	   values_without_or_with_a_wrong_unit_are_refused, a_key_given_twice_is_refused,
	   figures_that_contradict_each_other_are_refused,
	   a_kernel_takes_its_cycles_unless_its_time_is_told, a_written_figure_reads_back_as_itself,
	   every_ready_machine_has_figures_that_can_be_read)
