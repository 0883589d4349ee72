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

# what is unpacked of a tarball is in every one
whole_tree() {
	mkdir -p tree/arch/x86 tree/arch/arm64 tree/fs
	touch tree/Kconfig tree/mm/Kconfig tree/arch/Kconfig tree/arch/x86/Kconfig \
		tree/arch/arm64/Kconfig tree/fs/mount.h tree/fs/internal.h
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

@test "a tarball that is too old, and so lacks a folder, says it too" {
	fake_tree 5 15
	whole_tree
	rmdir tree/io_uring
	mv tree linux
	tar -cf old.tar linux
	fairtrial kernel add k old.tar
	expect_error 1 "old.tar is Linux 5.15.3; the simulator builds 6.0 and later"
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

@test "a patch that changes nothing of what is simulated is refused" {
	fake_tree
	touch empty.patch
	printf -- '--- /dev/null\n+++ b/drivers/new.c\n@@ -0,0 +1 @@\n+int new;\n' >driver.patch
	printf -- '--- a/../../outside\n+++ b/../../outside\n@@ -0,0 +1 @@\n+x\n' >outside.patch
	for name in empty driver; do
		fairtrial kernel add k tree --patch $name.patch
		expect_error 1 "$name.patch changes nothing that the simulator is built from"
	done
	fairtrial kernel add k tree --patch outside.patch
	expect_error 1 "outside.patch does not apply"
	[ ! -e outside ]
	nothing_left
	printf -- '--- /dev/null\n+++ b/drivers/new.c\n@@ -0,0 +1 @@\n+int new;\n' >both.patch
	printf -- '--- /dev/null\n+++ b/lib/new.c\n@@ -0,0 +1 @@\n+int new;\n' >>both.patch
	fairtrial kernel add k tree --patch both.patch
	[[ "$stderr" != *both.patch* ]]
}

@test "work in progress of a dead process is removed by the next start" {
	mkdir -p "$XDG_DATA_HOME/fairtrial/kernels/tmp/999999999-0/obj"
	fairtrial kernel list
	expect_status 0
	[ ! -e "$XDG_DATA_HOME/fairtrial/kernels/tmp/999999999-0" ]
}

# A compiler that answers questions about itself, says that it compiles, and never ends.
endless_compiler() {
	cat >endless <<-END
	#!/bin/sh
	case "\$*" in
	--version | -print-file-name=*) exec cc "\$@" ;;
	esac
	: >$PWD/compiling
	exec sleep 10
	END
	chmod +x endless
}

# kill_when FILE COMMAND...: the command alone is killed when the file is there
kill_when() {
	marker=$1
	shift
	"$@" >/dev/null 2>&1 3>&- &
	victim=$!
	for ((i = 0; i < 600; i++)); do
		[ ! -e "$marker" ] || break
		sleep 0.05
	done
	[ -e "$marker" ]
	kill -9 "$victim"
	wait "$victim" || true
}

@test "a build killed while it compiles leaves nothing that is taken for whole" {
	fake_tree
	endless_compiler
	CC=$PWD/endless kill_when compiling "$FAIRTRIAL" kernel add k tree
	[ -n "$(find "$XDG_DATA_HOME/fairtrial/kernels/tmp" -mindepth 1)" ]
	fairtrial kernel show k
	expect_error 1 "there are none"
	nothing_left
	fairtrial kernel add k tree
	expect_error 1 "does not compile"
}

@test "a killed unpacking leaves no tree that is taken for whole" {
	fake_tree
	whole_tree
	mkdir -p bin outer
	mv tree outer/linux
	tar -cJf source.tar.xz -C outer linux
	# unpacks what makes a tree look whole, and never ends
	cat >bin/tar <<-END
	#!/bin/sh
	for argument; do
		case "\$before" in -C) folder=\$argument ;; esac
		before=\$argument
	done
	mkdir -p "\$folder/kernel/sched"
	touch "\$folder/Makefile" "\$folder/kernel/sched/core.c"
	: >$PWD/unpacking
	exec sleep 10
	END
	chmod +x bin/tar
	PATH="$PWD/bin:$PATH" kill_when unpacking "$FAIRTRIAL" kernel add k source.tar.xz
	fairtrial kernel list
	nothing_left
	# the real one gets as far as compiling the whole tree
	fairtrial kernel add k source.tar.xz
	expect_error 1 "kernel/bounds.c (Linux 6.12.3) does not compile"
	nothing_left
}

