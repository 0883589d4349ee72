// SPDX-License-Identifier: GPL-2.0-only
#include "sim/model.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/unit.h"

#define AT(field) offsetof(struct sim_model, field)

/*
 * The defaults are those of a two-socket server of about 2020; where a figure was measured or
 * published for a machine, its machine file says so and where. "Assumed" figures are of the right
 * order, no more. Unit times of the compute kernels are measured: cycles of a Zen 3 core (EPYC 7003, virtual
 * machine, GCC 12 -O2) at DEFAULT_CLOCK; bench/speeds measures them again.
 */
static const struct figure figures[] = {
	{ "speed", "clock-one", FIGURE_CLOCK, "3300MHz", "clock with one busy core of a package",
	  AT(clock_one), "100MHz", "10GHz" },
	{ "speed", "clock-all", FIGURE_CLOCK, "3000MHz", "clock with all cores of a package busy",
	  AT(clock_all), "100MHz", "10GHz" },
	{ "speed", "int128", FIGURE_TIME, "6250ns", "a unit of the int128 kernel at clock-one",
	  AT(unit_time[COMPUTE_INT128]), "1ns", "1s" },
	{ "speed", "double", FIGURE_TIME, "12400ns", "a unit of the double kernel at clock-one",
	  AT(unit_time[COMPUTE_DOUBLE]), "1ns", "1s" },
	{ "speed", "matrix", FIGURE_TIME, "10200ns",
	  "a unit of the matrix kernel at clock-one, its set in L2", AT(unit_time[COMPUTE_MATRIX]),
	  "1ns", "1s" },
	{ "speed", "matrix-bytes", FIGURE_SIZE, "16K",
	  "what a unit of the matrix kernel moves beyond L2 when its set is larger",
	  AT(unit_bytes[COMPUTE_MATRIX]) },
	{ "speed", "smt-int128", FIGURE_SHARE, "60%",
	  "speed of an int128 thread whose SMT sibling is busy", AT(smt[COMPUTE_INT128]), "10%",
	  "100%" },
	{ "speed", "smt-double", FIGURE_SHARE, "65%", "the same of the double kernel",
	  AT(smt[COMPUTE_DOUBLE]), "10%", "100%" },
	{ "speed", "smt-matrix", FIGURE_SHARE, "60%", "the same of the matrix kernel",
	  AT(smt[COMPUTE_MATRIX]), "10%", "100%" },
	{ "speed", "smt-chase", FIGURE_SHARE, "95%", "the same of the chase kernel",
	  AT(smt[COMPUTE_CHASE]), "10%", "100%" },
	{ "speed", "copy", FIGURE_TIME, "325ns",
	  "a unit of the copy kernel (1024 elements) at clock-one, its set in L2",
	  AT(unit_time[COMPUTE_COPY]), "1ns", "1s" },
	{ "speed", "scale", FIGURE_TIME, "325ns", "the same of the scale kernel",
	  AT(unit_time[COMPUTE_SCALE]), "1ns", "1s" },
	{ "speed", "add", FIGURE_TIME, "415ns", "the same of the add kernel",
	  AT(unit_time[COMPUTE_ADD]), "1ns", "1s" },
	{ "speed", "triad", FIGURE_TIME, "410ns", "the same of the triad kernel",
	  AT(unit_time[COMPUTE_TRIAD]), "1ns", "1s" },
	{ "speed", "copy-bytes", FIGURE_SIZE, "24K",
	  "what a unit of copy moves beyond L2: a word read, one written and first fetched",
	  AT(unit_bytes[COMPUTE_COPY]), "1K", "1M" },
	{ "speed", "scale-bytes", FIGURE_SIZE, "24K", "the same of scale",
	  AT(unit_bytes[COMPUTE_SCALE]), "1K", "1M" },
	{ "speed", "add-bytes", FIGURE_SIZE, "32K", "the same of add", AT(unit_bytes[COMPUTE_ADD]),
	  "1K", "1M" },
	{ "speed", "triad-bytes", FIGURE_SIZE, "32K", "the same of triad",
	  AT(unit_bytes[COMPUTE_TRIAD]), "1K", "1M" },
	{ "speed", "smt-stream", FIGURE_SHARE, "55%",
	  "speed, and share of cpu-bandwidth, of a stream kernel whose SMT sibling is busy",
	  AT(smt[COMPUTE_COPY]), "10%", "100%" },
	{ "speed", "core", FIGURE_TIME, "13500ns",
	  "a unit of the core kernel at clock-one, its set in L2", AT(unit_time[COMPUTE_CORE]),
	  "1ns", "1s" },
	{ "speed", "core-bytes", FIGURE_SIZE, "4K",
	  "what a unit of the core kernel moves beyond L2 when its set is larger",
	  AT(unit_bytes[COMPUTE_CORE]) },
	{ "speed", "smt-core", FIGURE_SHARE, "62%", "as smt-int128, of the core kernel",
	  AT(smt[COMPUTE_CORE]), "10%", "100%" },
	{ "speed", "ep", FIGURE_TIME, "1290us", "a unit of the EP kernel (2^16 pairs) at clock-one",
	  AT(unit_time[COMPUTE_EP]), "1ns", "1s" },
	{ "speed", "smt-ep", FIGURE_SHARE, "65%", "as smt-int128, of the EP kernel",
	  AT(smt[COMPUTE_EP]), "10%", "100%" },
	{ "speed", "objects", FIGURE_TIME, "400ns",
	  "a unit of the store of records (16 of them) at clock-one, its set in L2",
	  AT(unit_time[COMPUTE_OBJECTS]), "1ns", "1s" },
	{ "speed", "objects-loads", FIGURE_COUNT, "48",
	  "lines that it loads one after the other when its set is larger than L2",
	  AT(objects_loads), "0", "1000" },
	{ "speed", "smt-objects", FIGURE_SHARE, "70%", "as smt-int128, of the store of records",
	  AT(smt[COMPUTE_OBJECTS]), "10%", "100%" },
	{ "speed", "smt-kernel", FIGURE_SHARE, "62%", "the same of kernel code", AT(smt_kernel),
	  "10%", "100%" },
	{ "speed", "l2-size", FIGURE_SIZE, "512K", "L2 of a core", AT(l2_size), "1K" },
	{ "speed", "l2-latency", FIGURE_TIME, "4ns", "load that hits L2", AT(l2_latency), "100ps",
	  "1us" },
	{ "speed", "llc-latency", FIGURE_TIME, "14ns", "load that hits the last-level cache",
	  AT(llc_latency), "100ps", "10us" },
	{ "speed", "memory-latency", FIGURE_TIME, "100ns",
	  "load from the memory of the own node; from another node it is longer by the distance",
	  AT(memory_latency), "1ns", "100us" },
	{ "speed", "llc-bandwidth", FIGURE_BANDWIDTH, "200GB/s", "of one last-level cache",
	  AT(llc_bandwidth), "1GB/s" },
	{ "speed", "node-bandwidth", FIGURE_BANDWIDTH, "80GB/s", "of the memory of one node",
	  AT(node_bandwidth), "1GB/s" },
	{ "speed", "link-bandwidth", FIGURE_BANDWIDTH, "80GB/s",
	  "between the CPUs of one last-level cache and all memory", AT(link_bandwidth), "1GB/s" },
	{ "speed", "cpu-bandwidth", FIGURE_BANDWIDTH, "20GB/s",
	  "that one core alone moves to and from memory", AT(cpu_bandwidth), "100MB/s" },

	{ "cost", "syscall", FIGURE_TIME, "150ns", "entry and exit of a system call", AT(syscall) },
	{ "cost", "irq", FIGURE_TIME, "600ns", "entry and exit of an interrupt", AT(irq) },
	{ "cost", "tick", FIGURE_TIME, "1us", "work of the timer interrupt", AT(tick) },
	{ "cost", "softirq", FIGURE_TIME, "200ns", "start of a softirq handler", AT(softirq) },
	{ "cost", "switch", FIGURE_TIME, "1us", "context switch with schedule() around it",
	  AT(context_switch) },
	{ "cost", "wakeup", FIGURE_TIME, "500ns", "one try_to_wake_up()", AT(wakeup) },
	{ "cost", "fork", FIGURE_TIME, "12us", "a fork without copying memory maps", AT(fork) },
	{ "cost", "exit", FIGURE_TIME, "8us", "an exit without freeing memory maps", AT(exit) },
	{ "cost", "exec", FIGURE_TIME, "2us", "sched_exec(), without loading the program",
	  AT(exec) },
	{ "cost", "migrate", FIGURE_TIME, "400ns", "moving a task to another run queue",
	  AT(migrate) },
	{ "cost", "ipi-send", FIGURE_TIME, "150ns", "sending an IPI, paid by the sender",
	  AT(ipi_send) },
	{ "cost", "timer", FIGURE_TIME, "60ns", "programming the timer device", AT(timer) },
	{ "cost", "scan", FIGURE_TIME, "15ns", "one CPU found while walking a CPU mask", AT(scan) },
	{ "cost", "balance", FIGURE_TIME, "300ns", "one start of load balancing", AT(balance) },
	{ "cost", "copy-mm", FIGURE_TIME, "35us", "copying the memory maps in a fork",
	  AT(copy_mm) },
	{ "cost", "page-faults", FIGURE_TIME, "15us",
	  "copy-on-write faults of a forked child and its parent, in the child", AT(page_faults) },
	{ "cost", "exec-load", FIGURE_TIME, "250us", "loading and linking a small program",
	  AT(exec_load) },
	{ "cost", "reap", FIGURE_TIME, "12us", "freeing the memory maps of an exiting process",
	  AT(reap) },
	{ "cost", "thread", FIGURE_TIME, "3us", "creating a thread, beyond fork", AT(thread) },
	{ "cost", "message", FIGURE_TIME, "250ns", "a message, beyond system call and wakeup",
	  AT(message) },
	{ "cost", "tcp", FIGURE_TIME, "700ns",
	  "a message over loopback TCP, beyond `message`; at either end", AT(tcp) },
	{ "cost", "tcp-softirq", FIGURE_TIME, "1500ns",
	  "softirq that takes it to the receiver, paid by the sender", AT(tcp_softirq) },
	{ "cost", "copy-bandwidth", FIGURE_BANDWIDTH, "10GB/s",
	  "copying the bytes of a message or a file", AT(copy_bandwidth), "100MB/s" },
	{ "cost", "file-lookup", FIGURE_TIME, "120ns", "one component of a path", AT(file_lookup) },
	{ "cost", "file-open", FIGURE_TIME, "600ns",
	  "opening or closing a file, reading or setting its status, beyond the path",
	  AT(file_open) },
	{ "cost", "file-change", FIGURE_TIME, "1500ns",
	  "a change of a folder, under its lock: create, rename, unlink, mkdir, rmdir",
	  AT(file_change) },
	{ "cost", "file-io", FIGURE_TIME, "250ns", "a read or write, beyond copying", AT(file_io) },
	{ "cost", "file-page", FIGURE_TIME, "200ns", "a page that a file gets or gives back",
	  AT(file_page) },
	{ "cost", "file-entry", FIGURE_TIME, "40ns", "an entry of a folder that is listed",
	  AT(file_entry) },
	{ "cost", "disk-write", FIGURE_TIME, "0ns",
	  "write to the disk that files are on; 0ns: no disk, files are in memory",
	  AT(disk_write) },
	{ "cost", "disk-flush", FIGURE_TIME, "0ns",
	  "what the write of a commit takes longer, for it flushes the disk's cache",
	  AT(disk_flush) },
	{ "cost", "disk-commit", FIGURE_TIME, "20us",
	  "CPU time of the journal's thread for a commit", AT(disk_commit) },
	{ "cost", "ipi-core", FIGURE_TIME, "300ns", "latency of an IPI to an SMT sibling",
	  AT(ipi_core) },
	{ "cost", "ipi-llc", FIGURE_TIME, "500ns", "latency of an IPI within an LLC", AT(ipi_llc) },
	{ "cost", "ipi-node", FIGURE_TIME, "700ns", "latency of an IPI within a package",
	  AT(ipi_node) },
	{ "cost", "ipi-package", FIGURE_TIME, "1200ns", "latency of an IPI to another package",
	  AT(ipi_package) },
	{ "cost", "idle-exit", FIGURE_TIME, "1us",
	  "from an interrupt to the first instruction of an idle CPU", AT(idle_exit) },
	{ "cost", "idle-exit-deep", FIGURE_TIME, "30us", "the same from the deep idle state",
	  AT(idle_exit_deep) },
	{ "cost", "idle-deep-after", FIGURE_TIME, "400us",
	  "idle time after which a CPU is in the deep state", AT(idle_deep_after) },
	{ "cost", "refill-core", FIGURE_TIME, "0ns", "cold caches after a move to an SMT sibling",
	  AT(refill_core) },
	{ "cost", "refill-llc", FIGURE_TIME, "2us", "the same within an LLC", AT(refill_llc) },
	{ "cost", "refill-node", FIGURE_TIME, "10us", "the same between LLCs of a package",
	  AT(refill_node) },
	{ "cost", "refill-package", FIGURE_TIME, "20us", "the same between packages",
	  AT(refill_package) },

	{ "noise", "cost-jitter", FIGURE_SHARE, "10%", "every kernel path costs plus or minus this",
	  AT(cost_jitter), "0%", "90%" },
	{ "noise", "speed-jitter", FIGURE_SHARE, "0.1%", "a worker's computing, plus or minus",
	  AT(speed_jitter), "0%", "50%" },
	{ "noise", "timer-jitter", FIGURE_TIME, "300ns",
	  "timer interrupts are late by up to this, so ticks of CPUs come in any order",
	  AT(timer_jitter), "0ns", "1ms" },
	{ "noise", "irq-rate", FIGURE_RATE, "20/s", "device interrupts of each CPU", AT(irq_rate),
	  "0/s", "1000000/s" },
	{ "noise", "irq-time", FIGURE_TIME, "2us", "work of a device interrupt", AT(irq_time) },
	{ "noise", "kworker-period", FIGURE_TIME, "1s",
	  "period of bound kernel threads' work on busy CPUs (deferrable timers); 0s: none",
	  AT(kworker_period) },
	{ "noise", "kworker-work", FIGURE_TIME, "8us", "its length", AT(kworker_work) },
	{ "noise", "daemons", FIGURE_COUNT, "8", "system processes that wake up now and then",
	  AT(daemons), "0", "10000" },
	{ "noise", "daemon-period", FIGURE_TIME, "1s", "how often each of them wakes up",
	  AT(daemon_period), "10us", "3600s" },
	{ "noise", "daemon-work", FIGURE_TIME, "50us", "how long it computes then",
	  AT(daemon_work) },
	{ "noise", "monitor-period", FIGURE_TIME, "0s",
	  "period of a monitor that visits a CPU of every core as turbostat does; 0s: none",
	  AT(monitor_period) },
	{ "noise", "monitor-work", FIGURE_TIME, "15us", "its work on each CPU", AT(monitor_work) },

	{ "kernel", "node-reclaim-distance", FIGURE_COUNT, "30",
	  "balancing at fork and exec ends beyond this NUMA distance; x86 on AMD sets 32",
	  AT(node_reclaim_distance), "10", "255" },
	{ "kernel", "polling-idle", FIGURE_BOOL, "no",
	  "idle CPUs watch their flag word (mwait), so that a wakeup needs no IPI",
	  AT(polling_idle) },
	{ "kernel", "asym-smt", FIGURE_BOOL, "no", "asymmetric packing at the SMT level",
	  AT(asym_smt) },
	{ "kernel", "asym-mc", FIGURE_BOOL, "no",
	  "asymmetric packing at the LLC level (x86 with favoured cores)", AT(asym_mc) },
	{ "kernel", "asym-package", FIGURE_BOOL, "no", "asymmetric packing at the package level",
	  AT(asym_package) },
	{ "kernel", "cmdline", FIGURE_TEXT, NULL, "kernel parameters", AT(cmdline) },
	{}
};

