#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Results of other programs: imported, shown, compared, refused.
bats_require_minimum_version 1.5.0
load common

# hackbench_file NAME SECONDS: what hackbench prints
hackbench_file() {
	printf 'Running in process mode with 1 groups using 40 file descriptors each (== 40 tasks)\n' >"$1"
	printf 'Each sender will pass 100 messages of 100 bytes\nTime: %s\n' "$2" >>"$1"
}

@test "several files are trials of a variant, and two variants are compared" {
	for i in 1 2 3 4 5 6; do
		hackbench_file "a$i" "1.00$i"
		hackbench_file "b$i" "1.50$i"
	done
	fairtrial import --variant before a?
	expect_status 0
	expect_output "imported 6 trials of 1 case as run 1, label imported"
	fairtrial import --variant after b?
	expect_status 0
	fairtrial compare imported:before imported:after
	expect_status 0
	expect_output "time"
	expect_output "regression"
}

@test "an import by label is one side of a comparison" {
	hackbench_file a 1.0
	hackbench_file b 1.5
	fairtrial import --label old a
	expect_status 0
	fairtrial import --label new b
	expect_status 0
	fairtrial compare old new
	expect_status 0
	expect_output "time"
	[[ "$output" == *"the version of hackbench is"*recorded* ]]
	[[ "$output" != *"(CPUs )"* ]]
	fairtrial import --label told --program-version "hackbench 2.40" b
	expect_status 0
	fairtrial compare old told
	expect_error 1 "program version unknown, and hackbench 2.40"
}

@test "a program's figures are not compared with those of a workload of our own" {
	printf '[plan]\ntrials = 1\nruntime = 20ms\nwarmup = 0\n[variant v]\n[case c]\nworkload = messaging\n' >p.plan
	fairtrial run p.plan --quiet --label own
	expect_status 0
	hackbench_file a 1.0
	fairtrial import --label others --case c a
	expect_status 0
	fairtrial compare own others
	expect_error 1 "on backend live"
}

@test "the kernels of a Fastpath table are variants of one run" {
	fairtrial import "$FT_SOURCE/tests/fuzz/corpus/fastpath/store.csv"
	expect_status 0
	fairtrial compare 6.18 6.19
	expect_status 0
	expect_output "req_latency_p99"
}

@test "values of two versions of a program are not compared unless forced" {
	sed 's/0.21.04/0.21.05/' "$FT_SOURCE/tests/fuzz/corpus/stress_ng/instances-0.21.04.yaml" >new.yaml
	fairtrial import --label old "$FT_SOURCE/tests/fuzz/corpus/stress_ng/instances-0.21.04.yaml"
	expect_status 0
	fairtrial import --label new new.yaml
	expect_status 0
	fairtrial compare old new
	expect_error 1 "program version stress-ng 0.21.04, and stress-ng 0.21.05"
	fairtrial compare --force old new
	expect_status 0
}

@test "two versions, or other parameters, are not mixed in one case" {
	sed 's/0.21.04/0.21.05/' "$FT_SOURCE/tests/fuzz/corpus/stress_ng/instances-0.21.04.yaml" >new.yaml
	fairtrial import "$FT_SOURCE/tests/fuzz/corpus/stress_ng/instances-0.21.04.yaml" new.yaml
	expect_error 1 "new.yaml: case cpu: version stress-ng 0.21.05, and stress-ng 0.21.04 in "
	[ ! -e "$XDG_DATA_HOME/fairtrial/results.db" ]
}

@test "one bad file of several, and nothing is imported" {
	hackbench_file a 1.0
	head -2 a >cut
	fairtrial import a cut
	expect_error 1 "cut: it is cut off"
	[ ! -e "$XDG_DATA_HOME/fairtrial/results.db" ]
}

@test "the same files are imported once" {
	hackbench_file a 1.0
	fairtrial import a
	expect_status 0
	fairtrial import a
	expect_error 1 "already in"
	fairtrial import --label again a
	expect_status 0
}

@test "a format that is unknown, or not that of the file, is named" {
	echo hello >text
	fairtrial import --format stres-ng text
	expect_error 2 "did you mean stress-ng?"
	fairtrial import --format stress-ng text
	expect_error 1 "text:1: 'key: value' is expected"
	fairtrial import text
	expect_error 1 "text: it looks like the output of no program that is known here"
	fairtrial import --label x "$FT_SOURCE/tests/cmd/data/runs.jsonl"
	expect_error 1 "it is an export of fairtrial"
	fairtrial import --format list
	expect_status 0
	expect_output "hwbench"
	fairtrial import
	expect_error 2 "FILE... is missing"
}

@test "an import goes out and comes back the same" {
	fairtrial import "$FT_SOURCE/tests/fuzz/corpus/unixbench/report.txt"
	expect_status 0
	"$FAIRTRIAL" export 1 >out.jsonl
	fairtrial import -d other.db out.jsonl
	expect_status 0
	"$FAIRTRIAL" export -d other.db 1 >again.jsonl
	cmp out.jsonl again.jsonl
}
