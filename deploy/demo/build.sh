#!/bin/sh
# Makes the demo databases and the semantic models beside them.
#   build.sh OUT    OUT/energy.sqlite, energy_28.sqlite, energy_292.sqlite,
#                   OUT/semantic (for the first), OUT/semantic_wide (for the others)
set -eu
out=$1
here=$(dirname "$0")
mkdir -p "$out/semantic" "$out/semantic_wide"
tmp=$(mktemp -d "$out/new.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

sqlite3 "$tmp/energy.sqlite" < "$here/energy/schema.sql"
for table in companies financials production; do
	sqlite3 -cmd ".mode csv" "$tmp/energy.sqlite" ".import --skip 1 $here/energy/$table.csv $table"
done
"$here/widen.sh" "$tmp/energy.sqlite" "$tmp/energy_28.sqlite" 28
"$here/widen.sh" "$tmp/energy.sqlite" "$tmp/energy_292.sqlite" 292
mv -f "$tmp"/energy*.sqlite "$out/"
cp "$here"/energy/semantic/*.yaml "$out/semantic/"
cp "$here"/energy/semantic/*.yaml "$here"/energy/wide/*.yaml "$out/semantic_wide/"
