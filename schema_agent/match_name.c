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
#include "schema_agent/question.h"

#define PHRASE_TOKENS_MAX 24
#define SYNONYM_TOKENS_MAX 6
#define SCORE_WHOLE 0.95f
#define SCORE_NEAR 0.7f
#define SCORE_THROUGH 0.88f
#define SCORE_MIN 0.45f
#define SCORE_MIN_EXACT 0.3f
#define SCORE_MIN_STOP 0.9f /* a lone stop word must be nearly the whole name */
#define SCORE_SYNONYM 0.8f
#define SCORE_ID_MAX 0.75f
#define GAP_MAX 3
#define WEIGHT_CONTENT_MIN 0.5f /* below: a generic word */
#define WEIGHT_REPEAT_MAX 0.3f  /* a word that repeats its table's name, or a prefix */

/* One way in which tokens name a form. whole: all of its words but those that
 * repeat its table's name. */
struct named {
	uint32_t from, to, form;
	float score;
	enum target_how how;
	bool whole;
};
struct named_list {
	struct named *items;
	size_t n;
};

static void add_named(struct question *q, struct named_list *l, uint32_t from, uint32_t to,
    uint32_t form, float score, enum target_how how, bool whole)
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
	phrase_map_each(&q->ix->names, at, phrase) add_named(
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
			lemma = token_phrase_lemma(q->arena, t, i, k);
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

/* --- words of a name ---------------------------------------------------------- */

/* Tokens [token, to) stand for a word of a form. */
struct hit {
	uint32_t form, token, to, word;
	float weight, sim;
	enum target_how how;
};
struct hit_list {
	struct hit *items;
	size_t n;
};

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->form != y->form)
		return x->form < y->form ? -1 : 1;
	if (x->token != y->token)
		return x->token < y->token ? -1 : 1;
	if (x->to != y->to)
		return x->to > y->to ? -1 : 1;
	if (x->sim != y->sim)
		return x->sim > y->sim ? -1 : 1;
	return x->word < y->word ? -1 : x->word > y->word;
}

static void add_hits(
    struct question *q, struct hit_list *l, uint32_t from, uint32_t to, const struct token_match *m)
{
	const struct index_word *w = &q->ix->words[m->word];
	const struct form *f;
	size_t p;

	for (p = 0; p < w->n_forms; p++) {
		f = &q->ix->forms[w->forms[p].form];
		if (f->is_cjk || (f->table != TARGET_NONE && !q->in_scope[f->table]))
			continue;
		*arena_push(q->arena, l->items, l->n) = (struct hit){
		    w->forms[p].form, from, to, m->word, w->forms[p].weight, m->sim, m->how};
	}
}

/* A meaning of several words ("birth date") is one hit on forms that have them
 * all, with their weights together. */
static void add_compound(
    struct question *q, struct hit_list *l, uint32_t from, uint32_t to, const char *phrase)
{
	const struct ground_index *ix = q->ix;
	uint32_t words[NAME_WORDS_MAX];
	struct name_words w;
	const struct form *f;
	float weight;
	size_t i, k, p;

	name_split(q->arena, phrase, NULL, NULL, &w);
	for (i = 0; i < w.n; i++) {
		words[i] = index_word_find(ix, w.words[i]);
		if (words[i] == TARGET_NONE)
			return;
	}
	for (p = 0; w.n > 1 && p < ix->words[words[0]].n_forms; p++) {
		f = &ix->forms[ix->words[words[0]].forms[p].form];
		if (f->is_cjk || (f->table != TARGET_NONE && !q->in_scope[f->table]))
			continue;
		for (weight = 0, i = 0; i < w.n; i++) {
			for (k = 0; k < f->n_words && f->words[k] != words[i]; k++)
				;
			if (k == f->n_words)
				break;
			weight += f->weights[k];
		}
		if (i == w.n)
			*arena_push(q->arena, l->items, l->n) = (struct hit){
			    ix->words[words[0]].forms[p].form, from, to, words[0], weight,
			    SCORE_SYNONYM, HOW_SYNONYM};
	}
}

/* Meanings of a phrase: "phone number" for phone, 净资产 for net worth. */
static void add_phrase_hits(struct question *q, struct hit_list *l, uint32_t i)
{
	const char *words[16];
	struct token_match m = {TARGET_NONE, SCORE_SYNONYM, HOW_SYNONYM};
	bool cjk = q->tokens.items[i].kind == TOKEN_CJK;
	uint32_t to;
	size_t n, k;

	for (to = i + 1; to <= q->tokens.n && to - i <= SYNONYM_TOKENS_MAX; to++) {
		if (q->tokens.items[to - 1].kind == TOKEN_PUNCT ||
		    q->tokens.items[to - 1].kind == TOKEN_QUOTED)
			break;
		n = lexicon_synonyms(
		    token_phrase_lemma(q->arena, &q->tokens, i, to), words, ARRAY_SIZE(words));
		for (k = 0; k < n; k++) {
			m.word = index_word_find(q->ix, words[k]);
			if (strchr(words[k], ' '))
				add_compound(q, l, i, to, words[k]);
			else if (m.word != TARGET_NONE && (cjk || to - i > 1))
				add_hits(q, l, i, to, &m);
		}
	}
}

