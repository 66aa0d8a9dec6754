/*
 * sql_corpus [-v] [SET ...]
 * Proof of common/sql on queries that nobody here wrote: every gold query of
 * the public sets under NLQ_DATA is parsed, resolved and printed, and the
 * printed SQL must give the rows of the original on the same database (in
 * order where the outermost select has ORDER BY). Prints a table set by set;
 * what the engine itself refuses is left out. dqs=compat: a double-quoted name
 * that is no column is a string, as the engine takes it by default.
 * -v lists every query that is refused or differs.
 */
#include <cjson/cJSON.h>
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

struct counts {
	size_t seen, accepted, parsed, equal, strict_accepted, strict_parsed, names, unreported;
};

struct corpus {
	const char *data;
	const char *set;
	bool is_verbose;
	sqlite3 *db, *strict_db; /* the same database, double-quoted strings on and off */
	struct catalog *catalog;
	char db_id[200];
	struct counts n, total;
	double *ratios;
	size_t n_ratios, cap_ratios;
	/* columns that the engine reports while preparing */
	struct { char table[100], column[100]; } *reported;
	size_t n_reported;
};

/* --- databases ---------------------------------------------------------------------------- */

static void close_db(struct corpus *c)
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

static int on_authorize(void *arg, int action, const char *a, const char *b, const char *db,
    const char *view)
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

static bool open_db(struct corpus *c, const char *db_id, const char *path, const char *sql)
{
	if (strcmp(c->db_id, db_id) == 0)
		return c->db != NULL;
	close_db(c);
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
			h = hash64(sqlite3_column_blob(s, i), (size_t)sqlite3_column_bytes(s, i), h);
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
static void check_report(struct corpus *c, struct arena *a, struct sql_select *s, const char *sql,
    const char *ours)
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
		int column = table < 0 ? -1 :
		    catalog_find_column(&c->catalog->tables[table], c->reported[i].column);
		bool found = column < 0; /* ROWID and names of views' insides */
		for (size_t k = 0; k < f.n_columns && !found; k++)
			found = f.columns[k].table == (uint32_t)table && f.columns[k].column == (uint32_t)column;
		if (!found) {
			c->n.unreported++;
			complain(c, "UNREPORTED", sql, c->reported[i].column);
			return;
		}
	}
}

static void compare_results(struct corpus *c, struct arena *a, struct sql_select *s, const char *sql)
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
	bool ok = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && s && sqlite3_stmt_readonly(s);
	sqlite3_finalize(s);
	return ok;
}

static void try_query(struct corpus *c, const char *sql)
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

/* --- reading sets ------------------------------------------------------------------------------ */

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0, got;
	if (!f)
		return NULL;
	do {
		text = realloc(text, n + (1 << 20) + 1);
		got = fread(text + n, 1, 1 << 20, f);
		n += got;
	} while (got > 0);
	text[n] = '\0';
	fclose(f);
	return text;
}

static const char *text_of(const cJSON *o, const char *key)
{
	const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
	return cJSON_IsString(x) ? x->valuestring : NULL;
}

typedef void (*line_fn)(struct corpus *c, const cJSON *o, const void *arg);

static void each_line(struct corpus *c, const char *file, line_fn fn, const void *arg)
{
	char path[500];
	snprintf(path, sizeof(path), "%s/%s", c->data, file);
	char *text = read_file(path), *save = NULL;
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		cJSON *o = cJSON_Parse(line);
		if (o)
			fn(c, o, arg);
		cJSON_Delete(o);
	}
	free(text);
}

/* Gold queries of one line: a string or a list of strings. */
static void try_gold(struct corpus *c, const cJSON *o)
{
	static const char *const keys[] = {"gold_sql", "gold_sqls", "gold_sqls_sqlite", "general_sql"};
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, keys[i]);
		if (cJSON_IsString(x))
			try_query(c, x->valuestring);
		for (int k = 0; cJSON_IsArray(x) && k < cJSON_GetArraySize(x); k++) {
			const cJSON *item = cJSON_GetArrayItem(x, k);
			if (cJSON_IsString(item))
				try_query(c, item->valuestring);
		}
	}
}

