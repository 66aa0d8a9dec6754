/* The ladder and the verdict: what is accepted, sent back, declined, asked back;
 * templates of a model; bad input. */
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
static void ask_profit(void)
{
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_value(&kit, "中国石油", "companies.name", "中国石油");
	vkit_says_period(&kit, "2023年", "2023-01-01", "2024-01-01", "financials.year");
	vkit_names_column(&kit, "净利润", "financials.net_profit");
	vkit_runs(&kit,
	    "SELECT f.net_profit FROM financials f JOIN companies c ON c.company_id ="
	    " f.company_id WHERE c.name = '中国石油' AND f.year = 2023");
}

static void test_a_clean_certificate_keeps_the_confidence(void **state)
{
	(void)state;
	ask_profit();
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_ACCEPT, "ran", CHECK_PASS);
	assert_int_equal(kit.verdict->tier, 2);
	assert_true(kit.verdict->confidence == kit.confidence);
	assert_int_equal(kit.verdict->reasons.n, 0);
}

static void test_a_query_that_failed_is_sent_back(void **state)
{
	(void)state;
	vkit_runs(&kit, "SELECT nothing FROM companies");
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_REVISE, "ran", CHECK_FAIL);
	assert_int_equal(kit.verdict->tier, 0);
	assert_true(vkit_list_has(&kit.verdict->reasons, "the query failed"));
}

static void test_a_repaired_query_is_judged_without_its_failures(void **state)
{
	(void)state;
	verify_kit_reset(&kit, LANG_ZH);
	vkit_runs(&kit, "SELECT nothing FROM companies");
	vkit_runs(&kit, "SELECT name FROM companies WHERE company_id = 1");
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_ACCEPT, "ran", CHECK_PASS);
	vkit_expect_answer(&kit, "中国石油", NULL);
}

static void test_unknown_words_lower_the_confidence_until_it_is_declined(void **state)
{
	(void)state;
	double last = 1;
	for (size_t n = 1; n <= 8; n++) {
		ask_profit();
		for (size_t i = 0; i < n; i++) {
			vkit_says(&kit, SPAN_UNKNOWN, "员");
		}
		vkit_verify(&kit);
		assert_true(kit.verdict->confidence < last);
		last = kit.verdict->confidence;
	}
	vkit_expect(&kit, VERDICT_DECLINE, "words", CHECK_UNKNOWN);
	assert_true(vkit_list_has(&kit.verdict->reasons, "员"));
	assert_string_equal(kit.verdict->answer, "");
	assert_null(kit.verdict->unit);
}

static void test_a_tie_in_the_first_step_is_asked_back(void **state)
{
	(void)state;
	vkit_says_cue(&kit, "最早", CUE_LEAST, 0);
	vkit_names_table(&kit, "公司", "companies");
	vkit_names_column(&kit, "净利润", "financials.net_profit");
	vkit_runs(&kit,
	    "SELECT name FROM companies WHERE founded_year = (SELECT MIN(founded_year) FROM"
	    " companies)");
	vkit_runs(&kit,
	    "SELECT f.net_profit FROM financials f JOIN companies c ON c.company_id ="
	    " f.company_id WHERE c.name = '中国石油'");
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_CLARIFY, "ties", CHECK_NOTE);
	assert_int_equal(kit.verdict->reasons.n, 2);
	assert_true(vkit_list_has(&kit.verdict->reasons, "中国海油"));
}

static void test_a_step_that_found_nothing_supports_no_answer(void **state)
{
	(void)state;
	vkit_runs(&kit, "SELECT name FROM companies WHERE founded_year = 1900");
	vkit_runs(&kit, "SELECT net_profit FROM financials WHERE id = 1");
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_DECLINE, "result", CHECK_FAIL);
}

static void fill(const char *template_text, const char *answer, bool is_used)
{
	ask_profit();
	kit.template_text = template_text;
	vkit_verify(&kit);
	vkit_expect_answer(&kit, answer, "亿元");
	assert_int_equal(vkit_line(&kit, "template"), is_used ? -1 : CHECK_NOTE);
}

