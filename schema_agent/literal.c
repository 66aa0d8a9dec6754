/* Tables named literally (promise P8). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schema_agent/rank.h"

static bool is_name_byte(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
}

/* Where the name stands in the text with a border on both sides (ASCII names;
 * Chinese has no borders), or -1. */
static long find_written(const char *text, const char *name)
{
	const char *at = text;
	size_t n = strlen(name);

	if (!n)
		return -1;
	while ((at = strcasestr(at, name))) {
		bool left = at > text && is_name_byte(at[-1]) && is_name_byte(name[0]);
		bool right = is_name_byte(at[n]) && is_name_byte(name[n - 1]);

		if (!left && !right)
			return at - text;
		at++;
	}
	return -1;
}

struct mention {
	uint32_t table;
	size_t start, end;
};
struct mention_list {
	struct mention *items;
	size_t n;
};

static void add_mention(
    struct question *q, struct mention_list *l, uint32_t table, size_t start, size_t end)
{
	struct mention *m = arena_push(q->arena, l->items, l->n);

	*m = (struct mention){table, start, end};
}

static bool is_allowed(const struct question *q, uint32_t table)
{
	size_t i;

	for (i = 0; i < q->o->n_only; i++)
		if (!strcasecmp(q->o->only_tables[i], q->ix->catalog->tables[table].name))
			return true;
	return !q->o->n_only;
}

/* The whole name of an offered table was found among the candidates. */
static void collect_candidates(struct question *q, struct mention_list *l)
{
	size_t i, k;

	for (i = 0; i < q->n_candidates; i++) {
		const struct candidate *c = &q->candidates[i];
		const struct token *first = &q->tokens.items[c->from],
		                   *last = &q->tokens.items[c->to - 1];

		for (k = 0; k < c->n_targets; k++) {
			const struct span_target *t = &c->targets[k];

			if (t->column == TARGET_NONE && t->metric == TARGET_NONE && t->score >= 1 &&
			    t->how <= HOW_LEMMA)
				add_mention(q, l, t->table, first->start, last->start + last->len);
		}
	}
}

static void collect_written(struct question *q, struct mention_list *l)
{
	const struct catalog *c = q->ix->catalog;
	const struct semantic_dataset *d;
	uint32_t t;
	long at;

	for (t = 0; t < c->n_tables; t++) {
		if (!is_allowed(q, t))
			continue;
		at = find_written(q->text, c->tables[t].name);
		if (at >= 0)
			add_mention(q, l, t, (size_t)at, (size_t)at + strlen(c->tables[t].name));
		d = q->ix->tables[t].dataset;
		at = d && d->label && *d->label ? find_written(q->text, d->label) : -1;
		if (at >= 0)
			add_mention(q, l, t, (size_t)at, (size_t)at + strlen(d->label));
	}
}

static bool is_inside_longer(const struct mention_list *l, const struct mention *m)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		const struct mention *o = &l->items[i];

		if (o->start < m->end && m->start < o->end && o->end - o->start > m->end - m->start)
			return true;
	}
	return false;
}

void literal_tables(struct question *q, struct rank *ranks)
{
	struct mention_list l = {NULL, 0};
	size_t i;

	collect_candidates(q, &l);
	collect_written(q, &l);
	for (i = 0; i < l.n; i++)
		if (!is_inside_longer(&l, &l.items[i]))
			ranks[l.items[i].table].literal = true;
}
