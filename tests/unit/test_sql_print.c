/* Printing: parse(print(t)) = t for random trees and for the fuzz corpus, and
 * parentheses exactly where they are needed. */
#include <dirent.h>

#include "common/base/strbuf.h"
#include "common/sql/build.h"
#include "common/sql/keyword.h"
#include "tests/lib/sql_agree.h"
#include "tests/unit/sql_rig.h"

/* --- random trees ---------------------------------------------------------------- */

static uint64_t seed;

static unsigned rnd(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static struct sql_expr *random_expr(struct arena *a, int depth);

static struct sql_select *random_select(struct arena *a, int depth)
{
	static const char *const tables[] = {"a", "main", "order", "x y"};
	struct sql_select *s = sql_build_select(a);
	if (rnd(6) == 0)
		sql_build_cte(a, s, "q", random_select(a, depth - 2));
	for (unsigned i = 0, n = 1 + (rnd(5) == 0); i < n; i++) {
		struct sql_core *c = i == 0 ? s->cores[0]
		                            : sql_build_core(a, s, SQL_SET_UNION + (int)rnd(4));
		c->distinct = rnd(4) == 0;
		sql_build_output(a, c, random_expr(a, depth - 1), rnd(2) ? "n" : NULL);
		for (unsigned k = 0, joins = rnd(3); k < joins; k++)
			sql_build_from(a, c, SQL_JOIN_COMMA + (int)rnd(6), tables[rnd(4)],
			    rnd(2) ? "t" : NULL,
			    k > 0 && rnd(2) ? random_expr(a, depth - 1) : NULL);
		if (rnd(2))
			sql_build_where(a, c, random_expr(a, depth - 1));
		if (rnd(4) == 0)
			sql_build_group(a, c, random_expr(a, depth - 1));
	}
	if (rnd(3) == 0)
		sql_build_order(a, s, random_expr(a, depth - 1), rnd(2));
	if (rnd(3) == 0)
		sql_build_limit(a, s, rnd(1000));
	return s;
}

static struct sql_expr *random_leaf(struct arena *a)
{
	static const char *const names[] = {
	    "x", "order", "true", "odd name", "q\"q", "row", "\xe5\x90\x8d"};
	static const char *const numbers[] = {
	    "0", "-1", "0.5", "-1e9", "0x1F", "9223372036854775808"};
	static const char *const strings[] = {"", "it's", "--", "/*", "\"", "a\nb"};
	switch (rnd(5)) {
	case 0: return sql_build_number(a, numbers[rnd(6)]);
	case 1: return sql_build_string(a, strings[rnd(6)]);
	case 2: return sql_build_column(a, rnd(2) ? names[rnd(7)] : NULL, names[rnd(7)]);
	case 3: return sql_build_count_star(a);
	default: {
		struct value blob = {.type = VALUE_BLOB, .text = "\x01\xff", .len = rnd(3)};
		return sql_build_value(a, &blob);
	}
	}
}

static struct sql_expr *random_expr(struct arena *a, int depth)
{
	static const enum sql_op unary[] = {SQL_OP_NOT, SQL_OP_NEG, SQL_OP_POS, SQL_OP_BIT_NOT};
	if (depth <= 0)
		return random_leaf(a);
	struct sql_expr *l = random_expr(a, depth - 1 - (int)rnd(2)), *r = NULL, *items[2];
	switch (rnd(14)) {
	case 0:
	case 1: return sql_build_unary(a, unary[rnd(4)], l);
	case 2:
	case 3:
	case 4:
	case 5: {
		enum sql_op op = SQL_OP_OR + rnd(SQL_OP_JSON_TEXT - SQL_OP_OR + 1);
		r = random_expr(a, depth - 1 - (int)rnd(2));
		return sql_build_binary(
		    a, op == SQL_OP_NOT || op == SQL_OP_BIT_NOT ? SQL_OP_AND : op, l, r);
	}
	case 6:
		return sql_build_between(
		    a, l, random_expr(a, depth - 1), random_expr(a, depth - 1));
	case 7: return sql_build_like(a, l, "a%", rnd(2));
	case 8:
		items[0] = random_expr(a, depth - 1);
		items[1] = random_expr(a, depth - 1);
		return sql_build_in_list(a, l, items, rnd(3), rnd(2));
	case 9: return sql_build_in_select(a, l, random_select(a, depth - 1), rnd(2));
	case 10: return sql_build_exists(a, random_select(a, depth - 1), rnd(2));
	case 11: return sql_build_is_null(a, l, rnd(2));
	case 12: return sql_build_cast(a, l, "VARCHAR(10)");
	default: return sql_build_call(a, "max", rnd(2), 2, l, random_expr(a, depth - 1));
	}
}

static void test_printed_trees_parse_to_themselves(void **state)
{
	struct sql_rig *r = *state;
	for (seed = 1; seed < 4000;) {
		uint64_t own = seed;
		struct arena a = ARENA_INIT;
		struct sql_select *again = NULL;
		r->select = random_select(&a, 4);
		const char *text = sql_rig_print(r, SQL_PRINT_SHOWN, 0);
		if (sql_parse(&a, &sql_dialect_sqlite, text, strlen(text), &again, &r->err) != 0)
			fail_msg("%s: %s", text, r->err.text);
		if (!sql_select_equal(r->select, again))
			fail_msg("another tree: %s", text);
		arena_done(&a);
		seed = own + 1;
	}
}

/* --- single cases ------------------------------------------------------------------- */

static void test_prints_parentheses_only_where_needed(void **state)
{
	static const char *const same[] = {"SELECT a - (b - c), a - b - c, (a + b) * c, a + b * c",
	    "SELECT NOT a = b, (NOT a) = b, a = (b = c), a < b = c, a < (b = c)",
	    "SELECT - -1, a - -1, -(a + b), ~a COLLATE nocase, -(a COLLATE nocase)",
	    "SELECT a AND b OR c, a AND (b OR c), NOT (a AND b), NOT a AND b",
	    "SELECT a BETWEEN 1 AND 2 AND b, a BETWEEN (1 = 2) AND (b OR c)",
	    "SELECT a IS NULL = b, a IS (b IS NULL), a IS NOT (NOT b)",
	    "SELECT a LIKE b ESCAPE c, a LIKE (b LIKE c), (a, b) = (1, 2), a IN ((SELECT 1))",
	    "SELECT a || (b || c), a -> 'x' ->> 'y', a & b << c, CAST(a AS TEXT) || b"};
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		assert_int_equal(sql_rig_parse(*state, same[i]), 0);
		assert_string_equal(sql_rig_print(*state, SQL_PRINT_SHOWN, 0), same[i]);
	}
	assert_int_equal(
	    sql_rig_parse(*state, "select ((((a)))+(b*c)) from ((t)) where (not(x))"), 0);
	assert_string_equal(
	    sql_rig_print(*state, SQL_PRINT_SHOWN, 0), "SELECT a + b * c FROM t WHERE NOT x");
}

