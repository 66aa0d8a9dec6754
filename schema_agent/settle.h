/*
 * Readings of spans that need their neighbours. Called by link.c in this order,
 * once all spans are written; targets are those of the whole catalog.
 */
#ifndef NLQ_SCHEMA_SETTLE_H
#define NLQ_SCHEMA_SETTLE_H

#include "schema_agent/question.h"

/* A table, column, value or metric. */
bool settle_names_something(const struct grounding_span *s);

/* Relative pronouns; 订单数. */
void settle_before_times(struct question *q, struct grounding *g);
/* Targets of periods and grains; the verb beside a period (times.c). */
void times_link(struct question *q, struct grounding *g);
/* Participles, verbs without content here, views behind tables, generic words;
 * fills g->missing. */
void settle_after_times(struct question *q, struct grounding *g);

#endif
