/* When the composer is sure, declines, or asks back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/compose_kit.h"

static void ask_profit(struct kit *k, const char *measure)
{
	kit_open(k, kit_energy);
	kit_cue(k, "What is", CUE_WHICH, 0);
	if (measure)
		kit_column(k, measure, "financials.net_profit");
	else
		kit_unknown(k, "headcount");
	kit_cue(k, "of", CUE_OF, 0);
	kit_value(k, "P", "companies.name", "P");
}

static void test_is_sure_of_a_question_that_is_fully_explained(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	ask_profit(&k, "net profit");
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_CANDIDATE);
	assert_true(r->confidence > 0.9);
	compose_reply_free(r);
	kit_close(&k);
}

static void test_declines_a_measure_that_nothing_explains_and_names_it(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	ask_profit(&k, NULL);
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	assert_int_equal(r->unmapped.n, 1);
	assert_string_equal(r->unmapped.items[0], "headcount");
	assert_non_null(strstr(r->reason, "headcount"));
	compose_reply_free(r);
	kit_close(&k);
}

static void test_declines_to_count_what_it_does_not_know(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_value(&k, "P", "companies.name", "P");
	kit_cue(&k, "有多少", CUE_COUNT, 0);
	kit_unknown(&k, "员工");
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	assert_non_null(strstr(r->reason, "员工"));
	compose_reply_free(r);
	kit_close(&k);
}

static void test_declines_a_year_that_the_data_do_not_reach(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	ask_profit(&k, "net profit");
	kit_cue(&k, "in", CUE_FOR, 0);
	kit_years(&k, "2024", "2024-01-01", "2025-01-01", "financials.year");
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	assert_non_null(strstr(r->reason, "2023"));
	compose_reply_free(r);
	kit_close(&k);
}

static void test_never_drops_a_number_of_the_question_in_silence(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	kit_open(&k, kit_energy);
	kit_cue(&k, "List", CUE_LIST, 0);
	kit_table(&k, "companies", "companies");
	kit_cue(&k, "and", CUE_AND, 0);
	kit_number(&k, "17", 17, 0, "", 0);
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	compose_reply_free(r);
	kit_close(&k);
}

static void test_declines_a_number_whose_unit_is_not_the_columns(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	kit_open(&k, kit_energy);
	kit_unit(&k, "financials.revenue", "亿元", "");
	kit_table(&k, "companies", "companies");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_column(&k, "revenue", "financials.revenue");
	kit_cue(&k, "above", CUE_GT, 0);
	kit_number(&k, "5 tons", 5, 0, "吨", 0);
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	compose_reply_free(r);
	kit_close(&k);
}

static void test_asks_which_meaning_of_a_term_is_meant(void **state)
{
	struct kit k;
	struct compose_reply *r;
	static const char *options[] = {"finance", "orders"};
	struct grounding_ambiguity am = {
	    .span = 1, .text = "which profit?", .options = {options, 2}};

	(void)state;
	ask_profit(&k, "profit");
	k.g->ambiguities = &am;
	k.g->n_ambiguities = 1;
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_CLARIFY);
	assert_string_equal(r->question, "which profit?");
	assert_int_equal(r->options.n, 2);
	compose_reply_free(r);
	kit_close(&k);
}

static void test_has_nothing_else_to_say_after_a_refusal(void **state)
{
	struct kit k;
	struct compose_reply *r;
	struct err e = {.code = ERR_RUNTIME};
	struct compose_past past = {.sql = "SELECT 1", .error = &e};

	(void)state;
	ask_profit(&k, "net profit");
	r = kit_step(&k, &past, 1, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	compose_reply_free(r);
	kit_close(&k);
}

static void test_survives_a_question_without_spans(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	kit_open(&k, kit_energy);
	kit_text(&k, "???");
	r = kit_step(&k, NULL, 0, 0);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	compose_reply_free(r);
	kit_close(&k);
}

/* "the highest profit over the three years": which years is not said */
static void test_declines_a_span_of_years_without_dates(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	kit_open(&k, kit_energy);
	kit_cue(&k, "Which", CUE_WHICH, 0);
	kit_table(&k, "company", "companies");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_cue(&k, "highest", CUE_MOST, 0);
	kit_column(&k, "net profit", "financials.net_profit");
	kit_cue(&k, "over", CUE_GT, 0);
	kit_number(&k, "three", 3, 0, "", 0);
	kit_column(&k, "years", "financials.year");
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	compose_reply_free(r);
	kit_close(&k);
}

/* 三 that linking did not read as a number */
static void test_takes_an_unread_numeral_for_a_number_that_was_dropped(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_unknown(&k, "三");
	kit_table(&k, "公司", "companies");
	kit_cue(&k, "的", CUE_OF, 0);
	kit_column(&k, "净利润", "financials.net_profit");
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	assert_string_equal(r->unmapped.items[0], "三");
	compose_reply_free(r);
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_is_sure_of_a_question_that_is_fully_explained),
	    cmocka_unit_test(test_declines_a_measure_that_nothing_explains_and_names_it),
	    cmocka_unit_test(test_declines_to_count_what_it_does_not_know),
	    cmocka_unit_test(test_declines_a_year_that_the_data_do_not_reach),
	    cmocka_unit_test(test_never_drops_a_number_of_the_question_in_silence),
	    cmocka_unit_test(test_declines_a_number_whose_unit_is_not_the_columns),
	    cmocka_unit_test(test_asks_which_meaning_of_a_term_is_meant),
	    cmocka_unit_test(test_has_nothing_else_to_say_after_a_refusal),
	    cmocka_unit_test(test_survives_a_question_without_spans),
	    cmocka_unit_test(test_declines_a_span_of_years_without_dates),
	    cmocka_unit_test(test_takes_an_unread_numeral_for_a_number_that_was_dropped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
