# SPDX-License-Identifier: GPL-2.0-only
# What tests of simulated trials share.

# the kernels that tests/ksched builds, or the user's, in the test's own data folder
with_kernel() {
	kernels=${FT_TEST_KERNELS-}
	[ -e "$kernels/names/6.12.json" ] || kernels=$HOME/.local/share/fairtrial/kernels
	[ -e "$kernels/names/6.12.json" ] || skip "no kernel 6.12: fairtrial kernel add 6.12 SOURCE"
	mkdir -p "$XDG_DATA_HOME/fairtrial"
	ln -s "$kernels" "$XDG_DATA_HOME/fairtrial/kernels"
}

# what a trial measured, without the time at which it ran and the identity of the run
results() {
	trials "$1" | sed 's/"run":"[^"]*"//; s/"started":[0-9.e+]*//'
}
