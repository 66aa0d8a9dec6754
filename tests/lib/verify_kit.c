/* Hand-made questions for the verifier, see verify_kit.h. */
#include "tests/lib/verify_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

const char verify_kit_energy[] =
    "CREATE TABLE companies(company_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " industry TEXT NOT NULL, founded_year INTEGER);"
    "INSERT INTO companies VALUES(1,'中国石油','石油天然气',1999),(2,'中国石化','石油天然气',2000),"
    "(3,'中国海油','石油天然气',1999),(4,'中国神华','煤炭',2004);"
    "CREATE TABLE financials(id INTEGER PRIMARY KEY, company_id INTEGER NOT NULL"
    " REFERENCES companies(company_id), year INTEGER NOT NULL, revenue REAL, net_profit REAL,"
    " staff INTEGER, UNIQUE(company_id, year));"
    "INSERT INTO financials VALUES(1,1,2022,32391.7,1493.8,10),(2,1,2023,30110.1,1611.5,11),"
    "(3,2,2022,33181.7,663.0,20),(4,2,2023,32122.2,604.6,21),(5,3,2022,4222.3,1417.0,30),"
    "(6,3,2023,4166.1,1238.4,31),(7,4,2022,3445.3,696.3,NULL),(8,4,2023,3430.7,596.9,NULL);"
    "CREATE TABLE production(id INTEGER PRIMARY KEY, company_id INTEGER NOT NULL"
    " REFERENCES companies(company_id), year INTEGER NOT NULL, product TEXT NOT NULL,"
    " amount REAL NOT NULL, unit TEXT NOT NULL);"
    "INSERT INTO production VALUES(1,1,2023,'原油',9.36,'亿桶'),(2,2,2023,'原油',2.82,'亿桶'),"
    "(3,3,2023,'原油',5.25,'亿桶'),(4,1,2023,'天然气',1420.0,'亿立方米'),"
    "(5,4,2023,'煤炭',3.24,'亿吨');"
    "CREATE TABLE fin_bak(id INTEGER PRIMARY KEY, company_id INTEGER, year INTEGER, revenue REAL);"
    "INSERT INTO fin_bak VALUES(1,1,2023,1.0);";

const char verify_kit_model[] =
    "datasets:\n"
    "  - name: companies\n    label: 公司\n    ai_context: {synonyms: [company]}\n    fields:\n"
    "      - {name: name, label: 公司名称, display: true, ai_context: {synonyms: [name]},\n"
    "         domain: [{value: 中国石油, label: PetroChina}, {value: 中国石化, label: Sinopec}]}\n"
    "      - {name: industry, label: 行业}\n"
    "      - {name: founded_year, label: 成立年份, time: year}\n"
    "  - name: financials\n    fields:\n"
    "      - {name: year, label: 年份, time: year}\n"
    "      - {name: revenue, label: 营业收入, unit: 亿元, ai_context: {synonyms: [revenue]}}\n"
    "      - {name: net_profit, label: 净利润, unit: 亿元, description: 归属于母公司股东,\n"
    "         ai_context: {synonyms: [net profit]}}\n"
    "  - name: production\n    fields:\n"
    "      - {name: year, time: year}\n"
    "      - {name: amount, label: 产量, unit_column: unit, ai_context: {synonyms: [output]}}\n"
    "  - {name: fin_bak, status: trap, use_instead: financials, description: 备份}\n"
    "metrics:\n"
    "  - {name: net_margin, label: 净利率, description: 净利润 ÷ 营业收入,\n"
    "     expression: SUM(financials.net_profit) / SUM(financials.revenue)}\n";

/* --- the database, described -------------------------------------------------------- */

