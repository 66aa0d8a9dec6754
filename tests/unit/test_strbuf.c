#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/strbuf.h"

static void test_fresh_string_is_empty_and_terminated(void **state)
{
	struct strbuf b;

	(void)state;
	strbuf_init(&b, 10);
	assert_string_equal(b.data, "");
	assert_int_equal(b.len, 0);
	assert_int_equal(b.cap, 0); /* and holds no memory */
	strbuf_clear(&b);
	free(strbuf_take(&b));
	assert_string_equal(b.data, "");
	strbuf_done(&b);
	assert_null(b.data);
	strbuf_done(&b);
}

static void test_holds_nul_bytes(void **state)
{
	struct strbuf b;

	(void)state;
	strbuf_init(&b, 100);
	strbuf_add(&b, "a\0b", 3);
	strbuf_putc(&b, '\0');
	assert_int_equal(b.len, 4);
	assert_memory_equal(b.data, "a\0b\0", 5);
	strbuf_done(&b);
}

static void test_exactly_the_maximum_fits_one_more_does_not(void **state)
{
	struct strbuf b;

	(void)state;
	strbuf_init(&b, 5);
	strbuf_puts(&b, "12345");
	assert_false(b.failed);
	strbuf_puts(&b, "");
	assert_false(b.failed);
	strbuf_putc(&b, '6');
	assert_true(b.failed);
	assert_string_equal(b.data, "12345");
	strbuf_puts(&b, "");
	assert_string_equal(b.data, "12345");
	strbuf_clear(&b);
	assert_false(b.failed);
	strbuf_puts(&b, "x");
	assert_string_equal(b.data, "x");
	strbuf_done(&b);
}

static void test_failure_stays_and_nothing_is_added_after_it(void **state)
{
	struct strbuf b;

	(void)state;
	strbuf_init(&b, 5);
	strbuf_printf(&b, "%s", "too long for it");
	assert_true(b.failed);
	strbuf_putc(&b, 'x');
	assert_int_equal(b.len, 0);
	strbuf_done(&b);
}

static void test_huge_lengths_fail_and_do_not_overflow(void **state)
{
	struct strbuf b;

	(void)state;
	strbuf_init(&b, SIZE_MAX);
	strbuf_puts(&b, "abc");
	assert_null(strbuf_reserve(&b, SIZE_MAX - 1));
	assert_true(b.failed);
	strbuf_clear(&b);
	assert_null(strbuf_reserve(&b, SIZE_MAX / 2));
	strbuf_done(&b);
}

static void test_grows_over_many_appends(void **state)
{
	struct strbuf b;

	(void)state;
	strbuf_init(&b, 1 << 20);
	for (int i = 0; i < 50000; i++)
		strbuf_printf(&b, "%d,", i % 10);
	assert_int_equal(b.len, 100000);
	assert_int_equal(strlen(b.data), 100000);
	strbuf_done(&b);
}

static void test_reserve_gives_room_for_the_caller(void **state)
{
	struct strbuf b;
	char *to;

	(void)state;
	strbuf_init(&b, 1000);
	strbuf_puts(&b, "ab");
	to = strbuf_reserve(&b, 500);
	assert_ptr_equal(to, b.data + 2);
	memset(to, 'c', 500);
	b.len += 500;
	assert_int_equal(strlen(b.data), 502);
	strbuf_done(&b);
}

static void test_take_hands_over_the_string(void **state)
{
	struct strbuf b;
	char *s;

	(void)state;
	strbuf_init(&b, 100);
	strbuf_puts(&b, "mine");
	s = strbuf_take(&b);
	assert_string_equal(s, "mine");
	assert_string_equal(b.data, "");
	strbuf_puts(&b, "next");
	assert_string_equal(b.data, "next");
	free(s);
	strbuf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fresh_string_is_empty_and_terminated),
	    cmocka_unit_test(test_holds_nul_bytes),
	    cmocka_unit_test(test_exactly_the_maximum_fits_one_more_does_not),
	    cmocka_unit_test(test_failure_stays_and_nothing_is_added_after_it),
	    cmocka_unit_test(test_huge_lengths_fail_and_do_not_overflow),
	    cmocka_unit_test(test_grows_over_many_appends),
	    cmocka_unit_test(test_reserve_gives_room_for_the_caller),
	    cmocka_unit_test(test_take_hands_over_the_string),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