const struct figure *model_figures(void)
{
	return figures;
}

/* a default of a compute kernel is so many cycles: of a clock-one of this */
#define DEFAULT_CLOCK 3300000

static bool is_unit_time(const struct figure *figure)
{
	return figure->offset >= AT(unit_time) &&
	       figure->offset < AT(unit_time) + sizeof(((struct sim_model *)NULL)->unit_time);
}

static int64_t *figure_value(const struct figure *figure, struct sim_model *model)
{
	return (int64_t *)((char *)model + figure->offset);
}

static struct error *figure_parse(const struct figure *figure, const char *text, int64_t *out)
{
	int64_t low = 0, high = INT64_MAX;
	struct error *error = unit_parse(figure->unit, text, out);

	if (error)
		return error;
	if (figure->min)
		error_free(unit_parse(figure->unit, figure->min, &low));
	if (figure->max)
		error_free(unit_parse(figure->unit, figure->max, &high));
	if (*out < low || *out > high)
		return error_new(ERR_INPUT, "'%s' is not between %s and %s", text,
				 figure->min ? figure->min : "0",
				 figure->max ? figure->max : "what fits");
	return NULL;
}

static struct error *figure_set(const struct figure *figure, const char *text,
				struct sim_model *model)
{
	char *target = (char *)model + figure->offset;
	int64_t value;
	struct error *error;

