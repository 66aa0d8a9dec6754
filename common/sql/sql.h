/*
 * The SQL front end: text -> tree -> resolved names -> canonical text.
 * Anything that the grammar does not know does not parse; that is the
 * allow-list. The text that a database gets is always printed from a tree.
 */
#ifndef NLQ_SQL_H
#define NLQ_SQL_H

#include "common/base/err.h"
#include "common/base/strbuf.h"
#include "common/model/catalog.h"
#include "common/sql/tree.h"

#define SQL_MAX_BYTES (64 * 1024)
#define SQL_MAX_DEPTH 100   /* selects inside each other */
#define SQL_MAX_HEIGHT 1000 /* of an expression tree: a AND b AND ... is one level each */
#define SQL_MAX_TOKENS 20000
#define SQL_MAX_COLUMNS 2000 /* of one select, stars expanded */
#define SQL_MAX_CORES 500    /* of one compound */
#define SQL_MAX_SOURCES 64   /* of one FROM */

/* One dialect per engine: what it knows, what it is called, how it quotes. */
struct sql_dialect {
	const char *name;
	char identifier_quote;
	bool allow_double_quoted_strings; /* compat: an unresolved "x" is a string */
	const struct sql_function *functions;
	size_t n_functions;
};
struct sql_function {
	const char *name;
	int min_args, max_args; /* max -1: any number */
	bool aggregate, window; /* window: only with OVER */
};
extern const struct sql_dialect sql_dialect_sqlite;
/* The same with double-quoted strings, for running public corpora. */
extern const struct sql_dialect sql_dialect_sqlite_compat;

/* Parses exactly one SELECT (WITH and VALUES included), one ';' allowed after
 * it. Errors: ERR_SYNTAX (what was found, what could stand there, position),
 * ERR_NOT_SELECT, ERR_TOO_COMPLEX, ERR_TOO_LARGE, ERR_BAD_INPUT (NUL, UTF-8).
 * The tree and its strings live in the arena. */
int sql_parse(struct arena *a, const struct sql_dialect *d, const char *text, size_t len,
    struct sql_select **ret_select, struct err *e);

/* Resolves every name by SQL's scoping rules against the catalog: expands *,
 * turns USING and NATURAL into ON, drops unused CTEs, renames CTEs and FROM
 * aliases to names of ours (print_name). Unknown functions, rowid and bind
 * parameters are refused. Errors name the nearest candidates in fix. */
int sql_resolve(struct arena *a, const struct sql_dialect *d, struct sql_select *s,
    const struct catalog *c, struct err *e);

/* Canonical text. shown: the author's aliases; run: our names, schema-qualified
 * tables, and LIMIT limit_rows + 1 added to an outermost select without a
 * smaller one (limit_rows 0: no limit is added). */
enum sql_print_mode { SQL_PRINT_SHOWN, SQL_PRINT_RUN };
void sql_print(struct strbuf *out, const struct sql_dialect *d, const struct sql_select *s,
    enum sql_print_mode mode, uint64_t limit_rows);
void sql_print_expr(struct strbuf *out, const struct sql_dialect *d, const struct sql_expr *x,
    enum sql_print_mode mode);

/* Up to max names of the list nearest to `name` by edit distance (at most
 * about a third of its length), best first; returns how many. */
size_t sql_nearest(
    const char *name, const char *const *names, size_t n, const char **ret_best, size_t max);

#endif
