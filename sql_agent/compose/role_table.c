/* Tables: the entity, lists, sums of a table, rows that must not exist, mentions. */
#include <string.h>

#include "sql_agent/compose/roles.h"

void role_deny(struct roles *r, uint32_t table)
{
	struct ir_exists *x = arena_push(r->a, r->ir->exists, r->ir->n_exists);

	x->table = table;
	x->negated = true;
	r->absent = (uint32_t)r->ir->n_exists - 1;
	r->negated = false;
}

/* "names of members and their parties": a table in a list of outputs is shown by
 * its name. */
static bool is_listed(const struct roles *r, size_t i, uint32_t table)
{
	const struct item *next = items_at(r->items, i + 1);

	return !r->is_zh && r->mode == ROLE_SELECT && r->ir->n_outputs > 0 &&
	    table != r->ir->entity && i > 0 &&
	    (item_is_cue(r->items, i - 1, CUE_AND) || item_is_cue(r->items, i - 1, CUE_ALSO)) &&
	    r->n_aggregates == 0 && !r->super.on && next->kind != ITEM_COLUMN &&
	    !item_is_cue(r->items, i + 1, CUE_OF) && r->ir->outputs[0].kind == IR_COLUMN &&
	    r->ir->outputs[0].aggregate == IR_PLAIN;
}

/* "the total amount of grants": the one number of the table, or the one that the
 * word names. */
static bool sum_of_table(struct roles *r, size_t i, uint32_t table)
{
	const struct view_table *vt = &r->v->tables[table];
	uint32_t found = IR_NONE, n = 0;
	bool amount = false;

	if (r->n_aggregates == 0 || items_at(r->items, i + 1)->kind == ITEM_COLUMN ||
	    items_at(r->items, i + 1)->table == table) /* "invoice total", a column's name */
		return false;
	for (size_t k = 0; k < i; k++)
		amount |= item_is_cue(r->items, k, CUE_SUM) &&
		    strstr(r->items->list[k].text, "amount");
	for (uint32_t c = 0; c < vt->table->n_columns; c++) {
		const char *name = vt->table->columns[c].name;

		if (!vt->columns[c].is_measure || (amount && !strcasestr(name, "amount")))
			continue;
		found = c;
		n++;
	}
	if (n != 1)
		return false;
	role_project(r, ir_column(table, found));
	if (r->ir->entity == IR_NONE)
		r->ir->entity = table;
	return true;
}

static bool is_head(const struct roles *r, size_t i)
{
	const struct item *next = items_at(r->items, i + 1);

	return i > 0 && item_is_cue(r->items, i - 1, CUE_OF) &&
	    items_at(r->items, i)->table != r->ir->entity &&
	    (next->kind == ITEM_END || item_is_cue(r->items, i + 1, CUE_ALSO) ||
	        next->kind == ITEM_SENTENCE || next->kind == ITEM_COMMA ||
	        item_is_cue(r->items, i + 1, CUE_WHICH) || item_is_cue(r->items, i + 1, CUE_COUNT));
}

/* 职工最多的医院在哪个城市: the city of that hospital */
static bool is_place(const struct roles *r, size_t i, uint32_t table)
{
	return r->is_zh && i > 1 &&
	    (item_is_cue(r->items, i - 1, CUE_WHERE) || item_is_cue(r->items, i - 1, CUE_WHICH)) &&
	    r->ir->entity != IR_NONE && r->ir->entity != table && r->ir->n_outputs == 0 &&
	    items_at(r->items, i + 1)->kind == ITEM_END &&
	    view_is_parent(r->v, r->ir->entity, table);
}

