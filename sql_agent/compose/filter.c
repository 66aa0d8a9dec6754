/* WHERE and HAVING. */
#include <string.h>

#include "sql_agent/compose/filter.h"

struct sql_expr *emit_column(struct emit_core *k, uint32_t table, uint32_t column, uint32_t via)
{
	int node = join_find(&k->tree, table, via);
	const char *name = k->em->view->c->tables[table].columns[column].name;

	return sql_build_column(
	    k->em->arena, k->tree.n > 1 && node >= 0 ? k->tree.nodes[node].name : NULL, name);
}

static enum sql_op op_of(const struct ir_condition *c)
{
	static const enum sql_op plain[] = {
	    SQL_OP_EQ, SQL_OP_NE, SQL_OP_LT, SQL_OP_LE, SQL_OP_GT, SQL_OP_GE};
	static const enum sql_op turned[] = {
	    SQL_OP_NE, SQL_OP_EQ, SQL_OP_GE, SQL_OP_GT, SQL_OP_LE, SQL_OP_LT};

	return (c->negated ? turned : plain)[c->test];
}

static struct sql_expr *literal(struct arena *a, const struct ir_literal *l)
{
	return l->is_number ? sql_build_number(a, l->text) : sql_build_string(a, l->text);
}

/* Text that is searched for, with LIKE's own signs escaped. */
static struct sql_expr *like(struct arena *a, struct sql_expr *x, const struct ir_condition *c)
{
	struct sql_expr *like_expr = sql_build_like(a, x, c->low.text, c->negated);

	if (strchr(c->low.text, '\\')) {
		like_expr->args = arena_new_array(a, 1, struct sql_expr *);
		like_expr->args[0] = sql_build_string(a, "\\");
		like_expr->n_args = 1;
	}
	return like_expr;
}

static void same_conditions(struct emit_core *inner, const struct ir_condition *c, bool all)
{
	const struct ir *ir = inner->em->ir;
	const struct view *v = inner->em->view;

	for (size_t i = 0; i < ir->n_conditions; i++) {
		const struct ir_condition *o = &ir->conditions[i];

		if (o != c && o->against == IR_LITERAL && o->term.kind == IR_COLUMN &&
		    o->term.table == c->term.table && !o->any_of &&
		    (all || view_column(v, o->term.table, o->term.column)->time != VIEW_NO_TIME))
			sql_build_where(inner->em->arena, inner->core,
			    filter_conditions(inner, o, 1, NULL, NULL));
	}
}

/* (SELECT agg(column) FROM table [WHERE the same period, or all the same]) */
static struct sql_expr *aggregate_of(struct emit_core *k, const struct ir_condition *c)
{
	static const char *const names[] = {"", "count", "sum", "avg", "min", "max"};
	struct arena *a = k->em->arena;
	const struct view *v = k->em->view;
	struct sql_select *s = sql_build_select(a);
	struct emit_core inner = {.em = k->em, .core = s->cores[0]};
	struct join_want only = {c->term.table, IR_NONE};
	struct sql_expr *x;

	if (join_build(a, v, &only, 1, &inner.tree, NULL) == 0)
		emit_from(&inner);
	x = emit_column(&inner, c->term.table, c->term.column, IR_NONE);
	sql_build_output(a, inner.core, sql_build_call(a, names[c->aggregate], false, 1, x), NULL);
	same_conditions(&inner, c, c->among);
	filter_defaults(&inner);
	return sql_build_subquery(a, s);
}

/* (SELECT column FROM table JOIN ... WHERE other = value AND the same period) */
static struct sql_expr *value_in_row(struct emit_core *k, const struct ir_condition *c)
{
	struct arena *a = k->em->arena;
	struct sql_select *s = sql_build_select(a);
	struct emit_core inner = {.em = k->em, .core = s->cores[0]};
	struct join_want wants[] = {{c->term.table, c->term.via}, {c->other.table, c->other.via}};

	/* settle.c has seen that the tables are related */
	if (join_build(a, k->em->view, wants, ARRAY_SIZE(wants), &inner.tree, NULL) == 0)
		emit_from(&inner);
	sql_build_output(a, inner.core, emit_term(&inner, &c->term), NULL);
	sql_build_where(a, inner.core,
	    sql_build_binary(a, SQL_OP_EQ, emit_term(&inner, &c->other), literal(a, &c->low)));
	same_conditions(&inner, c, false);
	filter_defaults(&inner);
	return sql_build_subquery(a, s);
}

