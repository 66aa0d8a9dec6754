/* What the rows are: tables named in passing, conditions on the many side, pairs of
 * values, calculations, repeated rows, units. */
#include <stdlib.h>
#include <string.h>

#include "sql_agent/compose/finish.h"

/* --- tables named in passing --------------------------------------------------------------- */

static bool has_term_on(const struct ir *ir, uint32_t table)
{
	for (size_t i = 0; i < ir->n_outputs; i++)
		if (ir->outputs[i].table == table)
			return true;
	for (size_t i = 0; i < ir->n_conditions; i++)
		if (ir->conditions[i].term.table == table)
			return true;
	for (size_t i = 0; i < ir->n_order; i++)
		if (ir->order[i].term.table == table)
			return true;
	for (size_t i = 0; i < ir->n_having; i++)
		if (ir->having[i].term.table == table)
			return true;
	for (size_t i = 0; i < ir->n_exists; i++)
		if (ir->exists[i].table == table)
			return true;
	return false;
}

static void settle_mentions(struct roles *r)
{
	struct ir *ir = r->ir;
	uint32_t base = ir->entity;

	/* "cities where students live": the rows are those of the output */
	if (base != IR_NONE && !has_term_on(ir, base) && ir->n_outputs > 0 &&
	    ir->outputs[0].table != IR_NONE) {
		base = ir->outputs[0].table;
		role_mention(r, ir->entity);
	}
	for (size_t i = 0; i < r->n_mentions; i++) {
		uint32_t t = r->mentions[i];

		if (base == IR_NONE || t == base || has_term_on(ir, t) ||
		    view_hops(r->v, base, t) == VIEW_UNREACHABLE)
			continue;
		/* a parent that every row has adds nothing */
		if (view_is_parent(r->v, base, t))
			continue;
		ir_touch(r->a, ir, t);
	}
}

/* --- conditions on the many side ---------------------------------------------------------------- */

/* "students who do not have a cat" is not "students who have something that is
 * no cat": a denied value on the many side denies that such a row exists. */
static void deny_on_many_side(struct roles *r)
{
	struct ir *ir = r->ir;
	size_t kept = 0;

	for (size_t i = 0; i < ir->n_conditions; i++) {
		struct ir_condition c = ir->conditions[i];
		bool many = c.negated && c.test == IR_EQ && ir->entity != IR_NONE &&
		    c.term.table != ir->entity &&
		    view_hops(r->v, ir->entity, c.term.table) != VIEW_UNREACHABLE &&
		    !view_is_parent(r->v, ir->entity, c.term.table);
		struct ir_exists *x;

		if (!many) {
			ir->conditions[kept++] = c;
			continue;
		}
		x = arena_push(r->a, ir->exists, ir->n_exists);
		x->table = c.term.table;
		x->negated = true;
		c.negated = false;
		*arena_push(r->a, x->conditions, x->n_conditions) = c;
	}
	ir->n_conditions = kept;
}

/* "which companies had no oil in 2023": the time is that of the rows that must not
 * exist, not of others. */
static void deny_in_period(struct roles *r)
{
	struct ir *ir = r->ir;
	size_t kept = 0;

	for (size_t i = 0; i < ir->n_conditions; i++) {
		struct ir_condition c = ir->conditions[i];
		struct ir_exists *found = NULL;

		for (size_t k = 0; k < ir->n_exists; k++)
			if (ir->exists[k].negated && ir->exists[k].table == c.term.table &&
			    c.term.kind == IR_COLUMN && c.term.table != ir->entity &&
			    view_column(r->v, c.term.table, c.term.column)->time != VIEW_NO_TIME)
				found = &ir->exists[k];
		if (found)
			*arena_push(r->a, found->conditions, found->n_conditions) = c;
		else
			ir->conditions[kept++] = c;
	}
	ir->n_conditions = kept;
}

/* "orders without a customer": the reference itself is missing. */
static void deny_reference(struct roles *r)
{
	struct ir *ir = r->ir;
	size_t kept = 0;

	for (size_t i = 0; i < ir->n_exists; i++) {
		struct ir_exists x = ir->exists[i];
		const struct catalog_relation *found = NULL;
		size_t n = 0;

		for (size_t k = 0; k < r->v->c->n_relations; k++) {
			const struct catalog_relation *rel = &r->v->c->relations[k];

			if ((rel->from_table != ir->entity || rel->to_table != x.table) &&
			    (rel->from_table != x.table || rel->to_table != ir->entity))
				continue;
			found = rel;
			n++;
		}
		if (!x.negated || x.n_conditions > 0 || n != 1 || found->n_columns != 1 ||
		    found->from_table != ir->entity || x.table == ir->entity) {
			ir->exists[kept++] = x;
			continue;
		}
		ir_add_condition(
		    r->a, ir, ir_column(ir->entity, found->from_columns[0]), IR_IS_NULL, IR_NONE);
	}
	ir->n_exists = kept;
}

