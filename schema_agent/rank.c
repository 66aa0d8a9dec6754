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

/* A candidate by which the question names the table, its columns or values. */
static bool names_table(const struct candidate *c, uint32_t table)
{
	size_t k;

	if (c->kind != SPAN_TABLE && c->kind != SPAN_COLUMN && c->kind != SPAN_VALUE)
		return false;
	for (k = 0; k < c->n_targets; k++)
		if (c->targets[k].table == table && c->targets[k].metric == TARGET_NONE &&
		    c->targets[k].score >= WHY_SCORE_MIN)
			return true;
	return false;
}

/* The longest such candidate at a token, or NULL. */
static const struct candidate *longest_name(const struct question *q, uint32_t table, uint32_t at)
{
	const struct candidate *best = NULL;
	size_t i;

	for (i = 0; i < q->n_candidates; i++) {
		const struct candidate *c = &q->candidates[i];

		if (c->from == at && (!best || c->to > best->to) && names_table(c, table))
			best = c;
	}
	return best;
}

/* The question's words that name something of the table. */
static const char *explain(struct question *q, uint32_t table)
{
	bool zh = q->is_chinese;
	const char *why = "";
	const struct candidate *c;
	const struct token *first, *last;
	uint32_t i, n = 0;

	for (i = 0; i < q->tokens.n && n < 6 && strlen(why) < WHY_MAX; i++) {
		c = longest_name(q, table, i);
		if (!c)
			continue;
		first = &q->tokens.items[c->from];
		last = &q->tokens.items[c->to - 1];
		why = arena_printf(q->arena, "%s%s%.*s", why, !n ? "" : zh ? "、" : ", ",
		    (int)(last->start + last->len - first->start), q->text + first->start);
		n++;
		i = c->to - 1;
	}
	if (!n)
		return zh ? "文字相近" : "similar text";
	return arena_printf(q->arena, zh ? "含有%s" : "has %s", why);
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
		if (q->in_scope[t])
			ranks[t].why = explain(q, (uint32_t)t);
		else
			ranks[t].fused = 0;
	}
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
