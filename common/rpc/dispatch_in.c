/*
 * What agents say: READY, RESULT, NEED, POLL. Runs on nng's threads: decode,
 * then act under the mutex. Everything that comes in is checked against what is
 * known of the pipe; a message that does not fit is answered with an error and
 * changes nothing.
 */
#include <string.h>

#include "common/base/clock.h"
#include "common/rpc/dispatch_impl.h"
#include "common/rpc/envelope.h"

/* A decoded message and where it came from. */
struct incoming {
	struct role *role;
	struct listener_call *call;
	const Nlq__Envelope *env;
};

static void refuse(struct incoming *in, const struct err *e)
{
	dispatch_answer(in->role->d, in->call, envelope_failed(e));
}

/* The slot that speaks, made known if it is new. NULL: its pipe or process is
 * gone, and the call is ended. */
static struct slot *slot_of(struct incoming *in, const Nlq__Ready *ready)
{
	struct dispatch *d = in->role->d;
	struct pipe *p = pipe_find(d, in->call->pipe);
	struct instance *inst;
	struct slot *s = NULL;
	struct err e = ERR_INIT;

	if (!p || p->is_dead) {
		dispatch_answer(d, in->call, NULL);
		return NULL;
	}
	if (ready->role != in->role->id) {
		err_set(&e, ERR_PROTOCOL, PHASE_RPC, "this is the socket of %s",
		    dispatch_role_name(in->role->id));
		refuse(in, &e);
		return NULL;
	}
	inst = instance_get(in->role, p, &ready->instance, &e);
	if (inst && ready->draining)
		control_drain(inst);
	if (inst)
		s = slot_get(inst, ready->slot, &e);
	if (!s) {
		refuse(in, &e);
		return NULL;
	}
	instance_set_held(inst, ready->n_held, ready->held);
	return s;
}

/* The slot asks for work, whatever we thought that it did. */
static void on_ready(struct incoming *in, const Nlq__Ready *ready)
{
	struct dispatch *d = in->role->d;
	struct slot *s = slot_of(in, ready);

	if (!s)
		return;
	if (s->state == SLOT_PARKED) {
		struct listener_call *old = s->call;

		slot_unpark(s);
		dispatch_answer(d, old, NULL);
	} else if (s->job) {
		struct job *j = s->job;

		s->state = SLOT_BETWEEN;
		job_lost(d, j, false, "never got it");
	}
	slot_park(s, in->call->pipe, in->call);
}

static void finish(struct incoming *in, struct job *j, const Nlq__Result *m)
{
	struct dispatch *d = in->role->d;
	struct err e = ERR_INIT;

	if (m->ready->instance.len == WIRE_ID_LEN)
		memcpy(j->reply->instance, m->ready->instance.data, WIRE_ID_LEN);
	if (in->env->error) {
		wire_error_to_err(&e, in->env->error);
		job_fail(d, j, &e);
		return;
	}
	strbuf_add(&j->reply->body, m->body.data, m->body.len);
	if (j->reply->body.failed) {
		err_set(&e, ERR_TOO_LARGE, PHASE_RPC, "a reply of %zu bytes is over the limit",
		    m->body.len);
		job_fail(d, j, &e);
		return;
	}
	job_end(d, j, 0);
}

/* Whether the slot has this very attempt of the job in hand. */
static bool is_in_hand(const struct slot *s, const struct job *j, const ProtobufCBinaryData *job_id)
{
	return s && s->job == j && memcmp(s->job_id, job_id->data, WIRE_ID_LEN) == 0;
}

/* The open job that the result decides, or NULL. The first success wins, whichever
 * attempt it comes from; a failure counts only from the attempt that is in hand,
 * because one that was called off fails for that reason. */
static struct job *job_decided(struct incoming *in, const Nlq__Result *m, const struct slot *s)
{
	struct dispatch *d = in->role->d;
	struct job *j;

	if (m->job_id.len != WIRE_ID_LEN || memcmp(m->job_id.data, d->boot, sizeof(d->boot)) != 0) {
		d->stats.foreign_results++;
		return NULL;
	}
	j = job_find(in->role, m->job_id.data);
	if (j && (!in->env->error || is_in_hand(s, j, &m->job_id)))
		return j;
	if (!(s && s->is_cancelled && memcmp(s->job_id, m->job_id.data, WIRE_ID_LEN) == 0))
		d->stats.late_results++;
	return NULL;
}

