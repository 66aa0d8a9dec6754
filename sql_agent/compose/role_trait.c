/* What a thing is or has, said by a column's name alone: "discontinued products",
 * "orders that were never shipped", "customers without email". */
#include <string.h>

#include "sql_agent/compose/roles.h"

static bool is_flag(const struct roles *r, const struct item *it)
{
	return it->kind == ITEM_COLUMN && view_column(r->v, it->table, it->column)->yes;
}

/* One word that says what was done: shipped, headquartered. */
static bool is_participle(const struct item *it)
{
	size_t n = strlen(it->text);

	return n > 4 && strcmp(it->text + n - 2, "ed") == 0 && !strchr(it->text, ' ');
}

/* Does a word that only joins subject and predicate stand before: "are", "were"? */
static bool is_predicate(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	return it->span != IR_NONE && it->span > 0 &&
	    r->v->g->spans[it->span - 1].kind == SPAN_STOP;
}

static bool subject_before(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	size_t at = i;

	while (at > 0 &&
	    (item_is_cue(r->items, at - 1, CUE_NOT) || item_is_cue(r->items, at - 1, CUE_NE) ||
	        item_is_cue(r->items, at - 1, CUE_THAT) || item_is_cue(r->items, at - 1, CUE_WHO)))
		at--;
	return at > 0 && items_at(r->items, at - 1)->kind == ITEM_TABLE &&
	    items_at(r->items, at - 1)->table == it->table;
}

/* What the word goes on with: a value, a time, a comparison, another column. */
static bool goes_on(const struct roles *r, size_t i)
{
	const struct item *next = items_at(r->items, items_skip(r->items, i + 1));

	return next->kind == ITEM_VALUE || next->kind == ITEM_PERIOD || next->kind == ITEM_TEXT ||
	    next->kind == ITEM_NUMBER || item_is_cue(r->items, i + 1, CUE_OF) ||
	    role_is_compared(r, i);
}

bool role_is_trait(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i), *next = items_at(r->items, i + 1);
	const struct item *before = items_before(r->items, i);

	if (!is_flag(r, it) || role_names_value(r, i) || item_is_cue(r->items, i + 1, CUE_OF) ||
	    role_is_compared(r, i) || r->super.on || r->n_aggregates > 0)
		return false;
	if (before->kind == ITEM_COLUMN && before->table == it->table && is_predicate(r, i))
		return true; /* "languages that are official" */
	/* "the VIP customers", "official languages" */
	if ((next->kind == ITEM_TABLE ||
	        (next->kind == ITEM_COLUMN && !is_flag(r, next) && next->span == it->span + 1)) &&
	    next->table == it->table)
		return !item_is_cue(r->items, i - (i > 0), CUE_AND) && before->kind != ITEM_COMMA;
	return subject_before(r, i) &&
	    (before->kind == ITEM_CUE || is_predicate(r, i) || is_participle(it));
}

/* Rows where the column says nothing: NULL, no text, and no amount. */
static void without(struct roles *r, const struct item *it)
{
	const struct view_column *vc = view_column(r->v, it->table, it->column);
	struct ir_term t = ir_column(it->table, it->column);
	bool blank = vc->column->has_range && vc->column->min.type == VALUE_TEXT &&
	    vc->column->min.len == 0;
	struct ir_condition *c;
	uint32_t any = 0;

	r->negated = false;
	if (blank || vc->is_measure)
		any = ++r->n_any;
	role_condition(r, t, IR_IS_NULL, it->span)->any_of = any;
	if (any == 0)
		return;
	c = role_condition(r, t, IR_EQ, it->span);
	c->any_of = any;
	c->low.text = blank ? "" : "0";
	c->low.is_number = !blank;
}

static bool has_between(const struct roles *r, size_t i)
{
	const struct grounding *g = r->v->g;

	if (!item_is_cue(r->items, i - 2, CUE_WHICH) && !item_is_cue(r->items, i - 2, CUE_COUNT))
		return false;
	for (uint32_t s = items_at(r->items, i - 1)->span + 1; s < items_at(r->items, i)->span; s++)
		if (g->spans[s].kind == SPAN_STOP &&
		    (strncasecmp(g->question + g->spans[s].start, "have", 4) == 0 ||
		        strncasecmp(g->question + g->spans[s].start, "has", 3) == 0))
			return true;
	return false;
}

/* "orders with discount": where some have none, those that have one. */
static bool is_had(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	const struct catalog_column *c = view_column(r->v, it->table, it->column)->column;

	size_t owner = i - 2;

	if (i > 1 && has_between(r, i))
		owner = i - 1; /* "which customers have an email" */
	else if (i < 2 || !item_is_cue(r->items, i - 1, CUE_WITH) || r->mode != ROLE_FILTER)
		return false;
	return items_at(r->items, owner)->kind == ITEM_TABLE &&
	    items_at(r->items, owner)->table == it->table && !it->owned && c->n_null > 0 &&
	    items_at(r->items, i + 1)->kind == ITEM_END;
}

static void with(struct roles *r, const struct item *it)
{
	const struct view_column *vc = view_column(r->v, it->table, it->column);
	struct ir_term t = ir_column(it->table, it->column);

	if (vc->is_measure)
		role_condition(r, t, IR_NE, it->span)->low = (struct ir_literal){
		    .text = "0", .is_number = true};
	else
		role_condition(r, t, IR_IS_NULL, it->span)->negated = true;
}

/* "orders shipped to Brazil", "orders that were never shipped" */
static bool done(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	const struct item *next = items_at(r->items, items_skip(r->items, i + 1));
	const struct view_column *vc = view_column(r->v, it->table, it->column);

	if (next->kind == ITEM_VALUE && next->table == it->table && !r->negated)
		return true;
	if (vc->time == VIEW_NO_TIME || vc->column->not_null || goes_on(r, i))
		return false;
	role_condition(r, ir_column(it->table, it->column), IR_IS_NULL, it->span)->negated ^= true;
	return true;
}

size_t role_trait(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	if (it->kind != ITEM_COLUMN || r->super.on || r->n_aggregates > 0)
		return 0;
	if (role_is_trait(r, i)) {
		role_flag(r, it);
	} else if (r->is_zh || it->table != r->ir->entity ||
	    r->ir->n_outputs > (size_t)ir_has_aggregate(r->ir)) {
		return 0;
	} else if (is_participle(it) && subject_before(r, i)) {
		if (!done(r, i))
			return 0;
	} else if (r->negated && item_is_cue(r->items, i - (i > 0), CUE_NOT) &&
	    subject_before(r, i) && !goes_on(r, i) && !is_flag(r, it)) {
		without(r, it);
	} else if (is_had(r, i) && !is_flag(r, it)) {
		with(r, it);
	} else {
		return 0;
	}
	role_use(r, i);
	if (!r->is_zh && r->ir->entity != IR_NONE)
		r->mode = ROLE_FILTER;
	return 1;
}
