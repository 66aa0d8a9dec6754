/*
 * A blocking REQ connection: one socket, one dialer, one message in flight. Used
 * by worker slots, control connections, clients and the listener's self check.
 * One thread calls req_exchange; req_interrupt may come from any thread.
 *
 * nng never sends a request a second time by itself here (RESENDTIME infinite):
 * a lost connection is NNG_ECONNRESET and the caller decides.
 */
#ifndef NLQ_RPC_REQ_H
#define NLQ_RPC_REQ_H

#include <stdatomic.h>

#include <nng/nng.h>

#include "common/base/err.h"

struct req;

/* Opens and starts to dial in the background. peer_uid must own the listener
 * (UINT64_MAX: any). */
int req_open(const char *url, uint64_t peer_uid, struct req **ret_req, struct err *e);
void req_close(struct req *q); /* NULL is fine */
/* A new socket and dialer in place of the old one. 0 or an nng error. */
int req_redial(struct req *q);

/* Sends bytes, once there is a connection, and waits for the answer (caller frees
 * it with nng_msg_free). 0 or an nng error: NNG_ETIMEDOUT, NNG_ECONNRESET, NNG_ECANCELED (interrupted).
 * After NNG_ETIMEDOUT the caller redials. *sent (may be NULL) is set as soon as the
 * request has been handed to a connection. */
int req_exchange(struct req *q, const void *bytes, size_t len, uint32_t send_ms,
    uint32_t receive_ms, nng_msg **ret_msg, atomic_bool *sent);
/* Makes sure that the other side serves this connection: after a reconnect a PING is
 * exchanged (a listener of nng 1.5.2 that has died still completes handshakes). 0 at
 * once if nothing has changed since the last time. */
int req_greet(struct req *q, uint32_t connect_ms);
/* Makes the exchange that runs, or else the next one, end in NNG_ECANCELED. */
void req_interrupt(struct req *q);

/* Since the last (re)dial a listener answered that belongs to another uid: which
 * one. It was not spoken to, and the exchange that ran ended in NNG_ECANCELED. */
bool req_met_foreigner(struct req *q, uint64_t *ret_uid);

#endif
