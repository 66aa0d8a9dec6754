/* The executor's operations; see agents.h. */
#include <string.h>

#include "common/model/pb_catalog.h"
#include "common/model/pb_result.h"
#include "common/model/pb_semantic.h"
#include "exec.pb-c.h"
#include "orchestrator/pb_call.h"

static const struct pb_op op_describe = {NLQ__ROLE__ROLE_EXECUTOR, NLQ__KIND__DESCRIBE, "executor",
    "describe", 30000, 1, PHASE_DESCRIBE, &nlq__describe_reply__descriptor};
static const struct pb_op op_version = {NLQ__ROLE__ROLE_EXECUTOR, NLQ__KIND__CHECK_VERSION,
    "executor", "check_version", 3000, 2, PHASE_DESCRIBE, &nlq__check_version_reply__descriptor};
static const struct pb_op op_values = {NLQ__ROLE__ROLE_EXECUTOR, NLQ__KIND__FIND_VALUES, "executor",
    "find_values", 0, 2, PHASE_GROUND, &nlq__find_values_reply__descriptor};
static const struct pb_op op_run = {NLQ__ROLE__ROLE_EXECUTOR, NLQ__KIND__RUN, "executor", "run", 0,
    2, PHASE_RUN, &nlq__run_reply__descriptor};

static Nlq__SourceRef source_ref(const struct call_ctx *x)
{
	Nlq__SourceRef ref = NLQ__SOURCE_REF__INIT;

	ref.name = PB_STR(x->source);
	ref.path = *x->path ? PB_STR(x->path) : NULL;
	return ref;
}

int agent_describe(struct call_ctx *x, struct catalog **ret_catalog, struct err *e)
{
	Nlq__DescribeRequest m = NLQ__DESCRIBE_REQUEST__INIT;
	Nlq__SourceRef ref = source_ref(x);
	ProtobufCMessage *reply = NULL;
	int rc;

	m.source = &ref;
	m.has_domain_max = m.has_column_ms = 1;
	m.domain_max = x->domain_max;
	m.column_ms = x->column_ms;
	rc = pb_call(x, &op_describe, &m.base, NULL, NULL, &reply, e);
	if (rc)
		return rc;
	return pb_catalog_read(((Nlq__DescribeReply *)reply)->catalog, ret_catalog, e);
}

int agent_check_version(struct call_ctx *x, struct hash *ret_version, struct err *e)
{
	Nlq__CheckVersionRequest m = NLQ__CHECK_VERSION_REQUEST__INIT;
	Nlq__SourceRef ref = source_ref(x);
	ProtobufCMessage *reply = NULL;
	int rc;

	m.source = &ref;
	rc = pb_call(x, &op_version, &m.base, NULL, NULL, &reply, e);
	return rc ? rc : pb_hash(&((Nlq__CheckVersionReply *)reply)->data_version, ret_version, e);
}

int agent_find_values(struct call_ctx *x, const struct semantic_names *spans,
    struct agent_hits *ret_hits, struct err *e)
{
	Nlq__FindValuesRequest m = NLQ__FIND_VALUES_REQUEST__INIT;
	Nlq__SourceRef ref = source_ref(x);
	ProtobufCMessage *reply = NULL;
	int rc;

	m.source = &ref;
	m.n_spans = spans->n;
	m.spans = (char **)(uintptr_t)spans->items;
	rc = pb_call(x, &op_values, &m.base, NULL, NULL, &reply, e);
	if (rc)
		return rc;
	ret_hits->message = reply;
	ret_hits->n = ((Nlq__FindValuesReply *)reply)->n_hits;
	return 0;
}

static const ProtobufCBinaryData *run_digest(const ProtobufCMessage *m)
{
	return &((const Nlq__RunReply *)m)->result->digest;
}

/* Every cell is NULL: in the packed form, every byte is the NULL type byte. */
static bool is_all_null(const Nlq__ResultSet *r)
{
	for (size_t i = 0; i < r->cells.len; i++) {
		if (r->cells.data[i] != VALUE_NULL)
			return false;
	}
	return r->cells.len == r->n_rows * r->n_columns;
}

int agent_run(struct call_ctx *x, const char *sql, const struct hash *data_version,
    struct agent_rows *ret_rows, struct err *e)
{
	Nlq__RunRequest m = NLQ__RUN_REQUEST__INIT;
	Nlq__SourceRef ref = source_ref(x);
	Nlq__RunReply *reply = NULL;
	struct agent_rows rows = {0};
	int rc;

	m.source = &ref;
	m.sql = PB_STR(sql);
	m.has_max_rows = 1;
	m.max_rows = x->rows;
	if (data_version) {
		m.has_data_version = 1;
		m.data_version = PB_BYTES(data_version, HASH_LEN);
	}
	rc = pb_call(x, &op_run, &m.base, NULL, run_digest, (ProtobufCMessage **)&reply, e);
	if (!rc)
		rc = pb_hash(&reply->result->digest, &rows.digest, e);
	if (!rc)
		rc = pb_hash(&reply->result->data_version, &rows.data_version, e);
	if (rc)
		return rc;
	rows.sql_shown = reply->result->sql_shown;
	rows.sql_run = reply->result->sql_run;
	rows.n_rows = reply->result->n_rows;
	rows.n_columns = reply->result->n_columns;
	rows.truncated = reply->result->truncated;
	rows.stale = reply->stale;
	rows.all_null = is_all_null(reply->result);
	rows.tables = pb_names(x->arena, reply->tables, reply->n_tables);
	rows.elapsed_us = reply->result->elapsed_us;
	rows.message = reply;
	*ret_rows = rows;
	return 0;
}

int agent_rows_read(const struct agent_rows *rows, struct resultset **ret_result, struct err *e)
{
	return pb_result_read(((const Nlq__RunReply *)rows->message)->result, ret_result, e);
}

static int publish(struct dispatch *d, struct trace *t, struct strbuf *bytes, struct hash *ret_hash)
{
	hash_bytes(bytes->data, bytes->len, ret_hash);
	dispatch_publish(d, ret_hash, bytes->data, bytes->len);
	trace_put_payload(t, ret_hash, bytes->data, bytes->len);
	return 0;
}

int agent_publish_catalog(struct dispatch *d, struct trace *t, const struct catalog *c,
    struct hash *ret_hash, struct err *e)
{
	struct strbuf bytes;
	int rc;

	strbuf_init(&bytes, WIRE_MAX_MESSAGE);
	rc = pb_catalog_pack(&bytes, c, e);
	if (!rc)
		rc = publish(d, t, &bytes, ret_hash);
	strbuf_done(&bytes);
	return rc;
}

int agent_publish_semantic(struct dispatch *d, struct trace *t, const struct semantic *s,
    struct hash *ret_hash, struct err *e)
{
	struct strbuf bytes;
	int rc;

	strbuf_init(&bytes, WIRE_MAX_MESSAGE);
	rc = pb_semantic_pack(&bytes, s, e);
	if (!rc)
		rc = publish(d, t, &bytes, ret_hash);
	strbuf_done(&bytes);
	return rc;
}
