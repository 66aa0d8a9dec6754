/* Rows as an aligned table for a terminal, as CSV, or as Markdown. */
#ifndef NLQ_CLI_TABLE_H
#define NLQ_CLI_TABLE_H

#include "common/base/strbuf.h"
#include "common/model/resultset.h"

struct table_style {
	const char *null_text;   /* how NULL is shown */
	const char *dim, *plain; /* escape sequences around NULL; "" without colour */
	uint32_t max_cell_width; /* terminal columns; wider cells are cut with an ellipsis */
};

/* Columns of numbers are right-aligned; control characters are escaped; widths
 * are those of the terminal (CJK counts two). */
void table_print(struct strbuf *out, const struct resultset *r, const struct table_style *style);
/* Any rows of text, for the other listings: cells row-major, header first, NULL
 * cells are empty. right[i]: align column i to the right. */
void table_text(struct strbuf *out, const char *const *cells, size_t n_rows, size_t n_columns,
    const bool *right);

/* RFC 4180 with LF line ends and a header; NULL is an empty field, an empty text
 * is "". Text that a spreadsheet would take for a formula (first character
 * = + - @, tab or return) gets a ' in front; numbers are left as they are. */
void csv_print(struct strbuf *out, const struct resultset *r);
/* A GitHub table: | and line breaks in cells are escaped, NULL is *NULL*. */
void markdown_print(struct strbuf *out, const struct resultset *r);

#endif
