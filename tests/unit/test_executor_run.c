/* Queries through a worker: results, caps, typed errors, and the bombs of the security
 * notes' RX list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/utf8.h"
#include "tests/lib/executor_rig.h"

static struct rig rig;
static char db_path[400];

static int open_rig(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	if (rig_open(&rig, NULL, &e) != 0) {
		fprintf(stderr, "rig: %s\n", e.text);
		return -1;
	}
	snprintf(db_path, sizeof(db_path), "%s", rig_path(&rig, "a.db"));
	rig_sql(db_path,
	    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB);"
	    "INSERT INTO t VALUES(1,'x',1.5,x'00ff'),(2,'y',2.5,NULL),(3,NULL,NULL,x'');"
	    "CREATE TABLE big(i INTEGER, s TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT"
	    " i+1 FROM n WHERE i<200000) INSERT INTO big SELECT i, 'value '||i FROM n;"
	    "CREATE TABLE wide(s TEXT, bad TEXT); INSERT INTO wide VALUES("
	    "replace(hex(zeroblob(40000)),'00','é'), CAST(x'61c328ff0062' AS TEXT));"
	    "CREATE VIEW v AS SELECT b AS \"the b\", a*2 AS twice FROM t;"
	    "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)"
	    " SELECT i FROM n; CREATE VIEW sneaky AS SELECT zeroblob(100) AS z;"
	    "CREATE TABLE \"odd \"\"name\"(\"from\" INT, \"x y\" TEXT);"
	    "INSERT INTO \"odd \"\"name\" VALUES(7, 'q')");
	return 0;
}

static int close_rig(void **state)
{
	(void)state;
	assert_int_equal(rig.unexpected_exits, 0); /* nothing crashed or broke out on the way */
	rig_close(&rig);
	return 0;
}

static struct resultset *run(const char *sql)
{
	struct resultset *r;
	struct err e = ERR_INIT;

	if (rig_run(&rig, db_path, sql, 8000, -1, &r, &e) != 0)
		fail_msg("%s: %s", sql, e.text);
	return r;
}

/* Fails with one of two codes, within a time. */
static void fails(const char *sql, int code, int or_code, uint32_t ms)
{
	struct resultset *r;
	struct err e = ERR_INIT;
	uint64_t start = clock_mono_ms();
	int rc = rig_run(&rig, db_path, sql, ms, -1, &r, &e);

	resultset_free(r);
	if (rc != code && rc != or_code)
		fail_msg("%.100s: %d (%s)", sql, rc, e.text);
	assert_true(e.text[0] != '\0');
	assert_null(strstr(e.text, "SQLITE"));
	assert_true(clock_mono_ms() - start < ms + 1500);
}

static void test_returns_exact_values_with_their_origin(void **state)
{
	struct resultset *r = run(
	    "SELECT a AS \"N°\", t.b, c*2, d, 9223372036854775807 AS m FROM t ORDER BY a");

	(void)state;
	assert_int_equal(r->n_rows, 3);
	assert_string_equal(r->columns[0].name, "N°");
	assert_string_equal(r->columns[0].table, "t");
	assert_string_equal(r->columns[0].column, "a");
	assert_string_equal(r->columns[0].type, "INTEGER");
	assert_string_equal(r->columns[1].name, "b");
	assert_string_equal(r->columns[2].table, "");
	assert_int_equal(resultset_cell(r, 0, 0)->i, 1);
	assert_string_equal(resultset_cell(r, 0, 1)->text, "x");
	assert_true(fabs(resultset_cell(r, 0, 2)->r - 3.0) < 1e-12);
	assert_int_equal(resultset_cell(r, 0, 3)->type, VALUE_BLOB);
	assert_int_equal(resultset_cell(r, 0, 3)->len, 2);
	assert_int_equal(resultset_cell(r, 2, 1)->type, VALUE_NULL);
	assert_true(resultset_cell(r, 0, 4)->i == INT64_MAX);
	assert_false(r->truncated);
	assert_non_null(strstr(r->sql_run, "main.t"));
	assert_non_null(strstr(r->sql_shown, "N°"));
	assert_true(r->stats.opcodes > 0);
	resultset_free(r);
}

