/*
 * The generators that this agent can run, by name: one row each. All take a
 * grounding and the request's earlier steps and give one step back.
 */
#ifndef NLQ_SQL_AGENT_GENERATOR_H
#define NLQ_SQL_AGENT_GENERATOR_H

#include "sql_agent/compose/compose.h"

typedef int generator_fn(const struct grounding *g, const struct compose_past *past, size_t n_past,
    double floor, struct compose_reply **ret_reply, struct err *e);

struct generator {
	const char *name;
	generator_fn *step;
};

/* NULL if there is none of that name. */
const struct generator *generator_find(const char *name);

#endif
