/*
 * Chooses one target for each item that has several, by its score and by what
 * stands beside it: adjacency ("C of T", "T's C", "T C"), tables that the
 * question names, agreement with the other items, join distance, numbers next
 * to superlatives, aggregates and comparisons. Two rounds: the second knows
 * the choices of the first.
 */
#ifndef NLQ_COMPOSE_RESOLVE_H
#define NLQ_COMPOSE_RESOLVE_H

#include "sql_agent/compose/items.h"

void resolve_items(struct items *s);

#endif
