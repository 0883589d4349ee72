#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Programs of others as workloads. Most of these run scripts that stand in for the programs and replay
# recorded output; the last ones run those that are installed.
bats_require_minimum_version 1.5.0
load common

corpus="$FT_SOURCE/tests/fuzz/corpus"

# fake NAME: a program of that name in PATH, its body from standard input
fake() {
	mkdir -p bin
	{
		printf '#!/bin/sh\n'
		cat
	} >"bin/$1"
	chmod +x "bin/$1"
	PATH="$PWD/bin:$PATH"
}

# case_plan KEY...: a plan of one case, one trial, two variants if $variants is 2
case_plan() {
	printf '[plan]\ntrials = 1\nruntime = %s\nwarmup = 0\nstop-limit = 2s\n' "${runtime-1s}"
	printf '[variant a]\n%s\n' "${settings-}"
	[ "${variants-1}" = 1 ] || printf '[variant b]\n'
	printf '[case c]\n'
	printf '%s\n' "$@"
}

# failed_with TEXT: the trial of the plan has failed with that reason
failed_with() {
	fairtrial run p.plan --quiet
	expect_status 1
	if [[ "$stderr" != *"failed: "*"$1"* ]]; then
		printf 'expected "%s" in: %s\n' "$1" "$stderr" >&2
		return 1
	fi
}

@test "a program's figures are metrics, its version is kept" {
	fake hackbench <<-END
		[ "\$1" = --help ] && { echo "hackbench V 9.99"; exit 1; }
		echo "\$@" >"$PWD/arguments"
		cat "$corpus/hackbench/process.txt"
	END
	case_plan 'workload = hackbench' 'groups = 3' 'channel = pipe' >p.plan
	fairtrial run p.plan --quiet
	expect_status 0
	[ "$(cat arguments)" = "-g 3 -l 100 -f 20 -s 100 -p" ]
	fairtrial show
	expect_output "program: hackbench 9.99"
	fairtrial show --trial 1
	expect_output "time"
}

@test "the runtime is the program's duration, and workers have values" {
	fake stress-ng <<-END
		[ "\$1" = --version ] && { echo "stress-ng, version 0.21.04 (gcc)"; exit; }
		echo "\$@" >"$PWD/arguments"
		cat "$corpus/stress_ng/instances-0.21.04.yaml" >/proc/self/fd/3
	END
	runtime=7s case_plan 'workload = stress-ng' 'instances = 4' 'method = int128' \
		'options = --cpu-load 50' >p.plan
	fairtrial run p.plan --quiet
	expect_status 0
	[[ "$(cat arguments)" == "--cpu 4 --cpu-method int128 --timeout 7s --metrics --yaml "*" --cpu-load 50" ]]
	fairtrial export
	printf '%s' "$output" | python3 -c 'import json, sys
trial = [r for r in map(json.loads, sys.stdin) if r["type"] == "trial"][0]
rate = [m for m in trial["metrics"] if m["name"] == "bogo_ops_real"][0]
assert rate["workers"] == [25, 50, 75, 100], rate
delay = [m for m in trial["metrics"] if m["name"] == "run_delay"][0]
assert "external program" in delay["unavailable"], delay
cpu = [m for m in trial["metrics"] if m["name"] == "cpu_time"][0]
assert cpu["value"] is not None, cpu'
}

@test "settings and CPUs of the case are the program's, its CPU time is measured" {
	fake burn <<-'END'
		(i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done)
		echo "nice $(cut -d ' ' -f 19 /proc/self/stat)"
		echo "cpus $(sed -n 's/Cpus_allowed_list:\t//p' /proc/self/status)"
		echo "locale $LC_ALL."
	END
	settings='nice = 7' case_plan 'workload = command' 'command = burn' 'cpus = 0' \
		'metric1 = nice 1 neither /nice ([0-9]+)/' 'metric2 = cpu 1 neither /cpus ([0-9]+)$/' \
		'metric3 = locale 1 neither /locale C\.()/' >p.plan
	failed_with "metric locale: '' is not a number"
	sed -i '/locale/d' p.plan
	fairtrial run p.plan --quiet
	expect_status 0
	fairtrial export 2
	printf '%s' "$output" | python3 -c 'import json, sys
trial = [r for r in map(json.loads, sys.stdin) if r["type"] == "trial"][0]
values = {m["name"]: m["value"] for m in trial["metrics"]}
assert values["nice"] == 7 and values["cpu"] == 0, values
assert values["cpu_time"] > 0.005, values
assert trial["environment"]["command"] == ["burn"], trial["environment"]'
}

