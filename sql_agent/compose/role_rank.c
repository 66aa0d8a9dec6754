/* Order, superlatives and grouping. */
#include <string.h>

#include "sql_agent/compose/roles.h"

static bool is_extreme(const struct roles *r, const struct ir_term *t)
{
	/* "what is the highest X": the value itself is asked, not who has it */
	if (r->super.n != 0 || t->kind != IR_COLUMN || t->aggregate != IR_PLAIN)
		return false;
	if (!view_column(r->v, t->table, t->column)->is_number &&
	    view_column(r->v, t->table, t->column)->time == VIEW_NO_TIME)
		return false;
	if (r->mode == ROLE_SELECT && role_asks_each(r) && r->ir->n_order == 0 && !r->is_zh)
		return true;
	for (size_t i = 0; i < r->ir->n_outputs; i++)
		if (r->ir->outputs[i].aggregate != IR_MIN && r->ir->outputs[i].aggregate != IR_MAX)
			return false;
	return r->super.opens || (r->ir->n_outputs > 0 && r->ir->entity == IR_NONE);
}

void role_rank(struct roles *r, struct ir_term t)
{
	/* "the most scientists" where they are a column: its rows */
	if (r->super.counts && t.kind == IR_COLUMN && t.aggregate == IR_PLAIN &&
	    r->n_aggregates == 0 && !view_column(r->v, t.table, t.column)->is_number)
		t = ir_rows(t.table);
	else if (r->super.counts && t.kind == IR_COLUMN && t.aggregate == IR_PLAIN &&
	    view_column(r->v, t.table, t.column)->is_key)
		t = ir_rows(t.table);
	if (r->n_aggregates > 0 && t.kind == IR_COLUMN) {
		t.aggregate = r->aggregates[0];
		r->n_aggregates = 0;
	}
	if (is_extreme(r, &t)) {
		t.aggregate = r->super.desc ? IR_MAX : IR_MIN;
		ir_add_output(r->a, r->ir, t);
		r->super.on = false;
		return;
	}
	/* "the top 3 greatest rates": the values are asked */
	if (r->super.opens && r->ir->n_outputs == 0 && r->ir->entity == IR_NONE &&
	    t.kind == IR_COLUMN && r->super.n > 1)
		ir_add_output(r->a, r->ir, t);
	ir_add_order(r->a, r->ir, t, r->super.desc);
	r->ir->limit = r->super.n ? r->super.n : r->number ? r->number : 1;
	if (!r->super.n && r->number)
		role_use(r, r->number_item);
	r->number = 0;
	r->super.on = false;
}

/* --- superlatives ---------------------------------------------------------------- */