static void collect_hits(struct question *q, struct hit_list *l)
{
	uint32_t i;
	size_t k;

	for (i = 0; i < q->tokens.n; i++) {
		if (q->tokens.items[i].kind == TOKEN_PUNCT ||
		    q->tokens.items[i].kind == TOKEN_QUOTED)
			continue;
		for (k = 0; k < q->info[i].n_matches && q->tokens.items[i].kind != TOKEN_CJK; k++)
			add_hits(q, l, i, i + 1, &q->info[i].matches[k]);
		add_phrase_hits(q, l, i);
	}
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), compare_hits);
}

/* True if only "of", "the", "'s" and the like stand between two tokens. */
static bool is_joined(const struct question *q, uint32_t left, uint32_t right)
{
	static const char *const joints[] = {"of", "the", "'s", "a", "an", "number", "的"};
	uint32_t i, k;

	if (right - left - 1 > GAP_MAX)
		return false;
	for (i = left + 1; i < right; i++) {
		for (k = 0; k < ARRAY_SIZE(joints); k++)
			if (!strcmp(q->tokens.items[i].norm, joints[k]))
				break;
		if (k == ARRAY_SIZE(joints))
			return false;
	}
	return true;
}

static bool is_used(const uint32_t *used, size_t n, uint32_t word)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (used[i] == word)
			return true;
	return false;
}

static enum target_how worse(enum target_how a, enum target_how b)
{
	return a > b ? a : b;
}

/* A form being matched, token by token. */
struct growth {
	uint32_t used[NAME_WORDS_MAX];
	size_t n_used;
	uint32_t last; /* token */
	float sum, sum_repeats;
	enum target_how how;
	bool through; /* a joint stands between two of its tokens */
	bool stop_only, repeats;
	bool names_table; /* "ids of products": the word behind the joint is a table */
	bool inflected;   /* a word was matched by its stem or meaning only */
};

/* True if the token alone is the whole name of a table in scope. */
static bool is_table_word(const struct question *q, uint32_t token)
{
	const struct form *f;

	phrase_map_each(&q->ix->names, at, q->tokens.items[token].lemma)
	{
		f = &q->ix->forms[q->ix->names.entries[at - 1].payload];
		if (f->kind == FORM_TABLE && q->in_scope[f->table])
			return true;
	}
	return false;
}

static void take_hit(const struct question *q, struct growth *g, const struct hit *h)
{
	g->used[g->n_used++] = h->word;
	g->sum += h->weight * h->sim;
	g->how = worse(g->how, h->how);
	g->inflected |= h->sim < 1;
	g->stop_only &= q->info[h->token].is_stop;
	if (h->weight < WEIGHT_REPEAT_MAX) {
		g->repeats = true;
		g->sum_repeats += h->weight * h->sim;
	}
	g->last = h->to - 1;
}

/* "names of the first graders": what follows still belongs to "first". */
static bool ends_phrase(const struct question *q, uint32_t last)
{
	const struct token *next = &q->tokens.items[last + 1];

	if (last + 1 < q->tokens.n && !strcmp(next->norm, "-"))
		return false;
	return last + 1 >= q->tokens.n || next->kind != TOKEN_WORD || q->info[last + 1].is_stop ||
	    !q->info[last + 1].counts;
}

/* Adds what was matched so far as a way to name the form. "name of the singer"
 * is two mentions where singer_name only repeats its table; "name of the song"
 * is one. */
static void add_growth(struct question *q, struct named_list *out, uint32_t form, uint32_t from,
    const struct growth *g)
{
	const struct form *f = &q->ix->forms[form];
	float score = f->total > 0 && g->sum < f->total ? g->sum / f->total : 1, min;
	float core = f->total - f->repeat;
	bool whole = g->n_used > 1 && core > 0 && g->sum - g->sum_repeats >= core * SCORE_THROUGH;
	enum target_how how = g->how;

	/* "players coached" is no name of the table player_coach. */
	if (f->kind == FORM_TABLE && g->inflected)
		whole = false;
	if (g->through && g->names_table)
		return;
	if (g->through && (!whole || g->repeats || !ends_phrase(q, g->last)))
		return;
	if (how == HOW_EXACT && score < SCORE_WHOLE)
		how = HOW_PARTIAL;
	min = g->stop_only                           ? SCORE_MIN_STOP
	    : how == HOW_PARTIAL || how == HOW_LEMMA ? SCORE_MIN_EXACT
	                                             : SCORE_MIN;
	if (score >= min)
		add_named(q, out, from, g->last + 1, form, score, how, whole);
}

/* From the hit at `first`, takes neighbouring tokens while they match further
 * words of the form; every length counts, because a longer one may lose its
 * last word to something better. */
static void grow_name(
    struct question *q, struct named_list *out, const struct hit *h, size_t n, size_t first)
{
	struct growth g = {.how = h[first].how, .stop_only = true};
	size_t i;

