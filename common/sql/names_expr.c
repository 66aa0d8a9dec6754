/* Resolves expressions: binds columns, looks functions up in the dialect, and
 * refuses what the engine would refuse (aggregates where none can be, rows
 * where one value is needed), so that what passes here also prepares there. */
#include <string.h>
#include <strings.h>

#include "common/sql/names.h"

/* --- facts about expressions -------------------------------------------------------------- */

size_t sql_expr_width(const struct sql_expr *x)
{
	if (x->kind == SQL_ROW)
		return x->n_args;
	if (x->kind == SQL_SUBQUERY)
		return x->select->n_outputs;
	return 1;
}

static bool has_call(const struct sql_expr *x, bool window)
{
	if (!x)
		return false;
	if (x->kind == SQL_CALL && (window ? x->over || x->over_name : x->is_aggregate))
		return true;
	if (x->kind == SQL_COLUMN)
		return has_call(x->bound.target, window);
	if (has_call(x->left, window) || has_call(x->right, window) || has_call(x->filter, window))
		return true;
	for (size_t i = 0; i < x->n_args; i++)
		if (has_call(x->args[i], window))
			return true;
	for (size_t i = 0; x->over && i < x->over->n_partition; i++)
		if (has_call(x->over->partition[i], window))
			return true;
	for (size_t i = 0; x->over && i < x->over->n_order; i++)
		if (has_call(x->over->order[i].expr, window))
			return true;
	return false;
}

bool sql_expr_has_aggregate(const struct sql_expr *x)
{
	return has_call(x, false);
}

bool sql_expr_has_window(const struct sql_expr *x)
{
	return has_call(x, true);
}

/* --- helpers -------------------------------------------------------------------------------- */

static int row_misused(struct sql_names *n, const struct sql_expr *x)
{
	if (x->kind == SQL_SUBQUERY)
		return sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
		    "the subquery gives %zu columns where one value is needed", sql_expr_width(x));
	return sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
	    "a row of %zu values stands where one value is needed", sql_expr_width(x));
}

int sql_names_scalar(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope)
{
	int rc = x ? sql_names_expr(n, x, scope) : 0;
	if (rc == 0 && x && sql_expr_width(x) != 1)
		return row_misused(n, x);
	return rc;
}

int sql_names_scalars(
    struct sql_names *n, struct sql_expr **items, size_t count, struct sql_scope *scope)
{
	int rc = 0;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = sql_names_scalar(n, items[i], scope);
	return rc;
}

/* Both sides must be equally wide. */
static int same_width(struct sql_names *n, const struct sql_expr *l, const struct sql_expr *r)
{
	if (sql_expr_width(l) == sql_expr_width(r))
		return 0;
	return row_misused(n, sql_expr_width(l) > 1 ? l : r);
}

int sql_names_window(struct sql_names *n, struct sql_window *w, struct sql_scope *scope)
{
	int rc = sql_names_scalars(n, w->partition, w->n_partition, scope);
	for (size_t i = 0; i < w->n_order && rc == 0; i++)
		rc = sql_names_scalar(n, w->order[i].expr, scope);
	if (rc == 0)
		rc = sql_names_scalar(n, w->from.offset, scope);
	return rc ? rc : sql_names_scalar(n, w->to.offset, scope);
}

/* --- calls ------------------------------------------------------------------------------------ */

static const struct sql_function *find_function(
    const struct sql_dialect *d, const struct sql_expr *x)
{
	for (size_t i = 0; i < d->n_functions; i++) {
		const struct sql_function *f = &d->functions[i];
		if (strcasecmp(f->name, x->text) == 0 && (int)x->n_args >= f->min_args &&
		    (f->max_args < 0 || (int)x->n_args <= f->max_args))
			return f;
	}
	return NULL;
}

static struct sql_window *find_window(const struct sql_core *c, const char *name)
{
	for (size_t i = 0; c && i < c->n_windows; i++)
		if (strcasecmp(c->windows[i]->name, name) == 0)
			return c->windows[i];
	return NULL;
}

static int fail_call(struct sql_names *n, const struct sql_expr *x, const char *what)
{
	return sql_names_fail(n, ERR_SYNTAX, x->line, x->col, "%s %s", x->text, what);
}

