/* Values out of a statement: text made valid UTF-8, long ones cut. */
#ifndef NLQ_EXECUTOR_CELL_H
#define NLQ_EXECUTOR_CELL_H

#include <sqlite3.h>

#include "common/model/value.h"

/* Reads column i of the current row into the arena. Bytes that are no UTF-8 and NUL
 * characters in text become U+FFFD; text and blobs over max_bytes are cut (text at a
 * character). Returns true if it was cut. */
bool cell_read(struct arena *a, sqlite3_stmt *st, int i, size_t max_bytes, struct value *ret_value);

/* The same for bytes: a valid, NUL-free, NUL-terminated copy in the arena. */
const char *cell_text(struct arena *a, const char *s, size_t len, size_t *ret_len);

/* Prepares a fixed text with names put in by %w (between double quotes in format):
 * the one place where a name of the database becomes part of SQL. SQLite's code. */
int cell_prepare(sqlite3 *db, sqlite3_stmt **ret_stmt, const char *format, ...);

#endif
