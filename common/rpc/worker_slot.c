/*
 * A slot: asks for a job, works, reports, which asks again. Its RESULT is kept
 * until something answers it, so a connection that breaks while it works or
 * reports costs nothing: the next connection carries the RESULT again, and the
 * dispatcher takes the first.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/rpc/envelope.h"
#include "common/rpc/worker_impl.h"

#define ODD_ANSWER_PAUSE_MS 200
#define FOREIGNER_PAUSE_MS 2000
#define DRAIN_SEND_MS 1000 /* a draining slot waits so long for a connection */

void slot_fill_ready(
    const struct rpc_slot *s, Nlq__Ready *m, ProtobufCBinaryData *held, struct hash *hashes)
{
	struct rpc_worker *w = s->w;

	nlq__ready__init(m);
	envelope_bytes(&m->instance, w->instance, WIRE_ID_LEN);
	m->slot = s->number;
	m->role = w->conf.role;
	m->n_held = cache_list(w->cache, hashes, WORKER_MAX_HELD);
	m->held = held;
	for (size_t i = 0; i < m->n_held; i++)
		envelope_bytes(&held[i], hashes[i].bytes, HASH_LEN);
	m->has_draining = m->draining = atomic_load(&w->is_draining);
	m->has_pid = true;
	m->pid = (uint32_t)getpid();
}

static int pack_ready(struct rpc_slot *s)
{
	Nlq__Envelope env;
	Nlq__Ready m;
	ProtobufCBinaryData held[WORKER_MAX_HELD];
	struct hash hashes[WORKER_MAX_HELD];

	slot_fill_ready(s, &m, held, hashes);
	envelope_init(&env, NLQ__KIND__READY);
	strbuf_clear(&s->out);
	return envelope_to_strbuf(&env, &m.base, &s->out, NULL);
}

static int pack_result(struct rpc_slot *s, const struct rpc_job *job, const struct strbuf *body,
    const struct err *failure, uint64_t elapsed_us, struct err *e)
{
	Nlq__Envelope env;
	Nlq__Error error;
	Nlq__Result m = NLQ__RESULT__INIT;
	Nlq__Ready ready;
	ProtobufCBinaryData held[WORKER_MAX_HELD];
	struct hash hashes[WORKER_MAX_HELD];

	envelope_init(&env, NLQ__KIND__RESULT);
	env.has_request_id = true;
	envelope_bytes(&env.request_id, job->request_id, WIRE_ID_LEN);
	if (failure) {
		wire_error_from_err(&error, failure);
		env.error = &error;
	} else {
		m.has_body = true;
		envelope_bytes(&m.body, body->data, body->len);
	}
	slot_fill_ready(s, &ready, held, hashes);
	m.ready = &ready;
	envelope_bytes(&m.job_id, job->job_id, WIRE_ID_LEN);
	m.attempt = job->attempt;
	m.has_elapsed_us = true;
	m.elapsed_us = elapsed_us;
	strbuf_clear(&s->out);
	return envelope_to_strbuf(&env, &m.base, &s->out, e);
}

static const struct rpc_handler *find_handler(const struct rpc_worker *w, Nlq__Kind kind)
{
	for (size_t i = 0; i < w->conf.n_handlers; i++)
		if (w->conf.handlers[i].kind == kind)
			return &w->conf.handlers[i];
	return NULL;
}

