/* A blocking client of the orchestrator's client socket. */
#ifndef NLQ_RPC_CLIENT_H
#define NLQ_RPC_CLIENT_H

#include "common/base/err.h"
#include "common/base/strbuf.h"
#include "envelope.pb-c.h"

struct rpc_client;

/* Dials; waits up to wait_ms for the listener (0: it is there or it is not).
 * owner_uid: uid that must own it (UINT64_MAX: any). ERR_UNAVAILABLE if nobody
 * listens, ERR_DENIED if the listener is another user's. */
int rpc_client_open(const char *url, uint32_t wait_ms, uint64_t owner_uid,
    struct rpc_client **ret_client, struct err *e);
void rpc_client_close(struct rpc_client *c); /* NULL is fine */
/* One round trip; one thread at a time. *ret_kind and ret_body (initialised by the caller) are set
 * on success; a FAILED answer is returned as its error. ERR_TIMEOUT,
 * ERR_UNAVAILABLE (connection lost: the request may or may not have run). */
int rpc_client_call(struct rpc_client *c, Nlq__Kind kind, const void *body, size_t len,
    uint32_t timeout_ms, Nlq__Kind *ret_kind, struct strbuf *ret_body, struct err *e);

#endif
