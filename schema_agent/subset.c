/* See subset.h: the plan, the catalog, the renumbering. */
#include "schema_agent/subset.h"

#include <string.h>
#include <strings.h>

#define COLUMNS_SMALL 48 /* up to here a table is sent whole */
#define DOMAIN_VALUES_MAX 300
#define DOMAIN_BYTES_MAX ((size_t)512 * 1024) /* over all columns of the context */

static void mark_relations(const struct subset *s, bool **keep)
{
	const struct ground_index *ix = s->q->ix;
	size_t i, k;

	for (i = 0; i < ix->n_relations; i++) {
		const struct catalog_relation *r = &ix->relations[i];

		for (k = 0; k < r->n_columns; k++) {
			if (keep[r->from_table])
				keep[r->from_table][r->from_columns[k]] = true;
			if (keep[r->to_table])
				keep[r->to_table][r->to_columns[k]] = true;
		}
	}
}

static void mark_targets(const struct grounding *g, bool **keep)
{
	size_t i, k;

	for (i = 0; i < g->n_spans; i++)
		for (k = 0; k < g->spans[i].n_targets; k++) {
			const struct span_target *t = &g->spans[i].targets[k];

			if (t->table != TARGET_NONE && t->column != TARGET_NONE && keep[t->table])
				keep[t->table][t->column] = true;
		}
}

/* Columns that the model needs beside others: units, filters, what an expression
 * mentions (looked for by name, too many is harmless). */
static bool model_needs(const struct subset *s, uint32_t table, uint32_t column)
{
	const struct ground_index *ix = s->q->ix;
	const struct semantic_dataset *d = ix->tables[table].dataset;
	const char *name = ix->catalog->tables[table].columns[column].name;
	const struct semantic_field *f;
	size_t i;

	if (!d)
		return false;
	f = semantic_field_of(ix->semantic, ix->catalog, table, column);
	if (f && (f->is_display || *f->time || *f->unit))
		return true;
	if (d->default_filter && strcasestr(d->default_filter, name))
		return true;
	for (i = 0; i < d->n_fields; i++)
		if (d->fields[i].unit_column && !strcasecmp(d->fields[i].unit_column, name))
			return true;
	for (i = 0; i < ix->semantic->n_metrics; i++)
		if (index_metric_uses(ix, (uint32_t)i, table) &&
		    strcasestr(ix->semantic->metrics[i].expression, name))
			return true;
	return false;
}

static void plan_columns(const struct subset *s, uint32_t table, bool *keep)
{
	const struct catalog_table *t = &s->q->ix->catalog->tables[table];
	uint32_t *map = s->column_map[table], next = 0;
	enum target_how how;
	size_t i, k, n = 0;

	for (i = 0; i < t->n_columns; i++) {
		keep[i] |= t->n_columns <= COLUMNS_SMALL || t->columns[i].pk_position > 0 ||
		    t->columns[i].is_unique || model_needs(s, table, (uint32_t)i) ||
		    index_is_time(s->q->ix, table, (uint32_t)i, &how);
		n += keep[i];
	}
	for (k = 0; k < t->n_unique_keys; k++)
		for (i = 0; i < t->unique_keys[k].n_columns; i++)
			keep[t->unique_keys[k].columns[i]] = true;
	for (i = 0; i < t->n_columns && n < COLUMNS_SMALL; i++)
		if (!keep[i])
			keep[i] = true, n++;
	for (i = 0; i < t->n_columns; i++)
		map[i] = keep[i] ? next++ : TARGET_NONE;
}

static void plan_metrics(struct subset *s)
{
	const struct ground_index *ix = s->q->ix;
	uint32_t i, t, next = 0;
	bool in;

	for (i = 0; ix->semantic && i < ix->semantic->n_metrics; i++) {
		for (in = true, t = 0; t < ix->catalog->n_tables; t++)
			if (s->table_map[t] == TARGET_NONE && index_metric_uses(ix, i, t))
				in = false;
		s->metric_map[i] = in ? next++ : TARGET_NONE;
	}
}

