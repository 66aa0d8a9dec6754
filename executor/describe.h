/*
 * The catalog of one open database: tables and views of main, columns, keys,
 * relations, and the profile of the data. Works on any connection; in a worker it
 * runs behind the sandbox and the authorizer, in tests in-process.
 *
 * Not offered: sqlite_* tables, virtual tables and their shadow tables, views that do
 * not compile, names that are empty, not UTF-8 or over 512 bytes.
 */
#ifndef NLQ_EXECUTOR_DESCRIBE_H
#define NLQ_EXECUTOR_DESCRIBE_H

#include <sqlite3.h>

#include "common/base/err.h"
#include "common/model/catalog.h"

#define DESCRIBE_MAX_TABLES 4096
#define DESCRIBE_MAX_COLUMNS 40000 /* in all */
#define DESCRIBE_NAME_MAX 512

struct describe_options {
	bool schema_only;    /* no relations by value, no profile */
	uint32_t domain_max; /* values kept per column; 0: 1000 */
	uint32_t column_ms;  /* time box of one column; 0: 200 */
	uint32_t total_ms;   /* of the whole profile; 0: 10000 */
};

/* o NULL: the defaults. The caller frees with catalog_free; data_version is left
 * zero. It sets the connection's progress handler and clears it. Errors:
 * ERR_SOURCE_EMPTY, ERR_TOO_LARGE, and those of errmap. */
int describe_catalog(sqlite3 *db, const char *source, const struct describe_options *o,
    struct catalog **ret_catalog, struct err *e);

#endif