/* arg: folders to look for <db_id>/<db_id>.sqlite in; db_copy names the file itself. */
static void file_line(struct corpus *c, const cJSON *o, const void *arg)
{
	const char *const *folders = arg;
	const char *db_id = text_of(o, "db_id"), *copy = text_of(o, "db_copy");
	char path[600];
	if (copy) {
		snprintf(path, sizeof(path), "%s/%s", c->data, copy);
		if (open_db(c, copy, path, NULL))
			try_gold(c, o);
		return;
	}
	for (; db_id && *folders; folders++) {
		snprintf(path, sizeof(path), "%s/%s/%s/%s.sqlite", c->data, *folders, db_id, db_id);
		FILE *f = fopen(path, "rb");
		if (!f)
			continue;
		fclose(f);
		if (open_db(c, db_id, path, NULL))
			try_gold(c, o);
		return;
	}
}

/* Databases that come as SQL text: a map from name to text. */
static void keep_sql(struct corpus *c, const cJSON *o, const void *arg)
{
	cJSON *map = (cJSON *)arg;
	(void)c;
	if (text_of(o, "db_id") && text_of(o, "sql"))
		cJSON_AddStringToObject(map, text_of(o, "db_id"), text_of(o, "sql"));
}

static void sql_line(struct corpus *c, const cJSON *o, const void *arg)
{
	const cJSON *map = arg;
	const char *db_id = text_of(o, "db_id");
	const char *sql = db_id ? text_of(map, db_id) : NULL;
	if (sql && open_db(c, db_id, NULL, sql))
		try_gold(c, o);
}

/* Spider's schema format: tables without rows. */
static char *ddl_of(const cJSON *schema)
{
	struct strbuf b;
	const cJSON *tables = cJSON_GetObjectItem(schema, "table_names_original");
	const cJSON *columns = cJSON_GetObjectItem(schema, "column_names_original"), *col;
	const cJSON *types = cJSON_GetObjectItem(schema, "column_types");
	strbuf_init(&b, 1 << 24);
	for (int t = 0; t < cJSON_GetArraySize(tables); t++) {
		int i = 0;
		const char *comma = "";
		strbuf_printf(&b, "CREATE TABLE \"%s\" (", cJSON_GetArrayItem(tables, t)->valuestring);
		cJSON_ArrayForEach(col, columns) {
			if (cJSON_GetArrayItem(col, 0)->valueint == t) {
				const cJSON *type = cJSON_GetArrayItem(types, i);
				strbuf_printf(&b, "%s\"%s\" %s", comma, cJSON_GetArrayItem(col, 1)->valuestring,
				    type && strcmp(type->valuestring, "number") == 0 ? "REAL" : "TEXT");
				comma = ", ";
			}
			i++;
		}
		strbuf_puts(&b, ");\n");
	}
	return strbuf_take(&b);
}

static void run_schema_set(struct corpus *c, const char *file, const char *schemas)
{
	char path[500];
	snprintf(path, sizeof(path), "%s/%s", c->data, schemas);
	char *text = read_file(path);
	cJSON *all = text ? cJSON_Parse(text) : NULL, *map = cJSON_CreateObject();
	const cJSON *s;
	cJSON_ArrayForEach(s, all) {
		char *ddl = ddl_of(s);
		cJSON_AddStringToObject(map, text_of(s, "db_id"), ddl);
		free(ddl);
	}
	each_line(c, file, sql_line, map);
	cJSON_Delete(map);
	cJSON_Delete(all);
	free(text);
}

static void run_ddl_set(struct corpus *c, const char *file, const char *db_id, const char *ddl)
{
	char path[500];
	snprintf(path, sizeof(path), "%s/%s", c->data, ddl);
	char *text = read_file(path);
	cJSON *map = cJSON_CreateObject();
	if (text)
		cJSON_AddStringToObject(map, db_id, text);
	each_line(c, file, sql_line, map);
	cJSON_Delete(map);
	free(text);
}

/* sqllogictest: "statement ok" is run, "query ..." is tried; records part at
 * empty lines, a query's text ends at "----". */
