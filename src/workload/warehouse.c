// SPDX-License-Identifier: GPL-2.0-only
/*
 * warehouse.c - terminals of warehouses that book a mix of transactions on stores of records: the shape
 * of server programs with objects in memory, mostly private, in part shared under locks
 *
 * All terminals are threads of one process. A transaction computes on what is the terminal's own, then
 * locks its warehouse's store and works on records of it; some go on to another warehouse's, or to the
 * company's, which is one for all. No two locks are held at once.
 *
 * A store is locked for what is done to its records, and no longer: a lock that is held nearly always
 * would be taken again by its holder before a sleeper is awake, and few terminals would run at all.
 */
#include "base/memory.h"
#include "base/random.h"
#include "workload/workload.h"

/* A store and its lock. */
struct store {
	size_t bytes;
	struct compute *compute; /* made by the first terminal, which touches the memory */
	struct mutex *mutex;
};

#define OWN_BYTES (128 * 1024) /* of a terminal: fits in any L2 */

/* Each unit is 16 records (COMPUTE_OBJECTS). */
struct transaction {
	unsigned weight;	 /* how many of WEIGHTS are of this kind */
	unsigned own, elsewhere; /* units of the own store, of another one's */
	unsigned away;		 /* per cent that go to another one's */
	unsigned company;	 /* units of the company's store */
};

enum {
	NEW_ORDER,
	PAYMENT,
	STATUS,
	DELIVERY,
	STOCK,
	REPORT,
	N_KINDS
};

/*
 * The mix is SPECjbb2005's: as many payments as new orders, a tenth of each of the others. The records
 * of a transaction are those of TPC-C, which SPECjbb2005 follows: a new order reads and writes 46 rows, a
 * payment 8, a status 13, a delivery 130, a stock level 400 (Leutenegger and Dias, "A modeling study of the
 * TPC-C benchmark", 1993). Nothing that all share is written by any of these; a report is ours.
 */
#define WEIGHTS 24

static const struct transaction mix[N_KINDS] = {
	[NEW_ORDER] = { 10, 3, 1, 10, 0 }, [PAYMENT] = { 10, 1, 1, 15, 0 },
	[STATUS] = { 1, 1, 0, 0, 0 },	   [DELIVERY] = { 1, 8, 0, 0, 0 },
	[STOCK] = { 1, 25, 0, 0, 0 },	   [REPORT] = { 1, 2, 0, 0, 1 },
};

/* counters */
enum {
	COUNT_ALL,
	COUNT_NEW_ORDERS
};

struct company {
	int64_t n;   /* warehouses */
	int64_t own; /* units of a terminal's own for each of its warehouse's store */
	struct store *store;
	struct store *warehouses[];
};

/* one a thread */
struct terminal {
	struct company *company;
	int64_t home; /* its warehouse */
	bool first;   /* of its warehouse */
	struct compute *own;
	struct random random;
};

static void store_make(struct task *task, struct store *store)
{
	store->compute = task_compute_new(task, COMPUTE_OBJECTS, store->bytes);
}

static void prepare(struct task *task, void *data)
{
	struct terminal *terminal = data;

	if (terminal->company->own)
		terminal->own = task_compute_new(task, COMPUTE_OBJECTS, OWN_BYTES);
	if (!terminal->first)
		return;
	store_make(task, terminal->company->warehouses[terminal->home]);
	if (!terminal->home)
		store_make(task, terminal->company->store);
}

static bool work(struct task *task, struct store *store, unsigned units)
{
	if (!units)
		return true;
	if (!store->compute || !mutex_lock(task, store->mutex))
		return false;
	task_compute(task, store->compute, units, -1);
	mutex_unlock(task, store->mutex);
	return true;
}

static int choose_kind(struct terminal *terminal)
{
	uint64_t number = random_below(&terminal->random, WEIGHTS);
	int kind = 0;

	while (number >= mix[kind].weight)
		number -= mix[kind++].weight;
	return kind;
}

/* the store of another warehouse, or of the own one if it is the only one */
static struct store *elsewhere(struct terminal *terminal)
{
	const struct company *company = terminal->company;
	int64_t step = 1;

	if (company->n > 1)
		step += (int64_t)random_below(&terminal->random, (uint64_t)company->n - 1);
	return company->warehouses[(terminal->home + step) % company->n];
}

static bool transact(struct task *task, struct terminal *terminal, int kind)
{
	const struct transaction *what = &mix[kind];
	struct company *company = terminal->company;

	if (terminal->own)
		task_compute(task, terminal->own, what->own * (uint64_t)company->own, -1);
	if (!work(task, company->warehouses[terminal->home], what->own))
		return false;
	if (what->away && random_below(&terminal->random, 100) < what->away &&
	    !work(task, elsewhere(terminal), what->elsewhere))
		return false;
	return work(task, company->store, what->company);
}

