#!/bin/bash
# The 30 demo questions on 3, 28 and 292 tables: what can be answered is right by
# result, what cannot is declined, nothing is wrong.
# timeout_s: 240
source "$(dirname "$0")/lib.sh"

demo=$ROOT/build/demo
[[ -f $demo/energy_292.sqlite ]] || skip_all "make demo-data was not run"

start_daemon up "$BIN/nlq" up --db "$demo/energy.sqlite" --semantic "$demo/semantic"
wait_until $WAIT_S "$BIN/nlq" status || not_ok "the private stack comes up" "$(tail -n 5 "$LOGS/up.err")"

# ask_all NAME SEMANTIC: every question; says which went wrong.
ask_all() {
	local name=$1 semantic=$2 db=$demo/$1.sqlite id kind question gold rc verdict
	local right=0 declined=0 wrong=() missed=()
	while IFS=$'\t' read -r id kind question gold; do
		"$BIN/nlq" ask --db "$db" --semantic "$demo/$semantic" --json "$question" >"$T/answer.json" 2>"$T/answer.err"
		rc=$?
		cp "$T/answer.json" "$T/$name.$id.json"
		if [[ $kind == unanswerable ]]; then
			if ((rc == 3)); then declined=$((declined + 1)); else wrong+=("$id (exit $rc): $question"); fi
			continue
		fi
		verdict=$("$TOOLS/gold_check" "$db" "$gold" <"$T/answer.json")
		case $verdict in
		equal | superset) ((rc == 0)) && right=$((right + 1)) || wrong+=("$id (right, but exit $rc)") ;;
		wrong) wrong+=("$id: $question: $(jq -r .sql "$T/answer.json")") ;;
		*) missed+=("$id ($verdict, exit $rc): $question $(jq -r '.answer // .error.text' "$T/answer.json")") ;;
		esac
	done < <(jq -r '[.id, .kind, .question, (.gold_sql[0] // "-")] | @tsv' "$ROOT/deploy/demo/energy/questions.jsonl")
	is "$name: no answer is wrong" "$(printf '%s\n' "${wrong[@]}")" ""
	is "$name: all 26 answerable questions are answered right" "$right $(printf '%s\n' "${missed[@]}")" "26 "
	is "$name: all 4 unanswerable questions are declined" "$declined" 4
}

ask_all energy semantic
ask_all energy_28 semantic_wide
ask_all energy_292 semantic_wide

# field ID JQ: of the answer on the smallest database
field() { jq -r "$2" "$T/energy.$1.json"; }
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

stop_daemon up INT
is "nlq up ends with 0 or 130" "$(( $? == 0 || $? == 130 ))" 1
done_testing
