#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Trials in the simulator through the command line. They need a kernel called 6.12, which takes minutes to
# build: without one they are skipped.

bats_require_minimum_version 1.5.0
load common
load simulated

write_plan() {
	cat >p.plan <<-END
	[plan]
	trials = 2
	runtime = 50ms
	warmup = 10ms
	backend = sim
	kernel = 6.12
	monitor = cpu
	[variant plain]
	[variant nice]
	nice = 5
	$1
	[case spawn]
	machine = m6g-xlarge
	workload = spawn
	[case cpu]
	machine = epyc-7502p
	workload = cpu
	cpus = node:0-2
	gate = spin
	[case messages]
	machine = m6a-xlarge
	workload = messaging
	senders = 3
	receivers = 3
	END
}

@test "the same plan gives the same bytes again, and with trials side by side" {
	with_kernel
	write_plan
	"$FAIRTRIAL" run p.plan -q -j 1 -d one.db
	"$FAIRTRIAL" run p.plan -q -j 1 -d two.db
	"$FAIRTRIAL" run p.plan -q -j 2 -d three.db
	results one.db >one
	[ "$(wc -l <one)" -eq 12 ]
	cmp one <(results two.db)
	cmp one <(results three.db)
}

@test "the saturation of workers that compute is one a CPU, however many CPUs there are" {
	with_kernel
	cat >p.plan <<-END
	[plan]
	trials = 1
	runtime = 200ms
	warmup = 100ms
	backend = sim
	kernel = 6.12
	[variant plain]
	[case small]
	machine = m6g-xlarge
	workload = cpu
	gate = spin
	load = saturation
	[case large]
	machine = epyc-7502p
	workload = cpu
	gate = spin
	cpus = node:0-3
	load = 50% of saturation, saturation
	END
	fairtrial run p.plan -d store.db
	expect_status 0
	[[ "$stderr" == *"small: saturation at workers=4,"* ]]
	[[ "$stderr" == *"large (2 loads): saturation at workers=32,"* ]]
	fairtrial export -d store.db
	expect_output '"workers":"16"'
	expect_output '"workers":"32"'
}

# on one kernel, since others are the user's to add
@test "the simulated plans that come along can be run as written" {
	with_kernel
	for file in "$FT_SOURCE"/plans/*.plan; do
		grep -q '^backend *= *sim' "$file" || continue
		fairtrial run "$file" --dry-run --kernel 6.12
		expect_status 0
	done
}

@test "another seed gives other results" {
	with_kernel
	write_plan
	"$FAIRTRIAL" run p.plan -q -d one.db
	"$FAIRTRIAL" run p.plan -q --set seed=2 -d two.db
	results one.db | sed 's/"seed":[0-9]*//' >one
	results two.db | sed 's/"seed":[0-9]*//' >two
	refute cmp -s one two
}

@test "a result records the simulated kernel, the machine and its figures" {
	with_kernel
	write_plan
	"$FAIRTRIAL" run p.plan -q -d one.db
	"$FAIRTRIAL" export -d one.db >all
	grep -q '"backend":"sim"' all
	grep -q '"version":"6.12' all
	grep -q '"speed.smt-int128":"62%"' all
}

@test "settings that the simulated kernel lacks name what it has" {
	with_kernel
	write_plan "sched.no_such_ns = 5"
	fairtrial run p.plan -q
	expect_error 1 "base_slice_ns"
	write_plan "feature.ABSENT = 1"
	fairtrial run p.plan -q
	expect_error 1 "NEXT_BUDDY"
}

@test "settings without a meaning in the simulator, and wrong ones, are refused with their line" {
	with_kernel
	write_plan "env.X = 1"
	fairtrial run p.plan -q
	expect_error 1 "p.plan:11: variant nice: env.X: simulated workers have no environment"
	write_plan "slize = 1ms"
	fairtrial run p.plan -q
	expect_error 1 "did you mean slice"
}

@test "an affinity to CPUs that a machine does not have is refused with its line, before any trial" {
	with_kernel
	printf '[plan]\nbackend = sim\nmachine = epyc-7502p\n[variant a]\nkernel = 6.12\naffinity = 60-64\n' >a.plan
	printf '[case c]\nworkload = cpu\n' >>a.plan
	fairtrial run --dry-run a.plan
	expect_error 1 "a.plan:6: variant a: affinity: '60-64' has CPUs that machine epyc-7502p does not have: usable are 0-63"
	sed -i 's/60-64/60-63/' a.plan
	fairtrial run --dry-run a.plan
	expect_status 0
}

@test "a slice of policy idle, which the kernel ignores, is refused with that reason" {
	with_kernel
	write_plan $'slice = 5ms\npolicy = idle'
	fairtrial run p.plan -q
	expect_error 1 "the kernel ignores the slice of policy idle"
}

