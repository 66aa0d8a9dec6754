/* Parsing: what is one SELECT, what is refused and how it is worded. */
#include "tests/unit/sql_rig.h"

static void refuses(struct sql_rig *r, const char *text, enum err_code code, const char *words)
{
	int rc = sql_rig_parse(r, text);
	if (rc != (int)code)
		fail_msg("%s: %s instead of %s", text, err_code_name(rc), err_code_name(code));
	if (!strstr(r->err.text, words) && !strstr(r->err.fix, words))
		fail_msg("%s: \"%s\" / \"%s\" does not say \"%s\"", text, r->err.text, r->err.fix,
		    words);
}

static void test_refuses_other_statements_as_not_select(void **state)
{
	static const char *const texts[] = {"DROP TABLE a", "insert into a values (1)",
	    "PRAGMA x=1", "ATTACH 'x' AS y", "EXPLAIN SELECT 1", "/* c */ UPDATE a SET x = 1",
	    "WITH t AS (SELECT 1) DELETE FROM a", "SELECT 1; DROP TABLE a", "VACUUM INTO 'x'",
	    "INSERT INTO a VALUES (?1, '"};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		refuses(*state, texts[i], ERR_NOT_SELECT, "is not a query");
}

static void test_refuses_second_statement(void **state)
{
	refuses(*state, "SELECT 1; SELECT 2", ERR_SYNTAX, "second statement");
	assert_int_equal(sql_rig_parse(*state, "SELECT 1; ;; -- end"), 0);
	assert_int_equal(sql_rig_parse(*state, "SELECT 1 /* open"), 0);
}

static void test_refuses_bind_parameters(void **state)
{
	static const char *const texts[] = {
	    "SELECT ?", "SELECT ?1", "SELECT :a", "SELECT @a", "SELECT $a", "SELECT #1"};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		refuses(*state, texts[i], ERR_SYNTAX, "parameters");
}

static void test_names_place_and_what_could_stand_there(void **state)
{
	struct sql_rig *r = *state;
	refuses(r, "SELECT x,\n  FROM a", ERR_SYNTAX, "expected an expression");
	assert_int_equal(r->err.line, 2);
	assert_int_equal(r->err.column, 3);
	refuses(r, "SELECT '\xe4\xb8\xad\xe6\x96\x87' x y", ERR_SYNTAX, "\"y\"");
	assert_int_equal(r->err.column, 15);
	refuses(r, "SELECT x FROM a WHERE", ERR_SYNTAX, "end of the text");
	refuses(r, "SELECT 'open", ERR_SYNTAX, "not closed");
	refuses(r, "SELECT x'0g'", ERR_SYNTAX, "hex");
	refuses(r, "SELECT 12ab", ERR_SYNTAX, "12ab");
	refuses(r, "", ERR_SYNTAX, "no SQL");
	refuses(r, " ; ", ERR_SYNTAX, "no SQL");
}

static void test_hints_at_near_misses(void **state)
{
	refuses(*state, "SELCT x FROM a", ERR_SYNTAX, "SELECT instead of SELCT");
	refuses(*state, "SELECT x FORM a", ERR_SYNTAX, "FROM instead of FORM");
	refuses(*state, "SELECT x FROM a GRUOP BY x", ERR_SYNTAX, "GROUP instead of GRUOP");
	refuses(*state, "SELECT TOP 5 x FROM a", ERR_SYNTAX, "LIMIT");
	refuses(*state, "SELECT x FROM a WHERE y > DATE '2020-01-01'", ERR_SYNTAX, "as a string");
	refuses(*state, "SELECT x::int FROM a", ERR_SYNTAX, "CAST");
	refuses(*state, "SELECT x FROM a WHERE y ILIKE 'q'", ERR_SYNTAX, "LIKE");
	refuses(*state, "SELECT EXTRACT(YEAR FROM y) FROM a", ERR_SYNTAX, "strftime");
	refuses(*state, "SELECT x FROM order", ERR_SYNTAX, "\"order\"");
	refuses(*state, "SELECT 1 ORDER BY 1 UNION SELECT 2", ERR_SYNTAX, "after the last SELECT");
}

static void test_refuses_bytes_that_are_no_text(void **state)
{
	struct sql_rig *r = *state;
	struct sql_select *s;
	assert_int_equal(
	    sql_parse(&r->arena, &sql_dialect_sqlite, "SELECT 1\0", 9, &s, &r->err), ERR_BAD_INPUT);
	assert_int_equal(
	    sql_parse(&r->arena, &sql_dialect_sqlite, "SELECT '\xff'", 10, &s, &r->err),
	    ERR_BAD_INPUT);
}

static char *repeat(const char *before, const char *part, size_t n, const char *after)
{
	size_t len = strlen(part);
	char *s = malloc(strlen(before) + n * len + strlen(after) + 1), *p = s + strlen(before);
	assert_non_null(s);
	strcpy(s, before);
	for (size_t i = 0; i < n; i++, p += len)
		memcpy(p, part, len);
	strcpy(p, after);
	return s;
}

#define ANY 1 /* refused, as unfinished or as too deep */

