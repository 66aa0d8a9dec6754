#!/bin/bash
# Prints one JSON object: a warm compose question end to end, beside a chain of five
# bare nng hops (client, ground, step, run, verify) and the bare SQLite query, all
# measured in turn in the same run; start-up; memory. The ratio is the figure: the
# absolute times are those of this machine at this moment.
#   BENCH_ROUNDS=500 BENCH_TURNS=3 tests/bench/run.sh
source "$(dirname "$0")/../integration/lib.sh"

rounds=${BENCH_ROUNDS:-500}
turns=${BENCH_TURNS:-3}
demo=$ROOT/build/demo
question="2023年有多少家公司营业收入超过1亿元？"
TAP_DONE=1

fail() {
	echo "bench: $1" >&2
	exit 1
}

[[ -f $demo/energy.sqlite ]] || fail "make demo-data was not run"

median() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

# Process, PSS in KiB of it and of everything below it.
pss() { awk '/^Pss:/ {print $2}' "/proc/$1/smaps_rollup" 2>/dev/null || echo 0; }

# --- start-up, by nlq up: from the first fork to the last READY of five ----------------
ready=()
for ((i = 0; i < 5; i++)); do
	rm -f "$T/ready"
	start_daemon up "$BIN/nlq" up --db "$demo/energy.sqlite" --semantic "$demo/semantic" --ready-file "$T/ready"
	wait_until $WAIT_S test -e "$T/ready" || fail "nlq up does not get ready: $(tail -n 3 "$LOGS/up.err")"
	ready+=("$(grep -o 'ready in [0-9]*' "$LOGS/up.out" | tail -n 1 | grep -o '[0-9]*')")
	stop_daemon up INT
done
ready_ms=$(printf '%s\n' "${ready[@]}" | median)

# --- one stack per trace.sync, chain and questions in turn -----------------------------
measure() {
	local sync=$1 turn sql chain=() ask=()
	start_stack -d "$demo/energy.sqlite" -s "$demo/semantic" -o "--trace.sync=$sync" \
		-o --limits.running_per_principal=8 || fail "the stack does not start"
	sql=$("$BIN/nlq" ask --run-dir "$R" --json "$question" | jq -r .sql)
	[[ $sql == SELECT* ]] || fail "the question is not answered"
	for ((turn = 0; turn < turns; turn++)); do
		chain+=("$("$TOOLS/chain" 5 "$rounds" 1024)") || fail "chain"
		ask+=("$("$TOOLS/ask" "ipc://$R/client/sock" "$question" "$demo/energy.sqlite" "$sql" "$rounds")") || fail "ask"
	done
	if [[ $sync == normal ]]; then
		local name child total=0 workers=0
		for name in orchestrator executor schema sql verify; do
			total=$((total + $(pss "${PID[$name]}")))
		done
		# The executor's child is the zygote, whose children are the sealed workers.
		for child in $(pgrep -P "${PID[executor]}"); do
			total=$((total + $(pss "$child")))
			for name in $(pgrep -P "$child"); do workers=$((workers + $(pss "$name"))); done
		done
		echo "{\"pss_kb\":$total,\"workers_pss_kb\":$workers}" >"$T/memory"
	fi
	stop_stack || fail "the stack does not stop"
	jq -nc --argjson chain "$(printf '%s\n' "${chain[@]}" | jq -sc .)" \
		--argjson ask "$(printf '%s\n' "${ask[@]}" | jq -sc .)" --arg sql "$sql" '
		def med(f): map(f) | sort | .[(length - 1) / 2 | floor];
		{ask_p50_us: ($ask | med(.ask_p50_us)), ask_p99_us: ($ask | med(.ask_p99_us)),
		 per_second: ($ask | med(.per_second)), callers: $ask[0].callers,
		 chain5_p50_us: ($chain | med(.p50_us)), chain5_p99_us: ($chain | med(.p99_us)),
		 bare_sqlite_p50_us: ($ask | med(.bare_sqlite_p50_us)), sql: $sql}
		| . + {ratio_to_chain5: (.ask_p50_us / .chain5_p50_us * 100 | round / 100)}'
}

measure normal >"$T/normal" && measure full >"$T/full" || exit 1
jq -n --argjson normal "$(<"$T/normal")" --argjson full "$(<"$T/full")" --argjson memory "$(<"$T/memory")" --argjson ready "$ready_ms" \
	--arg question "$question" --argjson rounds "$rounds" --argjson turns "$turns" '
	{question: $question, rounds: $rounds, turns: $turns, trace_sync_normal: $normal, trace_sync_full: $full,
	 ready_ms: $ready, memory: $memory,
	 aims: {ratio_to_chain5: 2.5, ready_ms: 300, pss_kb: 61440}}'
