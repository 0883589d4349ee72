/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine.h - a machine as the scheduler sees it: CPUs, SMT siblings, clusters, LLCs, NUMA nodes
 *
 * A machine is this one (read by hwloc) or described by a file: an hwloc XML file as lstopo writes
 * it, a synthetic string ("pack:2 l3:4 core:8 pu:2"), or a machine file (INI, see
 * docs/machine-files.md) whose [topology] section names either and whose other sections are handed
 * to the simulator as they are.
 *
 * CPU ids are the kernel's. They may have holes; CPUs may be offline; a node may have no memory or
 * no CPUs; LLCs may differ in size or be absent; an id may be unknown (-1). Nothing here assumes
 * otherwise: groups are arrays, and a CPU points into them by index.
 */
#ifndef FT_MACHINE_MACHINE_H
#define FT_MACHINE_MACHINE_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* NR_CPUS and MAX_NUMNODES can be set to no more on any architecture */
#define MACHINE_MOST_CPUS  8192
#define MACHINE_MOST_NODES 1024

enum machine_level {
	LEVEL_CORE,    /* SMT siblings */
	LEVEL_CLUSTER, /* cores that share an L2 (or what the kernel calls a cluster) below the LLC */
	LEVEL_LLC,     /* CPUs that share the last-level cache */
	LEVEL_NODE,    /* NUMA node */
	LEVEL_PACKAGE, /* socket */
	N_MACHINE_LEVELS
};

/* machine_level_name - "core", "cluster", "LLC", "node", "package" */
const char *machine_level_name(enum machine_level level);

struct machine_group {
	int id;		     /* the kernel's number, -1 if it has none or it is unknown */
	hwloc_bitmap_t cpus; /* its online CPUs; may be empty for a node */
	uint64_t bytes; /* cluster and LLC: size of that cache; node: local memory; 0 unknown */
};

struct machine_cpu {
	int id;
	int group[N_MACHINE_LEVELS]; /* index into machine.groups[level], -1 if there is none */
	int thread;		     /* position among its SMT siblings, from 0 */
	int kind;		     /* index into machine.kinds, -1 if all CPUs are alike */
};

/* CPUs of one kind of a hybrid or big.LITTLE machine, slowest kind first */
struct machine_kind {
	hwloc_bitmap_t cpus;
	int capacity; /* the kernel's cpu_capacity, 1024 is the fastest; 0 unknown */
	char *name;   /* as hwloc tells it ("IntelAtom"), or NULL */
};

/* What a cgroup allows; the smallest on the way from the process's cgroup to the root. */
struct machine_quota {
	double cpus;	    /* CPU-seconds a second, 0: no limit */
	uint64_t throttled; /* nr_throttled of the cgroup that sets the limit */
	char *path;	    /* that cgroup, NULL without a limit */
};

/* A "key = value" of a machine file outside of [topology], in the order of the file. */
struct machine_entry {
	char *section, *key, *value;
	int line;
};

struct machine {
	char *name;   /* "live", "synthetic", or the name of the file without folder and ending */
	char *source; /* where it was read from, for messages and results */
	char *description; /* of a machine file, or NULL */
	bool live;
	hwloc_topology_t topology; /* kept for drawings; owned */

	hwloc_bitmap_t possible; /* all CPUs that the machine can have, online or not */
	hwloc_bitmap_t online;
	hwloc_bitmap_t cpuset;	 /* live: what the cpuset cgroup allows; a file: all online CPUs */
	hwloc_bitmap_t affinity; /* live: Cpus_allowed of this process; a file: all online CPUs */
	hwloc_bitmap_t usable;	 /* online, in the cpuset and the affinity of this process */

	struct machine_cpu *cpus; /* the online CPUs, by rising id */
	int n_cpus;
	/* by rising lowest CPU, then id; a CPU that is in no core is a core of its own */
	struct machine_group *groups[N_MACHINE_LEVELS];
	int n_groups[N_MACHINE_LEVELS];
	unsigned *distances; /* n_nodes x n_nodes by index, row = from; NULL if unknown */
	int distances_line;  /* of a machine file that gives them, for messages; 0 otherwise */
	struct machine_kind *kinds;
	int n_kinds;
	struct machine_quota quota; /* live only */

	struct machine_entry *entries;
	int n_entries;
};

/*
 * machine_open - reads a machine
 * @name: NULL or "live" for this machine; a path of an .xml or .machine file; the name of a ready
 *        machine (searched in the source tree's or the installed machines/ folder); or a synthetic
 *        string of hwloc
 *
 * Errors: ERR_INPUT with file and line; a file of a newer hwloc format says so.
 */
struct error *machine_open(const char *name, struct machine **out);
void machine_close(struct machine *machine);

/* machine_ready_names - the names of the ready machines, sorted; freed with text_split_free() */
char **machine_ready_names(int *n);

/*
 * machine_open_root - this machine as a folder tells that holds its /proc and /sys: "" is the real
 * one, a recorded tree (hwloc-gather-topology, plus /proc/self) is for tests. hwloc learns of the
 * folder by its environment variable HWLOC_FSROOT, which is set for the time of the call.
 */
struct error *machine_open_root(const char *root, struct machine **out);

/* machine_cpu - the online CPU of that id, or NULL */
const struct machine_cpu *machine_cpu(const struct machine *machine, int id);

/* The values that plan expressions know, of a set of CPUs. All are >= 1 for a non-empty set. */
struct machine_counts {
	int nr_cpus, nr_cores, nr_llcs, nr_nodes, nr_sockets;
	int cpus_per_llc, cpus_per_node; /* of the set: nr_cpus / groups, rounded down */
	int smt;			 /* most siblings of a core in the set */
};

/*
 * machine_counts - counts of those online CPUs of the machine that are in @cpus
 *
 * nr_cpus is not reduced by a cgroup quota: see machine_quota_cpus(). A machine without LLCs or
 * nodes counts one for all its CPUs.
 */
struct machine_counts machine_counts(const struct machine *machine, hwloc_const_bitmap_t cpus);

/* machine_quota_cpus - how many of @n CPUs the quota lets run at once: min(n, ceil(quota)), >= 1 */
int machine_quota_cpus(const struct machine *machine, int n);

/*
 * machine_memory_available - bytes that workloads may take: live MemAvailable of /proc/meminfo or what
 * a cgroup's limit leaves, if that is less; of a file the memory of its nodes; 0 if it is unknown
 * @source: what tells so, for messages ("MemAvailable"); a new string, NULL only if it is unknown
 */
uint64_t machine_memory_available(const struct machine *machine, char **source);

/* machine_memory_read - of the live machine, with the root of machine_open_root() */
uint64_t machine_memory_read(const char *root, char **source);

/* machine_distance - between nodes by index; 10 local / 20 remote when the machine has no table */
unsigned machine_distance(const struct machine *machine, int from, int to);

/*
 * cpulist_parse - "0-15,320-335" as the kernel writes CPU lists, or "0-254:1/2" (of every 2 CPUs the
 * first), which it reads
 * Errors: ERR_INPUT for anything else, also for an empty list and a falling range.
 */
struct error *cpulist_parse(const char *text, hwloc_bitmap_t out);

/* cpulist_format - the shortest form of a set, "" if empty; a new string */
char *cpulist_format(hwloc_const_bitmap_t cpus);

/* cpulist_short - the same with repeated ranges as "first-last:used/group", which cpulist_parse() reads */
char *cpulist_short(hwloc_const_bitmap_t cpus);

#endif
