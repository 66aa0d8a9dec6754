/*
 * Name resolution, shared by its files. Internal to common/sql.
 *
 * A scope is what the names of one SELECT core can mean: the FROM items (their
 * leaves, parenthesised joins opened up), then the output aliases, then the
 * scopes around it. WITH lists are a chain of their own: a CTE is resolved when
 * it is first used, in the scope around the select that owns the WITH.
 */
#ifndef NLQ_SQL_NAMES_H
#define NLQ_SQL_NAMES_H

#include "common/sql/sql.h"

struct sql_scope {
	struct sql_scope *outer;
	struct sql_core *core;
	struct sql_source **leaves;
	size_t n_leaves;
	size_t n_joined;     /* leaves that ON can name so far; beyond: an error */
	bool is_nested;      /* inside a parenthesised join */
	bool has_right_join; /* RIGHT or FULL somewhere in this FROM */
	bool aliases_visible;
	bool allow_aggregate, allow_window;
	bool has_aggregate, has_window;
	const char *clause; /* for messages: "WHERE" ... */
	uint32_t uses;      /* names that were bound here, ever */
};

struct sql_with_scope {
	struct sql_with_scope *outer;
	struct sql_select *owner;
	struct sql_scope *names; /* scope around the owner */
};

/* The CTE whose body is being resolved, innermost first. */
struct sql_cte_frame {
	struct sql_cte_frame *outer;
	struct sql_cte *cte;
	size_t core;                 /* of its select that is being resolved */
	const struct sql_select *in; /* select whose FROM is being resolved */
	size_t recursive_core;       /* first core that refers to the CTE; 0 none */
	bool core_is_recursive;
};

struct sql_names {
	struct arena *arena;
	const struct sql_dialect *dialect;
	const struct catalog *catalog;
	struct err *err;
	struct sql_with_scope *with;
	struct sql_cte_frame *frame;
	const char *table_prefix, *cte_prefix; /* of names of ours */
	unsigned n_tables, n_ctes;
	uint32_t depth;
	uint64_t work;   /* names compared so far */
	uint64_t weight; /* tables read so far, CTEs written out each time */
};

enum sql_cte_state { SQL_CTE_NEW, SQL_CTE_OPEN, SQL_CTE_DONE };

int sql_names_fail(struct sql_names *n, enum err_code code, uint32_t line, uint32_t col,
    const char *fmt, ...) NLQ_PRINTF(5, 6);

/* True, and an error is set, when a query of this size has had its share: wide
 * tables times many names would otherwise take seconds. */
bool sql_names_overworked(struct sql_names *n);

/* names_select.c */
int sql_names_select(struct sql_names *n, struct sql_select *s, struct sql_scope *outer);
/* Output names of a select from its first core. */
void sql_names_outputs(struct sql_names *n, struct sql_select *s);

/* names_from.c: resolves the FROM of a core and fills the scope's leaves. */
int sql_names_from(
    struct sql_names *n, const struct sql_select *s, struct sql_core *c, struct sql_scope *scope);
/* ON, and the arguments of table functions, once all of FROM is known. */
int sql_names_from_exprs(struct sql_names *n, struct sql_core *c, struct sql_scope *scope);
int sql_names_stars(struct sql_names *n, struct sql_core *c, struct sql_scope *scope);
/* The name that an outside query uses for column i of a source: -1 if none. */
int sql_source_find_column(const struct sql_source *f, const char *name);
bool sql_source_is_named(
    const struct sql_names *n, const struct sql_source *f, const char *schema, const char *table);
bool sql_source_merges(const struct sql_source *f, const char *column);

/* names_expr.c */
int sql_names_expr(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope);
/* The same, and the expression must be one value, not a row. */
int sql_names_scalar(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope);
int sql_names_scalars(
    struct sql_names *n, struct sql_expr **items, size_t count, struct sql_scope *scope);
int sql_names_window(struct sql_names *n, struct sql_window *w, struct sql_scope *scope);
/* Refuses a COLLATE of a collation that the engine does not have. */
int sql_names_collation(struct sql_names *n, const struct sql_expr *x);
/* Number of values of a resolved expression (rows and subqueries). */
size_t sql_expr_width(const struct sql_expr *x);
/* True if an aggregate (not over a window), or a window function, is part of it,
 * subqueries aside. */
bool sql_expr_has_aggregate(const struct sql_expr *x);
bool sql_expr_has_window(const struct sql_expr *x);

/* names_column.c: binds a COLUMN node; sql_names_try does so without an error:
 * 0 bound, 1 not found, ERR_AMBIGUOUS_COLUMN (error set). */
int sql_names_column(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope);
int sql_names_try(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope, bool only_this);
/* Output of the core whose alias it is, -1 if none. */
int sql_names_alias(const struct sql_core *c, const char *name);

/* names_error.c: what is wrong and what is near. */
int sql_names_unknown_table(struct sql_names *n, const struct sql_source *f);
int sql_names_unknown_column(
    struct sql_names *n, const struct sql_expr *x, const struct sql_scope *scope);
int sql_names_unknown_function(struct sql_names *n, const struct sql_expr *x);

#endif
