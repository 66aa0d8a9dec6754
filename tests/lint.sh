#!/bin/bash
# Checks of the tree itself. Without --quick all of them, with it only those that
# need no tool beyond the shell (layers, documents, protos, comments): these also
# run in make test.
#   tests/lint.sh [--quick] FILE...      env: BIN, CPPFLAGS as in the Makefile
# Prints one line per finding and one per check; exit 1 if there is any finding.
set -u
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.." || exit 2

quick=
[[ ${1:-} == --quick ]] && quick=1 && shift
jobs=$(nproc)
folders="schema_agent sql_agent verify_agent executor orchestrator"
layers="base wire model text sql rpc daemon"
failures=0

files=("$@")
if ((${#files[@]} == 0)); then
	mapfile -t files < <(find common $folders tests -name '*.[ch]' | sort)
fi
sources=()
for file in "${files[@]}"; do [[ $file == *.c ]] && sources+=("$file"); done

# report NAME FINDINGS: one check is done.
report() {
	if [[ -z $2 ]]; then
		echo "lint: $1: fine"
	else
		echo "$2" | sed "s/^/lint: $1: /" | head -n 80
		failures=$((failures + $(grep -c . <<<"$2")))
	fi
}

# --- layers ------------------------------------------------------------------------
# A layer of common includes itself and those before it; a daemon's folder includes
# common and itself. nng is known to common/rpc alone; generated messages to the
# files that turn them into plain structs.
check_layers() {
	local file line included folder layer
	grep -Hn '^[[:space:]]*#[[:space:]]*include' "${files[@]}" |
		sed -nE 's/^([^:]+):([0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*["<]([^">]+)[">].*/\1 \2 \3/p' |
		while read -r file line included; do
			folder=${file%%/*}
			if [[ $included == common/* || $included == */*.h ]]; then
				check_folder "$file" "$line" "$included" "$folder"
			fi
			case $included in
			nng/*)
				[[ $file == common/rpc/* || $folder == tests ]] ||
					echo "$file:$line: only common/rpc knows nng"
				;;
			*.pb-c.h | protobuf-c/*)
				case $file in
				common/wire/* | common/rpc/* | common/daemon/* | */pb_*.[ch] | */handlers.[ch] | tests/*) ;;
				*) echo "$file:$line: $included: only wire, rpc, pb_* and handlers know messages" ;;
				esac
				;;
			esac
		done
}

check_folder() {
	local file=$1 line=$2 included=$3 folder=$4 layer below
	case $folder in
	tests) return ;;
	common)
		layer=${file#common/} layer=${layer%%/*}
		below=" ${layers%% "$layer"*} $layer "
		[[ $layers == "$layer"* ]] && below=" $layer "
		case $included in
		common/*)
			included=${included#common/}
			[[ $below == *" ${included%%/*} "* ]] ||
				echo "$file:$line: layer $layer may not include common/$included"
			;;
		schema_agent/* | sql_agent/* | verify_agent/* | executor/* | orchestrator/* | tests/*)
			echo "$file:$line: common may not include $included"
			;;
		esac
		;;
	*)
		case $included in
		common/* | "$folder"/*) ;;
		schema_agent/* | sql_agent/* | verify_agent/* | executor/* | orchestrator/* | tests/*)
			echo "$file:$line: $folder may not include $included"
			;;
		esac
		;;
	esac
}

# --- documents ---------------------------------------------------------------------
# Every source file has its line in DESIGN.md of its daemon, or in common/README.md.
check_documents() {
	local file document name
	for file in "${sources[@]}"; do
		case $file in
		common/*) document=common/README.md ;;
		tests/*) continue ;;
		*) document=${file%%/*}/DESIGN.md ;;
		esac
		name=$(basename "$file" .c)
		if [[ ! -f $document ]]; then
			echo "$document is missing"
		elif ! grep -qE "(^|[^A-Za-z0-9_])$name(\.c|\.\[ch\]|\.\{c,h\})|\`([a-z]+/)?$name\`" "$document"; then
			echo "$document has no line for $file"
		fi
	done | sort -u
}

# --- protos --------------------------------------------------------------------------
# protobuf-c has no recursion limit: no message may hold itself, by any way round.
check_protos() {
	cat proto/*.proto | sed 's://.*::; s/[{};]/\n&\n/g' | awk '
	/^[ \t]*message[ \t]/ { opens = $2; is_message[$2] = 1; next }
	/^[ \t]*oneof[ \t]/ { opens = stack[depth]; next }
	/^[ \t]*(enum|service|extend)[ \t]/ { opens = ""; next }
	/^{/ { stack[++depth] = opens; next }
	/^}/ { depth--; next }
	/=/ && depth {
		type = $1 ~ /^(required|optional|repeated)$/ ? $2 : $1
		sub(/.*\./, "", type)
		holds[stack[depth] SUBSEP type] = 1
		n_edges++
	}
	END {
		# Warshall, only over edges between messages.
		for (m in is_message) names[++n] = m
		for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
			reach[i, j] = (names[i] SUBSEP names[j]) in holds
		for (k = 1; k <= n; k++) for (i = 1; i <= n; i++) if (reach[i, k])
			for (j = 1; j <= n; j++) if (reach[k, j]) reach[i, j] = 1
		for (i = 1; i <= n; i++) if (reach[i, i]) print "message " names[i] " can hold itself"
		if (n < 10 || n_edges < n) print "only " n " messages found: is this check broken?"
	}' | sort
	grep -Hn 'syntax = "proto3"' proto/*.proto | sed 's/$/ (proto2 only)/'
}

# --- style that the formatter does not know -------------------------------------------
check_comments() {
	# A URL in a string is no comment.
	grep -HnE '(^|[;{}),[:space:]])//' "${files[@]}" | grep -vE '"[^"]*//[^"]*"' |
		sed 's/:[^:]*$/: use block comments/'
	grep -HnE '\b(FIXME|XXX)\b' "${files[@]}"
}

warn_sizes() {
	local file lines limit
	for file in "${files[@]}"; do
		lines=$(wc -l <"$file")
		case $file in
		*/main.c) limit=120 ;;
		*.h) limit=200 ;;
		tests/*) limit=400 ;;
		*) limit=600 ;;
		esac
		((lines > limit)) && echo "lint: size: $file has $lines lines (look hard at $limit)"
	done
	return 0
}

# Every release of clang's tools lays lines out and finds things anew; the tree is
# held to the one of Debian 12.
is_reference() {
	"$1" --version | grep -q 'version 14\.' && return
	echo "lint: $1: skipped, this is not version 14"
	return 1
}

# --- tools -----------------------------------------------------------------------------
check_format() {
	printf '%s\n' "${files[@]}" | xargs -P "$jobs" -n 8 clang-format --dry-run -Werror 2>&1 |
		sed -nE 's/^([^:]+):([0-9]+):.*error.*/\1/p' | sort | uniq -c |
		awk '{print $2 ": " $1 " places differ from make format"}'
}

check_tidy() {
	# xargs puts the files last, but the flags must follow them.
	printf '%s\0' "${sources[@]}" | xargs -0 -P "$jobs" -n 4 sh -c '
		clang-tidy --quiet "$@" -- $CPPFLAGS -std=gnu11 -Wno-everything 2>/dev/null' sh |
		grep -E '(warning|error):' | sort -u
}

check_cppcheck() {
	cppcheck -q -j "$jobs" --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppressions-list=tests/cppcheck.txt --template='{file}:{line}: {id}: {message}' \
		--include=tests/cppcheck.inc -I. -D_GNU_SOURCE -D__linux__ \
		"${sources[@]}" 2>&1
}

check_shell() {
	local script
	while read -r script; do
		bash -n "$script" 2>&1
	done < <(grep -rlE '^#!/bin/(ba)?sh' deploy tests .ci | sort)
}

# Installed below a private prefix, so that the programs the units name exist.
check_units() {
	local dir unit name
	dir=$(mktemp -d)
	if ! PREFIX=$dir SYSCONFDIR=$dir/etc BIN=${BIN:-build/bin} deploy/install >/dev/null; then
		echo "deploy/install failed"
	fi
	export SYSTEMD_UNIT_PATH=$dir/lib/systemd/system:
	for unit in "$dir"/lib/systemd/system/nlq*.{service,target}; do
		name=$(basename "$unit")
		name=${name/@./@1.}
		systemd-analyze verify --man=no "$name" 2>&1
		# 10 stands for an exposure of 1.0 of 10.
		if [[ $unit == *.service ]] &&
			! systemd-analyze security --offline=true --no-pager --threshold=10 "$name" >/dev/null 2>&1; then
			echo "$name: exposure above 1.0: systemd-analyze security tells why"
		fi
	done
	rm -rf "$dir"
}

report layers "$(check_layers)"
report documents "$(check_documents)"
report protos "$(check_protos)"
report comments "$(check_comments)"
report shell "$(check_shell)"
warn_sizes
if [[ -z $quick ]]; then
	if is_reference clang-format; then report format "$(check_format)"; fi
	if command -v systemd-analyze >/dev/null; then
		report units "$(check_units)"
	else
		echo "lint: units: skipped, systemd-analyze is not installed (package systemd)"
	fi
	report cppcheck "$(check_cppcheck)"
	if is_reference clang-tidy; then report clang-tidy "$(check_tidy)"; fi
fi
if ((failures)); then
	echo "lint: $failures findings"
	exit 1
fi
echo "lint: no findings"
