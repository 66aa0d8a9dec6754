/* The calls of exec.proto as a worker does them: message in, domain function,
 * message out. Runs in the sealed process. */
#include <string.h>

#include "common/base/clock.h"
#include "common/model/pb_catalog.h"
#include "common/model/pb_result.h"
#include "common/wire/wire.h"
#include "exec.pb-c.h"
#include "executor/describe.h"
#include "executor/run.h"
#include "executor/sealed.h"
#include "executor/values.h"

#define VALUES_COLUMN_MS 150
#define VALUES_PER_SPAN 5
#define VALUES_PER_SPAN_MAX 50

static int pack(struct strbuf *out, const void *message, struct err *e)
{
	return wire_pack(out, message, e);
}

static uint32_t time_left(const struct sealed *s)
{
	return clock_left_ms(s->deadline_ms);
}

static int do_describe(struct sealed *s, const void *message, struct strbuf *out, struct err *e)
{
	const Nlq__DescribeRequest *q = message;
	Nlq__DescribeReply reply = NLQ__DESCRIBE_REPLY__INIT;
	struct describe_options o = {.total_ms = s->conf->describe_ms};
	struct catalog *c = NULL;
	struct arena a = ARENA_INIT;
	int rc;

	/* The profile ends early enough for the reply to be packed in time. */
	if (o.total_ms > time_left(s) * 3 / 4)
		o.total_ms = time_left(s) * 3 / 4 + 1;
	o.domain_max = q->has_domain_max ? q->domain_max : 0;
	o.column_ms = q->has_column_ms ? q->column_ms : 0;
	rc = describe_catalog(s->db.h, q->source->name, &o, &c, e);
	if (rc != 0)
		return rc;
	c->data_version = s->version;
	arena_init(&a);
	reply.catalog = pb_catalog_message(&a, c);
	rc = pack(out, &reply, e);
	arena_done(&a);
	catalog_free(c);
	return rc;
}

static int do_version(struct sealed *s, const void *message, struct strbuf *out, struct err *e)
{
	Nlq__CheckVersionReply reply = NLQ__CHECK_VERSION_REPLY__INIT;

	(void)message;
	reply.data_version.data = s->version.bytes;
	reply.data_version.len = sizeof(s->version.bytes);
	return pack(out, &reply, e);
}

static void fill_hits(struct arena *a, Nlq__FindValuesReply *reply, const struct values_result *r,
    const struct catalog *c)
{
	reply->hits = arena_new_array(a, r->n_hits, Nlq__FoundValue *);
	reply->n_hits = r->n_hits;
	for (size_t i = 0; i < r->n_hits; i++) {
		const struct values_hit *h = &r->hits[i];
		Nlq__FoundValue *m = arena_new(a, Nlq__FoundValue);

		nlq__found_value__init(m);
		m->span = h->span;
		m->table = (char *)(uintptr_t)c->tables[h->table].name;
		m->column = (char *)(uintptr_t)c->tables[h->table].columns[h->column].name;
		m->value = pb_value_message(a, &h->value);
		m->has_partial = true;
		m->partial = h->partial;
		reply->hits[i] = m;
	}
}

static int do_values(struct sealed *s, const void *message, struct strbuf *out, struct err *e)
{
	const Nlq__FindValuesRequest *q = message;
	Nlq__FindValuesReply reply = NLQ__FIND_VALUES_REPLY__INIT;
	uint32_t per_span = q->has_per_span && q->per_span > 0 ? q->per_span : VALUES_PER_SPAN;
	const struct catalog *schema;
	struct values_result r;
	struct arena a = ARENA_INIT;
	int rc = sealed_schema(s, &schema, e);

	if (rc != 0)
		return rc;
	if (per_span > VALUES_PER_SPAN_MAX)
		per_span = VALUES_PER_SPAN_MAX;
	arena_init(&a);
	values_find(&a, s->db.h, schema, (const char *const *)q->spans, q->n_spans, per_span,
	    VALUES_COLUMN_MS, s->deadline_ms, &r);
	fill_hits(&a, &reply, &r, schema);
	reply.has_cut = true;
	reply.cut = r.cut;
	rc = pack(out, &reply, e);
	arena_done(&a);
	return rc;
}

