/* Binds column names: FROM items first, then output aliases, then the scopes
 * around. The rules for columns merged by USING and NATURAL are SQLite's: an
 * inner or left join means the left column, a right join the right one, a full
 * join coalesce() of all. */
#include <string.h>
#include <strings.h>

#include "common/sql/names.h"

int sql_source_find_column(const struct sql_source *f, const char *name)
{
	for (size_t i = 0; i < f->n_columns; i++)
		if (strcasecmp(f->columns[i], name) == 0)
			return (int)i;
	if (f->kind != SQL_SOURCE_SELECT)
		return -1;
	/* An unnamed expression can be called by its text as the author wrote it. */
	const struct sql_core *c = f->select->cores[0];
	for (size_t i = 0; i < c->n_outputs; i++)
		if (c->outputs[i].span && !c->outputs[i].alias &&
		    strcasecmp(c->outputs[i].span, name) == 0)
			return (int)i;
	return -1;
}

bool sql_source_is_named(
    const struct sql_names *n, const struct sql_source *f, const char *schema, const char *table)
{
	const char *name = f->alias ? f->alias : f->kind == SQL_SOURCE_SELECT ? NULL : f->name;
	if (schema && (f->kind != SQL_SOURCE_TABLE || strcasecmp(schema, n->catalog->schema) != 0))
		return false;
	return name && strcasecmp(name, table) == 0;
}

bool sql_source_merges(const struct sql_source *f, const char *column)
{
	for (size_t i = 0; i < f->n_merged; i++)
		if (strcasecmp(f->merged[i], column) == 0)
			return true;
	return false;
}

int sql_names_alias(const struct sql_core *c, const char *name)
{
	for (size_t i = 0; i < c->n_outputs; i++) {
		const struct sql_output *o = &c->outputs[i];
		/* What a star became carries its column's name as an alias. */
		const char *alias = o->alias ? o->alias : o->from_star ? o->expr->column : NULL;
		if (alias && strcasecmp(alias, name) == 0)
			return (int)i;
	}
	return -1;
}

/* --- FROM items ------------------------------------------------------------------------ */

struct match {
	struct sql_source *source;
	int column;
	size_t leaf;
	size_t count;
	struct sql_expr *merged; /* coalesce() of a full join, NULL */
};

static struct sql_expr *bound_column(
    struct sql_names *n, const struct sql_expr *x, struct sql_source *f, int column)
{
	struct sql_expr *c = arena_new(n->arena, struct sql_expr);
	c->kind = SQL_COLUMN;
	c->line = x->line;
	c->col = x->col;
	c->table = f->alias ? f->alias : f->name;
	c->column = f->columns[column];
	c->bound.source = f;
	c->bound.column = column;
	return c;
}

static void add_merged(struct sql_names *n, struct match *m, const struct sql_expr *x)
{
	if (!m->merged) {
		m->merged = arena_new(n->arena, struct sql_expr);
		m->merged->kind = SQL_CALL;
		m->merged->text = "coalesce";
		m->merged->text_len = strlen("coalesce");
	}
	*arena_push(n->arena, m->merged->args, m->merged->n_args) = bound_column(
	    n, x, m->source, m->column);
}

static void find_in_leaves(
    struct sql_names *n, const struct sql_expr *x, const struct sql_scope *scope, struct match *m)
{
	for (size_t i = 0; i < scope->n_leaves; i++) {
		struct sql_source *f = scope->leaves[i];
		if (x->table && !sql_source_is_named(n, f, x->schema, x->table))
			continue;
		int column = sql_source_find_column(f, x->column);
		n->work += f->n_columns;
		if (column < 0)
			continue;
		if (m->count > 0 && (x->table || !sql_source_merges(f, x->column))) {
			m->merged = NULL;
		} else if (m->count > 0) {
			if (f->merged_join != SQL_JOIN_RIGHT && f->merged_join != SQL_JOIN_FULL)
				continue;
			if (f->merged_join == SQL_JOIN_RIGHT) {
				m->count = 0;
				m->merged = NULL;
			} else {
				add_merged(n, m, x);
			}
		}
		m->count++;
		m->source = f;
		m->leaf = i;
		m->column = column;
	}
	if (m->merged && m->merged->n_args == m->count - 1) {
		add_merged(n, m, x);
		m->count = 1;
	}
}