@test "two additions at once of one tarball and name leave no tree, no work and no name" {
	fake_tree
	whole_tree
	mkdir outer
	mv tree outer/linux
	tar -cJf source.tar.xz -C outer linux
	local first=0 second=0
	"$FAIRTRIAL" kernel add k source.tar.xz 2>one 3>&- &
	"$FAIRTRIAL" kernel add k source.tar.xz 2>two 3>&- || second=$?
	wait $! || first=$?
	[ "$first $second" = "1 1" ]
	grep -q "kernel/bounds.c (Linux 6.12.3) does not compile" one
	grep -q "kernel/bounds.c (Linux 6.12.3) does not compile" two
	# whoever ended last while the other was there leaves its tree to the next
	fairtrial kernel add k source.tar.xz
	expect_error 1 "does not compile"
	nothing_left
}

@test "a disk that becomes full while a tarball is unpacked leaves nothing, and the next addition works" {
	skip_unless_root "mounting a small file system"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	fake_tree
	whole_tree
	head -c 3000000 /dev/urandom >tree/lib/large.c
	mkdir outer small
	mv tree outer/linux
	tar -cf source.tar -C outer linux
	cat >script <<-'END'
		mount -t tmpfs -o size=1m none small || exit 77
		export XDG_DATA_HOME=$PWD/small
		"$FAIRTRIAL" kernel add k source.tar 2>err && exit 2
		[ "$(wc -l <err)" -eq 1 ] || exit 3
		grep -q "source.tar: no space left on the disk of $PWD/small/" err || { cat err >&2; exit 4; }
		[ -z "$(find small/fairtrial/kernels -mindepth 2)" ] || exit 5
		mount -o remount,size=20m small || exit 6
		"$FAIRTRIAL" kernel add k source.tar 2>err && exit 7
		grep -q "kernel/bounds.c (Linux 6.12.3) does not compile" err || exit 8
		[ -z "$(find small/fairtrial/kernels -mindepth 2)" ] || exit 9
	END
	run --separate-stderr unshare -m bash script
	[ "$status" -ne 77 ] || skip "a tmpfs cannot be mounted here"
	expect_status 0
}

# fake_kernel NAME KEY TREE
fake_kernel() {
	local kernels=$XDG_DATA_HOME/fairtrial/kernels
	mkdir -p "$kernels/names" "$kernels/objects/$2" "$kernels/trees/$3"
	touch "$kernels/objects/$2/kernel.so" "$kernels/trees/$3/Makefile"
	printf '{"name":"%s","key":"%s","source_id":"sha256:%s"}\n' "$1" "$2" "$3" \
		>"$kernels/names/$1.json"
}

@test "list says which commit a branch was when it was added, and nothing more of other sources" {
	local names=$XDG_DATA_HOME/fairtrial/kernels/names
	fake_kernel moving key1 tree1
	fake_kernel whole key2 tree2
	printf '{"name":"moving","key":"key1","version":"6.12.3","source":"tree@HEAD","source_id":"%s"}\n' \
		commit:0123456789abcdef0123456789abcdef01234567 >"$names/moving.json"
	printf '{"name":"whole","key":"key2","version":"6.12.3","source":"k.tar.xz","source_id":"%s"}\n' \
		sha256:tree2 >"$names/whole.json"
	fairtrial kernel list
	expect_status 0
	[[ "${lines[1]}" == "moving "*" tree@HEAD (0123456789ab)" ]]
	[[ "${lines[2]}" == "whole "*" k.tar.xz" ]]
}

@test "rm removes the library and the tree that no other kernel uses, and only those" {
	fake_kernel a key1 tree1
	fake_kernel b key2 tree1
	fake_kernel c key3 tree2
	fake_kernel d key3 tree2
	cd "$XDG_DATA_HOME/fairtrial/kernels" || return 1
	fairtrial kernel rm a
	expect_status 0
	[ "$(ls objects trees)" = "$(printf 'objects:\nkey2\nkey3\n\ntrees:\ntree1\ntree2')" ]
	fairtrial kernel rm b
	[ "$(ls objects trees)" = "$(printf 'objects:\nkey3\n\ntrees:\ntree2')" ]
	fairtrial kernel rm c
	[ "$(ls objects trees)" = "$(printf 'objects:\nkey3\n\ntrees:\ntree2')" ]
	fairtrial kernel rm d
	[ -z "$(ls -A objects trees | grep -v :)" ]
}

@test "rm leaves files to a build or simulation that is under way, and says so" {
	fake_kernel a key1 tree1
	fake_kernel b key2 tree2
	cd "$XDG_DATA_HOME/fairtrial/kernels" || return 1
	touch lock
	exec 9<lock
	flock -s 9
	fairtrial kernel rm a
	expect_status 0
	[[ "$stderr" == *"stay until the next kernel add or rm"* ]]
	[ -e objects/key1 ]
	[ -e trees/tree1 ]
	exec 9<&-
	fairtrial kernel rm b
	[ -z "$stderr" ]
	[ -z "$(ls -A objects trees | grep -v :)" ]
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
