#!/bin/bash
# The executor as a daemon: its walls in the status, queries at their deadline and after
# Ctrl-C, its helpers killed, damaged files, and a database that stays as it was.
. "$(dirname "$0")/lib.sh"

command -v sqlite3 >/dev/null || skip_all "no sqlite3 program to make a database with"

mkdir -p "$T/db"
sqlite3 "$T/db/shop.sqlite" "CREATE TABLE orders(id INTEGER PRIMARY KEY, item TEXT, price REAL);
	INSERT INTO orders VALUES(1,'tea',2.5),(2,'coffee',3.5),(3,'water',NULL);"
sum() { (cd "$T/db" && sha256sum shop.sqlite && ls -la --time-style=full-iso . | grep -v ' \.\.$'); }
before=$(sum)

ENDLESS='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
nlq() { "$BIN/nlq" "$@"; }
run() { nlq sql run "--run-dir=$R" --source db "$@"; }
children() { tr " " "\n" 2>/dev/null <"/proc/$1/task/$1/children" | grep .; }
zygote() { children "${PID[executor]}"; }
# The worker that burns processor time.
busy_worker() {
	local w
	for w in $(children "$(zygote)"); do
		[[ $(awk '{print $3}' "/proc/$w/stat" 2>/dev/null) == R ]] && echo "$w" && return 0
	done
	return 1
}

start_stack -d "$T/db/shop.sqlite" && ok "the stack gets ready" || not_ok "the stack gets ready"
exits "a query runs" 0 run --csv "SELECT item FROM orders WHERE price > 3"
is "and gives its row" "${OUT//$'\r'/}" $'item\ncoffee'
exits "the status is there" 0 nlq status "--run-dir=$R" --json
like "it says what is in force" "$OUT" "seccomp default-kill, landlock ABI [0-9]+, no_new_privs, rlimits"

for sql in "DROP TABLE orders" "PRAGMA query_only=0" "ATTACH ':memory:' AS x" "SELECT load_extension('x')"; do
	exits "refused: $sql" 5 run "$sql"
done
exits "an unknown column is an error with a fix" 1 run "SELECT prise FROM orders"
like "it names what is near" "$ERR" "price"

start=$(now_ms)
exits "an endless query ends at its time limit" 7 run --timeout 500ms "$ENDLESS"
took=$(($(now_ms) - start))
((took < 3000)) && ok "soon after it" || not_ok "soon after it" "$took ms"
exits "and the next one runs" 0 run "SELECT count(*) FROM orders"

# Ctrl-C frees the worker within 200 ms.
"$BIN/nlq" sql run "--run-dir=$R" --source db --timeout 9s "$ENDLESS" >"$T/c.out" 2>"$T/c.err" &
client=$!
check "a worker is at work" wait_until 5 busy_worker
worker=$(busy_worker)
# Without a process started in between: that alone can take as long here.
start=${EPOCHREALTIME/./}
kill -INT $client
end=$((start + 5000000))
while kill -0 "$worker" 2>/dev/null && ((${EPOCHREALTIME/./} < end)); do :; done
took=$(((${EPOCHREALTIME/./} - start) / 1000))
limit=200
[[ $VARIANT == release ]] || limit=1000
((took <= limit)) && ok "Ctrl-C frees it within $limit ms" || not_ok "Ctrl-C frees it within $limit ms" "$took ms"
wait $client
exits "and the next query runs" 0 run "SELECT count(*) FROM orders"

# A client that is killed cannot say so itself.
"$BIN/nlq" sql run "--run-dir=$R" --source db --timeout 9s "$ENDLESS" >"$T/c.out" 2>"$T/c.err" &
client=$!
check "another worker is at work" wait_until 5 busy_worker
worker=$(busy_worker)
kill -KILL $client
check "its end frees the worker too" wait_until 2 is_gone "$worker"
wait $client 2>/dev/null

# A worker that is killed in a query: tried again, and the request ends once.
"$BIN/nlq" sql run "--run-dir=$R" --source db --timeout 2s "$ENDLESS" >"$T/c.out" 2>"$T/c.err" &
client=$!
check "one more is at work" wait_until 5 busy_worker
kill -KILL "$(busy_worker)"
wait $client
is "the request ends with a typed error" "$(($? == 7 || $? == 1))" 1
exits "and the next query runs" 0 run "SELECT count(*) FROM orders"

is "the database and its folder are as they were" "$(sum)" "$before"

# The zygote is gone: the executor ends with 1, for its supervisor to start again.
executor=${PID[executor]}
kill -KILL "$(zygote)"
check "without its zygote the executor ends" wait_until 5 is_gone "$executor"
wait "$executor"
is "with 1" "$?" 1
unset "PID[executor]"
start_daemon executor "$BIN/nlq-executor" -c "$T/executor.yaml"
check "it starts again" wait_ready executor
exits "and the next query runs" 0 run "SELECT count(*) FROM orders"

# kill -9 of the daemon takes zygote and workers along.
z=$(zygote)
worker=$(children "$z" | head -n 1)
kill -KILL "${PID[executor]}"
check "the zygote dies with the daemon" wait_until 3 is_gone "$z"
check "and so do the workers" wait_until 3 is_gone "${worker:-$z}"
wait "${PID[executor]}" 2>/dev/null
unset "PID[executor]"

stop_stack
done_testing