void subset_plan(struct subset *s, const struct grounding *g)
{
	const struct catalog *c = s->q->ix->catalog;
	struct arena *a = s->q->arena;
	bool **keep = arena_new_array(a, c->n_tables + 1, bool *);
	size_t i;

	s->table_map = arena_new_array(a, c->n_tables + 1, uint32_t);
	s->column_map = arena_new_array(a, c->n_tables + 1, uint32_t *);
	s->metric_map = arena_new_array(
	    a, s->q->ix->semantic ? s->q->ix->semantic->n_metrics + 1 : 1, uint32_t);
	for (i = 0; i < c->n_tables; i++)
		s->table_map[i] = TARGET_NONE;
	for (i = 0; i < s->n; i++) {
		const uint32_t t = s->order[i];

		s->table_map[t] = (uint32_t)i;
		s->column_map[t] = arena_new_array(a, c->tables[t].n_columns + 1, uint32_t);
		keep[t] = arena_new_array(a, c->tables[t].n_columns + 1, bool);
	}
	mark_relations(s, keep);
	mark_targets(g, keep);
	for (i = 0; i < s->n; i++)
		plan_columns(s, s->order[i], keep[s->order[i]]);
	plan_metrics(s);
}

static void copy_value(struct arena *a, struct value *to, const struct value *from)
{
	*to = *from;
	if (from->type == VALUE_TEXT)
		to->text = arena_strndup(a, from->text, from->len);
	else if (from->type == VALUE_BLOB)
		to->text = arena_memdup(a, from->text, from->len);
}

static bool is_span_value(
    const struct grounding *g, uint32_t table, uint32_t column, const struct value *v)
{
	size_t i, k;

	for (i = 0; i < g->n_spans; i++)
		for (k = 0; k < g->spans[i].n_targets; k++) {
			const struct span_target *t = &g->spans[i].targets[k];

			if (t->table == table && t->column == column && value_equal(&t->value, v))
				return true;
		}
	return false;
}

/* The domain, or as much of it as fits; values that spans name always. */
static void copy_domain(struct arena *a, const struct grounding *g, uint32_t table, uint32_t column,
    const struct catalog_column *from, struct catalog_column *to, size_t *budget)
{
	size_t i, n = 0;
	bool fits;

	to->domain = arena_new_array(a, from->n_domain, struct value);
	for (i = 0; i < from->n_domain; i++) {
		size_t bytes = from->domain[i].len + sizeof(int64_t);

		fits = n < DOMAIN_VALUES_MAX && bytes <= *budget;
		if (!fits && !is_span_value(g, table, column, &from->domain[i]))
			continue;
		*budget -= fits ? bytes : 0;
		copy_value(a, &to->domain[n++], &from->domain[i]);
	}
	to->n_domain = n;
	to->domain_complete = from->domain_complete && n == from->n_domain;
}

static void copy_column(struct arena *a, const struct grounding *g, uint32_t table, uint32_t column,
    const struct catalog_column *from, struct catalog_column *to, size_t *budget)
{
	size_t i;

	*to = *from;
	to->name = arena_strdup(a, from->name);
	to->decl_type = arena_strdup(a, from->decl_type);
	if (from->has_range) {
		copy_value(a, &to->min, &from->min);
		copy_value(a, &to->max, &from->max);
	}
	copy_domain(a, g, table, column, from, to, budget);
	to->samples = arena_new_array(a, from->n_samples, struct value);
	for (i = 0; i < from->n_samples; i++)
		copy_value(a, &to->samples[i], &from->samples[i]);
}

/* Renumbers a list of columns; false if one of them is not kept. */
static bool copy_columns(
    struct arena *a, const uint32_t *map, const uint32_t *from, size_t n, uint32_t **ret_columns)
{
	size_t i;

	*ret_columns = arena_new_array(a, n, uint32_t);
	for (i = 0; i < n; i++) {
		(*ret_columns)[i] = map[from[i]];
		if (map[from[i]] == TARGET_NONE)
			return false;
	}
	return true;
}

static void copy_table(const struct subset *s, struct grounding *g, uint32_t table,
    struct catalog_table *to, size_t *budget)
{
	const struct catalog_table *from = &s->q->ix->catalog->tables[table];
	const uint32_t *map = s->column_map[table];
	struct arena *a = &g->catalog->arena;
	size_t i;

