#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# trace record: recordings made of this machine, by the verb and as a monitor
bats_require_minimum_version 1.5.0
load common

# skip_unless_recording: events can be recorded here, or why they cannot
skip_unless_recording() {
	skip_unless_root "recording"
	fairtrial trace record -f -o probe.fttrace --seconds 0.01
	[ "$status" -eq 0 ] || skip "$stderr"
}

@test "a command is recorded with its tasks, and nothing is left in tracefs" {
	skip_unless_recording
	"$FAIRTRIAL" trace record -o one.fttrace -- sh -c 'ls / >/dev/null; sleep 0.05' &
	recorder=$!
	wait "$recorder"
	refute grep "^fairtrial-$recorder-" <(ls /sys/kernel/tracing/instances)
	fairtrial trace export --format ftrace one.fttrace
	[[ "$output" == *"sched_process_exec: filename=sleep"* ]]
	[[ "$output" == *"mark 0 workers "* ]]
	fairtrial trace report one.fttrace
	expect_output "CLOCK_MONOTONIC"
}

# await_recording PID [PLACE]: its instance, once it records
await_recording() {
	local place=${2:-/sys/kernel/tracing} found
	for _ in $(seq 200); do
		found=$(ls -d "$place/instances/fairtrial-$1-"* 2>/dev/null) &&
			[ "$(cat "$found/tracing_on")" = 1 ] && echo "$found" && return 0
		sleep 0.05
	done
	return 1
}

@test "events that a full buffer lost are counted, on each CPU as many as the kernel says" {
	skip_unless_recording
	"$FAIRTRIAL" trace record --buffer 8K --no-idle -o one.fttrace --seconds 60 2>record.err &
	pid=$!
	instance=$(await_recording "$pid")
	# nobody reads while the CPUs switch much more often than the buffers hold
	kill -STOP "$pid"
	i=0
	while [ $i -lt 60 ]; do
		for cpu in $(seq 0 $(($(nproc) - 1))); do taskset -c "$cpu" /bin/true; done
		i=$((i + 1))
	done
	echo 0 >"$instance/tracing_on" # the numbers are final
	expected= total=0
	for cpu in "$instance"/per_cpu/cpu*; do
		n=$(awk '/overrun:|dropped events:/ { n += $NF } END { print n }' "$cpu/stats")
		[ "$n" -eq 0 ] || expected="$expected, $n on CPU ${cpu##*cpu}"
		total=$((total + n))
	done
	kill -CONT "$pid"
	kill -TERM "$pid"
	wait "$pid"
	[ "$total" -gt 0 ]
	fairtrial trace report one.fttrace
	expect_status 0
	expect_output "lost        $total events; ${expected#, }"
	[[ "$output" =~ events_lost\ +$total\  ]]
	# and so in what is made of it
	fairtrial trace export --format csv one.fttrace
	[ "$(printf '%s\n' "$output" | grep -c ',lost,')" -gt 0 ]
}

@test "without a mounted tracefs it is mounted for the recording alone" {
	skip_unless_recording
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	cat >private <<-'END'
		for place in /sys/kernel/debug/tracing /sys/kernel/tracing /sys/kernel/debug; do
			while umount "$place" 2>/dev/null; do :; done
		done
		mounted() { grep -c ' - tracefs ' /proc/self/mountinfo; }
		[ "$(mounted)" -eq 0 ] || exit 77
		"$FAIRTRIAL" trace record -o one.fttrace -- sh -c 'readlink /proc/self/ns/mnt >inside; sleep 0.05' || exit 1
		[ "$(mounted)" -eq 0 ] || exit 2
		# the command is where it would be without us: what it mounts stays
		[ "$(cat inside)" = "$(readlink /proc/self/ns/mnt)" ] || exit 3
		# one that is killed leaves no mount, and the next recording removes its instance
		"$FAIRTRIAL" trace record -o two.fttrace --seconds 60 &
		pid=$!
		for i in $(seq 200); do [ -s "two.fttrace.$pid.unfinished" ] && break; sleep 0.05; done
		sleep 0.2
		kill -9 $pid
		wait $pid
		[ "$(mounted)" -eq 0 ] || exit 4
		"$FAIRTRIAL" trace record -o two.fttrace --seconds 0.05 2>err || exit 5
		grep "removed the tracefs instance fairtrial-$pid-" err || exit 6
		[ "$(mounted)" -eq 0 ] || exit 7
	END
	run --separate-stderr unshare -m bash private
	[ "$status" -ne 77 ] || skip "tracefs cannot be unmounted here"
	expect_status 0
	fairtrial trace report one.fttrace
	expect_status 0
	expect_output "lost        none"
	refute grep "^fairtrial-" <(ls /sys/kernel/tracing/instances)
}

