/* FROM: finds tables and CTEs, resolves subqueries, names every item (t1 ...),
 * turns NATURAL and USING into ON, and expands stars. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/sql/names.h"

#define MAX_WEIGHT 2000

/* --- what an item exposes ---------------------------------------------------------------- */

static void name_source(struct sql_names *n, struct sql_source *f)
{
	f->print_name = arena_printf(n->arena, "%s%u", n->table_prefix, ++n->n_tables);
}

static int resolve_table(struct sql_names *n, struct sql_source *f)
{
	int table = -1;
	if (!f->schema || strcasecmp(f->schema, n->catalog->schema) == 0)
		table = catalog_find_table(n->catalog, f->name);
	if (table < 0)
		return sql_names_unknown_table(n, f);
	const struct catalog_table *t = &n->catalog->tables[table];
	f->kind = SQL_SOURCE_TABLE;
	f->table = table;
	f->print_schema = n->catalog->schema[0] ? n->catalog->schema : NULL;
	f->n_columns = t->n_columns;
	f->columns = arena_new_array(n->arena, t->n_columns, const char *);
	for (size_t i = 0; i < t->n_columns; i++)
		f->columns[i] = t->columns[i].name;
	return 0;
}

static int resolve_function(struct sql_names *n, struct sql_source *f)
{
	static const char *columns[] = {
	    "key", "value", "type", "atom", "id", "parent", "fullkey", "path"};
	if (strcasecmp(f->name, "json_each") != 0 && strcasecmp(f->name, "json_tree") != 0) {
		sql_names_fail(n, ERR_UNKNOWN_FUNCTION, f->line, f->col,
		    "there is no table function %s, or it is not allowed", f->name);
		err_fix(n->err, "there is json_each(x) and json_tree(x)");
		return ERR_UNKNOWN_FUNCTION;
	}
	if (f->n_args < 1 || f->n_args > 2)
		return sql_names_fail(n, ERR_UNKNOWN_FUNCTION, f->line, f->col,
		    "%s takes one or two arguments", f->name);
	f->columns = columns;
	f->n_columns = ARRAY_SIZE(columns);
	return 0;
}

/* --- CTEs ---------------------------------------------------------------------------------- */

static struct sql_cte *find_cte(
    struct sql_with_scope *with, const char *name, struct sql_with_scope **ret_scope)
{
	for (; with; with = with->outer) {
		for (size_t i = 0; i < with->owner->n_ctes; i++) {
			if (strcasecmp(with->owner->ctes[i]->name, name) == 0) {
				*ret_scope = with;
				return with->owner->ctes[i];
			}
		}
	}
	return NULL;
}

/* A CTE that refers to itself: only in the FROM of a later core of its own
 * UNION, once there, and from then on in every core. */
static int recursive_use(
    struct sql_names *n, struct sql_source *f, struct sql_cte *t, const struct sql_select *s)
{
	struct sql_cte_frame *frame = n->frame;
	size_t last = t->select->n_cores - 1;
	int op = t->select->cores[last]->set_op;
	if (!frame || frame->cte != t || s != t->select || frame->core_is_recursive ||
	    (op != SQL_SET_UNION && op != SQL_SET_UNION_ALL) ||
	    t->select->cores[frame->core]->set_op != (unsigned)op) {
		sql_names_fail(n, ERR_SYNTAX, f->line, f->col,
		    "%s refers to itself in a way that cannot be run", t->name);
		err_fix(n->err, "use it once, in the FROM of the second SELECT of its UNION ALL");
		return ERR_SYNTAX;
	}
	frame->core_is_recursive = true;
	t->is_recursive = true;
	return 0;
}

static int open_cte(struct sql_names *n, struct sql_cte *t, struct sql_with_scope *owner)
{
	struct sql_with_scope *saved = n->with;
	struct sql_cte_frame frame = {.outer = n->frame, .cte = t};
	uint64_t weight = n->weight;
	t->state = SQL_CTE_OPEN;
	t->used = true;
	t->print_name = arena_printf(n->arena, "%s%u", n->cte_prefix, ++n->n_ctes);
	n->with = owner;
	n->frame = &frame;
	n->weight = 0;
	int rc = sql_names_select(n, t->select, owner->names);
	t->weight = n->weight + 1;
	n->weight = weight;
	n->with = saved;
	n->frame = frame.outer;
	if (rc == 0)
		t->state = SQL_CTE_DONE;
	return rc;
}

