/*
 * Node makers, called by the grammar's actions, and the lists that they build.
 * Internal to common/sql.
 */
#ifndef NLQ_SQL_NODE_H
#define NLQ_SQL_NODE_H

#include "common/sql/parse.h"

struct sql_name_list {
	const char **items;
	size_t n;
};
struct sql_expr_list {
	struct sql_expr **items;
	size_t n;
	uint32_t height;
};
struct sql_order_list {
	struct sql_order_term *items;
	size_t n;
	uint32_t height;
};
struct sql_source_list {
	struct sql_source **items;
	size_t n;
	uint32_t height;
};
struct sql_output_list {
	struct sql_output *items;
	size_t n;
	uint32_t height;
};
struct sql_values_list {
	struct sql_expr ***items;
	size_t n, n_columns;
	uint32_t height;
};
struct sql_cte_list {
	struct sql_cte **items;
	size_t n;
	uint32_t height;
	bool recursive;
};
struct sql_window_list {
	struct sql_window **items;
	size_t n;
	uint32_t height;
};
struct sql_join_op {
	enum sql_join join;
	bool natural;
};
struct sql_on_using {
	struct sql_expr *on;
	struct sql_name_list using;
};
struct sql_limit {
	struct sql_expr *limit, *offset;
};
struct sql_over {
	struct sql_expr *filter;
	struct sql_window *window;
	const char *name;
};
/* NOT is in `negated`; op is the word. */
struct sql_like_op {
	struct sql_token op;
	bool negated;
};

const char *sql_node_name(struct sql_parser *p, const struct sql_token *t);
struct sql_expr *sql_node_literal(
    struct sql_parser *p, enum sql_expr_kind kind, const struct sql_token *t);
struct sql_expr *sql_node_column(struct sql_parser *p, const struct sql_token *schema,
    const struct sql_token *table, const struct sql_token *column);
struct sql_expr *sql_node_unary(
    struct sql_parser *p, enum sql_op op, const struct sql_token *t, struct sql_expr *x);
struct sql_expr *sql_node_binary(
    struct sql_parser *p, enum sql_op op, struct sql_expr *l, struct sql_expr *r);
/* The operator of a comparison or arithmetic token. */
enum sql_op sql_node_op(int token, const struct sql_token *t);
struct sql_expr *sql_node_is_null(struct sql_parser *p, struct sql_expr *x, bool negated);
struct sql_expr *sql_node_between(struct sql_parser *p, struct sql_expr *x, struct sql_expr *lo,
    struct sql_expr *hi, bool negated);
struct sql_expr *sql_node_like(struct sql_parser *p, struct sql_expr *x, struct sql_like_op op,
    struct sql_expr *pattern, struct sql_expr *escape);
struct sql_expr *sql_node_in_list(
    struct sql_parser *p, struct sql_expr *x, struct sql_expr_list items, bool negated);
struct sql_expr *sql_node_select(struct sql_parser *p, enum sql_expr_kind kind,
    const struct sql_token *t, struct sql_expr *x, struct sql_select *s, bool negated);
struct sql_expr *sql_node_case(struct sql_parser *p, const struct sql_token *t,
    struct sql_expr *operand, struct sql_expr_list whens, struct sql_expr *otherwise);
struct sql_expr *sql_node_cast(
    struct sql_parser *p, const struct sql_token *t, struct sql_expr *x, const char *type);
struct sql_expr *sql_node_collate(
    struct sql_parser *p, struct sql_expr *x, const struct sql_token *name);
struct sql_expr *sql_node_call(struct sql_parser *p, const struct sql_token *name, bool distinct,
    bool star, struct sql_expr_list args);
struct sql_expr *sql_node_over(struct sql_parser *p, struct sql_expr *call, struct sql_over over);
struct sql_expr *sql_node_row(
    struct sql_parser *p, const struct sql_token *t, struct sql_expr_list items);
/* Type name: the words as written, with one space between them. */
const char *sql_node_type(
    struct sql_parser *p, const char *left, const struct sql_token *t, const char *between);

void sql_list_add(struct sql_parser *p, struct sql_expr_list *l, struct sql_expr *x);
void sql_order_add(
    struct sql_parser *p, struct sql_order_list *l, struct sql_expr *x, int desc, int nulls);
void sql_names_add(struct sql_parser *p, struct sql_name_list *l, const struct sql_token *t);
void sql_output_add(struct sql_parser *p, struct sql_output_list *l, struct sql_expr *x,
    const char *alias, const char *start, const char *end);
void sql_output_star(
    struct sql_parser *p, struct sql_output_list *l, const struct sql_token *table);
void sql_values_add(struct sql_parser *p, struct sql_values_list *l, struct sql_expr_list row);
void sql_cte_add(struct sql_parser *p, struct sql_cte_list *l, const struct sql_token *name,
    struct sql_name_list columns, int materialized, struct sql_select *s);
void sql_window_add(struct sql_parser *p, struct sql_window_list *l, const struct sql_token *name,
    struct sql_window *w);

struct sql_join_op sql_node_join(struct sql_parser *p, const struct sql_token *a,
    const struct sql_token *b, const struct sql_token *c);
struct sql_source *sql_node_table(struct sql_parser *p, const struct sql_token *schema,
    const struct sql_token *name, const char *alias);
struct sql_source *sql_node_function(struct sql_parser *p, const struct sql_token *name,
    struct sql_expr_list args, const char *alias);
struct sql_source *sql_node_from_select(
    struct sql_parser *p, const struct sql_token *t, struct sql_select *s, const char *alias);
struct sql_source *sql_node_nested(struct sql_parser *p, const struct sql_token *t,
    struct sql_source_list inner, const char *alias);
void sql_source_add(struct sql_parser *p, struct sql_source_list *l, struct sql_join_op op,
    struct sql_source *f, struct sql_on_using on);
struct sql_window *sql_node_window(struct sql_parser *p, const struct sql_token *base,
    struct sql_expr_list partition, struct sql_order_list order, struct sql_window *frame);

struct sql_core_parts {
	bool distinct;
	struct sql_output_list outputs;
	struct sql_source_list from;
	struct sql_expr *where, *having;
	struct sql_expr_list group_by;
	struct sql_window_list windows;
	struct sql_order_list order;
	struct sql_limit limit;
};
struct sql_select *sql_node_core(struct sql_parser *p, const struct sql_core_parts *c);
struct sql_select *sql_node_values(struct sql_parser *p, struct sql_values_list v);
struct sql_select *sql_node_compound(struct sql_parser *p, struct sql_select *l, int set_op,
    const struct sql_token *op, struct sql_select *r);
struct sql_select *sql_node_with(
    struct sql_parser *p, struct sql_cte_list ctes, struct sql_select *s);
/* x IN name: the same as x IN (SELECT * FROM name). */
struct sql_select *sql_node_in_source(struct sql_parser *p, struct sql_source *f);

#endif
