/* The catalog of hand-made databases: tables, columns, keys, relations, odd names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "executor/describe.h"

static struct catalog *describe(const char *sql)
{
	struct catalog *c = NULL;
	struct err e = ERR_INIT;
	char *message = NULL;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s", message);
	if (describe_catalog(db, "src", NULL, &c, &e) != 0)
		fail_msg("%s", e.text);
	sqlite3_close(db);
	return c;
}

static struct catalog_table *table(struct catalog *c, const char *name)
{
	int i = catalog_find_table(c, name);

	if (i < 0)
		fail_msg("no table %s", name);
	return &c->tables[i];
}

static struct catalog_column *column(struct catalog *c, const char *t, const char *name)
{
	int i = catalog_find_column(table(c, t), name);

	if (i < 0)
		fail_msg("no column %s.%s", t, name);
	return &table(c, t)->columns[i];
}

/* "a.x>b.y" of a relation with one column a side. */
static const struct catalog_relation *relation(struct catalog *c, const char *text)
{
	for (size_t i = 0; i < c->n_relations; i++) {
		const struct catalog_relation *r = &c->relations[i];
		char s[256];

		snprintf(s, sizeof(s), "%s.%s>%s.%s", c->tables[r->from_table].name,
		    c->tables[r->from_table].columns[r->from_columns[0]].name,
		    c->tables[r->to_table].name,
		    c->tables[r->to_table].columns[r->to_columns[0]].name);
		if (strcmp(s, text) == 0)
			return r;
	}
	return NULL;
}

static void test_lists_tables_and_views_but_nothing_internal(void **state)
{
	struct catalog *c = describe(
	    "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b); CREATE VIEW v AS SELECT b FROM t;"
	    "CREATE VIRTUAL TABLE f USING fts5(body); CREATE VIEW broken AS SELECT x FROM gone;"
	    "CREATE VIEW broken2 AS SELECT nope FROM t; CREATE TABLE f_of_mine(a); ANALYZE");

	(void)state;
	assert_int_equal(c->n_tables, 3);
	assert_string_equal(c->tables[0].name, "t");
	assert_int_equal(c->tables[0].kind, CATALOG_TABLE);
	assert_string_equal(c->tables[1].name, "v");
	assert_int_equal(c->tables[1].kind, CATALOG_VIEW);
	assert_string_equal(c->tables[2].name, "f_of_mine");
	assert_string_equal(c->source, "src");
	assert_string_equal(c->engine, "sqlite");
	assert_string_equal(c->schema, "main");
	catalog_free(c);
}

static void test_reads_types_and_keys(void **state)
{
	struct catalog *c = describe(
	    "CREATE TABLE t(i BIGINT NOT NULL, s VARCHAR(20) UNIQUE, r DOUBLE, n DECIMAL(9,2), b BLOB,"
	    " x, g AS (i+1), charint CHARINT, f FLOATING, PRIMARY KEY(n, i)) WITHOUT ROWID;"
	    "CREATE UNIQUE INDEX u1 ON t(r, b); CREATE UNIQUE INDEX u2 ON t(x) WHERE x > 0;"
	    "CREATE UNIQUE INDEX u3 ON t(lower(s)); CREATE UNIQUE INDEX u4 ON t(f)");
	struct catalog_table *t = table(c, "t");

	(void)state;
	assert_int_equal(t->n_columns, 9);
	assert_int_equal(column(c, "t", "i")->affinity, AFFINITY_INTEGER);
	assert_true(column(c, "t", "i")->not_null);
	assert_int_equal(column(c, "t", "s")->affinity, AFFINITY_TEXT);
	assert_string_equal(column(c, "t", "s")->decl_type, "VARCHAR(20)");
	assert_int_equal(column(c, "t", "r")->affinity, AFFINITY_REAL);
	assert_int_equal(column(c, "t", "n")->affinity, AFFINITY_NUMERIC);
	assert_int_equal(column(c, "t", "b")->affinity, AFFINITY_BLOB);
	assert_int_equal(column(c, "t", "x")->affinity, AFFINITY_BLOB);
	assert_int_equal(column(c, "t", "charint")->affinity, AFFINITY_INTEGER);
	assert_int_equal(t->n_pk, 2);
	assert_string_equal(t->columns[t->pk[0]].name, "n");
	assert_string_equal(t->columns[t->pk[1]].name, "i");
	assert_false(column(c, "t", "i")->is_unique);
	assert_true(column(c, "t", "s")->is_unique);
	assert_true(column(c, "t", "f")->is_unique);
	assert_false(column(c, "t", "x")->is_unique); /* only where x > 0 */
	assert_true(catalog_is_unique(t, (const uint32_t[]){2, 4}, 2));
	assert_false(catalog_is_unique(t, (const uint32_t[]){2, 5}, 2));
	catalog_free(c);
}

