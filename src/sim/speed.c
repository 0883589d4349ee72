// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast a CPU computes: the clock of its package by the number of busy cores, its capacity, its
 * SMT sibling, and for loads with a working set the share of cache and memory they get.
 *
 * Clocks and shares follow the load within SPEED_PERIOD, as the power management of real machines
 * does; the SMT sibling counts at once.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "sim/engine.h"

#define CHASE_LOADS 1000 /* a unit of CHASE */
#define CLOCK_STEPS 32	 /* the clock is recomputed for steps of busy cores: 1/32 of a package */

static void link_siblings(struct sim *sim)
{
	const struct ksched_cpu_desc *desc = sim->shape->cpus;

	for (int i = 0; i < sim->n_cpus; i++) {
		int next = i;

		do
			next = (next + 1) % sim->n_cpus;
		while (next != i && desc[next].core != desc[i].core);
		sim->cpus[i].sibling = next;
	}
}

static int highest(const struct sim *sim, size_t offset)
{
	int most = 0;

	for (int i = 0; i < sim->n_cpus; i++) {
		int value = *(const int *)((const char *)&sim->shape->cpus[i] + offset);

		most = value > most ? value : most;
	}
	return most;
}

static uint64_t llc_size(const struct machine *machine, int group)
{
	return group < machine->n_groups[LEVEL_LLC] ? machine->groups[LEVEL_LLC][group].bytes : 0;
}

/* clock, capacity and SMT sibling; @smt: 1/1000 */
static uint64_t core_rate(const struct sim_cpu *cpu, int64_t smt)
{
	uint64_t rate = cpu->core_rate;

	if (cpu->busy_siblings)
		rate = rate * smt / 1000;
	return rate ? rate : 1;
}

/* What an entry of a CPU needs of its speed, kept because it changes far less often. */
static void refresh(const struct sim *sim, struct sim_cpu *cpu)
{
	uint64_t rate = (uint64_t)1000 << RATE_SHIFT;

	rate = rate * sim->packages[cpu->package].clock / sim->model->clock_one;
	cpu->core_rate = rate * cpu->capacity / 1024;
	cpu->rated = UNSTEADY;
	cpu->kernel_scale = (uint32_t)(((uint64_t)1024 * 1000 << RATE_SHIFT) /
				       core_rate(cpu, sim->model->smt_kernel));
}

void speed_new(struct sim *sim)
{
	const struct ksched_cpu_desc *desc = sim->shape->cpus;

	sim->n_packages = highest(sim, offsetof(struct ksched_cpu_desc, package)) + 1;
	sim->n_llcs = highest(sim, offsetof(struct ksched_cpu_desc, llc)) + 1;
	sim->n_nodes = sim->shape->kernel.nr_nodes;
	sim->packages = memory_zeroed(sim->n_packages, sizeof(*sim->packages));
	sim->llcs = memory_zeroed(sim->n_llcs, sizeof(*sim->llcs));
	sim->nodes = memory_zeroed(sim->n_nodes, sizeof(*sim->nodes));
	link_siblings(sim);
	for (int i = 0; i < sim->n_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[i];

		cpu->package = desc[i].package;
		cpu->llc = desc[i].llc;
		cpu->node = desc[i].node;
		cpu->capacity = desc[i].capacity;
		if (cpu->sibling <= i) /* the last CPU of a core closes its ring */
			sim->packages[cpu->package].cores++;
	}
	for (int i = 0; i < sim->n_packages; i++)
		sim->packages[i].clock = sim->model->clock_one;
	for (int i = 0; i < sim->n_llcs; i++)
		sim->llcs[i].bytes = llc_size(sim->machine, i);
	for (int i = 0; i < sim->n_cpus; i++)
		refresh(sim, &sim->cpus[i]);
}

uint64_t speed_unit(const struct sim *sim, const struct compute *compute)
{
	/* a unit of CHASE is 1000 dependent loads */
	if (compute->method == COMPUTE_CHASE)
		return CHASE_LOADS * sim->model->l2_latency;
	return sim->model->unit_time[compute->method];
}

/* ---- what a set beyond L2 costs ---- */

static uint64_t distance_of(const struct sim *sim, const struct sim_cpu *cpu,
			    const struct compute *compute)
{
	return sim->shape->distance[cpu->node * sim->n_nodes + compute->home];
}

/*
 * How much of what is asked for beyond L2 is not in the LLC, 1/1024. Streams go through a set from
 * end to end, so of one that is larger than the cache nothing is left when they come again.
 */
static uint64_t miss_share(const struct sim_llc *llc, const struct compute *compute)
{
	uint64_t others = llc->users.mean_bytes;
	uint64_t set = others > compute->bytes ? others : compute->bytes;

	if (set <= llc->bytes)
		return 0;
	if (compute_is_stream(compute->method))
		return 1024;
	return (set - llc->bytes) * 1024 / set;
}

