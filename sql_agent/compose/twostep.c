/* Splitting one IR into two; each is emitted like any other. */
#include <string.h>

#include "sql_agent/compose/literal.h"
#include "sql_agent/compose/twostep.h"

static uint32_t measure_table(const struct view *v, const struct ir *ir)
{
	uint32_t found = IR_NONE;

	for (size_t i = 0; i < ir->n_outputs; i++) {
		const struct ir_term *t = &ir->outputs[i];
		bool names = t->kind == IR_COLUMN && t->aggregate == IR_PLAIN &&
		    !view_column(v, t->table, t->column)->is_measure;

		if (names)
			continue;
		if (found != IR_NONE && found != t->table)
			return IR_NONE;
		found = t->table;
	}
	return found;
}

bool twostep_needed(const struct view *v, const struct ir *ir, struct twostep *ret_plan)
{
	uint32_t ranked, asked;

	if (ir->n_order != 1 || ir->limit != 1 || ir->arithmetic != IR_ARITH_NONE ||
	    ir->set != IR_SET_NONE || ir->order[0].term.kind == IR_METRIC)
		return false;
	ranked = ir->order[0].term.table;
	asked = measure_table(v, ir);
	if (asked == IR_NONE || asked == ranked || view_is_parent(v, ranked, asked) ||
	    view_is_parent(v, asked, ranked))
		return false;
	ret_plan->ranked = ranked;
	ret_plan->asked = asked;
	ret_plan->subject = IR_NONE;
	for (uint32_t t = 0; t < v->n_tables; t++)
		if (view_is_parent(v, ranked, t) && view_is_parent(v, asked, t) &&
		    (ret_plan->subject == IR_NONE || t == ir->entity))
			ret_plan->subject = t;
	return ret_plan->subject != IR_NONE;
}

void twostep_keep_all(struct arena *a, const struct view *v, struct ir *ir)
{
	struct ir_condition *c;
	struct ir_term ranked;

	if (ir->n_order != 1 || ir->limit != 1 || ir->arithmetic != IR_ARITH_NONE ||
	    ir->entity == IR_NONE || ir->n_groups > 0)
		return;
	ranked = ir->order[0].term;
	if (ranked.kind != IR_COLUMN || ranked.aggregate != IR_PLAIN ||
	    ranked.table == ir->entity || view_is_parent(v, ranked.table, ir->entity))
		return;
	for (size_t i = 0; i < ir->n_outputs; i++)
		if (ir->outputs[i].table == ranked.table)
			return;
	c = ir_add_condition(a, ir, ranked, IR_EQ, IR_NONE);
	c->against = IR_AGGREGATE;
	c->aggregate = ir->order[0].desc ? IR_MAX : IR_MIN;
	c->among = true;
	ir->n_order = 0;
	ir->limit = 0;
}

/* Column that step 2 finds the leader by: its name if that is unique. */
static uint32_t handle(const struct view *v, uint32_t subject)
{
	const struct view_table *vt = &v->tables[subject];

	if (vt->n_display == 1 && vt->columns[vt->display[0]].column->is_unique)
		return vt->display[0];
	return vt->key;
}

static bool belongs_to_first(
    const struct view *v, const struct ir_condition *c, const struct twostep *p)
{
	return c->term.table == p->ranked || c->term.table == p->subject ||
	    (c->term.table != p->asked && !view_is_parent(v, p->asked, c->term.table));
}

/* All rows with the extreme value, so that a tie shows itself; where the
 * conditions reach over several tables, the first row in order. */
static void rank_first(
    struct arena *a, struct ir *first, const struct ir *ir, const struct twostep *p)
{
	const struct ir_term *ranked = &ir->order[0].term;
	bool alone = ranked->aggregate == IR_PLAIN && ranked->kind == IR_COLUMN;
	struct ir_condition *c;

	for (size_t i = 0; i < first->n_conditions; i++)
		alone &= first->conditions[i].term.table == p->ranked &&
		    !first->conditions[i].any_of;
	if (!alone) {
		ir_add_order(a, first, *ranked, ir->order[0].desc);
		first->limit = 1;
		return;
	}
	c = ir_add_condition(a, first, *ranked, IR_EQ, IR_NONE);
	c->against = IR_AGGREGATE;
	c->aggregate = ir->order[0].desc ? IR_MAX : IR_MIN;
	c->among = true;
}

