#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# `fairtrial run`: trials, failures, interruptions, settings put back.
bats_require_minimum_version 1.5.0
load common

# a short plan of two variants that differ in nothing but a nice value of the workers
write_plan() { # FILE TRIALS RUNTIME
	cat >"$1" <<-PLAN
		[plan]
		trials = $2
		runtime = $3
		warmup = 0s
		stop-limit = 500ms
		monitor = cpu, sched

		[variant base]
		nice = 0
		[variant nicer]
		nice = 5

		[case pair]
		workload = pingpong
		pairs = 1
	PLAN
}

autogroup=/proc/sys/kernel/sched_autogroup_enabled

skip_unless_autogroup() {
	skip_unless_root "setting autogroup"
	[ -w "$autogroup" ] || skip "this kernel has no $autogroup"
}

skip_unless_two_cpus() {
	taskset -c 0 true && taskset -c 1 true || skip "needs CPUs 0 and 1"
}

write_autogroup_plan() { # FILE VALUE
	cat >"$1" <<-PLAN
		[plan]
		trials = 50
		runtime = 200ms
		warmup = 0s
		[variant other]
		autogroup = $2
		[case spawn]
		workload = spawn
		workers = 1
	PLAN
}

# waits (20 s at most) until a command succeeds
eventually() {
	for _ in $(seq 200); do
		"$@" && return 0
		sleep 0.1
	done
	echo "never true: $*" >&2
	return 1
}

holds() { [ "$(cat "$1")" = "$2" ]; }

stored_trials() {
	"$FAIRTRIAL" list --json 2>/dev/null | grep -o '"trials": *[0-9]*' | grep -o '[0-9]*$' | head -n 1
}

# the youngest process of the trial's process is a worker, once there are all three
find_worker() {
	trial=$(pgrep -P "$1" | head -n 1)
	[ -n "$trial" ] && [ "$(pgrep -c -P "$trial")" -ge 2 ] || return 1
	worker=$(pgrep -P "$trial" | tail -n 1)
}

at_least_trials() { [ "$(stored_trials || echo 0)" -ge "$1" ] 2>/dev/null; }

@test "a run stores all trials interleaved and prints a comparison" {
	write_plan a.plan 3 100ms
	fairtrial run a.plan
	expect_status 0
	expect_output "nicer"
	expect_output "round_trips"
	fairtrial show a
	expect_status 0
	fairtrial export a
	expect_status 0
	[ "$(printf '%s\n' "$output" | grep -c '"type":"trial"')" -eq 6 ]
}

@test "each trial records what others took of the CPUs, and a busy machine is said" {
	skip_unless_two_cpus
	for cpu in 0 1; do
		taskset -c $cpu timeout 60 sh -c 'while :; do :; done' &
	done
	write_plan a.plan 2 200ms
	fairtrial run a.plan --set "case pair.cpus=0-1"
	kill $(jobs -p)
	expect_status 0
	[[ "$busy" == *"others take "*" % of the CPUs of the plan now"* ]]
	[ "$(trials "$XDG_DATA_HOME/fairtrial/results.db" | grep -c '"others":[0-9]')" -eq 4 ]
	expect_output "of the CPUs: base "
}

@test "a dry run changes nothing and stores nothing" {
	write_plan a.plan 3 10s
	fairtrial run a.plan --dry-run
	expect_status 0
	expect_output "6 trials"
	[ ! -e "$XDG_DATA_HOME/fairtrial/results.db" ]
}

@test "a run of one variant says where its values are" {
	write_plan a.plan 1 20ms
	sed -i '/^.variant nicer/,/^nice = 5/d' a.plan
	fairtrial run a.plan
	expect_status 0
	[ -z "$output" ]
	[[ "$stderr" == *"nothing to compare; its values: fairtrial show 1"* ]]
}

@test "no plan is a usage error" {
	fairtrial run
	expect_error 2 "a plan file is needed"
}

@test "a plan that does not exist is named" {
	fairtrial run missing.plan
	expect_error 1 "missing.plan"
}