	*to = (struct catalog_table){
	    .name = arena_strdup(a, from->name), .kind = from->kind, .n_rows = from->n_rows};
	to->columns = arena_new_array(a, from->n_columns, struct catalog_column);
	for (i = 0; i < from->n_columns; i++)
		if (map[i] != TARGET_NONE)
			copy_column(a, g, table, (uint32_t)i, &from->columns[i],
			    &to->columns[to->n_columns++], budget);
	if (copy_columns(a, map, from->pk, from->n_pk, &to->pk))
		to->n_pk = from->n_pk;
	to->unique_keys = arena_new_array(a, from->n_unique_keys, struct catalog_key);
	for (i = 0; i < from->n_unique_keys; i++) {
		struct catalog_key *k = &to->unique_keys[to->n_unique_keys];

		k->n_columns = from->unique_keys[i].n_columns;
		to->n_unique_keys += copy_columns(
		    a, map, from->unique_keys[i].columns, k->n_columns, &k->columns);
	}
}

/* A view that the question names, or that something is found in before all else. */
static bool is_used_view(const struct subset *s, const struct grounding *g, uint32_t table)
{
	size_t i;

	if (s->q->literal[table])
		return true;
	for (i = 0; i < g->n_spans; i++)
		if (g->spans[i].n_targets && g->spans[i].targets[0].table == table)
			return true;
	return false;
}

/* Joins do not lead through views that only repeat what tables have; what the
 * semantic model states holds. */
static bool leads_astray(
    const struct subset *s, const struct grounding *g, const struct catalog_relation *r)
{
	const struct catalog *c = s->q->ix->catalog;

	if (r->origin == RELATION_MODEL)
		return false;
	return (c->tables[r->from_table].kind == CATALOG_VIEW &&
	           !is_used_view(s, g, r->from_table)) ||
	    (c->tables[r->to_table].kind == CATALOG_VIEW && !is_used_view(s, g, r->to_table));
}

static void copy_relation(
    const struct subset *s, struct catalog *c, const struct catalog_relation *from)
{
	struct catalog_relation r = *from;

	r.from_table = s->table_map[from->from_table];
	r.to_table = s->table_map[from->to_table];
	if (r.from_table == TARGET_NONE || r.to_table == TARGET_NONE ||
	    !copy_columns(&c->arena, s->column_map[from->from_table], from->from_columns,
	        r.n_columns, &r.from_columns) ||
	    !copy_columns(&c->arena, s->column_map[from->to_table], from->to_columns, r.n_columns,
	        &r.to_columns))
		return;
	r.evidence = arena_strdup(&c->arena, from->evidence ? from->evidence : "");
	*arena_push(&c->arena, c->relations, c->n_relations) = r;
}

void subset_catalog(const struct subset *s, struct grounding *g)
{
	const struct ground_index *ix = s->q->ix;
	struct catalog *c = g->catalog;
	size_t i, budget = DOMAIN_BYTES_MAX;

	c->source = arena_strdup(&c->arena, ix->catalog->source);
	c->engine = arena_strdup(&c->arena, ix->catalog->engine);
	c->schema = arena_strdup(&c->arena, ix->catalog->schema);
	c->data_version = ix->catalog->data_version;
	c->profile_cut = ix->catalog->profile_cut;
	c->tables = arena_new_array(&c->arena, s->n, struct catalog_table);
	c->n_tables = s->n;
	for (i = 0; i < s->n; i++)
		copy_table(s, g, s->order[i], &c->tables[i], &budget);
	for (i = 0; i < ix->n_relations; i++)
		if (!leads_astray(s, g, &ix->relations[i]))
			copy_relation(s, c, &ix->relations[i]);
}

void subset_remap(const struct subset *s, struct grounding *g)
{
	size_t i, k, n;

	for (i = 0; i < g->n_spans; i++) {
		struct grounding_span *span = &g->spans[i];
		struct span_target *targets = arena_new_array(
		    &g->arena, span->n_targets, struct span_target);

		for (k = n = 0; k < span->n_targets; k++) {
			struct span_target t = span->targets[k];

			if (t.metric != TARGET_NONE) {
				t.metric = s->metric_map[t.metric];
				if (t.metric == TARGET_NONE)
					continue;
			} else {
				if (t.column != TARGET_NONE)
					t.column = s->column_map[t.table]
					    ? s->column_map[t.table][t.column]
					    : TARGET_NONE;
				t.table = s->table_map[t.table];
				if (t.table == TARGET_NONE)
					continue;
			}
			copy_value(&g->arena, &t.value, &t.value);
			targets[n++] = t;
		}
		span->targets = targets;
		span->n_targets = n;
	}
}
