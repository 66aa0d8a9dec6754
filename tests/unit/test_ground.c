/* Groundings end to end on a small shop, English and Chinese. */

#include "tests/unit/ground_rig.h"

static struct rig plain, modelled;

static void test_names_tables_columns_and_values(void **state)
{
	struct grounding *g = rig_ground(
	    &plain, "How many orders of customers from France have status shipped?");

	(void)state;
	rig_expect_cue(g, "How many", CUE_COUNT, 0);
	rig_expect(g, "orders", SPAN_TABLE, "orders");
	rig_expect(g, "customers", SPAN_TABLE, "customers");
	rig_expect(g, "France", SPAN_VALUE, "customers.country=France");
	rig_expect(g, "status", SPAN_COLUMN, "orders.status");
	rig_expect(g, "shipped", SPAN_VALUE, "orders.status=shipped");
	assert_int_equal(g->missing.n, 0);
	assert_true(g->sufficient);
	assert_int_equal(g->lang, LANG_EN);
	grounding_free(g);
}

static void test_keeps_spans_in_order_without_overlap(void **state)
{
	struct grounding *g = rig_ground(
	    &modelled, "客户\"Ada Lovelace\"在2023年的订单金额大于500且小于1000元的有哪些");
	size_t i;

	(void)state;
	for (i = 1; i < g->n_spans; i++)
		assert_true(g->spans[i].start >= g->spans[i - 1].start + g->spans[i - 1].len);
	assert_int_equal(g->lang, LANG_ZH);
	assert_int_equal(g->n_quantities, 2);
	assert_string_equal(g->quantities[1].base, "元");
	rig_expect(g, "\"Ada Lovelace\"", SPAN_VALUE, "customers.customer_name=Ada Lovelace");
	assert_true(rig_span(g, "\"Ada Lovelace\"")->in_quotes);
	rig_expect(g, "订单金额", SPAN_COLUMN, "orders.amount");
	rig_expect(g, "2023年", SPAN_PERIOD, "orders.order_date");
	grounding_free(g);
}

static void test_sub_catalog_stands_alone(void **state)
{
	struct grounding *g = rig_ground(&modelled, "amount of orders per country");
	size_t i, k;

	(void)state;
	for (i = 0; i < g->catalog->n_relations; i++) {
		const struct catalog_relation *r = &g->catalog->relations[i];

		assert_true(
		    r->from_table < g->catalog->n_tables && r->to_table < g->catalog->n_tables);
		for (k = 0; k < r->n_columns; k++)
			assert_true(
			    r->from_columns[k] < g->catalog->tables[r->from_table].n_columns);
	}
	assert_int_equal(g->n_tables, g->catalog->n_tables);
	assert_int_equal(g->n_tables_searched, 4);
	assert_non_null(semantic_field_of(
	    g->semantic, g->catalog, (uint32_t)catalog_find_table(g->catalog, "orders"), 3));
	grounding_free(g);
}

static void test_says_what_is_missing_and_near(void **state)
{
	struct grounding *g = rig_ground(
	    &modelled, "How many staff does the customer Ada Lovelace have?");

	(void)state;
	assert_int_equal(rig_span(g, "staff")->kind, SPAN_UNKNOWN);
	assert_int_equal(g->missing.n, 1);
	assert_string_equal(g->missing.items[0], "staff");
	assert_int_equal(g->near.n, 1);
	assert_non_null(strstr(g->near.items[0], "products"));
	grounding_free(g);
}

static void test_is_insufficient_where_nothing_fits(void **state)
{
	struct grounding *g = rig_ground(&plain, "What is the weather like on Mars?");

	(void)state;
	assert_false(g->sufficient);
	grounding_free(g);
}

static void test_sets_traps_aside_unless_named(void **state)
{
	struct grounding *g = rig_ground(&modelled, "total amount of orders");

	(void)state;
	assert_false(rig_has_table(g, "orders_bak"));
	grounding_free(g);
	g = rig_ground(&modelled, "total amount in orders_bak");
	assert_true(rig_has_table(g, "orders_bak"));
	assert_int_equal(g->tables[0].literal, true);
	assert_string_equal(g->catalog->tables[g->tables[0].table].name, "orders_bak");
	assert_int_equal(semantic_dataset_of(g->semantic, g->catalog, g->tables[0].table)->status,
	    SEMANTIC_TRAP);
	grounding_free(g);
}

static void test_lists_variants_that_nothing_decides(void **state)
{
	struct grounding *g = rig_ground(&modelled, "2023年的成交额是多少");

	(void)state;
	assert_int_equal(g->n_ambiguities, 1);
	assert_int_equal(g->ambiguities[0].options.n, 2);
	assert_int_equal(rig_span(g, "成交额")->n_targets, 2);
	assert_ptr_equal(&g->spans[g->ambiguities[0].span], rig_span(g, "成交额"));
	grounding_free(g);
	g = rig_ground(&modelled, "2023年对外的成交额是多少");
	assert_int_equal(g->n_ambiguities, 0);
	rig_expect(g, "成交额", SPAN_METRIC, "metric gmv");
	assert_int_equal(rig_span(g, "对外")->kind, SPAN_STOP);
	grounding_free(g);
	g = rig_ground(&modelled, "平均客单价");
	rig_expect(g, "客单价", SPAN_COLUMN, "orders.amount");
	grounding_free(g);
}

