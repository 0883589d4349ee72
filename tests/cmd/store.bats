#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The verbs on the store: list, show, export, import, rm, and stores that are not as they should be.
bats_require_minimum_version 1.5.0
load common

runs() {
	echo "$FT_SOURCE/tests/cmd/data/runs.jsonl"
}

filled() {
	fairtrial import "$(runs)"
	expect_status 0
}

store() {
	echo "$XDG_DATA_HOME/fairtrial/results.db"
}

# no line of $output is wider than 78 columns
expect_narrow() {
	local widest
	widest=$(printf '%s\n' "$output" | wc -L)
	[ "$widest" -le 78 ] || { echo "a line has $widest columns" >&2; return 1; }
}

@test "import, export: the same bytes" {
	filled
	fairtrial export -o first.jsonl
	expect_status 0
	fairtrial import -d other.db first.jsonl
	expect_status 0
	fairtrial export -d other.db -o second.jsonl
	expect_status 0
	cmp first.jsonl second.jsonl
}

@test "export goes through a pipe" {
	filled
	"$FAIRTRIAL" export after | "$FAIRTRIAL" import -d other.db -
	fairtrial list -d other.db
	expect_output "after"
	[[ "$output" != *before* ]]
}

@test "a second import of the same run is refused and changes nothing" {
	filled
	fairtrial import "$(runs)"
	expect_error 1 "runs.jsonl:2: the run 11111111-2222-4333-8444-555555555555"
	fairtrial list
	[ "$(printf '%s\n' "$output" | grep -c autogroup)" -eq 2 ]
}

@test "a broken line is refused with file and line, and nothing is imported" {
	sed '5s/"block"/"blocks"/' "$(runs)" >broken.jsonl
	fairtrial import broken.jsonl
	expect_error 1 "broken.jsonl:5: a trial: unknown key 'blocks'; did you mean 'block'?"
	fairtrial list
	expect_status 0
	[ -z "$output" ]
}

@test "export does not replace a file without --force" {
	filled
	echo precious >out.jsonl
	fairtrial export -o out.jsonl
	expect_error 1 "out.jsonl exists; --force replaces it"
	[ "$(cat out.jsonl)" = precious ]
	fairtrial export -f -o out.jsonl
	expect_status 0
	grep -q '"type":"end"' out.jsonl
}

@test "an export that cannot be written is an error" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	filled
	run --separate-stderr bash -c '"$FAIRTRIAL" export >/dev/full'
	expect_error 1 "No space left on device"
}

@test "list shows trials, failures and what is not complete" {
	filled
	fairtrial list
	expect_status 0
	expect_narrow
	[[ "$output" =~ 1\ +before\ +autogroup\ +12/12\ +1\ .*complete ]]
	[[ "$output" =~ 2\ +after\ +autogroup\ +8/12\ +0\ .*partial ]]
	fairtrial list --label after
	[[ "$output" != *before* ]]
	fairtrial list --json
	printf '%s' "$output" | python3 -c 'import json, sys
runs = json.load(sys.stdin)
assert [r["trials"] for r in runs] == [12, 8], runs
assert [r["failed"] for r in runs] == [1, 0], runs'
}

@test "list of an empty store says so on stderr only" {
	printf '{"format":"fairtrial","schema":2,"type":"header"}\n{"runs":0,"trials":0,"type":"end"}\n' |
		"$FAIRTRIAL" import -
	fairtrial list
	expect_status 0
	[ -z "$output" ]
	[[ "$stderr" == *"no run"* ]]
}

@test "show prints the run with its environment, variants, cases and values" {
	filled
	fairtrial show before
	expect_status 0
	expect_narrow
	expect_output "11111111-2222-4333-8444-555555555555"
	expect_output "12 of 12 trials, 1 failed, complete"
	expect_output "autogroup = 1"
	[[ "$output" =~ kernel.release\ +6.12.9 ]]
	[[ "$output" =~ mitigations.indirect_target_selection\ +Not\ affected ]]
	[[ "$output" =~ cgroups\ +1:cpu:/\ 0::/user.slice ]]
	expect_output "failed: worker 3 died of signal 9 (Killed)"
	expect_output "run_delay: not available: /proc/schedstat is off"
}

@test "show takes the newest run by default" {
	filled
	fairtrial show
	expect_status 0
	expect_output "Run 2"
}

@test "show --trial prints the spread over the workers and every value" {
	filled
	fairtrial show 1 --trial 1
	expect_status 0
	expect_narrow
	expect_output "case     spawn workers=4"
	expect_output "JAIN"
	expect_output "loops (1/s) by worker"
	fairtrial show 1 --trial 13
	expect_error 1 "run 1 has no trial 13; its trials are 1 to 12"
	fairtrial show 1 --trial 0
	expect_error 2 "--trial"
}

@test "show --json is what export has, with the trials inside" {
	filled
	fairtrial show 1 --json
	expect_status 0
	printf '%s' "$output" | python3 -c 'import json, sys
run = json.load(sys.stdin)
assert run["label"] == "before" and run["id"] == 1, run
assert len(run["trials"]) == 12
assert len(run["trials"][0]["metrics"][0]["workers"]) == 4'
	fairtrial show 1 --trial 12 --json
	printf '%s' "$output" | python3 -c 'import json, sys
assert json.load(sys.stdin)["status"] == "failed"'
}

@test "show --plan prints the plan as it was" {
	filled
	fairtrial show 1 --plan
	expect_status 0
	[ "${lines[0]}" = "[plan]" ]
}

