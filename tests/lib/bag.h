/*
 * Is a result the gold's? Rows as a bag, columns by a one-to-one mapping that
 * keeps rows together, numbers to a relative 1e-6, NULL is not ''. Columns that
 * the gold does not have are allowed but make the verdict BAG_SUPERSET.
 */
#ifndef NLQ_TESTS_BAG_H
#define NLQ_TESTS_BAG_H

#include "common/model/value.h"

enum bag_verdict { BAG_WRONG, BAG_SUPERSET, BAG_EQUAL };

struct bag { /* row-major cells */
	struct value *cells;
	size_t n_rows, n_columns;
};

/* ordered: rows must come in the gold's order. */
enum bag_verdict bag_compare(const struct bag *gold, const struct bag *ours, bool ordered);

struct sqlite3;
/* Runs SQL on an open database, at most max_rows rows; the cells live in the
 * arena. 0, or -1 with the engine's text in ret_message (arena). */
int bag_run(struct arena *a, struct sqlite3 *db, const char *sql, size_t max_rows,
    struct bag *ret_bag, const char **ret_message);

#endif
