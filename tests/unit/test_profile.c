/* The profile of a catalog: counts, domains, limits, time boxes; and values_find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/utf8.h"
#include "common/model/pb_catalog.h"
#include "executor/describe.h"
#include "executor/fit.h"
#include "executor/values.h"

static sqlite3 *db;

static struct catalog *describe(const char *sql, const struct describe_options *o)
{
	struct catalog *c = NULL;
	struct err e = ERR_INIT;
	char *message = NULL;

	sqlite3_close(db);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s", message);
	if (describe_catalog(db, "src", o, &c, &e) != 0)
		fail_msg("%s", e.text);
	return c;
}

static struct catalog_column *column(struct catalog *c, const char *t, const char *name)
{
	int ti = catalog_find_table(c, t), i;

	assert_true(ti >= 0);
	i = catalog_find_column(&c->tables[ti], name);
	assert_true(i >= 0);
	return &c->tables[ti].columns[i];
}

static void test_counts_rows_values_and_nulls(void **state)
{
	struct catalog *c = describe(
	    "CREATE TABLE t(a INT, s TEXT, r REAL, e TEXT);"
	    "INSERT INTO t VALUES(3,'b',1.5,NULL),(1,'a',NULL,NULL),(3,'b',2.5,NULL),"
	    "(NULL,'c',-1,NULL)",
	    NULL);
	struct catalog_column *col = column(c, "t", "a");

	(void)state;
	assert_int_equal(c->tables[0].n_rows, 4);
	assert_int_equal(col->n_distinct, 2);
	assert_int_equal(col->n_null, 1);
	assert_true(col->has_range);
	assert_int_equal(col->min.i, 1);
	assert_int_equal(col->max.i, 3);
	assert_int_equal(col->domain[0].i, 3); /* the most frequent first */
	assert_true(col->domain_complete);
	col = column(c, "t", "s");
	assert_int_equal(col->n_domain, 3);
	assert_string_equal(col->domain[0].text, "b");
	assert_string_equal(col->domain[1].text, "a"); /* then by value */
	assert_true(col->domain_complete);
	assert_int_equal(col->n_samples, 3);
	col = column(c, "t", "r");
	assert_int_equal(col->n_domain, 0); /* reals have a range, no domain */
	assert_false(col->domain_complete);
	assert_true(col->n_samples > 0);
	assert_true(col->min.r < -0.9 && col->max.r > 2.4);
	col = column(c, "t", "e");
	assert_int_equal(col->n_distinct, 0);
	assert_int_equal(col->n_null, 4);
	assert_false(col->has_range);
	assert_true(col->domain_complete);
	assert_false(c->profile_cut);
	catalog_free(c);
}

static void test_tells_values_apart_that_a_collation_holds_equal(void **state)
{
	struct catalog *c = describe("CREATE TABLE t(s TEXT COLLATE NOCASE);"
	                             "INSERT INTO t VALUES('USA'),('usa'),('Usa')",
	    NULL);

	(void)state;
	assert_int_equal(column(c, "t", "s")->n_distinct, 3);
	assert_int_equal(column(c, "t", "s")->n_domain, 3);
	catalog_free(c);
}

static void test_finds_text_in_columns_of_any_declaration(void **state)
{
	struct catalog *c = describe(
	    "CREATE TABLE t(d DATE, x, n NUMERIC, i INT, b BLOB);"
	    "INSERT INTO t VALUES('2023-01-01','k',5,'text',x'00ff'),('2022-01-01',2,6,7,x'01')",
	    NULL);

	(void)state;
	assert_string_equal(column(c, "t", "d")->min.text, "2022-01-01");
	assert_int_equal(column(c, "t", "d")->n_domain, 2);
	assert_int_equal(column(c, "t", "x")->n_domain, 2);
	assert_int_equal(column(c, "t", "i")->max.type, VALUE_TEXT);
	assert_int_equal(column(c, "t", "n")->n_domain, 2);
	assert_int_equal(column(c, "t", "b")->n_domain, 0);
	assert_false(column(c, "t", "b")->has_range);
	assert_int_equal(column(c, "t", "b")->n_samples, 0);
	catalog_free(c);
}