static void test_reads_views_and_odd_names(void **state)
{
	struct resultset *r = run("SELECT \"the b\", twice FROM v WHERE twice > 2 ORDER BY twice");

	(void)state;
	assert_int_equal(r->n_rows, 2);
	assert_int_equal(resultset_cell(r, 1, 1)->i, 6);
	resultset_free(r);
	r = run("SELECT count(*) FROM v");
	assert_int_equal(resultset_cell(r, 0, 0)->i, 3);
	resultset_free(r);
	r = run("SELECT \"from\", \"x y\" FROM \"odd \"\"name\"");
	assert_int_equal(resultset_cell(r, 0, 0)->i, 7);
	assert_string_equal(r->columns[0].table, "odd \"name");
	resultset_free(r);
}

static void test_cuts_rows_cells_and_bytes_and_says_so(void **state)
{
	struct resultset *r = run("SELECT i FROM big");

	(void)state;
	assert_int_equal(r->n_rows, 1000);
	assert_true(r->truncated);
	resultset_free(r);
	r = run("SELECT i FROM big LIMIT 1000");
	assert_int_equal(r->n_rows, 1000);
	assert_false(r->truncated);
	resultset_free(r);
	r = run("SELECT s FROM wide");
	assert_in_range(resultset_cell(r, 0, 0)->len, 65533, 65536);
	assert_true(utf8_valid(resultset_cell(r, 0, 0)->text, resultset_cell(r, 0, 0)->len));
	assert_true(r->truncated);
	resultset_free(r);
	r = run("SELECT wide.s FROM wide, big");
	assert_in_range(r->n_rows, 20, 40); /* 2 MiB of 64 KiB cells */
	assert_true(r->truncated);
	resultset_free(r);
}

static void test_gives_valid_text_for_broken_bytes(void **state)
{
	struct resultset *r = run("SELECT bad FROM wide");
	const struct value *v = resultset_cell(r, 0, 0);

	(void)state;
	assert_int_equal(v->type, VALUE_TEXT);
	assert_true(utf8_valid(v->text, v->len));
	assert_int_equal(strlen(v->text), v->len);
	assert_string_equal(v->text,
	    "a\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD"
	    "b");
	resultset_free(r);
	r = run("SELECT 1e999, -1e999, 0.0/0, 1e999-1e999");
	assert_true(isinf(resultset_cell(r, 0, 0)->r));
	assert_int_equal(resultset_cell(r, 0, 2)->type, VALUE_NULL);
	assert_int_equal(resultset_cell(r, 0, 3)->type, VALUE_NULL);
	resultset_free(r);
}

static void test_the_same_rows_give_the_same_digest(void **state)
{
	struct resultset *x = run("SELECT a, b FROM t"), *y = run("SELECT  a,b  FROM t -- again");
	struct resultset *z = run("SELECT a, c FROM t");

	(void)state;
	assert_true(hash_equal(&x->digest, &y->digest));
	assert_false(hash_equal(&x->digest, &z->digest));
	assert_true(hash_equal(&x->data_version, &z->data_version));
	resultset_free(x);
	resultset_free(y);
	resultset_free(z);
}

static void test_refuses_what_is_no_select_before_the_engine_sees_it(void **state)
{
	(void)state;
	fails("DROP TABLE t", ERR_NOT_SELECT, 0, 1000);
	fails("SELECT 1; SELECT 2", ERR_SYNTAX, ERR_NOT_SELECT, 1000);
	fails("SELECT a FROM sqlite_master", ERR_UNKNOWN_TABLE, 0, 1000);
	fails("SELECT nope FROM t", ERR_UNKNOWN_COLUMN, 0, 1000);
	fails("SELECT \"nosuch\" FROM t", ERR_UNKNOWN_COLUMN, 0, 1000);
	fails("SELECT load_extension('x')", ERR_UNKNOWN_FUNCTION, 0, 1000);
	fails("SELECT ?1", ERR_SYNTAX, ERR_NOT_SELECT, 1000);
	fails("", ERR_SYNTAX, ERR_BAD_INPUT, 1000);
	fails("PRAGMA query_only=0", ERR_NOT_SELECT, 0, 1000);
}

static void test_a_hostile_view_is_refused_or_stopped(void **state)
{
	(void)state;
	fails("SELECT z FROM sneaky", ERR_ENGINE_MISMATCH, ERR_DENIED, 1000);
	fails("SELECT count(*) FROM endless", ERR_TIMEOUT, 0, 300);
}

