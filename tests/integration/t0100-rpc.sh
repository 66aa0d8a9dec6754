#!/bin/bash
# Pull dispatch between processes, on the dummy role: workers come, die, drain and are
# added; the dispatcher is killed and started again; foreign bytes on the socket.
source "$(dirname "$0")/lib.sh"

tool=$TOOLS/test_tool
mkdir -m 700 "$T/run"
sock=$T/run/sock
url=ipc://$sock

# start_broker: answers jobs that come by descriptor 3 with lines on descriptor 4.
start_broker() {
	rm -f "$T/in" "$T/out"
	mkfifo "$T/in" "$T/out"
	"$tool" broker "$url" <"$T/in" >"$T/out" 2>>"$LOGS/broker.err" 4>&- &
	PID[broker]=$!
	exec 3>"$T/in" 4<"$T/out"
	read -r -t "$WAIT_S" -u 4 line && [[ $line == ready ]]
}

# job BODY: its outcome in REPLY: CODE ATTEMPTS TEXT
job() {
	REPLY=
	echo "$1" >&3
	read -r -t $((2 * WAIT_S)) -u 4 REPLY
}

start_worker() {
	"$tool" worker "$url" "$2" </dev/null >>"$LOGS/$1.err" 2>&1 3>&- 4>&- &
	PID[$1]=$!
}

forget() {
	wait_until "$WAIT_S" is_gone "${PID[$1]}" || return
	wait "${PID[$1]}" 2>/dev/null
	unset "PID[$1]"
}

if start_broker; then ok "a dispatcher starts"; else not_ok "a dispatcher starts"; fi
start_worker a 1
job pid
is "a worker that comes later gets the job" "$REPLY" "ok 1 ${PID[a]}"

refute "a second dispatcher is refused" "$tool" broker "$url"
job hello
is "and does no harm" "$REPLY" "ok 1 hello"

# --- load ------------------------------------------------------------------------
start_worker b 1
seen_both() {
	local i seen=
	for i in 1 2 3 4; do job pid && seen+=" ${REPLY##* }"; done
	[[ $seen == *" ${PID[a]}"* && $seen == *" ${PID[b]}"* ]]
}
check "a second worker takes its share without any setting" wait_until "$WAIT_S" seen_both

# --- sizes and errors ---------------------------------------------------------------
job "big 4194304"
like "a reply over the limit is a typed error" "$REPLY" "^too_large 1 .*limit"
job error
is "a handler's error arrives" "$REPLY" "runtime 1 asked to fail"

# --- death -----------------------------------------------------------------------
start_worker c 1
slots_are_three() {
	local i seen=
	for i in 1 2 3 4 5 6; do job pid && seen+=" ${REPLY##* }"; done
	[[ $(tr ' ' '\n' <<<"$seen" | sort -u | grep -c .) == 3 ]]
}
check "three workers are there" wait_until "$WAIT_S" slots_are_three
job kill
like "a job that kills three workers ends in a typed error" "$REPLY" "^unavailable 3 .*died"
for name in a b c; do forget $name; done

# --- the dispatcher dies ------------------------------------------------------------
start_worker d 2
job pid
is "a new worker serves" "$REPLY" "ok 1 ${PID[d]}"
exec 3>&- 4<&-
stop_daemon broker KILL
if start_broker; then ok "one starts where one was killed"; else not_ok "one starts where one was killed"; fi
job pid
is "the same worker finds it" "$REPLY" "ok 1 ${PID[d]}"

# --- foreign bytes ------------------------------------------------------------------
for mode in http tls random header huge; do
	"$tool" raw "$sock" $mode >/dev/null 3>&- 4>&-
	job $mode
	is "serves on after $mode bytes" "$REPLY" "ok 1 $mode"
done
# nng 1.5.2 stops accepting for good after a few of these.
for ((i = 0; i < 20; i++)); do "$tool" raw "$sock" close >/dev/null 3>&- 4>&-; done
job x
is "connections survive peers that connect and close" "$REPLY" "ok 1 x"
start_worker f 1
served_by_f() {
	local i
	for i in 1 2 3; do job pid && [[ $REPLY == "ok 1 ${PID[f]}" ]] && return 0; done
	return 1
}
check "and new ones are accepted again" wait_until "$WAIT_S" served_by_f
stop_daemon f

for hex in "" 00 0801 08011001 08021001 080110ff01 474554202f; do
	like "message '$hex' is answered with an error" "$("$tool" send "$url" "$hex")" "^kind 59 ."
done

# --- drain -------------------------------------------------------------------------
start_worker e 1
echo "sleep 300" >&3
stop_daemon d
is "a draining worker ends with 0" $? 0
read -r -t "$WAIT_S" -u 4 REPLY
like "and no job is lost" "$REPLY" "^ok 1 "
job pid
is "the other one serves on" "$REPLY" "ok 1 ${PID[e]}"
stop_daemon e
is "it drains too" $? 0
exec 3>&-
forget broker
exec 4<&-

done_testing
