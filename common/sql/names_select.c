/* Resolves selects: each core in a scope of its own, clause by clause in the
 * order in which SQLite does it, then ORDER BY, LIMIT and the output names. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/sql/names.h"

/* --- output names --------------------------------------------------------------------------- */

static const char *text_of(struct sql_names *n, const struct sql_expr *x)
{
	struct strbuf b;
	strbuf_init(&b, SQL_MAX_BYTES);
	sql_print_expr(&b, n->dialect, x, SQL_PRINT_SHOWN);
	const char *text = arena_strndup(n->arena, b.data, b.len);
	strbuf_done(&b);
	return text;
}

/* As SQLite names it: the alias, the column's own name, else the text. */
static const char *output_name(struct sql_names *n, const struct sql_output *o)
{
	const struct sql_expr *x = o->expr;
	if (o->alias)
		return o->alias;
	if (x->kind != SQL_COLUMN)
		return text_of(n, x);
	return x->bound.source ? x->bound.source->columns[x->bound.column] : x->column;
}

void sql_names_outputs(struct sql_names *n, struct sql_select *s)
{
	const struct sql_core *c = s->cores[0];
	s->n_outputs = c->n_values > 0 ? c->n_value_columns : c->n_outputs;
	s->output_names = arena_new_array(n->arena, s->n_outputs, const char *);
	for (size_t i = 0; i < s->n_outputs; i++)
		s->output_names[i] = c->n_values > 0 ? arena_printf(n->arena, "column%zu", i + 1)
		                                     : output_name(n, &c->outputs[i]);
}

static bool is_taken(const struct sql_select *s, size_t before, const char *name)
{
	for (size_t i = 0; i < before; i++)
		if (strcasecmp(s->output_names[i], name) == 0)
			return true;
	return false;
}

/* Inside a query, the second column "id" is called "id:1", the third "id:2". */
static int make_names_unique(struct sql_names *n, struct sql_select *s)
{
	for (size_t i = 1; i < s->n_outputs; i++) {
		const char *name = s->output_names[i];
		for (unsigned k = 1; is_taken(s, i, name); k++) {
			n->work += i;
			size_t len = strlen(name), base = len;
			while (base > 1 && isdigit((unsigned char)name[base - 1]))
				base--;
			base = base < len && base > 1 && name[base - 1] == ':' ? base - 1 : len;
			name = arena_printf(n->arena, "%.*s:%u", (int)base, name, k);
		}
		s->output_names[i] = name;
		n->work += i;
	}
	return sql_names_overworked(n) ? ERR_TOO_COMPLEX : 0;
}

/* --- cores ------------------------------------------------------------------------------------ */

static int resolve_windows(struct sql_names *n, struct sql_core *c, struct sql_scope *scope)
{
	int rc = 0;
	scope->allow_window = false;
	scope->allow_aggregate = scope->has_aggregate || c->n_group_by > 0;
	scope->clause = "WINDOW";
	for (size_t i = 0; i < c->n_windows && rc == 0; i++) {
		struct sql_window *w = c->windows[i];
		for (size_t j = 0; j < i; j++) {
			if (!w->base || strcasecmp(c->windows[j]->name, w->base) != 0)
				continue;
			if (w->n_partition > 0 || (w->n_order > 0 && c->windows[j]->n_order > 0) ||
			    c->windows[j]->has_frame)
				return sql_names_fail(n, ERR_SYNTAX, 0, 0,
				    "window %s cannot override what %s defines", w->name, w->base);
		}
		rc = sql_names_window(n, w, scope);
	}
	return rc;
}

/* The engine folds "x AND 0" to the number 0 while it parses. */
static bool folds_to_zero(const struct sql_expr *x)
{
	if (x->kind == SQL_BINARY && x->op == SQL_OP_AND)
		return folds_to_zero(x->left) || folds_to_zero(x->right);
	if (x->kind == SQL_IN_LIST)
		return x->n_args == 0 && !x->negated;
	return x->kind == SQL_NUMBER && strspn(x->text, "0xX") == strlen(x->text);
}