/* "male (sex is M)" says the same twice. */
static void drop_repeated(struct ir *ir)
{
	size_t kept = 0;

	for (size_t i = 0; i < ir->n_conditions; i++) {
		const struct ir_condition *c = &ir->conditions[i];
		bool repeated = false;

		for (size_t k = 0; k < kept; k++) {
			struct ir_condition *o = &ir->conditions[k];

			if (!ir_term_equal(&o->term, &c->term) || o->test != c->test ||
			    c->test != IR_EQ || o->negated != c->negated ||
			    o->any_of != c->any_of || o->all_of != c->all_of ||
			    o->against != IR_LITERAL || c->against != IR_LITERAL ||
			    strcmp(o->low.text, c->low.text) != 0)
				continue;
			repeated = o->repeated = true;
		}
		if (!repeated)
			ir->conditions[kept++] = *c;
	}
	ir->n_conditions = kept;
}

#define BOTH_SIDES 9

/* "songs named Sun and Rain": one row cannot be both, so the entity must have a
 * row of each. By its key, so that namesakes are not taken for one. */
static void require_rows(struct roles *r)
{
	struct ir *ir = r->ir;
	size_t kept = 0;

	for (size_t i = 0; i < ir->n_conditions; i++) {
		struct ir_condition c = ir->conditions[i];
		struct ir_exists *x;

		if (c.branch != BOTH_SIDES) {
			ir->conditions[kept++] = c;
			continue;
		}
		x = arena_push(r->a, ir->exists, ir->n_exists);
		x->table = c.term.table;
		c.branch = 0;
		*arena_push(r->a, x->conditions, x->n_conditions) = c;
	}
	ir->n_conditions = kept;
}

/* Can no row meet both? Two values, or bounds that leave nothing between them. */
static bool excludes(const struct ir_condition *x, const struct ir_condition *y)
{
	bool x_low = x->test == IR_GT || x->test == IR_GE,
	     x_high = x->test == IR_LT || x->test == IR_LE;
	bool y_low = y->test == IR_GT || y->test == IR_GE,
	     y_high = y->test == IR_LT || y->test == IR_LE;

	if (x->test == IR_EQ && y->test == IR_EQ)
		return strcmp(x->low.text, y->low.text) != 0;
	if (!x->low.is_number || !y->low.is_number)
		return false;
	if (x_low && y_high)
		return strtod(x->low.text, NULL) >= strtod(y->low.text, NULL);
	return x_high && y_low && strtod(y->low.text, NULL) >= strtod(x->low.text, NULL);
}

/* Two values asked of one column: "both" on the many side, else either. */
static void settle_pairs(struct roles *r)
{
	struct ir *ir = r->ir;
	bool both = false;

	for (size_t i = 0; i < ir->n_conditions; i++) {
		for (size_t k = i + 1; k < ir->n_conditions; k++) {
			struct ir_condition *x = &ir->conditions[i], *y = &ir->conditions[k];

			if (x->any_of && !x->all_of && !y->any_of && x->test == IR_EQ &&
			    y->test == IR_EQ && x->against == IR_LITERAL &&
			    y->against == IR_LITERAL && !y->negated &&
			    ir_term_equal(&x->term, &y->term)) {
				y->any_of = x->any_of; /* 2021, 2022 and 2023 */
				continue;
			}
			if (!ir_term_equal(&x->term, &y->term) || x->negated || y->negated ||
			    x->any_of || y->any_of || x->branch || y->branch ||
			    x->against != IR_LITERAL || y->against != IR_LITERAL || !excludes(x, y))
				continue;
			if (ir->arithmetic != IR_ARITH_NONE) {
				x->branch = 1;
				y->branch = 2;
			} else if (ir->entity != IR_NONE && x->term.table != ir->entity &&
			    !view_is_parent(r->v, ir->entity, x->term.table)) {
				x->branch = y->branch = BOTH_SIDES;
				both = true;
			} else if ((r->both || x->test != IR_EQ) && ir->n_outputs > 0 &&
			    ir->outputs[0].kind == IR_COLUMN &&
			    !view_column(r->v, ir->outputs[0].table, ir->outputs[0].column)
			         ->column->is_unique) {
				x->branch = 1;
				y->branch = 2;
				ir->set = IR_SET_INTERSECT;
			} else {
				x->any_of = y->any_of = ++r->n_any;
			}
		}
	}
	if (both)
		require_rows(r);
}

