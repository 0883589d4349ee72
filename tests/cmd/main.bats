#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
bats_require_minimum_version 1.5.0
load common

@test "no verb is a usage error" {
	fairtrial
	expect_error 2 "a verb is needed"
}

@test "an unknown verb is a usage error" {
	fairtrial frobnicate
	expect_error 2 "unknown verb 'frobnicate'"
}

# the commit is that of the last build: changes since then make it another one
@test "--version tells the release, the commit and what it was built with" {
	fairtrial --version
	expect_status 0
	[[ "${lines[0]}" =~ ^"fairtrial 0."[0-9.]+" ("([0-9a-f]{12}(-dirty)?|"built without git")")"$ ]]
	[[ "${lines[1]}" =~ ^"built with "(GCC|Clang)" ".*"; SQLite 3.".*", hwloc "[0-9.]+", " ]]
}

@test "a tree that is no git tree of its own has no commit" {
	mkdir -p outer/tree/scripts
	git init -q outer
	cp "$FT_SOURCE/scripts/commit" outer/tree/scripts
	refute outer/tree/scripts/commit
	mv outer/tree alone
	refute alone/scripts/commit
	git init -q alone
	git -C alone add -A
	git -C alone -c user.name=x -c user.email=x@example.org commit -qm first
	[[ "$(alone/scripts/commit)" =~ ^[0-9a-f]{12}$ ]]
	echo "# changed" >>alone/scripts/commit
	[[ "$(alone/scripts/commit)" =~ ^[0-9a-f]{12}-dirty$ ]]
}

@test "--help lists the verbs" {
	fairtrial --help
	expect_status 0
	expect_output "Usage: fairtrial VERB"
}

@test "an argument of an option that takes none is refused as that" {
	fairtrial list --json=1
	expect_error 2 "list: option '--json' takes no argument"
}
