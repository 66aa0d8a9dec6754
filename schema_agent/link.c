/*
 * From candidates to spans: a greedy cover by class, length, score; what is left
 * becomes parts of values or UNKNOWN. What needs neighbours: settle.c, times.c.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/text/lexicon.h"
#include "schema_agent/settle.h"

#define TARGETS_MAX 12
#define PART_LETTERS_MIN 5
#define ABBREVIATION_MAX 5
#define SCORE_ABBREVIATION 0.7f
#define SPELLING_TRIES_MAX 24 /* each walks over all stored values */

/* CJK has no word classes to trust: there the longest of names and values wins. */
static int class_rank(const struct question *q, const struct candidate *c)
{
	bool cjk = q->tokens.items[c->from].kind == TOKEN_CJK;

	if (c->cls == CLASS_VALUE_STRONG && cjk)
		return CLASS_NAME_WHOLE;
	/* 总部 is no 总 with 部 behind it. */
	if (c->cls == CLASS_NAME_NEAR && cjk)
		return CLASS_CUE;
	return (int)c->cls;
}

struct ranked {
	int rank;
	const struct candidate *c;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *p = a, *r = b;
	const struct candidate *x = p->c, *y = r->c;

	if (p->rank != r->rank)
		return p->rank < r->rank ? -1 : 1;
	if (x->to - x->from != y->to - y->from)
		return x->to - x->from > y->to - y->from ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* chosen[token] is the candidate that covers it, or NULL. */
static void cover(struct question *q, const struct candidate **chosen)
{
	struct ranked *r = arena_new_array(q->arena, q->n_candidates, struct ranked);
	size_t i;
	uint32_t k;

	for (i = 0; i < q->n_candidates; i++)
		r[i] = (struct ranked){class_rank(q, &q->candidates[i]), &q->candidates[i]};
	if (q->n_candidates)
		qsort(r, q->n_candidates, sizeof(*r), compare_ranked);
	for (i = 0; i < q->n_candidates; i++) {
		const struct candidate *c = r[i].c;

		for (k = c->from; k < c->to && !chosen[k]; k++)
			;
		if (k < c->to)
			continue;
		for (k = c->from; k < c->to; k++)
			chosen[k] = c;
	}
}

/* "older than 30" says nothing where there is no age; "longer than the average
 * number of hours" does, because the column stands behind it. */
static void drop_unfounded(struct question *q, const struct candidate **chosen)
{
	const struct candidate *next;
	uint32_t i, k;

	for (i = 0; i < q->tokens.n; i = chosen[i] ? chosen[i]->to : i + 1) {
		if (!chosen[i] || !chosen[i]->unfounded)
			continue;
		for (k = chosen[i]->to; k < q->tokens.n; k = chosen[k]->to) {
			next = chosen[k];
			if (!next ||
			    !(next->kind == SPAN_STOP ||
			        (next->kind == SPAN_CUE &&
			            (next->cue == CUE_COUNT || next->cue == CUE_AVG ||
			                next->cue == CUE_SUM))))
				break;
		}
		if (k < q->tokens.n && chosen[k] && chosen[k]->kind == SPAN_COLUMN)
			continue;
		struct candidate *unknown = arena_memdup(q->arena, chosen[i], sizeof(*unknown));

		unknown->kind = SPAN_UNKNOWN;
		for (k = unknown->from; k < unknown->to; k++)
			chosen[k] = unknown;
	}
}

/* A single Chinese character that is a cue or stop word nearly anywhere. */
static bool is_firm(const char *norm)
{
	static const char *const firm[] = {"的", "和", "与", "或", "在", "按", "各", "每", "有",
	    "是", "且", "及", "从", "比", "最", "并", "也", "都", "了", "吗", "呢", "请", "其",
	    "不", "无", "未", "总", "前", "家", "个", "名", "位"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(firm); i++)
		if (!strcmp(firm[i], norm))
			return true;
	return false;
}

/* A cue of one character beside characters that nothing explains is most likely
 * part of their word (达 in 达标率). */
static void release_weak(struct question *q, const struct candidate **chosen)
{
	const struct token_list *t = &q->tokens;
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct candidate *c = chosen[i];
		bool left = i > 0 && t->items[i - 1].kind == TOKEN_CJK && !chosen[i - 1];
		bool right = i + 1 < t->n && t->items[i + 1].kind == TOKEN_CJK && !chosen[i + 1];

		if (t->items[i].kind == TOKEN_CJK && c && c->to - c->from == 1 && (left || right) &&
		    (c->kind == SPAN_CUE || c->kind == SPAN_STOP) && !is_firm(t->items[i].norm))
			chosen[i] = NULL;
	}
}

