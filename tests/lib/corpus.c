#include "tests/lib/corpus.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "common/base/hash.h"
#include "common/sql/facts.h"
#include "common/sql/sql.h"
#include "tests/lib/sqlite_catalog.h"

#define MAX_ROWS 300000
#define MAX_OPCODES 400000000 /* of one query, some seconds */

/* --- databases ---------------------------------------------------------------------------- */

void corpus_close(struct corpus *c)
{
	sqlite3_close(c->db);
	sqlite3_close(c->strict_db);
	catalog_free(c->catalog);
	c->db = c->strict_db = NULL;
	c->catalog = NULL;
	c->db_id[0] = '\0';
}

static int on_progress(void *arg)
{
	int *left = arg;
	return --*left < 0;
}

static int on_authorize(
    void *arg, int action, const char *a, const char *b, const char *db, const char *view)
{
	struct corpus *c = arg;
	(void)db;
	(void)view;
	if (action == SQLITE_READ && a && b && *b && c->n_reported < 4000) {
		snprintf(c->reported[c->n_reported].table, sizeof(c->reported[0].table), "%s", a);
		snprintf(c->reported[c->n_reported].column, sizeof(c->reported[0].column), "%s", b);
		c->n_reported++;
	}
	return SQLITE_OK;
}

/* path NULL: an empty database in memory. */
static sqlite3 *open_one(const char *path, const char *sql, bool strict)
{
	sqlite3 *db = NULL;
	int flags = path ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	if (sqlite3_open_v2(path ? path : ":memory:", &db, flags, NULL) != SQLITE_OK) {
		sqlite3_close(db);
		return NULL;
	}
	if (sql)
		sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, strict ? 0 : 1, NULL);
	return db;
}

bool corpus_open(struct corpus *c, const char *db_id, const char *path, const char *sql)
{
	if (strcmp(c->db_id, db_id) == 0)
		return c->db != NULL;
	corpus_close(c);
	snprintf(c->db_id, sizeof(c->db_id), "%s", db_id);
	c->db = open_one(path, sql, false);
	c->strict_db = open_one(path, sql, true);
	if (c->db && c->strict_db)
		c->catalog = sqlite_catalog_load(c->db);
	return c->db != NULL;
}

/* --- running -------------------------------------------------------------------------------- */

struct rows {
	uint64_t *hashes;
	size_t n, n_columns;
	char *names; /* joined by newlines */
	bool failed;
};

static uint64_t hash_row(sqlite3_stmt *s, int n)
{
	uint64_t h = 1;
	for (int i = 0; i < n; i++) {
		int type = sqlite3_column_type(s, i);
		int64_t v = sqlite3_column_int64(s, i);
		double r = sqlite3_column_double(s, i);
		h = h * 31 + (uint64_t)type;
		if (type == SQLITE_INTEGER)
			h = hash64(&v, sizeof(v), h);
		else if (type == SQLITE_FLOAT)
			h = hash64(&r, sizeof(r), h);
		else if (type != SQLITE_NULL)
			h = hash64(
			    sqlite3_column_blob(s, i), (size_t)sqlite3_column_bytes(s, i), h);
	}
	return h;
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void run(sqlite3 *db, const char *sql, struct rows *r)
{
	sqlite3_stmt *s = NULL;
	int left = MAX_OPCODES / 10000, rc;
	memset(r, 0, sizeof(*r));
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
		r->failed = true;
		return;
	}
	sqlite3_progress_handler(db, 10000, on_progress, &left);
	r->n_columns = (size_t)sqlite3_column_count(s);
	r->hashes = malloc(MAX_ROWS * sizeof(r->hashes[0]));
	while ((rc = sqlite3_step(s)) == SQLITE_ROW && r->n < MAX_ROWS)
		r->hashes[r->n++] = hash_row(s, (int)r->n_columns);
	r->failed = rc != SQLITE_DONE && rc != SQLITE_ROW;
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_finalize(s);
}

static bool same_rows(struct rows *a, struct rows *b, bool ordered)
{
	if (a->failed || b->failed || a->n != b->n || a->n_columns != b->n_columns)
		return false;
	if (memcmp(a->hashes, b->hashes, a->n * sizeof(a->hashes[0])) == 0)
		return true;
	if (ordered)
		return false;
	qsort(a->hashes, a->n, sizeof(a->hashes[0]), compare_hashes);
	qsort(b->hashes, b->n, sizeof(b->hashes[0]), compare_hashes);
	return memcmp(a->hashes, b->hashes, a->n * sizeof(a->hashes[0])) == 0;
}

/* Without case: for a column of a flattened subquery the engine's choice of case
 * depends on its plan. */
static bool same_names(sqlite3 *db, const char *shown, const char *ours)
{
	sqlite3_stmt *s = NULL, *t = NULL;
	bool same = sqlite3_prepare_v2(db, shown, -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, ours, -1, &t, NULL) == SQLITE_OK &&
	    sqlite3_column_count(s) == sqlite3_column_count(t);
	for (int i = 0; same && i < sqlite3_column_count(s); i++)
		same = strcasecmp(sqlite3_column_name(s, i), sqlite3_column_name(t, i)) == 0;
	sqlite3_finalize(s);
	sqlite3_finalize(t);
	return same;
}

/* --- one query -------------------------------------------------------------------------------- */

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int translate(struct arena *a, const struct sql_dialect *d, const struct catalog *catalog,
    const char *sql, struct sql_select **ret_select, struct err *e)
{
	int rc = sql_parse(a, d, sql, strlen(sql), ret_select, e);
	return rc ? rc : sql_resolve(a, d, *ret_select, catalog, e);
}

