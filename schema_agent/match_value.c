/*
 * Candidates that name stored values: quoted text, runs of tokens that are a
 * value's normal form (or that of its label), an inflected single word, and
 * other spellings of countries and the like. Parts of values count only where
 * the text is quoted or capitalised.
 */
#include <stdlib.h>
#include <string.h>

#include "common/text/lexicon.h"
#include "schema_agent/question.h"

#define PHRASE_TOKENS_MAX 24
#define ALIASES_MAX 8
#define TARGETS_MAX 12
#define SCORE_SAME 1.0f
#define SCORE_CASE 0.95f
#define SCORE_LABEL 0.95f
#define SCORE_ALIAS 0.85f
#define SCORE_LEMMA 0.85f
#define SCORE_PART 0.6f
#define PART_TARGETS_MAX 2
#define MANY_VALUES 200
#define FACTOR_MANY 0.7f
#define NAME_WORD_MIN 0.5f
#define WHOLE_PERCENT 70 /* of a value, to be taken for it in plain words */
#define PART_PERCENT 20  /* of a value, for capitals, quotes and CJK */
#define PART_WORDS_MAX 4 /* a name of a person or place has no more */

static void add_stored(
    struct question *q, struct candidate *c, uint32_t id, float score, const char *said)
{
	const struct stored_value *s = &q->ix->stored[id];
	struct span_target t = {s->table, s->column, TARGET_NONE, *s->value, score, s->how};

	if (!q->in_scope[s->table])
		return;
	if (s->how == HOW_STORED_LABEL && t.score > SCORE_LABEL)
		t.score = SCORE_LABEL;
	else if (t.score == SCORE_SAME &&
	    (s->value->type != VALUE_TEXT || strcmp(s->value->text, said)))
		t.score = SCORE_CASE;
	if (score == SCORE_PART)
		t.how = HOW_STORED_PARTIAL;
	candidate_target(q, c, &t);
}

static void add_phrase(
    struct question *q, struct candidate *c, const char *phrase, float score, const char *said)
{
	phrase_map_each(&q->ix->values, at, phrase)
	    add_stored(q, c, q->ix->values.entries[at - 1].payload, score, said);
}

