/* Units: the factor between a quantity of the question and a column is worked out
 * here, and a query that compares with anything else does not pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/verify_kit.h"

static struct verify_kit kit;

static int begin(void **state)
{
	(void)state;
	verify_kit_open(&kit, LANG_ZH, verify_kit_energy, verify_kit_model);
	return 0;
}

static int end(void **state)
{
	(void)state;
	verify_kit_close(&kit);
	return 0;
}

/* 2023年营业收入超过{text}的公司有几家 */
static void ask_revenue(const char *text, int64_t digits, const char *base, int32_t magnitude)
{
	verify_kit_reset(&kit, LANG_ZH);
	vkit_says_period(&kit, "2023年", "2023-01-01", "2024-01-01", "financials.year");
	vkit_names_column(&kit, "营业收入", "financials.revenue");
	vkit_says_cue(&kit, "超过", CUE_GT, 0);
	vkit_says_quantity(&kit, text, digits, 0, base, magnitude);
	vkit_says_cue(&kit, "的", CUE_OF, 0);
	vkit_names_table(&kit, "公司", "companies");
	vkit_says_cue(&kit, "有几家", CUE_COUNT, 0);
}

static void count_above(const char *number)
{
	char sql[256];
	snprintf(sql, sizeof(sql),
	    "SELECT COUNT(*) FROM financials AS f WHERE f.year = 2023 AND f.revenue > %s", number);
	vkit_runs(&kit, sql);
	vkit_verify(&kit);
}

static void test_one_yi_yuan_is_one_in_a_column_of_yi_yuan(void **state)
{
	(void)state;
	ask_revenue("1亿元", 1, "元", 8);
	count_above("1");
	vkit_expect(&kit, VERDICT_ACCEPT, "units", CHECK_PASS);
	vkit_expect_answer(&kit, "4 家公司", NULL);
	assert_true(vkit_list_has(&kit.verdict->definitions, "营业收入的单位是亿元"));
}

static void test_one_wan_yi_yuan_is_ten_thousand(void **state)
{
	(void)state;
	ask_revenue("1万亿元", 1, "元", 12);
	count_above("10000");
	vkit_expect(&kit, VERDICT_ACCEPT, "units", CHECK_PASS);
	vkit_expect_answer(&kit, "2 家公司", NULL);
	assert_true(vkit_list_has(&kit.verdict->definitions, "1万亿元 = 10000 亿元"));
}

static void test_the_unit_trap_does_not_pass(void **state)
{
	(void)state;
	ask_revenue("1亿元", 1, "元", 8);
	count_above("10000"); /* as if the column were in 万元 */
	vkit_expect(&kit, VERDICT_REVISE, "units", CHECK_FAIL);
	ask_revenue("1亿元", 1, "元", 8);
	count_above("100000000"); /* as if it were in 元 */
	vkit_expect(&kit, VERDICT_REVISE, "units", CHECK_FAIL);
	assert_string_equal(kit.verdict->answer, "");
	assert_true(vkit_list_has(&kit.verdict->reasons, "应与 1 比较"));
}

static void test_another_kind_of_unit_does_not_pass(void **state)
{
	(void)state;
	ask_revenue("1亿桶", 1, "桶", 8);
	count_above("1");
	vkit_expect(&kit, VERDICT_REVISE, "units", CHECK_FAIL);
}

static void test_a_column_without_unit_is_declined_not_guessed(void **state)
{
	(void)state;
	verify_kit_close(&kit);
	verify_kit_open(&kit, LANG_ZH, verify_kit_energy, NULL);
	ask_revenue("1亿元", 1, "元", 8);
	count_above("100000000");
	vkit_expect(&kit, VERDICT_DECLINE, "units", CHECK_FAIL);
	assert_true(vkit_list_has(&kit.verdict->reasons, "unit"));
	ask_revenue("1亿元", 1, "元", 8);
	count_above("1");
	vkit_expect(&kit, VERDICT_DECLINE, "units", CHECK_FAIL);
	ask_revenue("5000元", 5000, "元", 0); /* among the values: an assumption */
	count_above("5000");
	vkit_expect(&kit, VERDICT_ACCEPT, "units", CHECK_UNKNOWN);
	assert_true(vkit_list_has(&kit.verdict->assumptions, "没有声明单位"));
	ask_revenue("10元", 10, "元", 0); /* below all values: it decides nothing */
	count_above("10");
	vkit_expect(&kit, VERDICT_DECLINE, "units", CHECK_FAIL);
}

static void test_a_bare_number_takes_the_columns_unit_and_says_so(void **state)
{
	(void)state;
	ask_revenue("10000", 10000, "", 0);
	count_above("10000");
	vkit_expect(&kit, VERDICT_ACCEPT, "units", CHECK_UNKNOWN);
	assert_true(vkit_list_has(&kit.verdict->assumptions, "没有带单位"));
}

static void test_the_unit_of_rows_comes_from_a_filter_or_is_not_known(void **state)
{
	(void)state;
	for (int fixed = 0; fixed < 2; fixed++) {
		verify_kit_reset(&kit, LANG_ZH);
		vkit_names_column(&kit, "产量", "production.amount");
		vkit_says_cue(&kit, "超过", CUE_GT, 0);
		vkit_says_quantity(&kit, "5亿桶", 5, 0, "桶", 8);
		vkit_says_cue(&kit, "的有几个", CUE_COUNT, 0);
		vkit_runs(&kit,
		    fixed ? "SELECT COUNT(*) FROM production WHERE amount > 5 AND unit = '亿桶'"
		          : "SELECT COUNT(*) FROM production WHERE amount > 5");
		vkit_verify(&kit);
		vkit_expect(&kit, fixed ? VERDICT_ACCEPT : VERDICT_DECLINE, "units",
		    fixed ? CHECK_PASS : CHECK_FAIL);
	}
}

