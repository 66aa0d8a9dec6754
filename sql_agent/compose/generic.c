/* Only words that linking could not place better are touched. */
#include <string.h>

#include "sql_agent/compose/generic.h"

static bool is_one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(text, *list) == 0)
			return true;
	return false;
}

static bool is_name_word(const char *text)
{
	static const char *const words[] = {"name", "names", "full name", "full names", "名称", "名字", "姓名", NULL};

	return is_one_of(text, words);
}

static bool is_id_word(const char *text)
{
	static const char *const words[] = {"id", "ids", "identifier", "identifiers", "编号", NULL};

	return is_one_of(text, words);
}

static uint32_t last_table(const struct items *s, size_t i)
{
	while (i-- > 0)
		if (s->list[i].kind == ITEM_TABLE)
			return s->list[i].table;
	return IR_NONE;
}

static uint32_t table_beside(const struct items *s, size_t i)
{
	uint32_t t = items_table_behind(s, i);

	if (t == IR_NONE)
		t = items_table_before(s, i);
	if (t == IR_NONE && s->list[i].owned)
		t = last_table(s, i);
	return t;
}

/* A whole name that linking found on the table stays. */
static bool is_placed(const struct items *s, size_t i, uint32_t table)
{
	const struct grounding_span *span = &s->view->g->spans[s->list[i].span];

	for (size_t k = 0; k < span->n_targets; k++)
		if (span->targets[k].table == table && span->targets[k].score > 0.9f &&
		    span->targets[k].column != TARGET_NONE)
			return true;
	return false;
}

static void set_column(struct item *it, uint32_t table, uint32_t column, uint32_t second)
{
	it->kind = ITEM_COLUMN;
	it->table = table;
	it->column = column;
	it->second = second;
	it->target = NULL;
	it->fixed = true;
}

static void name_or_id(struct items *s, size_t i)
{
	struct item *it = &s->list[i];
	uint32_t t = table_beside(s, i);
	const struct view_table *vt;

	if (t == IR_NONE || is_placed(s, i, t))
		return;
	vt = &s->view->tables[t];
	if (is_name_word(it->text))
		set_column(it, t, vt->display[0], vt->n_display > 1 ? vt->display[1] : IR_NONE);
	else if (vt->key != IR_NONE)
		set_column(it, t, vt->key, IR_NONE);
}

/* Table of persons that "first and last name" at item i speaks of. */
static uint32_t persons(const struct items *s, size_t i)
{
	uint32_t t = table_beside(s, i), only = IR_NONE;

	if (t != IR_NONE && s->view->tables[t].first != IR_NONE && s->view->tables[t].last != IR_NONE)
		return t;
	for (uint32_t k = 0; k < s->view->n_tables; k++) {
		bool named = false;

		if (s->view->tables[k].first == IR_NONE || s->view->tables[k].last == IR_NONE)
			continue;
		for (size_t n = 0; n < s->n; n++)
			named |= s->list[n].kind == ITEM_TABLE && s->list[n].table == k;
		if (named)
			return k;
		only = only == IR_NONE ? k : only;
	}
	return only;
}

static bool has_text(const struct items *s, size_t i, const char *word)
{
	return items_at(s, i)->kind == ITEM_CUE && view_has_word(items_at(s, i)->text, word);
}

/* "first (and) last name": two cues of time to linking, two columns to us. */
static void first_and_last(struct items *s, size_t i)
{
	size_t last = i + 1;
	uint32_t t;

	while (item_is_cue(s, last, CUE_AND) || items_at(s, last)->kind == ITEM_COMMA)
		last++;
	if (!has_text(s, i, "first") || !has_text(s, last, "last") ||
	    !is_name_word(items_at(s, last + 1)->text))
		return;
	t = persons(s, last + 1);
	if (t == IR_NONE)
		return;
	set_column(&s->list[last + 1], t, s->view->tables[t].first, s->view->tables[t].last);
	for (size_t k = i; k <= last; k++) {
		s->list[k].kind = ITEM_CUE;
		s->list[k].cue = CUE_AND;
		s->list[k].table = s->list[k].column = IR_NONE;
		s->list[k].fixed = true;
	}
}

void generic_words(struct items *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct item *it = &s->list[i];

		if (item_is_cue(s, i, CUE_EARLIEST))
			first_and_last(s, i);
		if (!it->fixed && (it->kind == ITEM_COLUMN || it->kind == ITEM_UNKNOWN) &&
		    (is_name_word(it->text) || is_id_word(it->text)))
			name_or_id(s, i);
	}
}
