#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# plan files through the command line: what is printed, and what is refused before anything runs
bats_require_minimum_version 1.5.0
load common

# plan LINE...: writes p.plan: a variant, a case, and the lines
plan() {
	printf '%s\n' "$@" >p.plan
}

# small LINE...: a plan that can run, with lines added to its only case
small() {
	plan '[plan]' 'trials = 2' 'runtime = 10ms' 'warmup = 0' '[variant a]' '[variant b]' \
		'policy = batch' '[case c]' 'workload = cpu' "$@"
}

# refused TEXT: the dry run ends with status 1 and one line with TEXT, and stores nothing
refused() {
	fairtrial run p.plan --dry-run
	expect_error 1 "$1" || return 1
	[ -z "$output" ] || return 1
	[ ! -e "$XDG_DATA_HOME/fairtrial/results.db" ]
}

@test "a dry run prints cases, variants and order, and stores nothing" {
	small 'workers = 1, 2' 'method = double'
	fairtrial run p.plan --dry-run
	expect_status 0
	expect_output "Plan p: 2 cases x 2 variants x 2 trials = 8 trials"
	expect_output "Time: about "
	expect_output "  b: policy = batch"
	[[ "$output" != *"batch;"* ]]
	expect_output "  c workers=2"
	expect_output "method=double"
	expect_output "  block 1: "
	[ ! -e "$XDG_DATA_HOME/fairtrial/results.db" ]
}

@test "equal plans print equal dry runs, and another seed another order" {
	small 'workers = 1..8'
	fairtrial run p.plan --dry-run
	first="$output"
	fairtrial run p.plan --dry-run
	[ "$output" = "$first" ]
	fairtrial run p.plan --dry-run --set seed=2
	[ "${output/Seed 2/Seed 1}" != "$first" ]
}

@test "the plans that come along can be run as written" {
	for file in "$FT_SOURCE"/plans/*.plan; do
		case "$(sed -n 's/^backend *= *//p' "$file" | head -n 1)" in
		'' | live*) ;;
		*) continue ;;
		esac
		fairtrial run "$file" --dry-run --skip-unavailable
		expect_status 0
	done
}

@test "a ready plan is known by its name, and a file of that name comes first" {
	fairtrial run quick --dry-run
	expect_status 0
	fairtrial run qick --dry-run
	expect_error 1 "no plan 'qick'; did you mean 'quick'?"
	fairtrial run something-else --dry-run
	expect_error 1 "no plan 'something-else'; accepted: a file, or a ready plan: quick, "
	echo '[oops]' >quick
	fairtrial run quick --dry-run
	expect_error 1 "quick:1: "
}

@test "a dry run is at most 78 columns wide" {
	small 'workers = 1..40'
	fairtrial run p.plan --dry-run
	expect_status 0
	[ "$(printf '%s\n' "$output" | wc -L)" -le 78 ]
}

@test "a dry run shows what a plan is on another machine, and only a dry run" {
	small 'cpus = llc-simple'
	fairtrial run p.plan --machine "pack:2 l3:2 core:2 pu:2" --dry-run
	expect_status 0
	expect_output "  c cpus=llc:0-3"
	expect_output "workers=16 "
	[[ "$stderr" == *"settings are not checked: backend live runs on this machine"* ]]
	fairtrial run p.plan --machine "pack:2 l3:2 core:2 pu:2"
	expect_error 1 "backend live runs on this machine, not on"
}

@test "a typo in a key says what was meant" {
	plan '[plan]' 'runtme = 1s' '[variant a]' '[case c]' 'workload = cpu'
	refused "p.plan:2: unknown key 'runtme' in [plan]: did you mean 'runtime'?"
}

@test "a typo in a parameter says what was meant" {
	small 'wrokers = 2'
	refused "p.plan:10: unknown key 'wrokers' of workload cpu: did you mean 'workers'?"
}

@test "a typo in a setting says what was meant" {
	plan '[variant a]' 'nise = 1' '[case c]' 'workload = cpu'
	refused "p.plan:2: variant a: nise = 1: unknown setting 'nise', did you mean nice"
}

@test "an unknown monitor is refused with its line" {
	plan '[plan]' 'monitor = cpu, shed' '[variant a]' '[case c]' 'workload = cpu'
	refused "p.plan:2: "
}

@test "a division by zero in an expression is refused with its line" {
	small 'workers = nr_cpus / (nr_llcs - nr_llcs)'
	refused "p.plan:10: workers: 'nr_cpus / (nr_llcs - nr_llcs)', character 30: division by zero"
}

@test "a CPU that does not exist is refused with those that are usable" {
	small 'cpus = 60000'
	refused "p.plan:10: cpus: CPU 60000 does not exist on machine live: usable are "
}

@test "runtime 0 is refused" {
	plan '[plan]' 'runtime = 0' '[variant a]' '[case c]' 'workload = cpu'
	refused "p.plan:2: runtime: '0' is not a time from 1ms"
}

@test "trials 0 is refused" {
	plan '[plan]' 'trials = 0' '[variant a]' '[case c]' 'workload = cpu'
	refused "p.plan:2: trials: '0' is not an integer from 1"
}

