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

@test "--version prints the version" {
	fairtrial --version
	expect_status 0
	expect_output "fairtrial 0."
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
