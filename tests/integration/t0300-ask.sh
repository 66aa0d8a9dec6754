#!/bin/bash
# The happy path through all five daemons, with what a user sees of it: answer, SQL,
# evidence, JSON, CSV, Markdown, progress, trace, schema, status, sql run.
source "$(dirname "$0")/lib.sh"

db=$T/shop.sqlite
sqlite3 "$db" "create table singer(singer_id integer primary key, name text not null, country text, age integer);
	insert into singer values (1,'Ann','France',31),(2,'Bo','Norway',45),(3,'Cy','France',28),(4,'=cmd()','Spain',null);
	create table concert(concert_id integer primary key, singer_id integer references singer(singer_id), year integer);
	insert into concert values (1,1,2022),(2,1,2023),(3,2,2023);"
question="How many singers are from each country?"
nlq=$BIN/nlq

# --- one call, with a stack of its own -------------------------------------------------
exits "a question is answered without anything running" 0 "$nlq" ask --db "$db" "How many singers are there?"
like "the answer stands first" "$(head -n 1 <<<"$OUT")" '\b4\b'
like "the SQL is shown" "$OUT" 'SELECT count\(\*\)'
like "the evidence is shown" "$OUT" '^ +pass +names '
like "the request can be looked up" "$OUT" 'nlq trace show [0-9a-f]{12}'
unlike "no colour without a terminal" "$OUT" $'\033'
is "nothing on stderr without a terminal" "$ERR" ""
is "the stack leaves no folder" "$(find "$XDG_RUNTIME_DIR" /tmp -maxdepth 1 -name 'nlq-ask.*' -newer "$db" -user "$(id -un)" 2>/dev/null)" ""
id=$(grep -o 'trace show [0-9a-f]*' <<<"$OUT" | cut -d' ' -f3)
exits "its trace is read from the state folder" 0 "$nlq" trace show "$id"
for op in ground step run verify; do like "the trace has the span $op" "$OUT" " $op +ok "; done
like "the trace ends with the outcome" "$OUT" ' end +answered '
exits "the chain is whole" 0 "$nlq" trace verify

# --- a stack that stays -----------------------------------------------------------------
start_daemon up "$nlq" up --db "$db" --ready-file "$T/ready"
check "nlq up gets ready" wait_until $WAIT_S test -e "$T/ready"
exits "a second stack of the same user is refused" 1 "$nlq" up
like "and told why" "$ERR" 'already running'
exits "questions need no --db" 0 "$nlq" ask --json "$question"
printf '%s' "$OUT" >"$T/answer.json"
field() { jq -c "$1" "$T/answer.json"; }
is "outcome" "$(field .outcome)" '"answered"'
is "rows are typed" "$(field '.rows | sort')" '[["France",2],["Norway",1],["Spain",1]]'
is "row_count" "$(field '[.row_count, .truncated]')" '[3,false]'
is "every key of the stable object is there" \
	"$(field '(["request_id","outcome","answer","unit","sql","columns","rows","row_count","truncated","confidence","assumptions","definitions","certificate","tables","steps","timings_ms","error"] - keys)')" '[]'
is "every line of the certificate has check, verdict, detail" "$(field '[.certificate[] | select((.check and .verdict and .detail) | not)]')" '[]'
is "no check failed" "$(field '[.certificate[] | select(.verdict == "fail")]')" '[]'
is "timings name the stages" "$(field '[.timings_ms | has("ground", "step", "run", "verify", "total")] | all')" true
is "error is null" "$(field .error)" null
is "the request id has 32 digits" "$(field '.request_id | length')" 32

exits "CSV" 0 "$nlq" ask --csv "List the name and age of every singer"
like "has a header" "$(head -n 1 <<<"$OUT")" '^name,age$|^"?name"?,"?age"?$'
like "disarms formulas" "$OUT" "^\"'=cmd\(\)\",$"
exits "Markdown" 0 "$nlq" ask --markdown "$question"
like "is a table" "$(sed -n 2p <<<"$OUT")" '^\| --- \| ---: \|$'
exits "progress on request" 0 "$nlq" ask --progress "$question"
for step in ground step run verify; do like "progress tells $step" "$ERR" "^$step: "; done
exits "words need no quotes" 0 "$nlq" ask how many singers are there
exits "a question from stdin" 0 bash -c "echo 'How many concerts are there?' | '$nlq' ask --json -"
is "is answered" "$(jq -c .rows <<<"$OUT")" '[[3]]'
exits "-- ends the options" 0 "$nlq" ask --json -- "How many singers are there?"
exits "a limit of rows" 0 "$nlq" ask --json --rows 2 "List the name of every singer"
is "cuts, and says so" "$(jq -c '[.row_count, .truncated, ([.certificate[] | select(.check == "cut")] | length)]' <<<"$OUT")" '[2,true,1]'
exits "no rows" 0 "$nlq" ask --json "List the singers whose age is above 90"
is "are an answer with a reason" "$(jq -c '[.row_count, ([.certificate[] | select(.check == "empty")] | length)]' <<<"$OUT")" '[0,1]'

