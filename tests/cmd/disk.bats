#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The store and the journal on disks that are full, read-only or not there, and runs that are killed
bats_require_minimum_version 1.5.0
load common

runs="$FT_SOURCE/tests/cmd/data/runs.jsonl"

# in_namespace SCRIPT: a bash script in a mount namespace of its own, which has $FAIRTRIAL and $runs
in_namespace() {
	skip_unless_root "mounting a small file system"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	export runs
	cat >script
	run --separate-stderr unshare -m bash script
	[ "$status" -ne 77 ] || skip "a tmpfs cannot be mounted here"
}

# a plan of $1 short trials of each of two variants
make_plan() {
	printf '%s\n' '[plan]' 'runtime = 5ms' 'warmup = 0' "trials = $1" '[variant a]' '[variant b]' \
		'[case fork]' 'workload = spawn' 'workers = 2' >short.plan
}

@test "a disk that becomes full in a run costs no trial that was stored, and the run goes on later" {
	make_plan 12
	in_namespace <<-'END'
		mkdir data2
		export XDG_DATA_HOME=$PWD/data2
		mount -t tmpfs -o size=6m none data2 || exit 77
		"$FAIRTRIAL" import "$runs" >/dev/null || exit 1
		free=$(df --output=avail -k data2 | tail -1)
		head -c "$((free - 1200))k" /dev/zero >data2/fill
		"$FAIRTRIAL" run -q short.plan >/dev/null 2>err && exit 2
		sed -i '/this machine is not idle/d' err
		[ "$(wc -l <err)" -eq 1 ] || exit 3
		grep -q 'no space left on its disk' err || exit 4
		# everything can be looked at, and what cannot be done says so
		"$FAIRTRIAL" list >listing || exit 5
		grep -Eq ' [1-9][0-9]*/24 .* partial' listing || { cat listing; exit 6; }
		"$FAIRTRIAL" export >before || exit 7
		head -c 6m /dev/zero >>data2/fill 2>/dev/null
		for verb in "rm 1" "import $runs" "run -q short.plan"; do
			"$FAIRTRIAL" $verb >/dev/null 2>err && exit 8
			sed -i '/this machine is not idle/d' err
			[ "$(wc -l <err)" -eq 1 ] || exit 9
		done
		rm data2/fill
		"$FAIRTRIAL" export >after && cmp before after || exit 10
		"$FAIRTRIAL" run -q --resume short.plan >/dev/null || exit 11
		"$FAIRTRIAL" list | grep -q '24/24 .* complete' || exit 12
	END
	expect_status 0
}

@test "a store on a disk that is full to the last byte can be read, also with what a killed run left" {
	make_plan 400
	in_namespace <<-'END'
		mkdir data2 copy
		export XDG_DATA_HOME=$PWD/data2
		mount -t tmpfs -o size=16m none data2 || exit 77
		store=data2/fairtrial/results.db
		reads() {
			# without what an earlier reader may have made when there was room
			rm -f "$store-shm"
			head -c 17m /dev/zero >data2/fill 2>/dev/null
			[ "$(df --output=avail -k data2 | tail -1)" -eq 0 ] || exit 1
			"$FAIRTRIAL" list >listing || exit 2
			grep -q before listing || exit 3
			"$FAIRTRIAL" show before >/dev/null || exit 4
			"$FAIRTRIAL" compare before:off before:on >/dev/null || exit 5
			"$FAIRTRIAL" export >after && cmp before after || exit 6
			"$FAIRTRIAL" rm 1 >/dev/null 2>err && exit 7
			[ "$(wc -l <err)" -eq 1 ] && grep -q 'no space left on its disk' err || exit 8
			rm data2/fill
		}
		"$FAIRTRIAL" import "$runs" >/dev/null || exit 9
		"$FAIRTRIAL" export >before
		reads
		# trials that are in the write-ahead log only
		"$FAIRTRIAL" run -q short.plan 2>/dev/null &
		until [ -s "$store-wal" ] && "$FAIRTRIAL" list | grep -Eq ' [1-9][0-9]*/800 '; do
			kill -0 $! || exit 10
		done
		kill -KILL $!
		wait $! 2>/dev/null
		[ -s "$store-wal" ] || exit 11
		cp "$store" "$store-wal" copy/
		"$FAIRTRIAL" export -d copy/results.db >before || exit 12
		grep -q '"label":"short"' before || exit 13
		reads
		# and with room again all is as it was, and goes on
		"$FAIRTRIAL" export >after && cmp before after || exit 14
		"$FAIRTRIAL" rm before >/dev/null || exit 15
	END
	printf '%s\n%s\n' "$output" "$stderr" >&2
	expect_status 0
}

