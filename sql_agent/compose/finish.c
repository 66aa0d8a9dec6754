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
	for (size_t i = 0; i < ir->n_order && ir->entity == IR_NONE; i++)
		ir->entity = ir->order[i].term.table;
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
	} else if (r->super.counts && r->ir->n_outputs == 1 &&
	    r->ir->outputs[0].kind == IR_COLUMN && r->ir->outputs[0].aggregate == IR_PLAIN) {
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

static bool is_named(const struct roles *r, uint32_t table)
{
	for (size_t i = 0; i < r->items->n; i++)
		if ((r->items->list[i].kind == ITEM_TABLE ||
		        r->items->list[i].kind == ITEM_COLUMN) &&
		    r->items->list[i].table == table)
			return true;
	return false;
}

/* Was the table itself named, not only one of its columns? */
static bool is_said(const struct roles *r, uint32_t table)
{
	for (size_t i = 0; i < r->items->n; i++)
		if (r->items->list[i].kind == ITEM_TABLE && r->items->list[i].table == table)
			return true;
	return false;
}

/* Rows of a table with figures of each period stand for the one thing that they
 * belong to: "how many had a revenue above 5" counts companies, not company-years. */
static uint32_t owner_of_periods(const struct view *v, uint32_t table)
{
	uint32_t owner = IR_NONE;

	if (view_time_column(v, table) == IR_NONE ||
	    view_column(v, table, view_time_column(v, table))->time != VIEW_YEAR)
		return table;
	for (size_t i = 0; i < v->c->n_relations; i++) {
		const struct catalog_relation *rel = &v->c->relations[i];

		if (rel->from_table != table || rel->n_columns != 1 || rel->to_table == table)
			continue;
		if (owner != IR_NONE && owner != rel->to_table)
			return table;
		owner = rel->to_table;
	}
	return owner == IR_NONE ? table : owner;
}

static bool has_child_named(const struct roles *r, uint32_t table)
{
	for (size_t i = 0; i < r->items->n; i++)
		if (r->items->list[i].kind == ITEM_COLUMN &&
		    view_is_parent(r->v, r->items->list[i].table, table))
			return true;
	return false;
}

static void settle_count(struct roles *r)
{
	if (r->count_later && !ir_has_aggregate(r->ir)) {
		/* what was ranked or compared is what is counted */
		if (r->ir->n_order > 0 && r->ir->order[0].term.kind == IR_ROWS)
			ir_add_output(r->a, r->ir, r->ir->order[0].term);
		else
			r->counting = true;
	}
	if (!r->counting)
		return;
	r->counting = false;
	/* "the headcount of Sinopec" does not count companies: what is counted must be named */
	if (r->ir->entity != IR_NONE && !is_said(r, r->ir->entity))
		r->ir->entity = owner_of_periods(r->v, r->ir->entity);
	if (r->ir->entity == IR_NONE ||
	    (!is_named(r, r->ir->entity) && !has_child_named(r, r->ir->entity)))
		role_fail(r, "what is to be counted is not known");
	else
		ir_add_output(r->a, r->ir, ir_rows(r->ir->entity));
}

/* "the average amount and the total of all": the column was said before. */
static void settle_aggregates(struct roles *r)
{
	struct ir_term t;

	if (r->n_aggregates == 0 || r->n_spread == 0)
		return;
	t = ir_column(
	    items_at(r->items, r->spread_item)->table, items_at(r->items, r->spread_item)->column);
	if (view_column(r->v, t.table, t.column)->is_measure)
		role_project(r, t);
}

/* Groups by the time at the grain that was said; dates are never grouped as they
 * are where a coarser grain was asked for. */
static void group_by_time(struct roles *r, uint32_t table, uint32_t column)
{
	struct ir_term t = ir_column(table, column);

	if (column == IR_NONE) {
		role_fail(r, "no column tells the time");
		return;
	}
	if (view_column(r->v, table, column)->time == VIEW_YEAR) {
		if (r->grain > IR_GRAIN_YEAR)
			role_fail(r, "the data tell no time finer than a year");
	} else {
		t.grain = r->grain;
		if (r->grain == IR_GRAIN_QUARTER)
			role_fail(r, "quarters of a date are not supported");
	}
	for (size_t i = 0; i < r->ir->n_outputs && t.grain != IR_GRAIN_NONE; i++) {
		struct ir_term *o = &r->ir->outputs[i];

		if (o->kind == IR_COLUMN && o->aggregate == IR_PLAIN &&
		    view_column(r->v, o->table, o->column)->is_measure)
			o->aggregate = IR_SUM; /* "freight per month" */
	}
	ir_add_group(r->a, r->ir, t);
	ir_add_order(r->a, r->ir, t, false);
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
	if (r->by_time && ir->n_outputs == 0 && ir->entity != IR_NONE && is_said(r, ir->entity))
		ir_add_output(r->a, ir, ir_rows(ir->entity)); /* "orders per year" */
	if (r->by_time && r->trend_column != IR_NONE && r->trend_table == table)
		column = r->trend_column;
	if (r->by_time)
		group_by_time(r, table, column);
	if (r->wants_time && ir->n_outputs == 0 && column != IR_NONE)
		ir_add_output(r->a, ir, ir_column(table, column));
}

/* --- outputs --------------------------------------------------------------------------- */

/* "all information about each X", 详细信息: where the word names no column */
static bool asks_everything(const struct roles *r)
{
	static const char *const words[] = {
	    "information", "info", "details", "everything", "detail", "信息", "详细信息", "详情"};
	const struct grounding *g = r->v->g;

	for (size_t i = 0; i < g->n_spans; i++) {
		const struct grounding_span *s = &g->spans[i];

		for (size_t k = 0; s->kind == SPAN_STOP && k < ARRAY_SIZE(words); k++)
			if (s->len == strlen(words[k]) &&
			    strncasecmp(g->question + s->start, words[k], s->len) == 0)
				return true;
	}
	return false;
}

static void project_all(struct roles *r, uint32_t table)
{
	for (uint32_t i = 0; i < r->v->tables[table].table->n_columns; i++) {
		struct ir_term t = ir_column(table, i);

		t.is_default = true;
		ir_add_output(r->a, r->ir, t);
	}
}

/* "which companies have their headquarters in Oslo" does not ask for Oslo. */
static void drop_constant_output(struct ir *ir)
{
	if (ir->n_outputs != 1 || ir->entity == IR_NONE || ir->outputs[0].aggregate != IR_PLAIN ||
	    ir->outputs[0].kind != IR_COLUMN || ir->n_groups > 0)
		return;
	for (size_t i = 0; i < ir->n_conditions; i++) {
		const struct ir_condition *c = &ir->conditions[i];

		if (c->test == IR_EQ && !c->negated && !c->any_of && c->against == IR_LITERAL &&
		    c->term.table == ir->outputs[0].table &&
		    c->term.column == ir->outputs[0].column)
			ir->n_outputs = 0;
	}
}

/* "sales target for EMEA": what names the row was said; its one number is asked. */
static bool only_measure_of_pinned(
    const struct roles *r, uint32_t table, struct ir_term *ret_measure)
{
	const struct view_table *vt = &r->v->tables[table];
	uint32_t found = IR_NONE, n = 0;
	bool pinned = false;

	for (size_t i = 0; i < r->ir->n_conditions; i++) {
		const struct ir_condition *c = &r->ir->conditions[i];

		pinned |= c->test == IR_EQ && !c->negated && !c->any_of &&
		    c->against == IR_LITERAL && c->term.table == table &&
		    c->term.column == vt->display[0];
	}
	for (uint32_t c = 0; c < vt->table->n_columns; c++)
		if (vt->columns[c].is_measure) {
			found = c;
			n++;
		}
	if (!pinned || n != 1 || vt->n_display != 1)
		return false;
	*ret_measure = ir_column(table, found);
	return true;
}

static void default_outputs(struct roles *r)
{
	struct ir *ir = r->ir;
	struct ir_term measure;

	drop_constant_output(ir);

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
	if (ir->entity == IR_NONE)
		return;
	if (ir->n_having == 0 && ir->n_order == 0 && asks_everything(r))
		project_all(r, ir->entity);
	else if (only_measure_of_pinned(r, ir->entity, &measure))
		ir_add_output(r->a, ir, measure);
	else
		role_project_display(r, ir->entity);
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
			        ir->outputs[k].kind == IR_COLUMN &&
			        ir->outputs[k].table == ir->groups[i].table);
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
	return column == vt->display[0] || (vt->n_display > 1 && column == vt->display[1]) ||
	    column == vt->key;
}

