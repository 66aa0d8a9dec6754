/* Shared by the tests of common/sql: a small shop, and one call from text to
 * printed text. */
#ifndef NLQ_TESTS_SQL_RIG_H
#define NLQ_TESTS_SQL_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "common/sql/facts.h"
#include "common/sql/sql.h"
#include "tests/lib/sqlite_catalog.h"

struct sql_rig {
	sqlite3 *db;
	struct catalog *catalog;
	struct arena arena;
	struct err err;
	struct sql_select *select;
	struct strbuf out;
};

static inline int sql_rig_up(void **state)
{
	struct sql_rig *r = calloc(1, sizeof(*r));
	assert_non_null(r);
	assert_int_equal(sqlite3_open(":memory:", &r->db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(r->db,
	        "CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, country TEXT);"
	        "CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id),"
	        "  order_date TEXT, amount REAL, items INTEGER);"
	        "CREATE TABLE payments(id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, paid REAL);"
	        "CREATE TABLE a(id INTEGER PRIMARY KEY, x INT, y TEXT);"
	        "CREATE TABLE b(id INTEGER PRIMARY KEY, x INT, z TEXT);"
	        "CREATE TABLE c(id INTEGER PRIMARY KEY, z TEXT, \"odd name\" INT, \"order\" INT);",
	        NULL, NULL, NULL),
	    SQLITE_OK);
	r->catalog = sqlite_catalog_load(r->db);
	struct catalog_relation *rel = arena_push(
	    &r->catalog->arena, r->catalog->relations, r->catalog->n_relations);
	rel->from_table = 1;
	rel->from_columns = arena_new(&r->catalog->arena, uint32_t);
	rel->from_columns[0] = 1;
	rel->to_columns = arena_new(&r->catalog->arena, uint32_t);
	rel->n_columns = 1;
	arena_init(&r->arena);
	strbuf_init(&r->out, 4 << 20);
	*state = r;
	return 0;
}

static inline int sql_rig_down(void **state)
{
	struct sql_rig *r = *state;
	strbuf_done(&r->out);
	arena_done(&r->arena);
	catalog_free(r->catalog);
	sqlite3_close(r->db);
	free(r);
	return 0;
}

static inline int sql_rig_parse(struct sql_rig *r, const char *text)
{
	memset(&r->err, 0, sizeof(r->err));
	return sql_parse(&r->arena, &sql_dialect_sqlite, text, strlen(text), &r->select, &r->err);
}

static inline int sql_rig_resolve(struct sql_rig *r, const char *text)
{
	int rc = sql_rig_parse(r, text);
	return rc ? rc
	          : sql_resolve(&r->arena, &sql_dialect_sqlite, r->select, r->catalog, &r->err);
}

static inline const char *sql_rig_print(struct sql_rig *r, enum sql_print_mode mode, uint64_t limit)
{
	strbuf_clear(&r->out);
	sql_print(&r->out, &sql_dialect_sqlite, r->select, mode, limit);
	return r->out.data;
}

/* What runs for a text, without a limit of ours. */
static inline const char *sql_rig_run(struct sql_rig *r, const char *text)
{
	if (sql_rig_resolve(r, text) != 0)
		fail_msg("%s: %s", text, r->err.text);
	return sql_rig_print(r, SQL_PRINT_RUN, 0);
}

static inline void sql_rig_refuses(struct sql_rig *r, const char *text, enum err_code code)
{
	int rc = sql_rig_resolve(r, text);
	if (rc != (int)code)
		fail_msg("%s: %s instead of %s (%s)", text, err_code_name(rc), err_code_name(code),
		    r->err.text);
	assert_int_equal(r->err.code, code);
	assert_true(r->err.text[0]);
}

#endif
