/*
 * Words that mean nothing without their table: "name", "id", "first and last
 * name". They take the column of the table that stands beside them.
 */
#ifndef NLQ_COMPOSE_GENERIC_H
#define NLQ_COMPOSE_GENERIC_H

#include "sql_agent/compose/items.h"

/* Called when tables are resolved; turns such items into columns. */
void generic_words(struct items *s);

#endif
