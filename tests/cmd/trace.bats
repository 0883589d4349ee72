#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# trace: recordings made, read, passed on, looked at
bats_require_minimum_version 1.5.0
load common

data="$FT_SOURCE/tests/events/data"

# skip_unless_recording: events can be recorded here, or why they cannot
skip_unless_recording() {
	skip_unless_root "recording"
	fairtrial trace record -f -o probe.fttrace --seconds 0.01
	[ "$status" -eq 0 ] || skip "$stderr"
}

@test "perf.data text, trace.dat and trace-cmd's text import to recordings that report what they hold" {
	for file in perf-sched.script trace.dat trace.report; do
		fairtrial trace import -o "$file.fttrace" "$data/$file"
		expect_status 0
		fairtrial trace report "$file.fttrace"
		expect_status 0
		expect_output "switch"
		expect_output "lost        none"
		expect_output "METRICS"
	done
	fairtrial trace report --by-name "$data/perf-sched.script"
	expect_status 0
	expect_output "sched-messaging"
}

@test "ftrace text that was exported imports to the same stream" {
	fairtrial trace import -o one.fttrace "$data/trace.dat"
	fairtrial trace export -o one.ftrace one.fttrace
	expect_status 0
	fairtrial trace import -o two.fttrace one.ftrace
	expect_status 0
	fairtrial trace export -o two.ftrace two.fttrace
	cmp one.ftrace two.ftrace
	# the times of the recording, to the nanosecond
	grep -q '13595.334057208: cpu_idle: state=4294967295 cpu_id=0' one.ftrace
}

@test "CSV has a line an event and as many fields as its head" {
	fairtrial trace export --format csv "$data/trace.dat"
	expect_status 0
	[ "$(printf '%s\n' "$output" | awk -F, 'NR == 1 { n = NF } NF != n' | wc -l)" -eq 0 ]
	[ "$(printf '%s\n' "$output" | grep -c ',switch,')" -eq "$(grep -c 'sched_switch:' "$data/trace.report")" ]
}

@test "a Perfetto trace decodes as protobuf and has every switch" {
	command -v protoc >/dev/null || skip "protoc (protobuf-compiler) is not installed"
	fairtrial trace export -o one.pftrace "$data/trace.dat"
	expect_status 0
	protoc --decode_raw <one.pftrace >text
	# FtraceEvent.sched_switch is field 4, a message with prev_comm
	[ "$(grep -c '^      4 {' text)" -eq "$(grep -c 'sched_switch:' "$data/trace.report")" ]
	grep -q '"ls"' text
}

@test "a file is not written over without --force, and has mode 0600" {
	fairtrial trace import -o one.fttrace "$data/trace.dat"
	[ "$(stat -c %a one.fttrace)" = 600 ]
	fairtrial trace import -o one.fttrace "$data/trace.dat"
	expect_error 1 "one.fttrace exists"
	fairtrial trace import -f -o one.fttrace "$data/trace.dat"
	expect_status 0
}

@test "a recording is not written over while it is read, whatever its name" {
	fairtrial trace import -o one.fttrace "$data/trace.dat"
	expect_status 0
	cp one.fttrace kept
	ln one.fttrace link
	for name in one.fttrace ./one.fttrace link; do
		fairtrial trace import -f -o "$name" one.fttrace
		expect_error 1 "$name is the recording that is read"
		fairtrial trace export -f --format csv -o "$name" one.fttrace
		expect_error 1 "$name is the recording that is read"
		fairtrial trace report -f --svg "$name" one.fttrace
		expect_error 1 "$name is the recording that is read"
		cmp one.fttrace kept
	done
	fairtrial trace import -f -o two.fttrace one.fttrace
	expect_status 0
}

@test "a recording that is cut off is reported as far as it is whole" {
	fairtrial trace import -o one.fttrace "$data/perf-sched.script"
	head -c 9000 one.fttrace >cut.fttrace
	fairtrial trace report cut.fttrace
	expect_status 1
	[[ "$stderr" == *"cut.fttrace, byte "* ]]
	printf 'no trace\n' >other
	fairtrial trace import -o other.fttrace other
	expect_error 1 "other:1"
	[ ! -e other.fttrace ]
}

