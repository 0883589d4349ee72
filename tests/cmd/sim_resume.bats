#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Simulated runs that are killed, wholly or a trial of them: what is kept, and that going on gives the same.

bats_require_minimum_version 1.5.0
load common
load simulated

write_long_plan() {
	cat >p.plan <<-END
	[plan]
	trials = 4
	runtime = 150ms
	backend = sim
	kernel = 6.12
	[variant plain]
	[variant batch]
	policy = batch
	[case messages]
	machine = m6a-xlarge
	workload = messaging
	senders = 4
	receivers = 4
	[case spawn]
	machine = m6g-xlarge
	workload = spawn
	END
}

n_stored() {
	"$FAIRTRIAL" export -d "$1" 2>/dev/null | grep -c '"type":"trial"' || true
}

# run_in_background JOBS STORE: returns when some trials are stored and more are to come
run_in_background() {
	"$FAIRTRIAL" run p.plan -q -j "$1" -d "$2" 3>&- >run.log 2>&1 &
	runner=$!
	for ((i = 0; i < 1200; i++)); do
		[ "$(n_stored "$2")" -lt 3 ] || break
		sleep 0.02
	done
}

@test "a run killed by -9 and resumed gives the bytes of an uninterrupted one" {
	with_kernel
	write_long_plan
	"$FAIRTRIAL" run p.plan -q -j 1 -d whole.db
	results whole.db >whole
	[ "$(wc -l <whole)" -eq 16 ]
	for jobs in 1 2; do
		run_in_background $jobs part$jobs.db
		kill -9 $runner
		wait $runner || true
		kept=$(n_stored part$jobs.db)
		[ "$kept" -ge 3 ]
		[ "$kept" -lt 16 ]
		fairtrial run p.plan -q -j $jobs -d part$jobs.db --resume
		expect_status 0
		cmp whole <(results part$jobs.db)
	done
}

@test "a run that is interrupted and resumed gives the bytes of an uninterrupted one" {
	with_kernel
	write_long_plan
	"$FAIRTRIAL" run p.plan -q -j 2 -d whole.db
	run_in_background 2 part.db
	kill -INT $runner
	wait $runner || status=$?
	[ "$status" -ne 0 ]
	grep -q 'which are kept; fairtrial run --resume goes on' run.log
	fairtrial run p.plan -q -j 2 -d part.db --resume
	expect_status 0
	cmp <(results whole.db) <(results part.db)
}

@test "a trial that fails is told, and those beside and after it are as they would be" {
	with_kernel
	write_long_plan
	"$FAIRTRIAL" run p.plan -q -j 2 -d whole.db
	run_in_background 2 part.db
	# a trial's process may just have ended
	until kill -9 "$(pgrep -P $runner | head -n 1)" 2>/dev/null; do
		kill -0 $runner
	done
	wait $runner && status=0 || status=$?
	[ "$status" -eq 1 ]
	grep -q 'failed: the trial.s process was killed by signal 9' run.log
	results whole.db >whole
	results part.db >part
	[ "$(wc -l <part)" -eq 16 ]
	[ "$(grep -c 'killed by signal 9' part)" -eq 1 ]
	[ "$(diff whole part | grep -c '^>')" -eq 1 ]
}