/* Counts also when its pipe has been removed already. */
static void on_result(struct incoming *in, const Nlq__Result *m)
{
	struct slot *s = slot_find(in->role, m->ready);
	struct job *j = job_decided(in, m, s);

	if (j && s && j->slot == s) {
		/* Not BUSY any more, so that job_end orders nothing. */
		s->state = SLOT_BETWEEN;
		s->due_ms = clock_mono_ms() + BETWEEN_MS;
		timer_at(in->role->d, s->due_ms);
	}
	if (j)
		finish(in, j, m);
	on_ready(in, m->ready);
}

/* The slot's own job, as the job id that it gives must say; NULL if that is over. */
static struct job *job_in_hand(struct slot *s, const ProtobufCBinaryData *job_id)
{
	if (!s || !s->job || job_id->len != WIRE_ID_LEN ||
	    memcmp(s->job_id, job_id->data, WIRE_ID_LEN) != 0)
		return NULL;
	return s->job;
}

/* A piece of a snapshot; asking for it shows life, so the lease starts anew. The
 * copying happens without the mutex. */
static void on_need(struct incoming *in, const Nlq__Need *m)
{
	struct dispatch *d = in->role->d;
	struct slot *s = slot_find(in->role, m->ready);
	struct job *j = job_in_hand(s, &m->job_id);
	struct published *p = j ? published_ref(d, &m->hash) : NULL;
	struct err e = ERR_INIT;
	nng_msg *chunk;

	if (j) {
		if (j->r->lease_ms)
			j->lease_due_ms = clock_mono_ms() + j->r->lease_ms;
		s->pipe = in->call->pipe;
		s->state = SLOT_BUSY;
	}
	if (!p) {
		if (j)
			err_set(
			    &e, ERR_NOT_FOUND, PHASE_RPC, "the orchestrator has no such snapshot");
		else
			err_set(&e, ERR_CANCELLED, PHASE_RPC, "the job is not wanted any more");
		refuse(in, &e);
		return;
	}
	dispatch_unlock(d);
	chunk = published_chunk(p, m->offset);
	listener_reply(in->call, chunk);
	dispatch_lock(d);
	published_unref(p);
}

static void on_poll(struct incoming *in, const Nlq__Poll *m)
{
	struct dispatch *d = in->role->d;
	struct pipe *p = pipe_find(d, in->call->pipe);
	struct instance *inst;
	struct err e = ERR_INIT;

	if (!p || p->is_dead) {
		dispatch_answer(d, in->call, NULL);
		return;
	}
	if (m->role != in->role->id) {
		err_set(&e, ERR_PROTOCOL, PHASE_RPC, "this is the socket of %s",
		    dispatch_role_name(in->role->id));
		refuse(in, &e);
		return;
	}
	inst = instance_get(in->role, p, &m->instance, &e);
	if (inst)
		control_poll(inst, in->call, m);
	else
		refuse(in, &e);
}

static const ProtobufCMessageDescriptor *descriptor_of(Nlq__Kind kind)
{
	switch (kind) {
	case NLQ__KIND__READY: return &nlq__ready__descriptor;
	case NLQ__KIND__RESULT: return &nlq__result__descriptor;
	case NLQ__KIND__NEED: return &nlq__need__descriptor;
	case NLQ__KIND__POLL: return &nlq__poll__descriptor;
	default: return NULL;
	}
}

static void act(struct incoming *in, const ProtobufCMessage *m)
{
	switch (in->env->kind) {
	case NLQ__KIND__READY: on_ready(in, (const Nlq__Ready *)m); break;
	case NLQ__KIND__RESULT: on_result(in, (const Nlq__Result *)m); break;
	case NLQ__KIND__NEED: on_need(in, (const Nlq__Need *)m); break;
	default: on_poll(in, (const Nlq__Poll *)m); break;
	}
}

void dispatch_on_message(struct listener_call *c, const Nlq__Envelope *env, void *arg)
{
	struct incoming in = {arg, c, env};
	struct dispatch *d = in.role->d;
	const ProtobufCMessageDescriptor *desc = descriptor_of(env->kind);
	ProtobufCMessage *m = NULL;
	struct err e = ERR_INIT;
	int rc;

	if (desc)
		rc = wire_unpack(desc, env->body.data, env->body.len, &m, &e);
	else
		rc = err_set(&e, ERR_PROTOCOL, PHASE_RPC, "a message of kind %d has no place here",
		    env->kind);
	dispatch_lock(d);
	if (d->closing)
		dispatch_answer(d, c, NULL);
	else if (rc)
		refuse(&in, &e);
	else
		act(&in, m);
	dispatch_unlock(d);
	wire_free(m);
}
