/*
 * From candidates to spans: a greedy cover by class, length, score; what is left
 * becomes parts of values or UNKNOWN; then the readings that need neighbours
 * (relative pronouns, time columns of a period).
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/text/lemma.h"
#include "common/text/lexicon.h"
#include "schema_agent/names.h"
#include "schema_agent/question.h"

#define TARGETS_MAX 12
#define PART_LETTERS_MIN 5
#define ABBREVIATION_MAX 5
#define SCORE_ABBREVIATION 0.7f
#define SCORE_WHOLE 0.95f
#define SPELLING_TRIES_MAX 24 /* each walks over all stored values */
#define SPECIFIC_TIME 0.2f    /* founded_year where nobody says founded */

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

static void add_name(struct grounding *g, struct semantic_names *list, const char *s, size_t len)
{
	char *copy = arena_strndup(&g->arena, s, len);
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->items[i], copy))
			return;
	*arena_push(&g->arena, list->items, list->n) = copy;
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

static bool names_something(const struct grounding_span *s)
{
	return s->kind == SPAN_TABLE || s->kind == SPAN_COLUMN || s->kind == SPAN_VALUE ||
	    s->kind == SPAN_METRIC;
}

static bool is_pronoun(const struct question *q, const struct grounding_span *s)
{
	static const char *const words[] = {"which", "who", "that", "whom"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == s->len && !strncmp(q->text + s->start, words[i], s->len))
			return true;
	return false;
}

/* "singers who": a relative clause, not a question. */
static void settle_pronouns(struct question *q, struct grounding *g)
{
	size_t i;

	for (i = 1; i < g->n_spans; i++) {
		struct grounding_span *s = &g->spans[i];

		if (s->kind == SPAN_CUE && (s->cue == CUE_WHICH || s->cue == CUE_WHO) &&
		    names_something(&g->spans[i - 1]) && is_pronoun(q, s))
			s->cue = CUE_THAT;
	}
}

/* 订单数: how many of the table before it. */
static void settle_numbers_of(struct question *q, struct grounding *g)
{
	size_t i;

	for (i = 1; i < g->n_spans; i++)
		if (g->spans[i].kind == SPAN_UNKNOWN && g->spans[i - 1].kind == SPAN_TABLE &&
		    g->spans[i].len == strlen("数") &&
		    !strncmp(q->text + g->spans[i].start, "数", strlen("数"))) {
			g->spans[i].kind = SPAN_CUE;
			g->spans[i].cue = CUE_COUNT;
		}
}

static bool is_listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; list; list = strchr(list, ',')) {
		list += strspn(list, ", ");
		if (!strncmp(list, word, n) && (!list[n] || list[n] == ','))
			return true;
	}
	return false;
}

/* "orders placed by": every order is. */
static void settle_row_verbs(struct question *q, struct grounding *g)
{
	char lemma[LEMMA_MAX];
	const char *things;
	size_t i, k;

	for (i = 0; i < g->n_spans; i++) {
		struct grounding_span *s = &g->spans[i];

		if (s->kind != SPAN_UNKNOWN)
			continue;
		things = lexicon_row_verb(
		    token_phrase_of(q->arena, arena_strndup(q->arena, q->text + s->start, s->len)));
		for (k = 0; things && k < g->n_spans; k++) {
			if (g->spans[k].kind != SPAN_TABLE)
				continue;
			lemma_of(token_phrase_of(q->arena,
			             arena_strndup(
			                 q->arena, q->text + g->spans[k].start, g->spans[k].len)),
			    lemma);
			if (is_listed(things, lemma))
				s->kind = SPAN_STOP;
		}
	}
}

/* "creation years", "type of status": a generic word beside the column that it
 * belongs to adds nothing. */
static void settle_generic(struct question *q, struct grounding *g)
{
	struct semantic_names missing = {NULL, 0};
	char lemma[LEMMA_MAX];
	const char *word;
	size_t i, next;

	for (i = 0; i < g->n_spans; i++) {
		struct grounding_span *s = &g->spans[i];

		if (s->kind != SPAN_UNKNOWN)
			continue;
		word = arena_strndup(q->arena, q->text + s->start, s->len);
		lemma_of(token_phrase_of(q->arena, word), lemma);
		next = i + 1 < g->n_spans && g->spans[i + 1].kind == SPAN_CUE &&
		        g->spans[i + 1].cue == CUE_OF
		    ? i + 2
		    : i + 1;
		if ((lexicon_is_generic(lemma) || !strcmp(lemma, "year")) &&
		    ((i && g->spans[i - 1].kind == SPAN_COLUMN) ||
		        (next < g->n_spans && g->spans[next].kind == SPAN_COLUMN)))
			s->kind = SPAN_STOP;
		else
			add_name(g, &missing, word, strlen(word));
	}
	g->missing = missing;
}