@test "a backend that does not exist is named with those that do" {
	write_plan a.plan 1 100ms
	fairtrial run a.plan --backend simm
	expect_error 1 "there is no backend 'simm'; there is live"
}

@test "a killed worker fails its trial alone and the plan goes on" {
	write_plan a.plan 2 2s
	"$FAIRTRIAL" run a.plan --quiet 2>messages &
	runner=$!
	eventually find_worker $runner
	kill -9 "$worker"
	wait $runner || status=$?
	cat messages >&2
	[ "${status-0}" -eq 1 ]
	grep -q 'trial 1 of 4 .* failed: .*killed by signal 9' messages
	grep -q '1 of 4 trials failed' messages
	fairtrial list --json
	expect_output '"failed": 1'
}

@test "a worker that hangs fails its trial within the limit" {
	write_plan a.plan 1 2s
	"$FAIRTRIAL" run a.plan --quiet 2>messages &
	runner=$!
	eventually find_worker $runner
	kill -STOP "$worker"
	wait $runner || true
	cat messages >&2
	grep -q 'trial 1 of 2 .* failed: .*did not stop' messages
	refute kill -0 "$worker" 2>/dev/null
}

@test "kill -9 loses at most the trial in flight and resume completes the plan" {
	write_plan a.plan 10 200ms
	"$FAIRTRIAL" run a.plan --quiet &
	runner=$!
	eventually at_least_trials 4
	kill -9 $runner
	wait $runner || true
	kept=$(stored_trials)
	[ "$kept" -ge 4 ]
	fairtrial run --resume --quiet
	expect_status 0
	[ "$(stored_trials)" -eq 20 ]
	fairtrial run a.plan --resume
	expect_error 1 "nothing to resume"
}

