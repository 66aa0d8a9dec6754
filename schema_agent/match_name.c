/*
 * Candidates that name tables, columns, metrics and terms. Three ways: the whole
 * name as a phrase; words of a name (English), in any order, through "of the";
 * a piece of a name (CJK). All candidates of the same tokens are one candidate
 * with several targets.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/text/lexicon.h"
#include "schema_agent/named.h"

#define PHRASE_TOKENS_MAX 24
#define SYNONYM_TOKENS_MAX 6
#define SCORE_WHOLE 0.95f
#define SCORE_NEAR 0.7f
#define SCORE_MIN 0.45f
#define SCORE_MIN_STOP 0.9f /* a lone stop word must be nearly the whole name */
#define SCORE_SYNONYM 0.8f
#define SCORE_ID_MAX 0.75f

void named_add(struct question *q, struct named_list *l, uint32_t from, uint32_t to, uint32_t form,
    float score, enum target_how how, bool whole)
{
	const struct form *f = &q->ix->forms[form];
	struct named *n;

	if ((f->kind == FORM_TABLE || f->kind == FORM_COLUMN) && !q->in_scope[f->table])
		return;
	if (how == HOW_EXACT || how == HOW_LEMMA)
		how = f->how == HOW_EXACT ? how : f->how;
	n = arena_push(q->arena, l->items, l->n);
	*n = (struct named){from, to, form, score * f->factor, how, whole};
}

/* --- whole names as phrases ------------------------------------------------- */

static void add_phrase(struct question *q, struct named_list *l, uint32_t from, uint32_t to,
    const char *phrase, float score, enum target_how how)
{
	phrase_map_each(&q->ix->names, at, phrase) named_add(
	    q, l, from, to, q->ix->names.entries[at - 1].payload, score, how, score >= SCORE_WHOLE);
}

static void add_synonyms(
    struct question *q, struct named_list *l, uint32_t from, uint32_t to, const char *phrase)
{
	const char *words[16];
	size_t n, i;

	if (to - from > SYNONYM_TOKENS_MAX)
		return;
	n = lexicon_synonyms(phrase, words, ARRAY_SIZE(words));
	for (i = 0; i < n; i++)
		add_phrase(q, l, from, to, words[i], SCORE_SYNONYM, HOW_SYNONYM);
}

static void find_phrases(struct question *q, struct named_list *l)
{
	const struct token_list *t = &q->tokens;
	const char *phrase, *lemma;
	uint32_t i, k;

	for (i = 0; i < t->n; i++) {
		if (t->items[i].kind == TOKEN_PUNCT)
			continue;
		for (k = i + 1; k <= t->n && k - i <= PHRASE_TOKENS_MAX; k++) {
			if (t->items[k - 1].kind == TOKEN_PUNCT ||
			    (t->items[k - 1].kind == TOKEN_QUOTED && k - i > 1))
				break;
			phrase = token_phrase(q->arena, t, i, k);
			lemma = strcmp(t->items[k - 1].lemma, t->items[k - 1].norm)
			    ? token_phrase_lemma(q->arena, t, i, k)
			    : phrase;
			add_phrase(q, l, i, k, phrase, 1.0f, HOW_EXACT);
			add_synonyms(q, l, i, k, lemma);
			if (!strcmp(lemma, phrase))
				continue;
			add_phrase(q, l, i, k, lemma, 1.0f, HOW_LEMMA);
			if (t->items[k - 1].kind != TOKEN_CJK && k - i > 1)
				add_synonyms(q, l, i, k, phrase);
		}
	}
}

/* --- candidates --------------------------------------------------------------- */

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	return x->form < y->form ? -1 : x->form > y->form;
}

static bool is_in_scope(const struct question *q, const struct span_target *t)
{
	return t->table == TARGET_NONE || q->in_scope[t->table];
}

static bool find_scope_word(struct question *q, const struct semantic_variant *v)
{
	size_t i, k, n;

	for (i = 0; i < v->words.n; i++) {
		const char *want = token_phrase_of(q->arena, v->words.items[i]);

		for (k = 0; k < q->tokens.n; k++)
			for (n = k + 1; n <= q->tokens.n && n - k <= 6; n++)
				if (!strcmp(token_phrase(q->arena, &q->tokens, k, n), want)) {
					*arena_push(q->arena, q->scope_words, q->n_scope_words) =
					    (struct token_range){(uint32_t)k, (uint32_t)n};
					return true;
				}
	}
	return false;
}

/* Targets of a term: the variant that a scope word picks, else the precedence,
 * else all variants with the same score. */
static void add_term(struct question *q, struct candidate *c, uint32_t item, float score)
{
	const struct semantic_term *term = &q->ix->semantic->terms[item];
	struct span_target t;
	const struct semantic_variant *picked = NULL;
	size_t i;

	if (*term->target) {
		if (index_resolve_target(q->ix, term->target, &t) && is_in_scope(q, &t)) {
			t.score = score;
			candidate_target(q, c, &t);
		}
		return;
	}
	for (i = 0; i < term->n_variants && !picked; i++)
		if (find_scope_word(q, &term->variants[i]))
			picked = &term->variants[i];
	for (i = 0; i < term->n_variants && !picked; i++)
		if (*term->precedence && !strcmp(term->variants[i].scope, term->precedence))
			picked = &term->variants[i];
	if (!picked && term->n_variants > 1)
		c->open_term = item;
	for (i = 0; i < term->n_variants; i++) {
		if (picked && picked != &term->variants[i])
			continue;
		if (!index_resolve_target(q->ix, term->variants[i].target, &t) ||
		    !is_in_scope(q, &t))
			continue;
		t.score = score;
		candidate_target(q, c, &t);
	}
}

