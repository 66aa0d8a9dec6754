#!/bin/bash
# The 30 demo questions on 3, 28 and 292 tables: what can be answered is right by
# result, what cannot is declined, nothing is wrong.
# timeout_s: 240
source "$(dirname "$0")/lib.sh"

demo=$ROOT/build/demo
[[ -f $demo/energy_292.sqlite ]] || skip_all "make demo-data was not run"

start_daemon up "$BIN/nlq" up --db "$demo/energy.sqlite" --semantic "$demo/semantic"
wait_until $WAIT_S "$BIN/nlq" status || not_ok "the private stack comes up" "$(tail -n 5 "$LOGS/up.err")"

# ask_all NAME SEMANTIC
ask_all() {
	mkdir "$T/$1"
	"$ROOT/tests/answers.sh" "$ROOT/deploy/demo/energy/questions.jsonl" --db "$demo/$1.sqlite" \
		--semantic "$demo/$2" --keep "$T/$1" >"$T/$1.tsv"
	is "$1: no answer is wrong" "$(awk -F'\t' '$2 ~ /wrong/' "$T/$1.tsv")" ""
	is "$1: all 26 are answered right and all 4 that cannot be are declined" \
		"$(awk -F'\t' 'NF > 1 && $2 != "right"' "$T/$1.tsv")$(grep -c $'\tright\t' "$T/$1.tsv")" 30
}

ask_all energy semantic
ask_all energy_28 semantic_wide
ask_all energy_292 semantic_wide

# field ID JQ: of the answer on the smallest database
field() { jq -r "$2" "$T/energy/$1.json"; }
for lang in zh en; do
	like "m1-$lang: the leader and its amount stand in the evidence" "$(field "m1-$lang" '[.steps[].rows] | tostring')" '中国石油.*9\.36|9\.36.*中国石油'
	like "m1-$lang: the answer gives the profit with its unit" "$(field "m1-$lang" '.answer + " " + (.unit // "")')" '1611\.5 ?亿元'
	is "m2-$lang: the difference is computed and shown without artefacts" "$(field "m2-$lang" '.answer' | grep -o '2012\.1[0-9]*')" "2012.1"
	for id in u1 u2; do
		like "$id-$lang: the answer names the unit of the threshold" "$(field "$id-$lang" '(.assumptions + .definitions + [.certificate[].detail]) | join(" ")')" '亿元'
	done
	like "x1-$lang: the decline names what is not there" "$(field "x1-$lang" '.answer + (.error.text // "")')" '员工|employees'
	like "x2-$lang: the decline names the period that the data has" "$(field "x2-$lang" '.answer + (.error.text // "")')" '2023'
done

exits "a question about the schema is described" 0 "$BIN/nlq" ask --json "有哪些表？"
is "from the catalog, without a query" "$(jq -c '[.outcome, .sql, (.answer | test("financials.*18"))]' <<<"$OUT")" '["described",null,true]'

stop_daemon up INT
is "nlq up ends with 0 or 130" "$(( $? == 0 || $? == 130 ))" 1
done_testing
