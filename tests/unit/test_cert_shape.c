/* The shape of the query: counts, rankings, groups, negation, metrics, outputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
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

/* A question of cues only; every query of the list must get this line. */
static void expect_line(const char *sql, const char *check, int want)
{
	vkit_runs(&kit, sql);
	vkit_verify(&kit);
	int got = vkit_line(&kit, check);
	if (got != want) {
		fail_msg("%s: %s is %d, not %d", sql, check, got, want);
	}
}

static void with_cue(enum cue_kind cue, uint32_t arg, const char *sql, const char *check, int want)
{
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "cue", cue, arg);
	expect_line(sql, check, want);
}

static void plain(const char *sql, const char *check, int want)
{
	verify_kit_reset(&kit, LANG_EN);
	expect_line(sql, check, want);
}

static void test_aggregates_that_were_asked_are_there(void **state)
{
	(void)state;
	with_cue(CUE_COUNT, 0, "SELECT COUNT(*) FROM companies", "aggregate", CHECK_PASS);
	with_cue(CUE_COUNT, 0, "SELECT name FROM companies", "aggregate", CHECK_FAIL);
	with_cue(
	    CUE_COUNT, 0, "SELECT staff FROM financials WHERE id = 1", "aggregate", CHECK_PASS);
	with_cue(CUE_SUM, 0, "SELECT SUM(revenue) FROM financials", "aggregate", CHECK_PASS);
	with_cue(CUE_SUM, 0, "SELECT AVG(revenue) FROM financials", "aggregate", CHECK_FAIL);
	with_cue(CUE_AVG, 0, "SELECT AVG(revenue) FROM financials", "aggregate", CHECK_PASS);
	with_cue(
	    CUE_AVG, 0, "SELECT SUM(revenue) / COUNT(*) FROM financials", "aggregate", CHECK_PASS);
	with_cue(CUE_AVG, 0, "SELECT SUM(revenue) FROM financials", "aggregate", CHECK_FAIL);
	with_cue(CUE_LIST, 0, "SELECT SUM(revenue) FROM financials", "aggregate", CHECK_UNKNOWN);
}

static void test_superlatives_rank_the_right_way(void **state)
{
	(void)state;
	static const char down[] = "SELECT name FROM companies ORDER BY founded_year LIMIT 1";
	static const char up[] = "SELECT name FROM companies ORDER BY founded_year DESC LIMIT 1";
	static const char up3[] = "SELECT name FROM companies ORDER BY founded_year DESC LIMIT 3";
	static const char max[] =
	    "SELECT name FROM companies WHERE founded_year = (SELECT MAX(founded_year) FROM companies)";
	with_cue(CUE_MOST, 0, up, "superlative", CHECK_PASS);
	with_cue(CUE_MOST, 0, max, "superlative", CHECK_PASS);
	with_cue(CUE_MOST, 0, down, "superlative", CHECK_FAIL);
	with_cue(CUE_MOST, 0, "SELECT name FROM companies", "superlative", CHECK_FAIL);
	with_cue(CUE_MOST, 0, "SELECT name FROM companies ORDER BY founded_year DESC",
	    "superlative", CHECK_FAIL);
	with_cue(CUE_LEAST, 0, down, "superlative", CHECK_PASS);
	with_cue(CUE_LEAST, 0, max, "superlative", CHECK_FAIL);
	with_cue(CUE_TOP, 3, up3, "superlative", CHECK_PASS);
	with_cue(CUE_TOP, 3, up, "superlative", CHECK_FAIL);
	with_cue(CUE_MAX, 0, "SELECT MAX(revenue) FROM financials", "superlative", CHECK_PASS);
	with_cue(CUE_MOST, 0, up, "ties", CHECK_UNKNOWN);
	with_cue(CUE_MOST, 0, "SELECT year FROM financials ORDER BY revenue DESC LIMIT 1", "ties",
	    CHECK_PASS);
}

