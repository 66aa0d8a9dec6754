/* See pb_client.h: status, schema and trace. */
#include <string.h>

#include "orchestrator/cli/pb_client.h"
#include "orchestrator/cli/pb_read.h"
#include "orchestrator/pb_desk.h"

#define CALL_MS 60000

static const char *role_name(Nlq__Role role)
{
	switch (role) {
	case NLQ__ROLE__ROLE_SCHEMA: return "schema_agent";
	case NLQ__ROLE__ROLE_SQL: return "sql_agent";
	case NLQ__ROLE__ROLE_VERIFY: return "verify_agent";
	case NLQ__ROLE__ROLE_EXECUTOR: return "executor";
	default: return "other";
	}
}

static const char *text(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : "";
}

int client_status(struct rpc_client *c, struct arena *a, struct status *ret_status, struct err *e)
{
	ProtobufCMessage *reply = NULL;
	struct status s = {0};
	int rc = pb_client_get(c, NLQ__KIND__STATUS, NULL, CALL_MS, NLQ__KIND__STATUS_REPLY,
	    &nlq__status_reply__descriptor, &reply, e);
	const Nlq__StatusReply *m = (const Nlq__StatusReply *)reply;

	if (rc)
		return rc;
	s.pid = m->pid;
	s.running = m->running;
	s.waiting = m->waiting;
	s.version = arena_strdup(a, m->version);
	s.uptime_ms = m->uptime_ms;
	s.jobs_done = m->jobs_done;
	s.jobs_retried = m->jobs_retried;
	s.heals = m->heals;
	s.is_private = m->is_private;
	s.components = arena_new_array(a, m->n_components, struct status_component);
	for (size_t i = 0; i < m->n_components; i++) {
		const Nlq__ComponentStatus *from = m->components[i];

		s.components[i] = (struct status_component){role_name(from->role),
		    arena_strdup(a, from->version), text(a, from->sandbox), from->pid, from->slots,
		    from->busy, from->rss_kb, from->draining};
	}
	s.n_components = m->n_components;
	s.sources = arena_new_array(a, m->n_sources, struct status_source);
	for (size_t i = 0; i < m->n_sources; i++) {
		const Nlq__SourceStatus *from = m->sources[i];

		s.sources[i] = (struct status_source){arena_strdup(a, from->name),
		    text(a, from->path), from->has_tables ? (int)from->tables : -1,
		    pb_read_names(a, from->problems, from->n_problems)};
	}
	s.n_sources = m->n_sources;
	*ret_status = s;
	wire_free(reply);
	return 0;
}

int client_schema(struct rpc_client *c, struct arena *a, const char *action, const char *source,
    const char *name, struct schema_row **ret_rows, size_t *ret_n, struct err *e)
{
	Nlq__SchemaRequest q = NLQ__SCHEMA_REQUEST__INIT;
	ProtobufCMessage *reply = NULL;
	const Nlq__SchemaReply *m;
	struct schema_row *rows;
	int rc;

	q.action = PB_CLIENT_STR(action);
	q.source = PB_CLIENT_STR(source);
	q.name = PB_CLIENT_STR(name);
	rc = pb_client_get(c, NLQ__KIND__SCHEMA, &q.base, CALL_MS, NLQ__KIND__SCHEMA_REPLY,
	    &nlq__schema_reply__descriptor, &reply, e);
	if (rc)
		return rc;
	m = (const Nlq__SchemaReply *)reply;
	rows = arena_new_array(a, m->n_rows, struct schema_row);
	for (size_t i = 0; i < m->n_rows; i++) {
		const Nlq__SchemaRow *from = m->rows[i];

		rows[i] = (struct schema_row){arena_strdup(a, from->table), text(a, from->column),
		    text(a, from->type), text(a, from->label), text(a, from->unit),
		    text(a, from->note), from->has_n_rows ? from->n_rows : -1, from->score};
	}
	*ret_rows = rows;
	*ret_n = m->n_rows;
	wire_free(reply);
	return 0;
}

static struct trace_line read_entry(struct arena *a, const Nlq__TraceEntry *m)
{
	struct trace_line line = {.at_us = m->at_us,
	    .question = arena_strdup(a, m->question),
	    .outcome = arena_strdup(a, m->outcome),
	    .source = text(a, m->source),
	    .error_class = text(a, m->error_class),
	    .ms = m->ms};

	pb_read_id(&m->request_id, line.id);
	return line;
}

