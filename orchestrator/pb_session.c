/* See pb_session.h. One mutex for the whole table; exchanges are answered and
 * messages packed outside it. */
#include "orchestrator/pb_session.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.pb-c.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/wire/wire.h"

#define EVENTS_MAX 200      /* lines of progress that are kept */
#define SESSIONS_MAX 2048
#define LINGER_MS 60000     /* an ended session can be looked up this long */
#define LINGER_MAX 64

enum state { QUEUED, RUNNING, ENDING, DONE };

struct event { char *step, *text; uint64_t at_us; };

struct session {
	struct sessions *table;
	struct session *next;       /* in the table's list, newest first */
	enum state state;
	uint8_t id[16], client_key[16];
	bool has_key, wants_events, is_cancelled;
	uint32_t uid, peer;
	char principal[24];
	char *source, *path;
	Nlq__Kind kind;
	ProtobufCMessage *message;
	uint64_t deadline_ms, began_us, done_ms;
	struct rpc_exchange *asker;    /* waits for acceptance or for the end */
	struct rpc_exchange *listener; /* waits for an event after listener_after */
	uint32_t listener_after;
	struct event events[EVENTS_MAX];
	uint32_t n_events;
	Nlq__Kind reply_kind;
	void *reply;
	size_t reply_len;
	struct err err;
};

struct sessions {
	struct orch *o;
	pthread_mutex_t mutex;
	struct session *list;
	size_t n, n_open;
};

/* What is to be sent once the mutex is free. */
struct answer {
	struct rpc_exchange *x;
	Nlq__Kind kind;
	struct strbuf body;
	struct err err;
};

static void answer_init(struct answer *a, struct rpc_exchange *x)
{
	memset(a, 0, sizeof(*a));
	a->x = x;
	strbuf_init(&a->body, WIRE_MAX_MESSAGE);
}

static void answer_send(struct answer *a)
{
	if (a->x && a->kind == NLQ__KIND__FAILED)
		rpc_exchange_fail(a->x, &a->err);
	else if (a->x)
		rpc_exchange_reply(a->x, a->kind, a->body.data, a->body.len);
	strbuf_done(&a->body);
}

int sessions_new(struct orch *o, struct sessions **ret_sessions, struct err *e)
{
	struct sessions *t = calloc(1, sizeof(*t));

	if (!t)
		return err_set(e, ERR_NOMEM, PHASE_REQUEST, "out of memory");
	t->o = o;
	pthread_mutex_init(&t->mutex, NULL);
	*ret_sessions = t;
	return 0;
}

static void session_free(struct session *s)
{
	for (uint32_t i = 0; i < s->n_events; i++) {
		free(s->events[i].step);
		free(s->events[i].text);
	}
	wire_free(s->message);
	free(s->source);
	free(s->path);
	free(s->reply);
	free(s);
}

void sessions_free(struct sessions *t)
{
	if (!t)
		return;
	while (t->list) {
		struct session *s = t->list;

		t->list = s->next;
		session_free(s);
	}
	pthread_mutex_destroy(&t->mutex);
	free(t);
}

static void unlink_session(struct sessions *t, struct session *s)
{
	for (struct session **at = &t->list; *at; at = &(*at)->next) {
		if (*at == s) {
			*at = s->next;
			t->n--;
			session_free(s);
			return;
		}
	}
}

/* Ended sessions are kept for a while, the newest of them. */
static void drop_old(struct sessions *t)
{
	uint64_t now = clock_mono_ms();
	size_t kept = 0;

	for (struct session **at = &t->list; *at;) {
		struct session *s = *at;

		if (s->state == DONE && (++kept > LINGER_MAX || now - s->done_ms > LINGER_MS)) {
			*at = s->next;
			t->n--;
			session_free(s);
		} else {
			at = &s->next;
		}
	}
}

static struct session *find_id(struct sessions *t, const uint8_t id[16], uint64_t uid)
{
	for (struct session *s = t->list; s; s = s->next) {
		if (s->uid == uid && memcmp(s->id, id, 16) == 0)
			return s;
	}
	return NULL;
}

