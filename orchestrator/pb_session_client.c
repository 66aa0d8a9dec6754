/* Client messages about a session: the next event, cancel, look-up, and clients
 * that are gone. */
#include "orchestrator/pb_session_in.h"

#include "common/wire/wire.h"

void session_next_event(
    struct sessions *t, struct rpc_exchange *x, const uint8_t id[16], uint32_t after)
{
	struct session_answer now, before;
	struct session *s;

	pthread_mutex_lock(&t->mutex);
	session_answer_init(&now, NULL);
	session_answer_init(&before, NULL);
	s = session_find_id(t, id, rpc_exchange_uid(x));
	if (!s) {
		now.x = x;
		now.kind = NLQ__KIND__FAILED;
		err_set(&now.err, ERR_NOT_FOUND, PHASE_REQUEST, "no request with this id is open");
	} else if (s->state == DONE || after < s->n_events) {
		now.x = x;
		session_events_after(s, after, &now);
	} else {
		before.x = s->listener;
		if (before.x)
			session_events_after(s, s->n_events, &before);
		s->listener = x;
		s->listener_after = after;
		s->peer = rpc_exchange_peer(x);
	}
	pthread_mutex_unlock(&t->mutex);
	session_answer_send(&before);
	session_answer_send(&now);
}

/* With the mutex held. True: it was still queued, and is now the caller's to
 * finish (without the mutex). */
static bool cancel(struct sessions *t, struct session *s)
{
	s->is_cancelled = true;
	if (s->state == QUEUED && admit_remove(t->o->requests, s))
		return true;
	if (s->state == QUEUED || s->state == RUNNING)
		dispatch_cancel(t->o->dispatch, s->id);
	return false;
}

static void finish_cancelled(struct session *s)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_CANCELLED, PHASE_REQUEST, "the request was cancelled");
	session_finish(s, NLQ__KIND__FAILED, NULL, 0, &e, "failed");
}

void session_cancel(struct sessions *t, struct rpc_exchange *x, const uint8_t id[16])
{
	struct session *s;
	bool is_ours = false;
	struct err e = ERR_INIT;

	pthread_mutex_lock(&t->mutex);
	s = session_find_id(t, id, rpc_exchange_uid(x));
	if (!s)
		s = session_find_key(t, id, rpc_exchange_uid(x));
	if (s)
		is_ours = cancel(t, s);
	else
		err_set(&e, ERR_NOT_FOUND, PHASE_REQUEST, "no request with this id is open");
	pthread_mutex_unlock(&t->mutex);
	if (is_ours)
		finish_cancelled(s);
	if (e.code)
		rpc_exchange_fail(x, &e);
	else
		rpc_exchange_reply(x, NLQ__KIND__DONE, NULL, 0);
}

bool session_lookup(struct sessions *t, struct rpc_exchange *x, const uint8_t key[16])
{
	struct session *s;
	struct session_answer a;

	pthread_mutex_lock(&t->mutex);
	session_answer_init(&a, NULL);
	s = session_find_key(t, key, rpc_exchange_uid(x));
	if (s && s->state == DONE) {
		a.x = x;
		session_end_of(s, &a);
	} else if (s) {
		a.x = x;
		s->peer = rpc_exchange_peer(x);
		session_accepted(s, &a);
	}
	pthread_mutex_unlock(&t->mutex);
	session_answer_send(&a);
	return s != NULL;
}

/* Cancels the open sessions of the peer (all: of everybody). One at a time,
 * because finishing needs the mutex free. */
static void cancel_those(struct sessions *t, uint32_t peer, bool all)
{
	for (;;) {
		struct session *s;
		struct session_answer a;
		struct err e = ERR_INIT;
		bool is_ours = false;

		pthread_mutex_lock(&t->mutex);
		for (s = t->list; s; s = s->next) {
			if ((all || s->peer == peer) && !s->is_cancelled && s->state != DONE)
				break;
		}
		if (!s) {
			pthread_mutex_unlock(&t->mutex);
			return;
		}
		is_ours = cancel(t, s);
		session_answer_init(&a, all ? NULL : s->listener);
		if (!all)
			s->listener = NULL;
		err_set(&e, ERR_CANCELLED, PHASE_REQUEST, "the client is gone");
		a.kind = NLQ__KIND__FAILED;
		a.err = e;
		pthread_mutex_unlock(&t->mutex);
		session_answer_send(&a);
		if (is_ours)
			finish_cancelled(s);
	}
}

void session_peer_gone(struct sessions *t, uint32_t peer)
{
	cancel_those(t, peer, false);
}

void sessions_cancel_all(struct sessions *t)
{
	cancel_those(t, 0, true);
}

size_t sessions_open(struct sessions *t)
{
	size_t n;

	pthread_mutex_lock(&t->mutex);
	n = t->n_open;
	pthread_mutex_unlock(&t->mutex);
	return n;
}
