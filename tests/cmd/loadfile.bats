#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Workload loadfile: on this machine in real directories, and simulated.
bats_require_minimum_version 1.5.0
load common
load simulated

write_plan() { # LINE...: of the case
	cat >p.plan <<-END
	[plan]
	trials = 2
	runtime = 200ms
	warmup = 0s
	[variant plain]
	[case files]
	workload = loadfile
	interval = 50ms
	END
	printf '%s\n' "$@" >>p.plan
}

teardown() {
	if mountpoint -q "$BATS_TEST_TMPDIR/small" 2>/dev/null; then
		umount "$BATS_TEST_TMPDIR/small"
	fi
}

@test "clients replay the list in a directory and leave nothing there" {
	mkdir here
	write_plan 'clients = 3' 'directory = here'
	fairtrial run p.plan -q -d r.db
	expect_status 0
	[ "$(trials | grep -c '"name":"loadfile_p50"')" -eq 2 ]
	[ "$(trials | jq '.metrics[] | select(.name == "loadfiles") | .workers | length' | sort -u)" -eq 3 ]
	rmdir here
}

@test "a directory that gets full fails the trial and says where" {
	skip_unless_root "mounting a small file system"
	mkdir small
	mount -t tmpfs -o size=1m none small 2>/dev/null || skip "no tmpfs can be mounted here"
	write_plan 'clients = 4' "directory = $PWD/small"
	fairtrial run p.plan -q -d r.db
	[ "$(trials | jq -r .status | sort -u)" = failed ]
	trials | jq -r .reason | grep "no space is left in the directory for files ($PWD/small): office:"
	[ -z "$(ls small)" ]
}

@test "a directory without room for a single name fails, too" {
	skip_unless_root "mounting a small file system"
	mkdir small
	mount -t tmpfs -o nr_inodes=6 none small 2>/dev/null || skip "no tmpfs can be mounted here"
	write_plan 'clients = 4' "directory = $PWD/small"
	fairtrial run p.plan -q -d r.db
	trials | jq -r .reason | grep 'no space is left'
	umount small
	mount -t tmpfs -o nr_inodes=1 none small
	fairtrial run p.plan -q -d r.db
	expect_error 1 'cannot make a folder in'
	[[ "$stderr" == *'No space left on device'* ]]
}

@test "a directory that is missing, no directory, or not writable is named before anything runs" {
	write_plan 'directory = nowhere'
	fairtrial run p.plan -q -d r.db
	expect_error 1 "p.plan:6: [case files]: directory 'nowhere': No such file or directory"
	touch file
	write_plan 'directory = file'
	fairtrial run p.plan -q -d r.db
	expect_error 1 "directory 'file': Not a directory"
	write_plan 'directory = /proc'
	fairtrial run p.plan -q -d r.db
	expect_error 1 '/proc'
}

@test "a killed run leaves files that the next one removes" {
	mkdir here
	write_plan 'clients = 2' 'directory = here'
	sed -i 's/200ms/60s/' p.plan
	"$FAIRTRIAL" run p.plan -q -d r.db &
	pid=$!
	for _ in $(seq 100); do
		[ -z "$(find here -name 'letter*')" ] || break
		sleep 0.1
	done
	kill -9 "$pid"
	wait "$pid" || true
	# its processes die with it and free the lock
	sleep 0.5
	[ -n "$(ls here)" ]
	write_plan 'clients = 1' 'directory = here'
	fairtrial run p.plan -q -d r2.db
	expect_status 0
	rmdir here
}

@test "a list of one's own is replayed; a wrong one is refused with its line" {
	printf 'create 1 a\nwrite 1 0 4K\nclose 1\nunlink a\n' >good
	write_plan 'list = good' 'clients = 1'
	fairtrial run p.plan -q -d r.db
	expect_status 0
	printf 'create 1 a\nclose 1\nread 1 0 4K\n' >bad
	write_plan 'list = bad'
	fairtrial run p.plan -q -d r.db
	expect_error 1 'bad:3: read: handle 1 is not open here'
	write_plan 'list = none'
	fairtrial run p.plan --dry-run
	expect_error 1 "p.plan:6: [case files]: a list of file operations ('office' is built in)"
}

simulate() {
	fairtrial run p.plan --backend sim --kernel 6.12 --machine m6a-xlarge -q -d "$1"
}

@test "simulated clients give the same bytes each time" {
	with_kernel
	write_plan 'clients = 6'
	simulate r.db
	expect_status 0
	[ "$(trials | jq -r .status | sort -u)" = ok ]
	simulate two.db
	cmp <(results r.db) <(results two.db)
	trials | jq -e '.metrics[] | select(.name == "loadfiles").value > 100' >/dev/null
}

@test "a directory of this machine has no meaning in the simulator" {
	with_kernel
	write_plan 'directory = /tmp'
	simulate r.db
	trials | jq -r .reason | grep "it has no directory '/tmp'"
}

@test "an interval of less than 1 ms is refused before the first trial" {
	for interval in 0 1ns 999us; do
		write_plan
		sed -i "s/^interval = .*/interval = $interval/" p.plan
		fairtrial run p.plan -q -d r.db
		expect_status 1
		[[ "$stderr" == *"p.plan:8: interval: '$interval' is "*"1ms"* ]]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
}
