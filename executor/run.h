/*
 * One query: parsed, resolved against the catalog, printed afresh, prepared, its
 * report compared with what the tree reads, stepped under the caps.
 */
#ifndef NLQ_EXECUTOR_RUN_H
#define NLQ_EXECUTOR_RUN_H

#include "common/base/err.h"
#include "common/model/resultset.h"
#include "executor/db.h"

struct run_request {
	const char *sql;
	size_t sql_len;
	uint32_t max_rows;
	uint64_t max_bytes; /* of the packed cells, about */
	uint32_t cell_max_bytes;
	bool check_only;      /* everything but stepping */
	uint64_t deadline_ms; /* CLOCK_MONOTONIC */
	uint64_t opcodes_max;
};

/* The result's data_version is left zero. ret_tables: names of the tables that the
 * engine reported, in the result's arena. Caller frees with resultset_free. */
int run_query(struct db *d, const struct catalog *c, const struct run_request *q,
    struct resultset **ret_result, const char ***ret_tables, size_t *ret_n_tables, struct err *e);

/* The walls after the front end, for text that the engine may run as it stands: used
 * by run_query, and by tests that leave the front end out. Prepares under the
 * authorizer (authz_begin was called) and refuses what is no single read-only SELECT
 * with columns and without parameters. */
int run_prepare(struct db *d, const char *sql, size_t len, sqlite3_stmt **ret_stmt, struct err *e);

#endif
