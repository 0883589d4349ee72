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
	expect_error 2 "--force needs --svg"
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
