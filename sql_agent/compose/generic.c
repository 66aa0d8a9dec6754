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
	static const char *const words[] = {
	    "name", "names", "full name", "full names", "名称", "名字", "姓名", NULL};

	return is_one_of(text, words);
}

static bool is_id_word(const char *text)
{
	static const char *const words[] = {"id", "ids", "identifier", "identifiers", "编号", NULL};

	return is_one_of(text, words);
}

static bool is_detail_word(const char *text)
{
	static const char *const words[] = {
	    "detail", "details", "description", "descriptions", "code", "codes", NULL};

	return is_one_of(text, words);
}

/* The one column of the table whose name ends like the word. */
static uint32_t column_ending(const struct view_table *vt, const char *word)
{
	size_t len = strlen(word), n = 0;
	uint32_t found = IR_NONE;

	len -= word[len - 1] == 's';
	for (uint32_t i = 0; i < vt->table->n_columns; i++) {
		const char *name = vt->table->columns[i].name;
		size_t end = strlen(name);

		end -= end > 0 && name[end - 1] == 's';
		if (end < len || strncasecmp(name + end - len, word, len) != 0)
			continue;
		found = i;
		n++;
	}
	return n == 1 ? found : IR_NONE;
}

/* "their names": whose, the question said first. */
static uint32_t first_table(const struct items *s, size_t end)
{
	for (size_t i = 0; i < end; i++)
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
		t = first_table(s, i);
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

static void make_connector(struct item *it)
{
	it->kind = ITEM_CUE;
	it->cue = CUE_AND;
	it->table = it->column = IR_NONE;
	it->fixed = true;
}

static bool is_text_column(const struct items *s, size_t i)
{
	const struct item *it = items_at(s, i);
	const struct grounding_span *span;
	const struct view_column *vc;

	if (it->kind != ITEM_COLUMN || it->span == IR_NONE)
		return false;
	span = &s->view->g->spans[it->span];
	if (span->n_targets == 0 || span->targets[0].column == TARGET_NONE ||
	    span->targets[0].score < 0.95f)
		return false;
	vc = view_column(s->view, span->targets[0].table, span->targets[0].column);
	return vc->is_text && !vc->is_key;
}

static void name_or_id(struct items *s, size_t i)
{
	struct item *it = &s->list[i];
	uint32_t t = table_beside(s, i);
	const struct view_table *vt;

	if (is_name_word(it->text) && item_is_cue(s, i + 1, CUE_OF) && t == IR_NONE &&
	    is_text_column(s, i + 2)) { /* "names of colleges", where the college is a column */
		make_connector(it);
		make_connector(&s->list[i + 1]);
		return;
	}
	if (t == IR_NONE || is_placed(s, i, t))
		return;
	if (is_detail_word(it->text)) {
		uint32_t column = column_ending(&s->view->tables[t], it->text);

		if (column != IR_NONE)
			set_column(it, t, column, IR_NONE);
		return;
	}
	if (is_name_word(it->text))
		t = view_namer(s->view, t);
	vt = &s->view->tables[t];
	if (is_name_word(it->text))
		set_column(it, t, vt->display[0], vt->n_display > 1 ? vt->display[1] : IR_NONE);
	else if (vt->key != IR_NONE)
		set_column(it, t, vt->key, IR_NONE);
}

static bool has_person_names(const struct items *s, uint32_t t)
{
	return s->view->tables[t].first != IR_NONE && s->view->tables[t].last != IR_NONE;
}

/* Table of persons that "last name" at item i speaks of: the one beside it, else
 * the nearest to what the question names. */
static uint32_t persons(const struct items *s, size_t i)
{
	uint32_t beside = table_beside(s, i), best = IR_NONE;
	unsigned best_hops = VIEW_UNREACHABLE;

	for (uint32_t t = 0; t < s->view->n_tables; t++) {
		unsigned hops = VIEW_UNREACHABLE - 1;

		if (!has_person_names(s, t))
			continue;
		if (beside != IR_NONE)
			hops = view_hops(s->view, beside, t);
		for (size_t n = 0; n < s->n && beside == IR_NONE; n++)
			if (s->list[n].kind == ITEM_TABLE &&
			    view_hops(s->view, s->list[n].table, t) < hops)
				hops = view_hops(s->view, s->list[n].table, t);
		if (hops < best_hops) {
			best = t;
			best_hops = hops;
		}
	}
	return best;
}

static bool says(const struct items *s, size_t i, const char *word)
{
	const struct item *it = items_at(s, i);

	return it->kind == ITEM_CUE && (it->cue == CUE_EARLIEST || it->cue == CUE_LATEST) &&
	    view_has_word(it->text, word);
}

static size_t skip_and(const struct items *s, size_t i)
{
	while (item_is_cue(s, i, CUE_AND) || items_at(s, i)->kind == ITEM_COMMA)
		i++;
	return i;
}

/* "first name", "last name", "first and last name": linking reads the first word
 * as a time. */
static void person_name(struct items *s, size_t i)
{
	size_t name = i + 1;
	bool first = says(s, i, "first"), last = says(s, i, "last");
	const struct view_table *vt;
	uint32_t t;

	if (first && says(s, skip_and(s, i + 1), "last") &&
	    is_name_word(items_at(s, skip_and(s, i + 1) + 1)->text)) {
		name = skip_and(s, i + 1) + 1;
		last = true;
	}
	if ((!first && !last) || !is_name_word(items_at(s, name)->text))
		return;
	t = persons(s, name);
	if (t == IR_NONE)
		return;
	vt = &s->view->tables[t];
	set_column(
	    &s->list[name], t, first ? vt->first : vt->last, first && last ? vt->last : IR_NONE);
	for (size_t k = i; k < name; k++)
		make_connector(&s->list[k]);
}

/* "a higher profit than", 比…高: a comparison that linking left alone. */
static void comparative(struct items *s, size_t i)
{
	static const char *const more[] = {
	    "higher", "larger", "greater", "bigger", "more", "高", "多", "大", NULL};
	static const char *const less[] = {
	    "lower", "smaller", "less", "fewer", "低", "少", "小", NULL};
	struct item *it = &s->list[i];

	if (!is_one_of(it->text, more) && !is_one_of(it->text, less))
		return;
	it->cue = is_one_of(it->text, more) ? CUE_GT : CUE_LT;
	it->kind = ITEM_CUE;
	it->used = it->fixed = true;
}

/* 工龄最长的: a superlative that linking left alone, right behind its number. */
static void superlative(struct items *s, size_t i)
{
	static const char *const most[] = {"最长", "最大", "最高", "最久", "最远", "最重", NULL};
	static const char *const least[] = {"最短", "最小", "最低", "最近", "最轻", NULL};
	const struct item *before = items_before(s, i);
	struct item *it = &s->list[i];

	if (before->kind != ITEM_COLUMN || before->column == IR_NONE ||
	    !view_column(s->view, before->table, before->column)->is_measure)
		return;
	for (int side = 0; side < 2; side++)
		for (const char *const *w = side ? least : most; *w; w++)
			if (strncmp(it->text, *w, strlen(*w)) == 0) {
				it->kind = ITEM_CUE;
				it->cue = side ? CUE_LEAST : CUE_MOST;
				it->used = it->fixed = true;
			}
}

/* 公司数量 is a number of companies, not another table's column. */
static void number_of(struct items *s, size_t i)
{
	const struct item *before = items_before(s, i);
	struct item *it = &s->list[i];

	if (strcmp(it->text, "数量") != 0 || before->kind != ITEM_TABLE ||
	    before->table == it->table || !it->target || it->target->score > 0.95f)
		return;
	it->kind = ITEM_CUE;
	it->cue = CUE_COUNT;
	it->table = it->column = IR_NONE;
	it->used = it->fixed = true;
}

void generic_words(struct items *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct item *it = &s->list[i];

		if (item_is_cue(s, i, CUE_EARLIEST) || item_is_cue(s, i, CUE_LATEST))
			person_name(s, i);
		if (it->kind == ITEM_UNKNOWN)
			comparative(s, i);
		if (it->kind == ITEM_UNKNOWN)
			superlative(s, i);
		if (it->kind == ITEM_COLUMN)
			number_of(s, i);
		if (!it->fixed && (it->kind == ITEM_COLUMN || it->kind == ITEM_UNKNOWN) &&
		    (is_name_word(it->text) || is_id_word(it->text) || is_detail_word(it->text)))
			name_or_id(s, i);
	}
}
