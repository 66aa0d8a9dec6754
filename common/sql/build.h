/* Constructors for trees: how every generator makes SQL. Strings are copied
 * into the arena. No SQL is ever made by pasting text. */
#ifndef NLQ_SQL_BUILD_H
#define NLQ_SQL_BUILD_H

#include "common/model/value.h"
#include "common/sql/tree.h"

struct sql_select *sql_build_select(struct arena *a); /* with one empty core */
struct sql_core *sql_build_core(
    struct arena *a, struct sql_select *s, int set_op); /* appends a core */
/* FROM item; on is NULL for the first. Returns it. */
struct sql_source *sql_build_from(struct arena *a, struct sql_core *c, enum sql_join join,
    const char *table, const char *alias, struct sql_expr *on);
struct sql_source *sql_build_from_select(struct arena *a, struct sql_core *c, enum sql_join join,
    struct sql_select *sub, const char *alias, struct sql_expr *on);
struct sql_cte *sql_build_cte(
    struct arena *a, struct sql_select *s, const char *name, struct sql_select *sub);
void sql_build_output(struct arena *a, struct sql_core *c, struct sql_expr *x, const char *alias);
void sql_build_where(
    struct arena *a, struct sql_core *c, struct sql_expr *x); /* ANDed to what is there */
void sql_build_having(struct arena *a, struct sql_core *c, struct sql_expr *x); /* ANDed */
void sql_build_group(struct arena *a, struct sql_core *c, struct sql_expr *x);
void sql_build_order(struct arena *a, struct sql_select *s, struct sql_expr *x, bool desc);
void sql_build_limit(struct arena *a, struct sql_select *s, uint64_t n);

struct sql_expr *sql_build_column(struct arena *a, const char *table_or_alias, const char *column);
struct sql_expr *sql_build_value(
    struct arena *a, const struct value *v); /* negative numbers become - n */
struct sql_expr *sql_build_string(struct arena *a, const char *s);
struct sql_expr *sql_build_int(struct arena *a, int64_t n);
struct sql_expr *sql_build_number(struct arena *a, const char *decimal); /* "0.5", "-3" */
struct sql_expr *sql_build_unary(struct arena *a, enum sql_op op, struct sql_expr *x);
struct sql_expr *sql_build_binary(
    struct arena *a, enum sql_op op, struct sql_expr *l, struct sql_expr *r);
struct sql_expr *sql_build_and(
    struct arena *a, struct sql_expr *l, struct sql_expr *r); /* either may be NULL */
struct sql_expr *sql_build_or(
    struct arena *a, struct sql_expr *l, struct sql_expr *r); /* either may be NULL */
struct sql_expr *sql_build_between(
    struct arena *a, struct sql_expr *x, struct sql_expr *lo, struct sql_expr *hi);
struct sql_expr *sql_build_like(
    struct arena *a, struct sql_expr *x, const char *pattern, bool negated);
struct sql_expr *sql_build_in_list(
    struct arena *a, struct sql_expr *x, struct sql_expr **items, size_t n, bool negated);
struct sql_expr *sql_build_in_select(
    struct arena *a, struct sql_expr *x, struct sql_select *s, bool negated);
struct sql_expr *sql_build_exists(struct arena *a, struct sql_select *s, bool negated);
struct sql_expr *sql_build_subquery(struct arena *a, struct sql_select *s);
struct sql_expr *sql_build_is_null(struct arena *a, struct sql_expr *x, bool negated);
struct sql_expr *sql_build_call(
    struct arena *a, const char *name, bool distinct, size_t n, ...); /* n x struct sql_expr * */
struct sql_expr *sql_build_count_star(struct arena *a);
struct sql_expr *sql_build_cast(struct arena *a, struct sql_expr *x, const char *type);

#endif
