/* Tables, columns and keys, as the engine's pragmas tell them. */
#include "executor/describe.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/utf8.h"
#include "executor/cell.h"
#include "executor/errmap.h"
#include "executor/fit.h"
#include "executor/profile.h"
#include "executor/relations.h"

#define VIEW_HEAP_BYTES (8 << 20)

static const char *column_str(sqlite3_stmt *st, int i)
{
	const char *s = (const char *)sqlite3_column_text(st, i);

	return s != NULL ? s : "";
}

static bool is_offered_name(sqlite3_stmt *st, int i)
{
	const char *s = column_str(st, i);
	size_t len = (size_t)sqlite3_column_bytes(st, i);

	return len > 0 && len <= DESCRIBE_NAME_MAX && strlen(s) == len && utf8_valid(s, len);
}

/* --- tables ------------------------------------------------------------------------ */

struct hidden { /* names of virtual tables, sorted */
	const char **names;
	size_t n;
};

static int compare_names(const void *a, const void *b)
{
	return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

/* Not PRAGMA table_list: that expands every view, and views built on one another
 * may double at every step. */
static int list_hidden(struct arena *a, sqlite3 *db, struct hidden *h)
{
	sqlite3_stmt *st;
	int rc = cell_prepare(
	    db, &st, "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage = 0");

	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		*arena_push(a, h->names, h->n) = arena_strdup(a, column_str(st, 0));
	sqlite3_finalize(st);
	if (h->n > 0)
		qsort(h->names, h->n, sizeof(*h->names), compare_names);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static bool is_virtual(const struct hidden *h, const char *name)
{
	return h->n > 0 && bsearch(&name, h->names, h->n, sizeof(*h->names), compare_names) != NULL;
}

/* A virtual table, or the shadow of one: its name, an underscore, and what the
 * modules of full text and R-trees call their parts. */
static bool is_hidden(struct arena *a, const struct hidden *h, const char *name)
{
	static const char *const parts[] = {"_content", "_segments", "_segdir", "_docsize", "_stat",
	    "_data", "_idx", "_config", "_node", "_rowid", "_parent"};
	const char *tail = strrchr(name, '_');

	if (h->n == 0 || is_virtual(h, name))
		return h->n != 0;
	for (size_t i = 0; tail != NULL && i < ARRAY_SIZE(parts); i++)
		if (strcasecmp(tail, parts[i]) == 0)
			return is_virtual(h, arena_strndup(a, name, (size_t)(tail - name)));
	return false;
}

static int read_tables(struct catalog *c, sqlite3 *db)
{
	struct hidden h = {NULL, 0};
	sqlite3_stmt *st;
	int rc = list_hidden(&c->arena, db, &h);

	if (rc == SQLITE_OK)
		rc = cell_prepare(db, &st,
		    "SELECT name, type FROM main.sqlite_schema"
		    " WHERE type IN ('table','view') ORDER BY rowid");
	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *name = column_str(st, 0);
		struct catalog_table *t;

		if (!is_offered_name(st, 0) || strncasecmp(name, "sqlite_", 7) == 0 ||
		    is_hidden(&c->arena, &h, name) || c->n_tables > DESCRIBE_MAX_TABLES)
			continue;
		t = arena_push(&c->arena, c->tables, c->n_tables);
		t->name = arena_strdup(&c->arena, name);
		t->kind = column_str(st, 1)[0] == 'v' ? CATALOG_VIEW : CATALOG_TABLE;
		t->n_rows = -1;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* --- columns ----------------------------------------------------------------------- */

static bool has_word(const char *type, const char *word)
{
	return strcasestr(type, word) != NULL;
}

/* The engine's own rules, in their order. */
static enum catalog_affinity affinity_of(const char *type)
{
	if (has_word(type, "INT"))
		return AFFINITY_INTEGER;
	if (has_word(type, "CHAR") || has_word(type, "CLOB") || has_word(type, "TEXT"))
		return AFFINITY_TEXT;
	if (type[0] == '\0' || has_word(type, "BLOB"))
		return AFFINITY_BLOB;
	if (has_word(type, "REAL") || has_word(type, "FLOA") || has_word(type, "DOUB"))
		return AFFINITY_REAL;
	return AFFINITY_NUMERIC;
}

static void add_column(struct catalog *c, struct catalog_table *t, sqlite3_stmt *st)
{
	struct catalog_column *col = arena_push(&c->arena, t->columns, t->n_columns);
	bool type_ok = is_offered_name(st, 2) && sqlite3_column_bytes(st, 2) <= 100;

	col->name = arena_strdup(&c->arena, column_str(st, 1));
	col->decl_type = arena_strdup(&c->arena, type_ok ? column_str(st, 2) : "");
	col->affinity = affinity_of(col->decl_type);
	col->not_null = sqlite3_column_int(st, 3) != 0;
	col->pk_position = sqlite3_column_int(st, 5);
	col->n_distinct = col->n_null = -1;
}

static int compare_pk(const void *a, const void *b, void *arg)
{
	const struct catalog_table *t = arg;

	return t->columns[*(const uint32_t *)a].pk_position -
	    t->columns[*(const uint32_t *)b].pk_position;
}

static void set_pk(struct catalog *c, struct catalog_table *t)
{
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].pk_position > 0)
			*arena_push(&c->arena, t->pk, t->n_pk) = i;
	if (t->n_pk > 1)
		qsort_r(t->pk, t->n_pk, sizeof(*t->pk), compare_pk, t);
	if (t->n_pk == 1)
		t->columns[t->pk[0]].is_unique = true;
}

static int read_columns(struct catalog *c, struct catalog_table *t, sqlite3 *db)
{
	sqlite3_stmt *st;
	int rc = cell_prepare(db, &st, "PRAGMA main.table_xinfo(\"%w\")", t->name);

	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		/* 1: hidden column of a virtual table */
		if (sqlite3_column_int(st, 6) != 1 && is_offered_name(st, 1))
			add_column(c, t, st);
	sqlite3_finalize(st);
	set_pk(c, t);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* --- unique keys ------------------------------------------------------------------- */

static int read_index(struct catalog *c, struct catalog_table *t, sqlite3 *db, const char *index)
{
	struct catalog_key key = {NULL, 0};
	bool is_plain = true; /* columns only, no expression */
	sqlite3_stmt *st;
	int rc = cell_prepare(db, &st, "PRAGMA main.index_info(\"%w\")", index);

	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		int i = catalog_find_column(t, column_str(st, 2));

		if (sqlite3_column_int(st, 1) < 0 || i < 0)
			is_plain = false;
		else
			*arena_push(&c->arena, key.columns, key.n_columns) = (uint32_t)i;
	}
	sqlite3_finalize(st);
	if (is_plain && key.n_columns == 1)
		t->columns[key.columns[0]].is_unique = true;
	else if (is_plain && key.n_columns > 1)
		*arena_push(&c->arena, t->unique_keys, t->n_unique_keys) = key;
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_unique(struct catalog *c, struct catalog_table *t, sqlite3 *db)
{
	sqlite3_stmt *st;
	int rc = cell_prepare(db, &st, "PRAGMA main.index_list(\"%w\")", t->name), sub = SQLITE_OK;

	if (rc != SQLITE_OK)
		return rc;
	while (sub == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW)
		/* A partial index is no key. */
		if (sqlite3_column_int(st, 2) == 1 && sqlite3_column_int(st, 4) == 0)
			sub = read_index(c, t, db, column_str(st, 1));
	sqlite3_finalize(st);
	return sub != SQLITE_OK ? sub : rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* --- all of it --------------------------------------------------------------------- */

static bool is_fatal(int rc)
{
	int primary = rc & 0xff;

	return primary != SQLITE_OK && primary != SQLITE_ERROR && primary != SQLITE_AUTH;
}

/* A view's columns, with little memory: the text of a view expands to the text of all
 * views below it, and those may double at every step. */
static int read_view(struct catalog *c, struct catalog_table *t, sqlite3 *db)
{
	sqlite3_int64 limit = sqlite3_hard_heap_limit64(-1);
	sqlite3_int64 small = sqlite3_memory_used() + VIEW_HEAP_BYTES;
	int rc;

	if (limit == 0 || small < limit)
		sqlite3_hard_heap_limit64(small);
	rc = read_columns(c, t, db);
	sqlite3_hard_heap_limit64(limit);
	return rc;
}

/* Out of memory or time over a view: it is built to blow up, or on one that is. */
static bool is_blown_up(const struct catalog_table *t, int rc)
{
	return t->kind == CATALOG_VIEW &&
	    ((rc & 0xff) == SQLITE_NOMEM || (rc & 0xff) == SQLITE_INTERRUPT);
}

/* Reads every table's columns and keys; what the engine cannot describe (a view over
 * a table that is gone) is dropped from the list. After a view that blows up no other
 * is looked at: each costs its time. */
static int read_details(struct catalog *c, sqlite3 *db, size_t *ret_columns)
{
	bool takes_views = true;
	size_t kept = 0;

	for (size_t i = 0; i < c->n_tables; i++) {
		struct catalog_table t = c->tables[i];
		int rc;

		if (t.kind == CATALOG_VIEW)
			rc = takes_views ? read_view(c, &t, db) : SQLITE_ERROR;
		else if ((rc = read_columns(c, &t, db)) == SQLITE_OK)
			rc = read_unique(c, &t, db);
		if (is_blown_up(&t, rc))
			takes_views = false;
		else if (is_fatal(rc))
			return rc;
		if (rc != SQLITE_OK || t.n_columns == 0)
			continue;
		*ret_columns += t.n_columns;
		c->tables[kept++] = t;
	}
	c->n_tables = kept;
	return SQLITE_OK;
}

static int describe_schema(struct catalog *c, sqlite3 *db, struct err *e)
{
	size_t n_columns = 0;
	int rc = read_tables(c, db);

	if (rc == SQLITE_OK)
		rc = read_details(c, db, &n_columns);
	if (rc == SQLITE_OK)
		rc = relations_declared(c, db);
	if (rc != SQLITE_OK)
		return errmap(e, db, rc, PHASE_DESCRIBE);
	if (c->n_tables == 0) {
		rc = err_set(e, ERR_SOURCE_EMPTY, PHASE_DESCRIBE, "the database holds no tables");
		err_fix(e, "name a database that holds tables");
		return rc;
	}
	if (c->n_tables > DESCRIBE_MAX_TABLES || n_columns > DESCRIBE_MAX_COLUMNS)
		return err_set(e, ERR_TOO_LARGE, PHASE_DESCRIBE,
		    "the schema is too large: %zu tables with %zu columns (at most %d and %d)",
		    c->n_tables, n_columns, DESCRIBE_MAX_TABLES, DESCRIBE_MAX_COLUMNS);
	return 0;
}

int describe_catalog(sqlite3 *db, const char *source, const struct describe_options *o,
    struct catalog **ret_catalog, struct err *e)
{
	struct describe_options all = o != NULL ? *o : (struct describe_options){0};
	struct catalog *c = catalog_new();
	int rc;

	all.domain_max = all.domain_max != 0 ? all.domain_max : 1000;
	all.column_ms = all.column_ms != 0 ? all.column_ms : 200;
	all.total_ms = all.total_ms != 0 ? all.total_ms : 10000;
	c->source = arena_strdup(&c->arena, source);
	c->engine = "sqlite";
	c->schema = "main";
	rc = describe_schema(c, db, e);
	if (rc == 0 && !all.schema_only) {
		profile_catalog(c, db, &all);
		rc = fit_catalog(c, e);
	}
	if (rc != 0) {
		catalog_free(c);
		return rc;
	}
	*ret_catalog = c;
	return 0;
}
