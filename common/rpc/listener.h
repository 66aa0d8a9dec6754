/*
 * A REP socket on which any number of requests wait for their answers: one nng
 * context each, driven by aio callbacks. It admits only the uids that it is told
 * to, decodes envelopes (what does not decode is answered here), answers its own
 * self check, and looks after nng 1.5.2: an accept loop that died is healed by a
 * second listener on the same socket, never by closing the first.
 */
#ifndef NLQ_RPC_LISTENER_H
#define NLQ_RPC_LISTENER_H

#include <nng/nng.h>

#include "common/base/err.h"
#include "envelope.pb-c.h"

struct listener;

/* A received request; exactly one of listener_reply and listener_drop ends it. */
struct listener_call {
	uint32_t pipe;              /* whom it came from */
	struct listener_call *next; /* next and answer are the holder's to use */
	nng_msg *answer;
};

struct listener_conf {
	const char *url;
	uint32_t mode; /* of the socket file */
	uint64_t uid;  /* admitted beside our own; UINT64_MAX: none */
	bool any_uid;
	uint32_t max_calls; /* requests that may wait at once */
	uint32_t max_pipes;
	uint32_t self_dial_ms; /* 0: no self check */
	/* All run on nng's threads and must not block. env is borrowed. A message
	 * of a pipe may come after its removal. */
	void (*on_message)(struct listener_call *c, const Nlq__Envelope *env, void *arg);
	void (*on_pipe_added)(uint32_t pipe, uint64_t uid, uint32_t pid, void *arg);
	void (*on_pipe_removed)(uint32_t pipe, void *arg);
	void (*fatal)(const char *why, void *arg); /* may be NULL */
	void *arg;
};

int listener_start(const struct listener_conf *conf, struct listener **ret_listener, struct err *e);
/* Calls that are still held end here; the holder must not use them afterwards. NULL
 * is fine. True: no callback runs any more. False: nng hangs (sockclose.h) and the
 * callbacks' arg must be kept for ever. */
bool listener_stop(struct listener *l);

/* Takes msg (NULL: the call is dropped, its sender gets no answer). Must not be
 * called with a lock held that the callbacks take. */
void listener_reply(struct listener_call *c, nng_msg *msg);
void listener_drop(struct listener_call *c);

uint64_t listener_heals(struct listener *l);

#endif
