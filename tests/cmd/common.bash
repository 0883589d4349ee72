# SPDX-License-Identifier: GPL-2.0-only
# What every whole-command test loads: an own data folder, and checks that print what they saw.

setup() {
	export XDG_DATA_HOME="$BATS_TEST_TMPDIR/data"
	export NO_COLOR=1
	mkdir -p "$XDG_DATA_HOME"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# fairtrial VERB...: sets $status, $output (stdout) and $stderr, as bats' run does. That the machine is
# busy is said or not by what else runs there: $busy has that line, $stderr is without it
fairtrial() {
	run --separate-stderr "$FAIRTRIAL" "$@"
	busy=$(grep -a 'this machine is not idle: ' <<<"$stderr") || true
	stderr=$(grep -av 'this machine is not idle: ' <<<"$stderr") || true
}

# expect_status N
expect_status() {
	if [ "$status" -ne "$1" ]; then
		printf 'exit status %s, expected %s\nstdout: %s\nstderr: %s\n' "$status" "$1" \
			"$output" "$stderr" >&2
		return 1
	fi
}

# expect_error N TEXT: exit status N and exactly one line on stderr, which contains TEXT
expect_error() {
	expect_status "$1" || return 1
	if [ "$(printf '%s\n' "$stderr" | wc -l)" -ne 1 ] || [[ "$stderr" != fairtrial:*"$2"* ]]; then
		printf 'expected one line "fairtrial: ...%s...", got:\n%s\n' "$2" "$stderr" >&2
		return 1
	fi
}

# expect_output TEXT: stdout contains TEXT, as it is or across the line breaks and the indent of a
# wrapped paragraph (where a line ends depends on the width of the figures in it)
expect_output() {
	local unwrapped
	unwrapped=$(tr -s ' \n' '  ' <<<"$output")
	if [[ "$output" != *"$1"* && "$unwrapped" != *"$1"* ]]; then
		printf 'expected "%s" in:\n%s\n' "$1" "$output" >&2
		return 1
	fi
}

# refute COMMAND...: it fails. A line of its own that begins with ! never fails a test: set -e leaves it out
refute() {
	! "$@"
}

# skip_unless_root WHAT
skip_unless_root() {
	[ "$(id -u)" -eq 0 ] || skip "$1 needs root"
}

# trials [STORE]: those of a store (r.db), a JSON object a line
trials() {
	"$FAIRTRIAL" export -d "${1:-r.db}" | grep '"type":"trial"'
}
