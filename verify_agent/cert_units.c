/*
 * Quantities: every one of the question stands in the query, compared the way
 * that was asked, and in the unit of the column. The factor is worked out here
 * from the question's quantity and the semantic model; what the generator did is
 * only compared with it.
 */
#include <string.h>
#include <strings.h>

#include "common/text/cue.h"
#include "common/text/unit.h"
#include "verify_agent/measure.h"

/* Where a quantity was found in the candidate. */
struct use {
	size_t step;
	const struct sql_fact_literal *literal;
	struct measure measure; /* of what it is compared with */
	bool has_power;         /* units are known and of one kind: */
	int32_t power;          /* number in the column's unit = quantity * 10^power */
	bool is_right;          /* the literal is that number */
};

struct find {
	const struct sql_expr *literal, *other;
};

static bool holds(const struct sql_expr *x, const struct sql_expr *literal)
{
	while (x && x->kind == SQL_UNARY) {
		x = x->left;
	}
	return x == literal;
}

/* sql_walk visitor: the other side of the comparison that the literal is in. */
static int find_other(struct sql_expr *x, void *arg)
{
	struct find *f = arg;
	if (x->kind == SQL_BINARY && (x->op >= SQL_OP_EQ && x->op <= SQL_OP_IS_NOT)) {
		if (holds(x->left, f->literal)) {
			f->other = x->right;
		} else if (holds(x->right, f->literal)) {
			f->other = x->left;
		}
	}
	for (size_t i = 0; (x->kind == SQL_BETWEEN || x->kind == SQL_IN_LIST) && i < x->n_args;
	     i++) {
		if (holds(x->args[i], f->literal)) {
			f->other = x->left;
		}
	}
	return f->other != NULL;
}

static struct measure measure_of_literal(
    struct cert *c, size_t step, const struct sql_fact_literal *l)
{
	struct find f = {.literal = l->expr};
	sql_walk(c->steps[step].tree, find_other, &f);
	return measure_of(c, step, f.other);
}

static struct unit unit_of_quantity(const struct quantity *q)
{
	return (struct unit){.base = q->base, .magnitude = q->magnitude};
}

static bool is_counter(const char *base)
{
	static const char *const counters[] = {"人", "次", "户", "台", "辆", "套"};
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		if (strcmp(base, counters[i]) == 0) {
			return true;
		}
	}
	return false;
}

/* Power of ten from the quantity's number (without its magnitude word) to the
 * number in the unit of what it is compared with. */
static bool power_to(
    struct cert *c, const struct quantity *q, const struct measure *m, int32_t *ret_power)
{
	struct unit from = unit_of_quantity(q), to;
	switch (m->kind) {
	case MEASURE_UNIT:
		/* "above 100" of a column in 亿元 is 100 of those; "above 1万亿" is yuan. */
		if (!q->base[0] && q->magnitude == 0) {
			*ret_power = 0;
			return true;
		}
		unit_parse_all(c->a, m->unit, &to);
		if (!to.base[0] && !to.magnitude) {
			return false;
		}
		return unit_power(&from, &to, ret_power);
	case MEASURE_NONE:
		if (strcmp(q->base, "%") == 0) {
			*ret_power = q->magnitude - 2; /* of a ratio */
			return true;
		}
		/* fall through */
	case MEASURE_COUNT:
	case MEASURE_UNKNOWN:
		/* A bare number, or a count of things that the unit names. */
		*ret_power = q->magnitude;
		return !q->base[0] || (m->kind == MEASURE_COUNT && is_counter(q->base));
	case MEASURE_ROWS: break;
	}
	return false;
}

static struct decimal number_of(const struct quantity *q, int32_t power)
{
	return decimal_make(q->digits, power - q->scale);
}

/* How well a literal fits: 3 right in the column's unit, 2 the same number as
 * written out, 1 the same digits; 0 not at all. */
static int fit_of(struct cert *c, const struct quantity *q, size_t step,
    const struct sql_fact_literal *l, struct use *ret_use)
{
	struct decimal d;
	if (!cert_literal_decimal(l, &d) || l->is_like) {
		return 0;
	}
	struct use u = {.step = step, .literal = l, .measure = measure_of_literal(c, step, l)};
	u.has_power = power_to(c, q, &u.measure, &u.power);
	u.is_right = u.has_power && decimal_equal(d, number_of(q, u.power));
	*ret_use = u;
	if (u.is_right) {
		return 3;
	}
	struct decimal plain = cert_quantity_plain(q);
	if (decimal_equal(d, plain)) {
		return 2;
	}
	/* "30%" against 0.3, and 1 against 100000000: the same digits. */
	return d.digits == plain.digits && plain.digits != 0;
}

