/* Why a query has no rows: the counting query and what is told of its counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

#include "orchestrator/explain_empty.h"

static struct arena arena;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static const char *tell(const struct explain_plan *plan, const int64_t *counts, bool is_chinese)
{
	struct resultset r = {.n_rows = 1, .n_columns = 1 + 2 * plan->n};

	r.cells = arena_new_array(&arena, r.n_columns, struct value);
	for (size_t i = 0; i < r.n_columns; i++)
		r.cells[i] = (struct value){.type = VALUE_INT, .i = counts[i]};
	return explain_empty_tell(&arena, plan, &r, is_chinese);
}

static void test_counts_each_condition_alone_and_in_turn(void **state)
{
	struct explain_plan plan;

	(void)state;
	assert_true(explain_empty_plan(&arena,
	    "SELECT name FROM singer WHERE age > 90 AND country = 'France' ORDER BY name LIMIT 3",
	    &plan));
	assert_int_equal(plan.n, 2);
	assert_string_equal(plan.conditions[0], "age > 90");
	assert_non_null(strstr(plan.sql, "count(*) FILTER (WHERE age > 90)"));
	assert_non_null(strstr(plan.sql, "age > 90 AND country = 'France'"));
	/* Nothing of the original's outputs, order or limit is left. */
	assert_null(strstr(plan.sql, "name"));
	assert_null(strstr(plan.sql, "LIMIT"));
}

static void test_names_the_condition_that_no_row_satisfies(void **state)
{
	static const int64_t counts[] = {4, 0, 0, 2, 0};
	struct explain_plan plan;

	(void)state;
	assert_true(explain_empty_plan(
	    &arena, "SELECT name FROM singer WHERE age > 90 AND country = 'France'", &plan));
	assert_string_equal(tell(&plan, counts, false), "no row satisfies age > 90");
	assert_non_null(strstr(tell(&plan, counts, true), "age > 90"));
}

static void test_names_the_condition_after_which_none_is_left(void **state)
{
	static const int64_t counts[] = {4, 1, 1, 2, 0};
	struct explain_plan plan;

	(void)state;
	assert_true(explain_empty_plan(
	    &arena, "SELECT name FROM singer WHERE age > 90 AND country = 'France'", &plan));
	assert_non_null(strstr(tell(&plan, counts, false), "with country = 'France' none is left"));
}

static void test_says_when_the_tables_are_empty(void **state)
{
	static const int64_t counts[] = {0};
	struct explain_plan plan;

	(void)state;
	assert_true(explain_empty_plan(&arena, "SELECT name FROM singer", &plan));
	assert_non_null(strstr(tell(&plan, counts, false), "no rows"));
}

static void test_leaves_shapes_alone_that_it_does_not_cover(void **state)
{
	struct explain_plan plan;

	(void)state;
	assert_false(explain_empty_plan(&arena, "SELECT 1 UNION SELECT 2", &plan));
	assert_false(explain_empty_plan(&arena, "SELECT 1", &plan));
	assert_false(explain_empty_plan(&arena, "no SQL at all", &plan));
}

static void test_looks_at_a_bounded_number_of_conditions(void **state)
{
	struct explain_plan plan;

	(void)state;
	assert_true(explain_empty_plan(&arena,
	    "SELECT x FROM t WHERE a=1 AND b=2 AND c=3 AND d=4"
	    " AND e=5 AND f=6 AND g=7 AND h=8",
	    &plan));
	assert_int_equal(plan.n, EXPLAIN_MAX);
	assert_true(plan.has_more);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_counts_each_condition_alone_and_in_turn),
	    TEST(test_names_the_condition_that_no_row_satisfies),
	    TEST(test_names_the_condition_after_which_none_is_left),
	    TEST(test_says_when_the_tables_are_empty),
	    TEST(test_leaves_shapes_alone_that_it_does_not_cover),
	    TEST(test_looks_at_a_bounded_number_of_conditions),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
