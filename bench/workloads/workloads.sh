#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# workloads.sh FOLDER [REPEATS [SECONDS [ROW]]] - our workloads beside the programs that people know
#
# A row is a script in FOLDER, row-NAME.sh, that is called with
#   about           prints "what is compared, with the unit|program|why the two differ"
#   ours SECONDS    runs ours and prints one number
#   theirs SECONDS  runs the other program and prints one number of the same unit
# Both sides of all rows are run one after another, REPEATS times, in turning order, so that a noisy minute
# hits both; the table has the medians and the median of the ratios of each repeat. FAIRTRIAL
# is the program under test. To add a row, add a script.
set -eu
folder=$1
repeats=${2-5}
seconds=${3-8}
only=${4-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BENCH_WORK="$work"

median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) printf "%.6g", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2; else printf "-" }'
}

# one ROW SIDE: a number into ROW.SIDE, "-" when it failed
one() {
	value=$(sh "$folder/row-$1.sh" "$2" "$seconds") || value=
	case "$value" in
	'' | *[!0-9.e+-]*)
		echo "bench-workloads: $1: no figure of $2" >&2
		value=-
		;;
	esac
	echo "$value" >>"$work/$1.$2"
}

rows=
for script in "$folder"/row-*.sh; do
	name=${script##*/row-}
	name=${name%.sh}
	[ -z "$only" ] || [ "$only" = "$name" ] || continue
	program=$(sh "$script" about | cut -d'|' -f2)
	if ! command -v "${program%% *}" >/dev/null; then
		echo "skipped: $name: ${program%% *} is not installed (scripts/setup bench)"
		continue
	fi
	rows="$rows $name"
done
printf 'load %s on %s CPUs before the start; %s repeats of %s s\n' "$(cut -d' ' -f1 /proc/loadavg)" "$(nproc)" \
	"$repeats" "$seconds"
repeat=0
while [ "$repeat" -lt "$repeats" ]; do
	for name in $rows; do
		if [ $((repeat % 2)) -eq 0 ]; then
			one "$name" ours
			one "$name" theirs
		else
			one "$name" theirs
			one "$name" ours
		fi
	done
	repeat=$((repeat + 1))
done
failed=0
printf '%-34s %12s %12s %7s  %s\n' 'row' 'ours' 'theirs' 'ratio' 'spread of the ratio'
for name in $rows; do
	about=$(sh "$folder/row-$name.sh" about)
	paste "$work/$name.ours" "$work/$name.theirs" |
		awk '$1 != "-" && $2 != "-" && $2 > 0 { print $1 / $2 }' >"$work/$name.ratio"
	printf '%-34s %12s %12s %7s  ' "$(echo "$about" | cut -d'|' -f1)" \
		"$(grep -v '^-$' "$work/$name.ours" | median)" "$(grep -v '^-$' "$work/$name.theirs" | median)" \
		"$(median <"$work/$name.ratio" | cut -c1-5)"
	sort -g "$work/$name.ratio" | awk '{ v[NR] = $1 } END { if (NR) printf "%.2f to %.2f\n", v[1], v[NR]; else print "-" }'
	printf '    beside %s: %s\n' "$(echo "$about" | cut -d'|' -f2)" "$(echo "$about" | cut -d'|' -f3)"
	[ -s "$work/$name.ratio" ] || failed=1
done
exit "$failed"