static int pack_run(struct sealed *s, const Nlq__RunRequest *q, struct resultset *r,
    const char **tables, size_t n_tables, struct strbuf *out, struct err *e)
{
	Nlq__RunReply reply = NLQ__RUN_REPLY__INIT;
	struct arena a = ARENA_INIT;
	int rc;

	arena_init(&a);
	r->data_version = s->version;
	reply.result = pb_result_message(&a, r);
	reply.has_stale = q->has_data_version;
	reply.stale = q->has_data_version &&
	    (q->data_version.len != HASH_LEN ||
	        memcmp(q->data_version.data, s->version.bytes, HASH_LEN) != 0);
	reply.tables = (char **)tables;
	reply.n_tables = n_tables;
	rc = pack(out, &reply, e);
	arena_done(&a);
	return rc;
}

static int do_run(
    struct sealed *s, const void *message, uint32_t max_rows, struct strbuf *out, struct err *e)
{
	const Nlq__RunRequest *q = message;
	const struct worker_conf *conf = s->conf;
	struct run_request r = {
	    .sql = q->sql,
	    .sql_len = strlen(q->sql),
	    .max_rows = max_rows,
	    .max_bytes = conf->result_max_bytes,
	    .cell_max_bytes = conf->cell_max_bytes,
	    .check_only = q->has_check_only && q->check_only,
	    .deadline_ms = s->deadline_ms,
	    .opcodes_max = conf->opcodes_max,
	};
	const struct catalog *schema;
	struct resultset *result = NULL;
	const char **tables;
	size_t n_tables;
	int rc = sealed_schema(s, &schema, e);

	if (rc == 0)
		rc = run_query(&s->db, schema, &r, &result, &tables, &n_tables, e);
	if (rc == 0)
		rc = pack_run(s, q, result, tables, n_tables, out, e);
	resultset_free(result);
	return rc;
}

static uint32_t row_limit(const struct sealed *s, const struct call_head *head)
{
	uint32_t n = head->max_rows;

	return n == 0 || n > s->conf->result_max_rows ? s->conf->result_max_rows : n;
}

static const ProtobufCMessageDescriptor *request_of(uint32_t kind)
{
	switch (kind) {
	case NLQ__KIND__DESCRIBE: return &nlq__describe_request__descriptor;
	case NLQ__KIND__FIND_VALUES: return &nlq__find_values_request__descriptor;
	case NLQ__KIND__RUN: return &nlq__run_request__descriptor;
	case NLQ__KIND__CHECK_VERSION: return &nlq__check_version_request__descriptor;
	default: return NULL;
	}
}

int pb_worker_call(struct sealed *s, const struct call_head *head, const void *body, size_t len,
    struct strbuf *ret_reply, struct err *e)
{
	const ProtobufCMessageDescriptor *d = request_of(head->kind);
	ProtobufCMessage *m = NULL;
	int rc;

	if (d == NULL)
		return err_set(e, ERR_PROTOCOL, PHASE_RPC, "unknown kind of call");
	rc = wire_unpack(d, body, len, &m, e);
	if (rc != 0)
		return rc;
	switch (head->kind) {
	case NLQ__KIND__DESCRIBE: rc = do_describe(s, m, ret_reply, e); break;
	case NLQ__KIND__FIND_VALUES: rc = do_values(s, m, ret_reply, e); break;
	case NLQ__KIND__RUN: rc = do_run(s, m, row_limit(s, head), ret_reply, e); break;
	default: rc = do_version(s, m, ret_reply, e); break;
	}
	wire_free(m);
	return rc;
}