static bool find_use(struct cert *c, const struct quantity *q, struct use *ret_use)
{
	int best = 0;
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_literals; j++) {
			struct use u;
			int fit = fit_of(c, q, i, &f->literals[j], &u);
			if (fit > best) {
				best = fit;
				*ret_use = u;
			}
		}
	}
	return best > 0;
}

struct number_walk {
	struct decimal want;
	bool found;
};

static int find_number(struct sql_expr *x, void *arg)
{
	struct number_walk *w = arg;
	struct decimal d;
	if (x->kind == SQL_NUMBER && decimal_parse(x->text, &d) && decimal_equal(d, w->want)) {
		w->found = true;
	}
	return w->found;
}

/* As a row limit, or a factor in arithmetic: only a number without a unit. */
static bool is_used_otherwise(struct cert *c, const struct quantity *q)
{
	struct number_walk w = {.want = cert_quantity_plain(q)};
	for (size_t i = 0; i < c->n_steps && !q->base[0]; i++) {
		if (c->steps[i].tree) {
			sql_walk(c->steps[i].tree, find_number, &w);
		}
		if (c->steps[i].facts.has_limit && w.want.exponent >= 0 &&
		    decimal_as_double(w.want) == (double)c->steps[i].facts.limit) {
			w.found = true;
		}
	}
	return w.found;
}

/* --- direction ---------------------------------------------------------------------- */

static enum sql_op op_of_cue(uint32_t cue)
{
	switch (cue) {
	case CUE_GT: return SQL_OP_GT;
	case CUE_GE: return SQL_OP_GE;
	case CUE_LT: return SQL_OP_LT;
	case CUE_LE: return SQL_OP_LE;
	case CUE_EQ: return SQL_OP_EQ;
	case CUE_NE: return SQL_OP_NE;
	default: return SQL_OP_NONE;
	}
}

static bool begins_with_or(const struct cert *c, const struct grounding_span *s)
{
	return s->len > 3 && strncasecmp(c->g->question + s->start, "or ", 3) == 0;
}

/* A cue behind the quantity belongs to it (以上, "or more") unless it opens the
 * next comparison ("over 1500 or less than 500"). */
static bool is_behind(const struct cert *c, size_t cue)
{
	const struct grounding_span *s = &c->g->spans[cue];
	if (s->kind != SPAN_CUE || (s->cue != CUE_GE && s->cue != CUE_LE)) {
		return false;
	}
	for (size_t i = cue + 1; i < c->g->n_spans && i <= cue + 2; i++) {
		if (c->g->spans[i].kind == SPAN_QUANTITY) {
			return false;
		}
	}
	return true;
}

/* The comparison that the words beside the quantity ask for. */
static enum sql_op asked_op(const struct cert *c, size_t span)
{
	if (span + 1 < c->g->n_spans && is_behind(c, span + 1)) {
		return op_of_cue(c->g->spans[span + 1].cue);
	}
	for (size_t i = span; i > 0 && span - i < 2; i--) {
		const struct grounding_span *s = &c->g->spans[i - 1];
		if (s->kind == SPAN_CUE && begins_with_or(c, s)) {
			/* "or less" in front of "than 500" */
			return s->cue == CUE_LE ? SQL_OP_LT
			    : s->cue == CUE_GE  ? SQL_OP_GT
			                        : op_of_cue(s->cue);
		}
		if (s->kind == SPAN_CUE) {
			return op_of_cue(s->cue);
		}
		if (s->kind != SPAN_STOP) {
			break;
		}
	}
	return SQL_OP_NONE;
}

/* Over whole numbers "more than 2" is >= 3. */
static bool is_used_by_neighbour(struct cert *c, const struct quantity *q, enum sql_op asked)
{
	static const struct {
		enum sql_op asked, has;
		int step;
	} same[] = {{SQL_OP_GT, SQL_OP_GE, 1}, {SQL_OP_GE, SQL_OP_GT, -1},
	    {SQL_OP_LT, SQL_OP_LE, -1}, {SQL_OP_LE, SQL_OP_LT, 1}};
	if (q->base[0] || q->scale != 0 || q->magnitude != 0) {
		return false;
	}
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_literals; j++) {
			const struct sql_fact_literal *l = &f->literals[j];
			struct decimal d;
			for (size_t k = 0; k < ARRAY_SIZE(same); k++) {
				if (same[k].asked == asked && cert_effective_op(l) == same[k].has &&
				    cert_literal_decimal(l, &d) &&
				    decimal_equal(d, decimal_make(q->digits + same[k].step, 0)) &&
				    measure_of_literal(c, i, l).kind == MEASURE_COUNT) {
					return true;
				}
			}
		}
	}
	/* "One or more" is what a join asks for already. */
	return asked == SQL_OP_GE && q->digits == 1;
}

