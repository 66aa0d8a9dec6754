/* Values: comparison as the engine does it, text for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "common/model/value.h"

static struct value integer(int64_t i)
{
	return (struct value){.type = VALUE_INT, .i = i};
}

static struct value real(double r)
{
	return (struct value){.type = VALUE_REAL, .r = r};
}

static struct value text(const char *s)
{
	return (struct value){.type = VALUE_TEXT, .text = s, .len = strlen(s)};
}

static struct value blob(const char *s, size_t len)
{
	return (struct value){.type = VALUE_BLOB, .text = s, .len = len};
}

static void check_order(const struct value *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			int want = i < j ? -1 : i > j;
			int got = value_compare(&v[i], &v[j]);
			if (got != want) {
				fail_msg("values %zu and %zu compare as %d", i, j, got);
			}
		}
	}
}

static void test_orders_types_as_the_engine_does(void **state)
{
	(void)state;
	const struct value v[] = {{.type = VALUE_NULL}, real(-INFINITY), integer(INT64_MIN),
	    real(-1.5), integer(-1), integer(0), real(0.5), integer(1), integer(INT64_MAX),
	    real(INFINITY), text(""), text("A"), text("AB"), text("a"), text("中"), blob("", 0),
	    blob("\0", 1), blob("\xff", 1)};
	check_order(v, sizeof(v) / sizeof(v[0]));
}

static void test_compares_large_integers_with_reals_exactly(void **state)
{
	(void)state;
	/* 2^53 + 1 is no double: rounding either side would make them equal. */
	struct value i = integer(9007199254740993), r = real(9007199254740992.0);
	assert_int_equal(value_compare(&i, &r), 1);
	assert_int_equal(value_compare(&r, &i), -1);
	i = integer(INT64_MAX);
	r = real(9223372036854775808.0);
	assert_int_equal(value_compare(&i, &r), -1);
	i = integer(INT64_MIN);
	r = real(-9223372036854775808.0);
	assert_true(value_equal(&i, &r));
	i = integer(1);
	r = real(1.0);
	assert_true(value_equal(&i, &r));
}

static void check_print(struct value v, const char *want)
{
	struct strbuf b;
	strbuf_init(&b, 1024);
	value_print(&b, &v);
	assert_string_equal(b.data, want);
	strbuf_done(&b);
}

static void test_prints_reals_without_binary_dust(void **state)
{
	(void)state;
	check_print(real(2012.1000000000022), "2012.1");
	check_print(real(32122.2 - 30110.1), "2012.1");
	check_print(real(0.1 + 0.2), "0.3");
	check_print(real(-0.0), "0");
	check_print(real(3.0), "3");
	check_print(real(1e300), "1e+300");
}

static void test_prints_integers_text_null_and_blobs(void **state)
{
	(void)state;
	check_print(integer(INT64_MIN), "-9223372036854775808");
	check_print(integer(9007199254740993), "9007199254740993");
	check_print(text("中国石油"), "中国石油");
	check_print((struct value){.type = VALUE_NULL}, "");
	check_print(blob("\x01\xab", 2), "x'01ab'");
}

static void test_only_numbers_are_numbers(void **state)
{
	(void)state;
	struct value i = integer(3), r = real(2.5), t = text("7"), n = {.type = VALUE_NULL};
	assert_true(value_is_number(&i) && value_is_number(&r));
	assert_false(value_is_number(&t) || value_is_number(&n));
	assert_true(value_as_double(&i) == 3 && value_as_double(&r) == 2.5);
	assert_true(value_as_double(&t) == 0);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_orders_types_as_the_engine_does),
	    cmocka_unit_test(test_compares_large_integers_with_reals_exactly),
	    cmocka_unit_test(test_prints_reals_without_binary_dust),
	    cmocka_unit_test(test_prints_integers_text_null_and_blobs),
	    cmocka_unit_test(test_only_numbers_are_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