	if (figure->unit == FIGURE_TEXT) {
		free(*(char **)target);
		*(char **)target = text ? memory_string(text) : NULL;
		return NULL;
	}
	if (figure->unit == FIGURE_BOOL)
		return text_bool(text, (bool *)target);
	error = figure_parse(figure, text, &value);
	if (!error)
		*figure_value(figure, model) = value;
	return error;
}

static bool section_known(const char *section)
{
	for (const struct figure *figure = figures; figure->key; figure++)
		if (!strcmp(figure->section, section))
			return true;
	return false;
}

static struct error *unknown_key(const struct machine *machine, const struct machine_entry *entry)
{
	const char *names[ARRAY_SIZE(figures)], *near;
	int n = 0;

	if (!section_known(entry->section))
		return error_at(
			ERR_INPUT, machine->source, entry->line,
			"section [%s] is none of [topology], [speed], [cost], [noise], [kernel]",
			entry->section);
	for (const struct figure *figure = figures; figure->key; figure++)
		if (!strcmp(figure->section, entry->section))
			names[n++] = figure->key;
	names[n] = NULL;
	near = text_nearest(entry->key, names);
	return error_at(ERR_INPUT, machine->source, entry->line,
			"[%s] has no key '%s'%s%s%s; docs/simulator.md lists the keys",
			entry->section, entry->key, near ? " (did you mean '" : "",
			near ? near : "", near ? "'?)" : "");
}

