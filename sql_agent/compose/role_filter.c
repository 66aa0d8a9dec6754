/* Conditions: comparisons, ranges, patterns, numbers, periods, stored values. */
#include <string.h>

#include "sql_agent/compose/literal.h"
#include "sql_agent/compose/roles.h"

static const struct quantity *quantity_of(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	return it->kind == ITEM_NUMBER ? &r->v->g->quantities[r->v->g->spans[it->span].quantity]
	                               : NULL;
}

static const struct period *period_of(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	return it->kind == ITEM_PERIOD ? &r->v->g->periods[r->v->g->spans[it->span].period] : NULL;
}

/* --- numbers with units ------------------------------------------------------------ */

/* Rows say their unit in another column: one pair (unit = u AND column > n) for
 * each unit of the domain that the number can be written in. */
static bool compare_by_unit_column(
    struct roles *r, struct ir_term t, enum ir_test test, const struct quantity *q, uint32_t span)
{
	const struct view_column *vc = view_column(r->v, t.table, t.column);
	int column = catalog_find_column(r->v->tables[t.table].table, vc->field->unit_column);
	const struct catalog_column *units =
	    column < 0 ? NULL : &r->v->tables[t.table].table->columns[column];
	uint32_t any = ++r->n_any, pairs = 0;

	if (!units || !units->domain_complete)
		return false;
	for (size_t i = 0; i < units->n_domain; i++) {
		struct ir_literal number;
		struct ir_condition *c;

		if (units->domain[i].type != VALUE_TEXT ||
		    literal_in_unit(r->a, units->domain[i].text, q, &number) != LITERAL_CONVERTED)
			continue;
		pairs++;
		c = role_condition(r, ir_column(t.table, (uint32_t)column), IR_EQ, span);
		c->low.text = units->domain[i].text;
		c->any_of = any;
		c->all_of = pairs;
		c = role_condition(r, t, test, span);
		c->low = number;
		c->any_of = any;
		c->all_of = pairs;
	}
	return pairs > 0;
}

static bool number_literal(struct roles *r, const struct ir_term *t, const struct quantity *q,
    struct ir_literal *ret_literal)
{
	enum literal_unit unit = LITERAL_AS_WRITTEN;
	const struct view_column *vc;

	if (t->kind != IR_COLUMN || t->aggregate == IR_COUNT) {
		ret_literal->text = literal_decimal(r->a, q->digits, q->magnitude - q->scale);
		ret_literal->is_number = true;
		return true;
	}
	vc = view_column(r->v, t->table, t->column);
	unit = literal_quantity(r->a, vc, q, ret_literal);
	if (unit == LITERAL_MISMATCH && (!vc->field || !vc->field->unit[0]))
		unit = LITERAL_ASSUMED;
	if (!vc->is_number)
		ret_literal->is_number = false; /* numbers that are stored as text */
	if (unit == LITERAL_MISMATCH)
		role_fail(r, "the unit of the number is not that of the column");
	return unit != LITERAL_MISMATCH;
}

static bool compare_number(struct roles *r, struct ir_term t, enum ir_test test, size_t number)
{
	const struct item *it = items_at(r->items, number);
	const struct quantity *q = quantity_of(r, number);
	struct ir_literal low = {0};

	if (t.kind == IR_COLUMN && q->unit[0]) {
		const struct view_column *vc = view_column(r->v, t.table, t.column);

		if (vc->field && vc->field->unit_column[0] && !vc->field->unit[0]) {
			if (!compare_by_unit_column(r, t, test, q, it->span)) {
				role_fail(r, "no row has a unit that the number can be written in");
				return false;
			}
			role_use(r, number);
			return true;
		}
	}
	if (!number_literal(r, &t, q, &low))
		return false;
	role_condition(r, t, test, it->span)->low = low;
	role_use(r, number);
	return true;
}

/* --- what is compared ---------------------------------------------------------------- */

static size_t skip_not(const struct roles *r, size_t i)
{
	while (item_is_cue(r->items, i, CUE_NOT) || item_is_cue(r->items, i, CUE_FOR) ||
	    item_is_cue(r->items, i, CUE_OF))
		i++;
	return i;
}

static bool is_number_column(const struct roles *r, const struct item *it)
{
	const struct view_column *vc;

	if (it->kind != ITEM_COLUMN)
		return false;
	vc = view_column(r->v, it->table, it->column);
	return vc->is_number || vc->time != VIEW_NO_TIME;
}

