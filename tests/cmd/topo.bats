#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
bats_require_minimum_version 1.5.0
load common

data="$FT_SOURCE/tests/machine/data"

# expect_narrow: no line of stdout is wider than 78 columns
expect_narrow() {
	local wide
	wide=$(printf '%s\n' "$output" | awk 'length > 78')
	if [ -n "$wide" ]; then
		printf 'wider than 78 columns:\n%s\n' "$wide" >&2
		return 1
	fi
}

# epyc: writes the description of a machine with 640 CPUs on 20 nodes
epyc() {
	cat >epyc.machine <<-'END'
		[topology]
		description = 2x AMD EPYC 9845, LLC as NUMA node
		synthetic = pack:2 numa:10 l3:1(size=32MiB) l2:16(size=1MiB) core:1 pu:2
		numbering = threads-last
		memory = 38G
		distances = local 10, package 12, remote 32
	END
}

@test "this machine is shown with the values of plan expressions" {
	fairtrial topo
	expect_status 0
	expect_output "machine     live"
	expect_output "nr_cpus = $(nproc)"
	expect_output "quota"
	expect_narrow
}

@test "affinity inherited from a launcher narrows the usable CPUs" {
	allowed=$(taskset -cp $$ | sed 's/.*: //')
	last=${allowed##*[,-]}
	[ "$allowed" != "$last" ] || skip "only one CPU is allowed here"
	run --separate-stderr taskset -c "$last" "$FAIRTRIAL" topo
	expect_status 0
	expect_output "usable      $last (1)"
	expect_output "not in the affinity of this process"
	expect_output "nr_cpus = 1 "
}

@test "640 CPUs on 20 nodes fit in 78 columns" {
	epyc
	fairtrial topo epyc.machine
	expect_status 0
	expect_output "0-15,320-335"
	expect_output "nr_cpus = 640  nr_cores = 320  nr_llcs = 20  nr_nodes = 20  nr_sockets = 2"
	expect_output "node groups up to 12: 0-9 | 10-19"
	expect_narrow
}

@test "every machine file of hwloc is shown in 78 columns" {
	for file in 16em64t-4s2c2t-offlines 20em64t-hybrid-1p6c2t+2ca4co1t 64amd64-4s2n4ca2co \
		AMD-19h-Zen4-2xEpyc-9654; do
		fairtrial topo "$data/$file.xml"
		expect_status 0
		expect_output "machine     $file"
		expect_narrow
	done
}

@test "long lists of CPUs are wrapped" {
	{
		echo "[llcs]"
		echo "0 = $(seq -s , 0 2 120)"
		echo "1 = $(seq -s , 1 2 60)"
	} | sed 's/\(.\{190\}\),.*/\1/' >sparse.machine
	fairtrial topo sparse.machine
	expect_status 0
	expect_narrow
}

@test "a file of a newer hwloc gets an error that says so" {
	fairtrial topo "$data/newer-format-3.0.xml"
	expect_error 1 "newer-format-3.0.xml: written in format 3.0 by a newer hwloc"
}

@test "--json has the same machine" {
	epyc
	fairtrial topo epyc.machine --json
	expect_status 0
	[ "$(printf '%s\n' "$output" | wc -l)" -eq 1 ]
	expect_output '"nr_cpus":640'
	expect_output '"cpus":"0-15,320-335"'
	expect_output '"node_groups":[{"distance":12,"nodes":[[0,1,2,3,4,5,6,7,8,9],'
}

@test "--svg draws into a new file and replaces one only with --force" {
	command -v lstopo || command -v lstopo-no-graphics || skip "lstopo is not installed"
	fairtrial topo "pack:2 core:2 pu:2" --svg out.svg
	expect_status 0
	grep -q "<svg" out.svg
	echo mine >out.svg
	fairtrial topo "pack:2 core:2 pu:2" --svg out.svg
	expect_error 1 "out.svg exists; --force replaces it"
	[ "$(cat out.svg)" = mine ]
	fairtrial topo "pack:2 core:2 pu:2" --svg out.svg --force
	expect_status 0
	grep -q "<svg" out.svg
	ln -s target link.svg
	fairtrial topo "pack:2 core:2 pu:2" --svg link.svg
	expect_error 1 "link.svg"
	[ ! -e target ]
}

@test "--svg without lstopo says what to install" {
	mkdir empty
	run --separate-stderr env PATH="$PWD/empty" "$FAIRTRIAL" topo "pu:2" --svg out.svg
	expect_error 1 "install the package hwloc-nox or hwloc"
}

@test "mistakes of the command line are usage errors" {
	fairtrial topo a b
	expect_error 2 "too many words"
	fairtrial topo --force
	expect_error 2 "--force needs --svg or --save"
	fairtrial topo live --list
	expect_error 2 "--list goes with no machine"
	fairtrial topo --jsn
	expect_error 2 "did you mean --json?"
}

@test "a machine that cannot be read is one clear line" {
	fairtrial topo no-such-machine
	expect_error 1 "no machine 'no-such-machine'"
	fairtrial topo missing.xml
	expect_error 1 "missing.xml: No such file or directory"
	fairtrial topo missing.machine
	expect_error 1 "missing.machine: No such file or directory"
	fairtrial topo "pack:2 pu:zero"
	expect_error 1 "is not a synthetic machine"
	echo "not xml" >bad.xml
	fairtrial topo bad.xml
	expect_error 1 "bad.xml: not an hwloc XML file"
	head -c 5000 "$data/64amd64-4s2n4ca2co.xml" >short.xml
	fairtrial topo short.xml
	expect_error 1 "short.xml: not a whole hwloc XML file"
	printf '[topology]\nsynthetic = pu:2\nofline = 1\n' >typo.machine
	fairtrial topo typo.machine
	expect_error 1 "typo.machine:3: unknown key 'ofline' in [topology]; did you mean 'offline'?"
}

@test "contradictory distances and a machine without CPUs are refused" {
	printf '[topology]\nsynthetic = numa:2 pu:2\n[distances]\n0 = 10 5\n1 = 20 10\n' >d.machine
	fairtrial topo d.machine
	expect_error 1 "d.machine:4: distances contradicts itself"
	printf '[topology]\nsynthetic = pu:2\noffline = 0-1\n' >none.machine
	fairtrial topo none.machine
	expect_error 1 "none.machine: the machine has no CPU that is online"
	: >empty.machine
	fairtrial topo empty.machine
	expect_error 1 "empty.machine: the machine has no CPU"
}

@test "the quota of a cgroup made here is shown" {
	skip_unless_root "making a cgroup"
	group=/sys/fs/cgroup/cpu/fairtrial-test-$$
	mkdir "$group" || skip "no cgroup of version 1 with a cpu controller can be made here"
	if ! echo 150000 >"$group/cpu.cfs_quota_us"; then
		rmdir "$group"
		skip "the quota of a cgroup cannot be set here"
	fi
	# shellcheck disable=SC2016
	run --separate-stderr bash -c 'echo $$ >"$1/cgroup.procs" && exec "$2" topo' - "$group" \
		"$FAIRTRIAL"
	rmdir "$group"
	expect_status 0
	expect_output "quota       1.5 CPUs, set by $group"
}

# plain: of the JSON on stdin, nodes and packages as they are, then all without where the machine is
# from, what this process may use of it, and numbers that a file cannot hold (packages share those of cores)
plain() {
	tee whole | grep -o '"\(nodes\|packages\)":\[{"bytes[^]]*'
	sed -E 's/"(name|source)":("[^"]*"|null),//g; s/"live":(true|false),//
		s/"(cpuset|affinity|usable)":"[^"]*",//g; s/"quota":(null|\{[^}]*\}),//
		s/,"name":(null|"kind-[0-9]")\}/}/g
		s/("cpus":"[^"]*"),"id":-?[0-9]+/\1/g; s/"u(neven|sable)":.*//' whole
}

