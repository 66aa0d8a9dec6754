#!/bin/bash
# Plain questions on public databases (tests/golden/plain_spider.jsonl): answered
# right by result through all five daemons.
# timeout_s: 180
source "$(dirname "$0")/lib.sh"

dbs=$DATA/spider/databases
[[ -n $DATA && -d $dbs ]] || skip_all "no evaluation data (NLQ_DATA)"

first=$dbs/singer/singer.sqlite
start_daemon up "$BIN/nlq" up --db "$first"
wait_until $WAIT_S "$BIN/nlq" status || not_ok "the private stack comes up" "$(tail -n 5 "$LOGS/up.err")"

while IFS=$'\t' read -r id db_id question gold; do
	db=$dbs/$db_id/$db_id.sqlite
	"$BIN/nlq" ask --db "$db" --json "$question" >"$T/answer.json" 2>"$T/answer.err"
	rc=$?
	verdict=$("$TOOLS/gold_check" "$db" "$gold" <"$T/answer.json")
	case $verdict in
	equal | superset) is "$id: $question" $rc 0 ;;
	*) not_ok "$id: $question" "$verdict, exit $rc" "sql: $(jq -r .sql "$T/answer.json")" "answer: $(jq -r '.answer // .error.text' "$T/answer.json")" ;;
	esac
done < <(jq -r '[.id, .db_id, .question, .gold_sql] | @tsv' "$ROOT/tests/golden/plain_spider.jsonl")

stop_daemon up INT
done_testing
