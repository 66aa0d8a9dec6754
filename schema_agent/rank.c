/* See rank.h. */
#include "schema_agent/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_TABLE 1.0f
#define FIELD_COLUMN 0.9f
#define FIELD_VALUE 0.9f
#define FIELD_NOTE 0.5f
#define CJK_WEIGHT 0.5f /* a character is half a word */
#define SHARE_OF_BEST 0.2f
#define WHY_MAX 120
#define WHY_WORDS_MAX 6
#define WHY_SCORE_MIN 0.45f

/* --- keyword score ------------------------------------------------------------- */

struct coverage {
	float *best; /* [table * n_tokens + token] */
	size_t n_tokens;
};

static void cover(struct coverage *cov, uint32_t table, uint32_t from, uint32_t to, float score)
{
	float *row = cov->best + (size_t)table * cov->n_tokens;
	uint32_t i;

	for (i = from; i < to; i++)
		if (row[i] < score)
			row[i] = score;
}

/* The tables that a metric's expression mentions. */
static void cover_metric(
    struct question *q, struct coverage *cov, const struct candidate *c, uint32_t metric)
{
	uint32_t t;

	for (t = 0; t < q->ix->catalog->n_tables; t++)
		if (q->in_scope[t] && index_metric_uses(q->ix, metric, t))
			cover(cov, t, c->from, c->to, FIELD_TABLE);
}

static void cover_candidates(struct question *q, struct coverage *cov)
{
	size_t i, k;

	for (i = 0; i < q->n_candidates; i++) {
		const struct candidate *c = &q->candidates[i];

		for (k = 0; k < c->n_targets; k++) {
			const struct span_target *t = &c->targets[k];
			float field = t->value.type != VALUE_NULL ? FIELD_VALUE
			    : t->column == TARGET_NONE            ? FIELD_TABLE
			                                          : FIELD_COLUMN;

			if (t->metric != TARGET_NONE)
				cover_metric(q, cov, c, t->metric);
			else
				cover(cov, t->table, c->from, c->to, t->score * field);
		}
	}
}

static void cover_notes(struct question *q, struct coverage *cov)
{
	size_t i, k, n;

	for (i = 0; i < q->tokens.n; i++)
		for (k = 0; q->info[i].counts && k < q->info[i].n_matches; k++) {
			const struct index_word *w = &q->ix->words[q->info[i].matches[k].word];

			for (n = 0; n < w->n_note_tables; n++)
				if (q->in_scope[w->note_tables[n]])
					cover(cov, w->note_tables[n], (uint32_t)i, (uint32_t)i + 1,
					    FIELD_NOTE * q->info[i].matches[k].sim);
		}
}

/* How much a token says: rare words in the schema more, unknown ones most. */
static float token_weight(const struct question *q, size_t i)
{
	float n = (float)q->ix->catalog->n_tables, df = 0, w;
	size_t k;

	if (!q->info[i].counts)
		return q->tokens.items[i].kind == TOKEN_QUOTED ? logf(1 + n) : 0;
	for (k = 0; k < q->info[i].n_matches; k++) {
		const struct index_word *word = &q->ix->words[q->info[i].matches[k].word];

		if ((float)word->n_tables > df)
			df = (float)word->n_tables;
	}
	w = logf(1 + n / (df > 0 ? df : 1));
	return q->tokens.items[i].kind == TOKEN_CJK ? w * CJK_WEIGHT : w;
}

/* Tokens [from, to) name the table, or a column or value of it. */
struct mention {
	uint32_t table, from, to;
};

static int compare_mentions(const void *a, const void *b)
{
	const struct mention *x = a, *y = b;

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to > y->to ? -1 : x->to < y->to;
}

static size_t collect_mentions(struct question *q, struct mention **ret_mentions)
{
	struct mention *list = NULL;
	size_t n = 0, i, k;

	for (i = 0; i < q->n_candidates; i++) {
		const struct candidate *c = &q->candidates[i];

		if (c->kind != SPAN_TABLE && c->kind != SPAN_COLUMN && c->kind != SPAN_VALUE)
			continue;
		for (k = 0; k < c->n_targets; k++)
			if (c->targets[k].metric == TARGET_NONE &&
			    c->targets[k].score >= WHY_SCORE_MIN)
				*arena_push(q->arena, list, n) = (struct mention){
				    c->targets[k].table, c->from, c->to};
	}
	if (n)
		qsort(list, n, sizeof(*list), compare_mentions);
	*ret_mentions = list;
	return n;
}

/* The question's words that name something of the tables, the longest first, in
 * the question's language. */
