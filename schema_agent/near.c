/* What is near to words that nothing explains: names with a common beginning or
 * one wrong letter, and tables that are set aside or say what they are not for. */
#include <string.h>

#include "common/text/lemma.h"
#include "schema_agent/question.h"

#define NEAR_MAX 8
#define PREFIX_MIN 4

static void add_near(struct grounding *g, const char *text)
{
	size_t i;

	for (i = 0; i < g->near.n; i++)
		if (!strcmp(g->near.items[i], text))
			return;
	if (g->near.n < NEAR_MAX)
		*arena_push(&g->arena, g->near.items, g->near.n) = text;
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

static bool is_near(const char *word, const char *name)
{
	return lemma_is_misspelling(word, name) ||
	    (common_prefix(word, name) >= PREFIX_MIN && (unsigned char)word[0] < 0x80);
}

static void add_forms(struct question *q, struct grounding *g, const struct index_word *w)
{
	const struct catalog *c = q->ix->catalog;
	size_t i;

	for (i = 0; i < w->n_forms; i++) {
		const struct form *f = &q->ix->forms[w->forms[i].form];

		if (f->kind == FORM_TABLE && q->ix->tables[f->table].offered)
			add_near(g, arena_strdup(&g->arena, c->tables[f->table].name));
		else if (f->kind == FORM_COLUMN && q->ix->tables[f->table].offered)
			add_near(g,
			    arena_printf(&g->arena, "%s.%s", c->tables[f->table].name,
			        c->tables[f->table].columns[f->column].name));
	}
}

static bool says_not_for(const struct semantic_dataset *d, const char *lemma, const char *word)
{
	char other[LEMMA_MAX];
	size_t i;

	for (i = 0; i < d->not_for.n; i++) {
		lemma_of(d->not_for.items[i], other);
		if (!strcmp(other, lemma) || strstr(word, d->not_for.items[i]))
			return true;
	}
	return false;
}

/* Tables that have the word but are not what it means. */
static void add_set_aside(
    struct question *q, struct grounding *g, const char *word, const char *lemma)
{
	const struct catalog *c = q->ix->catalog;
	uint32_t t, id = index_word_find(q->ix, lemma);
	size_t i;

	for (t = 0; t < c->n_tables; t++) {
		const struct semantic_dataset *d = q->ix->tables[t].dataset;

		if (d && d->status == SEMANTIC_ACTIVE && says_not_for(d, lemma, word))
			add_near(g,
			    arena_printf(&g->arena, "%s (%s)", c->tables[t].name,
			        d->description && *d->description ? d->description
			                                          : "not for this"));
	}
	for (i = 0; id != TARGET_NONE && i < q->ix->words[id].n_forms; i++) {
		const struct form *f = &q->ix->forms[q->ix->words[id].forms[i].form];

		if (f->table == TARGET_NONE || q->ix->tables[f->table].offered)
			continue;
		add_near(g,
		    arena_printf(&g->arena, "%s (%s)", c->tables[f->table].name,
		        q->ix->tables[f->table].dataset->status == SEMANTIC_TRAP ? "trap"
		                                                                 : "deprecated"));
	}
}

void question_near(struct question *q, struct grounding *g)
{
	char lemma[LEMMA_MAX];
	const char *word;
	size_t i, k;

	for (i = 0; i < g->missing.n; i++) {
		word = token_phrase_of(q->arena, g->missing.items[i]);
		lemma_of(word, lemma);
		add_set_aside(q, g, word, lemma);
		for (k = 0; k < q->ix->n_words; k++)
			if (is_near(lemma, q->ix->words[k].text))
				add_forms(q, g, &q->ix->words[k]);
	}
}
