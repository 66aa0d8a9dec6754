/* Requests are decoded here for their source only; the worker decodes them again and
 * does the work. Its reply is decoded once before it is passed on: a worker that ran
 * hostile SQL is not trusted to send a well-formed message. */
#include "executor/handlers.h"

#include "common/base/log.h"
#include "common/wire/wire.h"
#include "exec.pb-c.h"

#define VERSION_MS 5000
#define PACKING_MS 5000 /* of a describe, after its profile */

static struct executor executor;

void executor_handlers_init(const struct executor *x)
{
	executor = *x;
}

struct call {
	const Nlq__SourceRef *source;
	uint32_t query_ms, max_rows;
};

/* Decodes and forgets: only well-formed messages are passed on. */
static int check_reply(
    const ProtobufCMessageDescriptor *d, const struct strbuf *reply, struct err *e)
{
	ProtobufCMessage *m = NULL;

	if (wire_unpack(d, reply->data, reply->len, &m, NULL) != 0)
		return err_set(
		    e, ERR_INTERNAL, PHASE_RUN, "the worker's answer was not a valid message");
	wire_free(m);
	return 0;
}

static int run_call(
    struct rpc_job *job, const struct call *c, struct strbuf *ret_body, struct err *e)
{
	struct pool_call pc = {
	    .kind = job->kind,
	    .body = job->body,
	    .len = job->len,
	    .query_ms = c->query_ms,
	    .max_rows = c->max_rows,
	    .deadline_ms = job->deadline_ms,
	    .cancel_fd = rpc_job_cancel_fd(job),
	};
	int rc = sources_resolve(&executor.sources, c->source->name, c->source->path, &pc.path, e);

	return rc == 0 ? pool_call(executor.pool, &pc, ret_body, e) : rc;
}

/* --- what differs between the kinds ---------------------------------------------------- */

static void read_describe(const ProtobufCMessage *m, const struct rpc_job *job, struct call *c)
{
	(void)job;
	c->source = ((const Nlq__DescribeRequest *)m)->source;
	c->query_ms = executor.describe_ms + PACKING_MS;
}

static void read_values(const ProtobufCMessage *m, const struct rpc_job *job, struct call *c)
{
	(void)job;
	c->source = ((const Nlq__FindValuesRequest *)m)->source;
	c->query_ms = executor.values_ms;
}

static void read_version(const ProtobufCMessage *m, const struct rpc_job *job, struct call *c)
{
	(void)job;
	c->source = ((const Nlq__CheckVersionRequest *)m)->source;
	c->query_ms = VERSION_MS;
}

/* 0 is "not given". */
static uint32_t least(uint32_t a, uint32_t b)
{
	if (a == 0 || b == 0)
		return a | b;
	return a < b ? a : b;
}

static void read_run(const ProtobufCMessage *m, const struct rpc_job *job, struct call *c)
{
	const Nlq__RunRequest *q = (const Nlq__RunRequest *)m;

	c->source = q->source;
	c->query_ms = least(executor.query_ms, job->budget_query_ms);
	c->max_rows = least(q->has_max_rows ? q->max_rows : 0, job->budget_rows);
}

static const struct kind {
	Nlq__Kind kind;
	const ProtobufCMessageDescriptor *request, *reply;
	void (*read)(const ProtobufCMessage *m, const struct rpc_job *job, struct call *c);
} kinds[] = {
    {NLQ__KIND__DESCRIBE, &nlq__describe_request__descriptor, &nlq__describe_reply__descriptor,
        read_describe},
    {NLQ__KIND__FIND_VALUES, &nlq__find_values_request__descriptor,
        &nlq__find_values_reply__descriptor, read_values},
    {NLQ__KIND__RUN, &nlq__run_request__descriptor, &nlq__run_reply__descriptor, read_run},
    {NLQ__KIND__CHECK_VERSION, &nlq__check_version_request__descriptor,
        &nlq__check_version_reply__descriptor, read_version},
};

static const struct kind *find_kind(Nlq__Kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == kind)
			return &kinds[i];
	return NULL;
}

static int handle(struct rpc_job *job, struct strbuf *ret_body, struct err *e)
{
	const struct kind *k = find_kind(job->kind);
	ProtobufCMessage *m = NULL;
	struct call c = {0};
	int rc;

	if (k == NULL)
		return err_set(e, ERR_PROTOCOL, PHASE_RPC, "the executor does not know this call");
	rc = wire_unpack(k->request, job->body, job->len, &m, e);
	if (rc != 0)
		return rc;
	k->read(m, job, &c);
	rc = run_call(job, &c, ret_body, e);
	wire_free(m);
	if (rc == 0)
		rc = check_reply(k->reply, ret_body, e);
	if (rc == ERR_ENGINE_MISMATCH || rc == ERR_INTERNAL)
		log_error("call failed kind=%d code=%s text=\"%s\"", (int)job->kind,
		    err_code_name((enum err_code)rc), e != NULL ? e->text : "");
	return rc;
}

const struct rpc_handler executor_handlers[] = {
    {NLQ__KIND__DESCRIBE, "describe", handle},
    {NLQ__KIND__FIND_VALUES, "find_values", handle},
    {NLQ__KIND__RUN, "run", handle},
    {NLQ__KIND__CHECK_VERSION, "check_version", handle},
};
const size_t executor_n_handlers = ARRAY_SIZE(executor_handlers);