@test "a line that is too long is refused, not cut" {
	small "method = $(printf 'x%.0s' {1..300})"
	refused "p.plan:10: a line of 309 bytes: at most 197 are accepted"
}

@test "a binary file is refused" {
	printf '[plan]\ntrials = 1\0\n' >p.plan
	refused "p.plan:2: a NUL byte"
}

@test "a folder and a missing file are refused by name" {
	mkdir p.plan
	refused "p.plan is a folder; a file or a pipe is needed"
	fairtrial run none.plan --dry-run
	expect_error 1 "none.plan: No such file"
}

@test "--set changes the plan and is checked as the file is" {
	small
	fairtrial run p.plan --dry-run --set trials=7 --set c.workers=3
	expect_status 0
	expect_output "x 7 trials"
	expect_output "workers=3"
	fairtrial run p.plan --dry-run --set trails=7
	expect_error 1 "--set: unknown key 'trails' in [plan]: did you mean 'trials'?"
	fairtrial run p.plan --dry-run --set d.workers=7
	expect_error 1 "--set: 'd.workers' is neither a key of [plan] nor NAME.key"
}

@test "--set without a value says what a value looks like" {
	small
	fairtrial run p.plan --dry-run --set trials
	expect_error 1 "--set: 'trials' is not KEY=VALUE"
}

@test "more jobs than the backend runs at once are not dropped silently" {
	small
	fairtrial run p.plan --dry-run --jobs 1
	expect_status 0
	[[ "$stderr" != *jobs* ]]
	fairtrial run p.plan --dry-run --jobs 4
	expect_status 0
	[[ "$stderr" == *"--jobs 4: backend live runs at most 1 at once"* ]]
}

@test "CPUs outside of the affinity of the process are refused" {
	first="$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')"
	last="$(taskset -cp $$ | sed 's/.*[-, ]//')"
	[ "$first" != "$last" ] || skip "needs two usable CPUs"
	small "cpus = $last"
	run --separate-stderr taskset -c "$first" "$FAIRTRIAL" run p.plan --dry-run
	expect_error 1 "p.plan:10: cpus: CPU $last is outside of the cpuset or affinity"
	small
	run --separate-stderr taskset -c "$first" "$FAIRTRIAL" run p.plan --dry-run
	expect_status 0
	expect_output "workers=1 "
}

@test "a machine that there is not is refused with its line" {
	printf '[plan]\nmachine = nosuch\n[variant a]\n[case c]\nworkload = cpu\n' >a.plan
	fairtrial run --dry-run a.plan
	expect_error 1 "a.plan:2: no machine 'nosuch'"
	printf '[variant a]\n[case c]\nworkload = cpu\nmachine = nosuch\n' >a.plan
	fairtrial run --dry-run a.plan
	expect_error 1 "a.plan:2: case c: no machine 'nosuch'"
}

@test "a message larger than a pipe takes is refused with its line" {
	printf '[plan]\ntrials=1\nruntime=1s\n[variant a]\nnice=0\n[case m]\nworkload = messaging\nsize = 1000G\n' >big.plan
	fairtrial run big.plan --dry-run
	expect_error 1 "big.plan:8"
}

@test "more tasks than any machine runs are refused before anything starts" {
	for line in "cpu:workers" "timer:threads" "loadfile:clients" "spawn:workers" "ep:workers"; do
		printf '[plan]\ntrials = 1\nruntime = 100ms\n[variant v]\n[case c]\nworkload = %s\n%s = 999999999\n' \
			"${line%:*}" "${line#*:}" >p.plan
		fairtrial run p.plan
		expect_error 1 "p.plan:7: ${line#*:}: '999999999'"
	done
}

@test "a # after a value is told from a comment" {
	printf '[case a]\nworkload = spawn # fork\n' >hash.plan
	fairtrial run hash.plan --dry-run
	expect_error 1 "hash.plan:2: unknown workload 'spawn # fork'; after a value comments begin with ' ;'"
}

@test "a message names /sys/kernel/security/lockdown only where it is" {
	printf '[plan]\nmonitor = none\n[variant a]\nfeature.NEXT_BUDDY = 1\n[case c]\nworkload = spawn\n' \
		>feature.plan
	fairtrial run feature.plan --dry-run
	[[ $stderr == *"locked down"* ]] || skip "features of the scheduler can be read here, or are not there"
	if [ -e /sys/kernel/security/lockdown ]; then
		[[ $stderr == *"(cat /sys/kernel/security/lockdown)"* ]]
	else
		[[ $stderr != *"/lockdown"* ]]
	fi
}

@test "an affinity without any CPU of a case is refused with its line before anything runs" {
	printf '%s\n' '[plan]' 'trials = 1' '[variant a]' '[variant b]' 'affinity = 1' '[case c]' \
		'workload = cpu' 'workers = 1' 'cpus = 0' >p.plan
	fairtrial run --dry-run p.plan
	expect_error 1 "p.plan:5: variant b, case c: affinity: none of CPUs 1 is among the case's CPUs 0"
}