/* True if the term is a whole number of 32 bits: the engine takes only such
 * ones for positions, larger ones are constants. */
static bool as_position(const struct sql_expr *x, int64_t *ret_value)
{
	int64_t sign = 1;
	for (; x->kind == SQL_UNARY && (x->op == SQL_OP_NEG || x->op == SQL_OP_POS); x = x->left)
		sign = x->op == SQL_OP_NEG ? -sign : sign;
	if (x->kind == SQL_BINARY && folds_to_zero(x)) {
		*ret_value = 0;
		return true;
	}
	if (x->kind != SQL_NUMBER)
		return false;
	char *end;
	bool is_hex = strncasecmp(x->text, "0x", 2) == 0;
	errno = 0;
	uint64_t n = strtoull(x->text, &end, is_hex ? 16 : 10);
	if (errno != 0 || *end != '\0' || n > INT32_MAX)
		return false;
	*ret_value = sign * (int64_t)n;
	return true;
}

static struct sql_expr *skip_collate(struct sql_expr *x)
{
	while (x->kind == SQL_COLLATE)
		x = x->left;
	return x;
}

static int check_position(struct sql_names *n, const struct sql_expr *x, int64_t value,
    size_t n_outputs, const char *clause)
{
	if (value >= 1 && (uint64_t)value <= n_outputs)
		return 0;
	sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
	    "%s %" PRId64 ": there is no such output column", clause, value);
	err_fix(n->err, "use a number from 1 to %zu, or a name", n_outputs);
	return ERR_SYNTAX;
}

static void bind_position(struct sql_expr *x, const struct sql_core *c, int output)
{
	x->bound.source = NULL;
	x->bound.is_output = true;
	x->bound.output = output;
	x->bound.target = c->outputs[output].expr;
}

static int resolve_group(struct sql_names *n, struct sql_core *c, struct sql_scope *scope)
{
	struct sql_scope *outer = scope->outer;
	int rc = 0;
	/* GROUP BY and ORDER BY cannot name what is outside. An aggregate here is
	 * refused below, whatever it came from. */
	scope->outer = NULL;
	scope->allow_aggregate = true;
	scope->allow_window = false;
	scope->clause = "GROUP BY";
	for (size_t i = 0; i < c->n_group_by && rc == 0; i++) {
		struct sql_expr *x = c->group_by[i], *meant = x;
		int64_t value;
		rc = sql_names_scalar(n, x, scope);
		if (rc == 0 && as_position(skip_collate(x), &value)) {
			rc = check_position(n, x, value, c->n_outputs, "GROUP BY");
			meant = rc == 0 ? c->outputs[value - 1].expr : x;
		}
		if (rc == 0 && x->kind == SQL_COLUMN && x->bound.target && !x->bound.source &&
		    sql_names_alias(c, x->column) == x->bound.output &&
		    x->bound.target == c->outputs[x->bound.output].expr)
			x->bound.is_output = true;
		if (rc == 0 && (sql_expr_has_aggregate(meant) || sql_expr_has_window(meant)))
			rc = sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
			    "aggregates cannot be used in GROUP BY");
	}
	scope->outer = outer;
	return rc;
}

static int resolve_values(struct sql_names *n, struct sql_core *c, struct sql_scope *scope)
{
	int rc = 0;
	scope->clause = "VALUES";
	for (size_t i = 0; i < c->n_values && rc == 0; i++)
		rc = sql_names_scalars(n, c->values[i], c->n_value_columns, scope);
	return rc;
}

static int resolve_outputs(struct sql_names *n, struct sql_core *c, struct sql_scope *scope)
{
	int rc = sql_names_stars(n, c, scope);
	scope->clause = "the select list";
	scope->allow_aggregate = scope->allow_window = true;
	for (size_t i = 0; i < c->n_outputs && rc == 0; i++)
		rc = sql_names_scalar(n, c->outputs[i].expr, scope);
	scope->allow_aggregate = scope->allow_window = false;
	return rc;
}

