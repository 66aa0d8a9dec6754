#!/bin/bash
# Every way out of a worker's sandbox is tried and refused, and the executor does not
# start without one of its walls. The attempts are in tests/sandbox/escape.c.
. "$(dirname "$0")/lib.sh"

[[ $VARIANT == release || $VARIANT == debug ]] || skip_all "the sanitizers' run time needs calls that an escape makes"

mkdir -m 700 "$T/escape"
"$TOOLS/escape" "$T/escape" >"$T/escape.out" 2>"$T/escape.err"
is "the program ran to its end" "$?" 0
while IFS= read -r line; do
	name=${line#* - }
	case $line in
	ok*) ok "$name" ;;
	not\ ok*) not_ok "$name" ;;
	esac
done <"$T/escape.out"
is "it made every attempt" "$(grep -c '^ok' "$T/escape.out")" "$(sed -n 's/^1\.\.//p' "$T/escape.out")"
is "the database is as it was" "$(find "$T/escape" -type f -o -type l | sort | xargs -n1 basename | tr '\n' ' ')" "a.db link other "

done_testing