static int resolve_named(struct sql_names *n, struct sql_source *f, const struct sql_select *s)
{
	struct sql_with_scope *owner = NULL;
	struct sql_cte *t = f->schema ? NULL : find_cte(n->with, f->name, &owner);
	int rc = 0;
	if (!t)
		return resolve_table(n, f);
	if (t->state == SQL_CTE_OPEN)
		rc = recursive_use(n, f, t, s);
	else if (t->state == SQL_CTE_NEW)
		rc = open_cte(n, t, owner);
	if (rc != 0)
		return rc;
	n->weight += t->state == SQL_CTE_DONE ? t->weight : 1;
	f->kind = SQL_SOURCE_CTE;
	f->cte = t;
	f->columns = t->output_names;
	f->n_columns = t->n_outputs;
	return 0;
}

/* --- items -------------------------------------------------------------------------------------- */

/* In parentheses every item needs a name of its own: the engine selects all
 * columns of all of them by name. */
static int check_nested_names(struct sql_names *n, const struct sql_source *f)
{
	for (size_t i = 0; i < f->n_from; i++) {
		const char *name = f->from[i]->alias ? f->from[i]->alias : f->from[i]->name;
		for (size_t k = 0; k < i && name; k++) {
			const char *other = f->from[k]->alias ? f->from[k]->alias
			                                      : f->from[k]->name;
			if (!other || strcasecmp(name, other) != 0)
				continue;
			sql_names_fail(n, ERR_AMBIGUOUS_COLUMN, f->from[i]->line, f->from[i]->col,
			    "%s stands twice in one pair of parentheses", name);
			err_fix(n->err, "give each table an alias of its own");
			return ERR_AMBIGUOUS_COLUMN;
		}
	}
	return 0;
}

static int resolve_source(
    struct sql_names *n, const struct sql_select *s, struct sql_source *f, struct sql_scope *scope)
{
	int rc = 0;
	f->n_merged = 0;
	f->merged = NULL;
	scope->has_right_join |= f->join == SQL_JOIN_RIGHT || f->join == SQL_JOIN_FULL;
	switch (f->kind) {
	case SQL_SOURCE_TABLE:
	case SQL_SOURCE_CTE: rc = resolve_named(n, f, s); break;
	case SQL_SOURCE_FUNCTION: rc = resolve_function(n, f); break;
	case SQL_SOURCE_SELECT:
		rc = sql_names_select(n, f->select, scope->outer);
		f->columns = f->select->output_names;
		f->n_columns = f->select->n_outputs;
		break;
	case SQL_SOURCE_NESTED:
		for (size_t i = 0; i < f->n_from && rc == 0; i++)
			rc = resolve_source(n, s, f->from[i], scope);
		return rc ? rc : check_nested_names(n, f);
	}
	if (rc != 0)
		return rc;
	name_source(n, f);
	/* The engine writes every use of a CTE out in full, and of those in it. */
	if (++n->weight > MAX_WEIGHT)
		return sql_names_fail(n, ERR_TOO_COMPLEX, f->line, f->col,
		    "the definitions of WITH use each other too often");
	if (scope->n_leaves >= SQL_MAX_SOURCES)
		return sql_names_fail(n, ERR_TOO_COMPLEX, f->line, f->col,
		    "FROM can have at most %d items", SQL_MAX_SOURCES);
	*arena_push(n->arena, scope->leaves, scope->n_leaves) = f;
	return 0;
}

/* --- NATURAL and USING --------------------------------------------------------------------------- */

/* Leaves [from, to) are one side of a join. */
struct side {
	size_t from, to;
};

