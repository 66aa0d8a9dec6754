/* What a thing is, has or lacks, said by a column's name alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/compose_kit.h"

static const char shop[] =
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, country TEXT, vip BOOLEAN);"
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id),"
    " order_date DATE NOT NULL, ship_country TEXT, shipped_at TEXT, amount REAL, discount REAL);"
    "INSERT INTO customers VALUES (1,'Ann','a@x','Peru',1),(2,'Bob',NULL,'Chad',0),(3,'Cy',NULL,'Peru',0);"
    "INSERT INTO orders VALUES (1,1,'2024-01-02','Peru','2024-01-03',5,NULL),(2,1,'2024-01-09','Chad',NULL,6,0.5),"
    "(3,NULL,'2024-02-01','Peru',NULL,7,0);";

static void expect_sql(struct kit *k, const char *sql)
{
	assert_string_equal(kit_sql(k), sql);
	kit_close(k);
}

static void test_counts_rows_where_a_verb_names_the_value_s_column(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_music);
	kit_cue(&k, "How many", CUE_COUNT, 0);
	kit_table(&k, "stadiums", "stadium");
	kit_column(&k, "citied", "stadium.city");
	kit_cue(&k, "in", CUE_FOR, 0);
	kit_value(&k, "Oslo", "stadium.city", "Oslo");
	expect_sql(&k, "SELECT count(*) AS count_stadium FROM stadium WHERE city = 'Oslo'");
}

static void test_counts_rows_of_what_was_done_to_a_value(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "How many", CUE_COUNT, 0);
	kit_table(&k, "orders", "orders");
	kit_stop(&k, "were");
	kit_column(&k, "shipped", "orders.shipped_at");
	kit_cue(&k, "to", CUE_FOR, 0);
	kit_value(&k, "Peru", "orders.ship_country", "Peru");
	expect_sql(&k, "SELECT count(*) AS count_orders FROM orders WHERE ship_country = 'Peru'");
}

static void test_reads_what_was_not_done_as_a_time_that_is_missing(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "How many", CUE_COUNT, 0);
	kit_table(&k, "orders", "orders");
	kit_cue(&k, "were never", CUE_NOT, 0);
	kit_column(&k, "shipped", "orders.shipped_at");
	expect_sql(&k, "SELECT count(*) AS count_orders FROM orders WHERE shipped_at IS NULL");
}

static void test_reads_a_flag_before_its_table_as_a_condition(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "Show me", CUE_LIST, 0);
	kit_column(&k, "VIP", "customers.vip");
	kit_table(&k, "customers", "customers");
	expect_sql(&k, "SELECT name FROM customers WHERE vip = 1");
}

static void test_reads_a_flag_behind_its_table_as_a_condition(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "Which", CUE_WHICH, 0);
	kit_table(&k, "customers", "customers");
	kit_stop(&k, "are");
	kit_column(&k, "VIP", "customers.vip");
	expect_sql(&k, "SELECT name FROM customers WHERE vip = 1");
}

static void test_shows_a_flag_that_is_asked_for(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "Show", CUE_LIST, 0);
	kit_column(&k, "name", "customers.name");
	kit_cue(&k, "and", CUE_AND, 0);
	kit_column(&k, "VIP", "customers.vip");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_table(&k, "customers", "customers");
	expect_sql(&k, "SELECT name, vip FROM customers");
}

static void test_counts_the_rows_that_a_flag_picks(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "How many", CUE_COUNT, 0);
	kit_column(&k, "VIP", "customers.vip");
	kit_table(&k, "customers", "customers");
	expect_sql(&k, "SELECT count(*) AS count_customers FROM customers WHERE vip = 1");
}

static void test_reads_a_lacking_text_as_null(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_table(&k, "customers", "customers");
	kit_cue(&k, "without", CUE_NOT, 0);
	kit_column(&k, "email", "customers.email");
	expect_sql(&k, "SELECT name FROM customers WHERE email IS NULL");
}

static void test_reads_a_lacking_amount_as_null_or_nothing(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, shop);
	kit_cue(&k, "How many", CUE_COUNT, 0);
	kit_table(&k, "orders", "orders");
	kit_cue(&k, "without", CUE_NOT, 0);
	kit_column(&k, "discount", "orders.discount");
	expect_sql(&k,
	    "SELECT count(*) AS count_orders FROM orders WHERE discount IS NULL OR discount = 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counts_rows_where_a_verb_names_the_value_s_column),
	    cmocka_unit_test(test_counts_rows_of_what_was_done_to_a_value),
	    cmocka_unit_test(test_reads_what_was_not_done_as_a_time_that_is_missing),
	    cmocka_unit_test(test_reads_a_flag_before_its_table_as_a_condition),
	    cmocka_unit_test(test_reads_a_flag_behind_its_table_as_a_condition),
	    cmocka_unit_test(test_shows_a_flag_that_is_asked_for),
	    cmocka_unit_test(test_counts_the_rows_that_a_flag_picks),
	    cmocka_unit_test(test_reads_a_lacking_text_as_null),
	    cmocka_unit_test(test_reads_a_lacking_amount_as_null_or_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
