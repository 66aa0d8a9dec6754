/* Facts: roles, literals, joins, fan-out. */
#include "tests/unit/sql_rig.h"

enum { CUSTOMERS, ORDERS, PAYMENTS };

static void facts_of(struct sql_rig *r, const char *text, struct sql_facts *f)
{
	if (sql_rig_resolve(r, text) != 0)
		fail_msg("%s: %s", text, r->err.text);
	sql_facts(&r->arena, r->select, r->catalog, f);
}

static uint32_t roles(const struct sql_facts *f, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < f->n_columns; i++)
		if (f->columns[i].table == table && f->columns[i].column == column)
			return f->columns[i].roles;
	return UINT32_MAX;
}

static void test_tells_roles_of_columns(void **state)
{
	struct sql_facts f;
	facts_of(*state,
	    "SELECT c.country, sum(o.amount) AS s FROM customers c JOIN orders o ON o.customer_id = c.id "
	    "WHERE o.items > 2 GROUP BY c.country HAVING max(o.order_date) > '2023' ORDER BY c.name",
	    &f);
	assert_int_equal(f.n_tables, 2);
	assert_int_equal(roles(&f, CUSTOMERS, 2), SQL_ROLE_OUTPUT | SQL_ROLE_GROUP);
	assert_int_equal(roles(&f, ORDERS, 3), SQL_ROLE_OUTPUT | SQL_ROLE_AGGREGATED);
	assert_int_equal(roles(&f, ORDERS, 4), SQL_ROLE_FILTER);
	assert_int_equal(roles(&f, ORDERS, 1), SQL_ROLE_JOIN);
	assert_int_equal(roles(&f, ORDERS, 2), SQL_ROLE_HAVING | SQL_ROLE_AGGREGATED);
	assert_int_equal(roles(&f, CUSTOMERS, 1), SQL_ROLE_ORDER);
	assert_int_equal(f.n_aggregates, 2);
	assert_string_equal(f.aggregates[0].function, "sum");
	assert_true(f.aggregates[0].is_output && !f.aggregates[1].is_output);
	assert_true(f.has_group_by && f.has_having && f.has_order_by && !f.has_limit);
}

static void test_follows_columns_through_subqueries(void **state)
{
	struct sql_facts f;
	facts_of(*state,
	    "WITH q AS (SELECT name AS n, id FROM customers) SELECT s.n FROM (SELECT n FROM q) AS s "
	    "WHERE lower(s.n) = 'bob'",
	    &f);
	assert_int_equal(roles(&f, CUSTOMERS, 1), SQL_ROLE_OUTPUT | SQL_ROLE_FILTER);
	assert_int_equal(f.n_literals, 1);
	assert_int_equal(f.literals[0].table, CUSTOMERS);
	assert_int_equal(f.literals[0].column, 1);
}

static const struct sql_fact_literal *literal(const struct sql_facts *f, const char *text)
{
	for (size_t i = 0; i < f->n_literals; i++)
		if (strcmp(f->literals[i].expr->text, text) == 0)
			return &f->literals[i];
	fail_msg("no literal %s", text);
	return NULL;
}

static void test_tells_what_literals_are_compared_with(void **state)
{
	struct sql_facts f;
	facts_of(*state,
	    "SELECT count(*) FROM orders WHERE 5 < amount AND items BETWEEN 1 AND 9 AND order_date LIKE "
	    "'2023%' AND NOT customer_id IN (7, 8) AND amount > -3 GROUP BY customer_id "
	    "HAVING sum(items) >= 100",
	    &f);
	assert_int_equal(literal(&f, "5")->op, SQL_OP_GT);
	assert_int_equal(literal(&f, "5")->column, 3);
	assert_int_equal(literal(&f, "1")->op, SQL_OP_GE);
	assert_int_equal(literal(&f, "9")->op, SQL_OP_LE);
	assert_true(literal(&f, "2023%")->is_like);
	assert_int_equal(literal(&f, "7")->op, SQL_OP_EQ);
	assert_true(literal(&f, "7")->negated && !literal(&f, "5")->negated);
	assert_true(literal(&f, "3")->negative);
	assert_true(literal(&f, "100")->is_aggregate);
	assert_string_equal(literal(&f, "100")->aggregate, "sum");
	assert_int_equal(literal(&f, "100")->column, 4);
}

