/* What the role pass makes of the items: outputs, order, conditions, groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/compose_kit.h"

static const struct ir *read_ir(struct kit *k)
{
	kit_read(k);
	return k->roles.ir;
}

static void test_projects_each_aggregate_before_a_column(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "minimum", CUE_MIN, 0);
	kit_cue(&k, "and", CUE_AND, 0);
	kit_cue(&k, "maximum", CUE_MAX, 0);
	kit_column(&k, "age", "singer.age");
	ir = read_ir(&k);
	assert_int_equal(ir->n_outputs, 2);
	assert_int_equal(ir->outputs[0].aggregate, IR_MIN);
	assert_int_equal(ir->outputs[1].aggregate, IR_MAX);
	kit_close(&k);
}

static void test_asks_the_extreme_itself_where_nothing_else_is_asked(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "What is", CUE_WHICH, 0);
	kit_cue(&k, "highest", CUE_MOST, 0);
	kit_column(&k, "capacity", "stadium.capacity");
	ir = read_ir(&k);
	assert_int_equal(ir->n_outputs, 1);
	assert_int_equal(ir->outputs[0].aggregate, IR_MAX);
	assert_int_equal(ir->limit, 0);
	kit_close(&k);
}

static void test_orders_by_the_extreme_where_something_else_is_asked(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "Which", CUE_WHICH, 0);
	kit_table(&k, "stadium", "stadium");
	kit_cue(&k, "has", CUE_WITH, 0);
	kit_cue(&k, "lowest", CUE_LEAST, 0);
	kit_column(&k, "capacity", "stadium.capacity");
	ir = read_ir(&k);
	assert_int_equal(ir->n_order, 1);
	assert_false(ir->order[0].desc);
	assert_int_equal(ir->limit, 1);
	assert_true(ir->outputs[0].is_default);
	kit_close(&k);
}

static void test_reads_most_of_a_table_as_most_rows(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "Which", CUE_WHICH, 0);
	kit_table(&k, "stadium", "stadium");
	kit_cue(&k, "the most", CUE_MOST, 0);
	kit_table(&k, "concerts", "concert");
	ir = read_ir(&k);
	assert_int_equal(ir->order[0].term.kind, IR_ROWS);
	assert_int_equal(ir->order[0].term.table, kit_table_index(&k, "concert"));
	assert_true(ir->n_groups == 1 && ir->groups[0].by_key);
	kit_close(&k);
}

static void test_keeps_the_number_of_a_top_list(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "top 3", CUE_TOP, 3);
	kit_table(&k, "stadiums", "stadium");
	kit_cue(&k, "by", CUE_BY, 0);
	kit_column(&k, "capacity", "stadium.capacity");
	ir = read_ir(&k);
	assert_int_equal(ir->limit, 3);
	assert_true(ir->order[0].desc);
	kit_close(&k);
}

static void test_reads_a_comparison_of_rows_as_having(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "stadiums", "stadium");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_cue(&k, "at least", CUE_GE, 0);
	kit_number(&k, "two", 2, 0, "", 0);
	kit_table(&k, "concerts", "concert");
	ir = read_ir(&k);
	assert_int_equal(ir->n_having, 1);
	assert_int_equal(ir->having[0].test, IR_GE);
	assert_string_equal(ir->having[0].low.text, "2");
	kit_close(&k);
}

static void test_reads_a_column_beside_its_value_as_a_condition(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_column(&k, "names", "singer.name");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_column(&k, "country", "singer.country");
	kit_value(&k, "France", "singer.country", "France");
	ir = read_ir(&k);
	assert_int_equal(ir->n_outputs, 1);
	assert_int_equal(ir->n_conditions, 1);
	kit_close(&k);
}

static void test_turns_a_yes_no_column_in_a_filter_into_yes(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "How many", CUE_COUNT, 0);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "that", CUE_THAT, 0);
	kit_column(&k, "male", "singer.is_male");
	ir = read_ir(&k);
	assert_string_equal(ir->conditions[0].low.text, "T");
	kit_close(&k);
}

static void test_sorts_in_the_direction_that_is_said(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_column(&k, "names", "singer.name");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "sorted by", CUE_SORT, 0);
	kit_column(&k, "age", "singer.age");
	kit_cue(&k, "in descending order", CUE_DESC, 0);
	ir = read_ir(&k);
	assert_int_equal(ir->n_order, 1);
	assert_true(ir->order[0].desc);
	assert_int_equal(ir->n_outputs, 1);
	kit_close(&k);
}

static void test_drops_each_where_nothing_is_added_up(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_column(&k, "age", "singer.age");
	kit_cue(&k, "of each", CUE_EACH, 0);
	kit_table(&k, "singer", "singer");
	ir = read_ir(&k);
	assert_int_equal(ir->n_groups, 0);
	kit_close(&k);
}

/* 净利润最高的公司: the superlative stands behind its column */
static void test_reads_a_chinese_superlative_behind_its_column(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_column(&k, "净利润", "financials.net_profit");
	kit_cue(&k, "最高", CUE_MOST, 0);
	kit_cue(&k, "的", CUE_OF, 0);
	kit_table(&k, "公司", "companies");
	ir = read_ir(&k);
	assert_int_equal(ir->entity, kit_table_index(&k, "companies"));
	assert_int_equal(ir->n_order, 1);
	assert_int_equal(ir->n_outputs, 1);
	kit_close(&k);
}