static const char *op_text(enum sql_op op)
{
	switch (op) {
	case SQL_OP_GT: return ">";
	case SQL_OP_GE: return ">=";
	case SQL_OP_LT: return "<";
	case SQL_OP_LE: return "<=";
	case SQL_OP_EQ: return "=";
	case SQL_OP_NE: return "<>";
	default: return "?";
	}
}

void cert_check_quantities(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		struct use u;
		if (s->kind != SPAN_QUANTITY) {
			continue;
		}
		const struct quantity *q = &c->g->quantities[s->quantity];
		const char *text = cert_span_text(c, s);
		if (!find_use(c, q, &u)) {
			bool used = is_used_otherwise(c, q) ||
			    is_used_by_neighbour(c, q, asked_op(c, i));
			cert_line(c, k, used ? CHECK_PASS : CHECK_FAIL,
			    used ? SAY(c, "“%s”已用到", "\"%s\" is used")
			         : SAY(c, "问题中的“%s”没有用到查询里",
			               "\"%s\" of the question is not in the query"),
			    text);
			continue;
		}
		enum sql_op asked = asked_op(c, i), has = cert_effective_op(u.literal);
		if (asked != SQL_OP_NONE && has != SQL_OP_NONE && asked != has) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "“%s”应以 %s 比较，查询用的是 %s",
			        "\"%s\" asks for %s, the query compares with %s"),
			    text, op_text(asked), op_text(has));
			continue;
		}
		cert_line(c, k, CHECK_PASS, SAY(c, "“%s”已用到（%s %s）", "\"%s\" is used (%s %s)"),
		    text, op_text(has), cert_literal_text(c, u.literal));
	}
}

/* --- units ----------------------------------------------------------------------------- */

static const char *measure_label(const struct cert *c, const struct measure *m)
{
	return m->table == CERT_NONE ? SAY(c, "所比较的数", "what it is compared with")
	                             : cert_column_label(c, m->table, m->column);
}

/* States the conversion once, as definition and as a source of numbers. */
static void declare_conversion(
    struct cert *c, const char *text, const struct use *u, const char *number)
{
	const char *label = measure_label(c, &u->measure), *unit = u->measure.unit;
	const char *line = strcmp(text, arena_printf(c->a, "%s%s", number, unit)) == 0
	    ? arena_printf(c->a, SAY(c, "%s的单位是%s", "%s is in %s"), label, unit)
	    : arena_printf(c->a, SAY(c, "%s的单位是%s，%s = %s %s", "%s is in %s; %s = %s %s"),
	          label, unit, text, number, unit);
	cert_define(c, line);
	cert_quote(c, line);
}

/* Neither the model nor the data says the unit of what is compared. With a
 * magnitude word a guess would be off by powers of ten; without one the number
 * is taken as it stands if it at least falls among the column's values. */
static void check_unknown_unit(struct cert *c, const struct cert_check *k, const char *text,
    const struct quantity *q, const struct use *u)
{
	const struct catalog_column *col = cert_column(c, u->measure.table, u->measure.column);
	const char *label = measure_label(c, &u->measure);
	struct decimal d;
	bool is_percent = strcmp(q->base, "%") == 0;
	bool plain = q->magnitude == 0 && cert_literal_decimal(u->literal, &d) &&
	    (decimal_equal(d, cert_quantity_plain(q)) ||
	        (is_percent && decimal_equal(d, number_of(q, -2))));
	bool inside = plain && col && col->has_range &&
	    decimal_as_double(d) >= value_as_double(&col->min) &&
	    decimal_as_double(d) <= value_as_double(&col->max);
	if (inside) {
		const char *line = arena_printf(c->a,
		    SAY(c, "%s没有声明单位，“%s”按原数比较",
		        "%s has no declared unit; \"%s\" is compared as it stands"),
		    label, text);
		cert_line(c, k, CHECK_UNKNOWN, "%s", line);
		cert_assume(c, line);
		return;
	}
	c->is_final = true;
	cert_line(c, k, CHECK_FAIL,
	    SAY(c, "%s的单位未知，无法与“%s”比较；请在语义模型中写明 unit",
	        "the unit of %s is not known, so it cannot be compared with \"%s\"; state its unit "
	        "in the semantic model"),
	    label, text);
}

