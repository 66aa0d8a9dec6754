#!/bin/bash
# deploy/install into a private root; the units it writes; settings that are there
# are kept.
. "$(dirname "$0")/lib.sh"

install_to() { DESTDIR=$T/root PREFIX=/usr BIN=$BIN "$ROOT/deploy/install"; }

check "installs into an empty root" install_to
for name in nlq nlq-orchestrator nlq-schema-agent nlq-sql-agent nlq-verify-agent nlq-executor; do
	check "$name is a program" test -x "$T/root/usr/bin/$name"
done
units=$(cd "$T/root/usr/lib/systemd/system" && ls -d *.service *.target | tr '\n' ' ')
is "five units and a target" "$units" \
	"nlq-executor@.service nlq-orchestrator.service nlq-schema-agent@.service nlq-sql-agent@.service nlq-verify-agent@.service nlq.target "
unlike "units name the prefix in force" "$(cat "$T"/root/usr/lib/systemd/system/*.service)" '/usr/local'
for name in orchestrator schema-agent sql-agent verify-agent executor; do
	check "settings of $name" test -f "$T/root/etc/nlq/$name.yaml"
	unit=$(cat "$T/root/usr/lib/systemd/system/nlq-$name"*.service)
	like "the unit of $name starts it with its settings" "$unit" "^ExecStart=/usr/bin/nlq-$name -c /etc/nlq/$name.yaml\$"
	account=$(sed -n 's/^User=//p' <<<"$unit")
	like "the account of $name is made" "$(<"$T/root/usr/lib/sysusers.d/nlq.conf")" "^u +$account "
done
for role in client schema sql verify executor; do
	like "the socket folder of $role" "$(<"$T/root/usr/lib/tmpfiles.d/nlq.conf")" "^d +/run/nlq/$role +2750 "
done

echo "slots: 7" >"$T/root/etc/nlq/sql-agent.yaml"
out=$(install_to)
is "an upgrade keeps changed settings" "$(<"$T/root/etc/nlq/sql-agent.yaml")" "slots: 7"
check "and puts the new sample beside" cmp "$ROOT/deploy/conf/sql-agent.yaml" "$T/root/etc/nlq/sql-agent.yaml.new"
like "and says so" "$out" 'kept .*sql-agent.yaml'
refute "an unchanged one has no sample beside" test -e "$T/root/etc/nlq/executor.yaml.new"
refute "a relative prefix is refused" env DESTDIR="$T/x" PREFIX=usr BIN="$BIN" "$ROOT/deploy/install"
refute "a prefix with a blank is refused" env DESTDIR="$T/x" PREFIX="/a b" BIN="$BIN" "$ROOT/deploy/install"
refute "and nothing was installed" test -e "$T/x"

if ! command -v systemd-analyze >/dev/null; then
	skip "units are valid" "systemd-analyze is not installed"
else
	PREFIX=$T/sys SYSCONFDIR=$T/sys/etc BIN=$BIN "$ROOT/deploy/install" >/dev/null
	export SYSTEMD_UNIT_PATH=$T/sys/lib/systemd/system:
	for name in orchestrator schema-agent@1 sql-agent@1 verify-agent@1 executor@1; do
		check "the unit of $name is valid" systemd-analyze verify --man=no "nlq-$name.service"
		check "the exposure of $name is at most 1.0" \
			systemd-analyze security --offline=true --no-pager --threshold=10 "nlq-$name.service"
	done
	is "nothing odd is said about them" \
		"$(systemd-analyze verify --man=no nlq-orchestrator.service nlq-executor@1.service nlq.target 2>&1)" ""
	unset SYSTEMD_UNIT_PATH
fi

done_testing
