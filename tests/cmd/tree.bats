#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What must hold for the source tree itself.
bats_require_minimum_version 1.5.0
load common

# files of the project: from git where there is one, else all but build folders
tree_files() {
	cd "$FT_SOURCE" || return 1
	git ls-files 2>/dev/null || find . -type f -not -path './build*' | sed 's|^\./||'
}

@test "every source file says its licence" {
	cd "$FT_SOURCE"
	missing=$(tree_files | grep -E '\.(c|h|S|bats|bash|sh)$|meson\.build$|Makefile$' |
		xargs grep -L 'SPDX-License-Identifier: GPL-2.0-only' || true)
	[ -z "$missing" ] || { echo "without SPDX line: $missing" >&2; false; }
}

@test "a room includes only itself and rooms below it" {
	cd "$FT_SOURCE"
	order="base machine result task workload plan monitor events sim backend stats report cmd"
	bad=
	for file in $(tree_files | grep -E '^src/[a-z]+/.*\.[ch]$'); do
		room=${file#src/}
		room=${room%%/*}
		below=${order%%"$room"*}
		for other in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | sort -u); do
			case " $order " in *" $other "*) ;; *) continue ;; esac
			case " $below$room " in *" $other "*) ;; *) bad="$bad $file:$other" ;; esac
		done
	done
	[ -z "$bad" ] || { echo "against the order of the rooms:$bad" >&2; false; }
}

@test "no source file is longer than 600 lines" {
	cd "$FT_SOURCE"
	long=$(tree_files | grep -E '\.[ch]$' | xargs wc -l |
		awk '$2 != "total" && $1 > 600 { print $2 " " $1 }')
	[ -z "$long" ] || { echo "too long: $long" >&2; false; }
}

# set -e passes over a command behind ! and over all but the last one of a list with &&
@test "no line of a command test is one that cannot fail it" {
	cd "$FT_SOURCE"
	idle=$(grep -nE '^[[:space:]]*(! .*|\[ [^|]* \] && \[ .* \])$' tests/cmd/*.bats | grep -v ' || ' || true)
	[ -z "$idle" ] || { echo "$idle" >&2; false; }
}

@test "every verb has a man page and its options are in it" {
	cd "$FT_SOURCE"
	bad=
	for verb in $("$FAIRTRIAL" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p'); do
		page=docs/man/fairtrial-$verb.1.scd
		[ -f "$page" ] || { bad="$bad $page(missing)"; continue; }
		for option in $("$FAIRTRIAL" "$verb" --help | grep -oE -- '^  (-.,|   ) --[a-z-]+' |
			grep -oE -- '--[a-z-]+' | grep -vx -- --help); do
			grep -q -- "$option" "$page" || bad="$bad $page($option)"
		done
	done
	[ -z "$bad" ] || { echo "not documented:$bad" >&2; false; }
}

@test "bash completion offers verbs and options" {
	unset -f fairtrial # of common.bash: completion asks the program itself
	PATH="$(dirname "$FAIRTRIAL"):$PATH"
	. "$FT_SOURCE/docs/completion/fairtrial"
	COMP_WORDS=(fairtrial ru) COMP_CWORD=1
	_fairtrial
	[ "${COMPREPLY[*]}" = run ]
	COMP_WORDS=(fairtrial run --dry) COMP_CWORD=2
	_fairtrial
	[ "${COMPREPLY[*]}" = --dry-run ]
}

@test "bash completion offers values: styles, machines, kernels, plans, and the runs of the store" {
	unset -f fairtrial
	PATH="$(dirname "$FAIRTRIAL"):$PATH"
	. "$FT_SOURCE/docs/completion/fairtrial"
	# completes WORD...: the last one; what is offered, or nothing, and no word on stderr
	completes() {
		COMP_WORDS=(fairtrial "$@") COMP_CWORD=$#
		_fairtrial 2>errors
		[ ! -s errors ] || { cat errors >&2; return 1; }
		offered="${COMPREPLY[*]}"
	}
	completes compare --style = g && [ "$offered" = grid ]
	completes topo epyc-7 && [ "$offered" = epyc-7502p ]
	completes run --machine epyc-7 && [ "$offered" = epyc-7502p ]
	completes run --backend s && [ "$offered" = sim ]
	plan=$("$FAIRTRIAL" list --plans | head -1)
	completes run "$plan" && [[ " $offered " == *" $plan "* ]]
	completes kernel s && [ "$offered" = show ]
	completes kernel rm "" && [ -z "$offered" ]
	completes trace rep && [ "$offered" = report ]
	# without a store, and with a broken one
	for verb in compare explain show rm export; do
		completes $verb "" && [ -z "$offered" ]
	done
	mkdir -p "$XDG_DATA_HOME/fairtrial"
	echo broken >"$XDG_DATA_HOME/fairtrial/results.db"
	completes compare "" && [ -z "$offered" ]
	rm "$XDG_DATA_HOME/fairtrial/results.db"
	"$FAIRTRIAL" import -d other.db "$FT_SOURCE/tests/cmd/data/runs.jsonl"
	completes show -d other.db "" && [ "$offered" = "after before 1 2" ]
	completes rm --store = other.db b && [ "$offered" = before ]
	completes compare -d other.db "" && [ "$offered" = "after before #1 #2 off on" ]
	completes compare -d other.db before : && [ "$offered" = "off on" ]
	completes explain -d other.db before : of && [ "$offered" = off ]
	completes list -d other.db -l a && [ "$offered" = after ]
}