@test "a run with --set is resumed as it was set, with and without naming it again" {
	write_plan a.plan 3 200ms
	for again in "" "a.plan --set trials=8"; do
		rm -rf "${XDG_DATA_HOME:?}"/*
		"$FAIRTRIAL" run a.plan --set trials=8 --quiet &
		runner=$!
		eventually at_least_trials 2
		kill -9 $runner
		wait $runner || true
		fairtrial run a.plan --resume
		expect_error 1 "nothing to resume"
		# shellcheck disable=SC2086
		fairtrial run --resume --quiet $again
		expect_status 0
		[ "$(stored_trials)" -eq 16 ]
	done
}

@test "resume refuses a plan that was changed" {
	write_plan a.plan 10 200ms
	"$FAIRTRIAL" run a.plan --quiet &
	runner=$!
	eventually at_least_trials 2
	kill -9 $runner
	wait $runner || true
	write_plan a.plan 10 300ms
	fairtrial run a.plan --resume
	expect_error 1 "nothing to resume"
}

@test "no worker is left when the run is killed" {
	write_plan a.plan 1 20s
	"$FAIRTRIAL" run a.plan --quiet &
	runner=$!
	eventually find_worker $runner
	workers=$(pgrep -P "$trial")
	[ -n "$workers" ]
	kill -9 $runner
	wait $runner || true
	gone() { for pid in $trial $workers; do ! kill -0 "$pid" 2>/dev/null || return 1; done; }
	eventually gone
}

@test "Ctrl-C keeps the finished trials and puts the setting back" {
	skip_unless_autogroup
	old=$(cat $autogroup)
	write_autogroup_plan a.plan $((1 - old))
	"$FAIRTRIAL" run a.plan --quiet 2>messages &
	runner=$!
	eventually at_least_trials 2
	kill -INT $runner
	wait $runner || status=$?
	cat messages >&2
	[ "${status-0}" -eq 1 ]
	grep -q 'interrupted after' messages
	holds $autogroup "$old"
}

@test "a setting is put back by the next start after kill -9" {
	skip_unless_autogroup
	old=$(cat $autogroup)
	write_autogroup_plan a.plan $((1 - old))
	"$FAIRTRIAL" run a.plan --quiet &
	runner=$!
	eventually holds $autogroup $((1 - old))
	kill -9 $runner
	wait $runner || true
	holds $autogroup $((1 - old)) || skip "the run was between two trials when it was killed"
	fairtrial list
	expect_status 0
	holds $autogroup "$old"
}

@test "a variant that needs root is refused before anything runs" {
	skip_unless_root "becoming another user"
	write_autogroup_plan a.plan 0
	chmod 755 "$BATS_TEST_TMPDIR"
	chmod -R a+rX "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_FILE_TMPDIR"
	cp "$FAIRTRIAL" ./fairtrial-copy && chmod 755 fairtrial-copy
	mkdir -m 777 other
	run --separate-stderr env XDG_DATA_HOME="$PWD/other" setpriv --reuid=65534 --regid=65534 \
		--clear-groups ./fairtrial-copy run a.plan
	expect_error 1 "a.plan:6"
	[ ! -e other/fairtrial/results.db ] || [ -z "$(XDG_DATA_HOME=$PWD/other "$FAIRTRIAL" list --json | grep label)" ]
}

@test "skip-unavailable leaves the variant out and says so" {
	skip_unless_root "becoming another user"
	cat >a.plan <<-PLAN
		[plan]
		trials = 1
		runtime = 100ms
		warmup = 0s
		[variant plain]
		policy = batch
		[variant other]
		sysctl.kernel.sched_autogroup_enabled = 0
		[case pair]
		workload = pingpong
		pairs = 1
	PLAN
	chmod 755 "$BATS_TEST_TMPDIR"
	chmod -R a+rX "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_FILE_TMPDIR"
	cp "$FAIRTRIAL" ./fairtrial-copy && chmod 755 fairtrial-copy
	mkdir -m 777 other
	run --separate-stderr env XDG_DATA_HOME="$PWD/other" setpriv --reuid=65534 --regid=65534 \
		--clear-groups ./fairtrial-copy run --skip-unavailable a.plan
	expect_status 0
	[[ "$stderr" == *"variant other is left out"* ]]
}

@test "a monitor that cannot be read is named with its reason before the first trial, once" {
	skip_unless_root "becoming another user"
	write_plan a.plan 2 100ms
	sed -i 's/^monitor = .*/monitor = cpu, events/; s/^[[:space:]]*monitor = .*/monitor = cpu, events/' a.plan
	chmod 755 "$BATS_TEST_TMPDIR"
	chmod -R a+rX "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_FILE_TMPDIR"
	cp "$FAIRTRIAL" ./fairtrial-copy && chmod 755 fairtrial-copy
	mkdir -m 777 other
	run --separate-stderr env XDG_DATA_HOME="$PWD/other" setpriv --reuid=65534 --regid=65534 \
		--clear-groups ./fairtrial-copy run --quiet a.plan
	expect_status 0
	[ "$(grep -c "monitor events is not available: ." <<<"$stderr")" -eq 1 ]
	[[ $stderr != *"monitor cpu is not"* ]]
	# before means without a trial
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
		./fairtrial-copy run --dry-run a.plan
	expect_status 0
	[ "$(grep -c "monitor events is not available: ." <<<"$stderr")" -eq 1 ]
	[[ $stderr != *"monitor cpu is not"* ]]
}

@test "a dry run of a resume prints the trials that are missing" {
	write_plan a.plan 10 200ms
	fairtrial run --resume --dry-run
	expect_error 1 "there is no store"
	[ ! -e "$XDG_DATA_HOME/fairtrial/results.db" ]
	"$FAIRTRIAL" run a.plan --quiet &
	runner=$!
	eventually at_least_trials 7
	kill -9 $runner
	wait $runner || true
	kept=$(stored_trials)
	fairtrial run --resume --dry-run
	expect_status 0
	expect_output "= 20 trials ($((20 - kept)) missing)"
	[[ "$output" == *"block $((kept / 2)):"* && "$output" != *"block 0:"* ]]
	[ "$(stored_trials)" -eq "$kept" ]
}

