#!/bin/bash
# The tree keeps its own rules: layers, a line per file in the documents, no
# recursive message, block comments; and those checks find what they look for.
. "$(dirname "$0")/lib.sh"

check "the tree keeps its rules" "$ROOT/tests/lint.sh" --quick

mkdir "$T/tree"
(cd "$ROOT" && cp -r common proto tests deploy .ci schema_agent sql_agent verify_agent executor orchestrator "$T/tree/")
# That test's cases are sanitizer reports, which lib.sh would take for real ones.
rm "$T/tree/tests/integration/t0001-runner.sh"

# finds NAME FILE LINE TEXT: with LINE put before FILE's first line, lint says TEXT.
finds() {
	local name=$1 file=$T/tree/$2 out
	cp "$file" "$T/kept"
	{ printf '%s\n' "$3"; cat "$T/kept"; } >"$file"
	out=$("$T/tree/tests/lint.sh" --quick)
	like "$name" "$out" "$4"
	cp "$T/kept" "$file"
}

finds "a lower layer may not include a higher one" common/base/err.c \
	'#include "common/sql/sql.h"' 'common/base/err.c:1: layer base may not include common/sql'
finds "common may not include a daemon" common/base/err.c \
	'#include "executor/pool.h"' 'common may not include executor/pool.h'
finds "a daemon may not include another" executor/pool.c \
	'#include "orchestrator/flow.h"' 'executor may not include orchestrator/flow.h'
finds "domain files do not know nng" executor/pool.c '#include <nng/nng.h>' 'only common/rpc knows nng'
finds "domain files do not know messages" executor/pool.c \
	'#include "exec.pb-c.h"' 'executor/pool.c:1: exec.pb-c.h: only wire'
finds "line comments are found" common/base/err.c 'int x; // note' 'common/base/err.c:1: use block comments'
finds "a message that holds itself by a detour is found" proto/exec.proto \
	'message LoopA { optional LoopB a = 1; } message LoopB { oneof x { LoopA b = 1; } }' \
	'message LoopA can hold itself'
echo 'int unlisted;' >"$T/tree/executor/zz_unlisted.c"
like "a file that no document names is found" "$("$T/tree/tests/lint.sh" --quick)" \
	'executor/DESIGN.md (has no line for executor/zz_unlisted.c|is missing)'

done_testing