static struct session *find_key(struct sessions *t, const uint8_t key[16], uint64_t uid)
{
	for (struct session *s = t->list; s; s = s->next) {
		if (s->has_key && s->uid == uid && memcmp(s->client_key, key, 16) == 0)
			return s;
	}
	return NULL;
}

static void accepted(struct session *s, struct answer *a)
{
	Nlq__AskAccepted m = NLQ__ASK_ACCEPTED__INIT;

	m.request_id = (ProtobufCBinaryData){16, s->id};
	a->kind = NLQ__KIND__ASK_ACCEPTED;
	wire_pack(&a->body, &m.base, NULL);
}

static void end_of(struct session *s, struct answer *a)
{
	a->kind = s->reply_kind;
	a->err = s->err;
	if (s->reply)
		strbuf_add(&a->body, s->reply, s->reply_len);
}

/* Events after the number, with the reply once there is one. */
static void events_after(struct session *s, uint32_t after, struct answer *a)
{
	Nlq__Events m = NLQ__EVENTS__INIT;
	Nlq__Event items[EVENTS_MAX], *list[EVENTS_MAX];
	ProtobufCMessage *reply = NULL;

	for (uint32_t i = after; i < s->n_events; i++) {
		Nlq__Event *ev = &items[m.n_events];

		nlq__event__init(ev);
		ev->seq = i + 1;
		ev->step = s->events[i].step;
		ev->text = s->events[i].text;
		ev->at_us = s->events[i].at_us;
		list[m.n_events++] = ev;
	}
	m.events = list;
	a->kind = NLQ__KIND__EVENTS;
	if (s->state == DONE) {
		if (s->reply_kind != NLQ__KIND__ASK_REPLY ||
		    wire_unpack(&nlq__ask_reply__descriptor, s->reply, s->reply_len, &reply, &a->err)) {
			end_of(s, a);
			return;
		}
		m.reply = (Nlq__AskReply *)reply;
	}
	if (wire_pack(&a->body, &m.base, &a->err)) {
		/* A reply of nearly the limit leaves no room for lines of progress. */
		strbuf_clear(&a->body);
		m.n_events = 0;
		if (wire_pack(&a->body, &m.base, &a->err))
			a->kind = NLQ__KIND__FAILED;
	}
	wire_free(reply);
}

/* --- begin ------------------------------------------------------------------ */

static void on_begin_durable(void *arg, const struct err *e)
{
	struct session *s = arg;
	struct sessions *t = s->table;
	struct answer a;

	/* A failed store is found out by the END event, which is what ends it. */
	if (e)
		return;
	pthread_mutex_lock(&t->mutex);
	answer_init(&a, s->asker);
	s->asker = NULL;
	if (a.x)
		accepted(s, &a);
	pthread_mutex_unlock(&t->mutex);
	answer_send(&a);
}

static struct session *make(struct sessions *t, struct rpc_exchange *x,
    const struct session_start *start)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->table = t;
	s->kind = start->kind;
	s->message = start->message;
	s->uid = (uint32_t)rpc_exchange_uid(x);
	s->peer = rpc_exchange_peer(x);
	s->asker = x;
	s->wants_events = start->wants_events;
	s->began_us = clock_mono_us();
	s->deadline_ms = s->began_us / 1000 + start->timeout_ms;
	s->source = strdup(start->source);
	s->path = strdup(start->path);
	snprintf(s->principal, sizeof(s->principal), "uid:%u", s->uid);
	random_bytes(s->id, sizeof(s->id));
	if (start->client_key) {
		memcpy(s->client_key, start->client_key, sizeof(s->client_key));
		s->has_key = true;
	}
	if (!s->source || !s->path) {
		s->message = NULL;
		session_free(s);
		return NULL;
	}
	return s;
}

static void trace_begin(struct session *s, const struct session_start *start)
{
	struct trace_event ev = TRACE_EVENT_INIT;

	ev.kind = TRACE_BEGIN;
	memcpy(ev.request, s->id, sizeof(ev.request));
	ev.at_us = clock_wall_us();
	ev.uid = s->uid;
	ev.source = s->source;
	ev.operation = start->operation;
	memcpy(ev.client_key, s->client_key, sizeof(ev.client_key));
	trace_put(s->table->o->trace, &ev, (struct trace_part){start->bytes, start->len},
	    (struct trace_part){NULL, 0}, s->wants_events ? on_begin_durable : NULL, s);
}

