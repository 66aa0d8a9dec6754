/* From words to spans: what wins where readings overlap, English and Chinese. */
#include "tests/unit/ground_rig.h"

static struct rig plain, modelled;

static void test_prefers_whole_names_of_several_words(void **state)
{
	struct grounding *g = rig_ground(&plain, "What is the unit price and customer name?");

	(void)state;
	rig_expect(g, "unit price", SPAN_COLUMN, "products.unit_price");
	rig_expect(g, "customer name", SPAN_COLUMN, "customers.customer_name");
	grounding_free(g);
}

static void test_reads_names_through_of_the(void **state)
{
	struct grounding *g = rig_ground(&plain, "What is the price of the unit?");

	(void)state;
	rig_expect(g, "price of the unit", SPAN_COLUMN, "products.unit_price");
	grounding_free(g);
	g = rig_ground(&plain, "Show the name of the customer");
	rig_expect(g, "name", SPAN_COLUMN, "customers.customer_name");
	rig_expect(g, "customer", SPAN_TABLE, "customers");
	rig_expect_cue(g, "of", CUE_OF, 0);
	grounding_free(g);
}

static void test_reads_inflections_synonyms_abbreviations_and_misspellings(void **state)
{
	struct grounding *g = rig_ground(
	    &plain, "nations and quantities of clients with the cheapest prodct");

	(void)state;
	rig_expect(g, "nations", SPAN_COLUMN, "customers.country");
	rig_expect(g, "quantities", SPAN_COLUMN, "order_items.qty");
	rig_expect(g, "clients", SPAN_TABLE, "customers");
	rig_expect(g, "prodct", SPAN_TABLE, "products");
	grounding_free(g);
}

static void test_adjectives_bring_their_column(void **state)
{
	struct grounding *g = rig_ground(&plain, "Who is the oldest customer?");
	const struct grounding_span *s = rig_span(g, "the oldest");

	(void)state;
	rig_expect_cue(g, "the oldest", CUE_MOST, 0);
	assert_string_equal(rig_target(g, s, 0), "customers.age");
	grounding_free(g);
	g = rig_ground(&plain, "customers older than 30");
	assert_string_equal(rig_target(g, rig_span(g, "older than"), 0), "customers.age");
	grounding_free(g);
	g = rig_ground(&plain, "the five oldest customers");
	rig_expect_cue(g, "five oldest", CUE_MOST, 5);
	grounding_free(g);
	g = rig_ground(&modelled, "最年轻的三名客户");
	rig_expect_cue(g, "最年轻的三名", CUE_LEAST, 3);
	grounding_free(g);
	g = rig_ground(&plain, "the deepest order");
	assert_int_equal(rig_span(g, "the deepest")->kind, SPAN_UNKNOWN);
	grounding_free(g);
}

static void test_numbers_that_belong_to_cues_are_no_quantities(void **state)
{
	struct grounding *g = rig_ground(&plain, "top 3 customers with more than 2 orders");

	(void)state;
	rig_expect_cue(g, "top 3", CUE_TOP, 3);
	rig_expect_cue(g, "more than", CUE_GT, 0);
	assert_int_equal(rig_span(g, "2")->kind, SPAN_QUANTITY);
	assert_int_equal(g->n_quantities, 1);
	grounding_free(g);
}

static void test_years_are_periods_unless_compared(void **state)
{
	struct grounding *g = rig_ground(&plain, "orders in 2023 with amount more than 2000");
	const struct grounding_span *s = rig_span(g, "2023");

	(void)state;
	assert_int_equal(s->kind, SPAN_PERIOD);
	assert_string_equal(g->periods[s->period].from, "2023-01-01");
	assert_string_equal(rig_target(g, s, 0), "orders.order_date");
	assert_int_equal(rig_span(g, "2000")->kind, SPAN_QUANTITY);
	grounding_free(g);
}

static void test_values_by_case_label_alias_and_part(void **state)
{
	struct grounding *g = rig_ground(
	    &modelled, "american customers or 法国 customers or Turing");

	(void)state;
	rig_expect(g, "american", SPAN_VALUE, "customers.country=United States");
	rig_expect(g, "法国", SPAN_VALUE, "customers.country=France");
	assert_int_equal(rig_span(g, "法国")->targets[0].how, HOW_STORED_LABEL);
	rig_expect(g, "Turing", SPAN_VALUE, "customers.customer_name=Alan Turing");
	assert_int_equal(rig_span(g, "Turing")->targets[0].how, HOW_STORED_PARTIAL);
	grounding_free(g);
}

static void test_quoted_text_is_a_value_or_stays_quoted(void **state)
{
	struct grounding *g = rig_ground(&plain, "orders of \"ada lovelace\" or \"Nobody At All\"");

	(void)state;
	rig_expect(g, "\"ada lovelace\"", SPAN_VALUE, "customers.customer_name=Ada Lovelace");
	assert_int_equal(rig_span(g, "\"Nobody At All\"")->kind, SPAN_QUOTED);
	grounding_free(g);
}