static void test_narrows_to_the_tables_asked_for(void **state)
{
	const char *const only[] = {"products"}, *const wrong[] = {"nothing"};
	struct grounding *g = rig_ground_with(&plain, "names of customers",
	    (struct ground_options){.only_tables = only, .n_only = 1});
	struct ground_options o = {.today = "2026-11-30", .only_tables = wrong, .n_only = 1};
	struct err e = ERR_INIT;

	(void)state;
	assert_false(rig_has_table(g, "customers"));
	grounding_free(g);
	assert_int_equal(ground_question(plain.index, "x y", &o, &g, NULL, &e), ERR_UNKNOWN_TABLE);
}

static void test_refuses_bad_input(void **state)
{
	struct ground_options o = {.today = "2026-11-30"};
	struct grounding *g = NULL;
	struct err e = ERR_INIT;
	char big[5000];

	(void)state;
	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	assert_int_equal(ground_question(plain.index, "", &o, &g, NULL, &e), ERR_BAD_INPUT);
	assert_int_equal(ground_question(plain.index, " ?! ", &o, &g, NULL, &e), ERR_BAD_INPUT);
	assert_int_equal(ground_question(plain.index, "a\xff", &o, &g, NULL, &e), ERR_BAD_INPUT);
	assert_int_equal(ground_question(plain.index, big, &o, &g, NULL, &e), ERR_TOO_LARGE);
	big[4096] = '\0';
	assert_int_equal(ground_question(plain.index, big, &o, &g, NULL, &e), 0);
	grounding_free(g);
	o.today = "soon";
	assert_int_equal(ground_question(plain.index, "orders", &o, &g, NULL, &e), ERR_BAD_INPUT);
}

static void test_asks_once_for_values_of_incomplete_columns(void **state)
{
	struct ground_value_hit hit = {.span = "Grace Hopper", .table = 0, .column = 1};
	struct ground_options o = {.today = "2026-11-30"};
	struct semantic_names need;
	struct grounding *g = NULL;
	struct err e = ERR_INIT;
	struct rig r;

	(void)state;
	rig_open(&r, false);
	r.catalog->tables[0].columns[1].domain_complete = false;
	ground_index_free(r.index);
	r.index = ground_index_new(r.catalog, NULL);
	assert_int_equal(ground_question(r.index, "orders of Grace Hopper", &o, &g, &need, &e), 0);
	assert_true(need.n >= 1);
	assert_string_equal(need.items[0], "Grace Hopper");
	grounding_free(g);
	hit.value = (struct value){.type = VALUE_TEXT, .text = "Grace Hopper", .len = 12};
	o.hits = &hit;
	o.n_hits = 1;
	o.values_done = true;
	assert_int_equal(ground_question(r.index, "orders of Grace Hopper", &o, &g, &need, &e), 0);
	assert_int_equal(need.n, 0);
	rig_expect(g, "Grace Hopper", SPAN_VALUE, "customers.customer_name=Grace Hopper");
	grounding_free(g);
	rig_close(&r);
}

static void test_gives_the_same_result_twice(void **state)
{
	const char *question =
	    "orders of customers in the United States after 2010 with amount over 1 million yuan";
	struct grounding *a = rig_ground(&plain, question), *b = rig_ground(&plain, question);
	size_t i, k;

	(void)state;
	assert_int_equal(a->n_spans, b->n_spans);
	for (i = 0; i < a->n_spans; i++) {
		assert_int_equal(a->spans[i].n_targets, b->spans[i].n_targets);
		for (k = 0; k < a->spans[i].n_targets; k++) {
			assert_int_equal(
			    a->spans[i].targets[k].table, b->spans[i].targets[k].table);
			assert_int_equal(
			    a->spans[i].targets[k].column, b->spans[i].targets[k].column);
			assert_true(a->spans[i].targets[k].score == b->spans[i].targets[k].score);
		}
	}
	grounding_free(a);
	grounding_free(b);
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
	    cmocka_unit_test(test_names_tables_columns_and_values),
	    cmocka_unit_test(test_keeps_spans_in_order_without_overlap),
	    cmocka_unit_test(test_sub_catalog_stands_alone),
	    cmocka_unit_test(test_says_what_is_missing_and_near),
	    cmocka_unit_test(test_is_insufficient_where_nothing_fits),
	    cmocka_unit_test(test_sets_traps_aside_unless_named),
	    cmocka_unit_test(test_lists_variants_that_nothing_decides),
	    cmocka_unit_test(test_narrows_to_the_tables_asked_for),
	    cmocka_unit_test(test_refuses_bad_input),
	    cmocka_unit_test(test_asks_once_for_values_of_incomplete_columns),
	    cmocka_unit_test(test_gives_the_same_result_twice),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
