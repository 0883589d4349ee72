#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Workloads request and timer, on this machine and simulated, and the histograms that they keep.

bats_require_minimum_version 1.5.0
load common
load simulated

# write_plan TEXT: trials of TEXT (a line of [plan] each, then sections)
write_plan() {
	printf '[plan]\ntrials = 2\n%s\n' "$1" >p.plan
}

simulated='backend = sim
kernel = 6.12
machine = graviton3-64
runtime = 1s
warmup = 100ms
[variant plain]'

# value CASE METRIC: of the first trial of that case
value() {
	trials | jq -rs --arg c "$1" --arg m "$2" \
		'[.[] | select(.case == $c)][0].metrics[] | select(.name == $m).value'
}

# less A B, close A B PERCENT: of numbers
less() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }' || { echo "$1 is not less than $2" >&2; return 1; }
}

close() {
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= b * p / 100) }' ||
		{ echo "$1 is not within $3 % of $2" >&2; return 1; }
}

# the number of values in a histogram, from its text
values_of() {
	trials | jq -rs --arg c "$1" --arg m "$2" \
		'[.[] | select(.case == $c)][0].metrics[] | select(.name == $m).histogram' |
		awk -F ';' '{ n = $5; k = split($6, b, " "); for (i = 1; i <= k; i++) { split(b[i], x, ":"); n += x[2] }; print n }'
}

@test "live: requests and timers give rates, quantiles and the histograms they come from" {
	write_plan 'runtime = 1100ms
	warmup = 50ms
	[variant plain]
	[case requests]
	workload = request
	footprint = 16K
	operations = 1
	[case timers]
	workload = timer'
	fairtrial run p.plan -q -d r.db
	expect_status 0
	less 0 "$(value requests requests)"
	less 0 "$(value requests rps_p50)"
	less "$(value requests request_p50)" "$(value requests request_p99.9)"
	less 100 "$(value requests request_p50)"
	less 0 "$(values_of requests wakeup_p50)"
	less 0 "$(values_of timers latency_p50)"
	less 0 "$(value timers latency_mean)"
	fairtrial show -d r.db --trial 1
	expect_output wakeup_p99.9
}

@test "exports with histograms come back as the same bytes" {
	with_kernel
	write_plan "$simulated
	[case requests]
	workload = request"
	"$FAIRTRIAL" run p.plan -q -d r.db
	"$FAIRTRIAL" export -d r.db >one
	"$FAIRTRIAL" import -d copy.db one
	"$FAIRTRIAL" export -d copy.db >two
	cmp one two
	grep -q '"histogram":"hdr7;[0-9]' one
}

@test "a store of schema 1 is brought up to date and takes histograms" {
	with_kernel
	write_plan "$simulated
	[case requests]
	workload = request"
	"$FAIRTRIAL" import -d r.db "$FT_SOURCE/tests/cmd/data/runs.jsonl"
	"$FAIRTRIAL" export -d r.db >before
	sqlite3 r.db 'DROP TABLE histogram; PRAGMA user_version = 1'
	fairtrial export -d r.db
	expect_status 0
	[ "$output" = "$(cat before)" ]
	"$FAIRTRIAL" run p.plan -q -d r.db
	trials | grep -q '"histogram":"hdr7;[0-9]'
}

@test "sim: the same plan gives the same bytes again, also with trials side by side" {
	with_kernel
	write_plan "$simulated
	[case closed]
	workload = request
	messengers = 8
	workers = 9
	[case open]
	workload = request
	messengers = 2
	rate = 3000
	[case timers]
	workload = timer"
	for i in 1 2; do
		"$FAIRTRIAL" run p.plan -q -j $i -d $i.db
		trials $i.db | sed 's/"run":"[^"]*"//; s/"started":[0-9.e+]*//' >$i
	done
	[ "$(wc -l <1)" -eq 6 ]
	cmp 1 2
}

@test "sim: every request is in the histograms, and the seconds are those of the measured time" {
	with_kernel
	write_plan "$simulated
	[case closed]
	workload = request"
	"$FAIRTRIAL" run p.plan -q -d r.db
	[ "$(values_of closed request_p50)" -eq "$(value closed requests | cut -d . -f 1)" ]
	[ "$(value closed rps_p50)" = "$(value closed requests)" ]
	[ "$(trials | jq -s '.[0].metrics[] | select(.name == "wakeup_p99").workers | length')" -eq 64 ]
}

@test "sim: requests arrive at the rate that was asked for, and wait when the machine is full" {
	with_kernel
	write_plan "$simulated
	[case easy]
	workload = request
	rate = 2000
	messengers = 3
	[case full]
	workload = request
	rate = 30000"
	"$FAIRTRIAL" run p.plan -q -d r.db
	close "$(value easy requests)" 2000 1
	close "$(value easy request_p50)" 4750 10 # 100 us, slack, 345 units of 13.3 us, not waiting
	less "$(value easy backlog)" 30
	# 64 CPUs serve about 13900: the others wait, and it is in the latency
	less "$(value full requests)" 15000
	less 8000 "$(value full backlog)"
	less 200000 "$(value full request_p50)"
}

@test "sim: spinning for the lock of a CPU beyond its capacity costs throughput, sleeping does not" {
	with_kernel
	write_plan "$simulated
	[case r]
	workload = request
	workers = 256
	lock = cpu, cpu-sleep, private"
	"$FAIRTRIAL" run p.plan -q -d r.db
	less "$(value 'r lock=cpu' requests)" "$(value 'r lock=cpu-sleep' requests)"
	less 7000 "$(value 'r lock=cpu-sleep' requests)"
	less 7000 "$(value 'r lock=private' requests)"
}