/* Are rows of this very table counted or added up? Then its key is no group. */
static bool is_added_up(const struct ir *ir, uint32_t table)
{
	for (size_t i = 0; i < ir->n_outputs; i++)
		if (ir->outputs[i].aggregate != IR_PLAIN && ir->outputs[i].table == table)
			return true;
	for (size_t i = 0; i < ir->n_order; i++)
		if (ir->order[i].term.aggregate != IR_PLAIN && ir->order[i].term.table == table)
			return true;
	for (size_t i = 0; i < ir->n_having; i++)
		if (ir->having[i].term.table == table)
			return true;
	return false;
}

/* Plain outputs beside aggregates are what is grouped by. */
static void group_plain_outputs(struct roles *r)
{
	struct ir *ir = r->ir;

	for (size_t i = 0; i < ir->n_outputs; i++) {
		struct ir_term t = ir->outputs[i];

		if (t.kind != IR_COLUMN || t.aggregate != IR_PLAIN)
			continue;
		t.by_key = (is_display(&r->v->tables[t.table], t.column) ||
		               (t.table == ir->entity && !ir_has_aggregate(ir) &&
		                   ir->n_groups == 0 && is_said(r, t.table))) &&
		    !is_added_up(ir, t.table);
		ir_add_group(r->a, ir, t);
	}
}

