/* Shared by listener.c (messages) and selfcheck.c (health); nobody else. */
#ifndef NLQ_RPC_LISTENER_IMPL_H
#define NLQ_RPC_LISTENER_IMPL_H

#include <pthread.h>

#include "common/rpc/listener.h"
#include "common/wire/wire.h"

struct call_impl;

struct listener {
	struct listener_conf conf;
	char *url;
	const char *path; /* in url */
	int lock_fd;
	nng_socket sock;
	pthread_mutex_t mutex; /* guards what follows; a leaf lock */
	pthread_cond_t changed;
	struct call_impl **calls;
	uint32_t n_calls, n_receiving;
	uint32_t *pipes; /* admitted and not yet removed */
	uint32_t n_pipes;
	uint64_t n_refused, heals;
	bool closing;
	uint8_t nonce[WIRE_ID_LEN]; /* of the self check that runs */
	uint32_t check_pipe;        /* 0: its PING has not come */
	bool check_pipe_gone;
	bool has_thread;
	pthread_t thread;
};

/* Opens one more nng listener on the socket at our path. */
int listener_listen(struct listener *l, struct err *e);

int selfcheck_start(struct listener *l, struct err *e);
void selfcheck_stop(struct listener *l);
/* Notes which pipe the running self check came by. */
void selfcheck_on_ping(struct listener *l, uint32_t pipe, const Nlq__Envelope *env);

#endif
