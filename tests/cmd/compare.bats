#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# compare as a whole: results come in through import, the table, the verdict and the exit status go out.
bats_require_minimum_version 1.5.0
load common

# results LABEL VARIANT=V1,V2,... [...]: imports a run of the case "spawn" (data/results.awk). $unit,
# $program, $backend, $params and $margin differ from the usual where a test sets them.
results() {
	local label=$1
	shift
	printf '%s\n' "$@" | awk -v label="$label" -v unit="${unit:-1/s}" \
		-v program="${program:-null}" -v backend="${backend:-live}" \
		-v params="${params:-\"workers\":4}" -v margin="${margin:-1%}" \
		-f "$FT_SOURCE/tests/cmd/data/results.awk" > "$label.jsonl"
	fairtrial import "$label.jsonl"
	expect_status 0
}

OFF=27745,27801,27650,27900,27700,27720
ON=21005,21100,20950,21150,20980,21010
SAME=27749,27798,27655,27893,27704,27716

expect_narrow() {
	local widest
	widest=$(printf '%s\n' "$output" | wc -L)
	[ "$widest" -le 78 ] || { echo "a line has $widest columns" >&2; return 1; }
}

@test "a regression of a quarter is an R, and exit status 3 when asked" {
	results autogroup off=$OFF on=$ON
	fairtrial compare off on
	expect_status 0
	expect_output "on against off (base)"
	expect_output "machine   Graviton2, 4 CPUs, 1 node; kernel 6.13.1; backend live"
	expect_output "-24.21%"
	expect_output "  R"
	expect_narrow
	fairtrial compare off on --exit-code
	expect_status 3
	fairtrial compare on off --exit-code
	expect_status 0
	expect_output "+31.95%"
	expect_output "  I"
}

@test "the change can be recomputed from the printed means" {
	results autogroup off=$OFF on=$ON
	fairtrial compare off on
	printf '%s\n' "$output" | awk '
		$1 == "off" && !off { off = $2 }
		$1 == "on" && !on { on = $2; change = $5 }
		END { exit sprintf("%+.2f%%", 100 * (on / off - 1)) != change }'
}

@test "equal within the margin is =, and the margin of the plan counts" {
	margin=0.001% results autogroup off=$OFF on=$SAME
	fairtrial compare off on
	expect_output "  ? >1000"
	fairtrial compare off on --margin 1%
	expect_output "  ="
	expect_output "the interval is within 1% either way"
	fairtrial compare off on --margin 0.02
	expect_output "the interval is within 2% either way"
}

@test "a failed trial and a missing value are named and drop their block" {
	results autogroup off=$OFF on=21005,x,20950,-,20980,21010
	fairtrial compare off on
	expect_status 0
	expect_output "1 of 6 trials of on failed (worker 2 died of"
	expect_output "no value in 1 trial: no counter here"
	expect_output "   4  -24.25%"
}

@test "several variants are each compared with base" {
	results autogroup off=$OFF on=$ON same=$SAME
	fairtrial compare off on same
	expect_output "on, same against off (base)"
	expect_output "over 2 comparisons"
	expect_narrow
}

@test "runs of two labels are compared without pairs" {
	results v1 default=$OFF
	results v2 default=$ON
	fairtrial compare v1 v2
	expect_status 0
	expect_output "not interleaved"
	expect_output "  R"
	fairtrial compare v1:default v2:default
	expect_output "v2:default against v1:default (base)"
}

@test "values under two versions of a program are refused, forced only with a warning" {
	program='"stress-ng 0.15.06"' results v1 default=$OFF
	program='"stress-ng 0.18.02"' results v2 default=$ON
	fairtrial compare v1 v2
	expect_error 1 "program version stress-ng 0.15.06, and stress-ng 0.18.02"
	fairtrial compare v1 v2 --force
	expect_status 0
	expect_output "note      forced: case spawn differs"
}

@test "other units, parameters and backends are refused" {
	results v1 default=$OFF
	unit=1/min results v2 default=$ON
	params='"workers":8' results v3 default=$ON
	backend=sim results v4 default=$ON
	fairtrial compare v1 v2
	expect_error 1 "unit 1/s, and 1/min"
	fairtrial compare v1 v3
	expect_error 1 'parameters {"workers":4}, and {"workers":8}'
	fairtrial compare v1 v4
	expect_error 1 "v1 ran on backend live, v4 on sim"
}

