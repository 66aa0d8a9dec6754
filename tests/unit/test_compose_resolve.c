/* Which target a word takes, by what stands beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/compose_kit.h"

static void test_takes_the_column_of_the_table_beside_it(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_column(&k, "name", "singer.name");
	kit_or_column(&k, "stadium.name", 1);
	kit_cue(&k, "of", CUE_OF, 0);
	kit_table(&k, "stadiums", "stadium");
	kit_read(&k);
	assert_int_equal(k.items.list[0].table, kit_table_index(&k, "stadium"));
	kit_close(&k);
}

static void test_takes_the_column_of_the_table_before_it(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "stadium", "stadium");
	kit_cue(&k, "'s", CUE_OF, 0);
	kit_column(&k, "name", "singer.name");
	kit_or_column(&k, "stadium.name", 1);
	kit_read(&k);
	assert_int_equal(k.items.list[2].table, kit_table_index(&k, "stadium"));
	kit_close(&k);
}

static void test_spreads_a_list_of_columns_over_the_table_behind_it(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_column(&k, "name", "singer.name");
	kit_or_column(&k, "stadium.name", 1);
	kit_text(&k, ",");
	kit_column(&k, "city", "stadium.city");
	kit_cue(&k, "and", CUE_AND, 0);
	kit_column(&k, "capacity", "stadium.capacity");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_table(&k, "stadiums", "stadium");
	kit_read(&k);
	assert_int_equal(k.items.list[0].table, kit_table_index(&k, "stadium"));
	kit_close(&k);
}

static void test_prefers_a_number_beside_an_aggregate(void **state)
{
	struct kit k;
	uint32_t t;

	(void)state;
	kit_open(&k, kit_energy);
	kit_cue(&k, "average", CUE_AVG, 0);
	kit_column(&k, "figure", "financials.company_id");
	kit_or_column(&k, "financials.revenue", 0.9f);
	kit_read(&k);
	assert_int_equal(k.items.list[1].column, kit_column_index(&k, "financials.revenue", &t));
	kit_close(&k);
}

static void test_gives_a_period_to_the_measure_that_is_near(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	kit_years(&k, "2023", "2023-01-01", "2024-01-01", "production.year");
	kit_or_column(&k, "financials.year", 1);
	kit_column(&k, "net profit", "financials.net_profit");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_table(&k, "company", "companies");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_cue(&k, "highest", CUE_MOST, 0);
	kit_column(&k, "output", "production.amount");
	kit_read(&k);
	assert_int_equal(k.items.list[0].table, kit_table_index(&k, "financials"));
	kit_close(&k);
}

static void test_takes_the_value_of_the_column_beside_it(void **state)
{
	struct kit k;
	uint32_t t;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "stadiums", "stadium");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_column(&k, "city", "stadium.city");
	kit_value(&k, "Rome", "stadium.name", "Rome");
	kit_or_column(&k, "stadium.city", 1);
	k.g->spans[3].targets[1].value = k.g->spans[3].targets[0].value;
	kit_read(&k);
	assert_int_equal(k.items.list[3].column, kit_column_index(&k, "stadium.city", &t));
	kit_close(&k);
}

static void test_keeps_commas_and_sentence_ends_as_items(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "singers", "singer");
	kit_text(&k, ", ");
	kit_stop(&k, "their");
	kit_column(&k, "age", "singer.age");
	kit_text(&k, "? ");
	kit_cue(&k, "List", CUE_LIST, 0);
	kit_read(&k);
	assert_int_equal(k.items.list[1].kind, ITEM_COMMA);
	assert_true(k.items.list[2].owned);
	assert_int_equal(k.items.list[3].kind, ITEM_SENTENCE);
	assert_int_equal(k.items.n, 5);
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_takes_the_column_of_the_table_beside_it),
	    cmocka_unit_test(test_takes_the_column_of_the_table_before_it),
	    cmocka_unit_test(test_spreads_a_list_of_columns_over_the_table_behind_it),
	    cmocka_unit_test(test_prefers_a_number_beside_an_aggregate),
	    cmocka_unit_test(test_gives_a_period_to_the_measure_that_is_near),
	    cmocka_unit_test(test_takes_the_value_of_the_column_beside_it),
	    cmocka_unit_test(test_keeps_commas_and_sentence_ends_as_items),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
