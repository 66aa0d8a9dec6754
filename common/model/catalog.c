/* The catalog: life cycle and look-ups by name. */
#include "common/model/catalog.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct catalog *catalog_new(void)
{
	struct catalog *c = calloc(1, sizeof(*c));
	if (!c) {
		abort(); /* as arena_alloc: out of memory ends the process */
	}
	arena_init(&c->arena);
	c->source = "";
	c->engine = "";
	c->schema = "";
	return c;
}

void catalog_free(struct catalog *c)
{
	if (!c) {
		return;
	}
	arena_done(&c->arena);
	free(c);
}

int catalog_find_table(const struct catalog *c, const char *name)
{
	for (size_t i = 0; i < c->n_tables; i++) {
		if (strcasecmp(c->tables[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

int catalog_find_column(const struct catalog_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		if (strcasecmp(t->columns[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

static bool holds(const uint32_t *columns, size_t n, uint32_t column)
{
	for (size_t i = 0; i < n; i++) {
		if (columns[i] == column) {
			return true;
		}
	}
	return false;
}

static bool holds_all(const uint32_t *columns, size_t n, const uint32_t *key, size_t n_key)
{
	for (size_t i = 0; i < n_key; i++) {
		if (!holds(columns, n, key[i])) {
			return false;
		}
	}
	return n_key > 0;
}

bool catalog_is_unique(const struct catalog_table *t, const uint32_t *columns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (columns[i] < t->n_columns && t->columns[columns[i]].is_unique) {
			return true;
		}
	}
	if (holds_all(columns, n, t->pk, t->n_pk)) {
		return true;
	}
	for (size_t i = 0; i < t->n_unique_keys; i++) {
		const struct catalog_key *k = &t->unique_keys[i];
		if (holds_all(columns, n, k->columns, k->n_columns)) {
			return true;
		}
	}
	return false;
}

bool catalog_column_is_numeric(const struct catalog_column *c)
{
	switch (c->affinity) {
	case AFFINITY_INTEGER:
	case AFFINITY_REAL: return true;
	case AFFINITY_TEXT: return false;
	case AFFINITY_NUMERIC:
	case AFFINITY_BLOB: break;
	}
	/* NUMERIC is also the affinity of DATE and of undeclared oddities, and a
	 * column without a type may hold anything: the data decides. */
	if (c->has_range) {
		return value_is_number(&c->min) && value_is_number(&c->max);
	}
	return c->affinity == AFFINITY_NUMERIC && !strcasestr(c->decl_type, "date") &&
	    !strcasestr(c->decl_type, "time");
}
