/* Counts, aggregates, calculations, metrics. */
#include <string.h>

#include "sql_agent/compose/roles.h"

void role_count_table(struct roles *r, size_t i, uint32_t table)
{
	struct ir_term t = ir_rows(table);
	int stored = catalog_find_column(
	    r->v->tables[table].table, r->v->tables[table].table->name);
	size_t cue;

	/* faculty(campus, year, faculty): the number is stored */
	if (stored >= 0 && r->v->tables[table].columns[stored].is_measure && !r->super.on) {
		role_use(r, i);
		r->counting = false;
		role_project(r, ir_column(table, (uint32_t)stored));
		return;
	}
	r->counting = false;
	r->n_aggregates = 0; /* "in total", "total number of" */
	role_use(r, i);
	if (role_super_behind(r, i, &cue)) {
		role_rank_behind(r, cue, t);
		r->items->list[cue].kind = ITEM_COMMA; /* taken */
		return;
	}
	if (r->super.on) {
		role_rank(r, t);
		return;
	}
	if ((r->is_zh || r->mode == ROLE_FILTER) && role_is_compared(r, i)) {
		role_wait(r, t);
		return;
	}
	if (r->distinct && r->ir->entity == IR_NONE)
		r->distinct = false; /* "how many different singers": rows are different */
	ir_add_output(r->a, r->ir, t);
	if (r->ir->entity == IR_NONE && r->ir->n_groups == 0)
		r->ir->entity = table;
	else
		role_mention(r, table);
}

/* Few values that come again and again (grades 1 to 6) are kinds, no amounts. */
static bool is_categorical(
    const struct roles *r, const struct item *it, const struct view_column *vc)
{
	int64_t rows = r->v->c->tables[it->table].n_rows;

	return vc->column->n_distinct >= 0 && vc->column->n_distinct <= 12 &&
	    rows >= 3 * vc->column->n_distinct;
}

void role_count_column(struct roles *r, size_t i, const struct item *it)
{
	const struct view_column *vc = view_column(r->v, it->table, it->column);
	struct ir_term t = ir_column(it->table, it->column);

	r->counting = false;
	role_use(r, i);
	if (vc->is_measure && !r->distinct &&
	    !is_categorical(r, it, vc)) { /* the column counts already */
		if (r->ir->n_groups > 0 && r->n_aggregates == 0)
			r->aggregates[r->n_aggregates++] = IR_SUM;
	} else if (vc->column->is_unique && !r->super.on) {
		role_count_table(r, i, it->table);
		return;
	} else {
		t.aggregate = IR_COUNT;
		t.distinct = true;
		r->n_aggregates = 0;
		r->distinct = false;
	}
	if (!r->super.on && t.aggregate == IR_PLAIN &&
	    role_is_compared(r, i)) { /* "how many budgets are above 3000" */
		ir_add_output(r->a, r->ir, ir_rows(it->table));
		r->n_aggregates = 0;
	}
	if (r->super.on)
		role_rank(r, t);
	else if (role_is_compared(r, i))
		role_wait(r, t);
	else if (t.aggregate != IR_PLAIN)
		ir_add_output(r->a, r->ir, t);
	else
		role_project(r, t);
}

/* Rows that say how common a value is: those of its table, or where each value
 * stands there once, those of the only table that refers to it. */
static uint32_t counted_rows(const struct roles *r, const struct item *it)
{
	const struct view_column *vc = view_column(r->v, it->table, it->column);
	uint32_t child = IR_NONE;

	if (vc->column->n_distinct < 0 ||
	    vc->column->n_distinct != r->v->c->tables[it->table].n_rows)
		return it->table;
	for (size_t i = 0; i < r->v->c->n_relations; i++) {
		const struct catalog_relation *rel = &r->v->c->relations[i];

		if (rel->to_table != it->table || rel->from_table == it->table)
			continue;
		if (child != IR_NONE && child != rel->from_table)
			return it->table;
		child = rel->from_table;
	}
	return child == IR_NONE ? it->table : child;
}