static void check_unit(struct cert *c, const struct cert_check *k, const char *text,
    const struct quantity *q, const struct use *u)
{
	char buf[DECIMAL_TEXT_MAX];
	if (u->measure.kind != MEASURE_UNIT) {
		if (q->base[0] && !u->is_right) {
			check_unknown_unit(c, k, text, q, u);
		}
		return;
	}
	if (!u->has_power) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "单位不同：%s的单位是%s，问题中是“%s”",
		        "units differ: %s is in %s, the question says \"%s\""),
		    measure_label(c, &u->measure), u->measure.unit, text);
		return;
	}
	const char *number = decimal_print(number_of(q, u->power), buf);
	if (!u->is_right) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "%s的单位是%s，“%s”应与 %s 比较，查询用的是 %s",
		        "%s is in %s, so \"%s\" is %s, but the query compares with %s"),
		    measure_label(c, &u->measure), u->measure.unit, text, number,
		    cert_literal_text(c, u->literal));
		return;
	}
	if (!q->base[0]) {
		const char *line = arena_printf(c->a,
		    SAY(c, "“%s”没有带单位，按%s的单位%s理解",
		        "\"%s\" has no unit; %s is in %s, so is it"),
		    text, measure_label(c, &u->measure), u->measure.unit);
		cert_line(c, k, CHECK_UNKNOWN, "%s", line);
		cert_assume(c, line);
		return;
	}
	declare_conversion(c, text, u, number);
	cert_line(c, k, CHECK_PASS,
	    SAY(c, "%s的单位是%s，“%s”就是 %s", "%s is in %s: \"%s\" is %s"),
	    measure_label(c, &u->measure), u->measure.unit, text, number);
}

void cert_check_units(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		struct use u;
		if (s->kind != SPAN_QUANTITY) {
			continue;
		}
		const struct quantity *q = &c->g->quantities[s->quantity];
		if (find_use(c, q, &u)) {
			check_unit(c, k, cert_span_text(c, s), q, &u);
		}
	}
}

/* --- rows with units of their own --------------------------------------------------------- */

/* Something else fixes what the rows are (one product), so perhaps their unit:
 * a filter or a grouping by another text column of the table. */
static bool is_narrowed(const struct cert *c, size_t step, uint32_t table)
{
	const struct sql_facts *f = &c->steps[step].facts;
	for (size_t i = 0; i < f->n_literals; i++) {
		const struct sql_fact_literal *l = &f->literals[i];
		if (l->table == table && l->op == SQL_OP_EQ && !l->negated &&
		    l->expr->kind == SQL_STRING && !cert_is_time_column(c, table, l->column)) {
			return true;
		}
	}
	for (size_t i = 0; i < f->n_columns; i++) {
		const struct sql_fact_column *x = &f->columns[i];
		if (x->table == table && (x->roles & SQL_ROLE_GROUP) &&
		    !catalog_column_is_numeric(cert_column(c, table, x->column))) {
			return true;
		}
	}
	return false;
}

/* True if the step's rows show one unit for the column. */
static bool shows_one_unit(const struct cert *c, size_t step, const struct measure *m)
{
	const struct resultset *r = c->steps[step].in->result;
	const struct sql_expr *x;
	for (size_t i = 0; (x = measure_output(c, step, i)) && i < r->n_columns; i++) {
		uint32_t table, column;
		if (!cert_origin(x, &table, &column) || table != m->table ||
		    column != m->unit_column || r->n_rows == 0) {
			continue;
		}
		for (size_t row = 1; row < r->n_rows; row++) {
			if (!value_equal(resultset_cell(r, 0, i), resultset_cell(r, row, i))) {
				return false;
			}
		}
		return true;
	}
	return false;
}

/* Sums, averages, extremes and rankings put rows side by side: barrels must not
 * meet tons. */
void cert_check_unit_mix(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_columns; j++) {
			const struct sql_fact_column *x = &f->columns[j];
			struct measure m = measure_of_column(c, i, x->table, x->column);
			if (m.kind != MEASURE_ROWS ||
			    !(x->roles & (SQL_ROLE_AGGREGATED | SQL_ROLE_ORDER)) ||
			    shows_one_unit(c, i, &m)) {
				continue;
			}
			bool narrowed = is_narrowed(c, i, x->table);
			cert_line(c, k, narrowed ? CHECK_UNKNOWN : CHECK_FAIL,
			    narrowed
			        ? SAY(c, "%s各行的单位未核对", "the rows of %s may differ in unit")
			        : SAY(c, "%s各行的单位不同，不能放在一起计算或比较",
			              "the rows of %s have different units and cannot be put together"),
			    cert_column_label(c, x->table, x->column));
		}
	}
}
