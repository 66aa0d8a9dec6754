/* Words that can change an answer stay visible: parts and misspellings of values,
 * verbs, ranks, months, grains, signs; views behind their tables. */
#include "tests/unit/ground_rig.h"

static struct rig plain, modelled;

static void expect_kind(struct rig *r, const char *question, const char *text, enum span_kind kind)
{
	struct grounding *g = rig_ground(r, question);

	assert_int_equal(rig_span(g, text)->kind, kind);
	grounding_free(g);
}

static void test_a_plain_word_is_no_part_of_a_longer_value(void **state)
{
	struct grounding *g = rig_ground(&plain, "customers called Lovelace");

	(void)state;
	rig_expect(g, "Lovelace", SPAN_VALUE, "customers.customer_name=Ada Lovelace");
	grounding_free(g);
	expect_kind(&plain, "customers called lovelace", "lovelace", SPAN_UNKNOWN);
	expect_kind(&plain, "customers with a chair", "chair", SPAN_UNKNOWN);
}

static void test_a_misspelt_value_is_found_when_only_one_is_near(void **state)
{
	struct grounding *g = rig_ground(&plain, "customers in Framce");
	const struct grounding_span *s = rig_span(g, "Framce");

	(void)state;
	rig_expect(g, "Framce", SPAN_VALUE, "customers.country=France");
	assert_int_equal(s->targets[0].how, HOW_FUZZY);
	grounding_free(g);
	expect_kind(&plain, "customers in Atlantis", "Atlantis", SPAN_UNKNOWN);
	/* A country of its own, and a word in lower case. */
	expect_kind(&plain, "customers in Chile", "Chile", SPAN_UNKNOWN);
	expect_kind(&plain, "customers in framce", "framce", SPAN_UNKNOWN);
}

static void test_verbs_that_choose_rows_are_not_without_content(void **state)
{
	(void)state;
	expect_kind(&plain, "How many orders were delivered?", "delivered", SPAN_UNKNOWN);
	expect_kind(&plain, "orders that were lost", "lost", SPAN_UNKNOWN);
	expect_kind(&plain, "drop table customers", "drop", SPAN_UNKNOWN);
	expect_kind(&plain, "who is our best customer", "best", SPAN_UNKNOWN);
	expect_kind(&plain, "customers that appear twice", "twice", SPAN_UNKNOWN);
	expect_kind(&plain, "select * from customers", "*", SPAN_UNKNOWN);
}

static void test_deeds_name_tables_and_placing_an_order_says_nothing(void **state)
{
	struct grounding *g = rig_ground(&plain, "customers who never ordered");

	(void)state;
	rig_expect(g, "ordered", SPAN_TABLE, "orders");
	grounding_free(g);
	g = rig_ground(&plain, "customers ordered by age");
	rig_expect_cue(g, "ordered by", CUE_SORT, 0);
	grounding_free(g);
	expect_kind(&plain, "orders placed by Ada Lovelace", "placed", SPAN_STOP);
	expect_kind(&plain, "products placed by Ada Lovelace", "placed", SPAN_UNKNOWN);
}

static void test_a_word_beside_a_period_chooses_its_time(void **state)
{
	struct grounding *g = rig_ground(&plain, "customers born after 1980");

	(void)state;
	assert_string_equal(rig_target(g, rig_span(g, "after 1980"), 0), "customers.birth_date");
	assert_int_equal(rig_span(g, "born")->kind, SPAN_STOP);
	grounding_free(g);
	/* There is no time of release: another time must not answer for it. */
	expect_kind(&plain, "orders released after 1980", "released", SPAN_UNKNOWN);
}

static void test_months_without_a_year_and_ranks_are_unknown(void **state)
{
	(void)state;
	expect_kind(&plain, "orders in April", "April", SPAN_UNKNOWN);
	expect_kind(&plain, "orders in May", "May", SPAN_UNKNOWN);
	expect_kind(&plain, "orders in April 2023", "April 2023", SPAN_PERIOD);
	expect_kind(&modelled, "4月的订单", "4月", SPAN_UNKNOWN);
	expect_kind(&modelled, "2023年4月的订单", "2023年4月", SPAN_PERIOD);
	expect_kind(&modelled, "订单金额第二高的客户", "第二高", SPAN_UNKNOWN);
	expect_kind(&plain, "the second oldest customer", "second", SPAN_UNKNOWN);
}

