/* Times as people write them; today is 2026-11-30, a Monday. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/text/calendar.h"
#include "common/text/period.h"

#define TODAY "2026-11-30"

static void assert_period(const char *text, const char *from, const char *to, const char *rest)
{
	struct period_found f;

	if (!period_parse(text, 0, TODAY, &f))
		fail_msg("no period in %s", text);
	assert_string_equal(f.period.from, from);
	assert_string_equal(f.period.to, to);
	assert_string_equal(text + f.period.len, rest);
}

static void assert_no_period(const char *text)
{
	struct period_found f;

	if (period_parse(text, 0, TODAY, &f))
		fail_msg("%s is no period", text);
}

static void test_reads_years(void **state)
{
	(void)state;
	assert_period("2023", "2023-01-01", "2024-01-01", "");
	assert_period("2023年营业", "2023-01-01", "2024-01-01", "营业");
	assert_period("the year 2014?", "2014-01-01", "2015-01-01", "?");
	assert_period("二〇二三年", "2023-01-01", "2024-01-01", "");
	assert_period("FY2023", "2023-01-01", "2024-01-01", "");
	assert_period("1990s", "1990-01-01", "2000-01-01", "");
}

static void test_takes_no_quantity_for_a_year(void **state)
{
	(void)state;
	assert_no_period("2000元");
	assert_no_period("2000 yuan");
	assert_no_period("2000.5");
	assert_no_period("2000个");
	assert_no_period("3000");
	assert_no_period("20230");
	assert_no_period("12");
}

static void test_reads_quarters_months_and_days(void **state)
{
	(void)state;
	assert_period("2023年第一季度", "2023-01-01", "2023-04-01", "");
	assert_period("2023年三季度", "2023-07-01", "2023-10-01", "");
	assert_period("Q1 2023", "2023-01-01", "2023-04-01", "");
	assert_period("2023Q4", "2023-10-01", "2024-01-01", "");
	assert_period("the first quarter of 2023", "2023-01-01", "2023-04-01", "");
	assert_period("2023年上半年", "2023-01-01", "2023-07-01", "");
	assert_period("2023年前三季度", "2023-01-01", "2023-10-01", "");
	assert_period("March 2023", "2023-03-01", "2023-04-01", "");
	assert_period("March 15, 2023", "2023-03-15", "2023-03-16", "");
	assert_period("15 March 2023", "2023-03-15", "2023-03-16", "");
	assert_period("2023年3月15日", "2023-03-15", "2023-03-16", "");
	assert_period("2024-02-29", "2024-02-29", "2024-03-01", "");
	assert_no_period("2023-02-29");
	assert_no_period("2023-13");
}

static void test_reads_ranges(void **state)
{
	(void)state;
	assert_period("2021-2023", "2021-01-01", "2024-01-01", "");
	assert_period("2021年到2023年各年", "2021-01-01", "2024-01-01", "各年");
	assert_period("between 2021 and 2023", "2021-01-01", "2024-01-01", "");
	assert_period("from 2021 to 2023", "2021-01-01", "2024-01-01", "");
	assert_period("2021年至2023年期间", "2021-01-01", "2024-01-01", "");
	assert_period("2023年1月至3月", "2023-01-01", "2023-04-01", "");
	assert_period("2021 and 2023", "2021-01-01", "2022-01-01", " and 2023");
}

static void test_reads_open_ranges(void **state)
{
	(void)state;
	assert_period("since 2022", "2022-01-01", "", "");
	assert_period("after 2010", "2011-01-01", "", "");
	assert_period("before 2015", "", "2015-01-01", "");
	assert_period("before the year of 2010", "", "2010-01-01", "");
	assert_period("2014 or after?", "2014-01-01", "", "?");
	assert_period("2010年之后", "2011-01-01", "", "");
	assert_period("2010年以来", "2010-01-01", "", "");
	assert_period("2010年之前", "", "2010-01-01", "");
	assert_period("before 1948 or after 1949", "", "1948-01-01", " or after 1949");
	assert_no_period("from 2023 revenue");
}

static void test_takes_top_n_for_no_open_range(void **state)
{
	(void)state;
	assert_period("2023年前三名", "2023-01-01", "2024-01-01", "前三名");
	assert_period("2023年后两位", "2023-01-01", "2024-01-01", "后两位");
}

static void test_reads_relative_times(void **state)
{
	(void)state;
	assert_period("last year", "2025-01-01", "2026-01-01", "");
	assert_period("去年", "2025-01-01", "2026-01-01", "");
	assert_period("去年三季度", "2025-07-01", "2025-10-01", "");
	assert_period("this month", "2026-11-01", "2026-12-01", "");
	assert_period("上个月", "2026-10-01", "2026-11-01", "");
	assert_period("上季度", "2026-07-01", "2026-10-01", "");
	assert_period("近30天", "2026-11-01", "2026-12-01", "");
	assert_period("the last 3 years", "2023-01-01", "2026-01-01", "");
	assert_period("最近三年各", "2023-01-01", "2026-01-01", "各");
	assert_period("past two quarters", "2026-04-01", "2026-10-01", "");
	assert_period("last week", "2026-11-23", "2026-11-30", "");
	assert_period("yesterday", "2026-11-29", "2026-11-30", "");
	assert_period("上半年", "2026-01-01", "2026-07-01", "");
}

static void test_marks_relative_and_bare_ones(void **state)
{
	struct period_found f;

	(void)state;
	assert_true(period_parse("last year", 0, TODAY, &f) && f.period.relative && !f.bare);
	assert_true(period_parse("2000", 0, TODAY, &f) && f.bare && !f.period.relative);
	assert_true(period_parse("2000年", 0, TODAY, &f) && !f.bare);
	assert_int_equal(f.period.grain, GRAIN_YEAR);
}

static void test_refuses_a_broken_today(void **state)
{
	struct period_found f;

	(void)state;
	assert_false(period_parse("last year", 0, "2026-13-01", &f));
	assert_false(period_parse("last year", 0, "", &f));
}

static void test_shifts_dates_over_month_ends_and_leap_days(void **state)
{
	struct date d = {2024, 2, 29};
	char out[11];

	(void)state;
	date_print(date_add_days(d, 1), out);
	assert_string_equal(out, "2024-03-01");
	date_print(date_add_months(d, 12), out);
	assert_string_equal(out, "2025-02-28");
	date_print(date_add_days((struct date){2000, 3, 1}, -1), out);
	assert_string_equal(out, "2000-02-29");
	assert_int_equal(date_weekday((struct date){2026, 11, 30}), 0);
	assert_int_equal(date_weekday((struct date){2000, 1, 1}), 5);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_years),
	    cmocka_unit_test(test_takes_no_quantity_for_a_year),
	    cmocka_unit_test(test_reads_quarters_months_and_days),
	    cmocka_unit_test(test_reads_ranges),
	    cmocka_unit_test(test_reads_open_ranges),
	    cmocka_unit_test(test_takes_top_n_for_no_open_range),
	    cmocka_unit_test(test_reads_relative_times),
	    cmocka_unit_test(test_marks_relative_and_bare_ones),
	    cmocka_unit_test(test_refuses_a_broken_today),
	    cmocka_unit_test(test_shifts_dates_over_month_ends_and_leap_days),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
