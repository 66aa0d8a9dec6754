/* The text of answers: one value, one row, lists, counts, two steps, nothing
 * found; Chinese and English; and units by rule. */
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
static void check(const char *sql, const char *answer, const char *unit)
{
	vkit_runs(&kit, sql);
	vkit_verify(&kit);
	vkit_expect_answer(&kit, answer, unit);
}

static void test_one_value_names_whom_it_is_about(void **state)
{
	(void)state;
	vkit_names_value(&kit, "中国海油", "companies.name", "中国海油");
	vkit_says_period(&kit, "2022年", "2022-01-01", "2023-01-01", "financials.year");
	vkit_says_cue(&kit, "的", CUE_OF, 0);
	vkit_names_column(&kit, "营业收入", "financials.revenue");
	vkit_says_cue(&kit, "是多少", CUE_WHICH, 0);
	check("SELECT f.revenue FROM financials f JOIN companies c ON c.company_id = f.company_id"
	      " WHERE c.name = '中国海油' AND f.year = 2022",
	    "中国海油2022年营业收入：4222.3 亿元", "亿元");
}

static void test_english_uses_the_questions_words(void **state)
{
	(void)state;
	verify_kit_reset(&kit, LANG_EN);
	vkit_says(&kit, SPAN_STOP, "What was");
	vkit_names_value(&kit, "Sinopec", "companies.name", "中国石化");
	vkit_names_column(&kit, "net profit", "financials.net_profit");
	vkit_says_period(&kit, "2023", "2023-01-01", "2024-01-01", "financials.year");
	check(
	    "SELECT f.net_profit FROM financials f JOIN companies c ON c.company_id = f.company_id"
	    " WHERE c.name = '中国石化' AND f.year = 2023",
	    "Sinopec, 2023, net profit: 604.6 亿元", "亿元");
}

static void test_two_things_stand_side_by_side(void **state)
{
	(void)state;
	vkit_names_value(&kit, "中国石油", "companies.name", "中国石油");
	vkit_says_period(&kit, "2023年", "2023-01-01", "2024-01-01", "financials.year");
	vkit_names_column(&kit, "营业收入", "financials.revenue");
	vkit_says(&kit, SPAN_STOP, "是");
	vkit_names_value(&kit, "中国海油", "companies.name", "中国海油");
	vkit_says_cue(&kit, "的几倍", CUE_RATIO, 0);
	check(
	    "SELECT (SELECT f.revenue FROM financials f JOIN companies c ON c.company_id = f.company_id"
	    " WHERE c.name = '中国石油' AND f.year = 2023) / (SELECT f.revenue FROM financials f JOIN"
	    " companies c ON c.company_id = f.company_id WHERE c.name = '中国海油' AND f.year = 2023)",
	    "中国石油、中国海油2023年营业收入之比：7.227407", NULL);
}

static void test_aggregates_keep_the_unit(void **state)
{
	(void)state;
	vkit_says_period(&kit, "2023年", "2023-01-01", "2024-01-01", "financials.year");
	vkit_names_column(&kit, "净利润", "financials.net_profit");
	vkit_says_cue(&kit, "总和", CUE_SUM, 0);
	check("SELECT SUM(net_profit) FROM financials WHERE year = 2023",
	    "2023年净利润合计：4051.4 亿元", "亿元");
	assert_true(vkit_list_has(&kit.verdict->definitions, "归属于母公司股东"));
}

static void test_a_difference_is_shown_without_binary_dust(void **state)
{
	(void)state;
	vkit_says_period(&kit, "2023年", "2023-01-01", "2024-01-01", "financials.year");
	vkit_names_column(&kit, "营收", "financials.revenue");
	vkit_says_cue(&kit, "前两名", CUE_TOP, 2);
	vkit_says_cue(&kit, "相差", CUE_DIFFERENCE, 0);
	check(
	    "SELECT (SELECT revenue FROM financials WHERE year = 2023 ORDER BY revenue DESC LIMIT 1) -"
	    " (SELECT revenue FROM financials WHERE year = 2023 ORDER BY revenue DESC LIMIT 1 OFFSET 1)"
	    " AS 差额",
	    "2023年营业收入之差：2012.1 亿元", "亿元");
}

static void test_a_ratio_of_equal_units_has_none(void **state)
{
	(void)state;
	vkit_names_metric(&kit, "净利率", "net_margin");
	check("SELECT ROUND(SUM(net_profit) / SUM(revenue), 4) AS m FROM financials",
	    "净利率：0.0582", NULL);
}

