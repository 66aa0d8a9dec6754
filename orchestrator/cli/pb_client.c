/* See pb_client.h: questions and queries. */
#include "orchestrator/cli/pb_client.h"

#include <stdio.h>
#include <string.h>

#include "client.pb-c.h"
#include "orchestrator/cli/pb_read.h"

#define CALL_MS 30000     /* anything but a request of its own */
#define REQUEST_MS 660000 /* the orchestrator ends a request long before */
#define LOOKUP_WAIT_MS 2000

int pb_client_call(struct rpc_client *c, Nlq__Kind kind, const ProtobufCMessage *request,
    uint32_t timeout_ms, Nlq__Kind *ret_kind, struct strbuf *ret_body, struct err *e)
{
	struct strbuf body;
	int rc = 0;

	strbuf_init(&body, WIRE_MAX_MESSAGE);
	if (request)
		rc = wire_pack(&body, request, e);
	if (!rc)
		rc = rpc_client_call(
		    c, kind, body.data, body.len, timeout_ms, ret_kind, ret_body, e);
	strbuf_done(&body);
	return rc;
}

int pb_client_get(struct rpc_client *c, Nlq__Kind kind, const ProtobufCMessage *request,
    uint32_t timeout_ms, Nlq__Kind want, const ProtobufCMessageDescriptor *d,
    ProtobufCMessage **ret_reply, struct err *e)
{
	struct strbuf body;
	Nlq__Kind got;
	int rc;

	strbuf_init(&body, WIRE_MAX_MESSAGE);
	rc = pb_client_call(c, kind, request, timeout_ms, &got, &body, e);
	if (!rc && got != want)
		rc = err_set(e, ERR_PROTOCOL, PHASE_RPC, "an answer of kind %d instead of %d",
		    (int)got, (int)want);
	if (!rc && d)
		rc = wire_unpack(d, body.data, body.len, ret_reply, e);
	strbuf_done(&body);
	return rc;
}

static int read_reply(
    const struct strbuf *body, struct arena *a, struct answer *ret_answer, struct err *e)
{
	ProtobufCMessage *m = NULL;
	int rc = wire_unpack(&nlq__ask_reply__descriptor, body->data, body->len, &m, e);

	if (!rc)
		rc = pb_read_answer((const Nlq__AskReply *)m, a, ret_answer, e);
	wire_free(m);
	return rc;
}

/* Long polls until the end, telling what happens meanwhile. */
static int follow(struct rpc_client *c, const struct ask_options *o, const uint8_t id[16],
    struct arena *a, struct answer *ret_answer, struct err *e)
{
	Nlq__NextEvent next = NLQ__NEXT_EVENT__INIT;
	bool is_over = false;
	int rc = 0;

	next.request_id = (ProtobufCBinaryData){16, (uint8_t *)(uintptr_t)id};
	while (!rc && !is_over) {
		ProtobufCMessage *m = NULL;
		const Nlq__Events *events;

		rc = pb_client_get(c, NLQ__KIND__NEXT_EVENT, &next.base, REQUEST_MS,
		    NLQ__KIND__EVENTS, &nlq__events__descriptor, &m, e);
		if (rc)
			break;
		events = (const Nlq__Events *)m;
		for (size_t i = 0; i < events->n_events; i++) {
			const Nlq__Event *ev = events->events[i];

			if (o->progress)
				o->progress(o->arg, ev->step, ev->text ? ev->text : "");
			if (ev->seq > next.after)
				next.after = ev->seq;
		}
		if (events->reply) {
			is_over = true;
			rc = pb_read_answer(events->reply, a, ret_answer, e);
		}
		wire_free(m);
	}
	return rc;
}

static int finish(struct rpc_client *c, const struct ask_options *o, Nlq__Kind kind,
    const struct strbuf *body, struct arena *a, struct answer *ret_answer, struct err *e)
{
	ProtobufCMessage *m = NULL;
	uint8_t id[16];
	int rc;

	if (kind == NLQ__KIND__ASK_REPLY)
		return read_reply(body, a, ret_answer, e);
	if (kind != NLQ__KIND__ASK_ACCEPTED)
		return err_set(
		    e, ERR_PROTOCOL, PHASE_RPC, "an answer of kind %d to a question", (int)kind);
	rc = wire_unpack(&nlq__ask_accepted__descriptor, body->data, body->len, &m, e);
	if (!rc && ((Nlq__AskAccepted *)m)->request_id.len != sizeof(id))
		rc = err_set(e, ERR_PROTOCOL, PHASE_RPC, "a request id of the wrong length");
	if (!rc)
		memcpy(id, ((Nlq__AskAccepted *)m)->request_id.data, sizeof(id));
	wire_free(m);
	return rc ? rc : follow(c, o, id, a, ret_answer, e);
}

