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

#include "common/base/strbuf.h"
#include "common/model/catalog.h"
#include "tests/lib/corpus.h"
#include "tests/lib/sqlite_catalog.h"

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
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
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
	static const char *const keys[] = {
	    "gold_sql", "gold_sqls", "gold_sqls_sqlite", "general_sql"};
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, keys[i]);
		if (cJSON_IsString(x))
			corpus_try(c, x->valuestring);
		for (int k = 0; cJSON_IsArray(x) && k < cJSON_GetArraySize(x); k++) {
			const cJSON *item = cJSON_GetArrayItem(x, k);
			if (cJSON_IsString(item))
				corpus_try(c, item->valuestring);
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
		if (corpus_open(c, copy, path, NULL))
			try_gold(c, o);
		return;
	}
	for (; db_id && *folders; folders++) {
		snprintf(path, sizeof(path), "%s/%s/%s/%s.sqlite", c->data, *folders, db_id, db_id);
		FILE *f = fopen(path, "rb");
		if (!f)
			continue;
		fclose(f);
		if (corpus_open(c, db_id, path, NULL))
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
	if (sql && corpus_open(c, db_id, NULL, sql))
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
		strbuf_printf(
		    &b, "CREATE TABLE \"%s\" (", cJSON_GetArrayItem(tables, t)->valuestring);
		cJSON_ArrayForEach(col, columns)
		{
			if (cJSON_GetArrayItem(col, 0)->valueint == t) {
				const cJSON *type = cJSON_GetArrayItem(types, i);
				strbuf_printf(&b, "%s\"%s\" %s", comma,
				    cJSON_GetArrayItem(col, 1)->valuestring,
				    type && strcmp(type->valuestring, "number") == 0 ? "REAL"
				                                                     : "TEXT");
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
	cJSON_ArrayForEach(s, all)
	{
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
	corpus_close(c);
	corpus_open(c, file, NULL, "");
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
			corpus_try(c, sql + 1);
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
		if (sql && corpus_open(c, "tpch", NULL, ddl))
			corpus_try(c, sql);
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
	corpus_close(c);
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

static const struct {
	const char *name, *file;
	const char *const *folders;
} file_sets[] = {
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
static const struct {
	const char *name, *file, *schemas;
} schema_sets[] = {
    {"spider test (no rows)", "spider/test_gold.jsonl", "spider/test_tables.json"},
    {"bird schemas (no rows)", "bird/mini_dev.jsonl", "bird/dev_tables.json"},
};
static const struct {
	const char *name, *file, *db_id, *ddl;
} ddl_sets[] = {
    {"ehrsql mimic valid", "ambiguity/ehrsql_mimic_iii_valid.jsonl", "mimic_iii",
        "ambiguity/ehrsql_schema/mimic_iii.sql"},
    {"ehrsql mimic test", "ambiguity/ehrsql_mimic_iii_test.jsonl", "mimic_iii",
        "ambiguity/ehrsql_schema/mimic_iii.sql"},
    {"ehrsql eicu valid", "ambiguity/ehrsql_eicu_valid.jsonl", "eicu",
        "ambiguity/ehrsql_schema/eicu.sql"},
    {"ehrsql eicu test", "ambiguity/ehrsql_eicu_test.jsonl", "eicu",
        "ambiguity/ehrsql_schema/eicu.sql"},
};
static const char *const logic_tests[] = {
    "select1.test", "select2.test", "select3.test", "select4.test", "select5.test"};

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
	printf("%-28s %7s %9s %7s %7s   %9s %7s   %7s %7s\n", "set (dqs=compat)", "queries",
	    "accepted", "parsed", "equal", "strict:acc", "parsed", "names", "unrep.");
	run_sets(&c, argc, argv);
	if (c.n_ratios > 0) {
		qsort(c.ratios, c.n_ratios, sizeof(c.ratios[0]), compare_doubles);
		printf("parse + resolve + print beside sqlite3_prepare_v2 of the same text: "
		       "median %.2f, p90 %.2f\n",
		    c.ratios[c.n_ratios / 2], c.ratios[c.n_ratios * 9 / 10]);
	}
	printf("strict (daemons' setting): %zu accepted by sqlite, %zu parsed\n",
	    c.total.strict_accepted, c.total.strict_parsed);
	printf("corpus: %zu accepted by sqlite, %zu parsed, %zu equal\n", c.total.accepted,
	    c.total.parsed, c.total.equal);
	free(c.reported);
	free(c.ratios);
	return c.total.equal * 1000 >= c.total.accepted * 999 ? 0 : 1;
}
