# SPDX-License-Identifier: GPL-2.0-only
# common.sh - what rows share; sourced

# ours SECONDS CASE_LINES METRIC...: one trial by fairtrial, one value a line
ours() {
	plan=$BENCH_WORK/bench.plan
	store=$BENCH_WORK/bench.db
	printf '[plan]\ntrials = 1\nruntime = %ss\nwarmup = 100ms\n[variant only]\n[case c]\n%b' "$1" "$2" >"$plan"
	rm -f "$store"
	"$FAIRTRIAL" run "$plan" -q -d "$store" >&2 || return 1
	shift 2
	for metric; do
		"$FAIRTRIAL" export -d "$store" | grep '"type":"trial"' | tr '{' '\n' |
			sed -n "/\"name\":\"$metric\"/s/.*\"value\":\\([^,}]*\\).*/\\1/p"
	done
}
