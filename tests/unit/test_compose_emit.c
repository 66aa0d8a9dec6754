/* From words to SQL text: joins, grouping, membership, set operations, literals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/compose_kit.h"

/* how many singers */
static void test_counts_the_rows_of_a_table(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "How many", CUE_COUNT, 0);
	kit_table(&k, "singers", "singer");
	assert_string_equal(kit_sql(&k), "SELECT count(*) AS count_singer FROM singer");
	kit_close(&k);
}

/* how many stadiums have a concert: a join must not count a stadium twice */
static void test_counts_a_row_once_when_a_join_repeats_it(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "How many", CUE_COUNT, 0);
	kit_table(&k, "stadiums", "stadium");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_table(&k, "concerts", "concert");
	assert_string_equal(kit_sql(&k),
	    "SELECT count(DISTINCT stadium.stadium_id) AS count_stadium FROM stadium "
	    "JOIN concert ON concert.stadium_id = stadium.stadium_id");
	kit_close(&k);
}

/* average age of singers with a song over 5: rows of singer must not be repeated */
static void test_adds_up_each_row_once_by_a_membership_test(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "average", CUE_AVG, 0);
	kit_column(&k, "age", "singer.age");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_column(&k, "sales", "song.sales");
	kit_cue(&k, "over", CUE_GT, 0);
	kit_number(&k, "5", 5, 0, "", 0);
	assert_string_equal(kit_sql(&k),
	    "SELECT avg(age) AS average_age FROM singer WHERE singer_id IN (SELECT singer.singer_id "
	    "FROM singer JOIN song ON song.singer_id = singer.singer_id WHERE song.sales > 5)");
	kit_close(&k);
}

/* stadiums without concerts */
static void test_asks_for_missing_rows_without_nulls(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "stadiums", "stadium");
	kit_cue(&k, "without", CUE_NOT, 0);
	kit_table(&k, "concerts", "concert");
	assert_string_equal(kit_sql(&k),
	    "SELECT name FROM stadium WHERE stadium_id NOT IN (SELECT stadium_id FROM concert WHERE "
	    "stadium_id IS NOT NULL)");
	kit_close(&k);
}

/* singers in France or Peru */
static void test_joins_values_of_one_column_by_or(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "from", CUE_FOR, 0);
	kit_value(&k, "France", "singer.country", "France");
	kit_cue(&k, "or", CUE_OR, 0);
	kit_value(&k, "Peru", "singer.country", "Peru");
	assert_string_equal(
	    kit_sql(&k), "SELECT name FROM singer WHERE country = 'France' OR country = 'Peru'");
	kit_close(&k);
}

/* singers with songs named Sun and Rain */
static void test_intersects_two_values_on_the_many_side(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "of", CUE_WITH, 0);
	kit_value(&k, "Sun", "song.title", "Sun");
	kit_cue(&k, "and", CUE_AND, 0);
	kit_value(&k, "Rain", "song.title", "Rain");
	assert_string_equal(kit_sql(&k),
	    "SELECT name FROM singer WHERE singer_id IN (SELECT singer_id FROM song WHERE title = "
	    "'Sun') AND singer_id IN (SELECT singer_id FROM song WHERE title = 'Rain')");
	kit_close(&k);
}

/* number of concerts for each stadium */
static void test_groups_by_the_key_of_what_is_named(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "number of", CUE_COUNT, 0);
	kit_table(&k, "concerts", "concert");
	kit_cue(&k, "for each", CUE_EACH, 0);
	kit_table(&k, "stadium", "stadium");
	assert_string_equal(kit_sql(&k),
	    "SELECT stadium.name, count(*) AS count_concert FROM stadium JOIN concert ON "
	    "concert.stadium_id = stadium.stadium_id GROUP BY stadium.stadium_id, stadium.name");
	kit_close(&k);
}

