#!/bin/sh
# Compiles the data files of this folder into one C file of sorted constant
# tables. Usage: gen.sh OUT FOLDER. A line is `key, key = value` (one row a key)
# or, without an equals sign, a group: every member is a row for every other.
# Only sh, awk and sort are needed; the order does not depend on the locale.
set -eu
out=$1
dir=$2
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT

table() { # name, files...
	name=$1
	shift
	printf 'static const struct lexicon_row rows_%s[] = {\n' "$name"
	awk '
	function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
	/^#/ || /^[ \t]*$/ { next }
	{
		at = index($0, " = ")
		n = split(at ? substr($0, 1, at - 1) : $0, key, ",")
		if (single) {
			for (i = 1; i <= n; i++) printf "%s\t%06d\t\n", trim(key[i]), NR
		} else if (at) {
			value = trim(substr($0, at + 3))
			if (split_values) {
				m = split(value, v, ",")
				for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) {
					printf "%s\t%06d\t%s\n", trim(key[i]), NR * 100 + j, trim(v[j])
					printf "%s\t%06d\t%s\n", trim(v[j]), NR * 100 + i, trim(key[i])
				}
			} else {
				for (i = 1; i <= n; i++) printf "%s\t%06d\t%s\n", trim(key[i]), NR, value
			}
		} else {
			for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
				if (i != j) printf "%s\t%06d\t%s\n", trim(key[i]), NR * 100 + j, trim(key[j])
		}
	}' single="$SINGLE" split_values="$SPLIT" "$@" | LC_ALL=C sort -t '	' -k1,1 -k2,2 |
	awk -F '\t' '$1 != "" { gsub(/["\\]/, "\\\\&", $1); gsub(/["\\]/, "\\\\&", $3)
		printf "\t{\"%s\", \"%s\"},\n", $1, $3 }'
	printf '};\nconst struct lexicon_table lexicon_table_%s = {rows_%s, ARRAY_SIZE(rows_%s)};\n\n' \
		"$name" "$name" "$name"
}

{
	printf '/* Made by common/text/data/gen.sh; do not edit. */\n'
	printf '#include "common/text/lexicon_tables.h"\n\n'
	SINGLE= SPLIT=
	table cues "$dir/cues.en" "$dir/cues.zh"
	table attributes "$dir/attributes.txt"
	table columns "$dir/columns.txt"
	table measure_words "$dir/measure_words.txt"
	table row_verbs "$dir/row_verbs.txt"
	table time_verbs "$dir/time_verbs.txt"
	table irregular "$dir/irregular.txt"
	table abbreviations "$dir/abbreviations.txt"
	table synonyms "$dir/synonyms.txt"
	table units "$dir/units.txt"
	table unit_powers "$dir/unit_powers.txt"
	SPLIT=1
	table demonyms "$dir/demonyms.txt"
	table glossary "$dir/glossary.zh"
	SPLIT= SINGLE=1
	table stop "$dir/stop.txt"
	table verbs "$dir/verbs.txt"
	table generic "$dir/generic.txt"
	table classifiers "$dir/classifiers.txt"
} > "$tmp"
cat "$tmp" > "$out"
