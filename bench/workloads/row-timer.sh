#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# timer against cyclictest: mean latency of timer wakeups, one pinned thread a CPU, normal tasks
set -eu
. "$(dirname "$0")/common.sh"

case "$1" in
about)
	echo 'timer, mean latency, us|cyclictest|same interval, distance, slack and policy; it takes its time after its own bookkeeping of the wakeup before'
	;;
ours)
	ours "$2" 'workload = timer\n' latency_mean
	;;
theirs)
	# without a change of power management, which ours does not make either
	cyclictest --quiet --default-system --duration "$2" --threads --affinity --interval 1000 --distance 500 2>/dev/null |
		sed -n 's/^T:.* C: *\([0-9]*\) .* Avg: *\([0-9]*\) .*/\1 \2/p' |
		awk '{ n += $1; sum += $1 * $2 } END { if (n) print sum / n }'
	;;
esac
