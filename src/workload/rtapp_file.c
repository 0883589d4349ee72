// SPDX-License-Identifier: GPL-2.0-only
/* rtapp_file.c - what is done with an rt-app file that was read */
#include "workload/rtapp_file.h"

#include <stdlib.h>

#include "base/memory.h"

static struct error *check_set(const struct rtapp_file *file,
			       const struct rtapp_properties *properties, hwloc_const_bitmap_t cpus)
{
	struct error *error = NULL;
	char *list;

	if (!properties->cpus || hwloc_bitmap_isincluded(properties->cpus, cpus))
		return NULL;
	hwloc_bitmap_list_asprintf(&list, cpus);
	error = error_at(ERR_INPUT, file->name, properties->line,
			 "%s: the case has the CPUs %s; all that tasks name must be among them",
			 properties->path, list);
	free(list);
	return error;
}

struct error *rtapp_check_cpus(const struct rtapp_file *file, hwloc_const_bitmap_t cpus)
{
	struct error *error = NULL;

	for (int i = 0; i < file->n_tasks && !error; i++) {
		const struct rtapp_task *task = &file->tasks[i];

		error = check_set(file, &task->properties, cpus);
		for (int j = 0; j < task->n_phases && !error; j++)
			error = check_set(file, &task->phases[j].properties, cpus);
	}
	return error;
}

static void properties_clear(struct rtapp_properties *properties)
{
	hwloc_bitmap_free(properties->cpus);
	free(properties->path);
}

static void phase_clear(struct rtapp_phase *phase)
{
	for (int i = 0; i < phase->n_events; i++)
		free(phase->events[i].path);
	free(phase->events);
	properties_clear(&phase->properties);
}

static void task_clear(struct rtapp_task *task)
{
	for (int i = 0; i < task->n_phases; i++)
		phase_clear(&task->phases[i]);
	free(task->phases);
	free(task->name);
	properties_clear(&task->properties);
}

void rtapp_free(struct rtapp_file *file)
{
	if (!file)
		return;
	for (int i = 0; i < file->n_tasks; i++)
		task_clear(&file->tasks[i]);
	for (int i = 0; i < file->n_objects; i++)
		free(file->objects[i].name);
	for (int i = 0; i < file->n_without_effect; i++)
		free(file->without_effect[i]);
	free(file->tasks);
	free(file->objects);
	free(file->without_effect);
	free(file->name);
	free(file);
}
