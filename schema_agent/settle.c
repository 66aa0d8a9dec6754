/* See settle.h: pronouns, counts, verbs, participles, generic words, views. */
#include "schema_agent/settle.h"

#include <string.h>

#include "common/text/lemma.h"
#include "common/text/lexicon.h"

#define SCORE_WHOLE 0.95f

bool settle_names_something(const struct grounding_span *s)
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
		    settle_names_something(&g->spans[i - 1]) && is_pronoun(q, s))
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

static void add_name(struct grounding *g, struct semantic_names *list, const char *s, size_t len)
{
	char *copy = arena_strndup(&g->arena, s, len);
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->items[i], copy))
			return;
	*arena_push(&g->arena, list->items, list->n) = copy;
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

void settle_before_times(struct question *q, struct grounding *g)
{
	settle_pronouns(q, g);
	settle_numbers_of(q, g);
}

void settle_after_times(struct question *q, struct grounding *g)
{
	settle_participles(q, g);
	settle_row_verbs(q, g);
	settle_views(q, g);
	settle_generic(q, g);
}
