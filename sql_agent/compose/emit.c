/* The select itself: outputs, joins, grouping, order, set operations. */
#include <ctype.h>
#include <string.h>

#include "sql_agent/compose/arith.h"
#include "sql_agent/compose/emit.h"
#include "sql_agent/compose/filter.h"

#define MAX_WANTS 64

static const char *const aggregate_names[] = {"", "count", "sum", "avg", "min", "max"};

void emit_assume(struct emit *em, const char *text)
{
	for (size_t i = 0; i < em->assumptions.n; i++)
		if (strcmp(em->assumptions.items[i], text) == 0)
			return;
	*arena_push(em->arena, em->assumptions.items, em->assumptions.n) = text;
}

const char *emit_alias(struct emit *em, const struct ir_term *t)
{
	static const char *const heads[] = {"", "count", "total", "average", "min", "max"};
	static const char *const grains[] = {NULL, "year", "quarter", "month", "day"};
	const struct catalog_table *table;

	if (t->kind == IR_METRIC)
		return em->view->g->semantic->metrics[t->metric].name;
	if (t->grain != IR_GRAIN_NONE)
		return grains[t->grain];
	if (t->aggregate == IR_PLAIN)
		return NULL;
	table = &em->view->c->tables[t->table];
	if (t->kind == IR_ROWS)
		return arena_printf(em->arena, "count_%s", table->name);
	return arena_printf(
	    em->arena, "%s_%s", heads[t->aggregate], table->columns[t->column].name);
}

/* --- which tables -------------------------------------------------------------------- */

struct wants {
	struct join_want items[MAX_WANTS];
	size_t n;
};

static void want(struct wants *w, uint32_t table, uint32_t via)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->items[i].table == table && w->items[i].via == via)
			return;
	if (w->n < MAX_WANTS && table != IR_NONE)
		w->items[w->n++] = (struct join_want){table, via};
}

struct metric_tables {
	const struct view *v;
	struct wants *w;
};

static int want_metric_column(struct sql_expr *x, void *arg)
{
	struct metric_tables *m = arg;

	for (uint32_t t = 0; x->kind == SQL_COLUMN && x->table && t < m->v->n_tables; t++) {
		const struct view_table *vt = &m->v->tables[t];

		if ((vt->dataset && strcmp(vt->dataset->name, x->table) == 0) ||
		    strcasecmp(vt->table->name, x->table) == 0)
			want(m->w, t, IR_NONE);
	}
	return 0;
}

static void want_term(struct emit *em, struct wants *w, const struct ir_term *t)
{
	struct metric_tables m = {em->view, w};
	struct sql_select *s;
	struct sql_expr *x;

	if (t->kind != IR_METRIC) {
		want(w, t->table, t->via);
		return;
	}
	x = filter_parse(em->arena, em->view->g->semantic->metrics[t->metric].expression);
	if (!x)
		return;
	s = sql_build_select(em->arena);
	sql_build_output(em->arena, s->cores[0], x, NULL);
	sql_walk(s, want_metric_column, &m);
}

static void want_conditions(
    struct wants *w, const struct ir_condition *list, size_t n, uint32_t branch)
{
	for (size_t i = 0; i < n; i++) {
		if (branch && list[i].branch && list[i].branch != branch)
			continue;
		want(w, list[i].term.table, list[i].term.via);
		if (list[i].against == IR_TERM)
			want(w, list[i].other.table, list[i].other.via);
	}
}

/* Tables that rows are shown, grouped, counted or ordered by. */
static void want_shown(
    struct emit *em, struct wants *w, const struct ir_term *outputs, size_t n_outputs)
{
	const struct ir *ir = em->ir;

	for (size_t i = 0; i < n_outputs; i++)
		want_term(em, w, &outputs[i]);
	for (size_t i = 0; i < ir->n_groups; i++)
		want_term(em, w, &ir->groups[i]);
	for (size_t i = 0; i < ir->n_order; i++)
		want_term(em, w, &ir->order[i].term);
	for (size_t i = 0; i < ir->n_having; i++)
		want_term(em, w, &ir->having[i].term);
	if (ir->n_exists)
		want(w, ir->entity, IR_NONE);
}

/* --- terms --------------------------------------------------------------------------- */

static struct sql_expr *count_rows(struct emit_core *k, uint32_t table)
{
	struct arena *a = k->em->arena;
	int node = join_find(&k->tree, table, IR_NONE);
	uint32_t key = k->em->view->tables[table].key;