static int resolve_filters(struct sql_names *n, struct sql_core *c, struct sql_scope *scope)
{
	int rc = 0;
	scope->aliases_visible = true;
	if (c->having) {
		if (!scope->has_aggregate && c->n_group_by == 0) {
			sql_names_fail(n, ERR_SYNTAX, c->having->line, c->having->col,
			    "HAVING needs a GROUP BY or an aggregate in the select list");
			err_fix(n->err, "put conditions on rows into WHERE");
			return ERR_SYNTAX;
		}
		scope->clause = "HAVING";
		scope->allow_aggregate = true;
		rc = sql_names_scalar(n, c->having, scope);
		scope->allow_aggregate = false;
	}
	scope->clause = "WHERE";
	if (rc == 0)
		rc = sql_names_scalar(n, c->where, scope);
	return rc ? rc : sql_names_from_exprs(n, c, scope);
}

static int resolve_core(
    struct sql_names *n, struct sql_select *s, struct sql_core *c, struct sql_scope *scope)
{
	int rc;
	if (c->n_values > 0)
		return resolve_values(n, c, scope);
	if ((rc = sql_names_from(n, s, c, scope)) != 0 ||
	    (rc = resolve_outputs(n, c, scope)) != 0 || (rc = resolve_filters(n, c, scope)) != 0 ||
	    (rc = resolve_group(n, c, scope)) != 0)
		return rc;
	return resolve_windows(n, c, scope);
}

/* --- ORDER BY --------------------------------------------------------------------------------- */

static int check_collations(struct sql_names *n, const struct sql_expr *x)
{
	int rc = 0;
	for (; x->kind == SQL_COLLATE && rc == 0; x = x->left)
		rc = sql_names_collation(n, x);
	return rc;
}

static int resolve_order_term(
    struct sql_names *n, struct sql_core *c, struct sql_expr *x, struct sql_scope *scope)
{
	struct sql_expr *inner = skip_collate(x);
	int output = inner->kind == SQL_COLUMN && !inner->table ? sql_names_alias(c, inner->column)
	                                                        : -1;
	int64_t value;
	n->work += c->n_outputs;
	if (sql_names_overworked(n))
		return ERR_TOO_COMPLEX;
	if (output >= 0) {
		bind_position(inner, c, output);
		return 0;
	}
	if (as_position(inner, &value))
		return check_position(n, inner, value, c->n_outputs, "ORDER BY");
	return sql_names_scalar(n, x, scope);
}

static int resolve_order(struct sql_names *n, struct sql_select *s, struct sql_scope *scope)
{
	int rc = 0;
	struct sql_core *c = s->cores[0];
	scope->outer = NULL;
	scope->clause = "ORDER BY";
	scope->allow_aggregate = scope->has_aggregate || c->n_group_by > 0;
	scope->allow_window = true;
	for (size_t i = 0; i < s->n_order && rc == 0; i++)
		rc = check_collations(n, s->order[i].expr);
	for (size_t i = 0; i < s->n_order && rc == 0; i++)
		rc = resolve_order_term(n, c, s->order[i].expr, scope);
	return rc;
}

/* Both mean the same once bound: for terms of a compound's ORDER BY. */
static bool same_meaning(const struct sql_expr *a, const struct sql_expr *b)
{
	if (a->kind == SQL_COLUMN && b->kind == SQL_COLUMN)
		return a->bound.source && a->bound.source == b->bound.source &&
		    a->bound.column == b->bound.column;
	if (a->kind != b->kind || a->n_args != b->n_args || !a->left != !b->left ||
	    !a->right != !b->right)
		return false;
	if (a->kind == SQL_CALL || a->kind == SQL_BINARY || a->kind == SQL_UNARY) {
		for (size_t i = 0; i < a->n_args; i++)
			if (!same_meaning(a->args[i], b->args[i]))
				return false;
		return a->op == b->op && a->distinct == b->distinct && a->star == b->star &&
		    (a->text == b->text ||
		        (a->text && b->text && strcasecmp(a->text, b->text) == 0)) &&
		    !a->over && !b->over && !a->filter && !b->filter &&
		    (!a->left || same_meaning(a->left, b->left)) &&
		    (!a->right || same_meaning(a->right, b->right));
	}
	return sql_expr_equal(a, b);
}

