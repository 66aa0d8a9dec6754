/* Periods are used exactly, and the data must reach that far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/verify_kit.h"

static struct verify_kit kit;

static int begin(void **state)
{
	(void)state;
	verify_kit_open(&kit, LANG_ZH, verify_kit_energy, verify_kit_model);
	return 0;
}

static int end(void **state)
{
	(void)state;
	verify_kit_close(&kit);
	return 0;
}

static void ask(const char *text, const char *from, const char *to, const char *where)
{
	char sql[256];
	verify_kit_reset(&kit, LANG_ZH);
	vkit_says_period(&kit, text, from, to, "financials.year");
	vkit_names_column(&kit, "营业收入", "financials.revenue");
	snprintf(sql, sizeof(sql), "SELECT f.revenue FROM financials AS f WHERE %s", where);
	vkit_runs(&kit, sql);
	vkit_verify(&kit);
}

static void test_a_year_is_used_in_every_way_of_writing_it(void **state)
{
	(void)state;
	static const char *const ways[] = {"f.year = 2023", "f.year = '2023'", "f.year IN (2023)",
	    "f.year BETWEEN 2023 AND 2023", "f.year >= 2023 AND f.year < 2024",
	    "f.year > 2022 AND f.year <= 2023", "NOT (f.year <> 2023)", "f.year LIKE '2023%'",
	    "2023 = f.year"};
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		ask("2023年", "2023-01-01", "2024-01-01", ways[i]);
		vkit_expect(&kit, VERDICT_ACCEPT, "periods", CHECK_PASS);
	}
}

static void test_another_or_no_year_does_not_pass(void **state)
{
	(void)state;
	static const char *const ways[] = {"f.year = 2022", "f.revenue > 0", "f.year >= 2023",
	    "f.year <> 2023", "f.year BETWEEN 2022 AND 2023", "f.year < 2023", "f.revenue = 2023"};
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		ask("2023年", "2023-01-01", "2024-01-01", ways[i]);
		if (i + 1 < sizeof(ways) / sizeof(ways[0])) {
			vkit_expect(&kit, VERDICT_REVISE, "periods", CHECK_FAIL);
		}
	}
}

static void test_a_range_of_years_is_used(void **state)
{
	(void)state;
	static const char *const ways[] = {"f.year BETWEEN 2022 AND 2023", "f.year IN (2023, 2022)",
	    "f.year >= 2022 AND f.year <= 2023", "f.year > 2021 AND f.year < 2024",
	    "f.year = 2022 OR f.year = 2023"};
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		ask("2022年到2023年", "2022-01-01", "2024-01-01", ways[i]);
		vkit_expect(&kit, VERDICT_ACCEPT, "periods", CHECK_PASS);
	}
	ask("2022年以来", "2022-01-01", "", "f.year >= 2022");
	vkit_expect(&kit, VERDICT_ACCEPT, "periods", CHECK_PASS);
	ask("2023年以前", "", "2023-01-01", "f.year < 2023");
	vkit_expect(&kit, VERDICT_ACCEPT, "periods", CHECK_PASS);
	ask("2022年到2023年", "2022-01-01", "2024-01-01", "f.year IN (2021, 2023)");
	vkit_expect(&kit, VERDICT_REVISE, "periods", CHECK_FAIL);
}

static void test_a_year_after_the_data_is_declined_with_the_range(void **state)
{
	(void)state;
	ask("2024年", "2024-01-01", "2025-01-01", "f.year = 2024");
	vkit_expect(&kit, VERDICT_DECLINE, "coverage", CHECK_FAIL);
	assert_true(vkit_list_has(&kit.verdict->reasons, "2022–2023"));
	ask("2021年", "2021-01-01", "2022-01-01", "f.year = 2021");
	vkit_expect(&kit, VERDICT_DECLINE, "coverage", CHECK_FAIL);
	/* Also where the query left the year out: both lines say so. */
	ask("2024年", "2024-01-01", "2025-01-01", "f.revenue > 0");
	vkit_expect(&kit, VERDICT_DECLINE, "coverage", CHECK_FAIL);
}