	if (node >= 0 && key != IR_NONE && join_multiplies(k->em->view, &k->tree, node))
		return sql_build_call(a, "count", true, 1, emit_column(k, table, key, IR_NONE));
	return sql_build_count_star(a);
}

/* A quarter has no format of its own; finish.c declines it. */
static const struct value grain_format[] = {
    [IR_GRAIN_YEAR] = {.type = VALUE_TEXT, .text = "%Y", .len = 2},
    [IR_GRAIN_MONTH] = {.type = VALUE_TEXT, .text = "%Y-%m", .len = 5},
    [IR_GRAIN_DAY] = {.type = VALUE_TEXT, .text = "%Y-%m-%d", .len = 8},
};

struct sql_expr *emit_term(struct emit_core *k, const struct ir_term *t)
{
	struct arena *a = k->em->arena;
	struct sql_expr *x;

	if (t->kind == IR_ROWS)
		return count_rows(k, t->table);
	if (t->kind == IR_METRIC) {
		x = filter_parse(a, k->em->view->g->semantic->metrics[t->metric].expression);
		if (!x)
			return sql_build_value(a, &(struct value){.type = VALUE_NULL});
		filter_bind(k, x, IR_NONE);
		return x;
	}
	x = emit_column(k, t->table, t->column, t->via);
	if (t->grain != IR_GRAIN_NONE)
		return sql_build_call(
		    a, "strftime", false, 2, sql_build_value(a, &grain_format[t->grain]), x);
	if (t->aggregate == IR_PLAIN)
		return x;
	return sql_build_call(a, aggregate_names[t->aggregate], t->distinct, 1, x);
}

/* --- FROM ---------------------------------------------------------------------------- */

static struct sql_expr *join_on(struct emit_core *k, const struct join_node *n)
{
	const struct view *v = k->em->view;
	const struct catalog_relation *r = &v->c->relations[n->relation];
	bool self = r->from_table == r->to_table;
	bool refers = r->from_table == n->table && !self;
	const char *child = n->name, *parent = k->tree.nodes[n->parent].name;
	struct arena *a = k->em->arena;
	struct sql_expr *on = NULL;

	for (size_t c = 0; c < r->n_columns; c++) {
		const char *from = v->c->tables[r->from_table].columns[r->from_columns[c]].name;
		const char *to = v->c->tables[r->to_table].columns[r->to_columns[c]].name;

		on = sql_build_and(a, on,
		    sql_build_binary(a, SQL_OP_EQ,
		        sql_build_column(a, refers ? child : parent, from),
		        sql_build_column(a, refers ? parent : child, to)));
	}
	return on;
}

void emit_from(struct emit_core *k)
{
	for (size_t i = 0; i < k->tree.n; i++) {
		const struct join_node *n = &k->tree.nodes[i];

		sql_build_from(k->em->arena, k->core,
		    n->parent < 0 ? SQL_JOIN_FIRST : SQL_JOIN_INNER,
		    k->em->view->c->tables[n->table].name, n->alias,
		    n->parent < 0 ? NULL : join_on(k, n));
	}
	if (k->tree.n > 0 && k->tree.n - 1 > k->em->n_joins)
		k->em->n_joins = (uint32_t)k->tree.n - 1;
	k->em->ambiguous_join |= k->tree.ambiguous;
}

/* --- rows must not be counted twice ------------------------------------------------------ */

static bool term_adds(const struct ir_term *t)
{
	return t->kind == IR_COLUMN && !t->distinct &&
	    (t->aggregate == IR_SUM || t->aggregate == IR_AVG || t->aggregate == IR_COUNT);
}

/* Does the join repeat rows whose values are added up? */
static bool inflates(struct emit_core *k, const struct ir_term *outputs, size_t n)
{
	const struct ir *ir = k->em->ir;

	for (size_t i = 0; i < n + ir->n_order + ir->n_having; i++) {
		const struct ir_term *t = i < n ? &outputs[i]
		    : i < n + ir->n_order       ? &ir->order[i - n].term
		                                : &ir->having[i - n - ir->n_order].term;
		bool adds = term_adds(t) || t->kind == IR_METRIC ||
		    (t->kind == IR_ROWS && k->em->view->tables[t->table].key == IR_NONE);
		int node = adds && t->table != IR_NONE ? join_find(&k->tree, t->table, t->via) : -1;

		if (node >= 0 && join_multiplies(k->em->view, &k->tree, node))
			return true;
	}
	return false;
}