static void test_relative_pronouns_are_no_questions(void **state)
{
	struct grounding *g = rig_ground(&plain, "Which customers who have orders which are open?");

	(void)state;
	rig_expect_cue(g, "Which", CUE_WHICH, 0);
	rig_expect_cue(g, "who have", CUE_WITH, 0);
	grounding_free(g);
	g = rig_ground(&plain, "customers who placed orders");
	rig_expect_cue(g, "who", CUE_THAT, 0);
	grounding_free(g);
}

static void test_chinese_takes_the_longest_names(void **state)
{
	struct grounding *g = rig_ground(
	    &modelled, "2023年订单金额最高的前三名客户的客户名称和年龄");

	(void)state;
	rig_expect(g, "订单金额", SPAN_COLUMN, "orders.amount");
	rig_expect_cue(g, "最高的前三名", CUE_MOST, 3);
	rig_expect(g, "客户", SPAN_TABLE, "customers");
	rig_expect(g, "客户名称", SPAN_COLUMN, "customers.customer_name");
	rig_expect(g, "年龄", SPAN_COLUMN, "customers.age");
	rig_expect_cue(g, "和", CUE_AND, 0);
	assert_int_equal(g->missing.n, 0);
	grounding_free(g);
}

static void test_chinese_finds_pieces_of_names(void **state)
{
	struct grounding *g = rig_ground(&modelled, "客户的下单");

	(void)state;
	rig_expect(g, "下单", SPAN_COLUMN, "orders.order_date");
	assert_int_equal(rig_span(g, "下单")->targets[0].how, HOW_PARTIAL);
	grounding_free(g);
}

static void test_chinese_finds_english_names(void **state)
{
	struct grounding *g = rig_ground(&plain, "每个国家有多少客户？年龄最大的客户的名字");

	(void)state;
	rig_expect(g, "国家", SPAN_COLUMN, "customers.country");
	rig_expect(g, "客户", SPAN_TABLE, "customers");
	assert_string_equal(rig_target(g, rig_span(g, "年龄最大的"), 0), "customers.age");
	rig_expect(g, "名字", SPAN_COLUMN, "customers.customer_name");
	assert_int_equal(g->missing.n, 0);
	grounding_free(g);
}

static void test_how_many_in_chinese_counts_or_asks(void **state)
{
	struct grounding *g = rig_ground(&modelled, "中国有多少客户");

	(void)state;
	rig_expect_cue(g, "有多少", CUE_COUNT, 0);
	rig_expect(g, "中国", SPAN_VALUE, "customers.country=China");
	grounding_free(g);
	g = rig_ground(&modelled, "订单金额是多少元");
	rig_expect_cue(g, "是多少", CUE_WHICH, 0);
	grounding_free(g);
}

static void test_unexplained_characters_are_one_span(void **state)
{
	struct grounding *g = rig_ground(&modelled, "客户的达标率是多少");

	(void)state;
	assert_int_equal(rig_span(g, "达标率")->kind, SPAN_UNKNOWN);
	assert_int_equal(g->missing.n, 1);
	grounding_free(g);
}

static void test_names_yield_no_commands(void **state)
{
	struct grounding *g = rig_ground(&plain, "Name the customers");

	(void)state;
	rig_expect_cue(g, "Name", CUE_LIST, 0);
	grounding_free(g);
	g = rig_ground(&plain, "name of customers");
	assert_int_equal(rig_span(g, "name")->kind, SPAN_COLUMN);
	grounding_free(g);
}

static int set_up(void **state)
{
	(void)state;
	rig_open(&plain, false);
	rig_open(&modelled, true);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rig_close(&plain);
	rig_close(&modelled);
	return 0;
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_prefers_whole_names_of_several_words),
	    cmocka_unit_test(test_reads_names_through_of_the),
	    cmocka_unit_test(test_reads_inflections_synonyms_abbreviations_and_misspellings),
	    cmocka_unit_test(test_adjectives_bring_their_column),
	    cmocka_unit_test(test_numbers_that_belong_to_cues_are_no_quantities),
	    cmocka_unit_test(test_years_are_periods_unless_compared),
	    cmocka_unit_test(test_values_by_case_label_alias_and_part),
	    cmocka_unit_test(test_quoted_text_is_a_value_or_stays_quoted),
	    cmocka_unit_test(test_relative_pronouns_are_no_questions),
	    cmocka_unit_test(test_chinese_takes_the_longest_names),
	    cmocka_unit_test(test_chinese_finds_pieces_of_names),
	    cmocka_unit_test(test_chinese_finds_english_names),
	    cmocka_unit_test(test_how_many_in_chinese_counts_or_asks),
	    cmocka_unit_test(test_unexplained_characters_are_one_span),
	    cmocka_unit_test(test_names_yield_no_commands),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