/* "3 stadiums", and "3 players" where the players are names in a column */
bool role_counts_behind(const struct roles *r, size_t i)
{
	const struct item *next = items_at(r->items, i + 1);

	if (items_at(r->items, i)->kind != ITEM_NUMBER)
		return false;
	return next->kind == ITEM_TABLE ||
	    (next->kind == ITEM_COLUMN && !is_number_column(r, next));
}

static bool behind_count(struct roles *r, size_t number, struct ir_term *ret_term)
{
	size_t at = number + 1;
	const struct item *it;

	while (item_is_cue(r->items, at, CUE_COUNT) || item_is_cue(r->items, at, CUE_SUM) ||
	    (items_at(r->items, at)->kind == ITEM_UNKNOWN && at == number + 1))
		at++;
	it = items_at(r->items, at);
	if (at == number + 1 || !is_number_column(r, it))
		return false;
	*ret_term = ir_column(it->table, it->column);
	for (size_t k = number + 1; k <= at; k++) {
		role_use(r, k);
		role_item(r, k)->kind = ITEM_COMMA; /* taken */
	}
	return true;
}

/* The number column of the tables at hand that is named like the unit. */
static bool column_of_unit(const struct roles *r, size_t number, struct ir_term *ret_term)
{
	const struct quantity *q = quantity_of(r, number);
	size_t len = q ? strlen(q->unit) : 0;

	if (len < 3)
		return false;
	len -= q->unit[len - 1] == 's';
	for (uint32_t t = 0; t < r->v->n_tables; t++) {
		const struct view_table *vt = &r->v->tables[t];

		if (r->ir->entity != IR_NONE && r->ir->entity != t)
			continue;
		for (uint32_t c = 0; c < vt->table->n_columns; c++)
			if (vt->columns[c].is_measure &&
			    strncasecmp(vt->table->columns[c].name, q->unit, len) == 0) {
				*ret_term = ir_column(t, c);
				return true;
			}
	}
	return false;
}

/* "higher than 5600" of mountains: the height, else the one measure that they have. */
static bool only_measure(const struct roles *r, const struct item *cue, struct ir_term *ret_term)
{
	uint32_t table = r->ir->entity, found = IR_NONE, n = 0;

	if (table == IR_NONE)
		return false;
	for (uint32_t c = 0; c < r->v->tables[table].table->n_columns; c++) {
		const struct view_column *vc = view_column(r->v, table, c);

		if (!vc->is_measure)
			continue;
		if (strstr(cue->text, "high") && strcasestr(vc->column->name, "height")) {
			*ret_term = ir_column(table, c);
			return true;
		}
		found = c;
		n++;
	}
	if (n != 1)
		return false;
	*ret_term = ir_column(table, found);
	return true;
}

/* The left side where no column waits: the cue's hint, a number column behind
 * the number ("more than 3 points"), the rows of a table behind it ("more than
 * 3 pets"), the term that was compared last, the last measure asked for. */
static bool find_left(struct roles *r, size_t cue, size_t number, struct ir_term *ret_term)
{
	const struct item *hint = items_at(r->items, cue);
	size_t behind = items_skip(r->items, number + 1);
	const struct item *next = items_at(r->items, behind);

	if (!r->is_zh && item_is_cue(r->items, number + 1, CUE_OF) &&
	    is_number_column(r, items_at(r->items, number + 2))) {
		const struct item *of = items_at(
		    r->items, number + 2); /* "more than 1 trillion of revenue" */

		*ret_term = ir_column(of->table, of->column);
		role_use(r, number + 2);
		role_item(r, number + 2)->kind = ITEM_COMMA;
	} else if (r->left.on &&
	    !(role_counts_behind(r, number) && r->left.term.kind == IR_COLUMN && !r->is_zh)) {
		*ret_term = r->left.term;
	} else if (!r->is_zh && role_counts_behind(r, number)) {
		*ret_term = ir_rows(next->table);
		role_use(r, number + 1);
	} else if (hint->kind == ITEM_CUE && hint->column != IR_NONE) {
		*ret_term = ir_column(hint->table, hint->column);
	} else if (!r->is_zh && behind == number + 1 && is_number_column(r, next) && !next->used) {
		*ret_term = ir_column(next->table, next->column);
		role_use(r, behind);
	} else if (behind == number + 1 && next->kind == ITEM_TABLE) {
		*ret_term = ir_rows(next->table);
		role_use(r, behind);
	} else if (!r->is_zh && behind_count(r, number, ret_term)) {
		/* "more than 5000 total number of horses" */
	} else if (column_of_unit(r, number, ret_term)) {
		/* "300 hours" where hours is a column */
	} else if (r->has_last) {
		*ret_term = r->last;
	} else if (!only_measure(r, hint, ret_term)) {
		return false;
	}
	r->left.on = false;
	return true;
}