static int call_handler(struct rpc_job *job, struct strbuf *body, struct err *e)
{
	const struct rpc_handler *h = find_handler(job->slot->w, job->kind);
	int rc;

	if (!h)
		return err_set(
		    e, ERR_PROTOCOL, PHASE_RPC, "this worker knows no job of kind %d", job->kind);
	if (atomic_load(&job->slot->is_cancelled))
		return err_set(
		    e, ERR_CANCELLED, PHASE_RPC, "the job was cancelled before it began");
	if (rpc_job_cancelled(job))
		return err_set(e, ERR_TIMEOUT, PHASE_RPC, "the time was up before the job began");
	rc = h->fn(job, body, e);
	if (rc && !e->code)
		err_set(e, (enum err_code)rc, PHASE_RPC, "%s failed", h->name);
	if (!rc && body->failed) {
		rc = err_set(e, ERR_TOO_LARGE, PHASE_RPC,
		    "the reply of %s is over the limit of %u bytes", h->name, WIRE_MAX_BODY);
		err_fix(e, "ask for less at once");
	}
	return rc;
}

/* Runs the job and leaves its RESULT in out. */
static void work(struct rpc_slot *s, struct rpc_job *job)
{
	struct strbuf body;
	struct err e = ERR_INIT, too_large = ERR_INIT;
	uint64_t start_us = clock_mono_us(), elapsed_us;
	int rc;

	strbuf_init(&body, WIRE_MAX_BODY);
	rc = call_handler(job, &body, &e);
	elapsed_us = clock_mono_us() - start_us;
	if (pack_result(s, job, &body, rc ? &e : NULL, elapsed_us, &too_large)) {
		/* The error's text may be what cannot be packed: say less. */
		err_set(&e, rc ? e.code : too_large.code, PHASE_RPC,
		    "the reply could not be sent (%s)",
		    err_code_name(rc ? e.code : too_large.code));
		(void)pack_result(s, job, &body, &e, elapsed_us, NULL);
	}
	s->has_result = true;
	strbuf_done(&body);
}

static void begin_job(struct rpc_slot *s, const uint8_t *job_id)
{
	uint64_t count;
	bool cancelled;

	pthread_mutex_lock(&s->w->mutex);
	s->has_job = true;
	memcpy(s->job_id, job_id, WIRE_ID_LEN);
	atomic_store(&s->is_cancelled, false);
	(void)!read(s->cancel_fd, &count, sizeof(count));
	cancelled = control_was_cancelled(s->w, job_id);
	pthread_mutex_unlock(&s->w->mutex);
	if (cancelled || atomic_load(&s->w->is_stopping))
		slot_cancel(s);
}

static void end_job(struct rpc_slot *s)
{
	pthread_mutex_lock(&s->w->mutex);
	s->has_job = false;
	pthread_mutex_unlock(&s->w->mutex);
}

static int on_job(struct rpc_slot *s, const Nlq__Envelope *env, struct err *e)
{
	ProtobufCMessage *m = NULL;
	const Nlq__Job *j;
	struct rpc_job job = {.slot = s};
	int rc = wire_unpack(&nlq__job__descriptor, env->body.data, env->body.len, &m, e);

	if (rc)
		return rc;
	j = (const Nlq__Job *)m;
	if (!env->has_request_id || !env->principal || j->job_id.len != WIRE_ID_LEN) {
		wire_free(m);
		return err_set(
		    e, ERR_PROTOCOL, PHASE_RPC, "bad message: a job without ids or principal");
	}
	job.kind = j->kind;
	memcpy(job.request_id, env->request_id.data, WIRE_ID_LEN);
	memcpy(job.job_id, j->job_id.data, WIRE_ID_LEN);
	job.attempt = j->attempt;
	job.body = j->body.data;
	job.len = j->body.len;
	job.deadline_ms = clock_mono_ms() + env->time_left_ms;
	job.uid = env->principal->uid;
	job.principal = env->principal->name;
	job.budget_rows = env->budget ? env->budget->rows : 0;
	job.budget_query_ms = env->budget ? env->budget->query_ms : 0;
	begin_job(s, job.job_id);
	work(s, &job);
	end_job(s);
	wire_free(m);
	return 0;
}

