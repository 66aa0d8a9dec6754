#!/bin/bash
# The life of the daemons: ready, drain, the end; alone, without an orchestrator,
# with closed standard files; an agent of a private stack ends when its parent or
# its orchestrator does.
. "$(dirname "$0")/lib.sh"

make_run_folder
orchestrator() { start_daemon "$1" "$BIN/nlq-orchestrator" "--run_dir=$R" "--state_dir=$T/data" "${@:2}"; }
agent() { # NAME ROLE PROGRAM ARG...
	start_agent "$@"
}

check "settings can be checked while nothing runs" "$BIN/nlq-orchestrator" -t "--run_dir=$R" "--state_dir=$T/data"
is "and that starts nothing" "$(left_sockets)" ""

orchestrator orchestrator
check "the orchestrator gets ready alone" wait_ready orchestrator
check "its client socket is there" test -S "$R/client/sock"
orchestrator second
wait_until 10 is_gone "${PID[second]}"
wait "${PID[second]}"
is "a second one in the same folder refuses to start" "$?" 1
unset "PID[second]"
check "and the first one still runs" is_running orchestrator

agent sql sql nlq-sql-agent
agent schema schema nlq-schema-agent
agent verify verify nlq-verify-agent
agent executor executor nlq-executor
for name in sql schema verify executor; do
	check "$name gets ready" wait_ready $name
done
for name in sql schema verify executor; do
	start=$(now_ms)
	stop_daemon $name
	is "$name ends with 0 at SIGTERM" "$?" 0
	took=$(($(now_ms) - start))
	((took < 3000)) && ok "$name ends soon" || not_ok "$name ends soon" "$took ms"
done
agent sql sql nlq-sql-agent
check "an agent comes back" wait_ready sql
stop_daemon sql INT
is "SIGINT ends it too" "$?" 0
stop_daemon orchestrator
is "the orchestrator ends with 0" "$?" 0
is "and takes its sockets along" "$(left_sockets)" ""

# An agent may be started first; it waits for its orchestrator.
agent early sql nlq-sql-agent
sleep 0.3
check "an agent without orchestrator waits" is_running early
refute "and does not say that it is ready" is_ready early
orchestrator orchestrator
check "the orchestrator comes" wait_ready orchestrator
check "then the agent is ready" wait_ready early
stop_daemon early
is "it ends with 0" "$?" 0

# Standard files closed by the parent: no socket may get their numbers.
(exec "$BIN/nlq-sql-agent" "--connect=ipc://$R/sql/sock" 0<&- 1>&- 2>&-) &
PID[closed]=$!
fd_kind() { readlink "/proc/${PID[closed]}/fd/$1"; }
wait_until 5 test -e "/proc/${PID[closed]}/fd/3"
is "closed standard files are filled" "$(fd_kind 0) $(fd_kind 1) $(fd_kind 2)" "/dev/null /dev/null /dev/null"
stop_daemon closed

# A private stack's agent: its parent is killed.
"$BASH" -c 'trap : TERM; "$@" & echo $! >'"$T"'/child; wait' sh "$BIN/nlq-sql-agent" "--connect=ipc://$R/sql/sock" \
	--die_with_parent=true 2>>"$LOGS/child.err" &
PID[parent]=$!
child_is_ready() { grep -q ' ready version=' "$LOGS/child.err"; }
check "a child of a private stack gets ready" wait_until $WAIT_S child_is_ready
kill -KILL "${PID[parent]}"
wait "${PID[parent]}" 2>/dev/null
unset "PID[parent]"
check "it ends when its parent is killed" wait_until 5 is_gone "$(<"$T/child")"

# A private stack's agent: its orchestrator is killed and does not come back.
agent private sql nlq-sql-agent --die_with_parent=true --peer_timeout_ms=1500
check "a private agent gets ready" wait_ready private
agent lasting sql nlq-sql-agent --peer_timeout_ms=1500
check "an agent of a system stack gets ready" wait_ready lasting
stop_daemon orchestrator KILL
wait_until 15 is_gone "${PID[private]}"
wait "${PID[private]}"
is "it ends with 1 when the orchestrator is silent" "$?" 1
unset "PID[private]"
like "and says why" "$(<"$LOGS/private.err")" 'the orchestrator is silent'
check "the other one waits" is_running lasting
orchestrator orchestrator
check "a new orchestrator takes over the folder" wait_ready orchestrator
stop_daemon lasting
is "the agent ends with 0" "$?" 0
stop_daemon orchestrator
is "the new orchestrator ends with 0" "$?" 0

done_testing
