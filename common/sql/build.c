/* Constructors for trees. They make what the parser makes of the same text, so
 * that a built tree prints and parses back to an equal one. */
#include "common/sql/build.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- selects ----------------------------------------------------------------------- */

struct sql_select *sql_build_select(struct arena *a)
{
	struct sql_select *s = arena_new(a, struct sql_select);
	sql_build_core(a, s, SQL_SET_NONE);
	return s;
}

struct sql_core *sql_build_core(struct arena *a, struct sql_select *s, int set_op)
{
	struct sql_core *c = arena_new(a, struct sql_core);
	c->set_op = set_op;
	*arena_push(a, s->cores, s->n_cores) = c;
	return c;
}

static struct sql_source *add_source(
    struct arena *a, struct sql_core *c, enum sql_join join, const char *alias, struct sql_expr *on)
{
	struct sql_source *f = arena_new(a, struct sql_source);
	f->join = c->n_from == 0 ? SQL_JOIN_FIRST : join;
	f->alias = arena_strdup(a, alias);
	f->on = on;
	f->table = -1;
	*arena_push(a, c->from, c->n_from) = f;
	return f;
}

struct sql_source *sql_build_from(struct arena *a, struct sql_core *c, enum sql_join join,
    const char *table, const char *alias, struct sql_expr *on)
{
	struct sql_source *f = add_source(a, c, join, alias, on);
	f->kind = SQL_SOURCE_TABLE;
	f->name = arena_strdup(a, table);
	return f;
}

struct sql_source *sql_build_from_select(struct arena *a, struct sql_core *c, enum sql_join join,
    struct sql_select *sub, const char *alias, struct sql_expr *on)
{
	struct sql_source *f = add_source(a, c, join, alias, on);
	f->kind = SQL_SOURCE_SELECT;
	f->select = sub;
	return f;
}

struct sql_cte *sql_build_cte(
    struct arena *a, struct sql_select *s, const char *name, struct sql_select *sub)
{
	struct sql_cte *t = arena_new(a, struct sql_cte);
	t->name = arena_strdup(a, name);
	t->select = sub;
	*arena_push(a, s->ctes, s->n_ctes) = t;
	return t;
}

void sql_build_output(struct arena *a, struct sql_core *c, struct sql_expr *x, const char *alias)
{
	struct sql_output *o = arena_push(a, c->outputs, c->n_outputs);
	o->expr = x;
	o->alias = arena_strdup(a, alias);
}

void sql_build_where(struct arena *a, struct sql_core *c, struct sql_expr *x)
{
	c->where = sql_build_and(a, c->where, x);
}

void sql_build_having(struct arena *a, struct sql_core *c, struct sql_expr *x)
{
	c->having = sql_build_and(a, c->having, x);
}

void sql_build_group(struct arena *a, struct sql_core *c, struct sql_expr *x)
{
	*arena_push(a, c->group_by, c->n_group_by) = x;
}

void sql_build_order(struct arena *a, struct sql_select *s, struct sql_expr *x, bool desc)
{
	struct sql_order_term *t = arena_push(a, s->order, s->n_order);
	t->expr = x;
	t->desc = desc;
}

void sql_build_limit(struct arena *a, struct sql_select *s, uint64_t n)
{
	s->limit = sql_build_number(a, arena_printf(a, "%" PRIu64, n));
}

/* --- expressions ----------------------------------------------------------------------- */

static struct sql_expr *new_expr(struct arena *a, enum sql_expr_kind kind)
{
	struct sql_expr *x = arena_new(a, struct sql_expr);
	x->kind = kind;
	return x;
}

static struct sql_expr *new_text(
    struct arena *a, enum sql_expr_kind kind, const char *s, size_t len)
{
	struct sql_expr *x = new_expr(a, kind);
	x->text = arena_strndup(a, s, len);
	x->text_len = len;
	return x;
}

struct sql_expr *sql_build_column(struct arena *a, const char *table_or_alias, const char *column)
{
	struct sql_expr *x = new_expr(a, SQL_COLUMN);
	x->table = arena_strdup(a, table_or_alias);
	x->column = arena_strdup(a, column);
	return x;
}

static struct sql_expr *build_real(struct arena *a, double r)
{
	char buf[40];
	if (r != r)
		return new_expr(a, SQL_NULL);
	snprintf(buf, sizeof(buf), "%.15g", r);
	double back = 0;
	if (sscanf(buf, "%lf", &back) != 1 || back != r)
		snprintf(buf, sizeof(buf), "%.17g", r);
	if (strstr(buf, "inf"))
		return sql_build_number(a, r < 0 ? "-9e999" : "9e999");
	/* 3.0 is a real, 3 would be an integer. */
	if (!strpbrk(buf, ".e"))
		strncat(buf, ".0", sizeof(buf) - strlen(buf) - 1);
	return sql_build_number(a, buf);
}

struct sql_expr *sql_build_value(struct arena *a, const struct value *v)
{
	switch (v->type) {
	case VALUE_INT: return sql_build_int(a, v->i);
	case VALUE_REAL: return build_real(a, v->r);
	case VALUE_TEXT: return new_text(a, SQL_STRING, v->text, v->len);
	case VALUE_BLOB: {
		struct sql_expr *x = new_expr(a, SQL_BLOB);
		char *hex = arena_alloc(a, 2 * v->len + 1);
		for (size_t i = 0; i < v->len; i++)
			snprintf(hex + 2 * i, 3, "%02x", (unsigned char)v->text[i]);
		x->text = hex;
		x->text_len = 2 * v->len;
		return x;
	}
	case VALUE_NULL: break;
	}
	return new_expr(a, SQL_NULL);
}

