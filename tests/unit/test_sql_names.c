/* Names: what they mean, how they are printed for running, what is refused. */
#include "tests/unit/sql_rig.h"

static void runs_as(struct sql_rig *r, const char *text, const char *expected)
{
	assert_string_equal(sql_rig_run(r, text), expected);
}

static void test_expands_stars_and_merges_columns(void **state)
{
	runs_as(*state, "SELECT * FROM a JOIN b USING (id)",
	    "SELECT t1.id, t1.x, t1.y, t2.x, t2.z FROM main.a AS t1 JOIN main.b AS t2 "
	    "ON t1.id = t2.id");
	runs_as(*state, "SELECT * FROM a NATURAL LEFT JOIN b",
	    "SELECT t1.id, t1.x, t1.y, t2.z FROM main.a AS t1 LEFT JOIN main.b AS t2 "
	    "ON t1.id = t2.id AND t1.x = t2.x");
	runs_as(*state, "SELECT * FROM a FULL JOIN b USING (id)",
	    "SELECT coalesce(t1.id, t2.id) AS id, t1.x, t1.y, t2.x, t2.z FROM main.a AS t1 "
	    "FULL JOIN main.b AS t2 ON t1.id = t2.id");
	runs_as(*state, "SELECT * FROM (SELECT a.id, b.id FROM a, b)",
	    "SELECT t3.c1 AS id, t3.c2 AS \"id:1\" FROM (SELECT t1.id AS c1, t2.id AS c2 "
	    "FROM main.a AS t1, main.b AS t2) AS t3");
	runs_as(*state, "SELECT id FROM a RIGHT JOIN b USING (id)",
	    "SELECT t2.id FROM main.a AS t1 RIGHT JOIN main.b AS t2 ON t1.id = t2.id");
	runs_as(*state, "SELECT b.*, id FROM a FULL JOIN b USING (id)",
	    "SELECT t2.id, t2.x, t2.z, coalesce(t1.id, t2.id) AS id FROM main.a AS t1 "
	    "FULL JOIN main.b AS t2 ON t1.id = t2.id");
}

static void test_renames_aliases_and_ctes(void **state)
{
	runs_as(*state,
	    "WITH orders AS (SELECT id AS k FROM main.orders), unused AS (SELECT 1) "
	    "SELECT o.k FROM orders AS o",
	    "WITH w1(c1) AS (SELECT t1.id FROM main.orders AS t1) SELECT t2.c1 AS k FROM w1 AS t2");
	runs_as(*state,
	    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n",
	    "WITH RECURSIVE w1(c1) AS (VALUES (1) UNION ALL SELECT t1.c1 + 1 FROM w1 AS t1 "
	    "WHERE t1.c1 < 9) SELECT t2.c1 AS i FROM w1 AS t2");
	runs_as(*state, "SELECT \"count(*)\", column1 FROM (SELECT count(*) FROM a), (VALUES (7))",
	    "SELECT t2.c1 AS \"count(*)\", t3.column1 AS column1 FROM (SELECT count(*) AS c1 "
	    "FROM main.a AS t1) AS t2, (VALUES (7)) AS t3");
}

static void test_never_takes_a_name_of_the_catalog(void **state)
{
	struct sql_rig *r = *state;
	r->catalog->tables[0].name = "t12";
	runs_as(r, "SELECT name FROM t12", "SELECT t_1.name FROM main.t12 AS t_1");
}

