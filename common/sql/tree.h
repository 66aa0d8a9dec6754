/*
 * The tree of one SELECT statement. Parser and generators build it, names.h
 * resolves it, facts.h reads it, print.h turns it into canonical text. All
 * nodes live in one arena. Nothing here knows a catalog or a database.
 */
#ifndef NLQ_SQL_TREE_H
#define NLQ_SQL_TREE_H

#include "common/base/arena.h"

struct sql_select;
struct sql_source;

enum sql_expr_kind {
	SQL_NULL,      /* NULL */
	SQL_NUMBER,    /* text = the number as written (decimal or hex), never negative */
	SQL_STRING,    /* text, text_len = the value, unquoted */
	SQL_BLOB,      /* text = hex digits */
	SQL_KEYWORD,   /* text = CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP, TRUE, FALSE */
	SQL_COLUMN,    /* schema.table.column; `bound` after names_resolve */
	SQL_UNARY,     /* op left:  - + ~ NOT */
	SQL_BINARY,    /* left op right */
	SQL_IS_NULL,   /* left IS [NOT] NULL */
	SQL_BETWEEN,   /* left [NOT] BETWEEN args[0] AND args[1] */
	SQL_LIKE,      /* left [NOT] LIKE|GLOB|... right [ESCAPE args[0]]; text = the operator */
	SQL_IN_LIST,   /* left [NOT] IN (args) */
	SQL_IN_SELECT, /* left [NOT] IN (select) */
	SQL_EXISTS,    /* [NOT] EXISTS (select) */
	SQL_SUBQUERY,  /* (select) as a value */
	SQL_CASE,      /* CASE [left] WHEN args[0] THEN args[1] ... [ELSE right] END */
	SQL_CAST,      /* CAST(left AS text) */
	SQL_COLLATE,   /* left COLLATE text */
	SQL_CALL,      /* text(args): function, aggregate or window function */
	SQL_ROW,       /* (args): row value */
};

enum sql_op {
	SQL_OP_NONE,
	SQL_OP_OR,
	SQL_OP_AND,
	SQL_OP_NOT,
	SQL_OP_EQ,
	SQL_OP_NE,
	SQL_OP_LT,
	SQL_OP_LE,
	SQL_OP_GT,
	SQL_OP_GE,
	SQL_OP_IS,
	SQL_OP_IS_NOT, /* IS [NOT], IS [NOT] DISTINCT FROM are brought to these */
	SQL_OP_BIT_AND,
	SQL_OP_BIT_OR,
	SQL_OP_SHIFT_LEFT,
	SQL_OP_SHIFT_RIGHT,
	SQL_OP_BIT_NOT,
	SQL_OP_ADD,
	SQL_OP_SUB,
	SQL_OP_MUL,
	SQL_OP_DIV,
	SQL_OP_MOD,
	SQL_OP_CONCAT,
	SQL_OP_JSON,
	SQL_OP_JSON_TEXT, /* || -> ->> */
	SQL_OP_NEG,
	SQL_OP_POS,
};

struct sql_order_term {
	struct sql_expr *expr;
	bool desc;
	int nulls; /* 0 default, 1 FIRST, 2 LAST */
};

struct sql_frame_bound { /* of a window frame */
	enum {
		SQL_FRAME_UNBOUNDED_PRECEDING,
		SQL_FRAME_PRECEDING,
		SQL_FRAME_CURRENT_ROW,
		SQL_FRAME_FOLLOWING,
		SQL_FRAME_UNBOUNDED_FOLLOWING
	} kind;
	struct sql_expr *offset; /* PRECEDING, FOLLOWING */
};

struct sql_window {
	const char *name; /* of a WINDOW clause entry; NULL for an OVER (...) */
	const char *base; /* window that it extends; NULL */
	struct sql_expr **partition;
	size_t n_partition;
	struct sql_order_term *order;
	size_t n_order;
	bool has_frame;
	enum { SQL_FRAME_ROWS, SQL_FRAME_RANGE, SQL_FRAME_GROUPS } unit;
	struct sql_frame_bound from, to;
	enum {
		SQL_EXCLUDE_NONE,
		SQL_EXCLUDE_NO_OTHERS,
		SQL_EXCLUDE_CURRENT_ROW,
		SQL_EXCLUDE_GROUP,
		SQL_EXCLUDE_TIES
	} exclude;
};

/* What a column reference means, set by names_resolve. */
struct sql_bound {
	struct sql_source *source; /* FROM item it comes from; NULL if output or unresolved */
	int column;                /* index of the column in that source */
	bool is_output;            /* names output column `output` of its select (an alias) */
	int output;
	/* what it stands for: the output's expression, or coalesce(a.x, b.x) of a
	 * merged column of an outer join; NULL for a plain column. Not walked. */
	struct sql_expr *target;
};

struct sql_expr {
	enum sql_expr_kind kind;
	enum sql_op op;
	uint32_t line, col; /* 1-based; 0 = built, not parsed */
	const char *text;
	size_t text_len;
	const char *schema, *table; /* COLUMN qualifiers, NULL if none */
	const char *column;         /* COLUMN */
	char quote;                 /* COLUMN: how it was quoted, 0 if it was not; TRUE, FALSE: 0 */
	uint32_t height;            /* of the subtree, set by the parser, which bounds it */
	struct sql_expr *left, *right;
	struct sql_expr **args;
	size_t n_args;
	bool negated;        /* NOT IN, NOT LIKE, IS NOT NULL ... */
	bool distinct, star; /* CALL: f(DISTINCT x), count(*) */
	struct sql_order_term *order;
	size_t n_order;            /* CALL: f(x ORDER BY y) is refused by the SQLite dialect */
	struct sql_expr *filter;   /* CALL: FILTER (WHERE ...) */
	struct sql_window *over;   /* CALL: OVER (...) */
	const char *over_name;     /* CALL: OVER name */
	struct sql_select *select; /* SUBQUERY, EXISTS, IN_SELECT */
	struct sql_bound bound;    /* COLUMN */
	bool is_aggregate;         /* CALL, set by names_resolve: an aggregate, not over a window */
};

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
	int state; /* of names_resolve */
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
/* True if a parenthesised join runs without its parentheses: it is the first
 * item of its FROM, or it is joined, and joins within, by inner joins only. One
 * that keeps them makes the engine read every column of its tables. */
bool sql_source_opens(const struct sql_source *f);
/* Structural equality, positions, quoting and bindings aside; names compare
 * without case, strings exactly. */
bool sql_expr_equal(const struct sql_expr *a, const struct sql_expr *b);
bool sql_select_equal(const struct sql_select *a, const struct sql_select *b);

#endif
