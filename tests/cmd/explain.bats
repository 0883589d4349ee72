#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What moved with a result, in the simulator, where the answer is known. Needs kernels called 6.12 and
# 6.12-early-return; without them the tests are skipped.

bats_require_minimum_version 1.5.0
load common

with_kernels() {
	kernels="${FT_TEST_KERNELS:-$HOME/.local/share/fairtrial/kernels}"
	for name in "$@"; do
		[ -e "$kernels/names/$name.json" ] || skip "no kernel $name: fairtrial kernel add"
	done
	mkdir -p "$XDG_DATA_HOME/fairtrial"
	ln -s "$kernels" "$XDG_DATA_HOME/fairtrial/kernels"
}

flat() {
	tr -s '\n ' ' ' <<<"$output"
}

@test "a policy that stops wakeup preemption: explain names slices, and the experiment finds the cause" {
	with_kernels 6.12
	cat >p.plan <<-END
	[plan]
	trials = 6
	runtime = 200ms
	backend = sim
	kernel = 6.12
	machine = m6a-xlarge
	monitor = cpu, events
	[variant other]
	[variant batch]
	policy = batch
	[case messages]
	workload = messaging
	groups = 2
	senders = 4
	receivers = 4
	END
	fairtrial run p.plan -q
	expect_status 0
	fairtrial explain other batch
	expect_status 0
	[[ "$(flat)" == *"preemptions "*" -> "*"1/s"* ]]
	[[ "$(flat)" == *"scheduling metrics differ"* ]]
	# the experiment would set what the two differ in
	fairtrial explain other batch --run -e batch
	expect_status 1
	[[ "$stderr" == *"experiment batch left out: policy is what other and batch differ in"* ]]
	fairtrial explain other batch --run -e no-wakeup-preemption --trials 6
	expect_status 0
	[[ "$(flat)" == *"feature.WAKEUP_PREEMPTION = 0 in both"* ]]
	[[ "$(flat)" == *"So "* ]]
	fairtrial list
	expect_output "explain-1"
}

@test "source 2: explain names forks on other CPUs and the idle share" {
	with_kernels 6.12 6.12-early-return
	cat >p.plan <<-END
	[plan]
	trials = 6
	runtime = 300ms
	backend = sim
	machine = m6g-xlarge
	monitor = cpu, events
	[variant without]
	kernel = 6.12
	cpu.weight = 100
	[variant with]
	kernel = 6.12-early-return
	cpu.weight = 100
	[case spawn]
	workload = spawn
	workers = 4
	END
	fairtrial run p.plan -q
	expect_status 0
	fairtrial explain without with
	expect_status 0
	[[ "$(flat)" == *"result loops "*" R "* ]]
	[[ "$(flat)" == *"forks placed on another CPU than the parent's"* ]]
	[[ "$(flat)" == *"idle share of the case's CPUs"* ]]
	[[ "$(flat)" == *"idle CPUs beside waiting tasks that may run there"* ]]
}

@test "explain refuses what it cannot do with one line" {
	fairtrial explain
	expect_error 2 "two variants are needed"
	fairtrial explain a b -e batch
	expect_error 2 "--experiment needs --run"
	fairtrial explain a b --run -e nonsense
	expect_error 2 "'nonsense' is none; --list-experiments prints them"
	fairtrial explain a b --trials 3
	expect_error 2 "--trials and --jobs need --run"
	fairtrial explain --list-experiments
	expect_status 0
	expect_output "feature.NEXT_BUDDY = 0"
}