/* --- periods ------------------------------------------------------------------------ */

/* How sure the question is about a time column: named 1, a figure of its table
 * named 0.5, its table 0.3, not at all 0. */
static float mention_of(const struct grounding *g, uint32_t table, uint32_t column)
{
	float best = 0, score;
	size_t i, k;

	for (i = 0; i < g->n_spans; i++) {
		const struct grounding_span *s = &g->spans[i];

		for (k = 0; k < s->n_targets && names_something(s); k++) {
			const struct span_target *t = &s->targets[k];

			if (t->table != table || t->score < 0.5f)
				continue;
			if (s->kind == SPAN_COLUMN && t->column == column &&
			    t->score >= SCORE_WHOLE)
				return 1;
			score = t->column == TARGET_NONE || s->kind == SPAN_VALUE ? 0.3f : 0.5f;
			if (k == 0 && best < score)
				best = score;
		}
	}
	return best;
}

static struct value year_value(const struct ground_index *ix, uint32_t table, uint32_t column,
    struct arena *a, const char *from)
{
	const struct catalog_column *c = &ix->catalog->tables[table].columns[column];
	char year[5] = "";
	struct value v = {0};
	const struct value *stored;

	memcpy(year, from, 4);
	stored = index_stored_text(c, year);
	if (stored)
		return *stored;
	v.type = VALUE_INT;
	v.i = atoi(year);
	if (c->affinity == AFFINITY_TEXT || (c->n_domain && c->domain[0].type == VALUE_TEXT)) {
		v.type = VALUE_TEXT;
		v.text = arena_strdup(a, year);
		v.len = 4;
	}
	return v;
}

/* "in", "up" between a verb and its time. */
static bool is_between(struct question *q, const struct grounding_span *s)
{
	return (s->kind == SPAN_CUE && s->cue == CUE_FOR) ||
	    (s->kind == SPAN_STOP &&
	        !lexicon_time_verb(token_phrase_of(
	            q->arena, arena_strndup(q->arena, q->text + s->start, s->len))));
}

/* The word beside a period that says which time is meant: "born after 1950",
 * 2000年以后成立的. TARGET_NONE if there is none. */
static uint32_t time_verb_beside(
    struct question *q, const struct grounding *g, uint32_t period, const char **ret_attributes)
{
	const struct grounding_span *s;
	uint32_t at, pass;

	for (pass = 0; pass < 2; pass++) {
		at = pass ? period + 1 : period - 1;
		while (!pass && at < g->n_spans && is_between(q, &g->spans[at]))
			at--;
		if (at >= g->n_spans)
			continue;
		s = &g->spans[at];
		*ret_attributes = lexicon_time_verb(
		    token_phrase_of(q->arena, arena_strndup(q->arena, q->text + s->start, s->len)));
		if (*ret_attributes && s->kind != SPAN_VALUE && s->kind != SPAN_TABLE)
			return at;
	}
	return TARGET_NONE;
}

/* A table that is said and has one time called no more than "year" or "date":
 * what happened to it happened then. */
static bool is_only_time(
    struct question *q, const struct grounding *g, const struct grounding_span *period)
{
	const struct span_target *t = period->targets;
	struct name_words w;
	size_t i;

	if (!period->n_targets)
		return false;
	name_split(
	    q->arena, q->ix->catalog->tables[t->table].columns[t->column].name, NULL, NULL, &w);
	for (i = 0; i < g->n_spans; i++)
		if (w.n == 1 && g->spans[i].kind == SPAN_TABLE &&
		    g->spans[i].targets[0].table == t->table)
			return true;
	return false;
}

/* Puts the columns that the word means in front; a word that means a time which
 * the schema lacks is UNKNOWN: no other time answers for it. */
