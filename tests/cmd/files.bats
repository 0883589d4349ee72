#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Files that verbs write: whole, or as they were; and what is no file of theirs to read
bats_require_minimum_version 1.5.0
load common

data="$FT_SOURCE/tests/events/data"

# a store with runs
fill_store() {
	fairtrial import "$FT_SOURCE/tests/cmd/data/runs.jsonl"
	expect_status 0
}

# expect_files NAME...: the folder holds these and nothing else
expect_files() {
	local seen
	seen=$(ls -A out | sort | tr '\n' ' ')
	[ "$seen" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] ||
		{ printf 'expected %s, there are %s\n' "$*" "$seen" >&2; return 1; }
}

# the command lines that write a file, as FILE: names of the tests below
writers() {
	printf '%s\n' \
		"trace import -f -o FILE $data/perf-sched.script" \
		"trace export -f --format csv -o FILE $data/perf-sched.script" \
		"trace export -f --format ftrace -o FILE $data/perf-sched.script" \
		"trace export -f --format perfetto -o FILE $data/perf-sched.script" \
		"export -f -o FILE"
	command -v gnuplot >/dev/null && echo "trace report -f --svg FILE $data/perf-sched.script"
	command -v lstopo-no-graphics >/dev/null && echo "topo -f --svg FILE"
	return 0
}

@test "on a full disk an old file is untouched, nothing is left beside it, and one line says why" {
	skip_unless_root "mounting a small file system"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	fill_store
	mkdir out
	while read -r line; do
		run --separate-stderr unshare -m bash -c '
			mount -t tmpfs -o size=8k none out || exit 99
			echo old >out/x
			'"'$FAIRTRIAL' ${line/FILE/out/x}"' >/dev/null
			status=$?
			ls -A out >listing
			cp out/x kept
			exit $status'
		[ "$status" -ne 99 ] || skip "a tmpfs cannot be mounted here"
		echo "$line" >&2
		expect_error 1 "No space left on device"
		[ "$(cat listing)" = x ]
		[ "$(cat kept)" = old ]
	done < <(writers)
}

@test "every writer makes its file whole, replaces only by --force, and writes pipes and devices directly" {
	fill_store
	mkdir out
	while read -r line; do
		echo "$line" >&2
		words=${line/ -f / }
		eval "fairtrial ${words/FILE/out/x}"
		expect_status 0
		expect_files x
		cp out/x first
		eval "fairtrial ${words/FILE/out/x}"
		expect_status 1
		[[ "$stderr" == *"out/x exists; --force replaces it" ]]
		eval "fairtrial ${line/FILE/out/x}"
		expect_status 0
		expect_files x
		eval "fairtrial ${words/FILE//dev/null}"
		expect_status 0
		eval "fairtrial ${words/FILE//dev/full}"
		expect_status 1
		[[ "$stderr" == *"No space left on device" ]]
		# a named pipe, and /dev/stdout as what the shell made of it
		mkfifo pipe
		cat pipe >through &
		eval "fairtrial ${words/FILE/pipe}"
		expect_status 0
		wait
		[ -p pipe ]
		rm pipe
		[[ "$words" == topo* || "$words" == *report* ]] || {
			cmp through first
			eval "'$FAIRTRIAL' ${words/FILE//dev/stdout}" >through
			cmp through first
			eval "'$FAIRTRIAL' ${words/FILE/-}" | cat >through
			cmp through first
			eval "'$FAIRTRIAL' ${words/FILE/>(cat >through)}"
			sleep 0.2
			cmp through first
		}
		rm out/x
	done < <(writers)
}

@test "a signal while a file is written leaves the old one and nothing beside it" {
	mkdir out
	echo old >out/x
	for signal in INT TERM HUP; do
		# the sender goes on for longer than the limit
		{ cat "$data/perf-sched.script"; sleep 5; } |
			run --separate-stderr timeout -s "$signal" 0.5 "$FAIRTRIAL" trace import -f -o out/x -
		[ "$(cat out/x)" = old ]
		expect_files x
	done
}

