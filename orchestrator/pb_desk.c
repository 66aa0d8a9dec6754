/* See pb_desk.h. A principal sees its own requests; root and the user that the
 * orchestrator runs as see all. */
#include "orchestrator/pb_desk.h"

#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/utf8.h"
#include "common/wire/wire.h"
#include "orchestrator/pb_call.h"
#include "orchestrator/settings.h"

#define COMPONENTS_MAX 64
#define LIST_DEFAULT 20
#define LIST_MAX 1000

static void send_message(struct rpc_exchange *x, Nlq__Kind kind, const ProtobufCMessage *m)
{
	struct strbuf body;
	struct err e = ERR_INIT;

	strbuf_init(&body, WIRE_MAX_MESSAGE);
	if (wire_pack(&body, m, &e))
		rpc_exchange_fail(x, &e);
	else
		rpc_exchange_reply(x, kind, body.data, body.len);
	strbuf_done(&body);
}

static void add_components(struct orch *o, struct arena *a, Nlq__StatusReply *m)
{
	struct dispatch_component *list = arena_new_array(
	    a, COMPONENTS_MAX, struct dispatch_component);
	size_t n = dispatch_components(o->dispatch, list, COMPONENTS_MAX);

	if (n > COMPONENTS_MAX)
		n = COMPONENTS_MAX;
	m->components = arena_new_array(a, n, Nlq__ComponentStatus *);
	for (size_t i = 0; i < n; i++) {
		Nlq__ComponentStatus *c = arena_new(a, Nlq__ComponentStatus);

		nlq__component_status__init(c);
		c->role = list[i].role;
		c->pid = list[i].pid;
		c->version = list[i].version;
		c->has_slots = c->has_busy = c->has_rss_kb = c->has_draining = 1;
		c->slots = list[i].slots;
		c->busy = list[i].busy;
		c->rss_kb = list[i].rss_kb;
		c->draining = list[i].draining;
		c->sandbox = *list[i].sandbox ? list[i].sandbox : NULL;
		m->components[m->n_components++] = c;
	}
}

static void add_sources(struct orch *o, struct arena *a, Nlq__StatusReply *m)
{
	struct catalogs_status *list;
	size_t n = catalogs_list(o->catalogs, a, &list);

	m->sources = arena_new_array(a, n, Nlq__SourceStatus *);
	for (size_t i = 0; i < n; i++) {
		Nlq__SourceStatus *s = arena_new(a, Nlq__SourceStatus);

		nlq__source_status__init(s);
		s->name = PB_STR(list[i].name);
		s->path = settings.is_private ? PB_STR(list[i].path) : NULL;
		s->has_tables = list[i].tables >= 0;
		s->tables = (uint32_t)list[i].tables;
		s->n_problems = list[i].n_problems;
		s->problems = (char **)(uintptr_t)list[i].problems;
		m->sources[m->n_sources++] = s;
	}
}

void pb_desk_status(struct orch *o, struct rpc_exchange *x)
{
	Nlq__StatusReply m = NLQ__STATUS_REPLY__INIT;
	struct dispatch_stats stats;
	struct arena arena = ARENA_INIT;

	arena_init(&arena);
	dispatch_get_stats(o->dispatch, &stats);
	m.pid = (uint32_t)getpid();
	m.version = PB_STR(NLQ_VERSION);
	m.has_uptime_ms = m.has_running = m.has_waiting = 1;
	m.uptime_ms = clock_mono_ms() - o->started_ms;
	admit_counts(o->requests, &m.running, &m.waiting);
	m.has_jobs_done = m.has_jobs_retried = m.has_heals = m.has_is_private = 1;
	m.jobs_done = stats.jobs_done;
	m.jobs_retried = stats.jobs_retried;
	m.heals = stats.heals;
	m.is_private = settings.is_private;
	add_components(o, &arena, &m);
	add_sources(o, &arena, &m);
	send_message(x, NLQ__KIND__STATUS_REPLY, &m.base);
	arena_done(&arena);
}