/* The connection was lost: the request may have been answered all the same. */
static int look_up(const char *url, const struct ask_options *o, struct arena *a,
    struct answer *ret_answer, struct err *e)
{
	Nlq__LookupRequest m = NLQ__LOOKUP_REQUEST__INIT;
	struct rpc_client *c = NULL;
	struct strbuf body;
	Nlq__Kind kind;
	struct err ignored = ERR_INIT;
	int rc = rpc_client_open(url, LOOKUP_WAIT_MS, UINT64_MAX, &c, &ignored);

	if (rc)
		return ERR_UNAVAILABLE; /* e keeps what happened first */
	m.client_key = (ProtobufCBinaryData){16, (uint8_t *)(uintptr_t)o->key};
	strbuf_init(&body, WIRE_MAX_MESSAGE);
	rc = pb_client_call(c, NLQ__KIND__LOOKUP, &m.base, CALL_MS, &kind, &body, e);
	if (!rc)
		rc = finish(c, o, kind, &body, a, ret_answer, e);
	strbuf_done(&body);
	rpc_client_close(c);
	return rc;
}

int client_ask(struct rpc_client *c, const char *url, const struct ask_options *o, struct arena *a,
    struct answer *ret_answer, struct err *e)
{
	Nlq__AskRequest m = NLQ__ASK_REQUEST__INIT;
	struct strbuf body;
	Nlq__Kind kind;
	int rc;

	m.question = PB_CLIENT_STR(o->question);
	m.source = PB_CLIENT_STR(o->source);
	m.today = PB_CLIENT_STR(o->today);
	m.has_client_key = 1;
	m.client_key = (ProtobufCBinaryData){16, (uint8_t *)(uintptr_t)o->key};
	m.has_wants_events = 1;
	m.wants_events = o->progress != NULL;
	m.n_only_tables = o->tables.n;
	m.only_tables = (char **)(uintptr_t)o->tables.items;
	m.has_floor = o->floor >= 0;
	m.floor = o->floor;
	m.has_max_rows = o->max_rows > 0;
	m.max_rows = o->max_rows;
	m.has_timeout_ms = o->timeout_ms > 0;
	m.timeout_ms = o->timeout_ms;
	strbuf_init(&body, WIRE_MAX_MESSAGE);
	rc = pb_client_call(c, NLQ__KIND__ASK, &m.base, REQUEST_MS, &kind, &body, e);
	if (!rc)
		rc = finish(c, o, kind, &body, a, ret_answer, e);
	strbuf_done(&body);
	return rc == ERR_UNAVAILABLE && e->phase == PHASE_RPC ? look_up(url, o, a, ret_answer, e)
	                                                      : rc;
}

int client_sql_run(struct rpc_client *c, const char *sql, const char *source, const uint8_t *key,
    uint32_t max_rows, uint32_t timeout_ms, char ret_id[33], struct resultset **ret_result,
    struct err *e)
{
	Nlq__SqlRunRequest m = NLQ__SQL_RUN_REQUEST__INIT;
	ProtobufCMessage *reply = NULL;
	int rc;

	m.sql = PB_CLIENT_STR(sql);
	m.source = PB_CLIENT_STR(source);
	m.has_client_key = 1;
	m.client_key = (ProtobufCBinaryData){16, (uint8_t *)(uintptr_t)key};
	m.has_max_rows = max_rows > 0;
	m.max_rows = max_rows;
	m.has_timeout_ms = timeout_ms > 0;
	m.timeout_ms = timeout_ms;
	rc = pb_client_get(c, NLQ__KIND__SQL_RUN, &m.base, REQUEST_MS, NLQ__KIND__SQL_RUN_REPLY,
	    &nlq__sql_run_reply__descriptor, &reply, e);
	if (!rc)
		rc = pb_read_result(((Nlq__SqlRunReply *)reply)->result, ret_result, e);
	if (!rc)
		pb_read_id(&((Nlq__SqlRunReply *)reply)->request_id, ret_id);
	wire_free(reply);
	return rc;
}

int client_cancel(struct rpc_client *c, const uint8_t *id, struct err *e)
{
	Nlq__CancelRequest m = NLQ__CANCEL_REQUEST__INIT;

	m.request_id = (ProtobufCBinaryData){16, (uint8_t *)(uintptr_t)id};
	return pb_client_get(
	    c, NLQ__KIND__CANCEL, &m.base, CALL_MS, NLQ__KIND__DONE, NULL, NULL, e);
}

int client_add_source(
    struct rpc_client *c, const char *name, const char *path, const char *semantic, struct err *e)
{
	Nlq__AddSourceRequest m = NLQ__ADD_SOURCE_REQUEST__INIT;

	m.name = PB_CLIENT_STR(name);
	m.path = PB_CLIENT_STR(path);
	m.semantic = PB_CLIENT_STR(semantic);
	return pb_client_get(
	    c, NLQ__KIND__ADD_SOURCE, &m.base, CALL_MS, NLQ__KIND__DONE, NULL, NULL, e);
}
