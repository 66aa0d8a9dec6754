#!/bin/bash
# SIGTERM: what is in hand is finished, nothing new is taken, the exit code is 0. Load
# is shared by several agents of a role, and one more is used as soon as it is there.
source "$(dirname "$0")/lib.sh"

sqlite3 "$T/shop.sqlite" "create table singer(singer_id integer primary key, name text); insert into singer values (1,'Ann'),(2,'Bo');"
if start_stack -d "$T/shop.sqlite" -o --limits.running_per_principal=4; then ok "the stack comes up"; else not_ok "the stack comes up"; fi
nlq=$BIN/nlq
ask() { "$nlq" ask --run-dir "$R" --json "How many singers are there?"; }
status() { "$nlq" status --run-dir "$R" --json; }
busy() { (($(status | jq "[.components[] | select(.pid == ${PID[$1]}).busy] | add // 0") > 0)); }

# in_service ROLE: an agent of it is connected and idle.
in_service() { [[ $(status | jq "[.components[] | select(.role == \"$1\" and .slots > 0 and .busy == 0)] | length") -ge 1 ]]; }

# --- several agents of a role --------------------------------------------------------------
# shares N: asks N questions, four at a time; instances that made the queries in SHARES.
shares() {
	local i pids=() failed=0
	for ((i = 0; i < $1; i++)); do
		ask >"$T/load.$i" 2>&1 &
		pids+=($!)
		if ((${#pids[@]} == 4)); then
			for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
			pids=()
		fi
	done
	for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
	is "$1 questions are answered" $failed 0
	SHARES=$(for ((i = 0; i < $1; i++)); do jq -r .request_id "$T/load.$i"; done | while read -r id; do
		"$nlq" trace show --run-dir "$R" --json "$id" | jq -r '.spans[] | select(.operation == "step").instance'
	done | sort | uniq -c | sort -rn)
}
start_agent sql2 sql nlq-sql-agent
wait_ready sql2
shares 24
is "two SQL agents share them" "$(wc -l <<<"$SHARES")" 2
is "and neither has nearly none" "$(awk '$1 < 3' <<<"$SHARES")" ""
start_agent sql3 sql nlq-sql-agent
wait_ready sql3
shares 24
is "a third that comes while all runs takes its part" "$(wc -l <<<"$SHARES")" 3
# One of them is stopped in order: no request notices.
(for i in 1 2 3 4 5 6 7 8 9 10; do ask || exit 1; done) >"$T/while" 2>&1 &
asker=$!
stop_daemon sql3
is "an agent drains with 0" $? 0
stop_daemon sql2
wait $asker
is "no request notices that agents leave" $? 0

# --- an agent drains with a job in hand ---------------------------------------------------------
endless="WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
"$nlq" sql run --run-dir "$R" --timeout 1500ms "$endless" >"$T/out" 2>"$T/err" </dev/null &
client=$!
check "a query runs" wait_until $WAIT_S busy executor
stop_daemon executor
is "the executor finishes it and ends with 0" $? 0
wait $client
is "its client has the query's own outcome" $? 7
start_agent executor executor nlq-executor -c "$T/executor.yaml"
wait_ready executor
check "another executor is in service" wait_until $WAIT_S in_service executor

# --- the orchestrator drains -----------------------------------------------------------------
kill -STOP "${PID[sql]}"
ask >"$T/last.json" 2>"$T/last.err" &
client=$!
wait_until $WAIT_S busy sql && ok "a question is at work" || not_ok "a question is at work" "$(status)" "$(tail -n 5 "$T/last.json" "$LOGS/sql.err" "$LOGS/orchestrator.err")"
kill -TERM "${PID[orchestrator]}"
refused() { ask 2>/dev/null | jq -e '.error.code == "unavailable"'; }
check "a draining orchestrator takes no new question" wait_until $WAIT_S refused
kill -CONT "${PID[sql]}"
wait $client
is "the one at work is finished" "$? $(jq -c .rows "$T/last.json")" '0 [[2]]'
stop_daemon orchestrator
is "and it ends with 0" $? 0
exits "its trace is whole" 0 "$nlq" trace verify --state-dir "$T/data"
exits "and says that the question was answered" 0 "$nlq" trace show --json --state-dir "$T/data" "$(jq -r .request_id "$T/last.json")"
is "once" "$(jq -c '[.spans[] | select(.operation == "end").status]' <<<"$OUT")" '["answered"]'

# --- drain time over -----------------------------------------------------------------------------
start_daemon orchestrator "$BIN/nlq-orchestrator" -c "$T/orchestrator.yaml" --drain_ms=300
wait_ready orchestrator
for role in schema_agent sql_agent verify_agent executor; do
	check "$role finds the new orchestrator" wait_until $WAIT_S in_service $role
done
kill -STOP "${PID[sql]}"
ask >"$T/over.json" 2>"$T/over.err" &
client=$!
check "another is at work" wait_until $WAIT_S busy sql
stop_daemon orchestrator
is "a drain that takes too long ends all the same" "$(($? < 2))" 1
kill -CONT "${PID[sql]}"
wait $client
is "and its client gets an error, not silence" "$(($? != 0))" 1
outcome=$("$nlq" trace list --json --state-dir "$T/data" --limit 1 | jq -c '.[0] | [.outcome, .error_class]')
is "with an outcome in the trace" "$outcome" '["failed","cancelled"]'
done_testing
