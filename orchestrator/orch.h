/* The orchestrator's parts, made by orch_start and shared by handlers, sessions
 * and flow threads. */
#ifndef NLQ_ORCH_H
#define NLQ_ORCH_H

#include "common/rpc/dispatch.h"
#include "common/rpc/server.h"
#include "orchestrator/admit.h"
#include "orchestrator/catalogs.h"
#include "orchestrator/trace_writer.h"

struct sessions;

struct orch {
	struct trace *trace;
	struct dispatch *dispatch;
	struct catalogs *catalogs;
	struct admit *requests; /* questions and queries, in front of the flow threads */
	struct admit *desk;     /* reads of the trace */
	struct sessions *sessions;
	struct rpc_server *server;
	uint64_t started_ms;
};

extern struct orch orch;

int orch_start(struct err *e);
void orch_drain(void); /* no new requests */
bool orch_is_drained(void);
void orch_stop(void);

#endif
