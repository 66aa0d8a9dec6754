#!/bin/bash
# make demo: starts a private stack on the demo database, asks the demo questions
# in both languages, shows answer, SQL and evidence, stops the stack.
set -u
bin=${NLQ_BIN:?set by make}
demo=build/demo
here=$(dirname "$0")
run=$(mktemp -d)
export XDG_RUNTIME_DIR=$run XDG_STATE_HOME=$run/state
"$bin/nlq" up --db "$demo/energy.sqlite" --semantic "$demo/semantic" --ready-file "$run/ready" &
stack=$!
trap 'kill -TERM $stack 2>/dev/null; wait $stack 2>/dev/null; rm -rf "$run"' EXIT
for _ in $(seq 100); do
	[ -e "$run/ready" ] && break
	kill -0 $stack 2>/dev/null || { echo "demo: the stack did not start" >&2; exit 1; }
	sleep 0.05
done
[ -e "$run/ready" ] || { echo "demo: the stack was not ready in 5 s" >&2; exit 1; }

answered=0 declined=0 bad=0
while IFS=$'\t' read -r kind question; do
	printf '\n\033[1m> %s\033[0m\n' "$question"
	"$bin/nlq" ask "$question"
	rc=$?
	case $kind/$rc in
	answerable/0) answered=$((answered + 1)) ;;
	unanswerable/3) declined=$((declined + 1)) ;;
	*) bad=$((bad + 1)); echo "demo: unexpected exit code $rc" >&2 ;;
	esac
done < <(jq -r '[.kind, .question] | @tsv' "$here/energy/questions.jsonl")
printf '\ndemo: %d answered, %d declined as they should be, %d unexpected\n' $answered $declined $bad
[ $bad -eq 0 ]
