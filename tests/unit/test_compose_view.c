/* What the composer reads off a catalog: names, keys, measures, times, distances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/compose_kit.h"

static struct view *open_view(struct kit *k, const char *ddl)
{
	kit_open(k, ddl);
	return view_new(&k->arena, k->g);
}

static void test_names_rows_by_their_name_column(void **state)
{
	struct kit k;
	struct view *v = open_view(&k, kit_music);
	uint32_t t, c = kit_column_index(&k, "concert.concert_name", &t);

	(void)state;
	assert_int_equal(v->tables[t].display[0], c);
	c = kit_column_index(&k, "song.title", &t);
	assert_int_equal(v->tables[t].display[0], c);
	kit_close(&k);
}

static void test_names_people_by_first_and_last_name(void **state)
{
	struct kit k;
	struct view *v = open_view(
	    &k, "CREATE TABLE p (id INTEGER PRIMARY KEY, lname TEXT, fname TEXT, sex TEXT);");

	(void)state;
	assert_int_equal(v->tables[0].n_display, 2);
	assert_int_equal(v->tables[0].display[0], 2);
	assert_int_equal(v->tables[0].display[1], 1);
	kit_close(&k);
}

static void test_tells_keys_years_and_measures_apart(void **state)
{
	struct kit k;
	struct view *v = open_view(&k, kit_music);
	uint32_t t, c = kit_column_index(&k, "concert.stadium_id", &t);

	(void)state;
	assert_true(view_column(v, t, c)->is_key);
	assert_false(view_column(v, t, c)->is_measure);
	c = kit_column_index(&k, "concert.year", &t);
	assert_int_equal(view_column(v, t, c)->time, VIEW_YEAR);
	assert_false(view_column(v, t, c)->is_measure);
	assert_int_equal(view_time_column(v, t), c);
	c = kit_column_index(&k, "stadium.capacity", &t);
	assert_true(view_column(v, t, c)->is_measure);
	kit_close(&k);
}

static void test_finds_yes_and_no_as_they_are_stored(void **state)
{
	struct kit k;
	struct view *v = open_view(&k, kit_music);
	uint32_t t, c = kit_column_index(&k, "singer.is_male", &t);

	(void)state;
	assert_string_equal(view_column(v, t, c)->yes, "T");
	assert_string_equal(view_column(v, t, c)->no, "F");
	c = kit_column_index(&k, "singer.country", &t);
	assert_null(view_column(v, t, c)->yes);
	kit_close(&k);
}

static void test_knows_how_far_tables_are_and_which_are_parents(void **state)
{
	struct kit k;
	struct view *v = open_view(&k, kit_music);
	uint32_t singer = kit_table_index(&k, "singer"), stadium = kit_table_index(&k, "stadium");
	uint32_t concert = kit_table_index(&k, "concert");

	(void)state;
	assert_int_equal(view_hops(v, singer, stadium), 3);
	assert_true(view_is_parent(v, concert, stadium));
	assert_false(view_is_parent(v, stadium, concert));
	assert_false(view_is_parent(v, singer, stadium));
	kit_close(&k);
}

static void test_splits_names_at_signs_and_case(void **state)
{
	struct arena a = ARENA_INIT;
	const char *words[4];

	(void)state;
	assert_int_equal(view_name_words(&a, "home_teamName 2", words, 4), 4);
	assert_string_equal(words[0], "home");
	assert_string_equal(words[2], "name");
	assert_string_equal(words[3], "2");
	assert_true(view_has_word("flights from Oslo", "FROM"));
	assert_false(view_has_word("fromage", "from"));
	arena_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names_rows_by_their_name_column),
	    cmocka_unit_test(test_names_people_by_first_and_last_name),
	    cmocka_unit_test(test_tells_keys_years_and_measures_apart),
	    cmocka_unit_test(test_finds_yes_and_no_as_they_are_stored),
	    cmocka_unit_test(test_knows_how_far_tables_are_and_which_are_parents),
	    cmocka_unit_test(test_splits_names_at_signs_and_case),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