static void test_order_grouping_distinct_and_negation(void **state)
{
	(void)state;
	with_cue(
	    CUE_SORT, 0, "SELECT name FROM companies ORDER BY name", "superlative", CHECK_PASS);
	with_cue(CUE_SORT, 0, "SELECT name FROM companies", "superlative", CHECK_FAIL);
	with_cue(
	    CUE_DESC, 0, "SELECT name FROM companies ORDER BY name", "superlative", CHECK_FAIL);
	with_cue(CUE_EACH, 0, "SELECT year, AVG(revenue) FROM financials GROUP BY year", "grouping",
	    CHECK_PASS);
	with_cue(CUE_EACH, 0, "SELECT AVG(revenue) FROM financials", "grouping", CHECK_FAIL);
	with_cue(CUE_EACH, 0, "SELECT id, revenue FROM financials", "grouping", CHECK_PASS);
	with_cue(
	    CUE_DISTINCT, 0, "SELECT DISTINCT industry FROM companies", "distinct", CHECK_PASS);
	with_cue(CUE_DISTINCT, 0, "SELECT industry FROM companies", "distinct", CHECK_FAIL);
	with_cue(CUE_DISTINCT, 0, "SELECT name FROM companies", "distinct", CHECK_PASS);
	with_cue(CUE_DISTINCT, 0, "SELECT COUNT(DISTINCT industry) FROM companies", "distinct",
	    CHECK_PASS);
	with_cue(CUE_NOT, 0, "SELECT name FROM companies WHERE industry <> '煤炭'", "negation",
	    CHECK_PASS);
	with_cue(CUE_NOT, 0,
	    "SELECT name FROM companies WHERE company_id NOT IN (SELECT company_id FROM"
	    " production)",
	    "negation", CHECK_PASS);
	with_cue(CUE_EXCEPT, 0,
	    "SELECT name FROM companies EXCEPT SELECT name FROM companies WHERE"
	    " industry = '煤炭'",
	    "negation", CHECK_PASS);
	with_cue(CUE_NOT, 0, "SELECT name FROM companies", "negation", CHECK_FAIL);
	plain("SELECT name FROM companies WHERE industry <> '煤炭'", "negation", CHECK_UNKNOWN);
}

static void test_a_ranking_goes_by_something_that_can_be_ranked(void **state)
{
	(void)state;
	with_cue(CUE_LATEST, 0, "SELECT name FROM companies ORDER BY name DESC LIMIT 1",
	    "superlative", CHECK_FAIL);
	with_cue(CUE_LATEST, 0, "SELECT name FROM companies ORDER BY founded_year DESC LIMIT 1",
	    "superlative", CHECK_PASS);
	with_cue(CUE_MAX, 0, "SELECT industry, MAX(founded_year) FROM companies GROUP BY industry",
	    "superlative", CHECK_FAIL);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "each", CUE_EACH, 0);
	vkit_says_cue(&kit, "highest", CUE_MAX, 0);
	expect_line("SELECT industry, MAX(founded_year) FROM companies GROUP BY industry",
	    "superlative", CHECK_PASS);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "the last", CUE_LATEST, 0);
	vkit_names_column(&kit, "name", "companies.name");
	expect_line("SELECT name FROM companies", "superlative", -1);
}

static void test_outputs_that_nobody_asked_for_are_noted(void **state)
{
	(void)state;
	plain("SELECT founded_year FROM companies WHERE company_id = 1", "outputs", CHECK_NOTE);
	assert_int_equal(kit.verdict->kind, VERDICT_ACCEPT);
	plain("SELECT name FROM companies", "outputs", -1);
	verify_kit_reset(&kit, LANG_EN);
	vkit_names_column(&kit, "founded", "companies.founded_year");
	expect_line("SELECT founded_year FROM companies", "outputs", -1);
}

static void test_the_thing_that_is_asked_for_is_in_the_result(void **state)
{
	static const char amounts[] = "SELECT amount FROM production WHERE product = '原油'";
	(void)state;
	for (int before = 0; before < 2; before++) {
		for (int good = 0; good < 2; good++) {
			verify_kit_reset(&kit, LANG_ZH);
			if (before) {
				vkit_says_cue(&kit, "哪些", CUE_WHICH, 0);
			}
			vkit_names_table(&kit, "公司", "companies");
			vkit_says(&kit, SPAN_STOP, "是");
			vkit_says_cue(&kit, before ? "是多少" : "哪家", CUE_WHICH, 0);
			expect_line(good ? "SELECT company_id FROM production" : amounts, "subject",
			    good ? -1 : CHECK_UNKNOWN);
		}
	}
	verify_kit_reset(&kit, LANG_EN);
	vkit_names_table(&kit, "companies", "companies");
	vkit_says_cue(&kit, "what", CUE_WHICH, 0);
	expect_line(amounts, "subject", -1);
}

