#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# stream against stress-ng --stream: one thread, arrays of four times the last-level cache; all four kernels together
set -eu
. "$(dirname "$0")/common.sh"

case "$1" in
about)
	echo 'stream, 1 thread, MB/s|stress-ng --stream|it gives its whole rate, reading and writing of all kernels; ours are summed the same way from the mean times'
	;;
ours)
	ours "$2" 'workload = stream\ninstances = machine\nthreads = 1\n' copy_mean scale_mean add_mean triad_mean |
		awk '{ time += (NR <= 2 ? 2 : 3) / $1 } END { if (NR == 4) print 10 / time }'
	;;
theirs)
	# MB are 2^20 bytes there
	stress-ng --stream 1 -t "$2" 2>&1 |
		sed -n 's/.*memory rate: \([0-9.]*\) MB read\/sec, \([0-9.]*\) MB write\/sec.*/\1 \2/p' |
		awk '{ print ($1 + $2) * 1.048576 }'
	;;
esac
