#!/bin/bash
# Settings of every daemon: all of them are in deploy/conf, the samples are valid, and
# what is wrong stops the start with file and line.
. "$(dirname "$0")/lib.sh"

daemons="orchestrator schema-agent sql-agent verify-agent executor"

# Keys of --help, one a line.
help_keys() { "$BIN/nlq-$1" --help | sed -n '/^Settings/,$p' | sed -nE 's/^  ([a-z][a-z0-9_.]*) .*/\1/p'; }

# Keys of a settings file, dotted; two blanks a level.
file_keys() {
	sed -nE 's/^( *)([a-z][a-z0-9_]*):.*/\1|\2/p' "$1" | awk -F'|' '{
		level = length($1) / 2; path[level] = $2; key = path[0]
		for (i = 1; i <= level; i++) key = key "." path[i]
		print key
	}'
}

# The accounts of the samples need not exist here.
own_accounts() {
	case $1 in
	orchestrator) echo --users.schema_agent= --users.sql_agent= --users.verify_agent= --users.executor= ;;
	*) echo --peer_uid=any ;;
	esac
}

for daemon in $daemons; do
	program=$BIN/nlq-$daemon
	conf=$ROOT/deploy/conf/$daemon.yaml
	missing=$(comm -23 <(help_keys "$daemon" | sort) <(file_keys "$conf" | sort))
	is "$daemon: every setting is in deploy/conf" "$missing" ""
	[[ $(help_keys "$daemon" | wc -l) -ge 4 ]] && ok "$daemon: help lists settings" || not_ok "$daemon: help lists settings"
	# shellcheck disable=SC2046
	exits "$daemon: the sample is valid" 0 "$program" -t -c "$conf" $(own_accounts "$daemon")
	exits "$daemon: --version" 0 "$program" --version
	like "$daemon: --version names program and version" "$OUT" "^nlq-$daemon [0-9]+\.[0-9]+\.[0-9]+$"
	exits "$daemon: --help" 0 "$program" --help

	printf 'drain_ms: 1s\ndrian_ms: 2s\n' >"$T/a.yaml"
	exits "$daemon: an unknown setting stops the start" 2 "$program" -c "$T/a.yaml"
	like "$daemon: and is named with file and line" "$ERR" "$T/a.yaml:2: unknown setting \"drian_ms\""
	like "$daemon: with what was probably meant" "$ERR" "did you mean drain_ms"
	printf 'drain_ms: 1s\ndrain_ms: 2s\n' >"$T/a.yaml"
	exits "$daemon: a setting given twice stops the start" 2 "$program" -c "$T/a.yaml"
	like "$daemon: and is named with file and line" "$ERR" "$T/a.yaml:2: key \"drain_ms\" is given twice"
	exits "$daemon: a missing file stops the start" 2 "$program" -c "$T/none.yaml"
	exits "$daemon: an unknown option is a usage error" 2 "$program" --no_such_setting=1
	exits "$daemon: a stray word is a usage error" 2 "$program" start
done

mkfifo "$T/fifo"
exits "a FIFO as settings file does not hang" 2 timeout 10 "$BIN/nlq-sql-agent" -c "$T/fifo"
like "and is named" "$ERR" 'not a regular file'
exits "a folder as settings file" 2 "$BIN/nlq-sql-agent" -c "$T"
head -c 1048577 /dev/zero | tr '\0' '\n' >"$T/big.yaml"
exits "a settings file of 1 MiB and a byte" 2 "$BIN/nlq-sql-agent" -t -c "$T/big.yaml"
exits "a binary as settings file" 2 "$BIN/nlq-sql-agent" -t -c "$BIN/nlq-sql-agent"
printf '\xef\xbb\xbfslots: 3\r\nlog:\r\n  level: debug\r\n' >"$T/crlf.yaml"
exits "byte order mark and CRLF are read" 0 "$BIN/nlq-sql-agent" -t -c "$T/crlf.yaml"

for value in 0 -1 65 1.5 1e1 9223372036854775808 18446744073709551617 "" two 0x2 " 2"; do
	exits "slots=\"$value\" is refused" 2 "$BIN/nlq-sql-agent" -t "--slots=$value"
done
for value in "10 MB" 10MB 1.5MiB -1 9223372036854775808 17179869184GiB 0; do
	exits "cache_bytes=\"$value\" is refused" 2 "$BIN/nlq-sql-agent" -t "--cache_bytes=$value"
done
for value in tcp://127.0.0.1:1 /run/sock "" abstract://x; do
	exits "connect=\"$value\" is refused" 2 "$BIN/nlq-sql-agent" -t "--connect=$value"
done
exits "an account that is not there is refused" 2 "$BIN/nlq-sql-agent" -t --peer_uid=no-such-account
like "and is named" "$ERR" 'there is no account "no-such-account"'
for value in any 0 4294967294 root ""; do
	exits "peer_uid=\"$value\" is taken" 0 "$BIN/nlq-sql-agent" -t "--peer_uid=$value"
done

done_testing
