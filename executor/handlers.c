/* Requests are decoded here for their source only; the worker decodes them again and
 * does the work. Its reply is decoded once before it is passed on: a worker that ran
 * hostile SQL is not trusted to send a well-formed message. */
#include "executor/handlers.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/wire/wire.h"
#include "exec.pb-c.h"

#define VERSION_MS 5000
#define PACKING_MS 5000 /* of a describe, after its profile */

static struct executor executor;

void handlers_init(const struct executor *x)
{
	executor = *x;
}

struct call {
	const ProtobufCMessageDescriptor *reply;
	const Nlq__SourceRef *source;
	uint32_t query_ms, max_rows;
};

static int checked(const ProtobufCMessageDescriptor *d, const struct strbuf *reply, struct err *e)
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

	if (rc == 0)
		rc = pool_call(executor.pool, &pc, ret_body, e);
	if (rc == 0)
		rc = checked(c->reply, ret_body, e);
	if (rc == ERR_ENGINE_MISMATCH || rc == ERR_INTERNAL)
		log_error("call failed kind=%d code=%s text=\"%s\"", (int)job->kind,
		    err_code_name((enum err_code)rc), e != NULL ? e->text : "");
	return rc;
}

static int handle_describe(struct rpc_job *job, struct strbuf *ret_body, struct err *e)
{
	struct call c = {
	    .reply = &nlq__describe_reply__descriptor,
	    .query_ms = executor.describe_ms + PACKING_MS,
	};
	ProtobufCMessage *m;
	int rc = wire_unpack(&nlq__describe_request__descriptor, job->body, job->len, &m, e);

	if (rc != 0)
		return rc;
	c.source = ((const Nlq__DescribeRequest *)m)->source;
	rc = run_call(job, &c, ret_body, e);
	wire_free(m);
	return rc;
}

static int handle_values(struct rpc_job *job, struct strbuf *ret_body, struct err *e)
{
	struct call c = {
	    .reply = &nlq__find_values_reply__descriptor,
	    .query_ms = executor.values_ms,
	};
	ProtobufCMessage *m;
	int rc = wire_unpack(&nlq__find_values_request__descriptor, job->body, job->len, &m, e);

	if (rc != 0)
		return rc;
	c.source = ((const Nlq__FindValuesRequest *)m)->source;
	rc = run_call(job, &c, ret_body, e);
	wire_free(m);
	return rc;
}

static uint32_t least_rows(uint32_t asked, uint32_t budget)
{
	if (asked == 0 || budget == 0)
		return asked | budget;
	return asked < budget ? asked : budget;
}

static int handle_run(struct rpc_job *job, struct strbuf *ret_body, struct err *e)
{
	struct call c = {
	    .reply = &nlq__run_reply__descriptor,
	    .query_ms = executor.query_ms,
	};
	const Nlq__RunRequest *q;
	ProtobufCMessage *m;
	int rc = wire_unpack(&nlq__run_request__descriptor, job->body, job->len, &m, e);

	if (rc != 0)
		return rc;
	q = (const Nlq__RunRequest *)m;
	c.source = q->source;
	c.max_rows = least_rows(q->has_max_rows ? q->max_rows : 0, job->budget_rows);
	if (job->budget_query_ms != 0 && job->budget_query_ms < c.query_ms)
		c.query_ms = job->budget_query_ms;
	rc = run_call(job, &c, ret_body, e);
	wire_free(m);
	return rc;
}

static int handle_version(struct rpc_job *job, struct strbuf *ret_body, struct err *e)
{
	struct call c = {
	    .reply = &nlq__check_version_reply__descriptor,
	    .query_ms = VERSION_MS,
	};
	ProtobufCMessage *m;
	int rc = wire_unpack(&nlq__check_version_request__descriptor, job->body, job->len, &m, e);

	if (rc != 0)
		return rc;
	c.source = ((const Nlq__CheckVersionRequest *)m)->source;
	rc = run_call(job, &c, ret_body, e);
	wire_free(m);
	return rc;
}

const struct rpc_handler executor_handlers[] = {
    {NLQ__KIND__DESCRIBE, "describe", handle_describe},
    {NLQ__KIND__FIND_VALUES, "find_values", handle_values},
    {NLQ__KIND__RUN, "run", handle_run},
    {NLQ__KIND__CHECK_VERSION, "check_version", handle_version},
};
const size_t executor_n_handlers = ARRAY_SIZE(executor_handlers);