exits "what the data do not have is declined" 3 "$nlq" ask --json "What is the average salary of the plumbers?"
is "with an outcome and an error object" "$(jq -c '[.outcome, (.error.code != null), (.answer | length > 0), .row_count]' <<<"$OUT")" '["declined",true,true,0]'
exits "a floor that nothing reaches" 3 "$nlq" ask --floor 1 "$question"

# --- another file, SQL, schema, status, trace ----------------------------------------------
mkdir "$T/other"
sqlite3 "$T/other/shop.sqlite" "create table boat(boat_id integer primary key, name text); insert into boat(name) values ('Argo');"
exits "another file of the same name in the same stack" 0 "$nlq" ask --json --db "$T/other/shop.sqlite" "How many boats are there?"
is "is another database" "$(jq -c .rows <<<"$OUT")" '[[1]]'
exits "SQL is run behind the same walls" 0 "$nlq" sql run --json "SELECT name, age FROM singer ORDER BY age IS NULL, age DESC"
is "with its rows" "$(jq -c .rows <<<"$OUT")" '[["Bo",45],["Ann",31],["Cy",28],["=cmd()",null]]'
exits "SQL from stdin, as a table" 0 bash -c "echo 'SELECT count(*) AS n FROM concert' | '$nlq' sql run -"
is "is aligned" "$(sed -n 1,3p <<<"$OUT")" $'n\n-\n3'
exits "what is no query is refused by policy" 5 "$nlq" sql run "DELETE FROM singer"
exits "a table that is not there" 1 "$nlq" sql run "SELECT * FROM singre"
like "gets the name that is near" "$ERR" '\bsinger\b'
exits "schema list" 0 "$nlq" schema list
like "names tables and counts" "$OUT" '^singer +table +4'
exits "schema show" 0 "$nlq" schema show concert
like "shows foreign keys" "$OUT" 'singer_id .*-> singer.singer_id'
exits "schema show of nothing" 1 "$nlq" schema show concerto
like "names what is near" "$ERR" '\bconcert\b'
exits "schema search" 0 "$nlq" schema search country of the singer
like "finds the table" "$OUT" '\bsinger\b'
exits "status" 0 "$nlq" status --json
is "has the four agents and both databases" "$(jq -c '[([.components[].role] | unique), (.sources | length)]' <<<"$OUT")" \
	'[["executor","schema_agent","sql_agent","verify_agent"],2]'
like "and the sandbox in force" "$(jq -r '.components[] | select(.role == "executor").sandbox' <<<"$OUT")" 'seccomp'
exits "trace list" 0 "$nlq" trace list --limit 3
is "lists that many" "$(wc -l <<<"$OUT")" 5
exits "trace show of the JSON answer" 0 "$nlq" trace show --json "$(jq -r .request_id "$T/answer.json")"
is "has the question and its spans" "$(jq -c '[.question, ([.spans[].operation] - ["ask","ground","step","run","verify","end","describe"])]' <<<"$OUT")" "[\"$question\",[]]"
is "every span of a call has both hashes" "$(jq -c '[.spans[] | select(.instance != null) | select((.request_hash | length) != 64 or (.reply_hash | test("^0*$")))]' <<<"$OUT")" '[]'

stop_daemon up INT
is "Ctrl-C ends nlq up with 0" "$?" 0
is "and leaves no run folder" "$(ls -A "$XDG_RUNTIME_DIR")" ""
exits "without a stack and without a file there is nobody to ask" 6 "$nlq" ask "$question"
like "and a way out is named" "$ERR" 'nlq up|--db'
exits "the whole record of all stacks is sound" 0 "$nlq" trace verify
done_testing
