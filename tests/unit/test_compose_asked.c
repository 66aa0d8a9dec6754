/* What is asked for: the thing that is counted, grouped, shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/compose_kit.h"

static const char shop[] =
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, \"order\" INTEGER);"
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id),"
    " order_date DATE NOT NULL, status TEXT, amount REAL, total REAL);"
    "INSERT INTO customers VALUES (1,'Ann','Peru',1),(2,'Bob','Chad',2),(3,'Cy','Peru',3);"
    "INSERT INTO orders VALUES (1,1,'2024-01-02','open',5,6),(2,1,'2024-01-09','sent',6,7),"
    "(3,NULL,'2024-02-01','open',7,8);";

static void expect_sql(struct kit *k, const char *sql)
{
	assert_string_equal(kit_sql(k), sql);
	kit_close(k);
}

static void trend(struct kit *k, const char *text, uint32_t grain, const char *column)
{
	kit_cue_hint(k, text, CUE_TREND, column);
	k->g->spans[k->g->n_spans - 1].cue_arg = grain;
}

static void test_groups_dates_by_the_month_that_was_said(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "Number of", CUE_COUNT, 0);
	kit_table(&k, "orders", "orders");
	trend(&k, "per month", 3, "orders.order_date");
	expect_sql(&k,
	    "SELECT strftime('%Y-%m', order_date) AS month, count(*) AS count_orders FROM orders"
	    " GROUP BY strftime('%Y-%m', order_date) ORDER BY strftime('%Y-%m', order_date)");
}

static void test_adds_up_a_plain_amount_per_year_of_a_date(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_column(&k, "amount", "orders.amount");
	trend(&k, "per year", 1, "orders.order_date");
	expect_sql(&k,
	    "SELECT strftime('%Y', order_date) AS year, sum(amount) AS total_amount FROM orders"
	    " GROUP BY strftime('%Y', order_date) ORDER BY strftime('%Y', order_date)");
}

static void test_declines_a_month_of_a_bare_year(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	kit_column(&k, "revenue", "financials.revenue");
	kit_cue(&k, "per month", CUE_TREND, 3);
	kit_read(&k);
	assert_non_null(k.roles.failed);
	kit_close(&k);
}

static void test_counts_the_owner_of_yearly_figures(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_column(&k, "营收", "financials.revenue");
	kit_cue(&k, "超过", CUE_GT, 0);
	kit_number(&k, "95", 95, 0, "", 0);
	kit_cue(&k, "的", CUE_OF, 0);
	kit_cue(&k, "有几家", CUE_COUNT, 0);
	expect_sql(&k,
	    "SELECT count(DISTINCT companies.company_id) AS count_companies FROM companies JOIN"
	    " financials ON financials.company_id = companies.company_id WHERE financials.revenue > 95");
}

static void test_reads_a_missing_parent_as_a_missing_reference(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "How many", CUE_COUNT, 0);
	kit_table(&k, "orders", "orders");
	kit_cue(&k, "have no", CUE_NOT, 0);
	kit_table(&k, "customer", "customers");
	expect_sql(&k, "SELECT count(*) AS count_orders FROM orders WHERE customer_id IS NULL");
}

static void test_takes_a_plural_for_the_table_of_that_name(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_table(&k, "customers", "customers");
	kit_cue(&k, "with no", CUE_NOT, 0);
	kit_table(&k, "orders", "orders");
	kit_or_column(&k, "customers.order", 1);
	expect_sql(&k,
	    "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE customer_id IS NOT NULL)");
}

static void test_averages_a_column_that_is_named_total(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "Average", CUE_AVG, 0);
	kit_table(&k, "order", "orders");
	kit_cue_hint(&k, "total", CUE_SUM, "orders.total");
	k.g->spans[2].targets[0].how = HOW_EXACT;
	expect_sql(&k, "SELECT avg(total) AS average_total FROM orders");
}

static void test_lists_rows_by_their_key_not_by_their_parent_s_name(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "Show all", CUE_LIST, 0);
	kit_table(&k, "orders", "orders");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_value(&k, "Ann", "customers.name", "Ann");
	expect_sql(&k,
	    "SELECT orders.id FROM orders JOIN customers ON orders.customer_id = customers.id"
	    " WHERE customers.name = 'Ann'");
}

static void test_shows_the_one_number_of_a_row_that_was_named(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k,
	    "CREATE TABLE targets (region TEXT, year INTEGER, target REAL);"
	    "INSERT INTO targets VALUES ('EMEA',2024,5),('APAC',2024,6);");
	kit_table(&k, "target", "targets");
	kit_cue(&k, "for", CUE_FOR, 0);
	kit_value(&k, "EMEA", "targets.region", "EMEA");
	expect_sql(&k, "SELECT target FROM targets WHERE region = 'EMEA'");
}

static void test_lists_by_a_number_in_its_order(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "List", CUE_LIST, 0);
	kit_table(&k, "singers", "singer");
	kit_cue(&k, "by", CUE_BY, 0);
	kit_column(&k, "age", "singer.age");
	expect_sql(&k, "SELECT name FROM singer ORDER BY age");
}

static void test_does_not_list_by_what_no_column_tells(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "List", CUE_LIST, 0);
	kit_table(&k, "concerts", "concert");
	kit_cue(&k, "by", CUE_BY, 0);
	kit_stop(&k, "age");
	kit_read(&k);
	assert_non_null(k.roles.failed);
	kit_close(&k);
}

static void test_compares_two_columns_of_one_row_in_chinese(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	k.g->lang = LANG_ZH;
	kit_column(&k, "净利润", "financials.net_profit");
	kit_cue(&k, "比", CUE_FOR, 0);
	kit_column(&k, "营收", "financials.revenue");
	kit_text(&k, "多");
	kit_cue(&k, "的", CUE_OF, 0);
	kit_table(&k, "公司", "companies");
	expect_sql(&k,
	    "SELECT DISTINCT companies.name FROM companies JOIN financials ON"
	    " financials.company_id = companies.company_id WHERE financials.net_profit > financials.revenue");
}

static void test_shows_the_place_of_the_leader_in_chinese(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	k.g->lang = LANG_ZH;
	kit_column(&k, "年份", "concert.year");
	kit_cue(&k, "最晚的", CUE_LATEST, 0);
	kit_table(&k, "音乐会", "concert");
	kit_cue(&k, "在哪", CUE_WHERE, 0);
	kit_table(&k, "场馆", "stadium");
	expect_sql(&k,
	    "SELECT stadium.name FROM stadium JOIN concert ON concert.stadium_id = stadium.stadium_id"
	    " ORDER BY concert.year DESC LIMIT 1");
}

static void test_denies_rows_of_the_table_that_a_verb_names(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_table(&k, "customers", "customers");
	kit_cue(&k, "never", CUE_NOT, 0);
	kit_cue(&k, "ordered", CUE_SORT, 0);
	expect_sql(&k,
	    "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE customer_id IS NOT NULL)");
}

static void test_does_not_deny_what_is_unknown(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_table(&k, "customers", "customers");
	kit_cue(&k, "without", CUE_NOT, 0);
	kit_unknown(&k, "cats");
	kit_read(&k);
	assert_non_null(k.roles.failed);
	kit_close(&k);
}

static void test_adds_up_per_group_and_keeps_namesakes_apart(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_column(&k, "amount", "orders.amount");
	kit_cue(&k, "per", CUE_EACH, 0);
	kit_table(&k, "customer", "customers");
	expect_sql(&k,
	    "SELECT customers.name, sum(orders.amount) AS total_amount FROM customers JOIN orders ON"
	    " orders.customer_id = customers.id GROUP BY customers.id, customers.name");
}

static void test_groups_by_the_leader_not_by_what_is_shown_of_it(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "What is", CUE_WHICH, 0);
	kit_column(&k, "country", "customers.country");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_table(&k, "customer", "customers");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_cue(&k, "the most", CUE_MOST, 0);
	kit_table(&k, "orders", "orders");
	expect_sql(&k,
	    "SELECT customers.country FROM customers JOIN orders ON orders.customer_id = customers.id"
	    " GROUP BY customers.id, customers.country ORDER BY count(*) DESC LIMIT 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_groups_dates_by_the_month_that_was_said),
	    cmocka_unit_test(test_adds_up_a_plain_amount_per_year_of_a_date),
	    cmocka_unit_test(test_declines_a_month_of_a_bare_year),
	    cmocka_unit_test(test_counts_the_owner_of_yearly_figures),
	    cmocka_unit_test(test_reads_a_missing_parent_as_a_missing_reference),
	    cmocka_unit_test(test_takes_a_plural_for_the_table_of_that_name),
	    cmocka_unit_test(test_averages_a_column_that_is_named_total),
	    cmocka_unit_test(test_lists_rows_by_their_key_not_by_their_parent_s_name),
	    cmocka_unit_test(test_shows_the_one_number_of_a_row_that_was_named),
	    cmocka_unit_test(test_lists_by_a_number_in_its_order),
	    cmocka_unit_test(test_does_not_list_by_what_no_column_tells),
	    cmocka_unit_test(test_compares_two_columns_of_one_row_in_chinese),
	    cmocka_unit_test(test_shows_the_place_of_the_leader_in_chinese),
	    cmocka_unit_test(test_denies_rows_of_the_table_that_a_verb_names),
	    cmocka_unit_test(test_does_not_deny_what_is_unknown),
	    cmocka_unit_test(test_adds_up_per_group_and_keeps_namesakes_apart),
	    cmocka_unit_test(test_groups_by_the_leader_not_by_what_is_shown_of_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