static void test_keeps_no_value_over_80_bytes_and_no_broken_text(void **state)
{
	struct catalog *c = describe(
	    "CREATE TABLE t(s TEXT, l TEXT);"
	    "INSERT INTO t VALUES(CAST(x'61ff62' AS TEXT), replace(hex(zeroblob(41)),'0','x')),"
	    "('ok', 'short'), (CAST(x'610062' AS TEXT), replace(hex(zeroblob(40)),'0','y'))",
	    NULL);
	struct catalog_column *s = column(c, "t", "s"), *l = column(c, "t", "l");

	(void)state;
	assert_int_equal(s->n_domain, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(utf8_valid(s->domain[i].text, s->domain[i].len));
		assert_int_equal(strlen(s->domain[i].text), s->domain[i].len);
	}
	assert_int_equal(l->n_distinct, 3);
	assert_int_equal(l->n_domain, 2); /* 80 bytes fit, 82 do not */
	assert_false(l->domain_complete);
	catalog_free(c);
}

static void test_marks_a_domain_that_has_more_values_than_asked(void **state)
{
	const struct describe_options nine = {.domain_max = 9}, ten = {.domain_max = 10};
	const char *sql =
	    "CREATE TABLE t(s TEXT, k INT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
	    " SELECT i+1 FROM n WHERE i<101) INSERT INTO t SELECT 'v'||(i%10), i FROM n";
	struct catalog *c = describe(sql, &nine);

	(void)state;
	assert_int_equal(column(c, "t", "s")->n_domain, 9);
	assert_false(column(c, "t", "s")->domain_complete);
	assert_int_equal(column(c, "t", "k")->n_domain, 0); /* 101 integers are no domain */
	catalog_free(c);
	c = describe(sql, &ten);
	assert_int_equal(column(c, "t", "s")->n_domain, 10);
	assert_true(column(c, "t", "s")->domain_complete);
	catalog_free(c);
}

static void test_ends_in_time_and_says_what_it_left_out(void **state)
{
	const struct describe_options o = {.column_ms = 5, .total_ms = 100};
	uint64_t start;
	struct catalog *c;

	(void)state;
	sqlite3_close(db);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(db,
	        "CREATE TABLE t(a TEXT, b TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1"
	        " FROM n WHERE i<300000) INSERT INTO t SELECT 'value '||i, 'x'||(i%7) FROM n;"
	        "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)"
	        " SELECT i, 'a' AS s FROM n",
	        NULL, NULL, NULL),
	    SQLITE_OK);
	start = clock_mono_ms();
	assert_int_equal(describe_catalog(db, "s", &o, &c, NULL), 0);
	assert_true(clock_mono_ms() - start < 1000);
	assert_true(c->profile_cut);
	assert_int_equal(column(c, "t", "a")->n_distinct, -1);
	assert_int_equal(column(c, "endless", "i")->n_distinct, -1);
	assert_int_equal(c->tables[1].n_rows, -1);
	catalog_free(c);
}

