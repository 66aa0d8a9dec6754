/* See run.h. The order of the steps is the order of the functions. */
#include "executor/run.h"

#include <string.h>

#include "common/base/clock.h"
#include "common/sql/facts.h"
#include "common/sql/sql.h"
#include "executor/cell.h"
#include "executor/errmap.h"

#define PRINTED_MAX (1u << 20)
#define CELL_OVERHEAD 8 /* counted per cell, so that many NULLs have a price */

struct query {
	struct arena *arena; /* of the result */
	struct sql_select *tree;
	struct sql_facts facts;
	struct strbuf shown, run;
	const char **ctes;
	size_t n_ctes;
};

/* --- front end ------------------------------------------------------------------------ */

static void collect_ctes(struct query *q, const struct sql_select *s);

static void collect_from(struct query *q, struct sql_source *const *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (from[i]->select != NULL)
			collect_ctes(q, from[i]->select);
		collect_from(q, from[i]->from, from[i]->n_from);
	}
}

static void collect_ctes(struct query *q, const struct sql_select *s)
{
	for (size_t i = 0; i < s->n_ctes; i++) {
		if (s->ctes[i]->print_name != NULL)
			*arena_push(q->arena, q->ctes, q->n_ctes) = s->ctes[i]->print_name;
		collect_ctes(q, s->ctes[i]->select);
	}
	for (size_t i = 0; i < s->n_cores; i++)
		collect_from(q, s->cores[i]->from, s->cores[i]->n_from);
}

static int collect_from_expr(struct sql_expr *x, void *arg)
{
	if (x->select != NULL)
		collect_ctes(arg, x->select);
	return 0;
}

static int read_query(
    struct query *q, const struct catalog *c, const struct run_request *r, struct err *e)
{
	const struct sql_dialect *d = &sql_dialect_sqlite;
	int rc = sql_parse(q->arena, d, r->sql, r->sql_len, &q->tree, e);

	if (rc == 0)
		rc = sql_resolve(q->arena, d, q->tree, c, e);
	if (rc != 0)
		return rc;
	sql_facts(q->arena, q->tree, c, &q->facts);
	collect_ctes(q, q->tree);
	sql_walk(q->tree, collect_from_expr, q);
	sql_print(&q->shown, d, q->tree, SQL_PRINT_SHOWN, 0);
	sql_print(&q->run, d, q->tree, SQL_PRINT_RUN, r->max_rows);
	if (q->shown.failed || q->run.failed)
		return err_set(e, ERR_TOO_COMPLEX, PHASE_RESOLVE,
		    "the query is too long once its names are written out");
	return 0;
}

/* --- engine --------------------------------------------------------------------------- */

static bool is_blank(const char *tail, const char *end)
{
	while (tail < end && strchr(" \t\r\n\f;", *tail) != NULL && *tail != '\0')
		tail++;
	return tail == end;
}

int run_prepare(struct db *d, const char *sql, size_t len, sqlite3_stmt **ret_stmt, struct err *e)
{
	sqlite3_stmt *st = NULL;
	const char *tail = NULL;
	int rc = sqlite3_prepare_v2(d->h, sql, (int)len + 1, &st, &tail);

	/* Denied comes as SQLITE_ERROR from a view's function: our flag knows better. */
	if (rc != SQLITE_OK)
		rc = errmap(e, d->h, d->authz.denied ? SQLITE_AUTH : rc, PHASE_PREPARE);
	else if (st == NULL || !is_blank(tail, sql + len) || sqlite3_stmt_readonly(st) == 0 ||
	    sqlite3_stmt_isexplain(st) != 0 || sqlite3_column_count(st) == 0 ||
	    sqlite3_bind_parameter_count(st) != 0)
		rc = err_set(e, ERR_NOT_SELECT, PHASE_PREPARE,
		    "only one reading SELECT without parameters is run");
	if (rc != 0) {
		sqlite3_finalize(st);
		return rc;
	}
	d->authz.mode = AUTHZ_STEP;
	*ret_stmt = st;
	return 0;
}

static int check_report(const struct db *d, const struct query *q, struct err *e)
{
	const struct sql_facts *f = &q->facts;
	struct authz_claim *claims = arena_new_array(q->arena, f->n_columns, struct authz_claim);

	for (size_t i = 0; i < f->n_columns; i++)
		claims[i] = (struct authz_claim){f->columns[i].table, f->columns[i].column};
	if (authz_is_covered(&d->authz, f->tables, f->n_tables, claims, f->n_columns))
		return 0;
	return err_set(e, ERR_ENGINE_MISMATCH, PHASE_PREPARE,
	    "the database would read something that the query does not name");
}

/* --- result --------------------------------------------------------------------------- */

static const char *name_in_catalog(
    const struct catalog *c, const char *table, const char *column, const char **ret_table)
{
	int t = table != NULL ? catalog_find_table(c, table) : -1, i;

	*ret_table = "";
	if (t < 0 || column == NULL)
		return "";
	i = catalog_find_column(&c->tables[t], column);
	if (i < 0)
		return "";
	*ret_table = c->tables[t].name;
	return c->tables[t].columns[i].name;
}