/* "the average age", "the maximum budget of all departments", "average" */
static size_t against_aggregate(
    struct roles *r, size_t cue, enum ir_test test, size_t at, enum ir_aggregate agg)
{
	const struct item *cue_item = items_at(r->items, cue);
	size_t end = items_skip(r->items, at + 1 + item_is_cue(r->items, at + 1, CUE_COUNT));
	const struct item *of = items_at(r->items, end);
	struct ir_term t;
	struct ir_condition *c;

	if (r->left.on)
		t = r->left.term;
	else if (cue_item->column != IR_NONE && cue_item->cue != CUE_THAN_AVG)
		t = ir_column(cue_item->table, cue_item->column);
	else if (of->kind == ITEM_COLUMN)
		t = ir_column(of->table, of->column);
	else if (cue_item->column != IR_NONE)
		t = ir_column(cue_item->table, cue_item->column);
	else
		return 0;
	if (t.kind != IR_COLUMN)
		return 0; /* the average of counts is beyond this form */
	if (of->kind == ITEM_COLUMN) {
		role_use(r, end);
		end = items_skip(r->items, end + 1);
		if (items_at(r->items, end)->kind == ITEM_TABLE &&
		    items_at(r->items, end)->table == t.table) {
			role_use(r, end);
			end++;
		}
	} else if (of->kind == ITEM_TABLE && of->table == t.table) {
		role_use(r, end++);
	} else {
		end = at + 1;
	}
	c = role_condition(r, t, test, cue_item->span);
	c->against = IR_AGGREGATE;
	c->aggregate = agg;
	return end - cue;
}

static enum ir_aggregate aggregate_word(const struct item *it)
{
	switch (it->kind == ITEM_CUE ? it->cue : CUE_NONE) {
	case CUE_AVG: return IR_AVG;
	case CUE_MIN:
	case CUE_LEAST: return IR_MIN;
	case CUE_MAX:
	case CUE_MOST: return IR_MAX;
	case CUE_SUM: return IR_SUM;
	default: return IR_PLAIN;
	}
}

static size_t against_value(struct roles *r, enum ir_test test, size_t at, size_t cue)
{
	const struct item *it = items_at(r->items, at);
	struct ir_condition *c;

	if (test == IR_EQ || test == IR_NE) { /* "other than Rock", "equal to X" */
		c = role_condition(r, ir_column(it->table, it->column), test, it->span);
		literal_value(r->a, &it->target->value, &c->low);
		role_use(r, at);
		return at - cue + 1;
	}
	if (it->kind != ITEM_VALUE || !r->left.on || r->left.term.kind != IR_COLUMN ||
	    it->table != r->left.term.table || it->column != r->left.term.column)
		return 0;
	c = role_condition(r, r->left.term, test, it->span);
	literal_value(r->a, &it->target->value, &c->low);
	role_use(r, at);
	return at - cue + 1;
}

/* "after 2014" is one period; "founded later than 2014" compares a number. */
static size_t against_period(struct roles *r, enum ir_test test, size_t at, size_t cue)
{
	const struct period *p = period_of(r, at);
	const struct item *hint = items_at(r->items, cue);
	struct ir_term t;
	struct ir_condition *c;
	bool is_number;

	if (r->left.on)
		t = r->left.term;
	else if (hint->column != IR_NONE)
		t = ir_column(hint->table, hint->column);
	else if (items_at(r->items, at)->target)
		t = ir_column(items_at(r->items, at)->table, items_at(r->items, at)->column);
	else
		return 0;
	if (t.kind != IR_COLUMN || !p->from[0])
		return 0;
	is_number = view_column(r->v, t.table, t.column)->is_number;
	c = role_condition(r, t, test, items_at(r->items, at)->span);
	/* later than a year is later than its end */
	c->low.text = arena_strndup(
	    r->a, test == IR_GT && !is_number && p->to[0] ? p->to : p->from, is_number ? 4 : 10);
	if (test == IR_GT && !is_number && p->to[0])
		c->test = IR_GE;
	c->low.is_number = is_number;
	role_use(r, at);
	return at - cue + 1;
}

