/* Walks over trees and compares them. Recursion is bounded by the height that
 * the parser allows (SQL_MAX_HEIGHT). */
#include <string.h>
#include <strings.h>

#include "common/sql/tree.h"

/* --- walk ---------------------------------------------------------------------- */

struct walk {
	int (*visit)(struct sql_expr *e, void *arg);
	void *arg;
};

static int walk_select(const struct walk *w, struct sql_select *s);
static int walk_expr(const struct walk *w, struct sql_expr *x);

static int walk_list(const struct walk *w, struct sql_expr **items, size_t n)
{
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = walk_expr(w, items[i]);
	return rc;
}

static int walk_order(const struct walk *w, struct sql_order_term *terms, size_t n)
{
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = walk_expr(w, terms[i].expr);
	return rc;
}

static int walk_window(const struct walk *w, struct sql_window *v)
{
	if (!v)
		return 0;
	int rc = walk_list(w, v->partition, v->n_partition);
	if (rc == 0)
		rc = walk_order(w, v->order, v->n_order);
	if (rc == 0)
		rc = walk_expr(w, v->from.offset);
	if (rc == 0)
		rc = walk_expr(w, v->to.offset);
	return rc;
}

static int walk_expr(const struct walk *w, struct sql_expr *x)
{
	int rc = 0;
	if (!x)
		return 0;
	if ((rc = w->visit(x, w->arg)) != 0 || (rc = walk_expr(w, x->left)) != 0 ||
	    (rc = walk_expr(w, x->right)) != 0 || (rc = walk_list(w, x->args, x->n_args)) != 0 ||
	    (rc = walk_order(w, x->order, x->n_order)) != 0 ||
	    (rc = walk_expr(w, x->filter)) != 0 || (rc = walk_window(w, x->over)) != 0)
		return rc;
	return walk_select(w, x->select);
}

static int walk_source(const struct walk *w, struct sql_source *f)
{
	int rc = walk_select(w, f->select);
	if (rc == 0)
		rc = walk_list(w, f->args, f->n_args);
	for (size_t i = 0; i < f->n_from && rc == 0; i++)
		rc = walk_source(w, f->from[i]);
	return rc ? rc : walk_expr(w, f->on);
}

static int walk_core(const struct walk *w, struct sql_core *c)
{
	int rc = 0;
	for (size_t i = 0; i < c->n_outputs && rc == 0; i++)
		rc = walk_expr(w, c->outputs[i].expr);
	for (size_t i = 0; i < c->n_values && rc == 0; i++)
		rc = walk_list(w, c->values[i], c->n_value_columns);
	for (size_t i = 0; i < c->n_from && rc == 0; i++)
		rc = walk_source(w, c->from[i]);
	if (rc == 0)
		rc = walk_expr(w, c->where);
	if (rc == 0)
		rc = walk_list(w, c->group_by, c->n_group_by);
	if (rc == 0)
		rc = walk_expr(w, c->having);
	for (size_t i = 0; i < c->n_windows && rc == 0; i++)
		rc = walk_window(w, c->windows[i]);
	return rc;
}

static int walk_select(const struct walk *w, struct sql_select *s)
{
	int rc = 0;
	if (!s)
		return 0;
	for (size_t i = 0; i < s->n_ctes && rc == 0; i++)
		rc = walk_select(w, s->ctes[i]->select);
	for (size_t i = 0; i < s->n_cores && rc == 0; i++)
		rc = walk_core(w, s->cores[i]);
	if (rc == 0)
		rc = walk_order(w, s->order, s->n_order);
	if (rc == 0)
		rc = walk_expr(w, s->limit);
	return rc ? rc : walk_expr(w, s->offset);
}

int sql_walk(struct sql_select *s, int (*visit)(struct sql_expr *e, void *arg), void *arg)
{
	struct walk w = {visit, arg};
	return walk_select(&w, s);
}

int sql_walk_expr(struct sql_expr *x, int (*visit)(struct sql_expr *e, void *arg), void *arg)
{
	struct walk w = {visit, arg};
	return walk_expr(&w, x);
}

static bool is_inner(enum sql_join join)
{
	return join == SQL_JOIN_FIRST || join == SQL_JOIN_COMMA || join == SQL_JOIN_INNER ||
	    join == SQL_JOIN_CROSS;
}

static bool joins_inner_only(const struct sql_source *f)
{
	bool inner = is_inner(f->join);
	for (size_t i = 0; i < f->n_from && inner; i++)
		inner = joins_inner_only(f->from[i]);
	return inner;
}

bool sql_source_opens(const struct sql_source *f)
{
	return f->join == SQL_JOIN_FIRST || joins_inner_only(f);
}

/* --- equality -------------------------------------------------------------------- */

static bool name_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcasecmp(a, b) == 0);
}

static bool names_equal(const char **a, size_t n_a, const char **b, size_t n_b)
{
	bool same = n_a == n_b;
	for (size_t i = 0; i < n_a && same; i++)
		same = name_equal(a[i], b[i]);
	return same;
}

static bool list_equal(struct sql_expr **a, size_t n_a, struct sql_expr **b, size_t n_b)
{
	bool same = n_a == n_b;
	for (size_t i = 0; i < n_a && same; i++)
		same = sql_expr_equal(a[i], b[i]);
	return same;
}

static bool order_equal(
    const struct sql_order_term *a, size_t n_a, const struct sql_order_term *b, size_t n_b)
{
	bool same = n_a == n_b;
	for (size_t i = 0; i < n_a && same; i++)
		same = a[i].desc == b[i].desc && a[i].nulls == b[i].nulls &&
		    sql_expr_equal(a[i].expr, b[i].expr);
	return same;
}