/* --- arithmetic ------------------------------------------------------------------------------ */

/* Columns of a table that the branch fixes to one value. */
static size_t pinned_columns(
    struct roles *r, uint32_t table, uint32_t branch, uint32_t *columns, size_t max)
{
	const struct ir *ir = r->ir;
	size_t n = 0;

	for (size_t i = 0; i < ir->n_conditions && n < max; i++) {
		const struct ir_condition *c = &ir->conditions[i];

		if (c->term.kind == IR_COLUMN && c->term.table == table && c->test == IR_EQ &&
		    !c->negated && !c->any_of && c->against == IR_LITERAL &&
		    (!c->branch || c->branch == branch))
			columns[n++] = c->term.column;
	}
	return n;
}

/* Is a row of the table fixed by the branch's conditions, its own and those on
 * the tables that it refers to? */
static bool is_one_row(struct roles *r, uint32_t table, uint32_t branch)
{
	const struct catalog *c = r->v->c;
	uint32_t columns[32];
	size_t n = pinned_columns(r, table, branch, columns, 16);

	for (size_t i = 0; i < c->n_relations && n < ARRAY_SIZE(columns); i++) {
		const struct catalog_relation *rel = &c->relations[i];
		uint32_t parent[16];
		size_t k;

		if (rel->from_table != table || rel->n_columns != 1)
			continue;
		k = pinned_columns(r, rel->to_table, branch, parent, ARRAY_SIZE(parent));
		if (catalog_is_unique(&c->tables[rel->to_table], parent, k))
			columns[n++] = rel->from_columns[0];
	}
	return catalog_is_unique(&c->tables[table], columns, n);
}

/* The part is the one thing that is said of it alone: what is said twice, and the
 * time, hold for the whole, too. */
static void settle_share(struct roles *r)
{
	struct ir *ir = r->ir;
	struct ir_condition *part = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ir->n_conditions; i++) {
		struct ir_condition *c = &ir->conditions[i];

		if (c->repeated ||
		    view_column(r->v, c->term.table, c->term.column)->time != VIEW_NO_TIME)
			continue;
		part = c;
		n++;
	}
	for (size_t i = 0; i < ir->n_outputs; i++)
		if (ir->outputs[i].kind == IR_COLUMN && ir->outputs[i].aggregate == IR_PLAIN)
			ir->outputs[i].aggregate = IR_SUM;
	if (n == 1)
		part->branch = 1;
	else
		role_fail(r, "it is not clear what is the part and what is the whole");
}

/* A value that others are compared with must be one. */
static void settle_row_of(struct roles *r)
{
	for (size_t i = 0; i < r->ir->n_conditions; i++) {
		const struct ir_condition *c = &r->ir->conditions[i];
		uint32_t columns[32];
		size_t n;

		if (c->against != IR_ROW_OF)
			continue;
		n = pinned_columns(r, c->term.table, 0, columns, 16);
		for (size_t k = 0; k < r->v->c->n_relations && n < ARRAY_SIZE(columns); k++) {
			const struct catalog_relation *rel = &r->v->c->relations[k];

			if (rel->from_table == c->term.table && rel->to_table == c->other.table &&
			    rel->n_columns == 1 &&
			    catalog_is_unique(&r->v->c->tables[rel->to_table], &c->other.column, 1))
				columns[n++] = rel->from_columns[0];
		}
		if (c->term.table == c->other.table)
			columns[n++] = c->other.column;
		if (!catalog_is_unique(&r->v->c->tables[c->term.table], columns, n))
			role_fail(r, "what is compared with is not one value");
	}
}