struct sql_expr *sql_build_string(struct arena *a, const char *s)
{
	return new_text(a, SQL_STRING, s, strlen(s));
}

struct sql_expr *sql_build_int(struct arena *a, int64_t n)
{
	return sql_build_number(a, arena_printf(a, "%" PRId64, n));
}

struct sql_expr *sql_build_number(struct arena *a, const char *decimal)
{
	if (decimal[0] == '-')
		return sql_build_unary(a, SQL_OP_NEG, sql_build_number(a, decimal + 1));
	if (decimal[0] == '+')
		decimal++;
	return new_text(a, SQL_NUMBER, decimal, strlen(decimal));
}

struct sql_expr *sql_build_unary(struct arena *a, enum sql_op op, struct sql_expr *x)
{
	/* NOT EXISTS is one node, as the parser has it. */
	if (op == SQL_OP_NOT && x->kind == SQL_EXISTS && !x->negated) {
		struct sql_expr *e = arena_memdup(a, x, sizeof(*x));
		e->negated = true;
		return e;
	}
	struct sql_expr *u = new_expr(a, SQL_UNARY);
	u->op = op;
	u->left = x;
	return u;
}

struct sql_expr *sql_build_binary(
    struct arena *a, enum sql_op op, struct sql_expr *l, struct sql_expr *r)
{
	if ((op == SQL_OP_IS || op == SQL_OP_IS_NOT) && r->kind == SQL_NULL)
		return sql_build_is_null(a, l, op == SQL_OP_IS_NOT);
	struct sql_expr *x = new_expr(a, SQL_BINARY);
	x->op = op;
	x->left = l;
	x->right = r;
	return x;
}

struct sql_expr *sql_build_and(struct arena *a, struct sql_expr *l, struct sql_expr *r)
{
	return !l ? r : !r ? l : sql_build_binary(a, SQL_OP_AND, l, r);
}

struct sql_expr *sql_build_or(struct arena *a, struct sql_expr *l, struct sql_expr *r)
{
	return !l ? r : !r ? l : sql_build_binary(a, SQL_OP_OR, l, r);
}

struct sql_expr *sql_build_between(
    struct arena *a, struct sql_expr *x, struct sql_expr *lo, struct sql_expr *hi)
{
	struct sql_expr *b = new_expr(a, SQL_BETWEEN);
	b->left = x;
	*arena_push(a, b->args, b->n_args) = lo;
	*arena_push(a, b->args, b->n_args) = hi;
	return b;
}

struct sql_expr *sql_build_like(
    struct arena *a, struct sql_expr *x, const char *pattern, bool negated)
{
	struct sql_expr *l = new_text(a, SQL_LIKE, "LIKE", 4);
	l->left = x;
	l->right = sql_build_string(a, pattern);
	l->negated = negated;
	return l;
}

struct sql_expr *sql_build_in_list(
    struct arena *a, struct sql_expr *x, struct sql_expr **items, size_t n, bool negated)
{
	struct sql_expr *l = new_expr(a, SQL_IN_LIST);
	l->left = x;
	l->args = arena_memdup(a, items, n * sizeof(items[0]));
	l->n_args = n;
	l->negated = negated;
	return l;
}

struct sql_expr *sql_build_in_select(
    struct arena *a, struct sql_expr *x, struct sql_select *s, bool negated)
{
	struct sql_expr *l = new_expr(a, SQL_IN_SELECT);
	l->left = x;
	l->select = s;
	l->negated = negated;
	return l;
}

struct sql_expr *sql_build_exists(struct arena *a, struct sql_select *s, bool negated)
{
	struct sql_expr *x = new_expr(a, SQL_EXISTS);
	x->select = s;
	x->negated = negated;
	return x;
}

struct sql_expr *sql_build_subquery(struct arena *a, struct sql_select *s)
{
	struct sql_expr *x = new_expr(a, SQL_SUBQUERY);
	x->select = s;
	return x;
}

struct sql_expr *sql_build_is_null(struct arena *a, struct sql_expr *x, bool negated)
{
	struct sql_expr *n = new_expr(a, SQL_IS_NULL);
	n->left = x;
	n->negated = negated;
	return n;
}

struct sql_expr *sql_build_call(struct arena *a, const char *name, bool distinct, size_t n, ...)
{
	struct sql_expr *c = new_text(a, SQL_CALL, name, strlen(name));
	va_list ap;
	c->distinct = distinct;
	va_start(ap, n);
	for (size_t i = 0; i < n; i++)
		*arena_push(a, c->args, c->n_args) = va_arg(ap, struct sql_expr *);
	va_end(ap);
	return c;
}

struct sql_expr *sql_build_count_star(struct arena *a)
{
	struct sql_expr *c = new_text(a, SQL_CALL, "count", 5);
	c->star = true;
	return c;
}

struct sql_expr *sql_build_cast(struct arena *a, struct sql_expr *x, const char *type)
{
	struct sql_expr *c = new_text(a, SQL_CAST, type, strlen(type));
	c->left = x;
	return c;
}
