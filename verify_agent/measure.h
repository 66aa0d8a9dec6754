/*
 * What the numbers of an expression measure: the unit rule. Sum, average,
 * minimum, maximum, difference and a plain column keep the column's unit, a
 * ratio of equal units has none, a count has none; what cannot be said is
 * unknown, never guessed.
 */
#ifndef NLQ_MEASURE_H
#define NLQ_MEASURE_H

#include "verify_agent/cert.h"

enum measure_kind {
	MEASURE_UNKNOWN, /* a number, and nothing says of what */
	MEASURE_COUNT,   /* a number of things */
	MEASURE_NONE,    /* no unit belongs here: text, a year, a ratio of equals */
	MEASURE_UNIT,    /* `unit` */
	MEASURE_ROWS,    /* each row has its own: column unit_column of the same table */
};

struct measure {
	enum measure_kind kind;
	const char *unit;       /* UNIT: as the semantic model or the data has it */
	uint32_t table, column; /* UNIT, ROWS, UNKNOWN of a plain column; else CERT_NONE */
	uint32_t unit_column;   /* ROWS: of the same table */
};

/* step: the query that x belongs to; its filters may fix a unit column. */
struct measure measure_of(struct cert *c, size_t step, const struct sql_expr *x);
struct measure measure_of_column(struct cert *c, size_t step, uint32_t table, uint32_t column);
/* True if numbers in the two units can be compared as they are. */
bool measure_same_unit(struct cert *c, const char *a, const char *b);
/* Output expression i of the step's query, NULL if there is none (VALUES). */
const struct sql_expr *measure_output(const struct cert *c, size_t step, size_t i);
/* True if the expression is this metric's, written with the catalog's columns. */
bool measure_is_metric(struct cert *c, const struct sql_expr *x, const struct semantic_metric *m);

#endif
