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

@test "a picture is bounded by its pixels, and shows an idle gap that is wider than one" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	# 64 CPUs switch between two tasks each: 100 us; CPU 5 is idle for 1.6 ms of 1 s (a pixel is 1.26 ms)
	python3 - >long.txt <<-'END'
		def switch(t, cpu, old, new):
		    state = "R" if old == 0 else "S"
		    print(f" x-{old} [{cpu:03d}] d..2. {100 + t / 1e6:.6f}: sched_switch: prev_comm=x prev_pid={old} "
		          f"prev_prio=120 prev_state={state} ==> next_comm=x next_pid={new} next_prio=120")
		on = [0] * 64
		for t in range(0, 1000001, 5000):
		    for cpu in range(64):
		        new = 0 if cpu == 5 and t == 500000 else 100 + cpu + (64 if on[cpu] < 164 else 0)
		        switch(t + cpu, cpu, on[cpu], new)
		        on[cpu] = new
		    if t == 500000:
		        switch(t + 1605, 5, 0, 105)
		        on[5] = 105
	END
	fairtrial trace report long.txt --svg long.svg
	expect_status 0
	[ "$(stat -c %s long.svg)" -lt 400000 ]
	python3 - <<-'END'
		import base64, re, struct, zlib
		svg = open("long.svg").read()
		data = base64.b64decode(re.search("data:image/png;base64,([^']*)'", svg).group(1))
		at, packed = 8, b""
		while at < len(data):
		    n, kind = struct.unpack(">I4s", data[at:at + 8])
		    if kind == b"IHDR":
		        width, height, depth, colours = struct.unpack(">IIBB", data[at + 8:at + 18])
		    packed += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
		    at += n + 12
		assert width == 792 and height % 64 == 0 and depth == 8 and colours in (2, 6), (width, height, depth, colours)
		rows_of_cpu = height // 64
		size = 3 if colours == 2 else 4
		raw, rows, above = zlib.decompress(packed), [], bytearray(width * size)
		for y in range(height):
		    kind, *row = raw[y * (width * size + 1):(y + 1) * (width * size + 1)]
		    for x in range(len(row)):
		        left, up = row[x - size] if x >= size else 0, above[x]
		        corner = above[x - size] if x >= size else 0
		        near = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
		        row[x] = (row[x] + [0, left, up, (left + up) // 2, near][kind]) & 255
		    above = row
		    rows.append([tuple(row[x * size:x * size + 3]) for x in range(width)])
		idle = [(y, x) for y in range(height) for x in range(width) if rows[y][x] == (232, 232, 232)]
		assert idle and all(y // rows_of_cpu == 63 - 5 and 394 <= x <= 399 for y, x in idle), idle
	END
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
