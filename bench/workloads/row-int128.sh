#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# cpu with int128 against stress-ng --cpu --cpu-method int128: steps a second of CPU time, on all CPUs
set -eu
. "$(dirname "$0")/common.sh"

# one bogo-op of the method is 20.65 calls of 1000 steps, since 2022
CALLS=20.65

case "$1" in
about)
	echo 'cpu int128, 1000 steps / CPU-s|stress-ng --cpu-method int128|a step of ours and one of theirs are different mixes of operations (ours holds an eighth of a division), so only a ratio that changes tells something'
	;;
ours)
	ours "$2" 'workload = cpu\n' ops cpu_time |
		awk -v seconds="$2" '{ v[NR] = $1 } END { if (NR == 2 && v[2] > 0) print v[1] * seconds / v[2] }'
	;;
theirs)
	stress-ng --cpu 0 --cpu-method int128 -t "$2" --metrics-brief 2>&1 |
		awk -v calls=$CALLS '$1 == "stress-ng:" && $4 == "cpu" { ops = $5; cpu = $7 + $8 }
			END { if (cpu > 0) print ops * calls / cpu }'
	;;
esac
