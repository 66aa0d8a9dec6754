#!/bin/bash
# What people and files may get wrong: each gets a clear error, the right exit code,
# and nothing hangs.
# timeout_s: 240
source "$(dirname "$0")/lib.sh"

nlq=$BIN/nlq
good=$T/shop.sqlite
sqlite3 "$good" "create table singer(singer_id integer primary key, name text); insert into singer values (1,'Ann'),(2,'Bo');"
q="How many singers are there?"

# ends NAME CODE TEXT COMMAND...: exit code, stderr matching, no crash, and in good time.
ends() {
	local name=$1 code=$2 text=$3
	shift 3
	exits "$name" "$code" timeout 30 "$@"
	[[ -n $text ]] && like "$name: is told" "$ERR" "$text"
}

# --- the command line -----------------------------------------------------------------------
ends "no command" 2 "" "$nlq"
ends "help" 0 "" "$nlq" --help
like "help has examples" "$OUT" 'nlq ask --db'
for command in ask up sql schema trace status; do
	ends "$command --help" 0 "" "$nlq" $command --help
	like "$command --help has an example" "$OUT" "^  nlq $command"
done
ends "version" 0 "" "$nlq" --version
like "version is a version" "$OUT" '^nlq [0-9]+\.[0-9]+\.[0-9]+$'
ends "a mistyped command" 2 'did you mean "ask"' "$nlq" aks --db x
ends "a mistyped option" 2 'did you mean --json' "$nlq" ask --jsno
ends "an unknown word" 2 'unknown command' "$nlq" frobnicate
ends "two formats" 2 'only one of' "$nlq" ask --markdown --csv --db "$good" "$q"
ends "a value missing" 2 'needs a value' "$nlq" ask --db
ends "a value of the wrong kind" 2 'no value for --timeout' "$nlq" ask --timeout soon --db "$good" "$q"
ends "a floor above 1" 2 'no value for --floor' "$nlq" ask --floor 1.5 --db "$good" "$q"
ends "a day that is none" 2 'calendar' "$nlq" ask --today 2023-02-30 --db "$good" "$q"
ends "--db and --source" 2 'either' "$nlq" ask --db "$good" --source x "$q"
ends "--semantic alone" 2 'goes with --db' "$nlq" ask --semantic "$T" "$q"
ends "sql without run" 2 'there is no SQL|unknown command' "$nlq" sql "SELECT 1"
ends "a trace of nothing" 2 'one request id' "$nlq" trace show
ends "a trace that is not there" 1 'no request' "$nlq" trace show abcdef012345
ends "an id that is none" 2 'hex digits' "$nlq" trace show xyz

# --- the question -----------------------------------------------------------------------------
ends "no question" 2 'no question' "$nlq" ask --db "$good"
ends "an empty question" 2 'empty' "$nlq" ask --db "$good" ""
ends "a blank question" 2 'empty' "$nlq" ask --db "$good" "$(printf ' \t　')"
ends "a question of 5 KB" 2 'at most 4096' "$nlq" ask --db "$good" "$(head -c 5120 /dev/zero | tr '\0' a)"
ends "a question of 5 KB from stdin" 2 'more than 4096' bash -c "head -c 5120 /dev/zero | tr '\0' a | '$nlq' ask --db '$good' -"
ends "invalid UTF-8" 2 'not valid UTF-8' "$nlq" ask --db "$good" "$(printf 'How many \xff\xfe singers?')"
ends "a bidirectional control" 2 'control character U\+202E' "$nlq" ask --db "$good" "$(printf 'How many \u202esingers?')"
ends "control characters" 2 'control character U\+001B' "$nlq" ask --db "$good" "$(printf 'How many \033[31m singers?')"
ends "a NUL on stdin" 2 'NUL' bash -c "printf 'How many\0singers?' | '$nlq' ask --db '$good' -"
exits "a question of exactly 4096 bytes ends in order" 3 timeout 30 "$nlq" ask --db "$good" "$(head -c 4096 /dev/zero | tr '\0' z)"
exits "a bad question in JSON is an object" 2 "$nlq" ask --json --db "$good" ""
is "with the error object" "$(jq -c '[.outcome, .error.code, .error.phase]' <<<"$OUT")" '["failed","bad_input","request"]'