static void settle_arithmetic(struct roles *r)
{
	struct ir *ir = r->ir;
	bool branches = false;
	size_t kept = 0;

	if (ir->arithmetic == IR_ARITH_NONE)
		return;
	for (size_t i = 0; i < ir->n_conditions; i++)
		branches |= ir->conditions[i].branch != 0;
	/* a calculation has one measure: names are not part of it */
	for (size_t i = 0; i < ir->n_outputs; i++)
		if (ir->outputs[i].kind != IR_COLUMN || ir->outputs[i].aggregate != IR_PLAIN ||
		    view_column(r->v, ir->outputs[i].table, ir->outputs[i].column)->is_measure)
			ir->outputs[kept++] = ir->outputs[i];
	ir->n_outputs = kept;
	ir->n_groups = 0;
	if (ir->arithmetic == IR_ARITH_DIFFERENCE && !branches && ir->n_order > 0 &&
	    ir->limit == 2) {
		ir->arithmetic = IR_ARITH_SPREAD;
		return;
	}
	if (ir->arithmetic == IR_ARITH_SHARE && !branches) {
		settle_share(r);
		return;
	}
	if (!branches)
		role_fail(r, "a calculation without its two sides");
	/* of several rows an arbitrary one would be taken */
	for (size_t i = 0; i < ir->n_outputs; i++)
		if (ir->outputs[i].aggregate == IR_PLAIN && ir->outputs[i].kind == IR_COLUMN &&
		    !(is_one_row(r, ir->outputs[i].table, 1) &&
		        is_one_row(r, ir->outputs[i].table, 2)))
			role_fail(r, "a side of the calculation is not one value");
}

/* --- distinct ---------------------------------------------------------------------------------- */

/* A table that only filters and has several rows for one shown row. */
static void settle_distinct(struct roles *r)
{
	struct ir *ir = r->ir;

	if (ir_has_aggregate(ir) || ir->n_groups > 0 || ir->n_order > 0 || ir->entity == IR_NONE)
		return;
	for (size_t i = 0; i < ir->n_outputs; i++)
		if (ir->outputs[i].table != ir->entity)
			return;
	for (size_t i = 0; i < ir->n_touched; i++)
		ir->distinct = true;
	for (size_t i = 0; i < ir->n_conditions; i++)
		if (ir->conditions[i].term.table != ir->entity &&
		    !view_is_parent(r->v, ir->entity, ir->conditions[i].term.table))
			ir->distinct = true;
}

/* --- units ---------------------------------------------------------------------------------------- */

/* A column whose unit differs from row to row can be ranked or added up only
 * within one kind of rows. */
static void check_units(struct roles *r, const struct ir_term *t)
{
	const struct view_column *vc;

	if (t->kind != IR_COLUMN || t->aggregate == IR_COUNT)
		return;
	vc = view_column(r->v, t->table, t->column);
	if (!vc->field || !vc->field->unit_column[0])
		return;
	for (size_t i = 0; i < r->ir->n_conditions; i++) {
		const struct ir_term *c = &r->ir->conditions[i].term;

		if (c->table == t->table &&
		    view_column(r->v, c->table, c->column)->time == VIEW_NO_TIME &&
		    c->column != t->column)
			return;
	}
	for (size_t i = 0; i < r->ir->n_groups; i++)
		if (r->ir->groups[i].table == t->table &&
		    view_column(r->v, t->table, r->ir->groups[i].column)->time == VIEW_NO_TIME)
			return;
	role_fail(r, "the rows have different units");
}

static void settle_units(struct roles *r)
{
	for (size_t i = 0; i < r->ir->n_outputs; i++)
		if (r->ir->outputs[i].aggregate != IR_PLAIN)
			check_units(r, &r->ir->outputs[i]);
	for (size_t i = 0; i < r->ir->n_order; i++)
		check_units(r, &r->ir->order[i].term);
}

/* An amount whose unit stands beside it is shown with it. */
static void show_units(struct roles *r)
{
	struct ir *ir = r->ir;
	size_t n = ir->n_outputs;

	if (ir->arithmetic != IR_ARITH_NONE || ir_has_aggregate(ir) || ir->n_groups > 0)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct view_column *vc = view_column(
		    r->v, ir->outputs[i].table, ir->outputs[i].column);
		struct ir_term t;
		int unit;

		if (!vc->field || !vc->field->unit_column[0])
			continue;
		unit = catalog_find_column(
		    r->v->tables[ir->outputs[i].table].table, vc->field->unit_column);
		if (unit < 0)
			continue;
		t = ir_column(ir->outputs[i].table, (uint32_t)unit);
		t.via = ir->outputs[i].via;
		ir_add_output(r->a, ir, t);
	}
}

void settle_rows(struct roles *r)
{
	drop_repeated(r->ir);
	deny_on_many_side(r);
	deny_in_period(r);
	deny_reference(r);
	settle_mentions(r);
	settle_pairs(r);
	settle_arithmetic(r);
	settle_row_of(r);
	settle_distinct(r);
	settle_units(r);
	show_units(r);
}