/* "most common C": the value of C that most rows have. */
static size_t most_common(struct roles *r, size_t i, size_t at)
{
	const struct item *it = items_at(r->items, at);

	/* "the position that is most common among players" */
	if (at > i + 1 && r->ir->n_outputs > 0 && r->ir->outputs[0].kind == IR_COLUMN &&
	    r->ir->outputs[0].aggregate == IR_PLAIN &&
	    (it->kind == ITEM_COLUMN || it->kind == ITEM_TABLE)) {
		ir_add_group(r->a, r->ir, r->ir->outputs[0]);
		role_rank(r, ir_rows(it->kind == ITEM_TABLE ? it->table : r->ir->outputs[0].table));
		role_use(r, at);
		return at - i + 1;
	}
	if (it->kind == ITEM_COLUMN) {
		struct ir_term t = ir_column(it->table, it->column);

		if (r->ir->n_groups == 0 && r->ir->n_outputs == 0)
			ir_add_output(r->a, r->ir, t);
		ir_add_group(r->a, r->ir, t);
		role_rank(r, ir_rows(counted_rows(r, it)));
		role_use(r, at);
		return at - i + 1;
	}
	if (it->kind == ITEM_TABLE && r->ir->entity == IR_NONE) {
		r->ir->entity = it->table;
		role_use(r, at);
		r->super.counts = true;
		return at - i + 1;
	}
	/* "which shop has happy hours most frequently" */
	if (it->kind != ITEM_COLUMN && it->kind != ITEM_TABLE && r->n_mentions > 0) {
		role_rank(r, ir_rows(r->mentions[r->n_mentions - 1]));
		return 1;
	}
	r->super.counts = true;
	return 1;
}

static bool means_common(const struct item *it)
{
	return strstr(it->text, "common") || strstr(it->text, "frequent") ||
	    strstr(it->text, "popular") || strstr(it->text, "常") || strstr(it->text, "频繁") ||
	    strstr(it->text, "普遍");
}

/* 净利润有多少: how much, not how many */
static bool asks_amount(const struct roles *r, size_t i)
{
	const struct item *before = items_before(r->items, i);
	const struct item *next = items_at(r->items, i + 1);

	return (before->kind == ITEM_METRIC ||
	           (before->kind == ITEM_COLUMN &&
	               view_column(r->v, before->table, before->column)->is_measure)) &&
	    (next->kind == ITEM_END || next->kind == ITEM_COMMA || next->kind == ITEM_SENTENCE);
}

/* "number of channel owners": the column right behind its table is counted. Not so
 * "companies headquartered in Oslo", "orders that were shipped". */
static bool is_compound(const struct roles *r, size_t at)
{
	const struct item *it = items_at(r->items, at), *next = items_at(r->items, at + 1);
	size_t len = strlen(next->text);

	return !r->is_zh && it->kind == ITEM_TABLE && next->kind == ITEM_COLUMN &&
	    next->table == it->table && next->span == it->span + 1 &&
	    !(len > 4 && strcmp(next->text + len - 2, "ed") == 0) && !role_is_compared(r, at + 1) &&
	    !role_names_value(r, at + 1) && !role_is_trait(r, at + 1) &&
	    !view_column(r->v, next->table, next->column)->is_measure;
}

size_t role_count(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i), *next;
	size_t at = i + 1;

	if (!item_is_cue(r->items, i, CUE_COUNT))
		return 0;
	if (r->is_zh && asks_amount(r, i))
		return 1;
	if (strstr(it->text, "different") || strstr(it->text, "distinct") ||
	    strstr(it->text, "不同"))
		r->distinct = true;
	for (;; at++) {
		if (item_is_cue(r->items, at, CUE_DISTINCT))
			r->distinct = true;
		else if (items_skip(r->items, at) == at)
			break;
	}
	next = items_at(r->items, at);
	if (r->super.on && means_common(it))
		return most_common(r, i, at);
	if (role_is_trait(r, at)) { /* "how many VIP customers" */
		role_flag(r, next);
		role_use(r, at++);
		next = items_at(r->items, at);
	}
	if (is_compound(r, at)) {
		role_use(r, at++);
		next = items_at(r->items, at);
	}
	if (next->kind == ITEM_TABLE) {
		role_count_table(r, at, next->table);
		return at - i + 1;
	}
	if (next->kind == ITEM_COLUMN) {
		role_count_column(r, at, next);
		return at - i + 1;
	}
	/* "the task count and ...", "and the count" */
	if (next->kind == ITEM_END || next->kind == ITEM_SENTENCE || next->kind == ITEM_COMMA ||
	    item_is_cue(r->items, at, CUE_AND)) {
		r->count_later = true;
		return 1;
	}
	if (next->kind == ITEM_UNKNOWN)
		role_fail(r, "what is to be counted is not known");
	r->counting = true;
	return 1;
}

/* --- aggregates ------------------------------------------------------------------------ */

