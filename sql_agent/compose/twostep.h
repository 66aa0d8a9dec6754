/*
 * Questions about a leader: "the company with the highest output: its net
 * profit". The ranking and the measure live in two tables that only share a
 * parent; joining them would mix rows that have nothing to do with each other.
 * Step 1 finds the leader (name, amount, unit), step 2 asks the measure of it.
 */
#ifndef NLQ_COMPOSE_TWOSTEP_H
#define NLQ_COMPOSE_TWOSTEP_H

#include "common/model/resultset.h"
#include "sql_agent/compose/ir.h"
#include "sql_agent/compose/view.h"

struct twostep {
	uint32_t subject; /* the shared parent: who leads */
	uint32_t ranked;  /* table of the ranking */
	uint32_t asked;   /* table of the measure */
};

/* "scientists on the project with the most hours": one leader has several rows,
 * so the first row in order would be an arbitrary one. The order becomes the
 * condition that the column is the extreme. */
void twostep_keep_all(struct arena *a, const struct view *v, struct ir *ir);
bool twostep_needed(const struct view *v, const struct ir *ir, struct twostep *ret_plan);
struct ir *twostep_first(
    struct arena *a, const struct view *v, const struct ir *ir, const struct twostep *p);
/* NULL if the result has no row or lacks the leader's column. */
struct ir *twostep_second(struct arena *a, const struct view *v, const struct ir *ir,
    const struct twostep *p, const struct resultset *found);
/* Names of the leaders that the first step found, more than one on a tie. */
void twostep_leaders(
    struct arena *a, const struct resultset *found, struct semantic_names *ret_names);

#endif
