# Sourced by every tNNNN-topic.sh: TAP, a folder of the test's own, starting and
# stopping daemons, and the proof that nothing is left behind. See tests/README.md.
#
#   T     the test's folder (removed at the end)     R     run folder: role sockets
#   LOGS  where daemons' stderr goes: LOGS/NAME.err
#   BIN   programs     TOOLS test programs     DATA public data or ""
set -u
export LC_ALL=C.UTF-8

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BIN=${NLQ_BIN:-$ROOT/build/bin}
TOOLS=${NLQ_TESTS:-$ROOT/build/release/tests}
VARIANT=${NLQ_VARIANT:-release}
DATA=${NLQ_DATA:-$ROOT/../shared/data}
[[ -d $DATA ]] || DATA=
T=$(mktemp -d "${TMPDIR:-/tmp}/nlq-t.XXXXXX")
R=$T/xdg/nlq # where nlq looks for this user's own stack
LOGS=${NLQ_TEST_LOGS:-$T/logs}
mkdir -p "$LOGS"
export NLQ_TEST_ID=${NLQ_TEST_ID:-$(basename "$0" .sh).$$}
# Nothing of the user's own stack or state is seen or touched.
export HOME=$T/home XDG_RUNTIME_DIR=$T/xdg XDG_STATE_HOME=$T/state XDG_CACHE_HOME=$T/cache XDG_CONFIG_HOME=$T/config
mkdir -m 700 -p "$HOME" "$XDG_RUNTIME_DIR" "$XDG_STATE_HOME"
export ASAN_OPTIONS=${ASAN_OPTIONS:-exitcode=99:abort_on_error=0:detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:exitcode=99}
unset NO_COLOR NOTIFY_SOCKET WATCHDOG_USEC

WAIT_S=10
[[ $VARIANT == san-* ]] && WAIT_S=30

# --- TAP -----------------------------------------------------------------------
TAP_N=0
TAP_DONE=

ok() { TAP_N=$((TAP_N + 1)) && echo "ok $TAP_N - $1"; }

# not_ok NAME [DETAIL...]
not_ok() {
	TAP_N=$((TAP_N + 1))
	echo "not ok $TAP_N - $1"
	shift
	(($#)) && printf '%s\n' "$@" | sed 's/^/# /' | head -n 40
	return 0
}

skip() { TAP_N=$((TAP_N + 1)) && echo "ok $TAP_N - $1 # SKIP $2"; }

# The whole script: skip_all REASON
skip_all() {
	echo "1..0 # SKIP $1"
	TAP_DONE=1
	exit 0
}

# check NAME COMMAND...: the command must succeed.
check() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "command: $*" "$out"; fi
}

# refute NAME COMMAND...: the command must fail, by its exit code and not by a signal.
refute() {
	local name=$1 out rc
	shift
	out=$("$@" 2>&1) && rc=0 || rc=$?
	if ((rc > 0 && rc < 99)); then ok "$name"; else not_ok "$name" "command: $*" "exit code $rc" "$out"; fi
}

# is NAME GOT WANT
is() { if [[ $2 == "$3" ]]; then ok "$1"; else not_ok "$1" "got:  $2" "want: $3"; fi; }

# like NAME TEXT EXTENDED-REGEX
like() { if grep -qE -- "$3" <<<"$2"; then ok "$1"; else not_ok "$1" "text: $2" "does not match: $3"; fi; }

# unlike NAME TEXT EXTENDED-REGEX
unlike() { if grep -qE -- "$3" <<<"$2"; then not_ok "$1" "text: $2" "matches: $3"; else ok "$1"; fi; }

# exits NAME CODE COMMAND...: leaves stdout in OUT, stderr in ERR.
OUT=
ERR=
exits() {
	local name=$1 want=$2 rc
	shift 2
	"$@" >"$T/exits.out" 2>"$T/exits.err" </dev/null
	rc=$?
	OUT=$(<"$T/exits.out")
	ERR=$(<"$T/exits.err")
	if [[ $rc == "$want" ]]; then
		ok "$name"
	else
		not_ok "$name" "command: $*" "exit code $rc, want $want" "stdout: $OUT" "stderr: $ERR"
	fi
}

# --- waiting ---------------------------------------------------------------------
now_ms() { echo $(($(date +%s%N) / 1000000)); }

# wait_until SECONDS COMMAND...: tries until it succeeds; fails when the time is up.
wait_until() {
	local end=$(($(now_ms) + $1 * 1000))
	shift
	until "$@" >/dev/null 2>&1; do
		(($(now_ms) < end)) || return 1
		sleep 0.02
	done
}

# --- daemons ---------------------------------------------------------------------
declare -A PID=() # name -> pid; the names of start_daemon

# start_daemon NAME PROGRAM ARG...: in the background, stderr in LOGS/NAME.err.
start_daemon() {
	local name=$1
	shift
	"$@" >>"$LOGS/$name.out" 2>>"$LOGS/$name.err" </dev/null &
	PID[$name]=$!
}

is_running() { kill -0 "${PID[$1]}" 2>/dev/null; }

# The line that daemon_main logs when READY=1 is sent, of this very process.
is_ready() { grep -q " ready version=.* pid=${PID[$1]}\$" "$LOGS/$1.err"; }
is_ready_or_gone() { is_ready "$1" || ! is_running "$1"; }

# wait_ready NAME...: fails at once if one of them ends instead.
wait_ready() {
	local name
	for name in "$@"; do
		wait_until $WAIT_S is_ready_or_gone "$name" && is_ready "$name" && continue
		echo "# $name is not ready:"
		tail -n 5 "$LOGS/$name.err" | sed 's/^/# /'
		return 1
	done
}

# stop_daemon NAME [SIGNAL]: returns the exit code, 124 if it does not end.
stop_daemon() {
	local pid=${PID[$1]}
	unset "PID[$1]"
	kill -"${2:-TERM}" "$pid" 2>/dev/null
	if ! wait_until 15 is_gone "$pid"; then
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
		return 124
	fi
	wait "$pid" 2>/dev/null
}

# Gone or a zombie that this shell has yet to wait for.
is_gone() { [[ ! -d /proc/$1 ]] || grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null; }

# --- the five daemons --------------------------------------------------------------
# Role folders in R, for daemons of this shell's own uid.
make_run_folder() {
	local role
	mkdir -m 700 -p "$R" "$T/data"
	for role in client schema sql verify executor; do
		mkdir -m 700 -p "$R/$role"
	done
}

# write_settings DATABASE SEMANTIC: orchestrator.yaml and executor.yaml in T, with
# the database as source "db" (empty: no source).
write_settings() {
	local db=$1 semantic=$2
	{
		echo "run_dir: $R"
		echo "state_dir: $T/data"
		[[ -z $db ]] || echo "sources: [{name: db, path: '$db'${semantic:+, semantic: '$semantic'}}]"
	} >"$T/orchestrator.yaml"
	{
		echo "connect: ipc://$R/executor/sock"
		[[ -z $db ]] || echo "sources: [{name: db, path: '$db'}]"
	} >"$T/executor.yaml"
}

# start_agent NAME ROLE PROGRAM ARG...
start_agent() {
	local name=$1 role=$2 program=$3
	shift 3
	start_daemon "$name" "$BIN/$program" "--connect=ipc://$R/$role/sock" "$@"
}

# start_stack [-d DATABASE] [-s SEMANTIC_FOLDER] [-o ARG]... [-x ARG]...: orchestrator,
# then the four agents, with sockets in R, ready when it returns. The database is the
# source "db" (absolute paths). -o adds a setting to the orchestrator, -x to the executor.
start_stack() {
	local opt OPTIND=1 orchestrator=() executor=() db= semantic=
	while getopts d:s:o:x: opt; do
		case $opt in
		d) db=$OPTARG ;;
		s) semantic=$OPTARG ;;
		o) orchestrator+=("$OPTARG") ;;
		x) executor+=("$OPTARG") ;;
		*) return 2 ;;
		esac
	done
	make_run_folder
	write_settings "$db" "$semantic"
	start_daemon orchestrator "$BIN/nlq-orchestrator" -c "$T/orchestrator.yaml" "${orchestrator[@]}"
	start_daemon executor "$BIN/nlq-executor" -c "$T/executor.yaml" "${executor[@]}"
	start_agent schema schema nlq-schema-agent
	start_agent sql sql nlq-sql-agent
	start_agent verify verify nlq-verify-agent
	wait_ready orchestrator executor schema sql verify
}

