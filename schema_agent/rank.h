/*
 * Which tables a question is about. Keyword score: the share of the question's
 * content words, by idf, that the table explains, each with its best match by
 * name, label, column, value or note. Vector score: cosine of hashed n-grams.
 * Fused: alpha x vector + (1 - alpha) x keyword, all 0..1.
 */
#ifndef NLQ_SCHEMA_RANK_H
#define NLQ_SCHEMA_RANK_H

#include "schema_agent/question.h"

struct rank {
	float fused, vector, keyword; /* 0..1 */
	bool literal, by_relation;
	bool in; /* part of the context */
	const char *why;
};

/* Scores every table from the question's candidates (names and values over the
 * whole allowed set) into ranks[n_tables]. */
void rank_tables(struct question *q, double alpha, struct rank *ranks);

/* Marks tables that are named in the question: the name itself with borders on
 * both sides, its words, a label or a synonym. Of overlapping names the longest
 * wins. Set-aside tables (deprecated, trap) only by the name as it is written or
 * by a whole label (literal.c). */
void literal_tables(struct question *q, struct rank *ranks);

/* Chooses the context: literal tables, then up to max_tables above the floor,
 * then neighbours over one relation, then bridges (hop.c). Returns their number;
 * order[] lists them, best first. Nothing above the floor: *ret_sufficient is
 * false. */
size_t select_tables(struct question *q, struct rank *ranks, double floor, uint32_t max_tables,
    uint32_t *order, bool *ret_sufficient);
/* Adds neighbours and bridges of the tables that are in (hop.c). */
void hop_tables(struct question *q, struct rank *ranks, uint32_t max_more);

#endif
