/*
 * What single tokens may mean: for every token the words of the index that it
 * may stand for, with a similarity. Exact and dictionary form 1, stem 0.9, known
 * abbreviation 0.9, synonym 0.8, and only where nothing else fits: beginning of
 * a word 0.6, one letter wrong 0.85.
 */
#include <string.h>

#include "common/text/lemma.h"
#include "common/text/lexicon.h"
#include "schema_agent/question.h"

#define SIM_STEM 0.9f
#define SIM_ABBREVIATION 0.9f
#define SIM_SYNONYM 0.8f
#define SIM_PREFIX 0.6f
#define SIM_MISSPELT 0.85f
#define SYNONYMS_MAX 24
#define CANDIDATE_TARGETS_MAX 256

static void add_match(
    struct question *q, struct token_info *info, uint32_t word, float sim, enum target_how how)
{
	struct token_match *m;
	size_t i;

	if (word == TARGET_NONE)
		return;
	for (i = 0; i < info->n_matches; i++)
		if (info->matches[i].word == word)
			return;
	m = arena_push(q->arena, info->matches, info->n_matches);
	m->word = word;
	m->sim = sim;
	m->how = how;
}

static void match_forms(struct question *q, const struct token *t, struct token_info *info)
{
	const struct ground_index *ix = q->ix;
	const char *full = lexicon_expand(t->norm);
	char stem[LEMMA_MAX];

	add_match(q, info, index_word_find(ix, t->norm), 1.0f, HOW_EXACT);
	add_match(q, info, index_word_find(ix, t->lemma), 1.0f, HOW_LEMMA);
	if (t->kind != TOKEN_WORD)
		return;
	lemma_stem(t->norm, stem);
	phrase_map_each(&ix->stems, at, stem)
	    add_match(q, info, ix->stems.entries[at - 1].payload, SIM_STEM, HOW_LEMMA);
	if (full)
		add_match(q, info, index_word_find(ix, full), SIM_ABBREVIATION, HOW_SYNONYM);
}

static void match_synonyms(struct question *q, const struct token *t, struct token_info *info)
{
	const char *words[SYNONYMS_MAX];
	size_t n = lexicon_synonyms(t->lemma, words, SYNONYMS_MAX), i;

	for (i = 0; i < n; i++)
		add_match(q, info, index_word_find(q->ix, words[i]), SIM_SYNONYM, HOW_SYNONYM);
}

/* Spelling and cut-off words, for tokens that are otherwise unknown. */
static void match_loosely(struct question *q, const struct token *t, struct token_info *info)
{
	const struct ground_index *ix = q->ix;
	size_t n = strlen(t->lemma), m, i;

	for (i = 0; i < ix->n_words; i++) {
		const struct index_word *w = &ix->words[i];

		if (!w->n_forms)
			continue;
		m = strlen(w->text);
		if (lemma_is_misspelling(t->lemma, w->text))
			add_match(q, info, (uint32_t)i, SIM_MISSPELT, HOW_FUZZY);
		else if ((m >= 3 && n >= m + 2 && !strncmp(t->lemma, w->text, m)) ||
		    (n >= 4 && m > n && !strncmp(t->lemma, w->text, n)))
			add_match(q, info, (uint32_t)i, SIM_PREFIX, HOW_PARTIAL);
	}
}

static void match_cjk(struct question *q, size_t i)
{
	const struct token_list *t = &q->tokens;
	struct token_info *info = &q->info[i];

	if (i + 1 < t->n && t->items[i + 1].kind == TOKEN_CJK)
		add_match(q, info, index_word_find(q->ix, token_phrase(q->arena, t, i, i + 2)),
		    1.0f, HOW_EXACT);
	add_match(q, info, index_word_find(q->ix, t->items[i].norm), 1.0f, HOW_EXACT);
}

/* A stored value with this word keeps it from being taken for a misspelling. */
static bool is_value_word(const struct question *q, const struct token *t)
{
	return phrase_map_find(&q->ix->values, t->norm) ||
	    phrase_map_find(&q->ix->value_parts, t->norm);
}

void question_match(struct question *q)
{
	struct lexicon_cue cue;
	size_t i, k, cjk = 0, words = 0;

	token_split(q->arena, q->text, true, &q->tokens);
	q->info = arena_new_array(q->arena, q->tokens.n + 1, struct token_info);
	for (i = 0; i < q->tokens.n; i++) {
		const struct token *t = &q->tokens.items[i];
		struct token_info *info = &q->info[i];

		cjk += t->kind == TOKEN_CJK;
		words += t->kind == TOKEN_WORD;
		info->is_stop = lexicon_is_stop(t->norm);
		info->counts = t->kind == TOKEN_WORD && !info->is_stop;
		if (t->kind == TOKEN_CJK) {
			match_cjk(q, i);
			info->counts = true;
		} else if (t->kind == TOKEN_WORD || t->kind == TOKEN_NUMBER) {
			match_forms(q, t, info);
			if (t->kind == TOKEN_WORD && !info->is_stop) {
				match_synonyms(q, t, info);
				if (!info->n_matches && !is_value_word(q, t) &&
				    !lexicon_is_relation_verb(t->norm))
					match_loosely(q, t, info);
			}
		}
	}
	q->is_chinese = cjk > words;
	/* Cues that name nothing are no content words. */
	for (i = 0; i < q->tokens.n; i++) {
		if (!lexicon_cue_at(&q->tokens, i, &cue))
			continue;
		for (k = i; k < i + cue.n_tokens; k++)
			if (!q->info[k].n_matches || q->tokens.items[k].kind == TOKEN_CJK)
				q->info[k].counts = q->info[k].n_matches > 0;
	}
	for (i = 0; i < q->tokens.n; i++)
		if (q->tokens.items[i].kind == TOKEN_WORD && !q->info[i].n_matches &&
		    lexicon_is_relation_verb(q->tokens.items[i].norm))
			q->info[i].counts = false;
}

struct candidate *candidate_add(struct question *q, uint32_t from, uint32_t to,
    enum candidate_class cls, enum span_kind kind, float score)
{
	struct candidate *c = arena_push(q->arena, q->candidates, q->n_candidates);

	*c = (struct candidate){.from = from,
	    .to = to,
	    .cls = cls,
	    .kind = kind,
	    .score = score,
	    .quantity = TARGET_NONE,
	    .period = TARGET_NONE,
	    .open_term = TARGET_NONE};
	return c;
}

/* The same thing twice keeps the better score. */
void candidate_target(struct question *q, struct candidate *c, const struct span_target *t)
{
	struct span_target *have;
	size_t i;

	for (i = 0; i < c->n_targets; i++) {
		have = &c->targets[i];
		if (have->table != t->table || have->column != t->column ||
		    have->metric != t->metric || !value_equal(&have->value, &t->value))
			continue;
		if (t->score > have->score || (t->score == have->score && t->how < have->how))
			*have = *t;
		return;
	}
	if (c->n_targets == CANDIDATE_TARGETS_MAX)
		return;
	have = arena_push(q->arena, c->targets, c->n_targets);
	*have = *t;
}
