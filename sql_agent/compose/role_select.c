/* What is asked for: counts, aggregates, metrics, tables and columns. */
#include <string.h>

#include "sql_agent/compose/roles.h"

static bool is_plural(const char *word)
{
	size_t n = strlen(word);

	return n > 0 && word[n - 1] == 's';
}

static bool is_operand(const struct item *it)
{
	return it->kind == ITEM_VALUE || it->kind == ITEM_NUMBER || it->kind == ITEM_PERIOD ||
	    it->kind == ITEM_COLUMN || it->kind == ITEM_TEXT;
}

/* A comparison, range, pattern or number follows: the term is compared, not
 * shown. Periods and "in", "of", "not" may stand between. */
static bool is_compared(const struct roles *r, size_t i)
{
	size_t at = i + 1;
	enum ir_test test;
	const struct item *it;

	/* "the rank 1 coach", but not "the revenue of the two companies" */
	if (items_at(r->items, at)->kind == ITEM_NUMBER)
		return items_at(r->items, at + 1)->kind != ITEM_TABLE || r->mode == ROLE_FILTER ||
		    (!r->is_zh && !is_plural(items_at(r->items, at + 1)->text));
	if (item_is_cue(r->items, at, CUE_OF) && items_at(r->items, at + 1)->kind == ITEM_NUMBER &&
	    items_at(r->items, at + 2)->kind != ITEM_TABLE)
		return true; /* "a rating of 10" */
	for (;; at++) {
		it = items_at(r->items, at);
		if (it->kind == ITEM_PERIOD)
			continue;
		if (it->kind == ITEM_CUE &&
		    (it->cue == CUE_FOR || it->cue == CUE_OF || it->cue == CUE_NOT ||
		        it->cue == CUE_WITH || it->cue == CUE_THAT))
			continue;
		break;
	}
	if (it->kind == ITEM_CUE &&
	    (it->cue == CUE_THAN_AVG || it->cue == CUE_CONTAINS || it->cue == CUE_STARTS ||
	        it->cue == CUE_ENDS))
		return true;
	if (item_is_cue(r->items, at, CUE_BETWEEN))
		return role_is_range(r, at + 1);
	if (role_is_range(r, at))
		return true;
	/* 以 X 开头, 收入 1 亿元以上 */
	if (r->is_zh && role_is_comparison(items_at(r->items, at + 1), &test) &&
	    it->kind == ITEM_NUMBER)
		return true;
	if (r->is_zh &&
	    (item_is_cue(r->items, at, CUE_BY) || it->kind == ITEM_TEXT || it->kind == ITEM_VALUE))
		for (size_t k = at + 1; k < at + 3; k++)
			if (item_is_cue(r->items, k, CUE_STARTS) ||
			    item_is_cue(r->items, k, CUE_ENDS))
				return true;
	/* "countries with at least 3 stadiums": the rows are compared */
	if (!r->is_zh && role_is_comparison(it, &test) && role_counts_behind(r, at + 1))
		return false;
	/* "that are not in stock" compares nothing */
	if ((item_is_cue(r->items, at, CUE_NE) || item_is_cue(r->items, at, CUE_EQ)) &&
	    !is_operand(items_at(r->items, items_skip(r->items, at + 1))))
		return false;
	/* "older than" brings its own column, so it compares something else */
	return role_is_comparison(it, &test) &&
	    (it->column == IR_NONE ||
	        (it->table == items_at(r->items, i)->table &&
	            it->column == items_at(r->items, i)->column));
}

static void wait_for_comparison(struct roles *r, struct ir_term t)
{
	if (r->n_aggregates > 0 && t.kind == IR_COLUMN) {
		t.aggregate = r->aggregates[--r->n_aggregates];
		r->n_aggregates = 0;
	}
	r->left.on = true;
	r->left.term = t;
}

/* "was founded first", "produced the most gas": a column that is a verb stands
 * before its superlative in English, too. */
