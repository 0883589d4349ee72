#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# stream, core, ep and warehouse through the command line, here and in the simulator.

bats_require_minimum_version 1.5.0
load common
load simulated

# plan CASES: one trial, one variant, no warm-up
plan() {
	printf '[plan]\ntrials = 1\nruntime = %s\nwarmup = 0ms\n[variant only]\n%s\n' "${runtime:-500ms}" "$1" >p.plan
}

# value CASE METRIC: of the only trial of the newest run
value() {
	"$FAIRTRIAL" export -d t.db | python3 -c '
import json, sys
records = [json.loads(line) for line in sys.stdin]
cases = [r for r in records if r["type"] == "run"][-1]["cases"]
for record in records:
    if record["type"] != "trial":
        continue
    name = record["case"] if isinstance(record["case"], str) else cases[record["case"]]["name"]
    if name == sys.argv[1]:
        for metric in record["metrics"]:
            if metric["name"] == sys.argv[2]:
                print(metric["value"])
' "$1" "$2"
}

@test "ep of class A has the published sums" {
	runtime=280s plan $'[case ep]\nworkload = ep\nclass = A'
	fairtrial run p.plan -q -d t.db
	expect_status 0
	fairtrial show -d t.db
	expect_output "verified"
	[[ "$output" != *failed:* ]]
	[ "$(value ep verified)" = 1.0 ]
}

@test "ep that is not done within the runtime fails and says how far it came" {
	runtime=100ms plan $'[case ep]\nworkload = ep\nclass = D'
	fairtrial run p.plan -q -d t.db
	expect_status 1
	fairtrial show -d t.db
	expect_output "class D was not done within the runtime"
	expect_output "of 1048576 batches"
}

@test "ep with more workers than batches fails" {
	plan $'[case ep]\nworkload = ep\nclass = S\nworkers = 257'
	fairtrial run p.plan -q -d t.db
	expect_error 1 "workers: 257 of them, but class S has 256 batches"
}

@test "stream gives MB/s of each kernel and says that it is a variant" {
	plan $'[case s]\nworkload = stream\narray-size = 256K\nthreads = 2\nbarrier = sleep'
	fairtrial run p.plan -q -d t.db
	expect_status 0
	fairtrial show -d t.db
	for name in copy scale add triad copy_mean triad_mean; do
		expect_output "$name MB/s"
	done
	expect_output "(a variant, not the STREAM benchmark)"
}

@test "stream without a repetition in the runtime fails and says what to do" {
	runtime=1ms plan $'[case s]\nworkload = stream\narray-size = 64M\nthreads = 1\ninstances = machine'
	fairtrial run p.plan -q -d t.db
	expect_status 1
	fairtrial show -d t.db
	expect_output "longer"
}

@test "more memory than there is refuses the plan before anything runs" {
	plan $'[case s]\nworkload = stream\narray-size = 900G'
	fairtrial run p.plan -d t.db
	expect_error 1 "p.plan:6: case s: workload stream takes"
	[[ "$stderr" == *"GiB are available"* ]]
	plan $'[case c]\nworkload = cpu\nmethod = chase\nworkers = 1000\nworking-set = 9G'
	fairtrial run p.plan -d t.db
	expect_error 1 "case c: workload cpu takes 9000.0 GiB of memory here"
	plan $'[case w]\nworkload = warehouse\nwarehouses = 1, 90000'
	fairtrial run p.plan -d t.db
	expect_error 1 "case w warehouses=90000: workload warehouse takes"
	plan $'[case s]\nmachine = m6g-xlarge\nworkload = stream\narray-size = 30G'
	fairtrial run p.plan -d t.db --backend sim --dry-run
	expect_error 1 "(the nodes of machine m6g-xlarge)"
	fairtrial export -d t.db
	[[ "$output" != *'"type":"trial"'* ]]
}

@test "caches of unknown size ask for an array-size" {
	printf '[cores]\n0 = 0\n1 = 1\n' >odd.machine
	plan $'[case s]\nworkload = stream'
	fairtrial run p.plan -d t.db --machine ./odd.machine --dry-run
	expect_error 1 "does not tell the size of all last-level caches: give array-size"
}

@test "core verifies every block, warehouse sweeps its warehouses" {
	plan $'[case c]\nworkload = core\nworkers = 2\n[case w]\nworkload = warehouse\nstore = 256K\nwarehouses = 1..2*nr_cpus step max(1, nr_cpus/2)'
	fairtrial run p.plan -q -d t.db
	expect_status 0
	fairtrial show -d t.db
	expect_output "transactions 1/s"
	expect_output "w warehouses=1"
	[ "$(value c verified)" != 0.0 ]
	[ -n "$(value c verified)" ]
}

@test "simulated: the same bytes again, one process a CPU, and nothing is called verified" {
	with_kernel
	cat >p.plan <<-END
	[plan]
	trials = 2
	runtime = 60ms
	warmup = 10ms
	backend = sim
	kernel = 6.12
	machine = epyc-7502p
	[variant only]
	[case stream]
	workload = stream
	threads = 2
	array-size = 4M
	[case cpus]
	workload = stream
	instances = cpu
	bind = cpu
	array-size = 1M
	[case core]
	workload = core
	working-set = 4M
	workers = 20
	[case ep]
	workload = ep
	class = S
	[case warehouse]
	workload = warehouse
	warehouses = 12
	END
	"$FAIRTRIAL" run p.plan -q -j 1 -d one.db
	"$FAIRTRIAL" run p.plan -q -j 2 -d two.db
	results one.db >one
	results two.db >two
	[ "$(wc -l <one)" -eq 10 ]
	refute grep '"status":"failed"' one
	cmp one two
	fairtrial show -d one.db
	expect_output "not verified: computing is simulated"
}