static void test_binds_aliases_as_the_engine_does(void **state)
{
	/* ORDER BY: the alias first; elsewhere: the column first. */
	runs_as(*state, "SELECT y AS x FROM a WHERE x > 1 GROUP BY x ORDER BY x",
	    "SELECT t1.y AS x FROM main.a AS t1 WHERE t1.x > 1 GROUP BY t1.x ORDER BY 1");
	runs_as(*state,
	    "SELECT x + 1 AS k FROM a WHERE k > 1 GROUP BY k HAVING count(*) > 2 ORDER BY -k",
	    "SELECT t1.x + 1 AS k FROM main.a AS t1 WHERE t1.x + 1 > 1 GROUP BY 1 "
	    "HAVING count(*) > 2 ORDER BY -(t1.x + 1)");
	runs_as(*state, "SELECT x FROM a UNION SELECT z FROM b ORDER BY z",
	    "SELECT t1.x FROM main.a AS t1 UNION SELECT t2.z FROM main.b AS t2 ORDER BY 1");
}

static void test_sees_outer_queries(void **state)
{
	runs_as(*state,
	    "SELECT (SELECT max(amount) FROM orders WHERE customer_id = c.id) AS m FROM customers c",
	    "SELECT (SELECT max(t2.amount) FROM main.orders AS t2 WHERE t2.customer_id = t1.id) AS m "
	    "FROM main.customers AS t1");
	sql_rig_refuses(
	    *state, "SELECT * FROM a, (SELECT x FROM b WHERE b.x = a.x)", ERR_UNKNOWN_COLUMN);
}

static void test_limits_the_outermost_select(void **state)
{
	static const struct {
		const char *text, *end;
	} cases[] = {
	    {"SELECT x FROM a", "LIMIT 11"},
	    {"SELECT x FROM a LIMIT 5", "LIMIT 5"},
	    {"SELECT x FROM a LIMIT 11", "LIMIT 11"},
	    {"SELECT x FROM a LIMIT 12", "LIMIT 11"},
	    {"SELECT x FROM a LIMIT -1 OFFSET 2", "LIMIT 11 OFFSET 2"},
	    {"SELECT x FROM a LIMIT 99999999999999999999", "LIMIT 11"},
	    {"SELECT x FROM a LIMIT 2 + 3", "BETWEEN 0 AND 10 THEN (2 + 3) ELSE 11 END"},
	    {"VALUES (1), (2)", "(VALUES (1), (2)) LIMIT 11"},
	};
	struct sql_rig *r = *state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		sql_rig_run(r, cases[i].text);
		const char *out = sql_rig_print(r, SQL_PRINT_RUN, 10);
		size_t len = strlen(out), end = strlen(cases[i].end);
		if (len < end || strcmp(out + len - end, cases[i].end) != 0)
			fail_msg("%s: %s", cases[i].text, out);
	}
}

static void test_shows_what_the_author_wrote(void **state)
{
	static const char *const texts[] = {"SELECT * FROM a NATURAL JOIN b",
	    "SELECT c.*, 1 AS one FROM a AS c JOIN b USING (id, x) ORDER BY one",
	    "WITH q AS (SELECT 1) SELECT x FROM a", "SELECT id FROM a FULL JOIN b USING (id)"};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		sql_rig_run(*state, texts[i]);
		assert_string_equal(sql_rig_print(*state, SQL_PRINT_SHOWN, 10), texts[i]);
	}
}

static void test_names_the_nearest_candidates(void **state)
{
	struct sql_rig *r = *state;
	sql_rig_refuses(r, "SELECT order_ts FROM orders", ERR_UNKNOWN_COLUMN);
	assert_string_equal(r->err.text, "orders has no column order_ts");
	assert_non_null(strstr(r->err.fix, "it has order_date"));
	assert_int_equal(r->err.column, 8);
	sql_rig_refuses(r, "SELECT 1 FROM custmers", ERR_UNKNOWN_TABLE);
	assert_non_null(strstr(r->err.fix, "customers"));
	sql_rig_refuses(r, "SELECT paid FROM orders JOIN customers", ERR_UNKNOWN_COLUMN);
	assert_non_null(strstr(r->err.fix, "payments"));
	sql_rig_refuses(r, "SELECT id FROM a, b", ERR_AMBIGUOUS_COLUMN);
	assert_string_equal(r->err.fix, "write a.id or b.id");
	sql_rig_refuses(r, "SELECT year(order_date) FROM orders", ERR_UNKNOWN_FUNCTION);
	assert_non_null(strstr(r->err.fix, "strftime"));
	sql_rig_refuses(r, "SELECT \"abc\" FROM a", ERR_UNKNOWN_COLUMN);
}