/* The window that a call runs over; checks what it takes from its base. */
static int check_window(
    struct sql_names *n, const struct sql_expr *x, const struct sql_scope *scope)
{
	const struct sql_window *w = x->over;
	const char *name = w ? w->base : x->over_name;
	const struct sql_window *base = name ? find_window(scope->core, name) : NULL;
	if (name && !base)
		return sql_names_fail(
		    n, ERR_SYNTAX, x->line, x->col, "there is no window %s", name);
	if (!w || !base)
		return 0;
	if (w->n_partition > 0 || (w->n_order > 0 && base->n_order > 0) || base->has_frame)
		return sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
		    "the window cannot override what %s defines", name);
	return 0;
}

static int check_call(struct sql_names *n, struct sql_expr *x, const struct sql_function *f,
    const struct sql_scope *scope)
{
	bool over = x->over || x->over_name;
	if (x->star && strcasecmp(x->text, "count") != 0)
		return fail_call(n, x, "cannot be called with *");
	if (over && !f->aggregate && !f->window)
		return fail_call(n, x, "is no window function");
	if (f->window && !over)
		return fail_call(n, x, "needs OVER (...)");
	if (x->filter && !f->aggregate)
		return fail_call(n, x, "cannot have a FILTER: it is no aggregate");
	if (x->distinct && (!f->aggregate || over || x->n_args != 1))
		return fail_call(n, x,
		    over ? "cannot have DISTINCT over a window"
		         : "cannot have DISTINCT: only aggregates of one argument can");
	if (x->n_order > 0)
		return fail_call(n, x, "cannot have ORDER BY inside its arguments");
	if (over ? !scope->allow_window : f->aggregate && !scope->allow_aggregate) {
		int rc = sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
		    "%s(...) cannot be used in %s", x->text, scope->clause);
		if (!over)
			err_fix(n->err,
			    "put a condition on an aggregate into HAVING, or use a subquery");
		return rc;
	}
	return over ? check_window(n, x, scope) : 0;
}

/* The scope that an aggregate belongs to: the innermost whose columns its
 * arguments use; without columns, the one that it stands in. */
static struct sql_scope *owner_of(struct sql_scope *scope, const uint32_t *before)
{
	struct sql_scope *s = scope;
	for (size_t i = 0; s; s = s->outer, i++)
		if (s->uses != before[i])
			return s;
	return scope;
}

static int resolve_call(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope)
{
	const struct sql_function *f = find_function(n->dialect, x);
	uint32_t before[SQL_MAX_DEPTH + 2];
	size_t depth = 0;
	if (!f)
		return sql_names_unknown_function(n, x);
	int rc = check_call(n, x, f, scope);
	if (rc != 0)
		return rc;

	bool over = x->over || x->over_name;
	bool aggregate = scope->allow_aggregate, window = scope->allow_window;
	const char *clause = scope->clause;
	for (struct sql_scope *s = scope; s && depth < ARRAY_SIZE(before); s = s->outer)
		before[depth++] = s->uses;
	if (over || f->aggregate) {
		scope->allow_window = false;
		scope->allow_aggregate = over && aggregate;
		scope->clause = "the arguments of an aggregate or window function";
	}
	rc = sql_names_scalars(n, x->args, x->n_args, scope);
	if (rc == 0)
		rc = sql_names_scalar(n, x->filter, scope);
	if (rc == 0 && x->over)
		rc = sql_names_window(n, x->over, scope);
	scope->allow_aggregate = aggregate;
	scope->allow_window = window;
	scope->clause = clause;
	if (rc != 0)
		return rc;

	x->is_aggregate = f->aggregate && !over;
	if (over)
		scope->has_window = true;
	if (x->is_aggregate) {
		struct sql_scope *owner = owner_of(scope, before);
		if (!owner->allow_aggregate)
			return sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
			    "%s(...) of an outer query's column cannot be used in %s", x->text,
			    owner->clause);
		owner->has_aggregate = true;
	}
	return 0;
}

int sql_names_collation(struct sql_names *n, const struct sql_expr *x)
{
	static const char *const known[] = {"BINARY", "NOCASE", "RTRIM"};
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcasecmp(x->text, known[i]) == 0)
			return 0;
	sql_names_fail(n, ERR_SYNTAX, x->line, x->col, "there is no collation %s", x->text);
	err_fix(n->err, "there is BINARY, NOCASE, RTRIM");
	return ERR_SYNTAX;
}

/* --- operators ---------------------------------------------------------------------------------- */

static bool is_comparison(enum sql_op op)
{
	return (op >= SQL_OP_EQ && op <= SQL_OP_GE) || op == SQL_OP_IS || op == SQL_OP_IS_NOT;
}