void session_begin(struct sessions *t, struct rpc_exchange *x, const struct session_start *start)
{
	struct err e = ERR_INIT;
	struct session *s = NULL;
	int rc = trace_check(t->o->trace, &e);

	if (!rc && !(s = make(t, x, start)))
		rc = err_set(&e, ERR_NOMEM, PHASE_REQUEST, "out of memory");
	if (rc) {
		wire_free(start->message);
		rpc_exchange_fail(x, &e);
		return;
	}
	pthread_mutex_lock(&t->mutex);
	drop_old(t);
	if (s->has_key && find_key(t, s->client_key, s->uid)) {
		rc = err_set(&e, ERR_DUPLICATE, PHASE_REQUEST, "this request was sent before");
		err_fix(&e, "look it up by its key");
	} else if (t->n >= SESSIONS_MAX) {
		rc = err_set(&e, ERR_BUSY, PHASE_REQUEST, "too many requests are open");
	} else {
		/* A flow thread that takes it waits for this mutex before it begins. */
		rc = admit_push(t->o->requests, s->uid, s, &e);
	}
	if (!rc) {
		s->next = t->list;
		t->list = s;
		t->n++;
		t->n_open++;
		trace_begin(s, start);
	}
	pthread_mutex_unlock(&t->mutex);
	if (rc) {
		session_free(s);
		rpc_exchange_fail(x, &e);
	}
}

struct session *session_take(struct sessions *t)
{
	struct session *s = admit_take(t->o->requests);

	if (s) {
		pthread_mutex_lock(&t->mutex);
		s->state = RUNNING;
		pthread_mutex_unlock(&t->mutex);
	}
	return s;
}

void session_view(struct session *s, struct session_view *ret_view)
{
	*ret_view = (struct session_view){s->kind, s->message, s->id, s->uid, s->principal, s->source,
		s->path, s->deadline_ms, s->began_us};
}

bool session_is_cancelled(struct session *s)
{
	bool is;

	pthread_mutex_lock(&s->table->mutex);
	is = s->is_cancelled;
	pthread_mutex_unlock(&s->table->mutex);
	return is;
}

void session_event(struct session *s, const char *step, const char *text)
{
	struct sessions *t = s->table;
	struct answer a;

	if (!s->wants_events)
		return;
	pthread_mutex_lock(&t->mutex);
	answer_init(&a, NULL);
	if (s->n_events < EVENTS_MAX) {
		struct event *ev = &s->events[s->n_events];

		ev->step = strdup(step);
		ev->text = strdup(text);
		ev->at_us = clock_mono_us() - s->began_us;
		if (ev->step && ev->text)
			s->n_events++;
	}
	if (s->listener && s->n_events > s->listener_after) {
		a.x = s->listener;
		s->listener = NULL;
		events_after(s, s->listener_after, &a);
	}
	pthread_mutex_unlock(&t->mutex);
	answer_send(&a);
}

/* --- end -------------------------------------------------------------------- */

static void on_end_durable(void *arg, const struct err *e)
{
	struct session *s = arg;
	struct sessions *t = s->table;
	struct answer asker, listener;

	pthread_mutex_lock(&t->mutex);
	if (e) {
		s->reply_kind = NLQ__KIND__FAILED;
		s->err = *e;
		free(s->reply);
		s->reply = NULL;
		s->reply_len = 0;
	}
	s->state = DONE;
	s->done_ms = clock_mono_ms();
	t->n_open--;
	answer_init(&asker, s->asker);
	answer_init(&listener, s->listener);
	s->asker = s->listener = NULL;
	if (asker.x)
		end_of(s, &asker);
	if (listener.x)
		events_after(s, s->listener_after, &listener);
	if (!s->has_key && !s->wants_events)
		unlink_session(t, s);
	pthread_mutex_unlock(&t->mutex);
	answer_send(&asker);
	answer_send(&listener);
}

