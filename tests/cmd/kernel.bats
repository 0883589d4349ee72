#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
bats_require_minimum_version 1.5.0
load common

# A tree that is one by its looks only.
fake_tree() {
	mkdir -p tree/kernel/sched tree/include/linux tree/include/asm-generic \
		tree/include/uapi/asm-generic tree/lib tree/init tree/mm tree/io_uring
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = 3\nEXTRAVERSION =\n' "${1-6}" "${2-12}" \
		>tree/Makefile
	printf 'config SMP\n\tbool\nconfig KNOWN\n\tbool "x"\n' >tree/init/Kconfig
	touch tree/kernel/sched/core.c tree/kernel/sched/build_policy.c tree/include/linux/sched.h \
		tree/include/linux/compiler-version.h tree/include/linux/kconfig.h \
		tree/include/linux/compiler_types.h
	printf 'int broken = "no number" - ;\n' >tree/kernel/bounds.c
}

nothing_left() {
	[ -z "$(find "$XDG_DATA_HOME/fairtrial/kernels" -mindepth 2 2>/dev/null)" ]
}

@test "kernel without an action, or with an unknown one, is a usage error" {
	fairtrial kernel
	expect_status 2
	fairtrial kernel ad
	expect_error 2 "did you mean 'add'"
	fairtrial kernel add onlyname
	expect_error 2 "usage: fairtrial kernel add NAME SOURCE"
	fairtrial kernel list --force
	expect_error 2 "takes no such option"
}

@test "an empty registry lists nothing and says how to add" {
	fairtrial kernel list
	expect_status 0
	[ -z "$output" ]
	fairtrial kernel show 6.12
	expect_error 1 "there are none"
	fairtrial kernel rm 6.12
	expect_error 1 "no kernel '6.12'"
}

@test "bad names of kernels are refused" {
	fairtrial kernel add ../x /nowhere
	expect_error 2 "kernel name"
	fairtrial kernel show 'a b'
	expect_error 2 "kernel name"
}

@test "a source that is not there, or no tree, is one line" {
	fairtrial kernel add k /nowhere
	expect_error 1 "/nowhere"
	mkdir empty
	fairtrial kernel add k empty
	expect_error 1 "no kernel tree"
	echo text >file.tar.xz
	fairtrial kernel add k file.tar.xz
	expect_status 1
	fairtrial kernel add k 'empty@HEAD'
	expect_error 1 "no commit 'HEAD'"
	nothing_left
}

@test "a tree that is too old says from when on" {
	fake_tree 5 4
	rm tree/kernel/sched/build_policy.c
	fairtrial kernel add k tree
	expect_error 1 "6.0 and later"
}

@test "a tree that does not compile gives the first error, the file and what is known" {
	fake_tree
	fairtrial kernel add k tree
	expect_error 1 "kernel/bounds.c (Linux 6.12.3) does not compile: "
	[[ "$stderr" == *"error:"*"is known to build"* ]]
	nothing_left
	fake_tree 9 1
	fairtrial kernel add k tree
	expect_error 1 "Linux 9.1.3 has not been tried"
}

@test "a missing compiler is named" {
	fake_tree
	CC=no-such-compiler fairtrial kernel add k tree
	expect_error 1 "'no-such-compiler' is not in PATH"
}

@test "configuration symbols are checked" {
	fake_tree
	fairtrial kernel add k tree --config HZ
	expect_error 2 "expected SYMBOL=VALUE"
	fairtrial kernel add k tree --config NO_SUCH_SYMBOL=y
	expect_error 1 "has no symbol NO_SUCH_SYMBOL"
	fairtrial kernel add k tree --config KNOWN=m
	expect_error 1 "no modules"
	fairtrial kernel add k tree --config HZ=5
	expect_error 1 "HZ"
	fairtrial kernel add k tree --config 'KNOWN=a;b'
	expect_error 1 "a value is"
}

@test "patches that are missing, do not apply, or are in the tree already are told apart" {
	fake_tree
	fairtrial kernel add k tree --patch none.patch
	expect_error 1 "none.patch"
	printf -- '--- a/init/Kconfig\n+++ b/init/Kconfig\n@@ -1,2 +1,2 @@\n-config ELSE\n+config SMP\n 	bool\n' \
		>there.patch
	fairtrial kernel add k tree --patch there.patch
	expect_error 1 "has this change already"
	printf -- '--- a/init/Kconfig\n+++ b/init/Kconfig\n@@ -1,2 +1,2 @@\n-config ELSE\n+config OTHER\n 	bool\n' \
		>fails.patch
	fairtrial kernel add k tree --patch fails.patch
	expect_error 1 "does not apply to 6.12.3"
	grep -q "config SMP" tree/init/Kconfig
	nothing_left
}

@test "work in progress of a dead process is removed by the next start" {
	mkdir -p "$XDG_DATA_HOME/fairtrial/kernels/tmp/999999999-0/obj"
	fairtrial kernel list
	expect_status 0
	[ ! -e "$XDG_DATA_HOME/fairtrial/kernels/tmp/999999999-0" ]
}

@test "a damaged record is an error, and can be removed" {
	mkdir -p "$XDG_DATA_HOME/fairtrial/kernels/names"
	echo '{"key": "0"}' >"$XDG_DATA_HOME/fairtrial/kernels/names/k.json"
	fairtrial kernel show k
	expect_error 1 "is damaged"
	fairtrial kernel rm k
	expect_status 0
	[ ! -e "$XDG_DATA_HOME/fairtrial/kernels/names/k.json" ]
}
