/* The unit rule over expressions, see measure.h. */
#include "verify_agent/measure.h"

#include <string.h>
#include <strings.h>

#include "common/text/unit.h"

#define MAX_DEPTH 64

static struct measure plain(enum measure_kind kind)
{
	return (struct measure){
	    .kind = kind, .table = CERT_NONE, .column = CERT_NONE, .unit_column = CERT_NONE};
}

bool measure_same_unit(struct cert *c, const char *a, const char *b)
{
	struct unit x, y;
	int32_t power = 0;
	if (strcmp(a, b) == 0) {
		return true;
	}
	unit_parse_all(c->a, a, &x);
	unit_parse_all(c->a, b, &y);
	return x.base[0] && y.base[0] && unit_power(&x, &y, &power) && power == 0;
}

/* The one unit that the rows of the query have: fixed by a filter, or the only
 * value of the column. NULL if rows may differ. */
static const char *row_unit(struct cert *c, size_t step, uint32_t table, uint32_t unit_column)
{
	const struct sql_facts *f = &c->steps[step].facts;
	for (size_t i = 0; i < f->n_literals; i++) {
		const struct sql_fact_literal *l = &f->literals[i];
		if (l->table == table && l->column == unit_column && l->op == SQL_OP_EQ &&
		    !l->negated && !l->is_like) {
			cert_quote(c, cert_literal_text(c, l));
			return cert_literal_text(c, l);
		}
	}
	const struct catalog_column *col = cert_column(c, table, unit_column);
	if (col && col->domain_complete && col->n_domain == 1) {
		return cert_value_text(c, &col->domain[0]);
	}
	return NULL;
}

struct measure measure_of_column(struct cert *c, size_t step, uint32_t table, uint32_t column)
{
	const struct catalog_column *col = cert_column(c, table, column);
	const struct semantic_field *f = semantic_field_of(
	    c->g->semantic, c->g->catalog, table, column);
	struct measure m = plain(MEASURE_NONE);
	if (!col) {
		return m;
	}
	m.table = table;
	m.column = column;
	if (f && f->unit[0]) {
		m.kind = MEASURE_UNIT;
		m.unit = f->unit;
		return m;
	}
	if (f && f->unit_column[0]) {
		int i = catalog_find_column(&c->g->catalog->tables[table], f->unit_column);
		m.unit = i >= 0 ? row_unit(c, step, table, (uint32_t)i) : NULL;
		m.kind = m.unit ? MEASURE_UNIT : i >= 0 ? MEASURE_ROWS : MEASURE_UNKNOWN;
		m.unit_column = i >= 0 ? (uint32_t)i : CERT_NONE;
		return m;
	}
	if (catalog_column_is_numeric(col) && !col->pk_position && !col->is_unique &&
	    !cert_is_time_column(c, table, column)) {
		m.kind = MEASURE_UNKNOWN;
	}
	return m;
}

const struct sql_expr *measure_output(const struct cert *c, size_t step, size_t i)
{
	const struct sql_select *s = c->steps[step].tree;
	if (!s || !s->n_cores || i >= s->cores[0]->n_outputs) {
		return NULL;
	}
	return s->cores[0]->outputs[i].expr;
}

/* --- metrics -------------------------------------------------------------------- */

static bool is_one(const struct sql_expr *x)
{
	struct decimal d;
	return x && x->kind == SQL_NUMBER && decimal_parse(x->text, &d) && d.digits == 1 &&
	    d.exponent == 0;
}

/* Without what only turns integers into reals: * 1.0 and CAST(x AS REAL). */
static const struct sql_expr *bare(const struct sql_expr *x)
{
	for (;;) {
		if (x && x->kind == SQL_BINARY && x->op == SQL_OP_MUL && is_one(x->left)) {
			x = x->right;
		} else if (x && x->kind == SQL_BINARY && x->op == SQL_OP_MUL && is_one(x->right)) {
			x = x->left;
		} else if (x && x->kind == SQL_CAST && strcasecmp(x->text, "REAL") == 0) {
			x = x->left;
		} else {
			return x;
		}
	}
}

static bool same_column(struct cert *c, const struct sql_expr *x, const struct sql_expr *m)
{
	uint32_t t1, c1, t2, c2;
	if (!m->table || !cert_origin(x, &t1, &c1)) {
		return false;
	}
	const char *name = arena_printf(c->a, "%s.%s", m->table, m->column);
	return semantic_resolve(c->g->semantic, c->g->catalog, name, &t2, &c2) == 0 && t1 == t2 &&
	    c1 == c2;
}

