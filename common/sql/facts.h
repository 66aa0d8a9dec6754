/*
 * What a resolved query does, as plain facts: the verifier holds them against
 * the question, the executor against the engine's own report. Computed from
 * the tree alone; nothing that a generator says about its SQL is used.
 */
#ifndef NLQ_SQL_FACTS_H
#define NLQ_SQL_FACTS_H

#include "common/model/catalog.h"
#include "common/sql/tree.h"

enum sql_role { /* bit set: where a column is used */
	SQL_ROLE_OUTPUT = 1,
	SQL_ROLE_FILTER = 2,
	SQL_ROLE_GROUP = 4,
	SQL_ROLE_ORDER = 8,
	SQL_ROLE_JOIN = 16,
	SQL_ROLE_HAVING = 32,
	SQL_ROLE_AGGREGATED = 64,
};

struct sql_fact_column {
	uint32_t table, column;
	uint32_t roles;
};

struct sql_fact_aggregate {
	const char *function; /* lower case */
	bool distinct, star;
	uint32_t table, column; /* UINT32_MAX if the argument is no plain column */
	bool is_output;
};

struct sql_fact_literal {
	const struct sql_expr *expr; /* NUMBER, STRING ... */
	bool negative;
	uint32_t table, column; /* column that it is compared with; UINT32_MAX if none */
	enum sql_op
	    op; /* SQL_OP_EQ, LT ...; IN gives EQ; BETWEEN gives GE and LE; LIKE gives NONE */
	bool is_like, negated;
	bool is_aggregate;     /* compared with an aggregate of that column (HAVING) */
	const char *aggregate; /* its function, NULL */
};

struct sql_fact_join {
	uint32_t from_table, to_table; /* catalog tables */
	uint32_t *from_columns, *to_columns;
	size_t n_columns;            /* 0: joined with no equality of columns */
	int relation;                /* index of the catalog relation it follows, -1 if none */
	bool from_unique, to_unique; /* the columns contain a unique key of that side */
	bool is_semi;                /* x IN (SELECT y), or equality with an outer query's column:
	                            * rows are kept or dropped, never multiplied */
};

struct sql_fact_scope {         /* one core with aggregation */
	bool has_fan_out;       /* a sum/avg/count(col) reads a table multiplied by a later join */
	uint32_t fan_out_table; /* the table whose rows multiply; UINT32_MAX: a subquery */
	const char *function;   /* the aggregate that is too high, NULL */
	uint32_t table, column; /* what it reads */
};

struct sql_facts {
	uint32_t *tables;
	size_t n_tables; /* catalog tables read, no duplicates */
	struct sql_fact_column *columns;
	size_t n_columns;
	struct sql_fact_aggregate *aggregates;
	size_t n_aggregates;
	struct sql_fact_literal *literals;
	size_t n_literals;
	struct sql_fact_join *joins;
	size_t n_joins;
	struct sql_fact_scope *scopes;
	size_t n_scopes;
	bool has_group_by, has_order_by, has_limit, has_distinct, has_set_op, has_negation;
	bool has_window, has_subquery, has_having;
	uint64_t limit;  /* of the outermost select; 0 if none or no number */
	bool order_desc; /* first term of the outermost ORDER BY */
	size_t n_group_by, n_outputs;
	bool integer_division; /* / between two integer columns, counts or literals */
	bool not_in_nullable;  /* NOT IN (select of a column that may be NULL) */
};

/* Roles are those of the outermost select; a column that reaches it through a
 * subquery in FROM or a CTE as a plain column has the roles of both places.
 *
 * Reads a tree that sql_resolve has resolved against c. Everything lives in
 * the arena. Never fails. */
void sql_facts(
    struct arena *a, struct sql_select *s, const struct catalog *c, struct sql_facts *ret_facts);

#endif