static void on_answer(struct rpc_slot *s, nng_msg *msg)
{
	Nlq__Envelope *env = NULL;
	struct err e = ERR_INIT;
	int rc = envelope_unpack(nng_msg_body(msg), nng_msg_len(msg), &env, &e);

	s->has_result = false; /* whatever the answer is, it was received */
	if (!rc && env->kind == NLQ__KIND__JOB)
		rc = on_job(s, env, &e);
	else if (!rc && env->kind == NLQ__KIND__FAILED && env->error)
		wire_error_to_err(&e, env->error), rc = e.code;
	else if (!rc && env->kind != NLQ__KIND__IDLE)
		rc = err_set(
		    &e, ERR_PROTOCOL, PHASE_RPC, "a slot got a message of kind %d", env->kind);
	envelope_free(env);
	nng_msg_free(msg);
	if (rc) {
		log_warn("slot %u: %s", s->number, e.text);
		worker_pause(s->w, ODD_ANSWER_PAUSE_MS);
	}
}

/* How long to wait for a connection. A dialer can be stuck in the backlog of a
 * listener that has died, so it is started anew, with growing patience. */
static uint32_t connect_ms(const struct rpc_slot *s)
{
	if (atomic_load(&s->w->is_draining))
		return DRAIN_SEND_MS;
	return WORKER_CONNECT_MS << (s->n_unsent < 4 ? s->n_unsent : 4);
}

/* Whoever listens there is not whom the settings name. */
static void distrust(struct rpc_slot *s, uint64_t uid)
{
	log_warn("slot %u: the listener on %s belongs to uid %llu, not to %llu", s->number,
	    s->w->conf.url, (unsigned long long)uid, (unsigned long long)s->w->conf.peer_uid);
	worker_pause(s->w, FOREIGNER_PAUSE_MS);
	(void)req_redial(s->req);
}

/* Says what is in out, or READY; acts on the answer. False: the slot ends. */
static bool say(struct rpc_slot *s)
{
	struct rpc_worker *w = s->w;
	nng_msg *msg = NULL;
	uint64_t uid;
	int rc;

	/* In this order: rpc_worker_drain looks at them the other way round. */
	atomic_store(&s->is_sent, false);
	if (!s->has_result && atomic_load(&w->is_draining))
		return false;
	if (!s->has_result && pack_ready(s)) {
		worker_pause(w, ODD_ANSWER_PAUSE_MS);
		return true;
	}
	rc = req_greet(s->req, connect_ms(s));
	if (rc == 0)
		rc = req_exchange(s->req, s->out.data, s->out.len, connect_ms(s),
		    w->conf.park_ms + PARK_MARGIN_MS, &msg, &s->is_sent);
	if (atomic_load(&s->is_sent)) {
		atomic_store(&s->was_ready, true);
		s->n_unsent = 0;
	} else if (rc == NNG_ETIMEDOUT) {
		s->n_unsent++;
		if (atomic_load(&w->is_draining))
			return false; /* nobody is there to take the result */
	}
	if (rc == 0)
		on_answer(s, msg);
	else if (rc == NNG_ECANCELED && req_met_foreigner(s->req, &uid))
		distrust(s, uid);
	else if (rc != NNG_ECONNRESET && rc != NNG_ECANCELED && req_redial(s->req))
		worker_pause(w, ODD_ANSWER_PAUSE_MS);
	return true;
}

void *slot_run(void *arg)
{
	struct rpc_slot *s = arg;

	while (!atomic_load(&s->w->is_stopping) && say(s))
		;
	atomic_store(&s->has_ended, true);
	return NULL;
}

void slot_cancel(struct rpc_slot *s)
{
	const uint64_t one = 1;

	atomic_store(&s->is_cancelled, true);
	(void)!write(s->cancel_fd, &one, sizeof(one));
}

bool rpc_job_cancelled(const struct rpc_job *job)
{
	return atomic_load(&job->slot->is_cancelled) || clock_mono_ms() >= job->deadline_ms;
}

int rpc_job_cancel_fd(const struct rpc_job *job)
{
	return job->slot->cancel_fd;
}