static void test_a_catalog_of_many_values_fits_in_a_message(void **state)
{
	sqlite3_str *s = sqlite3_str_new(NULL);
	struct strbuf packed;
	struct catalog *c;
	size_t small, large, bytes = 0;
	char *sql;

	(void)state;
	for (int t = 0; t < 60; t++)
		sqlite3_str_appendf(s,
		    "CREATE TABLE t%d(a TEXT, b TEXT, few TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION"
		    " ALL SELECT i+1 FROM n WHERE i<900) INSERT INTO t%d SELECT"
		    " 'a long value with a number in it, for table %d: '||i, 'another one '||i, 'f'||(i%%5)"
		    " FROM n;",
		    t, t, t);
	sql = sqlite3_str_finish(s);
	c = describe(sql, NULL);
	sqlite3_free(sql);
	strbuf_init(&packed, 4u << 20);
	assert_int_equal(pb_catalog_pack(&packed, c, NULL), 0);
	assert_true(packed.len < FIT_CATALOG_BYTES);
	assert_true(c->profile_cut);
	/* Small domains stay whole, large ones share what is there. */
	for (size_t t = 0; t < c->n_tables; t++) {
		assert_true(c->tables[t].columns[2].domain_complete);
		assert_int_equal(c->tables[t].columns[0].n_distinct, 900);
		for (size_t i = 0; i < 3; i++)
			bytes += fit_values_bytes(
			    c->tables[t].columns[i].domain, c->tables[t].columns[i].n_domain);
	}
	assert_in_range(bytes, FIT_DOMAIN_BYTES / 2, FIT_DOMAIN_BYTES);
	small = c->tables[0].columns[0].n_domain;
	large = c->tables[59].columns[0].n_domain;
	assert_true(small > 100 && large > 100);
	assert_in_range(small, large - 5, large + 5);
	strbuf_done(&packed);
	catalog_free(c);
}

static const struct values_hit *hit(const struct values_result *r, uint32_t span, const char *text)
{
	for (size_t i = 0; i < r->n_hits; i++)
		if (r->hits[i].span == span && strcmp(r->hits[i].value.text, text) == 0)
			return &r->hits[i];
	return NULL;
}

static void test_finds_where_the_words_of_a_question_are_stored(void **state)
{
	static const char *const spans[] = {
	    "france", "York", "中国石油", "  new YORK ", "or", "Ünal", "%"};
	struct arena a = ARENA_INIT;
	struct values_result r;
	struct catalog *c = describe(
	    "CREATE TABLE p(city TEXT, country VARCHAR, n INT, z);"
	    "INSERT INTO p VALUES('New York','France',1,'york'),('Yorkshire',' FRANCE ',2,NULL),"
	    "('中国石油天然气','france',3,5),('york new','FRANCE',4,x'796f726b'),('ünal','100 %',5,'or')",
	    NULL);

	(void)state;
	arena_init(&a);
	values_find(&a, db, c, spans, ARRAY_SIZE(spans), 5, 200, clock_mono_ms() + 2000, &r);
	assert_false(r.cut);
	assert_false(hit(&r, 0, "France")->partial);
	assert_non_null(hit(&r, 0, " FRANCE "));
	assert_non_null(hit(&r, 0, "FRANCE"));
	assert_true(hit(&r, 1, "New York")->partial);
	assert_false(hit(&r, 1, "york")->partial);
	assert_null(hit(&r, 1, "Yorkshire")); /* not a word of it */
	assert_true(hit(&r, 2, "中国石油天然气")->partial);
	assert_false(hit(&r, 3, "New York")->partial);
	assert_false(hit(&r, 4, "or")->partial);
	assert_null(hit(&r, 4, "New York"));
	assert_false(hit(&r, 5, "ünal")->partial);
	assert_null(hit(&r, 6, "100 %")); /* no pattern, and too short for a part */
	values_find(&a, db, c, spans, 1, 2, 200, clock_mono_ms() + 2000, &r);
	assert_int_equal(r.n_hits, 2);
	values_find(&a, db, c, spans, 1, 2, 200, clock_mono_ms(), &r);
	assert_true(r.cut);
	arena_done(&a);
	catalog_free(c);
}

static int close_db(void **state)
{
	(void)state;
	sqlite3_close(db);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counts_rows_values_and_nulls),
	    cmocka_unit_test(test_tells_values_apart_that_a_collation_holds_equal),
	    cmocka_unit_test(test_finds_text_in_columns_of_any_declaration),
	    cmocka_unit_test(test_keeps_no_value_over_80_bytes_and_no_broken_text),
	    cmocka_unit_test(test_marks_a_domain_that_has_more_values_than_asked),
	    cmocka_unit_test(test_ends_in_time_and_says_what_it_left_out),
	    cmocka_unit_test(test_a_catalog_of_many_values_fits_in_a_message),
	    cmocka_unit_test(test_finds_where_the_words_of_a_question_are_stored),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, close_db);
}