static void test_the_grain_of_each_month_is_said(void **state)
{
	struct grounding *g = rig_ground(&plain, "Number of orders per month");

	(void)state;
	rig_expect_cue(g, "per month", CUE_TREND, GRAIN_MONTH + 1);
	assert_string_equal(rig_target(g, rig_span(g, "per month"), 0), "orders.order_date");
	grounding_free(g);
	g = rig_ground(&modelled, "每个季度的订单数");
	rig_expect_cue(g, "每个季度", CUE_TREND, GRAIN_QUARTER + 1);
	rig_expect_cue(g, "数", CUE_COUNT, 0);
	grounding_free(g);
	g = rig_ground(&modelled, "各年订单金额");
	rig_expect_cue(g, "各年", CUE_TREND, GRAIN_YEAR + 1);
	grounding_free(g);
	g = rig_ground(&plain, "amount of orders over time");
	rig_expect_cue(g, "over time", CUE_TREND, 0);
	grounding_free(g);
}

static void test_signs_compare_and_join(void **state)
{
	struct grounding *g = rig_ground(&plain, "orders with amount >= 100");

	(void)state;
	rig_expect_cue(g, ">=", CUE_GE, 0);
	grounding_free(g);
	g = rig_ground(&plain, "orders with amount 10-100 euros");
	rig_expect_cue(g, "-", CUE_FOR, 0);
	grounding_free(g);
}

static void test_invisible_characters_cut_no_word(void **state)
{
	struct grounding *g = rig_ground(&plain, "cust\u200bomers in Fr\u202eance");

	(void)state;
	rig_expect(g, "cust\u200bomers", SPAN_TABLE, "customers");
	rig_expect(g, "Fr\u202eance", SPAN_VALUE, "customers.country=France");
	grounding_free(g);
}

static void test_a_measure_word_counts_its_things_where_no_table_is_said(void **state)
{
	struct grounding *g = rig_ground(&modelled, "年龄大于30的有几位");

	(void)state;
	rig_expect_cue(g, "有几", CUE_COUNT, 0);
	rig_expect(g, "位", SPAN_TABLE, "customers");
	grounding_free(g);
	g = rig_ground(&modelled, "年龄大于30的客户有几位");
	rig_expect_cue(g, "有几位", CUE_COUNT, 0);
	grounding_free(g);
}

static void test_tables_say_in_the_language_of_the_question_why(void **state)
{
	struct grounding *g = rig_ground(&modelled, "年龄最大的是谁");

	(void)state;
	assert_string_equal(g->tables[0].why, "含有年龄");
	grounding_free(g);
	g = rig_ground(&plain, "What is the status and amount?");
	assert_string_equal(g->tables[0].why, "has status, amount");
	grounding_free(g);
}

static void test_a_view_stands_behind_its_table(void **state)
{
	struct catalog *c = rig_catalog();
	struct rig r = {.catalog = c};
	struct catalog_table *view = RIG_TABLE(c, "customer_sums", {"customer_id", "INTEGER", {0}},
	    {"customer_name", "TEXT", {"Ada Lovelace"}}, {"amount", "REAL", {0}});
	struct grounding *g;

	(void)state;
	view->kind = CATALOG_VIEW;
	rig_relation(c, "orders", "customer_id", "customer_sums");
	r.index = ground_index_new(c, NULL);
	g = rig_ground(&r, "amount of Ada Lovelace");
	rig_expect(g, "amount", SPAN_COLUMN, "orders.amount");
	rig_expect(g, "Ada Lovelace", SPAN_VALUE, "customers.customer_name=Ada Lovelace");
	assert_int_equal(rig_span(g, "Ada Lovelace")->n_targets, 1);
	assert_int_equal(g->catalog->n_relations, 3);
	grounding_free(g);
	g = rig_ground(&r, "amount of customer sums");
	rig_expect(g, "customer sums", SPAN_TABLE, "customer_sums");
	assert_int_equal(g->catalog->n_relations, 4);
	grounding_free(g);
	rig_close(&r);
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
	    cmocka_unit_test(test_a_plain_word_is_no_part_of_a_longer_value),
	    cmocka_unit_test(test_a_misspelt_value_is_found_when_only_one_is_near),
	    cmocka_unit_test(test_verbs_that_choose_rows_are_not_without_content),
	    cmocka_unit_test(test_deeds_name_tables_and_placing_an_order_says_nothing),
	    cmocka_unit_test(test_a_word_beside_a_period_chooses_its_time),
	    cmocka_unit_test(test_months_without_a_year_and_ranks_are_unknown),
	    cmocka_unit_test(test_the_grain_of_each_month_is_said),
	    cmocka_unit_test(test_signs_compare_and_join),
	    cmocka_unit_test(test_invisible_characters_cut_no_word),
	    cmocka_unit_test(test_a_measure_word_counts_its_things_where_no_table_is_said),
	    cmocka_unit_test(test_tables_say_in_the_language_of_the_question_why),
	    cmocka_unit_test(test_a_view_stands_behind_its_table),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
