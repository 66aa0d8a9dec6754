#!/bin/bash
# deploy/install-deps, with a dpkg-query, an apt-get and a sudo of the test's own.
. "$(dirname "$0")/lib.sh"

fake=$T/fake
mkdir -p "$fake"
installed=$T/installed # one package a line
known=$T/known         # "yes": apt knows all packages
log=$T/apt.log

cat >"$fake/dpkg-query" <<EOF2
#!/bin/sh
for package; do :; done
grep -qx "\$package" $installed && printf installed
EOF2
cat >"$fake/apt-cache" <<EOF2
#!/bin/sh
[ "\$(cat $known)" = yes ] && echo "  Candidate: 1.0" || echo "  Candidate: (none)"
EOF2
cat >"$fake/apt-get" <<EOF2
#!/bin/sh
echo "apt-get \$*" >>$log
[ -e $T/apt-fails ] && exit 100
case "\$*" in
*update*) echo yes >$known ;;
*install*)
	[ "\$(cat $known)" = yes ] || exit 100
	for word; do case \$word in -*|install|DPkg*) ;; *) echo "\$word" >>$installed ;; esac; done ;;
esac
EOF2
cat >"$fake/sudo" <<EOF2
#!/bin/sh
[ -e $T/sudo-fails ] && exit 1
echo "sudo" >>$log
[ "\$1" = -n ] && shift
exec "\$@"
EOF2
cat >"$fake/id" <<EOF2
#!/bin/sh
cat $T/uid
EOF2
chmod +x "$fake"/*
ln -s "$(type -P env)" "$fake/env"
for tool in sh cat grep printf true; do ln -sf "$(type -P $tool)" "$fake/$tool"; done

deps() { PATH=$fake "$(command -v sh)" "$ROOT/deploy/install-deps" "$@"; }
fresh() { # UID all|some
	echo "$1" >"$T/uid"
	echo yes >"$known"
	rm -f "$log" "$T/apt-fails" "$T/sudo-fails"
	touch "$log"
	deps --list --lint >"$installed"
	[[ $2 == some ]] && grep -vxE 'libnng-dev|jq|clang-tidy' "$installed" >"$installed.x" && mv "$installed.x" "$installed"
}

fresh 1000 all
exits "nothing is missing: nothing is done, by anyone" 0 deps
is "and nothing is said" "$OUT$ERR$(<"$log")" ""

fresh 0 some
exits "root installs what is missing" 0 deps
like "and says what" "$OUT" 'installing libnng-dev jq$'
like "only that" "$(<"$log")" 'install --no-install-recommends libnng-dev jq$'
unlike "lists are not fetched when they are good" "$(<"$log")" 'update'
unlike "checkers are not installed for a build" "$(<"$log")" 'clang'
exits "a second call does nothing" 0 deps
is "one call of apt-get in all" "$(grep -c apt-get "$log")" 1

fresh 0 some
exits "--lint installs the checkers too" 0 deps --lint
like "with the rest" "$(<"$log")" 'libnng-dev jq clang-tidy$'

fresh 0 some
echo no >"$known"
exits "unknown packages: the lists are fetched first" 0 deps
is "then the packages" "$(sed -E 's/ -o [^ ]*//g; s/-q -y //' "$log" | tr '\n' '|')" \
	"apt-get update|apt-get install --no-install-recommends libnng-dev jq|"

fresh 1000 some
exits "a user with sudo installs" 0 deps
like "through sudo" "$(<"$log")" '^sudo'

fresh 1000 some
touch "$T/sudo-fails"
exits "sudo that wants a password, without a terminal" 3 deps
like "tells the command" "$ERR" 'sudo apt-get install libnng-dev jq'

fresh 1000 some
rm "$fake/sudo"
exits "neither root nor sudo" 3 deps
like "tells the command" "$ERR" 'apt-get install libnng-dev jq'

fresh 0 some
touch "$T/apt-fails"
exits "apt-get that fails" 1 deps
like "is told" "$ERR" 'update failed'
exits "a wrong option" 2 deps --what
NLQ_SKIP_DEPS=1 exits "NLQ_SKIP_DEPS trusts the user" 0 deps

rm "$fake/dpkg-query"
exits "another distribution" 4 deps
like "gets the list" "$ERR" 'libnng-dev'

check "what this tree needs is installed here" "$ROOT/deploy/install-deps"

done_testing