static void set_columns(
    struct resultset *r, const struct query *q, const struct catalog *c, sqlite3_stmt *st)
{
	r->n_columns = (size_t)sqlite3_column_count(st);
	r->columns = arena_new_array(&r->arena, r->n_columns, struct result_column);
	for (size_t i = 0; i < r->n_columns; i++) {
		struct result_column *col = &r->columns[i];
		const char *name = i < q->tree->n_outputs ? q->tree->output_names[i] : NULL;
		const char *type = sqlite3_column_decltype(st, (int)i);
		const char *table;
		size_t len;

		if (name == NULL)
			name = sqlite3_column_name(st, (int)i);
		col->name = cell_text(
		    &r->arena, name != NULL ? name : "", name != NULL ? strlen(name) : 0, &len);
		col->type = type != NULL ? cell_text(&r->arena, type, strlen(type), &len) : "";
		col->column = arena_strdup(&r->arena,
		    name_in_catalog(c, sqlite3_column_table_name(st, (int)i),
		        sqlite3_column_origin_name(st, (int)i), &table));
		col->table = arena_strdup(&r->arena, table);
	}
}

static size_t cell_bytes(const struct value *v)
{
	return CELL_OVERHEAD + (v->type == VALUE_TEXT || v->type == VALUE_BLOB ? v->len : 8);
}

/* Reads one row; false if it does not fit any more (then it is not kept). */
static bool take_row(
    struct resultset *r, const struct run_request *q, sqlite3_stmt *st, size_t *bytes)
{
	size_t first = r->n_rows * r->n_columns, n = first;

	for (size_t i = 0; i < r->n_columns; i++) {
		struct value *v = arena_push(&r->arena, r->cells, n);

		r->truncated |= cell_read(&r->arena, st, (int)i, q->cell_max_bytes, v);
		*bytes += cell_bytes(v);
		if (*bytes > q->max_bytes)
			return false;
	}
	r->n_rows++;
	return true;
}

static int step_rows(
    struct db *d, const struct run_request *q, struct resultset *r, sqlite3_stmt *st, struct err *e)
{
	size_t bytes = 0;
	int rc;

	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		if (r->n_rows == q->max_rows || !take_row(r, q, st, &bytes)) {
			r->truncated = true;
			return 0;
		}
	}
	if (rc == SQLITE_DONE)
		return 0;
	if (d->is_out_of_opcodes) {
		rc = err_set(e, ERR_COST, PHASE_RUN, "the query takes more steps than it may");
		err_fix(e, "filter or join more narrowly");
		return rc;
	}
	return errmap(e, d->h, rc, PHASE_RUN);
}

static void list_tables(struct resultset *r, const struct db *d, const struct catalog *c,
    const char ***ret_tables, size_t *ret_n)
{
	const char **names = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->authz.n_reads; i++) {
		const char *name = c->tables[d->authz.reads[i].table].name;
		bool known = false;

		for (size_t k = 0; k < n && !known; k++)
			known = strcmp(names[k], name) == 0;
		if (!known)
			*arena_push(&r->arena, names, n) = arena_strdup(&r->arena, name);
	}
	*ret_tables = names;
	*ret_n = n;
}

static void set_stats(struct resultset *r, sqlite3_stmt *st, uint64_t start_us)
{
	r->stats.opcodes = (uint64_t)sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 0);
	r->stats.full_scan_steps = (uint64_t)sqlite3_stmt_status(
	    st, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
	r->stats.sorts = (uint64_t)sqlite3_stmt_status(st, SQLITE_STMTSTATUS_SORT, 0);
	r->stats.elapsed_us = clock_mono_us() - start_us;
}

static bool names_view(const struct sql_facts *f, const struct catalog *c)
{
	for (size_t i = 0; i < f->n_tables; i++)
		if (c->tables[f->tables[i]].kind == CATALOG_VIEW)
			return true;
	return false;
}

/* From the printed text on: prepare, compare, step. */
static int run_printed(struct db *d, const struct catalog *c, const struct run_request *q,
    const struct query *parsed, struct resultset *r, struct err *e)
{
	uint64_t start_us = clock_mono_us();
	sqlite3_stmt *st = NULL;
	int rc;

	db_arm(d, q->deadline_ms, q->opcodes_max);
	authz_begin(&d->authz, c, parsed->ctes, parsed->n_ctes, names_view(&parsed->facts, c));
	rc = run_prepare(d, parsed->run.data, parsed->run.len, &st, e);
	if (rc == 0)
		rc = check_report(d, parsed, e);
	if (rc == 0) {
		set_columns(r, parsed, c, st);
		if (!q->check_only)
			rc = step_rows(d, q, r, st, e);
		set_stats(r, st, start_us);
	}
	sqlite3_finalize(st);
	return rc;
}

int run_query(struct db *d, const struct catalog *c, const struct run_request *q,
    struct resultset **ret_result, const char ***ret_tables, size_t *ret_n_tables, struct err *e)
{
	struct resultset *r = resultset_new();
	struct query parsed = {.arena = &r->arena};
	int rc;

	strbuf_init(&parsed.shown, PRINTED_MAX);
	strbuf_init(&parsed.run, PRINTED_MAX);
	rc = read_query(&parsed, c, q, e);
	if (rc == 0)
		rc = run_printed(d, c, q, &parsed, r, e);
	if (rc == 0) {
		r->sql_shown = arena_strdup(&r->arena, parsed.shown.data);
		r->sql_run = arena_strdup(&r->arena, parsed.run.data);
		resultset_digest(r, &r->digest);
		list_tables(r, d, c, ret_tables, ret_n_tables);
	}
	authz_internal(&d->authz);
	strbuf_done(&parsed.shown);
	strbuf_done(&parsed.run);
	if (rc != 0) {
		resultset_free(r);
		return rc;
	}
	*ret_result = r;
	return 0;
}
