#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Workload rtapp: files of rt-app on this machine and simulated, and wrong ones.
bats_require_minimum_version 1.5.0
load common
load simulated

write_plan() { # LINE...: of the case
	cat >p.plan <<-END
	[plan]
	trials = 2
	runtime = 300ms
	warmup = 0s
	[variant plain]
	[case tasks]
	workload = rtapp
	END
	printf '%s\n' "$@" >>p.plan
}

# events twice in an object, a name left out, a comma too many: as real files are
write_tasks() {
	cat >tasks.json <<-'END'
	{
		"global" : { "duration" : 60, "logdir" : "./", "calibration" : "CPU0" }, // log
		"tasks" : {
			"tick" : { "timer" : { "ref" : "t", "period" : 5000 }, "resume" : "work" },
			"work" : { "instance" : 2, "suspend", "run" : 200, "sleep" : 100, "run" : 300 },
		}
	}
	END
}

@test "the tasks of a file run, and the trial says which worker is which" {
	write_tasks
	write_plan 'file = tasks.json'
	fairtrial run p.plan -q -d r.db
	expect_status 0
	[ "$(trials | jq -r .status | sort -u)" = ok ]
	[ "$(trials | jq -c .environment.rtapp.workers | sort -u)" = '["tick-0","work-0","work-1"]' ]
	[ "$(trials | jq -c .environment.rtapp.without_effect | sort -u)" = '["global/logdir"]' ]
	trials | jq -e '.metrics[] | select(.name == "wakeup_p50").workers | .[0] > 0 and .[1] == null' >/dev/null
	trials | jq -e '.metrics[] | select(.name == "run_p50").workers | .[0] == null and .[1] >= 400' >/dev/null
}

@test "wrong JSON is told with line and column, before anything runs" {
	printf '{\n\t"tasks" : {\n\t\t"a" : { "run" : 1 }\n\t\t"b" : { "run" : 1 }\n\t}\n}\n' >tasks.json
	write_plan 'file = tasks.json'
	fairtrial run p.plan -q -d r.db
	expect_error 1 "tasks.json:4: column 3: expected ',' or '}', found '\"'"
}

@test "a key that is not supported is named with its path" {
	printf '{ "tasks" : { "a" : { "phases" : {\n"p" : { "run" : 1, "iorun" : 5 } } } } }' >tasks.json
	write_plan 'file = tasks.json'
	fairtrial run p.plan --dry-run
	expect_error 1 "tasks.json:2: column 20: tasks/a/phases/p/iorun: writing to a device is not supported"
}

@test "a file that is missing and CPUs outside of the case are errors of the plan" {
	write_plan 'file = none.json'
	fairtrial run p.plan --dry-run
	expect_error 1 "p.plan:6: [case tasks]: an rt-app file ('periodic' is built in)"
	printf '{ "tasks" : { "a" : { "run" : 1, "cpus" : [7000] } } }' >tasks.json
	write_plan 'file = tasks.json'
	fairtrial run p.plan --dry-run
	expect_error 1 'tasks.json:1: tasks/a/cpus: the case has the CPUs'
}

@test "a mutex that is not held refuses the plan with its place" {
	printf '{ "tasks" : { "a" : { "run" : 1, "unlock" : "m" } } }' >tasks.json
	write_plan 'file = tasks.json'
	fairtrial run p.plan --dry-run
	expect_error 1 "tasks.json:1: tasks/a/unlock: the task does not hold mutex 'm' here"
}

@test "keys without effect are named before anything runs" {
	printf '{ "global" : { "logdir" : ".", "gnuplot" : true }, "tasks" : { "a" : { "run" : 1 } } }' >tasks.json
	write_plan 'file = tasks.json'
	fairtrial run p.plan --dry-run
	expect_status 0
	[[ "$stderr" == *"warning: case tasks: global/logdir, global/gnuplot of tasks.json have no effect here"* ]]
}

@test "simulated tasks give the same bytes each time" {
	with_kernel
	write_tasks
	write_plan 'file = tasks.json'
	for store in r two; do
		fairtrial run p.plan --backend sim --kernel 6.12 --machine m6a-xlarge -q -d $store.db
		expect_status 0
	done
	[ "$(trials | jq -r .status | sort -u)" = ok ]
	cmp <(results r.db) <(results two.db)
}

@test "real-time and deadline tasks are simulated by the kernel's classes" {
	with_kernel
	cat >tasks.json <<-'END'
	{ "tasks" : {
		"dl" : { "policy" : "SCHED_DEADLINE", "dl-runtime" : 5000, "dl-period" : 10000,
			"run" : 2000, "timer" : { "ref" : "unique", "period" : 10000 } },
		"fifo" : { "policy" : "SCHED_FIFO", "priority" : 20, "run" : 1000, "sleep" : 1000 },
		"hogs" : { "instance" : 8, "run" : 1000 } } }
	END
	write_plan 'file = tasks.json'
	fairtrial run p.plan --backend sim --kernel 6.12 --machine m6a-xlarge -q -d r.db
	expect_status 0
	[ "$(trials | jq -r .status | sort -u)" = ok ]
	# beside eight hogs on four CPUs a deadline task misses nothing
	[ "$(trials | jq -r '.metrics[] | select(.name == "missed").value' | sort -u)" -eq 0 ]
}
