#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What cannot be run is known when the plan is read: sizes of cases against what there can be
bats_require_minimum_version 1.5.0
load common

# case_of WORKLOAD LINE...
case_of() {
	printf '%s\n' '[plan]' 'trials = 1' 'runtime = 100ms' 'warmup = 0' '[variant a]' '[case c]' \
		"workload = $1" "${@:2}" >p.plan
}

# refused TEXT: one line, and nothing is stored
refused() {
	fairtrial run p.plan
	expect_error 1 "$1" || return 1
	[ -z "$("$FAIRTRIAL" list 2>/dev/null)" ]
}

@test "ep with more workers than batches is refused with the number of batches" {
	case_of ep 'class = S' 'workers = 257'
	refused "p.plan:6: [case c]: workers: 257 of them, but class S has 256 batches: at most one worker a batch"
	case_of ep 'class = S' 'workers = 256'
	fairtrial run p.plan --dry-run
	expect_status 0
}

@test "more tasks than there can be are refused with their number, however they come about" {
	case_of messaging 'groups = 5000'
	refused "p.plan:6: [case c]: messaging would be 200000 tasks: at most 100000 in all are accepted"
	case_of messaging 'groups = 100000' 'senders = 2147483647' 'receivers = 2147483647'
	refused "tasks: at most 100000 in all are accepted"
	case_of warehouse 'warehouses = 2147483647' 'terminals = 2147483647'
	refused "tasks: at most 100000 in all are accepted"
	case_of build 'makes = 1000' 'jobs = 100'
	refused "[case c]: build would be 501000 tasks"
	case_of stream 'instances = machine' 'threads = 100001'
	refused "p.plan:9: threads: '100001' is 100001 here: from 0 to 100000"
}

@test "more open files than the hard limit are refused, as many as fit are not" {
	ulimit -n 1000
	case_of pingpong 'pairs = 251'
	refused "p.plan:6: case c: workload pingpong takes 1004 open files at once: at most 1000 are possible here (hard limit, ulimit -Hn)"
	case_of pingpong 'pairs = 251' 'channel = futex'
	fairtrial run p.plan --dry-run
	expect_status 0
	case_of tcprr 'pairs = 501'
	refused "tcprr takes 1002 open files at once"
	case_of messaging 'groups = 1' 'receivers = 501'
	refused "messaging takes 1002 open files at once"
	case_of build 'jobs = 501' 'files = 501'
	refused "build takes 1004 open files at once"
	case_of tcprr 'pairs = 400'
	fairtrial run p.plan -q
	expect_status 0
}

@test "more tasks than the kernel has numbers for are refused" {
	most=$(cat /proc/sys/kernel/pid_max)
	[ "$most" -lt 100000 ] || skip "kernel.pid_max is $most: above what any case may have"
	case_of yield "workers = $((most + 1))"
	refused "takes $((most + 1)) tasks at once: at most"
	case_of stream 'instances = machine' "threads = $((most + 1))" 'array-size = 1M'
	refused "takes $((most + 1)) tasks at once: at most"
}

@test "limits of this machine do not hold on a simulated one" {
	ulimit -n 1000
	case_of pingpong 'pairs = 251'
	sed -i 's/^trials = 1/trials = 1\nmachine = m6g-xlarge/' p.plan
	fairtrial run p.plan --dry-run
	[[ "$stderr" != *"open files"* ]]
}

@test "sizes that would wrap around are refused" {
	for lines in 'cpu|working-set = 8388608T' 'core|working-set = 2T' 'stream|array-size = 2T' \
		'request|footprint = 2T' 'warehouse|store = 2T' 'warehouse|company = 2T'; do
		case_of "${lines%|*}" "${lines#*|}"
		fairtrial run p.plan --dry-run
		expect_status 1
		[[ "$stderr" == *"p.plan:8: "* ]]
		[[ "$stderr" == *"1024G bytes are accepted"* || "$stderr" == *"is not a size"* ]]
	done
}

@test "a progress that no interval fits into says so, and the rest of the trial counts" {
	case_of loadfile 'clients = 2' 'interval = 200ms'
	fairtrial run p.plan -q
	expect_status 0
	"$FAIRTRIAL" export | grep '"type":"trial"' >trial
	jq -e '.status == "ok" and ([.metrics[] | select(.name == "loadfiles")][0].value > 0)' trial
	jq -e '[.metrics[] | select(.name == "progress_cov")][0].unavailable |
		contains("has no whole interval in which operations were done; a shorter `interval` helps")' trial
}

@test "a stack that is too small is one line, not a crash in the middle of a run" {
	ulimit -Ss 192
	fairtrial --version
	expect_error 1 "the limit of the stack is 192 KiB, at least 256 are needed (ulimit -s)"
}