/* 营业收入总和, 公司有多少家: aggregate and count stand behind */
static void test_reads_chinese_aggregates_and_counts_from_behind(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_column(&k, "营业收入", "financials.revenue");
	kit_cue(&k, "总和", CUE_SUM, 0);
	ir = read_ir(&k);
	assert_int_equal(ir->outputs[0].aggregate, IR_SUM);
	kit_close(&k);
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_table(&k, "公司", "companies");
	kit_cue(&k, "有多少家", CUE_COUNT, 0);
	ir = read_ir(&k);
	assert_int_equal(ir->outputs[0].kind, IR_ROWS);
	kit_close(&k);
}

/* "P's revenue and net profit": a value between does not hide the second */
static void test_shows_both_measures_of_a_named_row(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_energy);
	kit_value(&k, "P", "companies.name", "P");
	kit_cue(&k, "'s", CUE_OF, 0);
	kit_column(&k, "revenue", "financials.revenue");
	kit_cue(&k, "and", CUE_AND, 0);
	kit_column(&k, "net profit", "financials.net_profit");
	ir = read_ir(&k);
	assert_int_equal(ir->n_outputs, 2);
	kit_close(&k);
}

/* 中国 is a part of several names: none of them alone is meant */
static void test_reads_a_part_of_several_values_as_a_pattern(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "from", CUE_FOR, 0);
	kit_value(&k, "an", "singer.name", "Ann");
	kit_or_column(&k, "singer.name", 1);
	k.g->spans[2].targets[1].value = k.g->spans[2].targets[0].value;
	k.g->spans[2].targets[0].how = k.g->spans[2].targets[1].how = HOW_STORED_PARTIAL;
	ir = read_ir(&k);
	assert_int_equal(ir->conditions[0].test, IR_LIKE);
	assert_string_equal(ir->conditions[0].low.text, "%an%");
	kit_close(&k);
}

/* 生产原油的公司有哪些: the table behind 的 is who is asked for */
static void test_takes_the_last_table_of_a_chinese_phrase_as_its_head(void **state)
{
	struct kit k;
	const struct ir *ir;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_table(&k, "生产", "production");
	kit_value(&k, "原油", "production.product", "oil");
	kit_cue(&k, "的", CUE_OF, 0);
	kit_table(&k, "公司", "companies");
	kit_cue(&k, "有哪些", CUE_WHICH, 0);
	ir = read_ir(&k);
	assert_int_equal(ir->entity, kit_table_index(&k, "companies"));
	assert_int_equal(ir->outputs[0].table, kit_table_index(&k, "companies"));
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_projects_each_aggregate_before_a_column),
	    cmocka_unit_test(test_asks_the_extreme_itself_where_nothing_else_is_asked),
	    cmocka_unit_test(test_orders_by_the_extreme_where_something_else_is_asked),
	    cmocka_unit_test(test_reads_most_of_a_table_as_most_rows),
	    cmocka_unit_test(test_keeps_the_number_of_a_top_list),
	    cmocka_unit_test(test_reads_a_comparison_of_rows_as_having),
	    cmocka_unit_test(test_reads_a_column_beside_its_value_as_a_condition),
	    cmocka_unit_test(test_turns_a_yes_no_column_in_a_filter_into_yes),
	    cmocka_unit_test(test_sorts_in_the_direction_that_is_said),
	    cmocka_unit_test(test_drops_each_where_nothing_is_added_up),
	    cmocka_unit_test(test_reads_a_chinese_superlative_behind_its_column),
	    cmocka_unit_test(test_reads_chinese_aggregates_and_counts_from_behind),
	    cmocka_unit_test(test_shows_both_measures_of_a_named_row),
	    cmocka_unit_test(test_reads_a_part_of_several_values_as_a_pattern),
	    cmocka_unit_test(test_takes_the_last_table_of_a_chinese_phrase_as_its_head),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