static void add_form_target(struct question *q, struct candidate *c, const struct named *n)
{
	const struct form *f = &q->ix->forms[n->form];
	struct span_target t = {f->table, f->column, TARGET_NONE, {0}, n->score, n->how};

	if (f->kind == FORM_TERM) {
		add_term(q, c, f->item, n->score);
		return;
	}
	if (f->kind == FORM_METRIC)
		t.metric = f->item;
	candidate_target(q, c, &t);
}

static enum span_kind kind_of_target(const struct span_target *t)
{
	if (t->metric != TARGET_NONE)
		return SPAN_METRIC;
	return t->column != TARGET_NONE ? SPAN_COLUMN : SPAN_TABLE;
}

static enum candidate_class class_of(const struct question *q, const struct named *n)
{
	bool several = n->to - n->from > 1;
	uint32_t i;

	for (i = n->from; i < n->to; i++)
		if (q->tokens.items[i].kind == TOKEN_QUOTED)
			return CLASS_QUOTED;
	if (n->whole && (several || named_is_coordination(q, n->from)))
		return CLASS_NAME_WHOLE;
	if (several && n->score >= SCORE_NEAR)
		return CLASS_NAME_NEAR;
	return n->score >= SCORE_MIN_STOP ? CLASS_NAME : CLASS_LOOSE;
}

/* Also reads "student id" as table + column where a name has both words. */
static void add_split_reading(struct question *q, struct candidate *c, const struct named_list *l)
{
	const struct form *tf, *cf;
	struct span_target t;
	size_t i, k;

	for (i = 0; i < l->n; i++) {
		tf = &q->ix->forms[l->items[i].form];
		if (l->items[i].from != c->from || l->items[i].to >= c->to ||
		    tf->kind != FORM_TABLE || l->items[i].score < SCORE_WHOLE)
			continue;
		for (k = 0; k < l->n; k++) {
			cf = &q->ix->forms[l->items[k].form];
			if (l->items[k].from != l->items[i].to || l->items[k].to != c->to ||
			    cf->kind != FORM_COLUMN || cf->table != tf->table ||
			    l->items[k].score < SCORE_WHOLE)
				continue;
			t = (struct span_target){
			    cf->table, cf->column, TARGET_NONE, {0}, 1.0f, l->items[k].how};
			candidate_target(q, c, &t);
		}
	}
}

static int compare_targets(const void *a, const void *b)
{
	const struct span_target *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	/* A table before its equally named column. */
	if ((x->column == TARGET_NONE) != (y->column == TARGET_NONE))
		return x->column == TARGET_NONE ? -1 : 1;
	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

/* A table and a figure in it under the same name (产量 of production.amount): the
 * figure is what is asked for. */
static void prefer_measure(const struct question *q, struct candidate *c)
{
	const struct catalog_column *col;
	struct span_target t;
	size_t i;

	for (i = 1; i < c->n_targets && c->targets[i].score == c->targets[0].score; i++) {
		t = c->targets[i];
		if (c->targets[0].column != TARGET_NONE || t.column == TARGET_NONE ||
		    t.table != c->targets[0].table)
			continue;
		col = &q->ix->catalog->tables[t.table].columns[t.column];
		if (!catalog_column_is_numeric(col) || col->pk_position || col->is_unique)
			continue;
		c->targets[i] = c->targets[0];
		c->targets[0] = t;
		return;
	}
}

static bool is_id_column(const struct question *q, const struct span_target *t)
{
	const char *name = q->ix->catalog->tables[t->table].columns[t->column].name;
	size_t n = strlen(name);

	return n > 2 &&
	    (!strcasecmp(name + n - 2, "id") || !strcasecmp(name + n - 2, "no") ||
	        (n > 3 &&
	            (!strcasecmp(name + n - 3, "num") ||
	                (n > 4 && !strcasecmp(name + n - 4, "code")))));
}

/* "users" where there are user_profiles and tweets.uid: the table, not the key
 * that points to it. */
static void prefer_entity(const struct question *q, struct candidate *c)
{
	struct span_target t = c->targets[0];
	size_t i;

	if (t.column == TARGET_NONE || t.metric != TARGET_NONE || t.score >= SCORE_ID_MAX ||
	    !is_id_column(q, &t))
		return;
	for (i = 1; i < c->n_targets; i++) {
		t = c->targets[i];
		if (t.column != TARGET_NONE || t.metric != TARGET_NONE || t.score < SCORE_MIN)
			continue;
		memmove(c->targets + 1, c->targets, i * sizeof(*c->targets));
		c->targets[0] = t;
		return;
	}
}

void question_names(struct question *q)
{
	struct named_list l = {NULL, 0};
	struct candidate *c = NULL;
	size_t i, first;

	find_phrases(q, &l);
	named_words(q, &l);
	named_pieces(q, &l);
	if (!l.n)
		return;
	qsort(l.items, l.n, sizeof(*l.items), compare_named);
	for (i = first = 0; i < l.n; i++) {
		const struct named *n = &l.items[i];

		if (i == 0 || n->from != l.items[first].from || n->to != l.items[first].to) {
			first = i;
			c = candidate_add(q, n->from, n->to, class_of(q, n), SPAN_COLUMN, n->score);
		}
		add_form_target(q, c, n);
		if (i + 1 < l.n && l.items[i + 1].from == n->from && l.items[i + 1].to == n->to)
			continue;
		if (n->to - n->from > 1)
			add_split_reading(q, c, &l);
		if (!c->n_targets) {
			q->n_candidates--;
			continue;
		}
		qsort(c->targets, c->n_targets, sizeof(*c->targets), compare_targets);
		prefer_measure(q, c);
		prefer_entity(q, c);
		c->kind = kind_of_target(&c->targets[0]);
	}
}