@test "a program that fails, dies or is not what it should be fails the trial with its last words" {
	fake prog <<-'END'
		echo "something" ; echo "cannot open the door" >&2
		case $1 in
		status) exit 3 ;;
		signal) kill -SEGV $$ ;;
		esac
	END
	case_plan 'workload = command' 'command = prog status' >p.plan
	failed_with "prog: exit status 3; the end of its stderr: cannot open the door"
	case_plan 'workload = command' 'command = prog signal' >p.plan
	failed_with "prog: killed by signal 11 (Segmentation fault); the end of its stderr: cannot open"
	case_plan 'workload = hackbench' 'program = prog' >p.plan
	failed_with "prog: stdout: it is cut off: 'Time:' is missing"
	case_plan 'workload = stress-ng' 'program = prog' >p.plan
	failed_with "prog: file of results: it is empty"
	printf 'no program\n' >broken && chmod +x broken
	printf '#!/nowhere/interpreter\n' >lost && chmod +x lost
	case_plan 'workload = command' "command = $PWD/lost" >p.plan
	failed_with "cannot run $PWD/lost: No such file or directory"
}

@test "a program that prints without end is ended" {
	fake prog <<-'END'
		exec yes
	END
	case_plan 'workload = command' 'command = prog' >p.plan
	failed_with "prog: it wrote more than 16 MiB to stdout"
	fake prog <<-'END'
		yes >/proc/self/fd/3 & sleep 60
	END
	failed_with "prog: it wrote more than 16 MiB to its file of results"
}

# gone TEXT: soon no process has TEXT in its command line
gone() {
	for _ in $(seq 50); do
		pgrep -f "$1" >/dev/null || return 0
		sleep 0.1
	done
	pgrep -af "$1" >&2
	return 1
}

@test "a program that hangs is ended with all that it has started" {
	fake prog <<-'END'
		trap '' TERM HUP INT
		setsid sleep 987651 &
		sleep 987651
	END
	case_plan 'workload = command' 'command = prog' 'limit = 300ms' >p.plan
	failed_with "prog: it did not end within 0.3 s (parameter limit); it printed nothing"
	gone "sleep 987651"
}

@test "processes that a program leaves behind are ended" {
	fake prog <<-'END'
		setsid sleep 987652 &
		(setsid sleep 987652 &)
		echo "x 1"
	END
	case_plan 'workload = command' 'command = prog' 'metric1 = x 1 higher /x (.)/' >p.plan
	fairtrial run p.plan --quiet
	expect_status 0
	gone "sleep 987652"
}

@test "kill -9 of fairtrial leaves no process of the program" {
	fake prog <<-'END'
		setsid sleep 987653 &
		sleep 987653
	END
	case_plan 'workload = command' 'command = prog' >p.plan
	"$FAIRTRIAL" run p.plan --quiet 3>&- &
	pid=$!
	for _ in $(seq 100); do
		[ "$(pgrep -fc 'sleep 987653')" -ge 2 ] && break
		sleep 0.1
	done
	kill -9 "$pid"
	gone "sleep 987653"
}

@test "Ctrl-C ends the program, and the run can be resumed" {
	fake prog <<-'END'
		[ -e done ] && exit
		sleep 987654
	END
	case_plan 'workload = command' 'command = prog' >p.plan
	"$FAIRTRIAL" run p.plan --quiet 3>&- &
	pid=$!
	for _ in $(seq 100); do
		pgrep -f 'sleep 987654' >/dev/null && break
		sleep 0.1
	done
	kill -TERM "$pid"
	wait "$pid" || true
	gone "sleep 987654"
	touch done
	fairtrial run p.plan --quiet --resume
	expect_status 0
}

@test "a program that is missing refuses the plan, or leaves its cases out" {
	case_plan 'workload = stress-ng' 'program = stress-none' >p.plan
	printf '[case cpu]\nworkload = cpu\n' >>p.plan
	fairtrial run p.plan --quiet
	expect_error 1 "p.plan:8: case c: workload stress-ng: there is no program stress-none in PATH; it is in the Debian package stress-ng"
	fairtrial run p.plan --quiet --skip-unavailable
	expect_status 0
	[[ "$stderr" == *"case c is left out: workload stress-ng: there is no program"* ]]
	fairtrial show
	expect_output "Run 1 "
	expect_output "1 of 1 trials"
	expect_output "left_out.c"
}