static void test_counts_say_what_is_counted(void **state)
{
	(void)state;
	vkit_names_table(&kit, "公司", "companies");
	vkit_says_cue(&kit, "有多少家", CUE_COUNT, 0);
	check("SELECT COUNT(*) FROM companies", "4 家公司", NULL);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "How many", CUE_COUNT, 0);
	vkit_names_table(&kit, "companies", "companies");
	check("SELECT COUNT(*) FROM companies", "4 companies", NULL);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "How many", CUE_COUNT, 0);
	vkit_names_table(&kit, "companies", "companies");
	check("SELECT COUNT(*) FROM companies WHERE company_id = 1", "1 company", NULL);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "How many different", CUE_COUNT, 0);
	vkit_names_column(&kit, "industries", "companies.industry");
	vkit_says_cue(&kit, "of", CUE_OF, 0);
	vkit_names_table(&kit, "companies", "companies");
	check("SELECT COUNT(DISTINCT industry) FROM companies", "2 industries", NULL);
}

static void test_people_are_called_by_both_names(void **state)
{
	(void)state;
	struct verify_kit staff;
	verify_kit_open(&staff, LANG_EN,
	    "CREATE TABLE staff(id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, age INTEGER);"
	    "INSERT INTO staff VALUES(1,'Ann','Lee',30),(2,'Bob','Ray',40);",
	    NULL);
	vkit_runs(&staff, "SELECT first_name, last_name FROM staff");
	vkit_verify(&staff);
	vkit_expect_answer(&staff, "Ann Lee; Bob Ray (2 rows)", NULL);
	verify_kit_reset(&staff, LANG_EN);
	vkit_runs(&staff, "SELECT first_name, last_name, age FROM staff");
	vkit_verify(&staff);
	vkit_expect_answer(&staff, "Ann Lee: 30; Bob Ray: 40 (2 rows)", NULL);
	verify_kit_close(&staff);
}

static void test_a_name_speaks_for_itself_in_any_language(void **state)
{
	(void)state;
	struct verify_kit kit_zh;
	verify_kit_open(&kit_zh, LANG_ZH,
	    "CREATE TABLE 医院(id INTEGER PRIMARY KEY, 名称 TEXT); INSERT INTO 医院 VALUES(1,'协和');",
	    NULL);
	vkit_runs(&kit_zh, "SELECT 名称 FROM 医院");
	vkit_verify(&kit_zh);
	vkit_expect_answer(&kit_zh, "协和", NULL);
	assert_int_equal(vkit_line(&kit_zh, "outputs"), -1);
	verify_kit_close(&kit_zh);
}

static void test_a_leader_that_may_have_equals_says_so(void **state)
{
	(void)state;
	vkit_says_cue(&kit, "最早", CUE_LEAST, 0);
	vkit_names_column(&kit, "成立年份", "companies.founded_year");
	check("SELECT name FROM companies ORDER BY founded_year LIMIT 1",
	    "中国石油（可能有并列，只列一个）", NULL);
}

static void test_long_fractions_are_rounded_in_the_sentence(void **state)
{
	(void)state;
	vkit_says_cue(&kit, "平均", CUE_AVG, 0);
	vkit_names_column(&kit, "净利润", "financials.net_profit");
	check("SELECT AVG(net_profit) FROM financials WHERE staff IS NOT NULL",
	    "平均净利润：1171.383333 亿元", "亿元");
}

static void test_lists_and_pairs(void **state)
{
	(void)state;
	vkit_names_value(&kit, "石油", "companies.industry", "石油天然气");
	vkit_names_table(&kit, "公司", "companies");
	check("SELECT name FROM companies WHERE industry = '石油天然气'",
	    "中国石油、中国石化、中国海油（共 3 行）", NULL);
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_column(&kit, "平均净利润", "financials.net_profit");
	check("SELECT year, AVG(net_profit) FROM financials GROUP BY year",
	    "2022：1067.525 亿元；2023：1012.85 亿元（共 2 行）", "亿元");
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_period(&kit, "2023", "2023-01-01", "2024-01-01", "financials.year");
	check(
	    "SELECT c.name, f.revenue FROM financials f JOIN companies c ON c.company_id = f.company_id"
	    " WHERE f.year = 2023 AND c.company_id IN (1, 2)",
	    "PetroChina (中国石油): 30110.1 亿元; Sinopec (中国石化): 32122.2 亿元 (2 rows)",
	    "亿元");
}

