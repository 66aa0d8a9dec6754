/* Expressions and windows of a tree; see tree.h, which includes this. */
#ifndef NLQ_SQL_EXPR_H
#define NLQ_SQL_EXPR_H

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

#endif