static int find_leaf(
    const struct sql_scope *scope, struct side side, const char *name, size_t *ret_leaf)
{
	for (size_t i = side.from; i < side.to; i++) {
		int column = sql_source_find_column(scope->leaves[i], name);
		if (column >= 0) {
			*ret_leaf = i;
			return column;
		}
	}
	return -1;
}

static struct sql_expr *leaf_column(struct sql_names *n, struct sql_source *f, int column)
{
	struct sql_expr *x = arena_new(n->arena, struct sql_expr);
	x->kind = SQL_COLUMN;
	x->line = f->line;
	x->col = f->col;
	x->table = f->alias ? f->alias : f->name;
	x->column = f->columns[column];
	x->bound.source = f;
	x->bound.column = column;
	return x;
}

/* The left value of a merged column. Where right or full joins are about, rows
 * of any of the tables joined so far may be absent: then it is coalesce(). */
static int left_value(struct sql_names *n, const struct sql_scope *scope, struct side left,
    const char *name, const struct sql_source *right, struct sql_expr **ret_value)
{
	size_t leaf = 0;
	int column = find_leaf(scope, left, name, &leaf);
	struct sql_expr *x, *call = NULL;
	if (column < 0)
		return sql_names_fail(n, ERR_UNKNOWN_COLUMN, right->line, right->col,
		    "the tables cannot be joined USING %s: not both sides have that column", name);
	x = leaf_column(n, scope->leaves[leaf], column);
	while (scope->has_right_join) {
		struct side rest = {leaf + 1, left.to};
		if ((column = find_leaf(scope, rest, name, &leaf)) < 0)
			break;
		if (!sql_source_merges(scope->leaves[leaf], name))
			return sql_names_fail(n, ERR_AMBIGUOUS_COLUMN, right->line, right->col,
			    "USING (%s) is ambiguous: more than one table before it has that column",
			    name);
		if (!call) {
			call = arena_new(n->arena, struct sql_expr);
			call->kind = SQL_CALL;
			call->text = "coalesce";
			call->text_len = strlen("coalesce");
			*arena_push(n->arena, call->args, call->n_args) = x;
		}
		*arena_push(n->arena, call->args, call->n_args) = leaf_column(
		    n, scope->leaves[leaf], column);
	}
	*ret_value = call ? call : x;
	return 0;
}

static int merge_column(struct sql_names *n, const struct sql_scope *scope, struct side left,
    struct side right, struct sql_source *f, const char *name)
{
	size_t leaf = 0;
	struct sql_expr *value = NULL;
	int column = find_leaf(scope, right, name, &leaf);
	int rc = left_value(n, scope, left, name, f, &value);
	if (rc != 0)
		return rc;
	if (column < 0)
		return sql_names_fail(n, ERR_UNKNOWN_COLUMN, f->line, f->col,
		    "the tables cannot be joined USING %s: not both sides have that column", name);
	struct sql_source *r = scope->leaves[leaf];
	/* A parenthesised join that merges columns itself, in an outer query that
	 * merges others, is more than one rule for one column. */
	if (f->kind == SQL_SOURCE_NESTED && (r->n_merged > 0 || scope->has_right_join)) {
		sql_names_fail(n, ERR_TOO_COMPLEX, f->line, f->col,
		    "USING and NATURAL cannot be used on a parenthesised join here");
		err_fix(n->err, "write ON");
		return ERR_TOO_COMPLEX;
	}
	struct sql_expr *eq = arena_new(n->arena, struct sql_expr);
	eq->kind = SQL_BINARY;
	eq->op = SQL_OP_EQ;
	eq->line = f->line;
	eq->col = f->col;
	eq->left = value;
	eq->right = leaf_column(n, r, column);
	if (f->on) {
		struct sql_expr *and = arena_new(n->arena, struct sql_expr);
		and->kind = SQL_BINARY;
		and->op = SQL_OP_AND;
		and->left = f->on;
		and->right = eq;
		eq = and;
	}
	f->on = eq;
	*arena_push(n->arena, r->merged, r->n_merged) = name;
	r->merged_join = f->join;
	return 0;
}

