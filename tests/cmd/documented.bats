#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What a plan may say and what the pages in docs/ have, by the lists that the program's own messages give
bats_require_minimum_version 1.5.0
load common

# accepted LINE...: the words that the message about a plan with these lines accepts, one a line
accepted() {
	printf '%s\n' "$@" >p.plan
	fairtrial run p.plan --dry-run
	[ "$status" -eq 1 ] || return 1
	sed 's/.*\(Accepted\|accepted\|there are\): //' <<<"$stderr" | tr -d ' ' | tr ',' '\n' | sort
}

# section FILE HEADING: the lines of a section
section() {
	awk -v heading="$2" '/^##/{ inside = $0 == "## " heading } inside' "$FT_SOURCE/docs/$1"
}

# first_cells: names in backticks in the first cell of each row of the first table, one a line
first_cells() {
	awk '/^\|/ { seen = 1; split($0, cell, "|"); print cell[2] } !/^\|/ && seen { exit }' |
		grep -o '`[^`]*`' | tr -d '`' | sort
}

@test "every key of [plan] is in the table of plan-files.md, and no other" {
	accepted '[plan]' 'zzzz = 1' '[variant a]' '[case c]' 'workload = cpu' >program
	section plan-files.md '[plan]' | first_cells >pages
	[ "$(wc -l <program)" -ge 12 ]
	diff program pages
}

@test "every setting of a variant is in the table of settings.md, and no other, and in no second table" {
	accepted '[plan]' 'trials = 1' '[variant a]' 'zzzz = 1' '[case c]' 'workload = cpu' >program
	first_cells <"$FT_SOURCE/docs/settings.md" >pages
	[ "$(wc -l <program)" -ge 12 ]
	diff program pages
	refute grep -n '^| *`cpu.weight`' "$FT_SOURCE"/docs/plan-files.md
}

# the rows of a program begin with its name; those that follow without one are its own too
program_rows() {
	section programs.md Parameters |
		awk -F'|' -v name="$1" '/^\|/ { if ($2 ~ /[^ ]/) { split($2, word, " "); mine = word[1] == name } }
			mine' | cut -d'|' -f3 | sed 's/\[[^]]*\]//g'
}

documented() {
	if grep -q "^## $1\$" "$FT_SOURCE/docs/workloads.md"; then
		section workloads.md "$1" | first_cells
		return
	fi
	{
		program_rows "$1" | grep -o '`[^`]*`' | tr -d '`'
		[ "$1" = command ] && printf 'metric%d\n' 2 3 4 5 6 7
		[ "$1" = command ] || [ "$1" = unixbench ] || printf '%s\n' program options
	} | sort
}

@test "every parameter of every workload is in its table, and no other" {
	accepted '[plan]' 'trials = 1' '[variant a]' '[case c]' 'workload = zzzz' >workloads
	[ "$(wc -l <workloads)" -ge 24 ]
	while read -r workload; do
		echo "workload $workload"
		accepted '[plan]' 'trials = 1' '[variant a]' '[case c]' "workload = $workload" 'zzzz = 1' |
			grep -v -x -e workload -e machine -e cpus -e load >program
		documented "$workload" >pages
		diff program pages
	done <workloads
}

@test "every key that a case has beside parameters is in plan-files.md" {
	accepted '[plan]' 'trials = 1' '[variant a]' '[case c]' 'workload = yield' 'zzzz = 1' >program
	for key in workload machine cpus load load-by; do
		[ "$key" = load-by ] || grep -qx "$key" program
		section plan-files.md '[case NAME]' | grep -q "\`$key\`"
	done
}

@test "what each workload exercises is listed, and is in the documentation in the same words" {
	"$FAIRTRIAL" list --workloads | awk '
		/^[a-z]/ { if (name) print row " |"; name = $1; row = ""; next }
		$1 == "exercises" { row = "| `" name "` |"; $1 = "" }
		row != "" { $1 = $1; row = row " " $0; sub(/  +/, " ", row) }
		END { print row " |" }' >listed
	[ "$(wc -l <listed)" -ge 20 ]
	while read -r row; do
		grep -qFx -- "$row" "$FT_SOURCE/docs/workloads.md" || { echo "not documented: $row" >&2; false; }
	done <listed
	fairtrial list --workloads --json
	expect_error 2 "--plans and --workloads go with no other option"
}