static const struct candidate *keep(struct question *q, const struct candidate *c)
{
	return arena_memdup(q->arena, c, sizeof(*c));
}

static void choose(const struct candidate **chosen, const struct candidate *c)
{
	uint32_t k;

	for (k = c->from; k < c->to; k++)
		chosen[k] = c;
}

/* 中石油 for 中国石油: the characters in order, beginning with the first. */
static bool is_abbreviation(const char *brief, const char *full)
{
	size_t n, m;
	uint32_t a, b;
	bool first = true;

	if (strlen(full) <= strlen(brief) || strlen(full) > 3 * strlen(brief))
		return false;
	while (*brief) {
		n = utf8_next(brief, strlen(brief), &a);
		for (;;) {
			if (!*full)
				return false;
			m = utf8_next(full, strlen(full), &b);
			full += m;
			if (a == b)
				break;
			if (first)
				return false;
		}
		first = false;
		brief += n;
	}
	return true;
}

static bool abbreviation(
    struct question *q, uint32_t from, uint32_t to, struct candidate *ret_candidate)
{
	const char *brief = token_phrase(q->arena, &q->tokens, from, to);
	struct candidate c = {.from = from,
	    .to = to,
	    .cls = CLASS_LOOSE,
	    .kind = SPAN_VALUE,
	    .score = SCORE_ABBREVIATION,
	    .quantity = TARGET_NONE,
	    .period = TARGET_NONE,
	    .open_term = TARGET_NONE};
	size_t i;

	for (i = 0; i < q->ix->n_stored && c.n_targets < TARGETS_MAX; i++) {
		const struct stored_value *s = &q->ix->stored[i];
		struct span_target t = {s->table, s->column, TARGET_NONE, *s->value,
		    SCORE_ABBREVIATION, HOW_STORED_PARTIAL};

		if (q->in_scope[s->table] && is_abbreviation(brief, s->phrase))
			candidate_target(q, &c, &t);
	}
	*ret_candidate = c;
	return c.n_targets > 0;
}

/* The longest stretch of an unexplained CJK run that is part of a value, then
 * the same left and right of it. */
static void explain_run(
    struct question *q, const struct candidate **chosen, uint32_t from, uint32_t to)
{
	struct candidate c;
	uint32_t n, i;

	for (n = to - from; n >= 2; n--)
		for (i = from; i + n <= to; i++) {
			if (!question_value_part(q, i, i + n, &c) &&
			    (n < 2 || n > ABBREVIATION_MAX || !abbreviation(q, i, i + n, &c)))
				continue;
			choose(chosen, keep(q, &c));
			explain_run(q, chosen, from, i);
			explain_run(q, chosen, i + n, to);
			return;
		}
}

static bool may_be_part(const struct question *q, uint32_t i)
{
	const struct token *t = &q->tokens.items[i];

	return t->kind == TOKEN_WORD && (t->capital || strlen(t->norm) >= PART_LETTERS_MIN);
}

/* "Grmany", "Jorg Weiss": two words before one. */
static void explain_spelling(struct question *q, const struct candidate **chosen)
{
	const struct token_list *t = &q->tokens;
	struct candidate c;
	uint32_t i, n, tries = 0;

	for (i = 0; i < t->n && tries < SPELLING_TRIES_MAX; i++)
		for (n = 2; n >= 1; n--) {
			if (i + n > t->n || chosen[i] || chosen[i + n - 1] ||
			    t->items[i].kind != TOKEN_WORD ||
			    t->items[i + n - 1].kind != TOKEN_WORD)
				continue;
			tries++;
			if (question_value_spelling(q, i, i + n, &c)) {
				choose(chosen, keep(q, &c));
				break;
			}
		}
}

static void explain_rest(struct question *q, const struct candidate **chosen)
{
	const struct token_list *t = &q->tokens;
	struct candidate c;
	uint32_t i, to;

	for (i = 0; i < t->n; i = to) {
		to = i + 1;
		if (chosen[i] || t->items[i].kind == TOKEN_PUNCT)
			continue;
		while (to < t->n && !chosen[to] && t->items[to].kind == t->items[i].kind)
			to++;
		if (t->items[i].kind == TOKEN_CJK) {
			explain_run(q, chosen, i, to);
			continue;
		}
		if (may_be_part(q, i) && to - i > 1 && question_value_part(q, i, to, &c)) {
			choose(chosen, keep(q, &c));
			continue;
		}
		to = i + 1;
		if (may_be_part(q, i) && question_value_part(q, i, to, &c))
			choose(chosen, keep(q, &c));
	}
	explain_spelling(q, chosen);
}