@test "a variant is not compared with itself" {
	results autogroup off=$OFF on=$ON
	fairtrial compare off off
	expect_error 1 "are the same trials"
}

@test "an unknown variant, metric, style or number says what would do" {
	results autogroup off=$OFF on=$ON
	fairtrial compare off onn
	expect_error 1 "onn"
	fairtrial compare off on --metrics opps
	expect_error 1 "no trial has a metric 'opps'; did you mean ops?"
	fairtrial compare off on --style sumary
	expect_error 2 "'sumary' is none of summary, mmtests, hwbench, grid, json, csv; did you mean summary?"
	fairtrial compare off on --margin 100%
	expect_error 2 "--margin: '100%' is not a share"
	fairtrial compare off on --level 0.2
	expect_error 2 "--level: '0.2' is not a share from 0.5"
	fairtrial compare off on --json --csv
	expect_error 2 "only one of --style, --json, --csv"
	fairtrial compare off
	expect_error 2 "too few words"
}

@test "metrics: a list, all, and what stands beneath the case by default" {
	results autogroup off=$OFF on=$ON
	fairtrial compare off on
	expect_output "idle %"
	fairtrial compare off on --metrics ops
	[[ "$output" != *idle* ]]
	fairtrial compare off on --metrics all
	expect_output "idle %"
	fairtrial compare off on --metrics idle
	expect_output "idle %"
	[[ "$output" != *ops* ]]
}

@test "a case without the metrics asked for says so" {
	results autogroup off=$OFF on=$ON
	fairtrial rm autogroup
	# a second case, whose trials have idle alone
	sed -e 's/"cases":\[\(.*\)\],"variants"/"cases":[\1,\1],"variants"/' \
		-e 's/,{"name":"spawn"/,{"name":"quiet"/; /"type":"end"/d' autogroup.jsonl >two.jsonl
	sed -n '/"type":"trial"/{s/"case":"spawn"/"case":"quiet"/; s/"position":/&1/
		s/{"name":"ops".*},{"name":"idle"/{"name":"idle"/p}' autogroup.jsonl >>two.jsonl
	echo '{"type":"end","runs":1,"trials":24}' >>two.jsonl
	fairtrial import two.jsonl
	expect_status 0
	fairtrial compare off on --metrics ops
	expect_output $'quiet (CPUs 0-3)\n  has none of the metrics that are compared'
	fairtrial compare off on --metrics idle
	[[ "$output" != *"has none"* ]]
}

@test "mmtests: its layout, positive is better" {
	results autogroup off=$OFF on=$ON
	fairtrial compare off on --style mmtests
	expect_status 0
	expect_output "Hmean     spawn    27752.44 (   0.00%)    21032.27 * -24.21%*"
	expect_output "*: mmtests'"
	expect_narrow
}

@test "hwbench: ratios to the reference, what was not measured is named" {
	results autogroup off=$OFF on=$ON
	fairtrial compare off on --style hwbench
	expect_status 0
	expect_output "### spawn: ops [1/s], higher is better"
	expect_output "off*     4  27.75K  1.00x  6"
	expect_output "on       4  21.03K  0.76x  6  R"
	expect_output "Not measured, left out: Perf/core"
	expect_narrow
}

@test "grid: several tests side by side, the rule of intervals beside the verdict" {
	results autogroup off=$OFF on=$ON same=$SAME other=$ON
	fairtrial compare off on same other --style grid
	expect_status 0
	expect_output "ops (1/s)                 27752.7 (R)   -24.21% R         0.00% ="
	expect_output "(R)/(I): the rule of Fastpath"
	expect_narrow
}

@test "json is one object with the values, csv a line a comparison" {
	results autogroup off=$OFF on=$ON
	fairtrial compare off on --json
	expect_status 0
	expect_output '"verdict": "regression"'
	fairtrial compare off on --csv
	expect_output "spawn,ops,1/s,higher,yes,off,on,yes,6,6,0,0,ratio,"
	[ "$(printf '%s\n' "$output" | wc -l)" -eq 3 ]
}

@test "no store, an empty store: one line" {
	fairtrial compare off on
	expect_error 1 "results.db"
	results autogroup off=$OFF on=$ON
	fairtrial rm --yes autogroup || true
	fairtrial compare nothing on
	expect_error 1 ""
}
