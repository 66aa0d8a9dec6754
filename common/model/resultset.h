/* The rows of one query, exact, with where each column comes from. */
#ifndef NLQ_RESULTSET_H
#define NLQ_RESULTSET_H

#include "common/base/hash.h"
#include "common/model/value.h"

struct result_column {
	const char *name;           /* the author's output name */
	const char *type;           /* declared type of its origin, "" if computed */
	const char *table, *column; /* origin, "" if computed */
};

struct result_stats {
	uint64_t opcodes;
	uint64_t full_scan_steps;
	uint64_t sorts;
	uint64_t elapsed_us; /* in the worker */
};

struct resultset {
	struct arena arena;
	struct result_column *columns;
	size_t n_columns;
	struct value *cells; /* row-major, n_rows * n_columns */
	size_t n_rows;
	bool truncated;           /* there were more rows, or the byte limit was hit */
	const char *sql_shown;    /* with the author's aliases and output names */
	const char *sql_run;      /* what the engine got */
	struct hash data_version; /* of the source when it ran */
	struct hash digest;       /* over names and cells, resultset_digest */
	struct result_stats stats;
};

struct resultset *resultset_new(void);
void resultset_free(struct resultset *r);
const struct value *resultset_cell(const struct resultset *r, size_t row, size_t column);
/* Digest over column names and all cells with their types. */
void resultset_digest(const struct resultset *r, struct hash *ret_hash);

#endif