@test "an instance of a recording that was killed is removed by the next start" {
	skip_unless_recording
	"$FAIRTRIAL" trace record -o one.fttrace --seconds 60 &
	pid=$!
	for _ in $(seq 100); do
		ls /sys/kernel/tracing/instances | grep -q "^fairtrial-$pid-" && [ -s "one.fttrace.$pid.unfinished" ] && break
		sleep 0.1
	done
	ls /sys/kernel/tracing/instances | grep -q "^fairtrial-$pid-"
	kill -9 "$pid"
	wait "$pid" || true
	fairtrial list
	refute grep "^fairtrial-$pid-" <(ls /sys/kernel/tracing/instances)
	# what was written can be read, until the next recording of that name
	[ ! -e one.fttrace ]
	fairtrial trace report "one.fttrace.$pid.unfinished"
	[[ "$stderr" == *"has no end"* || "$stderr" == *"cut off"* ]]
	fairtrial trace record -o one.fttrace --seconds 0.01
	expect_status 0
	[ ! -e "one.fttrace.$pid.unfinished" ]
}

@test "a trial of a plan is recorded with the marks of its measured time" {
	skip_unless_recording
	printf '%s\n' '[plan]' 'runtime = 100ms' 'warmup = 0' 'trials = 1' '[variant base]' \
		'[case fork]' 'workload = spawn' 'workers = 1' >one.plan
	fairtrial trace record -o one.fttrace --trial one.plan
	expect_status 0
	fairtrial trace report one.fttrace
	expect_status 0
	expect_output "fork, variant base, block 0"
	expect_output "1 workers"
	fairtrial trace record -o two.fttrace --trial one.plan --case spoon
	expect_error 1 "no trial of case 'spoon'"
}

@test "a plan keeps the events of its trials and analyses them" {
	skip_unless_recording
	printf '%s\n' '[plan]' 'runtime = 100ms' 'warmup = 0' 'trials = 1' 'monitor = events' \
		'events = kept/x' '[variant base]' '[case fork]' 'workload = spawn' 'workers = 1' >one.plan
	fairtrial run -q one.plan
	expect_status 0
	[ -f kept/x-fork-base-0.fttrace ]
	[[ "$stderr" == *"1 recording of events in kept/x-*.fttrace, "*" MiB"* ]]
	fairtrial show --json
	[[ "$output" == *'"forks"'* ]]
	fairtrial run -q one.plan
	expect_status 1
	[[ "$stderr" == *"kept/x-fork-base-0.fttrace exists"* ]]
}

# inherited MONITOR: what a child of a spawn worker inherits in a trial with it: mappings, KiB of memory in
# them that is not a file's, and open files (smaps leaves out what MADV_DONTFORK marks, "dc")
inherited() {
	printf '%s\n' '[plan]' 'runtime = 60s' 'warmup = 0' 'trials = 1' "monitor = $1" \
		'[variant base]' '[case fork]' 'workload = spawn' 'workers = 1' >inherited.plan
	"$FAIRTRIAL" run -q -d inherited.db inherited.plan 3>&- &
	run_pid=$! worker=
	for _ in $(seq 300); do
		sleep 0.1
		trial=$(pgrep -P "$run_pid" | head -n 1)
		worker=${trial:+$(pgrep -P "$trial" | head -n 1)}
		# it forks: it slept more often than at the gate
		[ "$(sed -n 's/^voluntary_ctxt_switches:\t//p' "/proc/${worker:-none}/status" \
			2>/dev/null || true)" -gt 20 ] 2>/dev/null && break
	done
	awk '/^Anonymous:/ { kib = $2 } /^VmFlags:/ && !/ dc( |$)/ { n++; sum += kib } END { print n, sum }' \
		"/proc/$worker/smaps"
	find "/proc/$worker/fd" -mindepth 1 | wc -l
	kill "$run_pid"
	wait "$run_pid" || true
}

@test "children of workers inherit nothing of a recording: no memory, no mappings, no open files" {
	skip_unless_recording
	inherited load >without
	inherited events >with
	paste without with
	read -r maps kib <without
	read -r maps_with kib_with <with
	[ "$maps" -gt 0 ]
	# a recorder that is inherited adds 70 mappings and 12 MiB; the address sanitizer keeps some of its own
	more_maps=4 more_kib=512
	! grep -q __asan_init "$FAIRTRIAL" || more_maps=40 more_kib=8192
	[ "$maps_with" -le $((maps + more_maps)) ]
	[ "$kib_with" -le $((kib + more_kib)) ]
	[ "$(tail -n 1 with)" -eq "$(tail -n 1 without)" ]
}
