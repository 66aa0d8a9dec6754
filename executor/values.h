/* Where the words of a question are stored: one pass over each text column for all
 * spans of the question, in a time box. */
#ifndef NLQ_EXECUTOR_VALUES_H
#define NLQ_EXECUTOR_VALUES_H

#include <sqlite3.h>

#include "common/model/catalog.h"

#define VALUES_MAX_SPANS 64
#define VALUES_MAX_HITS 1000

struct values_hit {
	uint32_t span, table, column;
	struct value value; /* as stored */
	bool partial;       /* the span is a part of it */
};

struct values_result {
	struct values_hit *hits; /* best first within a span and column */
	size_t n_hits;
	bool cut; /* not everything was looked at */
};

/* Equal without regard to case and outer blanks, or a part of the value (a whole word
 * of it where it is written with blanks). At most per_span hits of a span and column.
 * Uses the progress handler until deadline_ms; column_ms is one column's share. */
void values_find(struct arena *a, sqlite3 *db, const struct catalog *c, const char *const *spans,
    size_t n_spans, uint32_t per_span, uint32_t column_ms, uint64_t deadline_ms,
    struct values_result *ret_result);

#endif