static bool repeats(const struct view_column *vc)
{
	return vc->is_text && !vc->is_key && !vc->column->is_unique;
}

/* "freight per employee": amounts of the rows that belong to each are added up. */
static bool add_up_per_group(struct roles *r)
{
	struct ir *ir = r->ir;
	bool per = false, changed = false;

	for (size_t i = 0; i < r->items->n; i++)
		per |= item_is_cue(r->items, i, CUE_EACH) &&
		    strcmp(items_at(r->items, i)->text, "per") == 0;
	for (size_t i = 0; i < ir->n_outputs && per; i++) {
		struct ir_term *t = &ir->outputs[i];

		const struct ir_term *g = &ir->groups[0];

		if (t->kind != IR_COLUMN || t->aggregate != IR_PLAIN ||
		    !view_is_parent(r->v, t->table, g->table) ||
		    !view_column(r->v, t->table, t->column)->is_measure ||
		    (t->table == g->table && !repeats(view_column(r->v, g->table, g->column))))
			continue;
		t->aggregate = IR_SUM;
		changed = true;
	}
	return changed;
}

static void settle_groups(struct roles *r)
{
	struct ir *ir = r->ir;
	bool aggregates = ir_has_aggregate(ir) || has_rank_aggregate(ir);

	if (!aggregates && ir->n_groups > 0 && add_up_per_group(r))
		aggregates = true;
	if (ir->n_groups > 0)
		show_groups(r);
	if (!aggregates) {
		/* "each" without anything to add up means "all" */
		ir->groups = NULL;
		ir->n_groups = 0;
		return;
	}
	if (has_rank_aggregate(ir) && !ir_has_aggregate(ir) && ir->n_groups == 0 &&
	    ir->entity != IR_NONE && ir->n_outputs == 0)
		role_project_display(r, ir->entity);
	group_plain_outputs(r);
}

/* "sorted by number": of what the rows are about, where nothing else is said. */
static void settle_row_counts(struct roles *r)
{
	struct ir *ir = r->ir;
	size_t kept = 0;

	for (size_t i = 0; i < ir->n_order; i++) {
		struct ir_order o = ir->order[i];

		if (o.term.kind == IR_ROWS && o.term.table == IR_NONE)
			o.term.table = ir->entity;
		if (o.term.kind == IR_ROWS && o.term.table == IR_NONE)
			role_fail(r, "an order by a number of nothing");
		else
			ir->order[kept++] = o;
	}
	ir->n_order = kept;
}

/* "who manages X" asks for no date and no number. */
static void check_who(struct roles *r)
{
	if (r->is_zh || !item_is_cue(r->items, 0, CUE_WHO) || r->ir->n_outputs == 0)
		return;
	for (size_t i = 0; i < r->ir->n_outputs; i++) {
		const struct ir_term *t = &r->ir->outputs[i];
		const struct view_column *vc;

		if (t->kind != IR_COLUMN || t->aggregate != IR_PLAIN)
			return;
		vc = view_column(r->v, t->table, t->column);
		if (t->is_default || (vc->is_text && vc->time == VIEW_NO_TIME))
			return;
	}
	role_fail(r, "who is asked, but no column names a person");
}

void finish_ir(struct roles *r)
{
	find_entity(r);
	settle_row_counts(r);
	settle_super(r);
	settle_count(r);
	settle_aggregates(r);
	settle_time(r);
	default_outputs(r);
	settle_groups(r);
	if (r->negated)
		role_fail(r, "what is denied is not known");
	check_who(r);
	settle_rows(r);
}
