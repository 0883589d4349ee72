#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What moved with a result, in the simulator, where the answer is known. Needs kernels called 6.12 and
# 6.12-early-return; without them the tests are skipped.

bats_require_minimum_version 1.5.0
load common

with_kernels() {
	kernels="${FT_TEST_KERNELS:-$HOME/.local/share/fairtrial/kernels}"
	for name in "$@"; do
		[ -e "$kernels/names/$name.json" ] || skip "no kernel $name: fairtrial kernel add"
	done
	mkdir -p "$XDG_DATA_HOME/fairtrial"
	ln -s "$kernels" "$XDG_DATA_HOME/fairtrial/kernels"
}

expect_narrow() {
	local widest
	widest=$(printf '%s\n' "$output" | wc -L)
	[ "$widest" -le 78 ] || { echo "a line has $widest columns" >&2; return 1; }
}

# imported LABEL VARIANT=V1,V2,... ...: a run of which `idle` and these are known: preemptions, slice_p50
# and migrate_balance of each trial are functions of its `ops`
imported() {
	local label=$1
	shift
	printf '%s\n' "$@" | awk -v label="$label" -v unit=1/s -v program=null -v backend="${backend:-live}" \
		-v params='"workers":4' -v margin=1% -f "$FT_SOURCE/tests/cmd/data/results.awk" |
		jq -c 'def m($n; $u; $v): {name: $n, unit: $u, better: "neither", version: 1, value: $v,
				unavailable: null, workers: null};
			if .type == "trial" and .status == "ok" and (.metrics[0].value != null) then
				.metrics[0].value as $v |
				.metrics += [m("preemptions"; "1/s"; 3e7 / $v), m("slice_p50"; "us"; $v / 100),
					m("migrate_balance"; "1/s"; [0, 25000 - $v] | max),
					m("fork_moved"; "%"; 2e6 / $v)]
			else . end' >"$label.jsonl"
	fairtrial import "$label.jsonl"
	expect_status 0
}

OFF=27745,27801,27650,27900,27700,27720
ON=21005,21100,20950,21150,20980,21010

flat() {
	tr -s '\n ' ' ' <<<"$output"
}

@test "a policy that stops wakeup preemption: explain names slices, and the experiment finds the cause" {
	with_kernels 6.12
	cat >p.plan <<-END
	[plan]
	trials = 6
	runtime = 200ms
	backend = sim
	kernel = 6.12
	machine = m6a-xlarge
	monitor = cpu, events
	[variant other]
	[variant batch]
	policy = batch
	[case messages]
	workload = messaging
	groups = 2
	senders = 4
	receivers = 4
	END
	fairtrial run p.plan -q
	expect_status 0
	fairtrial explain other batch
	expect_status 0
	[[ "$(flat)" == *"slice (from being put on a CPU to leaving it), p50 "*" -> "*" us"* ]]
	[[ "$(flat)" == *"scheduling metrics differ"* ]]
	# the experiment would set what the two differ in
	fairtrial explain other batch --run -e batch
	expect_status 1
	[[ "$stderr" == *"experiment batch left out: policy is what other and batch differ in"* ]]
	# and these are so in both: what would come out is the same to the last digit
	fairtrial explain other batch --run -e no-next-buddy
	expect_status 1
	[[ "$stderr" == *"experiment no-next-buddy left out: feature.NEXT_BUDDY = 0 is in force in both already"* ]]
	fairtrial explain other batch
	[[ "$(flat)" == *"not proposed: "*"no-next-buddy (feature.NEXT_BUDDY = 0 is in force in both already)"* ]]
	expect_narrow
	fairtrial explain other batch --run -e no-wakeup-preemption --trials 6
	expect_status 0
	[[ "$(flat)" == *"feature.WAKEUP_PREEMPTION = 0 in both"* ]]
	[[ "$(flat)" == *"; ratio "*": "* ]]
	fairtrial list
	expect_output "explain-1"
}

