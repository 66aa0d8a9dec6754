#include "tests/lib/sql_agree.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sql/facts.h"
#include "common/sql/sql.h"
#include "tests/lib/sqlite_catalog.h"

static const char schema[] =
    "CREATE TABLE a(id INTEGER PRIMARY KEY, x INT, y TEXT, \"odd name\" REAL);"
    "CREATE TABLE b(id INTEGER PRIMARY KEY, a_id INT REFERENCES a(id), x INT, z TEXT);"
    "CREATE TABLE c(k TEXT, v, UNIQUE(k, v));"
    "CREATE TABLE t1(w1 INT, c1 INT);"
    "CREATE VIEW v AS SELECT a.id, b.z FROM a JOIN b ON b.a_id = a.id;";

static sqlite3 *db;
static struct catalog *catalog;
static struct {
	const struct sql_facts *facts;
	char missing[200];
} report;

static int on_authorize(
    void *arg, int action, const char *a, const char *b, const char *d, const char *view)
{
	(void)arg;
	(void)d;
	if (action != SQLITE_READ || !report.facts || !a || !b || !*b || view)
		return SQLITE_OK;
	int table = catalog_find_table(catalog, a);
	int column = table < 0 ? -1 : catalog_find_column(&catalog->tables[table], b);
	if (column < 0)
		return SQLITE_OK;
	for (size_t i = 0; i < report.facts->n_columns; i++)
		if (report.facts->columns[i].table == (uint32_t)table &&
		    report.facts->columns[i].column == (uint32_t)column)
			return SQLITE_OK;
	snprintf(report.missing, sizeof(report.missing), "%s.%s", a, b);
	return SQLITE_OK;
}

static void init(void)
{
	if (db)
		return;
	sqlite3_open(":memory:", &db);
	sqlite3_exec(db, schema, NULL, NULL, NULL);
	sqlite3_exec(db, "SELECT * FROM json_each('[1]'), json_tree('[1]')", NULL, NULL, NULL);
	catalog = sqlite_catalog_load(db);
	sqlite3_set_authorizer(db, on_authorize, NULL);
}

static void disagree(const char *what, const char *text, const char *more)
{
	fprintf(stderr, "fuzz_sql: %s\n  text: %s\n  %s\n", what, text, more);
	abort();
}

/* The engine's own limits are no disagreement. */
static bool is_engine_limit(const char *message)
{
	static const char *const limits[] = {"stack overflow", "too large", "too many",
	    "out of memory", "string or blob too big", "at most", "too deep", "likelihood"};
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (strstr(message, limits[i]))
			return true;
	return false;
}

static void must_prepare(const char *what, const char *sql, bool dqs, const char *text)
{
	sqlite3_stmt *s = NULL;
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, dqs, NULL);
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK &&
	    !is_engine_limit(sqlite3_errmsg(db))) {
		fprintf(stderr, "  sql: %s\n", sql);
		disagree(what, text, sqlite3_errmsg(db));
	}
	sqlite3_finalize(s);
}

static bool prepares(const char *sql, bool dqs)
{
	sqlite3_stmt *s = NULL;
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, dqs, NULL);
	bool ok = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK;
	sqlite3_finalize(s);
	return ok;
}

static void check_dialect(const struct sql_dialect *d, const char *text, size_t size)
{
	struct arena a = ARENA_INIT;
	struct sql_select *first = NULL, *second = NULL;
	struct err e = ERR_INIT;
	struct sql_facts facts;
	struct strbuf b;
	strbuf_init(&b, 4 << 20);
	if (sql_parse(&a, d, text, size, &first, &e) != 0) {
		if (!e.text[0] || e.code == ERR_OK)
			disagree("an error without words", text, "");
		goto out;
	}
	sql_print(&b, d, first, SQL_PRINT_SHOWN, 0);
	if (b.failed || b.len > SQL_MAX_BYTES)
		goto out;
	if (sql_parse(&a, d, b.data, b.len, &second, &e) != 0 && e.code != ERR_TOO_COMPLEX)
		disagree("the printed text does not parse", b.data, e.text);
	if (second && !sql_select_equal(first, second))
		disagree("the printed text parses to another tree", text, b.data);

	if (sql_resolve(&a, d, first, catalog, &e) != 0)
		goto out;
	strbuf_clear(&b);
	sql_print(&b, d, first, SQL_PRINT_RUN, 100);
	if (b.failed)
		goto out;
	sql_facts(&a, first, catalog, &facts);
	report.facts = &facts;
	report.missing[0] = '\0';
	must_prepare("the engine refuses what runs", b.data, false, text);
	report.facts = NULL;
	if (report.missing[0])
		disagree("the engine reads what is not in our facts", text, report.missing);
	strbuf_clear(&b);
	sql_print(&b, d, first, SQL_PRINT_SHOWN, 0);
	if (prepares(text, d->allow_double_quoted_strings))
		must_prepare("the engine refuses what is shown", b.data,
		    d->allow_double_quoted_strings, text);
out:
	strbuf_done(&b);
	arena_done(&a);
}

void sql_agree_check(const void *data, size_t size)
{
	init();
	if (size > SQL_MAX_BYTES)
		size = SQL_MAX_BYTES + 1;
	char *text = malloc(size + 1);
	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	check_dialect(&sql_dialect_sqlite, text, size);
	check_dialect(&sql_dialect_sqlite_compat, text, size);
	free(text);
}

void sql_agree_done(void)
{
	catalog_free(catalog);
	sqlite3_close(db);
	catalog = NULL;
	db = NULL;
}
