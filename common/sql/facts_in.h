/* Shared by the files of facts. Internal to common/sql. */
#ifndef NLQ_SQL_FACTS_IN_H
#define NLQ_SQL_FACTS_IN_H

#include "common/sql/facts.h"
#include "common/sql/sql.h"

#define NO_INDEX UINT32_MAX

struct sql_facts_ctx {
	struct arena *arena;
	const struct catalog *catalog;
	struct sql_facts *facts;
	uint32_t **places; /* per table and column: 1 + its place in facts->columns, 0 none */
	uint32_t budget;   /* steps left for looking through nested subqueries */
};

/* Follows aliases and plain columns of subqueries and CTEs to what they stand
 * for: a base column, or the expression that computes it. */
const struct sql_expr *sql_fact_base(const struct sql_expr *x);
/* The catalog column of a base column; false if x is something else. */
bool sql_fact_column_of(const struct sql_expr *x, uint32_t *ret_table, uint32_t *ret_column);
/* The expression of GROUP BY term k: positions and aliases looked through. */
const struct sql_expr *sql_fact_group(const struct sql_core *core, size_t k);
/* Join edges and fan-out of one core. */
void sql_fact_core_joins(struct sql_facts_ctx *c, const struct sql_core *core);
/* An edge between single columns that multiplies nothing. */
void sql_fact_semi_join(
    struct sql_facts_ctx *c, const struct sql_expr *l, const struct sql_expr *r);

#endif
