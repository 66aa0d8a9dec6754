/* Relations over which tables may be joined: the catalog's, and those that only
 * the semantic model states. */
#include <string.h>

#include "schema_agent/index.h"

static bool same_pair(const struct catalog_relation *a, const struct catalog_relation *b)
{
	size_t i, k;

	if (a->from_table != b->from_table || a->to_table != b->to_table ||
	    a->n_columns != b->n_columns)
		return false;
	for (i = 0; i < a->n_columns; i++) {
		for (k = 0; k < b->n_columns; k++)
			if (a->from_columns[i] == b->from_columns[k] &&
			    a->to_columns[i] == b->to_columns[k])
				break;
		if (k == b->n_columns)
			return false;
	}
	return true;
}

static bool is_known(const struct ground_index *ix, const struct catalog_relation *r)
{
	size_t i;

	for (i = 0; i < ix->n_relations; i++)
		if (same_pair(&ix->relations[i], r))
			return true;
	return false;
}

/* The key that the model states, for tables whose schema declares none. */
static bool is_model_key(
    const struct ground_index *ix, uint32_t table, const struct semantic_names *columns)
{
	const struct semantic_dataset *d = ix->tables[table].dataset;
	size_t i, k;

	if (!d || !d->primary_key.n)
		return false;
	for (i = 0; i < d->primary_key.n; i++) {
		for (k = 0; k < columns->n; k++)
			if (!strcasecmp(d->primary_key.items[i], columns->items[k]))
				break;
		if (k == columns->n)
			return false;
	}
	return true;
}

static bool read_side(struct ground_index *ix, const char *dataset,
    const struct semantic_names *names, uint32_t *ret_table, uint32_t **ret_columns)
{
	int d = semantic_find_dataset(ix->semantic, dataset), table, column;
	uint32_t *columns;
	size_t i;

	table = d >= 0 ? semantic_dataset_table(&ix->semantic->datasets[d], ix->catalog) : -1;
	if (table < 0)
		return false;
	columns = arena_new_array(&ix->arena, names->n, uint32_t);
	for (i = 0; i < names->n; i++) {
		column = catalog_find_column(&ix->catalog->tables[table], names->items[i]);
		if (column < 0)
			return false;
		columns[i] = (uint32_t)column;
	}
	*ret_table = (uint32_t)table;
	*ret_columns = columns;
	return true;
}

static void add_model_relation(struct ground_index *ix, const struct semantic_relationship *m)
{
	const struct catalog_table *from, *to;
	struct catalog_relation r = {.origin = RELATION_MODEL, .evidence = m->name};
	bool unique_to;

	r.n_columns = m->from_columns.n;
	if (!r.n_columns || m->to_columns.n != r.n_columns ||
	    !read_side(ix, m->from, &m->from_columns, &r.from_table, &r.from_columns) ||
	    !read_side(ix, m->to, &m->to_columns, &r.to_table, &r.to_columns) || is_known(ix, &r))
		return;
	from = &ix->catalog->tables[r.from_table];
	to = &ix->catalog->tables[r.to_table];
	unique_to = catalog_is_unique(to, r.to_columns, r.n_columns) ||
	    is_model_key(ix, r.to_table, &m->to_columns);
	r.cardinality = !unique_to                                 ? CARDINALITY_MANY_TO_MANY
	    : catalog_is_unique(from, r.from_columns, r.n_columns) ? CARDINALITY_ONE_TO_ONE
	                                                           : CARDINALITY_MANY_TO_ONE;
	*arena_push(&ix->arena, ix->relations, ix->n_relations) = r;
}

void index_relations_build(struct ground_index *ix)
{
	const struct catalog *c = ix->catalog;
	size_t i;

	for (i = 0; i < c->n_relations; i++)
		*arena_push(&ix->arena, ix->relations, ix->n_relations) = c->relations[i];
	for (i = 0; ix->semantic && i < ix->semantic->n_relationships; i++)
		add_model_relation(ix, &ix->semantic->relationships[i]);
}