static int ambiguous(struct sql_names *n, const struct sql_expr *x, const struct sql_scope *scope)
{
	const char *names[2] = {NULL, NULL};
	size_t count = 0;
	sql_names_fail(n, ERR_AMBIGUOUS_COLUMN, x->line, x->col, "%s%s%s is in more than one table",
	    x->table ? x->table : "", x->table ? "." : "", x->column);
	for (size_t i = 0; i < scope->n_leaves && count < 2; i++) {
		const struct sql_source *f = scope->leaves[i];
		if (sql_source_find_column(f, x->column) >= 0 && (f->alias || f->name))
			names[count++] = f->alias ? f->alias : f->name;
	}
	if (count == 2 && strcasecmp(names[0], names[1]) != 0)
		err_fix(n->err, "write %s.%s or %s.%s", names[0], x->column, names[1], x->column);
	else
		err_fix(
		    n->err, "give each table an alias of its own and write alias.%s", x->column);
	return ERR_AMBIGUOUS_COLUMN;
}

static int joined_later(struct sql_names *n, const struct sql_expr *x, const struct sql_source *f)
{
	sql_names_fail(n, ERR_UNKNOWN_COLUMN, x->line, x->col,
	    "%s is a column of %s, which is joined later", x->column,
	    f->alias      ? f->alias
	        : f->name ? f->name
	                  : "a subquery");
	err_fix(n->err, "put the condition into the ON of that join");
	return ERR_UNKNOWN_COLUMN;
}

/* --- aliases --------------------------------------------------------------------------- */

static int is_alias(struct sql_expr *x, void *arg)
{
	(void)arg;
	return x->kind == SQL_COLUMN && x->bound.target && !x->bound.is_output &&
	    !x->bound.source && x->bound.target->line > 0;
}

static int bind_alias(struct sql_names *n, struct sql_expr *x, const struct sql_scope *scope,
    const struct sql_scope *from, int output)
{
	struct sql_expr *target = scope->core->outputs[output].expr;
	if ((sql_expr_has_aggregate(target) && (!from->allow_aggregate || scope != from)) ||
	    (sql_expr_has_window(target) && (!from->allow_window || scope != from))) {
		sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
		    "%s stands for an aggregate or window function, which cannot be used in %s",
		    x->column, from->clause);
		err_fix(n->err, "put a condition on an aggregate into HAVING");
		return ERR_SYNTAX;
	}
	/* An alias made of aliases, used again and again, grows without bound. */
	n->work += target->height;
	if (sql_walk_expr(target, is_alias, NULL) != 0) {
		sql_names_fail(n, ERR_TOO_COMPLEX, x->line, x->col,
		    "%s stands for something that is made of other aliases", x->column);
		err_fix(n->err, "write the expression itself");
		return ERR_TOO_COMPLEX;
	}
	if (sql_expr_width(target) != 1)
		return sql_names_fail(
		    n, ERR_SYNTAX, x->line, x->col, "%s is a row, not a value", x->column);
	x->bound.source = NULL;
	x->bound.output = output;
	x->bound.is_output = false;
	x->bound.target = target;
	return 0;
}

/* --- entry points ------------------------------------------------------------------------ */

int sql_names_try(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope, bool only_this)
{
	for (struct sql_scope *at = scope; at; at = only_this ? NULL : at->outer) {
		struct match m = {NULL, 0, 0, 0, NULL};
		find_in_leaves(n, x, at, &m);
		if (sql_names_overworked(n))
			return ERR_TOO_COMPLEX;
		if (m.count > 1)
			return ambiguous(n, x, at);
		if (m.count == 1 && m.leaf >= at->n_joined)
			return joined_later(n, x, m.source);
		if (m.count == 1) {
			x->bound.source = m.merged ? NULL : m.source;
			x->bound.column = m.column;
			x->bound.is_output = false;
			x->bound.target = m.merged;
			at->uses++;
			return 0;
		}
		if (at->aliases_visible)
			n->work += at->core->n_outputs;
		int output = at->aliases_visible && !x->table ? sql_names_alias(at->core, x->column)
		                                              : -1;
		if (output >= 0)
			return bind_alias(n, x, at, scope, output);
	}
	return 1;
}

int sql_names_column(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope)
{
	int rc = sql_names_try(n, x, scope, false);
	if (rc <= 0)
		return rc;
	if (x->quote == '"' && !x->table && n->dialect->allow_double_quoted_strings) {
		x->kind = SQL_STRING;
		x->text = x->column;
		x->text_len = strlen(x->column);
		x->column = NULL;
		return 0;
	}
	return sql_names_unknown_column(n, x, scope);
}
