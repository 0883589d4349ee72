// SPDX-License-Identifier: GPL-2.0-only
/*
 * disk.c - the disk below the folders, and the kernel thread that commits their journal
 *
 * What a flush of a file waits for, after ext4 and jbd2 of the kernel: its own pages are written by its task,
 * which sleeps until the disk has them; then the transaction that its changes are part of is
 * committed by a thread, which the first who asks wakes, and which wakes all who wait for that
 * transaction. Changes that come while it is committed are part of the next one. The disk takes a time for each write
 * and has no queue; commits without a flush (each 5 s) and write-back do not come in a trial's time.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "sim/team.h"

struct disk {
	struct sim_task thread;
	struct ksched_waitq *asked; /* the thread sleeps here */
	struct ksched_waitq *done;  /* who waits for a commit */
	uint64_t running;	    /* the transaction that changes are part of now */
	uint64_t requested;	    /* the last that somebody waits for */
	uint64_t committed;	    /* the last that is on the disk */
};

/* sleeps until the disk is done; @ps: its time */
static void disk_wait(struct sim_task *task, int64_t ps)
{
	const struct sim *sim = task->sim;
	uint64_t time = prng_around(&task->prng, (uint64_t)ps, (unsigned)sim->model->cost_jitter);

	task_settle(task, 0);
	sim->kernel->sleep_until(engine_now(sim) + time / 1000, 0);
}

static void thread_life(void *argument)
{
	struct disk *disk = argument;
	struct sim_task *task = &disk->thread;
	const struct sim_model *model = task->sim->model;

	task->kernel = task->sim->kernel->current();
	for (;;) {
		uint64_t transaction = disk->running;

		if (disk->requested <= disk->committed) {
			task->sim->kernel->waitq_wait(disk->asked, 0, KSCHED_NEVER);
			continue;
		}
		disk->running++;
		task_work_kernel(task, (uint64_t)model->disk_commit);
		disk_wait(task, model->disk_write);
		disk_wait(task, model->disk_write + model->disk_flush);
		disk->committed = transaction;
		task->sim->kernel->waitq_wake(disk->done, 0, 0);
	}
}

void disk_start(struct sim_team *team)
{
	const struct ksched_api *kernel = team->sim->kernel;
	struct disk *disk;
	struct ksched_clone clone = { .entry = thread_life, .comm = "jbd2/disk" };
	int result;

	if (!team->n_folders || !team->sim->model->disk_write)
		return;
	disk = memory_zeroed(1, sizeof(*disk));
	disk->asked = kernel->waitq_new();
	disk->done = kernel->waitq_new();
	disk->running = 1;
	task_init(&disk->thread, team, NULL);
	clone.arg = disk;
	clone.data = &disk->thread.load;
	result = kernel->clone(&clone, &disk->thread.kernel);
	if (result)
		engine_fail(team->sim, "the journal's thread could not be made: error %d", -result);
	team->disk = disk;
}

uint64_t disk_transaction(const struct sim_team *team)
{
	return team->disk ? team->disk->running : 0;
}

bool disk_flush(struct sim_task *task, uint64_t transaction, bool pages)
{
	struct disk *disk = task->team->disk;
	const struct ksched_api *kernel = task->sim->kernel;

	if (!disk)
		return true;
	if (pages)
		disk_wait(task, task->sim->model->disk_write);
	if (transaction > disk->requested) {
		disk->requested = transaction;
		kernel->waitq_wake(disk->asked, 0, 0);
	}
	while (disk->committed < transaction && !task_over(task))
		kernel->waitq_wait(disk->done, 0, KSCHED_NEVER);
	return !task_over(task);
}

void disk_release(struct sim_team *team)
{
	if (team->disk)
		team->sim->kernel->waitq_wake(team->disk->done, 0, 0);
}

/* the kernel's wait queues and task stay: its state ends with the process */
void disk_free(struct sim_team *team)
{
	free(team->disk);
}
