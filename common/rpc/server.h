/* A REP listener for clients with many requests in flight: every request is
 * handed to a callback with the peer's attested uid; the answer is given later
 * from any thread. Used for the orchestrator's client socket. */
#ifndef NLQ_RPC_SERVER_H
#define NLQ_RPC_SERVER_H

#include "common/base/err.h"
#include "common/base/strbuf.h"
#include "envelope.pb-c.h"

struct rpc_server;
struct rpc_exchange; /* one request that is waiting for its answer */

struct rpc_server_conf {
	const char *url;
	uint32_t mode;         /* of the socket file; 0: 0660 */
	uint32_t contexts;     /* requests in flight, 1..1024; above it ERR_BUSY */
	uint32_t self_dial_ms; /* 0: none */
	/* Both run on nng's threads and must not block. body is borrowed. A message
	 * that does not decode is answered by the server itself. */
	void (*on_request)(struct rpc_exchange *x, const Nlq__Envelope *env, void *arg);
	void (*on_gone)(uint32_t peer, void *arg); /* the peer of exchanges is gone */
	void (*fatal)(const char *why, void *arg);
	void *arg;
};
int rpc_server_start(
    const struct rpc_server_conf *conf, struct rpc_server **ret_server, struct err *e);
/* Exchanges that are still open end without an answer and must not be used
 * afterwards. No callback runs when it has returned. NULL is fine. */
void rpc_server_stop(struct rpc_server *s);

/* Which connection; a client has one, so it is the client for as long as it lives. */
uint32_t rpc_exchange_peer(const struct rpc_exchange *x); /* for on_gone */
uint64_t rpc_exchange_uid(const struct rpc_exchange *x);
uint32_t rpc_exchange_pid(const struct rpc_exchange *x);
/* Exactly one of these ends the exchange, from any thread, also from inside
 * on_request; x is gone afterwards. An answer to a peer that is gone goes nowhere.
 * A body that does not fit becomes a FAILED ERR_TOO_LARGE. */
void rpc_exchange_reply(struct rpc_exchange *x, Nlq__Kind kind, const void *body, size_t len);
void rpc_exchange_fail(struct rpc_exchange *x, const struct err *e);

#endif