static struct error *entry_apply(const struct machine *machine, const struct machine_entry *entry,
				 int *lines, struct sim_model *model)
{
	for (int i = 0; figures[i].key; i++) {
		struct error *error;

		if (strcmp(figures[i].section, entry->section) ||
		    strcmp(figures[i].key, entry->key))
			continue;
		if (lines[i])
			return error_at(ERR_INPUT, machine->source, entry->line,
					"%s is given twice, first in line %d", entry->key,
					lines[i]);
		lines[i] = entry->line;
		error = figure_set(&figures[i], entry->value, model);
		if (error) {
			struct error *at = error_at(error->code, machine->source, entry->line,
						    "%s: %s", entry->key, error->message);

			error_free(error);
			return at;
		}
		return NULL;
	}
	return unknown_key(machine, entry);
}

static struct error *model_consistent(const struct machine *machine, const struct sim_model *model)
{
	if (model->clock_all > model->clock_one)
		return error_at(ERR_INPUT, machine->source, 0,
				"clock-all is above clock-one: a clock does not rise with load");
	if (model->l2_latency > model->llc_latency || model->llc_latency > model->memory_latency)
		return error_at(ERR_INPUT, machine->source, 0,
				"l2-latency, llc-latency and memory-latency must not fall");
	if (model->idle_exit > model->idle_exit_deep)
		return error_at(ERR_INPUT, machine->source, 0, "idle-exit is above idle-exit-deep");
	return NULL;
}