static void test_reads_declared_relations(void **state)
{
	struct catalog *c = describe(
	    "CREATE TABLE a(id INTEGER PRIMARY KEY, p, q, UNIQUE(p, q));"
	    "CREATE TABLE b(a_id REFERENCES a, x, y, one INTEGER UNIQUE REFERENCES A(ID), lost REFERENCES gone,"
	    " FOREIGN KEY(x, y) REFERENCES a(p, q))");
	const struct catalog_relation *r;

	(void)state;
	assert_int_equal(c->n_relations, 3);
	r = relation(c, "b.a_id>a.id");
	assert_non_null(r);
	assert_int_equal(r->origin, RELATION_DECLARED);
	assert_int_equal(r->cardinality, CARDINALITY_MANY_TO_ONE);
	assert_int_equal(relation(c, "b.one>a.id")->cardinality, CARDINALITY_ONE_TO_ONE);
	r = relation(c, "b.x>a.p");
	assert_int_equal(r->n_columns, 2);
	assert_string_equal(c->tables[r->to_table].columns[r->to_columns[1]].name, "q");
	assert_int_equal(r->cardinality, CARDINALITY_MANY_TO_ONE);
	catalog_free(c);
}

static void test_infers_relations_from_names_and_values(void **state)
{
	struct catalog *c = describe(
	    "CREATE TABLE companies(id INTEGER PRIMARY KEY, ticker TEXT UNIQUE, name TEXT UNIQUE);"
	    "INSERT INTO companies VALUES(1,'A','x'),(2,'B','y'),(3,'C','z');"
	    "CREATE TABLE sales(company_id INT, ticker TEXT, name TEXT, id INTEGER PRIMARY KEY);"
	    "INSERT INTO sales VALUES(1,'A','x',1),(2,'B','y',2),(2,'B','y',3);"
	    "CREATE TABLE prices(ticker TEXT, year INT); INSERT INTO prices VALUES('A',1),('B',2);"
	    "CREATE TABLE other(ticker TEXT, company_id INT);"
	    "INSERT INTO other VALUES('Z',77),('Y',78),('A',1);"
	    "CREATE TABLE years(year INT UNIQUE); INSERT INTO years VALUES(1),(2);"
	    "CREATE TABLE types(company_id TEXT); INSERT INTO types VALUES('1'),('2');"
	    "CREATE TABLE empty(company_id INT)");
	const struct catalog_relation *r = relation(c, "sales.company_id>companies.id");

	(void)state;
	assert_non_null(r);
	assert_int_equal(r->origin, RELATION_INFERRED);
	assert_int_equal(r->cardinality, CARDINALITY_MANY_TO_ONE);
	assert_non_null(strstr(r->evidence, "2 of 2 values"));
	assert_non_null(relation(c, "prices.ticker>companies.ticker"));
	assert_non_null(relation(c, "empty.company_id>companies.id"));
	/* One a pair; values that are not there; names that say nothing; other types. */
	assert_null(relation(c, "sales.ticker>companies.ticker"));
	assert_null(relation(c, "other.ticker>companies.ticker"));
	assert_null(relation(c, "other.company_id>companies.id"));
	assert_null(relation(c, "sales.name>companies.name"));
	assert_null(relation(c, "sales.id>companies.id"));
	assert_null(relation(c, "prices.year>years.year"));
	assert_null(relation(c, "types.company_id>companies.id"));
	catalog_free(c);
}