/* NATURAL: every column of the right side that the left side has too. */
static int merge_natural(struct sql_names *n, const struct sql_scope *scope, struct side left,
    struct side right, struct sql_source *f)
{
	for (size_t i = right.from; i < right.to; i++) {
		for (size_t j = 0; j < scope->leaves[i]->n_columns; j++) {
			const char *name = scope->leaves[i]->columns[j];
			size_t leaf;
			bool seen = false;
			for (size_t k = left.from; k < left.to; k++)
				n->work += scope->leaves[k]->n_columns;
			if (sql_names_overworked(n))
				return ERR_TOO_COMPLEX;
			for (size_t k = right.from; k <= i && !seen; k++)
				seen = sql_source_merges(scope->leaves[k], name);
			if (seen || find_leaf(scope, left, name, &leaf) < 0)
				continue;
			int rc = merge_column(n, scope, left, right, f, name);
			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

/* Joins the items in turn; *at is the first leaf of the next item. */
static int merge_items(struct sql_names *n, const struct sql_scope *scope, struct sql_source **from,
    size_t n_from, size_t *at)
{
	struct side left = {*at, *at};
	for (size_t i = 0; i < n_from; i++) {
		struct sql_source *f = from[i];
		struct side right = {*at, *at + 1};
		int rc = 0;
		if (f->kind == SQL_SOURCE_NESTED) {
			rc = merge_items(n, scope, f->from, f->n_from, at);
			right.to = *at;
		} else {
			(*at)++;
		}
		if (f->natural || f->n_using > 0)
			f->on = NULL; /* resolving again makes it again */
		for (size_t j = 0; j < f->n_using && rc == 0; j++)
			rc = merge_column(n, scope, left, right, f, f->using[j]);
		if (rc == 0 && f->natural)
			rc = merge_natural(n, scope, left, right, f);
		if (rc != 0)
			return rc;
		left.to = right.to;
	}
	return 0;
}

int sql_names_from(
    struct sql_names *n, const struct sql_select *s, struct sql_core *c, struct sql_scope *scope)
{
	int rc = 0;
	size_t at = 0;
	for (size_t i = 0; i < c->n_from && rc == 0; i++)
		rc = resolve_source(n, s, c->from[i], scope);
	scope->n_joined = scope->n_leaves;
	return rc ? rc : merge_items(n, scope, c->from, c->n_from, &at);
}

static size_t count_leaves(const struct sql_source *f)
{
	size_t n = f->kind != SQL_SOURCE_NESTED;
	for (size_t i = 0; i < f->n_from; i++)
		n += count_leaves(f->from[i]);
	return n;
}

/* Inside parentheses only what stands there, and what is around the whole
 * query, can be named. */
static int resolve_items(
    struct sql_names *n, struct sql_source **from, size_t n_from, struct sql_scope *scope)
{
	size_t at = 0;
	int rc = 0;
	for (size_t i = 0; i < n_from && rc == 0; i++) {
		struct sql_source *f = from[i];
		size_t count = count_leaves(f);
		if (f->kind == SQL_SOURCE_NESTED) {
			struct sql_core no_core = {0};
			struct sql_scope inner = {
			    .outer = scope->outer, .core = &no_core, .clause = "ON"};
			inner.leaves = scope->leaves + at;
			inner.n_leaves = count;
			inner.is_nested = true;
			rc = resolve_items(n, f->from, f->n_from, &inner);
		}
		scope->n_joined = at;
		if (rc == 0)
			rc = sql_names_scalars(n, f->args, f->n_args, scope);
		at += count;
		/* The engine lets the ON of an inner join name what is joined later,
		 * unless a right or full join is about. */
		bool is_inner = f->join == SQL_JOIN_INNER || f->join == SQL_JOIN_CROSS ||
		    f->join == SQL_JOIN_COMMA;
		scope->n_joined =
		    is_inner && !scope->has_right_join && !scope->is_nested ? scope->n_leaves : at;
		if (rc == 0 && f->on && !f->natural && f->n_using == 0)
			rc = sql_names_scalar(n, f->on, scope);
	}
	return rc;
}

int sql_names_from_exprs(struct sql_names *n, struct sql_core *c, struct sql_scope *scope)
{
	/* An alias could stand for columns of a table that is joined later. */
	scope->clause = "ON";
	scope->aliases_visible = false;
	int rc = resolve_items(n, c->from, c->n_from, scope);
	scope->aliases_visible = true;
	scope->n_joined = scope->n_leaves;
	return rc;
}

/* --- stars ------------------------------------------------------------------------------------------ */

/* A column that a right or full join further on merges is what the merge rule
 * says, not the column of this table. */
static bool is_merged_later(const struct sql_scope *scope, size_t leaf, const char *name)
{
	bool merged = false;
	if (!scope->has_right_join)
		return false;
	for (size_t i = leaf + 1; i < scope->n_leaves && !merged; i++)
		merged = sql_source_merges(scope->leaves[i], name);
	for (size_t i = leaf + 1; i < scope->n_leaves && merged; i++)
		if (scope->leaves[i]->join == SQL_JOIN_RIGHT ||
		    scope->leaves[i]->join == SQL_JOIN_FULL)
			return true;
	return false;
}

/* What one column of a star costs in memory, beside a comparison of names. */
#define STAR_WORK 200

struct star {
	struct sql_output *outputs;
	size_t n;
	const char *table;
	uint32_t place;
};

static int star_leaf(struct sql_names *n, struct sql_scope *scope, size_t leaf, struct star *star)
{
	struct sql_source *f = scope->leaves[leaf];
	for (size_t i = 0; i < f->n_columns; i++) {
		if (!star->table && sql_source_merges(f, f->columns[i]))
			continue;
		struct sql_expr *x = leaf_column(n, f, (int)i);
		if (is_merged_later(scope, leaf, f->columns[i])) {
			x->table = NULL;
			int rc = sql_names_try(n, x, scope, true);
			if (rc != 0)
				return rc < 0 ? rc : ERR_INTERNAL;
		}
		scope->uses++;
		n->work += STAR_WORK;
		struct sql_output *o = arena_push(n->arena, star->outputs, star->n);
		o->expr = x;
		o->star_table = star->table;
		o->from_star = star->place;
		if (sql_names_overworked(n))
			return ERR_TOO_COMPLEX;
		if (star->n > SQL_MAX_COLUMNS)
			return sql_names_fail(n, ERR_TOO_COMPLEX, 0, 0,
			    "a SELECT can have at most %d columns", SQL_MAX_COLUMNS);
	}
	return 0;
}

static int expand_star(struct sql_names *n, struct sql_core *c, struct sql_scope *scope,
    const struct sql_output *o, struct star *star)
{
	bool found = false;
	star->table = o->star_table;
	for (size_t i = 0; i < scope->n_leaves; i++) {
		if (o->star_table && !sql_source_is_named(n, scope->leaves[i], NULL, o->star_table))
			continue;
		found = true;
		int rc = star_leaf(n, scope, i, star);
		if (rc != 0)
			return rc;
	}
	if (found)
		return 0;
	if (c->n_from == 0)
		return sql_names_fail(n, ERR_SYNTAX, 0, 0, "* needs a FROM");
	struct sql_source missing = {.name = o->star_table};
	return sql_names_unknown_table(n, &missing);
}

int sql_names_stars(struct sql_names *n, struct sql_core *c, struct sql_scope *scope)
{
	struct star star = {NULL, 0, NULL, 0};
	bool has_star = false;
	for (size_t i = 0; i < c->n_outputs; i++)
		has_star |= c->outputs[i].star;
	if (!has_star)
		return 0;
	for (size_t i = 0; i < c->n_outputs; i++) {
		star.place++;
		if (c->outputs[i].star) {
			int rc = expand_star(n, c, scope, &c->outputs[i], &star);
			if (rc != 0)
				return rc;
		} else {
			*arena_push(n->arena, star.outputs, star.n) = c->outputs[i];
		}
	}
	c->outputs = star.outputs;
	c->n_outputs = star.n;
	return 0;
}
