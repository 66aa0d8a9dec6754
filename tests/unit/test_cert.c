/* Names, joins and values: each check passes the right query and stops the wrong
 * one. */
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

static void plain(const char *sql, const char *check, int want)
{
	verify_kit_reset(&kit, LANG_EN);
	expect_line(sql, check, want);
}

static void test_names_outside_the_context_do_not_pass(void **state)
{
	(void)state;
	plain("SELECT name FROM companies", "context", CHECK_PASS);
	plain("SELECT name FROM companies", "names", CHECK_PASS);
	verify_kit_reset(&kit, LANG_EN);
	kit.steps[0] = (struct verify_step){
	    .sql = "SELECT x FROM elsewhere", .result = resultset_new()};
	kit.results[0] = (struct resultset *)kit.steps[0].result;
	kit.n_steps = 1;
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_REVISE, "context", CHECK_FAIL);
	verify_kit_reset(&kit, LANG_EN);
	kit.steps[0] = (struct verify_step){
	    .sql = "SELECT nmae FROM companies", .result = resultset_new()};
	kit.results[0] = (struct resultset *)kit.steps[0].result;
	kit.n_steps = 1;
	vkit_verify(&kit);
	vkit_expect(&kit, VERDICT_REVISE, "names", CHECK_FAIL);
}

static void test_a_trap_table_does_not_pass_unless_it_was_named(void **state)
{
	(void)state;
	plain("SELECT revenue FROM fin_bak", "status", CHECK_FAIL);
	assert_true(vkit_list_has(&kit.verdict->reasons, "use financials instead"));
	verify_kit_reset(&kit, LANG_EN);
	kit.g->tables = arena_push(&kit.g->arena, kit.g->tables, kit.g->n_tables);
	kit.g->tables[0] = (struct grounding_table){.table = 3, .literal = true, .why = ""};
	vkit_names_table(&kit, "fin_bak", "fin_bak");
	expect_line("SELECT revenue FROM fin_bak", "status", CHECK_UNKNOWN);
	assert_true(vkit_list_has(&kit.verdict->assumptions, "financials"));
}

static void test_joins_follow_known_relations(void **state)
{
	(void)state;
	plain("SELECT c.name FROM companies c JOIN financials f ON c.company_id = f.company_id",
	    "joins", CHECK_PASS);
	plain("SELECT f.year FROM financials f JOIN production p ON p.company_id = f.company_id",
	    "joins", CHECK_PASS);
	plain("SELECT c.name FROM companies c JOIN financials f ON c.company_id = f.id", "joins",
	    CHECK_FAIL);
	plain("SELECT c.name FROM companies c, financials f", "joins", CHECK_FAIL);
	plain("SELECT name FROM companies", "joins", -1);
}

static void test_a_sum_over_multiplied_rows_does_not_pass(void **state)
{
	(void)state;
	plain("SELECT c.name, SUM(f.revenue) FROM companies c JOIN financials f ON"
	      " c.company_id = f.company_id GROUP BY c.name",
	    "fan_out", CHECK_PASS);
	plain(
	    "SELECT SUM(f.revenue) FROM financials f JOIN production p ON p.company_id = f.company_id",
	    "fan_out", CHECK_FAIL);
}

static void test_literals_exist_in_the_data(void **state)
{
	(void)state;
	plain("SELECT name FROM companies WHERE industry = '煤炭'", "literals", CHECK_PASS);
	plain("SELECT name FROM companies WHERE industry = '石油'", "literals", CHECK_FAIL);
	plain("SELECT name FROM companies WHERE industry IN ('煤炭', '电力')", "literals",
	    CHECK_FAIL);
	plain("SELECT name FROM companies WHERE industry LIKE '%石油%'", "literals", -1);
}

static void value_case(const char *sql, int want)
{
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_value(&kit, "煤炭", "companies.industry", "煤炭");
	expect_line(sql, "values", want);
}

static void test_values_of_the_question_are_used_where_they_were_found(void **state)
{
	(void)state;
	value_case("SELECT name FROM companies WHERE industry = '煤炭'", CHECK_PASS);
	value_case("SELECT name FROM companies WHERE industry LIKE '%煤炭%'", CHECK_PASS);
	value_case("SELECT name FROM companies", CHECK_FAIL);
	value_case("SELECT amount FROM production WHERE product = '煤炭'", CHECK_FAIL);
	value_case("SELECT name FROM companies WHERE industry = '煤炭' OR industry = '石油天然气'",
	    CHECK_UNKNOWN);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says(&kit, SPAN_QUOTED, "\"oil\"");
	expect_line("SELECT name FROM companies WHERE name LIKE '%Oil%'", "values", CHECK_PASS);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says(&kit, SPAN_QUOTED, "\"oil\"");
	expect_line("SELECT name FROM companies", "values", CHECK_FAIL);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says(&kit, SPAN_QUOTED, "\"Linda Smith\"");
	expect_line("SELECT name FROM companies WHERE name = 'Linda' AND industry = 'Smith'",
	    "values", CHECK_PASS);
}

static void test_a_name_that_does_not_exist_is_not_passed_over(void **state)
{
	(void)state;
	verify_kit_reset(&kit, LANG_EN);
	vkit_says(&kit, SPAN_UNKNOWN, "fin_bak_2019");
	expect_line("SELECT revenue FROM financials", "words", CHECK_FAIL);
	assert_int_equal(kit.verdict->kind, VERDICT_DECLINE);
}

static void test_columns_that_are_named_are_used(void **state)
{
	(void)state;
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_column(&kit, "净利润", "financials.net_profit");
	expect_line("SELECT net_profit FROM financials", "columns", -1);
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_column(&kit, "净利润", "financials.net_profit");
	expect_line("SELECT revenue FROM financials", "columns", CHECK_FAIL);
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_names_outside_the_context_do_not_pass),
	    KIT(test_a_trap_table_does_not_pass_unless_it_was_named),
	    KIT(test_joins_follow_known_relations),
	    KIT(test_a_sum_over_multiplied_rows_does_not_pass),
	    KIT(test_literals_exist_in_the_data),
	    KIT(test_values_of_the_question_are_used_where_they_were_found),
	    KIT(test_a_name_that_does_not_exist_is_not_passed_over),
	    KIT(test_columns_that_are_named_are_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