@test "a slice is kept whether the policy is set before or after it" {
	with_kernel
	for order in $'slice = 100ms\npolicy = batch' $'policy = batch\nslice = 100ms' 'policy = batch'; do
		printf '%s\n' '[plan]' 'backend = sim' 'kernel = 6.12' 'machine = m6g-xlarge' 'trials = 1' \
			'runtime = 500ms' '[variant a]' "$order" '[case c]' 'workload = cpu' 'workers = 16' \
			>order.plan
		fairtrial run order.plan -q -d order.db
		expect_status 0
		switches+=("$("$FAIRTRIAL" export -d order.db |
			grep -o '"name":"switches"[^}]*"value":[0-9.]*')")
		rm order.db
	done
	[ -n "${switches[0]}" ]
	[ "${switches[0]}" = "${switches[1]}" ]
	[ "${switches[0]}" != "${switches[2]}" ]
}

@test "a name of a plan that no kernel can have is an error of the plan" {
	printf '[plan]\nbackend = sim\n[variant a]\nkernel = ../x\n[case c]\nworkload = cpu\n' >a.plan
	fairtrial run a.plan --dry-run
	expect_error 1 "variant a: kernel name '../x'"
}

@test "a kernel that there is not lists those there are" {
	with_kernel
	write_plan
	fairtrial run p.plan -q --kernel absent
	expect_error 1 "6.12"
}

@test "a machine file with a wrong figure is refused with its line" {
	with_kernel
	write_plan
	printf '[topology]\nsynthetic = pack:1 core:2 pu:1\n[cost]\nswitch = 5\n' >bad.machine
	fairtrial run p.plan -q --machine ./bad.machine --set cpu.cpus=all
	expect_error 1 "bad.machine:4: switch: '5' is not a time"
}

@test "sched domains and allowed imbalance are those that the kernel is known to build" {
	with_kernel
	imb() {
		"$FAIRTRIAL" topo --kernel 6.12 --json "$1" |
			sed 's/.*"sched_domains"://' | grep -o '"imb_numa_nr":[0-9]*' | grep -o '[0-9]*$' |
			tr '\n' ' '
	}
	[ "$(imb epyc-9845-2s)" = "0 0 4 8 " ]
	[ "$(imb zen3-2s-nps1)" = "0 0 8 8 " ]
	[ "$(imb zen3-2s-nps2)" = "0 0 4 4 8 " ]
	[ "$(imb zen3-2s-nps4)" = "0 0 2 2 4 " ]
	[ "$(imb xeon-8358-2s)" = "0 0 8 " ]
}

@test "machines that a kernel cannot be are refused, with what contradicts itself" {
	with_kernel
	write_plan
	printf '[topology]\nsynthetic = pack:2 numa:1 core:2 pu:1\n[distances]\n0 = 10 20\n1 = 30 10\n' >m.machine
	fairtrial run p.plan -q --machine ./m.machine --set cpu.cpus=all
	expect_error 1 "m.machine:4: nodes 0 and 1: distance 20 one way and 30 back"
	fairtrial topo --kernel 6.12 ./m.machine
	expect_error 1 "m.machine:4: nodes 0 and 1: distance 20 one way and 30 back"
	fairtrial run p.plan -q --machine "pack:2 core:600 pu:1" --set cpu.cpus=all
	expect_error 1 "1200 CPUs, the kernel was built for"
	fairtrial run p.plan -q --machine "pack:128 numa:1 core:1 pu:1" --set cpu.cpus=all
	expect_error 1 "128 nodes, the kernel was built for 64; add it with --config NODES_SHIFT=7"
	fairtrial topo --kernel 6.12 "pack:2 core:600 pu:1"
	expect_error 1 "1200 CPUs, the kernel was built for"
	printf '[topology]\nsynthetic = pack:2 numa:1 core:2 pu:1\n[distances]\n0 = 10 5\n1 = 5 10\n' >m.machine
	fairtrial run p.plan -q --machine ./m.machine --set cpu.cpus=all
	expect_error 1 "m.machine:4: distances contradicts itself"
	printf '[topology]\nsynthetic = pack:0 core:2 pu:1\n' >m.machine
	fairtrial run p.plan -q --machine ./m.machine
	expect_error 1 "m.machine:2: 'pack:0 core:2 pu:1' is not a synthetic machine"
	printf '[topology]\n' >m.machine
	fairtrial run p.plan -q --machine ./m.machine
	expect_error 1 "the machine has no CPU"
}

@test "variants of one case on different machines are refused, on one machine of their own not" {
	with_kernel
	cat >v.plan <<-END
	[plan]
	trials = 1
	runtime = 20ms
	backend = sim
	kernel = 6.12
	[variant a]
	machine = m6g-xlarge
	[variant b]
	machine = m6a-xlarge
	[case spawn]
	workload = spawn
	END
	fairtrial run v.plan -q
	expect_error 1 "v.plan:8: variant b: machine 'm6a-xlarge' is not that of the other variants"
	sed -i s/m6a/m6g/ v.plan
	fairtrial run v.plan -q
	expect_status 0
}

