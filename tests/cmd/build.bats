#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Workload build: trees of processes on this machine and simulated.
bats_require_minimum_version 1.5.0
load common
load simulated

write_plan() { # RUNTIME LINE...: of the case
	cat >p.plan <<-END
	[plan]
	trials = 1
	runtime = $1
	warmup = 0s
	[variant plain]
	[case build]
	workload = build
	END
	shift
	printf '%s\n' "$@" >>p.plan
}

simulate() { # STORE
	fairtrial run p.plan --backend sim --kernel 6.12 --machine m6a-xlarge -q -d "$1"
	expect_status 0
}

values() { # METRIC
	trials | jq -r ".metrics[] | select(.name == \"$1\").value"
}

@test "builds run, and leave neither files nor processes" {
	write_plan 300ms 'jobs = 2' 'files = 4' 'depth = 3' 'work = 1ms' 'link = 1ms'
	mkdir temporary
	TMPDIR=$PWD/temporary fairtrial run p.plan -q -d r.db
	expect_status 0
	[ "$(trials | jq -r .status)" = ok ]
	rmdir temporary
}

@test "simulated builds give the same bytes each time" {
	with_kernel
	write_plan 300ms 'makes = 2' 'jobs = 3' 'depth = 1, 4'
	simulate r.db
	simulate two.db
	cmp <(results r.db) <(results two.db)
}

@test "jobs are as many at a time as asked for, on as many CPUs" {
	with_kernel
	# two cores with two threads each: one job, then two, then four at a time
	write_plan 1s 'jobs = 1, 2, 4' 'files = 12' 'depth = 1' 'work = 5ms' 'link = 0'
	simulate r.db
	values jobs >jobs
	[ "$(wc -l <jobs)" -eq 3 ]
	# a job of 5 ms: below 200 a second, and above half of it; more with more at a time
	awk 'NR == 1 { if ($1 > 200 || $1 < 100) exit 1 }
		NR > 1 && $1 < before * 1.15 { exit 1 } { before = $1 }' jobs || { cat jobs >&2; false; }
	# one at a time takes what the work takes, and forks and reads beside it
	values job_p50 | head -n 1 | awk '$1 < 5000 || $1 > 10000 { exit 1 }'
}

@test "what is out of range is refused with what is accepted" {
	write_plan 100ms 'depth = 9'
	fairtrial run p.plan --dry-run
	expect_error 1 "'9' is 9 here: from 1 to 8 are accepted"
}
