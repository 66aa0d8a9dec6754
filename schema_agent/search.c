/* `nlq schema search`: the ranking of tables for some words, and the columns
 * whose names the words hit. */
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "schema_agent/ground.h"
#include "schema_agent/question.h"
#include "schema_agent/rank.h"

#define SCORE_MIN 0.01f
#define LIMIT_DEFAULT 20
#define LIMIT_MAX 500
#define TODAY_ANY "2000-01-01" /* periods do not matter for a search */

struct hits {
	struct arena *arena;
	struct ground_search_hit *items;
	size_t n;
};

static void add_hit(struct hits *h, uint32_t table, uint32_t column, float score, const char *why)
{
	struct ground_search_hit *hit;
	size_t i;

	for (i = 0; i < h->n; i++)
		if (h->items[i].table == table && h->items[i].column == column) {
			if (score > h->items[i].score)
				h->items[i].score = score;
			return;
		}
	hit = arena_push(h->arena, h->items, h->n);
	*hit = (struct ground_search_hit){table, column, score, arena_strdup(h->arena, why)};
}

/* A column weighs what its table weighs times how well it is named, so that it
 * stands behind its table. */
static void add_columns(struct hits *h, const struct question *q, const struct rank *ranks)
{
	size_t i, k;

	for (i = 0; i < q->n_candidates; i++) {
		const struct candidate *c = &q->candidates[i];

		for (k = 0; k < c->n_targets; k++) {
			const struct span_target *t = &c->targets[k];
			uint32_t start = q->tokens.items[c->from].start;
			const struct token *last = &q->tokens.items[c->to - 1];

			if (t->metric != TARGET_NONE || t->column == TARGET_NONE || t->score < 0.5f)
				continue;
			add_hit(h, t->table, t->column, ranks[t->table].fused * t->score * 0.95f,
			    arena_printf(h->arena, "%s %.*s",
			        t->value.type != VALUE_NULL ? "holds" : "named by",
			        (int)(last->start + last->len - start), q->text + start));
		}
	}
}

static int compare_hits(const void *a, const void *b)
{
	const struct ground_search_hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	if ((x->column == TARGET_NONE) != (y->column == TARGET_NONE))
		return x->column == TARGET_NONE ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

int ground_search(const struct ground_index *ix, const char *words, uint32_t limit, struct arena *a,
    struct ground_search_hit **ret_hits, size_t *ret_n, struct err *e)
{
	struct ground_options o = {.today = TODAY_ANY, .alpha = GROUND_ALPHA};
	struct question q = {.ix = ix, .o = &o, .text = words};
	struct arena scratch = ARENA_INIT;
	struct hits h = {a, NULL, 0};
	struct rank *ranks;
	uint32_t t;

	if (strlen(words) > GROUND_MAX_QUESTION)
		return err_set(e, ERR_TOO_LARGE, PHASE_GROUND, "the search has more than %u bytes",
		    GROUND_MAX_QUESTION);
	if (!*words || !utf8_valid(words, strlen(words)))
		return err_set(e, ERR_BAD_INPUT, PHASE_GROUND, "there are no words to search for");
	q.arena = &scratch;
	ranks = arena_new_array(&scratch, ix->catalog->n_tables + 1, struct rank);
	q.in_scope = arena_new_array(&scratch, ix->catalog->n_tables + 1, bool);
	for (t = 0; t < ix->catalog->n_tables; t++)
		q.in_scope[t] = true;
	question_match(&q);
	question_names(&q);
	question_values(&q);
	rank_tables(&q, o.alpha, ranks);
	for (t = 0; t < ix->catalog->n_tables; t++)
		if (ranks[t].fused >= SCORE_MIN)
			add_hit(&h, t, TARGET_NONE, ranks[t].fused,
			    arena_printf(a, "%s (vector %.2f, keyword %.2f)%s", ranks[t].why,
			        (double)ranks[t].vector, (double)ranks[t].keyword,
			        ix->tables[t].offered ? "" : "; set aside by the semantic model"));
	add_columns(&h, &q, ranks);
	if (h.n)
		qsort(h.items, h.n, sizeof(*h.items), compare_hits);
	if (!limit)
		limit = LIMIT_DEFAULT;
	if (limit > LIMIT_MAX)
		limit = LIMIT_MAX;
	*ret_hits = h.items;
	*ret_n = h.n < limit ? h.n : limit;
	arena_done(&scratch);
	return 0;
}
