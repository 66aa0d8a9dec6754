/* Join edges, and fan-out under aggregates by key analysis: from the table that
 * an aggregate reads, walk to every other FROM item that gives at most one row
 * for the rows so far (its columns that are joined to them, grouped by, or
 * fixed by a constant contain a unique key). What cannot be reached that way
 * can have many rows for one, and multiplies what the aggregate sees. */
#include <string.h>
#include <strings.h>

#include "common/sql/facts_in.h"

#define MAX_EQUALITIES 500 /* of one core; further ones are not looked at */

/* leaf a's column = leaf b's column, required of every row. */
struct equality {
	size_t a, b;
	int a_column, b_column;
	bool done;
};

struct join_graph {
	struct sql_facts_ctx *ctx;
	const struct sql_core *core;
	struct sql_source **leaves;
	size_t n_leaves;
	struct equality *equalities;
	size_t n_equalities;
	/* columns with one value only: per entry leaf and column */
	struct {
		size_t leaf;
		int column;
	} * fixed;
	size_t n_fixed;
	size_t *multipliers; /* per leaf: 1 + what multiplier gives, 0 not known yet */
};

/* --- gathering -------------------------------------------------------------------------------- */

static void add_leaves(struct join_graph *g, struct sql_source *const *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (from[i]->kind == SQL_SOURCE_NESTED)
			add_leaves(g, from[i]->from, from[i]->n_from);
		else
			*arena_push(g->ctx->arena, g->leaves, g->n_leaves) = from[i];
	}
}

static bool find_leaf(const struct join_graph *g, const struct sql_source *f, size_t *ret_leaf)
{
	for (size_t i = 0; i < g->n_leaves; i++) {
		if (g->leaves[i] == f) {
			*ret_leaf = i;
			return true;
		}
	}
	return false;
}

/* Merged columns of outer joins stand for any of their parts. */
static const struct sql_expr *plain(const struct sql_expr *x)
{
	while (x->kind == SQL_COLLATE)
		x = x->left;
	if (x->kind == SQL_COLUMN && x->bound.target)
		x = x->bound.target;
	if (x->kind == SQL_CALL && strcasecmp(x->text, "coalesce") == 0 && x->n_args > 0 &&
	    x->args[0]->kind == SQL_COLUMN)
		x = x->args[0];
	return x;
}

static void fix_column(struct join_graph *g, const struct sql_expr *x)
{
	size_t leaf;
	x = plain(x);
	if (x->kind != SQL_COLUMN || !x->bound.source || !find_leaf(g, x->bound.source, &leaf))
		return;
	(void)arena_push(g->ctx->arena, g->fixed, g->n_fixed);
	g->fixed[g->n_fixed - 1].leaf = leaf;
	g->fixed[g->n_fixed - 1].column = x->bound.column;
}

static bool is_constant(const struct sql_expr *x)
{
	while (x->kind == SQL_UNARY || x->kind == SQL_CAST)
		x = x->left;
	return x->kind == SQL_NUMBER || x->kind == SQL_STRING || x->kind == SQL_KEYWORD ||
	    (x->kind == SQL_SUBQUERY);
}

static void add_equality(struct join_graph *g, const struct sql_expr *l, const struct sql_expr *r)
{
	size_t a, b;
	l = plain(l);
	r = plain(r);
	if (is_constant(r)) {
		fix_column(g, l);
		return;
	}
	if (is_constant(l)) {
		fix_column(g, r);
		return;
	}
	if (l->kind != SQL_COLUMN || r->kind != SQL_COLUMN || !l->bound.source || !r->bound.source)
		return;
	bool in_a = find_leaf(g, l->bound.source, &a), in_b = find_leaf(g, r->bound.source, &b);
	if (in_a != in_b) { /* an outer query's column: one value for this one */
		fix_column(g, in_a ? l : r);
		sql_fact_semi_join(g->ctx, l, r);
	} else if (in_a && a != b && g->n_equalities < MAX_EQUALITIES) {
		struct equality *e = arena_push(g->ctx->arena, g->equalities, g->n_equalities);
		e->a = a;
		e->b = b;
		e->a_column = l->bound.column;
		e->b_column = r->bound.column;
	}
}

static void add_conjuncts(struct join_graph *g, const struct sql_expr *x)
{
	while (x && x->kind == SQL_BINARY && x->op == SQL_OP_AND) {
		add_conjuncts(g, x->right);
		x = x->left;
	}
	if (x && x->kind == SQL_BINARY && (x->op == SQL_OP_EQ || x->op == SQL_OP_IS))
		add_equality(g, x->left, x->right);
}

