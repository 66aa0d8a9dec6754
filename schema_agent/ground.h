/*
 * Grounding: what a question is about in terms of one catalog and semantic
 * model. A pure function of its inputs: no clock, no locale, no randomness.
 * What the result looks like is said in SPANS.md.
 */
#ifndef NLQ_SCHEMA_GROUND_H
#define NLQ_SCHEMA_GROUND_H

#include "common/base/err.h"
#include "common/model/grounding.h"

struct ground_index;

/* Builds the derived index; borrows both (semantic may be NULL), which must
 * outlive it. Never fails on content. Immutable: threads may share it. */
struct ground_index *ground_index_new(const struct catalog *c, const struct semantic *s);
void ground_index_free(struct ground_index *ix); /* NULL is fine */

/* A value that the executor found in a column whose domain is not complete. */
struct ground_value_hit {
	const char *span; /* as asked for */
	uint32_t table, column;
	struct value value;
	bool partial;
};

struct ground_options {
	const char *today;   /* ISO date */
	double alpha;        /* weight of the vector score; 0 = the default 0.4 */
	double floor;        /* fused score below which nothing counts; 0 = the default */
	uint32_t max_tables; /* besides literal ones; 0 = the default 10 */
	const char *const *only_tables; /* narrow to these (names); unknown ones are an error */
	size_t n_only;
	const struct ground_value_hit *hits;
	size_t n_hits;
	bool values_done; /* values were looked up: do not ask again */
};

#define GROUND_ALPHA 0.4
#define GROUND_FLOOR 0.08
#define GROUND_MAX_TABLES 10
#define GROUND_MAX_QUESTION (4u * 1024)

/* Grounds a question. *ret_need_values (may be NULL) gets spans that should be
 * looked up in columns with incomplete domains; if it is not empty and
 * values_done is false, the caller looks them up and calls again with hits.
 * Caller frees with grounding_free. Errors: ERR_BAD_INPUT (empty, not UTF-8, bad
 * date), ERR_TOO_LARGE, ERR_UNKNOWN_TABLE. */
int ground_question(const struct ground_index *ix, const char *question,
    const struct ground_options *o, struct grounding **ret_grounding,
    struct semantic_names *ret_need_values, struct err *e);

struct ground_search_hit {
	uint32_t table;
	uint32_t column; /* TARGET_NONE: the table itself */
	float score;
	const char *why;
};

/* Tables and columns for some words, best first, at most limit; lives in the
 * arena. */
int ground_search(const struct ground_index *ix, const char *words, uint32_t limit, struct arena *a,
    struct ground_search_hit **ret_hits, size_t *ret_n, struct err *e);

#endif
