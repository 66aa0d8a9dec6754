#!/bin/bash
# Runs test programs (cmocka, TAP) and test scripts (*.sh, TAP): programs several
# at a time, scripts one by one. What counts as failed is in tests/README.md.
# The last line is "N passed, N failed, N skipped"; exit 1 if any failed or
# nothing ran.
#   tests/run.sh PROGRAM... SCRIPT...
# Env: NLQ_JOBS programs at once; NLQ_TIMEOUT_FACTOR; NLQ_VARIANT names the log folder.
set -u
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/.." && pwd)
logs=$root/build/test-logs/${NLQ_VARIANT:-release}
jobs=${NLQ_JOBS:-$(nproc)}
unit_timeout_s=60
script_timeout_s=120
factor=${NLQ_TIMEOUT_FACTOR:-1}
[[ ${NLQ_VARIANT:-} == san-* ]] && factor=$((factor * 3))
sanitizer_text='ERROR: [A-Za-z]*Sanitizer|SUMMARY: [A-Za-z]*Sanitizer|\.[ch]:[0-9]+:[0-9]+: runtime error:'

# Detected errors must show in the exit code of whichever process has them.
export ASAN_OPTIONS=${ASAN_OPTIONS:-exitcode=99:abort_on_error=0:detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:exitcode=99}

mkdir -p "$logs"
[[ -n ${NLQ_DATA:-} && -d $NLQ_DATA ]] && NLQ_DATA=$(cd "$NLQ_DATA" && pwd) && export NLQ_DATA

# A script may ask for more time in a comment "# timeout_s: 300".
timeout_of() {
	local own
	if [[ $1 != *.sh ]]; then
		echo $((unit_timeout_s * factor))
		return
	fi
	own=$(sed -n 's/^# timeout_s: \([0-9][0-9]*\).*/\1/p' "$1" | head -n 1)
	echo $((${own:-$script_timeout_s} * factor))
}

# Reads TAP, prints "passed failed skipped planned"; planned is "none" without a
# plan. A group of cmocka tests prints a plan of its own, so plans add up.
count_tap() {
	awk '
	/^1\.\.[0-9]+/ {
		has_plan = 1
		n = $1; sub(/^1\.\./, "", n); planned += n
		if (n == 0 && toupper($0) ~ /# *SKIP/) { whole = 1 }
		next
	}
	/^(not )?ok([ \t]|$)/ {
		points++
		if (toupper($0) ~ /# *SKIP/) skipped++
		else if ($1 == "ok") passed++
		else failed++
	}
	END {
		if (whole && points == 0) skipped = 1
		printf "%d %d %d %s %d\n", passed, failed, skipped, has_plan ? planned : "none", points
	}' "$1"
}

# Processes that carry this test's mark in their environment. (The grep that looks
# has no mark; it is set for the test alone.)
marked_pids() {
	grep -lszxF "NLQ_TEST_ID=$1" /proc/[0-9]*/environ | sed 's:[^0-9]::g'
}

# Runs one test; leaves NAME.result: status, counts, time, reasons.
run_one() {
	local test=$1 name dir limit_s rc start end why=() pid command=("$1")
	local passed failed skipped planned points
	[[ $test == *.sh ]] && command=("$BASH" "$test")
	name=$(basename "$test" .sh)
	dir=$logs/$name
	rm -rf "$dir"
	mkdir -p "$dir/logs"
	limit_s=$(timeout_of "$test")
	start=$(date +%s%N)
	NLQ_TEST_ID=$name.$$ NLQ_TEST_LOGS=$dir/logs \
		timeout -k 10 "$limit_s" "${command[@]}" >"$dir/out" 2>"$dir/err" </dev/null
	rc=$?
	end=$(date +%s%N)
	read -r passed failed skipped planned points < <(count_tap "$dir/out")

	if [[ $rc == 124 || $rc == 137 ]]; then
		why+=("ran longer than $limit_s s, or was killed")
	elif ((rc > 128)); then
		why+=("crashed: signal $((rc - 128))")
	elif ((rc != 0 && failed == 0)); then
		why+=("exit code $rc without a failed test")
	fi
	if [[ $planned == none ]]; then
		why+=("no plan (1..N): it did not run to its end")
	elif ((planned != points)); then
		why+=("planned $planned tests, ran $points")
	fi
	if grep -rqE "$sanitizer_text" "$dir"; then
		why+=("a sanitizer report: $(grep -rhoE -m 1 "($sanitizer_text).*" "$dir" | head -n 1)")
	fi
	for pid in $(marked_pids "$name.$$"); do
		why+=("left a process: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)")
		kill -KILL "$pid" 2>/dev/null
	done
	failed=$((failed + ${#why[@]}))
	{
		echo "$passed $failed $skipped $(((end - start) / 1000000))"
		((${#why[@]})) && printf '%s\n' "${why[@]}"
	} >"$dir/result"
}

report_one() {
	local name dir passed failed skipped ms
	name=$(basename "$1" .sh)
	dir=$logs/$name
	if [[ ! -s $dir/result ]]; then
		echo "FAIL $name: the runner lost it"
		total_failed=$((total_failed + 1))
		return
	fi
	read -r passed failed skipped ms <"$dir/result"
	total_passed=$((total_passed + passed))
	total_failed=$((total_failed + failed))
	total_skipped=$((total_skipped + skipped))
	if ((failed == 0)); then
		printf 'ok   %-28s %3d passed, %d skipped, %d.%03d s\n' \
			"$name" "$passed" "$skipped" $((ms / 1000)) $((ms % 1000))
		grep -hiE '# *SKIP' "$dir/out" | sed 's/^/     /' | head -n 10
		return
	fi
	printf 'FAIL %-28s %3d passed, %d failed, %d skipped\n' "$name" "$passed" "$failed" "$skipped"
	tail -n +2 "$dir/result" | sed 's/^/  ! /'
	grep -hE -A 8 '^not ok' "$dir/out" | grep -v '^ok' | sed 's/^/  | /' | head -n 60
	tail -n 30 "$dir/err" | cut -c 1-400 | sed 's/^/  > /'
	echo "  all of it: ${dir#"$root"/}/"
}

# A program that measures time says so in its source: it gets the machine to itself.
runs_alone() {
	[[ $1 == *.sh ]] || grep -qs '^/\* Runs alone' "$root/tests/unit/$(basename "$1").c"
}

programs=()
one_by_one=()
for test in "$@"; do
	if runs_alone "$test"; then one_by_one+=("$test"); else programs+=("$test"); fi
done
total_passed=0 total_failed=0 total_skipped=0

running=0
for test in "${programs[@]}"; do
	((running >= jobs)) && wait -n && running=$((running - 1))
	run_one "$test" &
	running=$((running + 1))
done
wait
for test in "${programs[@]}"; do report_one "$test"; done
for test in "${one_by_one[@]}"; do
	run_one "$test"
	report_one "$test"
done

echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
((total_failed == 0 && $# > 0))
