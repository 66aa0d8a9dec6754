/*
 * Call states: RECEIVING -message-> HELD -reply-> SENDING -> RECEIVING
 *                                   HELD -drop-> RECEIVING
 *              any -closing-> CLOSED
 * A call belongs to nng while an operation runs and to its holder while HELD, so
 * its fields need no lock. One call is always receiving, up to max_calls.
 */
#include "common/rpc/listener_impl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nng/protocol/reqrep0/rep.h>

#include "common/base/log.h"
#include "common/rpc/address.h"
#include "common/rpc/envelope.h"
#include "common/rpc/sockclose.h"

enum call_state { CALL_RECEIVING, CALL_HELD, CALL_SENDING, CALL_CLOSED };

struct call_impl {
	struct listener_call pub; /* first: holders cast back */
	struct listener *listener;
	enum call_state state;
	nng_ctx ctx;
	nng_aio *aio;
};

static void start_receive(struct call_impl *c)
{
	struct listener *l = c->listener;
	bool closing;

	pthread_mutex_lock(&l->mutex);
	closing = l->closing;
	c->state = closing ? CALL_CLOSED : CALL_RECEIVING;
	if (!closing)
		l->n_receiving++;
	pthread_mutex_unlock(&l->mutex);
	if (!closing)
		nng_ctx_recv(c->ctx, c->aio);
}

static void on_aio(void *arg);

static int add_call(struct listener *l)
{
	struct call_impl *c = calloc(1, sizeof(*c));
	int rc = NNG_ENOMEM;

	if (!c)
		return rc;
	c->listener = l;
	rc = nng_ctx_open(&c->ctx, l->sock);
	if (rc)
		goto out;
	rc = nng_aio_alloc(&c->aio, on_aio, c);
	if (rc) {
		nng_ctx_close(c->ctx);
		goto out;
	}
	pthread_mutex_lock(&l->mutex);
	if (l->closing || l->n_calls == l->conf.max_calls)
		rc = NNG_ECLOSED;
	else
		l->calls[l->n_calls++] = c;
	pthread_mutex_unlock(&l->mutex);
	if (rc) {
		nng_ctx_close(c->ctx);
		nng_aio_free(c->aio);
		goto out;
	}
	start_receive(c);
	c = NULL;
out:
	free(c);
	return rc;
}

/* PING is answered here, what does not decode too; the rest is the owner's. */
static void deliver(struct call_impl *c, nng_msg *msg)
{
	struct listener *l = c->listener;
	Nlq__Envelope *env = NULL;
	struct err e = ERR_INIT;

	if (envelope_unpack(nng_msg_body(msg), nng_msg_len(msg), &env, &e)) {
		listener_reply(&c->pub, envelope_failed(&e));
	} else if (env->kind == NLQ__KIND__PING) {
		selfcheck_on_ping(l, c->pub.pipe, env);
		listener_reply(&c->pub, envelope_simple(NLQ__KIND__PONG, NULL));
	} else {
		l->conf.on_message(&c->pub, env, l->conf.arg);
	}
	envelope_free(env);
}

static void on_received(struct call_impl *c)
{
	struct listener *l = c->listener;
	int rc = nng_aio_result(c->aio);
	nng_msg *msg = rc ? NULL : nng_aio_get_msg(c->aio);
	bool starved;

	pthread_mutex_lock(&l->mutex);
	starved = --l->n_receiving == 0 && l->n_calls < l->conf.max_calls && !l->closing;
	pthread_mutex_unlock(&l->mutex);
	nng_aio_set_msg(c->aio, NULL);
	if (rc) {
		if (rc == NNG_ECLOSED)
			c->state = CALL_CLOSED;
		else
			start_receive(c);
		return;
	}
	if (starved)
		(void)add_call(l); /* without it the next message waits in its pipe */
	c->state = CALL_HELD;
	c->pub.pipe = (uint32_t)nng_pipe_id(nng_msg_get_pipe(msg));
	c->pub.next = NULL;
	c->pub.answer = NULL;
	deliver(c, msg);
	nng_msg_free(msg);
}

static void on_aio(void *arg)
{
	struct call_impl *c = arg;

	if (c->state == CALL_RECEIVING) {
		on_received(c);
		return;
	}
	if (nng_aio_result(c->aio))
		nng_msg_free(nng_aio_get_msg(c->aio));
	nng_aio_set_msg(c->aio, NULL);
	start_receive(c);
}

void listener_reply(struct listener_call *pub, nng_msg *msg)
{
	struct call_impl *c = (struct call_impl *)pub;

	if (!msg) {
		listener_drop(pub);
		return;
	}
	c->state = CALL_SENDING;
	nng_aio_set_msg(c->aio, msg);
	nng_ctx_send(c->ctx, c->aio);
}

void listener_drop(struct listener_call *pub)
{
	start_receive((struct call_impl *)pub);
}

static bool is_admitted(struct listener *l, uint64_t uid)
{
	return l->conf.any_uid || uid == geteuid() ||
	    (l->conf.uid != UINT64_MAX && uid == l->conf.uid);
}

