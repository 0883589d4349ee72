#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What `make trial` chooses to simulate on distributions that are not here: a fake apt-cache and a fake
# fairtrial that builds the sources it is told to.

bats_require_minimum_version 1.5.0
load common

# a program of that name, before all others in PATH
fake() {
	mkdir -p bin
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

# distribution PACKAGE...: has these packages, of which none is installed
distribution() {
	printf '%s\n' "$@" >packages
	fake apt-cache "case \$1 in
	search) sed 's/\$/ - Linux kernel source/' $PWD/packages ;;
	show) grep -qx -- \"\$2\" $PWD/packages ;;
	esac"
	fake apt-get "echo apt-get \$* >>$PWD/log"
	fake dpkg-query "exit 1"
	fake id "echo 0"
}

setup_trial() {
	PATH="$PWD/bin:$PATH" "$FT_SOURCE/scripts/setup" trial
}

# which sources it builds and which patches they take, as patterns: "builds SOURCE", "takes PATCH"
fake_fairtrial() {
	fake fairtrial "echo \"\$*\" >>$PWD/calls
	case \"\$*\" in
	*'kernel add'*--patch*) echo \"takes \$7\" | grep -qf $PWD/abilities ;;
	*'kernel add'*) echo \"builds \$5\" | grep -qf $PWD/abilities ;;
	esac"
	printf '%s\n' "$@" >abilities
	: >calls
}

trial() {
	cd "$FT_SOURCE" || return 1
	PATH="$BATS_TEST_TMPDIR/bin:$PATH" run --separate-stderr scripts/trial \
		"$BATS_TEST_TMPDIR/bin/fairtrial" "$BATS_TEST_TMPDIR/src"
	cd "$BATS_TEST_TMPDIR" || return 1
}

sources() {
	mkdir -p src
	for name; do
		touch "src/$name"
	done
}

@test "set-up takes 6.12 where the distribution has it, though there are newer ones" {
	distribution linux-source linux-source-6.1 linux-source-6.12 linux-source-7.3
	setup_trial
	grep -q 'install.* linux-source-6.12$' log
}

@test "set-up takes the newest source of another distribution" {
	distribution linux-source linux-source-6.8.0 linux-source-6.14.0 linux-source-6.2.0
	setup_trial
	grep -q 'install.* linux-source-6.14.0$' log
}

@test "set-up installs the rest where no kernel source is packaged" {
	distribution coreutils
	sed -i d packages
	setup_trial
	grep -q 'install.* gcc ' log
	refute grep linux-source log
}

@test "trial takes 6.12 first, and says which source it simulates" {
	sources linux-source-6.1.tar.xz linux-source-6.12.tar.xz linux-source-7.3.tar.xz
	fake_fairtrial "builds .*linux-source-6" "builds .*linux-source-7" "takes .*allowed-cpus-reverted"
	trial
	expect_status 0
	expect_output "Simulated, kernel/sched of linux-source-6.12.tar.xz:"
	grep -q 'run plans/trial-sim.plan' calls
	[ "$(grep -c 'kernel add' calls)" -eq 2 ]
}

@test "trial takes the newest source that builds" {
	sources linux-source-6.8.0.tar.bz2 linux-source-6.14.0.tar.bz2 linux-source-6.15.0.tar.bz2
	fake_fairtrial "builds .*linux-source-6.14" "builds .*linux-source-6.8" "takes .*allowed-cpus-reverted"
	trial
	expect_status 0
	expect_output "Simulated, kernel/sched of linux-source-6.14.0.tar.bz2:"
	grep -q 'linux-source-6.15' calls
	refute grep 'linux-source-6.8' calls
}

@test "trial makes the pair the other way round in a tree that lacks the change" {
	sources linux-source-6.8.0.tar.bz2
	fake_fairtrial "builds .*linux-source-6.8" "takes .*allowed-cpus-6.12.patch"
	trial
	expect_status 0
	expect_output 'which lacks the change: "reverted" is it as it is'
	grep -q 'kernel add --force trial-reverted .*bz2$' calls
	grep -q 'kernel add --force trial .* --patch patches/allowed-cpus-6.12.patch' calls
}

@test "without a source that can be used trial leaves the simulated part out, in one line" {
	distribution linux-source-6.14.0
	sources
	mkdir -p src
	fake_fairtrial nothing
	trial
	expect_status 0
	[ "$stderr" = "trial: no simulated part: no kernel source in $PWD/src; install linux-source-6.14.0" ]
	refute grep trial-sim calls
	sources linux-source-9.0.tar.xz
	trial
	expect_status 0
	[[ "$stderr" == "trial: no simulated part: no kernel source in "*"builds"* ]]
	fake_fairtrial "builds .*linux-source-9"
	trial
	expect_status 0
	[[ "$stderr" == "trial: no simulated part: linux-source-9.0.tar.xz takes neither "* ]]
	grep -q 'run plans/quick.plan' calls
}