static void test_a_quantity_that_is_not_used_does_not_pass(void **state)
{
	(void)state;
	ask_revenue("1亿元", 1, "元", 8);
	vkit_runs(&kit, "SELECT COUNT(*) FROM financials WHERE year = 2023");
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_REVISE, "quantities", CHECK_FAIL);
}

static void test_the_comparison_goes_the_way_that_was_asked(void **state)
{
	(void)state;
	static const char *const wrong[] = {"<", ">=", "=", "<>", "<="};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char sql[128];
		ask_revenue("1亿元", 1, "元", 8);
		snprintf(sql, sizeof(sql),
		    "SELECT COUNT(*) FROM financials WHERE year = 2023 AND revenue %s 1", wrong[i]);
		vkit_runs(&kit, sql);
		vkit_verify(&kit);
		vkit_expect(&kit, VERDICT_REVISE, "quantities", CHECK_FAIL);
	}
	ask_revenue("1亿元", 1, "元", 8);
	vkit_runs(&kit, "SELECT COUNT(*) FROM financials WHERE year = 2023 AND NOT revenue <= 1");
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_ACCEPT, "quantities", CHECK_PASS);
}

static void having(
    const char *cue_text, enum cue_kind cue, const char *condition, enum check_verdict want)
{
	char sql[160];
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, cue_text, cue, 0);
	vkit_says_quantity(&kit, "2", 2, 0, "", 0);
	snprintf(sql, sizeof(sql),
	    "SELECT industry FROM companies GROUP BY industry HAVING COUNT(*) %s", condition);
	vkit_runs(&kit, sql);
	vkit_verify(&kit);
	if (vkit_line(&kit, "quantities") != (int)want) {
		fail_msg("%s 2: %s", cue_text, condition);
	}
}

static void test_whole_numbers_may_be_compared_by_their_neighbour(void **state)
{
	(void)state;
	having("more than", CUE_GT, "> 2", CHECK_PASS);
	having("more than", CUE_GT, ">= 3", CHECK_PASS);
	having("more than", CUE_GT, ">= 2", CHECK_FAIL);
	having("more than", CUE_GT, "> 3", CHECK_FAIL);
	having("at least", CUE_GE, "> 1", CHECK_PASS);
	having("or less", CUE_LE, "< 2", CHECK_PASS); /* "or less than 2" */
	having("at most", CUE_LE, "< 2", CHECK_FAIL);
}

static void test_a_sum_is_compared_in_the_unit_of_its_column(void **state)
{
	(void)state;
	ask_revenue("1万亿元", 1, "元", 12);
	vkit_runs(&kit,
	    "SELECT COUNT(*) FROM (SELECT company_id, SUM(revenue) AS total FROM financials"
	    " WHERE year = 2023 GROUP BY company_id) AS t WHERE t.total > 10000");
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_ACCEPT, "units", CHECK_PASS);
	ask_revenue("1万亿元", 1, "元", 12);
	vkit_runs(&kit,
	    "SELECT COUNT(*) FROM (SELECT company_id, SUM(revenue) AS total FROM financials"
	    " WHERE year = 2023 GROUP BY company_id) AS t WHERE t.total > 1");
	vkit_verify(&kit);
	assert_int_equal(kit.verdict->kind, VERDICT_REVISE);
}

static void mix(const char *sql, int want)
{
	verify_kit_reset(&kit, LANG_ZH);
	vkit_says_cue(&kit, "总", CUE_SUM, 0);
	vkit_names_column(&kit, "产量", "production.amount");
	vkit_runs(&kit, sql);
	vkit_verify(&kit);
	if (vkit_line(&kit, "unit_mix") != want) {
		fail_msg("%s", sql);
	}
}

static void test_barrels_and_tons_are_not_put_together(void **state)
{
	(void)state;
	mix("SELECT SUM(amount) FROM production", CHECK_FAIL);
	assert_int_equal(kit.verdict->kind, VERDICT_DECLINE);
	mix("SELECT company_id FROM production ORDER BY amount DESC LIMIT 1", CHECK_FAIL);
	mix("SELECT SUM(amount) FROM production WHERE product = '原油'", CHECK_UNKNOWN);
	mix("SELECT product, SUM(amount) FROM production GROUP BY product", CHECK_UNKNOWN);
	mix("SELECT SUM(amount) FROM production WHERE unit = '亿桶'", -1);
	mix("SELECT amount, unit FROM production WHERE product = '原油' ORDER BY amount DESC LIMIT 1",
	    -1);
	mix("SELECT amount FROM production", -1);
	mix("SELECT SUM(revenue) FROM financials", -1);
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_one_yi_yuan_is_one_in_a_column_of_yi_yuan),
	    KIT(test_one_wan_yi_yuan_is_ten_thousand),
	    KIT(test_the_unit_trap_does_not_pass),
	    KIT(test_another_kind_of_unit_does_not_pass),
	    KIT(test_a_column_without_unit_is_declined_not_guessed),
	    KIT(test_a_bare_number_takes_the_columns_unit_and_says_so),
	    KIT(test_the_unit_of_rows_comes_from_a_filter_or_is_not_known),
	    KIT(test_a_quantity_that_is_not_used_does_not_pass),
	    KIT(test_the_comparison_goes_the_way_that_was_asked),
	    KIT(test_whole_numbers_may_be_compared_by_their_neighbour),
	    KIT(test_barrels_and_tons_are_not_put_together),
	    KIT(test_a_sum_is_compared_in_the_unit_of_its_column),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
