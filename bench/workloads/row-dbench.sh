#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# loadfile against dbench: MB/s (10^6 bytes) of two clients, both in a folder of the temporary directory
set -eu
. "$(dirname "$0")/common.sh"

case "$1" in
about)
	echo 'loadfile, 2 clients, MB/s|dbench 2|another list: it moves 5.4 KB an operation and flushes 7 times for 100 opens, ours 6.7 KB and 4 times, so on a disk ours is faster'
	;;
ours)
	ours "$2" 'workload = loadfile\nclients = 2\n' throughput
	;;
theirs)
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	# MB are 2^20 bytes there
	dbench -t "$2" -D "$folder" 2 | awk '$1 == "Throughput" { print $2 * 1.048576 }'
	;;
esac
