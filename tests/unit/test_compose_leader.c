/* Superlatives whose measure stands elsewhere, places, sums per group, "who". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/compose_kit.h"

static const char clinics[] =
    "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, official TEXT, mayor TEXT, opened DATE, email TEXT);"
    "CREATE TABLE clinic (id INTEGER PRIMARY KEY, name TEXT, city_id INTEGER REFERENCES city(id), beds INTEGER, 排名 INTEGER, kind TEXT);"
    "INSERT INTO city VALUES (1,'Oslo','T','Ann','2020-01-01',NULL),(2,'Rome','F','Bob','2020-01-02','a@x');"
    "INSERT INTO clinic VALUES (1,'A',1,5,2,'x'),(2,'B',1,6,1,'x'),(3,'C',2,7,3,'y');";

static void expect_sql(struct kit *k, const char *sql)
{
	assert_string_equal(kit_sql(k), sql);
	kit_close(k);
}

static void test_ranks_by_the_measure_that_is_left_over(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	kit_cue(&k, "In which", CUE_THAT, 0);
	kit_column(&k, "year", "financials.year");
	kit_stop(&k, "was");
	kit_column(&k, "revenue", "financials.revenue");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_value(&k, "P", "companies.name", "P");
	kit_cue(&k, "highest", CUE_MOST, 0);
	expect_sql(&k,
	    "SELECT financials.year FROM financials JOIN companies ON financials.company_id ="
	    " companies.company_id WHERE companies.name = 'P' ORDER BY financials.revenue DESC LIMIT 1");
}

static void test_asks_the_year_of_the_highest_amount_in_chinese(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_column(&k, "营收", "financials.revenue");
	kit_cue(&k, "最高的一", CUE_MOST, 1);
	kit_column(&k, "年", "financials.year");
	kit_cue(&k, "是哪一年", CUE_WHICH, 0);
	expect_sql(&k, "SELECT year FROM financials ORDER BY revenue DESC LIMIT 1");
}

static void test_ranks_by_the_amount_before_the_word_rank(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	k.g->lang = LANG_ZH;
	kit_column(&k, "床位", "clinic.beds");
	kit_column(&k, "排名", "clinic.排名");
	kit_cue(&k, "前三的", CUE_TOP, 3);
	kit_table(&k, "医院", "clinic");
	expect_sql(&k, "SELECT name FROM clinic ORDER BY beds DESC LIMIT 3");
}

static void test_takes_the_first_place_for_number_one(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	k.g->lang = LANG_ZH;
	kit_column(&k, "排名", "clinic.排名");
	kit_cue(&k, "第一的", CUE_MOST, 0);
	kit_table(&k, "医院", "clinic");
	expect_sql(&k, "SELECT name FROM clinic ORDER BY 排名 LIMIT 1");
}

static void test_adds_up_per_value_of_a_column(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	kit_column(&k, "beds", "clinic.beds");
	kit_cue(&k, "per", CUE_EACH, 0);
	kit_column(&k, "kind", "clinic.kind");
	expect_sql(&k, "SELECT kind, sum(beds) AS total_beds FROM clinic GROUP BY kind");
}

static void test_does_not_answer_who_with_a_date(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	kit_cue(&k, "Who", CUE_WHO, 0);
	kit_column(&k, "opened", "city.opened");
	kit_value(&k, "Oslo", "city.name", "Oslo");
	kit_read(&k);
	assert_non_null(k.roles.failed);
	kit_close(&k);
}

static void test_answers_who_with_a_name(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	kit_cue(&k, "Who", CUE_WHO, 0);
	kit_stop(&k, "is");
	kit_column(&k, "mayor", "city.mayor");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_value(&k, "Oslo", "city.name", "Oslo");
	expect_sql(&k, "SELECT mayor FROM city WHERE name = 'Oslo'");
}

static void test_reads_a_flag_before_a_column_as_a_condition(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	kit_column(&k, "official", "city.official");
	kit_column(&k, "mayors", "city.mayor");
	expect_sql(&k, "SELECT mayor FROM city WHERE official = 'T'");
}

static void test_reads_having_a_text_as_its_presence(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	kit_cue(&k, "Which", CUE_WHICH, 0);
	kit_table(&k, "cities", "city");
	kit_stop(&k, "have");
	kit_column(&k, "email", "city.email");
	expect_sql(&k, "SELECT name FROM city WHERE email IS NOT NULL");
}

static void test_ranks_a_text_column_by_the_number_before_it(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	k.g->lang = LANG_ZH;
	kit_column(&k, "床位", "clinic.beds");
	kit_cue(&k, "最多的", CUE_MOST, 0);
	kit_column(&k, "类型", "clinic.kind");
	expect_sql(&k, "SELECT kind FROM clinic ORDER BY beds DESC LIMIT 1");
}

static void test_reads_a_superlative_that_linking_left_alone(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	k.g->lang = LANG_ZH;
	kit_column(&k, "床位", "clinic.beds");
	kit_unknown(&k, "最小的");
	kit_table(&k, "医院", "clinic");
	expect_sql(&k, "SELECT name FROM clinic ORDER BY beds LIMIT 1");
}

static void test_compares_two_texts_of_one_row_in_chinese(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	k.g->lang = LANG_ZH;
	kit_column(&k, "市长", "city.mayor");
	kit_cue(&k, "同时是", CUE_BOTH, 0);
	kit_column(&k, "邮箱", "city.email");
	kit_cue(&k, "的", CUE_OF, 0);
	kit_table(&k, "城市", "city");
	expect_sql(&k, "SELECT name FROM city WHERE mayor = email");
}

static void test_counts_where_a_number_of_things_is_asked_in_chinese(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_table(&k, "公司", "companies");
	kit_column(&k, "数量", "production.amount");
	k.g->spans[1].targets[0].score = 0.8f;
	expect_sql(&k, "SELECT count(*) AS count_companies FROM companies");
}

static void test_does_not_drop_a_denial(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, clinics);
	kit_cue(&k, "Which", CUE_WHICH, 0);
	kit_table(&k, "clinics", "clinic");
	kit_cue(&k, "were never", CUE_NOT, 0);
	kit_stop(&k, "taken");
	kit_read(&k);
	assert_non_null(k.roles.failed);
	kit_close(&k);
}

static void test_denies_rows_of_the_period_that_was_said(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_cue(&k, "哪些", CUE_WHICH, 0);
	kit_table(&k, "公司", "companies");
	kit_years(&k, "2023年", "2023-01-01", "2024-01-01", "production.year");
	kit_cue(&k, "没有", CUE_NOT, 0);
	kit_value(&k, "煤", "production.product", "coal");
	kit_column(&k, "产量", "production.amount");
	expect_sql(&k,
	    "SELECT name FROM companies WHERE company_id NOT IN (SELECT company_id FROM production"
	    " WHERE product = 'coal' AND year = 2023)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ranks_by_the_measure_that_is_left_over),
	    cmocka_unit_test(test_asks_the_year_of_the_highest_amount_in_chinese),
	    cmocka_unit_test(test_ranks_by_the_amount_before_the_word_rank),
	    cmocka_unit_test(test_takes_the_first_place_for_number_one),
	    cmocka_unit_test(test_adds_up_per_value_of_a_column),
	    cmocka_unit_test(test_does_not_answer_who_with_a_date),
	    cmocka_unit_test(test_answers_who_with_a_name),
	    cmocka_unit_test(test_reads_a_flag_before_a_column_as_a_condition),
	    cmocka_unit_test(test_reads_having_a_text_as_its_presence),
	    cmocka_unit_test(test_ranks_a_text_column_by_the_number_before_it),
	    cmocka_unit_test(test_reads_a_superlative_that_linking_left_alone),
	    cmocka_unit_test(test_compares_two_texts_of_one_row_in_chinese),
	    cmocka_unit_test(test_counts_where_a_number_of_things_is_asked_in_chinese),
	    cmocka_unit_test(test_does_not_drop_a_denial),
	    cmocka_unit_test(test_denies_rows_of_the_period_that_was_said),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