static void test_quotes_names_and_strings(void **state)
{
	struct sql_rig *r = *state;
	assert_int_equal(
	    sql_rig_parse(
	        r, "SELECT `a`, [b c], \"d\"\"e\", 'it''s', \"select\" FROM \"T\" AS 'x y'"),
	    0);
	assert_string_equal(sql_rig_print(r, SQL_PRINT_SHOWN, 0),
	    "SELECT a, \"b c\", \"d\"\"e\", 'it''s', \"select\" FROM T AS \"x y\"");
}

static void test_opens_parenthesised_joins_where_it_may(void **state)
{
	assert_string_equal(
	    sql_rig_run(*state, "SELECT 1 FROM a JOIN (b JOIN c ON b.id = c.id) ON a.id = b.id"),
	    "SELECT 1 AS \"1\" FROM main.a AS t1 JOIN main.b AS t2 JOIN main.c AS t3 "
	    "ON t2.id = t3.id AND t1.id = t2.id");
	assert_string_equal(
	    sql_rig_run(
	        *state, "SELECT 1 FROM a LEFT JOIN (b JOIN c ON b.id = c.id) ON a.id = b.id"),
	    "SELECT 1 AS \"1\" FROM main.a AS t1 LEFT JOIN (main.b AS t2 JOIN main.c AS t3 "
	    "ON t2.id = t3.id) ON t1.id = t2.id");
}

static void test_writes_numbers_so_that_they_stay_what_they_are(void **state)
{
	struct sql_rig *r = *state;
	static const struct {
		double real;
		const char *text;
	} cases[] = {{3, "SELECT 3.0"}, {-0.1, "SELECT -0.1"}, {1e300, "SELECT 1e+300"},
	    {0.1 + 0.2, "SELECT 0.30000000000000004"}};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct value v = {.type = VALUE_REAL, .r = cases[i].real};
		r->select = sql_build_select(&r->arena);
		sql_build_output(
		    &r->arena, r->select->cores[0], sql_build_value(&r->arena, &v), NULL);
		assert_string_equal(sql_rig_print(r, SQL_PRINT_SHOWN, 0), cases[i].text);
	}
}

static void test_keywords_are_sorted(void **state)
{
	(void)state;
	for (size_t i = 1; sql_keyword_at(i); i++)
		assert_true(strcmp(sql_keyword_at(i - 1)->name, sql_keyword_at(i)->name) < 0);
}

static void test_fuzz_corpus_holds(void **state)
{
	(void)state;
	DIR *d = opendir("tests/fuzz/corpus/sql");
	size_t n = 0;
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		char path[400], text[4096];
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "tests/fuzz/corpus/sql/%s", e->d_name);
		FILE *f = fopen(path, "rb");
		assert_non_null(f);
		size_t size = fread(text, 1, sizeof(text), f);
		fclose(f);
		sql_agree_check(text, size);
		n++;
	}
	closedir(d);
	assert_true(n > 20);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, sql_rig_up, sql_rig_down)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    TEST(test_printed_trees_parse_to_themselves),
	    TEST(test_prints_parentheses_only_where_needed),
	    TEST(test_quotes_names_and_strings),
	    TEST(test_opens_parenthesised_joins_where_it_may),
	    TEST(test_writes_numbers_so_that_they_stay_what_they_are),
	    TEST(test_keywords_are_sorted),
	    TEST(test_fuzz_corpus_holds),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	sql_agree_done();
	return rc;
}