stop_stack() {
	local name rc=0
	for name in schema sql verify executor orchestrator; do
		[[ -n ${PID[$name]:-} ]] || continue
		stop_daemon "$name" || rc=$?
	done
	return $rc
}

# --- the end ---------------------------------------------------------------------
# Every live process that carries the test's mark in its environment or the test's
# folder in its command line, but for this shell.
left_processes() {
	local pid found
	found=$(
		grep -lszxF "NLQ_TEST_ID=$NLQ_TEST_ID" /proc/[0-9]*/environ
		grep -lszF "$T/" /proc/[0-9]*/cmdline
	)
	for pid in $(sed 's:[^0-9]::g' <<<"$found" | sort -un); do
		# The greps themselves are gone by now; the shells above this one stay.
		is_gone "$pid" || is_own_shell "$pid" || echo "$pid $(tr '\0' ' ' <"/proc/$pid/cmdline")"
	done 2>/dev/null
}

# This shell, its subshells on the way here, and those that started it.
is_own_shell() {
	local pid=$BASHPID
	while ((pid > 1)); do
		[[ $pid == "$1" ]] && return 0
		pid=$(awk '/^PPid:/ {print $2}' "/proc/$pid/status" 2>/dev/null)
		[[ -n $pid ]] || return 1
	done
	return 1
}

nothing_left() { [[ -z $(left_processes) ]]; }

left_sockets() { find "$T" -type s 2>/dev/null; }

sanitizer_reports() {
	grep -rhE 'ERROR: [A-Za-z]*Sanitizer|\.[ch]:[0-9]+:[0-9]+: runtime error:' "$LOGS" "$T" 2>/dev/null | head -n 5
}

# Stops what still runs, looks for what is left, prints the plan. Last line of a test.
done_testing() {
	local name left
	for name in "${!PID[@]}"; do stop_daemon "$name"; done
	wait_until 5 nothing_left
	left=$(left_processes)
	is "leaves no process" "$left" ""
	is "leaves no socket" "$(left_sockets)" ""
	is "has no sanitizer report" "$(sanitizer_reports)" ""
	echo "1..$TAP_N"
	TAP_DONE=1
}

CLEANUP=()
# at_exit COMMAND: run at the end, last one first (a string for eval).
at_exit() { CLEANUP=("$1" "${CLEANUP[@]}"); }

clean_up() {
	local pid command
	[[ -n $TAP_DONE ]] || echo "# the script ended before done_testing"
	for pid in "${PID[@]}"; do kill -KILL "$pid" 2>/dev/null; done
	for command in "${CLEANUP[@]}"; do eval "$command"; done
	while read -r pid _; do
		[[ -n $pid ]] && kill -KILL "$pid" 2>/dev/null
	done <<<"$(left_processes)"
	wait 2>/dev/null
	rm -rf "$T"
}
trap clean_up EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
