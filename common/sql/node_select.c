/* Node makers for the grammar: FROM, cores, compounds, WITH. A select's height
 * is that of its highest expression plus SELECT_HEIGHT, so that SQL_MAX_HEIGHT
 * bounds selects inside each other too (SQL_MAX_DEPTH of them). */
#include <string.h>
#include <strings.h>

#include "common/sql/node.h"
#include "sql_gram.h"

#define SELECT_HEIGHT (SQL_MAX_HEIGHT / SQL_MAX_DEPTH)

static uint32_t height_of(const struct sql_expr *x)
{
	return x ? x->height : 0;
}

static uint32_t taller(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* --- select list, rows ------------------------------------------------------------------- */

void sql_output_add(struct sql_parser *p, struct sql_output_list *l, struct sql_expr *x,
    const char *alias, const char *start, const char *end)
{
	struct sql_output *o = arena_push(p->arena, l->items, l->n);
	while (end > start && strchr(" \t\n\f\r", end[-1]))
		end--;
	o->expr = x;
	o->alias = alias;
	o->span = arena_strndup(p->arena, start, (size_t)(end - start));
	o->span_len = (size_t)(end - start);
	l->height = taller(l->height, height_of(x));
}

void sql_output_star(struct sql_parser *p, struct sql_output_list *l, const struct sql_token *table)
{
	struct sql_output *o = arena_push(p->arena, l->items, l->n);
	o->star = true;
	o->star_table = table ? sql_node_name(p, table) : NULL;
}

void sql_values_add(struct sql_parser *p, struct sql_values_list *l, struct sql_expr_list row)
{
	if (l->n == 0)
		l->n_columns = row.n;
	else if (row.n != l->n_columns)
		sql_parse_fail(
		    p, ERR_SYNTAX, NULL, "all rows of VALUES must have the same number of values");
	*arena_push(p->arena, l->items, l->n) = row.items;
	l->height = taller(l->height, row.height);
}

/* --- FROM ---------------------------------------------------------------------------------- */

/* Left, right and full are two bits: full = left | right; bare OUTER means left. */
struct sql_join_op sql_node_join(struct sql_parser *p, const struct sql_token *a,
    const struct sql_token *b, const struct sql_token *c)
{
	const struct sql_token *words[] = {a, b, c};
	struct sql_join_op op = {SQL_JOIN_INNER, false};
	bool left = false, right = false, inner = false, cross = false, outer = false;
	for (size_t i = 0; i < ARRAY_SIZE(words) && words[i]; i++) {
		char first = (char)(words[i]->start[0] | 0x20);
		left |= first == 'l' || first == 'f';
		right |= first == 'r' || first == 'f';
		outer |= first == 'o';
		inner |= first == 'i';
		cross |= first == 'c';
		op.natural |= first == 'n';
	}
	if (((inner || cross) && (left || right || outer)) || (outer && !left && !right))
		sql_parse_fail(p, ERR_SYNTAX, a, "there is no such kind of join");
	if (left || right)
		op.join = left && right ? SQL_JOIN_FULL : left ? SQL_JOIN_LEFT : SQL_JOIN_RIGHT;
	else if (cross)
		op.join = SQL_JOIN_CROSS;
	return op;
}

static struct sql_source *new_source(
    struct sql_parser *p, enum sql_source_kind kind, const struct sql_token *t, const char *alias)
{
	struct sql_source *f = arena_new(p->arena, struct sql_source);
	f->kind = kind;
	f->line = t ? t->line : 0;
	f->col = t ? t->col : 0;
	f->alias = alias;
	f->table = -1;
	return f;
}

struct sql_source *sql_node_table(struct sql_parser *p, const struct sql_token *schema,
    const struct sql_token *name, const char *alias)
{
	struct sql_source *f = new_source(p, SQL_SOURCE_TABLE, schema ? schema : name, alias);
	f->schema = schema ? sql_node_name(p, schema) : NULL;
	f->name = sql_node_name(p, name);
	return f;
}

struct sql_source *sql_node_function(struct sql_parser *p, const struct sql_token *name,
    struct sql_expr_list args, const char *alias)
{
	struct sql_source *f = new_source(p, SQL_SOURCE_FUNCTION, name, alias);
	f->name = sql_node_name(p, name);
	f->args = args.items;
	f->n_args = args.n;
	f->height = args.height;
	return f;
}

struct sql_source *sql_node_from_select(
    struct sql_parser *p, const struct sql_token *t, struct sql_select *s, const char *alias)
{
	struct sql_source *f = new_source(p, SQL_SOURCE_SELECT, t, alias);
	f->select = s;
	f->height = s ? s->height : 0;
	return f;
}

/* A parenthesised join with a name of its own is a subquery for all of its columns. */
static struct sql_select *select_all(struct sql_parser *p, struct sql_source_list from)
{
	struct sql_core_parts parts = {.from = from};
	sql_output_star(p, &parts.outputs, NULL);
	return sql_node_core(p, &parts);
}

struct sql_source *sql_node_nested(struct sql_parser *p, const struct sql_token *t,
    struct sql_source_list inner, const char *alias)
{
	if (inner.n == 1 && !inner.items[0]->on && inner.items[0]->n_using == 0) {
		struct sql_source *only = inner.items[0];
		if (!alias)
			return only;
		if (only->kind != SQL_SOURCE_NESTED) {
			only->alias = alias;
			return only;
		}
		inner.items = only->from; /* ((a JOIN b)) AS x: the outer pair says nothing */
		inner.n = only->n_from;
	}
	if (alias)
		return sql_node_from_select(p, t, select_all(p, inner), alias);
	struct sql_source *f = new_source(p, SQL_SOURCE_NESTED, t, NULL);
	f->from = inner.items;
	f->n_from = inner.n;
	f->height = inner.height + 1;
	if (f->height > SQL_MAX_HEIGHT)
		sql_parse_fail(p, ERR_TOO_COMPLEX, t, "joins are nested too deeply");
	return f;
}

void sql_source_add(struct sql_parser *p, struct sql_source_list *l, struct sql_join_op op,
    struct sql_source *f, struct sql_on_using on)
{
	struct sql_token at = {.line = f->line, .col = f->col};
	/* Around the first item parentheses say nothing. */
	if (l->n == 0 && f->kind == SQL_SOURCE_NESTED && !on.on && on.using.n == 0) {
		l->items = f->from;
		l->n = f->n_from;
		l->height = f->height;
		return;
	}
	f->join = op.join;
	f->natural = op.natural;
	f->on = on.on;
	f->using = on.using.items;
	f->n_using = on.using.n;
	if (op.join == SQL_JOIN_FIRST && (on.on || on.using.n > 0))
		sql_parse_fail(p, ERR_SYNTAX, &at, "ON and USING need a join before them");
	else if (op.natural && (on.on || on.using.n > 0))
		sql_parse_fail(p, ERR_SYNTAX, &at, "a NATURAL join can have neither ON nor USING");
	else if (l->n >= SQL_MAX_SOURCES)
		sql_parse_fail(
		    p, ERR_TOO_COMPLEX, &at, "FROM can have at most %d items", SQL_MAX_SOURCES);
	*arena_push(p->arena, l->items, l->n) = f;
	l->height = taller(l->height, taller(f->height, height_of(on.on)));
}

struct sql_select *sql_node_in_source(struct sql_parser *p, struct sql_source *f)
{
	struct sql_source_list from = {NULL, 0, f->height};
	*arena_push(p->arena, from.items, from.n) = f;
	return select_all(p, from);
}

/* --- selects ------------------------------------------------------------------------------- */

static struct sql_select *finish_select(struct sql_parser *p, struct sql_select *s, uint32_t parts)
{
	s->height = parts + SELECT_HEIGHT;
	if (s->height > SQL_MAX_HEIGHT + SELECT_HEIGHT)
		sql_parse_fail(p, ERR_TOO_COMPLEX, NULL, "the query is nested too deeply");
	return s;
}

struct sql_select *sql_node_core(struct sql_parser *p, const struct sql_core_parts *c)
{
	struct sql_select *s = arena_new(p->arena, struct sql_select);
	struct sql_core *core = arena_new(p->arena, struct sql_core);
	core->distinct = c->distinct;
	core->outputs = c->outputs.items;
	core->n_outputs = c->outputs.n;
	core->from = c->from.items;
	core->n_from = c->from.n;
	core->where = c->where;
	core->group_by = c->group_by.items;
	core->n_group_by = c->group_by.n;
	core->having = c->having;
	core->windows = c->windows.items;
	core->n_windows = c->windows.n;
	*arena_push(p->arena, s->cores, s->n_cores) = core;
	s->order = c->order.items;
	s->n_order = c->order.n;
	s->limit = c->limit.limit;
	s->offset = c->limit.offset;
	if (core->n_outputs > SQL_MAX_COLUMNS)
		sql_parse_fail(p, ERR_TOO_COMPLEX, NULL, "a SELECT can have at most %d columns",
		    SQL_MAX_COLUMNS);
	uint32_t h = taller(c->outputs.height, taller(c->from.height, c->group_by.height));
	h = taller(h, taller(c->order.height, c->windows.height));
	h = taller(h, taller(height_of(c->where), height_of(c->having)));
	h = taller(h, taller(height_of(c->limit.limit), height_of(c->limit.offset)));
	return finish_select(p, s, h);
}

struct sql_select *sql_node_values(struct sql_parser *p, struct sql_values_list v)
{
	struct sql_select *s = arena_new(p->arena, struct sql_select);
	struct sql_core *core = arena_new(p->arena, struct sql_core);
	core->values = v.items;
	core->n_values = v.n;
	core->n_value_columns = v.n_columns;
	*arena_push(p->arena, s->cores, s->n_cores) = core;
	return finish_select(p, s, v.height);
}

struct sql_select *sql_node_compound(struct sql_parser *p, struct sql_select *l, int set_op,
    const struct sql_token *op, struct sql_select *r)
{
	if (l->n_order > 0 || l->limit)
		sql_parse_fail(p, ERR_SYNTAX, op,
		    "%s must stand after the last SELECT, not before %.*s",
		    l->n_order > 0 ? "ORDER BY" : "LIMIT", (int)op->len, op->start);
	if (l->n_cores >= SQL_MAX_CORES)
		sql_parse_fail(
		    p, ERR_TOO_COMPLEX, op, "at most %d SELECTs can be combined", SQL_MAX_CORES);
	*arena_push(p->arena, l->cores, l->n_cores) = r->cores[0];
	r->cores[0]->set_op = set_op;
	l->order = r->order;
	l->n_order = r->n_order;
	l->limit = r->limit;
	l->offset = r->offset;
	l->height = taller(l->height, r->height);
	return l;
}

void sql_cte_add(struct sql_parser *p, struct sql_cte_list *l, const struct sql_token *name,
    struct sql_name_list columns, int materialized, struct sql_select *s)
{
	struct sql_cte *t = arena_new(p->arena, struct sql_cte);
	t->name = sql_node_name(p, name);
	t->columns = columns.items;
	t->n_columns = columns.n;
	t->materialized = materialized;
	t->select = s;
	t->line = name->line;
	t->col = name->col;
	for (size_t i = 0; i < l->n; i++)
		if (strcasecmp(l->items[i]->name, t->name) == 0)
			sql_parse_fail(p, ERR_SYNTAX, name, "WITH defines %s twice", t->name);
	*arena_push(p->arena, l->items, l->n) = t;
	l->height = taller(l->height, s->height);
}

struct sql_select *sql_node_with(
    struct sql_parser *p, struct sql_cte_list ctes, struct sql_select *s)
{
	s->recursive = ctes.recursive;
	s->ctes = ctes.items;
	s->n_ctes = ctes.n;
	return finish_select(p, s, taller(ctes.height, s->height - SELECT_HEIGHT));
}