/* x is of the candidate (resolved), m of the metric (not resolved). */
static bool same_expression(
    struct cert *c, const struct sql_expr *x, const struct sql_expr *m, int depth)
{
	x = bare(x);
	m = bare(m);
	if (!x || !m) {
		return x == m;
	}
	if (depth > MAX_DEPTH || x->kind != m->kind || x->op != m->op || x->n_args != m->n_args ||
	    x->distinct != m->distinct || x->star != m->star || x->negated != m->negated ||
	    x->select || m->select) {
		return false;
	}
	if (x->kind == SQL_COLUMN) {
		return same_column(c, x, m);
	}
	if (x->kind == SQL_CALL ? strcasecmp(x->text, m->text) != 0
	                        : (x->text && m->text && strcmp(x->text, m->text) != 0)) {
		return false;
	}
	for (size_t i = 0; i < x->n_args; i++) {
		if (!same_expression(c, x->args[i], m->args[i], depth + 1)) {
			return false;
		}
	}
	return same_expression(c, x->left, m->left, depth + 1) &&
	    same_expression(c, x->right, m->right, depth + 1) &&
	    same_expression(c, x->filter, m->filter, depth + 1);
}

bool measure_is_metric(struct cert *c, const struct sql_expr *x, const struct semantic_metric *m)
{
	const char *text = arena_printf(c->a, "SELECT %s", m->expression);
	struct sql_select *s = NULL;
	struct err e = ERR_INIT;
	/* Parsed to be compared, never printed or run. */
	if (sql_parse(c->a, &sql_dialect_sqlite, text, strlen(text), &s, &e) < 0 ||
	    s->n_cores != 1 || s->cores[0]->n_outputs != 1 || !s->cores[0]->outputs[0].expr) {
		return false;
	}
	return same_expression(c, x, s->cores[0]->outputs[0].expr, 0);
}

/* --- expressions ------------------------------------------------------------------- */

static struct measure of(struct cert *c, size_t step, const struct sql_expr *x, int depth);

static bool is_number(const struct sql_expr *x, struct decimal *ret_decimal)
{
	return x && x->kind == SQL_NUMBER && decimal_parse(x->text, ret_decimal);
}

static bool are_equal(struct cert *c, const struct measure *a, const struct measure *b)
{
	if (a->kind == MEASURE_UNIT && b->kind == MEASURE_UNIT) {
		return measure_same_unit(c, a->unit, b->unit);
	}
	/* The same column measures the same, known or not; so do two row units only
	 * within one row, which is not known here. */
	return a->kind == b->kind &&
	    (a->kind == MEASURE_COUNT || a->kind == MEASURE_NONE ||
	        (a->kind == MEASURE_UNKNOWN && a->table != CERT_NONE && a->table == b->table &&
	            a->column == b->column));
}

static struct measure of_product(const struct sql_expr *x, struct measure l, struct measure r)
{
	struct decimal d;
	const struct sql_expr *number = is_number(x->left, &d) ? x->left
	    : is_number(x->right, &d)                          ? x->right
	                                                       : NULL;
	struct measure other = number == x->left ? r : l;
	if (number && is_one(number)) {
		return other;
	}
	/* A ratio times 100 is per cent. */
	if (number && other.kind == MEASURE_NONE && d.digits == 1 && d.exponent == 2) {
		other.kind = MEASURE_UNIT;
		other.unit = "%";
		return other;
	}
	if (number) {
		return plain(other.kind == MEASURE_COUNT ? MEASURE_COUNT : MEASURE_UNKNOWN);
	}
	if (l.kind == MEASURE_COUNT || l.kind == MEASURE_NONE) {
		return r;
	}
	return r.kind == MEASURE_COUNT || r.kind == MEASURE_NONE ? l : plain(MEASURE_UNKNOWN);
}

static struct measure of_quotient(
    struct cert *c, const struct sql_expr *x, struct measure l, struct measure r)
{
	struct decimal d;
	if (is_number(x->right, &d)) {
		return is_one(x->right) ? l : plain(MEASURE_UNKNOWN);
	}
	if (are_equal(c, &l, &r)) {
		return plain(MEASURE_NONE);
	}
	return r.kind == MEASURE_COUNT || r.kind == MEASURE_NONE ? l : plain(MEASURE_UNKNOWN);
}