static int resolve_binary(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope)
{
	int rc;
	if (!is_comparison(x->op)) {
		if ((rc = sql_names_scalar(n, x->left, scope)) != 0)
			return rc;
		return sql_names_scalar(n, x->right, scope);
	}
	if ((rc = sql_names_expr(n, x->left, scope)) != 0 ||
	    (rc = sql_names_expr(n, x->right, scope)) != 0)
		return rc;
	return same_width(n, x->left, x->right);
}

static int resolve_between(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope)
{
	int rc;
	if ((rc = sql_names_expr(n, x->left, scope)) != 0 ||
	    (rc = sql_names_expr(n, x->args[0], scope)) != 0 ||
	    (rc = sql_names_expr(n, x->args[1], scope)) != 0 ||
	    (rc = same_width(n, x->left, x->args[0])) != 0)
		return rc;
	return same_width(n, x->left, x->args[1]);
}

static int resolve_like(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope)
{
	int rc;
	if (strcmp(x->text, "REGEXP") == 0) {
		sql_names_fail(n, ERR_UNKNOWN_FUNCTION, x->line, x->col, "REGEXP is not available");
		err_fix(n->err, "write LIKE or GLOB");
		return ERR_UNKNOWN_FUNCTION;
	}
	if (x->n_args > 0 && strcmp(x->text, "LIKE") != 0)
		return sql_names_fail(
		    n, ERR_SYNTAX, x->line, x->col, "ESCAPE goes with LIKE, not with %s", x->text);
	if ((rc = sql_names_scalar(n, x->left, scope)) != 0 ||
	    (rc = sql_names_scalar(n, x->right, scope)) != 0)
		return rc;
	return sql_names_scalars(n, x->args, x->n_args, scope);
}

static int resolve_in(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope)
{
	int rc = sql_names_expr(n, x->left, scope);
	size_t width = rc == 0 ? sql_expr_width(x->left) : 0;
	if (rc != 0)
		return rc;
	if (x->kind == SQL_IN_SELECT) {
		if ((rc = sql_names_select(n, x->select, scope)) != 0)
			return rc;
		if (x->select->n_outputs != width)
			return sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
			    "IN compares %zu value%s with a subquery of %zu columns", width,
			    width == 1 ? "" : "s", x->select->n_outputs);
		return 0;
	}
	for (size_t i = 0; i < x->n_args; i++) {
		if ((rc = sql_names_expr(n, x->args[i], scope)) != 0)
			return rc;
		if (sql_expr_width(x->args[i]) != width ||
		    (width > 1 && x->args[i]->kind != SQL_ROW))
			return row_misused(n, x->args[i]);
	}
	return 0;
}

static int resolve_keyword(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope)
{
	if (strncmp(x->text, "CURRENT", 7) == 0)
		return 0;
	/* TRUE and FALSE are names first. */
	struct sql_expr as_column = *x;
	as_column.kind = SQL_COLUMN;
	as_column.column = x->text;
	as_column.quote = '"';
	int rc = sql_names_try(n, &as_column, scope, false);
	if (rc == 0)
		*x = as_column;
	return rc < 0 ? rc : 0;
}

int sql_names_expr(struct sql_names *n, struct sql_expr *x, struct sql_scope *scope)
{
	int rc;
	switch (x->kind) {
	case SQL_NULL:
	case SQL_NUMBER:
	case SQL_STRING:
	case SQL_BLOB: return 0;
	case SQL_KEYWORD: return resolve_keyword(n, x, scope);
	case SQL_COLUMN: return sql_names_column(n, x, scope);
	case SQL_UNARY:
	case SQL_IS_NULL:
	case SQL_CAST: return sql_names_scalar(n, x->left, scope);
	case SQL_COLLATE:
		if ((rc = sql_names_collation(n, x)) != 0)
			return rc;
		return sql_names_scalar(n, x->left, scope);
	case SQL_BINARY: return resolve_binary(n, x, scope);
	case SQL_BETWEEN: return resolve_between(n, x, scope);
	case SQL_LIKE: return resolve_like(n, x, scope);
	case SQL_IN_LIST:
	case SQL_IN_SELECT: return resolve_in(n, x, scope);
	case SQL_EXISTS:
	case SQL_SUBQUERY: return sql_names_select(n, x->select, scope);
	case SQL_CASE:
		if ((rc = sql_names_scalar(n, x->left, scope)) != 0 ||
		    (rc = sql_names_scalar(n, x->right, scope)) != 0)
			return rc;
		return sql_names_scalars(n, x->args, x->n_args, scope);
	case SQL_CALL: return resolve_call(n, x, scope);
	case SQL_ROW: return sql_names_scalars(n, x->args, x->n_args, scope);
	}
	return 0;
}
