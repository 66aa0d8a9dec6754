/* Numbers as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/text/numeral.h"

static void assert_number(const char *text, int64_t digits, int32_t scale, const char *rest)
{
	struct numeral n;

	assert_true(numeral_parse(text, strlen(text), &n));
	assert_int_equal(n.digits, digits);
	assert_int_equal(n.scale, scale);
	assert_string_equal(text + n.len, rest);
}

static void assert_no_number(const char *text)
{
	struct numeral n;

	assert_false(numeral_parse(text, strlen(text), &n));
}

static void test_reads_digits_exactly(void **state)
{
	(void)state;
	assert_number("0", 0, 0, "");
	assert_number("1,234.50 x", 123450, 2, " x");
	assert_number("12345678901234567", 12345678901234567, 0, "");
	assert_number("1.5亿", 15, 1, "亿");
	assert_number("１２．５", 125, 1, "");
	assert_number("2.", 2, 0, ".");
	assert_number("1,23", 1, 0, ",23");
}

static void test_refuses_digits_that_do_not_fit(void **state)
{
	(void)state;
	assert_no_number("123456789012345678901234567890");
}

static void test_reads_english_words(void **state)
{
	(void)state;
	assert_number("five", 5, 0, "");
	assert_number("Twenty-three singers", 23, 0, " singers");
	assert_number("two hundred and five", 205, 0, "");
	assert_number("two million", 2, 0, " million");
	assert_number("one two", 1, 0, " two");
	assert_number("thirty seconds", 30, 0, " seconds");
	assert_no_number("tents");
	assert_no_number("onerous");
}

static void test_marks_ordinals(void **state)
{
	struct numeral n;

	(void)state;
	assert_true(numeral_parse("third", 5, &n) && n.is_ordinal && n.digits == 3);
	assert_true(numeral_parse("2nd", 3, &n) && n.is_ordinal && n.len == 3);
	assert_true(numeral_parse("2 nd", 4, &n) && !n.is_ordinal);
}

static void test_reads_chinese_numerals(void **state)
{
	(void)state;
	assert_number("三家", 3, 0, "家");
	assert_number("两", 2, 0, "");
	assert_number("十二", 12, 0, "");
	assert_number("一百二十三", 123, 0, "");
	assert_number("一千零五", 1005, 0, "");
	assert_number("二〇二三年", 2023, 0, "年");
	assert_number("一亿两千万元", 120000000, 0, "元");
}

static void test_leaves_a_last_magnitude_to_the_unit(void **state)
{
	(void)state;
	assert_number("三千五百万元", 3500, 0, "万元");
	assert_number("三亿", 3, 0, "亿");
	assert_no_number("万元");
	assert_no_number("亿");
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_digits_exactly),
	    cmocka_unit_test(test_refuses_digits_that_do_not_fit),
	    cmocka_unit_test(test_reads_english_words),
	    cmocka_unit_test(test_marks_ordinals),
	    cmocka_unit_test(test_reads_chinese_numerals),
	    cmocka_unit_test(test_leaves_a_last_magnitude_to_the_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