static bool ranks_english(const struct roles *r, size_t i, size_t *ret_cue)
{
	const struct item *it = items_at(r->items, i), *cue = items_at(r->items, i + 1),
	                  *next = items_at(r->items, i + 2);
	const struct view_column *vc;

	*ret_cue = i + 1;
	if (it->kind != ITEM_COLUMN || cue->kind != ITEM_CUE)
		return false;
	vc = view_column(r->v, it->table, it->column);
	if (cue->cue == CUE_EARLIEST || cue->cue == CUE_LATEST)
		return vc->time != VIEW_NO_TIME && next->kind != ITEM_COLUMN &&
		    next->kind != ITEM_TABLE && cue->n == 0;
	return (cue->cue == CUE_MOST || cue->cue == CUE_LEAST) && vc->is_measure &&
	    next->kind == ITEM_VALUE && next->table == it->table;
}

/* Chinese puts the superlative behind: 净利润最高. Returns the cue's index. */
static bool super_behind(const struct roles *r, size_t i, size_t *ret_cue)
{
	const struct item *it;
	size_t at = i + 1;

	if (!r->is_zh)
		return ranks_english(r, i, ret_cue);
	while (item_is_cue(r->items, at, CUE_FOR) || items_at(r->items, at)->kind == ITEM_PERIOD)
		at++;
	it = items_at(r->items, at);
	*ret_cue = at;
	return it->kind == ITEM_CUE &&
	    (it->cue == CUE_MOST || it->cue == CUE_LEAST || it->cue == CUE_TOP ||
	        it->cue == CUE_BOTTOM || it->cue == CUE_EARLIEST || it->cue == CUE_LATEST) &&
	    items_at(r->items, at + 1)->kind != ITEM_COLUMN;
}

static void rank_behind(struct roles *r, size_t cue, struct ir_term t)
{
	const struct item *it = items_at(r->items, cue);

	r->super.on = true;
	r->super.opens = false;
	r->super.n = it->n;
	r->super.desc = it->cue == CUE_MOST || it->cue == CUE_TOP || it->cue == CUE_LATEST;
	role_rank(r, t);
}

/* --- counting ------------------------------------------------------------------------ */

static void count_table(struct roles *r, size_t i, uint32_t table)
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
	if (super_behind(r, i, &cue)) {
		rank_behind(r, cue, t);
		r->items->list[cue].kind = ITEM_COMMA; /* taken */
		return;
	}
	if (r->super.on) {
		role_rank(r, t);
		return;
	}
	if ((r->is_zh || r->mode == ROLE_FILTER) && is_compared(r, i)) {
		wait_for_comparison(r, t);
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

static void count_column(struct roles *r, size_t i, const struct item *it)
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
		count_table(r, i, it->table);
		return;
	} else {
		t.aggregate = IR_COUNT;
		t.distinct = true;
		r->n_aggregates = 0;
		r->distinct = false;
	}
	if (!r->super.on && t.aggregate == IR_PLAIN &&
	    is_compared(r, i)) { /* "how many budgets are above 3000" */
		ir_add_output(r->a, r->ir, ir_rows(it->table));
		r->n_aggregates = 0;
	}
	if (r->super.on)
		role_rank(r, t);
	else if (is_compared(r, i))
		wait_for_comparison(r, t);
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

size_t role_count(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i), *next;
	size_t at = i + 1;

	if (!item_is_cue(r->items, i, CUE_COUNT))
		return 0;
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
	/* "number of channel owners": the column behind its table is counted */
	if (next->kind == ITEM_TABLE && items_at(r->items, at + 1)->kind == ITEM_COLUMN &&
	    !r->is_zh && items_at(r->items, at + 1)->table == next->table &&
	    !is_compared(r, at + 1) &&
	    !view_column(r->v, next->table, items_at(r->items, at + 1)->column)->is_measure) {
		role_use(r, at++);
		next = items_at(r->items, at);
	}
	if (next->kind == ITEM_TABLE) {
		count_table(r, at, next->table);
		return at - i + 1;
	}
	if (next->kind == ITEM_COLUMN) {
		count_column(r, at, next);
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
	if (super_behind(r, i, &cue)) {
		rank_behind(r, cue, t);
		return cue - i + 1;
	}
	if (r->super.on)
		role_rank(r, t);
	else if (is_compared(r, i))
		wait_for_comparison(r, t);
	else
		ir_add_output(r->a, r->ir, t);
	return 1;
}