# --- the file ---------------------------------------------------------------------------------
ends "a missing file" 6 'there is no file' "$nlq" ask --db "$T/none.sqlite" "$q"
ends "an empty name" 2 'name of a file' "$nlq" ask --db "" "$q"
ends "a folder" 6 'is a folder' "$nlq" ask --db "$T" "$q"
mkfifo "$T/pipe"
ends "a FIFO" 6 'is a pipe' "$nlq" ask --db "$T/pipe" "$q"
ends "a device" 6 'is a device' "$nlq" ask --db /dev/zero "$q"
ends "a link that leads nowhere" 6 'there is no file' bash -c "ln -s nowhere '$T/link'; '$nlq' ask --db '$T/link' '$q'"
echo "this is no database, only some text that is long enough to be read as a header of one hundred bytes and more" >"$T/text.sqlite"
ends "a text file" 6 'not an? (SQLite )?database' "$nlq" ask --db "$T/text.sqlite" "$q"
: >"$T/zero.sqlite"
ends "an empty file" 6 '' "$nlq" ask --db "$T/zero.sqlite" "$q"
head -c 3000 "$good" >"$T/short.sqlite"
ends "a truncated database" 6 '' "$nlq" ask --db "$T/short.sqlite" "$q"
{ head -c 100 "$good"; head -c 8092 /dev/urandom; } >"$T/noise.sqlite"
ends "a corrupt database" 6 '' "$nlq" ask --db "$T/noise.sqlite" "$q"
sqlite3 "$T/none.db" "create table t(x); drop table t;"
ends "a database without tables" 6 'no tables' "$nlq" ask --db "$T/none.db" "$q"
if [[ $(id -u) != 0 ]]; then
	cp "$good" "$T/closed.sqlite" && chmod 000 "$T/closed.sqlite"
	ends "a file without permission" 6 'cannot be read' "$nlq" ask --db "$T/closed.sqlite" "$q"
fi
cp "$good" "$T/it's a \"shop\" 商店.sqlite"
exits "a name with quotes, blanks and Chinese" 0 "$nlq" ask --json --db "$T/it's a \"shop\" 商店.sqlite" "$q"
is "is served" "$(jq -c .rows <<<"$OUT")" '[[2]]'

columns=$(seq -s, -f 'c%g integer' 1 1990)
sqlite3 "$T/wide.sqlite" "create table wide(id integer primary key, $columns); insert into wide(id) values (1),(2);"
exits "1,991 columns" 0 timeout 60 "$nlq" ask --json --db "$T/wide.sqlite" "How many wide are there?"
is "are described and counted" "$(jq -c .rows <<<"$OUT")" '[[2]]'
sqlite3 "$T/odd.sqlite" "create table \"odd \"\"table\"\"
name\"(\"a \"\"b\"\"\" integer, \"line
break\" text); insert into \"odd \"\"table\"\"
name\" values (1,'x');"
exits "names with quotes and line breaks" 0 "$nlq" schema list --db "$T/odd.sqlite"
is "are shown on one line" "$(wc -l <<<"$OUT")" 3
"$nlq" ask --json --db "$T/odd.sqlite" 'How many "odd ""table""" name are there?' >"$T/out" 2>&1
like "and a question about them ends in order" "$?" '^[03]$'
sqlite3 "$T/data.sqlite" "create table note(id integer primary key, body text); insert into note(body) values (char(27)||'[2J'||char(7)||'x'), ('a'||char(8238)||'b');"
exits "cells that a terminal would act on" 0 "$nlq" sql run --db "$T/data.sqlite" "SELECT body FROM note"
unlike "are escaped" "$OUT" $'[\033\007\u202e]'

# --- the semantic model -------------------------------------------------------------------------
mkdir "$T/model"
ends "a semantic folder that is not there" 2 'not a folder' "$nlq" ask --db "$good" --semantic "$T/nomodel" "$q"
printf 'name: x\ndatasets:\n  - {name: singer, source: singer, lable: y}\n' >"$T/model/a.yaml"
ends "a key that the model does not have" 2 'a\.yaml:3' "$nlq" ask --db "$good" --semantic "$T/model" "$q"
printf 'name: [x\n' >"$T/model/a.yaml"
ends "YAML that does not parse" 2 'a\.yaml:[0-9]' "$nlq" ask --db "$good" --semantic "$T/model" "$q"

# --- SQL ------------------------------------------------------------------------------------------
run() { "$nlq" sql run --db "$good" "$@"; }
start_daemon up "$nlq" up --ready-file "$T/ready"
wait_until $WAIT_S test -e "$T/ready"
exits "SQL that does not parse" 1 run "SELECT FROM singer"
like "has a position" "$ERR" 'line 1, column'
exits "two statements" 1 run "SELECT 1; SELECT 2"
exits "a statement that writes" 5 run "UPDATE singer SET name = 'x'"
exits "a pragma" 5 run "PRAGMA journal_mode=DELETE"
exits "an attach" 5 run "ATTACH '/etc/passwd' AS x"
exits "a function that is not allowed" 5 run "SELECT load_extension('x')"
exits "SQL of more than 64 KiB" 2 bash -c "{ printf 'SELECT '; head -c 70000 /dev/zero | tr '\0' 1; } | '$nlq' sql run --db '$good' -"
exits "deep nesting" 1 run "SELECT $(printf '(%.0s' $(seq 3000))1$(printf ')%.0s' $(seq 3000))"
exits "and the stack is alive" 0 run "SELECT 1"
stop_daemon up INT
is "nlq up ends with 0" $? 0
done_testing