static bool is_counting_word(const struct item *it)
{
	static const char *const words[] = {"most", "the most", "fewest", "the fewest", "least",
	    "the least", "最多", "最多的", "最少", "最少的"};

	if (strstr(it->text, "number of") || strstr(it->text, "amount of") ||
	    strstr(it->text, "count of"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(it->text, words[i]) == 0)
			return true;
	return false;
}

/* Only "what is", "show the" and the like stand before item i. */
static bool opens_question(const struct roles *r, size_t i)
{
	while (i-- > 0) {
		const struct item *it = items_at(r->items, i);

		if (it->kind == ITEM_PERIOD || it->kind == ITEM_COMMA)
			continue;
		if (it->kind != ITEM_CUE ||
		    (it->cue != CUE_WHICH && it->cue != CUE_LIST && it->cue != CUE_AND &&
		        it->cue != CUE_FOR && it->cue != CUE_MOST && it->cue != CUE_LEAST))
			return false;
	}
	return true;
}

static bool hints_now(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	const struct item *next = items_at(r->items, items_skip(r->items, i + 1));

	return it->column != IR_NONE &&
	    !(next->kind == ITEM_COLUMN && view_column(r->v, next->table, next->column)->is_number);
}

/* "in which year was the revenue highest": the measure stands before, left over. */
static void rank_left_over(struct roles *r, size_t i)
{
	while (i-- > 0) {
		const struct item *it = items_at(r->items, i);

		if (it->kind != ITEM_COLUMN || it->used ||
		    !view_column(r->v, it->table, it->column)->is_measure)
			continue;
		role_use(r, i);
		r->super.opens = false;
		role_rank(r, ir_column(it->table, it->column));
		return;
	}
}

size_t role_super_cue(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	if (it->kind != ITEM_CUE)
		return 0;
	switch (it->cue) {
	case CUE_MOST:
	case CUE_TOP:
	case CUE_LATEST: r->super.desc = true; break;
	case CUE_LEAST:
	case CUE_BOTTOM:
	case CUE_EARLIEST: r->super.desc = false; break;
	default: return 0;
	}
	/* "top three companies with the highest revenue": the number stays */
	r->super.n = it->n ? it->n : r->super.on ? r->super.n : 0;
	r->super.on = true;
	r->super.counts = (it->cue == CUE_MOST || it->cue == CUE_LEAST) && is_counting_word(it);
	r->super.is_time = it->cue == CUE_EARLIEST || it->cue == CUE_LATEST;
	r->super.opens = opens_question(r, i);
	r->super.table = it->table;
	r->super.column = it->column;
	/* "the most populous cities" asks for cities */
	if (items_at(r->items, items_skip(r->items, i + 1))->kind == ITEM_TABLE)
		r->super.opens = false;
	if (hints_now(r, i))
		role_rank(r, ir_column(it->table, it->column));
	else if (!r->is_zh && items_at(r->items, i + 1)->kind == ITEM_END)
		rank_left_over(r, i);
	return 1;
}

/* --- order ------------------------------------------------------------------------- */

static bool direction(const struct item *it, bool *ret_desc)
{
	if (it->kind != ITEM_CUE || (it->cue != CUE_ASC && it->cue != CUE_DESC))
		return false;
	*ret_desc = it->cue == CUE_DESC;
	return true;
}

static bool is_sort_glue(const struct item *it)
{
	return it->kind == ITEM_CUE &&
	    (it->cue == CUE_SORT || it->cue == CUE_BY || it->cue == CUE_OF || it->cue == CUE_FOR ||
	        it->cue == CUE_AND || it->cue == CUE_ALL || it->cue == CUE_THAT ||
	        it->cue == CUE_ALSO);
}

/* What the order is by where nothing is said: the last measure asked for, else
 * the first output. */
static bool default_key(struct roles *r, bool alphabetical, struct ir_term *ret_term)
{
	for (size_t i = r->ir->n_outputs; i-- > 0 && !alphabetical;) {
		const struct ir_term *t = &r->ir->outputs[i];

		if (t->aggregate != IR_PLAIN || t->kind != IR_COLUMN ||
		    view_column(r->v, t->table, t->column)->is_measure) {
			*ret_term = *t;
			return true;
		}
	}
	if (r->ir->n_outputs == 0)
		return false;
	*ret_term = r->ir->outputs[0];
	return true;
}

struct sort_keys {
	struct ir_term terms[4];
	size_t n;
	bool desc, said;
	enum ir_aggregate aggregate;
};

static void add_key(struct sort_keys *k, struct ir_term t)
{
	if (k->n == ARRAY_SIZE(k->terms))
		return;
	t.aggregate = t.kind == IR_COLUMN ? k->aggregate : t.aggregate;
	k->aggregate = IR_PLAIN;
	k->terms[k->n++] = t;
}

static enum ir_aggregate aggregate_of_cue(const struct item *it)
{
	switch (it->kind == ITEM_CUE ? it->cue : CUE_NONE) {
	case CUE_SUM: return IR_SUM;
	case CUE_AVG: return IR_AVG;
	case CUE_MIN: return IR_MIN;
	case CUE_MAX: return IR_MAX;
	default: return IR_PLAIN;
	}
}

/* "from greatest to least" */
static bool from_to(const struct roles *r, size_t i, bool *ret_desc)
{
	size_t next = items_skip(r->items, i + 1);
	bool desc = item_is_cue(r->items, i, CUE_MOST);

	if (!(desc ? item_is_cue(r->items, next, CUE_LEAST)
	           : item_is_cue(r->items, i, CUE_LEAST) && item_is_cue(r->items, next, CUE_MOST)))
		return false;
	*ret_desc = desc;
	return true;
}

/* Reads "by age and name in descending order" from item i; returns the item
 * behind it. */
static size_t read_keys(struct roles *r, size_t i, struct sort_keys *k)
{
	for (;; i++) {
		const struct item *it = items_at(r->items, i);

		if (from_to(r, i, &k->desc)) {
			k->said = true;
			i += items_skip(r->items, i + 1) - i;
		} else if (direction(it, &k->desc)) {
			k->said = true;
			if (k->n == 0 && it->column != IR_NONE &&
			    items_at(r->items, i + 1)->kind == ITEM_END)
				add_key(k, ir_column(it->table, it->column));
		} else if (aggregate_of_cue(it) != IR_PLAIN) {
			k->aggregate = aggregate_of_cue(it);
		} else if (it->kind == ITEM_COLUMN) {
			add_key(k, ir_column(it->table, it->column));
		} else if (it->kind == ITEM_TABLE &&
		    items_at(r->items, i + 1)->kind == ITEM_COLUMN &&
		    items_at(r->items, i + 1)->table == it->table) {
			/* "match date" */
		} else if (item_is_cue(r->items, i, CUE_COUNT)) {
			size_t of = items_skip(r->items, i + 1);
			const struct item *what = items_at(r->items, of);

			if (what->kind == ITEM_COLUMN)
				continue; /* a column that counts already */
			if (what->kind == ITEM_TABLE)
				i = of;
			role_use(r, i);
			add_key(k, ir_rows(what->kind == ITEM_TABLE ? what->table : r->ir->entity));
		} else if (it->kind == ITEM_METRIC) {
			struct ir_term t = {.kind = IR_METRIC,
			    .table = it->table,
			    .column = IR_NONE,
			    .metric = it->metric,
			    .via = IR_NONE};

			add_key(k, t);
		} else if (!is_sort_glue(it)) {
			return i;
		}
		role_use(r, i);
	}
}

size_t role_sort(struct roles *r, size_t i)
{
	struct sort_keys k = {.n = 0};
	const struct item *it = items_at(r->items, i);
	size_t end;

	if (it->kind != ITEM_CUE ||
	    (it->cue != CUE_SORT && it->cue != CUE_ASC && it->cue != CUE_DESC))
		return 0;
	end = read_keys(r, i, &k);
	if (k.n == 0 &&
	    default_key(r, strstr(it->text, "alphabet") || strstr(it->text, "lexico"), &k.terms[0]))
		k.n = 1;
	/* no column named yet: the entity's name, once it is known (finish.c) */
	if (k.n == 0 && r->ir->entity != IR_NONE) {
		k.terms[0] = ir_column(r->ir->entity, r->v->tables[r->ir->entity].display[0]);
		k.n = 1;
	}
	for (size_t n = 0; n < k.n; n++) {
		ir_add_order(r->a, r->ir, k.terms[n], k.desc);
	}
	if (r->super.on && r->super.n) { /* "top 3 ... sorted by X" */
		r->ir->limit = r->super.n;
		for (size_t n = 0; n < r->ir->n_order && !k.said; n++)
			r->ir->order[n].desc = r->super.desc;
		r->super.on = false;
	}
	return end - i;
}

/* --- grouping ----------------------------------------------------------------------- */

static void group_by_item(struct roles *r, const struct item *it)
{
	struct ir_term t;

	if (it->kind == ITEM_COLUMN) {
		ir_add_group(r->a, r->ir, ir_column(it->table, it->column));
		return;
	}
	t = ir_column(it->table, r->v->tables[it->table].display[0]);
	t.by_key = true;
	t.is_default = true;
	ir_add_group(r->a, r->ir, t);
	role_mention(r, it->table);
}

/* Chinese 按 X 从高到低排序: an order word follows before the clause ends. */
static bool sorts_later(const struct roles *r, size_t i)
{
	for (; i < r->items->n && items_at(r->items, i)->kind != ITEM_SENTENCE &&
	     items_at(r->items, i)->kind != ITEM_COMMA;
	     i++)
		if (item_is_cue(r->items, i, CUE_SORT) || item_is_cue(r->items, i, CUE_ASC) ||
		    item_is_cue(r->items, i, CUE_DESC))
			return true;
	return false;
}

/* "list the singers by age": the order of the list */
static bool lists_by(const struct roles *r, size_t i)
{
	const struct item *next = items_at(r->items, i + 1);
	const struct view_column *vc;
	bool lists = false;

	if (r->is_zh || next->kind != ITEM_COLUMN || r->ir->entity == IR_NONE ||
	    ir_has_aggregate(r->ir) || r->n_aggregates > 0 || r->counting ||
	    items_at(r->items, i + 2)->kind != ITEM_END ||
	    !view_is_parent(r->v, r->ir->entity, next->table))
		return false;
	for (size_t k = 0; k < i; k++)
		lists |= item_is_cue(r->items, k, CUE_LIST);
	vc = view_column(r->v, next->table, next->column);
	return lists &&
	    (vc->is_measure || vc->time != VIEW_NO_TIME ||
	        next->column == r->v->tables[next->table].display[0] ||
	        (next->table == r->ir->entity && !vc->is_key));
}

static size_t by_rule(struct roles *r, size_t i)
{
	const struct item *next = items_at(r->items, i + 1);
	struct sort_keys k = {.n = 0};
	size_t end;

	if (!r->is_zh && next->kind == ITEM_END && i > 0 &&
	    items_at(r->items, i - 1)->kind == ITEM_TABLE)
		role_fail(r, "an order by what no column tells"); /* "list singers by age" */
	if (r->super.on ||
	    (next->kind != ITEM_COLUMN && next->kind != ITEM_TABLE && next->kind != ITEM_METRIC &&
	        next->kind != ITEM_CUE))
		return 1;
	if (sorts_later(r, i)) {
		end = read_keys(r, i, &k);
		for (size_t n = 0; n < k.n; n++)
			ir_add_order(r->a, r->ir, k.terms[n], k.desc);
		return end - i;
	}
	if (next->kind != ITEM_COLUMN && next->kind != ITEM_TABLE)
		return 1;
	if (lists_by(r, i)) {
		ir_add_order(r->a, r->ir, ir_column(next->table, next->column), false);
		role_use(r, i + 1);
		return 2;
	}
	/* "written by", "requested by entrepreneurs" */
	if (!r->is_zh && strcmp(items_at(r->items, i)->text, "by") == 0 &&
	    (!ir_has_aggregate(r->ir) ||
	        (next->kind == ITEM_TABLE && next->table == r->ir->outputs[0].table))) {
		if (r->ir->n_outputs > 0 || r->ir->entity != IR_NONE)
			r->mode = ROLE_FILTER;
		return 1;
	}
	group_by_item(r, next);
	role_use(r, i + 1);
	return 2;
}

/* "the average age in different classes" */
static size_t among_different(struct roles *r, size_t i)
{
	const struct item *next = items_at(r->items, i + 2);

	if (!item_is_cue(r->items, i, CUE_FOR) || !item_is_cue(r->items, i + 1, CUE_DISTINCT) ||
	    !ir_has_aggregate(r->ir) || (next->kind != ITEM_TABLE && next->kind != ITEM_COLUMN))
		return 0;
	group_by_item(r, next);
	role_use(r, i + 2);
	return 3;
}

size_t role_each(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i), *next;
	size_t at = among_different(r, i);

	if (at > 0)
		return at;

	if (it->kind != ITEM_CUE)
		return 0;
	if (it->cue == CUE_BY)
		return by_rule(r, i);
	if (it->cue == CUE_TREND) {
		r->by_time = true;
		r->grain = it->n <= IR_GRAIN_DAY ? (enum ir_grain)it->n : IR_GRAIN_NONE;
		r->trend_table = it->table;
		r->trend_column = it->column;
		return 1;
	}
	if (it->cue != CUE_EACH)
		return 0;
	at = items_skip(r->items, i + 1);
	while (item_is_cue(r->items, at, CUE_DISTINCT))
		at++;
	next = items_at(r->items, at);
	if (next->kind == ITEM_TABLE || next->kind == ITEM_COLUMN) {
		group_by_item(r, next);
		role_use(r, at);
		if (r->ir->n_outputs == 0)
			r->mode = ROLE_SELECT;
		return at - i + 1;
	}
	if (strstr(it->text, "年") || strstr(it->text, "year"))
		r->by_time = true;
	return 1;
}

