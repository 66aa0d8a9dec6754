/* Why a query has no rows: one counting query over the same FROM tells how many
 * rows each condition lets through alone, and how many are left when they are
 * applied one after the other. Built as a tree; says nothing about queries
 * whose shape it does not cover (compounds, no conditions to count). */
#ifndef NLQ_EXPLAIN_EMPTY_H
#define NLQ_EXPLAIN_EMPTY_H

#include "common/base/arena.h"
#include "common/model/resultset.h"

#define EXPLAIN_MAX 6 /* conditions that are looked at */

struct explain_plan {
	const char *sql;
	const char *conditions[EXPLAIN_MAX]; /* as written in the query */
	size_t n;
	bool has_more; /* there are further conditions (or HAVING) */
};

/* False if the query's shape is not covered. Everything in the arena. */
bool explain_empty_plan(struct arena *a, const char *sql, struct explain_plan *ret_plan);
/* One line for people, in the arena; NULL if the counts explain nothing. */
const char *explain_empty_tell(struct arena *a, const struct explain_plan *plan,
    const struct resultset *counts, bool is_chinese);

#endif
