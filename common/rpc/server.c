/* The client side's listener: hands requests on, remembers who asked. */
#include "common/rpc/server.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/rpc/envelope.h"
#include "common/rpc/listener.h"

#define SPARE_CALLS 8 /* beyond the limit: the self check, and saying ERR_BUSY */

struct peer {
	uint32_t id, pid;
	uint64_t uid;
	struct peer *next;
};

struct rpc_exchange {
	struct rpc_server *server;
	struct listener_call *call;
	uint32_t peer, pid;
	uint64_t uid;
	struct rpc_exchange *prev, *next; /* all open ones */
};

struct rpc_server {
	struct rpc_server_conf conf;
	struct listener *listener;
	pthread_mutex_t mutex; /* guards what follows; no callback is called under it */
	struct peer *peers;
	struct rpc_exchange *open;
	uint32_t n_open;
};

static void on_pipe_added(uint32_t pipe, uint64_t uid, uint32_t pid, void *arg)
{
	struct rpc_server *s = arg;
	struct peer *p = malloc(sizeof(*p));

	if (!p)
		return; /* what it asks is dropped */
	*p = (struct peer){.id = pipe, .pid = pid, .uid = uid};
	pthread_mutex_lock(&s->mutex);
	p->next = s->peers;
	s->peers = p;
	pthread_mutex_unlock(&s->mutex);
}

static void on_pipe_removed(uint32_t pipe, void *arg)
{
	struct rpc_server *s = arg;
	struct peer **at, *p;

	pthread_mutex_lock(&s->mutex);
	for (at = &s->peers; *at && (*at)->id != pipe;)
		at = &(*at)->next;
	p = *at;
	if (p)
		*at = p->next;
	pthread_mutex_unlock(&s->mutex);
	free(p);
	if (s->conf.on_gone)
		s->conf.on_gone(pipe, s->conf.arg);
}

/* A new exchange, or NULL with the answer in *ret_answer (NULL: none). */
static struct rpc_exchange *open_exchange(
    struct rpc_server *s, struct listener_call *c, nng_msg **ret_answer)
{
	struct rpc_exchange *x = calloc(1, sizeof(*x));
	struct peer *p;
	bool busy;

	pthread_mutex_lock(&s->mutex);
	for (p = s->peers; p && p->id != c->pipe;)
		p = p->next;
	busy = s->n_open >= s->conf.contexts;
	if (x && p && !busy) {
		*x = (struct rpc_exchange){.server = s,
		    .call = c,
		    .peer = p->id,
		    .pid = p->pid,
		    .uid = p->uid,
		    .next = s->open};
		if (s->open)
			s->open->prev = x;
		s->open = x;
		s->n_open++;
		pthread_mutex_unlock(&s->mutex);
		return x;
	}
	pthread_mutex_unlock(&s->mutex);
	free(x);
	*ret_answer = NULL;
	if (busy) {
		struct err e = ERR_INIT;

		err_set(&e, ERR_BUSY, PHASE_REQUEST, "too many requests at once, the limit is %u",
		    s->conf.contexts);
		err_fix(&e, "try again in a moment");
		e.retry = true;
		*ret_answer = envelope_failed(&e);
	}
	return NULL;
}

static void on_message(struct listener_call *c, const Nlq__Envelope *env, void *arg)
{
	struct rpc_server *s = arg;
	nng_msg *answer = NULL;
	struct rpc_exchange *x = open_exchange(s, c, &answer);

	if (x)
		s->conf.on_request(x, env, s->conf.arg);
	else
		listener_reply(c, answer);
}

int rpc_server_start(
    const struct rpc_server_conf *conf, struct rpc_server **ret_server, struct err *e)
{
	struct rpc_server *s;
	struct listener_conf lc = {
	    .url = conf->url,
	    .mode = conf->mode ? conf->mode : 0660,
	    .any_uid = true,
	    .max_calls = conf->contexts + SPARE_CALLS,
	    .max_pipes = 2 * conf->contexts + SPARE_CALLS,
	    .self_dial_ms = conf->self_dial_ms,
	    .on_message = on_message,
	    .on_pipe_added = on_pipe_added,
	    .on_pipe_removed = on_pipe_removed,
	    .fatal = conf->fatal,
	};
	int rc;

	if (conf->contexts == 0 || conf->contexts > 1024)
		return err_set(e, ERR_CONFIG, PHASE_RPC, "requests in flight must be 1 to 1024");
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_NOMEM, PHASE_RPC, "no memory for a server");
	s->conf = *conf;
	pthread_mutex_init(&s->mutex, NULL);
	lc.arg = s;
	rc = listener_start(&lc, &s->listener, e);
	if (rc)
		rpc_server_stop(s);
	else
		*ret_server = s;
	return rc;
}

void rpc_server_stop(struct rpc_server *s)
{
	if (!s || !listener_stop(s->listener))
		return;
	while (s->open) {
		struct rpc_exchange *x = s->open;

		s->open = x->next;
		free(x);
	}
	while (s->peers) {
		struct peer *p = s->peers;

		s->peers = p->next;
		free(p);
	}
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

uint32_t rpc_exchange_peer(const struct rpc_exchange *x)
{
	return x->peer;
}

uint64_t rpc_exchange_uid(const struct rpc_exchange *x)
{
	return x->uid;
}

uint32_t rpc_exchange_pid(const struct rpc_exchange *x)
{
	return x->pid;
}

static void end_exchange(struct rpc_exchange *x, nng_msg *answer)
{
	struct rpc_server *s = x->server;
	struct listener_call *c = x->call;

	pthread_mutex_lock(&s->mutex);
	if (x->prev)
		x->prev->next = x->next;
	else
		s->open = x->next;
	if (x->next)
		x->next->prev = x->prev;
	s->n_open--;
	pthread_mutex_unlock(&s->mutex);
	free(x);
	listener_reply(c, answer);
}

void rpc_exchange_reply(struct rpc_exchange *x, Nlq__Kind kind, const void *body, size_t len)
{
	Nlq__Envelope env;
	struct err e = ERR_INIT;
	nng_msg *msg = NULL;

	envelope_init(&env, kind);
	env.has_body = true;
	envelope_bytes(&env.body, body, len);
	if (envelope_to_msg(&env, NULL, &msg, &e))
		msg = envelope_failed(&e);
	end_exchange(x, msg);
}

void rpc_exchange_fail(struct rpc_exchange *x, const struct err *e)
{
	end_exchange(x, envelope_failed(e));
}
