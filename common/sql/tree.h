/*
 * The tree of one SELECT statement. Parser and generators build it, names.h
 * resolves it, facts.h reads it, print.h turns it into canonical text. All
 * nodes live in one arena. Nothing here knows a catalog or a database.
 */
#ifndef NLQ_SQL_TREE_H
#define NLQ_SQL_TREE_H

#include "common/sql/expr.h"

struct sql_output {            /* one item of the select list */
	struct sql_expr *expr; /* NULL for a star */
	bool star;             /* * or table.* */
	const char *star_table;
	const char *alias; /* as the author wrote it, NULL if none */
	const char *span;  /* the author's text of expr, NULL if built */
	size_t span_len;
	/* set by names_resolve on what a star became: the star's place in the list
	 * as written, 1-based (0: no star) and its table */
	uint32_t from_star;
};

enum sql_join {
	SQL_JOIN_FIRST,
	SQL_JOIN_COMMA,
	SQL_JOIN_INNER,
	SQL_JOIN_CROSS,
	SQL_JOIN_LEFT,
	SQL_JOIN_RIGHT,
	SQL_JOIN_FULL
};
enum sql_source_kind {
	SQL_SOURCE_TABLE,
	SQL_SOURCE_SELECT,
	SQL_SOURCE_CTE,
	SQL_SOURCE_FUNCTION,
	SQL_SOURCE_NESTED /* (a JOIN b ...): its parts are visible as themselves */
};

struct sql_source {                /* one item of FROM, with how it is joined to those before it */
	enum sql_source_kind kind; /* TABLE until names_resolve finds a CTE */
	enum sql_join join;
	bool natural;
	const char *schema, *name; /* TABLE, CTE, FUNCTION */
	const char *alias;         /* NULL if none */
	uint32_t line, col;
	struct sql_select *select; /* SELECT: the subquery */
	struct sql_expr **args;
	size_t n_args; /* FUNCTION, e.g. json_each(x) */
	struct sql_source **from;
	size_t n_from;       /* NESTED */
	struct sql_expr *on; /* NULL if none; names_resolve fills it for NATURAL and USING */
	const char **using;
	size_t n_using;
	uint32_t height; /* as in sql_expr */
	/* set by names_resolve */
	int table;           /* TABLE: index in the catalog */
	struct sql_cte *cte; /* CTE */
	const char **columns;
	size_t n_columns; /* names it exposes */
	const char **merged;
	size_t n_merged;           /* columns joined by USING or NATURAL */
	enum sql_join merged_join; /* the join that merged them */
	const char *print_name;    /* name of ours in the SQL that runs */
	const char *print_schema;  /* TABLE: schema in the SQL that runs */
};

struct sql_core { /* one SELECT core or VALUES of a compound */
	bool distinct;
	struct sql_output *outputs;
	size_t n_outputs;
	struct sql_source **from;
	size_t n_from;
	struct sql_expr *where;
	struct sql_expr **group_by;
	size_t n_group_by;
	struct sql_expr *having;
	struct sql_window **windows;
	size_t n_windows;
	struct sql_expr ***values;
	size_t n_values, n_value_columns; /* VALUES (..),(..) */
	enum {
		SQL_SET_NONE,
		SQL_SET_UNION,
		SQL_SET_UNION_ALL,
		SQL_SET_INTERSECT,
		SQL_SET_EXCEPT
	} set_op; /* joins it to the core before it */
};

struct sql_cte {
	const char *name;
	const char **columns;
	size_t n_columns;
	int materialized; /* 0 unsaid, 1 MATERIALIZED, 2 NOT MATERIALIZED */
	struct sql_select *select;
	uint32_t line, col;
	/* set by names_resolve */
	bool used, is_recursive;
	const char **output_names;
	size_t n_outputs; /* columns that it exposes */
	const char *print_name;
	int state;       /* of names_resolve */
	uint64_t weight; /* tables read when it is written out in full */
};

struct sql_select {
	bool recursive;
	struct sql_cte **ctes;
	size_t n_ctes;
	struct sql_core **cores;
	size_t n_cores; /* >= 1, left to right */
	struct sql_order_term *order;
	size_t n_order;
	struct sql_expr *limit, *offset;
	uint32_t height; /* as in sql_expr */
	/* set by names_resolve: output names of the whole select */
	const char **output_names;
	size_t n_outputs;
};

/* Pre-order walk over every expression, including those of subqueries, CTEs
 * and FROM; visit returning nonzero stops the walk and is returned. */
int sql_walk(struct sql_select *s, int (*visit)(struct sql_expr *e, void *arg), void *arg);
/* The same for one expression. */
int sql_walk_expr(struct sql_expr *x, int (*visit)(struct sql_expr *e, void *arg), void *arg);
/* True if a parenthesised join runs without its parentheses: it is the first
 * item of its FROM, or it is joined, and joins within, by inner joins only. One
 * that keeps them makes the engine read every column of its tables. */
bool sql_source_opens(const struct sql_source *f);
/* Structural equality, positions, quoting and bindings aside; names compare
 * without case, strings exactly. */
bool sql_expr_equal(const struct sql_expr *a, const struct sql_expr *b);
bool sql_select_equal(const struct sql_select *a, const struct sql_select *b);

#endif
