/* Messages to plain structs and back, and the cache of derived indexes: the only
 * file of this daemon that sees protobuf and rpc. */
#ifndef NLQ_SCHEMA_HANDLERS_H
#define NLQ_SCHEMA_HANDLERS_H

#include "common/rpc/worker.h"

struct handler_settings {
	double alpha, floor;
	uint32_t max_tables;
	uint32_t indexes; /* derived indexes kept */
};
void schema_agent_handlers_init(const struct handler_settings *s);
void schema_agent_handlers_done(void); /* frees the cache; no handler may run any more */

rpc_handler_fn handle_ground, handle_search;

#endif
