/* See pb_session.h. One mutex for the whole table; exchanges are answered and
 * messages packed outside it. */
#include "orchestrator/pb_session_in.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.pb-c.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/wire/wire.h"

#define SESSIONS_MAX 2048
#define LINGER_MS 60000 /* an ended session can be looked up this long */
#define LINGER_MAX 64

void session_answer_init(struct session_answer *a, struct rpc_exchange *x)
{
	memset(a, 0, sizeof(*a));
	a->x = x;
	strbuf_init(&a->body, WIRE_MAX_MESSAGE);
}

void session_answer_send(struct session_answer *a)
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

struct session *session_find_id(struct sessions *t, const uint8_t id[16], uint64_t uid)
{
	for (struct session *s = t->list; s; s = s->next) {
		if (s->uid == uid && memcmp(s->id, id, 16) == 0)
			return s;
	}
	return NULL;
}

struct session *session_find_key(struct sessions *t, const uint8_t key[16], uint64_t uid)
{
	for (struct session *s = t->list; s; s = s->next) {
		if (s->has_key && s->uid == uid && memcmp(s->client_key, key, 16) == 0)
			return s;
	}
	return NULL;
}

void session_accepted(struct session *s, struct session_answer *a)
{
	Nlq__AskAccepted m = NLQ__ASK_ACCEPTED__INIT;

	m.request_id = (ProtobufCBinaryData){16, s->id};
	a->kind = NLQ__KIND__ASK_ACCEPTED;
	wire_pack(&a->body, &m.base, NULL);
}

void session_end_of(struct session *s, struct session_answer *a)
{
	a->kind = s->reply_kind;
	a->err = s->err;
	if (s->reply)
		strbuf_add(&a->body, s->reply, s->reply_len);
}

/* Events after the number, with the reply once there is one. */
void session_events_after(struct session *s, uint32_t after, struct session_answer *a)
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
		    wire_unpack(
		        &nlq__ask_reply__descriptor, s->reply, s->reply_len, &reply, &a->err)) {
			session_end_of(s, a);
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
	struct session_answer a;

	/* A failed store is found out by the END event, which is what ends it. */
	if (e)
		return;
	pthread_mutex_lock(&t->mutex);
	session_answer_init(&a, s->asker);
	s->asker = NULL;
	if (a.x)
		session_accepted(s, &a);
	pthread_mutex_unlock(&t->mutex);
	session_answer_send(&a);
}

static struct session *make(
    struct sessions *t, struct rpc_exchange *x, const struct session_start *start)
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
	if (s->has_key && session_find_key(t, s->client_key, s->uid)) {
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
	*ret_view = (struct session_view){s->kind, s->message, s->id, s->uid, s->principal,
	    s->source, s->path, s->deadline_ms, s->began_us};
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
	struct session_answer a;

	if (!s->wants_events)
		return;
	pthread_mutex_lock(&t->mutex);
	session_answer_init(&a, NULL);
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
		session_events_after(s, s->listener_after, &a);
	}
	pthread_mutex_unlock(&t->mutex);
	session_answer_send(&a);
}

/* --- end -------------------------------------------------------------------- */

static void on_end_durable(void *arg, const struct err *e)
{
	struct session *s = arg;
	struct sessions *t = s->table;
	struct session_answer asker, listener;

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
	session_answer_init(&asker, s->asker);
	session_answer_init(&listener, s->listener);
	s->asker = s->listener = NULL;
	if (asker.x)
		session_end_of(s, &asker);
	if (listener.x)
		session_events_after(s, s->listener_after, &listener);
	if (!s->has_key && !s->wants_events)
		unlink_session(t, s);
	pthread_mutex_unlock(&t->mutex);
	session_answer_send(&asker);
	session_answer_send(&listener);
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
	log_info("request done req=%02x%02x%02x%02x outcome=%s error=%s ms=%llu", s->id[0],
	    s->id[1], s->id[2], s->id[3], outcome, e && e->code ? err_code_name(e->code) : "none",
	    (unsigned long long)(clock_mono_us() - s->began_us) / 1000);
	trace_end(s, outcome, e && e->code ? err_code_class(e->code) : "");
	if (was_running)
		admit_done(t->o->requests, uid);
}