@test "names that mean nothing list what there is" {
	filled
	fairtrial show nothing
	expect_error 1 "there is no run 'nothing' in"
	expect_error 1 "labels are: before, after"
}

@test "rm removes what is named, or nothing" {
	filled
	fairtrial rm
	expect_error 2 "too few words"
	fairtrial rm before nothing
	expect_error 1 "there is no run 'nothing'"
	fairtrial list
	expect_output "before"
	fairtrial rm before
	expect_status 0
	expect_output "removed run 1, label before"
	fairtrial list
	[[ "$output" != *before* ]]
	expect_output "after"
}

@test "rm with a mistyped store makes no store" {
	fairtrial rm -d nowhere.db 1
	expect_error 1 "there is no store nowhere.db"
	[ ! -e nowhere.db ]
}

@test "a missing store is an error that says what makes one" {
	fairtrial list
	expect_error 1 "there is no store"
}

@test "a file that is no store is left alone" {
	echo "trials = 3" >some.txt
	fairtrial list -d some.txt
	expect_error 1 "some.txt is not a store"
	fairtrial import -d some.txt "$(runs)"
	expect_error 1 "some.txt is not a store"
	[ "$(cat some.txt)" = "trials = 3" ]
}

@test "a truncated store is damaged, and the line says what saves the rest" {
	filled
	truncate -s 100000 "$(store)"
	fairtrial list
	expect_error 1 "is damaged"
	expect_error 1 ".recover"
	fairtrial import "$(runs)"
	expect_error 1 "is damaged"
}

@test "what .recover saves of a store is a store" {
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	filled
	sqlite3 "$(store)" .recover >saved.sql 2>&1 || true
	! grep -q '^sql error' saved.sql || skip "this sqlite3 is built without .recover"
	sqlite3 new.db <saved.sql
	fairtrial list -d new.db
	expect_status 0
	expect_output "before"
	fairtrial export -d new.db -o new.jsonl
	fairtrial export -o old.jsonl
	cmp old.jsonl new.jsonl
}

@test "a store of a newer schema says which, and what is read" {
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	filled
	sqlite3 "$(store)" 'PRAGMA user_version = 42'
	fairtrial list
	expect_error 1 "has schema 42, this fairtrial reads schema 1 to 2"
}

@test "a store on a read-only mount can be read and not written" {
	skip_unless_root "a mount"
	unshare -m true 2>/dev/null || skip "mounts are not allowed here"
	filled
	cat >inside <<-'END'
		mount --bind "$XDG_DATA_HOME" "$XDG_DATA_HOME" &&
		mount -o remount,bind,ro "$XDG_DATA_HOME" || exit 99
		"$FAIRTRIAL" list || exit 98
		"$FAIRTRIAL" show 1 --trial 1 || exit 97
		"$FAIRTRIAL" rm 1
	END
	run --separate-stderr unshare -m bash inside
	[ "$status" -ne 99 ] || skip "a read-only mount cannot be made here"
	expect_error 1 "read-only for this user"
	expect_output "before"
	fairtrial show 1
	expect_status 0
}

@test "a disk that fills up leaves what was there, and a line that says so" {
	skip_unless_root "a mount"
	unshare -m true 2>/dev/null || skip "mounts are not allowed here"
	head -n 1 "$(runs)" >many.jsonl
	python3 - "$(runs)" >>many.jsonl <<-'END'
		import json, sys
		records = [json.loads(line) for line in open(sys.argv[1])]
		run, trial = records[1], records[2]
		run["identity"] = trial["run"] = "99999999-2222-4333-8444-555555555555"
		trial["metrics"][0]["workers"] *= 1000
		print(json.dumps(run))
		for i in range(200):
		    trial["position"] = i
		    print(json.dumps(trial))
		print(json.dumps({"type": "end", "runs": 1, "trials": 200}))
	END
	mkdir small
	cat >inside <<-'END'
		mount -t tmpfs -o size=2m none small || exit 99
		"$FAIRTRIAL" import -d small/results.db "$FT_SOURCE/tests/cmd/data/runs.jsonl" || exit 98
		"$FAIRTRIAL" import -d small/results.db many.jsonl
		first=$?
		"$FAIRTRIAL" list -d small/results.db || exit 97
		"$FAIRTRIAL" show -d small/results.db 1 >/dev/null || exit 96
		exit $first
	END
	run --separate-stderr unshare -m bash inside
	[ "$status" -ne 99 ] || skip "a small file system cannot be made here"
	expect_error 1 "no space left on its disk"
	expect_output "before"
	[ "$(printf '%s\n' "$output" | grep -c autogroup)" -eq 2 ]
}

@test "two imports at once both arrive" {
	filled
	sed 's/11111111/21111111/; s/aaaaaaaa/baaaaaaa/' "$(runs)" >a.jsonl
	sed 's/11111111/31111111/; s/aaaaaaaa/caaaaaaa/' "$(runs)" >b.jsonl
	"$FAIRTRIAL" import a.jsonl &
	"$FAIRTRIAL" import b.jsonl
	wait $!
	fairtrial list
	[ "$(printf '%s\n' "$output" | grep -c autogroup)" -eq 6 ]
}

@test "a store may have a name that SQLite takes for something else than a file" {
	for name in :memory: file:x.db 'file:y.db?mode=memory'; do
		fairtrial import -d "$name" "$(runs)"
		expect_status 0
		[ -s "$name" ]
		fairtrial list -d "$name"
		expect_output "before"
	done
}

@test "an empty name of a store is refused" {
	fairtrial import -d "" "$(runs)"
	expect_error 1 "the name of the store is empty"
	fairtrial list -d ""
	expect_error 1 "the name of the store is empty"
}
