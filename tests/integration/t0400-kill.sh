#!/bin/bash
# Workers die: in each role a process is killed with -9 while it holds a request's
# job. The request ends once, answered by whoever is left or comes; a killed
# orchestrator leaves requests that are closed at the next start.
# timeout_s: 180
source "$(dirname "$0")/lib.sh"

sqlite3 "$T/shop.sqlite" "create table singer(singer_id integer primary key, name text, country text);
	insert into singer values (1,'Ann','France'),(2,'Bo','Norway'),(3,'Cy','France');"
if start_stack -d "$T/shop.sqlite"; then ok "the stack comes up"; else not_ok "the stack comes up"; fi

ask() { "$BIN/nlq" ask --run-dir "$R" --json "$@"; }
status() { "$BIN/nlq" status --run-dir "$R" --json; }
busy() { (($(status | jq "[.components[] | select(.pid == $1).busy] | add // 0") > 0)); }
has_role() { [[ $(status | jq "[.components[] | select(.role == \"$1\")] | length") -ge 1 ]]; }
# ends ID: how many terminal events the request has.
ends() { "$BIN/nlq" trace show --run-dir "$R" --json "$1" | jq '[.spans[] | select(.operation == "end")] | length'; }

exits "a first question is answered" 0 ask "How many singers are there?"

# --- each role, while it holds the job -----------------------------------------------------
for name in schema sql verify executor; do
	victim=${PID[$name]}
	# Stopped, it takes the job and does not answer.
	kill -STOP "$victim"
	ask "How many singers are from France?" >"$T/$name.json" 2>"$T/$name.err" &
	asker=$!
	check "$name: the job is in its hands" wait_until $WAIT_S busy "$victim"
	kill -KILL "$victim"
	wait "$victim" 2>/dev/null
	unset "PID[$name]"
	case $name in
	executor) start_agent executor executor nlq-executor -c "$T/executor.yaml" ;;
	*) start_agent $name $name nlq-$name-agent ;;
	esac
	wait "$asker"
	is "$name: the request is answered all the same" "$? $(jq -c .rows "$T/$name.json")" '0 [[2]]'
	is "$name: and ended once" "$(ends "$(jq -r .request_id "$T/$name.json")")" 1
	wait_ready $name || not_ok "$name comes back"
done
is "four jobs were given to another" "$(status | jq '.jobs_retried >= 4')" true

# --- nobody comes -----------------------------------------------------------------------------
stop_daemon verify KILL
start=$(now_ms)
exits "a role that nobody serves is told after a few seconds" 6 ask "How many singers are there?"
took=$(($(now_ms) - start))
is "not at once and not after a minute" "$((took > 1000 && took < 15000))" 1
is "as unavailable, and may be tried again" "$(jq -c '[.outcome, .error.code, .error.retry]' <<<"$OUT")" '["failed","unavailable",true]'
like "naming the role" "$(jq -r .error.text <<<"$OUT")" 'verify'
start_agent verify verify nlq-verify-agent
wait_ready verify
exits "and works again when somebody comes" 0 ask "How many singers are there?"

# --- the orchestrator dies with a request open ------------------------------------------------
kill -STOP "${PID[sql]}"
ask "How many singers are from Norway?" >"$T/lost.json" 2>"$T/lost.err" &
asker=$!
check "a request is open" wait_until $WAIT_S busy "${PID[sql]}"
stop_daemon orchestrator KILL
kill -CONT "${PID[sql]}"
wait "$asker"
rc=$?
is "its client ends with a dependency's code" "$((rc == 6 || rc == 1))" 1
start_daemon orchestrator "$BIN/nlq-orchestrator" -c "$T/orchestrator.yaml"
check "the orchestrator starts again" wait_ready orchestrator
for role in schema_agent sql_agent verify_agent executor; do
	check "$role finds it again by itself" wait_until $WAIT_S has_role $role
done
exits "a question is answered" 0 ask "How many singers are there?"
lost=$("$BIN/nlq" trace list --run-dir "$R" --json | jq -c '[.[] | select(.question | contains("Norway")) | [.outcome, .error_class]]')
is "the lost request was closed as failed, infrastructure" "$lost" '[["failed","infrastructure"]]'
exits "and the chain is whole" 0 "$BIN/nlq" trace verify --state-dir "$T/data"

# --- nlq up starts again what dies ---------------------------------------------------------------
stop_stack
is "the stack stops in order" $? 0
start_daemon up "$BIN/nlq" up --db "$T/shop.sqlite" --ready-file "$T/ready"
check "a private stack comes up" wait_until $WAIT_S test -e "$T/ready"
for program in nlq-orchestrator nlq-executor nlq-schema-agent nlq-sql-agent nlq-verify-agent; do
	child=$(pgrep -P "${PID[up]}" -f "/$program ")
	kill -KILL "$child"
	answered() { "$BIN/nlq" ask --json "How many singers are there?" 2>/dev/null | jq -e '.rows == [[3]]'; }
	replaced() { local now; now=$(pgrep -P "${PID[up]}" -f "/$program ") && [[ $now != "$child" ]]; }
	check "$program is started again" wait_until $WAIT_S replaced
	check "and a question is answered" wait_until $WAIT_S answered
done
stop_daemon up INT
is "Ctrl-C ends it with 0" "$?" 0

# The user's shell dies: nothing of the stack outlives it.
start_daemon up "$BIN/nlq" up
running() { "$BIN/nlq" status; }
check "a stack without a database comes up" wait_until $WAIT_S running
children=$(pgrep -P "${PID[up]}" | tr '\n' ' ')
stop_daemon up KILL
all_gone() { local pid; for pid in $children; do is_gone "$pid" || return 1; done; }
check "nothing outlives a killed nlq up" wait_until $WAIT_S all_gone
start_daemon up "$BIN/nlq" up
check "and its leavings do not stop the next" wait_until $WAIT_S running
stop_daemon up INT
done_testing
