/*
 * Candidates for cue phrases, with the columns that their adjectives imply. Some
 * cue words yield to a name ("order", "rank"), some need something behind them
 * ("over", "including").
 */
#include <stdlib.h>
#include <string.h>

#include "common/text/lexicon.h"
#include "common/text/unit.h"
#include "schema_agent/match_text.h"

#define SCORE_CUE 0.5f
#define SCORE_HINT 0.85f
#define SCORE_HINT_STEP 0.02f
#define SCORE_HINT_MIN 0.4f
#define SCORE_TIME 0.5f
#define WEIGHT_OWN_MIN 0.3f /* below: repeats the table's name, or a prefix */
#define SCORE_WHOLE 0.95f
#define SCORE_MEASURE 0.7f
#define SCORE_TABLE_SAID 0.75f

/* --- columns that words imply ---------------------------------------------------- */

/* Share of a form's own words (without those that repeat its table) that the
 * words cover, all of which must be in it. */
static float share_of(const struct form *f, const uint32_t *words, size_t n)
{
	float sum = 0, core = f->total - f->repeat;
	size_t i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < f->n_words && f->words[k] != words[i]; k++)
			;
		if (k == f->n_words)
			return 0;
		if (f->weights[k] > WEIGHT_OWN_MIN)
			sum += f->weights[k];
	}
	return core > 0 ? sum / core : 0;
}

static void add_hint(struct question *q, struct candidate *c, const char *hint, float score)
{
	const struct ground_index *ix = q->ix;
	struct span_target t = {0, 0, TARGET_NONE, {0}, 0, HOW_SYNONYM};
	uint32_t words[NAME_WORDS_MAX];
	struct name_words w;
	const struct form *f;
	size_t i;

	name_split(q->arena, hint, NULL, NULL, &w);
	for (i = 0; i < w.n; i++) {
		words[i] = index_word_find(ix, w.words[i]);
		if (words[i] == TARGET_NONE)
			return;
	}
	for (i = 0; w.n && i < ix->words[words[0]].n_forms; i++) {
		f = &ix->forms[ix->words[words[0]].forms[i].form];
		if (f->kind != FORM_COLUMN || !q->in_scope[f->table])
			continue;
		t.table = f->table;
		t.column = f->column;
		t.score = score * share_of(f, words, w.n);
		if (t.score >= SCORE_HINT_MIN)
			candidate_target(q, c, &t);
	}
}