/* --- a superlative behind its column ------------------------------------------------- */

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

static bool is_measure_item(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	return it->kind == ITEM_COLUMN && view_column(r->v, it->table, it->column)->is_measure;
}

static bool is_time_item(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	return it->kind == ITEM_COLUMN &&
	    view_column(r->v, it->table, it->column)->time != VIEW_NO_TIME;
}

/* Chinese puts the superlative behind: 净利润最高. Returns the cue's index. */
bool role_super_behind(const struct roles *r, size_t i, size_t *ret_cue)
{
	const struct item *it;
	size_t at = i + 1;

	if (!r->is_zh)
		return ranks_english(r, i, ret_cue);
	while (item_is_cue(r->items, at, CUE_FOR) || items_at(r->items, at)->kind == ITEM_PERIOD ||
	    (at == i + 1 && items_at(r->items, at)->kind == ITEM_COLUMN &&
	        strcmp(items_at(r->items, at)->text, "排名") == 0)) /* 数量排名前三 */
		at++;
	it = items_at(r->items, at);
	*ret_cue = at;
	if (items_at(r->items, i)->kind == ITEM_COLUMN && is_measure_item(r, i) &&
	    (item_is_cue(r->items, at, CUE_MOST) || item_is_cue(r->items, at, CUE_LEAST)) &&
	    is_time_item(r, at + 1) && item_is_cue(r->items, at + 2, CUE_WHICH))
		return true; /* 收入最高的一年是哪一年 */
	if (at == i + 1 && is_measure_item(r, i) &&
	    items_at(r->items, at + 1)->kind == ITEM_COLUMN &&
	    items_at(r->items, at + 1)->table == items_at(r->items, i)->table &&
	    !is_measure_item(r, at + 1) && !is_time_item(r, at + 1) &&
	    (item_is_cue(r->items, at, CUE_MOST) || item_is_cue(r->items, at, CUE_LEAST)))
		return true; /* 人数最多的地区, where the place is a column */
	return it->kind == ITEM_CUE &&
	    (it->cue == CUE_MOST || it->cue == CUE_LEAST || it->cue == CUE_TOP ||
	        it->cue == CUE_BOTTOM || it->cue == CUE_EARLIEST || it->cue == CUE_LATEST) &&
	    items_at(r->items, at + 1)->kind != ITEM_COLUMN;
}

static bool is_place_number(const struct roles *r, const struct ir_term *t)
{
	const char *name = r->v->c->tables[t->table].columns[t->column].name;

	return view_column(r->v, t->table, t->column)->is_number &&
	    (strstr(name, "排名") || strstr(name, "名次"));
}

void role_rank_behind(struct roles *r, size_t cue, struct ir_term t)
{
	const struct item *it = items_at(r->items, cue);

	r->super.on = true;
	r->super.opens = false;
	r->super.n = it->n;
	r->super.desc = it->cue == CUE_MOST || it->cue == CUE_TOP || it->cue == CUE_LATEST;
	if (t.kind == IR_COLUMN && t.aggregate == IR_PLAIN && r->is_zh && is_place_number(r, &t))
		r->super.desc = !r->super.desc; /* the first place is number 1 */
	role_rank(r, t);
}
