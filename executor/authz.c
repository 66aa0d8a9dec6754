/* The callback, the function list, and the comparison of the engine's report. */
#include "executor/authz.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Sorted. Left out on purpose: what makes large values from small ones (zeroblob,
 * randomblob, printf and format, which give NULL silently when they overflow), what
 * tells about the engine, and what loads or writes. */
static const char *const functions[] = {
    "->",
    "->>",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "degrees",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "glob",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_insert",
    "json_object",
    "json_patch",
    "json_quote",
    "json_remove",
    "json_replace",
    "json_set",
    "json_type",
    "json_valid",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "pi",
    "pow",
    "power",
    "quote",
    "radians",
    "random",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "tan",
    "tanh",
    "time",
    "timediff",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unicode",
    "unixepoch",
    "unlikely",
    "upper",
};

/* What our own statements ask the engine about a schema. */
static const char *const internal_pragmas[] = {
    "foreign_key_list",
    "index_info",
    "index_list",
    "schema_version",
    "table_xinfo",
};

static int compare_name(const void *key, const void *item)
{
	return strcasecmp(key, *(const char *const *)item);
}

static bool is_listed(const char *name, const char *const *list, size_t n)
{
	return name != NULL && bsearch(name, list, n, sizeof(*list), compare_name) != NULL;
}

bool authz_function_allowed(const char *name)
{
	return is_listed(name, functions, ARRAY_SIZE(functions));
}

void authz_init(struct authz *z)
{
	memset(z, 0, sizeof(*z));
	arena_init(&z->arena);
}

void authz_done(struct authz *z)
{
	arena_done(&z->arena);
}

void authz_begin(
    struct authz *z, const struct catalog *c, const char *const *ctes, size_t n_ctes, bool has_view)
{
	arena_done(&z->arena);
	z->mode = AUTHZ_PREPARE;
	z->catalog = c;
	z->ctes = ctes;
	z->n_ctes = n_ctes;
	z->has_view = has_view;
	z->reads = NULL;
	z->n_reads = 0;
	z->denied = false;
}

void authz_internal(struct authz *z)
{
	authz_begin(z, NULL, NULL, 0, false);
	z->mode = AUTHZ_INTERNAL;
}

static bool is_cte(const struct authz *z, const char *name)
{
	for (size_t i = 0; i < z->n_ctes; i++)
		if (strcasecmp(z->ctes[i], name) == 0)
			return true;
	return false;
}

static bool was_read(const struct authz *z, const struct authz_read *r)
{
	for (size_t i = 0; i < z->n_reads; i++)
		if (z->reads[i].table == r->table && z->reads[i].column == r->column &&
		    z->reads[i].via == r->via)
			return true;
	return false;
}

/* The view that accessor names, or -1. A WITH table can be an accessor too; the
 * names of ours never equal a view's. */
static int32_t find_view(const struct authz *z, const char *accessor)
{
	int t = accessor != NULL && !is_cte(z, accessor) ? catalog_find_table(z->catalog, accessor)
	                                                 : -1;

	return t >= 0 && z->catalog->tables[t].kind == CATALOG_VIEW ? t : -1;
}

/* A WITH table of which no column is read: ours, or one in the text of a view. Our
 * text qualifies every table, so only a view's can come without its database. */
static bool is_with_table(const struct authz *z, const char *name)
{
	return is_cte(z, name) ||
	    (z->has_view && catalog_find_table(z->catalog, name) < 0 &&
	        strncasecmp(name, "sqlite_", 7) != 0);
}

/* One READ of a user's statement. A table of which no column is read comes with an
 * empty column, and with a NULL database where the text did not qualify it. */
static int user_read(struct authz *z, const char *table, const char *column, const char *database,
    const char *accessor)
{
	struct authz_read r;
	int t;

	if (database == NULL && column[0] == '\0' && is_with_table(z, table))
		return SQLITE_OK;
	if (database != NULL && strcasecmp(database, "main") != 0)
		return SQLITE_DENY;
	t = catalog_find_table(z->catalog, table);
	if (t < 0)
		return SQLITE_DENY;
	r.table = (uint32_t)t;
	r.column = column[0] != '\0' ? catalog_find_column(&z->catalog->tables[t], column) : -1;
	r.via = find_view(z, accessor);
	/* The rowid is a column that our front end refuses; a view may use it. */
	if (column[0] != '\0' && r.column < 0 && r.via < 0)
		return SQLITE_DENY;
	if (was_read(z, &r))
		return SQLITE_OK;
	if (z->mode == AUTHZ_STEP)
		return SQLITE_DENY;
	*arena_push(&z->arena, z->reads, z->n_reads) = r;
	return SQLITE_OK;
}

static int judge(struct authz *z, int action, const char *a, const char *b, const char *database,
    const char *accessor)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION: return authz_function_allowed(b) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_READ:
		if (z->mode == AUTHZ_INTERNAL)
			return SQLITE_OK;
		return a != NULL && b != NULL ? user_read(z, a, b, database, accessor)
		                              : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return z->mode == AUTHZ_INTERNAL &&
		        is_listed(a, internal_pragmas, ARRAY_SIZE(internal_pragmas))
		    ? SQLITE_OK
		    : SQLITE_DENY;
	default: return SQLITE_DENY;
	}
}

int authz_callback(
    void *arg, int action, const char *a, const char *b, const char *database, const char *accessor)
{
	struct authz *z = arg;
	int rc = judge(z, action, a, b, database, accessor);

	z->denied |= rc != SQLITE_OK;
	return rc;
}

static bool is_claimed(const struct authz_read *r, const struct authz_claim *claims, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (claims[i].table == r->table && claims[i].column == (uint32_t)r->column)
			return true;
	return false;
}

/* A table without a column is reported without its accessor where the engine has
 * merged a view into the query: to be reached is enough for it. */
static bool is_read_covered(
    const struct authz_read *r, const bool *reached, const struct authz_claim *claims, size_t n)
{
	if (r->via >= 0)
		return reached[r->via];
	return r->column < 0 ? reached[r->table] : is_claimed(r, claims, n);
}

bool authz_is_covered(const struct authz *z, const uint32_t *tables, size_t n_tables,
    const struct authz_claim *claims, size_t n_claims)
{
	bool *reached = calloc(z->catalog->n_tables + 1, sizeof(bool));
	bool covered = reached != NULL, more = true;

	for (size_t i = 0; covered && i < n_tables; i++)
		reached[tables[i]] = true;
	/* A view that is reached reaches the views that its text reads. */
	while (covered && more) {
		more = false;
		for (size_t i = 0; i < z->n_reads; i++) {
			const struct authz_read *r = &z->reads[i];

			if (r->via >= 0 && reached[r->via] && !reached[r->table])
				reached[r->table] = more = true;
		}
	}
	for (size_t i = 0; covered && i < z->n_reads; i++)
		covered = is_read_covered(&z->reads[i], reached, claims, n_claims);
	free(reached);
	return covered;
}