static bool window_equal(const struct sql_window *a, const struct sql_window *b)
{
	if (!a || !b)
		return a == b;
	if (!name_equal(a->name, b->name) || !name_equal(a->base, b->base) ||
	    !list_equal(a->partition, a->n_partition, b->partition, b->n_partition) ||
	    !order_equal(a->order, a->n_order, b->order, b->n_order) ||
	    a->has_frame != b->has_frame)
		return false;
	return !a->has_frame ||
	    (a->unit == b->unit && a->exclude == b->exclude && a->from.kind == b->from.kind &&
	        a->to.kind == b->to.kind && sql_expr_equal(a->from.offset, b->from.offset) &&
	        sql_expr_equal(a->to.offset, b->to.offset));
}

/* Strings and blobs compare as bytes, operators, functions and types as names. */
static bool text_equal(const struct sql_expr *a, const struct sql_expr *b)
{
	if (a->kind == SQL_STRING)
		return a->text_len == b->text_len && memcmp(a->text, b->text, a->text_len) == 0;
	return name_equal(a->text, b->text);
}

bool sql_expr_equal(const struct sql_expr *a, const struct sql_expr *b)
{
	if (!a || !b)
		return a == b;
	return a->kind == b->kind && a->op == b->op && a->negated == b->negated &&
	    a->distinct == b->distinct && a->star == b->star && text_equal(a, b) &&
	    name_equal(a->schema, b->schema) && name_equal(a->table, b->table) &&
	    name_equal(a->column, b->column) && name_equal(a->over_name, b->over_name) &&
	    sql_expr_equal(a->left, b->left) && sql_expr_equal(a->right, b->right) &&
	    list_equal(a->args, a->n_args, b->args, b->n_args) &&
	    order_equal(a->order, a->n_order, b->order, b->n_order) &&
	    sql_expr_equal(a->filter, b->filter) && window_equal(a->over, b->over) &&
	    sql_select_equal(a->select, b->select);
}

static bool sources_equal(struct sql_source **a, size_t n_a, struct sql_source **b, size_t n_b);

static bool source_equal(const struct sql_source *a, const struct sql_source *b)
{
	return a->join == b->join && a->natural == b->natural && name_equal(a->schema, b->schema) &&
	    name_equal(a->name, b->name) && name_equal(a->alias, b->alias) &&
	    sql_select_equal(a->select, b->select) &&
	    list_equal(a->args, a->n_args, b->args, b->n_args) &&
	    sources_equal(a->from, a->n_from, b->from, b->n_from) &&
	    names_equal(a->using, a->n_using, b->using, b->n_using) && sql_expr_equal(a->on, b->on);
}

static bool sources_equal(struct sql_source **a, size_t n_a, struct sql_source **b, size_t n_b)
{
	bool same = n_a == n_b;
	for (size_t i = 0; i < n_a && same; i++)
		same = source_equal(a[i], b[i]);
	return same;
}

static bool outputs_equal(const struct sql_core *a, const struct sql_core *b)
{
	bool same = a->n_outputs == b->n_outputs;
	for (size_t i = 0; i < a->n_outputs && same; i++)
		same = a->outputs[i].star == b->outputs[i].star &&
		    name_equal(a->outputs[i].star_table, b->outputs[i].star_table) &&
		    name_equal(a->outputs[i].alias, b->outputs[i].alias) &&
		    sql_expr_equal(a->outputs[i].expr, b->outputs[i].expr);
	return same;
}

static bool core_equal(const struct sql_core *a, const struct sql_core *b)
{
	if (a->distinct != b->distinct || a->set_op != b->set_op || !outputs_equal(a, b) ||
	    !sources_equal(a->from, a->n_from, b->from, b->n_from) ||
	    !sql_expr_equal(a->where, b->where) || !sql_expr_equal(a->having, b->having) ||
	    !list_equal(a->group_by, a->n_group_by, b->group_by, b->n_group_by) ||
	    a->n_windows != b->n_windows || a->n_values != b->n_values)
		return false;
	bool same = true;
	for (size_t i = 0; i < a->n_windows && same; i++)
		same = window_equal(a->windows[i], b->windows[i]);
	for (size_t i = 0; i < a->n_values && same; i++)
		same = list_equal(
		    a->values[i], a->n_value_columns, b->values[i], b->n_value_columns);
	return same;
}

static bool cte_equal(const struct sql_cte *a, const struct sql_cte *b)
{
	return name_equal(a->name, b->name) && a->materialized == b->materialized &&
	    names_equal(a->columns, a->n_columns, b->columns, b->n_columns) &&
	    sql_select_equal(a->select, b->select);
}

bool sql_select_equal(const struct sql_select *a, const struct sql_select *b)
{
	if (!a || !b)
		return a == b;
	bool same = a->recursive == b->recursive && a->n_ctes == b->n_ctes &&
	    a->n_cores == b->n_cores;
	for (size_t i = 0; same && i < a->n_ctes; i++)
		same = cte_equal(a->ctes[i], b->ctes[i]);
	for (size_t i = 0; same && i < a->n_cores; i++)
		same = core_equal(a->cores[i], b->cores[i]);
	return same && order_equal(a->order, a->n_order, b->order, b->n_order) &&
	    sql_expr_equal(a->limit, b->limit) && sql_expr_equal(a->offset, b->offset);
}