static void test_a_range_that_the_data_cover_in_part_says_so(void **state)
{
	(void)state;
	ask("2020年到2023年", "2020-01-01", "2024-01-01", "f.year BETWEEN 2020 AND 2023");
	vkit_expect(&kit, VERDICT_ACCEPT, "coverage", CHECK_UNKNOWN);
	assert_true(vkit_list_has(&kit.verdict->assumptions, "2022–2023"));
}

static void test_dates_and_months_are_read_from_text_columns(void **state)
{
	(void)state;
	static const char ddl[] =
	    "CREATE TABLE orders(id INTEGER PRIMARY KEY, day TEXT, amount REAL);"
	    "INSERT INTO orders VALUES(1,'2023-02-03',5),(2,'2023-03-31',7);";
	static const struct {
		const char *from, *to, *where;
		enum check_verdict want;
	} cases[] = {
	    {"2023-03-01", "2023-04-01", "day >= '2023-03-01' AND day < '2023-04-01'", CHECK_PASS},
	    {"2023-03-01", "2023-04-01", "day BETWEEN '2023-03-01' AND '2023-03-31'", CHECK_PASS},
	    {"2023-03-01", "2023-04-01", "day LIKE '2023-03%'", CHECK_PASS},
	    {"2023-03-01", "2023-04-01", "strftime('%Y-%m', day) = '2023-03'", CHECK_PASS},
	    {"2023-03-31", "2023-04-01", "day = '2023-03-31'", CHECK_PASS},
	    {"2023-01-01", "2024-01-01", "strftime('%Y', day) = '2023'", CHECK_PASS},
	    {"2023-03-01", "2023-04-01", "day >= '2023-03-01'", CHECK_FAIL},
	    {"2023-03-01", "2023-04-01", "day BETWEEN '2023-03-01' AND '2023-03-30'", CHECK_FAIL},
	    {"2023-03-01", "2023-04-01", "day LIKE '%2023-03%'", CHECK_FAIL},
	};
	verify_kit_close(&kit);
	verify_kit_open(&kit, LANG_EN, ddl, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char sql[200];
		verify_kit_reset(&kit, LANG_EN);
		vkit_names_column(&kit, "amount", "orders.amount");
		vkit_says_period(&kit, "then", cases[i].from, cases[i].to, "orders.day");
		snprintf(sql, sizeof(sql), "SELECT amount FROM orders WHERE %s", cases[i].where);
		vkit_runs(&kit, sql);
		vkit_verify(&kit);
		if (vkit_line(&kit, "periods") != (int)cases[i].want) {
			fail_msg("%s", cases[i].where);
		}
	}
}

static void test_a_bare_year_may_be_a_number(void **state)
{
	(void)state;
	verify_kit_reset(&kit, LANG_ZH);
	vkit_names_column(&kit, "营业收入", "financials.revenue");
	vkit_says_cue(&kit, "低于", CUE_LT, 0);
	vkit_says_period(&kit, "2000", "2000-01-01", "2001-01-01", "financials.year");
	vkit_runs(&kit, "SELECT revenue FROM financials WHERE revenue < 2000");
	vkit_verify(&kit);
	assert_int_equal(vkit_line(&kit, "periods"), CHECK_PASS);
	assert_int_equal(vkit_line(&kit, "coverage"), -1);
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    KIT(test_a_year_is_used_in_every_way_of_writing_it),
	    KIT(test_another_or_no_year_does_not_pass),
	    KIT(test_a_range_of_years_is_used),
	    KIT(test_a_year_after_the_data_is_declined_with_the_range),
	    KIT(test_a_range_that_the_data_cover_in_part_says_so),
	    KIT(test_dates_and_months_are_read_from_text_columns),
	    KIT(test_a_bare_year_may_be_a_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
