/*
 * Conditions as expressions: comparisons, OR groups, comparisons with an
 * aggregate, membership ([NOT] IN), default filters of the semantic model.
 */
#ifndef NLQ_COMPOSE_FILTER_H
#define NLQ_COMPOSE_FILTER_H

#include "sql_agent/compose/emit.h"

/* One core on its way: its joins and whether columns need a qualifier. */
struct emit_core {
	struct emit *em;
	struct join_tree tree;
	struct sql_core *core;
	uint32_t branch;
};

/* A term as an expression over the core's joins. */
struct sql_expr *emit_term(struct emit_core *k, const struct ir_term *t);
/* FROM of the core, from its join tree. */
void emit_from(struct emit_core *k);
struct sql_expr *emit_column(struct emit_core *k, uint32_t table, uint32_t column, uint32_t via);
/* The conditions that `pick` (may be NULL) accepts, ANDed; NULL if none. */
struct sql_expr *filter_conditions(struct emit_core *k, const struct ir_condition *list, size_t n,
    bool (*pick)(const struct emit_core *k, const struct ir_condition *c, const void *arg),
    const void *arg);
/* x [NOT] IN (select ...), for one existence of the IR. */
int filter_exists(
    struct emit_core *k, const struct ir_exists *x, struct sql_expr **ret_expr, struct err *e);
/* Default filters of the datasets that the core joins, added to its WHERE. */
void filter_defaults(struct emit_core *k);
/* Parses an expression of the semantic model, NULL if it does not parse. */
struct sql_expr *filter_parse(struct arena *a, const char *text);
/* Gives the columns of a model expression the names of the core's joins. */
void filter_bind(struct emit_core *k, struct sql_expr *x, uint32_t default_table);

#endif