@test "sim: messengers for each node stay there with their workers" {
	with_kernel
	write_plan "${simulated/graviton3-64/xeon-8358-2s}
	[case r]
	workload = request
	messengers = nr_nodes
	workers = nr_cpus / nr_nodes - 1
	bind = node
	"
	fairtrial run p.plan -q -d r.db
	expect_status 0
	[ "$(trials | jq -s '.[0].metrics[0].workers | length')" -eq 126 ]
}

@test "sim: timers are late by their slack, real-time ones have none" {
	with_kernel
	write_plan "$simulated
	[case default]
	workload = timer
	[case exact]
	workload = timer
	slack = 1ns
	[case fifo]
	workload = timer
	policy = fifo"
	"$FAIRTRIAL" run p.plan -q -d r.db
	close "$(value exact latency_p50)" "$(value fifo latency_p50)" 5
	awk -v a="$(value default latency_p50)" -v b="$(value exact latency_p50)" \
		'BEGIN { d = a - b; exit !(d > 45 && d < 55) }'
	less "$(value fifo latency_min)" "$(value fifo latency_mean)"
	less "$(value fifo missed)" 1
}

@test "parameters that do not go together refuse the plan with file and line" {
	while IFS='|' read -r lines message; do
		printf '[plan]\ntrials = 1\n[variant a]\n[case c]\n%b\n' "$lines" >p.plan
		fairtrial run p.plan -q -d r.db
		expect_error 1 "$message"
	done <<-'END'
	workload=request\nmessengers=1000\nworkers=1000|p.plan:4: [case c]: request would be 1001000 tasks: at most 100000 in all
	workload=request\nsleep=0|p.plan:4: [case c]: 'sleep' is 0: with 'sleeps = 0' a request has none
	workload=request\nmessengers=0|p.plan:6: messengers: '0' is 0 here: from 1
	workload=request\nrate=-3|p.plan:6: rate: '-3' is -3 here: from 0
	workload=request\nlock=spin|accepted: cpu, cpu-sleep, private, none
	workload=request\nbind=socket|accepted: no, node, llc
	workload=request\nfootprint=1K|from 4K
	workload=timer\npriority=5|p.plan:4: [case c]: 'priority' is of policy fifo or rr alone
	workload=timer\npolicy=fifo\npriority=100|from 0 to 99
	workload=timer\npolicy=rr\nslack=1us|'slack' is of policy other alone
	workload=timer\ninterval=100ns|from 1us
	workload=timer\nslack=0|from 1ns
	END
	[ ! -e r.db ] || [ "$("$FAIRTRIAL" list -d r.db 2>/dev/null | wc -l)" -eq 0 ]
}

@test "real-time timers without permission fail with what is needed" {
	skip_unless_root "becoming another user"
	id nobody >/dev/null 2>&1 || skip "there is no user nobody"
	command -v setpriv >/dev/null || skip "there is no setpriv"
	setpriv --reuid nobody --clear-groups test -x "$FAIRTRIAL" || skip "nobody cannot run this build"
	write_plan 'runtime = 100ms
	[variant plain]
	[case t]
	workload = timer
	policy = fifo'
	chmod 777 . "$XDG_DATA_HOME"
	chmod a+x .. ../.. "$BATS_RUN_TMPDIR"
	run --separate-stderr setpriv --reuid nobody --clear-groups --bounding-set=-all \
		--inh-caps=-all "$FAIRTRIAL" run p.plan -q -d "$PWD/r.db"
	expect_status 1
	echo "$stderr" >&2
	[[ "$stderr" == *"policy fifo, priority 80: Operation not permitted (it needs root, CAP_SYS_NICE"* ]]
}

@test "compare shows quantiles like any other metric" {
	with_kernel
	write_plan "${simulated/\[variant plain\]/}
	[variant eager]
	[variant lazy]
	feature.RUN_TO_PARITY = 0
	[case r]
	workload = request
	workers = 128"
	sed -i 's/trials = 2/trials = 4/' p.plan
	"$FAIRTRIAL" run p.plan -q -d r.db
	fairtrial compare eager lazy -d r.db
	expect_status 0
	expect_output wakeup_p99
	expect_output request_max
	expect_output rps_p50
	fairtrial compare eager lazy -d r.db --metrics wakeup_p99.9
	expect_status 0
	expect_output wakeup_p99.9
}

@test "the saturation of a rate does not depend on how long the plan's trials are" {
	with_kernel
	for runtime in 3s 200ms; do
		cat >p.plan <<-END
		[plan]
		trials = 1
		runtime = $runtime
		backend = sim
		kernel = 6.12
		[variant plain]
		[case small]
		machine = m6g-xlarge
		workload = request
		lock = none
		load-by = rate
		load = saturation, 150% of saturation
		[case large]
		machine = graviton3-64
		workload = request
		load-by = rate
		load = saturation
		[case slow]
		machine = m6g-xlarge
		workload = request
		workers = 100
		sleep = 1s
		load-by = rate
		load = saturation
		END
		fairtrial run p.plan -d r.db
		expect_status 0
		grep -o "[a-z]*[^:]*: saturation at rate=[0-9]*" <<<"$stderr" >$runtime
	done
	[ "$(wc -l <3s)" -eq 3 ]
	cmp 200ms 3s
	# 100 workers that each take a second, longer than the warm-up of most trials
	less 94 "$(sed -n 's/.*slow.*rate=//p' 3s)"
	less "$(sed -n 's/.*slow.*rate=//p' 3s)" 101
	found=$(sed -n 's/.*small.*rate=//p' 3s)
	less $((found * 94 / 100)) "$(value "small load=saturation" requests)"
	less "$(value "small load=150%-of-saturation" requests)" $((found * 110 / 100))
}