/* --- tables ------------------------------------------------------------------------------ */

static void deny(struct roles *r, uint32_t table)
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

	if (r->n_aggregates == 0 || items_at(r->items, i + 1)->kind == ITEM_COLUMN)
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
	    (next->kind == ITEM_END || next->kind == ITEM_SENTENCE || next->kind == ITEM_COMMA ||
	        item_is_cue(r->items, i + 1, CUE_WHICH) || item_is_cue(r->items, i + 1, CUE_COUNT));
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

		count_table(r, end, it->table);
		return end - i + 1;
	}
	if (r->negated && r->ir->entity == IR_NONE && r->ir->n_outputs > 0)
		r->ir->entity = r->ir->outputs[0].table;
	if (r->negated && it->table != r->ir->entity &&
	    (r->ir->entity != IR_NONE || r->mode == ROLE_FILTER)) {
		deny(r, it->table);
		return 1;
	}
	if (super_behind(r, i, &cue)) {
		const struct item *hint = items_at(r->items, cue);

		rank_behind(r, cue,
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
	} else if (r->ir->entity == IR_NONE && (r->mode == ROLE_SELECT || r->is_zh)) {
		r->ir->entity = it->table;
		r->asks_entity = i > 0 &&
		    (item_is_cue(r->items, i - 1, CUE_WHICH) ||
		        item_is_cue(r->items, i - 1, CUE_LIST) ||
		        item_is_cue(r->items, i - 1, CUE_ALL));
	} else {
		role_mention(r, it->table);
	}
	/* "the most recent shipment" */
	if (r->super.on && r->super.is_time && r->super.column == IR_NONE &&
	    view_time_column(r->v, it->table) != IR_NONE)
		role_rank(r, ir_column(it->table, view_time_column(r->v, it->table)));
	return 1;
}

/* --- columns ------------------------------------------------------------------------------ */

/* A value of this very column follows: the column only says what the value is. */
static bool names_value(const struct roles *r, size_t i)
{
	size_t at = i + 1;
	const struct item *it;

	while (item_is_cue(r->items, at, CUE_OF) || item_is_cue(r->items, at, CUE_FOR) ||
	    item_is_cue(r->items, at, CUE_EQ) || item_is_cue(r->items, at, CUE_NOT) ||
	    item_is_cue(r->items, at, CUE_EITHER) || item_is_cue(r->items, at, CUE_BOTH) ||
	    (r->is_zh && at == i + 1 &&
	        items_at(r->items, at)->kind == ITEM_UNKNOWN)) /* 总部设在北京 */
		at++;
	it = items_at(r->items, at);
	if ((it->kind == ITEM_VALUE || it->kind == ITEM_PERIOD) &&
	    it->table == items_at(r->items, i)->table &&
	    it->column == items_at(r->items, i)->column)
		return true;
	/* "red colour": the value stands right before */
	it = i > 0 ? items_at(r->items, i - 1) : items_at(r->items, SIZE_MAX);
	return (it->kind == ITEM_VALUE || it->kind == ITEM_PERIOD) &&
	    it->table == items_at(r->items, i)->table &&
	    it->column == items_at(r->items, i)->column;
}

/* A quoted text that is no stored value, right behind: equality all the same. */
static bool names_text(const struct roles *r, size_t i)
{
	size_t at = i + 1;

	while (item_is_cue(r->items, at, CUE_OF) || item_is_cue(r->items, at, CUE_EQ))
		at++;
	return items_at(r->items, at)->kind == ITEM_TEXT;
}

static bool yes_condition(struct roles *r, const struct item *it)
{
	const struct view_column *vc = view_column(r->v, it->table, it->column);
	struct ir_condition *c;

	if (!vc->yes)
		return false;
	c = role_condition(r, ir_column(it->table, it->column), IR_EQ, it->span);
	c->low.text = c->negated && vc->no ? vc->no : vc->yes;
	c->low.is_number = vc->yes_is_number;
	c->negated = c->negated && !vc->no;
	return true;
}

