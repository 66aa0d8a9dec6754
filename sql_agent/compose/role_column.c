/* Columns: asked for, or part of a condition, or only another word for the entity. */
#include <string.h>

#include "sql_agent/compose/roles.h"

/* A value of this very column follows: the column only says what the value is. */
bool role_names_value(const struct roles *r, size_t i)
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
	it = items_before(r->items, i);
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

bool role_flag(struct roles *r, const struct item *it)
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

/* "P's revenue and net profit": the column before the "and" is shown. */
static bool follows_output(const struct roles *r, size_t i)
{
	const struct item *before = items_before(r->items, i > 0 ? i - 1 : 0);
	const struct ir_term *last = r->ir->n_outputs > 0 ? &r->ir->outputs[r->ir->n_outputs - 1]
	                                                  : NULL;

	return last && before->kind == ITEM_COLUMN && last->kind == IR_COLUMN &&
	    last->table == before->table && last->column == before->column;
}

/* A column in a filter that nothing compares. */
static void lone_filter_column(struct roles *r, size_t i, const struct item *it)
{
	const struct item *before = items_before(r->items, i);
	bool listed = before->kind == ITEM_COMMA ||
	    (before->kind == ITEM_CUE &&
	        (before->cue == CUE_AND || before->cue == CUE_ALSO || before->cue == CUE_LIST));

	if (role_flag(r, it)) {
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
	for (size_t k = 0; k < r->ir->n_outputs && r->n_aggregates == 0; k++) {
		struct ir_term t = ir_column(it->table, it->column);

		if (ir_term_equal(&r->ir->outputs[k], &t)) {
			role_use(r, i); /* said again: "P's revenue to S's revenue" */
			return;
		}
	}
	if (r->ir->n_outputs == 0 || (listed && (!r->filtered || follows_output(r, i))) ||
	    it->owned || r->n_aggregates > 0) {
		role_use(r, i);
		show_column(r, i, it);
		return;
	}
	if (r->negated) {
		role_use(r, i);
		if (r->ir->entity == IR_NONE && r->ir->n_outputs > 0)
			r->ir->entity = r->ir->outputs[0].table;
		if (it->table != r->ir->entity && r->ir->entity != IR_NONE) {
			role_deny(r, it->table);
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
	const struct item *before = items_before(r->items, i > 0 ? i - 1 : 0);
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
	if (before == 0 || !item_is_cue(r->items, before - 1, CUE_NOT))
		return false;
	/* 哪些公司没有 column */
	if (items_at(r->items, i + 1)->kind == ITEM_END && r->ir->entity != IR_NONE &&
	    r->ir->entity != items_at(r->items, i)->table)
		return true;
	return item_is_cue(r->items, i + 1, CUE_OF) &&
	    items_at(r->items, i + 2)->kind == ITEM_TABLE;
}

/* "how many products does each company produce": the verb asks nothing more. */
static bool is_verb(const struct roles *r, size_t i, const struct item *it)
{
	const struct item *next = items_at(r->items, i + 1);

	if (r->is_zh || i == 0 || items_at(r->items, i - 1)->kind != ITEM_TABLE || !it->target)
		return false;
	if (next->kind == ITEM_VALUE && next->table == it->table && r->ir->n_outputs == 0 &&
	    next->column != it->column && it->target->how != HOW_EXACT)
		return true; /* "which companies produce coal" */
	return it->target->how != HOW_EXACT && items_at(r->items, i + 1)->kind == ITEM_END &&
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

/* "which products", 哪些产品: each kind once */
static bool asks_kinds(const struct roles *r, size_t i, const struct item *it)
{
	const struct view_column *vc = view_column(r->v, it->table, it->column);
	const struct item *before = items_before(r->items, i);

	return before->kind == ITEM_CUE && before->cue == CUE_WHICH && r->n_aggregates == 0 &&
	    vc->is_text && !vc->is_key && !vc->column->is_unique &&
	    (strcmp(before->text, "which") == 0 || strstr(before->text, "哪些") ||
	        strstr(before->text, "哪几") || strstr(before->text, "什么"));
}

/* A 比 B 多 of one row: the comparison stands behind the second column. */
static size_t compare_columns(struct roles *r, size_t i)
{
	static const char *const more[] = {"多", "高", "大", "长"};
	static const char *const less[] = {"少", "低", "小", "短"};
	const struct item *it = items_at(r->items, i), *other = items_at(r->items, i + 2);
	const struct grounding_span *span;
	const char *behind;
	enum ir_test test = IR_EQ;
	struct ir_condition *c;

	bool same = item_is_cue(r->items, i + 1, CUE_BOTH) &&
	    strstr(items_at(r->items, i + 1)->text, "是"); /* 创始人同时是首席执行官 */

	if (!r->is_zh || (strcmp(items_at(r->items, i + 1)->text, "比") != 0 && !same) ||
	    other->kind != ITEM_COLUMN || other->table != it->table || other->column == it->column)
		return 0;
	span = &r->v->g->spans[other->span];
	behind = r->v->g->question + span->start + span->len;
	for (size_t k = 0; k < ARRAY_SIZE(more); k++) {
		if (strncmp(behind, more[k], strlen(more[k])) == 0)
			test = IR_GT;
		if (strncmp(behind, less[k], strlen(less[k])) == 0)
			test = IR_LT;
	}
	if (test == IR_EQ && !same)
		return 0;
	if (same)
		test = IR_EQ;
	c = role_condition(r, ir_column(it->table, it->column), test, it->span);
	c->against = IR_TERM;
	c->other = ir_column(other->table, other->column);
	role_use(r, i);
	role_use(r, i + 2);
	return role_is_comparison(items_at(r->items, i + 3), &test) ? 4 : 3;
}

/* "reports to Andrew": the value names another row of the same table. */
static bool refers_to_row(const struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i), *value;
	const struct view_table *vt;
	size_t len = strlen(it->text), at = i + 1;
	bool to = len > 3 && strcmp(it->text + len - 3, " to") == 0;

	if (item_is_cue(r->items, at, CUE_FOR))
		to |= strcmp(items_at(r->items, at++)->text, "to") == 0;
	value = items_at(r->items, at);
	if (!to || value->kind != ITEM_VALUE || value->table != it->table ||
	    view_column(r->v, it->table, it->column)->is_text)
		return false;
	vt = &r->v->tables[it->table];
	return value->column == vt->display[0] || value->column == vt->first ||
	    value->column == vt->last;
}

size_t role_column(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);
	struct ir_term t = ir_column(it->table, it->column);
	size_t cue;

	size_t taken;

	if (it->kind != ITEM_COLUMN)
		return 0;
	if (refers_to_row(r, i))
		role_fail(r, "a reference to another row of the same table");
	taken = compare_columns(r, i);
	if (taken > 0)
		return taken;
	if (role_names_value(r, i)) {
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
	if ((r->is_zh || items_at(r->items, i + 1)->kind == ITEM_END) &&
	    is_denied(r, i)) { /* 没有原油产量的公司 */
		role_use(r, i);
		if (r->negated)
			role_deny(r, it->table);
		return 1;
	}
	if (role_super_behind(r, i, &cue)) {
		role_use(r, i);
		role_rank_behind(r, cue, t);
		for (size_t k = i + 1; k < cue; k++) { /* a period between: 净利润2023年最高 */
			role_period(r, k);
			role_use(r, k);
		}
		return cue - i + 1;
	}
	if (r->counting && !r->super.on) {
		role_count_column(r, i, it);
		return 1;
	}
	if (role_is_compared(r, i)) {
		/* "the languages that contain X" are asked for, too */
		if (r->mode == ROLE_SELECT && !r->is_zh && r->ir->n_outputs == 0 &&
		    r->ir->entity == IR_NONE && r->n_aggregates == 0 &&
		    item_is_cue(r->items, i + 1, CUE_THAT))
			role_project(r, t);
		role_use(r, i);
		role_wait(r, t);
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
	if (is_verb(r, i, it)) {
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
	r->distinct |= asks_kinds(r, i, it);
	show_column(r, i, it);
	return 1;
}