static void test_tells_join_edges_and_their_grain(void **state)
{
	struct sql_facts f;
	facts_of(*state, "SELECT 1 FROM orders o, customers c WHERE c.id = o.customer_id", &f);
	assert_int_equal(f.n_joins, 1);
	assert_int_equal(f.joins[0].relation, 0);
	assert_true(f.joins[0].from_table == CUSTOMERS
	        ? f.joins[0].from_unique && !f.joins[0].to_unique
	        : f.joins[0].to_unique && !f.joins[0].from_unique);
	facts_of(*state, "SELECT 1 FROM orders o JOIN customers c ON c.id = o.id", &f);
	assert_int_equal(f.joins[0].relation, -1);
	facts_of(*state, "SELECT 1 FROM orders, customers", &f);
	assert_int_equal(f.n_joins, 1);
	assert_int_equal(f.joins[0].n_columns, 0);
	facts_of(
	    *state, "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders)", &f);
	assert_int_equal(f.n_joins, 1);
	assert_true(f.joins[0].is_semi);
	assert_int_equal(f.joins[0].relation, 0);
}

static bool fans_out(struct sql_rig *r, const char *text)
{
	struct sql_facts f;
	facts_of(r, text, &f);
	for (size_t i = 0; i < f.n_scopes; i++)
		if (f.scopes[i].has_fan_out)
			return true;
	return false;
}

#define CO "FROM customers c JOIN orders o ON o.customer_id = c.id "
#define COP CO "JOIN payments p ON p.order_id = o.id "

static void test_finds_fan_out_by_keys(void **state)
{
	struct sql_rig *r = *state;
	assert_false(fans_out(r, "SELECT sum(amount) FROM orders"));
	assert_false(fans_out(r, "SELECT c.name, sum(o.amount) " CO "GROUP BY c.name"));
	assert_true(fans_out(r, "SELECT c.name, sum(o.amount) " COP "GROUP BY c.name"));
	assert_false(fans_out(r, "SELECT c.name, sum(p.paid) " COP "GROUP BY c.name"));
	assert_true(fans_out(r, "SELECT count(c.id) " CO));
	assert_false(fans_out(r, "SELECT count(DISTINCT c.id), max(c.id) " CO));
	assert_true(fans_out(r, "SELECT sum(o.amount) FROM orders o, customers"));
	/* One payment for each order and group. */
	assert_false(fans_out(r, "SELECT sum(o.amount) " COP "GROUP BY p.id"));
	assert_false(fans_out(r, "SELECT sum(o.amount) " COP "WHERE p.id = 7"));
	/* A subquery grouped by the key that it is joined by gives one row. */
	assert_false(fans_out(r,
	    "SELECT sum(o.amount) FROM orders o JOIN (SELECT order_id AS k, sum(paid) AS s "
	    "FROM payments GROUP BY order_id) q ON q.k = o.id"));
	assert_true(fans_out(r,
	    "SELECT sum(o.amount) FROM orders o JOIN (SELECT order_id AS k, paid FROM payments) q ON q.k = o.id"));
}

static void test_finds_usual_traps(void **state)
{
	struct sql_facts f;
	facts_of(*state, "SELECT items / 2 FROM orders", &f);
	assert_true(f.integer_division);
	facts_of(*state, "SELECT amount / items, 1.0 * items / 2 FROM orders", &f);
	assert_false(f.integer_division);
	facts_of(*state,
	    "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)", &f);
	assert_true(f.not_in_nullable && f.has_negation);
	facts_of(*state,
	    "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders "
	    "WHERE customer_id IS NOT NULL)",
	    &f);
	assert_false(f.not_in_nullable);
	facts_of(
	    *state, "SELECT id FROM orders WHERE id NOT IN (SELECT order_id FROM payments)", &f);
	assert_false(f.not_in_nullable);
	facts_of(*state,
	    "SELECT name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL "
	    "ORDER BY 1 DESC LIMIT 3",
	    &f);
	assert_true(f.has_negation && f.order_desc && f.has_limit);
	assert_int_equal(f.limit, 3);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, sql_rig_up, sql_rig_down)

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    TEST(test_tells_roles_of_columns),
	    TEST(test_follows_columns_through_subqueries),
	    TEST(test_tells_what_literals_are_compared_with),
	    TEST(test_tells_join_edges_and_their_grain),
	    TEST(test_finds_fan_out_by_keys),
	    TEST(test_finds_usual_traps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