static struct value cell_of(struct arena *a, sqlite3_stmt *s, int i)
{
	struct value v = {.type = VALUE_NULL};
	switch (sqlite3_column_type(s, i)) {
	case SQLITE_INTEGER:
		v.type = VALUE_INT;
		v.i = sqlite3_column_int64(s, i);
		break;
	case SQLITE_FLOAT:
		v.type = VALUE_REAL;
		v.r = sqlite3_column_double(s, i);
		break;
	case SQLITE_TEXT:
		v.type = VALUE_TEXT;
		v.len = (size_t)sqlite3_column_bytes(s, i);
		v.text = arena_strndup(a, (const char *)sqlite3_column_text(s, i), v.len);
		break;
	default: break;
	}
	return v;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = NULL;
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	}
	return s;
}

static void profile(sqlite3 *db, struct arena *a, const char *table, struct catalog_column *c)
{
	char *sql = sqlite3_mprintf(
	    "SELECT count(DISTINCT \"%w\"), sum(\"%w\" IS NULL), min(\"%w\"),"
	    " max(\"%w\") FROM \"%w\"",
	    c->name, c->name, c->name, c->name, table);
	sqlite3_stmt *s = prepare(db, sql);
	sqlite3_step(s);
	c->n_distinct = sqlite3_column_int64(s, 0);
	c->n_null = sqlite3_column_int64(s, 1);
	c->min = cell_of(a, s, 2);
	c->max = cell_of(a, s, 3);
	c->has_range = c->min.type != VALUE_NULL;
	sqlite3_finalize(s);
	sqlite3_free(sql);
	if (c->affinity != AFFINITY_TEXT) {
		return;
	}
	sql = sqlite3_mprintf(
	    "SELECT DISTINCT \"%w\" FROM \"%w\" WHERE \"%w\" IS NOT NULL", c->name, table, c->name);
	s = prepare(db, sql);
	while (sqlite3_step(s) == SQLITE_ROW) {
		*arena_push(a, c->domain, c->n_domain) = cell_of(a, s, 0);
	}
	c->domain_complete = true;
	sqlite3_finalize(s);
	sqlite3_free(sql);
}

static void describe_table(sqlite3 *db, struct catalog *c, const char *name)
{
	struct arena *a = &c->arena;
	struct catalog_table *t = arena_push(a, c->tables, c->n_tables);
	char *sql = sqlite3_mprintf(
	    "SELECT name, type, \"notnull\", pk FROM pragma_table_info(%Q)", name);
	sqlite3_stmt *s = prepare(db, sql);
	t->name = arena_strdup(a, name);
	while (sqlite3_step(s) == SQLITE_ROW) {
		struct catalog_column *col = arena_push(a, t->columns, t->n_columns);
		col->name = arena_strdup(a, (const char *)sqlite3_column_text(s, 0));
		col->decl_type = arena_strdup(a, (const char *)sqlite3_column_text(s, 1));
		col->affinity = strstr(col->decl_type, "INT") ? AFFINITY_INTEGER
		    : strstr(col->decl_type, "REAL")          ? AFFINITY_REAL
		                                              : AFFINITY_TEXT;
		col->not_null = sqlite3_column_int(s, 2);
		col->pk_position = sqlite3_column_int(s, 3);
		col->is_unique = col->pk_position == 1 || strcmp(col->name, "name") == 0;
		if (col->pk_position) {
			*arena_push(a, t->pk, t->n_pk) = (uint32_t)t->n_columns - 1;
		}
		profile(db, a, name, col);
	}
	sqlite3_finalize(s);
	sqlite3_free(sql);
	sql = sqlite3_mprintf("SELECT count(*) FROM \"%w\"", name);
	s = prepare(db, sql);
	sqlite3_step(s);
	t->n_rows = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_free(sql);
}