/* The output of one core that a term of a compound's ORDER BY means, -1 if none. */
static int compound_output(
    struct sql_names *n, struct sql_core *c, struct sql_expr *x, struct sql_scope *scope)
{
	struct err *saved = n->err;
	n->work += c->n_outputs;
	int output = x->kind == SQL_COLUMN && !x->table ? sql_names_alias(c, x->column) : -1;
	if (output >= 0 || c->n_values > 0)
		return output;
	/* Whatever does not resolve here may do so in the next core. */
	n->err = NULL;
	scope->outer = NULL;
	scope->aliases_visible = false;
	scope->allow_aggregate = scope->allow_window = true;
	scope->clause = "ORDER BY";
	int rc = sql_names_expr(n, x, scope);
	n->err = saved;
	for (size_t i = 0; i < c->n_outputs && rc == 0; i++)
		if (same_meaning(x, c->outputs[i].expr))
			return (int)i;
	return -1;
}

/* A compound can only be ordered by its outputs: by position, by an alias of
 * any of its cores, or by the same expression as an output of any of them. */
static int resolve_compound_order(
    struct sql_names *n, struct sql_select *s, struct sql_scope *scopes)
{
	for (size_t i = 0; i < s->n_order; i++) {
		struct sql_expr *x = skip_collate(s->order[i].expr);
		int64_t value;
		int output = -1, rc = check_collations(n, s->order[i].expr);
		if (rc != 0)
			return rc;
		if (as_position(x, &value)) {
			rc = check_position(n, x, value, s->n_outputs, "ORDER BY");
			if (rc != 0)
				return rc;
			continue;
		}
		size_t core = 0;
		for (; core < s->n_cores && output < 0; core++)
			output = compound_output(n, s->cores[core], x, &scopes[core]);
		if (sql_names_overworked(n))
			return ERR_TOO_COMPLEX;
		if (output < 0) {
			sql_names_fail(n, ERR_SYNTAX, x->line, x->col,
			    "ORDER BY of a compound must name an output column");
			err_fix(n->err, "use a number from 1 to %zu", s->n_outputs);
			return ERR_SYNTAX;
		}
		if (x->kind == SQL_COLUMN) {
			bind_position(x, s->cores[core - 1], output);
		} else {
			/* Runs as a position; a node that prints so in both modes. */
			x->kind = SQL_NUMBER;
			x->text = arena_printf(n->arena, "%d", output + 1);
			x->left = x->right = NULL;
			x->n_args = 0;
		}
	}
	return 0;
}

/* --- selects --------------------------------------------------------------------------------- */

static int check_core(
    struct sql_names *n, const struct sql_select *s, size_t i, const struct sql_scope *scope)
{
	static const char *const set_ops[] = {"", "UNION", "UNION ALL", "INTERSECT", "EXCEPT"};
	const struct sql_core *c = s->cores[i];
	size_t width = c->n_values > 0 ? c->n_value_columns : c->n_outputs;
	struct sql_cte_frame *frame = n->frame;
	if (i > 0 && width != s->n_outputs)
		return sql_names_fail(n, ERR_SYNTAX, 0, 0,
		    "the SELECTs around %s have %zu and %zu columns", set_ops[c->set_op],
		    s->n_outputs, width);
	if (!frame || frame->cte->select != s)
		return 0;
	if (frame->recursive_core > 0 && !frame->core_is_recursive)
		return sql_names_fail(n, ERR_SYNTAX, frame->cte->line, frame->cte->col,
		    "all SELECTs of %s after the first recursive one must be recursive",
		    frame->cte->name);
	if (frame->core_is_recursive) {
		frame->recursive_core = i;
		if (scope->has_aggregate || c->n_group_by > 0 || scope->has_window)
			return sql_names_fail(n, ERR_SYNTAX, frame->cte->line, frame->cte->col,
			    "a recursive SELECT of %s cannot aggregate", frame->cte->name);
	}
	return 0;
}

