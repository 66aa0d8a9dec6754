/* Questions in two steps, and calculations inside one query. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/compose_kit.h"

/* the 2023 net profit of the company with the highest oil output */
static void ask_leader(struct kit *k)
{
	kit_open(k, kit_energy);
	kit_unit(k, "production.amount", "", "unit");
	kit_years(k, "2023", "2023-01-01", "2024-01-01", "financials.year");
	kit_column(k, "net profit", "financials.net_profit");
	kit_cue(k, "of", CUE_OF, 0);
	kit_table(k, "company", "companies");
	kit_cue(k, "with", CUE_WITH, 0);
	kit_cue(k, "highest", CUE_MOST, 0);
	kit_value(k, "oil", "production.product", "oil");
	kit_column(k, "output", "production.amount");
}

static struct resultset *leaders(const char *first, const char *second)
{
	struct resultset *r = resultset_new();
	const char *names[] = {first, second};

	r->n_columns = 1;
	r->columns = arena_new_array(&r->arena, 1, struct result_column);
	r->columns[0].name = "name";
	for (size_t i = 0; i < 2 && names[i]; i++) {
		struct value *v = arena_push(&r->arena, r->cells, r->n_rows);

		*v = (struct value){.type = VALUE_TEXT, .text = names[i], .len = strlen(names[i])};
	}
	return r;
}

static void test_finds_the_leader_with_its_amount_and_unit_first(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	ask_leader(&k);
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_CANDIDATE);
	assert_true(r->more);
	assert_string_equal(r->sql,
	    "SELECT companies.name, production.amount, production.unit FROM companies JOIN production "
	    "ON production.company_id = companies.company_id WHERE production.product = 'oil' AND production.amount = (SELECT max(amount) FROM production WHERE product = 'oil')");
	compose_reply_free(r);
	kit_close(&k);
}

static void test_asks_the_measure_of_the_leader_then(void **state)
{
	struct kit k;
	struct compose_reply *r;
	struct resultset *found = leaders("P", NULL);
	struct compose_past past = {.sql = "", .result = found};

	(void)state;
	ask_leader(&k);
	r = kit_step(&k, &past, 1, 0.5);
	assert_int_equal(r->kind, COMPOSE_CANDIDATE);
	assert_false(r->more);
	assert_string_equal(r->sql,
	    "SELECT financials.net_profit FROM financials JOIN companies ON financials.company_id = "
	    "companies.company_id WHERE financials.year = 2023 AND companies.name = 'P'");
	compose_reply_free(r);
	resultset_free(found);
	kit_close(&k);
}

static void test_asks_back_when_several_lead(void **state)
{
	struct kit k;
	struct compose_reply *r;
	struct resultset *found = leaders("P", "S");
	struct compose_past past = {.sql = "", .result = found};

	(void)state;
	ask_leader(&k);
	r = kit_step(&k, &past, 1, 0.5);
	assert_int_equal(r->kind, COMPOSE_CLARIFY);
	assert_int_equal(r->options.n, 2);
	assert_string_equal(r->options.items[1], "S");
	compose_reply_free(r);
	resultset_free(found);
	kit_close(&k);
}

static void test_declines_when_nobody_leads(void **state)
{
	struct kit k;
	struct compose_reply *r;
	struct resultset *found = leaders(NULL, NULL);
	struct compose_past past = {.sql = "", .result = found};

	(void)state;
	ask_leader(&k);
	r = kit_step(&k, &past, 1, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	compose_reply_free(r);
	resultset_free(found);
	kit_close(&k);
}

static void test_stays_with_one_step_where_a_join_is_enough(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	kit_open(&k, kit_energy);
	kit_cue(&k, "Which", CUE_WHICH, 0);
	kit_table(&k, "company", "companies");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_cue(&k, "highest", CUE_MOST, 0);
	kit_column(&k, "net profit", "financials.net_profit");
	r = kit_step(&k, NULL, 0, 0);
	assert_int_equal(r->kind, COMPOSE_CANDIDATE);
	assert_false(r->more);
	compose_reply_free(r);
	kit_close(&k);
}

/* rows of oil and coal have different units: their amounts have no order */
static void test_does_not_rank_amounts_of_different_units(void **state)
{
	struct kit k;
	struct compose_reply *r;

	(void)state;
	kit_open(&k, kit_energy);
	kit_unit(&k, "production.amount", "", "unit");
	kit_cue(&k, "Which", CUE_WHICH, 0);
	kit_table(&k, "company", "companies");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_cue(&k, "highest", CUE_MOST, 0);
	kit_column(&k, "output", "production.amount");
	r = kit_step(&k, NULL, 0, 0.5);
	assert_int_equal(r->kind, COMPOSE_DECLINE);
	compose_reply_free(r);
	kit_close(&k);
}

/* difference in revenue between the two companies with the largest revenue */
static void test_subtracts_within_the_query(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	kit_cue(&k, "difference in", CUE_DIFFERENCE, 0);
	kit_years(&k, "2023", "2023-01-01", "2024-01-01", "financials.year");
	kit_column(&k, "revenue", "financials.revenue");
	kit_cue(&k, "between", CUE_BETWEEN, 0);
	kit_number(&k, "two", 2, 0, "", 0);
	kit_table(&k, "companies", "companies");
	kit_cue(&k, "with", CUE_WITH, 0);
	kit_cue(&k, "largest", CUE_MOST, 0);
	kit_column(&k, "revenue", "financials.revenue");
	assert_string_equal(kit_sql(&k),
	    "SELECT max(revenue) - min(revenue) AS difference FROM (SELECT revenue FROM financials "
	    "WHERE year = 2023 ORDER BY revenue DESC LIMIT 2) AS leaders");
	kit_close(&k);
}

/* ratio of the revenue of P to S */
static void test_divides_without_losing_the_fraction(void **state)
{
	struct kit k;

	(void)state;
	kit_open(&k, kit_energy);
	kit_cue(&k, "ratio of", CUE_RATIO, 0);
	kit_column(&k, "revenue", "financials.revenue");
	kit_cue(&k, "in", CUE_FOR, 0);
	kit_years(&k, "2023", "2023-01-01", "2024-01-01", "financials.year");
	kit_cue(&k, "of", CUE_OF, 0);
	kit_value(&k, "P", "companies.name", "P");
	kit_cue(&k, "to", CUE_FOR, 0);
	kit_value(&k, "S", "companies.name", "S");
	assert_string_equal(kit_sql(&k),
	    "SELECT CAST((SELECT financials.revenue FROM financials JOIN companies ON "
	    "financials.company_id = companies.company_id WHERE financials.year = 2023 AND companies.name = 'P') AS REAL) / (SELECT financials.revenue FROM financials JOIN companies ON financials.company_id = companies.company_id WHERE financials.year = 2023 AND companies.name = 'S') AS ratio");
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_finds_the_leader_with_its_amount_and_unit_first),
	    cmocka_unit_test(test_asks_the_measure_of_the_leader_then),
	    cmocka_unit_test(test_asks_back_when_several_lead),
	    cmocka_unit_test(test_declines_when_nobody_leads),
	    cmocka_unit_test(test_stays_with_one_step_where_a_join_is_enough),
	    cmocka_unit_test(test_does_not_rank_amounts_of_different_units),
	    cmocka_unit_test(test_subtracts_within_the_query),
	    cmocka_unit_test(test_divides_without_losing_the_fraction),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
