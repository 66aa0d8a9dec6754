/*
 * What a question says about numbers, values and times, as literals of the
 * column that they are compared with: exact decimals in the column's unit,
 * values as they are stored, periods as years or half-open date ranges.
 */
#ifndef NLQ_COMPOSE_LITERAL_H
#define NLQ_COMPOSE_LITERAL_H

#include "sql_agent/compose/ir.h"
#include "sql_agent/compose/view.h"

enum literal_unit {
	LITERAL_AS_WRITTEN, /* no unit on either side */
	LITERAL_CONVERTED,  /* into the column's unit */
	LITERAL_ASSUMED,    /* a bare number: taken to be in the column's unit */
	LITERAL_MISMATCH,   /* tons against yuan */
};

/* digits * 10^exponent as plain decimal text. */
const char *literal_decimal(struct arena *a, int64_t digits, int32_t exponent);
/* The quantity in the unit of the column (its semantic `unit`). */
enum literal_unit literal_quantity(struct arena *a, const struct view_column *vc,
    const struct quantity *q, struct ir_literal *ret_literal);
/* The same against a unit given as text. */
enum literal_unit literal_in_unit(
    struct arena *a, const char *unit, const struct quantity *q, struct ir_literal *ret_literal);
void literal_value(struct arena *a, const struct value *v, struct ir_literal *ret_literal);
/* Conditions of a period on a time column, appended to list; false if the
 * column cannot tell (a month asked of a column of years). */
bool literal_period(struct arena *a, const struct view *v, uint32_t table, uint32_t column,
    const struct period *p, uint32_t span, struct ir_condition **list, size_t *n);

#endif