@test "a machine that is saved reads back as the same machine" {
	local machine n=0
	for machine in live "$data"/[16A2]*.xml $(cd "$FT_SOURCE/machines" && printf '%s\n' *.machine |
		sed 's/[.]machine$//') "pack:2 numa:2 l3:2 core:4 pu:2(indexes=16*2:1*16)"; do
		"$FAIRTRIAL" topo "$machine" --save saved.machine --json -f | plain >before
		"$FAIRTRIAL" topo saved.machine --json | plain >after
		[ -s before ]
		diff before after
		n=$((n + 1))
	done
	[ "$n" -ge 17 ]
}

@test "CPUs that alternate between nodes fit into the lines of a saved file" {
	local indexes
	indexes=$({ seq 0 2 510; seq 1 2 511; } | paste -sd ,)
	"$FAIRTRIAL" topo "numa:2 pu:256(indexes=$indexes)" --save wide.machine
	grep -q '^0 = 0-510:1/2' wide.machine
	fairtrial topo wide.machine --json
	expect_output "\"cpus\":\"$(seq 0 2 510 | paste -sd ,)\""
}

@test "a saved file says that speeds are defaults, keeps those it has, and replaces nothing unasked" {
	fairtrial topo "pack:2 core:2 pu:2" --save mine.machine
	expect_status 0
	grep -q "takes its defaults" mine.machine
	echo keep >mine.machine
	fairtrial topo "pack:2 core:2 pu:2" --save mine.machine
	expect_error 1 "mine.machine exists; --force replaces it"
	[ "$(cat mine.machine)" = keep ]
	fairtrial topo hybrid-laptop --save mine.machine -f
	expect_status 0
	grep -q "^clock-one = 5200MHz" mine.machine
	refute grep "defaults" mine.machine
	fairtrial topo "pu:2" --save mine.xml
	expect_error 2 "ending .machine"
}

@test "the ready machines are listed with CPUs and description" {
	local file
	fairtrial topo --list
	expect_status 0
	expect_output "hybrid-laptop           20  hybrid laptop: 6 cores"
	for file in "$FT_SOURCE"/machines/*.machine; do
		printf '%s\n' "$output" | grep -q "^$(basename "$file" .machine) *[1-9]"
	done
}

@test "a misspelt section is taken for the nearest, also one of the simulator" {
	printf '[topology]\nsynthetic = pu:2\n[cots]\nscan = 1ns\n' >typo.machine
	fairtrial topo typo.machine
	expect_error 1 "typo.machine:3: unknown section [cots]; did you mean [cost]?"
}
