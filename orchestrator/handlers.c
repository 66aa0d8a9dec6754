/* See handlers.h. on_request runs on nng's threads: it does nothing that waits
 * for a disk or for an agent. */
#include "orchestrator/handlers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.pb-c.h"
#include "common/base/clock.h"
#include "common/wire/wire.h"
#include "orchestrator/input.h"
#include "orchestrator/pb_desk.h"
#include "orchestrator/pb_session.h"
#include "orchestrator/settings.h"

#define ID_LEN 16

static void refuse(
    struct rpc_exchange *x, struct err *e, enum err_code code, const char *text, const char *fix)
{
	err_set(e, code, PHASE_REQUEST, "%s", text);
	err_fix(e, "%s", fix);
	rpc_exchange_fail(x, e);
}

/* Name and file of the source that the request is for. */
static int find_source(
    struct orch *o, struct arena *a, const char *name, struct session_start *start, struct err *e)
{
	return catalogs_find(o->catalogs, a, name, &start->source, &start->path, e);
}

static int check_ask(const Nlq__AskRequest *m, struct err *e)
{
	int rc = input_check_question(m->question, strlen(m->question), e);

	if (!rc && m->today)
		rc = input_check_date(m->today, e);
	if (!rc && m->has_client_key && m->client_key.len != ID_LEN)
		rc = err_set(e, ERR_BAD_INPUT, PHASE_REQUEST, "a client key has %d bytes", ID_LEN);
	if (!rc && m->has_floor && !(m->floor >= 0 && m->floor <= 1)) {
		rc = err_set(
		    e, ERR_BAD_INPUT, PHASE_REQUEST, "the confidence floor is not within 0..1");
		err_fix(e, "give a number such as 0.6");
	}
	if (!rc && m->n_only_tables > 64)
		rc = err_set(e, ERR_TOO_LARGE, PHASE_REQUEST, "at most 64 tables can be named");
	return rc;
}

static uint32_t timeout_of(bool has, uint32_t asked)
{
	return has && asked && asked < settings.request_ms ? asked : settings.request_ms;
}

/* Unpacks the body, checks it, and begins a session of it. */
static void begin(struct orch *o, struct rpc_exchange *x, const Nlq__Envelope *env)
{
	struct session_start start = {
	    .kind = env->kind, .bytes = env->body.data, .len = env->body.len};
	const ProtobufCMessageDescriptor *d = env->kind == NLQ__KIND__ASK
	    ? &nlq__ask_request__descriptor
	    : env->kind == NLQ__KIND__SQL_RUN ? &nlq__sql_run_request__descriptor
	                                      : &nlq__schema_request__descriptor;
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	const char *source = NULL;
	int rc = wire_unpack(d, env->body.data, env->body.len, &start.message, &e);

	if (!rc && env->kind == NLQ__KIND__ASK) {
		const Nlq__AskRequest *m = (const Nlq__AskRequest *)start.message;

		rc = check_ask(m, &e);
		source = m->source;
		start.operation = "ask";
		start.client_key = m->has_client_key ? m->client_key.data : NULL;
		start.wants_events = m->wants_events;
		start.timeout_ms = timeout_of(m->has_timeout_ms, m->timeout_ms);
	} else if (!rc && env->kind == NLQ__KIND__SQL_RUN) {
		const Nlq__SqlRunRequest *m = (const Nlq__SqlRunRequest *)start.message;

		rc = input_check_sql(m->sql, strlen(m->sql), &e);
		if (!rc && m->has_client_key && m->client_key.len != ID_LEN)
			rc = err_set(
			    &e, ERR_BAD_INPUT, PHASE_REQUEST, "a client key has %d bytes", ID_LEN);
		source = m->source;
		start.operation = "sql_run";
		start.client_key = m->has_client_key ? m->client_key.data : NULL;
		/* The query's own limit is enforced by the executor; this is the outer wall. */
		start.timeout_ms = settings.request_ms;
	} else if (!rc) {
		const Nlq__SchemaRequest *m = (const Nlq__SchemaRequest *)start.message;
		bool needs_name = strcmp(m->action, "list") != 0;

		if (needs_name && strcmp(m->action, "show") != 0 &&
		    strcmp(m->action, "search") != 0)
			rc = err_set(
			    &e, ERR_BAD_INPUT, PHASE_REQUEST, "schema knows list, show and search");
		else if (needs_name && !m->name)
			rc = err_set(
			    &e, ERR_BAD_INPUT, PHASE_REQUEST, "schema %s needs a name", m->action);
		else if (needs_name)
			rc = input_check_question(m->name, strlen(m->name), &e);
		source = m->source;
		start.operation = "schema";
		start.timeout_ms = settings.request_ms;
	}
	arena_init(&arena);
	if (!rc)
		rc = find_source(o, &arena, source, &start, &e);
	if (rc) {
		wire_free(start.message);
		rpc_exchange_fail(x, &e);
	} else {
		session_begin(o->sessions, x, &start);
	}
	arena_done(&arena);
}