@test "a load of the saturation is found before the first trial and stored" {
	cat >l.plan <<-PLAN
		[plan]
		trials = 2
		runtime = 100ms
		warmup = 0s
		[variant base]
		nice = 0
		[variant nicer]
		nice = 5
		[case cpu]
		workload = cpu
		cpus = $(taskset -cp $$ | sed 's/.*[ ]//; s/[-,].*//')
		load = saturation, 300% of saturation
	PLAN
	fairtrial run l.plan --dry-run
	expect_output "workers=to be found (100% of saturation)"
	expect_output "cpu load=300%-of-saturation"
	[ ! -e "$XDG_DATA_HOME/fairtrial/results.db" ]
	fairtrial run l.plan --quiet
	expect_status 0
	[[ "$stderr" == *"fairtrial: cpu (2 loads): saturation at workers="*", found with "*" short trials"* ]]
	found=${stderr#*saturation at workers=}
	found=${found%%,*}
	fairtrial export
	expect_output "\"saturation\":$found,"
	expect_output "\"workers\":\"$found\""
	expect_output "\"workers\":\"$((3 * found))\""
}

@test "a run that is resumed has the load that was found when it began" {
	cat >l.plan <<-PLAN
		[plan]
		trials = 10
		runtime = 200ms
		warmup = 0s
		[variant base]
		[variant nicer]
		nice = 5
		[case pair]
		workload = pingpong
		cpus = $(taskset -cp $$ | sed 's/.*[ ]//; s/[-,].*//')
		load = saturation
	PLAN
	"$FAIRTRIAL" run l.plan --quiet 2>messages &
	runner=$!
	eventually grep -q "saturation at" messages
	eventually at_least_trials 2
	kill -9 $runner
	wait $runner || true
	grep -q "saturation at pairs=" messages
	fairtrial run --resume --dry-run
	[[ "$output" != *"to be found"* ]]
	fairtrial run --resume --quiet
	expect_status 0
	[[ "$stderr" != *"short trials"* ]]
	[ "$(stored_trials)" -eq 20 ]
}

@test "Ctrl-C in the search for a load ends it and stores nothing" {
	write_plan a.plan 2 10s
	sed -i 's/^pairs = 1/load = saturation/; s/^workload = .*/workload = yield/' a.plan
	"$FAIRTRIAL" run a.plan --quiet 2>messages &
	runner=$!
	sleep 0.5
	kill -INT $runner
	wait $runner && return 1
	grep -q "interrupted in the search for a load; nothing was stored" messages
	[ "$("$FAIRTRIAL" export | grep -c '"type":"run"' || true)" -eq 0 ]
}

@test "a label that names nothing later is refused before anything runs" {
	write_plan a.plan 1 10ms
	for label in "" a:b '#1' -x ' a' $'a\e[31m' $'\xff'; do
		fairtrial run a.plan --label "$label"
		expect_error 1 "--label: "
	done
	cp a.plan a:b.plan
	fairtrial run a:b.plan
	expect_error 1 "give one with --label"
	[ -z "$("$FAIRTRIAL" list 2>/dev/null)" ]
	fairtrial run a:b.plan --label b --quiet
	expect_status 0
	fairtrial run --resume --label c
	expect_error 2 "--label does not go with --resume"
}

@test "standard descriptors that are closed are not given to files" {
	write_plan a.plan 1 20s
	"$FAIRTRIAL" run a.plan --quiet <&- >&- 2>&- &
	runner=$!
	eventually find_worker $runner
	for fd in 0 1 2; do [ "$(readlink /proc/$runner/fd/$fd)" = /dev/null ]; done
	kill -9 $runner
	wait $runner || true
	"$FAIRTRIAL" --version >&- 2>err && return 1
	grep "cannot write the output" err
}

@test "a reader of messages that goes away does not end the run" {
	write_plan a.plan 1 4s
	# the first trial fails, and says so into a pipe that is closed
	mkfifo messages
	"$FAIRTRIAL" run a.plan --quiet 2>messages &
	runner=$!
	true <messages
	eventually find_worker $runner
	kill -9 "$trial"
	status=0
	wait $runner || status=$?
	[ "$status" -eq 1 ]
	[ "$(stored_trials)" -eq 2 ]
}

@test "a store above the limit of file sizes is an error that says so" {
	write_plan a.plan 1 10ms
	run --separate-stderr bash -c 'ulimit -f 10; exec "$0" run a.plan --quiet' "$FAIRTRIAL"
	expect_error 1 "results.db"
}

@test "a store that is deleted or replaced ends the run with an error" {
	write_plan a.plan 3 500ms
	for with in nothing another; do
		"$FAIRTRIAL" run a.plan --quiet -d my.db 2>messages &
		runner=$!
		eventually find_worker $runner
		rm my.db*
		[ $with = nothing ] || echo other >my.db
		status=0
		wait $runner || status=$?
		[ "$status" -eq 1 ]
		grep "my.db: the file was deleted, moved or replaced" messages
		[ "$(grep -vc 'this machine is not idle' messages)" -eq 1 ]
	done
	[ "$(cat my.db)" = other ]
}

@test "Ctrl-C ends a run whose trial's process is stopped" {
	write_plan a.plan 1 20s
	"$FAIRTRIAL" run a.plan --quiet 2>messages &
	runner=$!
	eventually find_worker $runner
	kill -STOP "$trial"
	kill -INT $runner
	wait $runner || status=$?
	[ "${status-0}" -eq 1 ]
	grep -q 'interrupted after 0 of 2' messages
}

@test "workers are forked by a process that may use the CPUs of the case only" {
	last=$(($(nproc --all) - 1))
	[ "$(nproc)" -gt 1 ] || skip "one CPU alone: every process may use the same"
	write_plan a.plan 1 20s
	echo "cpus = $last" >>a.plan
	"$FAIRTRIAL" run a.plan --quiet 2>messages &
	runner=$!
	eventually find_worker $runner
	allowed=$(sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$trial/status")
	kill -INT $runner
	wait $runner || true
	[ "$allowed" = "$last" ]
}

# of the newest run
newest_trials() {
	"$FAIRTRIAL" list --json 2>/dev/null | grep -o '"trials": *[0-9]*' | grep -o '[0-9]*$' | tail -n 1
}

made_trials() { [ -n "$("$FAIRTRIAL" list 2>/dev/null | grep explain-1)" ] && [ "$(newest_trials)" -ge "$1" ]; }

# explain_in_background: its experiment sets autogroup; returns when some of its trials are stored
explain_in_background() { # TRIALS
	"$FAIRTRIAL" explain base nicer --run -e no-autogroup --trials 8 >report 2>messages &
	runner=$!
	eventually made_trials "$1"
}

@test "explain --run that is interrupted or killed puts its setting back, and goes on when it is called again" {
	skip_unless_autogroup
	holds $autogroup 1 || skip "autogroup is off here: an experiment without it would change nothing"
	write_plan a.plan 2 50ms
	fairtrial run a.plan --quiet
	expect_status 0
	explain_in_background 3 || {
		grep -q 'autogroup does not act' messages && skip "autogroup does not act in this cgroup"
		cat messages >&2
		return 1
	}
	kill -INT $runner
	wait $runner || status=$?
	cat messages >&2
	[ "${status-0}" -eq 1 ]
	grep -Eq 'interrupted: run 2 \(label explain-1\) has [0-9]+ of 32 trials, which are kept; the same' messages
	holds $autogroup 1
	kept=$(newest_trials)
	[ "$kept" -ge 3 ]
	[ "$kept" -lt 32 ]
	# the names still mean the study, though the newest run is the experiments'
	explain_in_background $((kept + 4))
	kill -9 $runner
	wait $runner || true
	grep -q 'goes on with run 2, which was cut off after' messages
	fairtrial explain base nicer --run -e no-autogroup --trials 8
	expect_status 0
	holds $autogroup 1
	[ "$(newest_trials)" -eq 32 ]
	expect_output "experiments (run 2, 8 interleaved blocks)"
	expect_output "autogroup = 0 in both (without autogroups)"
	fairtrial list
	[ "$(grep -c complete <<<"$output")" -eq 2 ]
	[[ "$output" != *"not complete"* && "$output" != *incomplete* ]]
}
