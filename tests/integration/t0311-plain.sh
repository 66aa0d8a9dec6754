#!/bin/bash
# Plain questions on public databases (tests/golden/plain_spider.jsonl): answered
# right by result through all five daemons.
# timeout_s: 180
source "$(dirname "$0")/lib.sh"

dbs=$DATA/spider/databases
[[ -n $DATA && -d $dbs ]] || skip_all "no evaluation data (NLQ_DATA)"

start_daemon up "$BIN/nlq" up --db "$dbs/singer/singer.sqlite"
wait_until $WAIT_S "$BIN/nlq" status || not_ok "the private stack comes up" "$(tail -n 5 "$LOGS/up.err")"

"$ROOT/tests/answers.sh" "$ROOT/tests/golden/plain_spider.jsonl" --databases "$dbs" >"$T/plain.tsv"
while IFS=$'\t' read -r id verdict rc question rest; do
	[[ -n $verdict ]] || continue
	if [[ $verdict == right ]]; then ok "$id: $question"; else not_ok "$id: $question" "$verdict, exit $rc" "$rest"; fi
done <"$T/plain.tsv"
is "all 20 were asked" "$(grep -c '^p' "$T/plain.tsv")" 20

stop_daemon up INT
done_testing