static void on_next_event(struct orch *o, struct rpc_exchange *x, const ProtobufCMessage *message)
{
	const Nlq__NextEvent *m = (const Nlq__NextEvent *)message;
	struct err e = ERR_INIT;

	if (m->request_id.len != ID_LEN)
		refuse(x, &e, ERR_BAD_INPUT, "a request id has 16 bytes", "");
	else
		session_next_event(o->sessions, x, m->request_id.data, m->after);
}

static void on_cancel(struct orch *o, struct rpc_exchange *x, const ProtobufCMessage *message)
{
	const Nlq__CancelRequest *m = (const Nlq__CancelRequest *)message;
	struct err e = ERR_INIT;

	if (m->request_id.len != ID_LEN)
		refuse(x, &e, ERR_BAD_INPUT, "a request id has 16 bytes", "");
	else
		session_cancel(o->sessions, x, m->request_id.data);
}

static void on_add_source(struct orch *o, struct rpc_exchange *x, const ProtobufCMessage *message)
{
	const Nlq__AddSourceRequest *m = (const Nlq__AddSourceRequest *)message;
	const char *semantic = m->semantic ? m->semantic : "";
	struct err e = ERR_INIT;

	if (!settings.is_private)
		refuse(x, &e, ERR_DENIED, "sources of this server are set in its configuration",
		    "use --source NAME; nlq status lists them");
	else if (!settings_is_source_name(m->name))
		refuse(x, &e, ERR_BAD_INPUT, "a source's name has letters, digits, _ - and .", "");
	else if (*m->path != '/' || (*semantic && *semantic != '/') || strlen(m->path) > 4000)
		refuse(x, &e, ERR_BAD_INPUT,
		    "paths of a source start with / and have up to 4000 bytes", "");
	else if (catalogs_add(o->catalogs, m->name, m->path, semantic, &e))
		rpc_exchange_fail(x, &e);
	else
		rpc_exchange_reply(x, NLQ__KIND__DONE, NULL, 0);
}

static void on_status(struct orch *o, struct rpc_exchange *x, const ProtobufCMessage *message)
{
	(void)message;
	pb_desk_status(o, x);
}

/* Messages that are unpacked and answered at once. */
static const struct {
	Nlq__Kind kind;
	const ProtobufCMessageDescriptor *descriptor; /* NULL: no body */
	void (*fn)(struct orch *o, struct rpc_exchange *x, const ProtobufCMessage *m);
} quick[] = {
    {NLQ__KIND__NEXT_EVENT, &nlq__next_event__descriptor, on_next_event},
    {NLQ__KIND__CANCEL, &nlq__cancel_request__descriptor, on_cancel},
    {NLQ__KIND__ADD_SOURCE, &nlq__add_source_request__descriptor, on_add_source},
    {NLQ__KIND__STATUS, NULL, on_status},
};

