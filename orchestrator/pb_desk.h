/* Status and the trace, as messages for clients. Each answers the exchange. */
#ifndef NLQ_ORCH_PB_DESK_H
#define NLQ_ORCH_PB_DESK_H

#include "client.pb-c.h"

#include "common/rpc/server.h"
#include "orchestrator/orch.h"
#include "orchestrator/trace_read.h"

void pb_desk_status(struct orch *o, struct rpc_exchange *x);
void pb_desk_trace_list(struct orch *o, struct rpc_exchange *x, const ProtobufCMessage *request);
void pb_desk_trace_show(struct orch *o, struct rpc_exchange *x, const ProtobufCMessage *request);
/* By the client's key, for requests that are no longer in memory. */
void pb_desk_lookup(struct orch *o, struct rpc_exchange *x, const uint8_t key[16]);

/* The same messages from what was read, in the arena; shared with the client,
 * which reads its own folder when no orchestrator runs. */
Nlq__TraceListReply *pb_trace_list(struct arena *a, const struct trace_entry *entries, size_t n);
/* *ret_reply (NULL if not kept) must be freed with wire_free. */
Nlq__TraceShowReply *pb_trace_show(
    struct arena *a, const struct trace_detail *d, ProtobufCMessage **ret_reply);

#endif