static void run_logic_test(struct corpus *c, const char *file)
{
	char path[500];
	snprintf(path, sizeof(path), "%s/misc/sqllogictest/%s", c->data, file);
	char *text = read_file(path), *p = text;
	if (!text)
		return;
	close_db(c);
	open_db(c, file, NULL, "");
	while (*p) {
		char *end = strstr(p, "\n\n");
		if (end)
			*end = '\0';
		while (*p == '#' || strncmp(p, "onlyif", 6) == 0 || strncmp(p, "skipif", 6) == 0)
			p = strchr(p, '\n') ? strchr(p, '\n') + 1 : p + strlen(p);
		char *sql = strchr(p, '\n'), *results = strstr(p, "\n----");
		if (sql && strncmp(p, "statement ok", 12) == 0) {
			sqlite3_exec(c->db, sql, NULL, NULL, NULL);
			sqlite3_exec(c->strict_db, sql, NULL, NULL, NULL);
			catalog_free(c->catalog);
			c->catalog = sqlite_catalog_load(c->db);
		} else if (sql && strncmp(p, "query", 5) == 0) {
			if (results)
				*results = '\0';
			try_query(c, sql + 1);
		}
		p = end ? end + 2 : p + strlen(p);
	}
	free(text);
}

static void run_tpch(struct corpus *c)
{
	char path[500];
	snprintf(path, sizeof(path), "%s/misc/tpch/schema.sql", c->data);
	char *ddl = read_file(path);
	for (int i = 1; ddl && i <= 22; i++) {
		snprintf(path, sizeof(path), "%s/misc/tpch/q%02d.sql", c->data, i);
		char *sql = read_file(path);
		if (sql && open_db(c, "tpch", NULL, ddl))
			try_query(c, sql);
		free(sql);
	}
	free(ddl);
}

/* --- the table ------------------------------------------------------------------------------------ */

static void report(struct corpus *c)
{
	const struct counts *n = &c->n;
	printf("%-28s %7zu %9zu %7zu %7zu   %9zu %7zu   %7zu %7zu\n", c->set, n->seen, n->accepted,
	    n->parsed, n->equal, n->strict_accepted, n->strict_parsed, n->names, n->unreported);
	fflush(stdout);
	const size_t *from = (const size_t *)n;
	size_t *to = (size_t *)&c->total;
	for (size_t i = 0; i < sizeof(*n) / sizeof(*from); i++)
		to[i] += from[i];
	memset(&c->n, 0, sizeof(c->n));
	close_db(c);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static const char *const spider_dbs[] = {"spider/databases", NULL};
static const char *const dk_dbs[] = {"robustness/dk_databases", "spider/databases", NULL};
static const char *const bird_dbs[] = {"bird/databases", "spider/databases", NULL};
static const char *const kaggle_dbs[] = {"kaggledbqa/databases", NULL};
static const char *const defog_dbs[] = {"defog/databases", NULL};

static const struct { const char *name, *file; const char *const *folders; } file_sets[] = {
    {"spider dev", "spider/dev.jsonl", spider_dbs},
    {"spider train", "spider/train.jsonl", spider_dbs},
    {"spider train_others", "spider/train_others_gold.jsonl", spider_dbs},
    {"spider-syn dev", "robustness/spider_syn_dev.jsonl", spider_dbs},
    {"spider-realistic", "robustness/spider_realistic.jsonl", spider_dbs},
    {"spider-dk", "robustness/spider_dk.jsonl", dk_dbs},
    {"archer dev", "robustness/archer_en_dev.jsonl", spider_dbs},
    {"archer train", "robustness/archer_en_train.jsonl", spider_dbs},
    {"bird mini-dev", "bird/mini_dev.jsonl", bird_dbs},
    {"kaggledbqa", "kaggledbqa/questions.jsonl", kaggle_dbs},
    {"defog", "defog/questions.jsonl", defog_dbs},
};
static const struct { const char *name, *file, *schemas; } schema_sets[] = {
    {"spider test (no rows)", "spider/test_gold.jsonl", "spider/test_tables.json"},
    {"bird schemas (no rows)", "bird/mini_dev.jsonl", "bird/dev_tables.json"},
};
static const struct { const char *name, *file, *db_id, *ddl; } ddl_sets[] = {
    {"ehrsql mimic valid", "ambiguity/ehrsql_mimic_iii_valid.jsonl", "mimic_iii", "ambiguity/ehrsql_schema/mimic_iii.sql"},
    {"ehrsql mimic test", "ambiguity/ehrsql_mimic_iii_test.jsonl", "mimic_iii", "ambiguity/ehrsql_schema/mimic_iii.sql"},
    {"ehrsql eicu valid", "ambiguity/ehrsql_eicu_valid.jsonl", "eicu", "ambiguity/ehrsql_schema/eicu.sql"},
    {"ehrsql eicu test", "ambiguity/ehrsql_eicu_test.jsonl", "eicu", "ambiguity/ehrsql_schema/eicu.sql"},
};
static const char *const logic_tests[] = {"select1.test", "select2.test", "select3.test",
    "select4.test", "select5.test"};

static bool wanted(struct corpus *c, const char *name, int argc, char **argv)
{
	bool any = false;
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			continue;
		any = true;
		if (strstr(name, argv[i])) {
			c->set = name;
			return true;
		}
	}
	c->set = name;
	return !any;
}