struct error *model_read(const struct machine *machine, struct sim_model **out)
{
	struct sim_model *model = memory_zeroed(1, sizeof(*model));
	int lines[ARRAY_SIZE(figures)] = {};
	struct error *error = NULL;

	for (const struct figure *figure = figures; figure->key && !error; figure++)
		error = figure_set(figure, figure->def, model);
	for (int i = 0; i < machine->n_entries && !error; i++)
		error = entry_apply(machine, &machine->entries[i], lines, model);
	if (!error)
		error = model_consistent(machine, model);
	for (int i = 0; figures[i].key && !error; i++)
		if (is_unit_time(&figures[i]) && !lines[i])
			*figure_value(&figures[i], model) = *figure_value(&figures[i], model) *
							    DEFAULT_CLOCK / model->clock_one;
	for (int method = COMPUTE_SCALE; method <= COMPUTE_TRIAD; method++)
		model->smt[method] = model->smt[COMPUTE_COPY];
	if (error)
		model_free(model);
	else
		*out = model;
	return error;
}

void model_free(struct sim_model *model)
{
	if (!model)
		return;
	free(model->cmdline);
	free(model);
}

json_t *model_record(const struct sim_model *model)
{
	json_t *record = json_object();

	for (const struct figure *figure = figures; figure->key; figure++) {
		const char *source = (const char *)model + figure->offset;
		autofree char *key = memory_format("%s.%s", figure->section, figure->key);
		autofree char *text = NULL;

		if (figure->unit == FIGURE_TEXT)
			text = memory_string(*(char *const *)source ? *(char *const *)source : "");
		else if (figure->unit == FIGURE_BOOL)
			text = memory_string(*(const bool *)source ? "yes" : "no");
		else
			text = unit_format(figure->unit, *(const int64_t *)source);
		json_object_set_new(record, key, json_string(text));
	}
	return record;
}
