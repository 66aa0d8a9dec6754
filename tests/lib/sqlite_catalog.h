/* A catalog of names and keys straight from a database, for tests that need no
 * executor: no profile, no inferred relations. */
#ifndef NLQ_TESTS_SQLITE_CATALOG_H
#define NLQ_TESTS_SQLITE_CATALOG_H

#include "common/model/catalog.h"

struct sqlite3;
/* Caller frees with catalog_free. */
struct catalog *sqlite_catalog_load(struct sqlite3 *db);

#endif
