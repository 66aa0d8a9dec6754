/* A result as people read it: which columns are shown, what they are called,
 * what their numbers measure, and each cell as text. */
#ifndef NLQ_SHOWN_H
#define NLQ_SHOWN_H

#include "verify_agent/measure.h"

struct shown {
	struct cert *c;
	size_t step;
	const struct resultset *r;
	const struct sql_expr **exprs; /* per column; NULL if there is none */
	struct measure *measures;      /* per column */
	int *unit_columns;             /* per column: result column with each row's unit, -1 */
	size_t *shown;                 /* columns to show, in order */
	size_t n_shown;
};

/* The step must have run. Everything lives in c's arena. */
void shown_open(struct shown *v, struct cert *c, size_t step);
/* Label of a result column in the question's language. */
const char *shown_label(const struct shown *v, size_t column);
/* True if the two columns are the first and the last name of one table's people. */
bool shown_is_name_pair(const struct shown *v, size_t first, size_t second);
/* True if the column's cells are numbers. */
bool shown_is_number(const struct shown *v, size_t column);
/* Unit of a cell, "" if it has none or none is known. */
const char *shown_unit(const struct shown *v, size_t row, size_t column);
/* A cell for people, with its unit. */
const char *shown_cell(const struct shown *v, size_t row, size_t column);
/* A cell without its unit. */
const char *shown_value(const struct shown *v, size_t row, size_t column);
/* The unit of the result's one number column, the same in all rows; NULL if
 * there is none. */
const char *shown_single_unit(const struct shown *v);

#endif
