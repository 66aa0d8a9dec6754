/* The job kinds of sql_agent: STEP. Messages in, domain structs through, messages out. */
#ifndef NLQ_SQL_AGENT_HANDLERS_H
#define NLQ_SQL_AGENT_HANDLERS_H

#include "common/rpc/worker.h"
#include "sql_agent/generator.h"

/* Set once, before the worker starts. floor: used where a request gives none. */
void sql_agent_handlers_init(const struct generator *g, double floor);
/* One STEP without the transport: request bytes to reply bytes. */
int sql_agent_handlers_step(const void *body, size_t len, struct strbuf *ret_body, struct err *e);

extern const struct rpc_handler sql_agent_handlers[];
extern const size_t sql_agent_n_handlers;

#endif