static struct sql_expr *condition(struct emit_core *k, const struct ir_condition *c)
{
	struct arena *a = k->em->arena;
	struct sql_expr *x = emit_term(k, &c->term), *y;

	switch (c->test) {
	case IR_BETWEEN:
		y = sql_build_between(a, x, literal(a, &c->low), literal(a, &c->high));
		y->negated = c->negated;
		return y;
	case IR_LIKE: return like(a, x, c);
	case IR_IS_NULL: return sql_build_is_null(a, x, c->negated);
	default: break;
	}
	if (c->against == IR_AGGREGATE)
		y = aggregate_of(k, c);
	else if (c->against == IR_ROW_OF)
		y = value_in_row(k, c);
	else if (c->against == IR_TERM)
		y = emit_term(k, &c->other);
	else
		y = literal(a, &c->low);
	return sql_build_binary(a, op_of(c), x, y);
}

/* The members of one OR group; members with the same all_of are ANDed first. */
static struct sql_expr *any_of(
    struct emit_core *k, const struct ir_condition *list, size_t n, size_t first)
{
	struct arena *a = k->em->arena;
	struct sql_expr *result = NULL;

	for (size_t i = first; i < n; i++) {
		struct sql_expr *part = NULL;
		bool done = false;

		if (list[i].any_of != list[first].any_of)
			continue;
		for (size_t j = first; j < i; j++)
			done |= list[i].all_of && list[j].any_of == list[i].any_of &&
			    list[j].all_of == list[i].all_of;
		if (done)
			continue;
		part = condition(k, &list[i]);
		for (size_t j = i + 1; j < n; j++)
			if (list[i].all_of && list[j].any_of == list[i].any_of &&
			    list[j].all_of == list[i].all_of)
				part = sql_build_and(a, part, condition(k, &list[j]));
		result = sql_build_or(a, result, part);
	}
	return result;
}

struct sql_expr *filter_conditions(struct emit_core *k, const struct ir_condition *list, size_t n,
    bool (*pick)(const struct emit_core *k, const struct ir_condition *c, const void *arg),
    const void *arg)
{
	struct sql_expr *all = NULL;

	for (size_t i = 0; i < n; i++) {
		bool first = true;

		if (k->branch && list[i].branch && list[i].branch != k->branch)
			continue;
		if (pick && !pick(k, &list[i], arg))
			continue;
		if (!list[i].any_of) {
			all = sql_build_and(k->em->arena, all, condition(k, &list[i]));
			continue;
		}
		for (size_t j = 0; j < i; j++)
			first &= list[j].any_of != list[i].any_of;
		if (first)
			all = sql_build_and(k->em->arena, all, any_of(k, list, n, i));
	}
	return all;
}

/* --- membership ------------------------------------------------------------------ */

static int join_members(
    struct emit_core *inner, uint32_t start, const struct ir_exists *x, struct err *e)
{
	struct join_want wants[2 + JOIN_MAX_NODES] = {{start, IR_NONE}, {x->table, IR_NONE}};
	size_t n = 2;
	int rc;

	for (size_t i = 0; i < x->n_conditions && n < ARRAY_SIZE(wants); i++)
		wants[n++] = (struct join_want){
		    x->conditions[i].term.table, x->conditions[i].term.via};
	rc = join_build(inner->em->arena, inner->em->view, wants, n, &inner->tree, e);
	if (rc < 0)
		return rc;
	wants[1] = wants[0]; /* the far table itself is read by its conditions only */
	join_prune(inner->em->view, &inner->tree, wants, n);
	emit_from(inner);
	return rc;
}

int filter_exists(
    struct emit_core *k, const struct ir_exists *x, struct sql_expr **ret_expr, struct err *e)
{
	struct arena *a = k->em->arena;
	const struct view *v = k->em->view;
	uint32_t entity = k->em->ir->entity, next = IR_NONE, relation;
	const struct catalog_relation *r;
	struct sql_select *s = sql_build_select(a);
	struct emit_core inner = {.em = k->em, .core = s->cores[0]};
	uint32_t own, theirs;
	int rc;