static void read_entries(
    struct arena *a, const Nlq__TraceListReply *m, struct trace_line **ret_lines, size_t *ret_n)
{
	*ret_lines = arena_new_array(a, m->n_entries, struct trace_line);
	for (size_t i = 0; i < m->n_entries; i++)
		(*ret_lines)[i] = read_entry(a, m->entries[i]);
	*ret_n = m->n_entries;
}

int client_trace_list(struct rpc_client *c, const char *dir, struct arena *a, uint32_t limit,
    struct trace_line **ret_lines, size_t *ret_n, struct err *e)
{
	Nlq__TraceListRequest q = NLQ__TRACE_LIST_REQUEST__INIT;
	ProtobufCMessage *reply = NULL;
	int rc;

	if (!c) {
		struct trace_entry *entries = NULL;
		size_t n = 0;

		rc = trace_list(a, dir, TRACE_ANYONE, limit ? limit : 20, &entries, &n, e);
		if (!rc)
			read_entries(a, pb_trace_list(a, entries, n), ret_lines, ret_n);
		return rc;
	}
	q.has_limit = limit > 0;
	q.limit = limit;
	rc = pb_client_get(c, NLQ__KIND__TRACE_LIST, &q.base, CALL_MS, NLQ__KIND__TRACE_LIST_REPLY,
	    &nlq__trace_list_reply__descriptor, &reply, e);
	if (!rc)
		read_entries(a, (const Nlq__TraceListReply *)reply, ret_lines, ret_n);
	wire_free(reply);
	return rc;
}

static void hex_of(const ProtobufCBinaryData *from, bool has, char out[65])
{
	struct hash h;

	out[0] = '\0';
	if (!has || from->len != HASH_LEN)
		return;
	memcpy(&h, from->data, HASH_LEN);
	hash_hex(&h, out);
}

static int read_show(struct arena *a, const Nlq__TraceShowReply *m, struct trace_line *ret_line,
    struct trace_span_line **ret_spans, size_t *ret_n, struct answer *ret_answer,
    bool *ret_has_answer, struct err *e)
{
	*ret_line = read_entry(a, m->entry);
	*ret_spans = arena_new_array(a, m->n_spans, struct trace_span_line);
	for (size_t i = 0; i < m->n_spans; i++) {
		const Nlq__TraceSpan *from = m->spans[i];
		struct trace_span_line *to = &(*ret_spans)[i];

		to->seq = from->seq;
		to->component = arena_strdup(a, from->component);
		to->operation = arena_strdup(a, from->operation);
		to->status = arena_strdup(a, from->status);
		to->detail = text(a, from->detail);
		to->instance = text(a, from->instance);
		to->start_ms = (double)from->start_us / 1000;
		to->ms = (double)from->duration_us / 1000;
		hex_of(&from->request_hash, from->has_request_hash, to->request_hash);
		hex_of(&from->reply_hash, from->has_reply_hash, to->reply_hash);
		hex_of(&from->chain_hash, from->has_chain_hash, to->chain_hash);
	}
	*ret_n = m->n_spans;
	*ret_has_answer = m->reply != NULL;
	return m->reply ? pb_read_answer(m->reply, a, ret_answer, e) : 0;
}

int client_trace_show(struct rpc_client *c, const char *dir, struct arena *a, const char *id,
    struct trace_line *ret_line, struct trace_span_line **ret_spans, size_t *ret_n,
    struct answer *ret_answer, bool *ret_has_answer, struct err *e)
{
	Nlq__TraceShowRequest q = NLQ__TRACE_SHOW_REQUEST__INIT;
	ProtobufCMessage *reply = NULL;
	int rc;

	if (!c) {
		struct trace_detail detail;
		Nlq__TraceShowReply *m;

		rc = trace_show(a, dir, TRACE_ANYONE, id, &detail, e);
		if (rc)
			return rc;
		m = pb_trace_show(a, &detail, &reply);
		rc = read_show(a, m, ret_line, ret_spans, ret_n, ret_answer, ret_has_answer, e);
		wire_free(reply);
		return rc;
	}
	q.request_id = PB_CLIENT_STR(id);
	rc = pb_client_get(c, NLQ__KIND__TRACE_SHOW, &q.base, CALL_MS, NLQ__KIND__TRACE_SHOW_REPLY,
	    &nlq__trace_show_reply__descriptor, &reply, e);
	if (!rc)
		rc = read_show(a, (const Nlq__TraceShowReply *)reply, ret_line, ret_spans, ret_n,
		    ret_answer, ret_has_answer, e);
	wire_free(reply);
	return rc;
}