static void test_the_first_rank_is_number_one(void **state)
{
	(void)state;
	static const char sql[] = "SELECT name FROM t ORDER BY rank DESC LIMIT 1";
	struct verify_kit ranks;
	verify_kit_open(&ranks, LANG_EN,
	    "CREATE TABLE t(name TEXT, rank INTEGER); INSERT INTO t VALUES('a',1),('b',2);", NULL);
	vkit_says_cue(&ranks, "first", CUE_MOST, 0);
	vkit_runs(&ranks, sql);
	vkit_verify(&ranks);
	assert_int_equal(vkit_line(&ranks, "superlative"), CHECK_FAIL);
	verify_kit_close(&ranks);
}

static void test_a_list_that_repeats_rows_lowers_the_confidence(void **state)
{
	(void)state;
	plain("SELECT industry FROM companies", "repeats", CHECK_UNKNOWN);
	plain("SELECT DISTINCT industry FROM companies", "repeats", -1);
	plain("SELECT name, industry FROM companies", "repeats", -1);
}

static void test_a_total_number_over_many_rows_is_summed(void **state)
{
	(void)state;
	for (int good = 0; good < 2; good++) {
		verify_kit_reset(&kit, LANG_EN);
		vkit_says_cue(&kit, "total number of", CUE_COUNT, 0);
		vkit_names_column(&kit, "staff", "financials.staff");
		expect_line(
		    good ? "SELECT SUM(staff) FROM financials" : "SELECT staff FROM financials",
		    "aggregate", good ? CHECK_PASS : CHECK_FAIL);
	}
}

static void test_numbers_are_not_counted_but_given(void **state)
{
	(void)state;
	with_cue(CUE_COUNT, 0, "SELECT COUNT(staff) FROM financials", "aggregate", CHECK_FAIL);
	with_cue(CUE_COUNT, 0, "SELECT staff FROM financials", "aggregate", CHECK_FAIL);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "average", CUE_AVG, 0);
	vkit_says_cue(&kit, "number of", CUE_COUNT, 0);
	vkit_names_column(&kit, "staff", "financials.staff");
	expect_line("SELECT AVG(staff) FROM financials", "aggregate", CHECK_PASS);
}

static void test_traps_of_arithmetic_and_null(void **state)
{
	(void)state;
	plain("SELECT staff / year FROM financials", "integer_division", CHECK_FAIL);
	plain("SELECT revenue / net_profit FROM financials", "integer_division", -1);
	plain("SELECT name FROM companies WHERE company_id NOT IN (SELECT staff FROM financials)",
	    "not_in_null", CHECK_FAIL);
	plain(
	    "SELECT name FROM companies WHERE company_id NOT IN (SELECT company_id FROM financials)",
	    "not_in_null", -1);
}

static void metric_case(const char *sql, int want)
{
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_metric(&kit, "净利率", "net_margin");
	expect_line(sql, "metric", want);
}

static void test_a_metric_is_not_changed(void **state)
{
	(void)state;
	metric_case("SELECT SUM(f.net_profit) / SUM(f.revenue) FROM financials f", CHECK_PASS);
	metric_case("SELECT SUM(net_profit) * 1.0 / SUM(revenue) AS m FROM financials", CHECK_PASS);
	metric_case("SELECT AVG(net_profit) / AVG(revenue) FROM financials", CHECK_FAIL);
	metric_case("SELECT SUM(revenue) / SUM(net_profit) FROM financials", CHECK_FAIL);
	metric_case(
	    "SELECT SUM(net_profit) / SUM(revenue) FROM (SELECT net_profit, net_profit AS revenue"
	    " FROM financials) AS x",
	    CHECK_FAIL);
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_aggregates_that_were_asked_are_there),
	    KIT(test_superlatives_rank_the_right_way),
	    KIT(test_order_grouping_distinct_and_negation),
	    KIT(test_a_ranking_goes_by_something_that_can_be_ranked),
	    KIT(test_outputs_that_nobody_asked_for_are_noted),
	    KIT(test_the_thing_that_is_asked_for_is_in_the_result),
	    KIT(test_the_first_rank_is_number_one),
	    KIT(test_a_list_that_repeats_rows_lowers_the_confidence),
	    KIT(test_a_total_number_over_many_rows_is_summed),
	    KIT(test_numbers_are_not_counted_but_given),
	    KIT(test_traps_of_arithmetic_and_null),
	    KIT(test_a_metric_is_not_changed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