static void print_to(struct strbuf *b, const struct sql_dialect *d, const struct sql_select *s,
    enum sql_print_mode mode)
{
	strbuf_clear(b);
	sql_print(b, d, s, mode, 0);
}

/* Best of a few: parse + resolve + print beside sqlite3_prepare_v2. */
static void measure(struct corpus *c, const char *sql)
{
	double ours = 1e9, theirs = 1e9;
	struct strbuf b;
	strbuf_init(&b, 1 << 20);
	for (int i = 0; i < 5; i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct sql_select *s;
		double start = now_us();
		if (translate(&a, &sql_dialect_sqlite_compat, c->catalog, sql, &s, &e) == 0)
			print_to(&b, &sql_dialect_sqlite_compat, s, SQL_PRINT_RUN);
		arena_done(&a);
		double t = now_us() - start;
		ours = t < ours ? t : ours;

		sqlite3_stmt *stmt = NULL;
		start = now_us();
		sqlite3_prepare_v2(c->db, sql, -1, &stmt, NULL);
		sqlite3_finalize(stmt);
		t = now_us() - start;
		theirs = t < theirs ? t : theirs;
	}
	strbuf_done(&b);
	if (c->n_ratios == c->cap_ratios) {
		c->cap_ratios = c->cap_ratios ? c->cap_ratios * 2 : 1024;
		c->ratios = realloc(c->ratios, c->cap_ratios * sizeof(c->ratios[0]));
	}
	c->ratios[c->n_ratios++] = ours / theirs;
}

static void complain(const struct corpus *c, const char *what, const char *sql, const char *more)
{
	if (c->is_verbose)
		printf("%s [%s/%s] %s\n    %s\n", what, c->set, c->db_id, sql, more);
}

/* Everything that the engine says it reads must be among our facts. */
static void check_report(
    struct corpus *c, struct arena *a, struct sql_select *s, const char *sql, const char *ours)
{
	struct sql_facts f;
	sqlite3_stmt *stmt = NULL;
	sql_facts(a, s, c->catalog, &f);
	c->n_reported = 0;
	sqlite3_set_authorizer(c->db, on_authorize, c);
	sqlite3_prepare_v2(c->db, ours, -1, &stmt, NULL);
	sqlite3_finalize(stmt);
	sqlite3_set_authorizer(c->db, NULL, NULL);
	for (size_t i = 0; i < c->n_reported; i++) {
		int table = catalog_find_table(c->catalog, c->reported[i].table);
		int column = table < 0
		    ? -1
		    : catalog_find_column(&c->catalog->tables[table], c->reported[i].column);
		bool found = column < 0; /* ROWID and names of views' insides */
		for (size_t k = 0; k < f.n_columns && !found; k++)
			found = f.columns[k].table == (uint32_t)table &&
			    f.columns[k].column == (uint32_t)column;
		if (!found) {
			c->n.unreported++;
			complain(c, "UNREPORTED", sql, c->reported[i].column);
			return;
		}
	}
}

static void compare_results(
    struct corpus *c, struct arena *a, struct sql_select *s, const char *sql)
{
	struct strbuf ours, shown;
	struct rows gold, mine;
	strbuf_init(&ours, 1 << 20);
	strbuf_init(&shown, 1 << 20);
	print_to(&ours, &sql_dialect_sqlite_compat, s, SQL_PRINT_RUN);
	print_to(&shown, &sql_dialect_sqlite_compat, s, SQL_PRINT_SHOWN);
	run(c->db, sql, &gold);
	run(c->strict_db, ours.data, &mine);
	/* What the engine itself gives up on (time, overflow) must fail for us too. */
	if (same_rows(&gold, &mine, s->n_order > 0) || (gold.failed && mine.failed))
		c->n.equal++;
	else
		complain(c, "DIFFERS", sql, mine.failed ? sqlite3_errmsg(c->strict_db) : ours.data);
	if (same_names(c->strict_db, shown.data, ours.data))
		c->n.names++;
	else
		complain(c, "NAMES", shown.data, ours.data);
	check_report(c, a, s, sql, ours.data);
	free(gold.hashes);
	free(mine.hashes);
	strbuf_done(&ours);
	strbuf_done(&shown);
}

static bool accepts(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = NULL;
	bool ok = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && s &&
	    sqlite3_stmt_readonly(s);
	sqlite3_finalize(s);
	return ok;
}

void corpus_try(struct corpus *c, const char *sql)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct sql_select *s;
	c->n.seen++;
	if (accepts(c->strict_db, sql)) {
		c->n.strict_accepted++;
		if (translate(&a, &sql_dialect_sqlite, c->catalog, sql, &s, &e) == 0)
			c->n.strict_parsed++;
	} else if (translate(&a, &sql_dialect_sqlite, c->catalog, sql, &s, &e) == 0) {
		complain(c, "TOO LAX", sql, "the strict engine refuses it");
	}
	if (accepts(c->db, sql)) {
		c->n.accepted++;
		if (translate(&a, &sql_dialect_sqlite_compat, c->catalog, sql, &s, &e) == 0) {
			c->n.parsed++;
			compare_results(c, &a, s, sql);
			measure(c, sql);
		} else {
			complain(c, "REFUSED", sql, e.text);
		}
	}
	arena_done(&a);
}
