/* Declines and questions back, in the question's language. */
#ifndef NLQ_COMPOSE_DECLINE_H
#define NLQ_COMPOSE_DECLINE_H

#include "sql_agent/compose/compose.h"
#include "sql_agent/compose/score.h"

/* Why nothing is offered: names what could not be mapped and what is near.
 * e (may be NULL) says why the terms could not be brought together. */
void decline_reply(
    struct compose_reply *reply, struct roles *r, const struct score *s, const struct err *e);
void decline_with(struct compose_reply *reply, const char *reason);
/* Asks which of the options is meant. */
void clarify_reply(
    struct compose_reply *reply, const char *question, const struct semantic_names *options);

#endif