static void test_refuses_what_could_harm_or_hide(void **state)
{
	static const char *const functions[] = {"load_extension('x')", "randomblob(9)",
	    "zeroblob(9)", "printf('%9999999d', 1)", "format('%d', 1)", "trim('a', 'b')",
	    "fts3_tokenizer('x')", "sqlite_version()", "sqlite_compileoption_get(1)", "changes()",
	    "last_insert_rowid()", "readfile('x')", "nosuch(1)", "abs()", "abs(1, 2)"};
	char text[200];
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		snprintf(text, sizeof(text), "SELECT %s FROM a", functions[i]);
		sql_rig_refuses(*state, text, ERR_UNKNOWN_FUNCTION);
	}
	sql_rig_refuses(*state, "SELECT * FROM pragma_table_info('a')", ERR_UNKNOWN_FUNCTION);
	sql_rig_refuses(*state, "SELECT * FROM sqlite_master", ERR_UNKNOWN_TABLE);
	sql_rig_refuses(*state, "SELECT * FROM temp.a", ERR_UNKNOWN_TABLE);
	sql_rig_refuses(*state, "SELECT rowid FROM a", ERR_UNKNOWN_COLUMN);
	sql_rig_refuses(*state, "SELECT a._rowid_ FROM a ORDER BY oid", ERR_UNKNOWN_COLUMN);
}

static void test_refuses_what_the_engine_refuses(void **state)
{
	static const char *const texts[] = {"SELECT x FROM a WHERE count(*) > 1",
	    "SELECT (SELECT 1 FROM b WHERE sum(a.x) > 1) FROM a",
	    "SELECT count(*) AS n FROM a WHERE n > 1", "SELECT sum(max(x)) FROM a",
	    "SELECT count(*) FROM a GROUP BY 1", "SELECT x FROM a HAVING x > 1", "SELECT (1, 2)",
	    "SELECT x FROM a ORDER BY 2", "SELECT x FROM a UNION SELECT 1, 2",
	    "SELECT x IN (SELECT 1, 2) FROM a", "SELECT (1, 2) = (1, 2, 3)", "SELECT rank() FROM a",
	    "SELECT abs(x) OVER () FROM a", "SELECT abs(x) FILTER (WHERE 1) FROM a",
	    "SELECT sum(x) OVER nowhere FROM a", "SELECT count(DISTINCT x, y) FROM a",
	    "SELECT x FROM a WHERE row_number() OVER () = 1",
	    "SELECT x FROM a ORDER BY y COLLATE klingon",
	    "SELECT x FROM a UNION SELECT z FROM b ORDER BY y || z"};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		sqlite3_stmt *s = NULL;
		struct sql_rig *r = *state;
		if (sql_rig_resolve(r, texts[i]) == 0)
			fail_msg("accepted: %s", texts[i]);
		assert_int_not_equal(sqlite3_prepare_v2(r->db, texts[i], -1, &s, NULL), SQLITE_OK);
		sqlite3_finalize(s);
	}
}

static void test_refuses_endless_definitions(void **state)
{
	sql_rig_refuses(*state, "WITH q AS (SELECT * FROM q) SELECT * FROM q", ERR_SYNTAX);
	sql_rig_refuses(*state,
	    "WITH p AS (SELECT * FROM q), q AS (SELECT * FROM p) SELECT * FROM q", ERR_SYNTAX);
	sql_rig_refuses(*state,
	    "WITH q(n) AS (SELECT 1 UNION ALL SELECT (SELECT n FROM q)) SELECT * FROM q",
	    ERR_SYNTAX);
	sql_rig_refuses(*state,
	    "WITH q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q UNION ALL SELECT 2) SELECT * FROM q",
	    ERR_SYNTAX);
	sql_rig_refuses(*state, "WITH q(n) AS (SELECT n FROM q UNION ALL SELECT 1) SELECT * FROM q",
	    ERR_SYNTAX);
	sql_rig_refuses(*state,
	    "WITH q(n) AS (SELECT 1 UNION ALL SELECT count(*) FROM q) SELECT * FROM q", ERR_SYNTAX);
}