/* What was asked, from the kept bytes of the request's message. */
static const char *question_of(struct arena *a, const struct trace_entry *entry)
{
	const char *out = "(not kept)";
	ProtobufCMessage *m = NULL;

	if (!entry->ask)
		return out;
	if (strcmp(entry->operation, "ask") == 0) {
		if (!wire_unpack(
		        &nlq__ask_request__descriptor, entry->ask, entry->ask_len, &m, NULL))
			out = arena_strdup(a, ((Nlq__AskRequest *)m)->question);
	} else if (strcmp(entry->operation, "sql_run") == 0) {
		if (!wire_unpack(
		        &nlq__sql_run_request__descriptor, entry->ask, entry->ask_len, &m, NULL))
			out = arena_printf(a, "sql: %s", ((Nlq__SqlRunRequest *)m)->sql);
	} else if (!wire_unpack(
	               &nlq__schema_request__descriptor, entry->ask, entry->ask_len, &m, NULL)) {
		const Nlq__SchemaRequest *q = (const Nlq__SchemaRequest *)m;

		out = arena_printf(a, "schema %s %s", q->action, q->name ? q->name : "");
	}
	wire_free(m);
	return out;
}

static Nlq__TraceEntry *entry_message(struct arena *a, const struct trace_entry *entry)
{
	Nlq__TraceEntry *m = arena_new(a, Nlq__TraceEntry);

	nlq__trace_entry__init(m);
	m->request_id = PB_BYTES(entry->request, 16);
	m->at_us = entry->at_us;
	m->question = PB_STR(question_of(a, entry));
	m->outcome = PB_STR(entry->outcome);
	m->has_ms = 1;
	m->ms = entry->ms;
	m->source = PB_STR(entry->source);
	m->error_class = *entry->error_class ? PB_STR(entry->error_class) : NULL;
	return m;
}

Nlq__TraceListReply *pb_trace_list(struct arena *a, const struct trace_entry *entries, size_t n)
{
	Nlq__TraceListReply *m = arena_new(a, Nlq__TraceListReply);

	nlq__trace_list_reply__init(m);
	m->entries = arena_new_array(a, n, Nlq__TraceEntry *);
	for (size_t i = 0; i < n; i++)
		m->entries[m->n_entries++] = entry_message(a, &entries[i]);
	return m;
}

static Nlq__TraceSpan *span_message(struct arena *a, const struct trace_span *span)
{
	static const char *const kinds[] = {"head", "begin", "span", "end"};
	Nlq__TraceSpan *m = arena_new(a, Nlq__TraceSpan);
	const struct trace_event *ev = &span->ev;

	nlq__trace_span__init(m);
	m->seq = (uint32_t)span->seq;
	m->component = PB_STR(ev->kind == TRACE_SPAN ? ev->component : "orchestrator");
	m->operation = PB_STR(ev->kind == TRACE_SPAN || ev->kind == TRACE_BEGIN
	        ? ev->operation
	        : kinds[ev->kind & 3]);
	m->start_us = ev->kind == TRACE_END ? ev->duration_us : ev->start_us;
	m->duration_us = ev->kind == TRACE_END ? 0 : ev->duration_us;
	m->status = PB_STR(ev->kind == TRACE_BEGIN ? "began" : ev->status);
	m->detail = PB_STR(ev->detail);
	m->has_request_hash = m->has_reply_hash = m->has_chain_hash = 1;
	m->request_hash = PB_BYTES(&ev->request_hash, HASH_LEN);
	m->reply_hash = PB_BYTES(&ev->reply_hash, HASH_LEN);
	m->chain_hash = PB_BYTES(&span->chain, HASH_LEN);
	if (ev->kind == TRACE_SPAN) {
		char *hex = arena_alloc(a, 33);

		for (size_t i = 0; i < 16; i++) {
			hex[2 * i] = "0123456789abcdef"[ev->instance[i] >> 4];
			hex[2 * i + 1] = "0123456789abcdef"[ev->instance[i] & 15];
		}
		m->instance = hex;
	}
	return m;
}