static void body(struct task *task, void *data)
{
	struct terminal *terminal = data;

	while (task_running(task)) {
		int kind = choose_kind(terminal);
		uint64_t begin = task_clock(task);

		if (!transact(task, terminal, kind))
			return;
		task_record(task, 0, task_clock(task) - begin);
		task_count(task, COUNT_ALL, 1);
		if (kind == NEW_ORDER)
			task_count(task, COUNT_NEW_ORDERS, 1);
	}
}

static struct store *store_new(struct team *team, int64_t bytes)
{
	struct store *store = team_shared(team, sizeof(*store));

	store->bytes = (size_t)bytes;
	store->mutex = team_mutex(team);
	return store;
}

static void add_terminal(struct team *team, struct company *company, int64_t home, int64_t number,
			 bool spins)
{
	struct terminal *terminal = team_shared(team, sizeof(*terminal));
	struct worker_spec spec = {
		.prepare = prepare, .body = body, .data = terminal, .process = 0, .spins = spins
	};

	terminal->company = company;
	terminal->home = home;
	terminal->first = number == 0;
	terminal->random = random_seeded(random_mixed((uint64_t)home, (uint64_t)number));
	team_add(team, &spec);
}

static struct error *setup(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "warehouses");
	int64_t terminals = params_number(params, "terminals");
	struct company *company =
		team_shared(team, sizeof(*company) + (size_t)n * sizeof(company->warehouses[0]));

	company->n = n;
	company->own = params_number(params, "own");
	company->store = store_new(team, params_number(params, "company"));
	team_histograms(team, 1);
	for (int64_t i = 0; i < n; i++)
		company->warehouses[i] = store_new(team, params_number(params, "store"));
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < terminals; j++)
			add_terminal(team, company, i, j, params_number(params, "gate") == 1);
	return NULL;
}

static struct error *memory(const struct machine *machine, hwloc_const_bitmap_t cpus,
			    const struct params *params, uint64_t *bytes)
{
	(void)machine;
	(void)cpus;
	*bytes = (uint64_t)params_number(params, "warehouses") *
			 ((uint64_t)params_number(params, "store") +
			  (uint64_t)params_number(params, "terminals") * OWN_BYTES) +
		 (uint64_t)params_number(params, "company");
	return NULL;
}

static struct workload_demand demand(const struct params *params, hwloc_const_bitmap_t cpus)
{
	(void)cpus;
	return (struct workload_demand){ .tasks = (double)params_number(params, "warehouses") *
						  (double)params_number(params, "terminals") };
}

static const struct param warehouse_params[] = {
	{ "warehouses", PARAM_COUNT, .def = "nr_cpus", .help = "stores, each with its terminals" },
	{ "terminals", PARAM_COUNT, .def = "1", .help = "threads of each warehouse" },
	{ "store", PARAM_SIZE, .def = "16M", .min = 4096, .max = PARAM_BYTES_MOST, .unit = "bytes",
	  .help = "size of a warehouse's store of records" },
	{ "company", PARAM_SIZE, .def = "1M", .min = 4096, .max = PARAM_BYTES_MOST, .unit = "bytes",
	  .help = "size of the store that all share" },
	{ "own", PARAM_COUNT, .def = "8", .max = 1000, .zero = true,
	  .help = "work on a terminal's own memory for each piece on its store" },
	{ "gate", PARAM_CHOICE, .def = "sleep", .choices = "sleep spin",
	  .help = "how they wait for the start; spin: they run when the next is forked" },
	{ NULL },
};

static const struct workload_metric warehouse_metrics[] = {
	{ { "transactions", "1/s", BETTER_HIGHER, 1, "of all kinds; a worker is a terminal" },
	  METRIC_RATE,
	  COUNT_ALL },
	{ { "new_orders", "1/s", BETTER_HIGHER, 1, "of these, new orders" },
	  METRIC_RATE,
	  COUNT_NEW_ORDERS },
	{ { "response", "us", BETTER_LOWER, 1, "from the start of a transaction to its end" },
	  METRIC_HISTOGRAM,
	  0 },
	{ { NULL } },
};

const struct workload workload_warehouse = {
	.name = "warehouse",
	.summary = "threads booking transactions on stores of records, in part shared",
	.exercises = "threads whose number is not known ahead, placement by cache and node, locks",
	.version = 2,
	.params = warehouse_params,
	.metrics = warehouse_metrics,
	.load = "warehouses",
	.needs = TASK_THREAD | TASK_COMPUTE | TASK_MEMORY | TASK_CHANNEL,
	.unsupported = "it needs threads with locks, whose speed depends on caches and memory",
	.setup = setup,
	.memory = memory,
	.demand = demand,
};