static void describe_relations(sqlite3 *db, struct catalog *c, uint32_t table)
{
	char *sql = sqlite3_mprintf(
	    "SELECT \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(%Q)",
	    c->tables[table].name);
	sqlite3_stmt *s = prepare(db, sql);
	while (sqlite3_step(s) == SQLITE_ROW) {
		int to = catalog_find_table(c, (const char *)sqlite3_column_text(s, 0));
		struct catalog_relation *r = arena_push(&c->arena, c->relations, c->n_relations);
		*r = (struct catalog_relation){
		    .from_table = table, .to_table = (uint32_t)to, .n_columns = 1, .evidence = ""};
		r->from_columns = arena_new(&c->arena, uint32_t);
		r->to_columns = arena_new(&c->arena, uint32_t);
		r->from_columns[0] = (uint32_t)catalog_find_column(
		    &c->tables[table], (const char *)sqlite3_column_text(s, 1));
		r->to_columns[0] = (uint32_t)catalog_find_column(
		    &c->tables[to], (const char *)sqlite3_column_text(s, 2));
	}
	sqlite3_finalize(s);
	sqlite3_free(sql);
}

static struct catalog *describe(sqlite3 *db)
{
	struct catalog *c = catalog_new();
	sqlite3_stmt *s = prepare(
	    db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid");
	c->source = "test";
	c->engine = "sqlite";
	c->schema = "main";
	while (sqlite3_step(s) == SQLITE_ROW) {
		describe_table(db, c, (const char *)sqlite3_column_text(s, 0));
	}
	sqlite3_finalize(s);
	for (uint32_t i = 0; i < c->n_tables; i++) {
		describe_relations(db, c, i);
	}
	return c;
}

static struct semantic *load_model(const char *text)
{
	char folder[] = "/tmp/nlq-verify-XXXXXX", path[64];
	struct semantic *s = NULL;
	struct err e = ERR_INIT;
	if (!text) {
		return semantic_new();
	}
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/m.yaml", folder);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	int r = semantic_load(folder, &s, &e);
	unlink(path);
	rmdir(folder);
	if (r < 0) {
		fail_msg("%s", e.text);
	}
	return s;
}

void verify_kit_open(
    struct verify_kit *k, enum grounding_lang lang, const char *ddl, const char *model)
{
	memset(k, 0, sizeof(*k));
	assert_int_equal(sqlite3_open(":memory:", &k->db), SQLITE_OK);
	if (sqlite3_exec(k->db, ddl, NULL, NULL, NULL) != SQLITE_OK) {
		fail_msg("%s", sqlite3_errmsg(k->db));
	}
	k->g = grounding_new();
	catalog_free(k->g->catalog);
	semantic_free(k->g->semantic);
	k->g->catalog = describe(k->db);
	k->g->semantic = load_model(model);
	k->g->today = "2024-06-01";
	strbuf_init(&k->question, 4096);
	verify_kit_reset(k, lang);
}

void verify_kit_reset(struct verify_kit *k, enum grounding_lang lang)
{
	for (size_t i = 0; i < k->n_steps; i++) {
		resultset_free(k->results[i]);
		k->results[i] = NULL;
	}
	verdict_free(k->verdict);
	k->verdict = NULL;
	k->n_steps = 0;
	k->confidence = 0.9;
	k->template_text = NULL;
	k->g->lang = lang;
	k->g->n_spans = k->g->n_quantities = k->g->n_periods = k->g->n_tables = 0;
	k->g->spans = NULL;
	k->g->quantities = NULL;
	k->g->periods = NULL;
	k->g->tables = NULL;
	strbuf_clear(&k->question);
}

void verify_kit_close(struct verify_kit *k)
{
	verify_kit_reset(k, LANG_ZH);
	strbuf_done(&k->question);
	grounding_free(k->g);
	sqlite3_close(k->db);
}

/* --- the question ------------------------------------------------------------------------ */

static struct grounding_span *add_span(struct verify_kit *k, enum span_kind kind, const char *text)
{
	struct grounding_span *s = arena_push(&k->g->arena, k->g->spans, k->g->n_spans);
	if (k->g->lang == LANG_EN && k->question.len) {
		strbuf_putc(&k->question, ' ');
	}
	*s = (struct grounding_span){.start = (uint32_t)k->question.len,
	    .len = (uint32_t)strlen(text),
	    .kind = kind,
	    .quantity = TARGET_NONE,
	    .period = TARGET_NONE};
	strbuf_puts(&k->question, text);
	return s;
}

static struct span_target *add_target(struct verify_kit *k, struct grounding_span *s)
{
	struct span_target *t = arena_push(&k->g->arena, s->targets, s->n_targets);
	*t = (struct span_target){.table = TARGET_NONE,
	    .column = TARGET_NONE,
	    .metric = TARGET_NONE,
	    .score = 1,
	    .how = HOW_EXACT};
	return t;
}

static void find_column(const struct verify_kit *k, const char *name, struct span_target *t)
{
	char table[64];
	const char *dot = strchr(name, '.');
	snprintf(table, sizeof(table), "%.*s", (int)(dot - name), name);
	int i = catalog_find_table(k->g->catalog, table);
	assert_true(i >= 0);
	int j = catalog_find_column(&k->g->catalog->tables[i], dot + 1);
	assert_true(j >= 0);
	t->table = (uint32_t)i;
	t->column = (uint32_t)j;
}

void vkit_says(struct verify_kit *k, enum span_kind kind, const char *text)
{
	add_span(k, kind, text);
}

void vkit_names_table(struct verify_kit *k, const char *text, const char *table)
{
	int i = catalog_find_table(k->g->catalog, table);
	assert_true(i >= 0);
	add_target(k, add_span(k, SPAN_TABLE, text))->table = (uint32_t)i;
}

void vkit_names_column(struct verify_kit *k, const char *text, const char *column)
{
	find_column(k, column, add_target(k, add_span(k, SPAN_COLUMN, text)));
}

void vkit_names_metric(struct verify_kit *k, const char *text, const char *metric)
{
	int i = semantic_find_metric(k->g->semantic, metric);
	assert_true(i >= 0);
	add_target(k, add_span(k, SPAN_METRIC, text))->metric = (uint32_t)i;
}

void vkit_names_value(
    struct verify_kit *k, const char *text, const char *column, const char *stored)
{
	struct span_target *t = add_target(k, add_span(k, SPAN_VALUE, text));
	find_column(k, column, t);
	t->value = (struct value){.type = VALUE_TEXT, .text = stored, .len = strlen(stored)};
}

void vkit_says_cue(struct verify_kit *k, const char *text, enum cue_kind cue, uint32_t arg)
{
	struct grounding_span *s = add_span(k, SPAN_CUE, text);
	s->cue = cue;
	s->cue_arg = arg;
}

void vkit_says_quantity(struct verify_kit *k, const char *text, int64_t digits, int32_t scale,
    const char *base, int32_t magnitude)
{
	struct grounding_span *s = add_span(k, SPAN_QUANTITY, text);
	struct quantity *q = arena_push(&k->g->arena, k->g->quantities, k->g->n_quantities);
	*q = (struct quantity){.start = s->start,
	    .len = s->len,
	    .digits = digits,
	    .scale = scale,
	    .unit = base,
	    .base = base,
	    .magnitude = magnitude};
	s->quantity = (uint32_t)k->g->n_quantities - 1;
}

void vkit_says_period(
    struct verify_kit *k, const char *text, const char *from, const char *to, const char *column)
{
	struct grounding_span *s = add_span(k, SPAN_PERIOD, text);
	struct period *p = arena_push(&k->g->arena, k->g->periods, k->g->n_periods);
	*p = (struct period){.start = s->start, .len = s->len, .grain = GRAIN_YEAR};
	snprintf(p->from, sizeof(p->from), "%s", from);
	snprintf(p->to, sizeof(p->to), "%s", to);
	s->period = (uint32_t)k->g->n_periods - 1;
	if (column) {
		find_column(k, column, add_target(k, s));
	}
}

/* --- the steps ----------------------------------------------------------------------------- */

void vkit_runs(struct verify_kit *k, const char *sql)
{
	struct verify_step *step = &k->steps[k->n_steps];
	struct err *e = &k->errors[k->n_steps];
	sqlite3_stmt *s = NULL;
	*step = (struct verify_step){.sql = sql};
	if (sqlite3_prepare_v2(k->db, sql, -1, &s, NULL) != SQLITE_OK) {
		err_set(e, ERR_UNKNOWN_COLUMN, PHASE_RESOLVE, "the query failed");
		step->error = e;
		k->n_steps++;
		return;
	}
	struct resultset *r = k->results[k->n_steps] = resultset_new();
	r->n_columns = (size_t)sqlite3_column_count(s);
	r->columns = arena_new_array(&r->arena, r->n_columns, struct result_column);
	for (size_t i = 0; i < r->n_columns; i++) {
		r->columns[i].name = arena_strdup(&r->arena, sqlite3_column_name(s, (int)i));
		r->columns[i].type = r->columns[i].table = r->columns[i].column = "";
	}
	size_t n = 0;
	while (sqlite3_step(s) == SQLITE_ROW) {
		for (size_t i = 0; i < r->n_columns; i++) {
			*arena_push(&r->arena, r->cells, n) = cell_of(&r->arena, s, (int)i);
		}
		r->n_rows++;
	}
	sqlite3_finalize(s);
	step->result = r;
	k->n_steps++;
}

const struct verdict *vkit_verify(struct verify_kit *k)
{
	struct err e = ERR_INIT;
	k->g->question = k->question.data;
	if (verify_request(k->g, k->steps, k->n_steps, k->confidence, k->template_text, NULL, 0,
	        &k->verdict, &e) < 0) {
		fail_msg("%s", e.text);
	}
	return k->verdict;
}

int vkit_line(const struct verify_kit *k, const char *check)
{
	static const enum check_verdict order[] = {
	    CHECK_FAIL, CHECK_UNKNOWN, CHECK_NOTE, CHECK_PASS};
	for (size_t i = 0; i < 4; i++) {
		for (size_t j = 0; j < k->verdict->n_lines; j++) {
			const struct certificate_line *l = &k->verdict->lines[j];
			if (l->verdict == order[i] && strcmp(l->check, check) == 0) {
				return (int)order[i];
			}
		}
	}
	return -1;
}

static void print_verdict(const struct verify_kit *k)
{
	print_message("# %s\n# kind %d, confidence %g, answer: %s\n", k->question.data,
	    (int)k->verdict->kind, k->verdict->confidence, k->verdict->answer);
	for (size_t i = 0; i < k->verdict->n_lines; i++) {
		const struct certificate_line *l = &k->verdict->lines[i];
		print_message(
		    "#   %s %s: %s\n", check_verdict_name(l->verdict), l->check, l->detail);
	}
}

void vkit_expect(
    const struct verify_kit *k, enum verdict_kind kind, const char *check, enum check_verdict line)
{
	if (k->verdict->kind == kind && vkit_line(k, check) == (int)line) {
		return;
	}
	print_verdict(k);
	fail_msg("kind %d and %s = %s were expected", (int)kind, check, check_verdict_name(line));
}

void vkit_expect_answer(const struct verify_kit *k, const char *answer, const char *unit)
{
	const char *got = k->verdict->unit;
	bool same_unit = unit ? got && strcmp(got, unit) == 0 : !got;
	if (strcmp(k->verdict->answer, answer) == 0 && same_unit) {
		return;
	}
	print_verdict(k);
	fail_msg("answer %s (unit %s) was expected, unit is %s", answer, unit ? unit : "none",
	    got ? got : "none");
}

bool vkit_list_has(const struct semantic_names *names, const char *part)
{
	for (size_t i = 0; i < names->n; i++) {
		if (strstr(names->items[i], part)) {
			return true;
		}
	}
	return false;
}
