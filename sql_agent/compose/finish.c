/* The IR made whole. */
#include <string.h>

#include "sql_agent/compose/finish.h"

/* --- entity -------------------------------------------------------------------------- */

static void find_entity(struct roles *r)
{
	struct ir *ir = r->ir;

	if (ir->entity != IR_NONE)
		return;
	for (size_t i = 0; i < ir->n_groups && ir->entity == IR_NONE; i++)
		ir->entity = ir->groups[i].table;
	for (size_t i = 0; i < ir->n_outputs && ir->entity == IR_NONE; i++)
		ir->entity = ir->outputs[i].table;
	if (ir->entity == IR_NONE && r->n_mentions > 0)
		ir->entity = r->mentions[0];
	if (ir->entity == IR_NONE && ir->n_order > 0)
		ir->entity = ir->order[0].term.table;
	if (ir->entity == IR_NONE && ir->n_conditions > 0)
		ir->entity = ir->conditions[0].term.table;
}

/* --- what still waits ------------------------------------------------------------------ */

static bool order_by_output(struct roles *r)
{
	for (size_t i = 0; i < r->ir->n_outputs; i++) {
		struct ir_term *t = &r->ir->outputs[i];

		if (t->kind != IR_COLUMN || t->aggregate != IR_PLAIN ||
		    !view_column(r->v, t->table, t->column)->is_measure)
			continue;
		role_rank(r, *t);
		return true;
	}
	return false;
}

/* A superlative that found no column. */
static void settle_super(struct roles *r)
{
	uint32_t time;

	if (!r->super.on)
		return;
	r->super.opens = false;
	if (r->super.column != IR_NONE) {
		role_rank(r, ir_column(r->super.table, r->super.column));
	} else if (r->ir->n_order > 0) {
		r->ir->limit = r->super.n ? r->super.n : 1;
	} else if (r->super.counts && r->ir->n_outputs == 1 && r->ir->outputs[0].kind == IR_COLUMN &&
	    r->ir->outputs[0].aggregate == IR_PLAIN) {
		role_rank(r, ir_rows(r->ir->outputs[0].table));
		ir_add_group(r->a, r->ir, r->ir->outputs[0]);
	} else if (!order_by_output(r)) {
		time = r->ir->entity == IR_NONE ? IR_NONE : view_time_column(r->v, r->ir->entity);
		if (time == IR_NONE || r->super.counts) {
			role_fail(r, "a superlative without its measure");
			return;
		}
		role_rank(r, ir_column(r->ir->entity, time));
	}
}

static void settle_count(struct roles *r)
{
	if (!r->counting)
		return;
	r->counting = false;
	if (r->ir->entity == IR_NONE)
		role_fail(r, "what is to be counted is not known");
	else if (r->ir->n_outputs == 0)
		ir_add_output(r->a, r->ir, ir_rows(r->ir->entity));
}

/* Per year: the time column of the measure's table. */
static void settle_time(struct roles *r)
{
	struct ir *ir = r->ir;
	uint32_t column = IR_NONE, table = IR_NONE;

	for (size_t i = 0; i < ir->n_outputs && column == IR_NONE; i++) {
		table = ir->outputs[i].table;
		column = table == IR_NONE ? IR_NONE : view_time_column(r->v, table);
	}
	if (column == IR_NONE && ir->entity != IR_NONE) {
		table = ir->entity;
		column = view_time_column(r->v, table);
	}
	if (r->by_time) {
		if (column == IR_NONE) {
			role_fail(r, "no column tells the time");
			return;
		}
		ir_add_group(r->a, ir, ir_column(table, column));
		ir_add_order(r->a, ir, ir_column(table, column), false);
	}
	if (r->wants_time && ir->n_outputs == 0 && column != IR_NONE)
		ir_add_output(r->a, ir, ir_column(table, column));
}

/* --- outputs --------------------------------------------------------------------------- */

static void project_display(struct roles *r, uint32_t table)
{
	const struct view_table *vt = &r->v->tables[table];

	for (size_t i = 0; i < vt->n_display; i++) {
		struct ir_term t = ir_column(table, vt->display[i]);

		t.is_default = true;
		ir_add_output(r->a, r->ir, t);
	}
}

static void default_outputs(struct roles *r)
{
	struct ir *ir = r->ir;

	if (ir->n_outputs > 0)
		return;
	if (ir->n_groups > 0 && !ir->groups[0].is_default) {
		ir_add_output(r->a, ir, ir->groups[0]);
		return;
	}
	if (ir->arithmetic != IR_ARITH_NONE && ir->n_order > 0) {
		ir_add_output(r->a, ir, ir->order[0].term);
		return;
	}
	if (ir->entity != IR_NONE)
		project_display(r, ir->entity);
}

/* The groups that the question names are shown before what is counted in them. */
static void show_groups(struct roles *r)
{
	struct ir *ir = r->ir;
	struct ir_term *outputs = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ir->n_groups; i++) {
		bool shown = false;

		for (size_t k = 0; k < ir->n_outputs; k++)
			shown |= ir_term_equal(&ir->outputs[k], &ir->groups[i]) ||
			    (ir->groups[i].is_default && ir->outputs[k].aggregate == IR_PLAIN &&
			    ir->outputs[k].kind == IR_COLUMN && ir->outputs[k].table == ir->groups[i].table);
		if (!shown)
			*arena_push(r->a, outputs, n) = ir->groups[i];
	}
	for (size_t k = 0; k < ir->n_outputs; k++)
		*arena_push(r->a, outputs, n) = ir->outputs[k];
	ir->outputs = outputs;
	ir->n_outputs = n;
}

