#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# trace: recordings imported, passed on, looked at
bats_require_minimum_version 1.5.0
load common

data="$FT_SOURCE/tests/events/data"

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
	expect_output "'.' idle, '!' idle while a task waited there"
	expect_output "  a  a                 PID 11"
	fairtrial trace report map.txt --map --by-name
	expect_status 0
	expect_output "letter: the name whose tasks ran most"
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
