#!/bin/sh
# Adds synthetic tables to a copy of the energy database until it has the given
# number of tables: an ordinary company's HR, CRM, log and system tables, one
# look-alike (employees_2023) and three traps. The same input gives the same file.
#   widen.sh energy.sqlite energy_28.sqlite 28
set -eu
[ $# -eq 3 ] || { echo "usage: widen.sh FROM TO TABLES" >&2; exit 2; }
from=$1 to=$2 tables=$3
rm -f "$to"
cp "$from" "$to"

{
	echo "BEGIN;"
	cat <<'SQL'
CREATE TABLE employees_2023 (code TEXT PRIMARY KEY, name TEXT, amount REAL);
INSERT INTO employees_2023 VALUES ('E01','基本养老',1250.5),('E02','医疗保险',830.2),('E03','住房公积金',990.0),('E04','工会经费',45.8),('E05','职工教育',62.3);
CREATE TABLE fin_bak_2023 (id INTEGER PRIMARY KEY, company_id INTEGER, year INTEGER, revenue REAL, net_profit REAL);
INSERT INTO fin_bak_2023 SELECT id, company_id, year, round(revenue * 0.91, 1), round(net_profit * 0.88, 1) FROM financials;
CREATE TABLE fin_parent_only (id INTEGER PRIMARY KEY, company_id INTEGER, year INTEGER, revenue REAL, net_profit REAL);
INSERT INTO fin_parent_only SELECT id, company_id, year, round(revenue * 0.42, 1), round(net_profit * 0.61, 1) FROM financials;
CREATE TABLE tmp_fin_import (row_no INTEGER PRIMARY KEY, company_id INTEGER, year INTEGER, revenue REAL, net_profit REAL, batch TEXT);
INSERT INTO tmp_fin_import SELECT id, company_id, year, revenue, NULL, 'b1' FROM financials WHERE id % 3 = 0;
INSERT INTO tmp_fin_import SELECT id + 100, company_id, year, revenue, net_profit, 'b2' FROM financials WHERE id % 6 = 0;
SQL
	# 3 real and 4 special tables are there; the rest is module x entity x number.
	awk -v want="$((tables - 7))" 'BEGIN {
		n_mod = split("hr crm log sys oa wms tms mes eam srm dw ods", mod, " ")
		n_ent = split("attendance:staff_no/work_date/hours training:course/start_date/score contract:contract_no/signed_on/amount vendor:vendor_name/city/level ticket:title/opened_on/priority visit:visitor/visit_date/purpose asset:asset_no/bought_on/cost device:serial_no/installed_on/location role:role_name/created_on/level audit:operator/happened_on/action sensor:tag/read_on/reading shipment:waybill/shipped_on/weight", ent, " ")
		made = 0
		for (round = 1; made < want; round++)
			for (e = 1; e <= n_ent && made < want; e++)
				for (m = 1; m <= n_mod && made < want; m++) {
					split(ent[e], p, ":"); split(p[2], c, "/")
					name = mod[m] "_" p[1] (round > 1 ? "_" round : "")
					printf "CREATE TABLE %s (id INTEGER PRIMARY KEY, %s TEXT, %s TEXT, %s TEXT, status TEXT);\n", name, c[1], c[2], c[3]
					for (r = 1; r <= 3; r++)
						printf "INSERT INTO %s VALUES (%d,\047%s-%03d\047,\047202%d-0%d-1%d\047,\047%d\047,\047%s\047);\n", name, r, toupper(substr(p[1], 1, 2)), m * 10 + r, r, e % 9 + 1, r, m * e + r, r % 2 ? "open" : "closed"
					made++
				}
	}'
	echo "COMMIT;"
} | sqlite3 "$to"
