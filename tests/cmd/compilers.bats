#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# A kernel from a commit of a git tree, compiled by Clang, against the one that tests/ksched built from the
# tarball with GCC and this build's sanitizers: it builds, its record says what it is, and it gives the same bytes.

bats_require_minimum_version 1.5.0
load common
load simulated

# a git tree of what a build reads, from the tarball that tests/ksched unpacked; its commit in $commit
git_tree() {
	tree=$(grep -lx 'PATCHLEVEL = 12' "$kernels"/trees/*/Makefile 2>/dev/null | head -n 1)
	[ -n "$tree" ] || skip "the tree of linux-source-6.12 is not unpacked: tests/ksched was not run"
	command -v git >/dev/null || skip "git is not installed"
	mkdir git
	cp -R "${tree%/Makefile}/." git
	git -C git init -q
	git -C git add -A -f
	git -C git -c user.name=nobody -c user.email=nobody@example.org -c commit.gpgsign=false \
		commit -q -m tree
	commit=$(git -C git rev-parse HEAD)
	# not of the commit: must not be seen
	echo '#error not committed' >git/kernel/sched/core.c
}

@test "DIR@COMMIT builds the commit; Clang's and GCC's kernels give the same bytes" {
	with_kernel
	git_tree
	gcc_kernels=$kernels
	rm "$XDG_DATA_HOME/fairtrial/kernels"
	compiler=clang
	command -v clang >/dev/null || compiler=cc
	CC=$compiler fairtrial kernel add 6.12 "git@HEAD"
	expect_status 0
	expect_output "kernel 6.12: Linux 6.12."
	fairtrial kernel show 6.12
	expect_output "commit:$commit"
	expect_output "git@HEAD"
	expect_output "$compiler"
	# the same commit under its full name is the same
	CC=$compiler fairtrial kernel add second "git@$commit"
	expect_output "(built before)"
	[[ "$stderr" == *"warning: kernel second is the same build as kernel 6.12"* ]]
	fairtrial kernel add third "git@no-such-branch"
	expect_error 1 "no commit 'no-such-branch'"
	[ "$compiler" = clang ] || skip "it builds; clang is not installed, so there is nothing to compare"
	cat >p.plan <<-END
	[plan]
	trials = 1
	runtime = 100ms
	backend = sim
	monitor = cpu, sched, schedstat
	[variant plain]
	sysctl.kernel.sched_schedstats = 1
	[case spawn]
	machine = m6g-xlarge
	workload = spawn
	[case cpu]
	machine = epyc-7502p
	workload = cpu
	cpus = node:0-4
	workers = nr_cpus
	gate = spin
	[case messages]
	machine = m6a-xlarge
	workload = messaging
	senders = 3
	receivers = 3
	END
	"$FAIRTRIAL" run p.plan -q --kernel 6.12 -d clang.db
	"$FAIRTRIAL" run p.plan -q --kernel "$gcc_kernels/objects/$(key_of 6.12)/kernel.so" -d gcc.db
	measured clang.db >clang
	measured gcc.db >gcc
	[ "$(wc -l <clang)" -eq 3 ]
	cmp clang gcc
}

# of a kernel in the folder of tests/ksched
key_of() {
	sed -n 's/.*"key": *"\([0-9a-f]*\)".*/\1/p' "$gcc_kernels/names/$1.json"
}

# results without the identity of the kernel
measured() {
	results "$1" | sed 's/"kernel":{[^}]*}//'
}