static void test_each_row_may_have_its_own_unit(void **state)
{
	(void)state;
	check("SELECT product, amount, unit FROM production WHERE company_id = 1",
	    "原油：9.36 亿桶；天然气：1420 亿立方米（共 2 行）", NULL);
	verify_kit_reset(&kit, LANG_ZH);
	check("SELECT c.name, p.amount, p.unit FROM production p JOIN companies c ON c.company_id ="
	      " p.company_id WHERE p.product = '原油' ORDER BY p.amount DESC LIMIT 1",
	    "中国石油：9.36 亿桶", "亿桶");
	verify_kit_reset(&kit, LANG_ZH);
	check("SELECT amount FROM production WHERE id = 1", "产量：9.36（单位不明）", NULL);
	assert_int_equal(vkit_line(&kit, "units"), CHECK_NOTE);
}

static void test_many_rows_are_counted_not_listed(void **state)
{
	(void)state;
	check(
	    "SELECT f.id, c.name, f.year, f.revenue, f.net_profit FROM financials f JOIN companies c"
	    " ON c.company_id = f.company_id",
	    "共 8 行，见下表", NULL);
	verify_kit_reset(&kit, LANG_ZH);
	vkit_runs(&kit, "SELECT name FROM companies");
	kit.results[0]->truncated = true;
	vkit_verify(&kit);
	vkit_expect_answer(&kit, "结果很多，只给出前 4 行", NULL);
	assert_int_equal(vkit_line(&kit, "result"), CHECK_NOTE);
}

static void test_nothing_found_says_so(void **state)
{
	(void)state;
	check("SELECT name FROM companies WHERE founded_year = 0", "没有符合条件的记录", NULL);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "latest", CUE_MAX, 0);
	check("SELECT MAX(founded_year) FROM companies WHERE founded_year IS NULL",
	    "there is no value (the result is NULL)", NULL);
}

/* The crude oil leader's net profit, in two steps. */
static void ask_leader(enum grounding_lang lang)
{
	bool zh = lang == LANG_ZH;
	verify_kit_reset(&kit, lang);
	vkit_names_value(&kit, zh ? "原油" : "crude", "production.product", "原油");
	vkit_names_column(&kit, zh ? "产量" : "output", "production.amount");
	vkit_says_cue(&kit, zh ? "最高" : "highest", CUE_MOST, 0);
	vkit_names_table(&kit, zh ? "公司" : "company", "companies");
	vkit_says_period(
	    &kit, zh ? "2023年" : "2023", "2023-01-01", "2024-01-01", "financials.year");
	vkit_names_column(&kit, zh ? "净利润" : "net profit", "financials.net_profit");
	vkit_runs(&kit,
	    "SELECT c.name, p.amount, p.unit FROM production p JOIN companies c ON"
	    " c.company_id = p.company_id WHERE p.product = '原油' ORDER BY p.amount DESC"
	    " LIMIT 1");
	vkit_runs(&kit,
	    "SELECT f.net_profit FROM financials f JOIN companies c ON c.company_id ="
	    " f.company_id WHERE c.name = '中国石油' AND f.year = 2023");
	vkit_verify(&kit);
}

static void test_two_steps_state_the_leader_first(void **state)
{
	(void)state;
	ask_leader(LANG_ZH);
	vkit_expect(&kit, VERDICT_ACCEPT, "values", CHECK_PASS);
	vkit_expect_answer(
	    &kit, "中国石油（产量 9.36 亿桶）；中国石油2023年净利润：1611.5 亿元", "亿元");
	ask_leader(LANG_EN);
	vkit_expect_answer(&kit,
	    "PetroChina (中国石油) (output 9.36 亿桶); PetroChina (中国石油), 2023, net profit: 1611.5 亿元",
	    "亿元");
}

static void test_keys_that_nobody_asked_for_are_left_out(void **state)
{
	(void)state;
	check("SELECT f.company_id, f.net_profit FROM financials f WHERE f.id = 2",
	    "净利润：1611.5 亿元", "亿元");
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_one_value_names_whom_it_is_about),
	    KIT(test_english_uses_the_questions_words),
	    KIT(test_two_things_stand_side_by_side),
	    KIT(test_aggregates_keep_the_unit),
	    KIT(test_a_difference_is_shown_without_binary_dust),
	    KIT(test_a_ratio_of_equal_units_has_none),
	    KIT(test_counts_say_what_is_counted),
	    KIT(test_people_are_called_by_both_names),
	    KIT(test_a_name_speaks_for_itself_in_any_language),
	    KIT(test_a_leader_that_may_have_equals_says_so),
	    KIT(test_long_fractions_are_rounded_in_the_sentence),
	    KIT(test_lists_and_pairs),
	    KIT(test_each_row_may_have_its_own_unit),
	    KIT(test_many_rows_are_counted_not_listed),
	    KIT(test_nothing_found_says_so),
	    KIT(test_two_steps_state_the_leader_first),
	    KIT(test_keys_that_nobody_asked_for_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