static void trace_end(struct session *s, const char *outcome, const char *error_class)
{
	struct trace_event ev = TRACE_EVENT_INIT;

	ev.kind = TRACE_END;
	memcpy(ev.request, s->id, sizeof(ev.request));
	ev.at_us = clock_wall_us();
	ev.uid = s->uid;
	ev.duration_us = clock_mono_us() - s->began_us;
	ev.status = outcome;
	ev.detail = error_class;
	trace_put(s->table->o->trace, &ev, (struct trace_part){NULL, 0},
	    (struct trace_part){s->reply, s->reply_len}, on_end_durable, s);
}

void session_finish(struct session *s, Nlq__Kind kind, const void *body, size_t len,
    const struct err *e, const char *outcome)
{
	struct sessions *t = s->table;
	bool was_running;
	uint32_t uid = s->uid;

	pthread_mutex_lock(&t->mutex);
	was_running = s->state == RUNNING;
	s->state = ENDING;
	s->reply_kind = kind;
	if (e)
		s->err = *e;
	if (len && (s->reply = malloc(len))) {
		memcpy(s->reply, body, len);
		s->reply_len = len;
	}
	pthread_mutex_unlock(&t->mutex);
	dispatch_forget(t->o->dispatch, s->id);
	log_info("request done req=%02x%02x%02x%02x outcome=%s error=%s ms=%llu", s->id[0], s->id[1],
	    s->id[2], s->id[3], outcome, e && e->code ? err_code_name(e->code) : "none",
	    (unsigned long long)(clock_mono_us() - s->began_us) / 1000);
	trace_end(s, outcome, e && e->code ? err_code_class(e->code) : "");
	if (was_running)
		admit_done(t->o->requests, uid);
}

/* --- client messages about a session ------------------------------------------ */

void session_next_event(struct sessions *t, struct rpc_exchange *x, const uint8_t id[16],
    uint32_t after)
{
	struct answer now, before;
	struct session *s;

	pthread_mutex_lock(&t->mutex);
	answer_init(&now, NULL);
	answer_init(&before, NULL);
	s = find_id(t, id, rpc_exchange_uid(x));
	if (!s) {
		now.x = x;
		now.kind = NLQ__KIND__FAILED;
		err_set(&now.err, ERR_NOT_FOUND, PHASE_REQUEST, "no request with this id is open");
	} else if (s->state == DONE || after < s->n_events) {
		now.x = x;
		events_after(s, after, &now);
	} else {
		before.x = s->listener;
		if (before.x)
			events_after(s, s->n_events, &before);
		s->listener = x;
		s->listener_after = after;
		s->peer = rpc_exchange_peer(x);
	}
	pthread_mutex_unlock(&t->mutex);
	answer_send(&before);
	answer_send(&now);
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
	s = find_id(t, id, rpc_exchange_uid(x));
	if (!s)
		s = find_key(t, id, rpc_exchange_uid(x));
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
	struct answer a;

	pthread_mutex_lock(&t->mutex);
	answer_init(&a, NULL);
	s = find_key(t, key, rpc_exchange_uid(x));
	if (s && s->state == DONE) {
		a.x = x;
		end_of(s, &a);
	} else if (s) {
		a.x = x;
		s->peer = rpc_exchange_peer(x);
		accepted(s, &a);
	}
	pthread_mutex_unlock(&t->mutex);
	answer_send(&a);
	return s != NULL;
}

/* Cancels the open sessions of the peer (all: of everybody). One at a time,
 * because finishing needs the mutex free. */
static void cancel_those(struct sessions *t, uint32_t peer, bool all)
{
	for (;;) {
		struct session *s;
		struct answer a;
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
		answer_init(&a, all ? NULL : s->listener);
		if (!all)
			s->listener = NULL;
		err_set(&e, ERR_CANCELLED, PHASE_REQUEST, "the client is gone");
		a.kind = NLQ__KIND__FAILED;
		a.err = e;
		pthread_mutex_unlock(&t->mutex);
		answer_send(&a);
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