/* ps that dependent loads take longer than in L2 */
static uint64_t load_wait(const struct sim *sim, const struct sim_cpu *cpu,
			  const struct compute *compute, uint64_t loads)
{
	const struct sim_model *model = sim->model;
	uint64_t miss = miss_share(&sim->llcs[cpu->llc], compute);
	uint64_t distance = distance_of(sim, cpu, compute);
	uint64_t latency = (model->llc_latency * (1024 - miss) +
			    model->memory_latency * distance / 10 * miss) /
			   1024;

	return loads * (latency - model->l2_latency);
}

static uint64_t share_of(int64_t bandwidth, const struct sim_users *users)
{
	uint64_t n = users->mean_n > 1024 ? users->mean_n : 1024;

	return (uint64_t)((unsigned __int128)bandwidth * 1024 / n);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * ps that a unit's bytes take beyond L2: from the LLC, which its users share; and from memory, where
 * the core's, the LLC's and the node's limits hold, each shared by those who use it
 * @smt: 1/1000, of the core's
 */
static uint64_t transfer_time(const struct sim *sim, const struct sim_cpu *cpu,
			      const struct compute *compute, int64_t smt)
{
	const struct sim_model *model = sim->model;
	const struct sim_llc *llc = &sim->llcs[cpu->llc];
	uint64_t miss = miss_share(llc, compute), bytes = model->unit_bytes[compute->method];
	uint64_t cache = share_of(model->llc_bandwidth, &llc->users);
	uint64_t memory =
		smaller((uint64_t)(model->cpu_bandwidth * smt / 1000),
			smaller(share_of(model->link_bandwidth, &llc->users),
				share_of(model->node_bandwidth, &sim->nodes[compute->home].users)));
	unsigned __int128 scaled = (unsigned __int128)bytes * 1000000000000;

	memory = memory * 10 / distance_of(sim, cpu, compute) + 1;
	return (uint64_t)((scaled * (1024 - miss) / cache + scaled * miss / memory) / 1024);
}

/* ps of a unit whose computing takes @unit; streams compute while they wait, the others do not */
static uint64_t unit_with_waits(const struct sim *sim, const struct sim_cpu *cpu,
				const struct compute *compute, uint64_t unit, int64_t smt)
{
	uint64_t transfer;

	if (compute->bytes <= (uint64_t)sim->model->l2_size)
		return unit;
	if (compute->method == COMPUTE_CHASE)
		return unit + load_wait(sim, cpu, compute, CHASE_LOADS);
	if (compute->method == COMPUTE_OBJECTS)
		return unit + load_wait(sim, cpu, compute, (uint64_t)sim->model->objects_loads);
	transfer = transfer_time(sim, cpu, compute, smt);
	if (compute_is_stream(compute->method))
		return unit > transfer ? unit : transfer;
	return unit + transfer;
}

void speed_set(struct sim *sim, int index, const struct load *load)
{
	struct sim_cpu *cpu = &sim->cpus[index];
	uint64_t rate;
	int64_t smt;

	if (cpu->rated == load->steady && load->steady != UNSTEADY)
		return;
	smt = sim->model->smt[load->compute ? load->compute->method : COMPUTE_INT128];
	rate = core_rate(cpu, smt);
	rate = (uint64_t)((unsigned __int128)rate * load->speed >> 20);
	if (load->compute && load->compute->bytes) {
		unsigned __int128 scaled = (unsigned __int128)speed_unit(sim, load->compute) *
					   ((uint64_t)1000 << RATE_SHIFT);
		uint64_t unit = (uint64_t)(scaled / (rate ? rate : 1));

		if (!cpu->busy_siblings)
			smt = 1000;
		rate = (uint64_t)(scaled / unit_with_waits(sim, cpu, load->compute, unit, smt));
	}
	cpu->rate = rate ? rate : 1;
	cpu->rated = load->steady;
}

/* ---- who uses caches and memory ---- */

static void users_settle(struct sim_users *users, uint64_t time)
{
	if (time <= users->since)
		return;
	users->sum_n += (unsigned __int128)users->n * (time - users->since);
	users->sum_bytes += (unsigned __int128)users->bytes * (time - users->since);
	users->since = time;
}

/* sets up to the size of L2 trouble nobody else */
static bool is_beyond_l2(const struct sim *sim, const struct load *load)
{
	return load && load->compute && load->compute->bytes > (uint64_t)sim->model->l2_size;
}

/* the set of what runs here, in the LLC */
static void change_set(struct sim *sim, struct sim_cpu *cpu, uint64_t bytes, uint64_t time)
{
	struct sim_users *users = &sim->llcs[cpu->llc].users;

	users_settle(users, time);
	users->bytes += bytes - cpu->set_bytes;
	cpu->set_bytes = bytes;
}

/* what runs here begins or ends to ask for memory beyond L2 */
static void change_user(struct sim *sim, struct sim_cpu *cpu, int n, uint64_t time)
{
	struct sim_users *llc = &sim->llcs[cpu->llc].users;
	struct sim_users *node = &sim->nodes[cpu->set_home].users;

	users_settle(llc, time);
	users_settle(node, time);
	llc->n += (uint64_t)n;
	node->n += (uint64_t)n;
	cpu->beyond_l2 = n > 0;
}

void speed_load(struct sim *sim, int index, struct load *load, uint64_t time)
{
	struct sim_cpu *cpu = &sim->cpus[index];
	uint64_t bytes = load ? load->set_bytes : 0;
	bool beyond = false;
	int home = cpu->set_home;

	if (!cpu->set_bytes && !bytes && (!load || load->steady != UNSTEADY))
		return;
	if (is_beyond_l2(sim, load)) {
		bytes = load->set_bytes = load->compute->bytes;
		home = load->compute->home;
		beyond = true;
	}
	if (bytes == cpu->set_bytes && beyond == cpu->beyond_l2 && home == cpu->set_home)
		return;
	if (bytes != cpu->set_bytes)
		change_set(sim, cpu, bytes, time);
	if (cpu->beyond_l2)
		change_user(sim, cpu, -1, time);
	cpu->set_home = home;
	if (beyond)
		change_user(sim, cpu, 1, time);
	sim->speed_changed = true;
}

static void users_restart(struct sim_users *users, uint64_t time)
{
	users->since = time;
	users->sum_n = 0;
	users->sum_bytes = 0;
}

void speed_period(struct sim *sim, uint64_t time)
{
	sim->period = time;
	for (int i = 0; i < sim->n_llcs; i++)
		users_restart(&sim->llcs[i].users, time);
	for (int i = 0; i < sim->n_nodes; i++)
		users_restart(&sim->nodes[i].users, time);
}

/* the means of the period that ends; true if they changed, *settled if they are what is now */
static bool users_mean(const struct sim *sim, struct sim_users *users, uint64_t time, bool *settled)
{
	uint64_t length = time > sim->period ? time - sim->period : 1;
	uint64_t n, bytes;
	bool changed;

	users_settle(users, time);
	n = (uint64_t)(users->sum_n * 1024 / length);
	bytes = (uint64_t)(users->sum_bytes / length);
	changed = n != users->mean_n || bytes != users->mean_bytes;
	users->mean_n = n;
	users->mean_bytes = bytes;
	*settled &= n == users->n * 1024;
	return changed;
}

void speed_busy(struct sim *sim, int index, bool busy)
{
	struct sim_cpu *cpu = &sim->cpus[index];

	cpu->busy = busy;
	for (int i = cpu->sibling; i != index; i = sim->cpus[i].sibling) {
		sim->cpus[i].busy_siblings += busy ? 1 : -1;
		refresh(sim, &sim->cpus[i]);
	}
	if (!cpu->busy_siblings) {
		sim->packages[cpu->package].busy += busy ? 1 : -1;
		sim->speed_changed = true;
	}
}

static bool clocks_update(struct sim *sim)
{
	const struct sim_model *model = sim->model;
	bool changed = false;

	for (int i = 0; i < sim->n_packages; i++) {
		struct sim_package *package = &sim->packages[i];
		int step = package->cores ? package->busy * CLOCK_STEPS / package->cores : 0;
		uint64_t clock =
			model->clock_one -
			(uint64_t)(model->clock_one - model->clock_all) * step / CLOCK_STEPS;

		changed |= clock != package->clock;
		package->clock = clock;
	}
	if (changed)
		for (int i = 0; i < sim->n_cpus; i++)
			refresh(sim, &sim->cpus[i]);
	return changed;
}

bool speed_update(struct sim *sim, uint64_t time)
{
	bool changed = clocks_update(sim), settled = true;

	for (int i = 0; i < sim->n_llcs; i++)
		changed |= users_mean(sim, &sim->llcs[i].users, time, &settled);
	for (int i = 0; i < sim->n_nodes; i++)
		changed |= users_mean(sim, &sim->nodes[i].users, time, &settled);
	if (!settled)
		sim->speed_changed = true;
	return changed;
}

uint64_t speed_refill(const struct sim *sim, int from, int to)
{
	const struct ksched_cpu_desc *a = &sim->shape->cpus[from], *b = &sim->shape->cpus[to];

	if (a->package != b->package)
		return sim->model->refill_package;
	if (a->llc != b->llc)
		return sim->model->refill_node;
	return a->core != b->core ? sim->model->refill_llc : sim->model->refill_core;
}