/* "products never ordered": a denied verb that is a table's name. */
size_t role_denied_verb(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	size_t len = strlen(it->text);
	uint32_t best = IR_NONE;

	if (r->is_zh || !r->negated || i == 0 || !item_is_cue(r->items, i - 1, CUE_NOT) ||
	    r->ir->entity == IR_NONE)
		return 0;
	if (it->kind == ITEM_UNKNOWN) {
		role_fail(r, "what is denied is not known");
		return 0;
	}
	if (!item_is_cue(r->items, i, CUE_SORT) || len < 5 || strcmp(it->text + len - 2, "ed") != 0)
		return 0;
	for (uint32_t t = 0; t < r->v->n_tables; t++) {
		const char *name = r->v->tables[t].table->name;
		size_t n = strlen(name);

		/* the verb's stem, also in the plural */
		if (strncasecmp(name, it->text, len - 2) == 0 && n <= len - 1 &&
		    (n == len - 2 || name[n - 1] == 's' || name[n - 1] == 'S'))
			best = t;
	}
	if (best == IR_NONE || best == r->ir->entity)
		return 0;
	role_use(r, i);
	role_deny(r, best);
	return 1;
}

size_t role_table(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	size_t cue;

	if (it->kind != ITEM_TABLE)
		return 0;
	role_use(r, i);
	if (r->counting ||
	    (r->is_zh && item_is_cue(r->items, i + 1, CUE_COUNT) &&
	        items_at(r->items, i + 2)->kind != ITEM_TABLE &&
	        items_at(r->items, i + 2)->kind != ITEM_COLUMN)) {
		size_t end = r->counting ? i : i + 1;

		role_count_table(r, end, it->table);
		return end - i + 1;
	}
	if (r->negated && r->ir->entity == IR_NONE && r->ir->n_outputs > 0)
		r->ir->entity = r->ir->outputs[0].table;
	if (r->negated && it->table != r->ir->entity &&
	    (r->ir->entity != IR_NONE || r->mode == ROLE_FILTER)) {
		role_deny(r, it->table);
		return 1;
	}
	if (role_super_behind(r, i, &cue)) {
		const struct item *hint = items_at(r->items, cue);

		role_rank_behind(r, cue,
		    hint->column != IR_NONE ? ir_column(hint->table, hint->column)
		                            : ir_rows(it->table));
		return cue - i + 1;
	}
	if (r->super.on && r->super.counts && (!r->is_zh || it->table != r->ir->entity)) {
		role_rank(r, ir_rows(it->table));
		return 1;
	}
	if (r->distinct && r->ir->n_outputs > 0 &&
	    r->n_aggregates == 0) { /* "names of all the different drivers" */
		r->ir->distinct = true;
		r->distinct = false;
	}
	if (is_place(r, i, it->table)) {
		role_project_display(r, it->table);
		r->ir->outputs[r->ir->n_outputs - 1].is_default = false;
		return 1;
	}
	if (is_listed(r, i, it->table)) {
		role_project(r, ir_column(it->table, r->v->tables[it->table].display[0]));
		return 1;
	}
	if (sum_of_table(r, i, it->table))
		return 1;
	if (r->is_zh && is_head(r, i)) { /* 生产原油的公司: what stands before only describes it */
		if (r->ir->entity != IR_NONE)
			role_mention(r, r->ir->entity);
		r->ir->entity = it->table;
		r->asks_entity = true;
	} else if (r->ir->entity == IR_NONE && (r->mode == ROLE_SELECT || r->is_zh)) {
		r->ir->entity = it->table;
		r->asks_entity = i > 0 &&
		    (item_is_cue(r->items, i - 1, CUE_WHICH) ||
		        item_is_cue(r->items, i - 1, CUE_LIST) ||
		        item_is_cue(r->items, i - 1, CUE_ALL) ||
		        (i > 1 && item_is_cue(r->items, i - 2, CUE_LIST) &&
		            role_is_trait(r, i - 1)));
		r->asks_entity |= r->is_zh && item_is_cue(r->items, i + 1, CUE_ALSO);
	} else {
		role_mention(r, it->table);
	}
	/* "the most recent shipment" */
	if (r->super.on && r->super.is_time && r->super.column == IR_NONE &&
	    view_time_column(r->v, it->table) != IR_NONE)
		role_rank(r, ir_column(it->table, view_time_column(r->v, it->table)));
	return 1;
}
