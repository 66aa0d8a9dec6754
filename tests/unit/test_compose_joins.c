/* The join tree: bridges, repeated rows, parallel foreign keys, what cannot be joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sql_agent/compose/joins.h"
#include "tests/lib/compose_kit.h"

static struct view *open_view(struct kit *k, const char *ddl)
{
	kit_open(k, ddl);
	k->g->question = k->question.data;
	return view_new(&k->arena, k->g);
}

static void test_finds_the_bridge_between_two_tables(void **state)
{
	struct kit k;
	struct view *v = open_view(&k, kit_music);
	struct join_want wants[] = {
	    {kit_table_index(&k, "singer"), IR_NONE}, {kit_table_index(&k, "concert"), IR_NONE}};
	struct join_tree t;

	(void)state;
	assert_int_equal(join_build(&k.arena, v, wants, 2, &t, NULL), 0);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.nodes[1].table, kit_table_index(&k, "singer_in_concert"));
	assert_int_equal(t.nodes[2].parent, 1);
	kit_close(&k);
}

static void test_tells_where_rows_are_repeated(void **state)
{
	struct kit k;
	struct view *v = open_view(&k, kit_music);
	struct join_want wants[] = {
	    {kit_table_index(&k, "song"), IR_NONE}, {kit_table_index(&k, "singer"), IR_NONE}};
	struct join_tree t;

	(void)state;
	assert_int_equal(join_build(&k.arena, v, wants, 2, &t, NULL), 0);
	assert_false(join_multiplies(v, &t, 0));
	assert_true(join_multiplies(v, &t, 1));
	kit_close(&k);
}

static void test_refuses_tables_that_nothing_connects(void **state)
{
	struct kit k;
	struct view *v = open_view(&k,
	    "CREATE TABLE a (x INTEGER PRIMARY KEY, p TEXT); CREATE TABLE b (y INTEGER PRIMARY KEY, q TEXT);");
	struct join_want wants[] = {{0, IR_NONE}, {1, IR_NONE}};
	struct join_tree t;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(join_build(&k.arena, v, wants, 2, &t, &e), ERR_UNANSWERABLE);
	assert_int_equal(e.phase, PHASE_GENERATE);
	kit_close(&k);
}

static const char flights[] =
    "CREATE TABLE airport (code TEXT PRIMARY KEY, city TEXT);"
    "CREATE TABLE flight (no INTEGER PRIMARY KEY, source_airport TEXT REFERENCES airport(code),"
    " dest_airport TEXT REFERENCES airport(code));";

static void test_takes_the_foreign_key_that_the_question_speaks_of(void **state)
{
	struct kit k;
	struct view *v;
	struct join_want wants[] = {{0, IR_NONE}, {1, IR_NONE}};
	struct join_tree t;

	(void)state;
	kit_open(&k, flights);
	kit_text(&k, "flights arriving to Oslo");
	k.g->question = k.question.data;
	v = view_new(&k.arena, k.g);
	assert_int_equal(join_build(&k.arena, v, wants, 2, &t, NULL), 0);
	assert_string_equal(
	    k.g->catalog->tables[kit_table_index(&k, "flight")]
	        .columns[k.g->catalog->relations[t.nodes[1].relation].from_columns[0]]
	        .name,
	    "dest_airport");
	assert_false(t.ambiguous);
	kit_close(&k);
}

static void test_says_that_parallel_foreign_keys_are_ambiguous(void **state)
{
	struct kit k;
	struct view *v = open_view(&k, flights);
	struct join_want wants[] = {{0, IR_NONE}, {1, IR_NONE}};
	struct join_tree t;

	(void)state;
	assert_int_equal(join_build(&k.arena, v, wants, 2, &t, NULL), 0);
	assert_true(t.ambiguous);
	kit_close(&k);
}

static void test_joins_a_table_twice_where_two_relations_are_wanted(void **state)
{
	struct kit k;
	struct view *v = open_view(&k, flights);
	uint32_t airport = kit_table_index(&k, "airport");
	struct join_want wants[] = {{airport, 0}, {airport, 1}};
	struct join_tree t;

	(void)state;
	assert_int_equal(join_build(&k.arena, v, wants, 2, &t, NULL), 0);
	assert_int_equal(t.n, 3);
	assert_non_null(t.nodes[1].alias);
	assert_string_not_equal(t.nodes[1].alias, t.nodes[2].alias);
	assert_int_not_equal(join_find(&t, airport, 0), join_find(&t, airport, 1));
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_finds_the_bridge_between_two_tables),
	    cmocka_unit_test(test_tells_where_rows_are_repeated),
	    cmocka_unit_test(test_refuses_tables_that_nothing_connects),
	    cmocka_unit_test(test_takes_the_foreign_key_that_the_question_speaks_of),
	    cmocka_unit_test(test_says_that_parallel_foreign_keys_are_ambiguous),
	    cmocka_unit_test(test_joins_a_table_twice_where_two_relations_are_wanted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