static size_t against_column(struct roles *r, enum ir_test test, size_t at, size_t cue)
{
	const struct item *it = items_at(r->items, at);
	struct ir_condition *c;

	if (!r->left.on || !is_number_column(r, it) ||
	    (r->left.term.table == it->table && r->left.term.column == it->column))
		return 0;
	c = role_condition(r, r->left.term, test, it->span);
	c->against = IR_TERM;
	c->other = ir_column(it->table, it->column);
	role_use(r, at);
	return at - cue + 1;
}

size_t role_compare(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i), *right;
	enum ir_test test;
	struct ir_term t;
	size_t at, taken = 0;

	if (item_is_cue(r->items, i, CUE_NE) &&
	    items_at(r->items, items_skip(r->items, i + 1))->kind != ITEM_VALUE &&
	    items_at(r->items, i + 1)->kind != ITEM_NUMBER) {
		r->negated = !r->negated; /* "that are not in stock" */
		r->mode = r->is_zh ? r->mode : ROLE_FILTER;
		return 1;
	}
	if (item_is_cue(r->items, i, CUE_THAN_AVG))
		return against_aggregate(r, i, it->n ? IR_LT : IR_GT, i, IR_AVG);
	if (!role_is_comparison(it, &test))
		return 0;
	at = items_skip(r->items, i + 1);
	right = items_at(r->items, at);
	/* "lower than 600 or higher than 900": no bound of the number before it */
	if (strncmp(it->text, "or ", 3) == 0 &&
	    (right->kind == ITEM_NUMBER || right->kind == ITEM_PERIOD)) {
		test = test == IR_GE ? IR_GT : IR_LT;
		r->any = true;
	}
	if (right->kind == ITEM_NUMBER && find_left(r, i, at, &t) &&
	    compare_number(r, t, test, at)) {
		const struct item *next = items_at(r->items, at + 1);

		/* what the number counts was taken with it */
		taken = at - i + 1 +
		    (next->used && (next->kind == ITEM_TABLE || next->kind == ITEM_COLUMN));
	}
	if (right->kind == ITEM_VALUE)
		taken = against_value(r, test, at, i);
	else if (right->kind == ITEM_PERIOD)
		taken = against_period(r, test, at, i);
	else if (aggregate_word(right) != IR_PLAIN)
		taken = against_aggregate(r, i, test, at, aggregate_word(right));
	else if (right->kind == ITEM_COLUMN)
		taken = against_column(r, test, at, i);
	if (taken == 0) {
		role_fail(r, "a comparison without its two sides");
		return 1;
	}
	return taken;
}

/* --- ranges and patterns ------------------------------------------------------------- */

bool role_is_range(const struct roles *r, size_t i)
{
	return items_at(r->items, i)->kind == ITEM_NUMBER &&
	    (item_is_cue(r->items, i + 1, CUE_AND) || item_is_cue(r->items, i + 1, CUE_FOR)) &&
	    items_at(r->items, i + 2)->kind == ITEM_NUMBER;
}

/* between N and N; 在 N 和 N 之间 */
size_t role_between(struct roles *r, size_t i)
{
	size_t number, taken;
	struct ir_term t;
	struct ir_literal low = {0}, high = {0};
	struct ir_condition *c;

	if (item_is_cue(r->items, i, CUE_BETWEEN) && role_is_range(r, i + 1)) {
		number = i + 1;
		taken = 4;
		if (item_is_cue(r->items, i + 4, CUE_BETWEEN))
			taken++;
	} else if (role_is_range(r, i) &&
	    (item_is_cue(r->items, i + 3, CUE_BETWEEN) || item_is_cue(r->items, i + 1, CUE_FOR))) {
		number = i;
		taken = item_is_cue(r->items, i + 3, CUE_BETWEEN) ? 4 : 3;
	} else {
		return 0;
	}
	if (!find_left(r, i, number + 2, &t) ||
	    !number_literal(r, &t, quantity_of(r, number), &low) ||
	    !number_literal(r, &t, quantity_of(r, number + 2), &high)) {
		role_fail(r, "a range without its column");
		return taken;
	}
	c = role_condition(r, t, IR_BETWEEN, items_at(r->items, number)->span);
	c->low = low;
	c->high = high;
	role_use(r, number);
	role_use(r, number + 2);
	return taken;
}

static bool is_text_item(const struct item *it)
{
	return it->kind == ITEM_TEXT || it->kind == ITEM_VALUE || it->kind == ITEM_UNKNOWN ||
	    it->kind == ITEM_NUMBER || it->kind == ITEM_PERIOD;
}

