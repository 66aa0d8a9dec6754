/* The number wall (P4) and exact decimals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "verify_agent/decimal.h"
#include "verify_agent/numbers.h"

static struct arena arena;
static struct numbers numbers;

static int begin(void **state)
{
	(void)state;
	arena_init(&arena);
	numbers_init(&numbers, &arena);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static void passes(const char *text)
{
	const char *bad = NULL;
	if (!numbers_check(&numbers, text, &bad)) {
		fail_msg("\"%s\" was stopped at %s", text, bad);
	}
}

static void stops(const char *text, const char *want)
{
	const char *bad = NULL;
	if (numbers_check(&numbers, text, &bad)) {
		fail_msg("\"%s\" went through", text);
	}
	assert_string_equal(bad, want);
}

static void test_stops_a_number_without_a_source(void **state)
{
	(void)state;
	numbers_allow(&numbers, "1611.5 亿元, 2023年");
	passes("中国石油：1611.5 亿元");
	passes("no numbers at all");
	passes("在2023年");
	stops("中国石油：1611.6 亿元", "1611.6");
	stops("3 家公司", "3");
	stops("1611.5 of 2024", "2024");
	stops("161", "161");
	stops("1611", "1611");
}

static void test_the_same_number_may_be_written_differently(void **state)
{
	(void)state;
	numbers_allow(&numbers, "30110.10");
	numbers_allow(&numbers, "10000");
	passes("30,110.1");
	passes("30110.1");
	passes("1e4 and 10,000");
	passes("３０１１０.１");
	stops("301101", "301101");
	stops("1e5", "1e5");
}

static void test_digits_of_every_script_are_numbers(void **state)
{
	(void)state;
	numbers_allow(&numbers, "5");
	stops("٤", "4");
	stops("७", "7");
	stops("①", "①");
	stops("½", "½");
	stops("x²", "²");
	stops("\xf0\x9d\x9f\x9a", "2"); /* mathematical double-struck two */
	passes("５");
}

static void test_cells_and_row_counts_are_sources(void **state)
{
	(void)state;
	struct resultset *r = resultset_new();
	r->n_columns = 1;
	r->columns = arena_new(&r->arena, struct result_column);
	r->columns[0].name = "x";
	r->n_rows = 2;
	r->cells = arena_new_array(&r->arena, 2, struct value);
	r->cells[0] = (struct value){.type = VALUE_REAL, .r = 2012.1000000000022};
	r->cells[1] = (struct value){.type = VALUE_TEXT, .text = "route 66", .len = 8};
	numbers_allow_result(&numbers, r);
	passes("2012.1, route 66, 2 rows");
	stops("2012.1000000000022", "2012.1000000000022");
	stops("3 rows", "3");
	resultset_free(r);
}

static void test_a_sentence_may_round_a_cell_and_nothing_else(void **state)
{
	(void)state;
	assert_string_equal(numbers_rounded(&arena, 675.072222222222), "675.072222");
	assert_string_equal(numbers_rounded(&arena, -12.5), "-12.5");
	assert_string_equal(numbers_rounded(&arena, 3.0), "3");
	assert_string_equal(numbers_rounded(&arena, 0.000123456789), "0.000123457");
	struct resultset *r = resultset_new();
	r->n_columns = r->n_rows = 1;
	r->columns = arena_new(&r->arena, struct result_column);
	r->columns[0].name = "x";
	r->cells = arena_new(&r->arena, struct value);
	r->cells[0] = (struct value){.type = VALUE_REAL, .r = 675.072222222222};
	numbers_allow_result(&numbers, r);
	passes("675.072222 and 675.072222222222");
	stops("675.07", "675.07");
	resultset_free(r);
}

static void test_a_long_run_of_digits_does_not_slip_through(void **state)
{
	(void)state;
	char text[1001];
	memset(text, '7', 1000);
	text[1000] = '\0';
	const char *bad = NULL;
	numbers_allow(&numbers, "7");
	assert_false(numbers_check(&numbers, text, &bad));
}

static void has(const char *text, const char *want)
{
	const char *word = NULL;
	if (!numbers_has_any(&arena, text, strlen(text), &word)) {
		fail_msg("\"%s\" has no number", text);
	}
	assert_string_equal(word, want);
}

static void has_none(const char *text)
{
	const char *word = NULL;
	if (numbers_has_any(&arena, text, strlen(text), &word)) {
		fail_msg("\"%s\" has %s", text, word);
	}
}

static void test_number_words_are_numbers_in_a_model_s_text(void **state)
{
	(void)state;
	has("there are Three companies", "Three");
	has("about half of it", "half");
	has("有三家公司", "三");
	has("约两千亿", "两");
	has("近万亿", "万");
	has("in 2023", "2");
	has("一家", "一");
	has_none("净利润最高的公司一共是");
	has_none("the often weighted tone of someone");
	has_none("anyone, nineteenth-century? no: tonnes");
}

static void check_decimal(const char *text, int64_t digits, int32_t exponent, const char *printed)
{
	struct decimal d;
	char buf[DECIMAL_TEXT_MAX];
	assert_true(decimal_parse(text, &d));
	assert_int_equal(d.digits, digits);
	assert_int_equal(d.exponent, exponent);
	assert_string_equal(decimal_print(d, buf), printed);
}

static void test_decimals_are_exact(void **state)
{
	(void)state;
	struct decimal d;
	check_decimal("10000", 1, 4, "10000");
	check_decimal("-0.050", -5, -2, "-0.05");
	check_decimal("1e3", 1, 3, "1000");
	check_decimal("12.34", 1234, -2, "12.34");
	check_decimal("0.000", 0, 0, "0");
	check_decimal("999999999999999999", 999999999999999999, 0, "999999999999999999");
	check_decimal("1e-30", 1, -30, "1e-30");
	check_decimal(".5", 5, -1, "0.5");
	assert_false(decimal_parse("", &d));
	assert_false(decimal_parse(".", &d));
	assert_false(decimal_parse("1,000", &d));
	assert_false(decimal_parse("0x10", &d));
	assert_false(decimal_parse("1e999", &d));
	assert_false(decimal_parse("1234567890123456789", &d));
	assert_true(decimal_from_double(2012.1000000000022, &d));
	assert_true(decimal_equal(d, decimal_make(20121, -1)));
	assert_false(decimal_from_double(1.0 / 0.0, &d));
}

static void test_decimals_compare_by_value(void **state)
{
	(void)state;
	assert_int_equal(decimal_compare(decimal_make(1, 8), decimal_make(100000000, 0)), 0);
	assert_int_equal(decimal_compare(decimal_make(-1, 3), decimal_make(1, -3)), -1);
	assert_int_equal(decimal_compare(decimal_make(11, 2), decimal_make(1, 3)), 1);
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    WITH_ARENA(test_stops_a_number_without_a_source),
	    WITH_ARENA(test_the_same_number_may_be_written_differently),
	    WITH_ARENA(test_digits_of_every_script_are_numbers),
	    WITH_ARENA(test_cells_and_row_counts_are_sources),
	    WITH_ARENA(test_a_sentence_may_round_a_cell_and_nothing_else),
	    WITH_ARENA(test_a_long_run_of_digits_does_not_slip_through),
	    WITH_ARENA(test_number_words_are_numbers_in_a_model_s_text),
	    cmocka_unit_test(test_decimals_are_exact),
	    cmocka_unit_test(test_decimals_compare_by_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
