/* What is counted is what was asked, and text is no number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "tests/lib/verify_kit.h"

static struct verify_kit kit;

static const char shop[] =
    "CREATE TABLE customers(customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " country TEXT, vip TEXT, turnover TEXT, points INTEGER, planned REAL, built REAL);"
    "INSERT INTO customers VALUES(1,'Ann','Peru','yes','675亿',5,2,3),(2,'Bob','Peru','no',"
    "'3768亿',7,4,1),(3,'Eve','Chad','no','90亿',9,1,1);"
    "CREATE TABLE orders(order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL"
    " REFERENCES customers(customer_id), order_date TEXT, shipped TEXT, total REAL,"
    " discount REAL);"
    "INSERT INTO orders VALUES(1,1,'2024-01-05','2024-01-09',10,0),(2,1,'2024-01-20','2024-01-30',"
    "20,1),(3,2,'2024-02-01','2024-02-05',30,0);"
    "CREATE TABLE sales(sale_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL"
    " REFERENCES customers(customer_id), year INTEGER, amount REAL);"
    "INSERT INTO sales VALUES(1,1,2022,5),(2,1,2023,6),(3,2,2023,7);";

static int begin(void **state)
{
	(void)state;
	verify_kit_open(&kit, LANG_EN, shop, NULL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	verify_kit_close(&kit);
	return 0;
}

/* Runs the query on the question said so far, which stays. */
static void expect(const char *sql, const char *check, int want)
{
	vkit_runs(&kit, sql);
	vkit_verify(&kit);
	int got = vkit_line(&kit, check);
	if (got != want) {
		fail_msg("%s: %s is %d, not %d", sql, check, got, want);
	}
}

#define EACH(good) for (int good = 0; good < 2; good++)
#define LINE(good) ((good) ? -1 : CHECK_FAIL)

static void test_what_the_filter_fixes_is_not_counted(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_EN);
		vkit_says_cue(&kit, "How many", CUE_COUNT, 0);
		vkit_names_column(&kit, "country", "customers.country");
		vkit_names_value(&kit, "Peru", "customers.country", "Peru");
		expect(good
		        ? "SELECT COUNT(DISTINCT country) FROM customers"
		        : "SELECT COUNT(DISTINCT country) FROM customers WHERE country = 'Peru'",
		    "counted", LINE(good));
	}
}

static void count_orders(const char *sql, int want)
{
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "How many", CUE_COUNT, 0);
	vkit_names_table(&kit, "orders", "orders");
	vkit_says(&kit, SPAN_STOP, "were");
	vkit_names_column(&kit, "shipped", "orders.shipped");
	expect(sql, "counted", want);
}

static void test_rows_or_keys_of_the_counted_thing_are_counted(void **state)
{
	(void)state;
	count_orders("SELECT COUNT(DISTINCT customer_id) FROM orders", CHECK_FAIL);
	count_orders("SELECT COUNT(*) FROM customers", CHECK_FAIL);
	count_orders("SELECT COUNT(DISTINCT discount) FROM orders", CHECK_FAIL);
	count_orders("SELECT COUNT(*) FROM orders", -1);
	count_orders("SELECT COUNT(order_id) FROM orders", -1);
}

static void test_companies_are_not_counted_as_their_years(void **state)
{
	(void)state;
	static const struct {
		const char *sql;
		int want;
	} cases[] = {{"SELECT COUNT(*) FROM sales WHERE amount > 5", CHECK_FAIL},
	    {"SELECT COUNT(*) FROM sales WHERE amount > 5 AND year = 2023", -1},
	    {"SELECT COUNT(DISTINCT customer_id) FROM sales WHERE amount > 5", -1}};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		verify_kit_reset(&kit, LANG_ZH);
		vkit_names_column(&kit, "金额", "sales.amount");
		vkit_says_cue(&kit, "超过", CUE_GT, 0);
		vkit_says_quantity(&kit, "5", 5, 0, "", 0);
		vkit_says_cue(&kit, "有几家", CUE_COUNT, 0);
		expect(cases[i].sql, "counted", cases[i].want);
	}
}

