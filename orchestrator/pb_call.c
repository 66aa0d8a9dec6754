/* See pb_call.h. The source's limit counts what touches the database, so only
 * the executor's jobs carry the source's tag. */
#include "orchestrator/pb_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

struct agent_kept {
	struct agent_kept *next;
	ProtobufCMessage *message;
};

void agents_done(struct call_ctx *x)
{
	for (struct agent_kept *k = x->kept; k; k = k->next)
		wire_free(k->message);
	x->kept = NULL;
}

void pb_keep(struct call_ctx *x, ProtobufCMessage *m)
{
	struct agent_kept *k = arena_new(x->arena, struct agent_kept);

	k->message = m;
	k->next = x->kept;
	x->kept = k;
}

struct semantic_names pb_names(struct arena *a, char **items, size_t n)
{
	struct semantic_names names = {arena_new_array(a, n, const char *), n};

	for (size_t i = 0; i < n; i++)
		names.items[i] = items[i];
	return names;
}

int pb_hash(const ProtobufCBinaryData *from, struct hash *ret_hash, struct err *e)
{
	if (from->len != HASH_LEN)
		return err_set(e, ERR_PROTOCOL, PHASE_RPC, "a hash of %zu bytes", from->len);
	memcpy(ret_hash->bytes, from->data, HASH_LEN);
	return 0;
}

static int dispatch_it(struct call_ctx *x, const struct pb_op *op, const struct strbuf *body,
    const struct hash *prefer, struct dispatch_reply *reply, struct err *e)
{
	struct dispatch_request r = {
	    .role = op->role,
	    .kind = op->kind,
	    .uid = x->uid,
	    .principal = x->principal,
	    .source = op->role == NLQ__ROLE__ROLE_EXECUTOR ? x->source : NULL,
	    .body = body->data,
	    .len = body->len,
	    .lease_ms = op->lease_ms ? op->lease_ms : x->query_ms + 1000,
	    .deadline_ms = x->deadline_ms,
	    .retries = op->retries,
	    .budget_rows = x->rows,
	    .budget_query_ms = x->query_ms,
	    .prefer = prefer,
	};

	memcpy(r.request_id, x->request, sizeof(r.request_id));
	return dispatch_call(x->dispatch, &r, reply, e);
}

int pb_call(struct call_ctx *x, const struct pb_op *op, const ProtobufCMessage *request,
    const struct hash *prefer, const ProtobufCBinaryData *(*digest_of)(const ProtobufCMessage *),
    ProtobufCMessage **ret_reply, struct err *e)
{
	struct strbuf body;
	struct dispatch_reply reply = {0};
	struct trace_event ev = TRACE_EVENT_INIT;
	ProtobufCMessage *m = NULL;
	uint64_t start_us = clock_mono_us();
	char detail[128];
	int rc;

	strbuf_init(&body, WIRE_MAX_MESSAGE);
	strbuf_init(&reply.body, WIRE_MAX_MESSAGE);
	rc = wire_pack(&body, request, e);
	if (!rc)
		rc = dispatch_it(x, op, &body, prefer, &reply, e);
	if (!rc)
		rc = wire_unpack(op->reply, reply.body.data, reply.body.len, &m, e);
	if (rc && e->phase == PHASE_NONE)
		e->phase = op->phase;

	ev.kind = TRACE_SPAN;
	memcpy(ev.request, x->request, sizeof(ev.request));
	memcpy(ev.instance, reply.instance, sizeof(ev.instance));
	ev.at_us = clock_wall_us();
	ev.uid = x->uid;
	ev.component = op->component;
	ev.operation = op->name;
	ev.start_us = start_us - x->began_us;
	ev.duration_us = clock_mono_us() - start_us;
	ev.status = rc ? err_code_name(e->code) : "ok";
	snprintf(detail, sizeof(detail), "attempts=%u queued_us=%llu worker_us=%llu",
	    reply.attempts, (unsigned long long)reply.queued_us,
	    (unsigned long long)reply.elapsed_us);
	ev.detail = detail;
	if (m && digest_of) {
		const ProtobufCBinaryData *digest = digest_of(m);

		if (digest->len == HASH_LEN)
			memcpy(&ev.digest, digest->data, HASH_LEN);
	}
	trace_put(x->trace, &ev, (struct trace_part){body.data, body.len},
	    (struct trace_part){reply.body.len ? reply.body.data : NULL, reply.body.len}, NULL,
	    NULL);

	if (m)
		pb_keep(x, m);
	if (!rc)
		*ret_reply = m;
	strbuf_done(&reply.body);
	strbuf_done(&body);
	return rc;
}