static void add_on(struct join_graph *g, struct sql_source *const *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add_on(g, from[i]->from, from[i]->n_from);
		add_conjuncts(g, from[i]->on);
	}
}

/* --- uniqueness --------------------------------------------------------------------------------- */

static bool holds(const int *columns, size_t n, int column)
{
	for (size_t i = 0; i < n; i++)
		if (columns[i] == column)
			return true;
	return false;
}

static bool same_value(const struct sql_expr *a, const struct sql_expr *b)
{
	if (a->kind == SQL_COLUMN && b->kind == SQL_COLUMN && a->bound.source)
		return a->bound.source == b->bound.source && a->bound.column == b->bound.column;
	return sql_expr_equal(a, b);
}

/* One row at most for given values of those columns of a subquery. */
static bool is_unique_in_select(const struct sql_select *s, const int *columns, size_t n)
{
	const struct sql_core *c = s->cores[0];
	if (s->limit && s->limit->kind == SQL_NUMBER && strcmp(s->limit->text, "1") == 0)
		return true;
	if (s->n_cores != 1 || c->n_values > 0)
		return c->n_values == 1 && s->n_cores == 1;
	if (c->n_group_by == 0 && !c->distinct) {
		for (size_t i = 0; i < c->n_outputs; i++)
			if (c->outputs[i].expr->kind == SQL_CALL &&
			    c->outputs[i].expr->is_aggregate)
				return true; /* an aggregate of everything: one row */
		return false;
	}
	if (c->distinct && c->n_group_by == 0) {
		for (size_t i = 0; i < c->n_outputs; i++)
			if (!holds(columns, n, (int)i))
				return false;
		return true;
	}
	for (size_t k = 0; k < c->n_group_by; k++) {
		const struct sql_expr *x = sql_fact_group(c, k);
		bool found = false;
		for (size_t i = 0; i < c->n_outputs && !found; i++)
			found = holds(columns, n, (int)i) && same_value(x, c->outputs[i].expr);
		if (!found)
			return false;
	}
	return true;
}

static bool is_unique(
    const struct join_graph *g, const struct sql_source *f, const int *columns, size_t n)
{
	uint32_t plain_columns[64];
	if (f->kind == SQL_SOURCE_SELECT)
		return is_unique_in_select(f->select, columns, n);
	if (f->kind == SQL_SOURCE_CTE)
		return !f->cte->is_recursive && is_unique_in_select(f->cte->select, columns, n);
	if (f->kind != SQL_SOURCE_TABLE || n == 0)
		return false;
	if (n > ARRAY_SIZE(plain_columns))
		n = ARRAY_SIZE(plain_columns);
	for (size_t i = 0; i < n; i++)
		plain_columns[i] = (uint32_t)columns[i];
	return catalog_is_unique(&g->ctx->catalog->tables[f->table], plain_columns, n);
}

/* --- edges --------------------------------------------------------------------------------------- */

/* The catalog table and column that column i of a leaf is; NO_INDEX if none. */
static void origin(
    const struct sql_source *f, int column, uint32_t *ret_table, uint32_t *ret_column)
{
	struct sql_expr x = {.kind = SQL_COLUMN};
	x.bound.source = (struct sql_source *)f;
	x.bound.column = column;
	if (!sql_fact_column_of(&x, ret_table, ret_column))
		*ret_table = *ret_column = NO_INDEX;
}

static bool same_columns(
    const uint32_t *a, const uint32_t *b, const uint32_t *ra, const uint32_t *rb, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < n && !(a[i] == ra[k] && b[i] == rb[k]))
			k++;
		if (k == n)
			return false;
	}
	return true;
}

static int find_relation(const struct catalog *c, const struct sql_fact_join *j)
{
	for (size_t i = 0; i < c->n_relations; i++) {
		const struct catalog_relation *r = &c->relations[i];
		if (r->n_columns != j->n_columns || j->n_columns == 0)
			continue;
		if ((r->from_table == j->from_table && r->to_table == j->to_table &&
		        same_columns(j->from_columns, j->to_columns, r->from_columns, r->to_columns,
		            r->n_columns)) ||
		    (r->from_table == j->to_table && r->to_table == j->from_table &&
		        same_columns(j->from_columns, j->to_columns, r->to_columns, r->from_columns,
		            r->n_columns)))
			return (int)i;
	}
	return -1;
}

static void push_pair(struct sql_facts_ctx *c, struct sql_fact_join *j, uint32_t from, uint32_t to)
{
	size_t n = j->n_columns;
	*arena_push(c->arena, j->from_columns, n) = from;
	*arena_push(c->arena, j->to_columns, j->n_columns) = to;
}