@test "NUMA balancing is refused as not modelled wherever it can be asked for" {
	with_kernel
	for setting in "sysctl.kernel.numa_balancing = 0" "sysctl.kernel.numa_balancing_promote_rate_limit_MBps = 1" \
		"feature.NUMA = 1" "feature.NUMA_FAVOUR_HIGHER = 1" "sched.numa_balancing.scan_delay_ms = 5"; do
		write_plan "$setting"
		fairtrial run p.plan -q
		expect_error 1 "p.plan:11: variant nice: ${setting% = *}: NUMA balancing is not modelled"
	done
	printf '[topology]\nsynthetic = pack:1 core:2 pu:1\n[kernel]\ncmdline = noautogroup numa_balancing=enable\n' >m.machine
	write_plan
	fairtrial run p.plan -q --machine ./m.machine --set cpu.cpus=all
	expect_error 1 "NUMA balancing is not modelled (cmdline: numa_balancing=enable)"
}

@test "a kernel parameter that would have no effect is refused" {
	with_kernel
	printf '[topology]\nsynthetic = pack:1 core:2 pu:1\n[kernel]\ncmdline = noautogroup nonsense=5\n' >m.machine
	write_plan
	fairtrial run p.plan -q --machine ./m.machine --set cpu.cpus=all
	expect_error 1 "the simulated kernel has no parameter 'nonsense=5'"
}

@test "monitors have the simulated kernel's values, or the reason why not" {
	with_kernel
	write_plan "sysctl.kernel.sched_schedstats = 1"
	"$FAIRTRIAL" run p.plan -q -d one.db --set plan.trials=1 \
		--set plan.monitor="cpu, sched, schedstat, throttle, load, counters, clock, power, thermal"
	trials one.db >all
	# has NAME VALUES N: that many trials have a value
	has() {
		[ "$(grep -o "\"name\":\"$1\",\"unavailable\":null,[^}]*\"$2\":\[\?[0-9]" all | wc -l)" -eq "$3" ]
	}
	# each worker's own counts need no monitor
	for metric in run_delay migrations switches involuntary; do
		has $metric workers 6
	done
	for metric in user system idle system_switches cpu_switches wait_share queued; do
		has $metric value 6
	done
	# only in the variant that counts
	for metric in local_wakeups newidle_balance_llc; do
		has $metric value 3
	done
	for reason in "disk is idle time" "no model of power" "no model of heat" "no performance counters" \
		"kernel.sched_schedstats is 0"; do
		grep -q "$reason" all
	done
	refute grep -q "monitors read this machine" all
	# those that no trial has are named before the first one
	fairtrial run p.plan --dry-run --set plan.monitor="cpu, sched, schedstat, power"
	expect_status 0
	[ "$(grep -c "monitor power is not available: the simulator has no model of power" <<<"$stderr")" -eq 1 ]
	[ "$(grep -c "is not available" <<<"$stderr")" -eq 1 ]
}

@test "a machine without speeds and costs is simulated with a note, one that has them without" {
	with_kernel
	write_plan
	fairtrial run p.plan --dry-run --set runtime=5ms
	expect_status 0
	[[ $stderr != *"tells no speeds"* ]]
	fairtrial run p.plan --dry-run --machine "pack:2 numa:2 core:4 pu:2"
	expect_status 0
	[[ $stderr == *"machine synthetic tells no speeds and costs: simulated with the defaults"* ]]
}

@test "variants of kernels that are one build, or of none, are told" {
	with_kernel
	folder=$XDG_DATA_HOME/fairtrial/kernels
	rm "$folder"
	mkdir -p "$folder/names"
	ln -s "$kernels/objects" "$folder/objects"
	cp "$kernels/names/6.12.json" "$folder/names/6.12.json"
	sed 's/"name": *"6.12"/"name":"other"/' "$kernels/names/6.12.json" >"$folder/names/other.json"
	cat >p.plan <<-END
	[plan]
	trials = 1
	runtime = 10ms
	warmup = 0
	backend = sim
	[variant one]
	kernel = 6.12
	[variant two]
	kernel = other
	[variant three]
	kernel = none
	[case cpu]
	machine = m6g-xlarge
	workload = cpu
	END
	fairtrial run p.plan --quiet
	expect_error 1 "no kernel 'none'; there are: 6.12, other; 'fairtrial kernel add' makes one"
	fairtrial run p.plan --quiet --skip-unavailable
	expect_status 0
	[[ "$stderr" == *"variant three is left out: "*"no kernel 'none'"* ]]
	[[ "$stderr" == *"kernels 6.12 and other are the same build (variants one and two)"* ]]
}
