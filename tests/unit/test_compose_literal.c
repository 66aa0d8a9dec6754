/* Numbers in the unit of the column, and periods as the column tells time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sql_agent/compose/literal.h"
#include "tests/lib/compose_kit.h"

static void test_writes_decimals_exactly(void **state)
{
	struct arena a = ARENA_INIT;

	(void)state;
	assert_string_equal(literal_decimal(&a, 1, 0), "1");
	assert_string_equal(literal_decimal(&a, 15, -1), "1.5");
	assert_string_equal(literal_decimal(&a, 15, -4), "0.0015");
	assert_string_equal(literal_decimal(&a, 1, 12), "1000000000000");
	assert_string_equal(literal_decimal(&a, -25, -2), "-0.25");
	assert_string_equal(literal_decimal(&a, 100000000, -8), "1");
	assert_string_equal(literal_decimal(&a, 0, 5), "0");
	assert_string_equal(literal_decimal(&a, INT64_MIN, 0), "-9223372036854775808");
	arena_done(&a);
}

static void convert(const char *unit, struct quantity q, enum literal_unit want, const char *text)
{
	struct arena a = ARENA_INIT;
	struct ir_literal l = {0};

	assert_int_equal(literal_in_unit(&a, unit, &q, &l), want);
	if (text)
		assert_string_equal(l.text, text);
	arena_done(&a);
}

static void test_converts_a_quantity_into_the_unit_of_the_column(void **state)
{
	(void)state;
	convert("亿元",
	    (struct quantity){.digits = 1, .unit = "亿元", .base = "元", .magnitude = 8},
	    LITERAL_CONVERTED, "1");
	convert("亿元",
	    (struct quantity){.digits = 1, .unit = "万亿元", .base = "元", .magnitude = 12},
	    LITERAL_CONVERTED, "10000");
	convert("亿元",
	    (struct quantity){
	        .digits = 15, .scale = 1, .unit = "million yuan", .base = "元", .magnitude = 6},
	    LITERAL_CONVERTED, "0.015");
	convert("万吨",
	    (struct quantity){.digits = 1, .unit = "亿桶", .base = "桶", .magnitude = 8},
	    LITERAL_MISMATCH, NULL);
}

static void test_takes_a_bare_number_as_the_column_counts(void **state)
{
	(void)state;
	convert("亿元", (struct quantity){.digits = 500, .unit = "", .base = ""}, LITERAL_ASSUMED,
	    "500");
	convert("", (struct quantity){.digits = 5, .unit = "million", .base = "", .magnitude = 6},
	    LITERAL_AS_WRITTEN, "5000000");
}

struct periods {
	struct kit k;
	struct view *v;
	struct ir_condition *list;
	size_t n;
};

static bool period(
    struct periods *p, const char *ddl, const char *column, const char *from, const char *to)
{
	struct period when = {.start = 0};
	uint32_t t, c;

	memset(p, 0, sizeof(*p));
	kit_open(&p->k, ddl);
	p->v = view_new(&p->k.arena, p->k.g);
	strcpy(when.from, from);
	strcpy(when.to, to);
	c = kit_column_index(&p->k, column, &t);
	return literal_period(&p->k.arena, p->v, t, c, &when, 0, &p->list, &p->n);
}

static void test_asks_years_of_a_column_of_years(void **state)
{
	struct periods p;

	(void)state;
	assert_true(period(&p, kit_energy, "financials.year", "2023-01-01", "2024-01-01"));
	assert_int_equal(p.n, 1);
	assert_int_equal(p.list[0].test, IR_EQ);
	assert_string_equal(p.list[0].low.text, "2023");
	kit_close(&p.k);
	assert_true(period(&p, kit_energy, "financials.year", "2021-01-01", "2024-01-01"));
	assert_int_equal(p.list[0].test, IR_BETWEEN);
	assert_string_equal(p.list[0].high.text, "2023");
	kit_close(&p.k);
	assert_true(period(&p, kit_energy, "financials.year", "2022-01-01", ""));
	assert_int_equal(p.list[0].test, IR_GE);
	kit_close(&p.k);
	assert_true(period(&p, kit_energy, "financials.year", "", "2022-01-01"));
	assert_int_equal(p.list[0].test, IR_LE);
	assert_string_equal(p.list[0].low.text, "2021");
	kit_close(&p.k);
}

static void test_refuses_a_month_of_a_column_of_years(void **state)
{
	struct periods p;

	(void)state;
	assert_false(period(&p, kit_energy, "financials.year", "2023-03-01", "2023-04-01"));
	kit_close(&p.k);
}

static void test_asks_a_half_open_range_of_a_column_of_dates(void **state)
{
	struct periods p;

	(void)state;
	assert_true(period(&p,
	    "CREATE TABLE o (id INTEGER PRIMARY KEY, placed TEXT);"
	    "INSERT INTO o VALUES (1,'2020-01-05'),(2,'2021-07-01 10:00:00');",
	    "o.placed", "2021-07-01", "2021-08-01"));
	assert_int_equal(p.n, 2);
	assert_int_equal(p.list[0].test, IR_GE);
	assert_int_equal(p.list[1].test, IR_LT);
	assert_string_equal(p.list[1].low.text, "2021-08-01");
	assert_false(p.list[1].low.is_number);
	kit_close(&p.k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_writes_decimals_exactly),
	    cmocka_unit_test(test_converts_a_quantity_into_the_unit_of_the_column),
	    cmocka_unit_test(test_takes_a_bare_number_as_the_column_counts),
	    cmocka_unit_test(test_asks_years_of_a_column_of_years),
	    cmocka_unit_test(test_refuses_a_month_of_a_column_of_years),
	    cmocka_unit_test(test_asks_a_half_open_range_of_a_column_of_dates),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