/* "average height and weight": the aggregate goes for the second number, too. */
static void spread_aggregates(struct roles *r, size_t i, const struct item *it)
{
	size_t before = i;

	while (before > 0 &&
	    (item_is_cue(r->items, before - 1, CUE_AND) ||
	        items_at(r->items, before - 1)->kind == ITEM_COMMA))
		before--;
	if (r->n_aggregates == 0 && before < i && before > 0 && r->n_spread > 0 &&
	    r->spread_item == before - 1 && view_column(r->v, it->table, it->column)->is_measure) {
		memcpy(r->aggregates, r->spread, sizeof(r->spread));
		r->n_aggregates = r->n_spread;
	}
	r->n_spread = r->n_aggregates;
	memcpy(r->spread, r->aggregates, sizeof(r->spread));
	r->spread_item = i;
}

static void show_column(struct roles *r, size_t i, const struct item *it)
{
	if (it->owned && r->asks_entity && r->ir->n_outputs == 0 && r->n_aggregates == 0)
		role_project_display(r, r->ir->entity); /* "the companies with their revenue" */
	spread_aggregates(r, i, it);
	role_project(r, ir_column(it->table, it->column));
	if (it->second != IR_NONE)
		role_project(r, ir_column(it->table, it->second));
}

/* A column in a filter that nothing compares. */
static void lone_filter_column(struct roles *r, size_t i, const struct item *it)
{
	const struct item *before = i > 0 ? items_at(r->items, i - 1)
	                                  : items_at(r->items, SIZE_MAX);
	bool listed = before->kind == ITEM_COMMA ||
	    (before->kind == ITEM_CUE &&
	        (before->cue == CUE_AND || before->cue == CUE_ALSO || before->cue == CUE_LIST));

	if (yes_condition(r, it)) {
		role_use(r, i);
		return;
	}
	/* "the volume with the minimum weeks on top" ranks, it does not show */
	if (r->n_aggregates == 1 && (r->aggregates[0] == IR_MIN || r->aggregates[0] == IR_MAX) &&
	    r->ir->entity != IR_NONE && !role_asks_each(r) && !listed) {
		r->super = (struct role_super){.on = true,
		    .desc = r->aggregates[0] == IR_MAX,
		    .table = IR_NONE,
		    .column = IR_NONE};
		r->n_aggregates = 0;
		role_use(r, i);
		role_rank(r, ir_column(it->table, it->column));
		return;
	}
	if (r->ir->n_outputs == 0 || (listed && !r->filtered) || it->owned || r->n_aggregates > 0) {
		role_use(r, i);
		show_column(r, i, it);
		return;
	}
	if (r->negated) {
		role_use(r, i);
		if (r->ir->entity == IR_NONE && r->ir->n_outputs > 0)
			r->ir->entity = r->ir->outputs[0].table;
		if (it->table != r->ir->entity && r->ir->entity != IR_NONE) {
			deny(r, it->table);
			return;
		}
		r->negated = false;
		role_condition(r, ir_column(it->table, it->column), IR_IS_NULL, it->span);
		return;
	}
	role_mention(r, it->table);
}

/* "the position of players": players is who the rows are about, not asked for. */
static bool is_entity_word(const struct roles *r, size_t i, const struct item *it)
{
	const struct item *before = i > 1 ? items_at(r->items, i - 2)
	                                  : items_at(r->items, SIZE_MAX);
	const struct view_table *vt = &r->v->tables[it->table];

	return !r->is_zh && r->n_aggregates == 0 && i > 1 && item_is_cue(r->items, i - 1, CUE_OF) &&
	    before->kind == ITEM_COLUMN && before->table == it->table &&
	    before->column != it->column && (it->column == vt->display[0] || it->column == vt->key);
}