/* After its first core the columns of a CTE are known, also to itself. */
static int expose_cte(struct sql_names *n, struct sql_select *s)
{
	struct sql_cte *t = n->frame ? n->frame->cte : NULL;
	if (!t || t->select != s)
		return 0;
	if (t->n_columns > 0 && t->n_columns != s->n_outputs)
		return sql_names_fail(n, ERR_SYNTAX, t->line, t->col,
		    "%s names %zu columns but has %zu", t->name, t->n_columns, s->n_outputs);
	t->n_outputs = s->n_outputs;
	t->output_names = t->n_columns > 0 ? t->columns : s->output_names;
	return 0;
}

static int resolve_cores(
    struct sql_names *n, struct sql_select *s, struct sql_scope *outer, struct sql_scope *scopes)
{
	for (size_t i = 0; i < s->n_cores; i++) {
		struct sql_scope *scope = &scopes[i];
		scope->outer = outer;
		scope->core = s->cores[i];
		if (n->frame && n->frame->cte->select == s) {
			n->frame->core = i;
			n->frame->core_is_recursive = false;
		}
		int rc = resolve_core(n, s, s->cores[i], scope);
		if (rc == 0 && i == 0) {
			sql_names_outputs(n, s);
			rc = n->depth > 1 ? make_names_unique(n, s) : 0;
			if (rc == 0)
				rc = expose_cte(n, s);
		}
		if (rc == 0)
			rc = check_core(n, s, i, scope);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* LIMIT and OFFSET cannot name anything. */
static int resolve_limit(struct sql_names *n, struct sql_select *s)
{
	struct sql_core no_core = {0};
	struct sql_scope scope = {.core = &no_core, .clause = "LIMIT"};
	int rc = sql_names_scalar(n, s->limit, &scope);
	return rc ? rc : sql_names_scalar(n, s->offset, &scope);
}

int sql_names_select(struct sql_names *n, struct sql_select *s, struct sql_scope *outer)
{
	struct sql_with_scope with = {n->with, s, outer};
	struct sql_scope *scopes = arena_new_array(n->arena, s->n_cores, struct sql_scope);
	int rc;
	if (++n->depth > SQL_MAX_DEPTH)
		return sql_names_fail(n, ERR_TOO_COMPLEX, 0, 0, "the query is nested too deeply");
	for (size_t i = 0; i < s->n_ctes; i++) {
		s->ctes[i]->state = SQL_CTE_NEW;
		s->ctes[i]->used = s->ctes[i]->is_recursive = false;
		s->ctes[i]->print_name = NULL;
	}
	if (s->n_ctes > 0)
		n->with = &with;
	rc = resolve_cores(n, s, outer, scopes);
	if (rc == 0 && s->n_order > 0)
		rc = s->n_cores == 1 ? resolve_order(n, s, &scopes[0])
		                     : resolve_compound_order(n, s, scopes);
	if (rc == 0)
		rc = resolve_limit(n, s);
	n->with = with.outer;
	n->depth--;
	return rc;
}

/* --- entry ------------------------------------------------------------------------------------- */

/* A prefix with which no table of the catalog starts, a number following. */
static const char *free_prefix(struct sql_names *n, const char *prefix)
{
	for (;;) {
		size_t len = strlen(prefix);
		bool taken = false;
		for (size_t i = 0; i < n->catalog->n_tables && !taken; i++)
			taken = strncasecmp(n->catalog->tables[i].name, prefix, len) == 0 &&
			    isdigit((unsigned char)n->catalog->tables[i].name[len]);
		if (!taken)
			return prefix;
		prefix = arena_printf(n->arena, "%s_", prefix);
	}
}

int sql_resolve(struct arena *a, const struct sql_dialect *d, struct sql_select *s,
    const struct catalog *c, struct err *e)
{
	struct sql_names n = {.arena = a, .dialect = d, .catalog = c, .err = e};
	n.table_prefix = free_prefix(&n, "t");
	n.cte_prefix = free_prefix(&n, "w");
	return sql_names_select(&n, s, NULL);
}