@test "source 2: explain names forks on other CPUs and the idle share" {
	with_kernels 6.12 6.12-early-return
	cat >p.plan <<-END
	[plan]
	trials = 6
	runtime = 300ms
	backend = sim
	machine = m6g-xlarge
	monitor = cpu, events
	[variant without]
	kernel = 6.12
	cpu.weight = 100
	[variant with]
	kernel = 6.12-early-return
	cpu.weight = 100
	[case spawn]
	workload = spawn
	workers = 4
	END
	fairtrial run p.plan -q
	expect_status 0
	fairtrial explain without with
	expect_status 0
	[[ "$(flat)" == *"result loops "*" R "* ]]
	[[ "$(flat)" == *"forks placed on another CPU than the parent's"* ]]
	[[ "$(flat)" == *"idle share of the case's CPUs"* ]]
	[[ "$(flat)" == *"idle CPUs beside a waiting task that may run there"* ]]
	# one distance between CPUs, a thread a core: neither is named
	[[ "$(flat)" != *"by target"* && "$(flat)" != *"shared a core"* ]]
	[[ "$(flat)" == *"not proposed: "*"autogroup does not act on the workers of either"* ]]
	[[ "$(flat)" == *"own-group (cpu.weight = 100 is in force in both already)"* ]]
	expect_narrow
	fairtrial explain without with --run -e no-autogroup -e own-group
	expect_status 1
	[[ "$stderr" == *"no experiment is left to run"* ]]
	fairtrial list
	[[ "$output" != *explain-1* ]]
}

# studied N BASE TEST: what explain says of simulated trials of source N that were exported once (the plan
# is in the file), so that what it names of each is checked also where the two kernels are not built
studied() {
	jq -c -f "$FT_SOURCE/tests/cmd/data/rows.jq" "$FT_SOURCE/tests/cmd/data/source$1.json" >"source$1.jsonl"
	fairtrial import "source$1.jsonl"
	expect_status 0
	fairtrial explain "$2" "$3"
	expect_status 0
	expect_narrow
	sentences=$(flat)
	sentences=${sentences%%scheduling metrics differ*}
}

@test "source 1, exported: explain names idle CPUs beside waiting tasks, and the crowded node" {
	studied 1 before after
	[[ "$sentences" == *"result ops "*" I "* ]]
	[[ "$sentences" == *"1. share of runnable time spent waiting "* ]]
	[[ "$sentences" == *"idle CPUs beside a waiting task that may run there "*"other node "* ]]
	[[ "$sentences" =~ "in before: node "[0-4]" (CPUs "[0-9,-]+") "[0-9.]+" waiting tasks a CPU; node "[0-4]" idle " ]]
}

@test "source 2, exported: explain names forks on other CPUs and the idle share" {
	studied 2 without with
	[[ "$sentences" == *"result loops "*" R "* ]]
	[[ "$sentences" == *"idle share of the case's CPUs "* ]]
	[[ "$sentences" == *"idle CPUs beside a waiting task that may run there "* ]]
	[[ "$sentences" == *"forks placed on another CPU than the parent's "* ]]
}

@test "source 3, exported: explain names an LLC that tasks shared while others were idle" {
	studied 3 old new
	[[ "$sentences" == *"result copy "*" I "* ]]
	[[ "$sentences" == *"1. tasks that shared an LLC while another LLC was idle 8 -> 0 tasks"* ]]
	[[ "$sentences" == *"in old: node 0 "*"; node 1 idle "* ]]
}

@test "every figure of explain is that of compare, and every change can be recomputed from the means beside it" {
	imported study off=$OFF on=$ON
	fairtrial compare off on --metrics all --csv
	expect_status 0
	printf '%s\n' "$output" >compare.csv
	fairtrial explain off on
	expect_status 0
	expect_narrow
	printf '%s\n' "$output" >explain.txt
	awk -F, '
		function near(a, b, least) { d = a - b; d = d < 0 ? -d : d; s = b < 0 ? -b : b
			return d <= 1e-5 * s + least }
		function number(text) { gsub(/[%+,\[\]]/, "", text); return text + 0 }
		NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		NR == FNR { scale[$2] = $column["scale"]; base[$2] = $column["base_mean"]
			test[$2] = $column["test_mean"]; effect[$2] = $column["effect"]
			low[$2] = $column["low"]; high[$2] = $column["high"]; next }
		{ n = split($0, f, " ") }
		f[1] in base && n == 7 {
			rows++
			ratio = scale[f[1]] == "ratio"
			if (!near(f[3], base[f[1]], 0) || !near(f[4], test[f[1]], 0)) bad = bad "\nmeans: " $0
			shown[1] = number(f[5]); shown[2] = number(f[6]); shown[3] = number(f[7])
			known[1] = effect[f[1]]; known[2] = low[f[1]]; known[3] = high[f[1]]
			for (i = 1; i <= 3; i++) {
				want = ratio ? 100 * (known[i] - 1) : known[i]
				if (!near(shown[i], want, ratio ? 0.006 : 0.0006 * (want < 0 ? -want : want)))
					bad = bad "\nagainst compare, " want ": " $0
			}
			again = ratio ? 100 * (f[4] / f[3] - 1) : f[4] - f[3]
			if (!near(shown[1], again, ratio ? 0.006 : 0.0006 * (again < 0 ? -again : again)))
				bad = bad "\nrecomputed, " again ": " $0
		}
		END { if (rows < 4) bad = bad "\nonly " rows + 0 " rows"; printf "%s", bad; exit bad != "" }
	' compare.csv explain.txt >&2
	# the result itself is printed with the digits of compare
	grep -q -- '27752.6 -> 21032.4/s, -24.21%' explain.txt
	fairtrial compare off on
	expect_output 27752.6
	expect_output 21032.4
}

