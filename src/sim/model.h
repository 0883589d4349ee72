/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model.h - the figures of a simulated machine: speeds, costs of kernel paths, background noise
 *
 * Read from the sections [speed], [cost], [noise] and [kernel] of a machine file; the keys, their
 * units, defaults and meaning are the table in model.c, which docs/simulator.md prints too. A
 * machine without these sections (an hwloc XML file, a synthetic string) gets the defaults, which
 * are those of a server of 2020 and marked as assumed.
 *
 * All values are integers, so that a simulation gives the same bytes on every host:
 * times are picoseconds, shares are thousandths, sizes bytes, clocks kHz.
 */
#ifndef FT_SIM_MODEL_H
#define FT_SIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "machine/machine.h"
#include "task/task.h"

struct sim_model {
	/* [speed] */
	int64_t clock_one, clock_all; /* kHz: one core of a package busy, all of them */
	int64_t unit_time
		[N_COMPUTE_METHODS]; /* ps: one unit at clock_one on an otherwise idle core */
	int64_t unit_bytes
		[N_COMPUTE_METHODS];	/* bytes a unit moves beyond L2 when its set is larger */
	int64_t smt[N_COMPUTE_METHODS]; /* 1/1000: speed of a thread whose sibling is busy too */
	int64_t objects_loads;		/* lines a unit of OBJECTS loads one after the other */
	int64_t smt_kernel;		/* 1/1000: the same of kernel code */
	int64_t l2_size;		/* bytes: private to a core */
	int64_t l2_latency, llc_latency, memory_latency; /* ps: a load that hits there */
	int64_t llc_bandwidth, node_bandwidth; /* bytes/s: of an LLC, of a node's memory */
	int64_t link_bandwidth;		       /* bytes/s: from the CPUs of one LLC to all memory */
	int64_t cpu_bandwidth;		       /* bytes/s: that one core alone can move */

	/* [cost] */
	int64_t syscall, irq, tick, softirq, context_switch, wakeup, fork, exit, exec, migrate;
	int64_t ipi_send, timer, scan, balance;	       /* ps, see ksched.h */
	int64_t copy_mm, page_faults, exec_load, reap; /* ps: memory work of fork, exec and exit */
	int64_t thread;				       /* ps: clone of a thread beyond `fork` */
	int64_t message;			       /* ps: a message beyond syscall and wakeup */
	int64_t tcp, tcp_softirq;		       /* ps: of it over TCP, and of the softirq */
	int64_t copy_bandwidth;			       /* bytes/s: copying messages */
	int64_t file_lookup, file_open, file_change, file_io, file_page, file_entry; /* ps */
	int64_t disk_write, disk_flush, disk_commit;				     /* ps */
	int64_t ipi_core, ipi_llc, ipi_node, ipi_package; /* ps: latency by distance */
	int64_t idle_exit, idle_exit_deep; /* ps: from the interrupt to the first instruction */
	int64_t idle_deep_after;	   /* ps of idling until the deep state is entered */
	int64_t refill_core, refill_llc, refill_node,
		refill_package; /* ps: cold caches after a move */

	/* [noise] */
	int64_t cost_jitter, speed_jitter, timer_jitter; /* 1/1000, 1/1000, ps */
	int64_t irq_rate;				 /* 1/1000 per second and CPU */
	int64_t irq_time;				 /* ps */
	int64_t kworker_period, kworker_work;		 /* ps: a bound kernel thread of each CPU */
	int64_t daemons, daemon_period, daemon_work;	 /* processes that wake up now and then */
	int64_t monitor_period, monitor_work; /* a process that visits each CPU in turn */

	/* [kernel] */
	int64_t node_reclaim_distance;
	bool polling_idle, asym_smt, asym_mc, asym_package;
	char *cmdline; /* kernel parameters, or NULL */
};

/*
 * model_read - the figures of a machine
 * @out: freed with model_free()
 *
 * Errors: ERR_INPUT with the machine file and line: an unknown section or key (with what was
 * meant), a wrong unit, a value outside of what makes sense, a key given twice, figures that
 * contradict each other.
 */
struct error *model_read(const struct machine *machine, struct sim_model **out);
void model_free(struct sim_model *model);

/* model_record - every figure in the unit of the machine file, as strings, for the result */
json_t *model_record(const struct sim_model *model);

/* A figure of the table, for documents and messages. */
struct figure {
	const char *section, *key;
	enum figure_unit {
		FIGURE_TIME,	  /* "1.5ns" "2us" "10ms" "1s" */
		FIGURE_CLOCK,	  /* "3200MHz" "3.2GHz" */
		FIGURE_SHARE,	  /* "60%" */
		FIGURE_RATE,	  /* "100/s" */
		FIGURE_BANDWIDTH, /* "20GB/s" (powers of ten) */
		FIGURE_SIZE,	  /* as text_size() */
		FIGURE_COUNT,
		FIGURE_BOOL,
		FIGURE_TEXT,
	} unit;
	const char *def;
	const char *help;
	unsigned short offset; /* into struct sim_model */
	const char *min, *max; /* accepted range, NULL: from 0, no limit */
};

/* model_figures - the table, ends with key == NULL */
const struct figure *model_figures(void);

#endif