struct ir *twostep_first(
    struct arena *a, const struct view *v, const struct ir *ir, const struct twostep *p)
{
	struct ir *first = ir_new(a);
	const struct view_table *vt = &v->tables[p->subject];
	const struct ir_term *ranked = &ir->order[0].term;
	const struct view_column *measure =
	    ranked->kind == IR_COLUMN ? view_column(v, ranked->table, ranked->column) : NULL;
	uint32_t by = handle(v, p->subject);

	first->entity = p->subject;
	if (by != IR_NONE)
		ir_add_output(a, first, ir_column(p->subject, by));
	for (size_t i = 0; i < vt->n_display; i++)
		ir_add_output(a, first, ir_column(p->subject, vt->display[i]));
	if (ranked->aggregate != IR_PLAIN || ranked->kind != IR_COLUMN)
		for (size_t i = first->n_outputs; i-- > 0;)
			ir_add_group(a, first, first->outputs[i]);
	ir_add_output(a, first, *ranked);
	if (measure && measure->field && measure->field->unit_column[0] &&
	    ranked->aggregate == IR_PLAIN) {
		int unit = catalog_find_column(
		    v->tables[ranked->table].table, measure->field->unit_column);

		if (unit >= 0)
			ir_add_output(a, first, ir_column(ranked->table, (uint32_t)unit));
	}
	for (size_t i = 0; i < ir->n_conditions; i++)
		if (belongs_to_first(v, &ir->conditions[i], p))
			*arena_push(a, first->conditions, first->n_conditions) = ir->conditions[i];
	rank_first(a, first, ir, p);
	return first;
}

/* "the 2023 leader in output: its net profit" asks the profit of 2023. */
static void same_period(struct arena *a, const struct view *v, const struct ir *ir,
    const struct twostep *p, struct ir *second)
{
	uint32_t time = view_time_column(v, p->asked);

	for (size_t i = 0; i < second->n_conditions; i++)
		if (second->conditions[i].term.table == p->asked &&
		    second->conditions[i].term.column == time)
			return;
	for (size_t i = 0; i < ir->n_conditions && time != IR_NONE; i++) {
		struct ir_condition c = ir->conditions[i];

		if (c.term.kind != IR_COLUMN || c.term.table != p->ranked ||
		    c.against != IR_LITERAL ||
		    view_column(v, c.term.table, c.term.column)->time == VIEW_NO_TIME ||
		    view_column(v, c.term.table, c.term.column)->time !=
		        view_column(v, p->asked, time)->time)
			continue;
		c.term = ir_column(p->asked, time);
		*arena_push(a, second->conditions, second->n_conditions) = c;
	}
}

struct ir *twostep_second(struct arena *a, const struct view *v, const struct ir *ir,
    const struct twostep *p, const struct resultset *found)
{
	struct ir *second = ir_new(a);
	uint32_t by = handle(v, p->subject);
	struct ir_condition *c;

	if (by == IR_NONE || found->n_rows == 0 || found->n_columns == 0)
		return NULL;
	second->entity = p->asked;
	for (size_t i = 0; i < ir->n_outputs; i++)
		ir_add_output(a, second, ir->outputs[i]);
	for (size_t i = 0; i < ir->n_conditions; i++)
		if (!belongs_to_first(v, &ir->conditions[i], p))
			*arena_push(a, second->conditions, second->n_conditions) =
			    ir->conditions[i];
	same_period(a, v, ir, p, second);
	c = ir_add_condition(a, second, ir_column(p->subject, by), IR_EQ, IR_NONE);
	literal_value(a, resultset_cell(found, 0, 0), &c->low);
	return second;
}

void twostep_leaders(
    struct arena *a, const struct resultset *found, struct semantic_names *ret_names)
{
	for (size_t row = 0; row < found->n_rows; row++) {
		struct ir_literal l = {0};

		literal_value(a, resultset_cell(found, row, 0), &l);
		*arena_push(a, ret_names->items, ret_names->n) = l.text;
	}
}