@test "a disk that is full from the start is one line for every verb that writes, and nothing is changed" {
	make_plan 1
	sed -i 's/^\[variant b\]/&\nautogroup = 0/' short.plan
	in_namespace <<-'END'
		before=$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)
		mkdir data2
		mount -t tmpfs -o size=16k none data2 || exit 77
		head -c 1m /dev/zero >data2/fill 2>/dev/null
		try() {
			"$FAIRTRIAL" "$@" >/dev/null 2>err && { echo "status 0: $*"; exit 1; }
			sed -i '/this machine is not idle/d' err
			[ "$(wc -l <err)" -eq 1 ] || { cat err; exit 2; }
			grep -qi 'no space left' err || { cat err; exit 3; }
		}
		XDG_DATA_HOME=$PWD/data2 try run short.plan
		XDG_DATA_HOME=$PWD/data2 try import "$runs"
		# the folder of the journal: settings are journalled before they are changed
		mount -t tmpfs -o size=8k none /run || exit 77
		head -c 1m /dev/zero >/run/fill 2>/dev/null
		[ -z "$before" ] || try run short.plan
		[ "$before" = "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)" ] || exit 4
	END
	printf '%s\n%s\n' "$output" "$stderr" >&2
	expect_status 0
}

@test "a read-only folder, or a file in its place, is one line; what only reads works" {
	make_plan 1
	in_namespace <<-'END'
		mkdir data2
		mount -t tmpfs none data2 || exit 77
		export XDG_DATA_HOME=$PWD/data2
		"$FAIRTRIAL" import "$runs" >/dev/null || exit 1
		"$FAIRTRIAL" export >before
		mount -o remount,ro data2
		refused() {
			"$FAIRTRIAL" "$@" >/dev/null 2>err && { echo "status 0: $*"; exit 2; }
			sed -i '/this machine is not idle/d' err
			[ "$(wc -l <err)" -eq 1 ] || { cat err; exit 3; }
			grep -Eqi "$reason" err || { cat err; exit 4; }
		}
		reason='read-only'
		refused run short.plan
		refused import "$runs"
		refused rm 1
		refused export -o data2/x
		refused trace export --format csv -o data2/x tests
		refused kernel add x .
		for verb in list show "kernel list" topo; do "$FAIRTRIAL" $verb >/dev/null || exit 5; done
		"$FAIRTRIAL" export >after && cmp before after || exit 6
		touch file
		export XDG_DATA_HOME=$PWD/file
		reason='not a directory'
		refused run short.plan
		refused import "$runs"
		refused list
		refused show
		refused rm 1
		"$FAIRTRIAL" topo >/dev/null || exit 7
	END
	printf '%s\n%s\n' "$output" "$stderr" >&2
	expect_status 0
}

@test "two runs at once on one store both keep all their trials" {
	make_plan 8
	"$FAIRTRIAL" run -q --label one short.plan &
	"$FAIRTRIAL" run -q --label two short.plan
	wait $!
	fairtrial list
	[ "$(printf '%s\n' "$output" | grep -c '16/16 .* complete')" -eq 2 ]
}

@test "an import, export or rm that is killed at any time does all or nothing" {
	fairtrial import "$runs"
	fairtrial export -o all.jsonl
	cp all.jsonl kept
	mkdir out
	cp all.jsonl out/x
	for limit in 0.004 0.008 0.016 0.03 0.06; do
		timeout -s KILL "$limit" "$FAIRTRIAL" export -f -o out/x || true
		cmp out/x kept
		timeout -s KILL "$limit" "$FAIRTRIAL" import -d second.db all.jsonl || true
		n=$("$FAIRTRIAL" list -d second.db --json 2>/dev/null | grep -c '"label"' || true)
		[ "$n" -eq 0 ] || [ "$n" -eq 2 ]
		[ "$n" -eq 2 ] || "$FAIRTRIAL" import -d second.db all.jsonl
		timeout -s KILL "$limit" "$FAIRTRIAL" rm -d second.db 1 || true
		fairtrial list -d second.db
		expect_status 0
		fairtrial export -d second.db
		expect_status 0
		rm -f second.db*
	done
	# what was left beside the file goes with the next one
	fairtrial export -f -o out/x
	expect_status 0
	[ "$(ls -A out)" = x ]
}
