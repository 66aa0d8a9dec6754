/* Other conditions: ranges, patterns, bare numbers, periods, stored values. */
#include <string.h>

#include "sql_agent/compose/literal.h"
#include "sql_agent/compose/roles.h"

static size_t skip_not(const struct roles *r, size_t i)
{
	while (item_is_cue(r->items, i, CUE_NOT) || item_is_cue(r->items, i, CUE_FOR) ||
	    item_is_cue(r->items, i, CUE_OF))
		i++;
	return i;
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
	if (!role_find_left(r, i, number + 2, &t) ||
	    !role_number_literal(r, &t, role_quantity(r, number), &low) ||
	    !role_number_literal(r, &t, role_quantity(r, number + 2), &high)) {
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
	if (role_is_span_of_time(r, i)) {
		role_fail(r, "a span of time that is not dated");
		return 2;
	}
	if (role_is_comparison(next, &test) && items_at(r->items, i + 2)->kind != ITEM_NUMBER) {
		if (!role_find_left(r, i + 1, i + 1, &t) || !role_compare_number(r, t, test, i))
			role_fail(r, "a comparison without its column");
		return 2;
	}
	if (r->left.on) {
		t = r->left.term;
		r->left.on = false;
		if (!role_compare_number(r, t, IR_EQ, i))
			role_fail(r, "a number without its column");
		return 1;
	}
	if (next->kind == ITEM_TABLE && r->mode == ROLE_FILTER && !r->super.on &&
	    r->ir->entity != next->table) {
		role_compare_number(r, ir_rows(next->table), IR_EQ, i);
		role_use(r, i + 1);
		return 2;
	}
	if (!r->is_zh && r->mode == ROLE_FILTER && role_is_number(r, next) &&
	    !next->used) { /* "with 1 credit" */
		role_compare_number(r, ir_column(next->table, next->column), IR_EQ, i);
		role_use(r, i + 1);
		return 2;
	}
	if ((next->kind == ITEM_TABLE ||
	        (next->kind == ITEM_CUE &&
	            (next->cue == CUE_MOST || next->cue == CUE_LEAST || next->cue == CUE_LATEST ||
	                next->cue == CUE_EARLIEST))) &&
	    role_quantity(r, i)->scale == 0 && role_quantity(r, i)->digits > 0) {
		r->number = (uint32_t)role_quantity(r, i)->digits;
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
		literal_period(r->a, r->v, r->left.term.table, r->left.term.column,
		    role_period_of(r, i), it->span, &list, &n);
	else if (it->target && it->column != TARGET_NONE)
		literal_period(
		    r->a, r->v, it->table, it->column, role_period_of(r, i), it->span, &list, &n);
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

/* X 比 V (的 Y) 高: the comparison stands behind, its column before or between. */
static size_t compare_behind(struct roles *r, size_t i)
{
	size_t at = i + 1;
	struct ir_term t = {0};
	bool between = false;
	enum ir_test test;

	if (!r->is_zh || i == 0 || strcmp(items_at(r->items, i - 1)->text, "比") != 0)
		return 0;
	for (;; at++) {
		const struct item *it = items_at(r->items, at);

		if (it->kind == ITEM_COLUMN) {
			t = ir_column(it->table, it->column);
			between = true;
		} else if (it->kind != ITEM_PERIOD && !item_is_cue(r->items, at, CUE_OF)) {
			break;
		}
	}
	if (!role_is_comparison(items_at(r->items, at), &test) ||
	    items_at(r->items, at + 1)->kind == ITEM_NUMBER)
		return 0;
	if (!between && r->ir->n_outputs > 0)
		t = r->ir->outputs[--r->ir->n_outputs]; /* it was not asked for after all */
	else if (!between)
		return 0;
	for (size_t k = i + 1; k < at; k++) {
		role_period(r, k);
		role_use(r, k);
	}
	if (!role_against_row(r, t, test, i))
		role_fail(r, "a comparison without its two sides");
	return at - i + 1;
}

/* A text that several stored values contain is none of them: 名称里带“中国”. */
static bool is_part_of_several(const struct roles *r, const struct item *it)
{
	const struct grounding_span *span = &r->v->g->spans[it->span];
	size_t n = 0;

	if (!it->target || it->target->how != HOW_STORED_PARTIAL)
		return false;
	for (size_t k = 0; k < span->n_targets; k++)
		n += span->targets[k].table == it->table && span->targets[k].column == it->column &&
		    span->targets[k].how == HOW_STORED_PARTIAL &&
		    span->targets[k].score >= it->target->score - 0.05f;
	return n > 1;
}

size_t role_value(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	struct role_left left = r->left;
	struct ir_condition *c;
	size_t taken;

	if (it->kind != ITEM_VALUE)
		return 0;
	taken = compare_behind(r, i);
	if (taken > 0)
		return taken;
	if (item_is_cue(r->items, i + 1, CUE_STARTS) || item_is_cue(r->items, i + 1, CUE_ENDS))
		return 1; /* the text of the pattern behind it */
	if (is_part_of_several(r, it)) {
		role_condition(r, ir_column(it->table, it->column), IR_LIKE, it->span)->low.text =
		    escape_like(r, "%", role_raw_text(r, i), "%");
		role_use(r, i);
		return 1;
	}
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