@test "an input that is damaged does not cost the old file; without one what is whole is kept" {
	mkdir out
	fairtrial trace import -o whole.fttrace "$data/perf-sched.script"
	head -c 9000 whole.fttrace >cut.fttrace
	printf 'no trace\n' >other
	echo old >out/x
	for bad in cut.fttrace other /nonexistent . /dev/zero; do
		for how in import "export --format csv"; do
			fairtrial trace ${how%% *} -f ${how#"${how%% *}"} -o out/x "$bad"
			expect_status 1
			[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ]
			[ "$(cat out/x)" = old ]
			expect_files x
		done
	done
	fairtrial trace import -f -o out/x cut.fttrace
	expect_error 1 "out/x was left as it was"
	fairtrial trace import -o out/y cut.fttrace
	expect_error 1 "what is whole is in out/y"
	fairtrial trace report out/y
	expect_status 0
	expect_output "damaged"
}

@test "a full standard output is one line and status 1 for every verb" {
	fill_store
	printf '%s\n' '[plan]' 'runtime = 20ms' 'warmup = 0' 'trials = 2' '[variant a]' '[variant b]' \
		'[case fork]' 'workload = spawn' 'workers = 1' >one.plan
	fairtrial run -q one.plan
	expect_status 0
	tried=
	while read -r words; do
		tried="$tried ${words%% *}"
		echo "$words" >&2
		stderr=$(eval "'$FAIRTRIAL' $words" 2>&1 >/dev/full) && status=0 || status=$?
		stderr=$(grep -v 'this machine is not idle: ' <<<"$stderr") || true
		expect_error 1 "No space left on device"
	done <<-END
		--help
		--version
		compare --help
		compare a b
		compare --style json a b
		compare --style csv a b
		explain a b
		export
		import --format list
		import $FT_SOURCE/tests/fuzz/corpus/fastpath/store.csv
		kernel list --json
		list
		show
		show --json
		run one.plan
		run --dry-run one.plan
		topo
		topo --json
		trace report $data/trace.report
		trace export --format csv $data/trace.report
		trace import -o - $data/trace.report
		rm 1
	END
	for verb in $("$FAIRTRIAL" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p'); do
		[[ " $tried " == *" $verb "* ]] || { echo "not tried: $verb" >&2; false; }
	done
}

# names of --format list of a command
listed() {
	"$FAIRTRIAL" "$@" --format list | sed -n 's/^  \([a-z-]\+\) .*/\1/p'
}

@test "the formats that are listed are taken, and help, man pages and completion name just these" {
	# import: each is taken, which the error about the file shows; another one is not
	: >empty
	for format in $(listed import); do
		fairtrial import --format "$format" empty
		expect_status 1
		[[ "$stderr" != *"unknown format"* ]]
	done
	[ "$(listed import | wc -l)" -gt 10 ]
	fairtrial import --format other empty
	expect_error 2 "unknown format 'other'"
	[ "$(sed -n '/^# FORMATS/,/^# OPTIONS/s/^\*\(.*\)\*$/\1/p' \
		"$FT_SOURCE/docs/man/fairtrial-import.1.scd" | sed 's/\*, \*/\n/' | sort)" = \
		"$(listed import | sort)" ]
	# trace
	help=$("$FAIRTRIAL" trace --help)
	man=$(cat "$FT_SOURCE/docs/man/fairtrial-trace.1.scd")
	for action in import report export; do
		names=$(listed trace "$action" | paste -sd, | sed 's/,/, /g')
		[[ "$help" =~ $action[a-z,\ ]*:\ "$names;" ]]
		for format in ${names//,/}; do
			[[ "$man" == *"$format ("* || "$man" == *", $format."* ]]
		done
		fairtrial trace "$action" --format zzzzzz -o out "$data/trace.report"
		expect_error 1 "there are $names"
	done
	for format in $(listed trace export); do
		fairtrial trace export --format "$format" -o "out.$format" "$data/trace.report"
		expect_status 0
	done
	# an export of fairtrial by its name
	fairtrial import --format fairtrial "$FT_SOURCE/tests/cmd/data/runs.jsonl"
	expect_status 0
	fairtrial import --format fairtrial --label x "$FT_SOURCE/tests/cmd/data/runs.jsonl"
	expect_error 2 "keep their labels"
	# completion
	expected=$(listed trace import | paste -sd' ')
	unset -f fairtrial
	PATH="$(dirname "$FAIRTRIAL"):$PATH"
	. "$FT_SOURCE/docs/completion/fairtrial"
	COMP_WORDS=(fairtrial trace import --format "") COMP_CWORD=4
	_fairtrial
	[ "${COMPREPLY[*]}" = "$expected list" ]
	COMP_WORDS=(fairtrial import --format = hackb) COMP_CWORD=4
	_fairtrial
	[ "${COMPREPLY[*]}" = hackbench ]
}

@test "what has no end or is no file is refused by everything that reads, in one line" {
	python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('socket')" 2>/dev/null || true
	mkdir folder
	: >empty
	mkfifo pipe
	for file in /dev/zero /dev/null folder socket empty /nonexistent; do
		[ -e "$file" ] || [ "$file" = /nonexistent ] || continue
		for ending in xml machine; do ln -sfn "$file" "link.$ending"; done
		while read -r words; do
			echo "$words" >&2
			run --separate-stderr timeout 20 "$FAIRTRIAL" $words
			expect_error 1 ""
		done <<-END
			trace report $file
			trace import -o out $file
			trace export --format csv $file
			import $file
			import --format hackbench $file
			import --format fairtrial $file
			run $file
			topo link.xml
			topo link.machine
			trace report --machine link.xml $data/trace.report
			kernel add x $file
			kernel add --patch $file x folder
			import -d $file $FT_SOURCE/tests/cmd/data/none.jsonl
		END
		[ ! -e out ]
	done
	# a pipe that nobody opens to write is refused, not waited for
	ln -s pipe link.pipe.xml
	while read -r words; do
		run --separate-stderr timeout 20 "$FAIRTRIAL" $words </dev/null
		expect_error 1 "pipe"
	done <<-END
		trace report pipe
		trace import -o out pipe
		import pipe
		run pipe
		topo link.pipe.xml
		import -d pipe $FT_SOURCE/tests/cmd/data/runs.jsonl
	END
	# one that is there and takes its time is waited for
	{ sleep 4; cat "$data/trace.report"; } >pipe &
	run --separate-stderr timeout 20 "$FAIRTRIAL" trace report pipe
	expect_status 0
	wait
	# a pipe whose sender says nothing is empty
	for words in "trace report" import run; do
		: >pipe &
		run --separate-stderr timeout 20 "$FAIRTRIAL" $words pipe
		expect_error 1 ""
		wait
	done
}

@test "a recording comes through a pipe, of its own format too" {
	fairtrial trace import -o one.fttrace "$data/trace.dat"
	fairtrial trace report one.fttrace
	whole=$output
	run --separate-stderr bash -c "'$FAIRTRIAL' trace report - <one.fttrace"
	[ "$output" = "$whole" ]
	run --separate-stderr bash -c "cat one.fttrace | '$FAIRTRIAL' trace report -"
	[ "$output" = "$whole" ]
	run --separate-stderr bash -c "'$FAIRTRIAL' trace report <(cat one.fttrace)"
	[ "$output" = "$whole" ]
	run --separate-stderr bash -c "'$FAIRTRIAL' trace report - <'$data/trace.dat'"
	expect_error 1 "a recording of format trace-cmd must be a file"
}