static void on_pipe_adding(struct listener *l, nng_pipe p)
{
	uint64_t uid = UINT64_MAX, pid = 0;
	uint32_t id = (uint32_t)nng_pipe_id(p);
	bool ok = nng_pipe_get_uint64(p, NNG_OPT_IPC_PEER_UID, &uid) == 0 && is_admitted(l, uid);

	(void)nng_pipe_get_uint64(p, NNG_OPT_IPC_PEER_PID, &pid);
	pthread_mutex_lock(&l->mutex);
	if (l->n_pipes == l->conf.max_pipes)
		ok = false;
	if (ok)
		l->pipes[l->n_pipes++] = id;
	else
		l->n_refused++;
	pthread_mutex_unlock(&l->mutex);
	if (!ok)
		nng_pipe_close(p);
	else
		l->conf.on_pipe_added(id, uid, (uint32_t)pid, l->conf.arg);
}

static void on_pipe_removed(struct listener *l, uint32_t id)
{
	bool known = false;

	pthread_mutex_lock(&l->mutex);
	for (uint32_t i = 0; i < l->n_pipes && !known; i++) {
		if (l->pipes[i] != id)
			continue;
		known = true;
		l->pipes[i] = l->pipes[--l->n_pipes];
	}
	if (id == l->check_pipe) {
		l->check_pipe_gone = true;
		pthread_cond_broadcast(&l->changed);
	}
	pthread_mutex_unlock(&l->mutex);
	if (known)
		l->conf.on_pipe_removed(id, l->conf.arg);
}

static void pipe_event(nng_pipe p, nng_pipe_ev ev, void *arg)
{
	if (ev == NNG_PIPE_EV_ADD_PRE)
		on_pipe_adding(arg, p);
	else
		on_pipe_removed(arg, (uint32_t)nng_pipe_id(p));
}

int listener_listen(struct listener *l, struct err *e)
{
	nng_listener nl;
	int rc = nng_listener_create(&nl, l->sock, l->url);

	if (!rc)
		rc = nng_listener_set_int(nl, NNG_OPT_IPC_PERMISSIONS, (int)l->conf.mode);
	if (!rc)
		rc = nng_listener_start(nl, 0);
	if (rc)
		return err_set(
		    e, ERR_IO, PHASE_RPC, "cannot listen on %s: %s", l->url, nng_strerror(rc));
	return 0;
}

static int open_socket(struct listener *l, struct err *e)
{
	int rc = nng_rep0_open(&l->sock);

	if (!rc)
		rc = nng_socket_set_size(l->sock, NNG_OPT_RECVMAXSZ, ENVELOPE_RECV_MAX);
	if (!rc)
		rc = nng_pipe_notify(l->sock, NNG_PIPE_EV_ADD_PRE, pipe_event, l);
	if (!rc)
		rc = nng_pipe_notify(l->sock, NNG_PIPE_EV_REM_POST, pipe_event, l);
	if (!rc)
		rc = add_call(l);
	if (rc)
		return err_set(
		    e, ERR_INTERNAL, PHASE_RPC, "cannot open a socket: %s", nng_strerror(rc));
	return listener_listen(l, e);
}

int listener_start(const struct listener_conf *conf, struct listener **ret_listener, struct err *e)
{
	struct listener *l = calloc(1, sizeof(*l));
	pthread_condattr_t attr;
	int rc;

	if (!l)
		return err_set(e, ERR_NOMEM, PHASE_RPC, "no memory for a listener");
	l->conf = *conf;
	l->lock_fd = -1;
	pthread_mutex_init(&l->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->changed, &attr);
	pthread_condattr_destroy(&attr);
	l->url = strdup(conf->url);
	l->calls = calloc(conf->max_calls, sizeof(struct call_impl *));
	l->pipes = calloc(conf->max_pipes, sizeof(uint32_t));
	if (!l->url || !l->calls || !l->pipes)
		rc = err_set(e, ERR_NOMEM, PHASE_RPC, "no memory for a listener");
	else if (!(rc = address_path(l->url, &l->path, e)))
		rc = address_claim(l->path, &l->lock_fd, e);
	if (!rc)
		rc = open_socket(l, e);
	if (!rc && conf->self_dial_ms)
		rc = selfcheck_start(l, e);
	if (rc)
		(void)listener_stop(l);
	else
		*ret_listener = l;
	return rc;
}

bool listener_stop(struct listener *l)
{
	if (!l)
		return true;
	selfcheck_stop(l);
	pthread_mutex_lock(&l->mutex);
	l->closing = true;
	pthread_mutex_unlock(&l->mutex);
	/* First, so that the next one can listen even if nng hangs. */
	address_release(l->path, l->lock_fd);
	for (uint32_t i = 0; i < l->n_calls; i++)
		nng_ctx_close(l->calls[i]->ctx);
	for (uint32_t i = 0; i < l->n_calls; i++) {
		nng_aio_stop(l->calls[i]->aio);
		nng_aio_free(l->calls[i]->aio);
		free(l->calls[i]);
	}
	l->n_calls = 0;
	if (l->sock.id && !sockclose(l->sock))
		return false;
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->mutex);
	free(l->calls);
	free(l->pipes);
	free(l->url);
	free(l);
	return true;
}

uint64_t listener_heals(struct listener *l)
{
	uint64_t n;

	pthread_mutex_lock(&l->mutex);
	n = l->heals;
	pthread_mutex_unlock(&l->mutex);
	return n;
}
