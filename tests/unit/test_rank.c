/* Which tables come into the context, and in what order. */
#include "tests/unit/ground_rig.h"

/* A warehouse of 40 tables in which a few matter. */
static struct rig wide;

static void open_wide(void)
{
	struct catalog *c = rig_catalog();
	size_t i;

	for (i = 0; i < 35; i++)
		RIG_TABLE(c, arena_printf(&c->arena, "log_%zu", i), {"id", "INTEGER", {0}},
		    {"machine", "TEXT", {"m1"}}, {"message", "TEXT", {"boot"}});
	wide.catalog = c;
	wide.index = ground_index_new(c, NULL);
}

static void test_ranks_by_names_and_values(void **state)
{
	struct grounding *g = rig_ground(&wide, "countries of customers");

	(void)state;
	assert_string_equal(g->catalog->tables[0].name, "customers");
	assert_true(g->tables[0].score > 0.5f && g->tables[0].score_keyword > 0.9f);
	assert_true(g->n_tables <= 16);
	assert_int_equal(g->n_tables_searched, 40);
	grounding_free(g);
	g = rig_ground(&wide, "everything about Ada Lovelace");
	assert_string_equal(g->catalog->tables[0].name, "customers");
	grounding_free(g);
}

static void test_scores_lie_between_0_and_1(void **state)
{
	struct grounding *g = rig_ground(
	    &wide, "customers customers orders amount amount log machine message");
	size_t i;

	(void)state;
	for (i = 0; i < g->n_tables; i++) {
		assert_true(g->tables[i].score >= 0 && g->tables[i].score <= 1);
		assert_true(g->tables[i].score_vector >= 0 && g->tables[i].score_vector <= 1);
		assert_true(g->tables[i].score_keyword >= 0 && g->tables[i].score_keyword <= 1);
		assert_int_equal(g->tables[i].table, i);
	}
	grounding_free(g);
}

static void test_alpha_weighs_the_two_scores(void **state)
{
	struct grounding *g = rig_ground_with(
	    &wide, "customers", (struct ground_options){.alpha = 1.0});

	(void)state;
	assert_true(g->tables[0].score == g->tables[0].score_vector);
	grounding_free(g);
}

static void test_literal_tables_are_kept_beyond_the_limit(void **state)
{
	struct grounding *g = rig_ground_with(&wide,
	    "compare log_3, log_17 and log_30 with products",
	    (struct ground_options){.max_tables = 1});

	(void)state;
	assert_true(
	    rig_has_table(g, "log_3") && rig_has_table(g, "log_17") && rig_has_table(g, "log_30"));
	assert_true(g->tables[0].literal && g->tables[1].literal && g->tables[2].literal);
	grounding_free(g);
}

static void test_a_name_inside_a_longer_name_is_not_literal(void **state)
{
	struct grounding *g = rig_ground(&wide, "rows of log_30");
	size_t i;

	(void)state;
	for (i = 0; i < g->n_tables; i++)
		if (!strcmp(g->catalog->tables[i].name, "log_3"))
			assert_false(g->tables[i].literal);
	grounding_free(g);
	g = rig_ground(&wide, "quantity in order_items");
	for (i = 0; i < g->n_tables; i++)
		if (!strcmp(g->catalog->tables[i].name, "orders"))
			assert_false(g->tables[i].literal);
	assert_true(g->tables[0].literal);
	assert_string_equal(g->catalog->tables[0].name, "order_items");
	grounding_free(g);
}

static void test_bridges_connect_what_was_picked(void **state)
{
	struct grounding *g = rig_ground_with(&wide, "Which customers bought the Red Chair?",
	    (struct ground_options){.max_tables = 2});
	size_t i;
	bool bridge = false;

	(void)state;
	assert_true(rig_has_table(g, "customers") && rig_has_table(g, "products"));
	assert_true(rig_has_table(g, "orders") && rig_has_table(g, "order_items"));
	for (i = 0; i < g->n_tables; i++)
		if (g->tables[i].by_relation)
			bridge |= strstr(g->tables[i].why, "between") ||
			    strstr(g->tables[i].why, "joins");
	assert_true(bridge);
	grounding_free(g);
}

static void test_neighbours_come_behind_and_are_labelled(void **state)
{
	struct grounding *g = rig_ground_with(
	    &wide, "red or blue colour", (struct ground_options){.max_tables = 1});
	size_t i;

	(void)state;
	assert_string_equal(g->catalog->tables[0].name, "products");
	for (i = 0; i < g->n_tables; i++)
		if (!strcmp(g->catalog->tables[i].name, "order_items"))
			break;
	assert_true(i < g->n_tables && g->tables[i].by_relation);
	assert_string_equal(g->tables[i].why, "related to products");
	grounding_free(g);
}

static void test_floor_decides_sufficiency(void **state)
{
	struct grounding *g = rig_ground_with(&wide,
	    "colour of paint and of the evening sky in winter",
	    (struct ground_options){.floor = 0.9});

	(void)state;
	assert_false(g->sufficient);
	grounding_free(g);
	g = rig_ground(&wide, "colour of paint and of the evening sky in winter");
	assert_true(g->sufficient);
	grounding_free(g);
}

static void test_search_lists_tables_before_their_columns(void **state)
{
	struct ground_search_hit *hits;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	size_t n, i;

	(void)state;
	assert_int_equal(ground_search(wide.index, "customers country", 5, &a, &hits, &n, &e), 0);
	assert_true(n >= 2 && n <= 5);
	assert_int_equal(hits[0].table, 0);
	assert_int_equal(hits[0].column, TARGET_NONE);
	for (i = 1; i < n; i++)
		assert_true(hits[i].score <= hits[i - 1].score);
	assert_int_equal(ground_search(wide.index, "", 5, &a, &hits, &n, &e), ERR_BAD_INPUT);
	arena_done(&a);
}

static int set_up(void **state)
{
	(void)state;
	open_wide();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rig_close(&wide);
	return 0;
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ranks_by_names_and_values),
	    cmocka_unit_test(test_scores_lie_between_0_and_1),
	    cmocka_unit_test(test_alpha_weighs_the_two_scores),
	    cmocka_unit_test(test_literal_tables_are_kept_beyond_the_limit),
	    cmocka_unit_test(test_a_name_inside_a_longer_name_is_not_literal),
	    cmocka_unit_test(test_bridges_connect_what_was_picked),
	    cmocka_unit_test(test_neighbours_come_behind_and_are_labelled),
	    cmocka_unit_test(test_floor_decides_sufficiency),
	    cmocka_unit_test(test_search_lists_tables_before_their_columns),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
