/* Units of quantities and columns, and the power of ten between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/text/unit.h"

static struct arena arena = ARENA_INIT;

static void assert_unit(const char *text, const char *base, int32_t magnitude, const char *rest)
{
	struct unit u;

	assert_true(unit_parse(text, strlen(text), &u));
	assert_string_equal(u.base, base);
	assert_int_equal(u.magnitude, magnitude);
	assert_string_equal(text + u.len, rest);
}

static void test_reads_magnitudes_and_bases(void **state)
{
	(void)state;
	assert_unit("亿元的", "元", 8, "的");
	assert_unit("万亿元", "元", 12, "");
	assert_unit("万", "", 4, "");
	assert_unit(" million yuan in", "元", 6, " in");
	assert_unit(" billion", "", 9, "");
	assert_unit(" million barrels of oil", "桶", 6, " of oil");
	assert_unit("%", "%", 0, "");
	assert_unit(" percent", "%", 0, "");
	assert_unit("百万桶", "桶", 6, "");
}

static void test_reads_letters_only_right_behind_the_number(void **state)
{
	struct unit u;

	(void)state;
	assert_unit("k", "", 3, "");
	assert_unit("M", "", 6, "");
	assert_unit("bn", "", 9, "");
	assert_false(unit_parse(" k", 2, &u));
	assert_false(unit_parse(" m", 2, &u));
}

static void test_reads_no_unit_inside_a_word(void **state)
{
	struct unit u;

	(void)state;
	assert_false(unit_parse(" tonight", 8, &u));
	assert_false(unit_parse(" millionaires", 13, &u));
	assert_false(unit_parse(" employees", 10, &u));
}

static bool power(const char *from, const char *to, int32_t *ret_power)
{
	struct unit a, b;

	unit_parse_all(&arena, from, &a);
	unit_parse_all(&arena, to, &b);
	return unit_power(&a, &b, ret_power);
}

static void test_converts_between_magnitudes(void **state)
{
	int32_t p;

	(void)state;
	assert_true(power("亿元", "亿元", &p) && p == 0);
	assert_true(power("万亿元", "亿元", &p) && p == 4);
	assert_true(power("million yuan", "亿元", &p) && p == -2);
	assert_true(power("trillion", "亿元", &p) && p == 4);
	assert_true(power("RMB", "元", &p) && p == 0);
	assert_true(power("km", "m", &p) && p == 3);
	assert_true(power("万吨", "kg", &p) && p == 7);
}

static void test_refuses_different_bases(void **state)
{
	int32_t p;

	(void)state;
	assert_false(power("亿元", "亿桶", &p));
	assert_false(power("USD", "元", &p));
	assert_false(power("kg", "m", &p));
}

static void test_keeps_an_unknown_base_as_written(void **state)
{
	struct unit u;

	(void)state;
	unit_parse_all(&arena, "million widgets", &u);
	assert_string_equal(u.base, "widgets");
	assert_int_equal(u.magnitude, 6);
	unit_parse_all(&arena, "", &u);
	assert_string_equal(u.base, "");
}

static int done(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_magnitudes_and_bases),
	    cmocka_unit_test(test_reads_letters_only_right_behind_the_number),
	    cmocka_unit_test(test_reads_no_unit_inside_a_word),
	    cmocka_unit_test(test_converts_between_magnitudes),
	    cmocka_unit_test(test_refuses_different_bases),
	    cmocka_unit_test(test_keeps_an_unknown_base_as_written),
	};
	return cmocka_run_group_tests(tests, NULL, done);
}
