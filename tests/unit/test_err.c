#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/utf8.h"

static void test_set_fills_and_returns_the_code(void **state)
{
	struct err e = {.retry = true, .line = 7, .fix = "old"};

	(void)state;
	assert_int_equal(err_set(&e, ERR_COST, PHASE_RUN, "%d rows", 5), ERR_COST);
	assert_int_equal(e.code, ERR_COST);
	assert_int_equal(e.phase, PHASE_RUN);
	assert_string_equal(e.text, "5 rows");
	assert_string_equal(e.fix, "");
	assert_int_equal(e.line, 0);
	assert_false(e.retry);
}

static void test_null_error_object_is_fine(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ERR_IO, PHASE_RUN, "x"), ERR_IO);
	err_fix(NULL, "y");
}

static void test_text_may_quote_the_old_text_of_the_same_error(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, ERR_IO, PHASE_RUN, "inner");
	err_set(&e, ERR_CONFIG, PHASE_CONFIG, "file: %s", e.text);
	assert_string_equal(e.text, "file: inner");
	err_fix(&e, "see %s", e.text);
	err_fix(&e, "%s!", e.fix);
	assert_string_equal(e.fix, "see file: inner!");
}

static void test_control_characters_are_replaced(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, ERR_IO, PHASE_RUN, "a\nb\x1b[31m\x7f\xc2\x85\xe2\x80\xa8z");
	assert_string_equal(e.text, "a b [31m   z");
	err_set(&e, ERR_IO, PHASE_RUN, "bad \xff\xc3 byte");
	assert_true(utf8_valid(e.text, strlen(e.text)));
}

static void test_long_text_is_cut_between_characters(void **state)
{
	struct err e = ERR_INIT;
	char text[3 * ERR_TEXT_MAX];

	(void)state;
	for (size_t pad = 0; pad < 4; pad++) {
		size_t n = pad;

		memset(text, 'x', pad);
		for (; n + 3 < sizeof(text); n += 3)
			memcpy(text + n, "\xe4\xb8\xad", 3);
		text[n] = '\0';
		err_set(&e, ERR_IO, PHASE_RUN, "%s", text);
		assert_true(strlen(e.text) > ERR_TEXT_MAX - 4);
		assert_true(utf8_valid(e.text, strlen(e.text)));
	}
}

static void test_codes_have_distinct_numbers_and_names(void **state)
{
	static const struct {
		int num;
		const char *name;
	} rows[] = {
#define X(sym, num, name, class, exit) {num, name},
	    ERR_CODES(X)
#undef X
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(err_code_known(-rows[i].num));
		assert_string_equal(err_code_name((enum err_code) - rows[i].num), rows[i].name);
		for (size_t k = 0; k < i; k++) {
			assert_int_not_equal(rows[i].num, rows[k].num);
			assert_string_not_equal(rows[i].name, rows[k].name);
		}
	}
}

static void test_unknown_numbers_have_safe_names(void **state)
{
	(void)state;
	assert_false(err_code_known(0));
	assert_false(err_code_known(-999));
	assert_false(err_code_known(7));
	assert_string_equal(err_code_name((enum err_code) - 999), "internal");
	assert_string_equal(err_code_class((enum err_code) - 999), "infrastructure");
	assert_int_equal(err_code_exit((enum err_code) - 999), 1);
	assert_true(err_phase_known(0));
	assert_false(err_phase_known(-1));
	assert_false(err_phase_known(15));
	assert_string_equal(err_phase_name((enum err_phase)99), "none");
	assert_string_equal(err_phase_name(PHASE_TRACE), "trace");
}

static void test_exit_codes_follow_the_documented_list(void **state)
{
	(void)state;
	assert_int_equal(err_code_exit(ERR_USAGE), 2);
	assert_int_equal(err_code_exit(ERR_UNANSWERABLE), 3);
	assert_int_equal(err_code_exit(ERR_AMBIGUOUS), 4);
	assert_int_equal(err_code_exit(ERR_DENIED), 5);
	assert_int_equal(err_code_exit(ERR_SOURCE_MISSING), 6);
	assert_int_equal(err_code_exit(ERR_TIMEOUT), 7);
	assert_string_equal(err_code_class(ERR_NOT_SELECT), "policy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_fills_and_returns_the_code),
	    cmocka_unit_test(test_null_error_object_is_fine),
	    cmocka_unit_test(test_text_may_quote_the_old_text_of_the_same_error),
	    cmocka_unit_test(test_control_characters_are_replaced),
	    cmocka_unit_test(test_long_text_is_cut_between_characters),
	    cmocka_unit_test(test_codes_have_distinct_numbers_and_names),
	    cmocka_unit_test(test_unknown_numbers_have_safe_names),
	    cmocka_unit_test(test_exit_codes_follow_the_documented_list),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