static void answer_quick(struct orch *o, struct rpc_exchange *x, const Nlq__Envelope *env, size_t i)
{
	ProtobufCMessage *m = NULL;
	struct err e = ERR_INIT;

	if (quick[i].descriptor &&
	    wire_unpack(quick[i].descriptor, env->body.data, env->body.len, &m, &e))
		rpc_exchange_fail(x, &e);
	else
		quick[i].fn(o, x, m);
	wire_free(m);
}

/* --- the desk ------------------------------------------------------------------ */

struct desk_item {
	struct rpc_exchange *x;
	Nlq__Kind kind;
	uint32_t uid;
	ProtobufCMessage *message;
};

static void to_desk(struct orch *o, struct rpc_exchange *x, const Nlq__Envelope *env,
    const ProtobufCMessageDescriptor *d)
{
	struct desk_item *item = calloc(1, sizeof(*item));
	struct err e = ERR_INIT;
	int rc = item ? wire_unpack(d, env->body.data, env->body.len, &item->message, &e)
	              : err_set(&e, ERR_NOMEM, PHASE_REQUEST, "out of memory");

	if (!rc && env->kind == NLQ__KIND__LOOKUP) {
		const Nlq__LookupRequest *m = (const Nlq__LookupRequest *)item->message;

		if (m->client_key.len != ID_LEN)
			rc = err_set(
			    &e, ERR_BAD_INPUT, PHASE_REQUEST, "a client key has %d bytes", ID_LEN);
	}
	if (!rc) {
		item->x = x;
		item->kind = env->kind;
		item->uid = (uint32_t)rpc_exchange_uid(x);
		rc = admit_push(o->desk, item->uid, item, &e);
	}
	if (rc) {
		if (item)
			wire_free(item->message);
		free(item);
		rpc_exchange_fail(x, &e);
	}
}

void *handlers_desk_thread(void *arg)
{
	struct orch *o = arg;
	struct desk_item *item;

	while ((item = admit_take(o->desk))) {
		if (item->kind == NLQ__KIND__TRACE_LIST) {
			pb_desk_trace_list(o, item->x, item->message);
		} else if (item->kind == NLQ__KIND__TRACE_SHOW) {
			pb_desk_trace_show(o, item->x, item->message);
		} else {
			const Nlq__LookupRequest *m = (const Nlq__LookupRequest *)item->message;

			if (!session_lookup(o->sessions, item->x, m->client_key.data))
				pb_desk_lookup(o, item->x, m->client_key.data);
		}
		admit_done(o->desk, item->uid);
		wire_free(item->message);
		free(item);
	}
	return NULL;
}

void handlers_on_request(struct rpc_exchange *x, const Nlq__Envelope *env, void *arg)
{
	struct orch *o = arg;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(quick); i++) {
		if (quick[i].kind == env->kind) {
			answer_quick(o, x, env, i);
			return;
		}
	}
	switch (env->kind) {
	case NLQ__KIND__ASK:
	case NLQ__KIND__SQL_RUN:
	case NLQ__KIND__SCHEMA: begin(o, x, env); break;
	case NLQ__KIND__TRACE_LIST: to_desk(o, x, env, &nlq__trace_list_request__descriptor); break;
	case NLQ__KIND__TRACE_SHOW: to_desk(o, x, env, &nlq__trace_show_request__descriptor); break;
	case NLQ__KIND__LOOKUP: to_desk(o, x, env, &nlq__lookup_request__descriptor); break;
	default:
		err_set(&e, ERR_PROTOCOL, PHASE_REQUEST,
		    "a client may not send messages of kind %d", (int)env->kind);
		rpc_exchange_fail(x, &e);
	}
}

void handlers_on_gone(uint32_t peer, void *arg)
{
	struct orch *o = arg;

	session_peer_gone(o->sessions, peer);
}
