/* Facts of a resolved tree: tables, columns with roles, aggregates, literals
 * and flags. Joins and fan-out are in facts_join.c. */
#include "common/sql/facts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/sql/facts_in.h"

/* Where in the tree an expression stands. */
struct place {
	uint32_t role;
	bool negated;   /* under an odd number of NOTs */
	bool is_output; /* in the outermost select list, or flows into it */
	bool is_having;
};

static void visit_select(
    struct sql_facts_ctx *c, const struct sql_select *s, struct place at, bool is_outermost);
static void visit(struct sql_facts_ctx *c, const struct sql_expr *x, struct place at);

/* --- what names stand for -------------------------------------------------------------------- */

static const struct sql_expr *output_of(const struct sql_source *f, int column)
{
	const struct sql_select *s = f->kind == SQL_SOURCE_SELECT ? f->select
	    : f->kind == SQL_SOURCE_CTE                           ? f->cte->select
	                                                          : NULL;
	if (!s || s->cores[0]->n_values > 0 || (size_t)column >= s->cores[0]->n_outputs)
		return NULL;
	return s->cores[0]->outputs[column].expr;
}

const struct sql_expr *sql_fact_base(const struct sql_expr *x)
{
	/* Bounded: a recursive CTE's columns may stand for themselves. */
	for (int i = 0; i < SQL_MAX_DEPTH && x->kind == SQL_COLUMN; i++) {
		const struct sql_expr *next = x->bound.target;
		if (!next && x->bound.source)
			next = output_of(x->bound.source, x->bound.column);
		if (!next)
			break;
		x = next;
	}
	return x;
}

bool sql_fact_column_of(const struct sql_expr *x, uint32_t *ret_table, uint32_t *ret_column)
{
	x = sql_fact_base(x);
	if (x->kind != SQL_COLUMN || !x->bound.source || x->bound.source->kind != SQL_SOURCE_TABLE)
		return false;
	*ret_table = (uint32_t)x->bound.source->table;
	*ret_column = (uint32_t)x->bound.column;
	return true;
}

const struct sql_expr *sql_fact_group(const struct sql_core *core, size_t k)
{
	const struct sql_expr *x = core->group_by[k];
	if (x->kind == SQL_NUMBER) {
		size_t position = strtoul(x->text, NULL, 10);
		return position >= 1 && position <= core->n_outputs
		    ? core->outputs[position - 1].expr
		    : x;
	}
	return x->kind == SQL_COLUMN && x->bound.is_output ? x->bound.target : x;
}

/* Functions that give another writing of their first argument: a literal
 * compared with lower(x) is compared with x. */
static const struct sql_expr *unwrap(const struct sql_expr *x)
{
	static const char *const wrappers[] = {"lower", "upper", "trim", "ltrim", "rtrim", "date",
	    "datetime", "substr", "substring", "abs", "round", "ifnull", "coalesce", "likely",
	    "unlikely"};
	for (int i = 0; i < SQL_MAX_DEPTH; i++) {
		x = sql_fact_base(x);
		if ((x->kind == SQL_CAST || x->kind == SQL_COLLATE) && x->left) {
			x = x->left;
			continue;
		}
		if (x->kind != SQL_CALL || x->over || x->over_name || x->n_args == 0)
			return x;
		if (strcasecmp(x->text, "strftime") == 0 && x->n_args >= 2) {
			x = x->args[1];
			continue;
		}
		size_t w = 0;
		while (w < ARRAY_SIZE(wrappers) && strcasecmp(wrappers[w], x->text) != 0)
			w++;
		if (w == ARRAY_SIZE(wrappers))
			return x;
		x = x->args[0];
	}
	return x;
}

/* --- tables and columns ------------------------------------------------------------------------ */

static void add_table(struct sql_facts_ctx *c, uint32_t table)
{
	struct sql_facts *f = c->facts;
	for (size_t i = 0; i < f->n_tables; i++)
		if (f->tables[i] == table)
			return;
	*arena_push(c->arena, f->tables, f->n_tables) = table;
}

static void add_column(struct sql_facts_ctx *c, uint32_t table, uint32_t column, uint32_t roles)
{
	struct sql_facts *f = c->facts;
	if (!c->places[table])
		c->places[table] = arena_new_array(
		    c->arena, c->catalog->tables[table].n_columns, uint32_t);
	uint32_t *place = &c->places[table][column];
	if (*place == 0) {
		struct sql_fact_column *col = arena_push(c->arena, f->columns, f->n_columns);
		col->table = table;
		col->column = column;
		*place = (uint32_t)f->n_columns;
	}
	f->columns[*place - 1].roles |= roles;
}

