/* The walls behind the front end: statements go to the engine as they are written
 * here, and the authorizer and the statement check must refuse them (security notes,
 * RO-01 to RO-19). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/sql/sql.h"
#include "executor/db.h"
#include "executor/describe.h"
#include "executor/run.h"

static char dir[] = "/tmp/nlq-authz.XXXXXX";
static char path[64];
static struct db db;
static struct catalog *catalog;

static int open_db(void **state)
{
	static const char schema[] =
	    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL); CREATE INDEX ib ON t(b);"
	    "INSERT INTO t VALUES(1,'x',1.5),(2,'y',2.5);"
	    "CREATE TABLE u(a INT, secret TEXT); INSERT INTO u VALUES(1,'s');"
	    "CREATE VIEW v AS SELECT a, b FROM t; CREATE VIEW w AS SELECT v.a, secret FROM v, u;"
	    "CREATE VIEW bad AS SELECT load_extension('x') AS z FROM t;"
	    "CREATE VIEW counter AS SELECT count(*) AS n FROM sqlite_schema;"
	    "CREATE VIRTUAL TABLE ft USING fts5(body); INSERT INTO ft VALUES('hidden'); ANALYZE";
	struct err e = ERR_INIT;
	sqlite3 *h;

	(void)state;
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/a.db", dir);
	if (sqlite3_open(path, &h) != SQLITE_OK || sqlite3_exec(h, schema, NULL, NULL, NULL) != 0)
		return -1;
	sqlite3_close(h);
	if (db_open(&db, path, SOURCE_LOCKED, 2048, &e) != 0)
		return -1;
	return describe_catalog(db.h, "s", NULL, &catalog, &e);
}

static int close_db(void **state)
{
	(void)state;
	catalog_free(catalog);
	db_close(&db);
	unlink(path);
	return rmdir(dir);
}

/* 0 if the statement got through all walls and ran to its end. */
static int attempt(const char *sql)
{
	sqlite3_stmt *st = NULL;
	struct err e = ERR_INIT;
	int rc;

	db_arm(&db, clock_mono_ms() + 2000, 0);
	authz_begin(&db.authz, catalog, NULL, 0, false);
	rc = run_prepare(&db, sql, strlen(sql), &st, &e);
	while (rc == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW)
		rc = 0;
	sqlite3_finalize(st);
	authz_internal(&db.authz);
	return rc == SQLITE_DONE ? 0 : rc != 0 ? rc : -1;
}

static void assert_refused(const char *sql)
{
	if (attempt(sql) == 0)
		fail_msg("ran: %s", sql);
}

static void assert_runs(const char *sql)
{
	if (attempt(sql) != 0)
		fail_msg("refused: %s (%s)", sql, sqlite3_errmsg(db.h));
}

static void test_runs_plain_selects(void **state)
{
	(void)state;
	assert_runs("SELECT a, b FROM t WHERE c > 1 ORDER BY b");
	assert_runs("SELECT count(*) FROM main.t");
	assert_runs(
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5) SELECT i FROM n");
	assert_runs("SELECT a, row_number() OVER (ORDER BY b) FROM v");
	assert_runs("SELECT 1; \n;");
	assert_runs("VALUES (1),(2)");
}

static void test_refuses_what_is_no_single_select(void **state)
{
	static const char *const texts[] = {"SELECT 1; DROP TABLE t", "SELECT 1; SELECT 2", "",
	    "-- nothing", ";", "/* x */ DELETE FROM t", "WITH x AS (SELECT 1) DELETE FROM t",
	    "INSERT INTO t VALUES(9,'z',1) RETURNING *", "UPDATE t SET b='z' RETURNING a",
	    "DELETE FROM t RETURNING a", "REPLACE INTO t VALUES(1,'q',0)", "VACUUM",
	    "VACUUM INTO '/tmp/nlq-authz-out.db'", "ATTACH ':memory:' AS m", "ATTACH '' AS m",
	    "ATTACH '/etc/passwd' AS m", "ATTACH 'file:x?mode=rwc' AS m", "DETACH main", "BEGIN",
	    "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s", "REINDEX",
	    "REINDEX t", "ANALYZE", "EXPLAIN SELECT 1", "EXPLAIN QUERY PLAN SELECT a FROM t",
	    "EXPLAIN DELETE FROM t", "CREATE TEMP TABLE x(a)", "CREATE TEMP VIEW x AS SELECT 1",
	    "CREATE TABLE x(a)", "CREATE VIRTUAL TABLE x USING fts5(a)", "DROP TABLE t",
	    "CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END", "SELECT ?1", "SELECT :x",
	    "SELECT @y FROM t", "SELECT $z", "ALTER TABLE t ADD COLUMN d"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_refused(texts[i]);
	assert_int_not_equal(access("/tmp/nlq-authz-out.db", F_OK), 0);
}

/* Every name of a list query, put into formats. */
static void refuse_all(const char *list, const char *const *formats, size_t n_formats,
    bool (*is_skipped)(const char *name), size_t at_least)
{
	sqlite3_stmt *st;
	sqlite3 *h;
	size_t n = 0;

	assert_int_equal(sqlite3_open(":memory:", &h), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(h, list, -1, &st, NULL), SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 0);

		for (size_t i = 0; i < n_formats && !(is_skipped != NULL && is_skipped(name));
		     i++, n++) {
			char sql[256];

			snprintf(sql, sizeof(sql), formats[i], name);
			assert_refused(sql);
		}
	}
	sqlite3_finalize(st);
	sqlite3_close(h);
	assert_true(n >= at_least);
}

