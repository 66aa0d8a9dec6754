/* Which time columns a period or a grain may mean, and the word beside it that says
 * so (settle.h). */
#include <stdlib.h>
#include <string.h>

#include "common/text/lexicon.h"
#include "schema_agent/names.h"
#include "schema_agent/settle.h"

#define TARGETS_MAX 12
#define SCORE_WHOLE 0.95f
#define SPECIFIC_TIME 0.2f /* founded_year where nobody says founded */

/* How sure the question is about a time column: named 1, a figure of its table
 * named 0.5, its table 0.3, not at all 0. */
static float mention_of(const struct grounding *g, uint32_t table, uint32_t column)
{
	float best = 0, score;
	size_t i, k;

	for (i = 0; i < g->n_spans; i++) {
		const struct grounding_span *s = &g->spans[i];

		for (k = 0; k < s->n_targets && settle_names_something(s); k++) {
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

void times_link(struct question *q, struct grounding *g)
{
	size_t i;

	for (i = 0; i < g->n_spans; i++)
		if (g->spans[i].kind == SPAN_PERIOD ||
		    (g->spans[i].kind == SPAN_CUE && g->spans[i].cue == CUE_TREND))
			add_time_columns(q, g, &g->spans[i]);
	for (i = 0; i < g->n_spans; i++)
		if (g->spans[i].kind == SPAN_PERIOD)
			settle_time_verb(q, g, (uint32_t)i);
}