static void settle_time_verb(struct question *q, struct grounding *g, uint32_t period)
{
	struct grounding_span *s = &g->spans[period];
	struct candidate c = {0};
	const char *attributes;
	uint32_t verb = time_verb_beside(q, g, period, &attributes);
	size_t i, k;

	if (verb == TARGET_NONE)
		return;
	question_hints(q, &c, attributes, strlen(attributes));
	for (i = c.n_targets; i-- > 0;) {
		struct span_target t;

		for (k = 0; k < s->n_targets &&
		     (s->targets[k].table != c.targets[i].table ||
		         s->targets[k].column != c.targets[i].column);
		     k++)
			;
		if (k == s->n_targets)
			continue;
		t = s->targets[k];
		t.score = 0.9f;
		memmove(s->targets + 1, s->targets, k * sizeof(t));
		s->targets[0] = t;
	}
	if (!s->n_targets || s->targets[0].score < 0.9f) {
		if (g->spans[verb].kind == SPAN_STOP && !is_only_time(q, g, s))
			g->spans[verb].kind = SPAN_UNKNOWN;
	} else if (g->spans[verb].kind == SPAN_UNKNOWN || g->spans[verb].kind == SPAN_COLUMN) {
		g->spans[verb].kind = SPAN_STOP;
		g->spans[verb].n_targets = 0;
	}
}

/* --- participles ----------------------------------------------------------------------- */

static bool is_participle(const struct question *q, const struct grounding_span *s)
{
	const char *word = q->text + s->start;

	return s->kind == SPAN_COLUMN && s->len > 4 && !strncmp(word + s->len - 2, "ed", 2) &&
	    !memchr(word, ' ', s->len);
}

/* The value that a participle leads to: "headquartered in Beijing". NULL: none. */
static struct grounding_span *value_behind(struct grounding *g, size_t at)
{
	for (at++; at < g->n_spans; at++) {
		if (g->spans[at].kind == SPAN_VALUE)
			return &g->spans[at];
		if (g->spans[at].kind != SPAN_STOP &&
		    !(g->spans[at].kind == SPAN_CUE && g->spans[at].cue == CUE_FOR))
			break;
	}
	return NULL;
}

/* Puts in front the value's target in a column that the participle means, too. */
static bool share_column(const struct grounding_span *verb, struct grounding_span *value)
{
	size_t i, k;

	for (i = 0; i < value->n_targets; i++)
		for (k = 0; k < verb->n_targets; k++) {
			struct span_target t = value->targets[i];

			if (verb->targets[k].table != t.table ||
			    verb->targets[k].column != t.column)
				continue;
			memmove(value->targets + 1, value->targets, i * sizeof(t));
			value->targets[0] = t;
			return true;
		}
	return false;
}

static bool asks_for_time(const struct question *q, const struct grounding *g, size_t but)
{
	enum target_how how;
	size_t i;

	for (i = 0; i < g->n_spans; i++) {
		const struct grounding_span *s = &g->spans[i];

		if (s->kind == SPAN_PERIOD ||
		    (s->kind == SPAN_CUE &&
		        (s->cue == CUE_WHEN || s->cue == CUE_TREND || s->cue == CUE_EARLIEST ||
		            s->cue == CUE_LATEST)))
			return true;
		if (i != but && s->kind == SPAN_COLUMN && s->n_targets &&
		    s->targets[0].column != TARGET_NONE &&
		    index_is_time(q->ix, s->targets[0].table, s->targets[0].column, &how))
			return true;
	}
	return false;
}

/* "headquartered in Beijing": the verb says again which column the value is in.
 * "were shipped" asks for no date: what it asks for, no span can say. */
static void settle_participles(const struct question *q, struct grounding *g)
{
	struct grounding_span *value;
	enum target_how how;
	size_t i;

	for (i = 1; i < g->n_spans; i++) {
		struct grounding_span *s = &g->spans[i];

		if (!is_participle(q, s) || !s->n_targets || s->targets[0].column == TARGET_NONE ||
		    g->spans[i - 1].kind == SPAN_CUE)
			continue;
		value = value_behind(g, i);
		if (value && share_column(s, value))
			s->kind = SPAN_STOP;
		else if (s->targets[0].score < SCORE_WHOLE &&
		    index_is_time(q->ix, s->targets[0].table, s->targets[0].column, &how) &&
		    !asks_for_time(q, g, i))
			s->kind = SPAN_UNKNOWN;
		else
			continue;
		s->n_targets = 0;
	}
}

