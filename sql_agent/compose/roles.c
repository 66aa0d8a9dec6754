/* The driver of the pass, the words that only switch modes, and what the rules share. */
#include <string.h>

#include "sql_agent/compose/finish.h"
#include "sql_agent/compose/roles.h"

struct item *role_item(struct roles *r, size_t i)
{
	return i < r->items->n ? &r->items->list[i] : NULL;
}

void role_use(struct roles *r, size_t i)
{
	if (i < r->items->n)
		r->items->list[i].used = true;
}

void role_fail(struct roles *r, const char *what)
{
	if (!r->failed)
		r->failed = what;
	r->n_failed++;
}

void role_project(struct roles *r, struct ir_term t)
{
	bool adds = false;

	if (r->retract && !ir_has_aggregate(r->ir))
		r->ir->n_outputs = 0;
	r->retract = false;
	/* numbers of rows are not added up: "total ... also list the id" */
	for (size_t i = 0; i < r->n_aggregates; i++)
		adds |= r->aggregates[i] == IR_SUM || r->aggregates[i] == IR_AVG;
	if (adds && t.kind == IR_COLUMN && view_column(r->v, t.table, t.column)->is_key) {
		ir_add_output(r->a, r->ir, t);
		return;
	}
	t.distinct = r->distinct && r->n_aggregates > 0;
	if (r->n_aggregates == 0) {
		ir_add_output(r->a, r->ir, t);
		r->ir->distinct |= r->distinct && t.aggregate == IR_PLAIN;
	}
	for (size_t i = 0; i < r->n_aggregates; i++) {
		t.aggregate = r->aggregates[i];
		ir_add_output(r->a, r->ir, t);
	}
	r->n_aggregates = 0;
	r->distinct = false;
}

void role_project_display(struct roles *r, uint32_t table)
{
	uint32_t namer = view_namer(r->v, table);
	const struct view_table *vt = &r->v->tables[namer];

	for (size_t i = 0; i < vt->n_display; i++) {
		struct ir_term t = ir_column(namer, vt->display[i]);

		t.is_default = true;
		ir_add_output(r->a, r->ir, t);
	}
}

void role_mention(struct roles *r, uint32_t table)
{
	*arena_push(r->a, r->mentions, r->n_mentions) = table;
}

bool role_asks_each(const struct roles *r)
{
	for (size_t i = 0; i < r->items->n; i++)
		if (item_is_cue(r->items, i, CUE_EACH) || item_is_cue(r->items, i, CUE_TREND))
			return true;
	return false;
}

bool role_is_comparison(const struct item *it, enum ir_test *ret_test)
{
	static const struct {
		enum cue_kind cue;
		enum ir_test test;
	} tests[] = {{CUE_GT, IR_GT}, {CUE_GE, IR_GE}, {CUE_LT, IR_LT}, {CUE_LE, IR_LE},
	    {CUE_EQ, IR_EQ}, {CUE_NE, IR_NE}};

	for (size_t i = 0; it->kind == ITEM_CUE && i < ARRAY_SIZE(tests); i++)
		if (tests[i].cue == it->cue) {
			*ret_test = tests[i].test;
			return true;
		}
	return false;
}

const char *role_raw_text(struct roles *r, size_t i)
{
	static const char *const quotes[] = {
	    "\"", "'", "“", "”", "‘", "’", "「", "」", "《", "》", "`"};
	const struct grounding_span *span;
	char *text;
	size_t len;

	if (items_at(r->items, i)->span == IR_NONE)
		return "";
	span = &r->v->g->spans[r->items->list[i].span];
	text = arena_strndup(r->a, r->v->g->question + span->start, span->len);
	len = strlen(text);
	for (size_t k = 0; k < ARRAY_SIZE(quotes); k++) {
		size_t q = strlen(quotes[k]);

		if (len >= q && memcmp(text, quotes[k], q) == 0) {
			text += q;
			len -= q;
		}
		if (len >= q && memcmp(text + len - q, quotes[k], q) == 0)
			text[len -= q] = '\0';
	}
	return text;
}

/* --- conditions ------------------------------------------------------------------ */

/* "a, b or c": the new condition and those of the same column before it. */
static void join_any(struct roles *r, struct ir_condition *list, size_t n)
{
	struct ir_condition *c, *before;

	if (n < 2)
		return;
	c = &list[n - 1];
	before = &list[n - 2];
	if (!before->any_of)
		before->any_of = ++r->n_any;
	c->any_of = before->any_of;
	for (size_t i = n - 2; i-- > 0;) {
		if (list[i].any_of || !ir_term_equal(&list[i].term, &before->term) ||
		    list[i].test != before->test)
			break;
		list[i].any_of = before->any_of;
	}
}

