#!/bin/bash
# Every fuzz target reads its stored inputs again.
. "$(dirname "$0")/lib.sh"

found=0
for program in "$TOOLS"/fuzz_*; do
	name=$(basename "$program")
	corpus=$ROOT/tests/fuzz/corpus/${name#fuzz_}
	[[ -x $program && $name != *.* ]] || continue
	found=$((found + 1))
	check "$name has stored inputs" test -d "$corpus"
	"$program" "$corpus" >"$LOGS/$name.out" 2>"$LOGS/$name.err"
	rc=$?
	if ((rc == 0)); then
		ok "$name takes them: $(<"$LOGS/$name.out")"
	else
		not_ok "$name takes them" "exit code $rc" "$(tail -n 5 "$LOGS/$name.err")"
	fi
done
check "there are fuzz targets" test "$found" -gt 0

done_testing
