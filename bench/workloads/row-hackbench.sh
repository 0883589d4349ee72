#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# messaging against hackbench (rt-tests): one group of 20 senders and 20 receivers over pipes, 100 bytes, messages a second
set -eu
. "$(dirname "$0")/common.sh"

# loops for each second: some 400,000 messages
LOOPS=1000

case "$1" in
about)
	echo 'messaging, pipes, messages / s|hackbench -p -g 1|it times a fixed number of messages with start and end of its processes in it, ours a fixed time in the middle'
	;;
ours)
	ours "$2" 'workload = messaging\n' messages
	;;
theirs)
	loops=$((LOOPS * $2))
	hackbench -p -g 1 -f 20 -s 100 -l "$loops" |
		awk -v messages=$((20 * 20 * loops)) '$1 == "Time:" && $2 > 0 { print messages / $2 }'
	;;
esac