struct ir_condition *role_condition(
    struct roles *r, struct ir_term t, enum ir_test test, uint32_t span)
{
	struct ir_condition *c;

	if (t.aggregate != IR_PLAIN || t.kind != IR_COLUMN) {
		c = ir_add_having(r->a, r->ir, t, test, span);
		if (r->any)
			join_any(r, r->ir->having, r->ir->n_having);
	} else if (r->absent != IR_NONE && t.table != r->ir->entity) {
		struct ir_exists *x = &r->ir->exists[r->absent];

		c = arena_push(r->a, x->conditions, x->n_conditions);
		c->term = t;
		c->test = test;
		c->span = span;
		if (r->any)
			join_any(r, x->conditions, x->n_conditions);
	} else {
		c = ir_add_condition(r->a, r->ir, t, test, span);
		if (r->any)
			join_any(r, r->ir->conditions, r->ir->n_conditions);
	}
	c->negated = r->negated;
	r->negated = r->any = false;
	r->left.on = false;
	r->last = t;
	r->has_last = true;
	r->filtered = true;
	return c;
}

/* --- words that switch ------------------------------------------------------------- */

static void start_filter(struct roles *r)
{
	if (r->is_zh)
		return; /* conditions stand before the head: there is no such mode */
	r->mode = ROLE_FILTER;
	r->filtered = false;
}

static void prepositions(struct roles *r, size_t i)
{
	size_t next = i + 1;

	while (item_is_cue(r->items, next, CUE_ALL) || item_is_cue(r->items, next, CUE_DISTINCT))
		next++;
	/* "for all singers", "in the table": names the entity like "of" */
	if (item_is_cue(r->items, next, CUE_EACH) ||
	    (items_at(r->items, next)->kind == ITEM_TABLE && r->ir->entity == IR_NONE))
		return;
	start_filter(r);
}

static bool follows_noun(const struct roles *r, size_t i)
{
	const struct item *before = items_before(r->items, i);

	return before->kind == ITEM_TABLE || before->kind == ITEM_COLUMN ||
	    before->kind == ITEM_VALUE || before->kind == ITEM_UNKNOWN;
}

size_t role_mode_cue(struct roles *r, size_t i)
{
	const struct item *it = items_at(r->items, i);

	if (it->kind == ITEM_SENTENCE || it->kind == ITEM_COMMA) {
		r->absent = it->kind == ITEM_SENTENCE ? IR_NONE : r->absent;
		r->negated = r->left.on = false;
		/* "Which company has the highest output? What is the output?" */
		if (it->kind == ITEM_SENTENCE && r->asks_entity && r->ir->n_outputs == 0 &&
		    r->ir->entity != IR_NONE && items_at(r->items, i + 1)->kind != ITEM_END)
			role_project_display(r, r->ir->entity);
		return 1;
	}
	if (it->kind != ITEM_CUE)
		return 0;
	switch (it->cue) {
	case CUE_LIST:
		r->mode = ROLE_SELECT;
		r->retract = i > 0 && items_at(r->items, i - 1)->kind == ITEM_SENTENCE;
		break;
	case CUE_WITH:
	case CUE_THAT:
	case CUE_EXISTS: start_filter(r); break;
	case CUE_FOR: prepositions(r, i); break;
	case CUE_NOT: r->negated = !r->negated; break;
	case CUE_EXCEPT: r->negated = true; break;
	case CUE_OR:
	case CUE_EITHER: r->any = it->cue == CUE_OR; break;
	case CUE_BOTH: r->both = true; break;
	case CUE_DISTINCT: r->distinct = true; break;
	case CUE_AND: break;
	case CUE_WHO:
		if (follows_noun(r, i))
			start_filter(r);
		break;
	case CUE_WHEN: r->wants_time = true; break;
	case CUE_WHERE: break;
	case CUE_WHICH:
		if (follows_noun(r, i))
			start_filter(r);
		r->wants_time |= strstr(it->text, "年") != NULL;
		break;
	default: return 0;
	}
	return 1;
}

void roles_assign(struct roles *r)
{
	static role_rule *const rules[] = {role_denied_verb, role_sort, role_each, role_count,
	    role_super_cue, role_aggregate, role_between, role_compare, role_like, role_arithmetic,
	    role_mode_cue, role_number, role_period, role_value, role_person, role_metric,
	    role_trait, role_table, role_column};

	r->absent = r->trend_table = r->trend_column = IR_NONE;
	r->number_item = SIZE_MAX;
	for (size_t i = 0; i < r->items->n;) {
		size_t taken = 0;

		for (size_t k = 0; k < ARRAY_SIZE(rules) && taken == 0; k++)
			taken = rules[k](r, i);
		i += taken ? taken : 1;
	}
	finish_ir(r);
}