static void visit_column(struct sql_facts_ctx *c, const struct sql_expr *x, struct place at)
{
	uint32_t table, column;
	if (sql_fact_column_of(x, &table, &column))
		add_column(c, table, column, at.role);
	else if (x->bound.target && !x->bound.is_output && x->bound.target->kind == SQL_CALL &&
	    !x->bound.target->line)
		visit(c, x->bound.target, at); /* coalesce() of a merged column */
}

/* --- literals ----------------------------------------------------------------------------------- */

static const struct sql_expr *literal_of(const struct sql_expr *x, bool *ret_negative)
{
	*ret_negative = false;
	while (x->kind == SQL_UNARY && (x->op == SQL_OP_NEG || x->op == SQL_OP_POS)) {
		*ret_negative ^= x->op == SQL_OP_NEG;
		x = x->left;
	}
	if (x->kind == SQL_NUMBER || x->kind == SQL_STRING || x->kind == SQL_BLOB ||
	    (x->kind == SQL_KEYWORD && !*ret_negative))
		return x;
	return NULL;
}

static char *lower(struct arena *a, const char *s)
{
	char *out = arena_strdup(a, s);
	for (char *p = out; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return out;
}

static struct sql_fact_literal *add_literal(struct sql_facts_ctx *c, const struct sql_expr *x)
{
	struct sql_fact_literal *l = arena_push(c->arena, c->facts->literals, c->facts->n_literals);
	l->expr = x;
	l->table = l->column = NO_INDEX;
	return l;
}

/* Records x if it is a literal that is compared with `other`; true if it was. */
static bool compare(struct sql_facts_ctx *c, const struct sql_expr *other, enum sql_op op,
    const struct sql_expr *x, bool negated, bool is_like)
{
	bool negative;
	const struct sql_expr *lit = literal_of(x, &negative);
	if (!lit)
		return false;
	struct sql_fact_literal *l = add_literal(c, lit);
	const struct sql_expr *base = unwrap(other);
	l->negative = negative;
	l->op = op;
	l->negated = negated;
	l->is_like = is_like;
	if (base->kind == SQL_CALL && base->is_aggregate) {
		l->is_aggregate = true;
		l->aggregate = lower(c->arena, base->text);
		if (base->n_args != 1)
			return true;
		base = unwrap(base->args[0]);
	}
	if (!sql_fact_column_of(base, &l->table, &l->column))
		l->table = l->column = NO_INDEX;
	return true;
}

static enum sql_op flipped(enum sql_op op)
{
	switch (op) {
	case SQL_OP_LT: return SQL_OP_GT;
	case SQL_OP_LE: return SQL_OP_GE;
	case SQL_OP_GT: return SQL_OP_LT;
	case SQL_OP_GE: return SQL_OP_LE;
	default: return op;
	}
}

/* --- types -------------------------------------------------------------------------------------- */

static bool is_integer(struct sql_facts_ctx *c, const struct sql_expr *x)
{
	uint32_t table, column;
	if (!x || c->budget == 0)
		return false;
	c->budget--;
	x = sql_fact_base(x);
	switch (x->kind) {
	case SQL_NUMBER:
		return strpbrk(x->text, ".eE") == NULL || strncasecmp(x->text, "0x", 2) == 0;
	case SQL_COLUMN:
		return sql_fact_column_of(x, &table, &column) &&
		    c->catalog->tables[table].columns[column].affinity == AFFINITY_INTEGER;
	case SQL_UNARY: return x->op != SQL_OP_NOT && is_integer(c, x->left);
	case SQL_BINARY:
		return x->op >= SQL_OP_ADD && x->op <= SQL_OP_MOD && is_integer(c, x->left) &&
		    is_integer(c, x->right);
	case SQL_CAST:
		return strncasecmp(x->text, "int", 3) == 0 || strcasecmp(x->text, "bigint") == 0;
	case SQL_SUBQUERY:
		return x->select->n_cores == 1 && x->select->cores[0]->n_outputs == 1 &&
		    is_integer(c, x->select->cores[0]->outputs[0].expr);
	case SQL_CALL:
		if (strcasecmp(x->text, "count") == 0 || strcasecmp(x->text, "length") == 0)
			return true;
		return (strcasecmp(x->text, "sum") == 0 || strcasecmp(x->text, "min") == 0 ||
		           strcasecmp(x->text, "max") == 0 || strcasecmp(x->text, "abs") == 0) &&
		    x->n_args == 1 && is_integer(c, x->args[0]);
	default: return false;
	}
}

/* True if the conjunction says that the column is not NULL. */
static bool says_not_null(const struct sql_expr *where, const struct sql_expr *column)
{
	if (!where)
		return false;
	if (where->kind == SQL_BINARY && where->op == SQL_OP_AND)
		return says_not_null(where->left, column) || says_not_null(where->right, column);
	const struct sql_expr *x = where->kind == SQL_IS_NULL && where->negated ? where->left
	    : where->kind == SQL_BINARY && where->op >= SQL_OP_EQ && where->op <= SQL_OP_GE
	    ? where->left
	    : NULL;
	return x && x->kind == SQL_COLUMN && x->bound.source == column->bound.source &&
	    x->bound.column == column->bound.column;
}

static bool may_give_null(const struct sql_facts_ctx *c, const struct sql_select *s)
{
	uint32_t table, column;
	const struct sql_core *core = s->cores[0];
	if (s->n_cores != 1 || core->n_outputs != 1)
		return false;
	const struct sql_expr *x = core->outputs[0].expr;
	if (x->kind != SQL_COLUMN || !sql_fact_column_of(x, &table, &column) ||
	    says_not_null(core->where, x))
		return false;
	const struct catalog_column *col = &c->catalog->tables[table].columns[column];
	return !col->not_null && col->pk_position == 0 && col->n_null != 0;
}

/* --- expressions ---------------------------------------------------------------------------------- */

static void visit_list(
    struct sql_facts_ctx *c, struct sql_expr *const *items, size_t n, struct place at)
{
	for (size_t i = 0; i < n; i++)
		visit(c, items[i], at);
}

static void visit_order(
    struct sql_facts_ctx *c, const struct sql_order_term *terms, size_t n, struct place at)
{
	for (size_t i = 0; i < n; i++)
		if (terms[i].expr->kind != SQL_NUMBER)
			visit(c, terms[i].expr, at);
}

static void visit_call(struct sql_facts_ctx *c, const struct sql_expr *x, struct place at)
{
	struct sql_facts *f = c->facts;
	if (x->over || x->over_name)
		f->has_window = true;
	f->has_distinct |= x->distinct;
	if (x->is_aggregate) {
		struct sql_fact_aggregate *g = arena_push(c->arena, f->aggregates, f->n_aggregates);
		g->function = lower(c->arena, x->text);
		g->distinct = x->distinct;
		g->star = x->star || x->n_args == 0;
		g->table = g->column = NO_INDEX;
		g->is_output = at.is_output;
		if (x->n_args > 0 && !sql_fact_column_of(x->args[0], &g->table, &g->column))
			g->table = g->column = NO_INDEX;
		at.role |= SQL_ROLE_AGGREGATED;
	}
	visit_list(c, x->args, x->n_args, at);
	at.role = SQL_ROLE_FILTER;
	if (x->filter)
		visit(c, x->filter, at);
	at.role = SQL_ROLE_GROUP;
	if (x->over)
		visit_list(c, x->over->partition, x->over->n_partition, at);
	at.role = SQL_ROLE_ORDER;
	if (x->over)
		visit_order(c, x->over->order, x->over->n_order, at);
}

static void visit_binary(struct sql_facts_ctx *c, const struct sql_expr *x, struct place at)
{
	bool is_comparison = (x->op >= SQL_OP_EQ && x->op <= SQL_OP_GE) || x->op == SQL_OP_IS ||
	    x->op == SQL_OP_IS_NOT;
	bool logical = x->op == SQL_OP_AND || x->op == SQL_OP_OR;
	if (x->op == SQL_OP_DIV)
		c->facts->integer_division |= is_integer(c, x->left) && is_integer(c, x->right);
	if (x->op == SQL_OP_NE || x->op == SQL_OP_IS_NOT)
		c->facts->has_negation = true;
	bool right_done = is_comparison && compare(c, x->left, x->op, x->right, at.negated, false);
	bool left_done = is_comparison && !right_done &&
	    compare(c, x->right, flipped(x->op), x->left, at.negated, false);
	if (!logical)
		at.negated = false;
	if (!left_done)
		visit(c, x->left, at);
	if (!right_done)
		visit(c, x->right, at);
}

static void visit_in(struct sql_facts_ctx *c, const struct sql_expr *x, struct place at)
{
	bool negated = at.negated != x->negated;
	c->facts->has_negation |= x->negated;
	at.negated = false;
	visit(c, x->left, at);
	for (size_t i = 0; i < x->n_args; i++)
		if (!compare(c, x->left, SQL_OP_EQ, x->args[i], negated, false))
			visit(c, x->args[i], at);
	if (x->kind != SQL_IN_SELECT)
		return;
	at.is_output = false;
	if (negated && may_give_null(c, x->select))
		c->facts->not_in_nullable = true;
	if (x->select->cores[0]->n_outputs == 1)
		sql_fact_semi_join(c, x->left, x->select->cores[0]->outputs[0].expr);
	visit_select(c, x->select, at, false);
}

static void visit_between(struct sql_facts_ctx *c, const struct sql_expr *x, struct place at)
{
	bool negated = at.negated != x->negated;
	c->facts->has_negation |= x->negated;
	at.negated = false;
	visit(c, x->left, at);
	if (!compare(c, x->left, SQL_OP_GE, x->args[0], negated, false))
		visit(c, x->args[0], at);
	if (!compare(c, x->left, SQL_OP_LE, x->args[1], negated, false))
		visit(c, x->args[1], at);
}

/* x IS NULL on the far side of a LEFT JOIN is how "without" is written. */
static bool is_anti_join(const struct sql_expr *x)
{
	return x->kind == SQL_IS_NULL && !x->negated && x->left->kind == SQL_COLUMN &&
	    x->left->bound.source && x->left->bound.source->join == SQL_JOIN_LEFT;
}

static void visit(struct sql_facts_ctx *c, const struct sql_expr *x, struct place at)
{
	struct sql_facts *f = c->facts;
	struct place inner = at;
	if (!x)
		return;
	inner.negated = false;
	switch (x->kind) {
	case SQL_COLUMN: visit_column(c, x, at); return;
	case SQL_NUMBER:
	case SQL_STRING:
	case SQL_BLOB: add_literal(c, x); return;
	case SQL_NULL:
	case SQL_KEYWORD: return;
	case SQL_BINARY: visit_binary(c, x, at); return;
	case SQL_BETWEEN: visit_between(c, x, at); return;
	case SQL_IN_LIST:
	case SQL_IN_SELECT: visit_in(c, x, at); return;
	case SQL_CALL: visit_call(c, x, inner); return;
	case SQL_UNARY:
		if (x->op == SQL_OP_NOT) {
			f->has_negation = true;
			at.negated = !at.negated;
			visit(c, x->left, at);
		} else if (x->op == SQL_OP_NEG && x->left->kind == SQL_NUMBER) {
			add_literal(c, x->left)->negative = true;
		} else {
			visit(c, x->left, inner);
		}
		return;
	case SQL_LIKE:
		f->has_negation |= x->negated;
		visit(c, x->left, inner);
		if (!compare(c, x->left, SQL_OP_NONE, x->right, at.negated != x->negated, true))
			visit(c, x->right, inner);
		visit_list(c, x->args, x->n_args, inner);
		return;
	case SQL_EXISTS:
	case SQL_SUBQUERY:
		f->has_negation |= x->kind == SQL_EXISTS && x->negated;
		inner.is_output = at.is_output && x->kind == SQL_SUBQUERY;
		visit_select(c, x->select, inner, false);
		return;
	case SQL_IS_NULL:
		f->has_negation |= is_anti_join(x);
		visit(c, x->left, inner);
		return;
	case SQL_CASE:
	case SQL_CAST:
	case SQL_COLLATE:
	case SQL_ROW: break;
	}
	visit(c, x->left, inner);
	visit(c, x->right, inner);
	visit_list(c, x->args, x->n_args, inner);
}

/* --- selects ------------------------------------------------------------------------------------- */

/* Output i of a FROM item is an output of the outermost select as it is. */
static bool flows_out(const struct sql_core *core, const struct sql_source *f, size_t i)
{
	for (size_t k = 0; k < core->n_outputs; k++) {
		const struct sql_expr *x = core->outputs[k].expr;
		if (x->kind == SQL_COLUMN && x->bound.source == f && (size_t)x->bound.column == i)
			return true;
	}
	return false;
}

static bool any_flows_out(const struct sql_core *core, const struct sql_source *f)
{
	for (size_t i = 0; i < f->n_columns; i++)
		if (flows_out(core, f, i))
			return true;
	return false;
}

static void visit_source(struct sql_facts_ctx *c, const struct sql_core *core,
    const struct sql_source *f, bool is_outermost, bool all_columns)
{
	struct place at = {.role = SQL_ROLE_JOIN};
	if (f->kind == SQL_SOURCE_TABLE)
		add_table(c, (uint32_t)f->table);
	for (size_t i = 0; f->kind == SQL_SOURCE_TABLE && all_columns && i < f->n_columns; i++)
		add_column(c, (uint32_t)f->table, (uint32_t)i, 0);
	all_columns |= f->kind == SQL_SOURCE_NESTED && !sql_source_opens(f);
	for (size_t i = 0; i < f->n_from; i++)
		visit_source(c, core, f->from[i], is_outermost, all_columns);
	visit_list(c, f->args, f->n_args, at);
	visit(c, f->on, at);
	at.role = 0;
	if (f->kind == SQL_SOURCE_SELECT) {
		at.is_output = is_outermost && any_flows_out(core, f);
		c->facts->has_subquery = true;
		visit_select(c, f->select, at, false);
	}
}

static void visit_core(
    struct sql_facts_ctx *c, const struct sql_core *core, struct place at, bool is_outermost)
{
	struct place here = {0};
	struct place out = at;
	out.negated = false;
	for (size_t i = 0; i < core->n_outputs; i++)
		visit(c, core->outputs[i].expr, out);
	for (size_t i = 0; i < core->n_values; i++)
		visit_list(c, core->values[i], core->n_value_columns, out);
	for (size_t i = 0; i < core->n_from; i++)
		visit_source(c, core, core->from[i], is_outermost, false);
	here.role = SQL_ROLE_FILTER;
	visit(c, core->where, here);
	here.role = SQL_ROLE_GROUP;
	for (size_t i = 0; i < core->n_group_by; i++)
		visit(c, sql_fact_group(core, i), here);
	here.role = SQL_ROLE_HAVING;
	here.is_having = true;
	visit(c, core->having, here);
	for (size_t i = 0; i < core->n_windows; i++) {
		here.role = SQL_ROLE_GROUP;
		visit_list(c, core->windows[i]->partition, core->windows[i]->n_partition, here);
		here.role = SQL_ROLE_ORDER;
		visit_order(c, core->windows[i]->order, core->windows[i]->n_order, here);
	}
	c->facts->has_distinct |= core->distinct;
	c->facts->has_group_by |= core->n_group_by > 0;
	c->facts->has_having |= core->having != NULL;
	sql_fact_core_joins(c, core);
}

static bool cte_flows_out(const struct sql_select *s, const struct sql_cte *t)
{
	const struct sql_core *core = s->cores[0];
	for (size_t i = 0; i < core->n_from; i++)
		if (core->from[i]->cte == t && any_flows_out(core, core->from[i]))
			return true;
	return false;
}

static void visit_select(
    struct sql_facts_ctx *c, const struct sql_select *s, struct place at, bool is_outermost)
{
	struct sql_facts *f = c->facts;
	if (!is_outermost)
		f->has_subquery = true;
	for (size_t i = 0; i < s->n_ctes; i++) {
		struct place cte = {.is_output = is_outermost && cte_flows_out(s, s->ctes[i])};
		if (s->ctes[i]->used)
			visit_select(c, s->ctes[i]->select, cte, false);
	}
	for (size_t i = 0; i < s->n_cores; i++) {
		visit_core(c, s->cores[i], at, is_outermost);
		f->has_set_op |= i > 0;
		f->has_negation |= s->cores[i]->set_op == SQL_SET_EXCEPT;
	}
	at.role = SQL_ROLE_ORDER;
	at.is_output = false;
	visit_order(c, s->order, s->n_order, at);
	f->has_order_by |= s->n_order > 0;
	f->has_limit |= s->limit != NULL;
	/* A computed limit may read tables; a plain one is a fact of its own. */
	at.role = SQL_ROLE_FILTER;
	if (s->limit && s->limit->kind != SQL_NUMBER)
		visit(c, s->limit, at);
	if (s->offset && s->offset->kind != SQL_NUMBER)
		visit(c, s->offset, at);
}

void sql_facts(
    struct arena *a, struct sql_select *s, const struct catalog *c, struct sql_facts *ret_facts)
{
	struct sql_facts_ctx ctx = {.arena = a, .catalog = c, .facts = ret_facts, .budget = 100000};
	struct place at = {.role = SQL_ROLE_OUTPUT, .is_output = true};
	memset(ret_facts, 0, sizeof(*ret_facts));
	ctx.places = arena_new_array(a, c->n_tables, uint32_t *);
	visit_select(&ctx, s, at, true);
	if (s->limit && s->limit->kind == SQL_NUMBER)
		ret_facts->limit = strtoull(s->limit->text, NULL, 0);
	ret_facts->order_desc = s->n_order > 0 && s->order[0].desc;
	ret_facts->n_group_by = s->cores[0]->n_group_by;
	ret_facts->n_outputs = s->n_outputs;
}
