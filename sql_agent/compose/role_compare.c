/* Comparisons: what is compared, with what, and in which unit. */
#include <string.h>

#include "sql_agent/compose/literal.h"
#include "sql_agent/compose/roles.h"

const struct quantity *role_quantity(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	return it->kind == ITEM_NUMBER ? &r->v->g->quantities[r->v->g->spans[it->span].quantity]
	                               : NULL;
}

const struct period *role_period_of(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	return it->kind == ITEM_PERIOD ? &r->v->g->periods[r->v->g->spans[it->span].period] : NULL;
}

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
bool role_is_compared(const struct roles *r, size_t i)
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

void role_wait(struct roles *r, struct ir_term t)
{
	if (r->n_aggregates > 0 && t.kind == IR_COLUMN) {
		t.aggregate = r->aggregates[--r->n_aggregates];
		r->n_aggregates = 0;
	}
	r->left.on = true;
	r->left.term = t;
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

bool role_number_literal(struct roles *r, const struct ir_term *t, const struct quantity *q,
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

bool role_compare_number(struct roles *r, struct ir_term t, enum ir_test test, size_t number)
{
	const struct item *it = items_at(r->items, number);
	const struct quantity *q = role_quantity(r, number);
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
	if (!role_number_literal(r, &t, q, &low))
		return false;
	role_condition(r, t, test, it->span)->low = low;
	role_use(r, number);
	return true;
}

/* --- what is compared ---------------------------------------------------------------- */

bool role_is_number(const struct roles *r, const struct item *it)
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
	return next->kind == ITEM_TABLE || (next->kind == ITEM_COLUMN && !role_is_number(r, next));
}

static bool behind_count(struct roles *r, size_t number, struct ir_term *ret_term)
{
	size_t at = number + 1;
	const struct item *it;

	while (item_is_cue(r->items, at, CUE_COUNT) || item_is_cue(r->items, at, CUE_SUM) ||
	    (items_at(r->items, at)->kind == ITEM_UNKNOWN && at == number + 1))
		at++;
	it = items_at(r->items, at);
	if (at == number + 1 || !role_is_number(r, it))
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
	const struct quantity *q = role_quantity(r, number);
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
bool role_find_left(struct roles *r, size_t cue, size_t number, struct ir_term *ret_term)
{
	const struct item *hint = items_at(r->items, cue);
	size_t behind = items_skip(r->items, number + 1);
	const struct item *next = items_at(r->items, behind);

	if (!r->is_zh &&
	    (item_is_cue(r->items, number + 1, CUE_OF) ||
	        (item_is_cue(r->items, number + 1, CUE_FOR) && !r->left.on)) &&
	    role_is_number(r, items_at(r->items, number + 2))) {
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
	} else if (!r->is_zh && behind == number + 1 && role_is_number(r, next) && !next->used) {
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
	if (of->kind == ITEM_COLUMN && (of->table != t.table || of->column != t.column))
		return 0; /* ... and so is that of another column */
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

/* "revenue higher than Sinopec's": the same column, where the name is Sinopec. */
bool role_against_row(struct roles *r, struct ir_term t, enum ir_test test, size_t value)
{
	const struct item *it = items_at(r->items, value);
	struct ir_condition *c;

	if (t.kind != IR_COLUMN || t.aggregate != IR_PLAIN ||
	    (t.table == it->table && t.column == it->column) ||
	    !view_column(r->v, t.table, t.column)->is_measure ||
	    !view_is_parent(r->v, t.table, it->table))
		return false;
	c = role_condition(r, t, test, it->span);
	c->against = IR_ROW_OF;
	c->other = ir_column(it->table, it->column);
	literal_value(r->a, &it->target->value, &c->low);
	role_use(r, value);
	return true;
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
	if (it->kind == ITEM_VALUE && !r->left.on &&
	    (view_column(r->v, it->table, it->column)->is_number ||
	        view_column(r->v, it->table, it->column)->time != VIEW_NO_TIME))
		role_wait(r, ir_column(it->table, it->column)); /* "before '1989-04-24 23:51:54'" */
	if (it->kind == ITEM_VALUE && r->left.on && role_against_row(r, r->left.term, test, at))
		return at - cue + 1;
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
	const struct period *p = role_period_of(r, at);
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

	if (!r->left.on || !role_is_number(r, it) ||
	    (r->left.term.table == it->table && r->left.term.column == it->column))
		return 0;
	c = role_condition(r, r->left.term, test, it->span);
	c->against = IR_TERM;
	c->other = ir_column(it->table, it->column);
	role_use(r, at);
	return at - cue + 1;
}

/* "over the three years", 三年: how long, not how many */
bool role_is_span_of_time(const struct roles *r, size_t number)
{
	const struct item *next = items_at(r->items, number + 1);

	return next->kind == ITEM_COLUMN &&
	    view_column(r->v, next->table, next->column)->time == VIEW_YEAR &&
	    (view_has_word(next->text, "years") || strcmp(next->text, "年") == 0);
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
	if (right->kind == ITEM_NUMBER && role_is_span_of_time(r, at)) {
		role_fail(r, "a span of time that is not dated");
		return at - i + 1;
	}
	/* "lower than 600 or higher than 900": no bound of the number before it */
	if (strncmp(it->text, "or ", 3) == 0 &&
	    (right->kind == ITEM_NUMBER || right->kind == ITEM_PERIOD)) {
		test = test == IR_GE ? IR_GT : IR_LT;
		r->any = true;
	}
	if (right->kind == ITEM_NUMBER && role_find_left(r, i, at, &t) &&
	    role_compare_number(r, t, test, at)) {
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
	else if (right->kind == ITEM_COLUMN && items_at(r->items, at + 1)->kind == ITEM_VALUE &&
	    role_against_row(r, ir_column(right->table, right->column), test, at + 1)) {
		role_use(r, at); /* "higher revenue than Sinopec" */
		taken = at + 2 - i;
	} else if (right->kind == ITEM_COLUMN && item_is_cue(r->items, at + 1, CUE_AVG)) {
		role_wait(
		    r, ir_column(right->table, right->column)); /* "a higher profit than average" */
		role_use(r, at);
		taken = against_aggregate(r, i, test, at + 1, IR_AVG);
	} else if (right->kind == ITEM_COLUMN)
		taken = against_column(r, test, at, i);
	if (taken == 0) {
		role_fail(r, "a comparison without its two sides");
		return 1;
	}
	return taken;
}
