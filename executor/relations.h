/* Which columns of one table point at a key of another: declared, or inferred from
 * names and checked against the values. */
#ifndef NLQ_EXECUTOR_RELATIONS_H
#define NLQ_EXECUTOR_RELATIONS_H

#include <sqlite3.h>

#include "common/model/catalog.h"

/* SQLite's code. Foreign keys whose target is not in the catalog are left out. */
int relations_declared(struct catalog *c, sqlite3 *db);

/* Adds relations between tables that have none declared. A column is held against the
 * unique columns that its name points to, and kept where at least 90 % of its
 * distinct values (of the first 1,000) stand there. Before each check begin is called
 * with arg: false ends the search. */
void relations_infer(struct catalog *c, sqlite3 *db, bool (*begin)(void *arg), void *arg);

#endif