	relation = join_first_step(a, v, entity, x->table, &next);
	if (relation == IR_NONE || v->c->relations[relation].n_columns != 1)
		return err_set(e, ERR_UNANSWERABLE, PHASE_GENERATE,
		    "no relation connects %s and %s", v->c->tables[entity].name,
		    v->c->tables[x->table].name);
	r = &v->c->relations[relation];
	own = r->from_table == entity ? r->from_columns[0] : r->to_columns[0];
	theirs = r->from_table == entity ? r->to_columns[0] : r->from_columns[0];
	rc = join_members(&inner, next, x, e);
	if (rc < 0)
		return rc;
	sql_build_output(a, inner.core, emit_column(&inner, next, theirs, IR_NONE), NULL);
	sql_build_where(
	    a, inner.core, filter_conditions(&inner, x->conditions, x->n_conditions, NULL, NULL));
	/* one NULL in the list would make every NOT IN unknown */
	if (x->negated && !v->c->tables[next].columns[theirs].not_null &&
	    v->c->tables[next].columns[theirs].pk_position == 0)
		sql_build_where(a, inner.core,
		    sql_build_is_null(a, emit_column(&inner, next, theirs, IR_NONE), true));
	filter_defaults(&inner);
	*ret_expr = sql_build_in_select(a, emit_column(k, entity, own, IR_NONE), s, x->negated);
	return 0;
}

/* --- expressions of the semantic model ---------------------------------------------- */

struct sql_expr *filter_parse(struct arena *a, const char *text)
{
	char *sql = arena_printf(a, "SELECT %s", text);
	struct sql_select *s;

	/* parsed, never printed as it stands: the tree is what goes on */
	if (sql_parse(a, &sql_dialect_sqlite, sql, strlen(sql), &s, NULL) < 0 || s->n_cores != 1 ||
	    s->cores[0]->n_outputs != 1 || s->cores[0]->n_from != 0 || s->cores[0]->outputs[0].star)
		return NULL;
	return s->cores[0]->outputs[0].expr;
}

struct bind {
	struct emit_core *k;
	uint32_t table;
};

static int bind_column(struct sql_expr *x, void *arg)
{
	struct bind *b = arg;
	const struct view *v = b->k->em->view;
	uint32_t table = b->table;
	int node;

	if (x->kind != SQL_COLUMN)
		return 0;
	for (uint32_t t = 0; x->table && t < v->n_tables; t++) {
		const struct view_table *vt = &v->tables[t];

		if (strcasecmp(x->table, vt->table->name) == 0 ||
		    (vt->dataset && strcmp(x->table, vt->dataset->name) == 0))
			table = t;
	}
	node = table == IR_NONE ? -1 : join_find(&b->k->tree, table, IR_NONE);
	x->schema = NULL;
	x->table = node >= 0 && b->k->tree.n > 1 ? b->k->tree.nodes[node].name : NULL;
	return 0;
}

void filter_bind(struct emit_core *k, struct sql_expr *x, uint32_t default_table)
{
	struct bind b = {k, default_table};
	struct sql_select *s = sql_build_select(k->em->arena);

	sql_build_output(k->em->arena, s->cores[0], x, NULL);
	sql_walk(s, bind_column, &b);
}

struct mention {
	const struct ir *ir;
	const struct catalog_table *table;
	uint32_t index;
	bool found;
};

/* Did the question itself say something about a column of the filter? */
static int mentioned(struct sql_expr *x, void *arg)
{
	struct mention *m = arg;

	if (x->kind != SQL_COLUMN)
		return 0;
	for (size_t i = 0; i < m->ir->n_conditions; i++) {
		const struct ir_term *t = &m->ir->conditions[i].term;

		if (t->kind == IR_COLUMN && t->table == m->index &&
		    strcasecmp(m->table->columns[t->column].name, x->column) == 0)
			m->found = true;
	}
	return 0;
}

void filter_defaults(struct emit_core *k)
{
	struct arena *a = k->em->arena;

	for (size_t i = 0; i < k->tree.n; i++) {
		uint32_t t = k->tree.nodes[i].table;
		const struct view_table *vt = &k->em->view->tables[t];
		struct mention m = {k->em->ir, vt->table, t, false};
		struct sql_select *holder;
		struct sql_expr *x;

		if (!vt->dataset || !vt->dataset->default_filter || !vt->dataset->default_filter[0])
			continue;
		x = filter_parse(a, vt->dataset->default_filter);
		if (!x)
			continue;
		holder = sql_build_select(a);
		sql_build_output(a, holder->cores[0], x, NULL);
		sql_walk(holder, mentioned, &m);
		if (m.found)
			continue;
		filter_bind(k, x, t);
		sql_build_where(a, k->core, x);
		emit_assume(
		    k->em, arena_printf(a, "%s: %s", vt->table->name, vt->dataset->default_filter));
	}
}