static void test_refuses_every_pragma_in_every_form(void **state)
{
	static const char *const formats[] = {"PRAGMA %s", "PRAGMA %s=0", "PRAGMA main.%s(1)",
	    "SELECT * FROM pragma_%s()", "SELECT * FROM pragma_%s"};

	(void)state;
	refuse_all("SELECT name FROM pragma_pragma_list", formats, ARRAY_SIZE(formats), NULL, 200);
}

static bool is_allowed(const char *name)
{
	return authz_function_allowed(name);
}

static void test_refuses_every_other_function_in_every_place(void **state)
{
	static const char *const formats[] = {"SELECT %s(b) FROM t", "SELECT %s(b,1) FROM t",
	    "SELECT %s()", "SELECT a FROM t WHERE %s(b)", "SELECT a FROM t ORDER BY %s(b)",
	    "SELECT count(*) FROM t GROUP BY %s(b)", "SELECT sum(a) FROM t HAVING %s(max(b))",
	    "SELECT count(*) FILTER (WHERE %s(b)) FROM t",
	    "SELECT sum(a) OVER (PARTITION BY %s(b)) FROM t",
	    "WITH x AS (SELECT %s(b) AS y FROM t) SELECT y FROM x",
	    "SELECT (SELECT %s(b) FROM t LIMIT 1)"};

	(void)state;
	refuse_all("SELECT DISTINCT name FROM pragma_function_list", formats, ARRAY_SIZE(formats),
	    is_allowed, 300);
}

static void test_refuses_tables_outside_the_catalog(void **state)
{
	static const char *const names[] = {"sqlite_schema", "sqlite_master", "SQLITE_MASTER",
	    "main.sqlite_schema", "temp.sqlite_schema", "sqlite_temp_schema", "sqlite_temp_master",
	    "[sqlite_master]", "\"sqlite_schema\"", "`sqlite_master`", "sqlite_stat1", "dbstat",
	    "sqlite_stmt", "sqlite_dbpage", "bytecode('SELECT 1')", "tables_used('SELECT 1')", "ft",
	    "ft_data", "ft_content", "fts5vocab", "json_each('[1]')", "json_tree('[1]')",
	    "fts5vocab('ft','row')"};
	char sql[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(sql, sizeof(sql), "SELECT * FROM %s", names[i]);
		assert_refused(sql);
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", names[i]);
		assert_refused(sql);
		snprintf(
		    sql, sizeof(sql), "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM %s)", names[i]);
		assert_refused(sql);
	}
}

static void test_a_hostile_view_cannot_call_what_a_query_may_not(void **state)
{
	(void)state;
	assert_refused("SELECT z FROM bad");
	assert_refused("SELECT count(*) FROM bad WHERE z IS NULL");
	assert_refused("SELECT n FROM counter"); /* counts the schema table */
}

static bool covered(const char *sql, const char *const *tables, size_t n, const char *claim_table,
    const char *claim_column)
{
	uint32_t ids[4];
	struct authz_claim claim = {0, 0};
	sqlite3_stmt *st = NULL;
	bool ok;

	authz_begin(&db.authz, catalog, NULL, 0, false);
	assert_int_equal(run_prepare(&db, sql, strlen(sql), &st, NULL), 0);
	for (size_t i = 0; i < n; i++)
		ids[i] = (uint32_t)catalog_find_table(catalog, tables[i]);
	if (claim_table != NULL) {
		claim.table = (uint32_t)catalog_find_table(catalog, claim_table);
		claim.column = (uint32_t)catalog_find_column(
		    &catalog->tables[claim.table], claim_column);
	}
	ok = authz_is_covered(&db.authz, ids, n, &claim, claim_table != NULL);
	sqlite3_finalize(st);
	authz_internal(&db.authz);
	return ok;
}

static void test_compares_what_is_read_with_what_is_named(void **state)
{
	static const char *const t[] = {"t"}, *const v[] = {"v"}, *const w[] = {"w"},
	                         *const u[] = {"u"};

	(void)state;
	assert_true(covered("SELECT b FROM main.t", t, 1, "t", "b"));
	assert_false(covered("SELECT b FROM main.t", t, 1, "t", "a"));
	assert_false(covered("SELECT b FROM main.t", t, 1, NULL, NULL));
	assert_true(covered("SELECT count(*) FROM main.t", t, 1, NULL, NULL));
	assert_false(covered("SELECT count(*) FROM main.t", u, 1, NULL, NULL));
	/* A view answers for what its text reads, also through another view. */
	assert_true(covered("SELECT a FROM main.v", v, 1, "v", "a"));
	assert_true(covered("SELECT a FROM main.w", w, 1, "w", "a"));
	assert_false(covered("SELECT a FROM main.w", v, 1, "w", "a"));
	/* A WITH table with a view's name lends it nothing. */
	assert_false(
	    covered("WITH v AS (SELECT secret FROM main.u) SELECT secret FROM v", t, 1, "t", "a"));
}