static enum ir_aggregate aggregate_of(const struct item *it)
{
	switch (it->kind == ITEM_CUE ? it->cue : CUE_NONE) {
	case CUE_SUM: return IR_SUM;
	case CUE_AVG: return IR_AVG;
	case CUE_MIN: return IR_MIN;
	case CUE_MAX: return IR_MAX;
	default: return IR_PLAIN;
	}
}

/* 净利润的总和, "how many faculty, in total": the aggregate stands behind. */
static bool aggregate_behind(struct roles *r, size_t i, enum ir_aggregate agg)
{
	size_t before = i;
	const struct item *it;
	struct ir_term *last;

	while (before > 0 &&
	    (item_is_cue(r->items, before - 1, CUE_OF) ||
	        items_at(r->items, before - 1)->kind == ITEM_COMMA))
		before--;
	if (before == 0 || r->ir->n_outputs == 0 || items_at(r->items, i + 1)->kind == ITEM_COLUMN)
		return false;
	it = items_at(r->items, before - 1);
	last = &r->ir->outputs[r->ir->n_outputs - 1];
	if (it->kind != ITEM_COLUMN || last->aggregate != IR_PLAIN || last->kind != IR_COLUMN ||
	    last->table != it->table || last->column != it->column)
		return false;
	last->aggregate = agg;
	return true;
}

/* "the total of body builders", where `total` is a column and nothing else is
 * there to be added up. */
static bool is_column_of_that_name(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i),
	                  *next = items_at(r->items, items_skip(r->items, i + 1));

	if (!it->target || it->column == IR_NONE || it->target->how != HOW_EXACT)
		return false;
	if (next->kind == ITEM_TABLE && items_at(r->items, i + 1) == next &&
	    items_at(r->items, i + 2)->table == next->table)
		next = items_at(r->items, i + 2); /* "total order amount" */
	return !item_is_cue(r->items, i + 1, CUE_COUNT) &&
	    !(next->kind == ITEM_COLUMN &&
	        view_column(r->v, next->table, next->column)->is_measure);
}

size_t role_aggregate(struct roles *r, size_t i)
{
	enum ir_aggregate agg = aggregate_of(items_at(r->items, i));

	if (agg == IR_PLAIN)
		return 0;
	if (is_column_of_that_name(r, i)) {
		role_item(r, i)->kind = ITEM_COLUMN;
		return role_column(r, i);
	}
	if (!aggregate_behind(r, i, agg) && r->n_aggregates < ROLE_MAX_AGGREGATES)
		r->aggregates[r->n_aggregates++] = agg;
	return 1;
}

/* A column that holds a rate already. */
static bool is_rate(const struct roles *r, size_t i)
{
	static const char *const words[] = {
	    "percent", "pct", "rate", "ratio", "share", "proportion", "占比", "比例", "率"};
	const struct item *it = items_at(r->items, i);

	for (size_t k = 0; it->kind == ITEM_COLUMN && k < ARRAY_SIZE(words); k++)
		if (strcasestr(r->v->c->tables[it->table].columns[it->column].name, words[k]))
			return true;
	return false;
}

size_t role_arithmetic(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	if (it->kind != ITEM_CUE)
		return 0;
	if ((it->cue == CUE_SHARE || it->cue == CUE_RATIO) &&
	    (is_rate(r, i + 1) || (i > 0 && is_rate(r, i - 1))))
		return 1;
	switch (it->cue) {
	case CUE_DIFFERENCE: r->ir->arithmetic = IR_ARITH_DIFFERENCE; return 1;
	case CUE_RATIO: r->ir->arithmetic = IR_ARITH_RATIO; return 1;
	case CUE_SHARE: r->ir->arithmetic = IR_ARITH_SHARE; return 1;
	default: return 0;
	}
}

size_t role_metric(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	struct ir_term t = {.kind = IR_METRIC,
	    .table = it->table,
	    .column = IR_NONE,
	    .metric = it->metric,
	    .via = IR_NONE};
	size_t cue;

	if (it->kind != ITEM_METRIC)
		return 0;
	role_use(r, i);
	r->n_aggregates = 0;
	if (role_super_behind(r, i, &cue)) {
		role_rank_behind(r, cue, t);
		return cue - i + 1;
	}
	if (r->super.on)
		role_rank(r, t);
	else if (role_is_compared(r, i))
		role_wait(r, t);
	else
		ir_add_output(r->a, r->ir, t);
	return 1;
}