/* One whole calendar year. */
static bool is_one_year(const struct period *p)
{
	return p->from[0] && p->to[0] && !strcmp(p->from + 4, "-01-01") &&
	    !strcmp(p->to + 4, "-01-01") && atoi(p->to) == atoi(p->from) + 1;
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

static void add_time_columns(struct question *q, struct grounding *g, struct grounding_span *s)
{
	const struct catalog *c = q->ix->catalog;
	const struct period *p = s->kind == SPAN_PERIOD ? &g->periods[s->period] : NULL;
	struct span_target t;
	float mention;
	uint32_t i, k;

	for (i = 0; i < c->n_tables; i++)
		for (k = 0; q->in_scope[i] && k < c->tables[i].n_columns; k++) {
			t = (struct span_target){i, k, TARGET_NONE, {0}, 0, HOW_PARTIAL};
			if (!index_is_time(q->ix, i, k, &t.how) ||
			    (s->kind == SPAN_CUE && s->cue_arg > GRAIN_YEAR + 1 &&
			        index_is_year(q->ix, i, k)))
				continue;
			mention = mention_of(g, i, k);
			t.score =
			    mention == 1 ? 1 : (t.how == HOW_LABEL ? 0.6f : 0.5f) + 0.5f * mention;
			if (mention < 1 && !index_is_plain_time(q->ix, i, k))
				t.score -= SPECIFIC_TIME;
			if (mention == 1)
				t.how = HOW_EXACT;
			if (index_is_year(q->ix, i, k)) {
				if (p && is_one_year(p))
					t.value = year_value(q->ix, i, k, &g->arena, p->from);
				t.score += (!p || p->grain == GRAIN_YEAR) && t.score < 0.95f ? 0.05f
				                                                             : 0;
			}
			*arena_push(&g->arena, s->targets, s->n_targets) = t;
		}
	if (s->n_targets)
		qsort(s->targets, s->n_targets, sizeof(*s->targets), compare_targets);
	if (s->n_targets > TARGETS_MAX)
		s->n_targets = TARGETS_MAX;
}

/* --- views --------------------------------------------------------------------------- */

static bool is_unnamed_view(const struct question *q, uint32_t table)
{
	return table != TARGET_NONE && q->ix->catalog->tables[table].kind == CATALOG_VIEW &&
	    !q->literal[table];
}

/* What a view shows and a base table has, too, is meant of the base table. */
static void settle_views(const struct question *q, struct grounding *g)
{
	size_t i, k, n, b;

	for (i = 0; i < g->n_spans; i++) {
		struct grounding_span *s = &g->spans[i];

		for (k = n = 0; k < s->n_targets; k++) {
			const struct span_target *t = &s->targets[k];

			for (b = 0; is_unnamed_view(q, t->table) && b < s->n_targets; b++)
				if (s->targets[b].table != TARGET_NONE &&
				    !is_unnamed_view(q, s->targets[b].table) &&
				    (s->targets[b].column == TARGET_NONE) ==
				        (t->column == TARGET_NONE) &&
				    s->targets[b].score >= t->score)
					break;
			if (is_unnamed_view(q, t->table) && b < s->n_targets)
				continue;
			s->targets[n++] = *t;
		}
		s->n_targets = n;
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
	size_t i;

	cover(q, chosen);
	drop_unfounded(q, chosen);
	release_weak(q, chosen);
	explain_rest(q, chosen);
	g->lang = language_of(q, chosen);
	write_spans(q, g, chosen);
	settle_pronouns(q, g);
	settle_numbers_of(q, g);
	for (i = 0; i < g->n_spans; i++)
		if (g->spans[i].kind == SPAN_PERIOD ||
		    (g->spans[i].kind == SPAN_CUE && g->spans[i].cue == CUE_TREND))
			add_time_columns(q, g, &g->spans[i]);
	for (i = 0; i < g->n_spans; i++)
		if (g->spans[i].kind == SPAN_PERIOD)
			settle_time_verb(q, g, (uint32_t)i);
	settle_participles(q, g);
	settle_row_verbs(q, g);
	settle_views(q, g);
	settle_generic(q, g);
}