static void test_takes_strings_in_double_quotes_only_when_told(void **state)
{
	struct sql_rig *r = *state;
	assert_int_equal(sql_rig_parse(r, "SELECT x FROM a WHERE y = \"it's\""), 0);
	assert_int_equal(
	    sql_resolve(&r->arena, &sql_dialect_sqlite, r->select, r->catalog, &r->err),
	    ERR_UNKNOWN_COLUMN);
	assert_int_equal(sql_rig_parse(r, "SELECT x FROM a WHERE y = \"it's\""), 0);
	assert_int_equal(
	    sql_resolve(&r->arena, &sql_dialect_sqlite_compat, r->select, r->catalog, &r->err), 0);
	assert_string_equal(sql_rig_print(r, SQL_PRINT_RUN, 0),
	    "SELECT t1.x FROM main.a AS t1 WHERE t1.y = 'it''s'");
}

/* A few kilobytes must not grow into what the engine or a walk cannot bear. */
static void test_bounds_what_a_small_text_stands_for(void **state)
{
	struct sql_rig *r = *state;
	struct strbuf b;
	strbuf_init(&b, SQL_MAX_BYTES);
	strbuf_puts(&b, "WITH q0 AS (SELECT 1 AS x)");
	for (int i = 1; i < 40; i++)
		strbuf_printf(&b, ", q%d AS (SELECT l.x FROM q%d AS l, q%d AS r)", i, i - 1, i - 1);
	strbuf_puts(&b, " SELECT x FROM q39");
	sql_rig_refuses(r, b.data, ERR_TOO_COMPLEX);

	strbuf_clear(&b);
	strbuf_puts(&b, "SELECT 1 AS k0");
	for (int i = 1; i < 40; i++)
		strbuf_printf(&b, " WHERE (SELECT k%d + k%d AS k%d", i - 1, i - 1, i);
	for (int i = 1; i < 40; i++)
		strbuf_putc(&b, ')');
	sql_rig_refuses(r, b.data, ERR_TOO_COMPLEX);

	/* Facts look through nested subqueries, but not without end. */
	strbuf_clear(&b);
	for (int i = 0; i < 80; i++)
		strbuf_puts(&b, "SELECT k / k AS k FROM (");
	strbuf_puts(&b, "SELECT 1 AS k");
	for (int i = 0; i < 80; i++)
		strbuf_putc(&b, ')');
	struct sql_facts f;
	sql_rig_run(r, b.data);
	sql_facts(&r->arena, r->select, r->catalog, &f);
	strbuf_done(&b);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, sql_rig_up, sql_rig_down)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    TEST(test_expands_stars_and_merges_columns),
	    TEST(test_renames_aliases_and_ctes),
	    TEST(test_never_takes_a_name_of_the_catalog),
	    TEST(test_binds_aliases_as_the_engine_does),
	    TEST(test_sees_outer_queries),
	    TEST(test_limits_the_outermost_select),
	    TEST(test_shows_what_the_author_wrote),
	    TEST(test_names_the_nearest_candidates),
	    TEST(test_refuses_what_could_harm_or_hide),
	    TEST(test_refuses_what_the_engine_refuses),
	    TEST(test_refuses_endless_definitions),
	    TEST(test_bounds_what_a_small_text_stands_for),
	    TEST(test_takes_strings_in_double_quotes_only_when_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
