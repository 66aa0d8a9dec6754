#!/bin/bash
# Admission: a full queue refuses at once, and a principal that floods does not keep
# another from being served.
source "$(dirname "$0")/lib.sh"

sqlite3 "$T/shop.sqlite" "create table singer(singer_id integer primary key, name text); insert into singer values (1,'Ann'),(2,'Bo');"
if start_stack -d "$T/shop.sqlite" -o --limits.running=4 -o --limits.running_per_principal=2 -o --limits.waiting_per_principal=3; then
	ok "the stack comes up"
else
	not_ok "the stack comes up"
fi
nlq=$BIN/nlq
ask() { "$nlq" ask --run-dir "$R" --json "$@"; }
status() { "$nlq" status --run-dir "$R" --json; }
counts() { status | jq -c '[.running, .waiting]'; }
counts_are() { [[ $(counts) == "$1" ]]; }
exits "a question is answered" 0 ask "How many singers are there?"

# --- full queue ----------------------------------------------------------------------------
kill -STOP "${PID[sql]}"
clients=()
for i in 1 2 3 4 5; do
	ask "How many singers are there?" >"$T/full.$i" 2>&1 &
	clients+=($!)
done
check "two run and three wait" wait_until $WAIT_S counts_are '[2,3]'
start=$(now_ms)
exits "one more is refused" 6 ask "How many singers are there?"
is "at once" "$(($(now_ms) - start < 1000))" 1
is "as busy, to be tried again" "$(jq -c '[.error.code, .error.retry]' <<<"$OUT")" '["busy",true]'
# One of those that wait is given up by its client.
kill -INT "$(pgrep -P "${clients[4]}" -x nlq || echo "${clients[4]}")"
check "a client that gives up leaves the queue" wait_until $WAIT_S counts_are '[2,2]'
kill -CONT "${PID[sql]}"
rc=0
for i in 0 1 2 3; do wait "${clients[$i]}" || rc=$?; done
is "those that waited are answered" $rc 0
wait "${clients[4]}"
is "the one that gave up has the code of an interrupt" $? 130
check "nothing is left in the queue" wait_until 5 counts_are '[0,0]'

# --- two principals -------------------------------------------------------------------------
if [[ $(id -u) != 0 ]] || ! command -v setpriv >/dev/null; then
	skip "another principal is served during a flood" "needs root and setpriv"
	done_testing
	exit 0
fi
chmod 755 "$T" "$T/xdg" "$R" "$R/client"
chmod 666 "$R/client/sock"
mkdir -m 755 "$T/bin"
cp "$nlq" "$T/bin/"
other() { HOME=$T/nohome XDG_RUNTIME_DIR=$T/nohome XDG_STATE_HOME=$T/nohome setpriv --reuid=64110 --regid=64110 --clear-groups -- "$T/bin/nlq" "$@"; }
endless="WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
touch "$T/flooding"
flood() {
	while [[ -e $T/flooding ]]; do
		"$nlq" sql run --run-dir "$R" --timeout 300ms "$endless"
	done >"$T/flood.$1" 2>&1
}
flooders=()
for i in 1 2 3 4 5 6 7 8; do
	flood $i &
	flooders+=($!)
done
flooded() { [[ $(status | jq '.running + .waiting') -ge 5 ]]; }
check "one principal floods" wait_until $WAIT_S flooded
slow=0
for i in 1 2 3 4 5; do
	start=$(now_ms)
	other ask --run-dir "$R" --json "How many singers are there?" >"$T/other" 2>"$T/other.err" </dev/null
	rc=$?
	ms=$(($(now_ms) - start))
	((rc == 0)) || break
	((ms > slow)) && slow=$ms
done
is "another principal is answered all the same" "$rc $(jq -c .rows "$T/other" 2>/dev/null)" '0 [[2]]'
# Two of the four places are never the flood's; the processors are shared.
is "and without waiting for the flood (slowest $slow ms)" "$((slow < 1500))" 1
grep -q '"busy"\|limit' "$T"/flood.* && ok "the flood is told that it is too much" || not_ok "the flood is told that it is too much"
out=$(other trace list --run-dir "$R" --json --limit 1000)
is "a principal sees its own requests alone" "$(jq -c '[.[].question] | unique' <<<"$out")" '["How many singers are there?"]'
theirs=$("$nlq" trace list --run-dir "$R" --json --limit 1000 | jq -r '[.[] | select(.question | startswith("sql: WITH"))][0].request_id')
other trace show --run-dir "$R" "$theirs" >"$T/out" 2>&1
[[ $? == 1 ]] && ok "and cannot look at another's" || not_ok "and cannot look at another's" "$(<"$T/out")"
rm "$T/flooding"
for pid in "${flooders[@]}"; do wait "$pid"; done
done_testing