static bool is_inside(const struct emit_core *k, const struct ir_condition *c, const void *arg)
{
	(void)arg;
	return join_find(&k->tree, c->term.table, c->term.via) >= 0;
}

/* Conditions on tables outside the joins, as key IN (SELECT key ...). The key is
 * that of the table whose values are added up. */
static int build_outside(struct emit_core *k, uint32_t table, struct err *e)
{
	const struct ir *ir = k->em->ir;
	struct arena *a = k->em->arena;
	uint32_t key = k->em->view->tables[table].key;
	struct sql_select *s = sql_build_select(a);
	struct emit_core inner = {.em = k->em, .core = s->cores[0], .branch = k->branch};
	struct wants w = {.n = 0};
	struct ir_condition *outside = NULL;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < ir->n_conditions; i++)
		if (!is_inside(k, &ir->conditions[i], NULL))
			*arena_push(a, outside, n) = ir->conditions[i];
	want(&w, table, IR_NONE);
	want_conditions(&w, outside, n, k->branch);
	for (size_t i = 0; i < ir->n_touched; i++)
		want(&w, ir->touched[i], IR_NONE);
	if (w.n == 1)
		return 0;
	if (key == IR_NONE)
		return err_set(e, ERR_UNANSWERABLE, PHASE_GENERATE,
		    "rows of %s would be counted more than once",
		    k->em->view->c->tables[table].name);
	rc = join_build(a, k->em->view, w.items, w.n, &inner.tree, e);
	if (rc < 0)
		return rc;
	emit_from(&inner);
	sql_build_output(a, inner.core, emit_column(&inner, table, key, IR_NONE), NULL);
	sql_build_where(a, inner.core, filter_conditions(&inner, outside, n, NULL, NULL));
	filter_defaults(&inner);
	sql_build_where(
	    a, k->core, sql_build_in_select(a, emit_column(k, table, key, IR_NONE), s, false));
	return 0;
}

static uint32_t added_table(const struct ir *ir, const struct ir_term *outputs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (outputs[i].kind == IR_METRIC || outputs[i].aggregate != IR_PLAIN)
			return outputs[i].table;
	for (size_t i = 0; i < ir->n_order; i++)
		if (ir->order[i].term.kind == IR_METRIC || ir->order[i].term.aggregate != IR_PLAIN)
			return ir->order[i].term.table;
	for (size_t i = 0; i < ir->n_having; i++)
		return ir->having[i].term.table;
	return IR_NONE;
}

/* --- clauses ------------------------------------------------------------------------- */

static void build_groups(struct emit_core *k)
{
	const struct ir *ir = k->em->ir;
	struct arena *a = k->em->arena;

	for (size_t i = 0; i < ir->n_groups; i++) {
		const struct ir_term *t = &ir->groups[i];
		uint32_t key = k->em->view->tables[t->table].key;

		if (t->by_key && key != IR_NONE && key != t->column)
			sql_build_group(a, k->core, emit_column(k, t->table, key, t->via));
		sql_build_group(a, k->core, emit_term(k, t));
	}
}

static void build_order(struct emit_core *k, struct sql_select *s)
{
	const struct ir *ir = k->em->ir;
	struct arena *a = k->em->arena;

	for (size_t i = 0; i < ir->n_order; i++) {
		const struct ir_term *t = &ir->order[i].term;
		struct sql_expr *x = emit_term(k, t);

		sql_build_order(a, s, x, ir->order[i].desc);
		/* SQLite puts NULL first: the smallest of the known values is asked */
		if (ir->limit && !ir->order[i].desc && t->kind == IR_COLUMN &&
		    t->aggregate == IR_PLAIN &&
		    view_column(k->em->view, t->table, t->column)->column->n_null > 0)
			sql_build_where(a, k->core, sql_build_is_null(a, emit_term(k, t), true));
	}
	if (ir->limit)
		sql_build_limit(a, s, ir->limit);
}

static int build_exists(struct emit_core *k, struct err *e)
{
	for (size_t i = 0; i < k->em->ir->n_exists; i++) {
		struct sql_expr *x;
		int rc = filter_exists(k, &k->em->ir->exists[i], &x, e);

		if (rc < 0)
			return rc;
		sql_build_where(k->em->arena, k->core, x);
	}
	return 0;
}

/* Joins everything; where that would repeat rows that are added up, only the
 * tables that are shown, and the rest becomes a membership test. */