/* 没有 (value of the same table) column 的 table */
static bool is_denied(const struct roles *r, size_t i)
{
	size_t before = i;

	while (before > 0 &&
	    (items_at(r->items, before - 1)->kind == ITEM_PERIOD ||
	        (items_at(r->items, before - 1)->kind == ITEM_VALUE &&
	            items_at(r->items, before - 1)->table == items_at(r->items, i)->table)))
		before--;
	return before > 0 && item_is_cue(r->items, before - 1, CUE_NOT) &&
	    item_is_cue(r->items, i + 1, CUE_OF) && items_at(r->items, i + 2)->kind == ITEM_TABLE;
}

/* "how many products does each company produce": the verb asks nothing more. */
static bool is_verb_of_count(const struct roles *r, size_t i, const struct item *it)
{
	return !r->is_zh && i > 0 && items_at(r->items, i - 1)->kind == ITEM_TABLE && it->target &&
	    it->target->how != HOW_EXACT && items_at(r->items, i + 1)->kind == ITEM_END &&
	    r->ir->n_outputs > 0 && r->ir->outputs[0].aggregate == IR_COUNT;
}

static void name_entity(struct roles *r, uint32_t table)
{
	if (r->ir->entity == IR_NONE && r->mode == ROLE_SELECT)
		r->ir->entity = table;
	else
		role_mention(r, table);
}

/* "the author" for courses.author_id: the key was not asked for, only who. */
static bool is_unsaid_key(const struct roles *r, const struct item *it)
{
	static const char *const words[] = {
	    "id", "ids", "code", "codes", "number", "numbers", "key", "no"};

	if (!it->target || it->target->score > 0.95f ||
	    !view_column(r->v, it->table, it->column)->is_key)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (view_has_word(it->text, words[i]))
			return false;
	return !r->is_zh;
}

static uint32_t referred_table(const struct roles *r, const struct item *it)
{
	for (size_t i = 0; i < r->v->c->n_relations; i++) {
		const struct catalog_relation *rel = &r->v->c->relations[i];

		if (rel->n_columns == 1 && rel->from_table == it->table &&
		    rel->from_columns[0] == it->column)
			return rel->to_table;
	}
	return it->table;
}

size_t role_column(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	struct ir_term t = ir_column(it->table, it->column);
	size_t cue;

	if (it->kind != ITEM_COLUMN)
		return 0;
	if (names_value(r, i)) {
		role_use(r, i);
		if (!r->is_zh && !r->super.on)
			r->mode = ROLE_FILTER;
		return 1;
	}
	if (names_text(r, i)) {
		size_t text = i + 1;

		while (items_at(r->items, text)->kind != ITEM_TEXT)
			text++;
		if (!item_is_cue(r->items, text + 1, CUE_STARTS) &&
		    !item_is_cue(r->items, text + 1, CUE_ENDS)) {
			role_use(r, i);
			role_use(r, text);
			role_condition(r, t, IR_EQ, it->span)->low.text = role_raw_text(r, text);
			return text - i + 1;
		}
	}
	if (r->is_zh && is_denied(r, i)) { /* 没有原油产量的公司 */
		role_use(r, i);
		if (r->negated)
			deny(r, it->table);
		return 1;
	}
	if (super_behind(r, i, &cue)) {
		role_use(r, i);
		rank_behind(r, cue, t);
		for (size_t k = i + 1; k < cue; k++) /* a period between: 净利润2023年最高 */
			role_period(r, k);
		return cue - i + 1;
	}
	if (r->counting && !r->super.on) {
		count_column(r, i, it);
		return 1;
	}
	if (is_compared(r, i)) {
		role_use(r, i);
		wait_for_comparison(r, t);
		return 1;
	}
	if (r->super.on) {
		role_use(r, i);
		role_rank(r, t);
		return 1;
	}
	if (is_entity_word(r, i, it)) {
		role_use(r, i);
		name_entity(r, it->table);
		return 1;
	}
	if (is_verb_of_count(r, i, it)) {
		role_use(r, i);
		return 1;
	}
	if (is_unsaid_key(r, it)) {
		role_use(r, i);
		name_entity(r, referred_table(r, it));
		return 1;
	}
	if (r->mode == ROLE_FILTER) {
		lone_filter_column(r, i, it);
		return 1;
	}
	role_use(r, i);
	show_column(r, i, it);
	return 1;
}