static int compare_targets(const void *a, const void *b)
{
	const struct span_target *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

/* "place" in an address is a word, not the address: plain words must be nearly
 * the whole value. Capitals may be part of a name of few words, and no number. */
static bool is_part(const struct token *first, const char *phrase, const char *value)
{
	const char *at = strstr(value, phrase);
	size_t n = strlen(phrase), whole = strlen(value), words = 1;
	const char *p;

	if (!at)
		return false;
	if (first->kind != TOKEN_WORD)
		return n * 100 >= whole * PART_PERCENT;
	if ((at != value && at[-1] != ' ') || (at[n] && at[n] != ' '))
		return false;
	if (n * 100 >= whole * WHOLE_PERCENT)
		return true;
	for (p = value; *p; p++) {
		words += *p == ' ';
		if (*p >= '0' && *p <= '9')
			return false;
	}
	return first->capital && (!first->begins_sentence || first->all_capitals) &&
	    words <= PART_WORDS_MAX && n * 100 >= whole * PART_PERCENT;
}

/* Hits that the executor found for this very text. */
static void add_lookups(
    struct question *q, struct candidate *c, const struct token *first, const char *said)
{
	size_t i;

	for (i = 0; i < q->o->n_hits; i++) {
		const struct ground_value_hit *h = &q->o->hits[i];
		struct span_target t = {h->table, h->column, TARGET_NONE, h->value,
		    h->partial ? SCORE_PART : SCORE_CASE,
		    h->partial ? HOW_STORED_PARTIAL : HOW_STORED};

		if (strcmp(h->span, said) || !q->in_scope[h->table] ||
		    (h->partial && h->value.type == VALUE_TEXT && first->kind != TOKEN_QUOTED &&
		        !is_part(first, token_phrase_of(q->arena, said),
		            token_phrase_of(q->arena, h->value.text))))
			continue;
		candidate_target(q, c, &t);
	}
}

/* Values that have all words of the phrase (at least one of them rare enough to
 * be listed); the share of the value that is covered decides the order. */
static void add_parts(struct question *q, struct candidate *c, const struct token *first,
    const struct token_list *t, size_t from, size_t to, const char *said)
{
	const char *phrase = token_phrase(q->arena, t, from, to), *key;
	const struct stored_value *s;

	if (t->items[from].kind == TOKEN_CJK) {
		if (to - from < 2)
			return;
		key = token_phrase(q->arena, t, from, from + 2);
	} else {
		key = t->items[from].norm;
	}
	phrase_map_each(&q->ix->value_parts, at, key)
	{
		uint32_t id = q->ix->value_parts.entries[at - 1].payload;

		s = &q->ix->stored[id];
		if (is_part(first, phrase, s->phrase))
			add_stored(q, c, id, SCORE_PART, said);
	}
}

static void close_candidate(struct candidate *c)
{
	if (!c->n_targets)
		return;
	qsort(c->targets, c->n_targets, sizeof(*c->targets), compare_targets);
	if (c->n_targets > TARGETS_MAX)
		c->n_targets = TARGETS_MAX;
	c->score = c->targets[0].score;
}

static void add_quoted(struct question *q, uint32_t i)
{
	const struct token *t = &q->tokens.items[i];
	const char *said = arena_strndup(q->arena, q->text + t->inner_start, t->inner_len);
	struct candidate *c = candidate_add(q, i, i + 1, CLASS_QUOTED, SPAN_VALUE, SCORE_SAME);
	const char *aliases[ALIASES_MAX];
	struct token_list inner;
	size_t n, k;

	add_phrase(q, c, t->norm, SCORE_SAME, said);
	add_lookups(q, c, t, said);
	n = c->n_targets ? 0 : lexicon_value_aliases(t->norm, aliases, ALIASES_MAX);
	for (k = 0; k < n; k++)
		add_phrase(q, c, aliases[k], SCORE_ALIAS, said);
	token_split(q->arena, said, false, &inner);
	if (!c->n_targets && inner.n)
		add_parts(q, c, t, &inner, 0, inner.n, said);
	close_candidate(c);
	if (c->n_targets && c->targets[0].how == HOW_STORED_PARTIAL && c->n_targets > 1)
		c->kind = SPAN_QUOTED;
	if (!c->n_targets) {
		c->kind = SPAN_QUOTED;
		/* A whole name in quotes is better than text that is nowhere. */
		c->score = 0;
	}
}

static bool is_strong(const struct question *q, uint32_t from, uint32_t to)
{
	const struct token *t = &q->tokens.items[from];
	uint32_t i, words = 0;

	if (t->kind == TOKEN_CJK)
		return to - from > 1;
	for (i = from; i < to; i++)
		words += q->tokens.items[i].kind != TOKEN_PUNCT;
	if (words > 1)
		return true;
	return t->kind == TOKEN_WORD && t->capital && (!t->begins_sentence || t->all_capitals);
}

/* One lower-case word of a column with many values is more often a word than
 * a value ("a city called Of"). */
static void damp(struct question *q, struct candidate *c)
{
	const struct catalog_column *col;
	size_t i;

	for (i = 0; i < c->n_targets; i++) {
		col = &q->ix->catalog->tables[c->targets[i].table].columns[c->targets[i].column];
		if (col->n_distinct > MANY_VALUES || (size_t)col->n_distinct < col->n_domain ||
		    !col->domain_complete)
			c->targets[i].score *= FACTOR_MANY;
	}
}

/* A name that has this very word, perhaps among others ("state" of born_state),
 * is more likely than a value that happens to be one. */
static bool is_name_word(const struct question *q, uint32_t token)
{
	size_t i;

	for (i = 0; i < q->n_candidates; i++) {
		const struct candidate *c = &q->candidates[i];

		if (c->kind != SPAN_VALUE && c->from <= token && token < c->to && c->n_targets &&
		    c->score >= NAME_WORD_MIN && c->targets[0].how != HOW_FUZZY)
			return true;
	}
	return false;
}

/* "Sonoma county" where County has Sonoma: the value and its column, not a longer
 * value of another column. */
static bool is_value_and_column(const struct question *q, uint32_t from, uint32_t to)
{
	const char *value = token_phrase(q->arena, &q->tokens, from, to - 1);
	const struct stored_value *s;
	const struct form *f;

	phrase_map_each(&q->ix->names, at, q->tokens.items[to - 1].lemma)
	{
		f = &q->ix->forms[q->ix->names.entries[at - 1].payload];
		if (f->kind != FORM_COLUMN || !q->in_scope[f->table])
			continue;
		phrase_map_each(&q->ix->values, v, value)
		{
			s = &q->ix->stored[q->ix->values.entries[v - 1].payload];
			if (s->table == f->table && s->column == f->column)
				return true;
		}
	}
	return false;
}

static void add_run(struct question *q, uint32_t from, uint32_t to)
{
	const struct token_list *t = &q->tokens;
	const char *phrase = token_phrase(q->arena, t, from, to);
	const char *lemma = strcmp(t->items[to - 1].lemma, t->items[to - 1].norm)
	    ? token_phrase_lemma(q->arena, t, from, to)
	    : phrase;
	const char *said = arena_strndup(q->arena, q->text + t->items[from].start,
	    t->items[to - 1].start + t->items[to - 1].len - t->items[from].start);
	bool strong = is_strong(q, from, to), one = to - from == 1;
	const char *aliases[ALIASES_MAX];
	struct candidate *c;
	size_t n, k;

	if (one && !strong && (q->info[from].is_stop || t->items[from].kind == TOKEN_CJK))
		return;
	if (to - from > 1 && t->items[to - 1].kind == TOKEN_WORD && !t->items[to - 1].capital &&
	    is_value_and_column(q, from, to))
		return;
	c = candidate_add(q, from, to, strong ? CLASS_VALUE_STRONG : CLASS_LOOSE, SPAN_VALUE, 0);
	add_phrase(q, c, phrase, SCORE_SAME, said);
	add_lookups(q, c, &t->items[from], said);
	if (t->items[from].kind != TOKEN_NUMBER) {
		if (!c->n_targets && strcmp(lemma, phrase))
			add_phrase(q, c, lemma, SCORE_LEMMA, said);
		n = lexicon_value_aliases(phrase, aliases, ALIASES_MAX);
		for (k = 0; k < n; k++)
			add_phrase(q, c, aliases[k], SCORE_ALIAS, said);
		/* "oranges" for a stored "orange" is covered by the dictionary form;
		 * the other way round: a stored plural for a singular. */
		if (!c->n_targets && one && t->items[from].kind == TOKEN_WORD)
			add_phrase(q, c, arena_printf(q->arena, "%ss", phrase), SCORE_LEMMA, said);
	}
	if (one && !strong)
		damp(q, c);
	close_candidate(c);
	if (one && !strong && is_name_word(q, from))
		c->score = NAME_WORD_MIN / 2;
	if (!c->n_targets)
		q->n_candidates--;
}

void question_values(struct question *q)
{
	const struct token_list *t = &q->tokens;
	uint32_t i, k;

	for (i = 0; i < t->n; i++) {
		if (t->items[i].kind == TOKEN_QUOTED)
			add_quoted(q, i);
		if (t->items[i].kind == TOKEN_QUOTED || t->items[i].kind == TOKEN_PUNCT)
			continue;
		for (k = i + 1; k <= t->n && k - i <= PHRASE_TOKENS_MAX; k++) {
			if (t->items[k - 1].kind == TOKEN_QUOTED)
				break;
			/* A value neither begins nor ends with punctuation. */
			if (t->items[k - 1].kind == TOKEN_PUNCT ||
			    (k - i == 1 && t->items[i].kind == TOKEN_NUMBER))
				continue;
			add_run(q, i, k);
		}
	}
}

/* Parts of longer values for capitalised words and CJK runs that nothing else
 * explains; called for what is left uncovered. */
bool question_value_part(
    struct question *q, uint32_t from, uint32_t to, struct candidate *ret_candidate)
{
	const struct token_list *t = &q->tokens;
	const char *said = arena_strndup(q->arena, q->text + t->items[from].start,
	    t->items[to - 1].start + t->items[to - 1].len - t->items[from].start);
	struct candidate c = {.from = from,
	    .to = to,
	    .cls = CLASS_LOOSE,
	    .kind = SPAN_VALUE,
	    .quantity = TARGET_NONE,
	    .period = TARGET_NONE,
	    .open_term = TARGET_NONE};

	add_lookups(q, &c, &t->items[from], said);
	add_parts(q, &c, &t->items[from], t, from, to, said);
	/* "university" in ten names of universities is a word, not one of them. */
	if (c.n_targets > PART_TARGETS_MAX && t->items[from].kind == TOKEN_WORD &&
	    !t->items[from].capital)
		return false;
	close_candidate(&c);
	*ret_candidate = c;
	return c.n_targets > 0;
}