static void run_sets(struct corpus *c, int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(file_sets); i++) {
		if (wanted(c, file_sets[i].name, argc, argv)) {
			each_line(c, file_sets[i].file, file_line, file_sets[i].folders);
			report(c);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(schema_sets); i++) {
		if (wanted(c, schema_sets[i].name, argc, argv)) {
			run_schema_set(c, schema_sets[i].file, schema_sets[i].schemas);
			report(c);
		}
	}
	if (wanted(c, "ambrosia", argc, argv)) {
		cJSON *map = cJSON_CreateObject();
		each_line(c, "ambiguity/ambrosia_databases.jsonl", keep_sql, map);
		each_line(c, "ambiguity/ambrosia.jsonl", sql_line, map);
		cJSON_Delete(map);
		report(c);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ddl_sets); i++) {
		if (wanted(c, ddl_sets[i].name, argc, argv)) {
			run_ddl_set(c, ddl_sets[i].file, ddl_sets[i].db_id, ddl_sets[i].ddl);
			report(c);
		}
	}
	if (wanted(c, "tpch (no rows)", argc, argv)) {
		run_tpch(c);
		report(c);
	}
	for (size_t i = 0; i < ARRAY_SIZE(logic_tests); i++) {
		if (wanted(c, logic_tests[i], argc, argv)) {
			run_logic_test(c, logic_tests[i]);
			report(c);
		}
	}
}

int main(int argc, char **argv)
{
	struct corpus c = {0};
	c.data = getenv("NLQ_DATA") ? getenv("NLQ_DATA") : "../shared/data";
	c.is_verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
	c.reported = calloc(4000, sizeof(c.reported[0]));
	printf("%-28s %7s %9s %7s %7s   %9s %7s   %7s %7s\n", "set (dqs=compat)", "queries", "accepted",
	    "parsed", "equal", "strict:acc", "parsed", "names", "unrep.");
	run_sets(&c, argc, argv);
	if (c.n_ratios > 0) {
		qsort(c.ratios, c.n_ratios, sizeof(c.ratios[0]), compare_doubles);
		printf("parse + resolve + print beside sqlite3_prepare_v2 of the same text: "
		       "median %.2f, p90 %.2f\n", c.ratios[c.n_ratios / 2], c.ratios[c.n_ratios * 9 / 10]);
	}
	printf("strict (daemons' setting): %zu accepted by sqlite, %zu parsed\n", c.total.strict_accepted,
	    c.total.strict_parsed);
	printf("corpus: %zu accepted by sqlite, %zu parsed, %zu equal\n", c.total.accepted,
	    c.total.parsed, c.total.equal);
	free(c.reported);
	free(c.ratios);
	return c.total.equal * 1000 >= c.total.accepted * 999 ? 0 : 1;
}
