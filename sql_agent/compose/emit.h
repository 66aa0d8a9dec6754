/*
 * From the intermediate form to a tree of common/sql: FROM and JOIN from the
 * tables that terms name, GROUP BY from mixing aggregates with plain columns,
 * counts that a join cannot inflate, literals with their types. It adds what
 * the semantic model demands (default filters, metric expressions).
 */
#ifndef NLQ_COMPOSE_EMIT_H
#define NLQ_COMPOSE_EMIT_H

#include "common/sql/build.h"
#include "common/sql/sql.h"
#include "sql_agent/compose/ir.h"
#include "sql_agent/compose/joins.h"
#include "sql_agent/compose/view.h"

struct emit {
	struct arena *arena;
	const struct view *view;
	const struct ir *ir;
	uint32_t n_joins;   /* of the largest core */
	uint32_t n_bridges; /* tables joined only to reach another one */
	bool ambiguous_join;
	struct semantic_names assumptions; /* in the question's language */
};

/* ERR_UNANSWERABLE with the reason where the terms cannot be brought together. */
int emit_select(struct emit *em, struct sql_select **ret_select, struct err *e);
/* The query of one branch (0: all conditions) with these outputs; for arith.c. */
int emit_branch(struct emit *em, uint32_t branch, const struct ir_term *outputs, size_t n_outputs,
    struct sql_select **ret_select, struct err *e);
/* Name for an output column that is computed. */
const char *emit_alias(struct emit *em, const struct ir_term *t);
void emit_assume(struct emit *em, const char *text);

#endif