static void test_asks_nothing_new_while_it_runs(void **state)
{
	sqlite3_stmt *st = NULL;

	(void)state;
	authz_begin(&db.authz, catalog, NULL, 0, false);
	assert_int_equal(run_prepare(&db, "SELECT a FROM main.t", 20, &st, NULL), 0);
	assert_int_equal(authz_callback(&db.authz, SQLITE_READ, "t", "a", "main", NULL), SQLITE_OK);
	assert_int_equal(
	    authz_callback(&db.authz, SQLITE_READ, "t", "b", "main", NULL), SQLITE_DENY);
	assert_int_equal(
	    authz_callback(&db.authz, SQLITE_ATTACH, "x", NULL, NULL, NULL), SQLITE_DENY);
	sqlite3_finalize(st);
	authz_internal(&db.authz);
}

/* The second wall: with the authorizer off, the statement check alone. */
static void test_the_statement_check_stands_without_the_authorizer(void **state)
{
	static const char *const texts[] = {"VACUUM INTO '/tmp/nlq-authz-out.db'",
	    "BEGIN IMMEDIATE", "ATTACH ':memory:' AS m", "SAVEPOINT s", "PRAGMA query_only=0",
	    "CREATE TEMP TABLE x(a)", "EXPLAIN SELECT 1", "SELECT ?1", "SELECT 1; SELECT 2",
	    "DELETE FROM t RETURNING a"};

	(void)state;
	sqlite3_set_authorizer(db.h, NULL, NULL);
	sqlite3_limit(db.h, SQLITE_LIMIT_VARIABLE_NUMBER, 10);
	sqlite3_limit(db.h, SQLITE_LIMIT_ATTACHED, 10);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(attempt(texts[i]), ERR_NOT_SELECT);
	sqlite3_limit(db.h, SQLITE_LIMIT_VARIABLE_NUMBER, 0);
	sqlite3_limit(db.h, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_set_authorizer(db.h, authz_callback, &db.authz);
	assert_int_not_equal(access("/tmp/nlq-authz-out.db", F_OK), 0);
}

/* The catalog takes w for a table: what its text reads is then named by nobody. */
static void test_a_query_that_reads_more_than_it_names_does_not_run(void **state)
{
	const struct run_request q = {.sql = "SELECT a FROM w",
	    .sql_len = 15,
	    .max_rows = 10,
	    .max_bytes = 1000,
	    .cell_max_bytes = 100,
	    .deadline_ms = clock_mono_ms() + 2000};
	struct catalog_table *w = &catalog->tables[catalog_find_table(catalog, "w")];
	struct resultset *r = NULL;
	struct err e = ERR_INIT;
	const char **names;
	size_t n;

	(void)state;
	assert_int_equal(run_query(&db, catalog, &q, &r, &names, &n, &e), 0);
	resultset_free(r);
	w->kind = CATALOG_TABLE;
	assert_int_equal(run_query(&db, catalog, &q, &r, &names, &n, &e), ERR_ENGINE_MISMATCH);
	w->kind = CATALOG_VIEW;
}

static void test_takes_no_unknown_name_for_a_string(void **state)
{
	(void)state;
	assert_refused("SELECT \"nosuch\" FROM t");
	assert_refused("SELECT a FROM t WHERE b = \"x\"");
}

static void test_knows_every_function_of_the_dialect(void **state)
{
	const struct sql_dialect *d = &sql_dialect_sqlite;

	(void)state;
	for (size_t i = 0; i < d->n_functions; i++)
		if (!authz_function_allowed(d->functions[i].name))
			fail_msg("not allowed: %s", d->functions[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_runs_plain_selects),
	    cmocka_unit_test(test_refuses_what_is_no_single_select),
	    cmocka_unit_test(test_refuses_every_pragma_in_every_form),
	    cmocka_unit_test(test_refuses_every_other_function_in_every_place),
	    cmocka_unit_test(test_refuses_tables_outside_the_catalog),
	    cmocka_unit_test(test_a_hostile_view_cannot_call_what_a_query_may_not),
	    cmocka_unit_test(test_compares_what_is_read_with_what_is_named),
	    cmocka_unit_test(test_asks_nothing_new_while_it_runs),
	    cmocka_unit_test(test_the_statement_check_stands_without_the_authorizer),
	    cmocka_unit_test(test_a_query_that_reads_more_than_it_names_does_not_run),
	    cmocka_unit_test(test_takes_no_unknown_name_for_a_string),
	    cmocka_unit_test(test_knows_every_function_of_the_dialect),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_db, close_db);
}