static struct measure of_binary(struct cert *c, size_t step, const struct sql_expr *x, int depth)
{
	struct measure l = of(c, step, x->left, depth + 1), r = of(c, step, x->right, depth + 1);
	switch (x->op) {
	case SQL_OP_ADD:
	case SQL_OP_SUB: return are_equal(c, &l, &r) ? l : plain(MEASURE_UNKNOWN);
	case SQL_OP_MUL: return of_product(x, l, r);
	case SQL_OP_DIV: return of_quotient(c, x, l, r);
	case SQL_OP_MOD: return plain(MEASURE_UNKNOWN);
	default: return plain(MEASURE_NONE); /* true, false, text */
	}
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (size_t i = 0; names[i]; i++) {
		if (strcasecmp(name, names[i]) == 0) {
			return true;
		}
	}
	return false;
}

static struct measure of_call(struct cert *c, size_t step, const struct sql_expr *x, int depth)
{
	static const char *const keeps[] = {"sum", "total", "avg", "min", "max", "abs", "round",
	    "ceil", "ceiling", "floor", "trunc", "coalesce", "ifnull", "nullif", "first_value",
	    "last_value", "nth_value", "lag", "lead", NULL};
	static const char *const counts[] = {
	    "count", "row_number", "rank", "dense_rank", "length", "ntile", NULL};
	static const char *const texts[] = {"strftime", "date", "datetime", "time", "substr",
	    "substring", "upper", "lower", "trim", "group_concat", "printf", "format", "replace",
	    "typeof", NULL};
	if (is_one_of(x->text, counts)) {
		return plain(MEASURE_COUNT);
	}
	if (is_one_of(x->text, texts)) {
		return plain(MEASURE_NONE);
	}
	if (is_one_of(x->text, keeps) && x->n_args) {
		return of(c, step, x->args[0], depth + 1);
	}
	return plain(MEASURE_UNKNOWN);
}

static struct measure of_select(struct cert *c, size_t step, const struct sql_select *s, int depth)
{
	if (!s->n_cores || s->cores[0]->n_outputs != 1) {
		return plain(MEASURE_UNKNOWN);
	}
	return of(c, step, s->cores[0]->outputs[0].expr, depth + 1);
}

/* All branches must agree; NULL and 0 stand for nothing. */
static struct measure of_case(struct cert *c, size_t step, const struct sql_expr *x, int depth)
{
	struct measure all = plain(MEASURE_NONE);
	bool first = true;
	for (size_t i = 1; i <= x->n_args + 1; i += 2) {
		const struct sql_expr *branch = i < x->n_args ? x->args[i] : x->right;
		struct decimal d;
		bool is_last = i >= x->n_args;
		if (branch && branch->kind != SQL_NULL &&
		    !(is_number(branch, &d) && d.digits == 0)) {
			struct measure m = of(c, step, branch, depth + 1);
			if (!first && !are_equal(c, &all, &m)) {
				return plain(MEASURE_UNKNOWN);
			}
			all = m;
			first = false;
		}
		if (is_last) {
			break;
		}
	}
	return all;
}

static struct measure of_column(struct cert *c, size_t step, const struct sql_expr *x, int depth)
{
	uint32_t table, column;
	if (cert_origin(x, &table, &column)) {
		return measure_of_column(c, step, table, column);
	}
	const struct sql_expr *inner = cert_inner(x);
	return inner ? of(c, step, inner, depth + 1) : plain(MEASURE_UNKNOWN);
}

static struct measure of(struct cert *c, size_t step, const struct sql_expr *x, int depth)
{
	if (!x || depth > MAX_DEPTH) {
		return plain(MEASURE_UNKNOWN);
	}
	switch (x->kind) {
	case SQL_COLUMN: return of_column(c, step, x, depth);
	case SQL_CALL: return of_call(c, step, x, depth);
	case SQL_BINARY: return of_binary(c, step, x, depth);
	case SQL_CASE: return of_case(c, step, x, depth);
	case SQL_SUBQUERY: return of_select(c, step, x->select, depth);
	case SQL_CAST:
	case SQL_COLLATE: return of(c, step, x->left, depth + 1);
	case SQL_UNARY:
		return x->op == SQL_OP_NEG || x->op == SQL_OP_POS ? of(c, step, x->left, depth + 1)
		                                                  : plain(MEASURE_NONE);
	default: return plain(MEASURE_NONE);
	}
}

struct measure measure_of(struct cert *c, size_t step, const struct sql_expr *x)
{
	for (size_t i = 0; x && i < c->g->semantic->n_metrics; i++) {
		const struct semantic_metric *m = &c->g->semantic->metrics[i];
		if (measure_is_metric(c, x, m)) {
			struct measure out = plain(m->unit[0] ? MEASURE_UNIT : MEASURE_NONE);
			out.unit = m->unit;
			return out;
		}
	}
	return of(c, step, x, 0);
}
