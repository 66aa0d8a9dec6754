/* Shared by the two halves of the printer. Internal to common/sql. */
#ifndef NLQ_SQL_PRINT_H
#define NLQ_SQL_PRINT_H

#include "common/sql/sql.h"

struct sql_printer {
	struct strbuf *out;
	const struct sql_dialect *dialect;
	enum sql_print_mode mode;
};

/* How a select is used, which decides how its columns are named when it runs. */
enum sql_print_use {
	SQL_USE_OUTER, /* the author's output names */
	SQL_USE_NAMED, /* c1, c2 ...: something outside refers to them */
	SQL_USE_PLAIN, /* no names needed */
	SQL_USE_SET,   /* no names, and order means nothing (IN): engines trip over it */
};

void sql_put_name(const struct sql_printer *p, const char *name);
void sql_put_expr(const struct sql_printer *p, const struct sql_expr *x);
void sql_put_list(const struct sql_printer *p, struct sql_expr *const *items, size_t n);
void sql_put_order(const struct sql_printer *p, const struct sql_order_term *terms, size_t n);
void sql_put_window(const struct sql_printer *p, const struct sql_window *w);
void sql_put_select(const struct sql_printer *p, const struct sql_select *s, enum sql_print_use use,
    uint64_t limit_rows);
/* The name of column i of a source in the SQL that runs. */
void sql_put_source_column(const struct sql_printer *p, const struct sql_source *f, int column);

#endif
