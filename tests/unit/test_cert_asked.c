/* What the words of a question ask for is what the query does: ranked, grouped and
 * compared by the column beside, and no condition that became a column. */
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

static void test_the_column_beside_a_word_is_what_it_applies_to(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_EN);
		vkit_says_cue(&kit, "highest", CUE_MOST, 0);
		vkit_names_column(&kit, "points", "customers.points");
		expect(good ? "SELECT name, points FROM customers ORDER BY points DESC LIMIT 1"
		            : "SELECT name, points FROM customers ORDER BY built DESC LIMIT 1",
		    "beside", LINE(good));
		verify_kit_reset(&kit, LANG_ZH);
		vkit_names_column(&kit, "积分", "customers.points");
		vkit_says_cue(&kit, "最高", CUE_MOST, 0);
		expect(
		    good ? "SELECT MAX(points) FROM customers" : "SELECT MAX(built) FROM customers",
		    "beside", LINE(good));
		verify_kit_reset(&kit, LANG_EN);
		vkit_says_cue(&kit, "average", CUE_AVG, 0);
		vkit_names_column(&kit, "total", "orders.total");
		expect(good ? "SELECT AVG(total) FROM orders" : "SELECT AVG(discount) FROM orders",
		    "beside", LINE(good));
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_table(&kit, "customers", "customers");
		vkit_says_cue(&kit, "by", CUE_BY, 0);
		vkit_names_column(&kit, "points", "customers.points");
		expect(good ? "SELECT name, points FROM customers ORDER BY points"
		            : "SELECT name, points FROM customers",
		    "beside", LINE(good));
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_table(&kit, "customers", "customers");
		vkit_says_cue(&kit, "in order of", CUE_SORT, 0);
		vkit_names_column(&kit, "points", "customers.points");
		expect(good ? "SELECT name, points FROM customers ORDER BY points"
		            : "SELECT name, points FROM customers ORDER BY name",
		    "beside", LINE(good));
	}
}

static void test_a_time_that_was_not_named_is_no_rank(void **state)
{
	(void)state;
	static const char sql[] = "SELECT amount FROM sales ORDER BY year DESC LIMIT 1";
	vkit_says_cue(&kit, "best", CUE_MOST, 0);
	expect(sql, "beside", CHECK_FAIL);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "highest", CUE_MOST, 0);
	vkit_says(&kit, SPAN_STOP, "in");
	vkit_names_table(&kit, "sales", "sales");
	vkit_names_column(&kit, "year", "sales.year");
	expect(sql, "beside", -1);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "latest", CUE_LATEST, 0);
	expect(sql, "beside", -1);
}

static void test_months_are_taken_out_of_dates(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_EN);
		vkit_says_cue(&kit, "per month", CUE_TREND, 0);
		expect(good ? "SELECT strftime('%Y-%m', order_date), COUNT(*) FROM orders GROUP BY"
		              " strftime('%Y-%m', order_date)"
		            : "SELECT order_date, COUNT(*) FROM orders GROUP BY order_date",
		    "grain", LINE(good));
	}
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "each", CUE_EACH, 0);
	vkit_says(&kit, SPAN_STOP, "day");
	expect("SELECT order_date, COUNT(*) FROM orders GROUP BY order_date", "grain", -1);
}

static void test_a_condition_is_no_output(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_column(&kit, "VIP", "customers.vip");
		vkit_names_table(&kit, "customers", "customers");
		expect(good ? "SELECT name FROM customers WHERE vip = 'yes'"
		            : "SELECT vip FROM customers",
		    "condition", LINE(good));
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_table(&kit, "customers", "customers");
		vkit_says(&kit, SPAN_STOP, "are");
		vkit_names_column(&kit, "vip", "customers.vip");
		expect(good ? "SELECT name FROM customers WHERE vip = 'yes'"
		            : "SELECT name, vip FROM customers",
		    "condition", LINE(good));
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_table(&kit, "orders", "orders");
		vkit_says_cue(&kit, "with", CUE_WITH, 0);
		if (good) {
			vkit_says(&kit, SPAN_STOP, "their");
		}
		vkit_names_column(&kit, "discount", "orders.discount");
		expect("SELECT order_id, discount FROM orders", "condition", LINE(good));
	}
	verify_kit_reset(&kit, LANG_EN);
	vkit_names_column(&kit, "vip", "customers.vip");
	vkit_says_cue(&kit, "of", CUE_OF, 0);
	vkit_names_table(&kit, "customers", "customers");
	expect("SELECT name, vip FROM customers", "condition", -1);
}