Nlq__TraceShowReply *pb_trace_show(
    struct arena *a, const struct trace_detail *d, ProtobufCMessage **ret_reply)
{
	Nlq__TraceShowReply *m = arena_new(a, Nlq__TraceShowReply);

	*ret_reply = NULL;
	nlq__trace_show_reply__init(m);
	m->entry = entry_message(a, &d->entry);
	m->spans = arena_new_array(a, d->n_spans, Nlq__TraceSpan *);
	for (size_t i = 0; i < d->n_spans; i++)
		m->spans[m->n_spans++] = span_message(a, &d->spans[i]);
	if (d->entry.reply && strcmp(d->entry.operation, "ask") == 0 &&
	    wire_unpack(&nlq__ask_reply__descriptor, d->entry.reply, d->entry.reply_len, ret_reply,
	        NULL) == 0)
		m->reply = (Nlq__AskReply *)*ret_reply;
	return m;
}

static uint64_t visible_to(struct rpc_exchange *x)
{
	uint64_t uid = rpc_exchange_uid(x);

	return uid == 0 || uid == getuid() ? TRACE_ANYONE : uid;
}

void pb_desk_trace_list(struct orch *o, struct rpc_exchange *x, const ProtobufCMessage *request)
{
	const Nlq__TraceListRequest *q = (const Nlq__TraceListRequest *)request;
	uint32_t max = q->has_limit && q->limit ? q->limit : LIST_DEFAULT;
	struct trace_entry *entries = NULL;
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	size_t n = 0;

	arena_init(&arena);
	if (trace_list(&arena, trace_dir(o->trace), visible_to(x), max < LIST_MAX ? max : LIST_MAX,
	        &entries, &n, &e))
		rpc_exchange_fail(x, &e);
	else
		send_message(
		    x, NLQ__KIND__TRACE_LIST_REPLY, &pb_trace_list(&arena, entries, n)->base);
	arena_done(&arena);
}

void pb_desk_trace_show(struct orch *o, struct rpc_exchange *x, const ProtobufCMessage *request)
{
	const Nlq__TraceShowRequest *q = (const Nlq__TraceShowRequest *)request;
	struct trace_detail detail;
	ProtobufCMessage *reply = NULL;
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;

	arena_init(&arena);
	if (trace_show(&arena, trace_dir(o->trace), visible_to(x), q->request_id, &detail, &e))
		rpc_exchange_fail(x, &e);
	else
		send_message(
		    x, NLQ__KIND__TRACE_SHOW_REPLY, &pb_trace_show(&arena, &detail, &reply)->base);
	wire_free(reply);
	arena_done(&arena);
}

void pb_desk_lookup(struct orch *o, struct rpc_exchange *x, const uint8_t key[16])
{
	struct trace_detail detail;
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;

	arena_init(&arena);
	if (!trace_lookup(&arena, trace_dir(o->trace), rpc_exchange_uid(x), key, &detail, &e)) {
		if (detail.entry.reply && strcmp(detail.entry.operation, "ask") == 0) {
			rpc_exchange_reply(
			    x, NLQ__KIND__ASK_REPLY, detail.entry.reply, detail.entry.reply_len);
			arena_done(&arena);
			return;
		}
		err_set(&e, ERR_UNAVAILABLE, PHASE_REQUEST, "the request ended as %s (%s)",
		    detail.entry.outcome,
		    *detail.entry.error_class ? detail.entry.error_class : "no error");
		err_fix(&e, "ask again");
		e.retry = true;
	}
	rpc_exchange_fail(x, &e);
	arena_done(&arena);
}