static bool has_rank_aggregate(const struct ir *ir)
{
	for (size_t i = 0; i < ir->n_order; i++)
		if (ir->order[i].term.aggregate != IR_PLAIN || ir->order[i].term.kind == IR_METRIC)
			return true;
	return ir->n_having > 0;
}

static bool is_display(const struct view_table *vt, uint32_t column)
{
	return column == vt->display[0] || (vt->n_display > 1 && column == vt->display[1]) || column == vt->key;
}

/* Plain outputs beside aggregates are what is grouped by. */
static void group_plain_outputs(struct roles *r)
{
	struct ir *ir = r->ir;

	for (size_t i = 0; i < ir->n_outputs; i++) {
		struct ir_term t = ir->outputs[i];

		if (t.kind != IR_COLUMN || t.aggregate != IR_PLAIN)
			continue;
		t.by_key = is_display(&r->v->tables[t.table], t.column);
		ir_add_group(r->a, ir, t);
	}
}

static void settle_groups(struct roles *r)
{
	struct ir *ir = r->ir;
	bool aggregates = ir_has_aggregate(ir) || has_rank_aggregate(ir);

	if (ir->n_groups > 0)
		show_groups(r);
	if (!aggregates) {
		/* "each" without anything to add up means "all" */
		ir->groups = NULL;
		ir->n_groups = 0;
		return;
	}
	if (has_rank_aggregate(ir) && !ir_has_aggregate(ir) && ir->n_groups == 0 && ir->entity != IR_NONE &&
	    ir->n_outputs == 0)
		project_display(r, ir->entity);
	group_plain_outputs(r);
}

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

	for (size_t i = 0; i < r->n_mentions; i++) {
		uint32_t t = r->mentions[i];

		if (ir->entity == IR_NONE || t == ir->entity || has_term_on(ir, t) ||
		    view_hops(r->v, ir->entity, t) == VIEW_UNREACHABLE)
			continue;
		/* a parent that every row has adds nothing */
		if (view_is_parent(r->v, ir->entity, t))
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
		bool many = c.negated && c.test == IR_EQ && ir->entity != IR_NONE && c.term.table != ir->entity &&
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

/* Two values asked of one column: "both" on the many side, else either. */
static void settle_pairs(struct roles *r)
{
	struct ir *ir = r->ir;

	for (size_t i = 0; i < ir->n_conditions; i++) {
		for (size_t k = i + 1; k < ir->n_conditions; k++) {
			struct ir_condition *x = &ir->conditions[i], *y = &ir->conditions[k];

			if (!ir_term_equal(&x->term, &y->term) || x->test != IR_EQ || y->test != IR_EQ ||
			    x->negated || y->negated || x->any_of || y->any_of || x->branch || y->branch ||
			    x->against != IR_LITERAL || y->against != IR_LITERAL ||
			    strcmp(x->low.text, y->low.text) == 0)
				continue;
			if (ir->arithmetic != IR_ARITH_NONE) {
				x->branch = 1;
				y->branch = 2;
			} else if (ir->entity != IR_NONE && x->term.table != ir->entity &&
			    !view_is_parent(r->v, ir->entity, x->term.table)) {
				x->branch = 1;
				y->branch = 2;
				ir->set = IR_SET_INTERSECT;
			} else {
				x->any_of = y->any_of = ++r->n_any;
			}
		}
	}
}

/* --- arithmetic ------------------------------------------------------------------------------ */

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
	if (ir->arithmetic == IR_ARITH_DIFFERENCE && !branches && ir->n_order > 0 && ir->limit == 2) {
		ir->arithmetic = IR_ARITH_SPREAD;
		return;
	}
	if (ir->arithmetic == IR_ARITH_SHARE && ir->n_conditions > 0 && !branches) {
		size_t last = 0;

		/* the part is what the question names; a period holds for the whole, too */
		for (size_t i = 0; i < ir->n_conditions; i++)
			if (view_column(r->v, ir->conditions[i].term.table, ir->conditions[i].term.column)->time ==
			    VIEW_NO_TIME)
				last = i + 1;
		for (size_t i = 0; i < ir->n_outputs; i++)
			if (ir->outputs[i].kind == IR_COLUMN && ir->outputs[i].aggregate == IR_PLAIN)
				ir->outputs[i].aggregate = IR_SUM;
		if (last > 0) {
			ir->conditions[last - 1].branch = 1;
			return;
		}
	}
	if (!branches)
		role_fail(r, "a calculation without its two sides");
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

		if (c->table == t->table && view_column(r->v, c->table, c->column)->time == VIEW_NO_TIME &&
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

void finish_ir(struct roles *r)
{
	find_entity(r);
	settle_super(r);
	settle_count(r);
	settle_time(r);
	default_outputs(r);
	settle_groups(r);
	deny_on_many_side(r);
	settle_mentions(r);
	settle_pairs(r);
	settle_arithmetic(r);
	settle_distinct(r);
	settle_units(r);
}