static const char *escape_like(
    struct roles *r, const char *before, const char *text, const char *after)
{
	char *out = arena_alloc(r->a, 2 * strlen(text) + 3), *p = out;

	p = stpcpy(p, before);
	for (; *text; text++) {
		if (*text == '%' || *text == '_' || *text == '\\')
			*p++ = '\\';
		*p++ = *text;
	}
	strcpy(p, after);
	return out;
}

/* Column of a pattern: the one that waits, else the one before, else the name. */
static bool pattern_column(struct roles *r, size_t text, struct ir_term *ret_term)
{
	const struct item *it = items_at(r->items, text);

	if (r->left.on && r->left.term.kind == IR_COLUMN) {
		*ret_term = r->left.term;
		return true;
	}
	if (r->any && r->has_last) {
		*ret_term = r->last;
		return true;
	}
	if (it->kind == ITEM_VALUE && view_column(r->v, it->table, it->column)->is_text) {
		*ret_term = ir_column(it->table, it->column);
		return true;
	}
	if (r->ir->entity == IR_NONE)
		return false;
	*ret_term = ir_column(r->ir->entity, r->v->tables[r->ir->entity].display[0]);
	return true;
}

/* The word behind a cue, also where linking took it for a stop word ("the letter
 * s"). */
static const char *word_behind(struct roles *r, size_t i)
{
	const struct grounding_span *span = &r->v->g->spans[items_at(r->items, i)->span];
	const char *p = r->v->g->question + span->start + span->len;
	size_t n;

	p += strspn(p, " '\"");
	n = strcspn(p, " '\"?.,;");
	return n > 0 && n <= 2 ? arena_strndup(r->a, p, n) : "";
}

size_t role_like(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	size_t text = i + 1, behind;
	struct ir_term t;
	const char *raw;

	if (it->kind != ITEM_CUE ||
	    (it->cue != CUE_CONTAINS && it->cue != CUE_STARTS && it->cue != CUE_ENDS))
		return 0;
	while (item_is_cue(r->items, text, CUE_CONTAINS) || item_is_cue(r->items, text, CUE_FOR))
		text++;
	if (!is_text_item(items_at(r->items, text)) && i > 0 &&
	    is_text_item(items_at(r->items, i - 1)))
		text = i - 1; /* 以 X 开头 */
	raw = is_text_item(items_at(r->items, text)) ? role_raw_text(r, text) : word_behind(r, i);
	if (!raw[0])
		return 1;
	behind = items_skip(r->items, is_text_item(items_at(r->items, text)) ? text + 1 : i + 1);
	if (!r->left.on && !r->is_zh && items_at(r->items, behind)->kind == ITEM_COLUMN &&
	    behind > i + 1) {
		t = ir_column(
		    items_at(r->items, behind)->table, items_at(r->items, behind)->column);
		role_use(r, behind); /* "contain the letter s in their names" */
		role_item(r, behind)->kind = ITEM_COMMA;
	} else if (!pattern_column(r, text, &t)) {
		return 1;
	}
	role_condition(r, t, IR_LIKE, it->span)->low.text = escape_like(
	    r, it->cue == CUE_STARTS ? "" : "%", raw, it->cue == CUE_ENDS ? "" : "%");
	if (!is_text_item(items_at(r->items, text)))
		return 1;
	role_use(r, text);
	return text > i ? text - i + 1 : 1;
}

/* --- bare numbers, periods, values ----------------------------------------------------- */

/* A number that no comparison took: "grade 5", "500 or more", "two companies". */
size_t role_number(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i), *next = items_at(r->items, i + 1);
	enum ir_test test;
	struct ir_term t;

	if (it->kind != ITEM_NUMBER)
		return 0;
	if (role_is_comparison(next, &test) && items_at(r->items, i + 2)->kind != ITEM_NUMBER) {
		if (!find_left(r, i + 1, i + 1, &t) || !compare_number(r, t, test, i))
			role_fail(r, "a comparison without its column");
		return 2;
	}
	if (r->left.on) {
		t = r->left.term;
		r->left.on = false;
		if (!compare_number(r, t, IR_EQ, i))
			role_fail(r, "a number without its column");
		return 1;
	}
	if (next->kind == ITEM_TABLE && r->mode == ROLE_FILTER && !r->super.on &&
	    r->ir->entity != next->table) {
		compare_number(r, ir_rows(next->table), IR_EQ, i);
		role_use(r, i + 1);
		return 2;
	}
	if (!r->is_zh && r->mode == ROLE_FILTER && is_number_column(r, next) &&
	    !next->used) { /* "with 1 credit" */
		compare_number(r, ir_column(next->table, next->column), IR_EQ, i);
		role_use(r, i + 1);
		return 2;
	}
	if ((next->kind == ITEM_TABLE ||
	        (next->kind == ITEM_CUE &&
	            (next->cue == CUE_MOST || next->cue == CUE_LEAST || next->cue == CUE_LATEST ||
	                next->cue == CUE_EARLIEST))) &&
	    quantity_of(r, i)->scale == 0 && quantity_of(r, i)->digits > 0) {
		r->number = (uint32_t)quantity_of(r, i)->digits;
		r->number_item = i;
	}
	return 1;
}