static void test_takes_any_name_that_sqlite_takes(void **state)
{
	struct catalog *c = describe(
	    "CREATE TABLE \"a \"\"quoted\"\" 'name'\"(\"select\" TEXT, \"x\ny\" INT, \"\"\"\" TEXT);"
	    "INSERT INTO \"a \"\"quoted\"\" 'name'\" VALUES('v', 1, 'w');"
	    "CREATE TABLE \"line\nbreak; DROP TABLE t\"(\"%w %s %n\" TEXT);"
	    "INSERT INTO \"line\nbreak; DROP TABLE t\" VALUES('q');"
	    "CREATE TABLE 公司(名称 TEXT); INSERT INTO 公司 VALUES('中国石油');"
	    "CREATE TABLE \" \"(\"  \" INT); CREATE TABLE \"select\"(\"from\" INT);"
	    "CREATE TABLE \"\"(a); CREATE TABLE noname(\"\" INT, b INT)");

	(void)state;
	assert_string_equal(column(c, "a \"quoted\" 'name'", "select")->domain[0].text, "v");
	assert_int_equal(column(c, "a \"quoted\" 'name'", "x\ny")->max.i, 1);
	assert_string_equal(column(c, "a \"quoted\" 'name'", "\"")->domain[0].text, "w");
	assert_string_equal(
	    column(c, "line\nbreak; DROP TABLE t", "%w %s %n")->domain[0].text, "q");
	assert_string_equal(column(c, "公司", "名称")->domain[0].text, "中国石油");
	assert_int_equal(table(c, " ")->n_rows, 0);
	assert_int_equal(catalog_find_table(c, ""), -1);
	assert_int_equal(table(c, "noname")->n_columns, 1);
	catalog_free(c);
}

static char *make_wide(int tables, int columns, const char *type)
{
	sqlite3_str *s = sqlite3_str_new(NULL);

	for (int t = 0; t < tables; t++) {
		sqlite3_str_appendf(s, "CREATE TABLE table_%d(", t);
		for (int i = 0; i < columns; i++)
			sqlite3_str_appendf(s, "%scolumn_%d %s", i ? "," : "", i, type);
		sqlite3_str_appendf(s, ");INSERT INTO table_%d(column_0) VALUES(%d);", t, t);
	}
	return sqlite3_str_finish(s);
}

static void test_takes_the_widest_and_many_tables(void **state)
{
	char *wide = make_wide(1, 2000, "TEXT"), *many = make_wide(300, 8, "INT");
	uint64_t start = clock_mono_ms();
	struct catalog *c = describe(wide);

	(void)state;
	assert_int_equal(table(c, "table_0")->n_columns, 2000);
	assert_int_equal(column(c, "table_0", "column_1999")->n_null, 1);
	catalog_free(c);
	c = describe(many);
	assert_int_equal(c->n_tables, 300);
	assert_false(c->profile_cut);
	assert_int_equal(column(c, "table_299", "column_0")->min.i, 299);
	catalog_free(c);
	sqlite3_free(wide);
	sqlite3_free(many);
	assert_true(clock_mono_ms() - start < 8000);
}

static void test_does_not_offer_views_that_blow_up(void **state)
{
	sqlite3_str *s = sqlite3_str_new(NULL);
	uint64_t start = clock_mono_ms();
	struct catalog *c;
	char *sql;

	(void)state;
	sqlite3_str_appendf(
	    s, "CREATE TABLE t(a); INSERT INTO t VALUES(1); CREATE VIEW v0 AS SELECT a FROM t;");
	for (int i = 1; i <= 30; i++)
		sqlite3_str_appendf(s,
		    "CREATE VIEW v%d AS SELECT a FROM v%d UNION ALL SELECT a FROM v%d;", i, i - 1,
		    i - 1);
	sqlite3_str_appendf(s, "CREATE TABLE z(a)");
	sql = sqlite3_str_finish(s);
	c = describe(sql);
	sqlite3_free(sql);
	assert_true(clock_mono_ms() - start < 12000);
	assert_true(catalog_find_table(c, "v5") > 0);
	assert_int_equal(catalog_find_table(c, "v29"), -1);
	assert_int_equal(table(c, "z")->n_columns, 1); /* tables come whatever the views are */
	catalog_free(c);
}

static void test_refuses_a_database_without_tables_and_one_too_large(void **state)
{
	char *sql = make_wide(25, 1700, "INT");
	struct catalog *c = NULL;
	struct err e = ERR_INIT;
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(describe_catalog(db, "s", NULL, &c, &e), ERR_SOURCE_EMPTY);
	assert_string_not_equal(e.fix, "");
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(describe_catalog(db, "s", NULL, &c, &e), ERR_TOO_LARGE);
	assert_null(c);
	sqlite3_free(sql);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lists_tables_and_views_but_nothing_internal),
	    cmocka_unit_test(test_reads_types_and_keys),
	    cmocka_unit_test(test_reads_declared_relations),
	    cmocka_unit_test(test_infers_relations_from_names_and_values),
	    cmocka_unit_test(test_takes_any_name_that_sqlite_takes),
	    cmocka_unit_test(test_takes_the_widest_and_many_tables),
	    cmocka_unit_test(test_does_not_offer_views_that_blow_up),
	    cmocka_unit_test(test_refuses_a_database_without_tables_and_one_too_large),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
