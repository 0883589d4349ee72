#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Settings of variants: refused before anything runs, or made and put back, also after kill -9.
bats_require_minimum_version 1.5.0
load common

AUTOGROUP=/proc/sys/kernel/sched_autogroup_enabled

# plan SETTING: two variants of which one has the setting, one case
plan() {
	printf '%s\n' '[plan]' 'trials = 1' 'runtime = 300ms' 'warmup = 0' 'monitor = cpu, throttle' \
		'[variant base]' '[variant test]' "$1" \
		'[case cpu]' 'workload = cpu' 'workers = 1' >a.plan
}

@test "an unknown setting names its line and what was meant" {
	plan 'autogrup = 1'
	fairtrial run a.plan
	expect_error 1 'a.plan:8:'
	expect_error 1 'did you mean autogroup'
	[ ! -s "$XDG_DATA_HOME/fairtrial/results.db" ] || [ "$(sqlite3 \
		"$XDG_DATA_HOME/fairtrial/results.db" 'SELECT count(*) FROM run')" = 0 ]
}

@test "a value out of range is refused" {
	plan 'nice = 20'
	fairtrial run a.plan
	expect_error 1 '-20 to 19'
}

@test "a setting that this kernel lacks refuses the plan, or is left out if asked" {
	plan 'sysctl.kernel.no_such_setting = 1'
	fairtrial run a.plan
	expect_error 1 'this kernel has no /proc/sys/kernel/no_such_setting'
	fairtrial run a.plan --skip-unavailable
	expect_status 0
	[[ "$stderr" == *no_such_setting* ]]
}

@test "an unknown monitor names those there are" {
	plan 'nice = 1'
	sed -i 's/throttle/throtle/' a.plan
	fairtrial run a.plan
	expect_error 1 "unknown monitor 'throtle', did you mean throttle"
}

@test "settings of the workers need no root" {
	plan 'nice = 5'
	fairtrial run a.plan
	expect_status 0
}

@test "a sysctl is as before after a run and after kill -9 and one more start" {
	skip_unless_root 'changing a sysctl'
	[ -w "$AUTOGROUP" ] || skip "this kernel has no autogroup"
	before=$(cat "$AUTOGROUP")
	plan "autogroup = $((1 - before))"
	fairtrial run a.plan
	expect_status 0
	[ "$(cat "$AUTOGROUP")" = "$before" ]

	sed -i 's/300ms/2s/' a.plan
	"$FAIRTRIAL" run a.plan >/dev/null 2>&1 &
	run=$!
	for _ in $(seq 600); do
		[ "$(cat "$AUTOGROUP")" = "$before" ] || break
		sleep 0.05
	done
	changed=$(cat "$AUTOGROUP")
	kill -9 "$run"
	wait "$run" || true
	[ "$changed" != "$before" ] || { echo "the run did not change it" >&2; false; }
	fairtrial topo
	expect_status 0
	[[ "$stderr" == *"put back $AUTOGROUP to $before"* ]]
	[ "$(cat "$AUTOGROUP")" = "$before" ]
}