static int build_joins(struct emit_core *k, const struct ir_term *outputs, size_t n, struct err *e)
{
	const struct ir *ir = k->em->ir;
	struct wants w = {.n = 0};
	uint32_t added;
	size_t n_read;
	int rc;

	want_shown(k->em, &w, outputs, n);
	want_conditions(&w, ir->conditions, ir->n_conditions, k->branch);
	n_read = w.n;
	for (size_t i = 0; i < ir->n_touched; i++)
		want(&w, ir->touched[i], IR_NONE);
	if (w.n == 0)
		want(&w, ir->entity, IR_NONE);
	if (w.n == 0)
		return err_set(e, ERR_UNANSWERABLE, PHASE_GENERATE, "the question names no table");
	rc = join_build(k->em->arena, k->em->view, w.items, w.n, &k->tree, e);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < k->tree.n; i++) {
		bool wanted = false;

		for (size_t n_want = 0; n_want < w.n; n_want++)
			wanted |= w.items[n_want].table == k->tree.nodes[i].table;
		k->em->n_bridges += !wanted;
	}
	if (n_read > 0)
		join_prune(k->em->view, &k->tree, w.items, n_read);
	if (!inflates(k, outputs, n)) {
		emit_from(k);
		sql_build_where(k->em->arena, k->core,
		    filter_conditions(k, ir->conditions, ir->n_conditions, NULL, NULL));
		return 0;
	}
	w.n = 0;
	want_shown(k->em, &w, outputs, n);
	rc = join_build(k->em->arena, k->em->view, w.items, w.n, &k->tree, e);
	if (rc < 0)
		return rc;
	added = added_table(ir, outputs, n);
	if (inflates(k, outputs, n) || added == IR_NONE)
		return err_set(e, ERR_UNANSWERABLE, PHASE_GENERATE,
		    "the joins of this question would count rows more than once");
	emit_from(k);
	sql_build_where(k->em->arena, k->core,
	    filter_conditions(k, ir->conditions, ir->n_conditions, is_inside, NULL));
	return build_outside(k, added, e);
}

static int build_core(struct emit *em, struct sql_core *core, uint32_t branch,
    const struct ir_term *outputs, size_t n, struct emit_core *ret_core, struct err *e)
{
	struct emit_core k = {.em = em, .core = core, .branch = branch};
	int rc = build_joins(&k, outputs, n, e);

	if (rc == 0)
		rc = build_exists(&k, e);
	if (rc < 0)
		return rc;
	core->distinct = em->ir->distinct;
	for (size_t i = 0; i < n; i++)
		sql_build_output(
		    em->arena, core, emit_term(&k, &outputs[i]), emit_alias(em, &outputs[i]));
	filter_defaults(&k);
	build_groups(&k);
	sql_build_having(
	    em->arena, core, filter_conditions(&k, em->ir->having, em->ir->n_having, NULL, NULL));
	*ret_core = k;
	return 0;
}

int emit_branch(struct emit *em, uint32_t branch, const struct ir_term *outputs, size_t n_outputs,
    struct sql_select **ret_select, struct err *e)
{
	struct sql_select *s = sql_build_select(em->arena);
	struct emit_core k;
	int rc = build_core(em, s->cores[0], branch, outputs, n_outputs, &k, e);

	if (rc < 0)
		return rc;
	build_order(&k, s);
	*ret_select = s;
	return 0;
}

int emit_select(struct emit *em, struct sql_select **ret_select, struct err *e)
{
	const struct ir *ir = em->ir;
	struct sql_select *s;
	struct emit_core k;
	int rc;

	if (ir->n_outputs == 0 || (ir->n_having > 0 && ir->n_groups == 0))
		return err_set(
		    e, ERR_UNANSWERABLE, PHASE_GENERATE, "it is not clear what is asked for");
	if (ir->arithmetic != IR_ARITH_NONE)
		return arith_emit(em, ret_select, e);
	if (ir->set == IR_SET_NONE)
		return emit_branch(em, 0, ir->outputs, ir->n_outputs, ret_select, e);
	s = sql_build_select(em->arena);
	rc = build_core(em, s->cores[0], 1, ir->outputs, ir->n_outputs, &k, e);
	if (rc == 0)
		rc = build_core(em, sql_build_core(em->arena, s, SQL_SET_INTERSECT), 2, ir->outputs,
		    ir->n_outputs, &k, e);
	if (rc < 0)
		return rc;
	s->cores[0]->distinct = s->cores[1]->distinct = false; /* the set operation does it */
	*ret_select = s;
	return 0;
}
