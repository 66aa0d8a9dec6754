#!/bin/bash
# The test runner itself: whatever goes wrong in a test must be counted as failed.
. "$(dirname "$0")/lib.sh"

mkdir -p "$T/tests"
make_test() { # NAME BODY
	printf '#!/bin/bash\n%s\n' "$2" >"$T/tests/$1"
	chmod +x "$T/tests/$1"
}

# A copy, so that its logs do not land among those of this very run.
mkdir -p "$T/tree/tests"
cp "$ROOT/tests/run.sh" "$T/tree/tests/"
run() { env -u NLQ_TEST_LOGS NLQ_TEST_ID= NLQ_VARIANT=self "$T/tree/tests/run.sh" "$@" 2>&1; }

# expect NAME BODY LAST-LINE: the whole run ends in that line and in that exit code.
expect() {
	local out rc want_rc=1
	make_test case.sh "$2"
	out=$(run "$T/tests/case.sh")
	rc=$?
	[[ $3 == *' 0 failed, '* ]] && want_rc=0
	if [[ $(tail -n 1 <<<"$out") == "$3" && $rc == "$want_rc" ]]; then
		ok "$1"
	else
		not_ok "$1" "exit code $rc, want $want_rc, and last line: $3" "$out"
	fi
}

expect "counts what passed" 'echo 1..2; echo ok 1 - a; echo "ok 2 - b"' "2 passed, 0 failed, 0 skipped"
expect "counts what failed" 'echo 1..2; echo ok 1 - a; echo "not ok 2 - b"' "1 passed, 1 failed, 0 skipped"
expect "counts what was skipped" 'echo 1..2; echo ok 1 - a; echo "ok 2 - b # SKIP no data"' \
	"1 passed, 0 failed, 1 skipped"
expect "takes the plan at the end" 'echo ok 1 - a; echo 1..1' "1 passed, 0 failed, 0 skipped"
expect "adds up several plans" 'echo 1..1; echo ok 1 - a; echo 1..1; echo ok 1 - b' "2 passed, 0 failed, 0 skipped"
expect "a skipped script is one skip" 'echo "1..0 # SKIP not root"' "0 passed, 0 failed, 1 skipped"
expect "no plan is a failure" 'echo ok 1 - a' "1 passed, 1 failed, 0 skipped"
expect "no output is a failure" 'true' "0 passed, 1 failed, 0 skipped"
expect "fewer tests than planned is a failure" 'echo 1..3; echo ok 1 - a' "1 passed, 1 failed, 0 skipped"
expect "more tests than planned is a failure" 'echo 1..1; echo ok 1 - a; echo ok 2 - b' "2 passed, 1 failed, 0 skipped"
expect "a crash after the last test is a failure" 'echo 1..1; echo ok 1 - a; kill -SEGV $$' \
	"1 passed, 1 failed, 0 skipped"
expect "an exit code without a failed test is a failure" 'echo 1..1; echo ok 1 - a; exit 3' \
	"1 passed, 1 failed, 0 skipped"
expect "a crash half way is two failures" 'echo 1..2; echo ok 1 - a; kill -ABRT $$' "1 passed, 2 failed, 0 skipped"
expect "a sanitizer report on stderr is a failure" \
	'echo 1..1; echo ok 1 - a; echo "==1==ERROR: AddressSanitizer: heap-use-after-free" >&2' \
	"1 passed, 1 failed, 0 skipped"
expect "a sanitizer report in a log is a failure" \
	'echo 1..1; echo ok 1; echo "x.c:1:2: runtime error: shift" >"$NLQ_TEST_LOGS/a.err"' \
	"1 passed, 1 failed, 0 skipped"
expect "words about runtime errors are no report" \
	'echo 1..1; echo "ok 1 - says runtime error: in text" ; echo "a runtime error: x" >&2' \
	"1 passed, 0 failed, 0 skipped"
expect "a test that runs too long is a failure" '# timeout_s: 1
echo 1..1; echo ok 1 - a; sleep 60' "1 passed, 1 failed, 0 skipped"
expect "a process that is left behind is a failure and is ended" \
	'setsid sleep 54321 >/dev/null 2>&1 & echo 1..1; echo ok 1 - a' "1 passed, 1 failed, 0 skipped"
sleepers() {
	local file
	for file in /proc/[0-9]*/cmdline; do
		[[ $(tr '\0' ' ' <"$file") == "sleep 54321 " ]] && echo "$file"
	done 2>/dev/null
}
no_sleepers() { [[ -z $(sleepers) ]]; }
check "the left process is gone" wait_until 5 no_sleepers
expect "text that only looks like a result is none" \
	'echo 1..1; echo "okay 1"; echo "  ok 2 - indented"; echo "not okay"; echo ok 1 - a' \
	"1 passed, 0 failed, 0 skipped"

# lib.sh's own checks at the end of a script.
lib=". '$ROOT/tests/integration/lib.sh'; ok first"
expect "a script that leaves nothing passes" "$lib; done_testing" "4 passed, 0 failed, 0 skipped"
expect "a script that leaves a process fails, and ends it" \
	"$lib; setsid sleep 54321 >/dev/null 2>&1 & sleep 0.2; done_testing" "3 passed, 1 failed, 0 skipped"
check "the left process is gone" wait_until 5 no_sleepers
expect "a script that leaves a socket fails" \
	"$lib; make_run_folder; start_daemon o '$BIN/nlq-orchestrator' --run_dir=\$R --state_dir=\$T/data; wait_ready o
	stop_daemon o KILL; done_testing" "3 passed, 1 failed, 0 skipped"
expect "a script that ends before done_testing fails" "$lib; exit 0" "1 passed, 1 failed, 0 skipped"

out=$(run)
is "running nothing is an error" "$?:$(tail -n 1 <<<"$out")" "1:0 passed, 0 failed, 0 skipped"
out=$(run "$T/tests/nonexistent")
is "a missing program is a failure" "$?" 1

# Programs run several at a time, and each keeps its own result.
for i in 1 2 3 4 5; do
	make_test "test_p$i" "echo 1..1; echo ok 1 - a"
done
make_test test_p3 'echo 1..1; echo "not ok 1 - broken"; echo why it broke >&2'
out=$(NLQ_JOBS=3 run "$T"/tests/test_p[1-5])
is "parallel programs are all counted" "$(tail -n 1 <<<"$out")" "4 passed, 1 failed, 0 skipped"
like "a failure is shown by name" "$out" 'not ok 1 - broken'
like "a failure is shown with its stderr" "$out" 'why it broke'

done_testing