@test "what a program cannot be asked for is refused before anything runs" {
	fake stress-ng <<-'END'
		exit 1
	END
	runtime=1500ms case_plan 'workload = stress-ng' >p.plan
	fairtrial run p.plan
	expect_error 1 "runtime 1500ms: stress-ng runs for whole seconds"
	case_plan 'workload = stress-ng' 'stressor = --cpu 4' >p.plan
	fairtrial run p.plan
	expect_error 1 "p.plan:8: case c: stressor '--cpu 4' is no name of a stressor"
	for spec in 'x' 'x 1 higher y' 'x 1 up /(a)/' 'x 1 higher /a/' 'x 1 higher /(a/' 'x 1 higher $.a[' 'x 1 higher $a'; do
		case_plan 'workload = command' 'command = true' "metric2 = $spec" >p.plan
		fairtrial run p.plan
		expect_error 1 "p.plan:8: case c: metric2: "
	done
	for command in '"true' "tr'ue" 'true\'; do
		case_plan 'workload = command' "command = $command" >p.plan
		fairtrial run p.plan
		expect_error 1 "p.plan:8: case c: command: a "
	done
}

@test "arguments are split by rules, without a shell" {
	case_plan 'workload = command' \
		"command = sh -c 'for word; do printf \"<%s>\" \"\$word\"; done >words' x 'a  b' \"c\\\"d\" e\\ f \$HOME *.c '' {runtime} {x} g'h'\"i\"" >p.plan
	fairtrial run p.plan --quiet
	expect_status 0
	[ "$(cat words)" = '<a  b><c"d><e f><$HOME><*.c><><1><{x}><ghi>' ]
}

@test "metrics of a command come from patterns and from JSON" {
	fake show <<-'END'
		printf '{"a": {"b.c": [7, 8.5]}, "d": "x"}\n' >&2
		printf 'rate: 5\nrate: 1,234.5 per s\n'
	END
	case_plan 'workload = command' 'command = show' 'output = stderr' \
		'metric1 = second 1/s higher $.a["b.c"][1]' >p.plan
	fairtrial run p.plan --quiet
	expect_status 0
	case_plan 'workload = command' 'command = show' 'metric1 = rate 1/s higher /^rate: ([0-9.,]+)/' >p.plan
	fairtrial run p.plan --quiet
	expect_status 0
	fairtrial export
	printf '%s' "$output" | python3 -c 'import json, sys
trials = [r for r in map(json.loads, sys.stdin) if r["type"] == "trial"]
assert trials[0]["metrics"][0]["value"] == 8.5, trials[0]["metrics"][0]
assert trials[1]["metrics"][0]["value"] == 1234.5, trials[1]["metrics"][0]'
	case_plan 'workload = command' 'command = show' 'output = stderr' 'metric1 = m 1 higher $.d' >p.plan
	failed_with "metric m: \$.d leads to no number"
	case_plan 'workload = command' 'command = show' 'metric1 = m 1 higher $.d' >p.plan
	failed_with "metric m: it is no JSON"
	case_plan 'workload = command' 'command = show' 'metric1 = m 1 higher /(nothing)/' >p.plan
	failed_with "metric m: nothing matches /(nothing)/"
}

@test "a command's metrics are compared, and two builds are not" {
	fake show <<-'END'
		echo "v $1"
	END
	variants=2 case_plan 'workload = command' 'command = show 3' 'metric1 = v 1/s higher /v (.)/' >p.plan
	fairtrial run p.plan --label one
	expect_status 0
	expect_output "v, 1/s (higher is better)"
	fake show <<-'END'
		echo "v $1" # another build
	END
	fairtrial run p.plan --label two --quiet
	expect_status 0
	fairtrial compare one:a two:a
	expect_error 1 "program version show (build "
	fairtrial compare --force one:a two:a
	expect_status 0
}

@test "a simulated machine says why it runs no program" {
	fake stress-ng <<-'END'
		exit 1
	END
	case_plan 'workload = stress-ng' >p.plan
	fairtrial run p.plan --backend sim
	expect_error 1 "workload stress-ng cannot run on backend sim: it is a program of others, which needs a real machine"
}

# real PROGRAM KEY...: runs a case with the program that is installed
real() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
	shift
	variants=2 case_plan "$@" >p.plan
	fairtrial run p.plan
	expect_status 0
}

@test "the real stress-ng" {
	real stress-ng 'workload = stress-ng'
	expect_output "bogo_ops_real"
}

@test "the real hackbench" {
	real hackbench 'workload = hackbench' 'groups = 1' 'loops = 20'
	expect_output "time, s"
}

@test "the real perf bench" {
	real perf 'workload = perf-bench' 'benchmark = sched pipe' 'options = -l 1000'
	expect_output "usecs_per_op"
}

@test "the real cyclictest" {
	real cyclictest 'workload = cyclictest'
	expect_output "latency_p99"
}

@test "the real sysbench" {
	real sysbench 'workload = sysbench'
	expect_output "events"
}

@test "the real dbench leaves no file behind" {
	mkdir files
	runtime=2s real dbench 'workload = dbench' 'clients = 1' "directory = $PWD/files"
	expect_output "throughput"
	[ -z "$(ls files)" ]
}
