/*
 * Puts the steps together: check the input, match over the whole allowed set,
 * rank and choose tables, link within them, copy out the sub-catalog.
 */
#include "schema_agent/ground.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/utf8.h"
#include "common/text/calendar.h"
#include "common/text/lexicon.h"
#include "schema_agent/question.h"
#include "schema_agent/rank.h"
#include "schema_agent/subset.h"

#define NEED_MAX 16

static int check_input(const char *question, const struct ground_options *o, struct err *e)
{
	struct date d;
	size_t len = strlen(question);

	if (len > GROUND_MAX_QUESTION) {
		err_set(e, ERR_TOO_LARGE, PHASE_GROUND,
		    "the question has %zu bytes, the limit is %u", len, GROUND_MAX_QUESTION);
		err_fix(e, "ask a shorter question");
		return ERR_TOO_LARGE;
	}
	if (!utf8_valid(question, len))
		return err_set(e, ERR_BAD_INPUT, PHASE_GROUND, "the question is not valid UTF-8");
	if (strspn(question, " \t\r\n?!.,;") == len) {
		err_set(e, ERR_BAD_INPUT, PHASE_GROUND, "the question is empty");
		err_fix(e, "ask something about the data");
		return ERR_BAD_INPUT;
	}
	if (!date_read(o->today, &d))
		return err_set(e, ERR_BAD_INPUT, PHASE_GROUND, "today is no ISO date");
	return 0;
}

/* The tables that may be named: offered ones, narrowed by --tables. */
static int set_scope(struct question *q, struct err *e)
{
	const struct catalog *c = q->ix->catalog;
	size_t i, t;
	int found;

	q->in_scope = arena_new_array(q->arena, c->n_tables + 1, bool);
	for (t = 0; t < c->n_tables; t++)
		q->in_scope[t] = q->ix->tables[t].offered && !q->o->n_only;
	for (i = 0; i < q->o->n_only; i++) {
		found = catalog_find_table(c, q->o->only_tables[i]);
		if (found < 0) {
			err_set(e, ERR_UNKNOWN_TABLE, PHASE_GROUND, "there is no table %s",
			    q->o->only_tables[i]);
			err_fix(e, "see nlq schema list for the tables");
			return ERR_UNKNOWN_TABLE;
		}
		q->in_scope[found] = true;
	}
	return 0;
}

static void write_tables(struct question *q, struct grounding *g, const struct rank *ranks,
    const uint32_t *order, size_t n)
{
	size_t i;

	g->tables = arena_new_array(&g->arena, n, struct grounding_table);
	g->n_tables = n;
	for (i = 0; i < n; i++) {
		const struct rank *r = &ranks[order[i]];

		g->tables[i] = (struct grounding_table){(uint32_t)i, r->fused, r->vector,
		    r->keyword, r->literal, r->by_relation && !r->literal,
		    arena_strdup(&g->arena,
		        r->literal   ? (q->is_chinese ? "问题里点名" : "named in the question")
		            : r->why ? r->why
		                     : "")};
	}
	for (i = 0; i < q->ix->catalog->n_tables; i++)
		g->n_tables_searched += q->ix->tables[i].offered;
}

/* --- values that only the executor can look up ------------------------------------- */

static bool has_incomplete_text(const struct question *q, const uint32_t *order, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (q->ix->tables[order[i]].has_incomplete_text)
			return true;
	return false;
}

/* Quoted text, and words that nothing explains or that are only part of a
 * value, may be values of columns whose domain is not complete. */
static bool may_be_value(const struct grounding_span *s)
{
	if (s->kind == SPAN_QUOTED || s->kind == SPAN_UNKNOWN)
		return true;
	return s->kind == SPAN_VALUE && s->n_targets && s->targets[0].how == HOW_STORED_PARTIAL;
}

static bool is_joined(
    const struct grounding *g, const struct grounding_span *a, const struct grounding_span *b)
{
	return b->start >= a->start + a->len && b->start - a->start - a->len <= 1 &&
	    (b->start == a->start + a->len || g->question[b->start - 1] == ' ');
}

