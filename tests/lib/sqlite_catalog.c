#include "tests/lib/sqlite_catalog.h"

#include <sqlite3.h>
#include <string.h>
#include <strings.h>

static const char *text(struct arena *a, sqlite3_stmt *s, int i)
{
	const char *t = (const char *)sqlite3_column_text(s, i);
	return arena_strdup(a, t ? t : "");
}

static enum catalog_affinity affinity_of(const char *type)
{
	if (strcasestr(type, "int"))
		return AFFINITY_INTEGER;
	if (strcasestr(type, "char") || strcasestr(type, "clob") || strcasestr(type, "text"))
		return AFFINITY_TEXT;
	if (!*type || strcasestr(type, "blob"))
		return AFFINITY_BLOB;
	if (strcasestr(type, "real") || strcasestr(type, "floa") || strcasestr(type, "doub"))
		return AFFINITY_REAL;
	return AFFINITY_NUMERIC;
}

static void read_columns(struct arena *a, sqlite3 *db, struct catalog_table *t)
{
	sqlite3_stmt *s = NULL;
	uint32_t pk[64] = {0};
	sqlite3_prepare_v2(db,
	    "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1", -1,
	    &s, NULL);
	sqlite3_bind_text(s, 1, t->name, -1, SQLITE_STATIC);
	while (s && sqlite3_step(s) == SQLITE_ROW) {
		struct catalog_column *c = arena_push(a, t->columns, t->n_columns);
		int place = sqlite3_column_int(s, 3);
		c->name = text(a, s, 0);
		c->decl_type = text(a, s, 1);
		c->affinity = affinity_of(c->decl_type);
		c->not_null = sqlite3_column_int(s, 2) != 0;
		c->pk_position = place;
		c->n_distinct = c->n_null = -1;
		if (place > 0 && place <= (int)ARRAY_SIZE(pk)) {
			pk[place - 1] = (uint32_t)t->n_columns - 1;
			t->n_pk = t->n_pk > (size_t)place ? t->n_pk : (size_t)place;
		}
	}
	sqlite3_finalize(s);
	t->pk = arena_memdup(a, pk, t->n_pk * sizeof(pk[0]));
	if (t->n_pk == 1)
		t->columns[pk[0]].is_unique = true;
}

static void read_unique_keys(struct arena *a, sqlite3 *db, struct catalog_table *t)
{
	sqlite3_stmt *s = NULL;
	const char *last = NULL;
	struct catalog_key *key = NULL;
	sqlite3_prepare_v2(db,
	    "SELECT l.name, i.cid FROM pragma_index_list(?1) l, pragma_index_info(l.name) i "
	    "WHERE l.\"unique\" = 1 AND l.partial = 0 ORDER BY l.name, i.seqno",
	    -1, &s, NULL);
	sqlite3_bind_text(s, 1, t->name, -1, SQLITE_STATIC);
	while (s && sqlite3_step(s) == SQLITE_ROW) {
		const char *name = text(a, s, 0);
		if (!last || strcmp(last, name) != 0)
			key = arena_push(a, t->unique_keys, t->n_unique_keys);
		last = name;
		*arena_push(a, key->columns, key->n_columns) = (uint32_t)sqlite3_column_int(s, 1);
	}
	sqlite3_finalize(s);
	for (size_t i = 0; i < t->n_unique_keys; i++)
		if (t->unique_keys[i].n_columns == 1 && t->unique_keys[i].columns[0] < t->n_columns)
			t->columns[t->unique_keys[i].columns[0]].is_unique = true;
}

struct catalog *sqlite_catalog_load(sqlite3 *db)
{
	struct catalog *c = catalog_new();
	sqlite3_stmt *s = NULL;
	c->source = "test";
	c->engine = "sqlite";
	c->schema = "main";
	sqlite3_prepare_v2(db,
	    "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') "
	    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
	    -1, &s, NULL);
	while (s && sqlite3_step(s) == SQLITE_ROW) {
		struct catalog_table *t = arena_push(&c->arena, c->tables, c->n_tables);
		t->name = text(&c->arena, s, 0);
		t->kind = strcmp(text(&c->arena, s, 1), "view") == 0 ? CATALOG_VIEW : CATALOG_TABLE;
		t->n_rows = -1;
		read_columns(&c->arena, db, t);
		read_unique_keys(&c->arena, db, t);
	}
	sqlite3_finalize(s);
	return c;
}
