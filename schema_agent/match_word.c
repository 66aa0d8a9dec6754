/*
 * Ways to name a thing by some of its words: in any order, through "of the"
 * (English), or by a piece (CJK).
 */
#include <stdlib.h>
#include <string.h>

#include "common/text/lexicon.h"
#include "schema_agent/named.h"

#define SYNONYM_TOKENS_MAX 6
#define SCORE_WHOLE 0.95f
#define SCORE_THROUGH 0.88f
#define SCORE_MIN 0.45f
#define SCORE_MIN_EXACT 0.3f
#define SCORE_MIN_STOP 0.9f /* a lone stop word must be nearly the whole name */
#define SCORE_SYNONYM 0.8f
#define GAP_MAX 3
#define HITS_MAX 300000         /* bounds what a hostile question can cost */
#define WEIGHT_CONTENT_MIN 0.5f /* below: a generic word */
#define WEIGHT_REPEAT_MAX 0.3f  /* a word that repeats its table's name, or a prefix */

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

	for (p = 0; p < w->n_forms && l->n < HITS_MAX; p++) {
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
		named_add(q, out, from, g->last + 1, form, score, how, whole);
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
		/* Too far for a joint: nothing further on can follow. */
		if (h[i].token > g.last + GAP_MAX + 1)
			break;
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

bool named_is_coordination(const struct question *q, uint32_t i)
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
		if (h[i].token > h[first].token + 3)
			break;
		if (h[i].token != h[first].token + 3 || h[i].word == h[first].word)
			continue;
		sum = h[first].weight * h[first].sim + h[i].weight * h[i].sim;
		if (core > 0 && sum >= core * SCORE_THROUGH)
			named_add(q, out, h[first].token, h[first].token + 1, h[first].form,
			    sum < f->total ? sum / f->total : 1, worse(h[first].how, h[i].how),
			    true);
	}
}

void named_words(struct question *q, struct named_list *out)
{
	struct hit_list l = {NULL, 0};
	size_t i;

	collect_hits(q, &l);
	for (i = 0; i < l.n; i++) {
		if (i && l.items[i].form == l.items[i - 1].form &&
		    l.items[i].token == l.items[i - 1].token && l.items[i].to == l.items[i - 1].to)
			continue;
		grow_name(q, out, l.items, l.n, i);
		if (named_is_coordination(q, l.items[i].token))
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
void named_pieces(struct question *q, struct named_list *out)
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
				named_add(
				    q, out, i, i + n, w->forms[p].form, score, HOW_PARTIAL, false);
			}
		}
	}
}
