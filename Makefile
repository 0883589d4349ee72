# SPDX-License-Identifier: GPL-2.0-only
# A front for Meson. The two commands of the README:
#   make trial   install what is missing, build, run a short plan on this machine, print its table
#   make check   install what is missing, build with sanitizers, run all tests

BUILD ?= build
PREFIX ?= /usr/local
SUDO ?=

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	meson setup --prefix=$(PREFIX) $(BUILD)

trial:
	scripts/setup trial
	$(MAKE) --no-print-directory all
	scripts/trial $(BUILD)/src/fairtrial

check:
	scripts/setup check
	scripts/check

bench:
	scripts/setup bench
	$(MAKE) --no-print-directory all
	bench/run $(BUILD)

install: $(BUILD)/build.ninja
	meson configure $(BUILD) --prefix=$(PREFIX)
	ninja -C $(BUILD)
	meson install -C $(BUILD) --no-rebuild

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-check build-clang

.PHONY: all trial check bench install format clean