static void explain(struct question *q, struct rank *ranks)
{
	const char *join = q->is_chinese ? "、" : ", ";
	struct mention *m;
	const struct token *first, *last;
	uint32_t covered = 0, words = 0;
	size_t n = collect_mentions(q, &m), i;

	for (i = 0; i < n; i++) {
		struct rank *r = &ranks[m[i].table];

		if (i == 0 || m[i].table != m[i - 1].table)
			covered = words = 0;
		if (m[i].from < covered || words == WHY_WORDS_MAX ||
		    (r->why && strlen(r->why) >= WHY_MAX))
			continue;
		first = &q->tokens.items[m[i].from];
		last = &q->tokens.items[m[i].to - 1];
		r->why = arena_printf(q->arena, "%s%s%.*s",
		    words               ? r->why
		        : q->is_chinese ? "含有"
		                        : "has ",
		    words ? join : "", (int)(last->start + last->len - first->start),
		    q->text + first->start);
		words++;
		covered = m[i].to;
	}
	for (i = 0; i < q->ix->catalog->n_tables; i++)
		if (q->in_scope[i] && !ranks[i].why)
			ranks[i].why = q->is_chinese ? "文字相近" : "similar text";
}

void rank_tables(struct question *q, double alpha, struct rank *ranks)
{
	const size_t n_tables = q->ix->catalog->n_tables, n = q->tokens.n;
	struct coverage cov = {arena_new_array(q->arena, n_tables * n + 1, float), n};
	float *vectors = arena_new_array(q->arena, n_tables + 1, float);
	float *weights = arena_new_array(q->arena, n + 1, float), total = 0, sum;
	size_t t, i;

	cover_candidates(q, &cov);
	cover_notes(q, &cov);
	vector_query(q->ix->vectors, q->arena, q->text, vectors);
	for (i = 0; i < n; i++)
		total += weights[i] = token_weight(q, i);
	for (t = 0; t < n_tables; t++) {
		const float *row = cov.best + t * n;

		for (sum = 0, i = 0; i < n; i++)
			sum += weights[i] * row[i];
		ranks[t].keyword = total > 0 ? sum / total : 0;
		ranks[t].vector = vectors[t];
		ranks[t].fused = (float)(alpha * ranks[t].vector + (1 - alpha) * ranks[t].keyword);
		if (!q->in_scope[t])
			ranks[t].fused = 0;
	}
	explain(q, ranks);
}

/* --- selection -------------------------------------------------------------------- */

struct order_entry {
	uint32_t table;
	const struct rank *rank;
	bool is_view;
};

static int compare_entries(const void *a, const void *b)
{
	const struct order_entry *x = a, *y = b;

	if (x->rank->literal != y->rank->literal)
		return x->rank->literal ? -1 : 1;
	if (x->rank->by_relation != y->rank->by_relation)
		return x->rank->by_relation ? 1 : -1;
	if (x->rank->fused != y->rank->fused)
		return x->rank->fused > y->rank->fused ? -1 : 1;
	if (x->is_view != y->is_view)
		return x->is_view ? 1 : -1;
	return x->table < y->table ? -1 : x->table > y->table;
}

static size_t sort_tables(
    struct question *q, const struct rank *ranks, bool only_in, uint32_t *order)
{
	const size_t n_tables = q->ix->catalog->n_tables;
	struct order_entry *e = arena_new_array(q->arena, n_tables + 1, struct order_entry);
	size_t n = 0, i;
	uint32_t t;

	for (t = 0; t < n_tables; t++)
		if (only_in ? ranks[t].in : q->in_scope[t] || ranks[t].literal)
			e[n++] = (struct order_entry){
			    t, &ranks[t], q->ix->catalog->tables[t].kind == CATALOG_VIEW};
	qsort(e, n, sizeof(*e), compare_entries);
	for (i = 0; i < n; i++)
		order[i] = e[i].table;
	return n;
}

size_t select_tables(struct question *q, struct rank *ranks, double floor, uint32_t max_tables,
    uint32_t *order, bool *ret_sufficient)
{
	size_t n = sort_tables(q, ranks, false, order), i;
	bool small = n <= max_tables;
	uint32_t taken = 0;
	float best = 0;

	*ret_sufficient = false;
	for (i = 0; i < n; i++)
		if (ranks[order[i]].fused > best)
			best = ranks[order[i]].fused;
	for (i = 0; i < n; i++) {
		struct rank *r = &ranks[order[i]];
		bool above = r->fused >= floor && r->fused >= best * SHARE_OF_BEST;

		if (r->literal || above)
			*ret_sufficient = true;
		if (!r->literal && (taken == max_tables || (!above && !small)))
			continue;
		r->in = true;
		taken += !r->literal;
	}
	hop_tables(q, ranks, max_tables / 2 + 1);
	return sort_tables(q, ranks, true, order);
}