/* --- spans ------------------------------------------------------------------------ */

static struct grounding_span *add_span(
    struct question *q, struct grounding *g, uint32_t from, uint32_t to, enum span_kind kind)
{
	const struct token *first = &q->tokens.items[from], *last = &q->tokens.items[to - 1];
	struct grounding_span *s = arena_push(&g->arena, g->spans, g->n_spans);

	s->start = first->start;
	s->len = last->start + last->len - first->start;
	s->kind = kind;
	s->quantity = s->period = TARGET_NONE;
	s->in_quotes = first->kind == TOKEN_QUOTED;
	return s;
}

static void add_ambiguity(struct question *q, struct grounding *g, uint32_t term)
{
	const struct semantic_term *t = &q->ix->semantic->terms[term];
	struct grounding_ambiguity *a = arena_push(&g->arena, g->ambiguities, g->n_ambiguities);
	const char *option;
	size_t i;

	a->span = (uint32_t)g->n_spans - 1;
	a->text = arena_printf(&g->arena, "%s has %zu definitions and nothing decides between them",
	    t->term, t->n_variants);
	for (i = 0; i < t->n_variants; i++) {
		option = arena_printf(&g->arena, "%s%s%s", t->variants[i].scope,
		    *t->variants[i].note ? ": " : "", t->variants[i].note);
		*arena_push(&g->arena, a->options.items, a->options.n) = option;
	}
}

static void add_chosen(struct question *q, struct grounding *g, const struct candidate *c)
{
	struct grounding_span *s = add_span(q, g, c->from, c->to, c->kind);

	s->targets = c->targets;
	s->n_targets = c->n_targets < TARGETS_MAX ? c->n_targets : TARGETS_MAX;
	s->cue = c->cue;
	s->cue_arg = c->cue_arg;
	if (c->quantity != TARGET_NONE) {
		struct quantity *quantity = arena_push(&g->arena, g->quantities, g->n_quantities);

		*quantity = q->quantities[c->quantity];
		quantity->unit = arena_strdup(&g->arena, quantity->unit);
		quantity->base = arena_strdup(&g->arena, quantity->base);
		s->quantity = (uint32_t)g->n_quantities - 1;
	}
	if (c->period != TARGET_NONE) {
		*arena_push(&g->arena, g->periods, g->n_periods) = q->periods[c->period];
		s->period = (uint32_t)g->n_periods - 1;
	}
	if (c->open_term != TARGET_NONE && c->n_targets > 1)
		add_ambiguity(q, g, c->open_term);
}

/* One UNKNOWN span for a CJK run, one a word otherwise. */
static uint32_t add_unknown(
    struct question *q, struct grounding *g, const struct candidate **chosen, uint32_t i)
{
	const struct token_list *t = &q->tokens;
	uint32_t to = i + 1;

	while (t->items[i].kind == TOKEN_CJK && to < t->n && !chosen[to] &&
	    t->items[to].kind == TOKEN_CJK)
		to++;
	add_span(q, g, i, to, SPAN_UNKNOWN);
	return to;
}

static void write_spans(struct question *q, struct grounding *g, const struct candidate **chosen)
{
	uint32_t i = 0;

	while (i < q->tokens.n) {
		if (chosen[i]) {
			add_chosen(q, g, chosen[i]);
			i = chosen[i]->to;
		} else if (q->tokens.items[i].kind == TOKEN_PUNCT) {
			i++;
		} else {
			i = add_unknown(q, g, chosen, i);
		}
	}
}

/* The language of the words that are no stored values or quotations. */
static enum grounding_lang language_of(const struct question *q, const struct candidate **chosen)
{
	size_t i, cjk = 0, words = 0;

	for (i = 0; i < q->tokens.n; i++) {
		if (chosen[i] && chosen[i]->kind == SPAN_VALUE)
			continue;
		cjk += q->tokens.items[i].kind == TOKEN_CJK;
		words += q->tokens.items[i].kind == TOKEN_WORD;
	}
	if (!cjk && !words)
		for (i = 0; i < q->tokens.n; i++)
			cjk += q->tokens.items[i].kind == TOKEN_CJK;
	return cjk > words ? LANG_ZH : LANG_EN;
}

void question_link(struct question *q, struct grounding *g)
{
	const struct candidate **chosen = arena_new_array(
	    q->arena, q->tokens.n + 1, const struct candidate *);

	cover(q, chosen);
	drop_unfounded(q, chosen);
	release_weak(q, chosen);
	explain_rest(q, chosen);
	g->lang = language_of(q, chosen);
	write_spans(q, g, chosen);
	settle_before_times(q, g);
	times_link(q, g);
	settle_after_times(q, g);
}