static void check_repeat(
    struct sql_rig *r, const char *before, const char *part, size_t n, const char *after, int rc)
{
	char *text = repeat(before, part, n, after);
	int got = sql_rig_resolve(r, text);
	if (rc == ANY ? got == 0 : got != rc)
		fail_msg("%zu x %s: %s (%s)", n, part, err_code_name(got), r->err.text);
	if (rc == 0)
		sql_rig_print(r, SQL_PRINT_RUN, 10);
	free(text);
}

static void test_bounds_size_words_and_depth(void **state)
{
	struct sql_rig *r = *state;
	check_repeat(r, "SELECT 1", " ", SQL_MAX_BYTES - 8, "", 0);
	check_repeat(r, "SELECT 1", " ", SQL_MAX_BYTES - 7, "", ERR_TOO_LARGE);
	check_repeat(r, "SELECT 1 IN (1", ",1", SQL_MAX_TOKENS / 2 - 3, ")", 0);
	check_repeat(r, "SELECT 1 IN (1", ",1", SQL_MAX_TOKENS / 2, ")", ERR_TOO_COMPLEX);
	check_repeat(r, "SELECT 1", " AND 1", SQL_MAX_HEIGHT - 1, "", 0);
	check_repeat(r, "SELECT 1", " AND 1", SQL_MAX_HEIGHT, "", ERR_TOO_COMPLEX);
	check_repeat(r, "SELECT ", "NOT ", SQL_MAX_HEIGHT - 1, "1", 0);
	check_repeat(r, "SELECT ", "NOT ", SQL_MAX_HEIGHT, "1", ERR_TOO_COMPLEX);
	check_repeat(r, "SELECT ", "(", 30000, "1", ANY);
	check_repeat(r, "SELECT ", "-", 30000, "1", ERR_SYNTAX); /* a comment */
	check_repeat(r, "SELECT ", "- ", 19000, "1", ERR_TOO_COMPLEX);
	check_repeat(r, "SELECT * FROM ", "(SELECT * FROM ", 150, "a", ANY);
	check_repeat(r, "SELECT ", "CASE WHEN 1 THEN ", 1500, "1", ANY);
	check_repeat(r, "SELECT ", "(SELECT ", 2000, "1", ANY);
	check_repeat(r, "SELECT ", "abs(", 3000, "1", ANY);
	check_repeat(r, "SELECT 1 FROM ", "(", 3000, "a", ANY);
	check_repeat(r, "SELECT 1", " UNION SELECT 1", SQL_MAX_CORES - 1, "", 0);
	check_repeat(r, "SELECT 1", " UNION SELECT 1", SQL_MAX_CORES, "", ERR_TOO_COMPLEX);
	check_repeat(r, "SELECT 1 FROM a", ", a", SQL_MAX_SOURCES - 1, "", 0);
	check_repeat(r, "SELECT 1 FROM a", ", a", SQL_MAX_SOURCES, "", ERR_TOO_COMPLEX);
}

static void test_takes_deep_but_legal_nesting(void **state)
{
	char *open = repeat("", "(SELECT * FROM ", 90, "");
	char *close = repeat("a", ")", 90, "");
	char *text = repeat("SELECT * FROM ", open, 1, close);
	if (sql_rig_resolve(*state, text) != 0)
		fail_msg("%s", ((struct sql_rig *)*state)->err.text);
	free(open);
	free(close);
	free(text);
}

static void test_takes_soft_keywords_as_names(void **state)
{
	static const char *const texts[] = {"SELECT over, filter, window FROM t",
	    "SELECT key, action, row, \"end\", desc FROM t",
	    "SELECT first, last, current, range FROM t",
	    "SELECT replace('a', 'b', 'c'), like('a', 'b'), glob('a', 'b')",
	    "SELECT left FROM t AS cross", "SELECT x AS 'a b', `c`, [d e] FROM 't'"};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (sql_rig_parse(*state, texts[i]) != 0)
			fail_msg("%s: %s", texts[i], ((struct sql_rig *)*state)->err.text);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
	        test_refuses_other_statements_as_not_select, sql_rig_up, sql_rig_down),
	    cmocka_unit_test_setup_teardown(
	        test_refuses_second_statement, sql_rig_up, sql_rig_down),
	    cmocka_unit_test_setup_teardown(test_refuses_bind_parameters, sql_rig_up, sql_rig_down),
	    cmocka_unit_test_setup_teardown(
	        test_names_place_and_what_could_stand_there, sql_rig_up, sql_rig_down),
	    cmocka_unit_test_setup_teardown(test_hints_at_near_misses, sql_rig_up, sql_rig_down),
	    cmocka_unit_test_setup_teardown(
	        test_refuses_bytes_that_are_no_text, sql_rig_up, sql_rig_down),
	    cmocka_unit_test_setup_teardown(
	        test_bounds_size_words_and_depth, sql_rig_up, sql_rig_down),
	    cmocka_unit_test_setup_teardown(
	        test_takes_deep_but_legal_nesting, sql_rig_up, sql_rig_down),
	    cmocka_unit_test_setup_teardown(
	        test_takes_soft_keywords_as_names, sql_rig_up, sql_rig_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