static void test_what_comes_last_in_chinese_is_counted(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_ZH);
		vkit_says_cue(&kit, "多少个", CUE_COUNT, 0);
		vkit_names_table(&kit, "订单", "orders");
		vkit_names_value(&kit, "秘鲁", "customers.country", "Peru");
		expect(good
		        ? "SELECT COUNT(DISTINCT c.customer_id) FROM customers c JOIN orders o ON"
		          " o.customer_id = c.customer_id WHERE c.country = 'Peru'"
		        : "SELECT COUNT(DISTINCT o.order_id) FROM customers c JOIN orders o ON"
		          " o.customer_id = c.customer_id WHERE c.country = 'Peru'",
		    "counted", LINE(good));
	}
}

static void test_a_stored_number_is_not_counted_over(void **state)
{
	(void)state;
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "how many", CUE_COUNT, 0);
	vkit_names_column(&kit, "points", "customers.points");
	expect("SELECT COUNT(country) FROM customers", "counted", CHECK_FAIL);
}

static void test_rows_are_counted_where_the_last_word_is_their_table(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_ZH);
		vkit_says_cue(&kit, "多少个", CUE_COUNT, 0);
		vkit_names_table(&kit, "订单", "orders");
		vkit_names_value(&kit, "秘鲁", "customers.country", "Peru");
		expect(good ? "SELECT COUNT(*) FROM customers WHERE country = 'Peru'"
		            : "SELECT COUNT(*) FROM orders",
		    "counted", LINE(good));
	}
}

static void test_groups_are_more_than_one_row(void **state)
{
	(void)state;
	expect("SELECT total, AVG(total) FROM orders GROUP BY total", "counted", CHECK_FAIL);
	verify_kit_reset(&kit, LANG_EN);
	expect("SELECT name, AVG(points) FROM customers GROUP BY customer_id, name", "counted",
	    CHECK_FAIL);
	verify_kit_reset(&kit, LANG_EN);
	expect("SELECT country, AVG(points) FROM customers GROUP BY country", "counted", -1);
}

static void test_how_many_is_one_number(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_EN);
		vkit_says_cue(&kit, "How many", CUE_COUNT, 0);
		vkit_names_table(&kit, "customers", "customers");
		if (good) {
			vkit_says_cue(&kit, "per", CUE_EACH, 0);
		}
		expect("SELECT country, COUNT(*) FROM customers GROUP BY country", "counted",
		    LINE(good));
	}
}

static void test_text_is_neither_ranked_nor_compared_nor_added(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    "SELECT name FROM customers ORDER BY turnover DESC LIMIT 1",
	    "SELECT name FROM customers WHERE turnover > '100亿'",
	    "SELECT MAX(turnover) FROM customers", "SELECT SUM(turnover) FROM customers",
	    "SELECT country FROM customers GROUP BY country HAVING AVG(points) > '6'"};
	static const char *const good[] = {
	    "SELECT name FROM customers ORDER BY points DESC LIMIT 1",
	    "SELECT order_id FROM orders ORDER BY order_date DESC LIMIT 1",
	    "SELECT order_id FROM orders WHERE order_date > '2024-01-10'",
	    "SELECT SUM(total) FROM orders", "SELECT name FROM customers ORDER BY name"};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		verify_kit_reset(&kit, LANG_EN);
		expect(bad[i], "text", CHECK_FAIL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		verify_kit_reset(&kit, LANG_EN);
		expect(good[i], "text", -1);
	}
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "alphabetically", CUE_ASC, 0);
	expect("SELECT name FROM customers ORDER BY name LIMIT 1", "text", -1);
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_what_the_filter_fixes_is_not_counted),
	    KIT(test_rows_or_keys_of_the_counted_thing_are_counted),
	    KIT(test_companies_are_not_counted_as_their_years),
	    KIT(test_what_comes_last_in_chinese_is_counted),
	    KIT(test_a_stored_number_is_not_counted_over),
	    KIT(test_rows_are_counted_where_the_last_word_is_their_table),
	    KIT(test_groups_are_more_than_one_row),
	    KIT(test_how_many_is_one_number),
	    KIT(test_text_is_neither_ranked_nor_compared_nor_added),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