/* singers older than the average age */
static void test_compares_with_an_aggregate_of_the_table(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "singers", "singer");
	kit_cue_hint(&k, "older than", CUE_GT, "singer.age");
	kit_cue(&k, "average", CUE_AVG, 0);
	assert_string_equal(
	    kit_sql(&k), "SELECT name FROM singer WHERE age > (SELECT avg(age) FROM singer)");
	kit_close(&k);
}

/* output above 100 million barrels, where each row says its unit */
static void test_compares_in_every_unit_that_the_rows_have(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	kit_unit(&k, "production.amount", "", "unit");
	kit_table(&k, "companies", "companies");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_column(&k, "output", "production.amount");
	kit_cue(&k, "above", CUE_GT, 0);
	kit_number(&k, "100 million barrels", 1, 0, "桶", 8);
	assert_string_equal(kit_sql(&k),
	    "SELECT DISTINCT companies.name FROM companies JOIN production ON production.company_id = "
	    "companies.company_id WHERE production.unit = '亿桶' AND production.amount > 1");
	kit_close(&k);
}

/* companies with a revenue in 2023 higher than that of S */
static void test_compares_with_the_value_in_the_row_of_another(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	kit_table(&k, "companies", "companies");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_column(&k, "revenue", "financials.revenue");
	kit_cue(&k, "in", CUE_FOR, 0);
	kit_years(&k, "2023", "2023-01-01", "2024-01-01", "financials.year");
	kit_cue(&k, "higher than", CUE_GT, 0);
	kit_value(&k, "S", "companies.name", "S");
	assert_string_equal(kit_sql(&k),
	    "SELECT DISTINCT companies.name FROM companies JOIN financials ON financials.company_id = "
	    "companies.company_id WHERE financials.year = 2023 AND financials.revenue > (SELECT financials.revenue FROM financials JOIN companies ON financials.company_id = companies.company_id WHERE companies.name = 'S' AND financials.year = 2023)");
	kit_close(&k);
}

/* without a year S has several revenues: none is the one that is meant */
static void test_refuses_to_compare_with_one_of_several_values(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	kit_open(&k, kit_energy);
	kit_table(&k, "companies", "companies");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_column(&k, "revenue", "financials.revenue");
	kit_cue(&k, "higher than", CUE_GT, 0);
	kit_value(&k, "S", "companies.name", "S");
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	compose_reply_free(r);
	kit_close(&k);
}

static void test_escapes_what_like_would_read_as_a_pattern(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_column(&k, "name", "singer.name");
	kit_cue(&k, "containing", CUE_CONTAINS, 0);
	kit_unknown(&k, "5%");
	assert_string_equal(
	    kit_sql(&k), "SELECT name FROM singer WHERE name LIKE '%5\\%%' ESCAPE '\\'");
	kit_close(&k);
}

static void test_prints_the_same_bytes_every_time(void **state)
{
	struct kit k;
	const char *first;

	(void)state;
	kit_open(&k, kit_music);
	kit_column(&k, "names", "singer.name");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_table(&k, "concerts", "concert");
	first = kit_sql(&k);
	for (int i = 0; i < 20; i++)
		assert_string_equal(kit_sql(&k), first);
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counts_the_rows_of_a_table),
	    cmocka_unit_test(test_counts_a_row_once_when_a_join_repeats_it),
	    cmocka_unit_test(test_adds_up_each_row_once_by_a_membership_test),
	    cmocka_unit_test(test_asks_for_missing_rows_without_nulls),
	    cmocka_unit_test(test_joins_values_of_one_column_by_or),
	    cmocka_unit_test(test_intersects_two_values_on_the_many_side),
	    cmocka_unit_test(test_groups_by_the_key_of_what_is_named),
	    cmocka_unit_test(test_compares_with_an_aggregate_of_the_table),
	    cmocka_unit_test(test_compares_in_every_unit_that_the_rows_have),
	    cmocka_unit_test(test_compares_with_the_value_in_the_row_of_another),
	    cmocka_unit_test(test_refuses_to_compare_with_one_of_several_values),
	    cmocka_unit_test(test_escapes_what_like_would_read_as_a_pattern),
	    cmocka_unit_test(test_prints_the_same_bytes_every_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
