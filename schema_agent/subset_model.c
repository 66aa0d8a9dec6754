/* See subset.h: the semantic model. Datasets and relationships of the context's
 * tables, metrics that only need them, terms whose targets are among them. */
#include <string.h>
#include <strings.h>

#include "schema_agent/subset.h"

#define TERMS_MAX 60

static struct semantic_names copy_names(struct arena *a, const struct semantic_names *from)
{
	struct semantic_names to = {arena_new_array(a, from->n, const char *), from->n};
	size_t i;

	for (i = 0; i < from->n; i++)
		to.items[i] = arena_strdup(a, from->items[i]);
	return to;
}

static const char *copy(struct arena *a, const char *s)
{
	return arena_strdup(a, s ? s : "");
}

static void copy_field(
    struct arena *a, const struct semantic_field *from, struct semantic_field *to)
{
	size_t i;

	*to = *from;
	to->name = copy(a, from->name);
	to->label = copy(a, from->label);
	to->description = copy(a, from->description);
	to->synonyms = copy_names(a, &from->synonyms);
	to->unit = copy(a, from->unit);
	to->unit_column = copy(a, from->unit_column);
	to->samples = copy_names(a, &from->samples);
	to->null_means = copy(a, from->null_means);
	to->time = copy(a, from->time);
	to->file = copy(a, from->file);
	to->domain = arena_new_array(a, from->n_domain, struct semantic_value);
	for (i = 0; i < from->n_domain; i++) {
		to->domain[i].value = copy(a, from->domain[i].value);
		to->domain[i].label = copy(a, from->domain[i].label);
		to->domain[i].synonyms = copy_names(a, &from->domain[i].synonyms);
	}
}

static void copy_dataset(const struct subset *s, struct semantic *m, uint32_t table)
{
	const struct catalog_table *t = &s->q->ix->catalog->tables[table];
	const struct semantic_dataset *from = s->q->ix->tables[table].dataset;
	struct arena *a = &m->arena;
	struct semantic_dataset *to;
	size_t i;
	int column;

	if (!from)
		return;
	to = arena_push(a, m->datasets, m->n_datasets);
	*to = *from;
	to->name = copy(a, from->name);
	to->source = copy(a, t->name);
	to->label = copy(a, from->label);
	to->description = copy(a, from->description);
	to->synonyms = copy_names(a, &from->synonyms);
	to->not_for = copy_names(a, &from->not_for);
	to->use_instead = copy(a, from->use_instead);
	to->primary_key = copy_names(a, &from->primary_key);
	to->default_filter = copy(a, from->default_filter);
	to->file = copy(a, from->file);
	to->unique_keys = arena_new_array(a, from->n_unique_keys, struct semantic_names);
	for (i = 0; i < from->n_unique_keys; i++)
		to->unique_keys[i] = copy_names(a, &from->unique_keys[i]);
	to->fields = arena_new_array(a, from->n_fields, struct semantic_field);
	to->n_fields = 0;
	for (i = 0; i < from->n_fields; i++) {
		column = catalog_find_column(t, from->fields[i].name);
		if (column >= 0 && s->column_map[table][column] != TARGET_NONE)
			copy_field(a, &from->fields[i], &to->fields[to->n_fields++]);
	}
}

static void copy_relationship(struct semantic *m, const struct semantic_relationship *from)
{
	struct semantic_relationship *to;
	struct arena *a = &m->arena;

	if (semantic_find_dataset(m, from->from) < 0 || semantic_find_dataset(m, from->to) < 0)
		return;
	to = arena_push(a, m->relationships, m->n_relationships);
	to->name = copy(a, from->name);
	to->from = copy(a, from->from);
	to->to = copy(a, from->to);
	to->from_columns = copy_names(a, &from->from_columns);
	to->to_columns = copy_names(a, &from->to_columns);
	to->file = copy(a, from->file);
	to->line = from->line;
}

static void copy_metric(struct semantic *m, const struct semantic_metric *from)
{
	struct semantic_metric *to = arena_push(&m->arena, m->metrics, m->n_metrics);
	struct arena *a = &m->arena;

	*to = *from;
	to->name = copy(a, from->name);
	to->label = copy(a, from->label);
	to->description = copy(a, from->description);
	to->synonyms = copy_names(a, &from->synonyms);
	to->expression = copy(a, from->expression);
	to->unit = copy(a, from->unit);
	to->file = copy(a, from->file);
}

static bool is_in(const struct subset *s, const char *target)
{
	struct span_target t;

	if (!target || !*target || !index_resolve_target(s->q->ix, target, &t))
		return false;
	if (t.metric != TARGET_NONE)
		return s->metric_map[t.metric] != TARGET_NONE;
	return s->table_map[t.table] != TARGET_NONE;
}

static void copy_term(const struct subset *s, struct semantic *m, const struct semantic_term *from)
{
	struct arena *a = &m->arena;
	struct semantic_term *to;
	bool in = is_in(s, from->target);
	size_t i;

	for (i = 0; i < from->n_variants; i++)
		in |= is_in(s, from->variants[i].target);
	if (!in || m->n_terms == TERMS_MAX)
		return;
	to = arena_push(a, m->terms, m->n_terms);
	*to = *from;
	to->term = copy(a, from->term);
	to->synonyms = copy_names(a, &from->synonyms);
	to->target = copy(a, from->target);
	to->aggregate = copy(a, from->aggregate);
	to->window_column = copy(a, from->window_column);
	to->window_length = copy(a, from->window_length);
	to->note = copy(a, from->note);
	to->precedence = copy(a, from->precedence);
	to->file = copy(a, from->file);
	to->variants = arena_new_array(a, from->n_variants, struct semantic_variant);
	for (i = 0; i < from->n_variants; i++) {
		to->variants[i].target = copy(a, from->variants[i].target);
		to->variants[i].scope = copy(a, from->variants[i].scope);
		to->variants[i].words = copy_names(a, &from->variants[i].words);
		to->variants[i].note = copy(a, from->variants[i].note);
	}
}

void subset_semantic(const struct subset *s, struct grounding *g)
{
	const struct semantic *from = s->q->ix->semantic;
	struct semantic *m = g->semantic;
	size_t i;

	if (!from)
		return;
	m->name = copy(&m->arena, from->name);
	m->description = copy(&m->arena, from->description);
	for (i = 0; i < s->n; i++)
		copy_dataset(s, m, s->order[i]);
	for (i = 0; i < from->n_relationships; i++)
		copy_relationship(m, &from->relationships[i]);
	for (i = 0; i < from->n_metrics; i++)
		if (s->metric_map[i] != TARGET_NONE)
			copy_metric(m, &from->metrics[i]);
	for (i = 0; i < from->n_terms; i++)
		copy_term(s, m, &from->terms[i]);
}