	take_hit(q, &g, &h[first]);
	add_growth(q, out, h[first].form, h[first].token, &g);
	for (i = first; i < n && h[i].form == h[first].form; i++) {
		if (h[i].token <= g.last || is_used(g.used, g.n_used, h[i].word) ||
		    g.n_used == NAME_WORDS_MAX)
			continue;
		if (!is_joined(q, g.last, h[i].token))
			break;
		if (h[i].token != g.last + 1) {
			g.through = true;
			g.names_table |= h[first].weight < WEIGHT_CONTENT_MIN &&
			    is_table_word(q, h[i].token);
		}
		take_hit(q, &g, &h[i]);
		add_growth(q, out, h[first].form, h[first].token, &g);
	}
}

static bool is_coordination(const struct question *q, uint32_t i)
{
	return i + 3 < q->tokens.n &&
	    (!strcmp(q->tokens.items[i + 1].norm, "and") ||
	        !strcmp(q->tokens.items[i + 1].norm, "or"));
}

/* "first and last names", "start and end dates": the head stands once. Here h is
 * a hit on the first modifier; the head is three tokens on. */
static void share_head(
    struct question *q, struct named_list *out, const struct hit *h, size_t n, size_t first)
{
	const struct form *f = &q->ix->forms[h[first].form];
	float core = f->total - f->repeat, sum;
	size_t i;

	for (i = first; i < n && h[i].form == h[first].form; i++) {
		if (h[i].token != h[first].token + 3 || h[i].word == h[first].word)
			continue;
		sum = h[first].weight * h[first].sim + h[i].weight * h[i].sim;
		if (core > 0 && sum >= core * SCORE_THROUGH)
			add_named(q, out, h[first].token, h[first].token + 1, h[first].form,
			    sum < f->total ? sum / f->total : 1, worse(h[first].how, h[i].how),
			    true);
	}
}

static void find_words(struct question *q, struct named_list *out)
{
	struct hit_list l = {NULL, 0};
	size_t i;

	collect_hits(q, &l);
	for (i = 0; i < l.n; i++) {
		if (i && l.items[i].form == l.items[i - 1].form &&
		    l.items[i].token == l.items[i - 1].token && l.items[i].to == l.items[i - 1].to)
			continue;
		grow_name(q, out, l.items, l.n, i);
		if (is_coordination(q, l.items[i].token))
			share_head(q, out, l.items, l.n, i);
	}
}

/* --- pieces of a CJK name ------------------------------------------------------- */

static size_t cjk_length(const char *phrase)
{
	size_t n = 0;

	for (; *phrase; phrase++)
		n += (*phrase & 0xC0) != 0x80;
	return n;
}

/* Longest run of tokens from i that occurs in the phrase. */
static uint32_t common_run(
    struct question *q, uint32_t i, const char *phrase, bool *ret_suffix, bool *ret_prefix)
{
	const struct token_list *t = &q->tokens;
	uint32_t best = 0, k;
	const char *run, *at;

	for (k = i + 2; k <= t->n && t->items[k - 1].kind == TOKEN_CJK; k++) {
		run = token_phrase(q->arena, t, i, k);
		at = strstr(phrase, run);
		if (!at)
			break;
		best = k - i;
		*ret_prefix = at == phrase;
		*ret_suffix = strlen(phrase) >= strlen(run) &&
		    !strcmp(phrase + strlen(phrase) - strlen(run), run);
	}
	return best;
}

/* The head of a Chinese name stands last, so an ending says more than a
 * beginning: 收入 for 营业收入 rather than 公司 for 公司名称. */
static void find_pieces(struct question *q, struct named_list *out)
{
	const struct ground_index *ix = q->ix;
	bool suffix = false, prefix = false;
	uint32_t i, n;
	size_t k, p;
	float score;

	for (i = 0; i < q->tokens.n; i++) {
		if (q->tokens.items[i].kind != TOKEN_CJK)
			continue;
		for (k = 0; k < q->info[i].n_matches; k++) {
			const struct index_word *w = &ix->words[q->info[i].matches[k].word];

			for (p = 0; p < w->n_forms; p++) {
				const struct form *f = &ix->forms[w->forms[p].form];

				if (!f->is_cjk ||
				    (f->table != TARGET_NONE && !q->in_scope[f->table]))
					continue;
				n = common_run(q, i, f->phrase, &suffix, &prefix);
				if (lexicon_is_stop(token_phrase(q->arena, &q->tokens, i, i + n)))
					continue;
				score = 0.85f * (float)n / (float)cjk_length(f->phrase) +
				    (suffix          ? 0.1f
				            : prefix ? 0.05f
				                     : 0.0f);
				if (n < 2 || score < SCORE_MIN || n == cjk_length(f->phrase))
					continue;
				add_named(
				    q, out, i, i + n, w->forms[p].form, score, HOW_PARTIAL, false);
			}
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
	if (n->whole && (several || is_coordination(q, n->from)))
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
	find_words(q, &l);
	find_pieces(q, &l);
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
