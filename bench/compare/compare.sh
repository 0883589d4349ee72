#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# compare.sh GENERATE - seconds of `fairtrial compare` over 1,000 trials x 640 values per worker x
# 10 metrics, after a first read, beside reading the store's bytes alone (cat) in the same run
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder/store.db"

seconds() {
	start=$(date +%s.%N)
	"$@" > "$folder/out"
	date +%s.%N | awk -v start="$start" '{ printf "%.3f", $1 - start }'
}

compare() {
	"$FAIRTRIAL" compare -d "$folder/store.db" before after "$@"
}

compare > "$folder/out"
printf 'store %s MB\n' "$(($(stat -c %s "$folder/store.db") / 1000000))"
for round in 1 2 3; do
	printf 'compare %s s, --no-per-worker %s s, --json %s s, cat %s s\n' \
		"$(seconds compare)" "$(seconds compare --no-per-worker)" \
		"$(seconds compare --json)" "$(seconds cat "$folder/store.db")"
done