static void test_the_question_is_not_its_own_answer(void **state)
{
	(void)state;
	expect("SELECT country FROM customers WHERE country = 'Peru'", "constant", CHECK_FAIL);
	verify_kit_reset(&kit, LANG_EN);
	expect("SELECT name FROM customers WHERE country = 'Peru'", "constant", -1);
	verify_kit_reset(&kit, LANG_EN);
	expect("SELECT country FROM customers WHERE country = 'Peru' OR country = 'Chad'",
	    "constant", -1);
}

static void test_a_comparison_has_two_sides(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_ZH);
		vkit_names_column(&kit, "规划里程", "customers.planned");
		vkit_says_cue(&kit, "比", CUE_FOR, 0);
		vkit_names_column(&kit, "在建里程", "customers.built");
		expect(good ? "SELECT name FROM customers WHERE planned > built"
		            : "SELECT planned, built FROM customers",
		    "compared", LINE(good));
	}
}

static void test_a_number_is_compared_with_a_column_that_was_named(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_table(&kit, "customers", "customers");
		if (good) {
			vkit_names_column(&kit, "points", "customers.points");
		}
		vkit_says_cue(&kit, "over", CUE_GT, 0);
		vkit_says_quantity(&kit, "6", 6, 0, "", 0);
		expect("SELECT name FROM customers WHERE points > 6", "compared", LINE(good));
	}
}

static void test_chinese_ranks_what_stands_before_the_superlative(void **state)
{
	(void)state;
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_column(&kit, "金额", "sales.amount");
	vkit_says_cue(&kit, "最高的一", CUE_MOST, 1);
	vkit_names_column(&kit, "年", "sales.year");
	expect("SELECT amount FROM sales ORDER BY year DESC LIMIT 1", "beside", CHECK_FAIL);
}

static void test_groups_are_those_of_the_thing_that_was_named(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_EN);
		vkit_says_cue(&kit, "per", CUE_EACH, 0);
		vkit_names_table(&kit, "customer", "customers");
		expect(good ? "SELECT customer_id, SUM(total) FROM orders GROUP BY customer_id"
		            : "SELECT shipped, SUM(total) FROM orders GROUP BY shipped",
		    "beside", LINE(good));
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_table(&kit, "customers", "customers");
		vkit_says_cue(&kit, "by", CUE_BY, 0);
		vkit_says(&kit, SPAN_STOP, "age");
		expect(good ? "SELECT name FROM customers ORDER BY points"
		            : "SELECT name FROM customers",
		    "beside", LINE(good));
	}
}

static void test_a_change_is_a_difference(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_EN);
		vkit_says(&kit, SPAN_STOP, "drop");
		expect(good ? "SELECT MAX(planned - built) FROM customers"
		            : "SELECT MAX(planned) FROM customers",
		    "change", LINE(good));
	}
}

static void test_several_values_are_told_apart(void **state)
{
	(void)state;
	EACH(good)
	{
		verify_kit_reset(&kit, LANG_EN);
		vkit_says_cue(&kit, "and", CUE_AND, 0);
		expect(good
		        ? "SELECT country, points FROM customers WHERE country IN ('Peru', 'Chad')"
		        : "SELECT points FROM customers WHERE country IN ('Peru', 'Chad')",
		    "whose", LINE(good));
	}
}

static void test_an_unnamed_column_is_compared_only_if_nothing_else_is_meant(void **state)
{
	(void)state;
	vkit_says_cue(&kit, "over", CUE_GT, 0);
	vkit_says_quantity(&kit, "5", 5, 0, "", 0);
	expect("SELECT sale_id FROM sales WHERE amount > 5", "compared", -1);
	verify_kit_reset(&kit, LANG_EN);
	vkit_says_cue(&kit, "over", CUE_GT, 0);
	vkit_says_quantity(&kit, "6 miles", 6, 0, "miles", 0);
	expect("SELECT name FROM customers WHERE planned > 6", "compared", -1);
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_the_column_beside_a_word_is_what_it_applies_to),
	    KIT(test_a_time_that_was_not_named_is_no_rank),
	    KIT(test_months_are_taken_out_of_dates),
	    KIT(test_a_condition_is_no_output),
	    KIT(test_the_question_is_not_its_own_answer),
	    KIT(test_a_comparison_has_two_sides),
	    KIT(test_an_unnamed_column_is_compared_only_if_nothing_else_is_meant),
	    KIT(test_a_number_is_compared_with_a_column_that_was_named),
	    KIT(test_chinese_ranks_what_stands_before_the_superlative),
	    KIT(test_groups_are_those_of_the_thing_that_was_named),
	    KIT(test_a_change_is_a_difference),
	    KIT(test_several_values_are_told_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