static void test_a_models_wording_gets_its_numbers_from_references(void **state)
{
	(void)state;
	fill("{p1}该公司净利润为{r1.c1}。", "2023年该公司净利润为1611.5 亿元。", true);
	fill("净利润{r1.c1} 亿元", "净利润1611.5 亿元", true);
	fill("净利润{r1.c1}亿元", "净利润1611.5 亿元", true);
	fill("净利润{r1.c1.1}，{r1.rows} 行", "净利润1611.5 亿元，1 行", true);
}

static void test_a_models_own_numbers_are_not_used(void **state)
{
	(void)state;
	static const char ours[] = "中国石油2023年净利润：1611.5 亿元";
	fill("净利润为1611.5亿元", ours, false);
	fill("净利润为９亿元", ours, false);
	fill("一家公司的净利润为{r1.c1}", ours, false);
	fill("两亿", ours, false);
	fill("about twenty", ours, false);
	fill("{r1.c1}万元", ours, false); /* another unit behind a cell */
	fill("{r1.c1} 桶", ours, false);
	fill("{r1.c2}", ours, false);
	fill("{r1.c1.2}", ours, false);
	fill("{r2.c1}", ours, false);
	fill("{r0.c1}", ours, false);
	fill("{r1}", ours, false);
	fill("{q1}", ours, false);
	fill("{x}", ours, false);
	fill("{r1.c1", ours, false);
	fill("}", ours, false);
	fill("{r1.c99999999999999999999}", ours, false);
}

static void test_refuses_bad_input(void **state)
{
	(void)state;
	struct verdict *v = NULL;
	struct err e = ERR_INIT;
	struct verify_step neither = {.sql = "SELECT 1"};
	ask_profit();
	kit.g->question = "";
	assert_int_equal(
	    verify_request(kit.g, kit.steps, 0, 0.9, NULL, NULL, 0, &v, &e), ERR_BAD_INPUT);
	assert_int_equal(
	    verify_request(kit.g, kit.steps, 9, 0.9, NULL, NULL, 0, &v, &e), ERR_BAD_INPUT);
	assert_int_equal(
	    verify_request(kit.g, kit.steps, 1, 1.1, NULL, NULL, 0, &v, &e), ERR_BAD_INPUT);
	assert_int_equal(
	    verify_request(kit.g, kit.steps, 1, 0.0 / 0.0, NULL, NULL, 0, &v, &e), ERR_BAD_INPUT);
	assert_int_equal(
	    verify_request(kit.g, &neither, 1, 0.9, NULL, NULL, 0, &v, &e), ERR_BAD_INPUT);
	assert_null(v);
}

static void test_text_that_is_no_select_is_not_vouched_for(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "DROP TABLE companies", "SELECT 1; SELECT 2",
	    "SELECT load_extension('x')", "PRAGMA user_version", "SELECT * FROM sqlite_schema"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		verify_kit_reset(&kit, LANG_ZH);
		vkit_runs(&kit, "SELECT 1");
		kit.steps[0].sql = texts[i];
		vkit_verify(&kit);
		if (kit.verdict->kind != VERDICT_REVISE && kit.verdict->kind != VERDICT_DECLINE) {
			fail_msg("%s was accepted", texts[i]);
		}
	}
}

static void test_assumptions_of_the_generator_are_kept(void **state)
{
	(void)state;
	const char *assumptions[] = {"latest year", "latest year"};
	struct err e = ERR_INIT;
	ask_profit();
	kit.g->question = kit.question.data;
	assert_int_equal(
	    verify_request(kit.g, kit.steps, 1, 0.9, NULL, assumptions, 2, &kit.verdict, &e), 0);
	assert_int_equal(kit.verdict->assumptions.n, 1);
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_a_clean_certificate_keeps_the_confidence),
	    KIT(test_a_query_that_failed_is_sent_back),
	    KIT(test_a_repaired_query_is_judged_without_its_failures),
	    KIT(test_unknown_words_lower_the_confidence_until_it_is_declined),
	    KIT(test_a_tie_in_the_first_step_is_asked_back),
	    KIT(test_a_step_that_found_nothing_supports_no_answer),
	    KIT(test_a_models_wording_gets_its_numbers_from_references),
	    KIT(test_a_models_own_numbers_are_not_used),
	    KIT(test_refuses_bad_input),
	    KIT(test_text_that_is_no_select_is_not_vouched_for),
	    KIT(test_assumptions_of_the_generator_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