@test "what cannot be understood is a usage error that says what is" {
	fairtrial trace recrod
	expect_error 2 "did you mean 'record'"
	fairtrial trace record -o x
	expect_error 2 "--seconds"
	fairtrial trace record --seconds 1
	expect_error 2 "--output"
	fairtrial trace record --variant a --seconds 1 -o x
	expect_error 2 "--variant needs --trial"
	fairtrial trace export -o x "$data/trace.dat"
	expect_error 2 "which format"
	fairtrial trace import -o x --format prf "$data/trace.dat"
	expect_error 1 "did you mean 'perf'"
	[ ! -e x ]
}

@test "a command is recorded with its tasks, and nothing is left in tracefs" {
	skip_unless_recording
	fairtrial trace record -o one.fttrace -- sh -c 'ls / >/dev/null; sleep 0.05'
	expect_status 0
	fairtrial trace export --format ftrace one.fttrace
	[[ "$output" == *"sched_process_exec: filename=sleep"* ]]
	[[ "$output" == *"mark 0 workers "* ]]
	! ls /sys/kernel/tracing/instances | grep -q "^fairtrial-$$-"
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
	! ls /sys/kernel/tracing/instances | grep "^fairtrial-"
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
	! ls /sys/kernel/tracing/instances | grep -q "^fairtrial-$pid-"
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

@test "report --map draws CPUs by time, and --svg a picture that is not written over" {
	cat >map.txt <<-'END'
	          a-11    [000] d..2.  100.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=11 next_prio=120
	          b-12    [001] d..2.  100.000000: sched_switch: prev_comm=b prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
	          a-11    [000] d..2.  100.064000: sched_switch: prev_comm=a prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
	END
	fairtrial trace report map.txt --map
	expect_status 0
	expect_output "  CPU    0 |aaaaaaaaaaaaaaaa"
	expect_output "  CPU    1 |................"
	fairtrial trace report - --map <map.txt
	expect_error 2 "a file is needed, not standard input"
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	fairtrial trace report map.txt --svg map.svg
	expect_status 0
	grep -q '<svg' map.svg
	fairtrial trace report map.txt --svg map.svg
	expect_status 1
	[[ "$stderr" == *"map.svg exists; --force replaces it"* ]]
}

@test "without the right to record it is said why, and no file is made" {
	skip_unless_root "dropping rights"
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$FAIRTRIAL" trace record -o one.fttrace --seconds 1
	[[ "$stderr" != *"No such file"* && "$stderr" != *"Permission denied"* ]] || skip "$stderr"
	expect_error 1 "needs root"
	[ ! -e one.fttrace ]
	# a folder that anyone can reach
	work=$(mktemp -d "${TMPDIR:-/tmp}/trace-rights.XXXXXX")
	chmod 777 "$work"
	cd "$work"
	export XDG_DATA_HOME="$work"
	printf '%s\n' '[plan]' 'runtime = 20ms' 'warmup = 0' 'trials = 1' 'monitor = events' \
		'[variant base]' '[case fork]' 'workload = spawn' 'workers = 1' >one.plan
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$FAIRTRIAL" run -q one.plan
	ran=$status
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$FAIRTRIAL" show
	rm -r "$work"
	[ "$ran" -eq 0 ]
	expect_output "recording events needs root"
}

@test "a command that does not exist and CPUs that are not there are refused, and no file is made" {
	fairtrial trace record -o one.fttrace -- /nonexistent/program
	expect_error 1 "there is no program '/nonexistent/program' to run"
	fairtrial trace record -o one.fttrace --seconds 1 --cpus 8000
	expect_error 1 "--cpus: '8000': this machine has CPUs 0 to"
	[ ! -e one.fttrace ]
}
