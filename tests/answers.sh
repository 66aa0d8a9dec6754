#!/bin/bash
# Asks every question of a set through nlq and holds the answers against the gold.
#   tests/answers.sh FILE.jsonl --db FILE [--semantic DIR] [--keep DIR]
#   tests/answers.sh FILE.jsonl --databases DIR              (DIR/<db_id>/<db_id>.sqlite)
# Uses the caller's running stack, else one for each call. A line a question: id,
# verdict, exit code, question, answer, SQL (tab-separated); the verdict is right,
# wrong, declined (or another outcome), and for a question that the data cannot
# answer declined is right. --keep keeps each answer as DIR/ID.json. The last line
# counts them. Env: NLQ_BIN, NLQ_TESTS as make sets them.
set -u
bin=${NLQ_BIN:-build/bin} tools=${NLQ_TESTS:-build/release/tests}
file=$1
shift
db= databases= semantic=() keep=
while (($#)); do
	case $1 in
	--db) db=$2 ;;
	--databases) databases=$2 ;;
	--semantic) semantic=(--semantic "$2") ;;
	--keep) keep=$2 ;;
	*) echo "answers.sh: unknown option $1" >&2 && exit 2 ;;
	esac
	shift 2
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

declare -A count=()
while IFS=$'\t' read -r id kind db_id question gold; do
	of=${db:-$databases/$db_id/$db_id.sqlite}
	"$bin/nlq" ask --db "$of" "${semantic[@]}" --json "$question" >"$tmp/answer.json" 2>"$tmp/err"
	rc=$?
	[[ -n $keep ]] && cp "$tmp/answer.json" "$keep/$id.json"
	if [[ $kind == unanswerable ]]; then
		((rc == 3)) && verdict=right || verdict=wrong
	else
		verdict=$("$tools/gold_check" "$of" "$gold" <"$tmp/answer.json")
		[[ $verdict == equal || $verdict == superset ]] && verdict=right
		[[ $verdict == right && $rc != 0 ]] && verdict="right but exit $rc"
	fi
	count[$kind $verdict]=$((${count[$kind $verdict]:-0} + 1))
	printf '%s\t%s\t%s\t%s\t%s\n' "$id" "$verdict" "$rc" "$question" \
		"$(jq -r '[.answer // .error.text // "", .sql // ""] | @tsv' "$tmp/answer.json")"
done < <(jq -r '[.id, .kind // "answerable", .db_id // "-", .question, (.gold_sql | if type == "array" then .[0] // "-" else . end)] | @tsv' "$file")

line=
for key in "${!count[@]}"; do line+="${count[$key]} $key, "; done
echo "answers: ${line%, }"
