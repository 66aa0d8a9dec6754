/* Client messages: checked, then answered, or handed to a session or the desk. */
#ifndef NLQ_ORCH_HANDLERS_H
#define NLQ_ORCH_HANDLERS_H

#include "common/rpc/server.h"
#include "orchestrator/orch.h"

/* rpc_server's callbacks; arg is the struct orch. */
void handlers_on_request(struct rpc_exchange *x, const Nlq__Envelope *env, void *arg);
void handlers_on_gone(uint32_t peer, void *arg);
/* Body of a desk thread: reads of the trace, which wait for the disk. */
void *handlers_desk_thread(void *arg);

#endif