/* One edge for all equalities between the two leaves of the first. */
static void add_edge(struct join_graph *g, size_t first)
{
	struct sql_facts *f = g->ctx->facts;
	size_t a = g->equalities[first].a, b = g->equalities[first].b;
	int a_columns[64], b_columns[64];
	size_t n = 0;
	struct sql_fact_join *j = arena_push(g->ctx->arena, f->joins, f->n_joins);
	for (size_t i = first; i < g->n_equalities && n < ARRAY_SIZE(a_columns); i++) {
		struct equality *e = &g->equalities[i];
		bool same = e->a == a && e->b == b, other = e->a == b && e->b == a;
		if (e->done || !(same || other))
			continue;
		e->done = true;
		a_columns[n] = same ? e->a_column : e->b_column;
		b_columns[n] = same ? e->b_column : e->a_column;
		uint32_t a_column, b_column;
		origin(g->leaves[a], a_columns[n], &j->from_table, &a_column);
		origin(g->leaves[b], b_columns[n], &j->to_table, &b_column);
		push_pair(g->ctx, j, a_column, b_column);
		n++;
	}
	j->from_unique = is_unique(g, g->leaves[a], a_columns, n);
	j->to_unique = is_unique(g, g->leaves[b], b_columns, n);
	j->relation = find_relation(g->ctx->catalog, j);
}

static uint32_t table_of(const struct sql_source *f)
{
	return f->kind == SQL_SOURCE_TABLE ? (uint32_t)f->table : NO_INDEX;
}

/* Leaves that no chain of equalities ties to the first are joined all with all. */
static void add_cross_edges(struct join_graph *g)
{
	size_t *part = arena_new_array(g->ctx->arena, g->n_leaves, size_t);
	for (size_t i = 0; i < g->n_leaves; i++)
		part[i] = i;
	for (size_t k = 0; k < g->n_equalities; k++) {
		size_t from = part[g->equalities[k].a], to = part[g->equalities[k].b];
		for (size_t i = 0; i < g->n_leaves; i++)
			if (part[i] == to)
				part[i] = from;
	}
	for (size_t i = 1; i < g->n_leaves; i++) {
		bool seen = g->leaves[i]->kind == SQL_SOURCE_FUNCTION;
		for (size_t k = 0; k < i && !seen; k++)
			seen = part[k] == part[i];
		if (seen || is_unique(g, g->leaves[i], NULL, 0))
			continue;
		struct sql_fact_join *j = arena_push(
		    g->ctx->arena, g->ctx->facts->joins, g->ctx->facts->n_joins);
		j->from_table = table_of(g->leaves[0]);
		j->to_table = table_of(g->leaves[i]);
		j->relation = -1;
	}
}

void sql_fact_semi_join(struct sql_facts_ctx *c, const struct sql_expr *l, const struct sql_expr *r)
{
	uint32_t from_table, from_column, to_table, to_column;
	if (!sql_fact_column_of(l, &from_table, &from_column) ||
	    !sql_fact_column_of(r, &to_table, &to_column))
		return;
	struct sql_fact_join *j = arena_push(c->arena, c->facts->joins, c->facts->n_joins);
	j->from_table = from_table;
	j->to_table = to_table;
	push_pair(c, j, from_column, to_column);
	j->from_unique = catalog_is_unique(&c->catalog->tables[from_table], &from_column, 1);
	j->to_unique = catalog_is_unique(&c->catalog->tables[to_table], &to_column, 1);
	j->relation = find_relation(c->catalog, j);
	j->is_semi = true;
}

/* --- fan-out -------------------------------------------------------------------------------------- */

/* Columns of leaf u with one value for each row of the leaves reached so far. */
static size_t determined(
    const struct join_graph *g, size_t u, const bool *reached, int *columns, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < g->n_equalities && n < max; i++) {
		const struct equality *e = &g->equalities[i];
		if (e->a == u && reached[e->b])
			columns[n++] = e->a_column;
		else if (e->b == u && reached[e->a])
			columns[n++] = e->b_column;
	}
	for (size_t i = 0; i < g->n_fixed && n < max; i++)
		if (g->fixed[i].leaf == u)
			columns[n++] = g->fixed[i].column;
	return n;
}