size_t role_period(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	struct ir_condition *list = NULL;
	size_t n = 0;
	uint32_t any = 0;

	if (it->kind != ITEM_PERIOD)
		return 0;
	if (r->left.on && r->left.term.kind == IR_COLUMN &&
	    view_column(r->v, r->left.term.table, r->left.term.column)->is_number &&
	    (i > 0 && items_at(r->items, i - 1)->kind == ITEM_COLUMN))
		literal_period(r->a, r->v, r->left.term.table, r->left.term.column, period_of(r, i),
		    it->span, &list, &n);
	else if (it->target && it->column != TARGET_NONE)
		literal_period(
		    r->a, r->v, it->table, it->column, period_of(r, i), it->span, &list, &n);
	if (n == 0) {
		role_fail(r, "a time that no column holds");
		return 1;
	}
	if (r->any && r->has_last && ir_term_equal(&r->last, &list[0].term))
		any = 1;
	for (size_t k = 0; k < n; k++) {
		struct role_left left = r->left;
		struct ir_condition *c;

		r->any = any && k == 0;
		c = role_condition(r, list[k].term, list[k].test, it->span);
		c->low = list[k].low;
		c->high = list[k].high;
		/* "revenue in 2023 above 5": the column still waits */
		r->left = ir_term_equal(&left.term, &list[k].term) ? r->left : left;
	}
	role_use(r, i);
	return 1;
}

static bool in_domain(
    const struct catalog_column *c, const char *text, size_t len, struct ir_literal *ret_literal)
{
	for (size_t i = 0; i < c->n_domain; i++)
		if (c->domain[i].type == VALUE_TEXT && c->domain[i].len == len &&
		    strncasecmp(c->domain[i].text, text, len) == 0) {
			ret_literal->text = c->domain[i].text;
			return true;
		}
	return false;
}

/* "Eric Tai" in quotes, where the names are two columns. */
size_t role_person(struct roles *r, size_t i)
{
	const char *text = role_raw_text(r, i), *blank = strchr(text, ' ');

	if (items_at(r->items, i)->kind != ITEM_TEXT || !blank)
		return 0;
	for (uint32_t t = 0; t < r->v->n_tables; t++) {
		const struct view_table *vt = &r->v->tables[t];
		struct ir_literal first = {0}, last = {0};

		if (vt->first == IR_NONE || vt->last == IR_NONE ||
		    !in_domain(
		        &vt->table->columns[vt->first], text, (size_t)(blank - text), &first) ||
		    !in_domain(&vt->table->columns[vt->last], blank + 1, strlen(blank + 1), &last))
			continue;
		role_condition(r, ir_column(t, vt->first), IR_EQ, items_at(r->items, i)->span)
		    ->low = first;
		role_condition(r, ir_column(t, vt->last), IR_EQ, items_at(r->items, i)->span)->low =
		    last;
		role_use(r, i);
		return 1;
	}
	return 0;
}

size_t role_value(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	struct role_left left = r->left;
	struct ir_condition *c;

	if (it->kind != ITEM_VALUE)
		return 0;
	c = role_condition(r, ir_column(it->table, it->column), IR_EQ, it->span);
	if (it->target->value.type != VALUE_NULL)
		literal_value(r->a, &it->target->value, &c->low);
	if (left.on && left.term.kind == IR_COLUMN && left.term.table == it->table &&
	    left.term.column == it->column)
		left.on = false;
	r->left = left;
	if (!r->is_zh && !r->super.on && !r->counting)
		r->mode = ROLE_FILTER;
	role_use(r, skip_not(r, i));
	return 1;
}
