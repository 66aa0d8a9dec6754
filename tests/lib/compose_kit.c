/* Only what the tests of the composer need; everything lives in the grounding's arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "executor/describe.h"
#include "sql_agent/compose/resolve.h"
#include "tests/lib/compose_kit.h"

const char kit_music[] =
    "CREATE TABLE stadium (stadium_id INTEGER PRIMARY KEY, name TEXT, city TEXT, capacity INTEGER);"
    "CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER, is_male TEXT);"
    "CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, concert_name TEXT, stadium_id INTEGER"
    " REFERENCES stadium(stadium_id), year INTEGER);"
    "CREATE TABLE singer_in_concert (concert_id INTEGER REFERENCES concert(concert_id),"
    " singer_id INTEGER REFERENCES singer(singer_id), PRIMARY KEY (concert_id, singer_id));"
    "CREATE TABLE song (song_id INTEGER PRIMARY KEY, title TEXT, singer_id INTEGER"
    " REFERENCES singer(singer_id), sales REAL);"
    "INSERT INTO stadium VALUES (1,'North','Oslo',100),(2,'South','Rome',200);"
    "INSERT INTO singer VALUES (1,'Ann','France',30,'F'),(2,'Bob','Peru',40,'T');"
    "INSERT INTO concert VALUES (1,'Gala',1,2014),(2,'Ball',2,2015);"
    "INSERT INTO singer_in_concert VALUES (1,1),(2,1);"
    "INSERT INTO song VALUES (1,'Sun',1,5.5),(2,'Rain',1,6.5);";

const char kit_energy[] =
    "CREATE TABLE companies (company_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, city TEXT);"
    "CREATE TABLE financials (id INTEGER PRIMARY KEY, company_id INTEGER NOT NULL REFERENCES companies(company_id),"
    " year INTEGER, revenue REAL, net_profit REAL, UNIQUE (company_id, year));"
    "CREATE TABLE production (id INTEGER PRIMARY KEY, company_id INTEGER NOT NULL REFERENCES companies(company_id),"
    " year INTEGER, product TEXT, amount REAL, unit TEXT);"
    "INSERT INTO companies VALUES (1,'P','Oslo'),(2,'S','Rome');"
    "INSERT INTO financials VALUES (1,1,2022,90,9),(2,1,2023,100,10),(3,2,2022,110,11),(4,2,2023,120,12);"
    "INSERT INTO production VALUES (1,1,2023,'oil',9.5,'亿桶'),(2,2,2023,'oil',3,'亿桶'),(3,2,2023,'coal',300,'万吨');";

void kit_open(struct kit *k, const char *ddl)
{
	sqlite3 *db;
	struct err e = ERR_INIT;

	memset(k, 0, sizeof(*k));
	arena_init(&k->arena);
	strbuf_init(&k->question, 4096);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, ddl, NULL, NULL, NULL), SQLITE_OK);
	k->g = grounding_new();
	catalog_free(k->g->catalog);
	assert_int_equal(describe_catalog(db, "kit", NULL, &k->g->catalog, &e), 0);
	k->g->sufficient = true;
	k->g->today = "2026-11-30";
	k->g->lang = LANG_EN;
	sqlite3_close(db);
}

void kit_close(struct kit *k)
{
	grounding_free(k->g);
	arena_done(&k->arena);
	strbuf_done(&k->question);
}

uint32_t kit_table_index(const struct kit *k, const char *name)
{
	int t = catalog_find_table(k->g->catalog, name);

	assert_true(t >= 0);
	return (uint32_t)t;
}

uint32_t kit_column_index(const struct kit *k, const char *name, uint32_t *ret_table)
{
	char table[64];
	const char *dot = strchr(name, '.');
	int c;

	assert_non_null(dot);
	memcpy(table, name, (size_t)(dot - name));
	table[dot - name] = '\0';
	*ret_table = kit_table_index(k, table);
	c = catalog_find_column(&k->g->catalog->tables[*ret_table], dot + 1);
	assert_true(c >= 0);
	return (uint32_t)c;
}

void kit_text(struct kit *k, const char *text)
{
	strbuf_puts(&k->question, text);
}

static struct grounding_span *span(struct kit *k, const char *text, enum span_kind kind)
{
	struct grounding_span *s = arena_push(&k->g->arena, k->g->spans, k->g->n_spans);

	if (k->question.len > 0)
		strbuf_putc(&k->question, ' ');
	s->start = (uint32_t)k->question.len;
	s->len = (uint32_t)strlen(text);
	s->kind = kind;
	s->quantity = s->period = TARGET_NONE;
	strbuf_puts(&k->question, text);
	return s;
}

static struct span_target *target(struct kit *k, float score)
{
	struct grounding_span *s = &k->g->spans[k->g->n_spans - 1];
	struct span_target *t = arena_push(&k->g->arena, s->targets, s->n_targets);

	t->table = t->column = t->metric = TARGET_NONE;
	t->score = score;
	return t;
}

void kit_unknown(struct kit *k, const char *text)
{
	span(k, text, SPAN_UNKNOWN);
}

void kit_stop(struct kit *k, const char *text)
{
	span(k, text, SPAN_STOP);
}

void kit_table(struct kit *k, const char *text, const char *name)
{
	span(k, text, SPAN_TABLE);
	target(k, 1)->table = kit_table_index(k, name);
}

void kit_or_column(struct kit *k, const char *name, float score)
{
	struct span_target *t = target(k, score);

	t->column = kit_column_index(k, name, &t->table);
}

void kit_column(struct kit *k, const char *text, const char *name)
{
	span(k, text, SPAN_COLUMN);
	kit_or_column(k, name, 1);
}

void kit_value(struct kit *k, const char *text, const char *column, const char *stored)
{
	struct span_target *t;

	span(k, text, SPAN_VALUE);
	t = target(k, 1);
	t->column = kit_column_index(k, column, &t->table);
	t->value.type = VALUE_TEXT;
	t->value.text = arena_strdup(&k->g->arena, stored);
	t->value.len = strlen(stored);
}

void kit_cue(struct kit *k, const char *text, enum cue_kind cue, uint32_t arg)
{
	struct grounding_span *s = span(k, text, SPAN_CUE);

	s->cue = cue;
	s->cue_arg = arg;
}

void kit_cue_hint(struct kit *k, const char *text, enum cue_kind cue, const char *column)
{
	kit_cue(k, text, cue, 0);
	kit_or_column(k, column, 1);
}

void kit_number(struct kit *k, const char *text, int64_t digits, int32_t scale, const char *base,
    int32_t magnitude)
{
	struct grounding_span *s = span(k, text, SPAN_QUANTITY);
	struct quantity *q = arena_push(&k->g->arena, k->g->quantities, k->g->n_quantities);

	s->quantity = (uint32_t)k->g->n_quantities - 1;
	*q = (struct quantity){.digits = digits,
	    .scale = scale,
	    .base = base,
	    .magnitude = magnitude,
	    .unit = base[0] || magnitude ? "unit" : ""};
}

void kit_years(
    struct kit *k, const char *text, const char *from, const char *to, const char *column)
{
	struct grounding_span *s = span(k, text, SPAN_PERIOD);
	struct period *p = arena_push(&k->g->arena, k->g->periods, k->g->n_periods);

	s->period = (uint32_t)k->g->n_periods - 1;
	strcpy(p->from, from);
	strcpy(p->to, to);
	kit_or_column(k, column, 1);
}

void kit_unit(struct kit *k, const char *column, const char *unit, const char *unit_column)
{
	uint32_t t, c = kit_column_index(k, column, &t);
	struct semantic *s = k->g->semantic;
	struct semantic_dataset *d = arena_push(&s->arena, s->datasets, s->n_datasets);
	struct semantic_field *f = arena_push(&s->arena, d->fields, d->n_fields);

	d->name = d->source = k->g->catalog->tables[t].name;
	d->label = d->description = d->use_instead = d->default_filter = "";
	f->name = k->g->catalog->tables[t].columns[c].name;
	f->label = f->description = f->null_means = f->time = "";
	f->unit = unit;
	f->unit_column = unit_column;
}

void kit_read(struct kit *k)
{
	k->g->question = k->question.data;
	k->view = view_new(&k->arena, k->g);
	items_build(&k->arena, k->view, &k->items);
	resolve_items(&k->items);
	k->roles = (struct roles){.a = &k->arena,
	    .v = k->view,
	    .items = &k->items,
	    .ir = ir_new(&k->arena),
	    .is_zh = k->g->lang == LANG_ZH};
	roles_assign(&k->roles);
}

struct compose_reply *kit_step(
    struct kit *k, const struct compose_past *past, size_t n_past, double floor)
{
	struct compose_reply *reply;
	struct err e = ERR_INIT;

	k->g->question = k->question.data;
	assert_int_equal(compose_step(k->g, past, n_past, floor, &reply, &e), 0);
	return reply;
}

const char *kit_sql(struct kit *k)
{
	struct compose_reply *reply = kit_step(k, NULL, 0, 0);
	const char *sql;

	assert_int_equal(reply->kind, COMPOSE_CANDIDATE);
	sql = arena_strdup(&k->arena, reply->sql);
	compose_reply_free(reply);
	return sql;
}