static void add_need(struct grounding *g, struct semantic_names *need, uint32_t start, uint32_t end)
{
	const char *text = arena_strndup(&g->arena, g->question + start, end - start);

	if (need->n < NEED_MAX && end > start && !lexicon_is_generic(text))
		*arena_push(&g->arena, need->items, need->n) = text;
}

/* Neighbouring unexplained words are one look-up, and each alone another. */
static void collect_needs(struct question *q, struct grounding *g, struct semantic_names *need)
{
	size_t i, k;

	for (i = 0; i < g->n_spans; i = k) {
		const struct grounding_span *s = &g->spans[i];

		k = i + 1;
		if (!may_be_value(s))
			continue;
		if (s->in_quotes) {
			size_t t;

			for (t = 0; t < q->tokens.n; t++)
				if (q->tokens.items[t].start == s->start)
					add_need(g, need, q->tokens.items[t].inner_start,
					    q->tokens.items[t].inner_start +
					        q->tokens.items[t].inner_len);
			continue;
		}
		while (k < g->n_spans && may_be_value(&g->spans[k]) && !g->spans[k].in_quotes &&
		    is_joined(g, &g->spans[k - 1], &g->spans[k]))
			k++;
		add_need(g, need, s->start, g->spans[k - 1].start + g->spans[k - 1].len);
		for (size_t w = i; w < k && k - i > 1; w++)
			add_need(g, need, g->spans[w].start, g->spans[w].start + g->spans[w].len);
	}
}

static void ground(struct question *q, struct grounding *g, struct semantic_names *need)
{
	const struct ground_options *o = q->o;
	const size_t n_tables = q->ix->catalog->n_tables;
	struct rank *ranks = arena_new_array(q->arena, n_tables + 1, struct rank);
	uint32_t *order = arena_new_array(q->arena, n_tables + 1, uint32_t);
	struct subset s = {.q = q, .order = order};
	size_t i;

	question_match(q);
	question_names(q);
	question_values(q);
	rank_tables(q, o->alpha > 0 ? o->alpha : GROUND_ALPHA, ranks);
	literal_tables(q, ranks);
	s.n = select_tables(q, ranks, o->floor > 0 ? o->floor : GROUND_FLOOR,
	    o->max_tables ? o->max_tables : GROUND_MAX_TABLES, order, &g->sufficient);
	q->literal = arena_new_array(q->arena, n_tables + 1, bool);
	for (i = 0; i < n_tables; i++) {
		q->in_scope[i] = ranks[i].in;
		q->literal[i] = ranks[i].literal;
	}
	q->n_candidates = q->n_scope_words = 0;
	question_names(q);
	question_values(q);
	question_texts(q);
	question_link(q, g);
	question_near(q, g);
	if (need && !o->values_done && has_incomplete_text(q, order, s.n))
		collect_needs(q, g, need);
	subset_plan(&s, g);
	subset_catalog(&s, g);
	subset_semantic(&s, g);
	subset_remap(&s, g);
	write_tables(q, g, ranks, order, s.n);
}

int ground_question(const struct ground_index *ix, const char *question,
    const struct ground_options *o, struct grounding **ret_grounding,
    struct semantic_names *ret_need_values, struct err *e)
{
	struct question q = {.ix = ix, .o = o};
	struct arena scratch = ARENA_INIT;
	struct grounding *g;
	int rc = check_input(question, o, e);

	if (rc)
		return rc;
	if (ret_need_values)
		*ret_need_values = (struct semantic_names){NULL, 0};
	g = grounding_new();
	g->question = arena_strdup(&g->arena, question);
	g->today = arena_strdup(&g->arena, o->today);
	q.arena = &scratch;
	q.text = g->question;
	rc = set_scope(&q, e);
	if (rc)
		goto out;
	ground(&q, g, ret_need_values);
	*ret_grounding = g;
	g = NULL;
out:
	arena_done(&scratch);
	grounding_free(g);
	return rc;
}