static int compare_targets(const void *a, const void *b)
{
	const struct span_target *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

void question_hints(struct question *q, struct candidate *c, const char *words, size_t len)
{
	const char *end = words + len;
	float score = SCORE_HINT;

	while (words < end) {
		size_t n = strcspn(words, ",|");

		if (n > (size_t)(end - words))
			n = (size_t)(end - words);
		while (n && words[n - 1] == ' ')
			n--;
		add_hint(q, c, arena_strndup(q->arena, words, n), score);
		score -= SCORE_HINT_STEP;
		words += n;
		words += strspn(words, " ,");
		if (*words == '|')
			break;
	}
	if (c->n_targets)
		qsort(c->targets, c->n_targets, sizeof(*c->targets), compare_targets);
}

static void add_columns(struct question *q)
{
	struct candidate *c;
	const char *words;
	uint32_t i;
	size_t n;

	for (i = 0; i < q->tokens.n; i++) {
		words = lexicon_column_at(&q->tokens, i, &n);
		if (!words)
			continue;
		c = candidate_add(q, i, i + (uint32_t)n, CLASS_CUE, SPAN_COLUMN, SCORE_HINT);
		question_hints(q, c, words, strlen(words));
		if (!c->n_targets)
			q->n_candidates--;
	}
}

/* --- cues ------------------------------------------------------------------------ */

/* The candidate that names exactly these tokens, or NULL. */
static const struct candidate *name_at(const struct question *q, uint32_t from, uint32_t to)
{
	size_t i;

	for (i = 0; i < q->n_candidates; i++) {
		const struct candidate *c = &q->candidates[i];

		if (c->from == from && c->to == to && c->n_targets && c->score >= SCORE_WHOLE &&
		    (c->kind == SPAN_TABLE || c->kind == SPAN_COLUMN || c->kind == SPAN_METRIC))
			return c;
	}
	return NULL;
}

/* Kinds whose words are more often a name where the schema has that name. */
static bool yields_to_name(enum cue_kind k)
{
	switch (k) {
	case CUE_SORT:
	case CUE_SHARE:
	case CUE_CONTAINS:
	case CUE_RATIO:
	case CUE_DIFFERENCE:
	case CUE_LIST:
	case CUE_COUNT:
	case CUE_TREND:
	case CUE_LATEST:
	case CUE_EARLIEST:
	case CUE_ENDS:
	case CUE_STARTS:
	case CUE_EXISTS:
	case CUE_DISTINCT: return true;
	default: return false;
	}
}

/* "over", "above": a comparison only with something to compare with. */
static bool is_empty_comparison(
    const struct question *q, uint32_t from, const struct lexicon_cue *cue)
{
	size_t next = from + cue->n_tokens;
	struct lexicon_cue after;

	if (cue->n_tokens != 1 ||
	    !TEXT_IS_ONE_OF(q->tokens.items[from].norm, "over", "under", "above", "below", "within",
	        "beyond", "beneath", "greater", "after", "before"))
		return false;
	while (next < q->tokens.n && q->info[next].is_stop && !text_is_number(q, next))
		next++;
	if (text_is_number(q, next))
		return false;
	return !(lexicon_cue_at(&q->tokens, next, &after) &&
	    (after.kind == CUE_AVG || after.kind == CUE_MIN || after.kind == CUE_MAX ||
	        after.kind == CUE_SUM));
}

/* "including", 包含: a text match only with a text. */
static bool is_empty_contains(
    const struct question *q, uint32_t from, const struct lexicon_cue *cue)
{
	size_t next = from + cue->n_tokens;
	const struct token *t;

	while (next < q->tokens.n && q->info[next].is_stop && q->tokens.items[next].len > 1)
		next++;
	if (next >= q->tokens.n)
		return q->tokens.items[from].kind != TOKEN_CJK || from == 0 ||
		    q->tokens.items[from - 1].kind != TOKEN_QUOTED;
	t = &q->tokens.items[next];
	return t->kind != TOKEN_QUOTED && !t->capital && t->len > 1 &&
	    !(q->tokens.items[from].kind == TOKEN_CJK && t->kind == TOKEN_WORD);
}

/* "customers who ordered tea": a deed, no order of rows. */
static bool is_deed(const struct question *q, uint32_t from, const struct lexicon_cue *cue)
{
	struct lexicon_cue next;
	size_t i;

	if (cue->n_tokens != 1 || !text_is_word(q, from, "ordered"))
		return false;
	for (i = from + 1; i <= from + 3; i++)
		if (i < q->tokens.n && lexicon_cue_at(&q->tokens, i, &next) &&
		    (next.kind == CUE_ASC || next.kind == CUE_DESC || next.kind == CUE_BY))
			return false;
	return true;
}

/* "Name the singers" commands, "the name of" names. */
static bool is_command(const struct question *q, uint32_t from, const struct lexicon_cue *cue)
{
	size_t next = from + cue->n_tokens;

	if (cue->n_tokens > 1 || q->tokens.items[from].kind == TOKEN_CJK)
		return true;
	if (text_is_word(q, next, "of") || text_is_word(q, next, "and") ||
	    text_is_word(q, next, ",") || text_is_word(q, next, "is"))
		return !name_at(q, from, from + 1) &&
		    !TEXT_IS_ONE_OF(q->tokens.items[from].norm, "name", "state", "report");
	return q->tokens.items[from].begins_sentence || !from ||
	    TEXT_IS_ONE_OF(
	        q->tokens.items[from - 1].norm, "please", "and", ",", "then", "to", "you", "also");
}

/* "above 8 or below 5" are two comparisons; "5 or below" is one. */
static bool is_two_sided(const struct question *q, uint32_t from, const struct lexicon_cue *cue)
{
	return (cue->kind == CUE_GE || cue->kind == CUE_LE) && cue->n_tokens > 1 &&
	    text_is_word(q, from, "or") && text_is_number(q, from + cue->n_tokens);
}

/* "phone number of": the number belongs to what stands before it. */
static bool is_part_of_name(const struct question *q, uint32_t from)
{
	struct lexicon_cue before;

	return from && (text_is_word(q, from, "number") || text_is_word(q, from, "numbers")) &&
	    q->info[from - 1].n_matches && !q->info[from - 1].is_stop &&
	    q->tokens.items[from - 1].kind == TOKEN_WORD &&
	    !lexicon_cue_at(&q->tokens, from - 1, &before);
}

static bool applies(const struct question *q, uint32_t from, const struct lexicon_cue *cue)
{
	switch (cue->kind) {
	case CUE_GT:
	case CUE_LT:
	case CUE_LE:
	case CUE_GE: return !is_empty_comparison(q, from, cue) && !is_two_sided(q, from, cue);
	case CUE_SORT:
		if (is_deed(q, from, cue))
			return false;
		break;
	case CUE_CONTAINS: return !is_empty_contains(q, from, cue);
	case CUE_BETWEEN:
		return text_is_number(q, from + cue->n_tokens) ||
		    q->tokens.items[from].kind == TOKEN_CJK;
	case CUE_COUNT:
		if (is_part_of_name(q, from))
			return false;
		break;
	case CUE_LIST: return is_command(q, from, cue);
	default: break;
	}
	return !(yields_to_name(cue->kind) && name_at(q, from, from + (uint32_t)cue->n_tokens));
}

/* 多少 asks for a count before what can be counted, else for a figure. */
static void settle_how_many(const struct question *q, uint32_t from, struct lexicon_cue *cue)
{
	uint32_t next = from + (uint32_t)cue->n_tokens;
	const struct token *t = &q->tokens.items[from];
	struct unit u;

	if (cue->kind != CUE_WHICH || cue->n_tokens != 2 || strcmp(t->norm, "多") ||
	    !text_is_word(q, from + 1, "少") || next >= q->tokens.n ||
	    q->tokens.items[next].kind != TOKEN_CJK)
		return;
	t = &q->tokens.items[next];
	if (!unit_parse(q->text + t->start, strlen(q->text + t->start), &u) &&
	    !lexicon_is_stop(t->norm))
		cue->kind = CUE_COUNT;
}

static void add_times(struct question *q, struct candidate *c)
{
	const struct catalog *cat = q->ix->catalog;
	struct span_target t = {0, 0, TARGET_NONE, {0}, SCORE_TIME, HOW_PARTIAL};

	for (t.table = 0; t.table < cat->n_tables; t.table++)
		for (t.column = 0;
		     q->in_scope[t.table] && t.column < cat->tables[t.table].n_columns;
		     t.column++) {
			t.how = HOW_PARTIAL;
			if (index_is_time(q->ix, t.table, t.column, &t.how))
				candidate_target(q, c, &t);
		}
}

/* Chooses the hint group of an adjective: the one that the schema has. "Older
 * than 30" is no statement about birth years, so comparisons keep to the first.
 * An adjective whose column is not there explains nothing by itself. */
static void settle_hints(struct question *q, struct candidate *c, const struct lexicon_cue *cue)
{
	size_t n = cue->n_hints, i;

	if (n && (cue->kind == CUE_GT || cue->kind == CUE_LT))
		n = 1;
	for (i = 0; i < n && !c->n_targets; i++) {
		question_hints(q, c, cue->hints[i].words, cue->hints[i].len);
		if (c->n_targets)
			c->cue = cue->hints[i].kind;
	}
	/* "the oldest order": the first in time, whatever the time is called. */
	if (n > 1 && !c->n_targets &&
	    (cue->hints[1].kind == CUE_EARLIEST || cue->hints[1].kind == CUE_LATEST)) {
		add_times(q, c);
		c->cue = c->n_targets ? cue->hints[1].kind : c->cue;
	}
	c->unfounded = cue->n_hints && !c->n_targets;
}

/* "the five oldest", 年龄最大的三名: the number belongs to the superlative. */
static void take_number(const struct question *q, struct candidate *c)
{
	const struct token_list *t = &q->tokens;
	uint32_t number;
	size_t n;

	if (c->cue_arg ||
	    (c->cue != CUE_MOST && c->cue != CUE_LEAST && c->cue != CUE_EARLIEST &&
	        c->cue != CUE_LATEST))
		return;
	if (t->items[c->from].kind != TOKEN_CJK) {
		if (c->from && lexicon_number_at(t, c->from - 1, &number) == 1) {
			c->cue_arg = number;
			c->from--;
		}
		return;
	}
	n = c->to < t->n ? lexicon_number_at(t, c->to, &number) : 0;
	if (n && c->to + n < t->n && lexicon_is_classifier(t->items[c->to + n].norm)) {
		c->cue_arg = number;
		c->to += (uint32_t)n + 1;
	}
}

/* --- measure words ----------------------------------------------------------------- */

static bool names_a_table(const struct question *q)
{
	size_t i;

	for (i = 0; i < q->n_candidates; i++)
		if (q->candidates[i].kind == SPAN_TABLE &&
		    q->candidates[i].score >= SCORE_TABLE_SAID)
			return true;
	return false;
}

/* The one base table that is called by one of the words, else TARGET_NONE. */
static uint32_t table_called(struct question *q, const char *words)
{
	uint32_t found = TARGET_NONE;

	while (*words) {
		size_t n = strcspn(words, ",");
		const char *word = arena_strndup(q->arena, words, n);

		phrase_map_each(&q->ix->names, at, word)
		{
			const struct form *f = &q->ix->forms[q->ix->names.entries[at - 1].payload];

			if (f->kind != FORM_TABLE || !q->in_scope[f->table] ||
			    q->ix->catalog->tables[f->table].kind == CATALOG_VIEW ||
			    found == f->table)
				continue;
			if (found != TARGET_NONE)
				return TARGET_NONE;
			found = f->table;
		}
		words += n;
		words += strspn(words, ", ");
	}
	return found;
}

/* 有几家 where nothing says companies: the measure word says what is counted. It
 * is a table of its own then, behind the cue that ends before it. */
static uint32_t take_measure(struct question *q, uint32_t from, uint32_t to)
{
	const char *words = lexicon_measured(q->tokens.items[to - 1].norm);
	struct span_target t = {0, TARGET_NONE, TARGET_NONE, {0}, SCORE_MEASURE, HOW_SYNONYM};

	if (!words || to - from < 2 || names_a_table(q))
		return to;
	t.table = table_called(q, words);
	if (t.table == TARGET_NONE)
		return to;
	candidate_target(q, candidate_add(q, to - 1, to, CLASS_CUE, SPAN_TABLE, SCORE_MEASURE), &t);
	return to - 1;
}

static void add_cue(struct question *q, uint32_t i, struct lexicon_cue *cue)
{
	uint32_t to = i + (uint32_t)cue->n_tokens, cut = to;
	const struct candidate *name;
	struct candidate *c;
	const char *words;
	size_t n, k;

	settle_how_many(q, i, cue);
	if (cue->second != CUE_NONE && cue->n_tokens > 1) {
		cut = i + 1;
		c = candidate_add(q, cut, to, CLASS_CUE, SPAN_CUE, SCORE_CUE);
		c->cue = cue->second;
	}
	if (cue->kind == CUE_COUNT)
		cut = take_measure(q, i, cut);
	name = name_at(q, i, cut);
	c = candidate_add(q, i, cut, CLASS_CUE, SPAN_CUE, SCORE_CUE);
	c->cue = cue->kind;
	c->cue_arg = cue->arg;
	settle_hints(q, c, cue);
	if (cue->n_hints)
		take_number(q, c);
	if (cue->kind == CUE_WHEN || cue->kind == CUE_WHERE) {
		words = lexicon_column_at(&q->tokens, i, &n);
		if (words)
			question_hints(q, c, words, strlen(words));
		c->score = SCORE_HINT + 0.1f; /* stays a cue */
	}
	for (k = 0; name && k < name->n_targets; k++)
		if (name->targets[k].column != TARGET_NONE)
			candidate_target(q, c, &name->targets[k]);
}

/* "for each day of week": where a longer name takes the last word, the rest is
 * a cue of its own. */
static void add_shorter(struct question *q, uint32_t i, const struct lexicon_cue *cue)
{
	struct token_list cut = q->tokens;
	struct lexicon_cue shorter;

	if (cue->kind != CUE_TREND || cue->n_tokens < 2)
		return;
	cut.n = i + cue->n_tokens - 1;
	if (lexicon_cue_at(&cut, i, &shorter) && i + shorter.n_tokens == cut.n)
		candidate_add(q, i, (uint32_t)cut.n, CLASS_CUE, SPAN_CUE, SCORE_CUE)->cue =
		    shorter.kind;
}

static void add_phrases(struct question *q)
{
	struct lexicon_cue cue;
	uint32_t i;

	for (i = 0; i < q->tokens.n; i++) {
		if (lexicon_cue_at(&q->tokens, i, &cue)) {
			if (applies(q, i, &cue)) {
				add_cue(q, i, &cue);
				add_shorter(q, i, &cue);
			} else if (is_two_sided(q, i, &cue)) {
				candidate_add(q, i, i + 1, CLASS_CUE, SPAN_CUE, SCORE_CUE)->cue =
				    CUE_OR;
			} else if (!TEXT_IS_ONE_OF(
			               q->tokens.items[i].norm, "before", "after", "ordered")) {
				candidate_add(q, i, i + (uint32_t)cue.n_tokens, CLASS_STOP,
				    SPAN_STOP, SCORE_CUE);
			}
		}
	}
}

void text_cues(struct question *q)
{
	add_columns(q);
	add_phrases(q);
}