/* The leaf that multiplies the rows of `start`; n_leaves if none does. */
static size_t multiplier(const struct join_graph *g, size_t start)
{
	bool *reached = arena_new_array(g->ctx->arena, g->n_leaves, bool);
	bool changed = true;
	int columns[64];
	reached[start] = true;
	while (changed) {
		changed = false;
		for (size_t u = 0; u < g->n_leaves; u++) {
			if (reached[u])
				continue;
			size_t n = determined(g, u, reached, columns, ARRAY_SIZE(columns));
			if (is_unique(g, g->leaves[u], columns, n))
				reached[u] = changed = true;
		}
	}
	for (size_t u = 0; u < g->n_leaves; u++)
		if (!reached[u])
			return u;
	return g->n_leaves;
}

/* min, max and DISTINCT do not mind repeated rows; count(*) counts the joined
 * rows, which may be what is meant. */
static bool minds_repeats(const struct sql_expr *x)
{
	static const char *const names[] = {"sum", "avg", "count", "total", "group_concat"};
	if (!x->is_aggregate || x->distinct || x->star || x->n_args == 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcasecmp(names[i], x->text) == 0)
			return true;
	return false;
}

/* The only leaf whose columns the expression reads; false if none or several. */
static bool single_leaf(
    const struct join_graph *g, const struct sql_expr *x, bool *has_leaf, size_t *leaf)
{
	size_t at;
	if (!x)
		return true;
	if (x->kind == SQL_COLUMN && x->bound.target)
		return single_leaf(g, x->bound.target, has_leaf, leaf);
	if (x->kind == SQL_COLUMN && x->bound.source && find_leaf(g, x->bound.source, &at)) {
		if (*has_leaf && *leaf != at)
			return false;
		*has_leaf = true;
		*leaf = at;
	}
	for (size_t i = 0; i < x->n_args; i++)
		if (!single_leaf(g, x->args[i], has_leaf, leaf))
			return false;
	return single_leaf(g, x->left, has_leaf, leaf) && single_leaf(g, x->right, has_leaf, leaf);
}

static void find_fan_out(
    struct join_graph *g, const struct sql_expr *x, struct sql_fact_scope *scope)
{
	if (!x || scope->has_fan_out)
		return;
	if (x->kind == SQL_CALL && minds_repeats(x)) {
		bool has_leaf = false;
		size_t leaf = 0;
		if (single_leaf(g, x->args[0], &has_leaf, &leaf) && has_leaf) {
			if (g->multipliers[leaf] == 0)
				g->multipliers[leaf] = 1 + multiplier(g, leaf);
			size_t by = g->multipliers[leaf] - 1;
			if (by < g->n_leaves) {
				scope->has_fan_out = true;
				scope->fan_out_table = table_of(g->leaves[by]);
				scope->function = x->text;
				if (!sql_fact_column_of(x->args[0], &scope->table, &scope->column))
					scope->table = scope->column = NO_INDEX;
			}
		}
		return;
	}
	find_fan_out(g, x->left, scope);
	find_fan_out(g, x->right, scope);
	for (size_t i = 0; i < x->n_args; i++)
		find_fan_out(g, x->args[i], scope);
}

static bool has_aggregate(const struct sql_expr *x)
{
	if (!x || x->kind == SQL_COLUMN)
		return false;
	bool found = x->is_aggregate || has_aggregate(x->left) || has_aggregate(x->right);
	for (size_t i = 0; i < x->n_args && !found; i++)
		found = has_aggregate(x->args[i]);
	return found;
}

static void add_scope(struct join_graph *g)
{
	const struct sql_core *c = g->core;
	bool aggregates = c->n_group_by > 0;
	for (size_t i = 0; i < c->n_outputs && !aggregates; i++)
		aggregates = has_aggregate(c->outputs[i].expr);
	if (!aggregates)
		return;
	struct sql_fact_scope *scope = arena_push(
	    g->ctx->arena, g->ctx->facts->scopes, g->ctx->facts->n_scopes);
	scope->fan_out_table = scope->table = scope->column = NO_INDEX;
	/* Within a group its columns have one value. */
	for (size_t i = 0; i < c->n_group_by; i++)
		fix_column(g, sql_fact_group(c, i));
	for (size_t i = 0; i < c->n_outputs; i++)
		find_fan_out(g, c->outputs[i].expr, scope);
	find_fan_out(g, c->having, scope);
}

void sql_fact_core_joins(struct sql_facts_ctx *c, const struct sql_core *core)
{
	struct join_graph g = {.ctx = c, .core = core};
	add_leaves(&g, core->from, core->n_from);
	add_on(&g, core->from, core->n_from);
	add_conjuncts(&g, core->where);
	for (size_t i = 0; i < g.n_equalities; i++)
		if (!g.equalities[i].done)
			add_edge(&g, i);
	add_cross_edges(&g);
	g.multipliers = arena_new_array(c->arena, g.n_leaves, size_t);
	add_scope(&g);
}