static void test_maps_errors_of_the_engine_to_our_words(void **state)
{
	(void)state;
	fails("SELECT abs(-9223372036854775807 - 1)", ERR_RUNTIME, 0, 1000);
	fails("SELECT json_extract('{', '$.a')", ERR_RUNTIME, 0, 1000);
	fails("SELECT a, b FROM t UNION SELECT a FROM t", ERR_SYNTAX, 0, 1000);
	fails("SELECT a FROM t WHERE a = (SELECT a, b FROM t)", ERR_SYNTAX, 0, 1000);
}

#define DOUBLED(x) "replace(replace(" x ",'a','aaaaaaaaaaaaaaaaaaaa'),'a','aaaaaaaaaaaaaaaaaaaa')"

static void test_survives_the_bombs(void **state)
{
	(void)state;
	fails(
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n ORDER BY i",
	    ERR_TIMEOUT, ERR_COST, 500);
	fails("WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i+1 FROM n) SELECT count(*) FROM n",
	    ERR_TIMEOUT, ERR_COST, 500);
	fails(
	    "WITH RECURSIVE n(s) AS (SELECT 'aaaaaaaa' UNION ALL SELECT s||s FROM n) SELECT length(s) FROM n",
	    ERR_RESULT_TOO_BIG, ERR_COST, 3000);
	fails("SELECT length(" DOUBLED(DOUBLED("'aaaaaaaaaaaaaaaaaaaa'")) ")", ERR_RESULT_TOO_BIG,
	    ERR_TIMEOUT, 3000);
	fails("SELECT count(*) FROM big a, big b, big c", ERR_TIMEOUT, ERR_COST, 500);
	fails("SELECT group_concat(s) FROM big a, t b", ERR_RESULT_TOO_BIG, ERR_TIMEOUT, 5000);
	fails("SELECT trim('aaa', 'a')", ERR_SYNTAX, ERR_UNKNOWN_FUNCTION, 1000);
	fails("SELECT printf('%.*c', 100000000, 'x')", ERR_UNKNOWN_FUNCTION, 0, 1000);
	fails("SELECT zeroblob(1000000000)", ERR_UNKNOWN_FUNCTION, 0, 1000);
	fails(
	    "SELECT a.s, b.s, row_number() OVER (ORDER BY a.s||b.s) FROM big a, big b WHERE b.i < 40",
	    ERR_COST, ERR_TIMEOUT, 8000);
}

/* head, n times part, middle, n times end. */
static void fails_repeated(
    const char *head, const char *part, const char *middle, const char *end, size_t n)
{
	size_t len = strlen(head) + strlen(middle) + n * (strlen(part) + strlen(end));
	char *sql = malloc(len + 1), *p = stpcpy(sql, head);

	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, part);
	p = stpcpy(p, middle);
	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, end);
	fails(sql, ERR_TOO_COMPLEX, ERR_TOO_LARGE, 3000);
	free(sql);
}

static void test_refuses_what_is_too_complex(void **state)
{
	struct resultset *r;

	(void)state;
	fails_repeated("SELECT ", "abs(", "1", ")", 900);
	fails_repeated("SELECT ", "NOT ", "1", "", 15000);
	fails_repeated("SELECT 1", " UNION ALL SELECT 1", "", "", 499);
	fails_repeated("SELECT 1 FROM t AS x", ", t", "", "", 70);
	fails_repeated("SELECT a IN (1", ",1", ") FROM t", "", 100000);
	r = run(
	    "WITH a AS (SELECT 1 x), b AS (SELECT x FROM a UNION ALL SELECT x FROM a),"
	    " c AS (SELECT x FROM b UNION ALL SELECT x FROM b), d AS (SELECT x FROM c UNION ALL SELECT"
	    " x FROM c), e AS (SELECT x FROM d UNION ALL SELECT x FROM d) SELECT count(*) FROM e");
	assert_int_equal(resultset_cell(r, 0, 0)->i, 16);
	resultset_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_returns_exact_values_with_their_origin),
	    cmocka_unit_test(test_reads_views_and_odd_names),
	    cmocka_unit_test(test_cuts_rows_cells_and_bytes_and_says_so),
	    cmocka_unit_test(test_gives_valid_text_for_broken_bytes),
	    cmocka_unit_test(test_the_same_rows_give_the_same_digest),
	    cmocka_unit_test(test_refuses_what_is_no_select_before_the_engine_sees_it),
	    cmocka_unit_test(test_a_hostile_view_is_refused_or_stopped),
	    cmocka_unit_test(test_maps_errors_of_the_engine_to_our_words),
	    cmocka_unit_test(test_survives_the_bombs),
	    cmocka_unit_test(test_refuses_what_is_too_complex),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_rig, close_rig);
}