@test "runs that do not compare are refused with one line, and names that mean nothing too" {
	imported one off=$OFF on=$ON
	backend=sim imported other off=$OFF on=$ON
	fairtrial explain one:off other:on
	expect_error 1 "one:off ran on backend live, other:on on sim"
	fairtrial explain one:off other:on --force
	expect_status 0
	expect_output "forced: one:off ran on backend live, other:on on sim"
	expect_narrow
	fairtrial explain one:on one:on
	expect_error 1 "one:on and one:on are the same trials"
	fairtrial explain one:off other:on --force --run
	expect_status 1
	[[ "$stderr" == *"--run needs two variants of one run"* ]]
	fairtrial explain one:off one:none
	expect_error 1 "none"
}

@test "variants of one name in two runs are compared under the names that were given" {
	imported one off=$OFF on=$ON
	imported two2 off=$ON on=$OFF
	fairtrial explain one:off two2:off
	expect_status 0
	expect_output "compared  two2:off against one:off (base)"
	expect_output "not interleaved"
	expect_output "one:off   two2:off"
}

@test "failed trials and a single one are said, and nothing is made of them" {
	imported failed off=$OFF on=21005,x,20950,-,20980,21010
	fairtrial explain off on
	expect_status 0
	expect_output "1 of 6 trials of on failed (worker 2 died of signal 9)"
	imported alone off=27745 on=21005
	fairtrial explain alone:off alone:on
	expect_status 0
	[[ "$(flat)" == *"not compared: 1 block with a value of both; at least 2 are needed"* ]]
	[[ "$output" != *"no scheduling metric was measured"* && "$output" != *differ* ]]
	imported none off=x,x on=x,x
	fairtrial explain none:off none:on
	expect_status 0
	expect_output "no trial gave a result"
}

@test "experiments for a run of another host say that they are made here" {
	cat >p.plan <<-END
	[plan]
	trials = 2
	runtime = 20ms
	warmup = 0s
	[variant base]
	[variant nicer]
	nice = 5
	[case pair]
	workload = pingpong
	pairs = 1
	END
	fairtrial run p.plan -q
	expect_status 0
	"$FAIRTRIAL" export p | sed 's/"kernel_release":"[^"]*"/"kernel_release":"5.4.0-other"/' >other.jsonl
	fairtrial import other.jsonl -d other.db
	expect_status 0
	fairtrial explain base nicer -d other.db --run -e batch --trials 2
	expect_status 0
	[[ "$stderr" == *"run 1 was made on another host or kernel (kernel_release is not the same)"* ]]
	expect_output "batch: policy = batch in both"
	fairtrial explain base nicer --run -e batch --trials 2
	expect_status 0
	[[ "$stderr" != *"another host"* ]]
}

@test "explain refuses what it cannot do with one line" {
	fairtrial explain
	expect_error 2 "two variants are needed"
	fairtrial explain a b -e batch
	expect_error 2 "--experiment needs --run"
	fairtrial explain a b --run -e nonsense
	expect_error 2 "'nonsense' is none; --list-experiments prints them"
	fairtrial explain a b --trials 3
	expect_error 2 "--trials and --jobs need --run"
	fairtrial explain --list-experiments
	expect_status 0
	expect_output "feature.NEXT_BUDDY = 0"
}
